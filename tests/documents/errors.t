#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# cudacc/docs/errors.md, and README.md beside the programs, say what the tracer and compute-sanitizer say of
# cudacc/tests/trace/errors; each part of that is seen to fail. And the tracer still sees nothing in cudacc/tests/trace/errors/unseen.
use lib 'tests/lib';
use Tests;
use Programs;

my $root = getcwd();
plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;
delete @ENV{ grep { /^(?:ACCESS|CPU_DEVICE)_/ } keys %ENV };
$ENV{CUDACC_PROBING} = 1; # what a compiler does otherwise is no matter here
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";

sub output { return scalar `@_ 2>&1` }

my ($page, $table) = ('cudacc/docs/errors.md', 'cudacc/tests/trace/errors/README.md');
is(output("tools/documents/quote --check $page $table"), '', 'reports and tables are what tracer and measurement say');

# What the page, and docs/profilers.md, say of single programs stands in the table.
like(slurp($table), qr/^\| \[$_/m, "the row of $_") for 'past_end_byte\].*\*\*invalid write \(\d+', 'shared_past_end\].*bounds: \d+ \| - \| - \| - \| -',
    'between\].*\| - \| - \| never written \(\d+', 'shared_not_written\].*written: \d+ \| - \| - \| - \| -', 'barrier_two\].*\*\*barrier \(\d+',
    'device_pointer\].*: \d+(?: \| program died){4}', 'clean_memories\].*\| leak \(\d+\) \| - \| - \| -', 'clean_structs\].*\| never written \(\d+';

# Every kind of the tracer has its sentence.
my ($list) = slurp('cudacc/trace/report/print_error.c') =~ /kind_name\[\] = \{(.*?)\};/s;
like($list, qr{"leak"}, 'the list of kinds is read');
my $text = slurp($page);
my @missing = grep { $text !~ /^CPU device: (?:note: )?\Q$_\E: /m } $list =~ /"([^"]+)"/g;
is("@missing", '', 'each kind of error is shown');

# ---- What the tracer does not see --------------------------------------------------------------
my $scratch = tempdir(CLEANUP => 1);
my %built;
for my $program (map { programs_of($_) } glob 'cudacc/tests/trace/errors/unseen/*.cu') {
    my $to = "$scratch/program" . keys %built;
    my ($built, $messages) = @{ $built{ $program->{file} } //= [$to, output("cudacc/cudacc --trace -Wall -Wextra $program->{file} -o $to")] };
    my $said = $messages . output("ACCESS_TABLE=0 $built $program->{argument}");
    is("$said(exit code " . ($? >> 8) . ')', "CPU device: 0 errors\n(exit code 0)",
        "$program->{name}: not seen; once it is, move it to cudacc/tests/trace/errors");
}

# ---- Each check can fail -----------------------------------------------------------------------
my $copy = tempdir(CLEANUP => 1);
copy_into($copy, 'common', 'cudacc', 'tests', 'tools')
    or BAIL_OUT('cannot copy the tree');
chdir $copy or die;
# One report, or none: each takes a compiler.
my $one_report = $text =~ s/^<!-- report: (?!past_end ).*?^```text\n.*?^```\n//msgr;
my $no_report  = $text =~ s/^<!-- report: .*?^```text\n.*?^```\n//msgr;
spew($page, $one_report);
is(output("tools/documents/quote --check $page $table"), '', 'the copy is right, too');

my $quote = "tools/documents/quote --check $page $table";
my $h200 = 'cudacc/tests/trace/errors/results/nvidia_h200.csv';
my $line = qr{^(?:\Q$page\E|\Q$table\E):\d+: is not what its source says}m;
mistake_caught('what a program does', 'cudacc/tests/trace/errors/past_end.cu', qr{n = 1000}, 'n = 999', $quote, $line);
mistake_caught('a report that was typed', $page, qr/4000 bytes/, '400 bytes', $quote, $line);
spew($page, $no_report);
mistake_caught('a count that was not measured', $h200, qr/^race_tile,racecheck,\K1/m, '2', $quote, $line);
mistake_caught('a program that was not measured', $h200, qr/^past_end,memcheck,.*\n/m, '', $quote, $line);
mistake_caught('a mark in a program', 'cudacc/tests/trace/errors/frees.cu', qr{// NOTE leak}, '', $quote, $line);
mistake_caught('a mark of no kind', 'cudacc/tests/trace/errors/frees.cu', qr{// NOTE leak}, '// NOTE leek', $quote,
    qr{^\Q$page\E:\d+: cudacc/tests/trace/errors/frees\.cu:\d+: what is 'leek'\?}m);
mistake_caught('a verdict that was typed', $table, qr/\*\*race \(3\)\*\*/, '**race (4)**', $quote, $line);
mistake_caught('a program that is unseen for no reason', 'cudacc/tests/trace/errors/unseen/unseen.cu', qr{^// UNSEEN: An allocation is watched.*\n}m, '', $quote,
    qr{unseen\.cu: other_field: no UNSEEN});
mistake_caught('a file that is not there', $table, qr{verdicts: \S+}, 'verdicts: nowhere.csv', $quote, qr{^\Q$table\E:\d+: no .*nowhere\.csv}m);

# A program that has changed since is not what was measured; a comment in it does not count.
my $source = slurp('cudacc/tests/trace/errors/race_tile.cu');
spew('cudacc/tests/trace/errors/race_tile.cu', $source =~ s/^int main/\/\/ Begins here.\nint main/mr);
is(output("tools/documents/quote --check $page $table"), '', 'a comment more in a program');
spew('cudacc/tests/trace/errors/race_tile.cu', $source =~ s/int i =/int  j = 0, i =/r);
output("tools/documents/quote $page $table");
like(slurp($table), qr/\[race_tile\].*\| not measured \| not measured \|/, 'a program that was not measured as it is');
spew('cudacc/tests/trace/errors/race_tile.cu', $source);
output("tools/documents/quote $page $table");

# The access report of a lesson's program, whole and one of its launches.
spew('lesson.md', join "\n", '<!-- access: cudacc/tests/trace/report/example.cu -->', '```text', '```', '',
    '<!-- access: cudacc/tests/trace/report/example.cu, 1 -->', '```text', '```', '');
is(output('tools/documents/quote lesson.md'), '', 'an access report is written');
like(slurp('lesson.md'), qr/\A<!-- .*\n```text\nAccess report: .*\ntranspose, grid .*\n```\n\n<!-- .*\n```text\nevery_fourth, grid [^`]*\n```\n\z/s,
    'all of it, and one launch');
unlike(slurp('lesson.md') =~ s/.*, 1 -->//sr, qr/transpose|Access report/, 'and no other');
is(output('tools/documents/quote --check lesson.md'), '', 'and is right');
spew('lesson.md', slurp('lesson.md') =~ s/131072(?!.*131072)/131073/sr);
like(output('tools/documents/quote --check lesson.md'), qr/^lesson\.md:\d+: is not what its source says/, 'a count in it that was typed');

# compute-sanitizer is credited for the same mistake only.
my ($named) = slurp($page) =~ /^out of bounds +\d+ +\d+ +(\d+)/m;
spew($h200, slurp($h200) =~ s/^(past_end,memcheck,\d+,)"Invalid[^"]*"/$1"Leaked 4000 bytes at ADDRESS"/mr);
is(output("tools/documents/quote $page"), '', 'make docs rewrites it');
like(slurp($page), qr/^out of bounds +\d+ +\d+ +@{[$named - 1]} /m, 'a word about a leak is none about an overrun');

chdir $root;
done_testing();
