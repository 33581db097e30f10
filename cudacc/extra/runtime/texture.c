/*
 * texture.c: reads through texture objects, as the CUDA C++ Programming Guide describes them, and
 * places that surface objects name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "extra/runtime/texture.h"
#include "runtime/observer.h"
#include <math.h>
#include <string.h>

size_t texel_bytes(struct cudaChannelFormatDesc f) {
    int bits[4] = {f.x, f.y, f.z, f.w}, channels = 0;
    while (channels < 4 && bits[channels])
        if (bits[channels++] != f.x)
            return 0;
    int known = f.x == 8 || f.x == 16 || f.x == 32;
    int real = f.f == cudaChannelFormatKindFloat && f.x != 8;
    int whole = f.f == cudaChannelFormatKindSigned || f.f == cudaChannelFormatKindUnsigned;
    return known && channels != 3 && (real || whole) ? (size_t)(f.x / 8 * channels) : 0;
}

/* ---- One element ------------------------------------------------------------------------- */

static float half_to_float(unsigned h) {
    int exponent = h >> 10 & 31, fraction = h & 0x3ff;
    float f = exponent == 31 ? (fraction ? NAN : INFINITY)
              : exponent     ? ldexpf((float)(1024 + fraction), exponent - 25)
                             : ldexpf((float)fraction, -24);
    return h & 0x8000 ? -f : f;
}

static int gives_floats(const struct texture *t) {
    return t->texels.format.f == cudaChannelFormatKindFloat ||
           t->how.readMode == cudaReadModeNormalizedFloat;
}

static unsigned bits_of(float f) {
    unsigned bits;
    memcpy(&bits, &f, sizeof bits);
    return bits;
}

/* A channel at p, as the bits of a float or as an integer. */
static unsigned channel(const struct texture *t, const char *p) {
    int bits = t->texels.format.x, is_signed = t->texels.format.f == cudaChannelFormatKindSigned;
    unsigned u = 0;
    memcpy(&u, p, (size_t)bits / 8);
    if (t->texels.format.f == cudaChannelFormatKindFloat)
        return bits == 16 ? bits_of(half_to_float(u)) : u;
    int i = bits == 32 ? (int)u : is_signed ? (int)(u << (32 - bits)) >> (32 - bits) : (int)u;
    if (t->how.readMode != cudaReadModeNormalizedFloat)
        return (unsigned)i;
    float most = (float)((1u << (bits - is_signed)) - 1);
    return bits_of(fmaxf((float)i / most, -1));
}

/* pc: where the kernel reads. */
static void element(const struct texture *t, size_t x, size_t y, size_t z, unsigned out[4],
                    const void *pc) {
    const struct texels *m = &t->texels;
    const char *p = m->data + z * m->slice + y * m->pitch + x * m->element;
    OBSERVE(texel, p, (unsigned)m->element, 0, pc);
    size_t bytes = (size_t)m->format.x / 8;
    for (size_t i = 0; i < m->element / bytes; i++)
        out[i] = channel(t, p + i * bytes);
}

/* ---- Where a coordinate leads ------------------------------------------------------------ */

/* The element that stands for position i; -1: the border. */
static long long place(const struct texture *t, int dimension, long long i, long long size) {
    enum cudaTextureAddressMode mode = t->how.addressMode[dimension];
    if (i >= 0 && i < size)
        return i;
    if (mode == cudaAddressModeBorder)
        return -1;
    if (t->how.normalizedCoords && mode == cudaAddressModeWrap)
        return (i % size + size) % size;
    if (t->how.normalizedCoords && mode == cudaAddressModeMirror) {
        i = (i % (2 * size) + 2 * size) % (2 * size);
        return i < size ? i : 2 * size - 1 - i;
    }
    return i < 0 ? 0 : size - 1;
}

/* Two neighbors and the weight of the second, in steps of 1/256; or one element. */
struct spot {
    long long at[2];
    float weight;
};
static struct spot find(const struct texture *t, int dimension, float x, size_t size) {
    struct spot s;
    if (t->how.normalizedCoords)
        x *= (float)size;
    s.weight = 0;
    if (t->how.filterMode == cudaFilterModeLinear) {
        x -= 0.5f;
        s.weight = rintf((x - floorf(x)) * 256) / 256;
    }
    x = fminf(fmaxf(floorf(x), -0x1p62f), 0x1p62f); /* NaN is far to the left */
    s.at[0] = place(t, dimension, (long long)x, (long long)size);
    s.at[1] = s.weight ? place(t, dimension, (long long)x + 1, (long long)size) : s.at[0];
    return s;
}

