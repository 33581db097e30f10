// SPDX-License-Identifier: MIT
// Streams, events and copies: what is asynchronous, what waits for what, what blocks the host.
// The same file passes on a GPU and on the CPU device, which is how we know that one is right.
#include "../../../tests/lib/device.h"
#include <string.h>

__global__ void write_value(int *cell, int value) { *cell = value; }
__global__ void add_value(int *cell, int value) { *cell += value; }
__global__ void copy_value(int *to, const int *from) { *to = *from; }

// Takes a number, as at a counter: shows in which order kernels of several streams ran.
__global__ void take_ticket(int *counter, int *ticket) { *ticket = ++*counter; }

// Long enough that a host which does not wait would read the old value.
__global__ void write_slowly(int *cell, int value) {
    for (long long start = clock64(); clock64() - start < 50000000LL;)
        continue;
    *cell = value;
}

static volatile int *gate;
static int *d_cells, *h_pinned; // 64 ints each; pinned: copies from and to it are asynchronous
static cudaStream_t s1, s2, s3; // s1 and s2 as usual, s3 does not synchronize with stream 0

static int device_value(int cell) { return value_at(d_cells + cell); }

static void clear(void) {
    must(cudaMemset(d_cells, 0, 64 * sizeof(int)));
    for (int i = 0; i < 64; i++)
        h_pinned[i] = 0;
    must(cudaDeviceSynchronize());
}

// A stream that does nothing until the gate is opened; all cells are 0.
static void hold(cudaStream_t s) { clear(), close_gate(gate, s); }

