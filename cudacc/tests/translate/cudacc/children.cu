// With -rdc=true: kernels that launch kernels.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <string.h>

enum { DEEPEST = 24, COUNT = 3000, SIDE = 64, LEAVES = 1 << 10 };

static void check(const char *what, int right) { printf("%s: %s\n", what, right ? "ok" : "WRONG"); }

// ---- Quicksort: each part is a launch, small ones are sorted by one thread ----
__global__ void insertion_sort(int *v, int n) {
    for (int i = 1; i < n; i++)
        for (int k = i; k > 0 && v[k - 1] > v[k]; k--) {
            int t = v[k];
            v[k] = v[k - 1];
            v[k - 1] = t;
        }
}
__global__ void quicksort(int *v, int n, int depth) {
    if (n <= 32 || depth == DEEPEST - 1) {
        insertion_sort<<<1, 1>>>(v, n);
        return;
    }
    int pivot = v[n / 2], i = 0, k = n - 1;
    while (i <= k) {
        while (v[i] < pivot)
            i++;
        while (v[k] > pivot)
            k--;
        if (i <= k) {
            int t = v[i];
            v[i++] = v[k];
            v[k--] = t;
        }
    }
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    quicksort<<<1, 1, 0, stream>>>(v, k + 1, depth + 1);
    cudaStreamDestroy(stream);
    quicksort<<<1, 1, 0, cudaStreamFireAndForget>>>(v + i, n - i, depth + 1);
}
static void sorts() {
    int *v, right = 1;
    unsigned x = 1;
    cudaMallocManaged(&v, COUNT * sizeof *v);
    for (int i = 0; i < COUNT; i++)
        v[i] = (x = x * 1664525u + 1013904223u) >> 16;
    quicksort<<<1, 1>>>(v, COUNT, 0);
    cudaDeviceSynchronize(); // the parent's end is that of all of them
    for (int i = 1; i < COUNT; i++)
        right &= v[i - 1] <= v[i];
    check("quicksort", right);
    cudaFree(v);
}

// ---- A picture in quarters, until they are small (templates, __shared__, blocks of threads) ----
template <typename T> __global__ void fill(T *picture, int x, int y) {
    __shared__ T value[64];
    value[threadIdx.y * 8 + threadIdx.x] = (T)(x + threadIdx.x) * (y + threadIdx.y);
    __syncthreads();
    picture[(y + threadIdx.y) * SIDE + x + threadIdx.x] = value[threadIdx.y * 8 + threadIdx.x];
}
template <typename T> __global__ void divide(T *picture, int side, int x0, int y0) {
    int x = x0 + side * blockIdx.x, y = y0 + side * blockIdx.y;
    if (threadIdx.x)
        return;
    if (side == 8)
        fill<T><<<1, dim3(8, 8)>>>(picture, x, y);
    else
        divide<<<dim3(2, 2), 32>>>(picture, side / 2, x, y);
}
static void draws() {
    float *picture;
    int right = 1;
    cudaMallocManaged(&picture, SIDE * SIDE * sizeof *picture);
    memset(picture, 0xff, SIDE * SIDE * sizeof *picture);
    divide<<<dim3(2, 2), 32>>>(picture, SIDE / 2, 0, 0);
    cudaDeviceSynchronize();
    for (int i = 0; i < SIDE * SIDE; i++)
        right &= picture[i] == (float)(i % SIDE) * (i / SIDE);
    check("a picture in quarters", right);
    cudaFree(picture);
}

// ---- A sum over a tree: a thread for each node, and its children's sum when they are done ----
struct range {
    int *tree, node;
};
__global__ void add(range r) { r.tree[r.node] = r.tree[2 * r.node] + r.tree[2 * r.node + 1]; }
__global__ void sum(range r) {
    if (r.node >= LEAVES / 2) {
        add<<<1, 1>>>(r);
        return;
    }
    sum<<<1, 1>>>(range{r.tree, 2 * r.node});
    sum<<<1, 1>>>(range{r.tree, 2 * r.node + 1});
    add<<<1, 1, 0, cudaStreamTailLaunch>>>(r);
}
static void adds() {
    int *tree;
    cudaMallocManaged(&tree, 2 * LEAVES * sizeof *tree);
    for (int i = 0; i < LEAVES; i++)
        tree[LEAVES + i] = i;
    sum<<<1, 1>>>(range{tree, 1});
    cudaDeviceSynchronize();
    check("a tree's sum, by tail launches", tree[1] == LEAVES * (LEAVES - 1) / 2);
    cudaFree(tree);
}