static void at_places(const struct texture *t, long long x, long long y, long long z,
                      unsigned out[4], const void *pc) {
    if (x >= 0 && y >= 0 && z >= 0)
        element(t, (size_t)x, (size_t)y, (size_t)z, out, pc);
    else
        memcpy(out, t->how.borderColor, 4 * sizeof *out);
}

/* ---- What kernels call ------------------------------------------------------------------- */

static const struct texture *texture_of(unsigned long long object, const void *pc) {
    const struct texture *t = (const struct texture *)(uintptr_t)object;
    if (t->is_destroyed)
        cpu_device_die(cudaErrorIllegalAddress,
                       "use of a texture or surface object that has been "
                       "destroyed",
                       pc);
    return t;
}

int cpu_device_texture(unsigned long long object, int dimensions, float x, float y, float z,
                       int layer, unsigned out[4]) {
    const void *pc = __builtin_return_address(0);
    const struct texture *t = texture_of(object, pc);
    struct spot in_x = find(t, 0, x, t->texels.width), in_y = {{0, 0}, 0}, in_z = {{0, 0}, 0};
    if (dimensions > 1)
        in_y = find(t, 1, y, t->texels.height);
    if (dimensions > 2)
        in_z = find(t, 2, z, t->texels.depth);
    else
        in_z.at[0] = in_z.at[1] = place(t, 2, layer, (long long)t->texels.depth);
    memset(out, 0, 4 * sizeof *out);
    if (t->how.filterMode != cudaFilterModeLinear) {
        at_places(t, in_x.at[0], in_y.at[0], in_z.at[0], out, pc);
        return gives_floats(t);
    }
    float sum[4] = {0, 0, 0, 0};
    for (int corner = 0; corner < 8; corner++) {
        int i = corner & 1, k = corner >> 1 & 1, l = corner >> 2;
        float weight = (i ? in_x.weight : 1 - in_x.weight) * (k ? in_y.weight : 1 - in_y.weight) *
                       (l ? in_z.weight : 1 - in_z.weight);
        unsigned bits[4] = {0, 0, 0, 0};
        float value[4];
        if (!weight)
            continue;
        at_places(t, in_x.at[i], in_y.at[k], in_z.at[l], bits, pc);
        memcpy(value, bits, sizeof value);
        for (int c = 0; c < 4; c++)
            sum[c] += weight * value[c];
    }
    memcpy(out, sum, sizeof sum);
    return 1;
}

int cpu_device_texture_fetch(unsigned long long object, int i, unsigned out[4]) {
    const void *pc = __builtin_return_address(0);
    const struct texture *t = texture_of(object, pc);
    memset(out, 0, 4 * sizeof *out);
    if (i >= 0 && (size_t)i < t->texels.width)
        element(t, (size_t)i, 0, 0, out, pc);
    return gives_floats(t);
}

/* Where a surface has these bytes; NULL: nowhere. */
static char *place_in_surface(unsigned long long object, int x, int y, int z, unsigned bytes,
                              int mode, const void *pc) {
    const struct texels *m = &texture_of(object, pc)->texels;
    long long row = (long long)(m->width * m->element), last = row - bytes;
    int outside =
        x < 0 || x > last || y < 0 || (size_t)y >= m->height || z < 0 || (size_t)z >= m->depth;
    if (outside && mode == cudaBoundaryModeTrap)
        cpu_device_die(cudaErrorIllegalAddress, "a surface is used outside of its array", pc);
    if (outside && mode == cudaBoundaryModeZero)
        return NULL;
    if (outside) {
        x = x < 0 ? 0 : x > last ? (int)last : x;
        y = y < 0 ? 0 : (size_t)y >= m->height ? (int)m->height - 1 : y;
        z = z < 0 ? 0 : (size_t)z >= m->depth ? (int)m->depth - 1 : z;
    }
    if (x % (int)bytes && !OBSERVED)
        cpu_device_die(cudaErrorMisalignedAddress,
                       "the x of a surface counts bytes, and must be a multiple of an element's",
                       pc);
    return m->data + (size_t)z * m->slice + (size_t)y * m->pitch + x;
}

void cpu_device_surface_read(void *value, unsigned bytes, unsigned long long object, int x, int y,
                             int z, int mode) {
    const void *pc = __builtin_return_address(0);
    const char *p = place_in_surface(object, x, y, z, bytes, mode, pc);
    memset(value, 0, bytes);
    if (!p)
        return;
    OBSERVE(texel, p, bytes, 0, pc);
    memcpy(value, p, bytes);
}

void cpu_device_surface_write(const void *value, unsigned bytes, unsigned long long object, int x,
                              int y, int z, int mode) {
    const void *pc = __builtin_return_address(0);
    char *p = place_in_surface(object, x, y, z, bytes, mode, pc);
    if (!p)
        return;
    OBSERVE(texel, p, bytes, 1, pc);
    memcpy(p, value, bytes);
}
