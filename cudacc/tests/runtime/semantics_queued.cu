// SPDX-License-Identifier: MIT
// Copies and sets in a stream: boxes, rows and symbols. Each is done in its stream's order, and
// the host goes on meanwhile. The same file passes on a GPU and on the CPU device.
#include "../../../tests/lib/device.h"
#include <string.h>

enum { WIDTH = 10, HEIGHT = 7, DEPTH = 3, CELLS = WIDTH * HEIGHT * DEPTH };
static const size_t ROW = WIDTH * sizeof(int);

static volatile int *gate;
static cudaStream_t stream;
static cudaPitchedPtr d;   // a box of CELLS ints on the device
static int *h_from, *h_to; // CELLS ints each, pinned: copies from and to them are asynchronous

static void clear(void) {
    for (int i = 0; i < CELLS; i++) {
        h_from[i] = i + 1;
        h_to[i] = 0;
    }
}

static cudaPitchedPtr on_the_host(int *cells) {
    return make_cudaPitchedPtr(cells, ROW, WIDTH, HEIGHT);
}

static cudaMemcpy3DParms box(cudaPitchedPtr to, cudaPitchedPtr from, cudaMemcpyKind kind) {
    cudaMemcpy3DParms p = {};
    p.dstPtr = to;
    p.srcPtr = from;
    p.extent = make_cudaExtent(ROW, HEIGHT, DEPTH);
    p.kind = kind;
    return p;
}

static void fetch(void) {
    cudaMemcpy3DParms back = box(on_the_host(h_to), d, TO_HOST);
    must(cudaDeviceSynchronize());
    must(cudaMemcpy3D(&back));
}

// ---- Boxes ----

TEST(copies_of_boxes) {
    cudaMemcpy3DParms there = box(d, on_the_host(h_from), TO_DEVICE);
    cudaMemcpy3DParms back = box(on_the_host(h_to), d, TO_HOST);
    clear();
    close_gate(gate, stream);
    works(cudaMemcpy3DAsync(&there, stream), "cudaMemcpy3DAsync to the device");
    works(cudaMemcpy3DAsync(&back, stream), "and back");
    gives(cudaErrorNotReady, cudaStreamQuery(stream), "in a stream");
    ok(h_to[0] == 0, "nothing has been copied yet");
    ok(open_gate(gate), "the host goes on");
    must(cudaStreamSynchronize(stream));
    ok(memcmp(h_from, h_to, CELLS * sizeof(int)) == 0, "every element of the box arrives");

    // 4 x 3 x 2 elements; on either side of them all stays as it was.
    clear();
    back.srcPos = back.dstPos = make_cudaPos(2 * sizeof(int), 1, 1);
    back.extent = make_cudaExtent(4 * sizeof(int), 3, 2);
    works(cudaMemcpy3DAsync(&back, stream), "a box within");
    must(cudaStreamSynchronize(stream));
    int wrong = 0;
    for (int i = 0; i < CELLS; i++) {
        int x = i % WIDTH, y = i / WIDTH % HEIGHT, z = i / WIDTH / HEIGHT;
        int inside = x >= 2 && x < 6 && y >= 1 && y < 4 && z >= 1;
        wrong += h_to[i] != (inside ? h_from[i] : 0);
    }
    ok(wrong == 0, "is copied alone");
}

TEST(wrong_boxes) {
    const cudaMemcpy3DParms right = box(d, on_the_host(h_from), TO_DEVICE);
    cudaMemcpy3DParms p;
#define COPY_WITH(...) (p = right, __VA_ARGS__, cudaMemcpy3DAsync(&p, stream))
    const cudaError_t wrong_pitch = cudaErrorInvalidPitchValue;
    gives(wrong_pitch, COPY_WITH(p.dstPtr.pitch = ROW - 1), "a row longer than its pitch");
    gives(wrong_pitch, COPY_WITH(p.srcPtr.pitch = ROW - 1), "or than its source's");
    invalid(COPY_WITH(p.dstPos.x = d.pitch - ROW + 1), "a row that ends behind its pitch");
    invalid(COPY_WITH(p.dstPos.x = d.pitch - ROW + 1, p.extent.height = 2, p.extent.depth = 1),
            "even where there is memory");
    invalid(COPY_WITH(p.dstPos.z = 1), "slices behind the last one");
    invalid(COPY_WITH(p.srcPtr.ptr = NULL), "no source");
    gives(cudaErrorInvalidMemcpyDirection, COPY_WITH(p.kind = (cudaMemcpyKind)7), "nowhere");
    works(COPY_WITH(p.extent.depth = 0), "an empty box");
}

// ---- Sets ----

static int wrong_cells(int x, int y, int z, int inside, int outside) {
    int wrong = 0;
    for (int i = 0; i < CELLS; i++) {
        int within = i % WIDTH < x && i / WIDTH % HEIGHT < y && i / WIDTH / HEIGHT < z;
        wrong += h_to[i] != (within ? inside : outside);
    }
    return wrong;
}

