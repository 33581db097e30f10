// SPDX-License-Identifier: MIT
// Checks exercise 3.3: runs the kernels and compares with the bytes their accesses ask for.
//
//   runs: facts
//   vary: REAL double, float
//   vary: PLACE int, size_t, unsigned short
//   vary: PIXEL unsigned char, unsigned short, unsigned
//   vary: EVERY 2, 4, 8
//   unsolved: prediction: no answer yet
#include "../../../tools/learn/check.h"
#include "given.h"

void predict_bytes(double bytes[KERNELS]); // the learner's

static void check_cases(void) {}

static void check_facts(void) {
    static const char *const names[KERNELS] = {"copy",   "saxpy",     "scale",     "add",
                                               "gather", "threshold", "clear_some"};
    enum { N = 1 << 16, BLOCK = 256 };
    double bytes[KERNELS];
    ASK(predict_bytes, bytes, double);
    if (!judging())
        return;

    char *d_a = (char *)guarded_malloc(8 * N), *d_b = (char *)guarded_malloc(8 * N);
    char *d_out = (char *)guarded_malloc(8 * N);
    PLACE *index = (PLACE *)host_malloc(N * sizeof *index);
    PLACE *d_index = (PLACE *)guarded_malloc(N * sizeof *index);
    unsigned shift = chance(N);
    for (unsigned i = 0; i < N; i++)
        index[i] = (PLACE)((i * 4097u + shift) % N); // 4097 is odd: each number once
    must(cudaMemset(d_a, 0, 8 * N), "cudaMemset");
    must(cudaMemset(d_b, 0, 8 * N), "cudaMemset");
    must(cudaMemset(d_out, 0, 8 * N), "cudaMemset");
    must(cudaMemcpy(d_index, index, N * sizeof *index, cudaMemcpyHostToDevice), "cudaMemcpy");
    copy<<<N / BLOCK, BLOCK>>>((float *)d_out, (float *)d_a);
    saxpy<<<N / BLOCK, BLOCK>>>((float *)d_out, (float *)d_a, 2);
    scale<<<N / BLOCK, BLOCK>>>((float *)d_out, 2);
    add<<<N / BLOCK, BLOCK>>>((REAL *)d_out, (REAL *)d_a, (REAL *)d_b);
    gather<<<N / BLOCK, BLOCK>>>((float *)d_out, (float *)d_a, d_index);
    threshold<<<N / BLOCK, BLOCK>>>((PIXEL *)d_out, (PIXEL *)d_a, 99);
    clear_some<<<N / BLOCK, BLOCK>>>((float *)d_out);
    returned();
    for (int k = 0; k < KERNELS; k++) {
        char query[64];
        snprintf(query, sizeof query, "useful all %s / %d", names[k], N);
        predict(names[k], bytes[k] == UNKNOWN ? NAN : bytes[k], query, 0.01);
    }
}
