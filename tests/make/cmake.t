#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# CMakeLists.txt has every program, at the path that make gives it; cudacc compiles one that passes, nvcc one;
# with TEST_ALL=1 each of them all.
use strict;
use warnings;
use Test::More;
use FindBin;
require "$FindBin::Bin/../lib/lib.pl";

plan skip_all => 'no cmake (Debian package: cmake)' if !found('cmake');
my ($scratch, $root) = scratch_and_root();
chdir $root or die;
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS CMAKE_GENERATOR)};
my @programs = sort map { s/\.cu$//r } glob '[0-9][0-9]_*/{,experiments/}*.cu';
my $nvcc = length($ENV{NVCC} // '') ? $ENV{NVCC} : found('nvcc') ? 'nvcc' : '';

for my $by (['cudacc', "-DCMAKE_CXX_COMPILER=$root/common/cpu_device/cudacc"], ['nvcc', "-DCMAKE_CUDA_COMPILER='$nvcc'"]) {
    my ($compiler, $option) = @$by;
  SKIP: {
        skip 'no nvcc, neither by NVCC nor on the PATH', 3 if $compiler eq 'nvcc' && !$nvcc;
        my ($code, $said) = output_of("cmake -G 'Unix Makefiles' -S . -B $scratch/$compiler $option");
        ok($code eq '0' && $said !~ /warning/i, "cmake, with $compiler") or diag($said);
        my $targets = `cmake --build $scratch/$compiler --target help`;
        is(join(' ', sort $targets =~ /^\.\.\. (\d\d_\w+)$/mg), join(' ', sort map { m{^(\d\d).*/(\w+)$} ? "$1_$2" : $_ } @programs),
            'each program is a target');
        my $only = $ENV{TEST_ALL} ? '' : '--target 00_first_kernel';
        ($code, $said) = output_of("cmake --build $scratch/$compiler $only");
        my @missing = grep { !-x "$scratch/$compiler/$_" } $ENV{TEST_ALL} ? @programs : '00_first_kernel/first_kernel';
        ok($code eq '0' && !@missing, 'is built, where make builds it') or diag("@missing\n$said");
    }
}
like((output_of("$scratch/cudacc/00_first_kernel/first_kernel"))[1], qr/^PASS$/m, 'and passes');
done_testing();
