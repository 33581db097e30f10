// Assignments of a struct that moves in pieces: each kernel makes the accesses of `plain`.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

struct __align__(8) six {
    int a, b, c, d, e, f;
};
// The comma in their type stands between no members.
template <class T, int N> struct list { T at[N]; };
struct __align__(8) lists {
    list<int, 4> a;
    list<char, 4> b;
    short c, d;
};
template <int A, int B> __device__ const six &pick(const six *g, int i) { return g[i + A - B]; }
__device__ six &at(six *o, int i) { return o[i]; }

#define FORM(name, ...)                                                                            \
    __global__ void name(six *o, const six *g, int m) {                                            \
        int i = threadIdx.x;                                                                       \
        six *p = o + i;                                                                            \
        __VA_ARGS__;                                                                               \
    }
FORM(plain, o[i] = g[i])
FORM(increment, *p++ = g[i])
FORM(decrement, p++; *--p = g[i])
FORM(comma, m++, p += 0, o[i] = g[i])
FORM(condition, m ? o[i] = g[i] : o[i] = g[i + 1])
FORM(cast, *(six *)((char *)o + 24 * i) = g[i])
FORM(named_cast, *reinterpret_cast<six *>(p) = g[i])
FORM(chain, six v, w; v = w = g[i]; o[i] = v)
FORM(assigned, six v = o[i] = g[i]; m = v.a)
FORM(arguments, o[i] = pick<1, 1>(g, i))
FORM(variable, six v = pick<1, 1>(g, i), w = v; o[i] = w)
FORM(reference, at(o, i) = g[i])
FORM(
    braces, if (m) { i += 0, (o[i]) = g[i]; })
FORM(not_one, int j = i, *q = &j, k = *q; float (*none)[2] = nullptr, (*other)[2] = none;
     o[k] = g[j])
FORM(of_lists, *(lists *)p = *(const lists *)(g + i))
// What they are aligned to is said of addresses of which memcpy would move single bytes.
FORM(aligned, six v; char *to = (char *)&v; const char *from = (const char *)(g + i);
     for (int k = 0; k < 24; k += 8) memcpy(to + k, __builtin_assume_aligned(from + k, 8), 8);
     o[i] = v)

int main(void) {
    six *data;
    cudaMalloc(&data, 128 * sizeof *data);
    cudaMemset(data, 0, 128 * sizeof *data);
    void (*const forms[])(six *, const six *, int) = {
        plain,    increment, decrement, comma,     condition, cast,    named_cast, chain,
        assigned, arguments, variable,  reference, braces,    not_one, of_lists,   aligned};
    for (auto form : forms)
        form<<<1, 32>>>(data, data + 64, 1);
    puts(cudaGetErrorString(cudaDeviceSynchronize()));
    cudaFree(data);
}
