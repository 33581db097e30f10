// Fields and whole objects: structs of many sizes and alignments, nested, with arrays, unions,
// packed; classes with constructors and operators; and memory read as another type than it was
// declared.
//
// 2 blocks of 64 threads, 4 warps. A struct of 8 bytes: three fields, each in 8 sectors for a warp.
// EXPECT total_derived: 12 96 4 16
// A field of 4 bytes in every 16 touches 16 sectors.
// EXPECT one_field: 4 64 4 16
// EXPECT some_fields: 8 128 4 64
// SPDX-License-Identifier: MIT
#include "check.h"

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
union word {
    unsigned u;
    float f;
    unsigned char byte[4];
    unsigned short half[2];
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
struct four {
    float x, y, z, w;
};
struct eight {
    float f[8];
};
struct bytes3 {
    unsigned char r, g, b;
};

// ---- Fields ------------------------------------------------------------------------------------
__global__ void sum_of_array(int *out, const struct record *in) {
    unsigned i = thread_number();
    int sum = 0;
    for (int k = 0; k < 4; k++)
        sum += in[i].values[k];
    out[i] = sum + in[i].flags[1];
}

__global__ void key_or_value(long long *out, const struct record *in) {
    unsigned i = thread_number();
    const struct record *r = &in[i];
    out[i] = r->key > 0 ? r->key : r->values[i % 4];
}

__global__ void midpoint(struct point3 *out, const struct line *in) {
    unsigned i = thread_number();
    struct line l = in[i];
    struct point3 m = {(l.from.x + l.to.x) / 2, (l.from.y + l.to.y) / 2, (l.from.z + l.to.z) / 2};
    out[i] = m;
}

__global__ void fill_record(struct record *out, int base) {
    unsigned i = thread_number();
    out[i].key = i;
    for (int k = 0; k < 4; k++)
        out[i].values[k] = base + k;
    out[i].flags[0] = 1;
    out[i].flags[1] = (short)i;
    out[i].flags[2] = out[i].flags[3] = 2;
}

__global__ void tagged(struct five *out, const struct five *in) {
    unsigned i = thread_number();
    struct five v = in[i];
    v.tag = (char)(v.a & 7);
    out[i].a = v.a + 1;
    out[i].tag = v.tag;
}

__global__ void push_all(struct particle *p, float dt) {
    unsigned i = thread_number();
    struct particle me = p[i];
    me.x += me.vx * dt;
    me.y += me.vy * dt;
    me.z += me.vz * dt;
    p[i] = me;
}

EACH(packed_fields, (int *out, const struct tight in[]),
     out[i] = in[i].value + in[i].kind + in[i].rest);

__global__ void as_halves(union word *out, const union word *in) {
    unsigned i = thread_number();
    union word w = in[i], v;
    v.half[0] = w.half[1];
    v.half[1] = w.half[0];
    out[i] = v;
}

EACH(one_field, (float *out, const struct four in[]), out[i] = in[i].y);
EACH(some_fields, (struct four out[], const struct four in[]), out[i].z = in[i].x + in[i].w);
EACH(grey, (unsigned char *out, const struct bytes3 in[]),
     out[i] = (unsigned char)((in[i].r + in[i].g + in[i].b) / 3));

// A struct that is a kernel's argument is in no global memory.
EACH(argument, (float *out, struct eight weights), out[i] = weights.f[2] + weights.f[7]);

// ---- Whole objects -----------------------------------------------------------------------------
template <typename T> EACH(copy_object, (T out[], const T *in), out[i] = in[i]);
template <typename T>
EACH(memcpy_object, (T out[], const T *in), memcpy(&out[i], &in[i], sizeof(T)));

EACH(memset_object, (struct record out[]), memset(&out[i], 0, sizeof out[i]));

// ---- Classes -----------------------------------------------------------------------------------
struct base {
    int id;
    __device__ int twice(void) const { return 2 * id; }
};
struct derived : base {
    short extra;
    char more;
    __device__ int total(void) const { return twice() + extra + more; }
};

EACH(total_derived, (int *out, const derived *in), out[i] = in[i].total());

// ---- The same memory as another type ------------------------------------------------------------
__global__ void double_as_ints(int *out, const double *in) {
    unsigned i = thread_number();
    const int *words = (const int *)&in[i];
    out[i] = words[0] ^ words[1];
}

int main() {
    begin();
    void *in = filled<char>(64 * N), *out = output<char>(64 * N);
    float *f = input<float>(16 * N);
    double *d = input<double>(8 * N);
    typedef unsigned char byte;
    struct eight weights = {{1, 2, 3, 4, 5, 6, 7, 8}};

    RUN(sum_of_array, (int *)out, (struct record *)in);
    RUN(key_or_value, (long long *)out, (struct record *)in);
    RUN(midpoint, (struct point3 *)out, (struct line *)f);
    RUN(fill_record, (struct record *)out, 5);
    RUN(tagged, (struct five *)out, (struct five *)in);
    RUN(packed_fields, (int *)out, (struct tight *)in);
    RUN(as_halves, (union word *)out, (union word *)in);
    copy_object<<<BLOCKS, THREADS>>>((struct five *)out, (struct five *)in); // its gap may stay
    CUDA_CHECK(cudaMemset(out, 0xFF, 64 * N));
    RUN(copy_object, (struct record *)out, (struct record *)in);
    RUN(copy_object, (struct shorts5 *)out, (struct shorts5 *)in);
    RUN(copy_object, (struct tight *)out, (struct tight *)in);
    RUN(copy_object, (struct big *)out, (struct big *)in);
    RUN(memcpy_object, (struct record *)out, (struct record *)in);
    RUN(memcpy_object, (struct shorts5 *)out, (struct shorts5 *)in);
    RUN(memset_object, (struct record *)out);
    RUN(total_derived, (int *)out, (derived *)in);
    RUN(double_as_ints, (int *)out, d);
    RUN(one_field, (float *)out, (struct four *)f);
    RUN(some_fields, (struct four *)out, (struct four *)f);
    RUN(grey, (byte *)out, (struct bytes3 *)in);
    RUN(argument, (float *)out, weights);
    RUN(push_all, (struct particle *)f, 2);
    digest(f, 64 * N);
    check_digest(0xc00c4894u);
    return end();
}
