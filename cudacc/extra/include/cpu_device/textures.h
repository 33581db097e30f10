/* textures.h: reads through texture objects, reads and writes through surface objects. The tracer
 * does not count them: on a GPU they take another way than loads and stores.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TEXTURES_H
#define CPU_DEVICE_TEXTURES_H

#include "texture_abi.h"

#ifdef CPU_DEVICE_TRACE
#define inline inline __attribute__((always_inline)) /* as in device_functions.h */
#endif

namespace cpu_device {

/* A type's channels: its own, or those of a vector. */
template <class T, class = void> struct channel_of { typedef T type; };
template <class T> struct channel_of<T, decltype((void)T::x)> { typedef decltype(T::x) type; };

template <class Channel> struct channel_value {
    static inline Channel of(unsigned bits, int) { return (Channel)bits; }
};
template <> struct channel_value<float> {
    static inline float of(unsigned bits, int is_float) {
        return is_float ? same_bits<float>(bits) : (float)(int)bits;
    }
};

template <class T> inline T texel(const unsigned bits[4], int is_float) {
    typedef typename channel_of<T>::type Channel;
    Channel channel[sizeof(T) / sizeof(Channel)];
    for (unsigned i = 0; i < sizeof(T) / sizeof(Channel); i++)
        channel[i] = channel_value<Channel>::of(bits[i], is_float);
    T result;
    memcpy((void *)&result, channel, sizeof result);
    return result;
}

template <class T>
inline T texture(unsigned long long object, int dimensions, float x, float y, float z,
                 int layer = 0) {
    unsigned bits[4];
    int is_float = cpu_device_texture(object, dimensions, x, y, z, layer, bits);
    return texel<T>(bits, is_float);
}

} // namespace cpu_device

/* Each function in two forms: the value comes back, or goes where a pointer leads. */
#define CPU_DEVICE_TEXTURE(name, parameters, ...)                                                  \
    template <class T> static inline T name parameters {                                           \
        return cpu_device::texture<T>(object, __VA_ARGS__);                                        \
    }
CPU_DEVICE_TEXTURE(tex1D, (cudaTextureObject_t object, float x), 1, x, 0, 0)
CPU_DEVICE_TEXTURE(tex2D, (cudaTextureObject_t object, float x, float y), 2, x, y, 0)
CPU_DEVICE_TEXTURE(tex3D, (cudaTextureObject_t object, float x, float y, float z), 3, x, y, z)
CPU_DEVICE_TEXTURE(tex1DLayered, (cudaTextureObject_t object, float x, int layer), 1, x, 0, 0,
                   layer)
CPU_DEVICE_TEXTURE(tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer), 2, x, y,
                   0, layer)
/* There is one level. */
CPU_DEVICE_TEXTURE(tex1DLod, (cudaTextureObject_t object, float x, float), 1, x, 0, 0)
CPU_DEVICE_TEXTURE(tex2DLod, (cudaTextureObject_t object, float x, float y, float), 2, x, y, 0)
CPU_DEVICE_TEXTURE(tex3DLod, (cudaTextureObject_t object, float x, float y, float z, float), 3, x,
                   y, z)
#undef CPU_DEVICE_TEXTURE

template <class T> static inline T tex1Dfetch(cudaTextureObject_t object, int i) {
    unsigned bits[4];
    int is_float = cpu_device_texture_fetch(object, i, bits);
    return cpu_device::texel<T>(bits, is_float);
}
template <class T> static inline void tex1Dfetch(T *value, cudaTextureObject_t object, int i) {
    *value = tex1Dfetch<T>(object, i);
}
template <class T> static inline void tex1D(T *value, cudaTextureObject_t object, float x) {
    *value = tex1D<T>(object, x);
}
template <class T>
static inline void tex2D(T *value, cudaTextureObject_t object, float x, float y) {
    *value = tex2D<T>(object, x, y);
}
template <class T>
static inline void tex3D(T *value, cudaTextureObject_t object, float x, float y, float z) {
    *value = tex3D<T>(object, x, y, z);
}

/* x counts bytes. */
#define CPU_DEVICE_SURFACE(dimensions, parameters, x, y, z)                                        \
    template <class T>                                                                             \
    static inline T surf##dimensions##read(cudaSurfaceObject_t object, CPU_DEVICE_LIST parameters, \
                                           cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {  \
        T value;                                                                                   \
        cpu_device_surface_read((void *)&value, sizeof value, object, x, y, z, mode);              \
        return value;                                                                              \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void surf##dimensions##read(                                                     \
        T *value, cudaSurfaceObject_t object, CPU_DEVICE_LIST parameters,                          \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
        T read;                                                                                    \
        cpu_device_surface_read((void *)&read, sizeof read, object, x, y, z, mode);                \
        *value = read;                                                                             \
    }                                                                                              \
    template <class T>                                                                             \
    static inline void surf##dimensions##write(                                                    \
        T value, cudaSurfaceObject_t object, CPU_DEVICE_LIST parameters,                           \
        cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {                                     \
        cpu_device_surface_write((const void *)&value, sizeof value, object, x, y, z, mode);       \
    }
#define CPU_DEVICE_LIST(...) __VA_ARGS__
CPU_DEVICE_SURFACE(1D, (int x), x, 0, 0)
CPU_DEVICE_SURFACE(2D, (int x, int y), x, y, 0)
CPU_DEVICE_SURFACE(3D, (int x, int y, int z), x, y, z)
CPU_DEVICE_SURFACE(2DLayered, (int x, int y, int layer), x, y, layer)
#undef CPU_DEVICE_LIST
#undef CPU_DEVICE_SURFACE

#undef inline
#endif
