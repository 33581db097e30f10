#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The program of each chapter: short enough to be read whole, right at every size, one line for a
# wrong argument; and it fails when its kernel leaves an element out. Its text is the same for each device;
# on the CPU device a time and what is made of it print as `-`.
use lib 'tests/lib';
use Tests;

my $build   = $ENV{BUILD}   // 'build';
my @devices = split ' ', $ENV{DEVICES} // 'cpu';
my $gpu     = system('nvidia-smi -L 2>/dev/null | grep -q "^GPU 0"') == 0;
my ($scratch, $root) = scratch_and_root();

# What a program must not be, that is to be read whole and copied: "line: what".
sub not_plain {
    my ($source) = @_;
    my ($line, $start, @found) = (0, 0);
    for (split /\n/, $source) {
        $line++;
        $start = $line if /^\w.*\)\s*\{$/;
        push @found, "$start: a function of more than 45 lines" if /^\}/ && $start && $line - $start >= 45;
        $start = 0 if /^\}/;
        my $code = s/"(?:[^"\\]|\\.)*"/""/gr =~ s{//.*}{}r;
        push @found, "$line: a loop that begins below 0" if $code =~ /for \(int \w+ = -/;
        $code =~ s/\bfor \([^;]*;[^;]*;/for (/;
        push @found, "$line: two statements" if $code =~ /;\s*[^\s}]/ || $code =~ /^\s*if\b.*\)\s+\w.*;/;
        push @found, "$line: one question within another" if $code =~ /\?.*\?/;
        1 while $code =~ s/\([^()]*\)|\{[^{}]*\}|\[[^\[\]]*\]//;
        push @found, "$line: a comma between statements" if $code =~ /^[^)]*,[^)]*;$/ && $code =~ /=|^\s*return\b|^\s*\w+,/;
    }
    return @found;
}
my $bad = join "\n", 'int main(void) {', '    a[i] = x, b[i] = y;', '    return fputs("no\n", stderr), 3;', '    for (int i = -1; i < n; i++)',
    '    free(a), free(b);', '    a = 1; b = 2;', '    if (a) b = 3;', '    a = b ? c : d ? e : f;', ('') x 40, '}';
is(join(', ', map { /^(\d+)/ } not_plain($bad)), '2, 3, 4, 5, 6, 7, 8, 1', 'what is not plain is found');
is_deeply([not_plain("int f(int a) {\n    for (int i = 0; i < a; i++)\n        b += i == 3 ? 1 : 0; // one; two, c = 3\n}\n")], [], 'and nothing else');

for my $chapter (grep { -d } glob '[0-9][0-9]_*') {
    my $name   = $chapter =~ s/^\d+_//r;
    my $source = slurp("$chapter/$name.cu");
    my @lines  = split /\n/, $source;
    my ($kernel) = grep { $lines[$_] =~ /^__global__/ } 0 .. $#lines;
    cmp_ok(scalar @lines, '<=', 100, "$chapter/$name.cu: lines");
    cmp_ok(scalar(grep { /\S/ && !m{^//|^#include} } @lines), '<=', 40, 'the first program of all: lines of code') if $chapter =~ /^00/;
    cmp_ok($kernel + 1, '<=', 25, 'its first kernel');
    is_deeply([$source =~ /^#include "(.*)"/mg], ['../common/common.h'], 'what it includes of ours');
    is(join("\n", not_plain($source)), '', 'what is not plain in it');
    unlike($source, qr/CPU device"|__CUDACC|on_cpu/, 'no branch on the device');

    for my $device (@devices) {
        my $program = "$build/$device/$chapter/$name";
      SKIP: {
            skip "no $program", 1 if !-x $program;
            my ($code, $out, $err);
            for my $wrong (qw(0 -1 +1 1K 1e6 0x10 99999999999999999999 --help), "''", "' 1'", '1 2') {
                shows("$program $wrong", '2', '', qr/\A[^\n]*number of elements, 1 to 2\^30\n\z/, "$program $wrong: exit code 2 and one line");
            }
            skip "no GPU: $program is not run", 1 if $device eq 'gpu' && !$gpu;
            for my $n (1, 31, 32, 33, 255, 256, 257, 1000003) {
                ($code, $out, $err) = sh("tests/lib/limit 120 $program $n");
                ok($code eq '0' && $err eq '' && $out =~ /\b$n (?:elements|floats)\b/ && $out =~ /^PASS\n\z/m
                    && (() = $out =~ /\n/g) <= 12, "$program $n") or diag("$code\n$out$err");
            }
            unlike($out, qr{\d (?:ms|us|%|GB/s|GFLOP/s)|peak}, 'no times, nothing made of them') if $device eq 'cpu';
            like($out, qr/ -(?: |$)/m, 'but a mark where they would stand') if $device eq 'cpu';
        }
    }

  SKIP: {
        skip 'no build for the CPU device', 2 if !grep { $_ eq 'cpu' } @devices;
        my $broken = 0;
        while ($source =~ /(?<=\()i < n(?=\))|(?<== first; )i < n|(?<=for \(; )i < n/g) {
            my ($before, $after) = (substr($source, 0, $-[0]), substr $source, $-[0]);
            my $line = 1 + (() = $before =~ /\n/g);
            my $text = $before . 'i + 1' . substr $after, 1;
            spew("$scratch/$chapter/$name.cu", $text =~ s{"\.\./common}{"$root/common}r);
            my ($code, $out, $err) = sh("cudacc/cudacc -O1 $scratch/$chapter/$name.cu -o $scratch/broken && $scratch/broken 4001");
            ok($code eq '1' && $out =~ /^FAIL\b/m && $out !~ /^PASS/m, "$name.cu:$line breaks, and it fails") or diag("$code\n$out$err");
            $broken++;
        }
        ok($broken, "$name.cu has a guard to break");
    }
}
# The program of bandwidth takes no more memory than is free.
{
    my $source = slurp('03_bandwidth/bandwidth.cu') =~ s{"\.\./common}{"$root/common}r
        =~ s/cudaMemGetInfo\(&free_bytes, &all_bytes\)/(free_bytes = all_bytes = 1000000, cudaSuccess)/r;
    spew("$scratch/little.cu", $source);
    shows("cudacc/cudacc -O1 $scratch/little.cu -o $scratch/little && $scratch/little", '0', qr/saxpy on 65536 elements/, undef, 'and it asks for free memory');
}
done_testing();
