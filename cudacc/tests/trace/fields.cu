// Fields and whole objects: structs of many sizes and alignments, nested, with arrays, unions and
// bit-fields, packed; classes with constructors and operators; vectors, and memory read as another
// type than it was declared.
//
//     nvcc -O3 -lineinfo fields.cu -o fields && ./fields
//
// 2 blocks of 64 threads, 4 warps.
// EXPECT scale_point: 12 144 12 144
// EXPECT last_of_array: 4 128 4 16
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

__device__ static inline unsigned index_of_thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

struct color3 {
    unsigned char r, g, b;
};
struct point3 {
    float x, y, z;
};
struct five {
    int a;
    char tag;
};
struct line {
    struct point3 from, to;
};
struct record {
    long long key;
    int values[4];
    short flags[4];
};
struct __attribute__((packed)) tight {
    char kind;
    int value;
    short rest;
};
struct bits {
    unsigned low : 5, middle : 11, high : 16;
    unsigned char small : 3, large : 5;
};
union word {
    unsigned u;
    float f;
    unsigned char byte[4];
    unsigned short half[2];
};
struct __align__(8) pair_of_floats {
    float a, b;
};
struct __align__(16) particle {
    float x, y, z, mass;
    float vx, vy, vz, charge;
};
struct big {
    double d[7];
    int i, j;
};
struct shorts5 {
    short s[5];
};

// ---- Fields ------------------------------------------------------------------------------------
__global__ void luminance(unsigned char *out, const struct color3 *in) {
    unsigned i = index_of_thread();
    out[i] = (unsigned char)((in[i].r * 3 + in[i].g * 6 + in[i].b) / 10);
}

__global__ void scale_point(struct point3 *out, const struct point3 *in, float factor) {
    unsigned i = index_of_thread();
    out[i].x = in[i].x * factor;
    out[i].y = in[i].y * factor;
    out[i].z = in[i].z * factor;
}

__global__ void last_of_array(int *out, const struct record *in) {
    unsigned i = index_of_thread();
    out[i] = in[i].values[3];
}

__global__ void sum_of_array(int *out, const struct record *in) {
    unsigned i = index_of_thread();
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += in[i].values[k];
    out[i] = sum + in[i].flags[1];
}

__global__ void key_or_value(long long *out, const struct record *in) {
    unsigned i = index_of_thread();
    const struct record *r = &in[i];
    out[i] = r->key > 0 ? r->key : r->values[i % 4];
}

__global__ void midpoint(struct point3 *out, const struct line *in) {
    unsigned i = index_of_thread();
    struct line l = in[i];
    struct point3 m = {(l.from.x + l.to.x) / 2, (l.from.y + l.to.y) / 2, (l.from.z + l.to.z) / 2};
    out[i] = m;
}

__global__ void fill_record(struct record *out, int base) {
    unsigned i = index_of_thread();
    out[i].key = i;
    for (int k = 0; k < 4; k++)
        out[i].values[k] = base + k;
    out[i].flags[0] = 1;
    out[i].flags[1] = (short)i;
    out[i].flags[2] = out[i].flags[3] = 2;
}

__global__ void tagged(struct five *out, const struct five *in) {
    unsigned i = index_of_thread();
    struct five v = in[i];
    v.tag = (char)(v.a & 7);
    out[i].a = v.a + 1;
    out[i].tag = v.tag;
}

__global__ void kinetic(float *out, const struct particle *in) {
    unsigned i = index_of_thread();
    const struct particle &p = in[i];
    out[i] = p.mass * (p.vx * p.vx + p.vy * p.vy + p.vz * p.vz);
}

__global__ void advance(struct particle *p, float dt) {
    unsigned i = index_of_thread();
    p[i].x += p[i].vx * dt;
    p[i].y += p[i].vy * dt;
    p[i].z += p[i].vz * dt;
}

__global__ void push_all(struct particle *p, float dt) {
    unsigned i = index_of_thread();
    struct particle me = p[i];
    me.x += me.vx * dt;
    me.y += me.vy * dt;
    me.z += me.vz * dt;
    p[i] = me;
}

__global__ void packed_fields(int *out, const struct tight *in) {
    unsigned i = index_of_thread();
    out[i] = in[i].value + in[i].kind + in[i].rest;
}

__global__ void read_bits(int *out, const struct bits *in) {
    unsigned i = index_of_thread();
    out[i] = (int)(in[i].low + in[i].high) * in[i].large;
}

__global__ void write_bits(struct bits *out) {
    unsigned i = index_of_thread();
    out[i].middle = i;
    out[i].small = i & 7;
}

__global__ void as_bytes(unsigned *out, const union word *in) {
    unsigned i = index_of_thread();
    out[i] = (unsigned)in[i].byte[0] + in[i].byte[3];
}

