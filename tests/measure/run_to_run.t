#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# tools/measure/run_to_run: the median and the extremes of the processes, of the row that moves most bytes.
use lib 'tests/lib';
use Tests;

my ($scratch, $root) = scratch_and_root();
my $tool = "'$root/tools/measure/run_to_run'";
# A program whose large row takes 11, 12, 13... ms, one more in each process.
sub program {
    my ($name, $times) = @_;
    spew("$scratch/gpu/$name", <<"END", 0755);
#!/bin/sh
count=\$(cat "$scratch/count" || echo 10)
count=\$((count + 1))
echo \$count >"$scratch/count"
echo variant,n,bytes,median_ms
echo small,1,12,0.5
echo large,2,24,$times
END
}
my @names = qw(03_bandwidth/experiments/1_bandwidth 04_unified_memory/experiments/1_ladder
    05_coalescing/experiments/3_misalignment 06_vectorized/experiments/1_widths);
program($_, '$count') for @names;
spew("$scratch/count", "10\n");
my $text = tells("$tool $scratch/gpu", 0, 'it ends well');
like($text, qr/^variant,processes,median_ms,min_ms,max_ms,between_pct$/m, 'a head');
like($text, qr/^"bandwidth: large, 2",5,13,11,15,30\.77$/m, 'five processes: median, least, greatest, and how far apart');
like($text, qr/^"widths: large, 2",5,28,26,30,14\.29$/m, 'and so for each chapter');
spew("$scratch/count", "10\n");
like((output_of("$tool $scratch/gpu 2"))[1], qr/^"bandwidth: large, 2",2,11\.5,11,12,/m, 'of two: between them');
program($names[0], '');
like((output_of("$tool $scratch/gpu"))[1], qr/"bandwidth: small, 1",5,0\.5,0\.5,0\.5,0\.00/, 'a row without a time does not count');
spew("$scratch/gpu/$names[1]", "#!/bin/sh\necho reason >&2\nexit 1\n", 0755);
is((output_of("$tool $scratch/gpu"))[0], 1, 'a program that fails: exit code 1');
is((output_of($tool))[0], 2, 'without a folder: exit code 2');
done_testing();
