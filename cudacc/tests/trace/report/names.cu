// An allocation is called by the expression that its call was given, wherever the call stands. Each
// launch below says after `->` how the report must call the memory that it touches.
// SPDX-License-Identifier: MIT
#include <stdio.h>
#include <stdlib.h>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t check_error = (call);                                                          \
        if (check_error != cudaSuccess) {                                                          \
            fprintf(stderr, "line %d: %s: %s\n", __LINE__, #call,                                  \
                    cudaGetErrorString(check_error));                                              \
            exit(3);                                                                               \
        }                                                                                          \
    } while (0)

extern "C" cudaError_t cudaMalloc(void **p, size_t bytes); // a declaration is no call
namespace mine {
static cudaError_t cudaMalloc(int, int) { return cudaSuccess; }
} // namespace mine
struct pool {
    cudaError_t cudaMalloc(int) { return cudaSuccess; }
};

__global__ void touch(float *parameter) { parameter[threadIdx.x] = 1; }
__global__ void touch_first(float **pointers) { pointers[0][threadIdx.x] = 1; }
__global__ void touch_both(float *left, float *right) {
    left[threadIdx.x] = 1;
    right[threadIdx.x + 32] = 1;
}
template <typename T> __global__ void touch_any(T *of_template) { of_template[threadIdx.x] = 1; }

__device__ float variable[32];
__managed__ float managed[32], managed_too[32];
__global__ void touch_variable(void) { variable[threadIdx.x] = 1; }
__global__ void touch_managed(void) { managed_too[threadIdx.x] = managed[threadIdx.x]; }

enum { BYTES = 256 };
static float *d_file;
static cudaError_t in_return(void) { return cudaMalloc(&d_file, BYTES); }
static size_t inner(void) {
    static float *d_inner;
    CHECK(cudaMalloc(&d_inner, BYTES));
    return BYTES;
}
static float *helper(size_t bytes) {
    float *helped = NULL;
    CHECK(cudaMalloc((void **)&helped, bytes));
    return helped;
}
static void out_helper(float **out) { CHECK(cudaMalloc(out, BYTES)); }
template <typename T> T *template_helper(size_t n) {
    T *p;
    CHECK(cudaMalloc(&p, n * sizeof(T)));
    return p;
}
static int pick(int a, int b) { return a > b ? a : b; }
struct pair {
    float *in, *out;
};