TEST(launches) {
    hold(0);
    write_value<<<1, 1>>>(d_cells, 7);
    works(cudaGetLastError(), "launches return while the device is busy");
    gives(cudaErrorNotReady, cudaStreamQuery(0), "the stream is not done");
    ok(open_gate(gate), "the host went on meanwhile");
    works(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    works(cudaStreamQuery(0), "the stream is done");
    ok(device_value(0) == 7, "and so are its kernels");

    write_slowly<<<1, 1>>>(d_cells, 8);
    ok(device_value(0) == 8, "cudaMemcpy to the host waits for the kernel before it");

    write_slowly<<<1, 1, 0, s3>>>(d_cells, 9);
    must(cudaDeviceSynchronize());
    must(cudaMemcpyAsync(h_pinned, d_cells, sizeof(int), TO_HOST, s3));
    must(cudaStreamSynchronize(s3));
    ok(h_pinned[0] == 9, "cudaDeviceSynchronize waits for every stream");
}

TEST(order_in_a_stream) {
    hold(s1);
    must(cudaMemsetAsync(d_cells, 0, sizeof(int), s1));
    add_value<<<1, 1, 0, s1>>>(d_cells, 1);
    must(cudaMemcpyAsync(h_pinned, d_cells, sizeof(int), TO_HOST, s1));
    add_value<<<1, 1, 0, s1>>>(d_cells, 10);
    must(cudaMemcpyAsync(h_pinned + 1, d_cells, sizeof(int), TO_HOST, s1));
    add_value<<<1, 1, 0, s1>>>(d_cells, 100);
    must(cudaMemcpyAsync(d_cells + 1, d_cells, sizeof(int), cudaMemcpyDeviceToDevice, s1));
    must(cudaMemsetAsync(d_cells, 0, sizeof(int), s1));
    must(cudaMemcpyAsync(h_pinned + 2, d_cells + 1, sizeof(int), TO_HOST, s1));
    ok(h_pinned[0] == 0, "copies to pinned memory do not happen at the call");
    ok(open_gate(gate), "nor do they block the host");
    works(cudaStreamSynchronize(s1), "cudaStreamSynchronize");
    ok(h_pinned[0] == 1 && h_pinned[1] == 11 && h_pinned[2] == 111,
       "kernels, copies and memsets of one stream run in order: %d %d %d", h_pinned[0], h_pinned[1],
       h_pinned[2]);
}

TEST(streams_are_concurrent) {
    hold(s1);
    must(cudaMemcpyAsync(h_pinned, d_cells, sizeof(int), TO_HOST, s1));
    write_value<<<1, 1, 0, s2>>>(d_cells + 1, 5);
    must(cudaMemcpyAsync(h_pinned + 1, d_cells + 1, sizeof(int), TO_HOST, s2));
    works(cudaStreamSynchronize(s2), "one stream finishes");
    ok(h_pinned[1] == 5, "with its work done");
    gives(cudaErrorNotReady, cudaStreamQuery(s1), "while another one waits");
    ok(open_gate(gate), "and it waited for us only");
    must(cudaDeviceSynchronize());
}

TEST(blocking_rules) {
    int pageable[64];
    clear();

    close_gate(gate, 0);
    works(cudaMemset(d_cells, 1, sizeof(int)), "cudaMemset of device memory");
    works(cudaMemcpy(d_cells + 1, d_cells, sizeof(int), cudaMemcpyDeviceToDevice), "cudaMemcpy");
    gives(cudaErrorNotReady, cudaStreamQuery(0), "both return before they are done");
    ok(open_gate(gate), "they do not block the host");
    ok(device_value(1) == 0x01010101, "and are done in order");

    write_slowly<<<1, 1>>>(d_cells, 3);
    must(cudaMemcpy(h_pinned, d_cells, sizeof(int), TO_HOST));
    ok(h_pinned[0] == 3, "cudaMemcpy to pinned memory blocks");

    EVENT(written);
    write_slowly<<<1, 1>>>(d_cells, 4);
    must(cudaEventRecord(written));
    pageable[0] = 6;
    must(cudaMemcpy(d_cells + 1, pageable, sizeof(int), TO_DEVICE));
    gives(cudaSuccess, cudaEventQuery(written), "cudaMemcpy from pageable memory waits first");

    // Big enough to go through the staging buffer in pieces.
    enum { N = 1 << 20 };
    static int h_big[N];
    MEMORY(int, d_big, sizeof h_big);
    PINNED(int, h_back, sizeof h_big);
    for (int pinned = 0; pinned < 2; pinned++) {
        int *from = pinned ? h_back : h_big, *to = pinned ? h_big : h_back, wrong = 0;
        for (int i = 0; i < N; i++)
            from[i] = i;
        must(cudaMemcpy(d_big, from, sizeof h_big, TO_DEVICE));
        memset(from, -1, sizeof h_big);
        must(cudaMemcpy(to, d_big, sizeof h_big, TO_HOST));
        for (int i = 0; i < N; i++)
            wrong += to[i] != i;
        ok(wrong == 0, "after cudaMemcpy the source is free again (pinned: %d)", pinned);
    }

    pageable[0] = 41;
    must(cudaMemcpyAsync(d_cells + 2, pageable, sizeof(int), TO_DEVICE, s1));
    pageable[0] = 0;
    must(cudaStreamSynchronize(s1));
    ok(device_value(2) == 41, "cudaMemcpyAsync has read pageable memory when it returns");
    write_slowly<<<1, 1, 0, s1>>>(d_cells + 2, 42);
    must(cudaMemcpyAsync(pageable, d_cells + 2, sizeof(int), TO_HOST, s1));
    ok(pageable[0] == 42, "cudaMemcpyAsync has written pageable memory when it returns");
    must(cudaStreamSynchronize(s1));

    pageable[1] = 1;
    works(cudaMemcpy(pageable, pageable + 1, 4, cudaMemcpyHostToHost), "a copy on the host");
    ok(pageable[0] == 1, "is done at once");
}

TEST(events) {
    cudaEvent_t start, stop, untimed;
    float ms = -1;
    clear();
    works(cudaEventCreate(&start), "cudaEventCreate");
    works(cudaEventCreateWithFlags(&stop, cudaEventBlockingSync), "with cudaEventBlockingSync");
    works(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming), "and cudaEventDisableTiming");
    EVENT(never);

    works(cudaEventQuery(never), "an event that was never recorded counts as done");
    works(cudaEventSynchronize(never), "and nobody waits for it");
    works(cudaStreamWaitEvent(s1, never, 0), "nor does a stream");

    works(cudaEventRecord(start, s1), "cudaEventRecord");
    close_gate(gate, s1);
    must(cudaEventRecord(stop, s1));
    must(cudaEventRecord(untimed, s1));
    ok(gate_reached(gate), "the stream gets to the kernel");
    works(cudaEventQuery(start), "the event before it is done");
    ok(cudaEventQuery(stop) == cudaErrorNotReady, "the event after it is not");
    works(cudaGetLastError(), "which is not remembered as an error");
    gives(cudaErrorNotReady, cudaEventElapsedTime(&ms, start, stop), "so there is no time yet");
    sleep_ms(20);
    ok(open_gate(gate), "the host went on meanwhile");
    works(cudaEventSynchronize(stop), "cudaEventSynchronize");
    works(cudaEventQuery(stop), "then the event is done");
    works(cudaEventElapsedTime(&ms, start, stop), "and there is a time");
    ok(ms > 19.9, "stamped where the stream was, not where the call was: %.3f ms", ms);
    must(cudaEventElapsedTime(&ms, stop, start));
    ok(ms < -19.9, "backwards it is negative: %.3f ms", ms);
    works(cudaEventElapsedTime(&ms, start, start), "from an event to itself");
    ok(ms == 0, "it is nothing");

    must(cudaStreamSynchronize(s1));
    no_handle(cudaEventElapsedTime(&ms, start, never), "no time for one that was never recorded");
    no_handle(cudaEventElapsedTime(&ms, start, untimed), "nor for one without timing");

    close_gate(gate, s1);
    must(cudaEventRecord(start, s1));
    gives(cudaErrorNotReady, cudaEventQuery(start), "an event recorded again is open again");
    works(cudaEventDestroy(start), "an event may be destroyed before it is done");
    ok(open_gate(gate), "without waiting");
    must(cudaStreamSynchronize(s1));
    must(cudaEventDestroy(stop));
    must(cudaEventDestroy(untimed));
}

