// Copies to the last byte and of parts, of padding that is never written: between the rows of
// pitched memory and in structs; variables by their symbols; a launch that fails and is asked
// about; host memory that a copy in a stream has let go; pinned memory that lives to the end.
// SPDX-License-Identifier: MIT
#include <stdlib.h>

struct record {
    double sum;
    int count; /* 4 bytes of padding behind it */
};
struct __align__(128) counter {
    int value; /* 124 bytes of padding */
};
__device__ int table[16];
__constant__ float factors[16];

__global__ void fill(struct record *records, struct counter *counters, float *rows, size_t pitch) {
    ((float *)((char *)rows + threadIdx.x * pitch))[threadIdx.y] = 1;
    if (threadIdx.y > 0)
        return;
    records[threadIdx.x].sum = threadIdx.x * factors[threadIdx.x % 16];
    records[threadIdx.x].count = table[threadIdx.x % 16];
    counters[threadIdx.x].value = 1;
}
__global__ void copy(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x]; }

int main(void) {
    const size_t n = 16;
    static float h_rows[1 << 16];
    static int h_table[16];
    struct record *d_records, *h_records;
    struct counter *d_counters, *h_counters = (struct counter *)malloc(n * sizeof *h_counters);
    float *d_rows, *h_tile;
    int *d_out;
    void *d_table;
    size_t pitch;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    cudaMallocHost(&h_records, n * sizeof *h_records);
    cudaMallocHost(&h_tile, 64);
    cudaMalloc(&d_records, n * sizeof *d_records);
    cudaMalloc(&d_counters, n * sizeof *d_counters);
    cudaMalloc(&d_out, n * sizeof *d_out);
    cudaMallocPitch(&d_rows, &pitch, 3 * sizeof *d_rows, n);
    cudaMemcpyToSymbol(factors, h_rows, sizeof factors);
    cudaMemcpyToSymbol(table, h_table, 4 * sizeof(int), 12 * sizeof(int));
    fill<<<1, dim3(16, 3), 0, stream>>>(d_records, d_counters, d_rows, pitch);
    cudaMemcpyAsync(h_records, d_records, n * sizeof *h_records, cudaMemcpyDeviceToHost, stream);
    h_tile[0] = 1;                             /* nobody copies that */
    volatile int *count = &h_records[1].count; /* whose reader knows that others write it */
    int early = *count;
    cudaStreamSynchronize(stream);
    int right = h_records[1].count == 0 || early > 1000;
    cudaMemcpy(h_counters, d_counters, n * sizeof *h_counters, cudaMemcpyDeviceToHost);
    cudaMemcpy(h_rows, d_rows, n * pitch, cudaMemcpyDeviceToHost);
    cudaMemcpy2D(h_rows, 64, d_rows, pitch, 3 * sizeof(float), n, cudaMemcpyDeviceToHost);
    cudaGetSymbolAddress(&d_table, table);
    cudaMemcpy((int *)d_table + 8, h_table, 8 * sizeof(int), cudaMemcpyHostToDevice);
    copy<<<1, 16>>>(d_out, (const int *)d_table);
    copy<<<1, 4096>>>(d_out, (const int *)d_table);
    right &= cudaGetLastError() != cudaSuccess;
    cudaMemcpy(h_table, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    right &= h_counters[15].value == 1;
    cudaStreamDestroy(stream);
    cudaFree(d_records);
    cudaFree(d_counters);
    cudaFree(d_rows);
    cudaFree(d_out);
    free(h_counters);
    return !right;
}
