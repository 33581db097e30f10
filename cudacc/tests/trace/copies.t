#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Structs that move in pieces: do all forms of an assignment count the same?
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch();
ok(system("'$cudacc' --trace '$root/cudacc/tests/trace/copies/forms.cu' -o forms") == 0, 'it compiles') or BAIL_OUT('forms.cu');
my ($code, $out, $err) = sh('ACCESS_REPORT=run.csv ./forms');
is("$code: $out", "0: no error\n", 'it runs') or diag($err);
my %counts;
for (split /\n/, slurp('run.csv')) {
    my ($launch, $kernel, @fields) = split /,/;
    push @{ $counts{$kernel} }, join ' ', @fields[-6 .. -1];
}
delete $counts{kernel};
is_deeply($counts{plain}, ['ld 8 3 72 768 2304', 'st 8 3 72 768 2304'], 'three pieces of 8 bytes');
is_deeply($counts{$_}, $counts{plain}, "$_: the same") for grep { $_ ne 'plain' } sort keys %counts;
is(scalar keys %counts, 16, 'all kernels are counted');
done_testing();
