// Structs of many shapes, written member by member and then copied whole: their padding is never
// written, be it at the end, in the middle, or half of a piece that moves
// SPDX-License-Identifier: MIT
#include <stdio.h>

struct entry {
    long long key;
    int value;
};
struct tagged {
    int value;
    char tag;
};
struct gaps {
    char tag;
    int value;
    short rest;
};
struct sample {
    double time;
    float value;
    short channel;
};
typedef struct {
    float weight;
    short id;
} edge;

__device__ static void fill(struct entry *p, int i) { p->key = p->value = i; }
__device__ static void fill(struct tagged *p, int i) { p->value = p->tag = (char)i; }
__device__ static void fill(struct gaps *p, int i) {
    p->tag = (char)(p->value = p->rest = (short)i);
}
__device__ static void fill(struct sample *p, int i) {
    p->time = p->value = (float)i;
    p->channel = (short)i;
}
__device__ static void fill(edge *p, int i) { p->weight = p->id = (short)i; }
__device__ static int value_of(const struct entry &v) { return (int)v.key + v.value; }
__device__ static int value_of(const struct tagged &v) { return v.value + v.tag; }
__device__ static int value_of(const struct gaps &v) { return v.value + v.rest; }
__device__ static int value_of(const struct sample &v) { return (int)v.time + v.channel; }
__device__ static int value_of(const edge &v) { return (int)v.weight + v.id; }

template <typename T> __global__ void write(T *out) { fill(&out[threadIdx.x], threadIdx.x); }

template <typename T> __global__ void copy(T *out, const T *in) {
    out[threadIdx.x] = in[threadIdx.x];
}

template <typename T> __global__ void through_local(T *out, const T *in) {
    T v = in[threadIdx.x];
    out[threadIdx.x] = v;
}

__global__ void same_name(struct entry *out, const struct entry *in) {
    struct entry entry = in[threadIdx.x];
    out[threadIdx.x] = entry;
}

template <typename T> __global__ void through_shared(T *out, int *sums) {
    __shared__ T s[32];
    fill(&s[threadIdx.x], threadIdx.x);
    __syncwarp();
    T v = s[31 - threadIdx.x];
    out[threadIdx.x] = v;
    sums[threadIdx.x] = value_of(v);
}

template <typename T> static int run(void (*move)(T *, const T *)) {
    int sums[32], wrong = 0, *d_sums;
    T *a, *b;
    cudaMalloc(&a, 32 * sizeof *a);
    cudaMalloc(&b, 32 * sizeof *b);
    cudaMalloc(&d_sums, sizeof sums);
    write<<<1, 32>>>(a);
    copy<<<1, 32>>>(b, a);
    move<<<1, 32>>>(a, b);
    through_shared<<<1, 32>>>(b, d_sums);
    cudaMemcpy(sums, d_sums, sizeof sums, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        wrong += sums[i] != 2 * (31 - i);
    cudaFree(a);
    cudaFree(b);
    cudaFree(d_sums);
    return wrong;
}

int main(void) {
    int wrong = run<struct entry>(same_name);
    wrong += run<struct entry>(through_local);
    wrong += run<struct tagged>(through_local);
    wrong += run<struct gaps>(through_local);
    wrong += run<struct sample>(through_local);
    wrong += run<edge>(through_local);
    return wrong > 0;
}
