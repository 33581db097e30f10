// SPDX-License-Identifier: MIT
// Right events, and a wait that nobody asked for.
//   rejected: waits: the host waits in cudaStreamSynchronize
void queue_timed(cudaEvent_t start, cudaEvent_t stop, cudaStream_t stream) {
    CUDA_CHECK(cudaStreamSynchronize(stream));
    CUDA_CHECK(cudaEventRecord(start, stream));
    launch_work(stream);
    CUDA_CHECK(cudaEventRecord(stop, stream));
}
