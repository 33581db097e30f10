#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# `cudacc --trace` with compilers other than the one at hand: a sample here, all of it with TEST_ALL=1.
# g++-11, the oldest: it counts and finds what g++ does. clang: it finds the same, its accesses are as wide
# as a GPU's, loops and branches in step; what it is known to do otherwise stands here and in
# cudacc/README.md.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my $all = delete $ENV{TEST_ALL};
delete $ENV{CUDACCFLAGS};
chdir root();

sub compiler { # programs that are made with it have a folder of their own
    my ($cc, $cxx) = @_;
    @ENV{qw(CC CXX BUILD)} = ($cc, $cxx, tempdir(CLEANUP => 1));
    return;
}

# Another test, with the compiler that the environment names.
sub passes {
    my ($test, @arguments) = @_;
    my ($code, $said) = output_of(join ' ', $^X, "cudacc/tests/trace/$test", @arguments);
    is($code, 0, join ' ', "$ENV{CXX}: $test", map { s{.*/}{}r } @arguments) or diag(grep { !/^ok/ } map { "$_\n" } split /\n/, $said);
    return;
}

my @sample = qw(dies_assert past_end race_tile clean_bitonic clean_histogram);

SKIP: {
    skip 'no g++-11 and gcc-11 (Debian packages of that name)', 1 if !found('g++-11') || !found('gcc-11');
    compiler('gcc-11', 'g++-11');
    if ($all) {
        passes($_) for 'counts.t', 'errors.t', 'random.t';
    } else {
        local $ENV{CUDACC_RUNTIME_FLAGS} = '-O0 -g1';    # it is built for few programs
        passes('errors.t', @sample);
        passes('random.t', 1, 0); # its known kernels alone
        tells('cudacc/tests/trace/compare cpu cudacc/tests/trace/branches', 0, 'g++-11: counts of branches, against those of a GPU');
    }
}
SKIP: {
    skip 'no clang++ (Debian package: clang)', 1 if !found('clang++');
    compiler('clang', 'clang++');
    if (!$all) {
        # What clang makes of the tracer as it is written: optimized, some of what C leaves open comes right by luck.
        local $ENV{CUDACC_RUNTIME_FLAGS} = '-O0 -g1';
        passes('errors.t', @sample);
        skip 'the rest with clang: with TEST_ALL=1', 1;
    }
    passes('errors.t');
    is((output_of('cudacc/trace/probe cudacc/cudacc'))[1], '', 'the probe finds nothing');
    my @runs = map { "cudacc/tests/trace/$_" } qw(branches loops memory shared steps vectors);
    my $said = `cudacc/tests/trace/compare cpu @runs 2>/dev/null`;
    like($said, qr/^NVIDIA.* equal/m, 'counts against those of a GPU') or diag($said);
    # Equal, though listed: nearer to nvcc than gcc is.
    my @others = grep { !/^NVIDIA/ && !/: equal, though listed/ } split /\n/, $said;
    is("@others", '', "@runs: as the GPU counts") or diag($said);
}
SKIP: {
    skip 'no arm64 (Debian packages: qemu-user, gcc-aarch64-linux-gnu, g++-aarch64-linux-gnu)', 1 if !found('qemu-aarch64') || !found('aarch64-linux-gnu-g++');
    local @ENV{qw(CUDACC_RUNTIME_FLAGS CUDACC_PROBING)} = ('-O0 -g1', 1);    # it is built for one program
    my $program = tempdir(CLEANUP => 1) . '/past_end';
    tells("cudacc/tests/runtime/arm64 cudacc/cudacc --trace cudacc/tests/trace/errors/past_end.cu -o $program && $program", 4, qr/^CPU device: 1 error$/m, 'arm64, under qemu');
}
done_testing();
