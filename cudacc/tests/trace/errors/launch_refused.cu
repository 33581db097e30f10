// Launches that cannot be, and the program never asks.
// EXPECT: launch refused: kernel fill at launch_refused.cu:17 did not run: a block of 2048x1x1 has 2048 threads, and may have 1024; cudaGetLastError() tells so, but was not asked
// EXPECT: kernel fill at launch_refused.cu:18 did not run: a block of 33x32x1 has 1056 threads, and may have 1024
// EXPECT: kernel fill at launch_refused.cu:19 did not run: a grid of 0x1x1 has no blocks
// EXPECT: kernel fill at launch_refused.cu:20 did not run: a block asks for 65536 bytes of dynamic shared memory, and may have 49152
// EXPECT: kernel small at launch_refused.cu:21 did not run: a block has 128 threads, and by __launch_bounds__ may have 64
// EXPECT: kernel fill at launch_refused.cu:22 did not run: a grid of 1x70000x1 has too many blocks: in y and in z it may have 65535
// SPDX-License-Identifier: MIT
__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void __launch_bounds__(64) small(int *a) { a[threadIdx.x] = 1; }

int main(void) {
    int *d_a, n = 100;
    cudaMalloc(&d_a, 2048 * sizeof *d_a);
    fill<<<1, 2048>>>(d_a);
    cudaGetLastError();                      // that one was asked about
    fill<<<1, 2048>>>(d_a);                  // ERROR launch refused
    fill<<<1, dim3(33, 32)>>>(d_a);          // ERROR launch refused
    fill<<<n / 256, 256>>>(d_a);             // ERROR launch refused
    fill<<<1, 64, 64 << 10>>>(d_a);          // ERROR launch refused
    small<<<1, 128>>>(d_a);                  // ERROR launch refused
    fill<<<dim3(1, 70000), 64>>>(d_a);       // ERROR launch refused
    cudaError_t e = cudaDeviceSynchronize(); // says nothing of them
    cudaFree(d_a);
    return e != cudaSuccess;
}
