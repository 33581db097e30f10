// Between the memories of two GPUs a copy goes through the host, unless each may access the
// other's: then it takes the link between them, and kernels can use that, too. What is it worth?
//
//     nvcc -O3 -arch=native 7_peer_copies.cu && ./a.out
//     ../../cudacc/cudacc -O2 7_peer_copies.cu && ./a.out   (one device: it says so)
//
// SPDX-License-Identifier: MIT
#include "../../common/experiment/measure.h"
#include "peers.h"

enum { STANDARD_N = 1 << 26, BATCH = 4 }; // 256 MiB, four times in a sample

// ---- Kernel ------------------------------------------------------------------------------------
// Either array may be in the other GPU's memory. Expect the link's rate then.
__global__ void copy(float *out, const float *in, size_t n) {
    size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = in[i];
}

static void launch_copy(const struct arrays *x, unsigned block, size_t) {
    copy<<<blocks(x->n, block), block>>>(x->d_out, x->d_a, x->n);
    CUDA_CHECK(cudaGetLastError());
}

enum { VARIANTS = 1 };
static const struct variant variants[VARIANTS] = {
    {"copy", launch_copy, copy_reference, 256, 0, 8, 0, 0, "the rate of the slower memory"},
};

// ---- Measure -----------------------------------------------------------------------------------
enum way { BY_COPY, BY_READING, BY_WRITING }; // a kernel of the GPU that has `out`, or `in`

static void queue_copy(const struct arrays *x, enum way way) {
    if (way == BY_COPY)
        CUDA_CHECK(cudaMemcpyPeerAsync(x->d_out, gpu[0], x->d_a, gpu[1], x->n * sizeof(float), 0));
    else
        launch_copy(x, 256, 0);
}

// Samples in milliseconds, by the events of the GPU that queues the work.
static void time_copies(const struct arrays *x, enum way way, double *ms) {
    cudaEvent_t start, stop;
    use_gpu(way == BY_WRITING);
    CUDA_CHECK(cudaEventCreate(&start));
    CUDA_CHECK(cudaEventCreate(&stop));
    queue_copy(x, way); // warm-up
    for (size_t i = 0; i < run.samples; i++) {
        CUDA_CHECK(cudaEventRecord(start, 0));
        for (int k = 0; k < BATCH; k++)
            queue_copy(x, way);
        CUDA_CHECK(cudaEventRecord(stop, 0));
        ms[i] = elapsed_ms(start, stop) / BATCH;
    }
    CUDA_CHECK(cudaDeviceSynchronize());
    CUDA_CHECK(cudaEventDestroy(start));
    CUDA_CHECK(cudaEventDestroy(stop));
}

// From the second GPU's memory to the first's. Prints the row; returns GB/s, bytes counted once.
static double measure_copy(const char *name, const char *parameter, enum way way, size_t n) {
    const size_t bytes = n * sizeof(float);
    double *ms = (double *)host_malloc(run.samples * sizeof *ms);
    float *h = (float *)host_malloc(2 * bytes);
    struct arrays x;
    memset(&x, 0, sizeof x);
    x.n = n;
    fill_floats(h, n, 1);
    use_gpu(1);
    CUDA_CHECK(cudaMalloc((void **)&x.d_a, bytes));
    CUDA_CHECK(cudaMemcpy(x.d_a, h, bytes, cudaMemcpyHostToDevice));
    use_gpu(0);
    CUDA_CHECK(cudaMalloc((void **)&x.d_out, bytes));
    poison(x.d_out, bytes);
    CUDA_CHECK(cudaDeviceSynchronize()); // the other GPU does not wait for this one's streams
    time_copies(&x, way, ms);
    CUDA_CHECK(cudaMemcpy(h + n, x.d_out, bytes, cudaMemcpyDeviceToHost));
    struct row row = row_of(name);
    row.dtype = "float";
    row.n = n;
    row.parameter = parameter;
    row.bytes = bytes;
    row.check = count_mismatches(h, h + n, n, sizeof(float), name) ? "FAIL" : "ok";
    row_times(&row, ms, run.samples);
    if (run.samples)
        row.gb_per_s = gb_per_s(bytes, row.median_ms);
    print_row(&row);
    CUDA_CHECK(cudaFree(x.d_a));
    CUDA_CHECK(cudaFree(x.d_out));
    free(h);
    free(ms);
    return row.gb_per_s;
}

static void compare_copies(size_t n) {
    double staged = measure_copy("cudaMemcpyPeer", "no peer access", BY_COPY, n), direct;
    if (!can_be_peers()) {
        if (run.samples)
            finding("peer_gb_per_s", staged,
                    "These GPUs cannot access each other's memory: copies run at %.1f GB/s.",
                    staged);
        return;
    }
    for (int i = 0; i < 2; i++) {
        use_gpu(i);
        CUDA_CHECK(cudaDeviceEnablePeerAccess(gpu[!i], 0));
    }
    direct = measure_copy("cudaMemcpyPeer", "peer access", BY_COPY, n);
    double reading = measure_copy("kernel reads from peer", "peer access", BY_READING, n);
    double writing = measure_copy("kernel writes to peer", "peer access", BY_WRITING, n);
    if (!run.samples)
        return;
    finding("peer_gb_per_s", direct,
            "Without peer access a copy between the two GPUs runs at %.1f GB/s, with it at %.1f.",
            staged, direct);
    finding("kernel_peer_gb_per_s", reading,
            "A kernel reads the other GPU's memory at %.1f GB/s and writes it at %.1f.", reading,
            writing);
}

// ---- Main --------------------------------------------------------------------------------------
int main(int argc, char **argv) {
    run_begin(argc, argv, "04_unified_memory/peer_copies",
              "Two GPUs that may access each other's memory need no way through the host.",
              "variant n parameter median_ms min_ms max_ms gb_per_s check", "elements", NO_ERRORS);
    check_sizes(variants, VARIANTS);
    need_two_gpus(variants, VARIANTS);
    compare_copies(run_size(STANDARD_N, STANDARD_N, 2 * sizeof(float)));
    return run_end();
}
