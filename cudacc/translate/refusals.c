/*
 * refusals.c: calls that nvcc refuses and a host compiler would take: from the wrong side, or of
 * a kernel without <<<>>>.  A call is refused only where every function that its name may mean
 * stands on the other side.
 *
 * SPDX-License-Identifier: MIT
 */
#include "functions.h"
#include "kernels.h"
#include "messages.h"
#include "options.h"
#include "passes.h"

static bool runs_on_device_alone(const struct body *b) {
    return b->kernel || (has_word(b->start, b->open, "__device__") &&
                         !has_one_of(b->start, b->open, "__host__ constexpr "));
}

/* Is what stands before a `(` the name of a function, with its result's type before it? Neither a
 * call is, nor `float (*f)(int)`. */
static bool is_declared(int name) {
    static const char words[] =
        "void bool char short int long float double signed unsigned auto const constexpr operator "
        "sizeof alignof alignas decltype noexcept static_assert asm __asm__ __attribute__ throw "
        "new "
        "if while for switch return ";
    return !is_one_of(name, words) &&
           ((is_name(name - 1) && !is_one_of(name - 1, "return throw new typedef else case ")) ||
            is_one_of(name - 1, "* & && > :: "));
}

/* The functions or methods of that name: all of the user, all on one side? NULL: not so, or there
 * is none; else one of them. */
static const struct function *all_on(bool device, bool method, int name) {
    const struct function *one = NULL;
    for (const struct function *f = NULL; (f = function_named(name, method, f));) {
        if (!is_declared(f->name))
            continue;
        if (tokens[f->name].origin != OF_USER || is_one_of(f->name - 1, ":: ~ ") || f->constant ||
            (device ? !f->device || f->host : f->device))
            return NULL;
        one = f;
    }
    return one;
}

static const struct kernel *kernel_named(int name) {
    for (int i = 0; i < kernel_count; i++)
        if (same_text(kernels[i].name, name))
            return &kernels[i];
    return NULL;
}

/* f() in a method: of its class? */
static bool may_be_method(const struct body *b, int name) { return b->member && is_method(name); }

static bool is_type(int name) {
    for (int i = 1; i < token_count; i++)
        if (same_text(i, name) && tokens[i].origin == OF_USER &&
            is_one_of(i - 1, "struct class union enum using typename "))
            return true;
    return false;
}

static bool may_mean_else(const struct body *b, int name) {
    return calls_variable(b, name) || kernel_named(name) ||
           (!of_object(name) && may_be_method(b, name)) || is_type(name);
}

/* Of the host's libraries, or of CUDA's. */
static bool is_library_function(int name, enum origin origin) {
    bool known = false;
    for (const struct function *f = NULL; (f = function_named(name, false, f)); known = true)
        if (tokens[f->name].origin != origin || f->device)
            return false;
    return known;
}

/* Of the host's libraries: what is most likely to be tried in a kernel. */
static const char c_functions[] =
    "rand srand random drand48 time exit _exit abort puts putchar fputs fprintf sprintf snprintf "
    "scanf sscanf fopen fclose fread fwrite fflush getchar fgets qsort bsearch getenv system atoi "
    "atof strtol strtod calloc realloc sleep usleep strlen strcmp strncmp strcpy strcat strstr ";
static const char cxx_names[] =
    "vector string map multimap set multiset list deque queue stack priority_queue unordered_map "
    "unordered_set cout cerr clog endl stringstream ostringstream thread mutex random_device "
    "mt19937 shared_ptr unique_ptr make_shared make_unique sort stable_sort to_string function ";

static bool of_cxx_library(int i) {
    bool using_std = false;
    if (!is_one_of(i, cxx_names))
        return false;
    if (is(i - 1, "::"))
        return is(i - 2, "std") && !is(i - 3, "::");
    for (int k = 0; k < token_count; k++)
        using_std |= is(k, "using") && is(k + 1, "namespace") && is(k + 2, "std") &&
                     tokens[k].origin == OF_USER;
    return using_std && !is_function(i, true) && !of_object(i) && !is_type(i) &&
           (is(i + 1, "<") ? angle_close(i + 1) > 0 : is_one_of(i, "cout cerr "));
}

static void refuse_library(const struct body *b, int i, bool call) {
    if (of_cxx_library(i) && !calls_variable(b, i))
        report(i, "'std::%s' is of the host's library: kernels cannot use it", join(i, i));
    else if (call && is_one_of(i, c_functions) && !of_object(i) &&
             is_library_function(i, OF_SYSTEM) && !calls_variable(b, i))
        report(i, "'%s' is a function of the host's library: kernels cannot call it", join(i, i));
}

