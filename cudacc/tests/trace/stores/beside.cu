// SPDX-License-Identifier: MIT
// What else uses memory while kernels run, by argument: copies, memory that is new, textures; and
// what is not known. cudacc/tests/trace/stores.t has what is expected.
#include <cpu_device/stores.h>
#include <cuda_runtime.h>
#include <stdio.h>
#include <string.h>

enum { N = 256, LARGE = 32 << 20 };
__global__ void twice(int *out, const int *in) { out[threadIdx.x] = 2 * in[threadIdx.x]; }
__global__ void add(int *out, int x) { atomicAdd(&out[blockIdx.x], x); }
__global__ void wait_for(volatile int *go) {
    go[1] = 1;
    while (!go[0])
        ;
}
__global__ void sample(int *out, cudaTextureObject_t texture) {
    out[threadIdx.x] = 2 * tex1Dfetch<int>(texture, threadIdx.x);
}

static int *in, *out, h_in[N], h_out[N];

static const char *result() {
    int wrong = 0;
    cudaMemcpy(h_out, out, sizeof h_out, cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++)
        wrong += h_out[i] != 2 * h_in[i];
    return wrong ? "wrong" : "right";
}

static const char *unseen() {
    size_t bytes = cpu_device_unseen();
    return bytes == (size_t)-1 ? "not known" : bytes ? "some" : "none";
}

int main(int, char **argv) {
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    cudaMalloc(&in, sizeof h_in);
    cudaMalloc(&out, sizeof h_in);
    for (int i = 0; i < N; i++)
        h_in[i] = 3 * i;
    cudaMemcpy(in, h_in, sizeof h_in, cudaMemcpyHostToDevice);

    if (strcmp(argv[1], "copy") == 0) {
        unsigned char *large, *host;
        size_t wrong = 0;
        cudaMalloc(&large, LARGE);
        cudaMallocHost(&host, LARGE);
        cudaMemset(large, 7, LARGE);
        cudaDeviceSynchronize();
        for (int k = 0; k < 4; k++) {
            cudaMemcpyAsync(host, large, LARGE, cudaMemcpyDeviceToHost, two);
            twice<<<1, N, 0, one>>>(out, in);
            cudaDeviceSynchronize();
            for (size_t i = 0; i < LARGE; i++)
                wrong += host[i] != 7;
        }
        printf("a copy meanwhile: %s, %s, unseen %s\n", wrong ? "wrong" : "right", result(),
               unseen());
        cudaFree(large);
        cudaFreeHost(host);
    } else if (strcmp(argv[1], "new") == 0) {
        int *go, *more;
        cudaMallocHost(&go, 2 * sizeof *go);
        go[0] = go[1] = 0;
        wait_for<<<1, 1, 0, one>>>(go);
        while (!((volatile int *)go)[1])
            ;
        cudaMallocAsync(&more, sizeof h_in, two);
        cudaMemcpyAsync(more, in, sizeof h_in, cudaMemcpyDeviceToDevice, two);
        cudaStreamSynchronize(two);
        *(volatile int *)go = 1;
        cudaDeviceSynchronize();
        printf("new memory meanwhile: unseen %s\n", unseen());
        cudaFree(more);
        cudaFreeHost(go);
    } else if (strcmp(argv[1], "texture") == 0) {
        cudaResourceDesc resource = {};
        resource.resType = cudaResourceTypeLinear;
        resource.res.linear.devPtr = in;
        resource.res.linear.desc = cudaCreateChannelDesc<int>();
        resource.res.linear.sizeInBytes = sizeof h_in;
        cudaTextureDesc how = {};
        cudaTextureObject_t texture;
        cudaCreateTextureObject(&texture, &resource, &how, 0);
        sample<<<1, N>>>(out, texture);
        cudaDeviceSynchronize();
        printf("a texture: %s, unseen %s\n", result(), unseen());
        cudaDestroyTextureObject(texture);
    } else if (strcmp(argv[1], "large") == 0) {
        size_t free_bytes, total;
        void *large;
        cudaMemGetInfo(&free_bytes, &total);
        printf("allocated: %s\n", cudaGetErrorName(cudaMalloc(&large, total / 2)));
        twice<<<1, N>>>(out, in);
        cudaDeviceSynchronize();
        printf("too little memory: %s, unseen %s\n", result(), unseen());
        cudaFree(large);
    } else {
        cudaMemset(out, 0, sizeof h_in);
        add<<<4, 1>>>(out, 1);
        cudaDeviceSynchronize();
        printf("four blocks: unseen %s\n", unseen());
    }
    cudaFree(in);
    cudaFree(out);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    return 0;
}
