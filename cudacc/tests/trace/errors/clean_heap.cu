// Objects that kernels make by new and malloc(), with virtual functions, and hand on to later
// kernels and other threads; some give them back at once.
// SPDX-License-Identifier: MIT
#include <new>
#include <stdlib.h>

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

int main(void) {
    Shape **d_shapes;
    char *d_place;
    int *d_out, out[32], *h = new int[4];
    cudaMalloc(&d_shapes, 64 * sizeof *d_shapes);
    cudaMalloc(&d_place, 32 * sizeof(Square));
    cudaMalloc(&d_out, sizeof out);
    for (int round = 0; round < 3; round++) {
        make<<<1, 32>>>(d_shapes, d_place);
        add_up<<<1, 32>>>(d_shapes, d_out);
    }
    cudaMemcpy(out, d_out, sizeof out, cudaMemcpyDeviceToHost);
    cudaFree(d_shapes);
    cudaFree(d_place);
    cudaFree(d_out);
    delete[] h;
    return out[4] != 24 || out[5] != 50;
}
