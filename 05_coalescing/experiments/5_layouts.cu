// Array of structures or structure of arrays: the same numbers in another order. A structure keeps
// what belongs together in one place, which is right for one thread and wrong for a warp: its lanes
// ask for the same field of 32 neighbours.
//
//     nvcc -O3 5_layouts.cu && ./a.out
//     ../../common/cpu_device/cudacc -O2 5_layouts.cu && ./a.out   (no GPU)
//
// SPDX-License-Identifier: MIT
#include "compare.h"
#include "sectors.h"

// One sector: whoever asks for x gets all of it.
struct particle {
    float x, y, z, mass, vx, vy, vz, charge;
};
enum { FIELDS = sizeof(struct particle) / sizeof(float) };

// ---- Where things are --------------------------------------------------------------------------
// Field k of the same particles, as arrays: `count` numbers for each field. Kernel, reference and
// picture take the place from here.
__host__ __device__ static size_t in_array(size_t i, size_t k, size_t count) {
    return k * count + i;
}
enum { X, Y, Z, MASS, VX, VY, VZ, CHARGE };

// ---- Reference ---------------------------------------------------------------------------------
static void aos_x_reference(float *out, const float *, const float *, size_t n) {
    for (size_t i = 0; i < n / FIELDS; i++)
        out[i * FIELDS + X] += out[i * FIELDS + VX];
}

static void aos_xyz_reference(float *out, const float *, const float *, size_t n) {
    for (size_t i = 0; i < n / FIELDS; i++)
        for (size_t k = 0; k < 3; k++)
            out[i * FIELDS + X + k] += out[i * FIELDS + VX + k];
}

static void soa_x_reference(float *out, const float *, const float *, size_t n) {
    for (size_t i = 0; i < n / FIELDS; i++)
        out[i] += out[in_array(i, VX, n / FIELDS)];
}

static void soa_xyz_reference(float *out, const float *, const float *, size_t n) {
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < n / FIELDS; i++)
            out[in_array(i, X + k, n / FIELDS)] += out[in_array(i, VX + k, n / FIELDS)];
}

// ---- Kernels -----------------------------------------------------------------------------------
// x += vx, two fields of eight. Expect 32 sectors for each request: of the 64 bytes that come and
// go for a particle 12 are wanted.
__global__ void aos_x(struct particle *p, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        p[i].x += p[i].vx;
}

// All three directions. Expect the same sectors, the same 64 bytes, and little more time; now 36
// are wanted.
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
        p[in_array(i, X, count)] += p[in_array(i, VX, count)];
}

// Expect three times the time of x alone, or less.
__global__ void soa_xyz(float *p, size_t count) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        p[in_array(i, X, count)] += p[in_array(i, VX, count)];
        p[in_array(i, Y, count)] += p[in_array(i, VY, count)];
        p[in_array(i, Z, count)] += p[in_array(i, VZ, count)];
    }
}

static void launch_aos_x(float *out, const float *, const float *, size_t n) {
    if (n >= FIELDS)
        aos_x<<<blocks(n / FIELDS, BLOCK), BLOCK>>>((struct particle *)out, n / FIELDS);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_aos_xyz(float *out, const float *, const float *, size_t n) {
    if (n >= FIELDS)
        aos_xyz<<<blocks(n / FIELDS, BLOCK), BLOCK>>>((struct particle *)out, n / FIELDS);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_soa_x(float *out, const float *, const float *, size_t n) {
    if (n >= FIELDS)
        soa_x<<<blocks(n / FIELDS, BLOCK), BLOCK>>>(out, n / FIELDS);
    CUDA_CHECK(cudaGetLastError());
}

static void launch_soa_xyz(float *out, const float *, const float *, size_t n) {
    if (n >= FIELDS)
        soa_xyz<<<blocks(n / FIELDS, BLOCK), BLOCK>>>(out, n / FIELDS);
    CUDA_CHECK(cudaGetLastError());
}

// Bytes and flops are for a particle: the bytes that are wanted.
static const struct variant variants[] = {
    {"x, structures", launch_aos_x, aos_x_reference, 12, 1, 1, "64 bytes move for 12"},
    {"x, arrays", launch_soa_x, soa_x_reference, 12, 1, 1, "near the rate of a copy"},
    {"xyz, structures", launch_aos_xyz, aos_xyz_reference, 36, 3, 1, "64 bytes move for 36"},
    {"xyz, arrays", launch_soa_xyz, soa_xyz_reference, 36, 3, 1, "36 bytes move for 36"},
};
enum { AOS_X, SOA_X, AOS_XYZ, SOA_XYZ, VARIANTS };

// ---- Main --------------------------------------------------------------------------------------
static const struct program program = {
    "05_coalescing",
    "layouts",
    "An array of structures scatters what the lanes of a warp ask for; a structure of arrays not.",
    "variant parameter value median_ms gb_per_s flag check",
    "elements",
    0,
    NULL,
};

int main(int argc, char **argv) {
    struct run run = run_begin(&program, argc, argv);
    size_t n = compare_size(&run, VARIANTS, 4), count = n / FIELDS, aos[LANES], soa[LANES];
    struct compared compared[VARIANTS];
    double rates[VARIANTS];
    for (size_t lane = 0; lane < LANES; lane++) {
        aos[lane] = lane * sizeof(struct particle) + offsetof(struct particle, x);
        soa[lane] = in_array(lane, X, count) * sizeof(float);
    }
    draw_sectors(&run, "x of an array of structures", aos);
    draw_sectors(&run, "x of a structure of arrays", soa);
    for (int i = 0; i < VARIANTS; i++) {
        int is_aos = i == AOS_X || i == AOS_XYZ;
        compared[i].parameter = "sectors per request";
        compared[i].value = count_sectors(is_aos ? aos : soa, LANES);
        compared[i].units = count;
        compared[i].footprint = count * (is_aos ? sizeof(struct particle) : i == SOA_X ? 8 : 24);
    }
    if (compare(&run, variants, VARIANTS, n, compared, rates))
        run_say(&run,
                "Of what is wanted, arrays move %.2f times as much in a second as structures for "
                "x alone, %.2f times for xyz.\nIf whole sectors count, structures move 64 bytes "
                "for a particle either way: that is %.2f and %.2f times.",
                rates[SOA_X] / rates[AOS_X], rates[SOA_XYZ] / rates[AOS_XYZ], 64.0 / 12, 64.0 / 36);
    return run_end(&run);
}
