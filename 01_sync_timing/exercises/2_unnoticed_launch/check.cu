// SPDX-License-Identifier: MIT
// Checks exercise 1.2: launches that work, one that no device accepts, a kernel that goes wrong.
//
//   build: plain
//   runs: late facts
//   cases: 24, 1
//   unsolved: sync: has not finished
#include "../../../tools/learn/queued_work.h"

cudaError_t fill_array(float *out, float value, size_t n, unsigned block); // the learner's

static void expect_success(size_t n, unsigned block) {
    struct buffer out = output("out", n);
    float value = (float)chance(1 << 20);
    calling("n = %zu, blocks of %u", n, block);
    LEARNER(queue_work(1, 0)); // so that the kernel is never done before the function looks
    cudaError_t error;
    int ready;
    OBSERVE(error, fill_array(out.d, value, n, block));
    OBSERVE(ready, n == 0 || cudaStreamQuery(0) == cudaSuccess);
    if (error != cudaSuccess)
        fail("values", "nothing went wrong, and it returned %s", cudaGetErrorName(error));
    if (!ready)
        fail("sync", "it returned success, and cannot know yet: the kernel has not finished");
    for (size_t i = 0; i < n && judging(); i++)
        out.h[i] = value;
    check_buffer(&out);
    returned();
    passed();
    release(&out);
}

// CUDA's documents and CUDA 12 say invalid configuration; CUDA 13 says invalid value.
static void expect_refusal(size_t n, unsigned block) {
    struct buffer out = output("out", n);
    calling("blocks of %u, which no device allows", block);
    cudaError_t error;
    OBSERVE(error, fill_array(out.d, 1, n, block));
    if (error != cudaErrorInvalidConfiguration && error != cudaErrorInvalidValue)
        fail("error", "nothing was launched, and it returned %s",
             error ? cudaGetErrorName(error) : "success");
    OBSERVE(error, cudaGetLastError());
    if (error != cudaSuccess)
        fail("left", "the error was returned, and it also stays: the next cudaGetLastError() "
                     "blames another launch for it");
    passed();
    release(&out);
}

static void check_cases(void) {
    LEARNER(work_create());
    static const unsigned blocks[] = {256, 32, 1024};
    for (int k = 0; k < SIZES; k++)
        expect_success(sizes[k], blocks[k % 3]);

    expect_refusal(1000, 2048);
    expect_refusal(1, 1025); // again: the first may leave something
    expect_success(1000, 256);
    cudaError_t error;
    // Last: this error sticks.
    calling("a pointer to nothing");
    OBSERVE(error, fill_array(NULL, 1, 1000, 256));
    if (error != cudaErrorIllegalAddress)
        fail("error", "the kernel wrote to NULL, and it returned %s",
             error ? cudaGetErrorName(error) : "success");
    passed();
}

static void check_facts(void) {
    const size_t n = 1000 + (size_t)chance(1000);
    struct buffer out = output("out", n);
    float value = (float)chance(1 << 20);
    cudaError_t error;
    calling("n = %zu", n);
    OBSERVE(error, fill_array(out.d, value, n, 256));
    if (error != cudaSuccess)
        fail("values", "nothing went wrong, and it returned %s", cudaGetErrorName(error));
    for (size_t i = 0; i < n && judging(); i++)
        out.h[i] = value;
    check_buffer(&out);
    passed();
    limit_from_kernels("out", out.d, n);
    release(&out);
}
