// Memory of each kind that is used as it should be
// SPDX-License-Identifier: MIT
#include "program.h"
#include <cstring>
#include <new>
#include <stdlib.h>
#include <type_traits>

// ---- clean_constants: Constants that are set in parts: of which only that part is read, whose
// rest has an initializer, or comes with a second copy; of which an initializer says that they
// are zero; set at its address; a text, a struct and all that there is to copy, as many bytes as
// there are elements, the rest of which is zero.
__constant__ float part[64], halves[8], table[8] = {0, 0, 0, 0, 5, 6, 7, 8}, two[8];
__constant__ char word[64];
struct weights_of {
    float scale, offset, of_each[6];
};
__constant__ weights_of scaled;
struct range {
    int from, to;
    constexpr range() : from(0), to(0) {}
};
__constant__ float zeros[8] = {}, zero = 0, none{0};
__constant__ range empty;
static inline __constant__ float made[8];
__global__ void weigh(float *out, int n) {
    int i = threadIdx.x;
    out[i] = halves[i] + table[i] + (i < n ? part[i] : 0) + zeros[i] + zero + none + made[i] +
             (float)empty.to + two[i] + (float)word[i + 8] + scaled.of_each[i % 6];
}
PROGRAM(clean_constants) {
    float h[16] = {1, 2, 3, 4, 5, 6, 7, 8}, h_two[2] = {}, *d_out;
    cudaMalloc(&d_out, 8 * sizeof *h);
    cudaMemcpyToSymbol(part, h, 16); // 4 of them
    cudaMemcpyToSymbol(two, h_two, sizeof h_two);
    cudaMemcpyToSymbol(word, "as wide", 8);
    cudaMemcpyToSymbol(scaled, h_two, 8);
    cudaMemcpyToSymbol(halves, h, 16);
    cudaMemcpyToSymbol(halves, h + 8, 16, 16);
    cudaMemcpyToSymbol(table, h, 16);
    float *d_made;
    cudaGetSymbolAddress((void **)&d_made, made);
    cudaMemset(d_made, 0, 8 * sizeof *h);
    weigh<<<1, 8>>>(d_out, 4);
    cudaError_t e = cudaMemcpy(h, d_out, 8 * sizeof *h, cudaMemcpyDeviceToHost);
    cudaFree(d_out);
    exit_code = e != cudaSuccess || h[0] != 3 || h[7] != 8;
}

// ---- clean_copies: Copies to the last byte and of parts, of padding that is never written:
// between the rows of pitched memory and in structs; variables by their symbols; a launch that
// fails and is asked about; host memory that a copy in a stream has let go; pinned memory that
// lives to the end.
struct record {
    double sum;
    int count; /* 4 bytes of padding behind it */
};
struct __align__(128) counter {
    int value; /* 124 bytes of padding */
};
__device__ int copies_table[16];
__constant__ float factors[16];
__global__ void fill(struct record *records, struct counter *counters, float *rows, size_t pitch) {
    ((float *)((char *)rows + threadIdx.x * pitch))[threadIdx.y] = 1;
    if (threadIdx.y > 0)
        return;
    records[threadIdx.x].sum = threadIdx.x * factors[threadIdx.x % 16];
    records[threadIdx.x].count = copies_table[threadIdx.x % 16];
    counters[threadIdx.x].value = 1;
}
__global__ void copy(int *out, const int *in) { out[threadIdx.x] = in[threadIdx.x]; }
PROGRAM(clean_copies) {
    const size_t n = 16;
    static float h_rows[1 << 16];
    static int h_table[16];
    struct counter *h_counters = (struct counter *)malloc(n * sizeof *h_counters);
    float *d_rows;
    void *d_table;
    size_t pitch;
    cudaStream_t stream;
    cudaStreamCreate(&stream);
    PINNED(struct record, h_records, n);
    PINNED(float, h_tile, 16);
    ARRAY(struct record, d_records, n);
    ARRAY(struct counter, d_counters, n);
    ARRAY(int, d_out, n);
    cudaMallocPitch(&d_rows, &pitch, 3 * sizeof *d_rows, n);
    cudaMemcpyToSymbol(factors, h_rows, sizeof factors);
    cudaMemcpyToSymbol(copies_table, h_table, 4 * sizeof(int), 12 * sizeof(int));
    fill<<<1, dim3(16, 3), 0, stream>>>(d_records, d_counters, d_rows, pitch);
    cudaMemcpyAsync(h_records, d_records, n * sizeof *h_records, cudaMemcpyDeviceToHost, stream);
    h_tile[0] = 1;                             /* nobody copies that */
    volatile int *count = &h_records[1].count; /* whose reader knows that others write it */
    int early = *count;
    cudaStreamSynchronize(stream);
    int right = h_records[1].count == 0 || early > 1000;
    cudaMemcpy(h_counters, d_counters, n * sizeof *h_counters, cudaMemcpyDeviceToHost);
    cudaMemcpy(h_rows, d_rows, n * pitch, cudaMemcpyDeviceToHost);
    cudaMemcpy2D(h_rows, 64, d_rows, pitch, 3 * sizeof(float), n, cudaMemcpyDeviceToHost);
    cudaGetSymbolAddress(&d_table, copies_table);
    cudaMemcpy((int *)d_table + 8, h_table, 8 * sizeof(int), cudaMemcpyHostToDevice);
    copy<<<1, 16>>>(d_out, (const int *)d_table);
    copy<<<1, 4096>>>(d_out, (const int *)d_table);
    right &= cudaGetLastError() != cudaSuccess;
    cudaMemcpy(h_table, d_out, n * sizeof(int), cudaMemcpyDeviceToHost);
    right &= h_counters[15].value == 1;
    cudaStreamDestroy(stream);
    cudaFree(d_rows);
    free(h_counters);
    exit_code = !right;
}

