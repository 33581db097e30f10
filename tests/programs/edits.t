#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What a chapter's program shows without a GPU was counted in that run: twelve edits of a learner's, each of
# which changes a line of it to what the edited kernel does; and order and data follow suit.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my ($scratch, $root) = scratch_and_root();
my $n = 65536;    # 2048 warps; 64 pages for an array

# Builds a program, runs it, returns what it printed.
sub counted_run {
    my ($source) = @_;
    spew("$scratch/edited.cu", $source =~ s{"\.\./common}{"$root/common}r);
    my ($code, $out, $err) = sh("cudacc/cudacc -O1 -g --trace $scratch/edited.cu -o $scratch/edited");
    $code eq '0' or BAIL_OUT("$out$err");
    local %ENV = (%ENV, report_of("$scratch/run"));
    (undef, $out, $err) = sh("tests/lib/limit 120 $scratch/edited $n");
    return $out . $err;
}

# Chapter, what the edit is, its places and what comes there, what is counted then: columns of a line.
my $float4 = 'FLOAT4(out[i]) = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);';
my @scalars = map { "[i + $_]" } 0 .. 3;
my @edits = (
    ['03_bandwidth', 'another block', ['blocks(n, 512), 512' => 'blocks(n, 256), 256'], 'saxpy 256 256 101 4096 4.00 100 % 2048 4.00 100 %'],
    ['03_bandwidth', 'half the launches', ['LAUNCHES = 100' => 'LAUNCHES = 50'], 'saxpy 128 512 51 4096 4.00 100 % 2048 4.00 100 %'],
    ['03_bandwidth', 'x read one further on', ['a * x[i]' => 'a * x[(i + 1) % n]'], 'saxpy 128 512 101 4096 4.50 88.8 % 2048 4.00 100 %'],
    ['04_unified_memory', 'no prefetch', ['prefetch(x, bytes);' => '', 'prefetch(y, bytes);' => ''], 'x 23 64 64 64 64 0 64 device faults'],
    ['04_unified_memory', 'half a prefetch', ['prefetch(x, bytes);' => 'prefetch(x, bytes / 2);'],
        'x 11 64 64 64 64 0 32 device faults, 32 prefetched'],
    ['04_unified_memory', 'init on the other side', ['way == INITIALIZED_ON_DEVICE' => 'way != INITIALIZED_ON_DEVICE'], 'x 23 64 0 64 0 0'],
    ['05_coalescing', 'no stride', [' * s + blockIdx.y' => ' + blockIdx.y'], 'stride 128x2 256 21 2048 4.50 88.8 % 2048 4.50 88.8 %'],
    ['05_coalescing', 'another offset', ['threadIdx.x + s;' => 'threadIdx.x + 8 * s;'], 'offset 256 256 21 2046 4.00 100 % 2046 4.00 100 %'],
    ['05_coalescing', 'another block', ['(n + s - 1) / s, 256' => '(n + s - 1) / s, 128', 'stride<<<grid, 256>>>' => 'stride<<<grid, 128>>>'],
        'stride 16x32 128 21 2048 32.00 12.5 % 2048 32.00 12.5 %'],
    ['06_vectorized', 'four scalars for float4', [$float4 => join(' ', map { "out$_ = a$_ + b$_;" } @scalars), 'float4 p = CONST_FLOAT4(a[i]);' => '', 'float4 q = CONST_FLOAT4(b[i]);' => ''],
        'add_float4 128 128 21 4096 16.00 25 % 2048 16.00 25 %'],
    ['06_vectorized', 'scalars stored', [$float4 => 'out[i] = p.x + q.x; out[i + 1] = p.y + q.y; out[i + 2] = p.z + q.z; out[i + 3] = p.w + q.w;'],
        'add_float4 128 128 21 1024 16.00 100 % 2048 16.00 25 %'],
    ['06_vectorized', 'another block', ['{128, 128, 32}' => '{512, 128, 32}'], 'add_float 128 512 21 4096 4.00 100 % 2048 4.00 100 %'],
);

my %plain;
sub source_of { my ($chapter) = @_; return slurp("$chapter/" . $chapter =~ s/^\d+_//r . '.cu') }
for my $chapter (map { s{/questions}{}r } glob '[0-9]*_*/questions') {
    $plain{$chapter} = counted_run(source_of($chapter));
    like($plain{$chapter}, qr/^PASS\n\nCounted in this run.*\n\z/ms, "$chapter: what was counted stands below its output");
    unlike($plain{$chapter}, qr/^CPU device: /m, 'and no errors');
}
for (@edits) {
    my ($chapter, $what, $places, $expected) = @$_;
    my $line = join '\s+', map { quotemeta } split ' ', $expected;
    my $text = source_of($chapter);
    unlike($plain{$chapter}, qr/^$line$/m, "$chapter, $what: not so before");
    for (my @left = @$places; my ($from, $to) = splice @left, 0, 2;) {
        ok($text =~ s/\Q$from\E/$to/g, "'$from' is there");
    }
    my $said = counted_run($text);
    like($said, qr/^$line$/m, 'and so after it');
}

# The order: where the device begins as late as it may, no launch returns after its kernel, and what waits does;
# where a launch waits, it does, too.
for (['CPU_DEVICE_SCHEDULE', 'late', 21], ['CUDA_LAUNCH_BLOCKING', 1, 0]) {
    my ($variable, $value, $unfinished) = @$_;
    local $ENV{$variable} = $value;
    my $said = counted_run(source_of('01_sync_timing'));
    my %row = map { $_->{what} =~ s/\(.*//r . $_->{line} => $_ } csv_table(slurp("$scratch/run.order.csv"));
    my ($launch) = map { $row{$_} } grep { /^sum_arrays<<</ } sort keys %row;
    is("$launch->{times} $launch->{unfinished} $row{saxpy}{side} $row{saxpy}{times}", "21 $unfinished device 63", "$variable=$value: launches, and kernels");
    is(join('', map { $row{$_}{unfinished} } grep { /^CUDA_CHECK/ } keys %row) =~ tr/0//dr, '', 'what waits returns after them');
    like($said, qr/^In this order.*^ +$launch->{line}  sum_arrays<<<.* 21 +$unfinished$/ms, 'below the program, too');
}
unlike($plain{'05_coalescing'}, qr/^In this order/m, 'not where launches of a kernel differ');
done_testing();
