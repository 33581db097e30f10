#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The CPU device counts and puts in order; it does not time. So no program prints a time, a rate, a
# spread or a share of times there, and no stored result of it holds one. And each table fits its
# terminal: no line is wider, no two rows look alike.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my $build  = $ENV{BUILD} // 'build';
my @widths = (80, 100, 200);

# ---- Times -------------------------------------------------------------------------------------
my $number = qr/\d[\d.]*(?:e[-+]?\d+)?/;
my $unit   = qr/ms|us|ns|microseconds?|milliseconds?|seconds?|[KMGT]i?B\/s|G?FLOP\/s/;

# What of a text is a time or made of times: each with its line. A dash may stand in the place of one, in a
# sentence before its unit, in a table below its heading.
sub times_in {
    my ($text) = @_;
    my @found;
    for my $line (split /\n/, $text =~ s/^.*\n(?=.* -$)//mgr =~ s/ - (?:$unit|%)//gr) {
        push @found, $line if $line =~ /$number ?(?:$unit)\b/ || $line =~ m{\b[GMK]i?B/s\b|\bGFLOP/s\b}
            || $line =~ /\b(?:median|min|max)_ms\b|\bspread_pct\b|\bspread above\b|\bg(?:b|flop)_per_s\b/
            || $line =~ /$number ?(?:%|percent)[^\n]*\b(?:time|peak|bandwidth|launch)\b/
            || $line =~ /\btimes as (?:long|fast)\b/;
    }
    return @found;
}

# ---- Tables ------------------------------------------------------------------------------------
# Rows that look alike but for their check and what was measured, in a table that a program printed.
# A long name has a line of its own, and the rest of its row stands below it.
sub alike_in {
    my ($text) = @_;
    my (%seen, @alike, $header);
    for my $line (split /\n/, $text =~ s/\n {8,}/  /gr) {
        if ($line =~ /^variant\b/ || ($header && $line =~ /^(?:PASS|FAIL)/)) {
            ($header, %seen) = $line =~ /^variant\b/ ? $line : ();
            next;
        }
        next if !$header || $line !~ /^\S.* (?:ok|FAIL|-|\d[\d.]*)$/;
        push @alike, $line if $seen{$line}++;
    }
    return @alike;
}

# These tests can fail.
is(scalar(times_in("A launch takes 3.1 us.\n12.5 GB/s\n in GB/s\nvariant  median_ms\n2.9 % of its time\nspread_pct\n1.5 times as long\n")), 7, 'a time, a rate, a share of times is found');
is(scalar(times_in("32 sectors, 4 KiB, 12.5 % of the bytes\nlaunch 1 to 128\n600 ms_list\n2 flops for 12 bytes: 0.167 flop/byte\n  - ms\n GB/s\n  -\n")), 0, 'and a count is none');
is(scalar(alike_in("variant  n  check\na  1  ok\na  2  ok\na  1  ok\nPASS\n")), 1, 'two rows alike are found');
is(scalar(alike_in("variant   n  check\na long name\n          1  ok\na long name\n          2  ok\nPASS\n")), 0, 'and not two with a long name');

# ---- What programs print ---------------------------------------------------------------------------
my @times = qw(samples median_ms min_ms max_ms gb_per_s gflop_per_s);

# The rows of CSV that hold a time.
sub timed_rows {
    my ($csv) = @_;
    return grep { my $row = $_; grep { length $row->{$_} } @times } csv_table($csv);
}
is(scalar(timed_rows("variant,n," . join(',', @times) . "\na,1,,,,,,\nb,2,,0.5,,,,\n")), 1, 'a row that holds a time is found');

# A program's table: no times, nothing wider than the terminal, no two rows alike.
sub check_output {
    my ($name, $columns, $said) = @_;
    is(join("\n", times_in($said)), '', "$name, $columns columns: no times");
    return if $name !~ m{/experiments/};
    is(join("\n", grep { length > $columns } split /\n/, $said), '', 'nothing is wider');
    is(join("\n", alike_in($said)), '', 'no two rows are alike');
    unlike($said, qr/\.\.(?: |$)/m, 'no text is cut');
    return;
}

my @programs = sort grep { -f && -x } glob "$build/cpu/[0-9][0-9]_*/{,experiments/}*";
ok(@programs > 50, 'there are programs') or BAIL_OUT("nothing in $build/cpu");
delete @ENV{qw(FINDINGS COLUMNS)};
for my $program (@programs) {
    my $experiment = $program =~ m{/experiments/};
    my @runs = $experiment ? ((map { [$_, '--quick'] } @widths), [80, '--csv']) : [80, '10007'];
    push @runs, [80, '--errors'] if $experiment && (sh("$program --help"))[1] =~ /--errors/;
    for (@runs) {
        my ($columns, $way) = @$_;
        my ($code, $out, $err) = shows("COLUMNS=$columns tests/lib/limit 120 $program $way", '0', undef, undef, "$program $way");
        check_output("$program $way", $columns, $way eq '--csv' ? $err : $out);
        next if $way ne '--csv';
        is(scalar(timed_rows($out)), 0, 'nor in CSV');
        unlike($err, qr/^variant\b/m, 'beside which no table stands');
    }
}

# ---- The order that is shown is the one that was -----------------------------------------------------
for (['', 0, 'before'], ['CUDA_LAUNCH_BLOCKING=1', 1, 'after']) {
    my ($variables, $value, $when) = @$_;
    my $out = (sh("$variables $build/cpu/01_sync_timing/experiments/1_sync_timing --size 100000"))[1];
    is(join(' ', $out =~ /launch only +(\d)/g), "$value $value $value", "a launch, $variables: had the kernel ended?");
    like($out, qr/^The launch returned $when its kernel had ended/m, 'and so it is said');
}

# ---- What is stored --------------------------------------------------------------------------------
for my $file (glob '[0-9][0-9]_*/results/cpu_device*.{txt,csv}') {
    my $text = slurp($file);
    is(scalar(timed_rows($text)), 0, "$file: no row holds a time") if $file =~ /csv$/;
    my $sentences = $file =~ /csv$/ ? join "\n", map { "$_->{parameter} $_->{flag}" } csv_table($text) : $text =~ s/^#.*\n//mgr;
    my @found = times_in($sentences);
    is(scalar(@found), 0, "$file: no time is said") or diag(join "\n", @found[0 .. ($#found < 4 ? $#found : 4)]);
}
done_testing();
