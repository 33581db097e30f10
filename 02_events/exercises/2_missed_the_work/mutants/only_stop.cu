// SPDX-License-Identifier: MIT
// Repairs one of the two.
//   rejected: events: start had its time
void queue_timed(cudaEvent_t start, cudaEvent_t stop, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(start));
    launch_work(stream);
    CUDA_CHECK(cudaEventRecord(stop, stream));
}
