// A float4 does four elements. The usual guard, idx < n, lets the last thread read and write past
// the end. What does that destroy? And a kernel for any length and address: head, body and tail.
//
//     nvcc -O3 -arch=native 5_tails.cu && ./a.out
//     ../../cudacc/cudacc -O2 5_tails.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 26, CPU_N = 1 << 18, SMALL_N = 1000, CANARIES = 4 };

// The article's macro: the 16 bytes from `value` on, as a float4. It checks nothing.
#define FLOAT4(value) (*(float4 *)&(value))

// ---- Kernels -----------------------------------------------------------------------------------
// As in the article. For n % 4 != 0 the last thread touches up to three floats past the end.
__global__ void add_article(float *out, const float *a, const float *b, size_t n) {
    size_t idx = 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
    if (idx < n)
        FLOAT4(out[idx]) = sum4(FLOAT4(a[idx]), FLOAT4(b[idx]));
}

// Any n, any address that a float may have, provided that all three arrays lie alike: up to three
// floats until the next multiple of 16, then float4, then up to three floats. Expect float4's rate.
__global__ void add_head_body_tail(float *out, const float *a, const float *b, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t head = (16 - (uintptr_t)out % 16) % 16 / sizeof(float);
    head = head < n ? head : n;
    if (i < head)
        out[i] = a[i] + b[i];
    out += head, a += head, b += head, n -= head;
    if (i < n / 4)
        ((float4 *)out)[i] = sum4(((const float4 *)a)[i], ((const float4 *)b)[i]);
    add_rest(out, a, b, n, i);
}

