// SPDX-License-Identifier: MIT
// Arrays, textures and surfaces: what is read where, on a GPU and on the CPU device alike.
#include "../lib/kernel_checks.h"
#include <math.h>

enum { WIDTH = 5, HEIGHT = 4, DEPTH = 3, COUNT = WIDTH * HEIGHT * DEPTH };

static float h_values[COUNT], h_read[COUNT];

static cudaTextureDesc how(cudaTextureAddressMode mode, cudaTextureFilterMode filter,
                           bool normalized = false) {
    cudaTextureDesc d = {};
    d.addressMode[0] = d.addressMode[1] = d.addressMode[2] = mode;
    d.filterMode = filter;
    d.readMode = cudaReadModeElementType;
    d.normalizedCoords = normalized;
    return d;
}

static cudaTextureObject_t texture_of(const cudaResourceDesc &r, const cudaTextureDesc &d) {
    cudaTextureObject_t t = 0;
    must(cudaCreateTextureObject(&t, &r, &d, NULL));
    return t;
}

static cudaResourceDesc resource_of(cudaArray_t array) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = array;
    return r;
}

// Given back at the end of the block.
#define TEXTURE(name, ...)                                                                         \
    cudaTextureObject_t name = texture_of(__VA_ARGS__);                                            \
    const kept<cudaTextureObject_t> kept_##name = {name, cudaDestroyTextureObject}
#define ARRAY(name, make)                                                                          \
    cudaArray_t name;                                                                              \
    KEPT(cudaArray_t, name, make, cudaFreeArray)

// Fills an array with the first of the values.
static void fill(cudaArray_t to, int bytes, int width, int height, int depth, const char *what) {
    cudaMemcpy3DParms p = {};
    p.srcPtr = make_cudaPitchedPtr(h_values, (size_t)width * bytes, width, height);
    p.dstArray = to;
    p.extent = make_cudaExtent(width, height, depth);
    p.kind = TO_DEVICE;
    works(cudaMemcpy3D(&p), "%s", what);
}

// ---- Linear and pitched memory ----

__global__ void linear(cudaTextureObject_t floats, cudaTextureObject_t bytes) {
    CHECK(tex1Dfetch<float>(floats, 3) == 3.5f && tex1Dfetch<float>(floats, 0) == 0.5f);
    CHECK(tex1Dfetch<float>(floats, -1) == 0 && tex1Dfetch<float>(floats, COUNT) == 0);
    uchar4 four = tex1Dfetch<uchar4>(bytes, 1);
    CHECK(four.x == 0 && four.y == 0 && four.z == 0xc0 && four.w == 0x3f); // 1.5f
}

__global__ void pitched(cudaTextureObject_t t) {
    CHECK(tex2D<float>(t, 1.5f, 2.5f) == 2 * WIDTH + 1.5f && tex2D<float>(t, 0.99f, 0) == 0.5f);
    CHECK(tex2D<float>(t, -7, 1) == WIDTH + 0.5f && tex2D<float>(t, 99, 99) == 4 * WIDTH - 0.5f);
    float value;
    tex2D(&value, t, 4.0f, 3.0f);
    CHECK(value == 4 * WIDTH - 0.5f);
}

TEST(memory) {
    float *d_rows;
    size_t pitch, row = WIDTH * sizeof(float);
    MEMORY(float, d_values, sizeof h_values);
    must(cudaMemcpy(d_values, h_values, sizeof h_values, TO_DEVICE));
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = d_values;
    r.res.linear.desc = cudaCreateChannelDesc<float>();
    r.res.linear.sizeInBytes = sizeof h_values;
    cudaTextureDesc d = how(cudaAddressModeClamp, cudaFilterModePoint);
    TEXTURE(floats, r, d);
    r.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    TEXTURE(bytes, r, d);
    CHECKED("linear memory", linear<<<1, 1>>>(floats, bytes));

    KEPT(void *, d_rows, cudaMallocPitch((void **)&d_rows, &pitch, row, HEIGHT), cudaFree);
    must(cudaMemcpy2D(d_rows, pitch, h_values, row, row, HEIGHT, TO_DEVICE));
    r = {};
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = d_rows;
    r.res.pitch2D.desc = cudaCreateChannelDesc(32, 0, 0, 0, cudaChannelFormatKindFloat);
    r.res.pitch2D.width = WIDTH;
    r.res.pitch2D.height = HEIGHT;
    r.res.pitch2D.pitchInBytes = pitch;
    cudaTextureObject_t rows = texture_of(r, d);
    CHECKED("pitched memory", pitched<<<1, 1>>>(rows));
    cudaResourceDesc of;
    cudaTextureDesc read_so;
    must(cudaGetTextureObjectResourceDesc(&of, rows));
    must(cudaGetTextureObjectTextureDesc(&read_so, rows));
    ok(of.resType == cudaResourceTypePitch2D && of.res.pitch2D.devPtr == d_rows &&
           of.res.pitch2D.width == WIDTH && of.res.pitch2D.pitchInBytes == pitch &&
           read_so.addressMode[1] == cudaAddressModeClamp &&
           read_so.filterMode == cudaFilterModePoint,
       "what a texture object was made of");
    cudaTextureObject_t none;
    r.res.pitch2D.pitchInBytes = pitch + 16; /* no multiple of texturePitchAlignment */
    invalid(cudaCreateTextureObject(&none, &r, &d, NULL), "a crooked pitch");
    works(cudaDestroyTextureObject(rows), "a texture object ends");
}

