#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# ACCESS_STORES: which bytes are as kernels have stored them, and accesses that were not seen.
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch();
my ($code, $text) = output_of("$cudacc --trace -O2 -g $root/cudacc/tests/trace/stores/stores.cu -o $scratch/stores");
is($code, 0, 'it compiles') or BAIL_OUT($text);

sub said {
    my ($environment) = @_;
    my ($code, $out, $err) = sh("ACCESS_TABLE=0 $environment $scratch/stores");
    is($code, 0, "$environment: no errors") or diag($err);
    return $out;
}

# A float has four bytes, of which those of another value may be the same.
my $right = <<'END';
a kernel: right, sum 15950, stored 4000, unseen none
copied: 4000, 4000
the host has changed one: 3998
from the host: right, sum 15950, stored 0, unseen none
all kinds: right, sum 15950, stored 4000, unseen none
atomics: sum 7975, stored 4
END
my $stores_hidden = "hidden loads: right, sum 15950, stored 4000, unseen none\nhidden stores: right, sum 15950, stored 0, unseen some\n";
my $loads_hidden  = "hidden loads: wrong, sum 0, stored 4000, unseen none\nhidden stores: wrong, sum 0, stored 0, unseen some\n";
is(said(''), $right =~ s/(?:stored|copied:|one:) \K\d+(, \d+)?/defined $1 ? '0, 0' : 0/ger . $stores_hidden =~ s/stored \K\d+|some/$& eq 'some' ? 'none' : 0/ger, 'without it nothing is known');
is(said('ACCESS_STORES=1'), $right . $stores_hidden, 'a store that was not seen, by what has changed');
is(said('ACCESS_STORES=scramble'), $right . $loads_hidden, 'a load that was not seen, by what comes of it');

# Beside kernels that run, and what is not known.
my $beside = "$scratch/beside";
($code, $text) = output_of("$cudacc --trace -O2 -g -c $root/cudacc/tests/trace/stores/beside.cu -o $beside.o && $cudacc --trace $beside.o -o $beside && $cudacc --trace=blocks:2 $beside.o -o $beside.sampled");
is($code, 0, 'it compiles') or BAIL_OUT($text);
for (
    ['copy',    'a copy meanwhile: right, right, unseen none'],
    ['new',     'new memory meanwhile: unseen none'],
    ['texture', 'a texture: right, unseen none'],
    ['large',   "allocated: cudaSuccess\ntoo little memory: right, unseen not known"],
    ['blocks',  'four blocks: unseen none']
  )
{
    my ($what, $expected) = @$_;
    shows("ACCESS_TABLE=0 ACCESS_STORES=scramble $beside $what", '0', "$expected\n", undef, "beside a kernel: $what");
}
shows("ACCESS_TABLE=0 ACCESS_STORES=1 $beside.sampled blocks", '0', "four blocks: unseen not known\n", undef, 'blocks that are not traced are not called unseen');
done_testing();
