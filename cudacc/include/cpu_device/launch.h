/*
 * launch.h: what kernel<<<grid, block, shared, stream>>>(arguments) is translated to.
 *
 *     cpu_device::bind(kernel, [](auto... a) { kernel(a...); }, "kernel",
 *                      cpu_device::config(grid, block, shared, stream))(arguments)
 *
 * The function pointer gives the parameter types, so that arguments convert as in a call; the
 * lambda lets the compiler inline the kernel into the loop over the threads of a block.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_LAUNCH_H
#define CPU_DEVICE_LAUNCH_H

#include <new>
#include <string.h>
#include <type_traits>
#include <utility>
#include "../cuda_runtime_api.h"
#include "kernel_abi.h"

/* In a traced build: code that the tracer must not see. */
#ifdef CPU_DEVICE_TRACE
#include "trace_abi.h"
#if defined __clang__
/* The last one: no calls at its entry and exit, either (clang 14). */
#define CPU_DEVICE_UNTRACED                                                                        \
    __attribute__((no_sanitize("thread"), no_sanitize("coverage"),                                 \
                   disable_sanitizer_instrumentation))
#elif __GNUC__ >= 12
#define CPU_DEVICE_UNTRACED __attribute__((no_sanitize("thread"), no_sanitize_coverage))
#else
#define CPU_DEVICE_UNTRACED __attribute__((no_sanitize("thread")))
#define CPU_DEVICE_LOOPS_ARE_TRACED /* their basic blocks: says when they are left, and entered */
#endif
#ifdef CPU_DEVICE_LOOPS_ARE_TRACED
#define CPU_DEVICE_IN_KERNEL(kernel)                                                               \
    do {                                                                                           \
        cpu_device_trace_lane.last_block = 0;                                                      \
        cpu_device_trace_lane.outside = 0;                                                         \
        kernel;                                                                                    \
        cpu_device_trace_lane.outside = 1;                                                         \
    } while (0)
#else
#define CPU_DEVICE_IN_KERNEL(kernel) kernel
#endif
#ifdef __clang__ /* it would make even functions that are noinline part of the loop */
#define CPU_DEVICE_FLATTEN
#else
#define CPU_DEVICE_FLATTEN __attribute__((flatten))
#endif
/* Of the host alone. */
#define CPU_DEVICE_HOST CPU_DEVICE_UNTRACED
#else
#define CPU_DEVICE_UNTRACED
#define CPU_DEVICE_IN_KERNEL(kernel) kernel
#define CPU_DEVICE_HOST __attribute__((no_sanitize("alignment")))
#endif

/* What calls a kernel must be compiled for the same processor, to have it inlined. */
#ifdef CPU_DEVICE_FUSED
#define CPU_DEVICE_TARGET __attribute__((target(CPU_DEVICE_FUSED)))
#else
#define CPU_DEVICE_TARGET
#endif

