// Numbers: vectors, bodies, functions, equations.
// EXPECT reverse_in_place: 4 16 4 16
// SPDX-License-Identifier: MIT
#include "samples.h"

// ---- Vectors -----------------------------------------------------------------------------------

__global__ void reverse_in_place(int *data, int n) {
    int i = (int)thread_number();
    if (i < n / 2) {
        int t = data[i];
        data[i] = data[n - 1 - i];
        data[n - 1 - i] = t;
    }
}

// ---- Particles ---------------------------------------------------------------------------------
struct body {
    float4 position;
    float3 velocity;
    int id;
};

__global__ void move_bodies(struct body *b, float dt) {
    unsigned i = thread_number();
    struct body me = b[i];
    me.position.x += dt * me.velocity.x;
    me.position.y += dt * me.velocity.y;
    me.position.z += dt * me.velocity.z;
    b[i] = me;
}

// ---- Functions ---------------------------------------------------------------------------------
__global__ void scale_with_table(float *out, const float *in, const int *kind) {
    const float table[4] = {0.5f, 1, 2, 4};
    unsigned i = thread_number();
    switch (kind[i] & 7) {
    case 0:
    case 1:
        out[i] = in[i];
        break;
    case 7:
        out[i] = 0;
        break;
    default:
        out[i] = in[i] * table[kind[i] & 3];
    }
}

struct quadratic {
    float a, b, c;
    float x1, x2;
    int roots;
};

__global__ void solve_structs(quadratic *q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    float d = q[i].b * q[i].b - 4 * q[i].a * q[i].c;
    if (d < 0) {
        q[i].roots = 0;
    } else if (d == 0) {
        q[i].roots = 1;
        q[i].x1 = -q[i].b / (2 * q[i].a);
    } else {
        q[i].roots = 2;
        q[i].x1 = (-q[i].b + sqrtf(d)) / (2 * q[i].a);
        q[i].x2 = (-q[i].b - sqrtf(d)) / (2 * q[i].a);
    }
}

#define MAX_QUEENS 8

__global__ void queens_check(unsigned char *valid, int n, int total) {
    int board = blockIdx.x * blockDim.x + threadIdx.x;
    if (board >= total)
        return;
    int queen[MAX_QUEENS];
    int code = board;
    for (int r = 0; r < n; r++) {
        queen[r] = code % n;
        code /= n;
    }
    for (int i = 0; i < n; i++) {
        for (int j = i + 1; j < n; j++) {
            if (queen[i] == queen[j] || abs(queen[i] - queen[j]) == j - i) {
                valid[board] = 0;
                return;
            }
        }
    }
    valid[board] = 1;
}

int main() {
    begin();
    float *in = make<float>(4000, number), *out = zeros<float>(600);
    int *ints = make<int>(128, whole);

    reverse_in_place<<<2, 64>>>(ints, 128);
    expect("reverse_in_place", ints, 128, -786);

    body *bodies = make<body>(128, [](int i) {
        return body{{number(i), number(2 * i), number(3 * i), 1}, {number(5 * i), 1, 2}, i};
    });
    move_bodies<<<2, 64>>>(bodies, 2);
    expect("move_bodies", (unsigned char *)bodies, 128 * sizeof(body), 9114842);

    scale_with_table<<<2, 64>>>(out, in, ints);
    expect("scale_with_table", out, 128, 5960.25);
    quadratic *equations = make<quadratic>(200, [](int i) {
        return quadratic{1, i % 5 ? number(i) : 4, i % 5 ? number(i + 500) : 4, 0, 0, 0};
    });
    solve_structs<<<2, 128>>>(equations, 200);
    expect("solve_structs", (float *)equations, 200 * 6, 14502.6438545);

    unsigned char *valid = zeros<unsigned char>(3125);
    queens_check<<<25, 128>>>(valid, 5, 3125);
    expect("queens_check", valid, 3125, 634);
    return end();
}
