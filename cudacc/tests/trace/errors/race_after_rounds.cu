// The same line stores again in a later round, but the barriers that ended the first round do not
// end that one.
// EXPECT: threads (7,0,0) and (40,0,0): d_tile[7], byte 28 of 128
// SPDX-License-Identifier: MIT
__global__ void rounds(int *tile, int *out) {
    int t = threadIdx.x, x = 0;
    for (int round = 0; round < 2; round++) {
        if (t < 32)
            tile[t] = t + round; // ERROR data race
        if (round == 1)
            break;
        for (int warp = 1; warp < 4; warp++) {
            __syncthreads();
            if (t / 32 == warp && t % 32 < 32 >> warp)
                x += tile[t % 32];
        }
        __syncthreads();
    }
    if (t == 3)
        tile[t]++;
    if (t == 40)
        x += tile[7]; // ERROR data race
    out[t] = x;
}

int main(void) {
    int *d_tile, *d_out;
    cudaMalloc(&d_tile, 32 * sizeof *d_tile);
    cudaMalloc(&d_out, 128 * sizeof *d_out);
    rounds<<<1, 128>>>(d_tile, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_tile);
    cudaFree(d_out);
    return e != cudaSuccess;
}
