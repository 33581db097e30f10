// SPDX-License-Identifier: MIT
// Waits for the first event.
//   rejected: values: it returned -1
float ms_between(cudaEvent_t start, cudaEvent_t stop) {
    float ms = 0;
    if (cudaEventSynchronize(start) == cudaSuccess &&
        cudaEventElapsedTime(&ms, start, stop) == cudaSuccess)
        return ms;
    cudaGetLastError();
    return -1;
}