// ---- clean_memcpy: memcpy and memset in kernels, and by the host in managed memory.
struct memcpy_record {
    int id;
    char name[31];
};
__global__ void memcpy_make(struct memcpy_record *out, char *text, int length) {
    struct memcpy_record r;
    memset(&r, 'a', sizeof r);
    r.id = (int)threadIdx.x;
    memcpy(&out[threadIdx.x], &r, sizeof r);
    memset(text + length * threadIdx.x, 'b', length);
}
__global__ void read(const struct memcpy_record *in, const char *text, int length, int *out) {
    float one = 1;
    int bits;
    memcpy(&bits, &one, sizeof bits);
    int i = threadIdx.x;
    out[i] += in[i].id + in[i].name[30] + text[length * i + length - 1] + (bits != 0);
}
PROGRAM(clean_memcpy) {
    ARRAY(struct memcpy_record, d_records, 32);
    ARRAY(char, d_text, 32 * 13);
    MANAGED(int, out, 32);
    std::memset(out, 0, 32 * sizeof *out);
    memcpy_make<<<1, 32>>>(d_records, d_text, 13);
    read<<<1, 32>>>(d_records, d_text, 13, out);
    cudaDeviceSynchronize();
    int right = out[3] == 3 + 'a' + 'b' + 1;
    exit_code = !right;
}

// ---- clean_middle: Pointers into the middle of an array, to its last element and past it, from
// which indices go backwards: in constant, device, shared and local memory.
__constant__ float weights[7] = {1, 2, 3, 4, 3, 2, 1};
__device__ float zeroes[7];
__global__ void stencil(const float *in, float *out, int r) {
    __shared__ float tile[64 + 6];
    float own[7], sum = 0;
    const float *weight = &weights[3], *zero = zeroes + 3, *last = &own[6], *end = own + 7;
    float *mine = &own[3], *here = &tile[threadIdx.x + 3];
    int i = threadIdx.x;
    for (int k = -r; k <= r; k++)
        mine[k] = weight[k];
    tile[i] = in[i];
    if (i < 6)
        tile[64 + i] = in[64 + i];
    __syncthreads();
    for (int k = -r; k <= r; k++)
        sum += mine[k] * here[k] + zero[k];
    for (int k = 0; k < 7; k++)
        sum += last[-k] - own[k];
    while (end-- > own)
        sum += *end;
    struct {
        int a[4], b[4];
    } both;
    int *b = both.b;
    for (int k = -4; k < 4; k++)
        b[k] = k;
    out[i] = sum + both.a[r] + both.b[r - 3];
}
PROGRAM(clean_middle) {
    float h[70];
    for (int i = 0; i < 70; i++)
        h[i] = 1;
    COPY_OF(float, d_in, h);
    ARRAY(float, d_out, 70);
    stencil<<<1, 64>>>(d_in, d_out, 3);
    cudaMemcpy(h, d_out, 64 * sizeof *h, cudaMemcpyDeviceToHost);
    exit_code = h[63] != 16 + 16 - 1;
}

