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

#include <stdlib.h>
#include "cuda_runtime_api.h"
#include "kernel_abi.h"
#include "device_abi.h"

namespace cpu_device {

struct config {
    dim3 grid, block;
    size_t shared_bytes;
    cudaStream_t stream;
    config(dim3 g, dim3 b, size_t shared = 0, cudaStream_t s = 0)
        : grid(g), block(b), shared_bytes(shared), stream(s) {}
};

/* The threads of one block, one after another. A thread that waits for others leaves the plain
 * loop: the rest is then handed out by the runtime. */
template <class Body> __attribute__((noinline)) void run_one(const Body &body) { body(); }
template <class Body> __attribute__((flatten)) void run_threads(const void *arguments) {
    const Body *shared = static_cast<const Body *>(arguments);
    if (!cpu_device_one_by_one) {
        const Body body = *shared; /* a copy that no store of the kernel can change */
        const unsigned size_x = blockDim.x, size_y = blockDim.y, size_z = blockDim.z;
        for (unsigned z = 0; z < size_z; z++)
            for (unsigned y = 0; y < size_y; y++) {
                threadIdx.y = y;
                threadIdx.z = z;
                for (unsigned x = 0; x < size_x; x++) {
                    threadIdx.x = x;
                    body();
                    if (__builtin_expect(cpu_device_one_by_one, 0))
                        goto one_by_one;
                }
            }
        return;
    one_by_one:
        cpu_device_thread_done();
    }
    while (cpu_device_next_thread()) {
        run_one(*shared);
        cpu_device_thread_done();
    }
}

template <class Body> void destroy(void *arguments) { delete static_cast<Body *>(arguments); }

/* Pointers that lead to pageable host memory must not work in a kernel. */
template <class T> void adapt(cpu_device_launch *, unsigned, T &) {}
template <class R, class... A> void adapt(cpu_device_launch *, unsigned, R (*&)(A...)) {}
template <class T> void adapt(cpu_device_launch *launch, unsigned argument, T *&p) {
    p = (T *)const_cast<void *>(
        cpu_device_pointer(launch, argument, const_cast<const void *>((const volatile void *)p)));
}

template <class F, class... P> struct bound {
    F function;
    const void *kernel; /* its address, NULL where it has none before the call */
    const char *name;
    config c;

    void operator()(P... p) const {
        cpu_device_launch *l = static_cast<cpu_device_launch *>(calloc(1, sizeof *l));
        if (!l)
            abort();
        unsigned argument = 0;
        int in_order[] = {0, (adapt(l, argument++, p), 0)...};
        (void)in_order;
        (void)argument;
        F f = function;
        auto body = [f, p...]() { f(p...); };
        typedef decltype(body) Body;
        l->name = name;
        l->function = kernel;
        l->grid[0] = c.grid.x, l->grid[1] = c.grid.y, l->grid[2] = c.grid.z;
        l->block[0] = c.block.x, l->block[1] = c.block.y, l->block[2] = c.block.z;
        l->shared_bytes = c.shared_bytes;
        l->stream = c.stream;
        l->run_threads = run_threads<Body>;
        l->destroy = destroy<Body>;
        l->arguments = new Body(body);
        cpu_device_launch_queue(l);
    }
};

template <class F, class... P>
bound<F, P...> bind(void (*kernel)(P...), F function, const char *name, const config &c) {
    return bound<F, P...>{function, (const void *)kernel, name, c};
}

/* Kernels whose parameter types only a call can tell: templates, overloads, default arguments. */
template <class F> struct bound_generic {
    F function;
    const char *name;
    config c;
    template <class... A> void operator()(A... a) const {
        bound<F, A...>{function, NULL, name, c}(a...);
    }
};
template <class F> bound_generic<F> bind_generic(F function, const char *name, const config &c) {
    return bound_generic<F>{function, name, c};
}

template <class... P>
bound<void (*)(P...), P...> bind_pointer(void (*kernel)(P...), const config &c) {
    const void *address = (const void *)kernel;
    return bound<void (*)(P...), P...>{kernel, address, cpu_device_kernel_name(address), c};
}

/* One per kernel of the program, for the API functions that take a kernel's address. */
template <size_t... I> struct indices {};
template <size_t N, size_t... I> struct make_indices : make_indices<N - 1, N - 1, I...> {};
template <size_t... I> struct make_indices<0, I...> { typedef indices<I...> type; };

template <class... P> struct by_address {
    template <size_t... I>
    static void call(void (*kernel)(P...), const config &c, void **arguments, indices<I...>) {
        (void)arguments;
        bind_pointer(kernel, c)(*static_cast<P *>(arguments[I])...);
    }
    static void launch(const void *kernel, const cpu_device_launch *l, void **arguments) {
        config c(dim3(l->grid[0], l->grid[1], l->grid[2]),
                 dim3(l->block[0], l->block[1], l->block[2]), l->shared_bytes,
                 static_cast<cudaStream_t>(l->stream));
        call((void (*)(P...))kernel, c, arguments, typename make_indices<sizeof...(P)>::type());
    }
};

struct kernel_entry : cpu_device_kernel {
    template <class... P> kernel_entry(void (*kernel)(P...), const char *text, int threads) {
        function = (const void *)kernel;
        name = text;
        max_threads = threads;
        launch = by_address<P...>::launch;
        cpu_device_register(this);
    }
};

} // namespace cpu_device

template <class... P>
cudaError_t cudaLaunchKernel(void (*kernel)(P...), dim3 grid, dim3 block, void **arguments,
                             size_t shared_bytes = 0, cudaStream_t stream = 0) {
    cpu_device_learn((const void *)kernel, cpu_device::by_address<P...>::launch);
    return cudaLaunchKernel((const void *)kernel, grid, block, arguments, shared_bytes, stream);
}
#endif
