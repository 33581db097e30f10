// An image is made through a surface, read back and blurred through a texture in the next kernel,
// past its edges and between its pixels; rows of a pitched array; a texture of an array that is
// filled in part.
// SPDX-License-Identifier: MIT
enum { WIDTH = 20, HEIGHT = 6 };

__global__ void make(cudaSurfaceObject_t surface) {
    int x = threadIdx.x, y = blockIdx.x;
    surf2Dwrite((float)(x + y), surface, x * (int)sizeof(float), y);
    float own;
    surf2Dread(&own, surface, x * (int)sizeof(float), y);
    surf2Dwrite(own + 1, surface, x * (int)sizeof(float), y);
}

__global__ void blur(cudaTextureObject_t texture, float *out) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * WIDTH + x] = tex2D<float>(texture, x - 0.25f, y + 1.25f);
}

__global__ void rows(cudaTextureObject_t texture, float *out) {
    int x = threadIdx.x, y = blockIdx.x;
    out[y * WIDTH + x] += tex2D<float>(texture, x, y);
}

__global__ void begin(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] += tex1Dfetch<float>(texture, threadIdx.x);
}

int main(void) {
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t image;
    cudaMallocArray(&image, &format, WIDTH, HEIGHT, cudaArraySurfaceLoadStore);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = image;
    cudaSurfaceObject_t surface;
    cudaCreateSurfaceObject(&surface, &resource);
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    how.addressMode[1] = cudaAddressModeBorder;
    cudaTextureObject_t texture, of_rows, of_begin;
    cudaCreateTextureObject(&texture, &resource, &how, 0);

    float *d_out, *d_rows, *d_half;
    size_t pitch;
    cudaMalloc(&d_out, WIDTH * HEIGHT * sizeof(float));
    cudaMalloc(&d_half, 64 * sizeof(float));
    cudaMallocPitch(&d_rows, &pitch, WIDTH * sizeof(float), HEIGHT);
    cudaMemset2D(d_rows, pitch, 0, WIDTH * sizeof(float), HEIGHT);
    cudaMemset(d_half, 0, 32 * sizeof(float));
    cudaTextureDesc plain = {};
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = d_rows;
    resource.res.pitch2D.desc = format;
    resource.res.pitch2D.width = WIDTH;
    resource.res.pitch2D.height = HEIGHT;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaCreateTextureObject(&of_rows, &resource, &plain, 0);
    resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_half;
    resource.res.linear.desc = format;
    resource.res.linear.sizeInBytes = 64 * sizeof(float);
    cudaCreateTextureObject(&of_begin, &resource, &plain, 0);

    make<<<HEIGHT, WIDTH>>>(surface);
    blur<<<HEIGHT, WIDTH>>>(texture, d_out);
    rows<<<HEIGHT, WIDTH>>>(of_rows, d_out);
    begin<<<1, 32>>>(of_begin, d_out);
    static float back[WIDTH * HEIGHT];
    cudaMemcpy2DFromArray(back, WIDTH * sizeof(float), image, 0, 0, WIDTH * sizeof(float), HEIGHT,
                          cudaMemcpyDeviceToHost);
    cudaDestroyTextureObject(texture);
    cudaDestroyTextureObject(of_rows);
    cudaDestroyTextureObject(of_begin);
    cudaDestroySurfaceObject(surface);
    cudaFreeArray(image);
    cudaFree(d_out);
    cudaFree(d_half);
    cudaFree(d_rows);
    return 0;
}