__global__ void as_halves(union word *out, const union word *in) {
    unsigned i = index_of_thread();
    union word w = in[i], v;
    v.half[0] = w.half[1];
    v.half[1] = w.half[0];
    out[i] = v;
}

// ---- Whole objects -----------------------------------------------------------------------------
template <typename T> __global__ void copy_object(T *out, const T *in) {
    unsigned i = index_of_thread();
    out[i] = in[i];
}

template <typename T> __global__ void memcpy_object(T *out, const T *in) {
    unsigned i = index_of_thread();
    memcpy(&out[i], &in[i], sizeof(T));
}

template <typename T> __global__ void swap_objects(T *a, T *b) {
    unsigned i = index_of_thread();
    T t = a[i];
    a[i] = b[i];
    b[i] = t;
}

__global__ void memcpy_bytes(unsigned char *out, const unsigned char *in) {
    unsigned i = index_of_thread();
    memcpy(out + 8 * i, in + 8 * i, 8);
}

__global__ void memcpy_to_local(float *out, const float *in) {
    unsigned i = index_of_thread();
    float v[4];
    memcpy(v, in + 4 * i, sizeof v);
    out[i] = v[0] * v[1] + v[2] * v[3];
}

__global__ void memcpy_bits(unsigned *out, const float *in) {
    unsigned i = index_of_thread();
    unsigned u;
    memcpy(&u, &in[i], sizeof u);
    out[i] = u >> 3;
}

__global__ void memset_object(struct record *out) {
    unsigned i = index_of_thread();
    memset(&out[i], 0, sizeof out[i]);
}

// ---- Classes -----------------------------------------------------------------------------------
class vec {
  public:
    __device__ vec(float a, float b, float c) : x(a), y(b), z(c) {}
    __device__ vec operator+(const vec &o) const { return vec(x + o.x, y + o.y, z + o.z); }
    __device__ vec operator*(float f) const { return vec(x * f, y * f, z * f); }
    __device__ float dot(const vec &o) const { return x * o.x + y * o.y + z * o.z; }

  private:
    float x, y, z;
};

struct complex_number {
    double re, im;
    __device__ complex_number operator*(const complex_number &o) const {
        complex_number r = {re * o.re - im * o.im, re * o.im + im * o.re};
        return r;
    }
    __device__ complex_number &operator+=(const complex_number &o) {
        re += o.re;
        im += o.im;
        return *this;
    }
};

struct base {
    int id;
    __device__ int twice(void) const { return 2 * id; }
};
struct derived : base {
    short extra;
    char more;
    __device__ int total(void) const { return twice() + extra + more; }
};

__global__ void axpy_vec(vec *out, const vec *a, const vec *b, float f) {
    unsigned i = index_of_thread();
    out[i] = a[i] * f + b[i];
}

__global__ void dot_vec(float *out, const vec *a, const vec *b) {
    unsigned i = index_of_thread();
    out[i] = a[i].dot(b[i]);
}

__global__ void multiply_complex(complex_number *out, const complex_number *a,
                                 const complex_number *b) {
    unsigned i = index_of_thread();
    out[i] = a[i] * b[i];
}

__global__ void accumulate_complex(complex_number *sum, const complex_number *a) {
    unsigned i = index_of_thread();
    sum[i] += a[i];
}

__global__ void total_derived(int *out, const derived *in) {
    unsigned i = index_of_thread();
    out[i] = in[i].total();
}

// ---- Vectors and other types of the same memory ------------------------------------------------
__global__ void sum_uchar4(int *out, const uchar4 *in) {
    unsigned i = index_of_thread();
    uchar4 v = in[i];
    out[i] = v.x + v.y + v.z + v.w;
}

__global__ void rotate_int3(int3 *out, const int3 *in) {
    unsigned i = index_of_thread();
    int3 v = in[i];
    out[i] = make_int3(v.y, v.z, v.x);
}

__global__ void widen_short2(int2 *out, const short2 *in) {
    unsigned i = index_of_thread();
    out[i].x = in[i].x;
    out[i].y = in[i].y;
}

__global__ void cast_to_float4(float *out, const float *in) {
    unsigned i = index_of_thread();
    float4 v = reinterpret_cast<const float4 *>(in)[i];
    v.x += v.w;
    reinterpret_cast<float4 *>(out)[i] = v;
}

__global__ void double_as_ints(int *out, const double *in) {
    unsigned i = index_of_thread();
    const int *words = (const int *)&in[i];
    out[i] = words[0] ^ words[1];
}

__global__ void bytes_of_int(unsigned char *out, const int *in) {
    unsigned i = index_of_thread();
    const unsigned char *b = (const unsigned char *)&in[i];
    out[i] = b[0] ^ b[1] ^ b[2] ^ b[3];
}

