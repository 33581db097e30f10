/*
 * program_notes.h: what a translated program notes before main(): names of allocations, variables
 * and parameters.  The translator writes these calls.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_PROGRAM_NOTES_H
#define CPU_DEVICE_PROGRAM_NOTES_H

#include <stddef.h>
#include "../cuda_runtime_api.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The expression that an allocating call was given, when that call has just returned `result`,
 * which comes back. handed_on: the function gives the pointer to its caller under another name.
 * element: bytes of what it points to; negative: of a struct, perhaps with padding; 0: unknown. */
cudaError_t cpu_device_name(cudaError_t result, const char *name, int handed_on, const char *file,
                            int line, long element);
/* The result of a call that the program drops. */
void cpu_device_dropped(cudaError_t result, const char *function);
/* Kind: "shared", "dynamic" (no address), "device", "constant", "managed". Row, element: of an
 * array of two dimensions, the bytes of t[0] and t[0][0]; of one, 0 and the bytes of t[0].
 * Function: where it is declared. */
void cpu_device_trace_variable(const char *kind, const char *name, const void *base, size_t bytes,
                               size_t row, size_t element, const char *function, const char *file,
                               int line);
/* A translated file, and the folder of the CPU device. */
void cpu_device_trace_text(const char *file, const char *folder);
/* A kernel's parameters, with commas between. */
void cpu_device_trace_kernel(const char *name, const char *parameters);

#ifdef __cplusplus
}
namespace cpu_device {
/* `call, dropped("...")`: whatever else the call returns, nothing perhaps, is no error. */
struct dropped {
    const char *function;
    dropped(const char *name) : function(name) {}
};
inline __attribute__((always_inline)) void operator,(cudaError_t result, dropped by) {
    if (result != cudaSuccess)
        cpu_device_dropped(result, by.function);
}

/* Calls tell() before main(), once for each type `Tell` that a program comes to hold. */
struct note_entry {
    note_entry(void (*tell)()) { tell(); }
};
template <class Tell> struct note { static const note_entry entry; };
template <class Tell> const note_entry note<Tell>::entry(Tell::tell);

/* For cpu_device_name(): decltype(element(&pointer))::bytes; a type may be incomplete. */
template <long Bytes> struct element_bytes {
    enum : long { bytes = Bytes };
};
template <class T>
element_bytes<__is_class(T) || __is_union(T) ? -(long)sizeof(T) : (long)sizeof(T)> element(T **);
element_bytes<0> element(void **);
element_bytes<0> element(...);
} // namespace cpu_device
#endif

#endif
