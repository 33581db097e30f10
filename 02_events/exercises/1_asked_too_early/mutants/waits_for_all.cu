// SPDX-License-Identifier: MIT
// Waits for whatever else is queued.
//   rejected: waits: the host waits in cudaDeviceSynchronize
float ms_between(cudaEvent_t start, cudaEvent_t stop) {
    float ms = 0;
    if (cudaDeviceSynchronize() == cudaSuccess &&
        cudaEventElapsedTime(&ms, start, stop) == cudaSuccess)
        return ms;
    cudaGetLastError();
    return -1;
}
