// SPDX-License-Identifier: MIT
// measure(): what goes to run.stream is timed in a graph, what does not is timed after a gate and
// said to be; the number of samples is fixed; slow rounds are dropped; flags say what to doubt.
// The CPU device takes no times by itself: here it is made to, and no time is asserted.
#include "../lib/device.h"
#include "../../common/experiment/measure.h"

static int *d_count;

__global__ void count_launch(int *count) { atomicAdd(count, 1); }

static cudaStream_t the_default;

static void launch_in(void *stream) {
    count_launch<<<1, 1, 0, *(cudaStream_t *)stream>>>(d_count);
    CUDA_CHECK(cudaGetLastError());
}

TEST(modes) {
    struct task hot[2] = {task_of(launch_in, &run.stream), task_of(launch_in, &the_default)};
    struct task cold = task_of(launch_in, &run.stream);
    measure(hot, 2, MEASURE_HOT);
    ok(!hot[0].at_gate && hot[1].at_gate, "only what goes to run.stream is in a graph");
    ok(!hot[0].graph && !run.stream, "nothing of it is left");
    ok(hot[0].samples + hot[0].dropped == run.samples, "as many rounds as were asked for");
    int before = value_at(d_count);
    measure(&cold, 1, MEASURE_COLD);
    ok(cold.batch == 1 && cold.cold && !cold.at_gate, "cold: one launch, not said to be at a gate");
    ok(value_at(d_count) - before == 1 + (int)run.samples, "a warm-up, and one for each sample");
    measure_free(hot, 2), measure_free(&cold, 1);
}

// In a graph, too, the device does all launches of each batch.
TEST(batches) {
    struct task task = task_of(launch_in, &run.stream);
    struct sampler sampler = sampler_create(MEASURE_HOT);
    task.batch = 10;
    capture(&task);
    int before = value_at(d_count);
    ok(before >= 10 && task.graph, "a batch is captured, and launched once");
    batch_ms(&sampler, &task, task.batch);
    ok(value_at(d_count) - before == 10, "a graph has the whole batch");
    CUDA_CHECK(cudaGraphExecDestroy(task.graph));
    sampler_free(&sampler);
}

// Two tasks, five rounds: one has a slow clock in the third, the other's gate gave up in the last.
TEST(slow_rounds) {
    double ms[2][5] = {{1, 2, 3, 4, 5}, {6, 7, 8, 9, 10}};
    double ghz[] = {2, 1.95, 1.9, 2, 2.1, 1.5, 1.5, 1.5, 1.5, 0};
    struct task tasks[2] = {task_of(NULL, NULL), task_of(NULL, NULL)};
    tasks[0].samples_ms = ms[0], tasks[1].samples_ms = ms[1];
    drop_slow_rounds(tasks, 1, ghz);
    ok(tasks[0].samples == 4 && tasks[0].dropped == 1 && ms[0][2] == 4, "a clock 5 %% too slow");
    ms[0][2] = 3, ms[0][3] = 4;
    drop_slow_rounds(tasks, 2, ghz);
    ok(tasks[0].samples == 3 && ms[0][2] == 4 && ms[1][2] == 9, "no round for one task alone");
}

// A spread of 0.1 % has no outliers worth a flag: they begin 1 % from the median.
TEST(outliers) {
    double samples[] = {1, 1, 1, 1, 1.005, 1.02};
    struct row row = row_of("row");
    row_times(&row, samples, 5);
    ok(row.outliers == 0, "half a percent is no outlier");
    row_times(&row, samples, 6);
    ok(row.outliers == 1, "two percent is one");
}

// The flag of a row with five samples of so many milliseconds.
static const char *flag_of(struct task task, size_t footprint, double ms) {
    double samples[] = {ms, ms, ms, ms, ms};
    struct row row = row_of("flagged");
    task.samples_ms = samples, task.samples = 5, task.batch = 1;
    row_measured(&row, &task, footprint);
    return row.flag ? row.flag : "";
}

TEST(flags) {
    const size_t much = (size_t)1 << 40;
    struct task task = task_of(NULL, NULL);
    ok(!strcmp(flag_of(task, much, 1), ""), "nothing to doubt");
    ok(!strcmp(flag_of(task, 1, 1), "cache may help"), "little data, hot");
    task.floor_ms = 0.1;
    ok(!strcmp(flag_of(task, 1, 1), "near timer floor"), "the floor comes first");
    task.floor_ms = 0, task.cold = 1;
    ok(!strcmp(flag_of(task, 1, 1), ""), "a cold launch finds nothing in the cache");
    task.cold = 0, task.at_gate = 1;
    ok(!strcmp(flag_of(task, much, 0.01), "not in a graph"), "short, and not in a graph");
    ok(!strcmp(flag_of(task, much, 1), ""), "a long one does not need one");
    task.at_gate = 0, task.dropped = 2;
    ok(!strcmp(flag_of(task, much, 1), "clock moved"), "2 rounds of 7 are dropped");
    task.dropped = 0, gates_work = 0, run.on_cpu = 0;
    ok(!strcmp(flag_of(task, much, 1), "no gate"), "the host's delays may be in it");
}

int main(void) {
    need_device();
    CUDA_CHECK(cudaGetDeviceProperties(&run.device, 0));
    if (!run.device.l2CacheSize)
        run.device.l2CacheSize = 1 << 20;
    run.samples = 5;
    CUDA_CHECK(cudaMalloc((void **)&d_count, sizeof *d_count));
    CUDA_CHECK(cudaMemset(d_count, 0, sizeof *d_count));
    return run_tests();
}
