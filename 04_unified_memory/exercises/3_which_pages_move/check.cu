// SPDX-License-Identifier: MIT
// Checks exercise 4.3: runs the programs and counts, by page_counters.h (on a GPU CUPTI).
//
//   build: plain
//   runs: in-order
//   vary: TIMES 5, 6, 7, 8, 9, 10, 12
//   unsolved: prediction: no answer yet
#include "../../../tools/learn/check.h"
#include "../../experiments/page_counters.h"
#include "given.h"

void predict_moved(struct moved moved[STORIES]); // the learner's

enum { N = 1 << 20 };

#define INDEX ((size_t)blockIdx.x * blockDim.x + threadIdx.x)

static __global__ void fill(float *p, float value) { p[INDEX] = value; }
static __global__ void add(float *y, const float *x) { y[INDEX] = x[INDEX] + y[INDEX]; }
static __global__ void copy(float *y, const float *x) { y[INDEX] = x[INDEX]; }

static float *x, *y;
static volatile float read_by_host;

static void wait(void) {
    must(cudaGetLastError(), "launch");
    must(cudaDeviceSynchronize(), "a kernel went wrong");
}

static void host_writes(float *p) {
    for (size_t i = 0; i < N; i++)
        p[i] = (float)(i % 100);
}

static void host_reads(const float *p) {
    float sum = 0;
    for (size_t i = 0; i < N; i++)
        sum += p[i];
    read_by_host = sum;
}

static void run_story(int story) {
    const int blocks = N / 256;
    int adds = story == MANY_ADDS || story == MANY_READS ? TIMES : 1;
    if (story != DEVICE_FILLS)
        host_writes(x);
    if (story != DEVICE_FILLS && story != COPY)
        host_writes(y);
    if (story == DEVICE_FILLS) {
        fill<<<blocks, 256>>>(x, 1);
        fill<<<blocks, 256>>>(y, 2);
    }
    for (int k = 0; k < adds; k++) {
        if (story == COPY)
            copy<<<blocks, 256>>>(y, x);
        else
            add<<<blocks, 256>>>(y, x);
        wait();
        if (story == MANY_READS || k == adds - 1)
            host_reads(y);
    }
}

static void check_cases(void) {
    static const char *const names[STORIES] = {"host fills", "device fills", "many adds",
                                               "many reads", "copy"};
    struct moved predicted[STORIES];
    ASK(predict_moved, predicted, double);
    if (!judging())
        return;

    if (counters_open()) // this GPU has no counters; the CPU device has
        return;
    for (int k = 0; k < STORIES; k++) {
        counters_start();
        must(cudaMallocManaged((void **)&x, N * sizeof *x, cudaMemAttachGlobal), "allocation");
        must(cudaMallocManaged((void **)&y, N * sizeof *y, cudaMemAttachGlobal), "allocation");
        run_story(k);
        struct counters counters = counters_stop();
        must(cudaFree(x), "cudaFree");
        must(cudaFree(y), "cudaFree");
        double guess[2] = {predicted[k].to_device, predicted[k].to_host};
        for (int way = TO_THE_DEVICE; way <= TO_THE_HOST; way++) {
            char label[64];
            snprintf(label, sizeof label, "%s, to the %s", names[k], way ? "host" : "device");
            predict(label, guess[way] == UNKNOWN ? NAN : guess[way],
                    number((double)counters.traffic[way].bytes / N), 0.2);
        }
    }
}

static void check_facts(void) {}