TEST(sets) {
    cudaExtent all = make_cudaExtent(ROW, HEIGHT, DEPTH);
    cudaExtent part = make_cudaExtent(3 * sizeof(int), 4, 2);
    works(cudaMemset3D(d, 1, all), "cudaMemset3D");
    fetch();
    ok(wrong_cells(WIDTH, HEIGHT, DEPTH, 0x01010101, 0) == 0, "sets the box");

    close_gate(gate, stream);
    works(cudaMemset3DAsync(d, 2, part, stream), "cudaMemset3DAsync");
    works(cudaMemset2DAsync((char *)d.ptr + 4 * d.pitch, d.pitch, 3, ROW, 2, stream), "two rows");
    gives(cudaErrorNotReady, cudaStreamQuery(stream), "in a stream");
    ok(open_gate(gate), "the host goes on");
    must(cudaStreamSynchronize(stream));
    fetch();
    int wrong = 0;
    for (int i = 0; i < 2 * WIDTH; i++) {
        wrong += h_to[4 * WIDTH + i] != 0x03030303;
        h_to[4 * WIDTH + i] = 0x01010101;
    }
    ok(wrong == 0, "the two rows are set");
    ok(wrong_cells(3, 4, 2, 0x02020202, 0x01010101) == 0, "the part of the box is, and no more");

    works(cudaMemset2DAsync(d.ptr, d.pitch, 5, 0, HEIGHT, stream), "rows of nothing");
    works(cudaMemset3DAsync(d, 5, make_cudaExtent(ROW, 0, DEPTH), stream), "slices of no rows");
}

TEST(wrong_sets) {
    cudaExtent all = make_cudaExtent(ROW, HEIGHT, DEPTH), e = all;
    cudaPitchedPtr p = d;
    must(cudaMemset3D(d, 1, all));
    invalid(cudaMemset2DAsync(d.ptr, ROW - 1, 2, ROW, HEIGHT, stream), "rows beyond their pitch");
    invalid(cudaMemset2DAsync(d.ptr, d.pitch, 2, ROW, HEIGHT * DEPTH + 1, stream), "a row more");
    p.pitch = ROW - 1;
    invalid(cudaMemset3D(p, 2, all), "a box with too short a pitch");
    e.width = d.pitch + 1;
    invalid(cudaMemset3D(d, 2, e), "too wide");
    e = all;
    e.depth++;
    invalid(cudaMemset3D(d, 2, e), "too deep");
    invalid(cudaMemset3DAsync(d, 2, e, stream), "in a stream as well");
    p = d;
    p.ptr = NULL;
    invalid(cudaMemset3DAsync(p, 2, all, stream), "no memory");
    fetch();
    ok(wrong_cells(WIDTH, HEIGHT, DEPTH, 0x01010101, 0) == 0, "what is refused sets nothing");
}

// ---- Symbols ----

__device__ int table[4];
__constant__ int factors[4] = {10, 20, 30, 40};

__global__ void multiply(void) { table[threadIdx.x] *= factors[threadIdx.x]; }

TEST(symbols) {
    int *to = h_to, not_a_symbol = 0;
    clear(); // h_from: 1 2 3 4 ...
    close_gate(gate, stream);
    works(cudaMemcpyToSymbolAsync(table, h_from, sizeof table, 0, TO_DEVICE, stream), "a symbol");
    works(cudaMemcpyToSymbolAsync(factors, h_from + 8, 4, 12, TO_DEVICE, stream), "with an offset");
    multiply<<<1, 4, 0, stream>>>();
    must(cudaGetLastError());
    works(cudaMemcpyFromSymbolAsync(to, table, sizeof table, 0, TO_HOST, stream), "from a symbol");
    works(cudaMemcpyFromSymbolAsync(to + 4, factors, 8, 8, TO_HOST, stream), "with an offset");
    gives(cudaErrorNotReady, cudaStreamQuery(stream), "in a stream");
    ok(to[0] == 0, "nothing has been copied yet");
    ok(open_gate(gate), "the host goes on");
    must(cudaStreamSynchronize(stream));
    ok(to[0] == 10 && to[1] == 40 && to[2] == 90 && to[3] == 36, "in its order: %d", to[3]);
    ok(to[4] == 30 && to[5] == 9 && to[6] == 0, "only what was asked for: %d %d", to[4], to[5]);

    const cudaError_t no_symbol = cudaErrorInvalidSymbol, no_way = cudaErrorInvalidMemcpyDirection;
    gives(no_symbol, cudaMemcpyToSymbolAsync(not_a_symbol, h_from, 4, 0, TO_DEVICE, stream),
          "a host variable is no symbol");
    invalid(cudaMemcpyFromSymbolAsync(to, table, 16, 4, TO_HOST, stream), "nor does one grow");
    gives(no_way, cudaMemcpyToSymbolAsync(table, h_from, 4, 0, TO_HOST, stream), "not to the host");
    gives(no_way, cudaMemcpyFromSymbolAsync(to, table, 4, 0, TO_DEVICE, stream), "nor from it");
}

int main(void) {
    need_device();
    gate = create_gate();
    must(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    must(cudaMallocHost((void **)&h_from, CELLS * sizeof(int)));
    must(cudaMallocHost((void **)&h_to, CELLS * sizeof(int)));
    works(cudaMalloc3D(&d, make_cudaExtent(ROW, HEIGHT, DEPTH)), "cudaMalloc3D");
    ok(d.pitch >= ROW && d.xsize == ROW && d.ysize == HEIGHT, "rows of %zu bytes", d.pitch);
    return run_tests();
}
