// Variables of the host that are smaller than what is copied to or from a variable of the device.
// EXPECT BY GCC: cudaMemcpyToSymbol at host_variable_small.cu:10: its source ends 28 bytes past
// EXPECT BY GCC: cudaMemcpyFromSymbol at host_variable_small.cu:13: its destination ends 8 bytes
// SPDX-License-Identifier: MIT
__constant__ float weights[8];
__device__ int totals[4];

int main(void) {
    float one = 1;
    cudaMemcpyToSymbol(weights, &one, sizeof weights); // ERROR out of bounds, by gcc
    int two[2] = {0}, four[4] = {0};
    cudaMemcpyToSymbol(totals, four, sizeof totals);
    cudaMemcpyFromSymbol(two, totals, sizeof totals); // ERROR out of bounds, by gcc
    return 0;
}
