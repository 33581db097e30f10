// SPDX-License-Identifier: MIT
// Both events behind the work.
//   rejected: events: start did not come
void queue_timed(cudaEvent_t start, cudaEvent_t stop, cudaStream_t stream) {
    launch_work(stream);
    CUDA_CHECK(cudaEventRecord(start, stream));
    CUDA_CHECK(cudaEventRecord(stop, stream));
}
