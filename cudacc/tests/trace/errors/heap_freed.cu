// An object that one kernel has deleted, and the next one uses; another that was never filled in.
// EXPECT: byte 4 of 12 from malloc(), which have been freed
// SPDX-License-Identifier: MIT
struct part {
    int number, count, price;
};

__global__ void make(struct part **parts) {
    struct part *p = new part;
    p->number = p->count = threadIdx.x;
    parts[threadIdx.x] = p;
}

__global__ void value(struct part **parts, int *out) {
    struct part *p = parts[threadIdx.x];
    out[threadIdx.x] = p->count * p->price; // ERROR read of memory never written
    delete p;
}

__global__ void sold(struct part **parts) { parts[threadIdx.x]->count = 0; } // ERROR use after free

int main(void) {
    struct part **d_parts;
    int *d_out;
    cudaMalloc(&d_parts, 32 * sizeof *d_parts);
    cudaMalloc(&d_out, 32 * sizeof *d_out);
    make<<<1, 32>>>(d_parts);
    value<<<1, 32>>>(d_parts, d_out);
    sold<<<1, 32>>>(d_parts);
    cudaDeviceSynchronize();
    cudaFree(d_parts);
    cudaFree(d_out);
    return 0;
}
