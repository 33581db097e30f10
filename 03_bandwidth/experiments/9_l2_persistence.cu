// Data that a kernel reads again and again has to share L2 with all that it reads or writes once. A
// persisting window asks L2 to keep one range of addresses. Does the hot data come faster then?
//
//     nvcc -O3 -arch=native 9_l2_persistence.cu && ./a.out
//     ../../cudacc/cudacc -O2 9_l2_persistence.cu && ./a.out   (no GPU: no window)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"

// The window is an attribute of the launch, so a captured graph has it, too.
#if !defined(__CUDACC_CPU__) && CUDART_VERSION >= 11080
#define HAS_WINDOWS 1
#else
#define HAS_WINDOWS 0
#endif

enum { CPU_N = 1 << 20 }; // where there is no L2

// ---- Kernel ------------------------------------------------------------------------------------
// Moves all of a and out past `hot`, whose n_hot elements it reads in each sweep, blockIdx.y. Four
// elements for each thread, so that the limit is the memory's or the cache's (chapter 06).
__global__ void add_hot(float *out, const float *a, const float *hot, size_t n, size_t n_hot) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t at = blockIdx.y * (n_hot / 4) + i;
    if (i < n_hot / 4 && at < n / 4) {
        float4 p = ((const float4 *)a)[at], q = ((const float4 *)hot)[i];
        ((float4 *)out)[at] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
    }
    if (blockIdx.y == 0 && i < n % 4) // up to three elements are left at the end
        out[n - 1 - i] = a[n - 1 - i] + hot[0];
}

// The first elements of b are hot; so many sweeps over them meet all of a.
static size_t hot_elements(size_t n, size_t sweeps) {
    size_t n_hot = n / sweeps / 4 * 4;
    return n_hot ? n_hot : 4;
}

static dim3 grid_of(size_t n, size_t n_hot, unsigned block) {
    return dim3(blocks(n_hot / 4, block), (unsigned)((n + n_hot - 1) / n_hot));
}

static void launch_plain(const struct arrays *x, unsigned block, size_t sweeps) {
    size_t n_hot = hot_elements(x->n, sweeps);
    add_hot<<<grid_of(x->n, n_hot, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->d_b, x->n,
                                                                   n_hot);
    CUDA_CHECK(cudaGetLastError());
}

// The bytes of a window: no more than L2 can set aside, and than a window may have. 0: no windows.
static size_t window_bytes(size_t bytes) {
    int aside = run.device.persistingL2CacheMaxSize, most = run.device.accessPolicyMaxWindowSize;
    size_t least = HAS_WINDOWS ? (size_t)(aside < most ? aside : most) : 0;
    return bytes < least ? bytes : least;
}

static void launch_window(const struct arrays *x, unsigned block, size_t sweeps) {
#if HAS_WINDOWS
    size_t n_hot = hot_elements(x->n, sweeps), bytes = window_bytes(n_hot * sizeof(float));
    cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = {};
    struct cudaAccessPolicyWindow window = {x->d_b, bytes, 1.0f, cudaAccessPropertyPersisting,
                                            cudaAccessPropertyStreaming}; // 1.0: all persists
    memset(&attribute, 0, sizeof attribute);
    attribute.id = cudaLaunchAttributeAccessPolicyWindow;
    attribute.val.accessPolicyWindow = window;
    config.gridDim = grid_of(x->n, n_hot, block);
    config.blockDim = dim3(block);
    config.stream = run.stream;
    config.attrs = &attribute, config.numAttrs = bytes > 0;
    CUDA_CHECK(cudaLaunchKernelEx(&config, add_hot, x->d_out, (const float *)x->d_a,
                                  (const float *)x->d_b, x->n, n_hot));
#else
    launch_plain(x, block, sweeps);
#endif
}

static void reference_sum(float *out, const float *a, const float *hot, size_t n, size_t sweeps) {
    size_t n_hot = hot_elements(n, sweeps);
    for (size_t i = 0, at = 0; i < n; i++, at = at + 1 == n_hot ? 0 : at + 1)
        out[i] = a[i] + hot[i < n / 4 * 4 ? at : 0];
}

