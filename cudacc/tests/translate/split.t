#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Kernels that are split at their barriers: which are, and that they do what they do when each thread
# has its own stack. Random ones, too.
#
#     prove cudacc/tests/translate/split.t :: FIRST LAST     other random programs, of 10 kernels each
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch(qw(CC CXX));
my $tests  = "$root/cudacc/tests/translate/split";

# A program prints the same, split and not: what the translated text says of each of its kernels.
sub compared {
    my ($what, $arguments) = @_;
    my ($code, $out, $err) = sh("'$cudacc' --keep $arguments -o program && ./program");
    (undef, my $expected) = sh('CPU_DEVICE_SCHEDULE=stacks ./program');
    ok($code eq '0' && $out eq $expected && $out =~ /cudaSuccess/ && $err eq '', "$what: split and not, the same bits")
        or diag("exit code $code\n", join("\n", grep { index($expected, "$_\n") < 0 } split(/\n/, $out)), $err);
    return { slurp('program.1.translated.ii') =~ m{^// (\w+): ((?:not )?split)}mg };
}

# ---- Kernels of each kind ------------------------------------------------------------------------
my $source = slurp("$tests/kernels.cu");
my %expected;
while ($source =~ m{^// ((?:not )?split).*\n(?:.*\n)?(?:.*__global__.* |LOOP\()(\w+)[(,]}mg) { $expected{$2} = $1 }
my @compilers = grep { found($_->[0]) && found($_->[1]) } ['g++', 'gcc'], ['clang++', 'clang'];
for my $compiler (@compilers) {
    local @ENV{qw(CXX CC)} = @$compiler;
    local $ENV{CUDACC_RUNTIME_FLAGS} = '-O0 -g1' if $compiler->[1] eq 'clang' && !$ENV{TEST_ALL};    # it is built for one program
    is_deeply(compared("kernels.cu, $compiler->[0]", "-Wall -Wextra '$tests/kernels.cu'"), \%expected,
        "$compiler->[0]: those that may be split are") if keys %expected > 20;
    ok(slurp('program.1.translated.ii') =~ m{// strided: split(?:.*?goto cpu_turns_){4}}s, "$compiler->[0]: threads take turns in strided loops");
}

# What a name does is decided by its type: -O1 and -O2, on stacks, traced.
for my $options ('-O1', '-O2', '-O1 -std=c++14', '--trace') {
    my ($code, $out, $err) = sh("'$cudacc' -w $options '$tests/objects.cu' -o objects && ./objects");
    (undef, my $stacks) = sh('CPU_DEVICE_SCHEDULE=stacks ./objects');
    ok($out eq "cudaSuccess\n" && $stacks eq $out, "objects.cu, $options: right, split and not") or diag("$code\n$out$stacks$err");
}

# Each alone: what another kernel declares could hide what is wrong.
for my $found (slurp("$tests/found.txt") =~ /^==== (.*\n(?:(?!==== ).*\n)+)/mg) {
    my ($arguments, $expected, $kernel) = $found =~ /\A\((.*)\) (.*)\n([\s\S]*)\z/ or die $found;
    my $more = $arguments eq '' ? '' : ", $arguments";
    spew('found.cu', <<"END_OF_PROGRAM");
#include <stdio.h>
#define T threadIdx.x
#define S __syncthreads()
#define M ~0u
$kernel
int main() {
    int *o;
    cudaMallocManaged(&o, 4096);
    for (int i = 0; i < 1024; i++)
        o[i] = -1;
    k<<<1, 64>>>(o$more);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%d %d %d %d%s\\n", o[0], o[1], o[2], o[33], e ? cudaGetErrorName(e) : "");
}
END_OF_PROGRAM
    shows("'$cudacc' -O1 -std=c++20 -w found.cu -o found && timeout 60 ./found", '0', "$expected\n", undef, 'right: ' . ($kernel =~ /(__global__.{0,60})/)[0]);
}

# ---- What stays as it was ------------------------------------------------------------------------
spew('dies.cu', <<'END_OF_PROGRAM');
#include <stdio.h>
#include <assert.h>
__global__ void k(int *p, int how) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t;
    __syncthreads();
    for (int i = 0; i < 2; i++) {
        if (how == 1 && t == 5)
            p[1 << 28] = s[1];
        if (how == 2)
            assert(t != 6);
        if (how == 3 && t == 7)
            __trap();
        __syncthreads();
    }
    p[t] = s[63 - t];
}
__global__ void wide(float4 *p) {
    __shared__ float4 s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
}
__global__ void each(int *p, int far) {
    if (threadIdx.y == 2 && threadIdx.z == 1)
        p[threadIdx.x + far] = 1;
}
__global__ void astray(int *p) {
    int t = threadIdx.x, v = t;
    if (t < 40)
        v = __shfl_sync(~0u, v, 0);
    __syncthreads();
    p[t] = v;
}
int main(int argc, char **) {
    int *p;
    cudaMalloc(&p, 4096);
    switch (argc) {
    case 5: wide<<<1, 64>>>((float4 *)(p + 1)); break;
    case 6: each<<<1, dim3(4, 4, 2)>>>(p, 1 << 28); break;
    case 7: each<<<1, dim3(4, 4, 2)>>>((int *)((char *)p + 1), 0); break;
    case 8: astray<<<1, 64>>>(p); break;
    default: k<<<1, 64>>>(p, argc - 1);
    }
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END_OF_PROGRAM
my ($code, $out, $err) = sh("'$cudacc' --keep -g dies.cu -o dies");
is("$code$err", '0', 'a program that dies is compiled');
is(() = slurp('dies.1.translated.ii') =~ m{^// \w+: split}mg, 4, 'and split');
for (['', qr/^$/, 'cudaSuccess'], ['1', qr/thread \(5,0,0\)/, 'cudaErrorIllegalAddress'],
    ['1 2', qr/thread \(6,0,0\)|t != 6/, 'cudaErrorAssert'], ['1 2 3', qr/thread \(7,0,0\)/, 'cudaErrorLaunchFailure'],
    ['1 2 3 4', qr/thread \(0,0,0\).*align/, 'cudaErrorMisalignedAddress'],
    ['1 2 3 4 5', qr/thread \(0,2,1\)/, 'cudaErrorIllegalAddress'],
    ['1 2 3 4 5 6', qr/thread \(0,2,1\).*dies\.cu:\d+: misaligned/, 'cudaErrorMisalignedAddress'],
    ['1 2 3 4 5 6 7', qr/thread \(32,0,0\): waits in a warp function for lanes/, 'cudaErrorLaunchTimeout']) {
    my ($arguments, $message, $error) = @$_;
    (undef, $out, $err) = sh("./dies $arguments");
    is($out, "$error\n", "dies $arguments: $error");
    like($err, $message, 'and where');
}

# A store past a block's shared memory hits nothing else: there is one set of it.
spew('past.cu', <<'END_OF_PROGRAM');
#include <stdio.h>
__global__ void past(int *out, int n) {
    int t = threadIdx.x;
    __shared__ int tile[64];
    tile[t] = t;
    __syncthreads();
    if (t < 8)
        tile[t + n] = 3;
    __syncthreads();
    out[t] = tile[63 - t];
}
int main() {
    int *out;
    cudaMalloc(&out, 256);
    past<<<1, 64>>>(out, 64);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
END_OF_PROGRAM
(undef, $out, $err) = sh("'$cudacc' --keep past.cu -o past && ./past");
like(slurp('past.1.translated.ii'), qr{^// past: split}m, 'a kernel that stores past its shared memory is split');
is($out, "cudaErrorIllegalAddress\n", 'a store past shared memory is an error');
like($err, qr/past: a thread has stored up to 32 bytes past/, 'and said');

# What a thread changes of a struct that it is given is its own; so is the order of what it loads and stores.
spew('own.cu', <<'END_OF_PROGRAM');
#include <stdio.h>
struct weights { int a[4]; struct { int x; } b; };
struct one { int x; };
__device__ void raise(int (&a)[4], int by) { a[1] += by; }
__global__ void members(weights v, int *out) {
    __shared__ int s[64];
    int t = threadIdx.x;
    v.a[0] += t;
    v.b.x = v.a[t % 4]++;
    raise(v.a, t);
    s[t] = v.a[0] + v.b.x;
    __syncthreads();
    out[t] = s[63 - t] + v.a[1] + v.a[t % 4] + v.b.x;
}
__global__ void kept(int *out) {
    one v = {(int)threadIdx.x};
    __syncthreads();
    out[threadIdx.x] += v.x++;
    __syncthreads();
    out[threadIdx.x] += v.x;
}
__global__ void in_place(int *out, const int *in) {
    int i = threadIdx.x;
    out[2 * i] = in[2 * i] + 1;
    out[2 * i + 1] = in[2 * i] + in[2 * i + 1];
}
__global__ void in_turn(int *out, int off) {
    __shared__ int s[128];
    int t = threadIdx.x;
    s[2 * t] = t;
    int x = s[2 * t + off];
    s[2 * t + 1] = x + 1;
    int y = s[2 * t + 1 + off];
    __syncthreads();
    out[t] += x * 1000 + y;
}
int main() {
    int *out;
    cudaMallocManaged(&out, 512);
    for (int i = 0; i < 128; i++)
        out[i] = i * i;
    kept<<<1, 64>>>(out);
    members<<<1, 64>>>({{5, 6, 7, 8}, {9}}, out);
    in_place<<<1, 64>>>(out, out);
    in_turn<<<1, 64>>>(out, 0);
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 128; i++)
        printf("%d\n", out[i]);
}
END_OF_PROGRAM
for my $optimize ('-O1', '-O3') {
    is_deeply(compared("own.cu, $optimize", "$optimize own.cu"), { map { $_ => 'split' } qw(members kept in_place in_turn) }, 'and all four are split');
}

# ---- Parts whose threads do not say which of them runs (vectors.c) --------------------------------
# What is wrong in one is said of the same thread as when each has its own stack, and memory is left
# as then: a load past the end of an allocation is passed over, and the sum goes on.
spew('vectors.cu', <<'END_OF_PROGRAM');
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <fenv.h>
__global__ void scan(int *out, const int *in, int n, int who, int far) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = t < n ? in[t + (t == who) * far] : 0;
    __syncthreads();
    for (int step = 1; step < 64; step *= 2) {
        int before = t >= step ? s[t - step] : 0;
        __syncthreads();
        s[t] += before;
        __syncthreads();
    }
    out[t] = s[t];
}
__global__ void add(int *out, int who, int far) {
    __shared__ int s[2][32];
    int x = threadIdx.x, y = threadIdx.y;
    s[y][x] = x + y;
    __syncthreads();
    if (x > 2)
        s[y][x + (x + y == who) * far] += 3;
    else
        s[y][x] -= 2;
    __syncthreads();
    out[y * 32 + x] = s[1 - y][31 - x];
}
__global__ void store(int *out, int *more, int who, int far) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 7 * t;
    __syncthreads();
    out[t] = s[63 - t];
    more[t + (t == who) * far] = s[t];
}
__global__ void divide(int *out, int by) {
    __shared__ int s[64];
    int t = threadIdx.x;
    s[t] = 100 + t;
    __syncthreads();
    s[t / (t - by)] = 5;
    __syncthreads();
    out[t] = s[t];
}
__global__ void fused(float *out, int n, float a) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = t / 3.0f;
    __syncthreads();
    float c = a * s[63 - t], r = 0;
    if (t < n) /* a product and a sum in one operation, or in two: no vector may change which */
        r = c + s[t];
    else
        r = c - s[t];
    out[t] = r;
}
__global__ void columns(int *out, int v) {
    out[threadIdx.x * 4000000 + threadIdx.y] = v; /* thread (1,0,0) fails: (0,1,0) has not stored */
    __syncthreads();
}
__global__ void thirds(float *out, const float *in, int who, int far) {
    __shared__ float s[64];
    int t = threadIdx.x;
    s[t] = in[t + (blockIdx.x == 1) * (t == who) * far];
    __syncthreads();
    out[blockIdx.x * 64 + t] = s[63 - t] / 3; /* rounded as the host has set it, in all blocks */
}
__global__ void chain(int *out, int by) {
    __shared__ int s[129];
    int t = threadIdx.x;
    s[t] = 5 * t;
    __syncthreads();
    s[t + 1] = s[t] + by; /* what the thread before it has stored */
    __syncthreads();
    s[2 * t] = t;
    s[2 * t + 1] = s[2 * t] + s[t + by];
    s[127 - t] += s[t] - s[2 * t + 1];
    __syncthreads();
    out[2 * t] = s[2 * t];
    out[2 * t + 1] = s[2 * t + 1];
}
int main(int, char **argv) {
    fesetround(FE_DOWNWARD);
    int which = atoi(argv[1]), who = atoi(argv[2]), far = atoi(argv[3]), *out, *in;
    cudaMallocHost(&out, 1 << 12);
    cudaMalloc(&in, 64 * sizeof(int));
    cudaMemset(in, 1, 64 * sizeof(int));
    memset(out, 0, 1 << 12);
#define CASE(number, ...) if (which == number) __VA_ARGS__
    CASE(0, scan<<<1, 64>>>(out, in, 64, who, far));
    CASE(1, add<<<1, dim3(32, 2)>>>(out, who, far));
    CASE(2, store<<<1, 64>>>(out, in, who, far));
    CASE(3, divide<<<1, 64>>>(out, who));
    CASE(4, chain<<<1, 64>>>(out, who));
    CASE(5, fused<<<1, 64>>>((float *)out, who, 0.1f + far));
    CASE(6, columns<<<1, dim3(32, 32)>>>(out, who));
    CASE(7, thirds<<<8, 64>>>((float *)out, (float *)in, who, far));
    printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    for (int i = 0; i < 1024; i++)
        printf("%d\n", out[i]);
}
END_OF_PROGRAM
{
    delete local @ENV{qw(CXX CC)};
    my $may = (sh("g++ -dumpmachine; g++ --version"))[1];
    for my $level (2, 3) {
    shows("'$cudacc' --keep -O$level -Wall -Wextra vectors.cu -o vectors", '0', undef, '', "a program with vectors is compiled, -O$level");
    my $parts = () = slurp('vectors.1.translated.ii') =~ /const auto cpu_part_/g;
    is($parts, 9, 'its parts may be vectors') if $may =~ /^x86_64/ && $may !~ /clang/;
    for (['0 5 0', qr/^$/], ['0 37 100000000', qr/scan.*thread \(37,0,0\): illegal address/], ['0 63 3', qr/thread \(63,0,0\).*past the end.*goes on/],
        ['1 9 0', qr/^$/], ['1 20 1000000000', qr/add.*thread \(20,0,0\): illegal/], ['2 0 0', qr/^$/],
        ['2 9 10000000', qr/store.*thread \(9,0,0\): illegal/], ['2 63 2', qr/thread \(63,0,0\).*goes on/], ['3 99 0', qr/^$/],
        ['3 30 0', qr/divide.*thread \(30,0,0\): integer division by zero/], ['4 1 0', qr/^$/], ['4 2 0', qr/^$/],
        ['5 40 1', qr/^$/], ['2 0 10000000', qr/store.*thread \(0,0,0\): illegal/],
        ['6 9 0', qr/columns.*thread \(1,0,0\): illegal/], ['7 60 20', qr/block \(1,0,0\), thread \(60,0,0\).*goes on/]) {
        my ($arguments, $message) = @$_;
        my (undef, $out, $err) = sh("./vectors $arguments");
        my (undef, $expected, $said) = sh("CPU_DEVICE_SCHEDULE=stacks ./vectors $arguments");
        s/0x[0-9a-f]+/ADDRESS/g for $err, $said;
        ok($out eq $expected && $err eq $said && $err =~ $message, "vectors $arguments: as with stacks")
            or diag($out eq $expected ? 'the same results' : 'other results', "\n$err$said");
    }
    }
}

# Messages come once, at the user's line.
spew('wrong.cu', <<'END_OF_PROGRAM');
__global__ void k(int *p) {
    int unused = 3;
    __syncthreads();
    p[0] = missing;
}
__global__ void warned(int *p) {
    int unused = 3;
    __syncthreads();
    p[0] = 1;
}
int main() {
    k<<<1, 32>>>(nullptr);
    warned<<<1, 32>>>(nullptr);
}
END_OF_PROGRAM
(undef, undef, $err) = sh("'$cudacc' -Wall wrong.cu -o wrong");
is(() = $err =~ /wrong\.cu:4:12: error/g, 1, 'an error in a kernel is said once');
is(() = $err =~ /error/g, 1, 'and no other one');
(undef, undef, $err) = sh("sed -i s/missing/0/ wrong.cu && '$cudacc' -Wall wrong.cu -o wrong");
is(() = $err =~ /wrong\.cu:[27]:9: warning/g, 2, 'so are warnings') or diag($err);
is(() = $err =~ /warning/g, 2, 'and no other ones');

# ---- Random C++ kernels --------------------------------------------------------------------------
# A program knows what each thread must give. One of them is another one each day.
my @seeds = @ARGV ? $ARGV[0] .. $ARGV[-1] : (1 .. ($ENV{TEST_ALL} ? 20 : 2), int(time / 86400));
for my $seed (@seeds) {
    sh("perl '$tests/random_cpp.pl' $seed 10 >cpp.cu");
    for (map({ [@$_, '-O1', '', 'stacks'] } @compilers), ['g++', 'gcc', '--trace', 'reversed', 'shuffled:1']) {
        my ($cxx, $cc, $options, @schedules) = @$_;
        local @ENV{qw(CXX CC ACCESS_TABLE)} = ($cxx, $cc, 0);
        my ($failed, undef, $messages) = sh("'$cudacc' $options -w cpp.cu -o cpp");
        is("$failed$messages", '0', "random C++ kernels, $seed, $cxx $options") or next;
        for my $schedule (@schedules) {
            local $ENV{CPU_DEVICE_SCHEDULE} = $schedule;
            shows('./cpp', '0', "PASS\n", undef, "$seed, $cxx $options $schedule: each thread's results");
        }
    }
}
done_testing();
