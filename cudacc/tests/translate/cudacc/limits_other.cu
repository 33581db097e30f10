// A kernel with the name of another file's, and a template of both.
// SPDX-License-Identifier: MIT
#include "limits.h"

static __global__ void same_name(int *out) { *out = 1; }

void other_file(int *out) {
    FITS(same_name<<<1, 1, 49152>>>(out));
    REFUSED((of_header<long long, 1024><<<1, 1, 40961>>>((long long *)out)));
    FITS((of_header<long long, 1024><<<1, 1, 40960>>>((long long *)out)));
}
