// SPDX-License-Identifier: MIT
// Every kernel of a program (PROGRAM, by the Makefile) against its CPU reference: awkward
// awkward_sizes, poisoned output, guards on every buffer, inputs unchanged.
#include "../../lib/device.h"

#define main program_main
#include PROGRAM
#undef main

static const size_t awkward_sizes[] = {0,    1,    2,    3,       4,       5,       31,     32,
                                       33,   63,   64,   127,     128,     255,     256,    257,
                                       1023, 1024, 1025, 1000000, 1000001, 1000002, 1000003};

static float *d_array(const float *h, size_t bytes) {
    float *d = (float *)guarded_malloc(bytes);
    must(cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice));
    return d;
}

static void examine(const struct variant *variant, size_t n) {
    size_t bytes = n * sizeof(float);
    float *h_out = (float *)host_malloc(bytes), *h_back = (float *)host_malloc(bytes);
    float *h_a = (float *)host_malloc(bytes), *h_b = (float *)host_malloc(bytes);
    fill_floats(h_a, n, 1);
    fill_floats(h_b, n, 2);
    fill_floats(h_out, n, 3);
    float *d_a = d_array(h_a, bytes), *d_b = d_array(h_b, bytes), *d_out = d_array(h_out, bytes);
    if (!variant->in_place)
        poison(d_out, bytes);

    variant->launch(d_out, d_a, d_b, n);
    works(cudaGetLastError(), "%s, n = %zu: launched", variant->name, n);
    works(cudaDeviceSynchronize(), "%s, n = %zu: ended well", variant->name, n);

    variant->reference(h_out, h_a, h_b, n);
    must(cudaMemcpy(h_back, d_out, bytes, cudaMemcpyDeviceToHost));
    size_t wrong = count_mismatches(h_out, h_back, n, sizeof(float), 0, variant->name);
    ok(wrong == 0, "%s, n = %zu: %zu elements differ", variant->name, n, wrong);
    must(cudaMemcpy(h_back, d_a, bytes, cudaMemcpyDeviceToHost));
    ok(memcmp(h_back, h_a, bytes) == 0, "%s, n = %zu: a is unchanged", variant->name, n);
    must(cudaMemcpy(h_back, d_b, bytes, cudaMemcpyDeviceToHost));
    ok(memcmp(h_back, h_b, bytes) == 0, "%s, n = %zu: b is unchanged", variant->name, n);
    size_t damage = count_guard_damage(d_out, bytes, variant->name) +
                    count_guard_damage(d_a, bytes, variant->name) +
                    count_guard_damage(d_b, bytes, variant->name);
    ok(damage == 0, "%s, n = %zu: %zu guard bytes overwritten", variant->name, n, damage);

    guarded_free(d_a);
    guarded_free(d_b);
    guarded_free(d_out);
    free(h_a);
    free(h_b);
    free(h_out);
    free(h_back);
}

int main(void) {
    need_device();
    for (size_t v = 0; v < sizeof variants / sizeof *variants; v++)
        for (size_t s = 0; s < sizeof awkward_sizes / sizeof *awkward_sizes; s++)
            examine(&variants[v], awkward_sizes[s]);
    (void)program_main;
    return done_testing();
}
