#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The programs of cudacc/tests/speed/compare build, and their results are those of OpenMP and OpenCL.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my ($folder, $root) = scratch_and_root();
my $said = `'$root/cudacc/tests/speed/compare' --quick --build '$folder/speed' 2>&1`;
my $status = $?;
note($said);
SKIP: {
    skip 'neither OpenMP (libgomp1) nor OpenCL (pocl-opencl-icd)', 1 if $said !~ /^CPU ms.* (openmp|pocl)/m;
    is($status, 0, 'all results agree') or diag($said);
}
my @ran = $said =~ /^(\w+) .*agrees\b.* -$/mg;
my @programs = glob "$root/cudacc/tests/speed/*.cu";
is(@ran, @programs, 'each program has run') or diag($said);
done_testing();
