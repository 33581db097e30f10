// Reductions, scans, sorts.
// EXPECT block_sum: 16 64 2 2
// SPDX-License-Identifier: MIT
#include "samples.h"

enum { THREADS = 256 };

// ---- Reductions --------------------------------------------------------------------------------
__global__ void block_sum(unsigned *out, const unsigned *in) {
    __shared__ unsigned words[THREADS];
    unsigned t = threadIdx.x;
    words[t] = in[blockIdx.x * THREADS + t];
    __syncthreads();
    for (unsigned half = THREADS / 2; half > 0; half /= 2) {
        if (t < half)
            words[t] += words[t + half];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = words[0];
}

__global__ void max_with_index(const int *in, int *maxVal, int *maxIdx, int n) {
    __shared__ int sval[256];
    __shared__ int sidx[256];
    unsigned tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    sval[tid] = i < n ? in[i] : -1000000000;
    sidx[tid] = i;
    __syncthreads();
    for (unsigned s = blockDim.x >> 1; s > 0; s >>= 1) {
        if (tid < s) {
            if (sval[tid + s] > sval[tid] ||
                (sval[tid + s] == sval[tid] && sidx[tid + s] < sidx[tid])) {
                sval[tid] = sval[tid + s];
                sidx[tid] = sidx[tid + s];
            }
        }
        __syncthreads();
    }
    if (tid == 0) {
        maxVal[blockIdx.x] = sval[0];
        maxIdx[blockIdx.x] = sidx[0];
    }
}

struct sums {
    float x, y, xx, xy;
};

__global__ void regression_sums(const float2 *points, sums *result, int n) {
    __shared__ sums warps[32];
    sums s = {0, 0, 0, 0};
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 p = points[i];
        s.x += p.x, s.y += p.y, s.xx += p.x * p.x, s.xy += p.x * p.y;
    }
    for (int d = 16; d > 0; d >>= 1) {
        s.x += __shfl_down_sync(FULL_MASK, s.x, d);
        s.y += __shfl_down_sync(FULL_MASK, s.y, d);
        s.xx += __shfl_down_sync(FULL_MASK, s.xx, d);
        s.xy += __shfl_down_sync(FULL_MASK, s.xy, d);
    }
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = s;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned w = 1; w < blockDim.x / 32; w++)
            s.x += warps[w].x, s.y += warps[w].y, s.xx += warps[w].xx, s.xy += warps[w].xy;
        *result = s;
    }
}

// ---- Scans -------------------------------------------------------------------------------------

__global__ void scan_hillis_steele(int *out, const int *in, int n) {
    extern __shared__ int temp[];
    int t = threadIdx.x, pout = 0, pin = 1;
    temp[t] = t < n ? in[t] : 0;
    __syncthreads();
    for (int offset = 1; offset < (int)blockDim.x; offset *= 2) {
        pout = 1 - pout;
        pin = 1 - pout;
        if (t >= offset)
            temp[pout * blockDim.x + t] =
                temp[pin * blockDim.x + t] + temp[pin * blockDim.x + t - offset];
        else
            temp[pout * blockDim.x + t] = temp[pin * blockDim.x + t];
        __syncthreads();
    }
    if (t < n)
        out[t] = temp[pout * blockDim.x + t];
}

__global__ void scan_blelloch(int *g_odata, const int *g_idata, int n) {
    extern __shared__ int work[];
    int t = threadIdx.x, base = blockIdx.x * n, offset = 1;
    work[2 * t] = g_idata[base + 2 * t];
    work[2 * t + 1] = g_idata[base + 2 * t + 1];
    for (int d = n >> 1; d > 0; d >>= 1, offset *= 2) {
        __syncthreads();
        if (t < d)
            work[offset * (2 * t + 2) - 1] += work[offset * (2 * t + 1) - 1];
    }
    if (t == 0)
        work[n - 1] = 0;
    for (int d = 1; d < n; d *= 2) {
        offset >>= 1;
        __syncthreads();
        if (t < d) {
            int ai = offset * (2 * t + 1) - 1, bi = offset * (2 * t + 2) - 1;
            int v = work[ai];
            work[ai] = work[bi];
            work[bi] += v;
        }
    }
    __syncthreads();
    g_odata[base + 2 * t] = work[2 * t];
    g_odata[base + 2 * t + 1] = work[2 * t + 1];
}

