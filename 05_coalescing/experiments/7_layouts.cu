// Array of structures or structure of arrays: the same numbers in another order. A structure keeps
// what belongs together in one place, which is right for one thread and wrong for a warp: its lanes
// read the same field of 32 neighbors.
//
//     nvcc -O3 -arch=native 7_layouts.cu && ./a.out
//     ../../cudacc/cudacc -O2 7_layouts.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "sectors.h"

// 4 arrays of 2^26: the two fields of x alone are to be beyond L2.
enum { BLOCK = 256, GPU_N = 1 << 26, CPU_N = 1 << 18 };

// One sector: a thread that reads x gets all of it.
struct particle {
    float x, y, z, mass, vx, vy, vz, charge;
};

// A structure of arrays has the same fields in this order, `count` numbers of each.
enum { X, Y, Z, MASS, VX, VY, VZ, CHARGE, FIELDS };

// ---- Kernels -----------------------------------------------------------------------------------
// x += vx, two fields of eight. Expect 32 sectors for each request: of the 64 bytes that come and
// go for a particle 12 are wanted.
__global__ void aos_x(struct particle *p, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        p[i].x += p[i].vx;
}

// All three directions. Now 36 of the 64 bytes are wanted. The loads after the first find their
// sectors in L1; but L1 writes through, so expect each of the three stores to bring L2 32 sectors.
__global__ void aos_xyz(struct particle *p, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        p[i].x += p[i].vx;
        p[i].y += p[i].vy;
        p[i].z += p[i].vz;
    }
}

// The lanes of a warp find the x of 32 particles side by side. Expect 4 sectors for each request,
// and nothing moved that is not wanted.
__global__ void soa_x(float *p, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        p[X * count + i] += p[VX * count + i];
}

// Expect three times the time of x alone, or less.
__global__ void soa_xyz(float *p, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        p[X * count + i] += p[VX * count + i];
        p[Y * count + i] += p[VY * count + i];
        p[Z * count + i] += p[VZ * count + i];
    }
}

// d_out is either kind: as many whole particles as its n floats hold.
template <typename T>
static void launch(void (*kernel)(T *, size_t), const struct arrays *x, unsigned block) {
    if (x->n >= FIELDS)
        kernel<<<blocks(x->n / FIELDS, block), block, 0, run.stream>>>((T *)x->d_out,
                                                                       x->n / FIELDS);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_aos(const struct arrays *x, unsigned block, size_t directions) {
    launch(directions == 1 ? aos_x : aos_xyz, x, block);
}

static void launch_soa(const struct arrays *x, unsigned block, size_t directions) {
    launch(directions == 1 ? soa_x : soa_xyz, x, block);
}

// ---- References --------------------------------------------------------------------------------
// The parameter: how many directions, 1 or 3.
static void aos_reference(float *p, const float *, const float *, size_t n, size_t directions) {
    for (size_t i = 0; i < n / FIELDS; i++)
        for (size_t k = 0; k < directions; k++)
            p[i * FIELDS + X + k] += p[i * FIELDS + VX + k];
}

static void soa_reference(float *p, const float *, const float *, size_t n, size_t directions) {
    size_t count = n / FIELDS;
    for (size_t i = 0; i < directions * count; i++)
        p[X * count + i] += p[VX * count + i];
}

// Bytes and flops for each float: those wanted, of a particle of 8.
enum { AOS_X, SOA_X, AOS_XYZ, SOA_XYZ, VARIANTS };
static const struct variant variants[VARIANTS] = {
    {"x, structures", launch_aos, aos_reference, BLOCK, 1, 12 / 8., 1 / 8., 1, "64 bytes for 12"},
    {"x, arrays", launch_soa, soa_reference, BLOCK, 1, 12 / 8., 1 / 8., 1, "near a copy's rate"},
    {"xyz, structures", launch_aos, aos_reference, BLOCK, 3, 36 / 8., 3 / 8., 1, "64 for 36"},
    {"xyz, arrays", launch_soa, soa_reference, BLOCK, 3, 36 / 8., 3 / 8., 1, "36 for 36"},
};

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(
        argc, argv, "05_coalescing/layouts",
        "An array of structures scatters what the lanes of a warp read; a structure of arrays "
        "does not.",
        "variant parameter value median_ms spread_pct gb_per_s flag check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    size_t n = run_size(4 * beyond_l2(GPU_N, sizeof(float)), CPU_N, ARRAYS * sizeof(float));
    size_t count = n / FIELDS, aos[LANES], soa[LANES];
    for (size_t lane = 0; lane < LANES; lane++) {
        aos[lane] = lane * sizeof(struct particle) + offsetof(struct particle, x);
        soa[lane] = (X * count + lane) * sizeof(float);
    }
    draw_sectors("x of an array of structures", aos, sizeof(float));
    draw_sectors("x of a structure of arrays", soa, sizeof(float));
    struct arrays x = arrays_create(count * FIELDS);
    struct work works[VARIANTS];
    for (int i = 0; i < VARIANTS; i++) {
        size_t each = i == SOA_X ? 8 : i == SOA_XYZ ? 24 : sizeof(struct particle);
        works[i] = {&variants[i], &x, count * each, {}};
    }
    measure_works(works, VARIANTS, MEASURE_HOT);
    for (int i = 0; i < VARIANTS; i++) {
        works[i].row.parameter = "sectors per request";
        works[i].row.value = count_pieces(i == AOS_X || i == AOS_XYZ ? aos : soa, SECTOR);
    }
    print_works(works, VARIANTS);
    arrays_free(&x);
    if (run.on_cpu)
        say("With each sector brought once, x of structures uses %g of %zu bytes, xyz %g of %zu;\n"
            "arrays use all.",
            variants[AOS_X].bytes * FIELDS, 2 * sizeof(struct particle),
            variants[AOS_XYZ].bytes * FIELDS, 2 * sizeof(struct particle));
    if (!run.samples || !count)
        return run_end();
    double one = works[SOA_X].row.gb_per_s / works[AOS_X].row.gb_per_s;
    double three = works[SOA_XYZ].row.gb_per_s / works[AOS_XYZ].row.gb_per_s;
    finding("arrays_x", one,
            "For x alone, arrays are %.2f times as fast as structures; by the bytes of all sectors "
            "touched, "
            "64 against 12, it would be %.2f times.",
            one, 64.0 / 12);
    finding(
        "arrays_xyz", three,
        "For x, y and z, arrays are %.2f times as fast; by the bytes of all sectors touched, 64 "
        "against 36, it would be %.2f times.",
        three, 64.0 / 36);
    return run_end();
}
