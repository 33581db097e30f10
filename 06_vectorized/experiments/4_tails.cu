// A float4 does four elements, and n is not always a multiple of 4. The usual guard, idx < n, lets
// the last thread read and write past the end. Here is what that destroys, and a kernel for any
// length and any address: head, body and tail.
//
//     nvcc -O3 4_tails.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 4_tails.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum { GPU_N = 1 << 28, CPU_N = 1 << 18, SMALL_N = 1000, CANARIES = 4 };

// The article's macro: the 16 bytes from `value` on, as a float4. It checks nothing.
#define FLOAT4(value) (*(float4 *)&(value))

// ---- Kernels -----------------------------------------------------------------------------------
// As in the article. The last thread passes the guard and does four elements: for n % 4 != 0 it
// reads and writes up to three floats past the end.
__global__ void add_article(float *out, float *a, float *b, size_t n) {
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

// ---- Variants ----------------------------------------------------------------------------------
enum { FLOAT, FLOAT4, ANY, VARIANTS };

static const struct shape shapes[VARIANTS] = {
    {add_float, 1, 1, 8, 0}, {add_float4, 4, 1, 32, 0}, {add_head_body_tail, 4, 1, 32, 0}};
LAUNCH(float, add_float, &shapes[FLOAT])
LAUNCH(float4, add_float4, &shapes[FLOAT4])
LAUNCH(alike, add_head_body_tail, &shapes[ANY])

// Arrays that do not lie alike have no float4 in common: then one float at a time.
static void launch_any(float *out, const float *a, const float *b, size_t n) {
    uintptr_t differ = ((uintptr_t)out ^ (uintptr_t)a) | ((uintptr_t)out ^ (uintptr_t)b);
    (differ % 16 ? launch_float : launch_alike)(out, a, b, n);
}

// Only right for n % 4 == 0, so it is not in the table.
static void launch_article(float *out, const float *a, const float *b, size_t n) {
    add_article<<<(unsigned)((n + 1023) / 1024), 256>>>(out, (float *)a, (float *)b, n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[VARIANTS] = {
    {"float", launch_float, add_reference, 12, 1, 0, "any length, any address"},
    {"float4", launch_float4, add_reference, 12, 1, 0, "any length, multiples of 16"},
    {"head, body, tail", launch_any, add_reference, 12, 1, 0, "any of both, and float4's rate"},
};

// ---- Lengths -----------------------------------------------------------------------------------
static void print_value(struct run *run, const char *what, size_t n, const char *parameter,
                        size_t value, int right) {
    struct row row = run_row(run, what);
    row.n = n;
    row.parameter = parameter;
    row.value = (double)value;
    row.check = right ? "ok" : "FAIL";
    run_print(run, &row);
}

// Adds n elements that begin so many elements into out, a and b. Counts what was replaced of the
// canaries behind them, which are inside the allocation: nothing else comes to harm.
static size_t canaries_lost(void (*launch)(float *, const float *, const float *, size_t), size_t n,
                            size_t out, size_t a, size_t b, int *right) {
    const float canary = -1;
    struct arrays arrays = arrays_create(3 + n + CANARIES);
    float *h_out = arrays.h_expected; // it holds no expectation yet
    size_t lost = 0, bytes = arrays.n * sizeof(float);
    for (size_t i = 0; i < arrays.n; i++)
        h_out[i] = canary;
    CUDA_CHECK(cudaMemcpy(arrays.d_out, h_out, bytes, cudaMemcpyHostToDevice));
    launch(arrays.d_out + out, arrays.d_a + a, arrays.d_b + b, n);
    CUDA_CHECK(cudaMemcpy(h_out, arrays.d_out, bytes, cudaMemcpyDeviceToHost));
    for (size_t i = 0; i < n; i++)
        *right &= h_out[out + i] == arrays.h_a[a + i] + arrays.h_b[b + i];
    for (size_t i = 0; i < arrays.n; i++)
        lost += (i < out || i >= out + n) && !(h_out[i] == canary);
    arrays_free(&arrays);
    return lost;
}

static void lengths(struct run *run) {
    size_t lost = 0, ways = 0;
    int right = 1;
    for (size_t n = SMALL_N; n < SMALL_N + 4; n++) {
        size_t past_end = canaries_lost(launch_article, n, 0, 0, 0, &right);
        print_value(run, "float4, guard idx < n", n, "floats lost behind", past_end,
                    right && past_end == (4 - n % 4) % 4);
    }
    for (size_t n = 0; n <= 9; n++)
        for (size_t way = 0; way < 64; way++, ways++)
            lost += canaries_lost(launch_any, n, way % 4, way / 4 % 4, way / 16, &right);
    print_value(run, "head, body, tail", 0, "floats lost in all", lost, right && !lost);
    run_say(run,
            "(%zu cases: n from 0 to 9, out, a and b each 0 to 3 floats behind a multiple of 16.)",
            ways);
}

// ---- Rates -------------------------------------------------------------------------------------
static void rates(struct run *run) {
    enum { ROWS = VARIANTS + 3 };
    static const char *const bases[] = {"from p", "from p + 1", "from p + 2", "from p + 3"};
    struct data data = data_create(run_size(run, GPU_N, CPU_N, 5 * sizeof(float)));
    struct work works[ROWS];
    struct task tasks[ROWS];
    memset(works, 0, sizeof works);
    for (int i = 0; i < ROWS; i++) {
        works[i].variant = &variants[i < ANY ? i : ANY];
        works[i].data = &data;
        works[i].block = 256;
        works[i].skip = i > ANY && data.n > 3 ? (size_t)i - ANY : 0;
    }
    measure_works(run, works, tasks, ROWS);
    for (int i = 0; i < ROWS; i++)
        works[i].row.parameter = bases[works[i].skip];
    print_works(run, works, ROWS);
    if (!run->quick)
        run_say(run, "Head, body and tail reach %.3f of float4's rate from p, %.3f from p + 1.",
                works[ANY].row.gb_per_s / works[FLOAT4].row.gb_per_s,
                works[ANY + 1].row.gb_per_s / works[FLOAT4].row.gb_per_s);
    measure_free(tasks, ROWS);
    data_free(&data);
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "06_vectorized",
    "tails",
    "The guard idx < n is no guard for a float4; head, body and tail take any length and address.",
    "variant n parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    lengths(&run);
    rates(&run);
    return run_end(&run);
}
