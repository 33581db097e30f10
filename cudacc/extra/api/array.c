/*
 * array.c: arrays, texture objects and surface objects. An array is pitched device memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "api/api.h"
#include "runtime/observer.h"
#include "runtime/queue.h"
#include "extra/runtime/texture.h"
#include <stdlib.h>
#include <string.h>

enum { ROW = 512, PITCH_ALIGNMENT = 32 }; /* as cudaMallocPitch; of textures */

struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w,
                                                   enum cudaChannelFormatKind f) {
    struct cudaChannelFormatDesc d = {x, y, z, w, f};
    return d;
}

/* ---- Handles ----------------------------------------------------------------------------- */

/* What has been freed is kept, so that who uses it is told so: the last ones. */
enum { MOST_KEPT = 1024 };
struct kept {
    struct link *first, *last;
    unsigned count;
};
static struct kept arrays, textures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* guards them */

static void *new_handle(struct kept *k, size_t bytes) {
    pthread_mutex_lock(&lock);
    struct link *l = k->count > MOST_KEPT ? k->first : NULL;
    if (l) {
        k->first = l->next;
        k->count--;
    }
    pthread_mutex_unlock(&lock);
    return l ? memset(l, 0, bytes) : calloc(1, bytes);
}

static void keep_handle(struct kept *k, struct link *l) {
    pthread_mutex_lock(&lock);
    l->next = NULL;
    *(k->count++ ? &k->last->next : &k->first) = l;
    k->last = l;
    pthread_mutex_unlock(&lock);
}

/* ---- Arrays ------------------------------------------------------------------------------ */

static size_t at_least_1(size_t n) { return n ? n : 1; }

cudaError_t cudaMalloc3DArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                              struct cudaExtent extent, unsigned flags) {
    cpu_device_start();
    CALLED();
    size_t element = array && format ? texel_bytes(*format) : 0;
    if (!element || !extent.width || flags & cudaArrayCubemap)
        return cpu_device_return(cudaErrorInvalidValue);
    struct cudaArray *a = new_handle(&arrays, sizeof *a);
    if (!a)
        return cpu_device_return(cudaErrorMemoryAllocation);
    struct texels t = {.format = *format, .width = extent.width, .element = element};
    t.height = at_least_1(extent.height);
    t.depth = at_least_1(extent.depth);
    t.pitch = (t.width * element + ROW - 1) / ROW * ROW;
    t.slice = t.pitch * t.height;
    void *data = NULL;
    OBSERVE(allocating);
    cudaError_t e = cpu_device_memory_new(&data, t.slice * t.depth, MEMORY_DEVICE);
    if (e) {
        free(a);
        return cpu_device_return(e);
    }
    t.data = data;
    *a = (struct cudaArray){.texels = t, .extent = extent, .flags = flags};
    OBSERVE(pitched, data, t.pitch, t.width * element);
    *array = a;
    return cpu_device_return(cudaSuccess);
}
cudaError_t cudaMallocArray(cudaArray_t *array, const struct cudaChannelFormatDesc *format,
                            size_t width, size_t height, unsigned flags) {
    struct cudaExtent extent = {width, height, 0};
    return cudaMalloc3DArray(array, format, extent, flags);
}

cudaError_t cudaFreeArray(cudaArray_t array) {
    cpu_device_start();
    CALLED();
    cudaError_t e = array ? cpu_device_wait() : cudaSuccess;
    if (!e && array)
        e = cpu_device_memory_release(array->texels.data); /* what a later call names as freed */
    if (!e && array)
        keep_handle(&arrays, &array->link);
    return cpu_device_return(e);
}

cudaError_t cudaArrayGetInfo(struct cudaChannelFormatDesc *format, struct cudaExtent *extent,
                             unsigned *flags, cudaArray_t array) {
    if (!array)
        return cpu_device_return(cudaErrorInvalidResourceHandle);
    if (format)
        *format = array->texels.format;
    if (extent)
        *extent = array->extent;
    if (flags)
        *flags = array->flags;
    return cpu_device_return(cudaSuccess);
}
cudaError_t cudaGetChannelDesc(struct cudaChannelFormatDesc *format, cudaArray_const_t array) {
    return cudaArrayGetInfo(format, NULL, NULL, (cudaArray_t)array);
}

