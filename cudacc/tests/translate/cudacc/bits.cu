// Bit-fields in all the ways in which a program can name them: a traced build rewrites each use in
// device code. The same statements, on the host, say what is right.
// SPDX-License-Identifier: MIT
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum tint { RED, GREEN, BLUE };
enum class mode : unsigned char { ON, OFF };
typedef struct {
    unsigned a : 5, b : 11, c : 16;
} plain; // without a name of its own
struct base {
    unsigned a : 4, kind : 4;
    int x;
};
struct derived : base {
    unsigned z : 3;
    float f;
};
struct with_methods {
    with_methods() = default;
    __host__ __device__ with_methods(unsigned v) : a(v), b(v >> 3) { c = v >> 5; }
    __host__ __device__ unsigned sum() const { return a + b + this->c; }
    __host__ __device__ void bump() { a++, ++b, c += 2, b = a; }
    __host__ __device__ with_methods &set(unsigned a) {
        this->a = a;
        b = a + 1;
        return *this;
    }
    unsigned a : 7, b : 9;
    mutable unsigned c : 16;
};
class hidden {
    unsigned secret : 9;

  public:
    unsigned open : 7;
    __host__ __device__ void put(unsigned v) { secret = v, open = v + 1; }
    __host__ __device__ unsigned get() const { return secret * 2 + open; }
};
union word {
    struct {
        unsigned low : 12, high : 20;
    };
    unsigned all;
};
struct outer {
    int n;
    struct {
        unsigned p : 3, q : 29;
    } in;
    plain inner[2];
};
struct mixed {
    bool on : 1;
    enum tint c : 3;
    mode m : 2;
    signed char s : 4;
    int n : 6;
    long long big : 40;
    uint64_t rest : 24;
    volatile unsigned v : 2;
};
template <typename T, int W> struct split {
    T v : W;
    T w : 8 * sizeof(T) - W;
};
struct no_bits { // the same names
    int a;
    float b;
};
struct __attribute__((packed)) tight {
    unsigned char x;
    unsigned a : 20;
    unsigned b : 12;
};
struct __align__(8) aligned_one {
    unsigned a : 16, b : 16;
    float y;
};
struct all {
    plain p;
    derived d;
    with_methods m;
    hidden h;
    union word w;
    struct outer o;
    struct mixed x;
    split<unsigned, 7> s;
    split<unsigned short, 3> t;
    no_bits n;
    tight g;
    aligned_one l;
    unsigned r;
    int sign;
};
#define SET(object, field, value) ((object)->field = (value))

// Both sides have the same functions: `on_device` and `on_host`.
#define FUNCTIONS(WHERE, SIDE)                                                                     \
    namespace SIDE {                                                                               \
    template <typename T> WHERE unsigned sum(const T &t) { return (unsigned)(t.a + t.b); }         \
    WHERE plain *find(plain *p, int i) { return p + i; }                                           \
    WHERE plain value_of(const plain *p) { return *p; }                                            \
    template <typename T, int W> WHERE unsigned fill(split<T, W> *p, int i) {                      \
        p->v = i, p->w = i * 3;                                                                    \
        auto copy = *p;                                                                            \
        return (unsigned)(copy.v + copy.w) + (unsigned)p->v;                                       \
    }                                                                                              \
    WHERE void forms(struct all *e, int i) {                                                       \
        plain *p = &e->p, v, two[2], &q = *p;                                                      \
        unsigned r = find(p, 0)->a + (*find(p, 0)).b + (p + 0)->c + ((plain *)p)[0].a;             \
        r += reinterpret_cast<plain *>(p)->b + value_of(p).c + (&p[0])->a + 0 [p].b;               \
        SET(p, a, i);                                                                              \
        p->b = p->a = i + 3;                                                                       \
        r += p->b++;                                                                               \
        r += ++p->b;                                                                               \
        p[0].b--, --(*p).b;                                                                        \
        p->c <<= 1, p->c >>= 2, p->c ^= 5, p->b %= 7;                                              \
        r += (p->c = 70000u + i);                                                                  \
        r += p->a ? p->b : p->c;                                                                   \
        e->sign = p->a - 40;                                                                       \
        e->sign += p->a - 40 < 0;                                                                  \
        v = *p, v.a = 7, two[0] = two[1] = v, two[i & 1].b = 2, two[1].c++;                        \
        q.a = two[1].a, q.c += two[0].c;                                                           \
        auto set = [&](plain *to, unsigned d) { return to->a = d, to->b + v.c; };                  \
        r += set(p, 9) + sum(q) + sum(e->n);                                                       \
        for (p->a = 0, p->b = 5; p->a < 4; p->a++)                                                 \
            r += p->b;                                                                             \
        while (p->b)                                                                               \
            p->b--;                                                                                \
        switch (p->a) {                                                                            \
        case 4:                                                                                    \
            r += 1;                                                                                \
            break;                                                                                 \
        default:                                                                                   \
            r += 2;                                                                                \
        }                                                                                          \
        e->r = r + (unsigned)sizeof(p->a + 0) + (p->a == 4 && p->b == 0 ? 8 : 0);                  \
    }                                                                                              \
    WHERE void types(struct all *e, int i) {                                                       \
        e->d.a = i, e->d.kind = 3, e->d.z = 5, static_cast<base &>(e->d).a++;                      \
        e->m = with_methods(i), e->m.bump(), e->m.set(3).c = 4;                                    \
        with_methods copy = e->m;                                                                  \
        copy.a++, e->m = copy;                                                                     \
        e->h.put(i), e->h.open++;                                                                  \
        e->w.low = i, e->w.high = i * 3, e->w.all++;                                               \
        union word w = e->w;                                                                       \
        w.high++, e->w = w;                                                                        \
        e->o.in.p = i, e->o.in.q = i * 7, e->o.inner[1].b = i, e->o.inner[i & 1].c = i;            \
        struct mixed *x = &e->x;                                                                   \
        x->on = i & 1, x->c = (enum tint)(i % 3), x->m = mode::OFF, x->s = -3, x->n = -i;          \
        x->big = -5ll * i, x->rest = i;                                                            \
        x->v = 2;                                                                                  \
        e->r += fill(&e->s, i) + fill(&e->t, i) + x->s + x->n + (int)x->big + e->h.get();          \
        e->n.a = i, e->n.b = 2, e->n.a++;                                                          \
        e->g.x = i, e->g.a = i * 5, e->g.b = i;                                                    \
        aligned_one l = e->l;                                                                      \
        l.a++, l.b = i, e->l = l, e->l.y = i;                                                      \
        e->r += e->m.sum() + e->g.a + e->g.b + e->l.b + x->on + x->c + (int)x->m;                  \
    }                                                                                              \
    }
FUNCTIONS(__device__, on_device)
FUNCTIONS(, on_host)

__global__ void forms(struct all *e) { on_device::forms(&e[threadIdx.x], threadIdx.x); }
__global__ void types(struct all *e) { on_device::types(&e[threadIdx.x], threadIdx.x); }

static struct all expected[32];

int main() {
    struct all *e;
    cudaMallocManaged(&e, sizeof expected);
    memset((void *)e, 0x5a, sizeof expected);
    memset((void *)expected, 0x5a, sizeof expected);
    forms<<<1, 32>>>(e);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        on_host::forms(&expected[i], i);
    printf("forms: %s\n", memcmp(e, expected, sizeof expected) ? "WRONG" : "ok");
    types<<<1, 32>>>(e);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        on_host::types(&expected[i], i);
    printf("types: %s\n", memcmp(e, expected, sizeof expected) ? "WRONG" : "ok");
    cudaFree(e);
    return 0;
}
