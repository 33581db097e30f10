// SPDX-License-Identifier: MIT
// Takes a name for the fact.
//   rejected: prediction: cudaMemcpyAsync to pageable memory: predicted 0, not so
void predict_waits(int waits[CALLS]) {
    waits[ANOTHER_LAUNCH] = 0;
    waits[MEMSET] = 0;
    waits[COPY_ON_DEVICE] = 0;
    waits[COPY_TO_HOST] = 1;
    waits[ASYNC_TO_PINNED] = 0;
    waits[ASYNC_TO_PAGEABLE] = 0;
    waits[EVENT_RECORD] = 0;
    waits[EVENT_SYNCHRONIZE] = 1;
    waits[ANOTHER_STREAM] = 0;
}
