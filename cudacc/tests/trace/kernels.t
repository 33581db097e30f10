#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Does `cudacc --trace` see every kernel, whatever else its name means? Each launch of
# cudacc/tests/trace/kernels/names.cu must be counted, and an error in it must be found: with g++ and, where
# present, clang++ (all of it with TEST_ALL=1); nvcc, where present, confirms that it is CUDA.
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch(qw(CC CXX MAKEFLAGS));
my $tests   = "$root/cudacc/tests/trace/kernels";
$ENV{CUDACC_PROBING} = 1; # what a compiler does otherwise is said once, not in these tests

sub rows { my (undef, @lines) = split /\n/, slurp($_[0]); return map { [split /,/] } @lines }

# The launches of a program in their order: kernel, requests for loads.
sub launches {
    my ($name) = @_;
    my @launches;
    for (grep { /^    (?:LAUNCH|FOUR)\(/ } split /\n/, slurp("$tests/$name.cu")) {
        push @launches, map { [/(\w+)(?:<\w+>)?$/, 2] } split /, /, $1 if /^    FOUR\((.*)\);/;
        next if /^    FOUR/;
        my ($kernel) = /(\w+)(?:<[\w, ]+>)?<<</;
        my ($loads)  = m{// LOADS (\d+)};
        push @launches, [$kernel // 'element', $loads // 2]; # the kernel of the other file
    }
    return @launches;
}

sub check {
    my ($cc, $name, @launches) = @_;
    system "ACCESS_REPORT=report.csv ./$name >$name.out 2>&1";
    is("$?" . slurp("$name.out"), "0CPU device: 0 errors\n", "$name, $cc: it runs without errors");
    my ($first) = grep { $_->[1] eq $launches[0][0] } rows('report.csv');
    my (%count, @wrong);
    $count{ $_->[0] - ($first->[0] // 0) }{ $_->[6] } += $_->[8] for rows('report.csv');
    for my $i (0 .. $#launches) {
        my ($kernel, $loads) = @{ $launches[$i] };
        my ($ld, $st) = map { $count{$i}{$_} // 0 } qw(ld st);
        push @wrong, "$kernel: $ld requests for loads, $st for stores; $loads and 2 would be right" if $ld != $loads || $st != 2;
    }
    ok(!@wrong, "$name, $cc: each launch is counted") or diag(join "\n", @wrong);

    @wrong = ();
    for my $i (0 .. $#launches) {
        local $ENV{ACCESS_ERRORS} = 'errors.csv';
        unlink 'errors.csv';
        system "./$name $i 1 >$name.out 2>&1";
        my $code = $? >> 8;
        my @found = map { "$_->[1]: $_->[0]" } rows('errors.csv');
        push @wrong, "$launches[$i][0]: exit code $code, '@found'" if $code != 4 || "@found" ne "$launches[$i][0]: out of bounds";
    }
    ok(!@wrong, "$name, $cc: an error is found in each kernel") or diag(join "\n", @wrong);
    return;
}

my %sources = (
    names    => "'$tests/names.cu' '$tests/names_other.cu'",
    loops    => "'$tests/loops.cu'",
    overload => "-rdc=true '$tests/overload.cu' '$tests/overload_other.cu'",
);
my @names = launches('names');
cmp_ok(scalar @names, '>', 50, 'launches are found in names.cu');
my @missing = grep { my $name = $_; !grep { $_->[0] eq $name } @names } slurp("$tests/names.cu") =~ /KERNEL\((\w+)\)$/mg;
is("@missing", '', 'each of its kernels is launched');
for my $compiler (['g++', 'gcc'], ['clang++', 'clang']) {
    my ($cxx, $cc) = @$compiler;
  SKIP: {
        skip "no $cxx", 16 if !found($cxx) || !found($cc);
        local @ENV{qw(CXX CC)} = @$compiler;
        for my $name ($cxx eq 'g++' || $ENV{TEST_ALL} || !found('g++') ? sort keys %sources : 'loops') {
            unlink $name;
            tells("'$cudacc' --trace -Wall -Wextra $sources{$name} -o $name", 0, '', "$name, $cc: it compiles without a word");
            check($cc, $name, launches($name)) if -x $name;
        }
    }
}
my $said = tells("'$cudacc' --trace '$tests/large.cu' -o large 2>&1 && ulimit -s 2048 && ./large", 4, 'large: many kernels with much shared memory end with an error, not by a signal');
like($said, qr/out of bounds.*\b60\b/s, 'which is found') or diag($said);
SKIP: {
    skip 'no nvcc on the PATH', 4 if !$ENV{NVCC};
    skip 'with TEST_ALL=1', 4 if !$ENV{TEST_ALL};
    for (sort keys %sources) {
        tells("'$ENV{NVCC}' -extended-lambda $sources{$_} -o nvcc", 0, "nvcc compiles $_, too");
    }
}
done_testing();
