#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make access: every line of a kernel that touches global or shared memory, with its text, its counts
# and advice; launches that are equal once.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
plan skip_all => 'no addr2line (Debian package: binutils): no lines' if !found('addr2line');
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS CHAPTER PROGRAM SIZE DEVICE)};

my ($program) = glob '05_coalescing/experiments/*_transpose.cu';
my @source = split /\n/, slurp($program);
my $text = tells('make -s access DEVICE=cpu CHAPTER=05_coalescing PROGRAM=transpose', 0, 'make access');
my ($launches, @wrong, %shown) = (0);
my $kernel = '';
for my $line (split /\n/, $text) {
    $kernel = $1, $launches++ if $line =~ /^(\w+), grid /;
    next if $line !~ /^ +(\d+)  (\S.*)/;
    my ($number, $said) = ($1, $2 =~ s/\.\.\z//r);
    push @wrong, $line if index($source[$number - 1], $said) < 0;
    push @{ $shown{$kernel} }, $number;
}
is("@wrong", '', 'each line has its text');
my %memory = (naive => qr/out\[/, tiled => qr/tile\[|out\[/);
for my $name (sort keys %memory) {
    my ($first) = grep { $source[$_] =~ /__global__ void $name\(/ } 0 .. $#source;
    my ($last) = grep { $_ > $first && $source[$_] eq '}' } 0 .. $#source;
    my @touching = map { $_ + 1 } grep { $source[$_] =~ /$memory{$name}.* = / } $first .. $last;
    my %seen = map { $_ => 1 } @{ $shown{$name} // [] };
    is(join(' ', grep { !$seen{$_} } @touching), '', "$name: no line is left out");
}
like($text, qr/out +st +4 +\d+ +\d+ +32\.00 +12\.5 %\n +-> stride \d+ in x: 32 sectors where 4 would do; stage a tile in shared memory/,
    'a column of the result: the advice for a matrix');
like($text, qr/-> 32-way bank conflict: pad the rows, tile\[32\]\[33\]/, 'and for a tile');
is($launches, 4, 'launches that are equal once') or diag($text);
is(join('', grep { length > 100 } split /\n/, $text), '', 'no line of more than 100 columns');
done_testing();