__global__ void scale_double4(double2 *out, const double2 *in) {
    unsigned i = index_of_thread();
    double2 a = in[2 * i], b = in[2 * i + 1];
    out[2 * i] = make_double2(a.x + b.x, a.y + b.y);
    out[2 * i + 1] = make_double2(a.x - b.x, a.y - b.y);
}

__global__ void four_in_a_row(float *out, const float *in) {
    unsigned i = index_of_thread();
    out[i] = in[4 * i] + in[4 * i + 1] + in[4 * i + 2] + in[4 * i + 3];
}

#define RUN(kernel, out, ...)                                                                      \
    do {                                                                                           \
        kernel<<<BLOCKS, THREADS>>>(__VA_ARGS__);                                                  \
        digest(out, 64 * N);                                                                       \
    } while (0)

int main() {
    begin();
    void *in = filled<char>(64 * N), *in2 = filled<char>(64 * N), *out = output<char>(64 * N);
    float *f = input<float>(16 * N), *g = input<float>(16 * N);
    double *d = input<double>(8 * N);
    typedef unsigned char byte;

    RUN(luminance, out, (byte *)out, (struct color3 *)in);
    RUN(scale_point, out, (struct point3 *)out, (struct point3 *)f, 2);
    RUN(last_of_array, out, (int *)out, (struct record *)in);
    RUN(sum_of_array, out, (int *)out, (struct record *)in);
    RUN(key_or_value, out, (long long *)out, (struct record *)in);
    RUN(midpoint, out, (struct point3 *)out, (struct line *)f);
    RUN(fill_record, out, (struct record *)out, 5);
    RUN(tagged, out, (struct five *)out, (struct five *)in);
    RUN(kinetic, out, (float *)out, (struct particle *)f);
    RUN(packed_fields, out, (int *)out, (struct tight *)in);
    RUN(read_bits, out, (int *)out, (struct bits *)in);
    RUN(write_bits, out, (struct bits *)out);
    RUN(as_bytes, out, (unsigned *)out, (union word *)in);
    RUN(as_halves, out, (union word *)out, (union word *)in);
    copy_object<<<BLOCKS, THREADS>>>((struct five *)out, (struct five *)in); // its gap may stay
    CUDA_CHECK(cudaMemset(out, 0xFF, 64 * N));
    RUN(copy_object, out, (struct record *)out, (struct record *)in);
    RUN(copy_object, out, (struct line *)out, (struct line *)in);
    RUN(copy_object, out, (struct shorts5 *)out, (struct shorts5 *)in);
    RUN(copy_object, out, (struct tight *)out, (struct tight *)in);
    RUN(copy_object, out, (struct particle *)out, (struct particle *)in);
    RUN(copy_object, out, (struct big *)out, (struct big *)in);
    RUN(copy_object, out, (struct pair_of_floats *)out, (struct pair_of_floats *)in);
    RUN(copy_object, out, (union word *)out, (union word *)in);
    RUN(memcpy_object, out, (struct record *)out, (struct record *)in);
    RUN(memcpy_object, out, (struct particle *)out, (struct particle *)in);
    RUN(memcpy_object, out, (struct shorts5 *)out, (struct shorts5 *)in);
    RUN(memcpy_bytes, out, (byte *)out, (byte *)in);
    RUN(memcpy_to_local, out, (float *)out, f);
    RUN(memcpy_bits, out, (unsigned *)out, f);
    RUN(memset_object, out, (struct record *)out);
    RUN(axpy_vec, out, (vec *)out, (vec *)f, (vec *)g, 3);
    RUN(dot_vec, out, (float *)out, (vec *)f, (vec *)g);
    RUN(multiply_complex, out, (complex_number *)out, (complex_number *)d, (complex_number *)d);
    RUN(total_derived, out, (int *)out, (derived *)in);
    RUN(sum_uchar4, out, (int *)out, (uchar4 *)in);
    RUN(rotate_int3, out, (int3 *)out, (int3 *)in);
    RUN(widen_short2, out, (int2 *)out, (short2 *)in);
    RUN(cast_to_float4, out, (float *)out, f);
    RUN(double_as_ints, out, (int *)out, d);
    RUN(bytes_of_int, out, (byte *)out, (int *)in);
    RUN(scale_double4, out, (double2 *)out, (double2 *)d);
    RUN(four_in_a_row, out, (float *)out, f);
    RUN(advance, f, (struct particle *)f, 2);
    f = input<float>(16 * N);
    RUN(push_all, f, (struct particle *)f, 2);
    RUN(swap_objects, in2, (struct line *)in, (struct line *)in2);
    RUN(accumulate_complex, d, (complex_number *)d, (complex_number *)g);
    check_digest(0xea5ffb80u);
    return end();
}
