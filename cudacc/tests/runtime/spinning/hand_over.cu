// A warp polls a flag. What it reads then is in order after what was written before the flag was
// set, wherever in its loop the other warp gets its turn: with every number of stores in the loop,
// and after every number of turns.
//
// SPDX-License-Identifier: MIT
#include <stdio.h>

enum { STORES = 6, TURNS = 10, PAIRS = STORES * TURNS };

__global__ void hand_over(int stores, int turns, int *flag, volatile int *busy, int *data) {
    if (threadIdx.x >= 32) {
        for (int i = 0; i < turns; i++)
            __nanosleep(100);
        data[threadIdx.x - 32] = 7;
        __threadfence();
        atomicAdd(flag, 1);
        return;
    }
    do {
        for (int i = 0; i < stores; i++)
            busy[threadIdx.x] = i;
    } while (atomicAdd(flag, 0) < 32);
    __threadfence();
    data[threadIdx.x] += threadIdx.x;
}

int main(void) {
    int *flags, *busy, *data, h[32], wrong = 0;
    cudaMalloc(&flags, PAIRS * sizeof *flags);
    cudaMalloc(&busy, sizeof h);
    cudaMalloc(&data, sizeof h);
    cudaMemset(flags, 0, PAIRS * sizeof *flags);
    for (int k = 0; k < PAIRS; k++) {
        hand_over<<<1, 64>>>(k % STORES, k / STORES, &flags[k], busy, data);
        cudaMemcpy(h, data, sizeof h, cudaMemcpyDeviceToHost);
        for (int i = 0; i < 32; i++)
            wrong += h[i] != 7 + i;
    }
    if (wrong)
        printf("%d wrong results\n", wrong);
    cudaFree(flags);
    cudaFree(busy);
    cudaFree(data);
    return wrong != 0;
}
