// A kernel frees what the host has allocated.
// SPDX-License-Identifier: MIT
#include <stdlib.h>

__global__ void done(int *list) {
    if (threadIdx.x == 5)
        free(list); // ERROR kernel died
}

int main(void) {
    int *d_list;
    cudaMalloc(&d_list, 64 * sizeof *d_list);
    done<<<1, 32>>>(d_list);
    cudaDeviceSynchronize();
    cudaFree(d_list);
    return 0;
}
