// With a stride the lanes of a warp read elements far apart, and the memory cannot deliver less
// than a whole fetch: most of what it brings is not used. Here every stride does the same work,
// each element of one array once, so that nothing but the order of the accesses differs.
//
//     nvcc -O3 -arch=native 4_stride.cu && ./a.out
//     ../../cudacc/cudacc -O2 4_stride.cu && ./a.out   (no GPU)
//     ./a.out fp64         double instead of float; dev=1 chooses a device
//     ./a.out --article    4 MB and a footprint that grows with the stride, as in the article
//
// SPDX-License-Identifier: MIT
#include "article.h"

// ---- Kernel ------------------------------------------------------------------------------------
// Neighboring lanes are s elements apart; blockIdx.y is the phase, the element to start from. With
// s phases every element is touched once. Expect min(4 s, 32) sectors for 32 floats, in min(s, 32)
// lines.
template <typename T> __global__ void stride(T *a, size_t n, size_t s) {
    size_t i = ((size_t)blockIdx.x * blockDim.x + threadIdx.x) * s + blockIdx.y;
    if (i < n)
        a[i] = a[i] + 1;
}

template <typename T> static void launch_stride(const struct arrays *x, unsigned block, size_t s) {
    dim3 grid(blocks((x->n + s - 1) / s, block), (unsigned)s);
    stride<<<grid, block, 0, run.stream>>>((T *)x->d_out, x->n, s);
    CUDA_CHECK(cudaGetLastError());
}

// What the article's kernel does: every s-th element.
template <typename T> static void launch_phase(const struct arrays *x, unsigned block, size_t s) {
    stride<<<blocks((x->n + s - 1) / s, block), block, 0, run.stream>>>((T *)x->d_out, x->n, s);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Reference ---------------------------------------------------------------------------------
// launch_stride has added_reference, of sweep.h.
static void phase_reference(float *out, const float *, const float *, size_t n, size_t s) {
    for (size_t i = 0; i < n; i += s)
        out[i] += 1;
}

// Some of the sweep, against the host; main() takes all of it.
enum { VARIANTS = 7 };
static const struct variant variants[VARIANTS] = {
    {"stride 1", launch_stride<float>, added_reference, BLOCK, 1, 8, 1, 1, "4 sectors"},
    {"stride 2", launch_stride<float>, added_reference, BLOCK, 2, 8, 1, 1, "8 sectors"},
    {"stride 3", launch_stride<float>, added_reference, BLOCK, 3, 8, 1, 1, "12 sectors"},
    {"stride 8", launch_stride<float>, added_reference, BLOCK, 8, 8, 1, 1, "32, one a lane"},
    {"stride 16", launch_stride<float>, added_reference, BLOCK, 16, 8, 1, 1, "32, but slower"},
    {"stride 32", launch_stride<float>, added_reference, BLOCK, 32, 8, 1, 1, "slower still"},
    {"one phase of 7", launch_phase<float>, phase_reference, BLOCK, 7, 8.0 / 7, 1.0 / 7, 1,
     "28 sectors"},
};

// ---- Findings ----------------------------------------------------------------------------------
static const double NEARLY_TWICE = 1.75; // times as long: there the memory fetches no more

static void conclude(const struct point *points, size_t count) {
    const size_t size = points[0].buffers->size;
    double ms[MOST + 1], twice[6]; // at stride s; how many times as long from 2^(k-1) to 2^k
    size_t from, to = MOST, fetch = 0;
    for (size_t i = 0; i < count; i++)
        ms[points[i].s] = points[i].row.median_ms;
    for (size_t s = 1, k = 1; s < MOST; s *= 2, k++)
        twice[k] = ms[2 * s] / ms[s];
    while (to > 1 && ms[to] <= NEARLY_TWICE * ms[to / 2])
        to /= 2;
    for (from = to; from > 1 && ms[from] > NEARLY_TWICE * ms[from / 2];)
        from /= 2;
    finding(finding_of("stride_32"), ms[MOST] / ms[1],
            "From stride 1 to 2, 4, 8, 16 and 32, the time grows %.2f, %.2f, %.2f, %.2f and %.2f "
            "times: %.1f times in all.",
            twice[1], twice[2], twice[3], twice[4], twice[5], ms[MOST] / ms[1]);
    if (option_article)
        say("At stride %d the footprint is %d times that of stride 1: two things change at once.",
            MOST, MOST);
    else if (cudaDeviceGetLimit(&fetch, cudaLimitMaxL2FetchGranularity) != cudaSuccess)
        cudaGetLastError(); // not a device that knows; forget the error
    else if (from < to)
        finding(finding_of("bend_bytes"), (double)(to * size),
                "From one element in %zu bytes to one in %zu, twice the stride takes more than %g "
                "times as long; sectors have %d, lines %d, and L2 fetches up to %zu at a time.",
                from * size, to * size, NEARLY_TWICE, SECTOR, LINE, fetch);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    const struct sweep sweep = {
        "05_coalescing/stride",
        "With a stride the memory fetches far more than was requested, and the useful rate falls.",
        "stride",
        1,
        {launch_stride<float>, launch_stride<double>},
        {launch_phase<float>, launch_phase<double>},
        1,
        variants,
        VARIANTS,
        conclude};
    return sweep_main(argc, argv, &sweep);
}
