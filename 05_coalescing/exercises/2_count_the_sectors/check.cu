// SPDX-License-Identifier: MIT
// Checks exercise 5.2: runs the kernels and compares with the sectors their requests touch.
//
//   runs: facts
//   unsolved: prediction: no answer yet
#include "../../../tests/grade/grade.h"
#include "given.h"

void predict_sectors(double sectors[KERNELS]); // the learner's

static void check_cases(void) {}

static void check_facts(void) {
    static const char *const names[KERNELS] = {
        "plain",        "one_on",     "backwards", "every_second", "every_tenth",
        "all_the_same", "two_by_two", "doubles",   "one_field",    "lower_half"};
    static const char *const why[KERNELS] = {
        "128 bytes side by side",
        "as many bytes, but they begin 4 bytes into a sector",
        "the order of the lanes does not matter",
        "256 bytes, of which every second float is wanted",
        "40 bytes from one lane to the next: each touches a separate sector",
        "one float for all lanes",
        "16 floats, each for two lanes",
        "256 bytes side by side",
        "12 bytes from one lane to the next: 384 bytes, and no sector is left out",
        "16 lanes, 64 bytes: who reads nothing touches nothing",
    };
    enum { N = 1 << 16, BLOCK = 256 };
    double sectors[KERNELS];
    for (int k = 0; k < KERNELS; k++)
        sectors[k] = UNKNOWN;
    calling("predict_sectors()");
    LEARNER(predict_sectors(sectors));
    SEEN(sectors);
    passed();
    if (!judging()) // who measures has none of the learner's code
        return;

    float *d_a = (float *)device_array(10 * N * sizeof(float));
    float *d_out = (float *)device_array(N * sizeof(float));
    must(cudaMemset(d_a, 0, 10 * N * sizeof(float)), "cudaMemset");
    plain<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    one_on<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    backwards<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    every_second<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    every_tenth<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    all_the_same<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    two_by_two<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    doubles<<<N / BLOCK, BLOCK>>>(d_out, (const double *)d_a);
    one_field<<<N / BLOCK, BLOCK>>>(d_out, (const struct point *)d_a);
    lower_half<<<N / BLOCK, BLOCK>>>(d_out, d_a);
    returned();
    for (int k = 0; k < KERNELS; k++) {
        char query[64];
        snprintf(query, sizeof query, "sectors/request ld %s", names[k]);
        predict(names[k], sectors[k] == UNKNOWN ? NAN : sectors[k], query, 0.01, why[k]);
    }
}