// ---- Order: a block's launches in theirs; a tail launch after all others and their children ----
__device__ int at, order[256];
__global__ void note(int what) { order[atomicAdd(&at, 1)] = what; }
__global__ void note_deep(int what) {
    note<<<1, 1>>>(what);
    note<<<1, 1>>>(what + 1);
}
__global__ void notes() {
    note<<<1, 1, 0, cudaStreamTailLaunch>>>(9);
    note_deep<<<1, 1>>>(1);
    note<<<1, 1>>>(3);
}
static void orders() {
    static const int expected[] = {1, 2, 3, 9};
    int got[4] = {0};
    notes<<<1, 1>>>();
    cudaMemcpyFromSymbol(got, order, sizeof got);
    check("order of launches", memcmp(got, expected, sizeof got) == 0);
    note<<<1, 1>>>(4); // of the host, in the same stream
    int last = 0;
    cudaMemcpyFromSymbol(&last, order, sizeof last, 4 * sizeof last);
    check("what the host launches waits for the children", last == 4);
}

// ---- Refused launches tell their thread, and nobody else ----
__device__ int deepest, codes[3];
__global__ void deeper(int depth) {
    deepest = depth;
    deeper<<<1, 1>>>(depth + 1);
    cudaError_t e = cudaGetLastError();
    if (e)
        codes[0] = e;
}
__global__ void too_large() {
    note<<<1, 4096>>>(0);
    codes[1] = cudaGetLastError();
    codes[2] = cudaGetLastError();
}
static void refused() {
    int depth = 0, code[3] = {-1, -1, -1};
    deeper<<<1, 1>>>(0);
    too_large<<<1, 1>>>();
    check("no error for the host", cudaDeviceSynchronize() == cudaSuccess);
    cudaMemcpyFromSymbol(&depth, deepest, sizeof depth);
    cudaMemcpyFromSymbol(code, codes, sizeof code);
    check("launches end at a depth",
          depth == DEEPEST && code[0] == cudaErrorLaunchMaxDepthExceeded);
    check("a block too large", code[1] != cudaSuccess && code[2] == cudaSuccess);
}

// ---- Launched by many threads of many blocks at once; by a function for both sides ----
__global__ void count(int *counter) { atomicAdd(counter, 1); }
__host__ __device__ void launch_count(int *counter) { count<<<2, 32>>>(counter); }
__global__ void all_launch(int *counter) {
    if (threadIdx.x % 8 == 0)
        launch_count(counter);
}
// As many blocks as the thread's number says, with a value that another one hands in.
__global__ void add_times(int *sum, int value, int times = 1) { atomicAdd(sum, value * times); }
__global__ void each_launches(int *sum) {
    int t = threadIdx.x;
    add_times<<<t + 1, 1>>>(sum, __shfl_xor_sync(~0u, t, 1));
}
static void many() {
    int n = 0, *d_n;
    cudaMalloc(&d_n, sizeof n);
    cudaMemset(d_n, 0, sizeof n);
    all_launch<<<16, 64>>>(d_n);
    launch_count(d_n);
    cudaMemcpy(&n, d_n, sizeof n, cudaMemcpyDeviceToHost);
    check("launches by many threads", n == (16 * 8 + 1) * 64);
    cudaMemset(d_n, 0, sizeof n);
    each_launches<<<1, 32>>>(d_n);
    cudaMemcpy(&n, d_n, sizeof n, cudaMemcpyDeviceToHost);
    for (int t = 0; t < 32; t++)
        n -= (t + 1) * (t ^ 1);
    check("lanes that wait in an argument", n == 0);
    cudaFree(d_n);
}

int main() {
    sorts();
    draws();
    adds();
    orders();
    refused();
    many();
    check("no error", cudaDeviceSynchronize() == cudaSuccess);
    return 0;
}
