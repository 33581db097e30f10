/*
 * trace_libc.h: memcpy and its relatives in a traced program go by record/libc.c, so that what they
 * touch is seen. nvcc moves single bytes where nothing but a pointer says what they are aligned to;
 * of a variable, it knows. Copies of one word between variables stay plain loads and stores.
 * So do malloc and free, which in a kernel give memory of the device, and new and delete, which
 * are replaced.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_LIBC_H
#define CPU_DEVICE_TRACE_LIBC_H

#include <stddef.h>

extern "C" {
void *malloc(size_t bytes) noexcept __asm__("cpu_device_malloc");
void free(void *p) noexcept __asm__("cpu_device_free");
}
#include <stdlib.h>
#include <string.h>

#ifndef __THROW
#define __THROW noexcept
#endif
#define CPU_DEVICE_INLINE                                                                          \
    extern __inline__ __attribute__((__always_inline__, __gnu_inline__, __artificial__))

#define CPU_DEVICE_VARIABLE(p) (__builtin_object_size(p, 0) != (size_t)-1)

extern "C" {
/* aligned: 1, what `to` points to; 2, `from` */
void *cpu_device_memcpy(void *to, const void *from, size_t bytes, int aligned) __THROW;
void *cpu_device_memmove(void *to, const void *from, size_t bytes, int aligned) __THROW;
void *cpu_device_memset(void *to, int value, size_t bytes, int aligned) __THROW;

CPU_DEVICE_INLINE void *memcpy(void *to, const void *from, size_t bytes) __THROW {
    int aligned = CPU_DEVICE_VARIABLE(to) | CPU_DEVICE_VARIABLE(from) << 1;
    if (__builtin_constant_p(bytes) && bytes <= 16 && !(bytes & (bytes - 1)) && aligned == 3)
        return __builtin_memcpy(to, from, bytes);
    return cpu_device_memcpy(to, from, bytes, aligned);
}
CPU_DEVICE_INLINE void *memmove(void *to, const void *from, size_t bytes) __THROW {
    return cpu_device_memmove(to, from, bytes,
                              CPU_DEVICE_VARIABLE(to) | CPU_DEVICE_VARIABLE(from) << 1);
}
CPU_DEVICE_INLINE void *memset(void *to, int value, size_t bytes) __THROW {
    return cpu_device_memset(to, value, bytes, CPU_DEVICE_VARIABLE(to));
}
}
#undef CPU_DEVICE_VARIABLE
#undef CPU_DEVICE_INLINE

/* clang's own copies of structs (trace_libc.c). */
#if defined __clang__ && __clang_major__ < 16
__asm__("memcpy = __tsan_memcpy\nmemmove = __tsan_memmove\nmemset = __tsan_memset");
#elif !defined __clang__
__asm__("memmove = cpu_device_memmove"); /* __builtin_memmove, of which std::copy is made */
#endif

#endif
