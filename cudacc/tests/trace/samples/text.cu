// Text, tables, graphs.
// Every seventh byte from 49 to 1995: 8 warps and a part of one.
// EXPECT mark_multiples: 0 0 9 8*8+6
// SPDX-License-Identifier: MIT
#include "samples.h"

__device__ const char base64_chars[65] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// ---- Text --------------------------------------------------------------------------------------
__global__ void base64_encode(char *out, const unsigned char *in, int triples) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= triples)
        return;
    unsigned v = in[3 * i] << 16 | in[3 * i + 1] << 8 | in[3 * i + 2];
    out[4 * i + 0] = base64_chars[v >> 18];
    out[4 * i + 1] = base64_chars[v >> 12 & 63];
    out[4 * i + 2] = base64_chars[v >> 6 & 63];
    out[4 * i + 3] = base64_chars[v & 63];
}

// ---- Tables ------------------------------------------------------------------------------------
__global__ void mark_multiples(bool *composite, int prime, int limit) {
    int k = prime * prime + (blockIdx.x * blockDim.x + threadIdx.x) * prime;
    if (k <= limit)
        composite[k] = true;
}

// ---- Graphs ------------------------------------------------------------------------------------
// From below: each node not yet seen looks for a neighbor of the last level.
__global__ void bfs_level(int *next_depth, int *found, const int *depth, const int *first,
                          const int *edges, int nodes, int level) {
    int v = blockIdx.x * blockDim.x + threadIdx.x;
    if (v >= nodes)
        return;
    int d = depth[v];
    if (d < 0) {
        for (int e = first[v]; e < first[v + 1]; e++) {
            if (depth[edges[e]] == level) {
                d = level + 1;
                atomicAdd(found, 1);
                break;
            }
        }
    }
    next_depth[v] = d;
}

int main() {
    begin();
    unsigned char *bytes = make<unsigned char>(3000, byte);
    char *coded = zeros<char>(4000);
    int *out = zeros<int>(500);

    base64_encode<<<8, 128>>>(coded, bytes, 1000);
    expect("base64_encode", coded, 4000, 17505953);
    unsigned char *composite = zeros<unsigned char>(2001);
    mark_multiples<<<3, 128>>>((bool *)composite, 7, 2000);
    expect("mark_multiples", composite, 2001, 14267);

    int *depth = make<int>(500, [](int i) { return hash_key(i) % 9 == 0 ? 2 : i % 5 ? -1 : 1; });
    int *first = make<int>(501, [](int i) { return 4 * i - i % 3; });
    int *edges = make<int>(2000, [](int i) { return hash_key(i + 77) % 500; });
    bfs_level<<<4, 128>>>(out, zeros<int>(1), depth, first, edges, 500, 2);
    expect("bfs_level", out, 500, 16534);
    return end();
}
