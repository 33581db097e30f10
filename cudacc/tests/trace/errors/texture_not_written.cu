// A texture that was never filled.
// EXPECT: kernel sample, launch 0, block (0,0,0), thread (0,0,0): byte 0 of array, 2048 bytes, allocated at texture_not_written.cu:12; no copy, memset or kernel has written it
// SPDX-License-Identifier: MIT
__global__ void sample(cudaTextureObject_t image, float *out) {
    out[threadIdx.x] =
        tex2D<float>(image, threadIdx.x + 0.5f, 0.5f); // ERROR read of memory never written
}

int main(void) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    cudaMallocArray(&array, &format, 32, 4);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc texture = {};
    cudaTextureObject_t image;
    cudaCreateTextureObject(&image, &resource, &texture, 0);
    float *d_out;
    cudaMalloc(&d_out, 32 * sizeof(float));
    sample<<<1, 32>>>(image, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaDestroyTextureObject(image);
    cudaFreeArray(array);
    cudaFree(d_out);
    return e != cudaSuccess;
}
