// One kernel in several spellings: of the type of i, which the compiler cannot tell apart, and of
// the store. nvcc makes the same code of the first four, and one store of the two; what the tracer
// counts are the accesses of the source, and no spelling changes them.
//
// 2 blocks of 64 threads, 4 warps. Two of three threads store 0, and the third what it has loaded.
// EXPECT said_unsigned, said_index_t, said_auto, said_twice, by_function, by_pointer: 4 16 8 32
// SPDX-License-Identifier: MIT
#include "check.h"

typedef unsigned index_t;

__device__ static void set(int &place, int value) { place = value; }

#define SPELLED(name, said, stores_zero, stores_loaded)                                            \
    __global__ void name(int *out, const int *in) {                                                \
        said = blockIdx.x * blockDim.x + threadIdx.x;                                              \
        if (i % 3)                                                                                 \
            stores_zero;                                                                           \
        else                                                                                       \
            stores_loaded;                                                                         \
    }
SPELLED(said_unsigned, unsigned i, out[i] = 0, out[i] = in[i]);
SPELLED(said_index_t, index_t i, out[i] = 0, out[i] = in[i]);
SPELLED(said_auto, auto i, out[i] = 0, out[i] = in[i]);
SPELLED(said_twice, unsigned i; i, out[i] = 0, out[i] = in[i]);
SPELLED(by_function, unsigned i, set(out[i], 0), set(out[i], in[i]));

__global__ void by_pointer(int *out, const int *in) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    int *p = out + i;
    if (i % 3)
        *p = 0;
    else
        *p = in[i];
}

int main() {
    begin();
    int *in = input<int>(N), *out = output<int>(N);
    for (auto kernel :
         {said_unsigned, said_index_t, said_auto, said_twice, by_function, by_pointer})
        RUN(kernel, out, in);
    check_digest(0x10ece545u);
    return end();
}
