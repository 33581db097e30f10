// The last block adds up what all have stored, but no fence stands before the ticket: the count may
// be seen before the sums.
// LUCK: which block is the last
// EXPECT: data race: store of 4 bytes at race_no_fence.cu
// EXPECT: nothing orders two blocks of a launch but atomics with __threadfence()
// SPDX-License-Identifier: MIT
__global__ void sum(const int *in, int *part, unsigned *ticket, int *out) {
    __shared__ int is_last;
    if (threadIdx.x == 0) {
        int s = 0;
        for (int i = 0; i < 32; i++)
            s += in[32 * blockIdx.x + i];
        part[blockIdx.x] = s; // ERROR data race
        is_last = atomicAdd(ticket, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (is_last && threadIdx.x == 0) {
        int s = 0;
        for (unsigned i = 0; i < gridDim.x; i++)
            s += part[i]; // ERROR data race
        *out = s;
    }
}

int main(void) {
    int *d_in, *d_part, *d_out;
    unsigned *d_ticket;
    cudaMalloc(&d_in, 512 * sizeof *d_in);
    cudaMalloc(&d_part, 16 * sizeof *d_part);
    cudaMalloc(&d_out, sizeof *d_out);
    cudaMalloc(&d_ticket, sizeof *d_ticket);
    cudaMemset(d_in, 0, 512 * sizeof *d_in);
    cudaMemset(d_ticket, 0, sizeof *d_ticket);
    sum<<<16, 32>>>(d_in, d_part, d_ticket, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_part);
    cudaFree(d_out);
    cudaFree(d_ticket);
    return e != cudaSuccess;
}
