#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The table that a program prints: it fits the terminal by leaving columns out, which CSV has, and
# nothing that tells two rows apart is lost.
use lib 'tests/lib';
use Tests;

plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
my ($scratch, $root) = scratch_and_root();
delete $ENV{COLUMNS};
spew("$scratch/names.cu", <<"END");
#include "$root/common/experiment/rows.h"
int main(int argc, char **argv) {
    static const char *const names[] = {"short", "a name that is longer than any column in a table is wide", "x", "x"};
    const char *wanted = getenv("WANTED");
    run_begin(argc, argv, "01_names/names", "Names.",
              wanted ? wanted : "variant dtype n block parameter value bytes samples median_ms min_ms max_ms gb_per_s gflop_per_s flag check",
              "elements", NO_ERRORS);
    run.on_cpu = 0; // whose tables have no times
    for (int i = 0; i < 4; i++) {
        struct row row = row_of(names[i]);
        row.dtype = "float", row.n = i == 3 ? 200 : 100, row.block = 256, row.bytes = 12 * row.n, row.samples = 21;
        row.parameter = i == 1 ? "of two words" : "hot";
        row.value = i + 1.0 / 3, row.median_ms = i == 1 ? 123456789.25 : 1.5, row.min_ms = i + 1, row.max_ms = i + 2;
        row.gb_per_s = 12.5 + i, row.gflop_per_s = 3 + i, row.bar = 1;
        row.flag = i == 2 ? "cache may help" : NULL, row.check = "ok";
        print_row(&row);
        if (i == 1)
            say("Between two rows.");
        if (i == 2 && getenv("EARLY"))
            exit(3);
    }
    finding("first", 1, "The first.");
    finding("second", 2, "The second.");
    return run_end();
}
END
chdir $scratch or die;
my ($code, $text) = output_of("'$root/cudacc/cudacc' names.cu -o names");
is($code, 0, 'it compiles') or BAIL_OUT($text);

