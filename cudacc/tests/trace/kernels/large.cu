// SPDX-License-Identifier: MIT
// 60 kernels of 48 KiB of shared memory: more than the 2 MiB of stack that kernels.t leaves a
// thread, from which the C library takes its variables.
template <int K> __global__ void large(int *cells) {
    __shared__ int shared[12288];
    shared[threadIdx.x + K] = cells[K]; // past the end for K = 60
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
    cudaMalloc((void **)&cells, 4 * 60);
    cudaMemset(cells, 0, 4 * 60);
    launches<60>::of(cells);
    cudaDeviceSynchronize();
}