TEST(events_with_flags) {
    EVENT(event);
    hold(s1);
    works(cudaEventRecordWithFlags(event, s1, cudaEventRecordDefault), "cudaEventRecordWithFlags");
    gives(cudaErrorNotReady, cudaEventQuery(event), "the event waits for the stream");
    ok(open_gate(gate), "not for us");
    works(cudaEventSynchronize(event), "and is done with it");
    fails(cudaEventRecordWithFlags(event, s1, cudaEventRecordExternal), "that is for captures");
    fails(cudaStreamWaitEvent(s1, event, cudaEventWaitExternal), "to wait for as well");
    fails(cudaEventRecordWithFlags(event, s1, 64), "no such flag");
}

TEST(events_across_streams) {
    cudaEvent_t done;
    must(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));

    hold(s1);
    write_value<<<1, 1, 0, s1>>>(d_cells, 6);
    must(cudaEventRecord(done, s1));
    works(cudaStreamWaitEvent(s2, done, 0), "cudaStreamWaitEvent");
    copy_value<<<1, 1, 0, s2>>>(d_cells + 1, d_cells);
    must(cudaMemcpyAsync(h_pinned, d_cells + 1, sizeof(int), TO_HOST, s2));
    write_value<<<1, 1, 0, s3>>>(d_cells + 2, 1);
    works(cudaStreamSynchronize(s3), "a third stream does not wait");
    gives(cudaErrorNotReady, cudaStreamQuery(s2), "the second one does");
    ok(open_gate(gate), "and the host does not");
    must(cudaStreamSynchronize(s2));
    ok(h_pinned[0] == 6, "the second stream has seen what the first one wrote");
    must(cudaDeviceSynchronize());

    must(cudaEventRecord(done, s1));
    must(cudaStreamWaitEvent(s2, done, 0));
    close_gate(gate, s1);
    must(cudaEventRecord(done, s1));
    works(cudaStreamSynchronize(s2), "a wait is for the record before it, not for a later one");
    ok(open_gate(gate), "which is still behind the gate");
    must(cudaStreamSynchronize(s1));

    hold(s1);
    must(cudaEventRecord(done, s1));
    must(cudaStreamWaitEvent(s2, done, 0));
    must(cudaEventDestroy(done));
    write_value<<<1, 1, 0, s2>>>(d_cells, 1);
    gives(cudaErrorNotReady, cudaStreamQuery(s2), "a stream waits even for a destroyed event");
    open_gate(gate);
    works(cudaDeviceSynchronize(), "until it is done");
}