/* CUDA's own functions: what a kernel may call of them. */
static const char for_kernels[] =
    "cudaGetLastError cudaPeekAtLastError cudaGetErrorString cudaGetErrorName cudaGetDevice "
    "cudaGetDeviceCount cudaDeviceGetAttribute cudaDeviceGetLimit cudaFuncGetAttributes "
    "cudaRuntimeGetVersion cudaMalloc cudaFree cudaStreamCreateWithFlags cudaStreamDestroy "
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor "
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWith"
    "Flags ";
static const char not_here[] =
    "cudaMemcpyAsync cudaMemcpy2DAsync cudaMemcpy3DAsync cudaMemsetAsync cudaMemset2DAsync "
    "cudaMemset3DAsync cudaStreamWaitEvent cudaEventCreateWithFlags cudaEventRecord "
    "cudaEventRecordWithFlags cudaEventDestroy ";

static void refuse_cuda_function(int i) {
    if (strncmp(join(i, i), "cuda", 4) || is_one_of(i, for_kernels) ||
        !is_library_function(i, OF_CPU_DEVICE))
        return;
    if (is_one_of(i, not_here))
        report(i, "'%s' in a kernel is not part of the CPU device", join(i, i));
    else if (is(i, "cudaDeviceSynchronize"))
        report(i,
               "'%s' in a kernel: CUDA 12 removed it; a launch into cudaStreamTailLaunch runs "
               "after the kernel's own",
               join(i, i));
    else
        report(i, "'%s' is a function of the host: kernels cannot call it", join(i, i));
}

/* A method of the host, on an object of a class of the user? */
static const struct function *host_method(const struct body *b, int i) {
    static const char common[] = "size data begin end at front back real imag fill empty swap "
                                 "value first second get ";
    if (!of_object(i) || is_one_of(i, common) || has_word(b->open, tokens[b->open].match, "std"))
        return NULL;
    return all_on(false, true, i);
}

static void refuse_in_kernel(const struct body *b, int i, bool call) {
    refuse_library(b, i, call);
    if (call && !of_object(i) && !calls_variable(b, i))
        refuse_cuda_function(i);
    const struct function *f = !call          ? NULL
                               : of_object(i) ? host_method(b, i)
                                              : all_on(false, false, i);
    if (!f || may_mean_else(b, i))
        return;
    report(i, "'%s' is a function of the host: kernels cannot call it", join(i, i));
    remark(f->name, "__device__ makes it one for kernels");
}

static void refuse_on_host(const struct body *b, int i) {
    const struct function *f = of_object(i) ? NULL : all_on(true, false, i);
    if (!f || may_mean_else(b, i))
        return;
    report(i, "'%s' is a __device__ function: host code cannot call it", join(i, i));
    remark(f->name, "__host__ __device__ makes it one for both");
}

/* What only kernels have. */
static void refuse_device_words(const struct body *b, int i, bool call) {
    static const char indices[] = "threadIdx blockIdx ";
    static const char calls[] =
        "__syncthreads __syncwarp __threadfence __shfl_sync __shfl_up_sync __shfl_down_sync "
        "__shfl_xor_sync __ballot_sync atomicAdd atomicSub atomicMax atomicMin atomicExch "
        "atomicCAS ";
    if (is(i, "__shared__"))
        report(i, "a __shared__ variable in a function of the host");
    else if (is_one_of(i, indices) && is(i + 1, ".") && !of_object(i) && !calls_variable(b, i))
        report(i, "'%s' is known in kernels alone", join(i, i));
    else if (call && is_one_of(i, calls) && !of_object(i) && !calls_variable(b, i) &&
             is_library_function(i, OF_CPU_DEVICE))
        report(i, "'%s' is a __device__ function: host code cannot call it", join(i, i));
}

/* f<<<...>>>(), where f is no kernel; k<<...>>(), where it is one. */
static void refuse_chevrons(const struct body *b, int i) {
    if (!shift(i + 1, "<") || of_object(i) || may_mean_else(b, i) != (kernel_named(i) != NULL))
        return;
    const struct function *f = all_on(false, false, i);
    if (kernel_named(i) && !is(i + 3, "<"))
        report(i, "a launch is written %s<<<blocks, threads>>>(...)", join(i, i));
    if (!f || kernel_named(i) || !is(i + 3, "<"))
        return;
    report(i, "'%s' is no kernel", join(i, i));
    remark(f->name, "__global__ makes it one");
}

