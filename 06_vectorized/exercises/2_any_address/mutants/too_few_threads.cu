// SPDX-License-Identifier: MIT
// As many threads as there are float4: a short array has none.
//   rejected: error|values
__global__ void scale(float *x, size_t n, size_t head, float factor) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t fours = (n - head) / 4, tail = head + 4 * fours + i;
    if (i < fours) {
        float4 *p = (float4 *)(x + head) + i, v = *p;
        *p = make_float4(v.x * factor, v.y * factor, v.z * factor, v.w * factor);
    }
    if (i < head)
        x[i] *= factor;
    if (tail < n)
        x[tail] *= factor;
}

void scale_array(float *x, size_t n, float factor) {
    size_t head = (16 - (size_t)x % 16) % 16 / sizeof(float);
    if (head > n)
        head = n;
    size_t threads = (n - head) / 4;
    if (n > 0)
        scale<<<(unsigned)((threads + 255) / 256), 256>>>(x, n, head, factor);
    CUDA_CHECK(cudaGetLastError());
}