/* ---- Copies ------------------------------------------------------------------------------ */

static int has_part(const struct texels *t, size_t x, size_t y, size_t width, size_t height) {
    size_t row = t->width * t->element;
    return x <= row && width <= row - x && y <= t->height && height <= t->height - y;
}

/* Width and x count bytes, unlike those of cudaMemcpy3D. */
static cudaError_t copy_2d(cudaArray_const_t array, size_t x, size_t y, void *other, size_t pitch,
                           size_t width, size_t height, enum cudaMemcpyKind kind,
                           cudaStream_t stream, int to_array, int async) {
    if (!array)
        return cpu_device_return(cudaErrorInvalidResourceHandle);
    const struct texels *t = &array->texels;
    if (!has_part(t, x, y, width, height))
        return cpu_device_return(cudaErrorInvalidValue);
    char *place = t->data + y * t->pitch + x;
    void *to = to_array ? place : other;
    const void *from = to_array ? other : place;
    size_t to_pitch = to_array ? t->pitch : pitch, from_pitch = to_array ? pitch : t->pitch;
    return async ? cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream)
                 : cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t pitch,
                                size_t width, size_t height, enum cudaMemcpyKind kind) {
    return copy_2d(to, x, y, (void *)from, pitch, width, height, kind, 0, 1, 0);
}
cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void *from,
                                     size_t pitch, size_t width, size_t height,
                                     enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d(to, x, y, (void *)from, pitch, width, height, kind, stream, 1, 1);
}
cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                  size_t y, size_t width, size_t height, enum cudaMemcpyKind kind) {
    return copy_2d(from, x, y, to, pitch, width, height, kind, 0, 0, 0);
}
cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, cudaArray_const_t from, size_t x,
                                       size_t y, size_t width, size_t height,
                                       enum cudaMemcpyKind kind, cudaStream_t stream) {
    return copy_2d(from, x, y, to, pitch, width, height, kind, stream, 0, 1);
}
cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y,
                                     cudaArray_const_t from, size_t x, size_t y, size_t width,
                                     size_t height, enum cudaMemcpyKind kind) {
    if (!to || !has_part(&to->texels, to_x, to_y, width, height))
        return cpu_device_return(cudaErrorInvalidValue);
    return copy_2d(from, x, y, to->texels.data + to_y * to->texels.pitch + to_x, to->texels.pitch,
                   width, height, kind, 0, 0, 0);
}

/* From x, y on to the end of the row, and through whole rows from there. */
static cudaError_t copy_through(cudaArray_const_t array, size_t x, size_t y, char *other,
                                size_t bytes, enum cudaMemcpyKind kind, int to_array) {
    cudaError_t e = cudaSuccess;
    size_t row = array ? array->texels.width * array->texels.element : 0;
    if (x >= row)
        return cpu_device_return(cudaErrorInvalidValue);
    while (!e && bytes) {
        size_t part = bytes < row - x ? bytes : row - x, rows = x || part < row ? 1 : bytes / row;
        e = copy_2d(array, x, y, other, part, part, rows, kind, 0, to_array, 0);
        bytes -= part * rows;
        other += part * rows;
        y += rows;
        x = 0;
    }
    return e;
}
cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void *from, size_t bytes,
                              enum cudaMemcpyKind kind) {
    return copy_through(to, x, y, (char *)from, bytes, kind, 1);
}
cudaError_t cudaMemcpyFromArray(void *to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                enum cudaMemcpyKind kind) {
    return copy_through(from, x, y, to, bytes, kind, 0);
}

/* ---- Objects ----------------------------------------------------------------------------- */

