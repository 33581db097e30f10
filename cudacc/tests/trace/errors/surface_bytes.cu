// The x of a surface counts bytes, not elements.
// EXPECT: the address must be a multiple of 4; it is byte 1 of image, 2048 bytes, allocated at surface_bytes.cu:11; the x of a surface counts bytes
// SPDX-License-Identifier: MIT
__global__ void ramp(cudaSurfaceObject_t surface) {
    surf2Dwrite((float)threadIdx.x, surface, threadIdx.x, 0); // ERROR misaligned access
}

int main(void) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t image;
    cudaMallocArray(&image, &format, 32, 4, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    ramp<<<1, 32>>>(surface);
    cudaDeviceSynchronize();
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(image);
    return 0;
}
