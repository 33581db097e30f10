#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Every kernel of every experiment at the edge sizes, on every device it was built for: each element
# against the reference, poisoned output, guards on every buffer, inputs unchanged.
use lib 'tests/lib';
use Tests;

my $MANY  = $ENV{TEST_ALL} ? 1000000 : 100000;
my @sizes = (0 .. 5, 31 .. 33, 63, 64, 127, 128, 255 .. 257, 1023 .. 1025, map { $MANY + $_ } 0 .. 3);
my $build = $ENV{BUILD} // 'build';
my $gpu   = system('nvidia-smi -L 2>/dev/null | grep -q "^GPU 0"') == 0;

for my $device (split ' ', $ENV{DEVICES} // 'cpu') {
    for my $source (sort glob '[0-9][0-9]_*/experiments/*.cu') {
        my $program = "$build/$device/" . $source =~ s/\.cu$//r;
      SKIP: {
            if ($device eq 'gpu' && !$gpu) {
                BAIL_OUT('REQUIRE_GPU is set: no usable GPU') if $ENV{REQUIRE_GPU};
                skip "no GPU: $program is not run", 1;
            }
            my ($code, $out, $err) = sh("tests/lib/limit 300 $program --csv --size " . join ',', @sizes);
            my ($header, @rows) = map { [fields($_)] } split /\n/, $out;
            my %column = map { $header->[$_] => $_ } 0 .. $#$header;
            my (%sizes, @wrong);
            for my $row (@rows) {
                my ($variant, $n, $check) = @$row[@column{qw(variant n check)}];
                $sizes{$variant}{ $n || 0 }++;    # as often as the table has it, in other blocks
                push @wrong, "$variant, n = " . ($n || 0) if $check ne 'ok';
            }
            ok($code eq '0' && !@wrong, "$program: every variant at every size") or diag("$code: @wrong\n$err");
            my @incomplete = grep { my $of = $sizes{$_}; grep { ($of->{$_} // 0) != $of->{1} } @sizes } sort keys %sizes;
            ok(%sizes && !@incomplete, 'and none is left out: ' . join ', ', sort keys %sizes) or diag("@incomplete");
        }
    }
}
done_testing();
