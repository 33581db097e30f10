/*
 * boxes.c: pitched memory, and boxes of it and of arrays: given, copied, set.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/copy.h"
#include "extra/api/extra.h"
#include "extra/runtime/texture.h"
#include "runtime/observer.h"

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height) {
    CALLED();
    if (!p || !pitch)
        return cpu_device_return(cudaErrorInvalidValue);
    *pitch = (width + 511) / 512 * 512;
    if (height && *pitch > SIZE_MAX / height)
        return cpu_device_return(cudaErrorMemoryAllocation);
    cudaError_t e = memory_allocate(p, *pitch * height, MEMORY_DEVICE);
    if (!e)
        OBSERVE(pitched, *p, *pitch, width);
    return cpu_device_return(e);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *p, struct cudaExtent extent) {
    if (!p)
        return cpu_device_return(cudaErrorInvalidValue);
    p->xsize = extent.width;
    p->ysize = extent.height;
    return cudaMallocPitch(&p->ptr, &p->pitch, extent.width, extent.height * extent.depth);
}

/* One side of a box: pitched memory, or an array, whose x counts elements. */
struct side {
    char *p;
    size_t x, pitch, slice;
};
static struct side side_of(cudaArray_t array, struct cudaPitchedPtr m, struct cudaPos at) {
    struct side s = {m.ptr, at.x, m.pitch, m.pitch * m.ysize};
    if (array)
        s = (struct side){array->texels.data, at.x * array->texels.element, array->texels.pitch,
                          array->texels.slice};
    s.p += s.x + at.y * s.pitch + at.z * s.slice;
    return s;
}
static int is_inside(cudaArray_t a, struct cudaPos at, struct cudaExtent box) {
    return !a || (at.x + box.width <= a->texels.width && at.y + box.height <= a->texels.height &&
                  at.z + box.depth <= a->texels.depth);
}

cudaError_t copy_box(const struct cudaMemcpy3DParms *p, cudaStream_t stream, int async) {
    if (!p || !is_inside(p->dstArray, p->dstPos, p->extent) ||
        !is_inside(p->srcArray, p->srcPos, p->extent))
        return cudaErrorInvalidValue;
    struct side to = side_of(p->dstArray, p->dstPtr, p->dstPos);
    struct side from = side_of(p->srcArray, p->srcPtr, p->srcPos);
    cudaArray_t array = p->dstArray ? p->dstArray : p->srcArray;
    struct copy_data c = {.to = to.p, .from = from.p};
    c.bytes = p->extent.width * (array ? array->texels.element : 1);
    c.rows = p->extent.height;
    c.slices = p->extent.depth;
    c.to_pitch = to.pitch;
    c.from_pitch = from.pitch;
    c.to_slice = to.slice;
    c.from_slice = from.slice;
    if (pitch_is_short(c.bytes, c.to_pitch, c.from_pitch))
        return cudaErrorInvalidPitchValue;
    if (to.x > c.to_pitch - c.bytes || from.x > c.from_pitch - c.bytes) {
        OBSERVE(call_wrong, "its rows, from their position on, run past the end of a pitch");
        return cudaErrorInvalidValue;
    }
    return copy_queue(c, p->kind, stream, async);
}
cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
    CALLED();
    return cpu_device_return(copy_box(p, 0, 0));
}
cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
    CALLED();
    return cpu_device_return(copy_box(p, stream, 1));
}

/* ---- Memset --- */

static struct set_data set_box(struct cudaPitchedPtr p, int value, struct cudaExtent e) {
    struct set_data s = {p.ptr, value,       e.width, e.height, e.depth, p.pitch, p.pitch * p.ysize,
                         1,     {NULL, NULL}};
    return s;
}
cudaError_t cudaMemset3D(struct cudaPitchedPtr p, int value, struct cudaExtent extent) {
    CALLED();
    return cpu_device_return(set_queue(set_box(p, value, extent), 0, 0));
}
cudaError_t cudaMemset3DAsync(struct cudaPitchedPtr p, int value, struct cudaExtent extent,
                              cudaStream_t stream) {
    CALLED();
    return cpu_device_return(set_queue(set_box(p, value, extent), stream, 1));
}
cudaError_t cudaMemset2D(void *p, size_t pitch, int value, size_t width, size_t height) {
    CALLED();
    return cpu_device_return(set_queue(set_rows(p, pitch, value, width, height), 0, 0));
}
cudaError_t cudaMemset2DAsync(void *p, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
    CALLED();
    return cpu_device_return(set_queue(set_rows(p, pitch, value, width, height), stream, 1));
}
/* The memset of a graph: its width counts elements. */
cudaError_t set_elements(const struct cudaMemsetParams *p, cudaStream_t stream) {
    if (p->elementSize != 1 && p->elementSize != 2 && p->elementSize != 4)
        return cpu_device_return(cudaErrorInvalidValue);
    struct set_data s =
        set_rows(p->dst, p->pitch, (int)p->value, p->width * p->elementSize, p->height);
    s.element = p->elementSize;
    return cpu_device_return(set_queue(s, stream, 1));
}