TEST(default_stream) {
    EVENT(event);

    hold(s1);
    take_ticket<<<1, 1, 0, s1>>>(d_cells, d_cells + 1);
    take_ticket<<<1, 1>>>(d_cells, d_cells + 2);
    must(cudaEventRecord(event));
    take_ticket<<<1, 1, 0, s2>>>(d_cells, d_cells + 3);
    write_value<<<1, 1, 0, s3>>>(d_cells + 4, 1);
    works(cudaStreamSynchronize(s3), "a non-blocking stream runs past the default stream");
    gives(cudaErrorNotReady, cudaStreamQuery(0), "the default stream waits for the others");
    gives(cudaErrorNotReady, cudaEventQuery(event), "and so does an event in it");
    gives(cudaErrorNotReady, cudaStreamQuery(s2), "work given to them later waits for it");
    ok(open_gate(gate), "the host goes on");
    must(cudaDeviceSynchronize());
    int first = device_value(1), second = device_value(2), third = device_value(3);
    ok(first == 1 && second == 2 && third == 3, "the order was %d %d %d", first, second, third);

    close_gate(gate, s3);
    write_value<<<1, 1>>>(d_cells, 1);
    works(cudaStreamSynchronize(0), "the default stream does not wait for a non-blocking one");
    ok(open_gate(gate), "which is still busy");
    must(cudaStreamSynchronize(s3));

    write_slowly<<<1, 1, 0, s1>>>(d_cells, 4);
    ok(device_value(0) == 4, "cudaMemcpy is in the default stream and waits for the others");
}

static void record_host(void *data) { *(int *)data += 1; }
static void CUDART_CB record_status(cudaStream_t stream, cudaError_t status, void *data) {
    (void)stream;
    *(int *)data = status == cudaSuccess ? 1 : -1;
}

TEST(host_functions) {
    static int calls, status;
    hold(s1);
    works(cudaLaunchHostFunc(s1, record_host, &calls), "cudaLaunchHostFunc");
    works(cudaStreamAddCallback(s1, record_status, &status, 0), "cudaStreamAddCallback");
    write_value<<<1, 1, 0, s1>>>(d_cells, 2);
    ok(calls == 0 && status == 0, "host functions wait for the stream");
    ok(open_gate(gate), "not the host for them");
    must(cudaStreamSynchronize(s1));
    ok(calls == 1, "the host function ran once");
    ok(status == 1, "the callback was told that all is well");
}

