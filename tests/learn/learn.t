#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make learn: through a small course in a pipe, and through chapter 01 at a terminal: what it asks, runs and
# shows, in which order; that it continues where one left, jumps, and comes to an end.
use lib 'tests/lib';
use Tests qw(exercises terminal);
use Screen;

needs_solutions();
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL BUILD CH CHAPTER DEVICE COLUMNS NO_COLOR)};
my $root = root();
my $scratch = tempdir(CLEANUP => 1);
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";

# A course of the real tools and these chapters. Its name needs quotes.
my $course = "$scratch/my course";
make_path($course);
copy_into($course, map { "$root/$_" } qw(Makefile tools common cudacc 01_sync_timing)) or die 'cp';
chdir $course or die;

# ---- The questions' sections -------------------------------------------------------------------
for my $file (glob "'$root/'[0-9][0-9]_*/questions") {
    my $chapter = $file =~ s{/questions$}{}r;
    my $questions = slurp($file);
    for my $read ($questions =~ /^read (.*)/mg) {
        my ($page, $title) = $read =~ /^(\w+\.md): (.*)/ ? ($1, $2) : ('README.md', $read);
        my ($name) = $chapter =~ m{([^/]+)$};
        like(slurp("$chapter/$page"), qr/^##+ \Q$title\E$/m, "$name/$page has the section '$title'");
    }
    is(scalar(() = $questions =~ /^read /mg), scalar(() = $questions =~ /^ask /mg), 'each question names one');
}

# ---- make read ---------------------------------------------------------------------------------
mkdir '02_read';
spew('02_read/README.md', "# 02 *Read*\n\n![What it shows](x.svg)\n\nIt takes <!--=device-->H200<!--/--> n / 1000\n= [2](#x) ms.\n\n- `a * b * c`\n\n| n | ms |\n| --- | ---: |\n| 4096 | 2 |\n\n<!--=a-->A.<!--/-->\nB.\n\n<!--given: x-->\n");
is((output_of('make -s read CH=2'))[1], "# 02 Read\n\n[Picture: What it shows]\n\nIt takes H200 n / 1000 = 2 ms.\n\n- `a * b * c`\n\n  n     ms\n  ----  --\n  4096  2\n\nA. B.\n", 'make read: text without marks');
like((output_of("COLUMNS=40 make -s read CH=2"))[1], qr{^It takes H200 n / 1000 = 2 ms\.$}m, 'and at 40 columns');
like((output_of('make read CH=9'))[1], qr/^read: say which chapter: make read CH=05; there are 01 02$/m, 'a chapter that is not there');
is(Screen::wrapped('', 'x' x 71 . ' n = 1000'), 'x' x 71 . "\nn = 1000\n", 'no line ends within a formula');
system 'rm', '-r', '02_read';

# ---- A small course, in a pipe -----------------------------------------------------------------
my $small = '02_small';
spew("$small/README.md", <<'README');
# 02 A small chapter

**Before this chapter:** nothing. **Time:** 5 minutes. **After it you can** wait.

## The question

How *small* is [small](x.md)?

![A picture](figures/x.svg)

*A caption that nobody sees.* More of it.

**Predict before you run anything.** The rest is no part of it.

## The rest
README
spew("$small/questions", "ask one\n    How many?\nunit sectors\nanswer ./small{is (\\d+)}\ncpu ./small{is (\\d+)}\nread The rest\n"
    . "ask two\n    How long?\nunit times\nanswer ./small{takes (\\d+)}\n");
spew("$small/small.cu", "#include <cstdio>\nint main() { printf(\"it is 8\\nPASS\\n\"); }\n");
spew("$small/results/nvidia_h200.txt", "\$ ./small\nit is 4\ntakes 7\nPASS\n");
spew("$small/results/nvidia_h200.csv", "schema,chapter,program\n");
spew('03_plain/README.md', "# 03 A plain chapter\n\nNothing is asked.\n");

# Types these lines: all that it said. It ends with 0, and every line fits.
sub learn {
    my ($typed, $words, $columns) = @_;
    spew("$scratch/typed", $typed);
    local $ENV{COLUMNS} = $columns // 80;
    my ($code, $out, $err) = sh("'$root/tests/lib/limit' 200 make DEVICE=cpu learn $words <'$scratch/typed'");
    is("$code $err", '0 ', "learn $words: it ends, and nothing goes wrong") or diag($out);
    my @wide = grep { length > $ENV{COLUMNS} && !m{^ +(?:read|given|edit)|/exercise\.cu$} } split /\n/, $out =~ s/^\$ build.*?(?=^Enter: |\z)//msr;
    is("@wide", '', 'every line fits') or diag($out);
    unlike($out, qr/\e/, 'no colors in a pipe');
    return $out;
}

my $said = learn('', 'CH=2');
like($said, qr/\ACUDA by Measurement.*Enter  .*\bq  .*Chapter 02: A small chapter\n   before  nothing.\n   time    5 minutes\n   lesson  02_small\/README\.md\n\nHow small is small\?\n\nEnter:/s,
    'it says what to type, and what the chapter is');
unlike($said, qr/caption|no part/, 'without pictures and predictions');
like(learn("zz\nquestions\n", 'CH=2'), qr/'zz' is none of these.*'questions' is none of these\..*Left in/s, 'another word is no Enter and no q');
like($said, qr/Left in chapter 02\. make learn continues there\.\n\z/, 'the end of the input leaves');
$said = learn("\n3\nq\n", '');
like($said, qr/You were in chapter 02\..*1\. How many\?.*2\. How long\?.*Left in chapter 02/s, 'it continues there, and asks; q leaves');
$said = learn("\n\n", '');
like($said, qr/Enter: its question; q: leave.*2\. How long\?/s, 'what is still open is asked again');
unlike($said, qr/How many|takes|H200|it is/, 'nothing shows an answer before');
$said = learn("\n", '');
like($said, qr{Enter: run small.*\n\$ build/counted/02_small/small\nit is 8\nPASS\n\nCounted in this run.*no kernel ran\n}s, 'the program is built and run');
unlike($said, qr/How many|How long|H200/, 'what was left open is not asked again');
$said = learn("\n", '');
like($said, qr{2\. How long\?\n   you           no guess\n   NVIDIA H200   7 times\n   this machine  .*\n\n0 of 1 right}, 'what was left open is shown, too: the lesson says it next');
like($said, qr{1\. How many\?\n   you           3 sectors\n   NVIDIA H200   4 sectors\. Too low.*\n   this machine  8 sectors\n   read          02_small/README\.md: The rest\n}s,
    'answers beside what was measured');
like($said, qr{Now read the lesson, 02_small/README\.md.*Chapter 02 ends here\.\n\nEnter: chapter 03; q: leave}s, 'the lesson, and the next chapter');
$said = learn("\n\n\n", '', 60);
like($said, qr{Chapter 03: A plain chapter\n   lesson  03_plain/README\.md\n\nRead 03_plain/README\.md now.*I have read it.*That was the last chapter}s,
    'a chapter without questions and program; the end');
$said = learn('', '');
like($said, qr/Chapter 01: Timing: a launch is not a kernel.*its 4 questions/s, 'then it begins anew');
unlink 'build/predict/02_small';
$said = learn("\n\n\n\n\n\nq\n", 'CH=2');
like($said, qr{Enter: see what was measured;.*you           no guess\n   NVIDIA H200   4 sectors\n   this machine  8 sectors.*no guess.*7 times\n.*\n\n02_small/README\.md says why\.}s, 'all left open: what was measured is shown') or diag($said);
$said = learn("\n7\n\n\nq\n", 'CHAPTER=02_small/', 60);
like($said, qr/you  .*run small|2\. How long/s, 'it jumps to a chapter');
tells('make DEVICE=cpu learn CH=09', 'not 0', qr/^learn: there is no chapter '09': CH is one of 01, 02, 03$/m, 'a chapter that is not there');
spew('02_small/small.cu', "nonsense\n");
spew('build/learn/place', "02_small\tprogram\t\n");
tells("printf '\\n' | make DEVICE=cpu learn", undef, qr/02_small\/small does not build.*Left in chapter 02/s, 'a program that does not build is named');
spew('build/learn/place', "nonsense\n");
like(learn('', ''), qr/Chapter 01: /, 'a place that cannot be read is none');

# ---- Chapter 01, in a pipe ---------------------------------------------------------------------
my $first = '01_sync_timing/exercises/1_stop_the_clock';
my ($unsolved, $solution) = (slurp("$first/exercise.cu"), slurp("$first/solution.cu"));
$said = learn("\n5\n1\nb\n1000\n\n\n\nh\n\ns\n\nq\n", 'CH=01', 60);
like($said, qr/you           5 %\n   NVIDIA H200   [\d.]+ %\. .*this machine  launch 1024/s, 'the chapter itself: its answers');
like($said, qr/Exercise 1\.1 .*returns\s+0,.*h hint.*hint 1 of 3.*NOT YET.*Skipped: make watch EX=1\.1 comes back to\s+it\..*Enter: exercise 1\.2.*Exercise 1\.2 .*Left in chapter 01/s,
    'an exercise: its task, a hint, a check; the next one') or diag($said);
spew("$first/exercise.cu", $solution);
$said = learn("\n\n\n", 'CH=01');
like($said, qr/You have answered all its questions.*you           5 %.*Enter: exercise 1\.2/s, 'what was answered and solved is passed');
is((output_of('BUILD=build tools/learn/exercises check'))[1] =~ /^01_sync_timing .* 1 of 4/m, 1, 'make check knows it, too');

# A second page before its exercises, what was skipped is offered again and named later.
spew('01_sync_timing/more.md', "# More\n\n| [1.3](exercises/3_who_waits/README.md) |\n| [1.4](exercises/4_one_wait/README.md) |\n");
$said = learn("\ns\n" . "\n\ns\n" . "\ns\n" . "b\ns\n" . "\n", '');
like($said, qr{Enter: exercise 1\.2.*second page\. Read\s+01_sync_timing/more\.md\s+now.*I have read it.*Enter: exercise 1\.3.*Enter: exercise 1\.4.*Enter: the end of chapter 01; b: back to exercise 1\.2; q: leave.*Exercise 1\.2.*b: back to exercise 1\.3; q: leave.*Chapter 01 ends here: 1 of 4.*Enter: chapter 02}s,
    'it sends one to the second page, and offers what was skipped') or diag($said);
spew('build/learn/place', "02_small\tbegin\t\n");
like(learn('', ''), qr/Left in/, 'a later chapter');
spew('build/learn/place', "02_small\tlesson\t\n");
like(learn('', ''), qr/Skipped before: 1\.2, 1\.3, 1\.4\. make watch EX=1\.2/, 'names what was skipped in earlier ones');
unlink '01_sync_timing/more.md';

# ---- At a terminal -----------------------------------------------------------------------------
SKIP: {
    spew("$first/exercise.cu", $unsolved);
    system 'rm', '-rf', 'build/learn', 'build/predict';
    $ENV{TERM} = 'xterm';
    start('make', 'DEVICE=cpu', 'learn') or skip('no /dev/ptmx', 1);
    my $all = screen_shows(qr/CUDA by Measurement.*its 4 questions.*> /s, 'a terminal: the first screen');
    press("\n");
    $all .= screen_shows(qr/your answer \(in %\): /, 'a question');
    press("12\x03");
    $all .= screen_shows(qr/Left in chapter 01/, 'Ctrl-C leaves');
    $all .= ends('with exit code 0');
    ok(takes_lines(), 'the terminal is as it was');
    ok(!-e 'build/predict/01_sync_timing', 'half an answer is none');
    start('make', 'DEVICE=cpu', 'learn');
    $all .= screen_shows(qr/You were in chapter 01.*> /s, 'it continues');
    press("\n");
    for (5, 1, 'b') { screen_shows(qr/your answer .*: /, 'a question'); press("$_\n") }
    screen_shows(qr/your answer .*: /, 'the last question');
    press("\n\n\n");
    $all .= screen_shows(qr/Enter: exercise 1\.1.*> /s, 'the program, the answers');
    press("\n");
    $all .= screen_shows(qr/1\.1: h hint  s skip  Enter check now  q leave/, 'an exercise with its keys');
    press("h\n");
    $all .= screen_shows(qr/hint 2 of 3.*q leave/s, 'a key, and Enter');
    press("xyz\n");
    $all .= screen_shows(qr/There is h, s, q, or Enter alone.*q leave/s, 'another word runs no check');
    spew("$first/exercise.cu", $solution);
    utime time() + 9, time() + 9, "$first/exercise.cu";
    $all .= screen_shows(qr/DONE.*Enter: exercise 1\.2.*> /s, 'a save is checked; it goes to the next');
    press("\n");
    $all .= screen_shows(qr/1\.2: h hint.*q leave/s, 'which is watched');
    press("\x03");
    $all .= screen_shows(qr/Left in chapter 01/, 'Ctrl-C leaves there, too');
    $all .= ends('with exit code 0');
    ok(takes_lines(), 'the terminal is as it was');
    unlike($all, qr/make: /, 'no word of make');
    like(learn('', ''), qr/You were in chapter 01, at exercise 1\.2\.\n\nEnter: exercise 1\.2/, 'and it continues at that exercise');
}
chdir '/';
done_testing();
