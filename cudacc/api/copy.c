/*
 * copy.c: copies and memsets, also of variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/copy.h"
#include "runtime/observer.h"
#include "runtime/queue.h"
#include "include/cpu_device/stores.h"
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#pragma weak cpu_device_moves

/* cudaMemcpyAsync copies a pageable source of no more than this at once, and returns. */
enum { STAGED_BYTES = 1 << 20 };

/* ---- Copies ------------------------------------------------------------------------------ */

static int of_host(enum memory_kind kind) { return kind == MEMORY_HOST || kind == MEMORY_PINNED; }

/* What is in a queue may come too late: its memory has been freed in another stream. */
static int is_gone(struct api_call call, const char *what, const void *p, size_t bytes) {
    if (cpu_device_memory_ours(p) ? cpu_device_memory_find(p).base != NULL : !OBSERVED)
        return 0;
    cpu_device_call = call;
    if (!cpu_device_memory_ours(p))
        return of_host(cpu_device_memory_find(p).kind) &&
               !cpu_device_observer->host_fits(what, p, bytes);
    if (OBSERVED)
        OBSERVE(call_outside, what, p, bytes);
    else
        fprintf(stderr, "CPU device: %s: its memory was freed before it ran\n", call.name);
    cpu_device_lose(cudaErrorIllegalAddress);
    return 1;
}

void run_copy(void *data) {
    struct copy_data *c = data;
    if (is_gone(c->call, "destination", c->to, c->bytes) ||
        is_gone(c->call, "source", c->from, c->bytes))
        return;
    for (size_t z = 0; z < c->slices; z++)
        for (size_t y = 0; y < c->rows; y++) {
            char *to = c->to + z * c->to_slice + y * c->to_pitch;
            const char *from = c->from + z * c->from_slice + y * c->from_pitch;
            OBSERVE(copying, to, from, c->bytes);
            memmove(to, from, c->bytes);
            OBSERVE(copied, c->call, to, from, c->bytes);
        }
}

/* From the first byte to the last; SIZE_MAX where that is too much to count. */
static size_t extent_of(size_t bytes, size_t rows, size_t pitch, size_t slices, size_t slice) {
    size_t to_row, to_slice, extent;
    if (!bytes || !rows || !slices)
        return 0;
    if (__builtin_mul_overflow(rows - 1, pitch, &to_row) ||
        __builtin_mul_overflow(slices - 1, slice, &to_slice) ||
        __builtin_add_overflow(to_row, to_slice, &extent) ||
        __builtin_add_overflow(extent, bytes, &extent))
        return SIZE_MAX;
    return extent;
}

/* Is [p, p + bytes), which a call reads or writes, inside one allocation? what: for the tracer. */
static int fits(struct memory m, const void *p, size_t bytes, const char *what) {
    int yes = m.kind == MEMORY_HOST
                  ? !cpu_device_memory_ours(p) /* else freed, or never allocated */
                  : bytes <= m.bytes - (size_t)((const char *)p - m.base);
    if (yes && m.kind != MEMORY_HOST && !cpu_device_memory_ours(p))
        yes = ASK_OBSERVER(1, variable_fits, p, bytes);
    if (yes && of_host(m.kind))
        return ASK_OBSERVER(1, host_fits, what, p, bytes);
    if (!yes)
        OBSERVE(call_outside, what, p, bytes);
    return yes;
}
/* A copy "to the device" must not end in pageable host memory, nor one "from the device" start
 * there. Device memory passes everywhere, as on a GPU. */
static int kind_allows(enum cudaMemcpyKind kind, enum memory_kind to, enum memory_kind from) {
    int to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    int from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    return !(to_device && to == MEMORY_HOST) && !(from_device && from == MEMORY_HOST);
}

/* May the bytes of this shape go there, and in this direction? */
static cudaError_t check_copy(const struct copy_data *s, size_t to_bytes, enum cudaMemcpyKind kind,
                              struct memory to, struct memory from) {
    size_t from_bytes = extent_of(s->bytes, s->rows, s->from_pitch, s->slices, s->from_slice);
    int to_fits = fits(to, s->to, to_bytes, "destination");
    if (!fits(from, s->from, from_bytes, "source") || !to_fits)
        return cudaErrorInvalidValue;
    if (!kind_allows(kind, to.kind, from.kind)) {
        OBSERVE(call_direction, kind, to.kind == MEMORY_HOST ? s->to : NULL,
                from.kind == MEMORY_HOST ? s->from : NULL);
        return cudaErrorInvalidValue;
    }
    if (to.kind == MEMORY_SYMBOL)
        OBSERVE(call_variable, "destination", s->to);
    if (from.kind == MEMORY_SYMBOL)
        OBSERVE(call_variable, "source", s->from);
    if (s->rows * s->slices == 1 && s->to != s->from && s->to < s->from + s->bytes &&
        s->from < s->to + s->bytes)
        OBSERVE(call_overlaps, s->to, s->from, s->bytes);
    return cudaSuccess;
}

