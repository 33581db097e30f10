// An event has a time only when the device has reached it. Asked earlier, the answer is
// cudaErrorNotReady: poll it, wait for it, or let a copy wait for all that is before it.
//
//     nvcc -O3 2_ready.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 2_ready.cu && ./a.out   (no GPU)
//     ./a.out --errors           events that will never have a time
//
// SPDX-License-Identifier: MIT
#include "../../common/arrays.h"
#include "gate.h"

enum {
    ARTICLE_N = 20 * 1024 * 1024, // the SAXPY of the article
    CPU_N = 4 * 1024 * 1024,
};

// ---- Reference ---------------------------------------------------------------------------------
static void saxpy_reference(float *y, const float *x, const float *, size_t n) {
    for (size_t i = 0; i < n; i++)
        y[i] = 2.0f * x[i] + y[i];
}

// ---- Kernel ------------------------------------------------------------------------------------
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void launch_saxpy_512(float *y, const float *x, const float *, size_t n) {
    if (n > 0)
        saxpy<<<(unsigned)((n + 511) / 512), 512>>>(y, x, 2.0f, n);
    CUDA_CHECK(cudaGetLastError());
}

static const struct variant variants[] = {
    {"saxpy_512", launch_saxpy_512, saxpy_reference, 12, 2, 1, "the same time, however one waits"},
};

// ---- Answers -----------------------------------------------------------------------------------
static void print_answer(struct run *run, const char *call, const char *when, double value,
                         const char *check) {
    struct row row = run_row(run, call);
    row.parameter = when;
    row.value = value;
    row.check = check;
    run_print(run, &row);
}

static const char *verdict(int right) { return right ? "ok" : "FAIL"; }

// A closed gate in front of the kernel makes "too early" certain.
static void ask_too_early(struct run *run, struct arrays *arrays) {
    volatile int *gate = create_gate();
    cudaEvent_t start, stop;
    float ms;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    variant_reset(&variants[0], arrays);
    close_gate(gate, 0);
    CUDA_CHECK(cudaEventRecord(start, 0));
    variant_launch(&variants[0], arrays);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    // Not in a CUDA_CHECK: here "not ready" is an answer, no failure. A version may keep it as the
    // last error, where the check of the next launch would find it. compute-sanitizer does report
    // the second question, so it is not asked with --quick.
    cudaError_t query = cudaEventQuery(stop), elapsed = cudaErrorNotReady;
    if (!run->quick)
        elapsed = cudaEventElapsedTime(&ms, start, stop);
    (void)cudaGetLastError();
    int held = open_gate(gate);
    size_t polls = 1;
    while (cudaEventQuery(stop) == cudaErrorNotReady)
        polls++; // where the host could do something useful
    cudaError_t query_after = cudaEventQuery(stop), after = cudaEventElapsedTime(&ms, start, stop);
    (void)cudaGetLastError();
    int right = variant_is_right(&variants[0], arrays);

    // CUDA_LAUNCH_BLOCKING=1 and some tools make the launch wait for the gate: no verdict then.
    print_answer(run, "cudaEventQuery", "too early", query,
                 held ? verdict(query == cudaErrorNotReady) : NULL);
    if (!run->quick)
        print_answer(run, "cudaEventElapsedTime", "too early", elapsed,
                     held ? verdict(elapsed == cudaErrorNotReady) : NULL);
    print_answer(run, "cudaEventQuery", "polls until done", (double)polls, verdict(right));
    print_answer(run, "cudaEventQuery", "done", query_after, verdict(!query_after));
    print_answer(run, "cudaEventElapsedTime", "done", after, verdict(!after && ms >= 0));
    if (held)
        run_say(
            run,
            "Too early, the answer was %d, %s. Polled since, cudaEventQuery said 0 at poll %zu.",
            query, cudaGetErrorName(query), polls);
    else
        run_say(run, "The launch waited for its kernel: what was asked early shows nothing.");
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    free_gate(gate);
}

