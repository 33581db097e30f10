// Memory that kernels allocate, used as it should be
// SPDX-License-Identifier: MIT
#include "program.h"
#include <new>
#include <stdlib.h>

// ---- clean_heap: Objects that kernels make by new and malloc(), with virtual functions, and
// hand on to later kernels and other threads; some give them back at once.
struct Shape {
    __device__ virtual ~Shape() {}
    __device__ virtual int area() const = 0;
};
struct Square : Shape {
    int a;
    __device__ Square(int a) : a(a) {}
    __device__ int area() const override { return a * a; }
};
struct Rectangle : Square {
    int b;
    __device__ Rectangle(int a, int b) : Square(a), b(b) {}
    __device__ int area() const override { return a * b; }
};
__global__ void make(Shape **shapes, char *place) {
    int i = threadIdx.x;
    shapes[i] = i % 2 ? new Square(i) : new Rectangle(i, 2);
    shapes[32 + i] = new (place + i * sizeof(Square)) Square(i); // in memory of the host's choice
    int *own = (int *)malloc((i + 1) * sizeof *own);
    own[i] = i;
    own[0] = own[i];
    free(own);
}
__global__ void add_up(Shape **shapes, int *out) {
    int i = 31 - threadIdx.x, *twice = new int[2];
    twice[0] = shapes[i]->area();
    twice[1] = shapes[32 + i]->area();
    out[i] = twice[0] + twice[1];
    delete[] twice;
    delete shapes[i];
}
PROGRAM(clean_heap) {
    char *d_place;
    int out[32], *h = new int[4];
    ARRAY(Shape *, d_shapes, 64);
    cudaMalloc(&d_place, 32 * sizeof(Square));
    ARRAY(int, d_out, 32);
    for (int round = 0; round < 3; round++) {
        make<<<1, 32>>>(d_shapes, d_place);
        add_up<<<1, 32>>>(d_shapes, d_out);
    }
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(d_place);
    delete[] h;
    exit_code = out[4] != 24 || out[5] != 50;
}

// ---- clean_heap_again: Of what a kernel frees there is room again in a heap that was made larger.
__global__ void take_most(int n, int *out) {
    int *p = (int *)malloc(n * sizeof *p);
    *out += p != NULL;
    free(p);
}
PROGRAM(clean_heap_again) {
    int times = 0;
    ZEROES(int, d_times, 1);
    exit_code = cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20) != cudaSuccess;
    for (int i = 0; i < 3; i++)
        take_most<<<1, 1>>>(3 << 20, d_times);
    cudaMemcpy(&times, d_times, sizeof times, cudaMemcpyDeviceToHost);
    exit_code |= times != 3;
}
