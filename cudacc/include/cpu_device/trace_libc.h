/*
 * trace_libc.h: memcpy and related functions in a traced program go by record/libc.c, so that what
 * they touch is seen. nvcc moves single bytes where nothing but a pointer says what they are
 * aligned to; of a variable, it knows. Copies of one word between variables stay plain loads and
 * stores. So do malloc and free, which in a kernel give memory of the device, and new and delete,
 * which are replaced.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_LIBC_H
#define CPU_DEVICE_TRACE_LIBC_H

#include <stddef.h>

extern "C" {
void *malloc(size_t bytes) noexcept __asm__("cpu_device_malloc");
void *calloc(size_t count, size_t bytes) noexcept __asm__("cpu_device_calloc");
void *realloc(void *p, size_t bytes) noexcept __asm__("cpu_device_realloc");
void free(void *p) noexcept __asm__("cpu_device_free");
}
#include <stdlib.h>
#include <string.h>
#ifndef __clang__
/* std::copy is made of it, and gcc may make loads and stores of it that nothing sees. */
#define __builtin_memmove(...) ::memmove(__VA_ARGS__)
#endif

#ifndef __THROW
#define __THROW noexcept
#endif
#define CPU_DEVICE_INLINE                                                                          \
    extern __inline__ __attribute__((__always_inline__, __gnu_inline__, __artificial__))

#define CPU_DEVICE_VARIABLE(p) (__builtin_object_size(p, 0) != (size_t)-1)
/* To as many bytes, by __builtin_assume_aligned(); what else is known so is a variable. */
#define CPU_DEVICE_ALIGNED(p, bytes)                                                               \
    (CPU_DEVICE_VARIABLE(p) ||                                                                     \
     (__builtin_constant_p((size_t)(p) & ((bytes)-1)) && !((size_t)(p) & ((bytes)-1))))

extern "C" {
/* aligned: 1, what `to` points to; 2, `from` */
void *cpu_device_memcpy(void *to, const void *from, size_t bytes, int aligned) __THROW;
void *cpu_device_memmove(void *to, const void *from, size_t bytes, int aligned) __THROW;
void *cpu_device_memset(void *to, int value, size_t bytes, int aligned) __THROW;

CPU_DEVICE_INLINE void *memcpy(void *to, const void *from, size_t bytes) __THROW {
    int is_word = __builtin_constant_p(bytes) && bytes <= 16 && !(bytes & (bytes - 1));
    int aligned = CPU_DEVICE_VARIABLE(to) | CPU_DEVICE_VARIABLE(from) << 1;
    if (is_word && CPU_DEVICE_ALIGNED(to, bytes) && CPU_DEVICE_ALIGNED(from, bytes))
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

/* Calls that copy learn how large variables of the host are. */
extern "C" {
void cpu_device_host_variables(const void *to, size_t to_bytes, const void *from,
                               size_t from_bytes);
#define CPU_DEVICE_COPY(name, parameters, arguments)                                               \
    cudaError_t cpu_device_##name parameters __asm__("cuda" #name);                                \
    CPU_DEVICE_INLINE cudaError_t cuda##name parameters {                                          \
        cpu_device_host_variables(to, __builtin_object_size(to, 0), from,                          \
                                  __builtin_object_size(from, 0));                                 \
        cudaError_t cpu_result = cpu_device_##name arguments;                                      \
        cpu_device_host_variables(NULL, 0, NULL, 0);                                               \
        return cpu_result;                                                                         \
    }
CPU_DEVICE_COPY(Memcpy, (void *to, const void *from, size_t bytes, cudaMemcpyKind kind),
                (to, from, bytes, kind))
CPU_DEVICE_COPY(MemcpyAsync,
                (void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                 cudaStream_t stream),
                (to, from, bytes, kind, stream))
CPU_DEVICE_COPY(MemcpyToSymbol,
                (const void *to, const void *from, size_t bytes, size_t offset,
                 cudaMemcpyKind kind),
                (to, from, bytes, offset, kind))
CPU_DEVICE_COPY(MemcpyFromSymbol,
                (void *to, const void *from, size_t bytes, size_t offset, cudaMemcpyKind kind),
                (to, from, bytes, offset, kind))
}
#undef CPU_DEVICE_COPY
#undef CPU_DEVICE_ALIGNED
#undef CPU_DEVICE_VARIABLE
#undef CPU_DEVICE_INLINE

/* clang's own copies of structs (trace/record/libc.c). */
#if defined __clang__ && __clang_major__ < 16
__asm__("memcpy = __tsan_memcpy\nmemmove = __tsan_memmove\nmemset = __tsan_memset");
#endif

/* What a function of the library stores or loads through a pointer is seen, too
 * (extra/trace/math.c), whatever the program calls it: modf, modff, std::modf. */
extern "C" {
#define CPU_DEVICE_SEEN(T, name, parameters, ...)                                                  \
    T cpu_device_seen_##name parameters;                                                           \
    __asm__(#name " = cpu_device_seen_" #name);
#include "../../extra/include/cpu_device/trace_math.h"
#undef CPU_DEVICE_SEEN
}

/* And what those read or write, for the host, that take texts and bytes
 * (trace/record/host_calls.c). */
#define CPU_DEVICE_CALLED(name) __asm__(#name " = cpu_device_called_" #name);
CPU_DEVICE_CALLED(fgets)
CPU_DEVICE_CALLED(fprintf)
CPU_DEVICE_CALLED(fputs)
CPU_DEVICE_CALLED(fread)
CPU_DEVICE_CALLED(fwrite)
CPU_DEVICE_CALLED(memcmp)
CPU_DEVICE_CALLED(printf)
CPU_DEVICE_CALLED(puts)
CPU_DEVICE_CALLED(snprintf)
CPU_DEVICE_CALLED(sprintf)
CPU_DEVICE_CALLED(strcat)
CPU_DEVICE_CALLED(strcmp)
CPU_DEVICE_CALLED(strcpy)
CPU_DEVICE_CALLED(strlen)
CPU_DEVICE_CALLED(strncmp)
CPU_DEVICE_CALLED(strncpy)
#undef CPU_DEVICE_CALLED
/* Of these a program may have variables. */
#pragma redefine_extname munmap cpu_device_called_munmap
#pragma redefine_extname read cpu_device_called_read
#pragma redefine_extname write cpu_device_called_write

#endif