// The articles' pattern: record, launch, record, copy back, wait, ask. The host waits in the copy
// already; but the copy comes after `stop`, so it is not in the time. A third event times it, too.
static void copy_back(struct run *run, struct arrays *arrays) {
    size_t n = arrays->n, bytes = n * sizeof(float), samples = run->quick ? 1 : run->samples;
    float *h_y = (float *)host_malloc(bytes), ms;
    double *kernel_ms = (double *)host_malloc(2 * samples * sizeof *kernel_ms);
    double *copy_ms = kernel_ms + samples;
    cudaEvent_t start, stop, copied;
    size_t wrong = 0;
    variant_reset(&variants[0], arrays);
    float *d_start = copy_on_device(arrays->d_out, bytes); // what y is before each launch
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    CUDA_CHECK(cudaEventCreate(&copied));
    for (size_t i = 0; i < samples; i++) {
        CUDA_CHECK(cudaMemcpy(arrays->d_out, d_start, bytes, cudaMemcpyDeviceToDevice));
        memset(h_y, POISON_BYTE, bytes);
        CUDA_CHECK(cudaEventRecord(start, 0));
        variant_launch(&variants[0], arrays);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        CUDA_CHECK(cudaMemcpy(h_y, arrays->d_out, bytes, cudaMemcpyDeviceToHost));
        CUDA_CHECK(cudaEventRecord(copied, 0));
        CUDA_CHECK(cudaEventSynchronize(stop)); // returns at once
        CUDA_CHECK(cudaEventElapsedTime(&ms, start, stop));
        kernel_ms[i] = ms;
        CUDA_CHECK(cudaEventSynchronize(copied));
        CUDA_CHECK(cudaEventElapsedTime(&ms, stop, copied));
        copy_ms[i] = ms;
        wrong += count_mismatches(arrays->h_expected, h_y, n, sizeof(float), 0,
                                  wrong ? NULL : "copied back");
    }
    for (int copy = 0; copy <= 1; copy++) {
        struct row row = run_row(run, copy ? "cudaMemcpy behind it" : variants[0].name);
        row.dtype = "float", row.n = n, row.bytes = n * (copy ? sizeof(float) : variants[0].bytes);
        row.parameter = "by events";
        row.check = wrong ? "FAIL" : "ok";
        if (!run->quick)
            row_times(&row, copy ? copy_ms : kernel_ms, samples);
        run_print(run, &row);
    }
    free(kernel_ms);
    free(h_y);
    guarded_free(d_start);
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    CUDA_CHECK(cudaEventDestroy(copied));
}

// ---- Events that will never have a time --------------------------------------------------------
static void print_error(struct run *run, const char *variant, cudaEvent_t start, cudaEvent_t stop) {
    float ms;
    cudaError_t answer = cudaEventElapsedTime(&ms, start, stop), last = cudaGetLastError();
    print_answer(run, variant, "cudaEventElapsedTime", answer,
                 verdict(answer == cudaErrorInvalidResourceHandle && last == answer));
}

static void make_errors(struct run *run) {
    cudaEvent_t timed, never, untimed;
    CUDA_CHECK(cudaEventCreate(&timed));
    CUDA_CHECK(cudaEventCreate(&never));
    CUDA_CHECK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    CUDA_CHECK(cudaEventRecord(timed, 0));
    CUDA_CHECK(cudaEventRecord(untimed, 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    print_error(run, "never recorded", timed, never);
    print_error(run, "cudaEventDisableTiming", timed, untimed);
    // Both count as done: cudaEventQuery does not tell whether there is a time.
    cudaError_t query_never = cudaEventQuery(never), query_untimed = cudaEventQuery(untimed);
    print_answer(run, "never recorded", "cudaEventQuery", query_never, verdict(!query_never));
    print_answer(run, "cudaEventDisableTiming", "cudaEventQuery", query_untimed,
                 verdict(!query_untimed));
    CUDA_CHECK(cudaEventDestroy(timed));
    CUDA_CHECK(cudaEventDestroy(never));
    CUDA_CHECK(cudaEventDestroy(untimed));
    run_say(run, "No event here has a time, and the answer is %d, %s.",
            cudaErrorInvalidResourceHandle, cudaGetErrorName(cudaErrorInvalidResourceHandle));
}

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "02_events",
    "ready",
    "An event has a time only when the device has reached it: poll, wait, or copy first.",
    "variant n parameter value median_ms min_ms max_ms check",
    "elements",
    1,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    if (run.errors) {
        make_errors(&run);
        return run_end(&run);
    }
    size_t n = run_size(&run, ARTICLE_N, CPU_N, 3 * sizeof(float));
    struct arrays arrays = arrays_create(n);
    copy_back(&run, &arrays); // loads the kernel, too: it must not be new behind a gate
    ask_too_early(&run, &arrays);
    arrays_free(&arrays);
    return run_end(&run);
}
