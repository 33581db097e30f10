// SPDX-License-Identifier: MIT
// Checks exercise 3.2: every length, more than there is memory for, and whether all was given back.
//
//   build: plain
//   runs: in-order late facts
//   cases: 85, 0
//   unsolved: values: h_out[0]
#include "../../../tools/learn/check.h"

cudaError_t double_on_device(float *h_out, const float *h_in, size_t n); // the learner's

#ifdef __CUDACC_CPU__
static size_t free_bytes(void) {
    size_t available, total;
    must(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
    return available;
}
#endif

// Host arrays with room for a guard behind them.
static void expect_success(size_t n) {
    float *h_in = (float *)host_malloc((n + 8) * sizeof *h_in);
    float *h_out = (float *)host_malloc((n + 8) * sizeof *h_out);
    float *expected = (float *)host_malloc((n + 8) * sizeof *expected);
    fill_floats(h_in, n, chance(1u << 24));
    memset(h_out, POISON_BYTE, (n + 8) * sizeof *h_out);
    memcpy(expected, h_out, (n + 8) * sizeof *h_out);
    for (size_t i = 0; i < n && judging(); i++)
        expected[i] = 2 * h_in[i];
    calling("n = %zu", n);
    cudaError_t error;
    int behind;
    OBSERVE(error, double_on_device(h_out, h_in, n));
    if (error != cudaSuccess)
        fail("error", "it returned %s", cudaGetErrorName(error));
    check_values("h_out", h_out, expected, n);
    OBSERVE(behind, memcmp(h_out + n, expected + n, 8 * sizeof *h_out));
    if (behind)
        fail("guard", "it wrote past the end of h_out");
    returned();
    passed();
    free(h_in);
    free(h_out);
    free(expected);
}

static void check_cases(void) {
    for (int k = 1; k < SIZES; k++)
        expect_success(sizes[k]);
    expect_success(0);

    float few[4] = {1, 2, 3, 4}, out[4];
    calling("n = 2^40, for which no device has memory");
    cudaError_t error;
    OBSERVE(error, double_on_device(out, few, (size_t)1 << 40));
    if (error != cudaErrorMemoryAllocation)
        fail("error", "it returned %s", error ? cudaGetErrorName(error) : "success");
    OBSERVE(error, cudaGetLastError());
    if (error != cudaSuccess)
        fail("left", "the error was returned, and it also stays for the next cudaGetLastError()");
    passed();
    expect_success(1000);

#ifdef __CUDACC_CPU__ // a GPU's memory is others', too, and what they take looks like a leak
    size_t before, after;
    OBSERVE(before, free_bytes());
    for (int call = 0; call < 20; call++)
        expect_success(1 << 18);
    calling("20 calls with n = 2^18");
    OBSERVE(after, free_bytes());
    if (after + (10 << 20) < before)
        fail("leak", "%zu MiB of the device's memory were not given back", (before - after) >> 20);
    passed();
#endif
}

// Pinned, so that copies to it are followed.
static void check_facts(void) {
    const size_t n = 1000 + (size_t)chance(1000);
    float *h_out = NULL, *h_in = (float *)host_malloc(n * sizeof *h_in);
    float *expected = (float *)host_malloc(n * sizeof *expected);
    LEARNER(must(cudaMallocHost((void **)&h_out, n * sizeof *h_out), "cudaMallocHost"));
    fill_floats(h_in, n, chance(1u << 24));
    for (size_t i = 0; i < n && judging(); i++)
        expected[i] = 2 * h_in[i];
    cudaError_t error;
    calling("n = %zu, h_out pinned", n);
    OBSERVE(error, double_on_device(h_out, h_in, n));
    if (error != cudaSuccess)
        fail("error", "it returned %s", cudaGetErrorName(error));
    check_values("h_out", h_out, expected, n);
    returned();
    passed();
    limit_from_kernels("h_out", h_out, n);
    LEARNER(must(cudaFreeHost(h_out), "cudaFreeHost"));
    free(h_in);
    free(expected);
}
