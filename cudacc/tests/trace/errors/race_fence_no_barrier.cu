// All threads store, one of them takes the ticket for the block, with a fence: but no
// __syncthreads()
// makes it wait for the others.
// LUCK: which block is the last
// EXPECT: nothing orders two blocks of a launch but atomics with __threadfence()
// SPDX-License-Identifier: MIT
__global__ void sum(int *part, unsigned *ticket, int *out) {
    __shared__ int is_last;
    part[64 * blockIdx.x + threadIdx.x] = (int)threadIdx.x; // ERROR data race
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int s = 0;
        for (unsigned i = 0; i < 64 * gridDim.x; i++)
            s += part[i]; // ERROR data race
        *out = s;
    }
}

int main(void) {
    int *d_part, *d_out;
    unsigned *d_ticket;
    cudaMalloc(&d_part, 512 * sizeof *d_part);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMalloc(&d_ticket, sizeof *d_ticket);
    cudaMemset(d_ticket, 0, sizeof *d_ticket);
    sum<<<8, 64>>>(d_part, d_ticket, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_part);
    cudaFree(d_out);
    cudaFree(d_ticket);
    return e != cudaSuccess;
}