static void refuse_bare_kernel(const struct body *b, int i) {
    if (!kernel_named(i) || of_object(i) || calls_variable(b, i) || may_be_method(b, i) ||
        is_function(i, false))
        return;
    report(i, "'%s' is a kernel: it is launched, as %s<<<blocks, threads>>>(...)", join(i, i),
           join(i, i));
}

/* Of a kernel, or of what only kernels call. */
static void refuse_launch(int i) {
    if (!separate && shift(i, "<") && is(i + 2, "<") && !is(i - 1, "operator"))
        report(i - 1, "a kernel launches a kernel, for which -rdc=true is needed");
}

/* In host code what a kernel will run: a lambda, or a class, whose functions say so. */
static int past_device_code(int i, int end) {
    i = find(i, end, "{ ; ");
    return is(i, "{") && opens(i) ? tokens[i].match : i;
}

/* Of a lambda that says __device__, in host code. */
static void refuse_references(int i) {
    int close = is(i - 1, "__host__") ? i - 2 : i - 1;
    for (int k = is(close, "]") ? tokens[close].match : close; k < close; k++)
        if (is(k, "&") && is_one_of(k - 1, "[ , "))
            report(k, "a lambda that a kernel calls cannot capture by reference, which would lead "
                      "to memory of the host: [=] copies");
}

/* Does a lambda begin at token i that does not say __device__, and is not called at once? */
static bool is_host_lambda(int i) {
    if (!is(i, "[") || !opens(i) || is(i + 1, "["))
        return false;
    int end = past_device_code(tokens[i].match + 1, token_count);
    return is(end, "}") && is_one_of(end + 1, ", ) ; ") &&
           !has_word(tokens[i].match, tokens[end].match, "__device__");
}

static bool names_host_lambda(const struct body *b, int name) {
    for (int i = b->open; i < name; i++)
        if (same_text(i, name) && is(i - 1, "auto") && is(i + 1, "=") && is_host_lambda(i + 2))
            return true;
    return false;
}

/* Among a launch's arguments, which begin with the `(` at token i. */
static void refuse_host_lambda(const struct body *b, int i) {
    if (!is(i, "(") || !opens(i) || !is(i - 1, ">") || !shift(i - 3, ">"))
        return;
    for (int k = i + 1; k < tokens[i].match; k++) {
        bool whole = is_one_of(k - 1, "( , ") && is_one_of(k + 1, ", ) ");
        if (is_host_lambda(k) || (is_name(k) && whole && names_host_lambda(b, k)))
            report(k, "a lambda of the host: a kernel calls one that says so, [=] __device__ (...) "
                      "{...}, which nvcc takes with -extended-lambda");
        if (opens(k))
            k = tokens[k].match;
    }
}

static void refuse_calls_of(const struct body *b) {
    bool in_kernel = runs_on_device_alone(b), on_host = of_host(b) && !b->kernel;
    int end = tokens[b->open].match;
    for (int i = b->open + 1; i < end; i++) {
        if (on_host && is(i, "__device__"))
            refuse_references(i);
        if (on_host && is_one_of(i, "__device__ __global__ "))
            i = past_device_code(i, end);
        if (is_one_of(i, "decltype sizeof noexcept ") && opens(i + 1))
            i = tokens[i + 1].match;
        if (in_kernel)
            refuse_launch(i);
        if (on_host)
            refuse_host_lambda(b, i);
        if (!is_name(i))
            continue;
        bool call = is_call(i);
        refuse_chevrons(b, i);
        if (on_host)
            refuse_device_words(b, i, call);
        if (call && !in_kernel) /* there it may be a friend, or of another namespace */
            refuse_bare_kernel(b, i);
        if (in_kernel)
            refuse_in_kernel(b, i, call);
        else if (call && on_host)
            refuse_on_host(b, i);
    }
}

/* std::string s */
static void refuse_parameters(const struct body *b) {
    for (int i = b->parameters; b->kernel && i < b->open; i++)
        if (is_name(i))
            refuse_library(b, i, false);
}

void refuse_calls(void) {
    for (int i = 0; i < body_count; i++)
        if (tokens[bodies[i].name].origin == OF_USER) {
            refuse_parameters(&bodies[i]);
            refuse_calls_of(&bodies[i]);
        }
}
