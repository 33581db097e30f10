// SPDX-License-Identifier: MIT
// Repairs the other one.
//   rejected: events: stop had its time when the work had not begun
void queue_timed(cudaEvent_t start, cudaEvent_t stop, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(start, stream));
    launch_work(stream);
    CUDA_CHECK(cudaEventRecord(stop));
}
