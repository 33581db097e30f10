/* errors.c: names and texts of errors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"

struct error {
    cudaError_t code;
    const char *name, *text;
};

static const struct error errors[] = {
#define CPU_DEVICE_ERROR(name, code, text) {name, #name, text},
#include "include/cpu_device/error_codes.h"
};

static const struct error *find(cudaError_t code) {
    static const struct error unknown = {cudaErrorUnknown, "unrecognized error code",
                                         "unrecognized error code"};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (errors[i].code == code)
            return &errors[i];
    return &unknown;
}

const char *cudaGetErrorName(cudaError_t error) { return find(error)->name; }
const char *cudaGetErrorString(cudaError_t error) { return find(error)->text; }