TEST(stream_calls) {
    cudaStream_t stream;
    int least, greatest;
    works(cudaStreamCreate(&stream), "cudaStreamCreate");
    works(cudaStreamQuery(stream), "a new stream is idle");
    hold(stream);
    write_value<<<1, 1, 0, stream>>>(d_cells, 3);
    works(cudaStreamDestroy(stream), "a stream may be destroyed with work in it");
    ok(open_gate(gate), "without waiting");
    must(cudaDeviceSynchronize());
    ok(device_value(0) == 3, "the work is still done");

    works(cudaDeviceGetStreamPriorityRange(&least, &greatest), "stream priorities");
    ok(greatest <= least, "lower numbers go first: %d to %d", greatest, least);
    works(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, greatest), "and by it");
    works(cudaStreamDestroy(stream), "is destroyed like any other");

    no_handle(cudaStreamDestroy(0), "stream 0 cannot be destroyed");
    no_handle(cudaEventQuery(NULL), "no event to query");
    no_handle(cudaEventRecord(NULL), "to record");
    no_handle(cudaEventDestroy(NULL), "to destroy");
    invalid(cudaEventCreate(NULL), "no place for an event");
    invalid(cudaStreamCreate(NULL), "for a stream");
    invalid(cudaStreamCreateWithFlags(&stream, 64), "no such flag");
}

TEST(flags_and_priorities) {
    cudaStream_t urgent, idle;
    int least, greatest, priority = 99;
    unsigned flags = 99;
    works(cudaStreamGetFlags(s1, &flags), "cudaStreamGetFlags");
    ok(flags == cudaStreamDefault, "of a stream without");
    works(cudaStreamGetFlags(s3, &flags), "and of another");
    ok(flags == cudaStreamNonBlocking, "that does not synchronize with stream 0");
    works(cudaStreamGetFlags(0, &flags), "stream 0 has some as well");
    invalid(cudaStreamGetFlags(s1, NULL), "no place for them");

    must(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    must(cudaStreamCreateWithPriority(&urgent, cudaStreamNonBlocking, greatest - 1));
    must(cudaStreamCreateWithPriority(&idle, cudaStreamDefault, least + 1));
    works(cudaStreamGetPriority(urgent, &priority), "cudaStreamGetPriority");
    ok(priority == greatest, "no stream is more urgent than %d", greatest);
    works(cudaStreamGetPriority(idle, &priority), "cudaStreamGetPriority");
    ok(priority == least, "or less than %d", least);
    works(cudaStreamGetPriority(0, &priority), "stream 0");
    ok(greatest <= priority && priority <= least, "is in between: %d", priority);
    invalid(cudaStreamGetPriority(s1, NULL), "no place for it");
    must(cudaStreamDestroy(urgent));
    must(cudaStreamDestroy(idle));
}

TEST(numbers_of_streams) {
#if CUDART_VERSION >= 12000
    cudaStream_t stream;
    unsigned long long ids[6];
    works(cudaStreamGetId(s1, &ids[0]), "cudaStreamGetId");
    works(cudaStreamGetId(s2, &ids[1]), "of a second stream");
    works(cudaStreamGetId(0, &ids[2]), "of stream 0");
    works(cudaStreamGetId(cudaStreamPerThread, &ids[3]), "of the thread's own");
    for (int i = 4; i < 6; i++) { // the second may have the address of the first
        must(cudaStreamCreate(&stream));
        must(cudaStreamGetId(stream, &ids[i]));
        must(cudaStreamDestroy(stream));
    }
    int equal = 0;
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < i; j++)
            equal += ids[i] == ids[j];
    ok(equal == 0, "no two streams ever have the same");
    invalid(cudaStreamGetId(s1, NULL), "no place for it");
#else
    skip("no cudaStreamGetId before CUDA 12");
#endif

#if CUDART_VERSION >= 12080
    int device = -1;
    works(cudaStreamGetDevice(s1, &device), "cudaStreamGetDevice");
    ok(device == 0, "is the one in use");
#else
    skip("no cudaStreamGetDevice before CUDA 12.8");
#endif
}

int main(void) {
    need_device();
    gate = create_gate();
    must(cudaMalloc((void **)&d_cells, 64 * sizeof(int)));
    must(cudaMallocHost((void **)&h_pinned, 64 * sizeof(int)));
    must(cudaStreamCreate(&s1));
    must(cudaStreamCreateWithFlags(&s2, cudaStreamDefault));
    must(cudaStreamCreateWithFlags(&s3, cudaStreamNonBlocking));
    return run_tests();
}
