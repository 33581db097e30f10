// Each way to order work in two streams and of the host, and what needs none: different bytes of
// one line, reading by both, atomics by both.
// SPDX-License-Identifier: MIT
#include <string.h>
#include <unistd.h>
__global__ void add(int *a) { a[threadIdx.x]++; }
__global__ void sum(const int *a, int *out) { atomicAdd(out, a[threadIdx.x]); }
__global__ void odd(int *a, int first) { a[2 * threadIdx.x + first] = 1; }
/* The host tells it to go on, and it tells the host. */
__global__ void talk(volatile int *flag, int *a) {
    while (flag[0] == 0)
        ;
    a[0]++;
    __threadfence_system();
    flag[1] = 1;
}
static volatile int go_on;
static int from_host;
static void CUDART_CB wait_for_host(void *unused) {
    (void)unused;
    while (!go_on)
        usleep(1000);
}
static void CUDART_CB change(void *h) { *(int *)h += 1; }
static volatile int reached;
static void CUDART_CB tell_host(void *unused) { // which goes on before this has ended
    (void)unused;
    reached = 1;
    usleep(1000);
}

static cudaStream_t s, t;
static int *d_a, *d_sum, *m_a, *h_a;
static cudaEvent_t done;

static void by_events(void) {
    for (int round = 0; round < 3; round++) {
        add<<<1, 32, 0, s>>>(d_a);
        cudaEventRecord(done, s);
        cudaStreamWaitEvent(t, done, 0);
        add<<<1, 32, 0, t>>>(d_a);
        cudaEventRecord(done, t);
        cudaStreamWaitEvent(s, done, 0);
    }
    cudaMemcpyAsync(h_a, d_a, 128, cudaMemcpyDeviceToHost, s);
    cudaEventRecord(done, s);
    while (cudaEventQuery(done) == cudaErrorNotReady)
        ;
    h_a[0] = h_a[1];
}
/* Stream 0 waits for s, and s for stream 0; t for neither. */
static void by_stream_0(void) {
    add<<<1, 32, 0, s>>>(d_a);
    add<<<1, 32>>>(d_a);
    add<<<1, 32, 0, s>>>(d_a);
    cudaMemcpy(h_a, d_a, 128, cudaMemcpyDeviceToHost);
    add<<<1, 32, 0, t>>>(d_a);
    cudaStreamSynchronize(t);
    cudaMemset(d_a, 0, 128);
    cudaStreamSynchronize(0);
}
static void by_the_host(void) {
    add<<<1, 32, 0, s>>>(d_a);
    cudaStreamSynchronize(s);
    add<<<1, 32, 0, t>>>(d_a);
    while (cudaStreamQuery(t) == cudaErrorNotReady)
        ;
    add<<<1, 32, 0, s>>>(d_a);
    cudaEventRecord(done, s);
    cudaEventSynchronize(done);
    add<<<1, 32, 0, t>>>(d_a);
    cudaDeviceSynchronize();
}
static void without_need(void) {
    odd<<<1, 16, 0, s>>>(d_a, 0);
    odd<<<1, 16, 0, t>>>(d_a, 1);
    cudaDeviceSynchronize();
    sum<<<1, 32, 0, s>>>(d_a, d_sum);
    sum<<<1, 32, 0, t>>>(d_a, d_sum);
    odd<<<1, 16, 0, s>>>(m_a, 0);
    m_a[1] = 5; // the host and the kernel: different elements
    memset(m_a + 32, 0, 128);
    cudaDeviceSynchronize();
}
/* Functions of the host in a stream, and variables by which they and the host tell each other. */
static void by_functions(void) {
    go_on = 0;
    cudaLaunchHostFunc(s, wait_for_host, NULL);
    add<<<1, 32, 0, s>>>(m_a);
    m_a[0] = 3; // before it lets the stream go on
    go_on = 1;
    cudaLaunchHostFunc(s, change, &from_host);
    cudaStreamSynchronize(s);
    cudaMemcpyAsync(d_a, h_a, 128, cudaMemcpyHostToDevice, s);
    cudaLaunchHostFunc(s, change, h_a);
    cudaMemcpyAsync(d_a, h_a, 128, cudaMemcpyHostToDevice, s);
    cudaLaunchHostFunc(s, tell_host, NULL);
    while (!reached)
        usleep(100);
    h_a[0]++;
    cudaStreamSynchronize(s);
}
static void by_flags(void) {
    volatile int *flag = h_a;
    flag[0] = flag[1] = 0;
    cudaDeviceSynchronize();
    talk<<<1, 1, 0, t>>>(flag, m_a);
    m_a[0] = 7;
    flag[0] = 1;
    while (!flag[1])
        usleep(1000);
    m_a[0]++;
    cudaDeviceSynchronize();
}
/* A stream that is gone: stream 0 still comes after it. */
static void by_destroying(void) {
    cudaStream_t u;
    cudaStreamCreate(&u);
    add<<<1, 32, 0, u>>>(d_a);
    cudaStreamDestroy(u);
    add<<<1, 32>>>(d_a);
    cudaDeviceSynchronize();
}

int main(void) {
    cudaStreamCreate(&s);
    cudaStreamCreateWithFlags(&t, cudaStreamNonBlocking);
    cudaEventCreate(&done);
    cudaMalloc(&d_a, 128);
    cudaMalloc(&d_sum, sizeof *d_sum);
    cudaMallocManaged(&m_a, 256);
    cudaMallocHost(&h_a, 128);
    cudaMemset(d_a, 0, 128);
    cudaMemset(d_sum, 0, sizeof *d_sum);
    cudaDeviceSynchronize();
    memset(m_a, 0, 256);
    by_events();
    by_stream_0();
    by_the_host();
    without_need();
    by_functions();
    by_flags();
    by_destroying();
    cudaEventDestroy(done);
    cudaStreamDestroy(s);
    cudaStreamDestroy(t);
    cudaFree(d_a);
    cudaFree(d_sum);
    cudaFree(m_a);
    return cudaFreeHost(h_a) != cudaSuccess;
}