// Each block keeps its own part of the output.
__global__ void compact_positive(int *out, int *count, const int *in, int n) {
    __shared__ int warp_count[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    int v = i < n ? in[i] : 0;
    unsigned ballot = __ballot_sync(FULL_MASK, v > 0);
    if (lane == 0)
        warp_count[warp] = __popc(ballot);
    __syncthreads();
    int base = 0;
    for (int w = 0; w < warp; w++)
        base += warp_count[w];
    if (v > 0)
        out[blockIdx.x * blockDim.x + base + __popc(ballot & ((1u << lane) - 1))] = v;
    if (threadIdx.x == blockDim.x - 1)
        count[blockIdx.x] = base + warp_count[warp];
}

// ---- Sorts -------------------------------------------------------------------------------------
__global__ void odd_even_sort(int *data, int n) {
    __shared__ int s[256];
    int *mine = data + blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        s[i] = mine[i];
    __syncthreads();
    for (int phase = 0; phase < n; phase++) {
        int i = 2 * threadIdx.x + (phase & 1);
        if (i + 1 < n && s[i] > s[i + 1]) {
            int t = s[i];
            s[i] = s[i + 1];
            s[i + 1] = t;
        }
        __syncthreads();
    }
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        mine[i] = s[i];
}

__global__ void radix_split(unsigned *data, int n, int bits) {
    __shared__ unsigned values[256];
    __shared__ int zerosBefore[257];
    int t = threadIdx.x;
    for (int bit = 0; bit < bits; bit++) {
        unsigned v = t < n ? data[t] : 0xffffffffu;
        int isZero = !((v >> bit) & 1);
        zerosBefore[t + 1] = isZero;
        if (t == 0)
            zerosBefore[0] = 0;
        __syncthreads();
        for (int d = 1; d < 256; d *= 2) {
            int add = t + 1 > d ? zerosBefore[t + 1 - d] : 0;
            __syncthreads();
            zerosBefore[t + 1] += add;
            __syncthreads();
        }
        int pos = isZero ? zerosBefore[t] : zerosBefore[256] + t - zerosBefore[t];
        values[pos] = v;
        __syncthreads();
        if (t < n)
            data[t] = values[t];
        __syncthreads();
    }
}

__global__ void merge_sorted(int *out, const int *a, int na, const int *b, int nb) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= na + nb)
        return;
    bool from_a = i < na;
    int index = from_a ? i : i - na;
    const int *other = from_a ? b : a;
    int key = from_a ? a[index] : b[index];
    int lo = 0, hi = from_a ? nb : na;
    while (lo < hi) {
        int mid = (lo + hi) >> 1;
        if (other[mid] < key || (!from_a && other[mid] == key))
            lo = mid + 1;
        else
            hi = mid;
    }
    out[index + lo] = key;
}

int main() {
    begin();
    int *in = make<int>(4000, whole), *out = zeros<int>(2048), *counts = zeros<int>(8);
    float *floats = make<float>(900, number), *f_out = zeros<float>(4);
    unsigned *u_in = (unsigned *)in, *u_out = (unsigned *)out;

    block_sum<<<2, THREADS>>>(u_out, u_in);
    expect("block_sum", out, 2, -4347);
    max_with_index<<<4, 256>>>(in, out, out + 4, 900);
    expect("max_with_index", out, 8, 99741);
    regression_sums<<<1, 128>>>((const float2 *)floats, (sums *)f_out, 450);
    expect("regression_sums", f_out, 4, 721023.75);

    scan_hillis_steele<<<1, 256, 2 * 256 * sizeof(int)>>>(out, in, 250);
    expect("scan_hillis_steele", out, 250, -284586);
    scan_blelloch<<<3, 128, 256 * sizeof(int)>>>(out, in, 256);
    expect("scan_blelloch", out, 3 * 256, 6249860);
    compact_positive<<<8, 128>>>(out, counts, in, 1000);
    expect("compact_positive", out, 1024, 6687778);

    odd_even_sort<<<3, 64>>>(in, 100);
    expect("odd_even_sort", in, 300, 18153);
    unsigned *keys = make<unsigned>(200, [](int i) { return hash_key(i) % 16; });
    radix_split<<<1, 256>>>(keys, 200, 4);
    expect("radix_split", keys, 200, 75431);
    int *sorted =
        make<int>(500, [](int i) { return i < 300 ? i * 3 / 2 : (i - 300) * 2 + i % 3 / 2; });
    merge_sorted<<<4, 128>>>(out, sorted, 300, sorted + 300, 200);
    expect("merge_sorted", out, 500, 5474125);
    return end();
}
