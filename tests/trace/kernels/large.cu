// SPDX-License-Identifier: MIT
// 180 kernels of 48 KiB of shared memory: more than a thread has of stack, from which the C library
// takes its variables. Read by kernels.t.
template <int K> __global__ void large(int *cells) {
    __shared__ int shared[12288];
    shared[threadIdx.x + K] = cells[K]; // past the end for K = 180
    __syncthreads();
    cells[K] = shared[K];
}
template <int K> struct launches {
    static void of(int *cells) {
        large<K><<<1, 32>>>(cells);
        launches<K - 1>::of(cells);
    }
};
template <> struct launches<0> {
    static void of(int *) {}
};
int main() {
    int *cells;
    cudaMalloc((void **)&cells, 4 * 180);
    cudaMemset(cells, 0, 4 * 180);
    launches<180>::of(cells);
    cudaDeviceSynchronize();
}