// ---- clean_padding: Structs of many shapes, written member by member and then copied whole:
// their padding is never written, be it at the end, in the middle, or half of a piece that moves
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
__device__ static void padding_fill(struct entry *p, int i) { p->key = p->value = i; }
__device__ static void padding_fill(struct tagged *p, int i) { p->value = p->tag = (char)i; }
__device__ static void padding_fill(struct gaps *p, int i) {
    p->tag = (char)(p->value = p->rest = (short)i);
}
__device__ static void padding_fill(struct sample *p, int i) {
    p->time = p->value = (float)i;
    p->channel = (short)i;
}
__device__ static void padding_fill(edge *p, int i) { p->weight = p->id = (short)i; }
__device__ static int value_of(const struct entry &v) { return (int)v.key + v.value; }
__device__ static int value_of(const struct tagged &v) { return v.value + v.tag; }
__device__ static int value_of(const struct gaps &v) { return v.value + v.rest; }
__device__ static int value_of(const struct sample &v) { return (int)v.time + v.channel; }
__device__ static int value_of(const edge &v) { return (int)v.weight + v.id; }
template <typename T> __global__ void write(T *out) {
    padding_fill(&out[threadIdx.x], threadIdx.x);
}
template <typename T> __global__ void padding_copy(T *out, const T *in) {
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
    padding_fill(&s[threadIdx.x], threadIdx.x);
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
    padding_copy<<<1, 32>>>(b, a);
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
PROGRAM(clean_padding) {
    int wrong = run<struct entry>(same_name);
    wrong += run<struct entry>(through_local);
    wrong += run<struct tagged>(through_local);
    wrong += run<struct gaps>(through_local);
    wrong += run<struct sample>(through_local);
    wrong += run<edge>(through_local);
    exit_code = wrong > 0;
}

// ---- clean_structs: Structs with padding that is never written, copied whole; a buffer that is
// used in parts; bytes and halves of words by different threads.
struct item {
    double weight;
    char kind;
    int count;
    char tail;
};
__global__ void structs_make(struct item *items) {
    int i = threadIdx.x;
    items[i].weight = i;
    items[i].kind = 'a';
    items[i].count = i;
    items[i].tail = 'z';
}
__global__ void move(const struct item *from, struct item *to) {
    int i = threadIdx.x;
    to[63 - i] = from[i];
}
__global__ void again(const struct item *from, struct item *to) {
    struct item item = from[threadIdx.x];
    to[threadIdx.x] = item;
}
__global__ void pieces(char *bytes, short *halves) {
    int i = threadIdx.x;
    bytes[i] = (char)i;
    halves[(i * 5) % 64] = (short)i;
    __syncthreads();
    bytes[i] = (char)(bytes[i] + halves[i]);
}
PROGRAM(clean_structs) {
    ARRAY(struct item, d_a, 64);
    ARRAY(struct item, d_b, 64);
    ARRAY(char, d_bytes, 64);
    ARRAY(short, d_halves, 64);
    structs_make<<<1, 64>>>(d_a);
    move<<<1, 64>>>(d_a, d_b);
    again<<<1, 64>>>(d_b, d_a);
    pieces<<<1, 64>>>(d_bytes, d_halves);
}

// ---- clean_textures: An image is made through a surface, read back and blurred through a
// texture in the next kernel, past its edges and between its pixels; rows of a pitched array; a
// texture of an array that is filled in part.
enum { WIDTH = 20, HEIGHT = 6 };
__global__ void textures_make(cudaSurfaceObject_t surface) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite((float)(x + y), surface, x * (int)sizeof(float), y);
    float own;
    surf2Dread(&own, surface, x * (int)sizeof(float), y);
    surf2Dwrite(own + 1, surface, x * (int)sizeof(float), y);
}
__global__ void blur(cudaTextureObject_t texture, float *out) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * WIDTH + x] = tex2D<float>(texture, x - 0.25f, y + 1.25f);
}
__global__ void rows(cudaTextureObject_t texture, float *out) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * WIDTH + x] += tex2D<float>(texture, x, y);
}
__global__ void begin(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] += tex1Dfetch<float>(texture, threadIdx.x);
}
PROGRAM(clean_textures) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t image;
    cudaMallocArray(&image, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[1] = cudaAddressModeBorder;
    cudaTextureObject_t texture, of_rows, of_begin;
    cudaCreateTextureObject(&texture, &resource, &how, 0);

    float *d_rows;
    size_t pitch;
    ARRAY(float, d_out, (WIDTH * HEIGHT));
    ARRAY(float, d_half, 64);
    cudaMallocPitch(&d_rows, &pitch, WIDTH * sizeof(float), HEIGHT);
    cudaMemset2D(d_rows, pitch, 0, WIDTH * sizeof(float), HEIGHT);
    cudaMemset(d_half, 0, 32 * sizeof(float));
    cudaTextureDesc plain = {};
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = d_rows;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaCreateTextureObject(&of_rows, &resource, &plain, 0);
    resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_half;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = 64 * sizeof(float);
    cudaCreateTextureObject(&of_begin, &resource, &plain, 0);

    textures_make<<<HEIGHT, WIDTH>>>(surface);
    blur<<<HEIGHT, WIDTH>>>(texture, d_out);
    rows<<<HEIGHT, WIDTH>>>(of_rows, d_out);
    begin<<<1, 32>>>(of_begin, d_out);
    static float back[WIDTH * HEIGHT];
    cudaMemcpy2DFromArray(back, WIDTH * sizeof(float), image, 0, 0, WIDTH * sizeof(float), HEIGHT,
                          cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(texture);
    cudaDestroyTextureObject(of_rows);
    cudaDestroyTextureObject(of_begin);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(image);
    cudaFree(d_rows);
}

// ---- clean_types: What C++ says of a struct is the same in a traced program: whether its copies
// are bytes, what it is bound to and initialized with, and its size.
struct labeled {
    char label;
    double weight;
};
struct alignas(8) two_floats {
    float x, y;
};
struct alignas(16) constant_members {
    static const int n = 3;
};
struct alignas(16) with_base : constant_members {
    int row[4];
};
template <class T> constexpr bool is_plain() {
    return std::is_trivial<T>::value && std::is_standard_layout<T>::value &&
           std::is_aggregate<T>::value;
}
static_assert(is_plain<labeled>() && is_plain<two_floats>(), "plain data");
static_assert(sizeof(with_base) == 16 && std::is_empty<constant_members>::value, "no members");
constexpr labeled heavier(labeled t) {
    labeled more{};
    more = t;
    more.weight += 1;
    return more;
}
constexpr labeled stone = heavier({'s', 2});
constexpr two_floats one_two{1, 2};
__global__ void bind(struct labeled *items, struct two_floats *points, int *right) {
    auto [x, y] = points[0];
    auto [label, weight] = items[0];
    struct with_base b;
    b.row[0] = with_base::n;
    points[1] = {y, x};
    points[0] = points[1];
    items[0] = items[1] = stone;
    *right = label == 'i' && weight == 2 && b.row[0] == 3 && items[0].weight == 3 && one_two.y == 2;
}
PROGRAM(clean_types) {
    struct labeled *items;
    struct two_floats *points;
    int *right;
    cudaMallocManaged(&items, 2 * sizeof *items);
    cudaMallocManaged(&points, 2 * sizeof *points);
    cudaMallocManaged(&right, sizeof *right);
    items[0] = {'i', 2};
    points[0] = one_two;
    bind<<<1, 1>>>(items, points, right);
    cudaDeviceSynchronize();
    exit_code = !*right || points[0].x != 2;
    cudaFree(items);
    cudaFree(points);
    cudaFree(right);
}
