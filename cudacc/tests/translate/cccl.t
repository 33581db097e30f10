#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# libcu++ and CUB by their own headers, where somebody has installed them; what was not tried is refused.
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch(qw(CC CXX));

spew('found.cu', "#include <cub/version.cuh>\n#include <nv/target>\nint main() {}\n");
my ($code) = sh("'$cudacc' -E found.cu -o found.ii");
plan skip_all => "no CCCL 2.8 to 3.0 (a CUDA toolkit; or nvidia-cuda-cccl of PyPI, and CUDA_HOME)" if $code ne '0';

my $text = <<'END';
#include <cstdio>
#include <cub/cub.cuh>
#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <nv/target>
__host__ __device__ int where() { NV_IF_ELSE_TARGET(NV_IS_DEVICE, (return 1;), (return 2;)) }
__device__ int arch() {
    NV_DISPATCH_TARGET(NV_PROVIDES_SM_90, (return 90;), NV_PROVIDES_SM_70, (return 70;))
    return 0;
}
__global__ void talk(cuda::std::span<int> out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> all;
    __shared__ cuda::atomic<int, cuda::thread_scope_block> ready;
    __shared__ int values[64], told;
    if (threadIdx.x == 0) {
        init(&all, 64);
        ready.store(0);
    }
    __syncthreads();
    cuda::std::optional<int> mine;
    if (threadIdx.x % 2)
        mine = threadIdx.x;
    values[threadIdx.x] = mine.value_or(100);
    all.arrive_and_wait();
    cuda::atomic_ref<int, cuda::thread_scope_device> total(out[0]), most(out[1]);
    total.fetch_add(values[63 - threadIdx.x], cuda::memory_order_relaxed);
    most.fetch_max(threadIdx.x);
    if (threadIdx.x == 40) {
        told = 5;
        ready.store(1, cuda::memory_order_release);
    } else if (threadIdx.x == 0) {
        while (ready.load(cuda::memory_order_acquire) == 0)
            ;
        out[2] = told + where();
        out[3] = arch();
    }
}
struct Larger {
    __device__ double operator()(double a, double b) const { return a > b ? a : b; }
};
__global__ void together(int *out, double *most) {
    typedef cub::BlockReduce<double, 64> Reduce;
    typedef cub::BlockScan<int, 64> Scan;
    typedef cub::BlockRadixSort<int, 64, 2> Sort;
    __shared__ union {
        Reduce::TempStorage reduce;
        Scan::TempStorage scan;
        Sort::TempStorage sort;
    } memory;
    double all = Reduce(memory.reduce).Reduce((threadIdx.x * 37) % 64 + 0.5, Larger());
    __syncthreads();
    int before, keys[2] = {int(threadIdx.x * 29 % 64), 1000 - int(threadIdx.x)};
    Scan(memory.scan).ExclusiveSum(threadIdx.x, before);
    __syncthreads();
    Sort(memory.sort).Sort(keys);
    out[threadIdx.x] = before;
    out[64 + 2 * threadIdx.x] = keys[0];
    out[65 + 2 * threadIdx.x] = keys[1];
    if (threadIdx.x == 0)
        *most = all;
}
int main() {
    int *d, h[196], wrong = 0;
    double *most, m;
    cudaMalloc(&d, sizeof h);
    cudaMalloc(&most, sizeof m);
    cudaMemset(d, 0, sizeof h);
    talk<<<1, 64>>>(cuda::std::span<int>(d, 4));
    together<<<1, 64>>>(d + 4, most);
    cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
    cudaMemcpy(&m, most, sizeof m, cudaMemcpyDeviceToHost);
    for (int i = 0; i < 64; i++)
        wrong += h[4 + i] != i * (i - 1) / 2;
    for (int i = 0; i < 128; i++)
        wrong += h[68 + i] != (i < 64 ? i : 937 + i - 64);
    printf("%d %d %d %d, %g, %d wrong, %d\n", h[0], h[1], h[2], h[3], m, wrong, where());
    cudaFree(d);
    cudaFree(most);
}
END
my $expected = "4224 63 6 70, 63.5, 0 wrong, 2\n";
spew('right.cu', $text);
my ($out, $err);
shows("'$cudacc' -O1 right.cu -o right", '0', undef, undef, 'libcu++ and CUB: compiled');
for my $schedule ('', 'CPU_DEVICE_SCHEDULE=reversed', 'CPU_DEVICE_SCHEDULE=shuffled:1') {
    shows("$schedule ./right", '0', $expected, undef, "... run $schedule");
}
shows("'$cudacc' -O1 --trace right.cu -o traced && ./traced", '0', $expected, qr/^CPU device: 0 errors$/m, '... traced');

spew('race.cu', <<'END');
#include <cub/block/block_reduce.cuh>
#include <cuda/atomic>
__global__ void again(int *out) {
    typedef cub::BlockReduce<int, 64> Reduce;
    __shared__ Reduce::TempStorage memory;
    int a = Reduce(memory).Sum(threadIdx.x), b = Reduce(memory).Sum(1);
    if (threadIdx.x == 0)
        *out = a + b;
}
__global__ void beside(int *out) {
    cuda::atomic_ref<int, cuda::thread_scope_device>(*out).fetch_add(1);
    if (threadIdx.x == 40)
        *out = 3;
}
int main() {
    int *d;
    cudaMalloc(&d, 8);
    again<<<1, 64>>>(d);
    beside<<<1, 128>>>(d + 1);
    cudaFree(d);
}
END
($code, $out, $err) = sh("'$cudacc' -O1 --trace race.cu -o race && ./race");
ok($code eq '4' && $err =~ /data race.*\n.*kernel again/ && $err =~ /data race.*\n.*kernel beside/, 'races are found') or diag("exit code $code\n$err");

sub refused {
    my ($name, $line, $message) = @_;
    spew('wrong.cu', "#include <cstdio>\n$line\n");
    shows("'$cudacc' -c wrong.cu", '1', undef, $message, $name);
}
refused("not tried: $_", "#include <$_>\nint main() {}", qr{\Awrong\.cu:2:10: error: \Q$_\E: .* is not part of the CPU device})
    for qw(cub/device/device_reduce.cuh cuda/ptx thrust/device_vector.h);
refused('on a device', "#include <cub/cub.cuh>\nint main() { cub::DeviceScan::ExclusiveSum(0); }",
    qr/\Awrong\.cu:3:.*: error: DeviceScan is not part of the CPU device/);
shows("'$cudacc' --cccl . -c wrong.cu", '2', undef, qr/no CCCL 2\.8 to 3\.0 in /, 'a folder without it');

done_testing();
