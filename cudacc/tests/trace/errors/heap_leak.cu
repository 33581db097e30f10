// A list that a kernel builds, and nothing takes apart.
// EXPECT: leak: 1024 bytes in 64 blocks from malloc() or new in a kernel at heap_leak.cu:11, never freed
// SPDX-License-Identifier: MIT
struct part {
    int number;
    struct part *next;
};

__global__ void build(struct part **lists) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    struct part *p = new part; // NOTE leak
    p->number = i;
    p->next = NULL;
    lists[i] = p;
    int *own = new int[2];
    own[1] = i;
    delete[] own;
}

int main(void) {
    struct part **d_lists;
    cudaMalloc(&d_lists, 64 * sizeof *d_lists);
    build<<<2, 32>>>(d_lists);
    cudaDeviceSynchronize();
    cudaFree(d_lists);
    return 0;
}