int main() {
    float *d_plain, *d_cast, *d_reinterpreted, *d_nested, *d_condition, *d_checked, *d_assigned;
    float *d_comma, *d_chosen = NULL, *d_lambda, *d_global, *d_explicit, *d_outer, *d_while,
                    *d_again;
    float *h_pinned, *h_mapped, *d_managed, *d_pitch, *d_async, *d_row[3], *d_u, *d_void = NULL;
    struct pair s, *t = &s;
    size_t pitch;
    cudaPitchedPtr cube;

    cudaMalloc(&d_plain, BYTES);
    touch<<<1, 32>>>(d_plain); // -> d_plain
    cudaMalloc((void **)&d_cast, BYTES);
    touch<<<1, 32>>>(d_cast + 8); // -> d_cast
    cudaMalloc(reinterpret_cast<void **>(&d_reinterpreted), BYTES);
    touch<<<1, 32>>>(d_reinterpreted); // -> d_reinterpreted
    cudaMalloc((void **)(&(d_nested)), BYTES);
    touch<<<1, 32>>>(d_nested); // -> d_nested
    if (cudaMalloc(&d_condition, BYTES) != cudaSuccess)
        return 1;
    touch<<<1, 32>>>(d_condition); // -> d_condition
    CHECK(cudaMalloc(&d_checked, BYTES));
    touch<<<1, 32>>>(d_checked); // -> d_checked
    cudaError_t error = cudaMalloc(&d_assigned, BYTES);
    touch<<<1, 32>>>(d_assigned); // -> d_assigned
    CHECK(in_return());
    touch<<<1, 32>>>(d_file); // -> d_file
    error = (inner(), cudaMalloc(&d_comma, BYTES));
    touch<<<1, 32>>>(d_comma); // -> d_comma
    error = error ? error : cudaMalloc(&d_chosen, BYTES);
    touch<<<1, 32>>>(d_chosen); // -> d_chosen
    error = [&] { return cudaMalloc(&d_lambda, BYTES); }();
    touch<<<1, 32>>>(d_lambda); // -> d_lambda
    error = ::cudaMalloc(&d_global, BYTES);
    touch<<<1, 32>>>(d_global); // -> d_global
    cudaMalloc<float>(&d_explicit, BYTES);
    touch<<<1, 32>>>(d_explicit); // -> d_explicit
    cudaMalloc(&d_outer, inner());
    touch<<<1, 32>>>(d_outer); // -> d_outer
    while (cudaMalloc(&d_while, BYTES) != cudaSuccess)
        ;
    touch<<<1, 32>>>(d_while); // -> d_while
    do
        cudaMalloc(&d_again, BYTES);
    while (0);
    touch<<<1, 32>>>(d_again); // -> d_again
    error = (cudaMalloc(&s.in, BYTES), cudaMalloc(&t->out, BYTES));
    touch_both<<<1, 32>>>(s.in, s.out); // -> s.in + t->out
    cudaMallocHost((void **)&h_pinned, BYTES);
    touch<<<1, 32>>>(h_pinned); // -> h_pinned
    cudaHostAlloc(&h_mapped, BYTES, cudaHostAllocMapped);
    touch<<<1, 32>>>(h_mapped); // -> h_mapped
    cudaMallocManaged(&d_managed, BYTES);
    touch<<<1, 32>>>(d_managed); // -> d_managed
    cudaMallocPitch(&d_pitch, &pitch, BYTES, 2);
    touch<<<1, 32>>>(d_pitch); // -> d_pitch
    cudaMalloc3D(&cube, make_cudaExtent(BYTES, 2, 2));
    touch<<<1, 32>>>((float *)cube.ptr); // -> cube
    cudaMallocAsync(&d_async, BYTES, 0);
    touch<<<1, 32>>>(d_async); // -> d_async
    void *h_own = aligned_alloc(4096, 4096);
    cudaHostRegister((void *)h_own, 4096, cudaHostRegisterMapped);
    touch<<<1, 32>>>((float *)h_own); // -> h_own

    // One call, several allocations at a time: the parameter says more than the call.
    for (int i = 0; i < 3; i++)
        CHECK(cudaMalloc(&d_row[i], BYTES));
    touch<<<1, 32>>>(d_row[1]);                // -> parameter
    touch_both<<<1, 32>>>(d_row[1], d_row[0]); // -> left + right
    touch_both<<<1, 32>>>(d_row[2], d_row[2]); // -> left/right
    touch_any<<<1, 32>>>((double *)d_row[2]);  // -> of_template
    touch_any<float><<<1, 32>>>(d_row[2]);     // -> of_template
    void (*pointer)(float *) = touch;
    pointer<<<1, 32>>>(d_row[0]); // -> parameter
    pointer = touch_any<float>;
    pointer<<<1, 32>>>(d_row[0]); // -> of_template
    float **d_table;
    CHECK(cudaMalloc(&d_table, sizeof d_row));
    CHECK(cudaMemcpy(d_table, d_row + 1, 2 * sizeof *d_row, cudaMemcpyHostToDevice));
    touch_first<<<1, 32>>>(d_table); // -> d_row[i]#2 + d_table

    // So it is with memory from a helper, even when it was called only once so far.
    float *helped_once = helper(BYTES), *out;
    touch<<<1, 32>>>(helped_once); // -> parameter
    out_helper(&out);
    touch<<<1, 32>>>(out);                        // -> parameter
    touch<<<1, 32>>>(template_helper<float>(32)); // -> parameter

    // A name with a comma.
    float *d_other[2];
    CHECK(cudaMalloc(&d_other[pick(0, 1)], BYTES));
    touch<<<1, 32>>>(d_other[1]); // -> d_other[pick(0, 1)]

    // Freed and allocated again by the same call: there is only one at a time.
    for (int i = 0; i < 2; i++) {
        float *d_loop;
        CHECK(cudaMalloc(&d_loop, BYTES << i));
        touch<<<1, 32>>>(d_loop); // -> d_loop; d_loop
        CHECK(cudaFree(d_loop));
    }

    // What has no name: a call through a pointer. One that fails takes no other's name.
    cudaError_t (*f)(void **, size_t) = &cudaMalloc;
    f((void **)&d_u, BYTES);
    if (cudaMalloc(&d_void, 0) != cudaSuccess || cudaMalloc(&d_void, (size_t)-1) == cudaSuccess)
        return 1;
    cudaGetLastError();
    touch<<<1, 32>>>(d_u); // -> parameter
    error = mine::cudaMalloc(1, 2);
    error = pool().cudaMalloc(1);

    touch_variable<<<1, 32>>>(); // -> variable
    touch_managed<<<1, 32>>>();  // -> managed + managed_too
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaFreeHost(h_pinned));
    CHECK(cudaFreeHost(h_mapped));
    CHECK(cudaHostUnregister(h_own));
    CHECK(cudaDeviceReset()); // frees the rest
    free(h_own);
    printf("%s\n", cudaGetErrorString(error));
    return 0;
}
