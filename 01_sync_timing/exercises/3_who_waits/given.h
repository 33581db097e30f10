// SPDX-License-Identifier: MIT
// What the exercise gives you: a kernel is queued in the default stream; then comes one of these.
#include "../../../common/common.h"

enum call {
    ANOTHER_LAUNCH,    // kernel<<<...>>>(...)
    MEMSET,            // cudaMemset(d_a, 0, bytes)
    COPY_ON_DEVICE,    // cudaMemcpy(d_a, d_b, bytes, cudaMemcpyDeviceToDevice)
    COPY_TO_HOST,      // cudaMemcpy(h, d_a, 4, cudaMemcpyDeviceToHost)
    COPY_FROM_PINNED,  // cudaMemcpy(d_a, pinned, 4, cudaMemcpyHostToDevice)
    COPY_FROM_MALLOC,  // cudaMemcpy(d_a, h, 1 << 20, cudaMemcpyHostToDevice), h from malloc
    ASYNC_TO_PINNED,   // cudaMemcpyAsync(pinned, d_a, 4, cudaMemcpyDeviceToHost, 0)
    ASYNC_TO_PAGEABLE, // cudaMemcpyAsync(h, d_a, 4, cudaMemcpyDeviceToHost, 0)
    LAST_ERROR,        // cudaGetLastError()
    QUERY,             // cudaStreamQuery(0)
    SYNCHRONIZE,       // cudaDeviceSynchronize()
    CALLS
};

enum { UNKNOWN = -1 };