namespace cpu_device {

struct config : cpu_device_config {
    config(dim3 g, dim3 b = 1, size_t shared = 0, cudaStream_t s = 0) {
        grid_dim = g, block_dim = b, shared_bytes = shared, stream = s, cooperation = NULL;
    }
};

/* The shape of a launch whose arguments are not known yet: they may launch, too. */
struct pushed;
template <class> struct last_pushed { static thread_local pushed *it; };
template <class T> thread_local pushed *last_pushed<T>::it;
struct pushed : config {
    pushed *before;
    CPU_DEVICE_HOST pushed(dim3 g, dim3 b = 1, size_t shared = 0, cudaStream_t s = 0)
        : config(g, b, shared, s), before(last_pushed<void>::it) {
        last_pushed<void>::it = this;
    }
    CPU_DEVICE_HOST ~pushed() {
        if (last_pushed<void>::it == this) /* an argument has thrown */
            last_pushed<void>::it = before;
    }
    static CPU_DEVICE_HOST config pop() {
        pushed *last = last_pushed<void>::it;
        last_pushed<void>::it = last->before;
        return *last;
    }
};

/* Is a copy of it a copy of its bytes? */
template <class T>
constexpr bool is_bytes = std::is_trivially_copy_constructible<T>::value ||
                          (std::is_trivially_move_constructible<T>::value &&
                           std::is_trivially_destructible<T>::value);
/* Are all of them what a lambda can capture and pass on? */
template <class... Parameters> constexpr bool all_bytes = true;
template <class T, class... More>
constexpr bool all_bytes<T, More...> =
    is_bytes<T> && !std::is_reference<T>::value && all_bytes<More...>;

template <class Body>
__attribute__((noinline)) CPU_DEVICE_UNTRACED CPU_DEVICE_TARGET void
run_one(const Body &kernel_body) {
    CPU_DEVICE_IN_KERNEL(kernel_body());
}
#ifndef CPU_DEVICE_TRACE
/* The threads of one block, one after another. A thread that waits for others leaves the fast path:
 * the rest is then handed out by the runtime. */
template <class Body>
__attribute__((flatten)) CPU_DEVICE_TARGET void run_threads(const void *arguments) {
    const Body *shared = static_cast<const Body *>(arguments);
    if (!cpu_device_one_by_one) {
        const Body kernel_body = *shared; /* a copy that no store of the kernel can change */
        const unsigned size_x = blockDim.x, size_y = blockDim.y, size_z = blockDim.z;
        for (unsigned z = 0; z < size_z; z++)
            for (unsigned y = 0; y < size_y; y++) {
                threadIdx.y = y;
                threadIdx.z = z;
                for (unsigned x = 0; x < size_x; x++) {
                    threadIdx.x = x;
                    kernel_body();
                    if (__builtin_expect(cpu_device_one_by_one, 0))
                        goto one_by_one;
                }
            }
        return;
    one_by_one:
        if (cpu_device_one_by_one == CPU_DEVICE_DONE) {
            cpu_device_one_by_one = 0;
            return;
        }
        cpu_device_thread_done();
    }
    while (cpu_device_next_thread()) {
        run_one(*shared);
        cpu_device_thread_done();
    }
}

/* One thread of a kernel that is called, not made part of a loop: by its address. */
template <class Body> CPU_DEVICE_HOST CPU_DEVICE_TARGET void run_thread(const void *arguments) {
    (*static_cast<const Body *>(arguments))();
}
#else
/* The same; what each thread does is compared with what the lanes of its warp before it did. */
template <class Body>
CPU_DEVICE_FLATTEN CPU_DEVICE_UNTRACED CPU_DEVICE_TARGET void run_threads(const void *arguments) {
    /* Its bytes: a copy of the object would be a call that is traced. */
    alignas(Body) char copied[sizeof(Body)];
    __builtin_memcpy(copied, arguments, sizeof copied);
    const Body &kernel_body = *reinterpret_cast<const Body *>(copied);
    if (!cpu_device_one_by_one) {
        const unsigned size_x = blockDim.x, size_y = blockDim.y, size_z = blockDim.z;
        unsigned lanes = 0;
        for (unsigned z = 0; z < size_z; z++)
            for (unsigned y = 0; y < size_y; y++) {
                cpu_device_thread_index.y = y;
                cpu_device_thread_index.z = z;
                for (unsigned x = 0, end; x < size_x;) { /* those of one warp */
                    end = size_x - x < 32 - lanes ? size_x : x + 32 - lanes;
                    lanes += end - x;
                    do {
                        cpu_device_thread_index.x = x;
                        cpu_device_trace_lane.row = cpu_device_trace_lane.first;
                        CPU_DEVICE_IN_KERNEL(kernel_body());
                        /* For gcc a kernel that stores nothing changes none of these. */
                        __asm__ volatile("" : : : "memory");
                        if (__builtin_expect(
                                cpu_device_trace_lane.row != cpu_device_trace_lane.expected, 0) &&
                            cpu_device_trace_uneven())
                            goto one_by_one;
                    } while (++x < end);
                    if (lanes == 32) {
                        cpu_device_trace_warp(lanes);
                        lanes = 0;
                    }
                }
            }
        if (lanes)
            cpu_device_trace_warp(lanes);
        return;
    one_by_one:
        cpu_device_thread_done();
    }
    while (cpu_device_next_thread()) {
        run_one(kernel_body);
        cpu_device_thread_done();
    }
}
#endif

template <class Body> void destroy(void *arguments) { static_cast<Body *>(arguments)->~Body(); }

/* Pointers that lead to pageable host memory must not work in a kernel. */
template <class T> void adapt(cpu_device_launch *, unsigned, T &) {}
template <class Result, class... Arguments>
void adapt(cpu_device_launch *, unsigned, Result (*&)(Arguments...)) {}
template <class T, bool object = __is_class(T) || __is_union(T)> struct element_of {
    static const cpu_device_element *get() { return nullptr; }
};
template <class T> struct element_of<T, true> {
    template <class Complete, size_t alignment = alignof(Complete)>
    static const cpu_device_element *of(Complete *) {
        static const cpu_device_element element = {alignment, is_padded((Complete *)nullptr)};
        return &element;
    }
    template <class Class> static constexpr decltype(Class::cpu_is_padded()) is_padded(Class *) {
        return Class::cpu_is_padded();
    }
    static constexpr bool is_padded(const volatile void *) { return false; }
    static const cpu_device_element *of(...) { return nullptr; }
    static const cpu_device_element *get() { return of((T *)nullptr); }
};
template <class T> struct element_of<const T, true> : element_of<T> {};
template <class T> void adapt(cpu_device_launch *launch, unsigned argument, T *&p) {
    p = (T *)const_cast<void *>(
        cpu_device_pointer(launch, argument, const_cast<const void *>((const volatile void *)p),
                           element_of<T>::get()));
}

/* An argument as a launch keeps it. A class whose copies are not mere bytes is constructed and
 * destroyed on the host, once; the kernel gets its bytes, each thread its own. As C++ passes such
 * a class by the address of a copy, the kernel is called like one that takes a reference. */
template <class T, bool bytes = is_bytes<T>> struct argument {
    typedef T parameter;
    T value;
    argument(T &p) : value(p) {}
    T &own() { return value; }
};
template <class T> struct argument<T, false> {
    typedef T &parameter;
    alignas(T) char value[sizeof(T)];
    argument(T &p) { memcpy(value, static_cast<const void *>(&p), sizeof value); }
    T &own() { return *reinterpret_cast<T *>(value); }
};
template <class T, bool bytes> struct argument<T &, bytes> {
    typedef T &parameter;
    T *value;
    argument(T &p) : value(&p) {}
    T &own() { return *value; }
};

template <class... T> CPU_DEVICE_HOST void adapt_all(cpu_device_launch *l, T &...p) {
    unsigned number = 0;
    int in_order[] = {0, (adapt(l, number++, p), 0)...};
    (void)in_order;
    (void)number;
}

/* A launch that has its shape gets its body, and goes to its stream. */
template <bool called, class Body> CPU_DEVICE_HOST void queue(cpu_device_launch *l, Body body) {
#ifdef CPU_DEVICE_LOOPS_ARE_TRACED
    l->traced = CPU_DEVICE_TRACED_WITH_LOOPS;
#elif defined CPU_DEVICE_TRACE
    l->traced = CPU_DEVICE_TRACED;
#else
    if (called)
        l->run_thread = run_thread<Body>;
    else
#endif
    l->run_threads = run_threads<Body>;
    l->destroy = std::is_trivially_destructible<Body>::value ? NULL : destroy<Body>;
    cpu_device_launch_queue(l, static_cast<const void *>(&body), sizeof body, alignof(Body));
}
template <class Function, class... Parameters>
CPU_DEVICE_HOST void start(cpu_device_launch *l, Function f, std::true_type, Parameters... p) {
    adapt_all(l, p...);
    queue<std::is_pointer<Function>::value>(
        l, [f, p...]() CPU_DEVICE_UNTRACED CPU_DEVICE_TARGET { f(p...); });
}
template <class Function, class... Parameters>
CPU_DEVICE_HOST void start(cpu_device_launch *l, Function, std::false_type,
                           argument<Parameters>... a) {
    typedef void (*exact)(typename argument<Parameters>::parameter...);
    exact f = (exact) const_cast<void *>(l->function);
    adapt_all(l, a.value...);
    queue<true>(l, [f, a...]() CPU_DEVICE_UNTRACED CPU_DEVICE_TARGET {
        f(argument<Parameters>(a).own()...);
    });
}

template <class Function, class... Parameters> struct bound {
    Function function;
    const void *kernel; /* its address, NULL where it has none before the call */
    const char *name, *shared;
    config c;

    CPU_DEVICE_HOST void operator()(Parameters... p) const {
        launch(std::integral_constant<bool, all_bytes<Parameters...>>(), p...);
    }
    template <class Bytes> /* not part of a kernel that calls it, where it would be traced */
    __attribute__((noinline)) CPU_DEVICE_HOST void launch(Bytes bytes, Parameters &...p) const {
        start<Function, Parameters...>(cpu_device_launch_new(&c, kernel, name, shared), function,
                                       bytes, p...);
    }
};

template <class Function, class... Parameters>
bound<Function, Parameters...> bind(void (*kernel)(Parameters...), Function function,
                                    const char *name, const config &c) {
    return bound<Function, Parameters...>{function, (const void *)kernel, name, NULL, c};
}

/* Kernels whose parameter types only a call can tell: templates, overloads, default arguments. */
template <class Function, class Exactly> struct bound_generic {
    Function function;
    Exactly exactly; /* the one that takes just these types; fails where there is none */
    const char *name, *shared;
    config c;
    /* The arguments as they are: each thread makes parameters of them. */
    template <class... Arguments> CPU_DEVICE_HOST void operator()(Arguments... a) const {
        launch(std::integral_constant<bool, all_bytes<Arguments...>>(), 0, a...);
    }
    /* Parameters; as it was pushed. */
    template <class... Parameters> CPU_DEVICE_HOST void with(const Parameters &...p) const {
        bound_generic{function, exactly, name, shared, pushed::pop()}.launch(
            std::integral_constant<bool, all_bytes<Parameters...>>(), 0,
            const_cast<Parameters &>(p)...);
    }

  private:
    template <class Bytes, class... Arguments> /* or each thread copies the arguments */
    CPU_DEVICE_HOST void launch(Bytes, long, Arguments &...a) const {
        bound<Function, Arguments...>{function, NULL, name, shared, c}.launch(std::true_type(),
                                                                              a...);
    }
    template <class... Arguments>
    CPU_DEVICE_HOST auto launch(std::false_type, int, Arguments &...a) const
        -> decltype(exactly((void (*)(Arguments...))0), void()) {
        const void *kernel = exactly((void (*)(Arguments...))0);
        bound<Function, Arguments...>{function, kernel, name, shared, c}.launch(std::false_type(),
                                                                                a...);
    }
};
template <class Function, class Exactly>
bound_generic<Function, Exactly> bind_generic(Function function, Exactly exactly, const char *name,
                                              const char *shared, const config &c = {0}) {
    return bound_generic<Function, Exactly>{function, exactly, name, shared, c};
}

template <class... Parameters>
bound<void (*)(Parameters...), Parameters...> bind_pointer(void (*kernel)(Parameters...),
                                                           const config &c) {
    return bind(kernel, kernel, cpu_device_kernel_name((const void *)kernel), c);
}

/* One per kernel of the program, for the API functions that take a kernel's address. */
template <class T> struct from {
    static T &at(void *argument) { return *static_cast<T *>(argument); }
};
template <class T> struct from<T &> {
    static T &at(void *argument) { return **static_cast<T **>(argument); }
};
template <class... Parameters> struct by_address {
    typedef void (*pointer)(Parameters...);
    /* As in a call, each gets a copy. */
    static CPU_DEVICE_HOST void call(cpu_device_launch *l, Parameters... p) {
        start<pointer, Parameters...>(l, (pointer) const_cast<void *>(l->function),
                                      std::integral_constant<bool, all_bytes<Parameters...>>(),
                                      p...);
    }
    template <size_t... Index>
    static CPU_DEVICE_HOST void call(cpu_device_launch *l, void **arguments,
                                     std::index_sequence<Index...>) {
        (void)arguments;
        call(l, from<Parameters>::at(arguments[Index])...);
    }
    static CPU_DEVICE_HOST void launch(cpu_device_launch *l, void **arguments) {
        call(l, arguments, std::index_sequence_for<Parameters...>());
    }
};

template <class... Parameters> const void *address(void (*kernel)(Parameters...)) {
    return (const void *)kernel;
}

struct kernel_entry : cpu_device_kernel {
    template <class... Parameters>
    kernel_entry(void (*kernel)(Parameters...), const char *text, int most_threads,
                 const char *with) {
        function = (const void *)kernel;
        name = text;
        max_threads = most_threads;
        shared = with;
        launch = by_address<Parameters...>::launch;
        cpu_device_register(this);
    }
};

} // namespace cpu_device

#ifndef CPU_DEVICE_TRACE
#include "parts.h"
#endif
#endif
