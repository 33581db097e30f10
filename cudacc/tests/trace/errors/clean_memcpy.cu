// memcpy and memset in kernels, and by the host in managed memory.
// SPDX-License-Identifier: MIT
#include <cstring>

struct record {
    int id;
    char name[31];
};

__global__ void make(struct record *out, char *text, int length) {
    struct record r;
    memset(&r, 'a', sizeof r);
    r.id = (int)threadIdx.x;
    memcpy(&out[threadIdx.x], &r, sizeof r);
    memset(text + length * threadIdx.x, 'b', length);
}
__global__ void read(const struct record *in, const char *text, int length, int *out) {
    float one = 1;
    int bits;
    memcpy(&bits, &one, sizeof bits);
    int i = threadIdx.x;
    out[i] += in[i].id + in[i].name[30] + text[length * i + length - 1] + (bits != 0);
}

int main(void) {
    struct record *d_records;
    char *d_text;
    int *out;
    cudaMalloc(&d_records, 32 * sizeof *d_records);
    cudaMalloc(&d_text, 32 * 13);
    cudaMallocManaged(&out, 32 * sizeof *out);
    std::memset(out, 0, 32 * sizeof *out);
    make<<<1, 32>>>(d_records, d_text, 13);
    read<<<1, 32>>>(d_records, d_text, 13, out);
    cudaDeviceSynchronize();
    int right = out[3] == 3 + 'a' + 'b' + 1;
    cudaFree(d_records);
    cudaFree(d_text);
    cudaFree(out);
    return !right;
}