cudaError_t copy_queue(struct copy_data shape, enum cudaMemcpyKind kind, cudaStream_t stream,
                       int async) {
    cpu_device_start();
    if ((unsigned)kind > cudaMemcpyDefault)
        return cudaErrorInvalidMemcpyDirection;
    size_t to_bytes =
        extent_of(shape.bytes, shape.rows, shape.to_pitch, shape.slices, shape.to_slice);
    if (!to_bytes)
        return cudaSuccess;
    if (!shape.to || !shape.from) {
        OBSERVE(call_wrong,
                shape.to ? "its source is a null pointer" : "its destination is a null pointer");
        return cudaErrorInvalidValue;
    }
    struct memory to = cpu_device_memory_find(shape.to), from = cpu_device_memory_find(shape.from);
    cudaError_t e = check_copy(&shape, to_bytes, kind, to, from);
    if (e)
        return e;

    /* Who waits: a copy between host and device does, for all that is in its stream before it. An
     * Async one does so where it writes pageable memory; a pageable source it stages, and returns.
     * Between device memory no copy waits. */
    int captured = cpu_device_stream_captures(stream);
    int pageable = to.kind == MEMORY_HOST || from.kind == MEMORY_HOST;
    int staged = async && from.kind == MEMORY_HOST && to.kind != MEMORY_HOST && shape.rows == 1 &&
                 shape.slices == 1 && shape.bytes <= STAGED_BYTES && !captured;
    int wait = async ? pageable : !(on_device(to.kind) && on_device(from.kind));
    if (cpu_device_moves) /* by its kind a driver may wait, too */
        cpu_device_moves(cpu_device_call.name, stream, shape.bytes * shape.rows * shape.slices,
                         wait || (!async && kind != cudaMemcpyDeviceToDevice));
    if (staged)
        wait = 0;
    if (!async && (e = cpu_device_stream_check(stream, 1)))
        return e;
    struct copy_data *c = malloc(sizeof *c + (staged ? shape.bytes : 0));
    if (!c)
        return cudaErrorMemoryAllocation;
    *c = shape;
    c->call = cpu_device_call;
    if (staged)
        c->from = memcpy(c + 1, shape.from, shape.bytes);
    return cpu_device_stream_enqueue(stream, (struct operation){.run = run_copy, .data = c}, wait);
}

struct copy_data copy_line(void *to, const void *from, size_t bytes) {
    return (struct copy_data){.to = to, .from = from, .bytes = bytes, .rows = 1, .slices = 1};
}

int pitch_is_short(size_t width, size_t to_pitch, size_t from_pitch) {
    int yes = width > to_pitch || width > from_pitch;
    if (yes)
        OBSERVE(call_wrong, "its width is larger than a pitch, which is the bytes of a whole row");
    return yes;
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind) {
    CALLED();
    return cpu_device_return(copy_queue(copy_line(to, from, bytes), kind, cpu_device_stream(0), 0));
}
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, enum cudaMemcpyKind kind,
                            cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy_queue(copy_line(to, from, bytes), kind, stream, 1));
}

/* Between the memories of two devices, which here are one. */
static cudaError_t copy_peer(void *to, int to_device, const void *from, int from_device,
                             size_t bytes, cudaStream_t stream, int async) {
    if (to_device || from_device) {
        OBSERVE(call_wrong, "there is one device, number 0");
        return cudaErrorInvalidDevice;
    }
    return copy_queue(copy_line(to, from, bytes), cudaMemcpyDeviceToDevice, stream, async);
}
cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device,
                           size_t bytes) {
    CALLED();
    return cpu_device_return(copy_peer(to, to_device, from, from_device, bytes, 0, 0));
}
cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device,
                                size_t bytes, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy_peer(to, to_device, from, from_device, bytes, stream, 1));
}

static cudaError_t copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                             size_t width, size_t height, enum cudaMemcpyKind kind,
                             cudaStream_t stream, int async) {
    struct copy_data rows = {.to = to,
                             .from = from,
                             .bytes = width,
                             .rows = height,
                             .slices = 1,
                             .to_pitch = to_pitch,
                             .from_pitch = from_pitch};
    if (pitch_is_short(width, to_pitch, from_pitch))
        return cudaErrorInvalidPitchValue;
    return copy_queue(rows, kind, stream, async);
}
cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                         size_t width, size_t height, enum cudaMemcpyKind kind) {
    CALLED();
    return cpu_device_return(copy_rows(to, to_pitch, from, from_pitch, width, height, kind, 0, 0));
}
cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch,
                              size_t width, size_t height, enum cudaMemcpyKind kind,
                              cudaStream_t stream) {
    CALLED();
    return cpu_device_return(
        copy_rows(to, to_pitch, from, from_pitch, width, height, kind, stream, 1));
}

