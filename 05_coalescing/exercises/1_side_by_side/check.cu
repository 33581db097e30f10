// SPDX-License-Identifier: MIT
// Checks exercise 5.1: matrices of all shapes, and how many sectors a request touches.
//
//   runs: in-order facts
//   unsolved: facts: 32 sectors per load
#include "../../../tools/learn/api_calls.h"

void add_one_to_matrix(float *out, const float *in, size_t width, size_t height); // the learner's

static void expect_matrix(size_t width, size_t height) {
    size_t n = width * height;
    struct buffer in = input("in", n, 1 << 20), out = output("out", n);
    calling("width = %zu, height = %zu", width, height);
    WATCH(add_one_to_matrix(out.d, in.d, width, height));
    returned();
    for (size_t i = 0; i < n && judging(); i++)
        out.h[i] = in.h[i] + 1;
    check_buffer(&out);
    check_buffer(&in);
    passed();
    release(&in);
    release(&out);
}

static void check_cases(void) {
    static const size_t shapes[][2] = {{1, 1},   {0, 5},    {5, 0},    {2, 3},       {31, 33},
                                       {33, 31}, {1, 1000}, {1000, 1}, {1024, 1024}, {1023, 1025}};
    for (int k = 0; k < 10; k++)
        expect_matrix(shapes[k][0], shapes[k][1]);
    expect_matrix(1 + chance(500), 1 + chance(500));
    expect_matrix(1 + chance(500), 1 + chance(500));
}

static void check_facts(void) {
    const size_t width = 32 * (24 + (size_t)chance(16)), height = 32 * (12 + (size_t)chance(8));
    expect_matrix(width, height);
    limit_copies(0);
    limit("bytes read per element", per("useful ld", width * height), 4, 4);
    limit("bytes written per element", per("useful st", width * height), 4, 4);
    limit("sectors per load", "sectors/request ld", 0, 4);
    limit("sectors per store", "sectors/request st", 0, 4);
    explain(
        "sectors/request st", 31, 32,
        "A warp is 32 threads that follow each other in threadIdx.x. Here they touch 32 rows, and "
        "each element lies in a separate sector. Which elements lie side by side?");
    explain("sectors/request st", 4.2, 31,
            "Fewer sectors than before, but a warp still covers several rows of the matrix: its 32 "
            "threads differ in x first, and only then in y. Let x choose the column, and make the "
            "block 32 wide: then a warp stays in one row.");
    explain(
        "width all", 1, 31,
        "Your block is narrower than a warp, so the 32 threads of a warp differ in y as well. It "
        "works for rows of 1024 floats. The order to remember is the simple one, which works "
        "for every width: x chooses the column, in a block at least 32 wide.");
}
