// SPDX-License-Identifier: MIT
// The events the wrong way round.
//   rejected: values: it returned -
float ms_between(cudaEvent_t start, cudaEvent_t stop) {
    float ms = 0;
    if (cudaEventSynchronize(stop) == cudaSuccess &&
        cudaEventElapsedTime(&ms, stop, start) == cudaSuccess)
        return ms;
    cudaGetLastError();
    return -1;
}
