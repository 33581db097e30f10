/*
 * opencl.c: runs a kernel of this folder by OpenCL, on the first CPU that it finds.
 *
 *     opencl SOURCE KERNEL GLOBAL_X GLOBAL_Y LOCAL_X LOCAL_Y N INPUTS OUTPUTS REPEATS
 *
 * Prints what speed.h says. The kernel is compiled before the clock starts.
 *
 * SPDX-License-Identifier: MIT
 */
#define CL_TARGET_OPENCL_VERSION 120
#define SPEED_OPENCL
#include <CL/cl.h>
#include "speed.h"

static void check(cl_int error, const char *what) {
    if (error != CL_SUCCESS) {
        fprintf(stderr, "%s: OpenCL error %d\n", what, error);
        exit(1);
    }
}

static char *text_of(const char *path) {
    enum { MOST = 1 << 16 };
    char *text = calloc(MOST, 1);
    FILE *f = fopen(path, "r");
    if (!text || !f || fread(text, 1, MOST - 1, f) == 0)
        exit(1);
    fclose(f);
    return text;
}

static cl_kernel kernel;
static cl_command_queue queue;
static size_t global[2], local[2];

static void run(const float *a, const float *b, float *out, int n) {
    (void)a, (void)b, (void)out, (void)n; /* they are the kernel's arguments already */
    check(clEnqueueNDRangeKernel(queue, kernel, 2, NULL, global, local, 0, NULL, NULL), "run");
}

int main(int argc, char **argv) {
    if (argc != 11)
        return 2;
    for (int i = 0; i < 2; i++) {
        global[i] = (size_t)atol(argv[3 + i]);
        local[i] = (size_t)atol(argv[5 + i]);
    }
    int n = atoi(argv[7]), inputs = atoi(argv[8]), outputs = atoi(argv[9]);
    int repeats = atoi(argv[10]);
    cl_platform_id platforms[8];
    cl_uint count = 0;
    cl_device_id device = NULL;
    cl_int error;
    check(clGetPlatformIDs(8, platforms, &count), "platforms");
    for (cl_uint i = 0; i < count && i < 8 && !device; i++)
        if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_CPU, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    check(device ? CL_SUCCESS : CL_DEVICE_NOT_FOUND, "a CPU");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &error);
    check(error, "context");
    queue = clCreateCommandQueue(context, device, 0, &error);
    check(error, "queue");
    const char *text = text_of(argv[1]);
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &error);
    check(error, "source");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "compile");
    kernel = clCreateKernel(program, argv[2], &error);
    check(error, argv[2]);

    size_t bytes = (size_t)inputs * sizeof(float), out_bytes = (size_t)outputs * sizeof(float);
    float *array[] = {malloc(bytes), malloc(bytes), calloc((size_t)outputs, sizeof(float))};
    if (!array[0] || !array[1] || !array[2])
        return 1;
    fill(array[0], inputs, 1);
    fill(array[1], inputs, 77);
    cl_mem buffer[3];
    for (cl_uint i = 0; i < 3; i++) {
        buffer[i] = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   i < 2 ? bytes : out_bytes, array[i], &error);
        check(error, "buffer");
        check(clSetKernelArg(kernel, i, sizeof buffer[i], &buffer[i]), "argument");
    }
    check(clSetKernelArg(kernel, 3, sizeof n, &n), "argument");
    run(NULL, NULL, NULL, n);
    check(clFinish(queue), "finish");
    double begin_s = cpu_s();
    for (int i = 0; i < repeats; i++)
        run(NULL, NULL, NULL, n);
    check(clFinish(queue), "finish");
    double seconds = cpu_s() - begin_s;
    check(clEnqueueReadBuffer(queue, buffer[2], CL_TRUE, 0, out_bytes, array[2], 0, NULL, NULL),
          "read");
    print_row(seconds, array[2], outputs);
    return 0;
}
