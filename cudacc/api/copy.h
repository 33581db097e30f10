/*
 * copy.h: copies and memsets of any shape, checked and queued, for copy.c and what is built on it.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "api/api.h"

/* One copy: `rows` rows of `slices` slices; a plain copy is one row. */
struct copy_data {
    char *to;
    const char *from;
    size_t bytes, rows, slices, to_pitch, from_pitch, to_slice, from_slice;
    struct api_call call;
    /* the source follows here when it has been staged */
};
/* async: as the functions whose names end so. */
cudaError_t copy_queue(struct copy_data shape, enum cudaMemcpyKind kind, cudaStream_t stream,
                       int async);
struct copy_data copy_line(void *to, const void *from, size_t bytes);
/* To a variable of the device, or from it. */
cudaError_t copy_symbol(const void *symbol, int to_symbol, void *other, size_t bytes, size_t offset,
                        enum cudaMemcpyKind kind, cudaStream_t stream, int async);
/* Is a row longer than the distance to the next? */
int pitch_is_short(size_t width, size_t to_pitch, size_t from_pitch);

struct set_data {
    char *p;
    int value;
    size_t bytes, rows, slices, pitch, slice;
    size_t element; /* of a graph's memset: 2 or 4 bytes of the value at a time */
    struct api_call call;
};
cudaError_t set_queue(struct set_data shape, cudaStream_t stream, int async);
struct set_data set_rows(void *p, size_t pitch, int value, size_t width, size_t height);

/* What the operations of copies and of memsets do. */
void run_copy(void *data);
void run_set(void *data);