// ---- Filters and address modes ----

__device__ static bool near(float a, float b) { return fabsf(a - b) < 1e-5f; }

__global__ void filters(cudaTextureObject_t clamped, cudaTextureObject_t border) {
    // element (x, y) is 5 y + x + 0.5, in the middle of its square
    CHECK(tex2D<float>(clamped, 2.5f, 1.5f) == 7.5f && tex2D<float>(clamped, 3.0f, 1.5f) == 8);
    CHECK(tex2D<float>(clamped, 2.75f, 1.75f) == 9 && tex2D<float>(clamped, 0.2f, 0.1f) == 0.5f);
    // the weight has 8 bits
    CHECK(near(tex2D<float>(clamped, 2.5f + 1 / 256.0f, 1.5f), 7.5f + 1 / 256.0f));
    CHECK(near(tex2D<float>(clamped, 2.5f + 1 / 1024.0f, 1.5f), 7.5f));
    CHECK(tex2D<float>(clamped, 99, 99) == 19.5f && tex2D<float>(clamped, -9, 1.5f) == 5.5f);
    CHECK(near(tex2D<float>(border, 0, 0.5f), 0.25f) && tex2D<float>(border, -3, 0.5f) == 0);
    CHECK(tex2D<float>(border, 2.5f, 0.5f) == 2.5f && near(tex2D<float>(border, 5, 4), 19.5f / 4));
}

__global__ void modes(cudaTextureObject_t wrap, cudaTextureObject_t mirror,
                      cudaTextureObject_t smooth) {
    for (int i = -12; i < 12; i++) {
        float x = ((float)i + 0.5f) / WIDTH;
        int turned = ((i % WIDTH) + WIDTH) % WIDTH, at = ((i % 10) + 10) % 10;
        CHECK(tex2D<float>(wrap, x, 0.125f) == turned + 0.5f);
        CHECK(tex2D<float>(mirror, x, 0.125f) == (at < 5 ? at : 9 - at) + 0.5f);
    }
    CHECK(near(tex2D<float>(smooth, 0, 0.125f), 2.5f)); // between the last and the first
    CHECK(near(tex2D<float>(smooth, 1, 0.125f), 2.5f));
}

__global__ void volumes(cudaTextureObject_t point, cudaTextureObject_t smooth) {
    for (int z = 0; z < DEPTH; z++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++)
                CHECK(tex3D<float>(point, x + 0.5f, y + 0.5f, z + 0.5f) ==
                      (z * HEIGHT + y) * WIDTH + x + 0.5f);
    CHECK(tex3D<float>(smooth, 2, 2, 2) == 39.5f); // the mean of eight
}

__global__ void lines(cudaTextureObject_t t, cudaTextureObject_t normalized,
                      cudaTextureObject_t layers) {
    CHECK(tex1D<float>(t, 1.0f) == 1 && tex1D<float>(t, 1.25f) == 1.25f);
    CHECK(near(tex1D<float>(normalized, 0.5f), 128 / 255.0f));
    float4 f = tex2DLayered<float4>(layers, 1.5f, 0.5f, 1);
    CHECK(f.x == 20.5f && f.y == 21.5f && f.w == 23.5f);
}

