// SPDX-License-Identifier: MIT
// Goes on behind the end of the row.
//   rejected: memory|guard|values
__global__ void add_one(float *out, const float *in, size_t width, size_t height) {
    size_t column = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t row = (size_t)blockIdx.y * blockDim.y + threadIdx.y;
    if (row < height)
        out[row * width + column] = in[row * width + column] + 1;
}

void add_one_to_matrix(float *out, const float *in, size_t width, size_t height) {
    dim3 block(32, 8);
    dim3 grid((unsigned)((width + block.x - 1) / block.x),
              (unsigned)((height + block.y - 1) / block.y));
    if (width > 0 && height > 0)
        add_one<<<grid, block>>>(out, in, width, height);
    CUDA_CHECK(cudaGetLastError());
}
