// Buffers of the host that are smaller than what is copied: from malloc, calloc and new, of a
// vector, from the middle on, on the stack, static, a member of a struct that ends it.
// EXPECT: its destination ends 4 bytes past the end of memory of the host, 60 bytes, allocated at
// EXPECT: 60 bytes, allocated at host_buffer_small.cu:19
// EXPECT: 60 bytes, allocated at host_buffer_small.cu:20
// EXPECT BY GCC: its destination ends 40 bytes past the end of a variable of the host
// SPDX-License-Identifier: MIT
#include <stdlib.h>
#include <vector>

static int totals[15];
struct pair {
    int a[8], b[7];
};

int main(void) {
    const size_t BYTES = 16 * sizeof(int);
    int *d_a, local[15];
    int *h_a = (int *)malloc(15 * sizeof *h_a), *zeroes = (int *)calloc(15, sizeof *zeroes);
    int *fresh = new int[15]();
    std::vector<int> v(15);
    struct pair p;
    cudaMalloc(&d_a, BYTES);
    cudaMemset(d_a, 0, BYTES);
    cudaMemcpy(h_a, d_a, BYTES, cudaMemcpyDeviceToHost);            // ERROR out of bounds
    cudaMemcpy(d_a, zeroes, BYTES, cudaMemcpyHostToDevice);         // ERROR out of bounds
    cudaMemcpyAsync(d_a, fresh, BYTES, cudaMemcpyHostToDevice);     // ERROR out of bounds
    cudaMemcpy(v.data(), d_a, BYTES, cudaMemcpyDeviceToHost);       // ERROR out of bounds
    cudaMemcpy(h_a + 8, d_a, BYTES / 2, cudaMemcpyDeviceToHost);    // ERROR out of bounds
    cudaMemcpy(local, d_a, BYTES, cudaMemcpyDeviceToHost);          // ERROR out of bounds, by gcc
    cudaMemcpy(totals, d_a, BYTES, cudaMemcpyDeviceToHost);         // ERROR out of bounds, by gcc
    cudaMemcpy(&local[5], d_a, BYTES + 16, cudaMemcpyDeviceToHost); // ERROR out of bounds
    cudaMemcpy(p.b, d_a, BYTES / 2, cudaMemcpyDeviceToHost);        // ERROR out of bounds, by gcc
    cudaFree(d_a);
    free(h_a);
    free(zeroes);
    delete[] fresh;
    return 0;
}
