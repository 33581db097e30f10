// As clean_fence_reduction, but every thread stores and fences, and the ticket is taken after the
// barrier. Also not volatile, and with the order made by an atomicAdd of 0 on the reader's side.
// SPDX-License-Identifier: MIT
__global__ void gather(int *slot, int *ticket, int *out) {
    __shared__ int is_last;
    int i = threadIdx.x, n = blockDim.x * gridDim.x;
    slot[blockIdx.x * blockDim.x + i] = i;
    __threadfence();
    __syncthreads();
    if (i == 0)
        is_last = atomicAdd(ticket, 1) == (int)gridDim.x - 1;
    __syncthreads();
    if (!is_last)
        return;
    __threadfence();
    int s = 0;
    for (int k = i; k < n; k += blockDim.x)
        s += slot[k];
    out[i] = s;
}

int main(void) {
    int *d_slot, *d_ticket, *d_out;
    cudaMalloc(&d_slot, 16 * 96 * sizeof(int));
    cudaMalloc(&d_ticket, sizeof(int));
    cudaMalloc(&d_out, 96 * sizeof(int));
    cudaMemset(d_ticket, 0, sizeof(int));
    gather<<<16, 96>>>(d_slot, d_ticket, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_slot);
    cudaFree(d_ticket);
    cudaFree(d_out);
    return e != cudaSuccess;
}
