// A thread's own list in memory from malloc(), with room for one element too few.
// EXPECT: just past the end of 20 bytes from malloc()
// SPDX-License-Identifier: MIT
#include <stdlib.h>

__global__ void squares(int *out, int n) {
    int *list = (int *)malloc(n * sizeof *list);
    for (int i = 0; i <= n; i++)
        list[i] = i * i; // ERROR out of bounds
    out[threadIdx.x] = list[n];
    free(list);
}

int main(void) {
    int *d_out;
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    squares<<<1, 64>>>(d_out, 5);
    cudaDeviceSynchronize();
    cudaFree(d_out);
    return 0;
}
