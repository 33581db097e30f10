#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The program of each chapter: short enough to be read whole, right at every size, one line for a
# wrong argument; and it fails when its kernel leaves an element out.
use strict;
use warnings;
use Test::More;
use FindBin;
require "$FindBin::Bin/../lib/lib.pl";

my $build   = $ENV{BUILD}   // 'build';
my @devices = split ' ', $ENV{DEVICES} // 'cpu';
my $gpu     = system('nvidia-smi -L 2>/dev/null | grep -q "^GPU 0"') == 0;
my ($scratch, $root) = scratch_and_root();

for my $chapter (grep { -d } glob '[0-9][0-9]_*') {
    my $name   = $chapter =~ s/^\d+_//r;
    my $source = slurp("$chapter/$name.cu");
    my @lines  = split /\n/, $source;
    my ($kernel) = grep { $lines[$_] =~ /^__global__/ } 0 .. $#lines;
    cmp_ok(scalar @lines, '<=', 90, "$chapter/$name.cu: lines");
    cmp_ok($kernel + 1, '<=', 25, 'its first kernel');
    is_deeply([$source =~ /^#include "(.*)"/mg], ['../common/common.h'], 'what it includes of ours');

    for my $device (@devices) {
        my $program = "$build/$device/$chapter/$name";
      SKIP: {
            skip "no $program", 1 if !-x $program;
            my ($code, $out, $err);
            for my $wrong (qw(0 -1 +1 1K 1e6 0x10 99999999999999999999 --help), "''", "' 1'", '1 2') {
                ($code, $out, $err) = sh("$program $wrong");
                ok($code eq '2' && $out eq '' && $err =~ /\A[^\n]*number of elements, 1 to 2\^30\n\z/, "$program $wrong: exit code 2 and one line")
                    or diag("$code\n$out$err");
            }
            skip "no GPU: $program is not run", 1 if $device eq 'gpu' && !$gpu;
            for my $n (1, 31, 32, 33, 255, 256, 257, 1000003) {
                ($code, $out, $err) = sh("tests/lib/limit 120 $program $n");
                ok($code eq '0' && $err eq '' && $out =~ /\b$n (?:elements|floats)\b/ && $out =~ /^PASS\n\z/m
                    && (() = $out =~ /\n/g) <= 12, "$program $n") or diag("$code\n$out$err");
            }
            unlike($out, qr{GB/s|GFLOP/s|peak|\d ms\b}, 'nothing that the CPU device cannot know') if $device eq 'cpu';
            like($out, qr{no times}i, 'and it says so') if $device eq 'cpu';
        }
    }

  SKIP: {
        skip 'no build for the CPU device', 2 if !grep { $_ eq 'cpu' } @devices;
        my $broken = 0;
        while ($source =~ /i < n(?: \/ 4)?(?=\)|; i \+=)/g) {
            my ($before, $after) = (substr($source, 0, $-[0]), substr $source, $-[0]);
            my $line = 1 + (() = $before =~ /\n/g);
            my $text = $before . 'i + 1' . substr $after, 1;
            spew("$scratch/$chapter/$name.cu", $text =~ s{"\.\./common}{"$root/common}r);
            my ($code, $out, $err) = sh("common/cpu_device/cudacc -O1 $scratch/$chapter/$name.cu -o $scratch/broken && $scratch/broken 4000");
            ok($code eq '1' && $out =~ /^FAIL\b/m && $out !~ /^PASS/m, "$name.cu:$line breaks, and it fails") or diag("$code\n$out$err");
            $broken++;
        }
        ok($broken, "$name.cu has a guard to break");
    }
}
done_testing();
