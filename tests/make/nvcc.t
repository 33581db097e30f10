#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# With nvcc: every program compiles alone, by `nvcc file.cu` in another directory, without a warning. (Code
# of the host is made by make's own build: here its syntax will do.) Under `make test-all` the tests compile alone, too, and all in full, for
# every architecture that this nvcc knows.
use strict;
use warnings;
use Test::More;
use FindBin;
use Cwd qw(abs_path);
require "$FindBin::Bin/../lib/lib.pl";

my $nvcc = $ENV{NVCC} // '';
if (!$nvcc) {
    plan skip_all => 'no nvcc on the PATH' if !$ENV{REQUIRE_GPU};
    BAIL_OUT('REQUIRE_GPU is set: no nvcc on the PATH');
}
my @every = $ENV{TEST_ALL} ? qw(-arch=all -Wno-deprecated-gpu-targets --threads 2) : qw(-c -Xcompiler -fsyntax-only);
my $build = abs_path($ENV{BUILD} // 'build');
my ($elsewhere, $root) = scratch_and_root();
chdir $elsewhere;

for my $source (sort glob("$root/[0-9][0-9]_*/{,experiments/}*.cu"), $ENV{TEST_ALL} ? (glob("$root/tests/runtime/*.cu"), glob("$root/tests/programs/*.cu")) : ()) {
    my $name = substr $source, length($root) + 1;
    my $output = `'$nvcc' @every '$source' 2>&1`;
    ok($? == 0 && $output eq '', "nvcc $name @every") or diag($output);
    unlink 'a.out';
}
# make's rules for what a program includes, as nvcc writes them.
my @depend;
for my $source (($ENV{DEVICES} // '') =~ /gpu/ ? sort glob("$root/[0-9][0-9]_*/{,experiments/}*.cu") : ()) {
    my $program = substr $source =~ s/\.cu$//r, length($root) + 1;
    my $rules = slurp("$build/gpu/$program.d");
    my @included = slurp($source) =~ /^#include "(?:\.\.\/)*([^"]+)"/mg;
    push @depend, $program if $rules !~ m{^\S*gpu/\Q$program\E ?: \Q$program\E\.cu\b} || grep { $rules !~ m{/\Q$_\E:$}m } @included;
}
is("@depend", '', "nvcc's dependencies name every header");

for my $header (sort glob("$root/common/*.h")) {
    my $name = substr $header, length($root) + 1;
    for my $standard ($ENV{TEST_ALL} ? qw(c++11 c++14 c++17 c++20) : 'c++17') {
        my $output = `echo '#include "$header"' >header.cu && '$nvcc' -std=$standard -c -Xcompiler -Wall,-Wextra header.cu 2>&1`;
        ok($? == 0 && $output eq '', "nvcc -std=$standard $name") or diag($output);
    }
}
my $output = `'$nvcc' -c -Xcompiler -std=gnu11,-Wall,-Wextra '$root/tests/programs/host_helpers.c' 2>&1`;
ok($? == 0 && $output eq '', 'nvcc tests/programs/host_helpers.c, as C') or diag($output);
chdir '/';
done_testing();
