// Bit-fields: nvcc loads the unit, of the declared type, that one lies in, once; stores it for all
// that are written; and loads it before only where other bits of it must stay.
//
//     nvcc -O3 -lineinfo bits.cu -o bits && ./bits
//
// 2 blocks of 64 threads, 4 warps. The counts are those of nvcc's machine code.
// EXPECT read_one: 4 16 4 16
// EXPECT read_two: 4 16 4 16
// EXPECT read_bytes: 4 16 4 16
// EXPECT read_long: 4 32 4 16
// EXPECT read_units: 8 64 4 16
// EXPECT read_around_store: 8 32 8 32
// EXPECT write_one: 4 16 4 16
// EXPECT write_all: 0 0 4 16
// EXPECT write_half: 0 0 4 16
// EXPECT write_two_of_three: 4 16 4 16
// EXPECT write_units: 4 32 8 64
// EXPECT write_after_load: 8 32 4 16
// EXPECT write_around_load: 12 48 8 32
// EXPECT write_two_objects: 8 64 8 64
// EXPECT write_byte: 0 0 4 16
// EXPECT write_bytes_apart: 4 16 4 16
// EXPECT write_word_and_field: 0 0 4 16
// EXPECT write_member_between: 0 0 8 64
// EXPECT then_read: 4 16 8 32
// EXPECT exchange: 4 16 4 16
// EXPECT update: 4 16 4 16
// EXPECT by_function: 4 16 8 32
// EXPECT of_copy: 4 16 4 16
// EXPECT changed_copy: 4 16 4 16
// EXPECT built: 0 0 4 16
// EXPECT_SHARED in_shared: 2*4 2*4
// SPDX-License-Identifier: MIT
#include "check.h"

enum { N = 128, BLOCKS = 2, THREADS = 64 };

struct three {
    unsigned low : 5, middle : 11, high : 16;
};
struct color {
    unsigned r : 8, g : 8, b : 8, a : 8;
};
struct wide {
    unsigned long long low : 20, middle : 24, high : 20;
};
struct two_units { // and 3 bytes that nobody needs
    unsigned low : 5, rest : 27;
    unsigned char small : 3, large : 5;
};
struct with_number {
    unsigned low : 5, rest : 27;
    float x;
};
union word {
    struct {
        unsigned flag : 1, number : 31;
    };
    unsigned all;
};

