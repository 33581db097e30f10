/* n_body.cu as one writes it in C with OpenMP. SPDX-License-Identifier: MIT */
#include <math.h>
#include "speed.h"

static void run(const float *a, const float *b, float *out, int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++) {
        float pull = 0;
        for (int k = 0; k < n; k++) {
            float x = a[k] - a[i], y = b[k] - b[i], square = x * x + y * y + 1;
            pull += x / (square * sqrtf(square));
        }
        out[i] = pull;
    }
}
