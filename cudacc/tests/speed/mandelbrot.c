/* mandelbrot.cu as one writes it in C with OpenMP. SPDX-License-Identifier: MIT */
#include "speed.h"

static void run(const float *a, const float *b, float *out, int n) {
    enum { MOST_STEPS = 256 };
#pragma omp parallel for schedule(dynamic)
    for (int row = 0; row < n; row++)
        for (int column = 0; column < n; column++) {
            float x0 = 3.0f * column / n - 2.25f, y0 = 3.0f * row / n - 1.5f, x = 0, y = 0;
            int steps = 0;
            while (steps < MOST_STEPS && x * x + y * y < 4) {
                float next = x * x - y * y + x0;
                y = 2 * x * y + y0;
                x = next;
                steps++;
            }
            out[row * n + column] = steps;
        }
}