TEST(arrays) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), got;
    cudaArray_t plane = NULL, layers;
    size_t row = WIDTH * sizeof(float);
    works(cudaMallocArray(&plane, &format, WIDTH, HEIGHT), "an array");
    const kept<cudaArray_t> kept_plane = {plane, cudaFreeArray};
    works(cudaMemcpy2DToArray(plane, 0, 0, h_values, row, row, HEIGHT, TO_DEVICE), "is filled");
    memset(h_read, 0, sizeof h_read);
    works(cudaMemcpy2DFromArray(h_read, row, plane, sizeof(float), 1, row - sizeof(float), 2,
                                TO_HOST),
          "and read, from its second row and column on");
    ok(h_read[0] == 6.5f && h_read[3] == 9.5f && h_read[5] == 11.5f && h_read[4] == 0, "those");
    must(cudaMemcpyToArray(plane, 8, 0, h_values + 2, 16 * sizeof(float), TO_DEVICE));
    must(cudaMemcpyFromArray(h_read, plane, 0, 1, 2 * row, TO_HOST));
    ok(h_read[0] == 5.5f && h_read[9] == 14.5f, "bytes through several rows");
    fails(cudaMemcpy2DToArray(plane, 0, 1, h_values, row, row, HEIGHT, TO_DEVICE), "a row more");
    works(cudaMemcpy2DArrayToArray(plane, 0, 1, plane, sizeof(float), 0, row - sizeof(float), 1),
          "from one row to another");
    must(cudaMemcpyFromArray(h_read, plane, 0, 1, row, TO_HOST));
    ok(h_read[0] == 1.5f && h_read[3] == 4.5f && h_read[4] == 9.5f, "as much as it says");
    fails(cudaMemcpy2DArrayToArray(plane, 4, 0, plane, 0, 0, row, 1), "a column more");
    must(cudaMemcpy2DToArray(plane, 0, 0, h_values, row, row, HEIGHT, TO_DEVICE));
    cudaExtent extent;
    unsigned flags;
    must(cudaArrayGetInfo(&got, &extent, &flags, plane));
    ok(got.x == 32 && got.y == 0 && got.f == cudaChannelFormatKindFloat && extent.width == WIDTH &&
           extent.height == HEIGHT && extent.depth == 0 && flags == 0,
       "what an array says of itself");
    must(cudaGetChannelDesc(&got, plane));
    ok(got.x == 32 && got.f == cudaChannelFormatKindFloat, "its format");

    cudaResourceDesc r = resource_of(plane);
    TEXTURE(clamped, r, how(cudaAddressModeClamp, cudaFilterModeLinear));
    TEXTURE(border, r, how(cudaAddressModeBorder, cudaFilterModeLinear));
    TEXTURE(wrap, r, how(cudaAddressModeWrap, cudaFilterModePoint, true));
    TEXTURE(mirror, r, how(cudaAddressModeMirror, cudaFilterModePoint, true));
    TEXTURE(smooth, r, how(cudaAddressModeWrap, cudaFilterModeLinear, true));
    CHECKED("filters", filters<<<1, 1>>>(clamped, border));
    CHECKED("address modes", modes<<<1, 1>>>(wrap, mirror, smooth));

    ARRAY(line, cudaMallocArray(&line, &format, WIDTH, 0));
    must(cudaMemcpy2DToArrayAsync(line, 0, 0, h_values, row, row, 1, TO_DEVICE, 0));
    unsigned char h_bytes[2] = {1, 255};
    format = cudaCreateChannelDesc<unsigned char>();
    ARRAY(bytes, cudaMallocArray(&bytes, &format, 2, 1));
    must(cudaMemcpy2DToArray(bytes, 0, 0, h_bytes, 2, 2, 1, TO_DEVICE));
    cudaTextureDesc d = how(cudaAddressModeClamp, cudaFilterModeLinear);
    cudaTextureObject_t object;
    works(cudaCreateTextureObject(&object, &r, &d, NULL), "a texture object");
    must(cudaDestroyTextureObject(object));
    r = resource_of(bytes);
    fails(cudaCreateTextureObject(&object, &r, &d, NULL), "integers are not filtered");
    d.readMode = cudaReadModeNormalizedFloat;
    d.normalizedCoords = 1;
    TEXTURE(normalized, r, d);
    TEXTURE(of_line, resource_of(line), how(cudaAddressModeClamp, cudaFilterModeLinear));

    format = cudaCreateChannelDesc<float4>();
    must(cudaMalloc3DArray(&layers, &format, make_cudaExtent(2, 2, 3), cudaArrayLayered));
    fill(layers, sizeof(float4), 2, 2, 3, "layers are filled");
    {
        TEXTURE(of_layers, resource_of(layers), how(cudaAddressModeClamp, cudaFilterModePoint));
        CHECKED("lines and layers", lines<<<1, 1>>>(of_line, normalized, of_layers));
    }
    works(cudaFreeArray(layers), "an array ends");
}

