// The host fills device memory as if it were its own.
// EXPECT: device pointer on the host: store of 4 bytes at device_pointer_write.cu
// SPDX-License-Identifier: MIT
static void initialise(float *a, int n) {
    for (int i = 0; i < n; i++)
        a[i] = (float)i; // ERROR device pointer on the host
}

int main(void) {
    float *d_a;
    cudaMalloc(&d_a, 100 * sizeof *d_a);
    initialise(d_a, 100);
    return 0;
}
