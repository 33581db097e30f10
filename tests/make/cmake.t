#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# CMakeLists.txt has every program, at the path that make gives it; cudacc compiles one that passes, nvcc one;
# with TEST_ALL=1 each of them all.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no cmake (Debian package: cmake)' if !found('cmake');
my ($scratch, $root) = scratch_and_root();
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS CMAKE_GENERATOR)};
my @programs = sort map { s/\.cu$//r } glob '[0-9][0-9]_*/{,experiments/}*.cu';
my $nvcc = length($ENV{NVCC} // '') ? $ENV{NVCC} : found('nvcc') ? 'nvcc' : '';

for my $by (['cudacc', "-DCMAKE_TOOLCHAIN_FILE=cudacc/cudacc.cmake"], ['nvcc', "-DCMAKE_CUDA_COMPILER='$nvcc'"]) {
    my ($compiler, $option) = @$by;
  SKIP: {
        skip 'no nvcc, neither by NVCC nor on the PATH', 3 if $compiler eq 'nvcc' && !$nvcc;
        tells("cmake -G 'Unix Makefiles' -S . -B $scratch/$compiler $option", 0, not => qr/warning/i, "cmake, with $compiler");
        my $targets = `cmake --build $scratch/$compiler --target help`;
        is(join(' ', sort $targets =~ /^\.\.\. (\d\d_\w+)$/mg), join(' ', sort map { m{^(\d\d).*/(\w+)$} ? "$1_$2" : $_ } @programs),
            'each program is a target');
        my $only = $ENV{TEST_ALL} ? '' : '--target 00_first_kernel';
        my ($code, $said) = output_of("cmake --build $scratch/$compiler $only");
        my @missing = grep { !-x "$scratch/$compiler/$_" } $ENV{TEST_ALL} ? @programs : '00_first_kernel/first_kernel';
        ok($code eq '0' && !@missing, 'is built, where make builds it') or diag("@missing\n$said");
    }
}
like((output_of("$scratch/cudacc/00_first_kernel/first_kernel"))[1], qr/^PASS$/m, 'and passes');

# Another's project, as it would be for nvcc: a library of kernels, a program in C++, a standard.
spew("$scratch/own/CMakeLists.txt", <<'END');
cmake_minimum_required(VERSION 3.18)
project(own LANGUAGES CXX CUDA)
set(CMAKE_CUDA_STANDARD 20)
set(CMAKE_CUDA_STANDARD_REQUIRED ON)
add_library(kernels STATIC twice.cu value.cu)
target_include_directories(kernels PUBLIC "folder of headers")
set_target_properties(kernels PROPERTIES CUDA_SEPARABLE_COMPILATION ON POSITION_INDEPENDENT_CODE ON CUDA_ARCHITECTURES 80)
target_compile_features(kernels PUBLIC cuda_std_17)
add_executable(program main.cpp)
target_link_libraries(program kernels)
END
spew("$scratch/own/folder of headers/twice.h", "int twice(int n);\n");
spew("$scratch/own/value.cu", "__device__ int value(int n) { return 2 * n; }\n");
spew("$scratch/own/twice.cu", <<'END');
#include "twice.h"
static_assert(__cplusplus >= 202002, "set(CMAKE_CUDA_STANDARD 20)");
__device__ int value(int n);
__global__ void kernel(int *p, int n) { *p = value(n); }
int twice(int n) {
    int *d_p, result = 0;
    cudaMalloc(&d_p, sizeof *d_p);
    kernel<<<1, 1>>>(d_p, n);
    cudaMemcpy(&result, d_p, sizeof result, cudaMemcpyDeviceToHost);
    cudaFree(d_p);
    return result;
}
END
spew("$scratch/own/main.cpp", "#include \"twice.h\"\n#include <cstdio>\nint main() { std::printf(\"%d\\n\", twice(21)); }\n");
my ($code, $said) = output_of("cmake -G 'Unix Makefiles' -S $scratch/own -B $scratch/own/build -DCMAKE_TOOLCHAIN_FILE=$root/cudacc/cudacc.cmake"
        . " && cmake --build $scratch/own/build && $scratch/own/build/program");
ok($code eq '0' && $said =~ /^42\n\z/m && $said !~ /warning/i, "a project in CUDA and C++") or diag($said);
done_testing();