__device__ static inline unsigned index_of_thread(void) {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- Reads -------------------------------------------------------------------------------------
__global__ void read_one(unsigned *out, const struct three *in) {
    unsigned i = index_of_thread();
    out[i] = in[i].middle;
}
__global__ void read_two(unsigned *out, const struct three *in) {
    unsigned i = index_of_thread();
    out[i] = in[i].low * in[i].high;
}
__global__ void read_bytes(unsigned *out, const struct color *in) {
    unsigned i = index_of_thread();
    out[i] = in[i].r + in[i].g + in[i].b;
}
__global__ void read_long(unsigned *out, const struct wide *in) {
    unsigned i = index_of_thread();
    out[i] = (unsigned)(in[i].low + in[i].middle + in[i].high);
}
__global__ void read_units(unsigned *out, const struct two_units *in) {
    unsigned i = index_of_thread();
    out[i] = in[i].low + in[i].rest + in[i].small + in[i].large;
}
__global__ void read_around_store(unsigned *out, const struct three *in) {
    unsigned i = index_of_thread();
    out[i] = in[i].low;
    out[i + N] = in[i].middle;
}

// ---- Writes ------------------------------------------------------------------------------------
__global__ void write_one(struct three *out) { out[index_of_thread()].middle = 5; }
__global__ void write_all(struct three *out) {
    unsigned i = index_of_thread();
    out[i].low = i;
    out[i].high = 3 * i;
    out[i].middle = 5 * i;
}
__global__ void write_half(struct three *out) {
    unsigned i = index_of_thread();
    out[i].low = i;
    out[i].middle = 3 * i;
}
__global__ void write_two_of_three(struct three *out) {
    unsigned i = index_of_thread();
    out[i].middle = i;
    out[i].high = 3 * i;
}
__global__ void write_units(struct two_units *out) {
    unsigned i = index_of_thread();
    out[i].low = i;
    out[i].rest = 3 * i;
    out[i].small = i;
}
__global__ void write_after_load(struct three *out, const unsigned *in) {
    unsigned i = index_of_thread();
    out[i].low = in[i];
}
__global__ void write_around_load(struct three *out, const unsigned *in) {
    unsigned i = index_of_thread();
    out[i].low = in[i];
    out[i].middle = in[i + N];
}
__global__ void write_two_objects(struct three *out) {
    unsigned i = index_of_thread();
    out[2 * i].low = i;
    out[2 * i + 1].low = 3 * i;
    out[2 * i].middle = 5 * i;
}
__global__ void write_byte(struct color *out) { out[index_of_thread()].g = 7; }
__global__ void write_bytes_apart(struct color *out) {
    unsigned i = index_of_thread();
    out[i].r = i;
    out[i].b = 3 * i;
}
__global__ void write_word_and_field(union word *out) {
    unsigned i = index_of_thread();
    out[i].all = 6 * i;
    out[i].flag = 1;
}
__global__ void write_member_between(struct with_number *out) {
    unsigned i = index_of_thread();
    out[i].low = i;
    out[i].x = 2.0f * i;
    out[i].rest = 3 * i;
}

// ---- Both --------------------------------------------------------------------------------------
__global__ void then_read(unsigned *out, struct three *data) {
    unsigned i = index_of_thread();
    data[i].low = i;
    out[i] = data[i].middle;
}
__global__ void exchange(struct three *data) {
    unsigned i = index_of_thread(), low = data[i].low;
    data[i].low = data[i].middle;
    data[i].middle = low;
}
__global__ void update(struct three *data) {
    struct three *p = &data[index_of_thread()];
    p->low++;
    p->middle |= 1;
    p->high += p->low;
}
__device__ static inline unsigned sum(const struct three &t) { return t.low + t.middle; }
__device__ static inline void set(struct three &t, unsigned x) { t.middle = x; }
__global__ void by_function(unsigned *out, struct three *data) {
    unsigned i = index_of_thread(), old = sum(data[i]);
    set(data[i], i);
    out[i] = old;
}

// ---- Copies ------------------------------------------------------------------------------------
__global__ void of_copy(unsigned *out, const struct color *in) {
    unsigned i = index_of_thread();
    struct color c = in[i];
    out[i] = c.r + c.g * c.b;
}
__global__ void changed_copy(struct color *data) {
    unsigned i = index_of_thread();
    struct color c = data[i];
    c.g = c.r + 1;
    c.a++;
    data[i] = c;
}
__global__ void built(struct color *out) {
    unsigned i = index_of_thread();
    struct color c;
    c.r = i;
    c.g = 3 * i;
    c.b = 5 * i;
    c.a = 255;
    out[i] = c;
}

__global__ void in_shared(unsigned *out, const unsigned *in) {
    __shared__ struct three s[THREADS];
    unsigned t = threadIdx.x, i = index_of_thread();
    s[t].low = in[i];
    s[t].middle++;
    __syncthreads();
    s[t].high = t;
    __syncthreads();
    out[i] = s[THREADS - 1 - t].low + s[THREADS - 1 - t].high;
}

#define RUN(kernel, ...)                                                                           \
    do {                                                                                           \
        kernel<<<BLOCKS, THREADS>>>(__VA_ARGS__);                                                  \
        digest(out, 2 * N * sizeof *out);                                                          \
    } while (0)

int main() {
    begin();
    unsigned *in = input<unsigned>(2 * N), *out = output<unsigned>(2 * N);

    RUN(read_one, out, (struct three *)in);
    RUN(read_two, out, (struct three *)in);
    RUN(read_bytes, out, (struct color *)in);
    RUN(read_long, out, (struct wide *)in);
    RUN(read_units, out, (struct two_units *)in);
    RUN(read_around_store, out, (struct three *)in);
    RUN(write_one, (struct three *)out);
    RUN(write_all, (struct three *)out);
    RUN(write_half, (struct three *)out);
    RUN(write_two_of_three, (struct three *)out);
    RUN(write_units, (struct two_units *)out);
    RUN(write_after_load, (struct three *)out, in);
    RUN(write_around_load, (struct three *)out, in);
    RUN(write_two_objects, (struct three *)out);
    RUN(write_byte, (struct color *)out);
    RUN(write_bytes_apart, (struct color *)out);
    RUN(write_word_and_field, (union word *)out);
    RUN(write_member_between, (struct with_number *)out);
    RUN(then_read, out, (struct three *)in);
    RUN(exchange, (struct three *)in);
    RUN(update, (struct three *)in);
    RUN(by_function, out, (struct three *)in);
    RUN(of_copy, out, (struct color *)in);
    RUN(changed_copy, (struct color *)in);
    RUN(built, (struct color *)out);
    RUN(in_shared, out, in);
    digest(in, 2 * N * sizeof *in);
    check_digest(0x89caacddu);
    return end();
}
