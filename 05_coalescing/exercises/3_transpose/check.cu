// SPDX-License-Identifier: MIT
// Checks exercise 5.3: matrices of all shapes, sectors of a request, turns in shared memory.
//
//   runs: in-order reversed facts
//   unsolved: goal: 18 sectors per load or store
#include "../../../tools/learn/api_calls.h"

void transpose_matrix(float *out, const float *in, size_t width, size_t height); // the learner's

static void expect_transpose(size_t width, size_t height) {
    size_t n = width * height;
    struct buffer in = input("in", n, 1 << 20), out = output("out", n);
    for (int call = 1; call <= 2; call++) {
        calling("width = %zu, height = %zu, call %d", width, height, call);
        refill(&in, 1 << 20);
        repoison(&out);
        LEARNER(transpose_matrix(out.d, in.d, width, height));
        returned();
        for (size_t i = 0; i < n && judging(); i++)
            out.h[i % width * height + i / width] = in.h[i];
        check_buffer(&out);
        check_buffer(&in);
    }
    passed();
    release(&in);
    release(&out);
}

static void check_cases(void) {
    static const size_t shapes[][2] = {{1, 1},   {0, 5},    {5, 0},    {2, 3},     {31, 33},
                                       {33, 31}, {1, 1000}, {1000, 1}, {512, 512}, {511, 513}};
    for (int k = 0; k < 10; k++)
        expect_transpose(shapes[k][0], shapes[k][1]);
    expect_transpose(1 + chance(300), 1 + chance(300));
}

static void check_facts(void) {
    const size_t width = 32 * (24 + (size_t)chance(16)), height = 32 * (12 + (size_t)chance(8));
    const size_t n = width * height;
    struct buffer in = input("in", n, 1 << 20), out = output("out", n);
    calling("width = %zu, height = %zu", width, height);
    WATCH(transpose_matrix(out.d, in.d, width, height));
    returned();
    for (size_t i = 0; i < n && judging(); i++)
        out.h[i % width * height + i / width] = in.h[i];
    check_buffer(&out);
    passed();
    limit_copies(0);
    limit("bytes read per element", per("useful ld", n), 4, 4);
    limit("bytes written per element", per("useful st", n), 4, 4);
    limit("threads per block", "block all", 512, 512);
    limit("threads per element", per("threads all", n), 1, 1);
    goal("sectors per load or store, on average", "sectors/request all", 18, 4);
    goal("Bank conflicts: each load takes # turns", "turns ld", 4, 1);
    explain("sectors/request st", 5, 32,
            "The threads of a warp write elements that lie in different rows of the result. Keep "
            "the tile in shared memory, and let threads that follow each other write elements that "
            "follow each other in a row of the result. Such a row has 16 elements of the tile.");
    explain("turns ld", 3, 32,
            "The elements of a column of the tile are a whole row apart: with rows of 32 floats, "
            "all in one bank.");
    explain("turns ld", 1.1, 3,
            "A warp reads two columns of 16 elements, and they share banks: with rows of 33 floats "
            "the first one is in banks b to b + 15, the second one in b + 1 to b + 16. Which "
            "length of a row keeps them apart?");
}