// Arrays that do not lie alike have no float4 in common: then one float at a time.
static void launch_any(const struct arrays *x, unsigned block, size_t) {
    uintptr_t out = (uintptr_t)x->d_out;
    if (((out ^ (uintptr_t)x->d_a) | (out ^ (uintptr_t)x->d_b)) % 16)
        add_float<<<blocks(x->n, block), block, 0, run.stream>>>(x->d_out, x->d_a, x->d_b, x->n);
    else
        add_head_body_tail<<<blocks(x->n, 4 * block), block, 0, run.stream>>>(x->d_out, x->d_a,
                                                                              x->d_b, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// All but the first `skip` elements of n > 3.
static size_t left_out(size_t n, size_t skip) { return n > 3 ? skip : 0; }

static void launch_from(const struct arrays *x, unsigned block, size_t parameter) {
    struct arrays rest = *x;
    size_t skip = left_out(x->n, parameter);
    rest.d_out += skip, rest.d_a += skip, rest.d_b += skip, rest.n -= skip;
    launch_any(&rest, block, 0);
}

// ---- Reference ---------------------------------------------------------------------------------
// What is left out stays as it was.
static void from_reference(float *out, const float *a, const float *b, size_t n, size_t parameter) {
    for (size_t i = left_out(n, parameter); i < n; i++)
        out[i] = a[i] + b[i];
}

enum { FLOAT, FLOAT4, ANY, VARIANTS = ANY + 4 };
static const struct variant variants[VARIANTS] = {
    {"float", launch<add_float, 1>, sum_reference, 256, 0, 12, 1, 0, "any length, any address"},
    {"float4", launch<add_float4, 4>, sum_reference, 256, 0, 12, 1, 0,
     "any length, multiples of 16"},
    {"head, body, tail", launch_from, from_reference, 256, 0, 12, 1, 1, "any of both"},
    {"head, body, tail", launch_from, from_reference, 256, 1, 12, 1, 1, "and float4's rate"},
    {"head, body, tail", launch_from, from_reference, 256, 2, 12, 1, 1, "and float4's rate"},
    {"head, body, tail", launch_from, from_reference, 256, 3, 12, 1, 1, "and float4's rate"},
};

// ---- Lengths -----------------------------------------------------------------------------------
// Adds n elements, as the article or as we do, that begin so far into out, a and b. Counts what was
// replaced of the canaries around them, inside the allocation: nothing else comes to harm.
static size_t canaries_lost(int article, size_t n, size_t out, size_t a, size_t b, int *right) {
    const float canary = -1;
    struct arrays all = arrays_create(3 + n + CANARIES), x = all;
    size_t lost = 0, bytes = all.n * sizeof(float);
    float *h_out = (float *)host_malloc(bytes);
    for (size_t i = 0; i < all.n; i++)
        h_out[i] = canary;
    CUDA_CHECK(cudaMemcpy(all.d_out, h_out, bytes, cudaMemcpyHostToDevice));
    x.d_out += out, x.d_a += a, x.d_b += b, x.n = n;
    if (n > 0)
        (article ? launch<add_article, 4> : launch_any)(&x, 256, 0);
    CUDA_CHECK(cudaMemcpy(h_out, all.d_out, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        *right &= h_out[out + i] == fill_value(a + i, 1) + fill_value(b + i, 2);
    for (size_t i = 0; i < all.n; i++)
        lost += (i < out || i >= out + n) && !(h_out[i] == canary);
    free(h_out);
    arrays_free(&all);
    return lost;
}

static void check_lengths(void) {
    size_t lost = 0, ways = 0;
    int right = 1;
    for (size_t n = SMALL_N; n < SMALL_N + 4; n++) {
        size_t past_end = canaries_lost(1, n, 0, 0, 0, &right);
        print_value("float4, guard idx < n", n, "floats overwritten", (double)past_end,
                    right && past_end == (4 - n % 4) % 4);
    }
    for (size_t n = 0; n <= 9; n++)
        for (size_t way = 0; way < 64; way++, ways++)
            lost += canaries_lost(0, n, way % 4, way / 4 % 4, way / 16, &right);
    print_value("head, body, tail", 0, "floats overwritten", (double)lost, right && !lost);
    say("(%zu cases: n from 0 to 9; out, a and b each start 0 to 3 floats after a multiple of 16.)",
        ways);
}

// ---- Rates -------------------------------------------------------------------------------------
// On the CPU device: how many of n floats from p + skip a float4 takes, p being a multiple of 16.
static void count_in_float4(struct row *row, int variant, size_t n, size_t skip) {
    static const char *const bases[] = {"from p, in float4", "from p + 1, in float4",
                                        "from p + 2, in float4", "from p + 3, in float4"};
    size_t head = (4 - skip) % 4 < n ? (4 - skip) % 4 : n;
    row->parameter = bases[skip];
    row->value = variant == FLOAT ? 0 : (double)((n - head) / 4 * 4);
}

static void measure_rates(void) {
    static const char *const bases[] = {"from p", "from p + 1", "from p + 2", "from p + 3"};
    struct arrays x = arrays_create(run_size(GPU_N, CPU_N, ARRAYS * sizeof(float)));
    static struct work works[VARIANTS];
    measure_table(works, variants, VARIANTS, &x);
    for (int i = 0; i < VARIANTS; i++) {
        struct row *row = &works[i].row;
        size_t skip = left_out(x.n, variants[i].parameter);
        row->parameter = bases[skip];
        if (run.on_cpu)
            count_in_float4(row, i, x.n - skip, skip);
        row->n -= skip; // what is left out was not added, and does not count
        row->bytes = row->n * variants[i].bytes, row->flops = row->n * variants[i].flops;
        row->gb_per_s = gb_per_s(row->bytes, row->median_ms);
        row->gflop_per_s = gflop_per_s(row->flops, row->median_ms);
    }
    print_works(works, VARIANTS);
    if (run.samples)
        finding("any_address_share", works[ANY + 1].row.gb_per_s / works[FLOAT4].row.gb_per_s,
                "Head, body and tail reach %.3f of float4's rate from p, %.3f from p + 1.",
                works[ANY].row.gb_per_s / works[FLOAT4].row.gb_per_s,
                works[ANY + 1].row.gb_per_s / works[FLOAT4].row.gb_per_s);
    arrays_free(&x);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "06_vectorized/tails",
              "idx < n is no guard for a float4; head, body and tail take any length and address.",
              "variant n parameter value median_ms spread_pct gb_per_s flag check", "elements",
              NO_ERRORS);
    check_sizes(variants, VARIANTS);
    check_lengths();
    measure_rates();
    return run_end();
}
