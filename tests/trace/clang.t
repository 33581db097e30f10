#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# `cudacc --trace` with clang: what counts.t asks of the compiler at hand, asked of clang where both
# are here: accesses as wide as a GPU's, loops and branches in step. What clang is known to do
# otherwise stands here and in common/cpu_device/README.md.
use strict;
use warnings;
use Test::More;
use File::Temp qw(tempdir);

plan skip_all => 'part of make test-all' if !$ENV{TEST_ALL};
system('command -v clang++ >/dev/null 2>&1') == 0
    or plan skip_all => 'no clang++ (Debian package: clang)';
plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my $folder = tempdir(CLEANUP => 1);
@ENV{qw(CC CXX CUDACC_CACHE BUILD)} = ('clang', 'clang++', "$folder/cache", "$folder/build");
delete $ENV{CUDACCFLAGS};

is(`common/cpu_device/trace/probe common/cpu_device/cudacc 2>&1`,
    "a struct with __align__(16): ld 4 x 4, st 4 x 4, nvcc makes ld 16 x 1, st 16 x 1\n",
    'the probe names structs with an alignment of their own, nothing else');

my @runs = map { "tests/trace/$_" } qw(branches loops memory shared steps vectors);
my $said = `tests/trace/compare cpu @runs 2>/dev/null`;
like($said, qr/^NVIDIA.* equal/m, 'counts against those of a GPU') or diag($said);
# Equal, though listed: nearer to nvcc than gcc is.
my @others = grep { !/^NVIDIA/ && !/: equal, though listed/ } split /\n/, $said;
is("@others", '', "@runs: as the GPU counts") or diag($said);
done_testing();
