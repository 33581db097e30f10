// What do reads and writes cost each other? Memory turns its bus around between them. Here kernels
// read and write in mixes from nothing but reads to nothing but writes, float4 all of them. If both
// alone are faster than any mix, an addition, two reads and a write, cannot have their rate.
//
//     nvcc -O3 -arch=native 8_mix.cu && ./a.out
//     ../../cudacc/cudacc -O2 8_mix.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 27, CPU_N = 1 << 18 };

// ---- Kernels -----------------------------------------------------------------------------------
// A part is half an array, so many float4: a has two and b has two to read, out has two to write.
__host__ __device__ static size_t part_of(size_t n) { return n / 8; }

// Thread i reads float4 i of the first READS parts and writes their sum to float4 i of the first
// WRITES parts of out. What it does not write stays as it was.
template <int READS, int WRITES>
__global__ void mix(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x, part = part_of(n);
    if (i >= part)
        return;
    const float4 *parts[4] = {(const float4 *)a, (const float4 *)b, (const float4 *)a + part,
                              (const float4 *)b + part};
    float4 v[4], sum = make_float4(1, 1, 1, 1);
    for (int k = 0; k < READS; k++)
        v[k] = parts[k][i];
    for (int k = 0; k < READS; k++)
        sum = sum4(sum, v[k]);
    for (int k = 0; k < WRITES; k++)
        ((float4 *)out)[k * part + i] = sum;
    if (WRITES == 0 && sum.x + sum.y + sum.z + sum.w < 0) // never, but the compiler does not know
        out[i] = 0;
}

// What the device's own memset makes of a write.
static void launch_memset(const struct arrays *x, unsigned, size_t) {
    CUDA_CHECK(cudaMemsetAsync(x->d_out, 0, 8 * sizeof(float) * part_of(x->n), 0));
}

// ---- Reference ---------------------------------------------------------------------------------
template <int READS, int WRITES>
static void mix_reference(float *out, const float *a, const float *b, size_t n, size_t) {
    size_t part = 4 * part_of(n); // floats
    const float *parts[4] = {a, b, a + part, b + part};
    for (size_t i = 0; i < part; i++) {
        float sum = 1;
        for (int k = 0; k < READS; k++)
            sum += parts[k][i];
        for (int k = 0; k < WRITES; k++)
            out[k * part + i] = sum;
    }
}

static void memset_reference(float *out, const float *, const float *, size_t n, size_t) {
    memset(out, 0, 8 * sizeof(float) * part_of(n));
}

// Half the elements are in a part; 4 bytes of each are read or written.
#define MIX(r, w) launch<mix<r, w>, 8>, mix_reference<r, w>, 256, 0, 2.0 * (r + w), 0, 1
enum { READS, R3W1, R2W1, R1W1, R1W2, WRITES, MEMSET, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"1:0", MIX(4, 0), "reads alone"},
    {"3:1", MIX(3, 1), ""},
    {"2:1", MIX(4, 2), "what an addition does"},
    {"1:1", MIX(2, 2), "what a copy does"},
    {"1:2", MIX(1, 2), ""},
    {"0:1", MIX(0, 2), "writes alone"},
    {"0:1, cudaMemset", launch_memset, memset_reference, 0, 0, 4, 0, 1, "as 0:1"},
};
static const double reads[VARIANTS] = {1, 3. / 4, 2. / 3, 1. / 2, 1. / 3, 0, 0}; // share of bytes

// ---- Findings ----------------------------------------------------------------------------------
// The rate of a mix if its reads had the rate of reads alone, its writes that of writes alone.
static double unmixed(const struct work *works, int mix) {
    double r = works[READS].row.gb_per_s, w = works[WRITES].row.gb_per_s;
    return 1 / (reads[mix] / r + (1 - reads[mix]) / w);
}

static void say_findings(const struct work *works) {
    double r = works[READS].row.gb_per_s, w = works[WRITES].row.gb_per_s;
    double add = works[R2W1].row.gb_per_s, could = unmixed(works, R2W1);
    int worst = R3W1;
    finding("alone_gb_per_s", r, "Reads alone reach %.1f GB/s, writes alone %.1f, a memset %.1f.",
            r, w, works[MEMSET].row.gb_per_s);
    if (add < 0.995 * could)
        finding("mixing_percent", 100 - 100 * add / could,
                "Two reads to a write reach %.1f GB/s. One after another, at the rates of each "
                "alone, they would reach %.1f: that they are mixed costs %.1f %%.",
                add, could, 100 - 100 * add / could);
    else
        finding("mixing_percent", 100 - 100 * add / could,
                "Two reads to a write reach %.1f GB/s. One after another, at the rates of each "
                "alone, they would reach %.1f: mixing them costs nothing.",
                add, could);
    for (int i = R3W1; i < WRITES; i++)
        if (works[i].row.gb_per_s / unmixed(works, i) <
            works[worst].row.gb_per_s / unmixed(works, worst))
            worst = i;
    if (works[worst].row.gb_per_s < unmixed(works, worst))
        finding("worst_percent", 100 - 100 * works[worst].row.gb_per_s / unmixed(works, worst),
                "The mix that loses most is %s, %.1f %%.", variants[worst].name,
                100 - 100 * works[worst].row.gb_per_s / unmixed(works, worst));
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    static struct work works[VARIANTS];
    run_begin(argc, argv, "06_vectorized/mix", "What do reads and writes cost each other?",
              "variant n block parameter value median_ms spread_pct gb_per_s flag check",
              "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    measure_table(works, variants, VARIANTS, &x);
    for (int i = 0; i < VARIANTS; i++)
        works[i].row.parameter = "read share", works[i].row.value = reads[i];
    print_works(works, VARIANTS);
    if (run.samples)
        say_findings(works);
    arrays_free(&x);
    return run_end();
}