// The parameter: sweeps over the hot set. a has 4 x L2 bytes, so 24 sweeps make a sixth of L2 hot.
enum { SIZES = 3, VARIANTS = 2 * SIZES }; // each size without a window, then with one
static const struct variant variants[VARIANTS] = {
    {"no window", launch_plain, reference_sum, 256, 24, 12, 1, 0, "a sixth of L2: may stay there"},
    {"window", launch_window, reference_sum, 256, 24, 12, 1, 0, "stays in L2"},
    {"no window", launch_plain, reference_sum, 256, 12, 12, 1, 0, "a third: some may be gone"},
    {"window", launch_window, reference_sum, 256, 12, 12, 1, 0, "stays in L2"},
    {"no window", launch_plain, reference_sum, 256, 6, 12, 1, 0, "two thirds: gone at each sweep"},
    {"window", launch_window, reference_sum, 256, 6, 12, 1, 0, "what can be set aside stays"},
};

// ---- Measure -----------------------------------------------------------------------------------
// What is set aside is lost to everything else: so only while windows are measured, and anew.
static void set_aside(size_t bytes) {
#if HAS_WINDOWS
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaCtxResetPersistingL2Cache());
#endif
    CUDA_CHECK(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes));
}

static struct row measure_variant(const struct variant *variant, struct arrays *x) {
    size_t hot = hot_elements(x->n, variant->parameter) * sizeof(float);
    size_t window = variant->launch == launch_window ? window_bytes(hot) : 0;
    struct work work = {variant, x, 2 * x->n * sizeof(float) + hot, {}};
    set_aside(window);
    measure_works(&work, 1, MEASURE_HOT);
    set_aside(0);
    work.row.parameter = run.samples ? "hot set, MiB" : "hot set, bytes";
    work.row.value = (double)hot / (run.samples ? 1 << 20 : 1);
    print_row(&work.row);
    if (window && window < hot)
        say("The window on %zu bytes is cut to %zu: no more can be set aside.", hot, window);
    return work.row;
}

static void conclude(const struct row *rows) {
    const struct row *best = rows, *last = &rows[VARIANTS - 2];
    double gain = 0, last_gain = last->median_ms / last[1].median_ms;
    for (const struct row *row = rows; row <= last; row += 2)
        if (row->median_ms > gain * row[1].median_ms)
            best = row, gain = row->median_ms / row[1].median_ms;
    if (gain > 1.05)
        finding("window_gain", gain,
                "A window pays most on a hot set of %g MiB: with it the kernel is %.2f times as "
                "fast; on %g MiB, %.2f times.",
                best->value, gain, last->value, last_gain);
    else
        finding("window_gain", gain,
                "A window pays on no hot set tried: with it the kernel is at best %.2f times as "
                "fast, on %g MiB; on %g MiB, %.2f times.",
                gain, best->value, last->value, last_gain);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    struct row rows[VARIANTS];
    run_begin(argc, argv, "03_bandwidth/l2_persistence",
              "Does a persisting window keep in L2 what is read again and again?",
              "variant n bytes parameter value median_ms gb_per_s flag check", "elements",
              NO_ERRORS);
    check_sizes(variants, VARIANTS);
    int step = window_bytes(1) ? 1 : 2; // 2: without windows
    size_t n = run_size((size_t)run.device.l2CacheSize, CPU_N, ARRAYS * sizeof(float));
    struct arrays x = arrays_create(n);
    for (int i = 0; i < VARIANTS; i += step)
        rows[i] = measure_variant(&variants[i], &x);
    arrays_free(&x);
    if (step == 2)
        say("Skipped: a window needs CUDA 11.8 and persistingL2CacheMaxSize above 0, here %d.",
            run.device.persistingL2CacheMaxSize);
    else if (run.samples)
        conclude(rows);
    return run_end();
}
