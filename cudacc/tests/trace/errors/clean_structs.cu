// Structs with padding that is never written, copied whole; a buffer that is used in parts; bytes
// and halves of words by different threads.
// SPDX-License-Identifier: MIT
struct item {
    double weight;
    char kind;
    int count;
    char tail;
};

__global__ void make(struct item *items) {
    int i = threadIdx.x;
    items[i].weight = i;
    items[i].kind = 'a';
    items[i].count = i;
    items[i].tail = 'z';
}
__global__ void move(const struct item *from, struct item *to) {
    int i = threadIdx.x;
    to[63 - i] = from[i];
}
__global__ void again(const struct item *from, struct item *to) {
    struct item item = from[threadIdx.x];
    to[threadIdx.x] = item;
}
__global__ void pieces(char *bytes, short *halves) {
    int i = threadIdx.x;
    bytes[i] = (char)i;
    halves[(i * 5) % 64] = (short)i;
    __syncthreads();
    bytes[i] = (char)(bytes[i] + halves[i]);
}

int main(void) {
    struct item *d_a, *d_b;
    char *d_bytes;
    short *d_halves;
    cudaMalloc(&d_a, 64 * sizeof *d_a);
    cudaMalloc(&d_b, 64 * sizeof *d_b);
    cudaMalloc(&d_bytes, 64);
    cudaMalloc(&d_halves, 128);
    make<<<1, 64>>>(d_a);
    move<<<1, 64>>>(d_a, d_b);
    again<<<1, 64>>>(d_b, d_a);
    pieces<<<1, 64>>>(d_bytes, d_halves);
    cudaError_t e = cudaDeviceSynchronize();
    cudaFree(d_a);
    cudaFree(d_b);
    cudaFree(d_bytes);
    cudaFree(d_halves);
    return e != cudaSuccess;
}
