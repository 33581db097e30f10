#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The table that a program prints: it fits the terminal by leaving columns out, which CSV has, and no
# name moves a column.
use strict;
use warnings;
use Test::More;
use FindBin;
use Cwd qw(getcwd);
use File::Path qw(make_path);
require "$FindBin::Bin/../lib/lib.pl";

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my ($scratch, $root) = scratch_and_root();
delete $ENV{COLUMNS};
spew("$scratch/names.cu", <<"END");
#include "$root/common/experiment/rows.h"
int main(int argc, char **argv) {
    static const char *const names[] = {"short", "a name that is longer than any column in a table is wide", "x"};
    const char *wanted = getenv("WANTED");
    run_begin(argc, argv, "01_names/names", "Names.",
              wanted ? wanted : "variant dtype n block parameter value bytes samples median_ms min_ms max_ms gb_per_s gflop_per_s flag check",
              "elements", NO_ERRORS);
    run.on_cpu = 0; // whose tables have no rates
    for (int i = 0; i < 3; i++) {
        struct row row = row_of(names[i]);
        row.dtype = "float", row.n = 100, row.block = 256, row.bytes = 1200, row.samples = 21;
        row.parameter = i == 1 ? "a parameter of many words too" : "hot";
        row.value = 1.0 / 3, row.median_ms = i == 1 ? 123456789.25 : 1.5, row.min_ms = 1, row.max_ms = 2;
        row.gb_per_s = 12.5, row.gflop_per_s = 3, row.bar = 1;
        row.flag = i == 2 ? "cache may help" : NULL, row.check = "ok";
        print_row(&row);
    }
    finding("first", 1, "The first.");
    finding("second", 2, "The second.");
    return run_end();
}
END
chdir $scratch or die;
my ($code, $text) = output_of("'$root/common/cpu_device/cudacc' names.cu -o names");
is($code, 0, 'it compiles') or BAIL_OUT($text);

sub table { # of the output: its header and its rows
    my ($said) = @_;
    my ($table) = $said =~ /^(variant .*?)^The first/ms;
    return split /\n/, $table // '';
}
my %shown;
my @columns = slurp('names.cu') =~ /"(variant [a-z_ ]+)"/ ? split ' ', $1 : ();
for my $columns (60, 80, 100, 130, 300) {
    my ($status, $said) = output_of("COLUMNS=$columns ./names");
    my ($header, @lines) = table($said);
    $shown{$columns} = split ' ', $header;
    my $at = index $header, 'check';
    is(join(' ', map { index $_, 'ok', $at - 1 } grep { /ok(?: |$)/ } @lines), "$at $at $at", "$columns columns: no name moves the last one") or diag($said);
    ok(!(grep { length > ($columns < 80 ? 80 : $columns) } $header, @lines), 'no line is longer') or diag($said);
    like($said, qr/^a name that is longer than any column in a table is wide$/m, 'the long name has a line of its own');
    like($said, qr/cache may help/, 'a flag is not lost');
    my @gone = $said =~ /^No room for (.*); COLUMNS=200 or --csv shows all\.$/m ? split /, /, $1 : ();
    is(join(' ', sort(@gone, split ' ', $header)), join(' ', sort @columns), 'what is left out is named');
    like($said, $columns == 300 ? qr/ok +#{30}$/m : qr/ok( +#+)?$/m, 'a bar where there is room');
}
ok($shown{80} < $shown{100} && $shown{100} < $shown{130} && $shown{130} < $shown{300} && $shown{300} == 15, 'the more room the more columns');
is((output_of('./names'))[1], (output_of('COLUMNS=80 ./names'))[1], 'in a pipe: 80');
is((sh('COLUMNS=80 ./names --csv'))[1], (sh('COLUMNS=300 ./names --csv'))[1], 'CSV has all columns always');

# What rows differ by stays longest: their texts before the least and the greatest, n before a flag.
($code, $text) = output_of("WANTED='variant n parameter median_ms min_ms max_ms check' COLUMNS=80 ./names");
like($text, qr/^No room for max_ms, min_ms;.*^variant +n +parameter +median_ms +check.*^ +100  a parameter of many\.\. /ms, 'texts are whole where times can go');
($code, $text) = output_of("WANTED='variant n parameter value median_ms flag check' COLUMNS=80 ./names");
like($text, qr/^No room for flag;.*^variant +n +parameter/ms, 'n stays where a flag can go');

chdir $root or die;
my %source = map { m{^(\d\d_\w+)/(?:experiments/\d+_)?(\w+)\.cu$} ? ("$1/$2" => join '', map { slurp($_) } $_, glob "$1/experiments/*.h") : () }
    glob '[0-9][0-9]_*/*.cu [0-9][0-9]_*/experiments/*.cu';
my @listed = grep { !/^#/ } split /\n/, slurp('tools/measure/findings');
my @unknown = grep { my ($program, $name) = m{^(\S+/\w+)\.(\w+)(?:\@cpu_device)?$}; !$name || ($source{$program} // '') !~ /"$name"/ } @listed;
is("@unknown", '', 'tools/measure/findings names what programs find');
# ---- Names ---------------------------------------------------------------------------------------
# A table leaves out a column that it does not know: a name that is none would never be missed.
{
    my %known = map { $_ => 1 } slurp("$root/common/experiment/rows.h") =~ /COLUMN\((\w+), (?:TEXT|COUNT|REAL)/g;
    my $unknown = sub { my ($text) = @_; return grep { !$known{$_} } map { split } $text =~ /"(variant [a-z_ ]+)"/g };
    my @programs = glob "$root/[0-9][0-9]_*/experiments/*.{cu,h} $root/tools/measure/bench/*.cu";
    my @wrong = map { my $file = $_; map { "$file: $_" } $unknown->(slurp($file)) } @programs;
    is(join("\n", @wrong), '', 'no program asks for a column that is none');
    is(join(' ', $unknown->('"variant n spread check"')), 'spread', 'and one that did would be found');
}
done_testing();
