// A texture object is destroyed before the kernel that reads through it is launched.
// EXPECT: kernel died: use of a texture or surface object that has been destroyed at dies_texture_destroyed.cu:5
// SPDX-License-Identifier: MIT
__global__ void sample(cudaTextureObject_t texture, float *out) {
    out[threadIdx.x] = tex1Dfetch<float>(texture, threadIdx.x); // ERROR kernel died
}

int main(void) {
    float *d_in, *d_out;
    cudaMalloc(&d_in, 32 * sizeof(float));
    cudaMalloc(&d_out, 32 * sizeof(float));
    cudaMemset(d_in, 0, 32 * sizeof(float));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_in;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 32 * sizeof(float);
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, 0);
    cudaDestroyTextureObject(texture);
    sample<<<1, 32>>>(texture, d_out);
    cudaDeviceSynchronize();
    cudaFree(d_in);
    cudaFree(d_out);
    return 0;
}
