// Many threads store a constant to one place. Where all store the same one that is a note; not
// where one of them stores another one, or a thread reads meanwhile.
// EXPECT: CPU device: 4 errors, 3 notes
// ONLY: x86_64
// SPDX-License-Identifier: MIT
__global__ void flag_of_all(bool *flag) {
    flag[0] = true;                  // NOTE data race
    flag[1 + blockIdx.x % 2] = true; // NOTE data race
}

__global__ void set_anew(int *flag) {
    if (threadIdx.x == 0)
        *flag = 0;
    __syncthreads();
    if (threadIdx.x == 5)
        *flag = 1; // ERROR data race
}

__global__ void two_constants(int *flag) {
    if (blockIdx.x == 5 && threadIdx.x == 0)
        *flag = 2; // ERROR data race
    else if (threadIdx.x == 0)
        *flag = 1; // ERROR data race
}

__global__ void read_by_one(int *flag, int *out) {
    if (blockIdx.x != 5 && threadIdx.x == 0)
        *flag = 1; // ERROR data race // NOTE data race
    else if (blockIdx.x == 5)
        out[threadIdx.x] = *flag; // ERROR data race
}

__global__ void other_memory(int *out) {
    out[threadIdx.x] = blockIdx.x; // ERROR data race
}

int main(void) {
    bool *d_flags;
    int *d_flag, *d_out;
    cudaMalloc(&d_flags, 64);
    cudaMalloc(&d_flag, sizeof *d_flag);
    cudaMalloc(&d_out, 64 * sizeof *d_out);
    flag_of_all<<<8, 64>>>(d_flags);
    set_anew<<<8, 64>>>(d_flag);
    two_constants<<<8, 64>>>(d_flag);
    read_by_one<<<8, 64>>>(d_flag, d_out);
    other_memory<<<8, 64>>>(d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_flags);
    cudaFree(d_flag);
    cudaFree(d_out);
    return e != cudaSuccess;
}
