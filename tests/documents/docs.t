#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The documents are true: quotes, figures, links, what they owe to the articles, spelling. Then each
# check is seen to fail, in a copy of the tree in which something is wrong.
# (Their commands are run by `make docs-check` and tests/documents/commands.t.)
use lib 'tests/lib';
use Tests;

my $root = getcwd();

# What a command prints on both outputs; its exit code is in $?.
sub output { return scalar `@_ 2>&1` }

my @documents = grep { -f } 'README.md', glob('[0-9][0-9]_*/*.md docs/*.md cudacc/docs/*.md {cudacc,cudacc/extra,cudacc/tests/trace/errors,docs/snippets,tests}/README.md'),
    glob('[0-9][0-9]_*/exercises/*/README.md');
# An exercise may have been worked on: tools/teach/lint_exercises compares what its page shows. What programs
# have to be run for takes a compiler.
is(output('tools/documents/quote', '--check', $ENV{TEST_ALL} ? () : '--quick', grep { !m{/exercises/} } @documents), '', 'what the documents quote and claim is there');
is(output('tools/documents/links', @documents), '', 'what they link is there, and the commands');
is(output('tools/measure/checksums', '--check'), '', 'no result has been edited');

# What make help lists, docs/commands.md explains, in the same group, with an example; and nothing else.
sub commands_of {
    my ($text, $title, $command) = @_;
    my ($group, %in) = '';
    for (split /\n/, $text) {
        $group = $1 if /$title/;
        push @{ $in{$group} }, $1 if /$command/;
    }
    return join '', map { "$_: @{[ sort @{ $in{$_} } ]}\n" } sort keys %in;
}
sub explained { return commands_of($_[0], qr/^## (.*)/, qr/^\| `make ([a-z-]+)[^`]*` \| \w.{10,}\|$/) }
my $commands = slurp('docs/commands.md');
my $help = commands_of(output(q(make -s help MAKEFLAGS=)), qr/^([A-Z][^:(]*\w)(?::| \(|$)/, qr/^  ([a-z-]+) {2,}\S/);
like($help, qr/^Change the course: .*\btest\b.*^Learn: .*\bcheck\b/ms, 'make help has groups');
is(explained($commands), $help, 'docs/commands.md explains the commands of make help, in its groups');
isnt(explained($commands =~ s/^\| `make $_\b.*\n//mr), $help, "and would miss $_") for qw(run format);
isnt(explained($commands =~ s/`make run`/`make walk`/r), $help, 'and would find one that is not');
is(join("\n", grep { length > 80 } split /\n/, output('MAKEFLAGS= make -s help')), '', 'make help fits 80 columns');
like(slurp('README.md'), qr{\]\(docs/commands\.md\)}, 'README.md leads there');

# ---- Where everything is -----------------------------------------------------------------------
# Each file, folder and function that docs/architecture.md names (capitals stand for any name) is there.
my @sources = grep { !m{^build/} } map { s{^\./}{}r } split /\n/, `find . -name .git -prune -o -type f -print`;
my $code = join '', map { slurp($_) } grep { m{^(?:common|cudacc|tools)/.*(?:\.[ch]|\.pm)$} } @sources;
sub gone {
    my ($page) = @_;
    my @names = $page =~ s/^    .*\n//mgr =~ /`([a-z][a-z0-9_.\/]*)(?:\(\))?`/g;
    return grep { my $name = $_; $name =~ m{[./]} ? !grep { m{(?:^|/)\Q$name\E(?:$|(?<=/))} } @sources
        : $name =~ /_/ ? $code !~ /\b$name\b/ : 0 } @names;
}
my $architecture = slurp('docs/architecture.md');
is(join(' ', gone($architecture)), '', 'what docs/architecture.md names is there');
is(join(' ', gone("`trace/nowhere/`, `count.c`, `trace/`, `counted.c`, `no_function()`\n")), 'trace/nowhere/ counted.c no_function', 'and would be missed');

# ---- What the lessons owe to the articles ------------------------------------------------------
# A chapter's lesson, of one page or more.
sub lesson_of { my ($chapter) = @_; return join '', map { slurp($_) } glob "$chapter/*.md" }

# The places in the list whose words a lesson lacks.
sub missing_from_lessons {
    my %lesson;
    my @missing;
    my $line = 0;
    for (split /\n/, slurp('tests/documents/articles.txt')) {
        $line++;
        next if /^#|^\s*$/;
        my ($chapter, @words) = split / \| /;
        die "tests/documents/articles.txt:$line: '$_'?" if !@words || $chapter !~ /^\w+$/;
        $lesson{$chapter} //= lesson_of($chapter) =~ s/^<!-- results:.*?^```\n.*?^```\n//msgr
            =~ s/<!--.*?-->//sgr =~ s/\s+/ /gr;
        push @missing, map { "tests/documents/articles.txt:$line: $chapter has no '$_'" }
            grep { $lesson{$chapter} !~ /(?<![\w.])\Q$_\E(?!\w|\.\d)/ } @words;
    }
    return @missing;
}
is(join("\n", missing_from_lessons()), '', 'the lessons give every figure of the articles');

# ---- Figures -----------------------------------------------------------------------------------
# The figures that a lesson does not show, with words for those who cannot see it and, below it, what to
# look at.
sub not_shown {
    my ($chapter, @svgs) = @_;
    my $text = lesson_of($chapter);
    return grep { $text !~ m{^!\[[^\]]{60,}\]\(figures/\Q$_\E\)\n\n\*[^\n]{60,}\n}m } map { m{([^/]+)\.(?:gp|pl)$} ? "$1.svg" : () } @svgs;
}
is(join(' ', not_shown($_, glob "$_/figures/*.{gp,pl}")), '', "$_ shows its figures, with words")
    for grep { -d "$_/figures" } glob '[0-9][0-9]_*';
is(join(' ', not_shown('05_coalescing', '9_none.gp', '9_no_picture.pl', glob '05_coalescing/figures/*.{gp,pl}')), '9_none.svg 9_no_picture.svg', 'and would miss one');

# ---- Spelling ----------------------------------------------------------------------------------
SKIP: {
    skip 'no codespell (Debian package: codespell)', 2 if system('command -v codespell >/dev/null 2>&1');
    my @text = grep { !m{/results/} } @documents, glob('[0-9][0-9]_*/*.cu [0-9][0-9]_*/experiments/*.{cu,h} common/*.h common/experiment/*.h');
    is(output('codespell', @text), '', 'codespell finds nothing in documents and programs');
    my $folder = tempdir(CLEANUP => 1);
    spew("$folder/wrong.md", "We recieve a pointer.\n");
    like(output('codespell', "$folder/wrong.md"), qr/wrong\.md:1: recieve/, 'and would');
}

# ---- Each check can fail -----------------------------------------------------------------------
my $copy = tempdir(CLEANUP => 1);
my @tree = grep { !m{^(?:\.|build$)} } glob '*';
copy_into($copy, @tree) or BAIL_OUT('cannot copy the tree');
chdir $copy or die;

my ($lesson, $second, $deeper) = map { "05_coalescing/$_.md" } qw(README layouts deeper);
my $h200 = '05_coalescing/results/nvidia_h200';
my $pages = "README.md $lesson $second $deeper";
my $check = "{ tools/documents/quote --check --quick $pages; quoted=\$?; tools/documents/links $pages && [ \$quoted = 0 ]; }";
my $sums = "tools/measure/checksums --check";

mistake_caught('a number in what a program printed', "$h200.txt", qr/^stride  8 +32 +\K\d/m, undef, $check,
    qr{^$lesson:\d+: is not what its source says, $h200\.txt:\d+;}m);
mistake_caught('the same, by its checksum', "$h200.txt", qr/^stride  8 +32 +\K\d/m, undef, $sums, qr{^$h200\.txt: FAILED$}m);
mistake_caught('a number in a CSV file', "$h200.csv", qr/^1,05_coalescing,sums,rows,.*,\d+\.\K\d/m, undef, $sums, qr{^$h200\.csv: FAILED$}m);
mistake_caught('a row that is gone', "$h200.csv", qr/^1,05_coalescing,sums,columns,.*\n/m, '', $sums, qr{^$h200\.csv: FAILED$}m);
mistake_caught('results that were never stored', 'docs/results.sha256', qr/^.*$h200\.csv\n/m, '', $sums, qr{^$h200\.csv: no checksum: }m);
mistake_caught('a line in a function that is quoted', '05_coalescing/experiments/9_transpose.cu', qr/x = top \+ threadIdx\.x;/, 'x = top;',
    $check, qr{^$second:\d+: is not what its source says, 05_coalescing/experiments/9_transpose\.cu:\d+;}m);
mistake_caught('a function that is gone', '05_coalescing/experiments/9_transpose.cu', qr/void tiled\(/, 'void toiled(', $check,
    qr{^$second:\d+: experiments/9_transpose\.cu has no function tiled$}m);
mistake_caught('a counter in a table', "${h200}_counters.txt", qr/^read at 1 .* \K\d(?=\d{7}\n)/m, undef, $check,
    qr{^$deeper:\d+: is not what its source says}m);
mistake_caught('a counter beside the rows of a table', "${h200}_counters.txt", qr/^x, structures +\d+ +\K\d/m, undef, $check,
    qr{^$second:\d+: is not what its source says}m);
mistake_caught('a column that the rows do not have', $second, qr/^column gb_per_s %\.0f/m, 'column gb_per_s{(x)} %s', $check,
    qr{^$second:\d+: no /\(x\)/ in the column gb_per_s$}m);
mistake_caught('a row whose samples lie apart', "$h200.csv", qr/^1,05_coalescing,sums,rows,(?:[^,]*,){10}\K[\d.]+/m, '9.9', $check,
    qr{^$lesson:\d+: is not what its source says}m);
mistake_caught('a figure in a sentence', $lesson, qr/<!--=stride_1-->\K\d/, undef, $check, qr{^$lesson:\d+: is not what its source says}m);
mistake_caught('a figure that nobody defines', $lesson, qr/<!--=stride_1-->/, '<!--=strode-->', $check, qr{^$lesson:\d+: no number is called 'strode'}m);
mistake_caught('a sentence that the data does not support', "$h200.csv", qr/^1,05_coalescing,sums,rows,.*,sectors per request,32,(?:\d*,){3}\K\d\.\d+/m, '0.0001',
    $check, qr{^$second:\d+: does not hold: 1 < staged < rows < 4 \(}m);
mistake_caught('a row that the text needs', "$h200.csv", qr/^1,05_coalescing,transpose,"tiled, \Kpadded/m, 'pudding', $check,
    qr{^$second:\d+: results/nvidia_h200\.txt has 0 numbers for transpose\[tiled, padded\]\.gb_per_s$}m);
mistake_caught('a number in a finding', $deeper, qr{<!--=05_coalescing/offset\.article_launch_ms-->[^\d<]*\K\d}, undef, $check,
    qr{^$deeper:\d+: is not what its source says}m);
# A finding: its sentence and its value come from the row of that name.
{
    my $rows = '01_sync_timing/results/nvidia_h200.csv';
    my $document = "It read: <!--=01_sync_timing/clocks.slept, ms-->less<!--/--> That is <!--=01_sync_timing/clocks.slept, ms %.1f-->0<!--/--> ms,\n"
        . "and elsewhere <!--=01_sync_timing/clocks.slept, ms\@cpu_device-->as before<!--/-->.\n";
    my $was = slurp($rows);
    spew($rows, $was . qq(1,01_sync_timing,clocks,finding,,,,"slept, ms",11.62,,,,,,,,,"The clock, asleep, read ""12 ms"".",\n));
    spew('found.md', $document);
    my $said = output('tools/documents/quote --check found.md');
    ok($? != 0 && 2 == (() = $said =~ /^found\.md:1: is not what its source says/mg)
        && $said =~ m{^found\.md:2: 01_sync_timing/results/cpu_device\.csv has no finding clocks\.slept, ms$}m, 'findings, quoted wrong or not there') or diag($said);
    is(output('tools/documents/quote found.md'), '', 'make docs quotes those that are there');
    is(slurp('found.md') =~ s/<!--.*?-->//gr, "It read: The clock, asleep, read \"12 ms\". That is 11.6 ms,\nand elsewhere as before.\n", 'sentence and value; the other stays');
    like(output('tools/documents/quote --check found.md'), qr/\Afound\.md:2: [^\n]*\n\z/, 'and only the other is missing then');
    spew('found.md', "It read <!--=01_sync_timing/clocks-->x<!--/-->.\n<!--=01_sync_timing/clocks.slept, ms-->The<!--/-->\n");
    $said = output('tools/documents/quote --check found.md');
    ok($said =~ m{^found\.md:1: cannot read '01_sync_timing/clocks'$}m && $said =~ m{^found\.md:2: <!--=01_sync_timing/clocks\.slept, ms--> begins a line$}m,
        'a name that is none, one that begins a line') or diag($said);
    spew($rows, $was);
}
# A table: rows in its order, under other names, one of several with the same variant.
{
    spew('rows.csv', join "\n", 'program,variant,value,median_ms', 'p,slow,1,8', 'p,slow,2,16', 'p,fast,1,2', 'q,fast,1,3', '');
    my $document = "<!-- table: rows.csv p\ncolumn variant %s | Way\ncolumn value %d | Times\ncolumn median_ms*1000 %.0f | us\n"
        . "column median_ms/first %.2f | of it\nrows slow; value=2 as the slow way | fast\n-->\n";
    spew('table.md', "$document\nText.\n");
    like(output('tools/documents/quote --check table.md'), qr/^table\.md:\d+: is not what its source says/m, 'a table that is not there');
    is(output('tools/documents/quote table.md'), '', 'make docs writes it');
    is(slurp('table.md'), "$document| Way | Times | us | of it |\n| --- | ---: | ---: | ---: |\n"
        . "| the slow way | 2 | 16000 | 1.00 |\n| fast | 1 | 2000 | 0.12 |\n\nText.\n", 'of the rows that it names');
    spew('table.md', $document =~ s/; value=2//r);
    like(output('tools/documents/quote --check table.md'), qr/^table\.md:\d+: rows\.csv has 2 rows 'slow' of p$/m, 'a row that could be two');
}
# A table's rows may be picked by more than their variant; a number may come from a program with options.
{
    my $rows = '03_bandwidth/results/nvidia_h200';
    my $table = "<!-- table: $rows.csv size_sweep\ncolumn value %s | MiB\ncolumn gb_per_s %.0f | GB/s\nrows saxpy4_256; value=30%s\n-->\n";
    spew('table.md', $table =~ s/%s\n-->/; parameter=hot, MiB touched\n-->/r);
    is(output('tools/documents/quote table.md'), '', 'a row of a table, by conditions');
    like(slurp('table.md'), qr/^\| MiB \| GB\/s \|\n\| --- \| ---: \|\n\| 30 \| \d{4} \|\n\z/m, 'is that row');
    spew('table.md', $table =~ s/%s\n-->/\n-->/r);
    like(output('tools/documents/quote table.md'), qr/has 2 rows 'saxpy4_256; value=30' of size_sweep$/m, 'two are not one');
    spew('table.md', "<!-- table: docs/gpus.csv card\ncolumn variant %s | GPU\ncolumn =2*mem_mhz*bus_bits/8/1000 %.1f | GB/s\nrows T4\n-->\n\nIt has <!--=sms-->0<!--/-->.\n\n"
        . "<!-- numbers: docs/gpus.csv\nsms %d card[T4].sms\n-->\n");
    is(output('tools/documents/quote table.md'), '', 'a column of several fields');
    like(slurp('table.md'), qr/^\| T4 \| 320\.1 \|\n.*-->40</ms, 'is computed, and a number may come from a list');
    spew('table.md', "There are <!--=fmas-->0<!--/-->.\n\n<!-- numbers: ${rows}_counters.txt\nfmas %d roofline --quick --size 32M[float, 2 FMA].ffma\n-->\n");
    is(output('tools/documents/quote table.md') . (slurp('table.md') =~ /-->(\d+)</)[0], 2 * 2**25, 'a number from a program with options');
}
# Strict documents: those that have a list of what is given. None loses it.
{
my @strict = qw(00_first_kernel/README.md 01_sync_timing/README.md 02_events/README.md 03_bandwidth/README.md 04_unified_memory/README.md 05_coalescing/README.md
    06_vectorized/README.md 05_coalescing/layouts.md docs/method.md docs/timers.md docs/what_changed.md docs/cheat_sheet.md docs/on_your_gpu.md), glob '[0-9]*/deeper.md';
    is(join(' ', grep { slurp($_) !~ /^<!-- given:\n/m } @strict), '', 'documents that are strict');
    my $timers = 'docs/timers.md';
    my $strict = "tools/documents/quote --check --quick $timers";
    my $at_the_end = qr/\n(?=<!-- numbers: )/;
    is(output($strict), '', 'a strict document as it is');
    for ('4.5 GB/s', '12 µs', '3 times', '7 %', '64 MiB', '2^22', '2²²', '1 to 3 ms', '5,000 blocks', '`n=4096`') {
        mistake_caught("a bare number: $_", $timers, $at_the_end, "\nIt is $_ here.\n\n", $strict, qr{^$timers:\d+: a bare number, no figure and not given: \S}m);
    }
    mistake_caught('a statement for each of some values', $timers, qr/^\? 0\.012 \* \{n\} .*< \K1\.6$/m, '1.2', $strict, qr{^$timers:\d+: does not hold: .*n=4194304;.* < 1\.2 \(}m);
    mistake_caught('half of a range', $timers, $at_the_end, "\nFrom <!--=n_limit-->2^27<!--/--> to 28 MB.\n\n", $strict,
        qr{^$timers:\d+: a bare number, no figure and not given: \.\.\. to 28 MB$}m);
    my $was = slurp($timers);
    spew($timers, $was =~ s/$at_the_end/"\nIn 2024 an H200 ran `x --size 4096` in [9 parts](#time-10-ms); <!--=n_limit-->2^27<!--\/--> ms.\n\n"/er);
    is(output($strict), '', 'a year, a name, code, a link and a figure are none');
    spew($timers, $was);
    mistake_caught('what is given and not there', $timers, qr/^rounded up from the table: .*/m, 'rounded up from the table: "within 0.5 %" "17 GiB"', $strict,
        qr{^$timers:\d+: gives "17 GiB", which covers no number of the text$}m);
    mistake_caught('no reason', $timers, qr/^rounded up from the table: /m, '', $strict, qr{^$timers:\d+: cannot read '"within 0\.5 %"'$}m);
    mistake_caught('a guard of less', $timers, qr/^\?ncu_apart .*- 1\) < \K1$/m, '0.1', $strict,
        qr{^$timers:\d+: '%\.0f' makes 0 of the bound 0\.1$}m);
    mistake_caught('a guard that does not hold', $timers, qr/^\?ncu_apart %\.0f.*/m, '?ncu_apart %.3f 100 * abs(ncu_us / 1 - 1) < 0.001', $strict,
        qr{^$timers:\d+: does not hold: 100 \* abs\(ncu_us / 1 - 1\) < 0\.001 \(}m);
    mistake_caught('a sentence with another bound', $timers, qr/<!--=ncu_apart-->\K1/, '3', $strict, qr{^$timers:\d+: is not what its source says}m);
    mistake_caught('a size in a stored row', '06_vectorized/results/nvidia_h200.csv', qr/,limit,float4,float,\K134217728(?=,256,)/, '67108864', $strict,
        qr{^$timers:\d+: is not what its source says}m);
    mistake_caught('a size that is no power of 2', '06_vectorized/results/nvidia_h200.csv', qr/,limit,float4,float,13421772\K8(?=,256,)/, '7', $strict,
        qr{^$timers:\d+: 134217727 is no power of 2$}m);
    spew('formats.md', "<!-- numbers: found.md\nblocks %, 2 * 262144\nn 2^% 32 * 2\n?least %, 1200 < 1300\n?most %.1f abs(3 - 5) < 2.5\n-->\n"
        . join '', map { "a <!--=$_-->0<!--/--> b\n" } qw(blocks n most));
    like(output('tools/documents/quote formats.md'), qr/^formats\.md:4: one side has to be a number: 1200 < 1300$/m, 'a bound is one');
    spew('formats.md', slurp('formats.md') =~ s/^\?least.*\n//mr);
    is(output('tools/documents/quote formats.md') . join(' ', slurp('formats.md') =~ /=\w+-->([^<]+)<!/g), '524,288 2^6 2.5', 'thousands, powers, bounds');
}
mistake_caught('a comment without its block', $lesson, qr/^<!-- results: .*\n\K```\n/m, "\n```\n", $check,
    qr{^$lesson:\d+: what follows this comment is not what should$}m);
mistake_caught('a link to no file', $second, qr{\(experiments/8_sums\.cu\)}, '(experiments/sum.cu)', $check, qr{^$second:\d+: experiments/sum\.cu leads nowhere$}m);
mistake_caught('a link to no heading', $lesson, qr/\(deeper\.md#what-changed/, '(deeper.md#what-stayed', $check,
    qr{^$lesson:\d+: deeper\.md#what-stayed-since-the-articles: no such heading or anchor there$}m);
mistake_caught('a goal that make does not have', $lesson, qr/^make 05_coalescing\b/m, 'make 05_coalescence', $check,
    qr{^$lesson:\d+: make 05_coalescence: }m);
mistake_caught('a source that is not there', $lesson, qr/nvcc -O3 -arch=native 05_coalescing\/\Kcoalescing/, 'coalesced', $check,
    qr{^$lesson:\d+: 05_coalescing/coalesced\.cu: no such file$}m);
mistake_caught('a command that is never run', $lesson, qr/^```sh\nmake 05_coalescing.*?^```$/ms, '    make 05_coalescing', $check,
    qr{^$lesson:\d+: a command outside}m);
is(output($check), '', 'and nothing of it in the documents as they are') or BAIL_OUT('the copy is not as it was');

spew($lesson, slurp($lesson) =~ s/110\.37/110\.38/r);
my $timing = '03_bandwidth/deeper.md';
spew($timing, slurp($timing) =~ s/110\.37/110.38/gr);
like(join("\n", missing_from_lessons()), qr{\Atests/documents/articles\.txt:\d+: 03_bandwidth has no '110\.37 GB/s'\z}, 'a figure of an article');

# make docs mends what it can.
spew($lesson, slurp($lesson) =~ s/<!--=stride_1-->\K\d/9/r =~ s/^stride  8 .*\n//mr =~ s/^    if \(i < n\)\n//mr);
isnt(output($check), '', 'three quotes damaged');
is(output("tools/documents/quote --quick README.md $lesson"), '', 'make docs rewrites them');
is(output($check), '', 'and they are right again');

# ---- Commands ----------------------------------------------------------------------------------
spew('commands.md', <<'END');
# Commands
```sh
cat >here.txt <<'DONE'
cat nowhere
DONE
test "$(cat here.txt)" = 'cat nowhere'    # a comment
sh -c 'exit 2'              # exit code 2
no_such_tool --at all       # needs no_such_tool
sleep 1000                  # takes minutes
make test-all               # which runs this test
false || \
    grep -q nowhere here.txt
```
```c
not a command
```
END
my $ran = output('tools/documents/commands commands.md');
ok($? == 0 && $ran =~ /^documents: 4 commands ran; 1 did not \(no no_such_tool\); 1 did not \(takes minutes\); 1 did not \(tests the course\); \d+ s of processor time$/m
    && $ran =~ /^commands\.md: page 1 of 1\n +0\.\d s  commands\.md:3: cat >here\.txt <<'DONE'\n/m, 'commands that run') or diag($ran);
spew('commands.md', "```sh\ntrue\nls nowhere    # why not\ntrue\n```\n\n```sh\ntrue\ntrue  # exit code 3\n```\n");
$ran = output('tools/documents/commands commands.md');
ok($? != 0 && $ran =~ /^commands\.md:3: exit code \d+: ls nowhere/m && $ran =~ /^commands\.md:9: exit code 0: true/m,
    'commands that fail are named') or diag($ran);

# Only what a machine has that others lack; and whoever stops it learns where.
spew('commands.md', "```sh\ntrue\nls here >list # needs cat\nls nowhere\n```\n\n```sh\nls nowhere\n```\n");
mkdir 'here';
$ran = output('NEEDS=cat tools/documents/commands commands.md');
ok($? == 0 && $ran =~ /^documents: 2 commands ran; \d+ s of processor time$/m, 'NEEDS=') or diag($ran);
spew('commands.md', "```sh\nls nowhere\n```\n```sh\ntrue\n>'$copy/begun'; sleep 600\n```\n");
my $pid = fork;
if (!$pid) {
    open STDERR, '>', 'said';
    exec 'tools/documents/commands', 'commands.md';
}
for (my $waited = 0; !-e 'begun' && $waited < 300; $waited += 0.05) {
    select undef, undef, undef, 0.05;
}
kill 'TERM', $pid;
waitpid $pid, 0;
$ran = slurp('said');
ok($? != 0 && $ran =~ /^commands\.md:2: exit code \d+: ls nowhere.*^stopped at commands\.md:6: >'\S+'; sleep 600$/ms,
    'what failed, and where it was stopped') or diag($ran);

spew('05_coalescing/README.md', "`./sums --size 1K`, `./sums --speed 9`, `X=1 ./sum`\n");
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";
$ran = output('tools/documents/commands 05_coalescing/README.md');
ok($? != 0 && $ran =~ m{^05_coalescing/README\.md:1: exit code 2: \./sums --speed 9}m && $ran !~ /exit code.*1K/
    && $ran =~ m{^05_coalescing/README\.md:1: 05_coalescing has no sum\.cu}m, 'options that a program does not take are named')
    or diag($ran);
chdir $root;
done_testing();