static int texels_of(const struct cudaResourceDesc *r, struct texels *t) {
    memset(t, 0, sizeof *t);
    t->height = t->depth = 1;
    switch (r->resType) {
    case cudaResourceTypeArray:
        if (r->res.array.array)
            *t = r->res.array.array->texels;
        return t->element != 0;
    case cudaResourceTypeLinear:
        t->data = r->res.linear.devPtr;
        t->format = r->res.linear.desc;
        t->element = texel_bytes(t->format);
        t->width = t->element ? r->res.linear.sizeInBytes / t->element : 0;
        return t->width != 0 && t->data;
    case cudaResourceTypePitch2D:
        t->data = r->res.pitch2D.devPtr;
        t->format = r->res.pitch2D.desc;
        t->element = texel_bytes(t->format);
        t->width = r->res.pitch2D.width;
        t->height = r->res.pitch2D.height;
        t->pitch = r->res.pitch2D.pitchInBytes;
        return t->element && t->data && t->width && t->height &&
               t->pitch >= t->width * t->element && t->pitch % PITCH_ALIGNMENT == 0;
    default:
        return 0;
    }
}

static cudaError_t object(unsigned long long *handle, const struct cudaResourceDesc *r,
                          const struct cudaTextureDesc *how) {
    struct texture t;
    if (!handle || !r || !texels_of(r, &t.texels))
        return cudaErrorInvalidValue;
    memset(&t.how, 0, sizeof t.how);
    t.is_destroyed = 0;
    t.of = *r;
    if (how)
        t.how = *how;
    int of_floats = t.texels.format.f == cudaChannelFormatKindFloat;
    int normalized = t.how.readMode == cudaReadModeNormalizedFloat;
    if (normalized && !of_floats && t.texels.format.x == 32)
        return cudaErrorInvalidNormSetting;
    if (t.how.filterMode == cudaFilterModeLinear && !of_floats && !normalized)
        return cudaErrorInvalidFilterSetting;
    struct texture *made = new_handle(&textures, sizeof *made);
    if (!made)
        return cudaErrorMemoryAllocation;
    *made = t;
    *handle = (uintptr_t)made;
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *texture, const struct cudaResourceDesc *r,
                                    const struct cudaTextureDesc *how,
                                    const struct cudaResourceViewDesc *view) {
    cpu_device_start();
    if (!how || view)
        return cpu_device_return(view ? cudaErrorNotSupported : cudaErrorInvalidValue);
    return cpu_device_return(object(texture, r, how));
}
cudaError_t cudaDestroyTextureObject(cudaTextureObject_t texture) {
    cpu_device_start();
    cudaError_t e = cpu_device_wait(); /* kernels may still use it */
    struct texture *t = (struct texture *)(uintptr_t)texture;
    if (t && !t->is_destroyed) {
        t->is_destroyed = 1;
        keep_handle(&textures, &t->link);
    }
    return cpu_device_return(e);
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *surface,
                                    const struct cudaResourceDesc *r) {
    cpu_device_start();
    if (r && r->resType != cudaResourceTypeArray)
        return cpu_device_return(cudaErrorInvalidValue);
    return cpu_device_return(object(surface, r, NULL));
}
cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t surface) {
    return cudaDestroyTextureObject(surface);
}

/* What a handle leads to, as it was made. */
static const struct texture *made_of(unsigned long long handle, const void *result) {
    const struct texture *t = (const struct texture *)(uintptr_t)handle;
    cpu_device_start();
    return t && !t->is_destroyed && result ? t : NULL;
}
cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *r,
                                             cudaTextureObject_t texture) {
    const struct texture *t = made_of(texture, r);
    if (t)
        *r = t->of;
    return cpu_device_return(t ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *how,
                                            cudaTextureObject_t texture) {
    const struct texture *t = made_of(texture, how);
    if (t)
        *how = t->how;
    return cpu_device_return(t ? cudaSuccess : cudaErrorInvalidValue);
}
cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *r,
                                             cudaSurfaceObject_t surface) {
    return cudaGetTextureObjectResourceDesc(r, surface);
}