TEST(volume) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    ARRAY(volume, cudaMalloc3DArray(&volume, &format, make_cudaExtent(WIDTH, HEIGHT, DEPTH), 0));
    fill(volume, sizeof(float), WIDTH, HEIGHT, DEPTH, "a box into an array");
    TEXTURE(point, resource_of(volume), how(cudaAddressModeClamp, cudaFilterModePoint));
    TEXTURE(smooth, resource_of(volume), how(cudaAddressModeClamp, cudaFilterModeLinear));
    CHECKED("volumes", volumes<<<1, 1>>>(point, smooth));

    cudaMemcpy3DParms p = {}; // a part of it back, where x and width count elements
    memset(h_read, 0, sizeof h_read);
    p.srcArray = volume;
    p.srcPos = make_cudaPos(1, 2, 1);
    p.dstPtr = make_cudaPitchedPtr(h_read, 2 * sizeof(float), 2, 2);
    p.extent = make_cudaExtent(2, 2, 2);
    p.kind = TO_HOST;
    works(cudaMemcpy3DAsync(&p, 0), "a part of an array, out of it");
    must(cudaDeviceSynchronize());
    ok(h_read[0] == 31.5f && h_read[1] == 32.5f && h_read[2] == 36.5f && h_read[7] == 57.5f,
       "and it is that part");
}

// ---- Surfaces ----

__global__ void turn(cudaSurfaceObject_t from, cudaSurfaceObject_t to) {
    int x = (int)threadIdx.x, y = (int)threadIdx.y, bytes = (int)sizeof(float);
    float value;
    surf2Dread(&value, from, x * bytes, y);
    CHECK(surf2Dread<float>(from, x * bytes, y) == value);
    CHECK(surf2Dread<float>(from, -bytes, y, cudaBoundaryModeZero) == 0);
    CHECK(surf2Dread<float>(from, 99 * bytes, 0, cudaBoundaryModeClamp) == WIDTH - 0.5f);
    surf2Dwrite(value + 100, to, y * bytes, x);
    surf2Dwrite(-1.0f, to, 99 * bytes, x, cudaBoundaryModeZero);
}

TEST(surfaces) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    size_t row = WIDTH * sizeof(float);
    ARRAY(from, cudaMallocArray(&from, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore));
    ARRAY(to, cudaMallocArray(&to, &format, HEIGHT, WIDTH, cudaArraySurfaceLoadStore));
    must(cudaMemcpy2DToArray(from, 0, 0, h_values, row, row, HEIGHT, TO_DEVICE));
    cudaSurfaceObject_t s[2];
    cudaResourceDesc r = resource_of(from);
    works(cudaCreateSurfaceObject(&s[0], &r), "a surface object");
    cudaResourceDesc of;
    must(cudaGetSurfaceObjectResourceDesc(&of, s[0]));
    ok(of.resType == r.resType && of.res.array.array == r.res.array.array, "and its array");
    r = resource_of(to);
    must(cudaCreateSurfaceObject(&s[1], &r));
    CHECKED("surfaces", turn<<<1, dim3(WIDTH, HEIGHT)>>>(s[0], s[1]));
    row = HEIGHT * sizeof(float);
    must(cudaMemcpy2DFromArrayAsync(h_read, row, to, 0, 0, row, WIDTH, TO_HOST, 0));
    must(cudaDeviceSynchronize());
    int wrong = 0;
    for (int y = 0; y < HEIGHT; y++)
        for (int x = 0; x < WIDTH; x++)
            wrong += h_read[x * HEIGHT + y] != h_values[y * WIDTH + x] + 100;
    ok(wrong == 0, "what a surface was given, the array holds");
    must(cudaDestroySurfaceObject(s[0]));
    must(cudaDestroySurfaceObject(s[1]));
}

int main(void) {
    for (int i = 0; i < COUNT; i++)
        h_values[i] = (float)i + 0.5f;
    return run_tests();
}
