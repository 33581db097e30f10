// From which size on does it pay to give a thread four floats? On little data it does not: a launch
// takes as long as the work, and what the caches hold needs fewer bytes in flight.
//
//     nvcc -O3 2_sizes.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 2_sizes.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "elementwise.h"

enum {
    SMALLEST = 1 << 10, // from there on doubled
    GPU_N = 1 << 28,
    CPU_N = 1 << 20,
    ARTICLE_N = 32 * 1024 * 1024, // the article's program: one launch, blocks of 128
    ARTICLE_BLOCK = 128,
    SIZES = 64,
};

// ---- Variants ----------------------------------------------------------------------------------
// The kernels are in elementwise.h.
enum { FLOAT, FLOAT4, UNROLLED4, VARIANTS };

static const struct shape shapes[VARIANTS] = {
    {add_float, 1, 1, 8, 0},
    {add_float4, 4, 1, 32, 0},
    {add_unrolled4, 4, 1, 32, 0},
};
LAUNCH(float, add_float, &shapes[FLOAT])
LAUNCH(float4, add_float4, &shapes[FLOAT4])
LAUNCH(unrolled4, add_unrolled4, &shapes[UNROLLED4])

static const struct variant variants[VARIANTS] = {
    {"float", launch_float, add_reference, 12, 1, 0, "as fast as float4 while n is small"},
    {"float4", launch_float4, add_reference, 12, 1, 0, "faster when n is large"},
    {"4 floats", launch_unrolled4, add_reference, 12, 1, 0, "as float4"},
};

// ---- Measure -----------------------------------------------------------------------------------
// One size: the first n elements of the data. What lies behind them becomes a guard, so a larger
// size
// must have its turn before. The rows are printed when all are known.
static void measure_size(const struct run *run, struct data *data, size_t n, struct work *works,
                         struct task *tasks) {
    float *const arrays[] = {data->d_out, data->d_a, data->d_b};
    for (int i = 0; i < 3; i++)
        CUDA_CHECK(cudaMemset(arrays[i] + n, GUARD_BYTE, GUARD_BYTES));
    data->n = n;
    for (int i = 0; i < VARIANTS; i++) {
        works[i].variant = &variants[i];
        works[i].shape = &shapes[i];
        works[i].data = data;
        works[i].block = 256;
    }
    measure_works(run, works, tasks, VARIANTS);
}

// The article's program times one launch with one pair of events. So do these rows.
static void article(struct run *run) {
    size_t room, total, bytes = 5 * sizeof(float) * (size_t)ARTICLE_N;
    CUDA_CHECK(cudaMemGetInfo(&room, &total));
    if (bytes > room / 2) {
        run_say(run, "The article's size needs %zu bytes, %zu are free: left out.", bytes, room);
        return;
    }
    struct data data = data_create(ARTICLE_N);
    struct event_timer timer = event_timer_create();
    for (int i = FLOAT; i <= FLOAT4; i++) {
        struct work work;
        memset(&work, 0, sizeof work);
        work.variant = &variants[i];
        work.data = &data;
        work.block = ARTICLE_BLOCK;
        int right = work_is_right(&work); // the warm-up, too
        event_timer_start(&timer, 0);
        launch_work(&work);
        event_timer_stop(&timer, 0);
        double ms = event_timer_ms(&timer);
        work.row = run_row(run, variants[i].name);
        work.row.dtype = "float";
        work.row.n = data.n;
        work.row.block = work.block;
        work.row.parameter = "article: one launch";
        work.row.bytes = data.n * variants[i].bytes;
        work.row.flops = data.n * variants[i].flops;
        work.row.check = right ? "ok" : "FAIL";
        row_times(&work.row, &ms, 1);
        work.row.gb_per_s = gb_per_s(work.row.bytes, ms);
        work.row.gflop_per_s = gflop_per_s(work.row.flops, ms);
        run_print(run, &work.row);
    }
    event_timer_destroy(&timer);
    data_free(&data);
}

// What the rates say: they may be any.
static void conclude(const struct run *run, struct work works[][VARIANTS], int sizes) {
    const struct row *last = &works[sizes - 1][FLOAT].row;
    int from = sizes; // from this size on float4 is 5 % faster at every size
    double most = 0;
    for (int i = 0; i < sizes; i++)
        most = fmax(most, works[i][FLOAT4].row.gb_per_s / works[i][FLOAT].row.gb_per_s);
    while (from > 0 &&
           works[from - 1][FLOAT4].row.gb_per_s > 1.05 * works[from - 1][FLOAT].row.gb_per_s)
        from--;
    if (from == sizes)
        run_say(run, "At the largest size float4 is not faster by 5 %%.");
    else
        run_say(run, "From n = %zu on float4 is faster by 5 %% or more; the most is %.2f times.",
                works[from][FLOAT].row.n, most);
    run_say(run, "At n = %zu: float %.1f GB/s, float4 %.1f, 4 floats %.1f.", last->n,
            last->gb_per_s, works[sizes - 1][FLOAT4].row.gb_per_s,
            works[sizes - 1][UNROLLED4].row.gb_per_s);
    run_say(run, "At n = %zu a launch takes %.4f and %.4f ms: %s.", works[0][FLOAT].row.n,
            works[0][FLOAT].row.median_ms, works[0][FLOAT4].row.median_ms,
            fabs(works[0][FLOAT4].row.median_ms / works[0][FLOAT].row.median_ms - 1) < 0.1
                ? "nothing to gain"
                : "they differ");
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "06_vectorized",
    "sizes",
    "float4 pays on large data; on little it changes nothing.",
    "variant n block parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    static struct work works[SIZES][VARIANTS];
    static struct task tasks[SIZES][VARIANTS];
    size_t largest = run_size(&run, GPU_N, CPU_N, 5 * sizeof(float));
    struct data data = data_create(largest);
    int sizes = 1;
    while ((size_t)SMALLEST << (sizes - 1) < largest)
        sizes++;
    for (int i = sizes; i-- > 0;)
        measure_size(&run, &data, i < sizes - 1 ? (size_t)SMALLEST << i : largest, works[i],
                     tasks[i]);
    data_free(&data);
    print_works(&run, works[0], (size_t)sizes * VARIANTS);
    if (!run.quick)
        article(&run);
    if (!run.quick)
        conclude(&run, works, sizes);
    for (int i = 0; i < sizes; i++)
        measure_free(tasks[i], VARIANTS);
    return run_end(&run);
}
