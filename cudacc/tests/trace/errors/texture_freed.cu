// An array is freed while a texture object still leads to it.
// EXPECT: kernel sample, launch 0, block (0,0,0), thread (0,0,0): byte 0 of image, 2048 bytes, allocated at texture_freed.cu:13, which has been freed
// SPDX-License-Identifier: MIT
__global__ void sample(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 0.5f, 0.5f); // ERROR use after free
}

int main(void) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    static float pixels[4 * 32];
    float *d_out;
    cudaArray_t image;
    cudaMallocArray(&image, &format, 32, 4);
    cudaMemcpy2DToArray(image, 0, 0, pixels, 128, 128, 4, cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, 0);
    cudaMalloc(&d_out, 32 * sizeof(float));
    cudaFreeArray(image);
    sample<<<1, 32>>>(texture, d_out);
    cudaError_t e = cudaDeviceSynchronize();
    cudaDestroyTextureObject(texture);
    cudaFree(d_out);
    return e != cudaErrorIllegalAddress;
}
