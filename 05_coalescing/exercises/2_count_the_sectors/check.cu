// SPDX-License-Identifier: MIT
// Checks exercise 5.2: runs the kernels and compares with the sectors their requests touch.
//
//   runs: facts
//   vary: SHIFT 1, 2, 3, 5, 6, 7
//   vary: NEAR 2, 3, 5, 6, 7
//   vary: FAR 9, 10, 12, 14, 16
//   vary: GROUP 2, 4
//   vary: FIELDS 3, 4, 5, 6
//   vary: READERS 8, 16, 24
//   unsolved: prediction: no answer yet
#include "../../../tools/learn/check.h"
#include "given.h"

void predict_sectors(double sectors[KERNELS]); // the learner's

static void check_cases(void) {}

static void check_facts(void) {
    static const char *const names[KERNELS] = {
        "plain",        "shifted",        "backwards", "spread",    "far_apart",
        "all_the_same", "shared_by_some", "doubles",   "one_field", "some_read"};
    enum { N = 1 << 16, BLOCK = 256 };
    double sectors[KERNELS];
    ASK(predict_sectors, sectors, double);
    if (!judging())
        return;

    float *d_a = (float *)guarded_malloc(16 * N * sizeof(float));
    float *d_out = (float *)guarded_malloc(N * sizeof(float));
    must(cudaMemset(d_a, 0, 16 * N * sizeof(float)), "cudaMemset");
    plain<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    shifted<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    backwards<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    spread<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    far_apart<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    all_the_same<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    shared_by_some<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    doubles<<<N / BLOCK, BLOCK>>>(d_out, (const double *)d_a);
    one_field<<<N / BLOCK, BLOCK>>>(d_out, (const struct point *)d_a);
    some_read<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    returned();
    for (int k = 0; k < KERNELS; k++) {
        char query[64];
        snprintf(query, sizeof query, "sectors/request ld %s", names[k]);
        predict(names[k], sectors[k] == UNKNOWN ? NAN : sectors[k], query, 0.01);
    }
}
