// An event has a time only when the device has reached it. Asked earlier, the answer is
// cudaErrorNotReady: poll it, or wait for it.
//
//     nvcc -O3 -arch=native 2_ready.cu && ./a.out
//     ../../cudacc/cudacc -O2 2_ready.cu && ./a.out   (no GPU)
//     ./a.out --errors           events that will never have a time
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/variants.h"
#include "../../common/experiment/gate.h"

enum { N = 4 << 20 };

// ---- Kernel ------------------------------------------------------------------------------------
__global__ void saxpy(float *y, const float *x, float a, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = a * x[i] + y[i];
}

static void launch_saxpy(const struct arrays *x, unsigned block, size_t) {
    saxpy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, 2.0f, x->n);
    CUDA_CHECK(cudaGetLastError());
}

// ---- Variant -----------------------------------------------------------------------------------
static const struct variant variants[] = {
    {"saxpy_512", launch_saxpy, saxpy_reference, 512, 0, 12, 2, 1, "the same time for any wait"},
};
static const struct variant *const variant = &variants[0];

// ---- Answers -----------------------------------------------------------------------------------
// A closed gate before the kernel makes "too early" certain.
static void ask_too_early(struct arrays *x) {
    volatile int *gate = create_gate();
    cudaEvent_t start, stop;
    float ms;
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    variant_reset(variant, x);
    close_gate(gate, 0);
    CUDA_CHECK(cudaEventRecord(start, 0));
    variant_launch(variant, x);
    CUDA_CHECK(cudaEventRecord(stop, 0));
    // Not in a CUDA_CHECK: here "not ready" is an answer. A version may keep it as the last error,
    // where the check of the next launch would find it. compute-sanitizer does report the second
    // question as an error, so --quick leaves it out.
    cudaError_t query = cudaEventQuery(stop), elapsed = cudaErrorNotReady;
    if (!run.quick)
        elapsed = cudaEventElapsedTime(&ms, start, stop);
    (void)cudaGetLastError();
    int held = open_gate(gate);
    size_t polls = 1;
    while (cudaEventQuery(stop) == cudaErrorNotReady)
        polls++; // where the host could do something useful
    cudaError_t query_after = cudaEventQuery(stop), after = cudaEventElapsedTime(&ms, start, stop);
    (void)cudaGetLastError();

    // CUDA_LAUNCH_BLOCKING=1 and some tools make the launch wait for the gate: no verdict then.
    print_value("cudaEventQuery", 0, "too early", query, held ? query == cudaErrorNotReady : -1);
    if (!run.quick)
        print_value("cudaEventElapsedTime", 0, "too early", elapsed,
                    held ? elapsed == cudaErrorNotReady : -1);
    print_value("cudaEventQuery", 0, "polls until done", (double)polls,
                variant_is_right(variant, x));
    print_value("cudaEventQuery", 0, "done", query_after, !query_after);
    print_value("cudaEventElapsedTime", 0, "done", after, !after && ms >= 0);
    if (held)
        finding_if(
            query_after == cudaSuccess, "too_early", query,
            "Asked too early, the event answered %d, %s; after that, cudaEventQuery returned 0 "
            "at poll %zu.",
            query, cudaGetErrorName(query), polls);
    else
        say("The launch waited for its kernel: what was asked early shows nothing.");
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
    free_gate(gate);
}

// ---- Events that will never have a time --------------------------------------------------------
static void make_errors(void) {
    const char *const names[] = {"never recorded", "cudaEventDisableTiming"};
    cudaEvent_t timed, events[2];
    float ms;
    CUDA_CHECK(cudaEventCreate(&timed));
    CUDA_CHECK(cudaEventCreate(&events[0]));
    CUDA_CHECK(cudaEventCreateWithFlags(&events[1], cudaEventDisableTiming));
    CUDA_CHECK(cudaEventRecord(timed, 0));
    CUDA_CHECK(cudaEventRecord(events[1], 0));
    CUDA_CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < 2; i++) {
        cudaError_t answer = cudaEventElapsedTime(&ms, timed, events[i]);
        cudaError_t last = cudaGetLastError();
        print_value(names[i], 0, "cudaEventElapsedTime", answer,
                    answer == cudaErrorInvalidResourceHandle && last == answer);
    }
    for (int i = 0; i < 2; i++) { // both count as done, though neither has a time
        cudaError_t answer = cudaEventQuery(events[i]);
        print_value(names[i], 0, "cudaEventQuery", answer, !answer);
        CUDA_CHECK(cudaEventDestroy(events[i]));
    }
    CUDA_CHECK(cudaEventDestroy(timed));
    say("No event here has a time, and the answer is %d, %s.", cudaErrorInvalidResourceHandle,
        cudaGetErrorName(cudaErrorInvalidResourceHandle));
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "02_events/ready",
              "An event has a time only when the device has reached it: poll it, or wait.",
              "variant parameter value check", NULL, HAS_ERRORS);
    check_sizes(variants, 1);
    if (run.errors) {
        make_errors();
        return run_end();
    }
    struct arrays x = arrays_create(N);
    variant_expect(variant, &x);
    variant_launch(variant, &x); // loads the kernel: it must not be new while a gate is closed
    ask_too_early(&x);
    arrays_free(&x);
    return run_end();
}