my %shown;
my @columns = slurp('names.cu') =~ /"(variant [a-z_ ]+)"/ ? split ' ', $1 : ();
for my $columns (80, 100, 130, 300) {
    my ($status, $said) = output_of("COLUMNS=$columns ./names");
    my ($header, @lines) = $said =~ /^(variant .*?)^The first/ms ? split /\n/, $1 : '';
    $shown{$columns} = split ' ', $header;
    ok(!(grep { length > $columns } split /\n/, $said), "$columns columns: no line is longer") or diag($said);
    unlike($said, qr/\.\.|[- ]$/m, 'no text is cut, no line ends with what is not there');
    like($said, qr/^a name that is longer than any column in a table is wide(?:\n| )/m, 'a long name is whole') or diag($said);
    like($said, qr/^x [^\n]*(?:cache may help  ok|\n    cache may help\n)/m, 'a warning is not lost');
    like($said, qr/^short.*^Between two rows\.\nx .*^x /ms, 'what was said between rows is there');
    my @gone = ($said =~ s/\n/ /gr) =~ /No room for (.*?); COLUMNS=200 or --csv shows all\./ ? split /, /, $1 : ();
    is(join(' ', sort(@gone, split ' ', $header)), join(' ', sort @columns), 'what is left out is named');
    my $n = index($header, ' n ');
    is(join(' ', map { substr $_, $n - 1, 3 } grep { /^x / } @lines), '100 200', 'what tells two rows apart is there') or diag($said);
    like($said, $columns == 300 ? qr/ok +#{30}$/m : qr/^x[^#]*(#*)$/m, 'a bar where there is room');
}
ok($shown{80} <= $shown{100} && $shown{100} < $shown{130} && $shown{130} < $shown{300} && $shown{300} == 15,
    'the more room the more columns') or diag(join ' ', map { "$_: $shown{$_}" } sort keys %shown);
is((output_of('./names'))[1], (output_of('COLUMNS=80 ./names'))[1], 'in a pipe: 80');
($code, my $csv, my $talk) = sh('COLUMNS=80 ./names --csv');
is($csv, (sh('COLUMNS=300 ./names --csv'))[1], 'CSV has all columns always');
ok($talk =~ /^Between two rows\.\nThe first\.\nThe second\.\nPASS$/m && $talk !~ /^variant/m, 'and no table stands beside it') or diag($talk);
tells('EARLY=1 COLUMNS=80 ./names', 3, qr/^variant .*^x +hot /ms, not => qr/PASS/, 'a program that ends early shows the rows it has');

# Statistics leave before a name gets a line of its own.
tells("WANTED='variant n parameter median_ms min_ms max_ms check' COLUMNS=100 ./names",
    undef, qr/^No room for max_ms, min_ms;.*^variant +n +parameter +median_ms  check\n.* wide  +100  of two words /ms, 'texts are whole where times can go');

chdir $root or die;
my %source = map { m{^(\d\d_\w+)/(?:experiments/\d+_)?(\w+)\.cu$} ? ("$1/$2" => join '', map { slurp($_) } $_, glob "$1/experiments/*.h") : () }
    glob '[0-9][0-9]_*/*.cu [0-9][0-9]_*/experiments/*.cu';
my @listed = grep { !/^#/ } split /\n/, slurp('tools/measure/headlines');
my @unknown = grep { my ($program, $name) = m{^(\S+/\w+)\.(\w+)(?:\@cpu_device)?(?: !)?$}; !$name || ($source{$program} // '') !~ /"$name"/ } @listed;
is("@unknown", '', 'tools/measure/headlines names what programs find');
# ---- Findings that are not so ------------------------------------------------------------------
# One that its rows refute fails the run, whatever else is right.
spew("$scratch/claims.cu", <<"END");
#include "$root/common/experiment/rows.h"
int main(int argc, char **argv) {
    enum { MORE = 2 };
    run_begin(argc, argv, "01_claims/claims", "Claims.", "variant value check", NULL, NO_ERRORS);
    struct row slow = row_of("slow"), fast = row_of("fast");
    slow.value = 3, slow.check = "ok", fast.value = atof(getenv("FAST")), fast.check = "ok";
    print_row(&slow), print_row(&fast);
    double times = fast.value / slow.value;
    finding("times", times, "fast is %g times as fast as slow.", times);
    finding_if(times > MORE, "more", times, "fast is more than %d times as fast as slow.", MORE);
    return run_end();
}
END
my $claims = "'$scratch/claims'";
tells("'$root/cudacc/cudacc' '$scratch/claims.cu' -o $claims", 0, 'a program with a claim compiles');
tells("FAST=9 $claims", 0, qr/^fast is more than 2 times .*^PASS$/ms, 'a claim that its rows bear out passes');
for my $fast (6, 'nan') {
    tells("FAST=$fast $claims",
        1, qr/^FAIL: the rows refute 1 of the findings$/m, not => qr/PASS/, qr/^claims: the rows refute the finding more: it is not so that times > MORE$/m, "one that $fast refutes fails the run, and says which");
}
like((sh("FAST=6 $claims --csv"))[1], qr/^1,01_claims,claims,finding,,,,more,2,.*,FAIL$/m, 'and is marked in CSV');

# ---- Sentences that claim something --------------------------------------------------------------
# One that compares says so by finding_if, or stands right below the `if` or the `else` that chose it.
{
    my $words = qr/\b(?:never|more than|no more|no gain|no difference|does not|waits for the|returned only|up to|pays|faster by|first falls|falls most|from no|in all of|counts\.|sets the pace|blocked)\b/;
    my $part = qr/[^()"]|"(?:[^"\\]|\\.)*"/;
    my $bare = sub {
        my ($text) = @_;
        my @bare;
        while ($text =~ /\bfinding(\((?:$part|(?1))*\));/g) {
            my ($call, $before) = ($1, substr $text, 0, $-[0]);
            my $sentence = join '', $call =~ /"((?:[^"\\]|\\.)*)"/g;
            push @bare, $sentence if $sentence =~ $words && $before !~ m{(?:\belse|\bif (\((?:$part|(?1))*\)))\s*(?://.*\s*)?\z};
        }
        return @bare;
    };
    my @bare = map { my $file = $_; map { "$file: $_" } $bare->(slurp($file)) } glob "$root/[0-9][0-9]_*/experiments/*.{cu,h}";
    is(join("\n", @bare), '', 'no program compares without a claim');
    my ($chosen, $call) = ('if (f(a) > 2) // so', 'finding("x", f(a), "It is "' . "\n" . '"more than %d.", 2);');
    is(join(',', $bare->("$chosen\n$call else\n$call")), '', 'a sentence that was chosen has its claim there');
    is(join(',', $bare->("g(); $call")), 'xIt is more than %d.', 'and one that was not would be found');
}

# ---- Names ---------------------------------------------------------------------------------------
# A table leaves out a column that it does not know: a name that is none would never be missed.
{
    my %known = map { $_ => 1 } slurp("$root/common/experiment/table.h") =~ /COLUMN\((\w+), (?:TEXT|COUNT|REAL)/g;
    my $unknown = sub { my ($text) = @_; return grep { !$known{$_} } map { split } $text =~ /"(variant [a-z_ ]+)"/g };
    my @programs = glob "$root/[0-9][0-9]_*/experiments/*.{cu,h} $root/tools/measure/bench/*.cu";
    my @wrong = map { my $file = $_; map { "$file: $_" } $unknown->(slurp($file)) } @programs;
    is(join("\n", @wrong), '', 'no program asks for a column that is none');
    is(join(' ', $unknown->('"variant n spread check"')), 'spread', 'and one that did would be found');
}
done_testing();