/* ---- Symbols ----------------------------------------------------------------------------- */

cudaError_t copy_symbol(const void *symbol, int to_symbol, void *other, size_t bytes, size_t offset,
                        enum cudaMemcpyKind kind, cudaStream_t stream, int async) {
    char *p = (char *)symbol + offset;
    if (!cpu_device_memory_is_symbol(symbol)) {
        OBSERVE(call_wrong, "its symbol is no variable of the device");
        return cudaErrorInvalidSymbol;
    }
    if (bytes == SIZE_MAX) { /* as the overloads say of too many: api_overloads.h */
        OBSERVE(call_outside, to_symbol ? "destination" : "source", symbol, bytes);
        return cudaErrorInvalidValue;
    }
    if (kind == (to_symbol ? cudaMemcpyDeviceToHost : cudaMemcpyHostToDevice) ||
        kind == cudaMemcpyHostToHost) {
        OBSERVE(call_wrong, to_symbol ? "its direction is not that of a copy to the device"
                                      : "its direction is not that of a copy from the device");
        return cudaErrorInvalidMemcpyDirection;
    }
    return copy_queue(to_symbol ? copy_line(p, other, bytes) : copy_line(other, p, bytes), kind,
                      stream, async);
}
cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset,
                               enum cudaMemcpyKind kind) {
    CALLED();
    return cpu_device_return(copy_symbol(symbol, 1, (void *)from, bytes, offset, kind, 0, 0));
}
cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset,
                                 enum cudaMemcpyKind kind) {
    CALLED();
    return cpu_device_return(copy_symbol(symbol, 0, to, bytes, offset, kind, 0, 0));
}
cudaError_t cudaGetSymbolAddress(void **p, const void *symbol) {
    cpu_device_start();
    if (!p)
        return cpu_device_return(cudaErrorInvalidValue);
    if (!cpu_device_memory_is_symbol(symbol))
        return cpu_device_return(cudaErrorInvalidSymbol);
    OBSERVE(asked_for, symbol);
    *p = (void *)symbol;
    return cpu_device_return(cudaSuccess);
}

/* ---- Memset ------------------------------------------------------------------------------ */

void run_set(void *data) {
    struct set_data *s = data;
    if (is_gone(s->call, "memory", s->p, s->bytes))
        return;
    for (size_t z = 0; z < s->slices; z++)
        for (size_t y = 0; y < s->rows; y++) {
            char *row = s->p + z * s->slice + y * s->pitch;
            OBSERVE(copying, row, NULL, s->bytes);
            if (s->element > 1)
                for (size_t x = 0; x < s->bytes; x += s->element)
                    memcpy(row + x, &s->value, s->element);
            else
                memset(row, s->value, s->bytes);
            OBSERVE(set, s->call, row, s->bytes);
        }
}
cudaError_t set_queue(struct set_data shape, cudaStream_t stream, int async) {
    cpu_device_start();
    size_t extent = extent_of(shape.bytes, shape.rows, shape.pitch, shape.slices, shape.slice);
    if (!extent)
        return cudaSuccess;
    if (shape.rows * shape.slices > 1 && pitch_is_short(shape.bytes, shape.pitch, shape.pitch))
        return cudaErrorInvalidValue;
    struct memory m = cpu_device_memory_find(shape.p);
    if (shape.p && !fits(m, shape.p, extent, "memory"))
        return cudaErrorInvalidValue;
    if (m.kind == MEMORY_HOST) {
        OBSERVE(call_wrong, shape.p ? "its memory is the host's, where memset does it"
                                    : "its memory is a null pointer");
        return cudaErrorInvalidValue;
    }
    if (m.kind == MEMORY_SYMBOL)
        OBSERVE(call_variable, "memory", shape.p);
    cudaError_t e = async ? cudaSuccess : cpu_device_stream_check(stream, 1);
    if (e)
        return e;
    int wait = !async && !on_device(m.kind); /* memory that the host reads, too */
    if (cpu_device_moves)
        cpu_device_moves(cpu_device_call.name, stream, shape.bytes * shape.rows * shape.slices,
                         wait);
    struct set_data *s = malloc(sizeof *s);
    if (!s)
        return cudaErrorMemoryAllocation;
    *s = shape;
    s->call = cpu_device_call;
    return cpu_device_stream_enqueue(stream, (struct operation){.run = run_set, .data = s}, wait);
}
struct set_data set_rows(void *p, size_t pitch, int value, size_t width, size_t height) {
    return (struct set_data){p, value, width, height, 1, pitch, 0, 1, {NULL, NULL}};
}
cudaError_t cudaMemset(void *p, int value, size_t bytes) {
    CALLED();
    return cpu_device_return(set_queue(set_rows(p, bytes, value, bytes, 1), 0, 0));
}
cudaError_t cudaMemsetAsync(void *p, int value, size_t bytes, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(set_queue(set_rows(p, bytes, value, bytes, 1), stream, 1));
}
