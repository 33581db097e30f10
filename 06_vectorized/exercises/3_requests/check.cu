// SPDX-License-Identifier: MIT
// Checks exercise 6.3: runs the kernels and counts requests and sectors.
//
//   runs: facts
//   vary: FLOATS 1536, 2304, 3072, 3840, 4608
//   unsolved: prediction: no answer yet
#include "../../../tools/learn/check.h"
#include "given.h"

void predict_loads(struct loads loads[KERNELS]); // the learner's

static void check_cases(void) {}

static void check_facts(void) {
    static const char *const names[KERNELS] = {"copy_float",  "copy_float2", "copy_float3",
                                               "copy_float4", "copy_four",   "copy_aligned"};
    struct loads predicted[KERNELS];
    ASK(predict_loads, predicted, double);
    if (!judging())
        return;

    void *in = guarded_malloc(FLOATS * 4), *out = guarded_malloc(FLOATS * 4);
    must(cudaMemset(in, 0, FLOATS * 4), "cudaMemset");
    copy_float<<<1, 256>>>((float *)out, (const float *)in, FLOATS);
    copy_float2<<<1, 256>>>((float2 *)out, (const float2 *)in, FLOATS / 2);
    copy_float3<<<1, 256>>>((float3 *)out, (const float3 *)in, FLOATS / 3);
    copy_float4<<<1, 256>>>((float4 *)out, (const float4 *)in, FLOATS / 4);
    copy_four<<<1, 256>>>((struct four *)out, (const struct four *)in, FLOATS / 4);
    copy_aligned<<<1, 256>>>((struct aligned_four *)out, (const struct aligned_four *)in,
                             FLOATS / 4);
    returned();
    for (int k = 0; k < KERNELS; k++)
        for (int what = 0; what <= 1; what++) {
            char label[64], query[64];
            double guess = what ? predicted[k].sectors : predicted[k].requests;
            snprintf(label, sizeof label, "%s, %s", names[k], what ? "sectors" : "requests");
            snprintf(query, sizeof query, "%s ld %s", what ? "sectors/request" : "requests",
                     names[k]);
            predict(label, guess == UNKNOWN ? NAN : guess, query, 0.01);
        }
}
