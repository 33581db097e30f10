#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# With nvcc: every program and every test compiles alone, by `nvcc file.cu` in another directory, without a
# warning. To PTX, which takes a third of the time and sees host code, too; with TEST_ALL=1 in full, for
# every architecture that this nvcc knows.
use lib 'tests/lib';
use Tests;

my $nvcc = $ENV{NVCC} // '';
if (!$nvcc) {
    plan skip_all => 'no nvcc on the PATH' if !$ENV{REQUIRE_GPU};
    BAIL_OUT('REQUIRE_GPU is set: no nvcc on the PATH');
}
my @every = $ENV{TEST_ALL} ? qw(-arch=all -Wno-deprecated-gpu-targets --threads 2) : qw(-ptx -Werror all-warnings);
my ($elsewhere, $root) = scratch_and_root();
chdir $elsewhere;

my @programs = glob "$root/[0-9][0-9]_*/{,experiments/}*.cu";
my @depend;
for my $source (sort @programs, glob "$root/{docs,docs/snippets,cudacc/tests/runtime,tests/programs}/*.cu") {
    my $name = substr $source, length($root) + 1;
    my $output = `'$nvcc' @every -MMD -MP -MF rules '$source' -o output 2>&1`;
    ok($? == 0 && $output eq '', "nvcc $name @every") or diag($output);
    # The rules for make of what a program includes.
    my $rules = slurp('rules');
    my @included = slurp($source) =~ /^#include "(?:\.\.\/)*([^"]+)"/mg;
    push @depend, $name if $rules !~ m{^output ?: \Q$source\E\b} || grep { $rules !~ m{/\Q$_\E:$}m } @included;
    unlink 'output', 'rules';
}
is("@depend", '', "nvcc's dependencies name every header");

for my $header (sort glob("$root/common/*.h $root/common/experiment/*.h")) {
    my $name = substr $header, length($root) + 1;
    for my $how ($ENV{TEST_ALL} ? map({ "-std=$_ -c" } qw(c++11 c++14 c++17 c++20)) : '-std=c++17 -ptx') {
        my $output = `echo '#include "$header"' >header.cu && '$nvcc' $how -Xcompiler -Wall,-Wextra header.cu 2>&1`;
        ok($? == 0 && $output eq '', "nvcc $how $name") or diag($output);
    }
}
my $output = `'$nvcc' -c -Xcompiler -std=gnu11,-Wall,-Wextra '$root/tests/programs/host_helpers.c' 2>&1`;
ok($? == 0 && $output eq '', 'nvcc tests/programs/host_helpers.c, as C') or diag($output);
chdir '/';
done_testing();
