#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What experiments say on the CPU device by arithmetic, sectors, what is used of them, turns in shared
# memory, requests, is what the tracer counts when they run: row by row. So no picture of sectors lies.
# TEST_ALL=1 has all of these programs traced, else those that differ most.
use lib 'tests/lib';
use Tests;
use Access qw(build);

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my $build = $ENV{BUILD} // 'build';
my ($scratch, $root) = scratch_and_root();
my $SIZE = 4096;    # elements: all warps are full, a matrix has 64 x 64

my @programs = ((map { "05_coalescing/$_" } qw(misalignment stride sums transpose)), '06_vectorized/widths');
push @programs, (map { "05_coalescing/$_" } qw(offset granularity scattered layouts)), (map { "06_vectorized/$_" } qw(sizes cause alignment))
    if $ENV{TEST_ALL};
my $traced = do {
    local @ENV{qw(BUILD CUDACCFLAGS)} = ("$build/arithmetic", '-O1');
    build('cpu', @programs);
};

sub table { # a file of CSV, as hashes
    my ($text) = @_;
    my ($head, @lines) = map { [fields($_)] } split /\n/, $text;
    return map { my $line = $_; +{ map { $head->[$_] => $line->[$_] } 0 .. $#$head } } @lines;
}

# A program's rows, and its launches: for each op of each array {requests, sectors, useful, moved},
# for shared memory {requests, wavefronts}.
sub run_traced {
    my ($program) = @_;
    my $report = "$scratch/report";
    unlink glob "$report*";
    local $ENV{ACCESS_REPORT} = "$report.csv";
    my ($code, $out, $err) = sh("tests/lib/limit 120 $traced->{$program} --quick --csv --size $SIZE");
    is($code, 0, "$program, traced") or diag($err);
    my @launches;
    for my $row (table(slurp("$report.csv")), table(slurp("$report.shared.csv"))) {
        my $launch = $launches[$row->{launch}] //= { kernel => $row->{kernel} };
        my $what = defined $row->{variable} ? "shared $row->{op}" : $row->{op};
        $launch->{$what}{$_} += $row->{$_} // 0 for qw(requests sectors useful_bytes moved_bytes wavefronts);
    }
    return ([grep { $_->{variant} ne 'finding' } table($out)], [grep { $_ } @launches], $err);
}

sub each_request { # of 32 lanes that all take part: what a warp has less, as at an array's end, does not count
    my ($count, $size) = @_;
    return 0 if !$count || !$count->{useful_bytes};
    return 32 * $size * $count->{sectors} / $count->{useful_bytes};
}

sub near { my ($is, $said) = @_; return abs($is - $said) <= 0.01 * $said }

# Compares rows and launches in their order, after the checks that come first; each row says sectors
# of which ops. Rows without sectors in their parameter have them as their value.
sub compare_sectors {
    my ($program, $skip, $ops_of) = @_;
    return if !$traced->{$program};
    my ($rows, $launches) = run_traced($program);
    my @launches = splice @$launches, $skip;
    ok(@$rows > 2 && @launches >= @$rows, "$program: a launch for each row") or diag(@$rows . ' rows, ' . @launches . ' launches');
    my @wrong;
    for my $i (0 .. $#$rows) {
        my ($row, $launch) = ($rows->[$i], $launches[$i]);
        my $sectors = $row->{parameter} =~ /^(\d+) sect\./ ? $1 : $row->{value};
        for my $op ($ops_of->($row->{variant}, $row)) {
            my $count = $launch->{$op};
            my $is = each_request($count, 4);
            push @wrong, "$row->{variant}, $launch->{kernel}: $op $is, said $sectors" if !near($is, $sectors);
            next if $row->{parameter} !~ /used %/;
            my $used = 100 * $count->{useful_bytes} / (32 * $count->{sectors});
            push @wrong, "$row->{variant}: $used % used, said $row->{value}" if abs($used - $row->{value}) > 0.5;
        }
    }
    is(join("\n", @wrong), '', "$program: as the tracer counts");
    return ($rows, \@launches);
}

compare_sectors('05_coalescing/offset', 5, sub { qw(ld st) });
compare_sectors('05_coalescing/stride', 7, sub { qw(ld st) });
compare_sectors('05_coalescing/misalignment', 8, sub { $_[0] =~ /read/ ? 'ld' : $_[0] =~ /write/ ? 'st' : qw(ld st) });
compare_sectors('05_coalescing/scattered', 4, sub { $_[0] =~ /read \+/ ? qw(ld st) : $_[0] =~ /^read/ ? 'ld' : 'st' });
# A fetch of 32 bytes is a sector: a lane's share of a request. Larger ones are the memory's affair.
compare_sectors('05_coalescing/granularity', 4, sub { $_[1]{parameter} =~ /fetch 32/ ? 'ld' : () });
compare_sectors('05_coalescing/layouts', 0, sub { qw(ld st) });
compare_sectors('05_coalescing/sums', 0, sub { 'ld' });

# Of a transpose the first two rows say the sectors of a store, the others the turns in shared memory.
{
    my ($rows, $launches, $said) = run_traced('05_coalescing/transpose');
    is(join(' ', map { $_->{variant} =~ s/,.*//r } @$rows), 'copy naive tiled tiled', 'the transposes');
    is(join(' ', map { each_request($launches->[$_]{st}, 4) } 0, 1), join(' ', map { $rows->[$_]{value} } 0, 1), 'sectors of a store');
    my @turns = map { $launches->[$_]{'shared ld'}{wavefronts} / $launches->[$_]{'shared ld'}{requests} } 2, 3;
    is("@turns", join(' ', map { $rows->[$_]{value} } 2, 3), 'turns in shared memory');
    is(join(' ', map { each_request($_->{ld}, 4) } @$launches), '4 4 4 4', 'all load rows');
    is(join(' ', $said =~ /touches\s+(\d+)\s+sectors/g, $said =~ /: (\d+) turns?$/mg), '4 32 32 1', 'and so they are drawn');
}

# ---- Pictures ------------------------------------------------------------------------------------
# The characters of a picture are the lanes: each once, in so many boxes as sectors are said.
for my $program (qw(offset stride layouts sums transpose)) {
    my ($code, $out) = sh("$build/cpu/" . (glob "05_coalescing/experiments/*_$program.cu")[0] =~ s/\.cu$//r . ' --quick');
    my @pictures = $out =~ /touches\s+(\d+)\s+sectors,\s+\d+\s+bytes\n((?: {4}[|~].*\n)+)/g;
    ok(@pictures >= 4, "$program draws") or diag($out);
    my @wrong;
    while (my ($sectors, $picture) = splice @pictures, 0, 2) {
        my @boxes = $picture =~ /[|~]([.\w]{8})/g;
        my $lanes = join '', grep { $_ ne '.' } map { split // } @boxes;
        push @wrong, $picture if @boxes != $sectors || $lanes ne join '', 0 .. 9, 'a' .. 'v';
    }
    is("@wrong", '', "$program: all lanes, in as many boxes as sectors");
    my ($narrow) = (sh('COLUMNS=60 ' . "$build/cpu/" . (glob "05_coalescing/experiments/*_$program.cu")[0] =~ s/\.cu$//r . ' --quick'))[1];
    is(join("\n", grep { /^ {4}[|~]/ && length > 60 } split /\n/, $narrow), '', 'and no wider than 60 columns');
}

# ---- Loads before a thread waits -----------------------------------------------------------------
# "2 x 16 B, 16 sect.": the launches of a variant in other blocks follow, unseen; all count alike.
for my $program (grep { $traced->{"06_vectorized/$_"} } qw(widths cause alignment)) {
    my ($rows, $launches) = run_traced("06_vectorized/$program");
    my @rows = grep { $_->{parameter} =~ / x / } @$rows;
    my %kernel = (float => 'add_float', float2 => 'add_float2', float4 => 'add_float4', 'float4, 1/4 of the grid' => 'add_float4',
        'float4, 1/4 of the block' => 'add_float4', '4 floats' => 'add_unrolled4', '8 floats' => 'add_unrolled8',
        'saxpy float' => 'saxpy_float', 'saxpy float4' => 'saxpy_float4', '1 float' => 'add_float', '4 floats in turn' => 'add_in_turn4',
        'in turn, __restrict__' => 'add_in_turn4_restrict', '4 floats at once' => 'add_unrolled4', 'loop, 1 at a time' => 'add_loop',
        'struct of four' => 'add_struct', '__align__(16) struct' => 'add_struct');
    my %seen;
    my @wrong;
    for my $row (@rows) {
        my ($loads, $width, $sectors) = $row->{parameter} =~ /^(\d+) x (\d+) B, (\d+) sect\., in flight$/ or push @wrong, "$row->{variant}: $row->{parameter}";
        push @wrong, "$row->{variant}: $loads x $width is not $row->{value}" if $loads * $width != $row->{value};
        my $kernel = $kernel{ $row->{variant} } // '';
        my @of_kernel = grep { $_->{kernel} =~ /^$kernel\b/ } @$launches;
        my $launch = $of_kernel[$kernel eq 'add_struct' ? $seen{$kernel}++ : 0];
        my $is = $launch && $launch->{ld}{requests} ? $launch->{ld}{sectors} / $launch->{ld}{requests} : 'none';
        push @wrong, "$row->{variant}: $is sectors for a load, said $sectors" if $is ne $sectors;
        my $requests = 2 * 4 * $SIZE / (32 * $width);
        push @wrong, "$row->{variant}: $launch->{ld}{requests} requests, not $requests" if ($launch->{ld}{requests} // 0) != $requests;
    }
    cmp_ok(scalar @rows, '>=', 4, "$program says loads");
    is(join("\n", @wrong), '', "$program: as the tracer counts");
}
if ($traced->{'06_vectorized/sizes'}) {
    my ($rows, $launches) = run_traced('06_vectorized/sizes');
    my @all = sort { $a <=> $b } map { $_->{ld}{requests} } @$launches;
    is("@all", join(' ', sort { $a <=> $b } map { $_->{value} } @$rows), 'sizes: requests to load');
}
done_testing();
