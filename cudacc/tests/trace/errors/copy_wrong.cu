// Copies that go the wrong way, or to no memory of theirs.
// EXPECT: cudaMemcpyDeviceToHost, but its destination is memory of the device and its source of the host; it did nothing
// EXPECT: cudaMemcpyHostToDevice, but its destination is memory of the host and its source of the device
// EXPECT: its source is a null pointer
// EXPECT: its memory is the host's
// EXPECT: its width is larger than a pitch
// EXPECT: its destination is table, a variable of the device, whose address the host does not have: use cudaMemcpyToSymbol, or cudaGetSymbolAddress
// EXPECT: its symbol is no variable of the device
// SPDX-License-Identifier: MIT
__device__ int table[64];

int main(void) {
    static int h_a[64];
    int *d_a, *d_never = 0;
    cudaMalloc(&d_a, sizeof h_a);
    cudaMemset(d_a, 0, sizeof h_a);
    // Each of them fails, and the program does not look.
    cudaMemcpy(d_a, h_a, sizeof h_a, cudaMemcpyDeviceToHost);      // ERROR wrong argument
    cudaMemcpy(h_a, d_a, sizeof h_a, cudaMemcpyHostToDevice);      // ERROR wrong argument
    cudaMemcpy(h_a, d_never, sizeof h_a, cudaMemcpyDeviceToHost);  // ERROR wrong argument
    cudaMemset(h_a, 0, sizeof h_a);                                // ERROR wrong argument
    cudaMemcpy2D(d_a, 16, h_a, 16, 32, 2, cudaMemcpyHostToDevice); // ERROR wrong argument
    cudaMemcpy(table, h_a, sizeof h_a, cudaMemcpyHostToDevice);    // ERROR wrong argument
    cudaMemcpyToSymbol((const void *)h_a, h_a, sizeof h_a);        // ERROR wrong argument
    cudaFree(d_a);
    return 0;
}
