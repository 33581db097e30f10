#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# `make run` on one screen: a line for each program, what fails whole with the command that repeats it, and
# at the end how much was checked in each chapter; in a pipe, on a terminal, with V=1.
use lib 'tests/lib';
use Tests;

my ($scratch, $root) = scratch_and_root();
delete @ENV{qw(V NO_COLOR CHECKED_ROWS)};
chdir $scratch or die;

# Programs of nothing but a shell. Each says what it was called with, and how many rows it checked.
sub program {
    my ($name, $body, $has_errors) = @_;
    my $help = $has_errors ? 'echo "--errors"' : 'echo usage';
    spew("build/cpu/$name", "#!/bin/sh\n[ \"\$1\" = --help ] && { $help; exit; }\necho \"output of $name \$*\"\n$body\n", 0755);
    return "build/cpu/$name";
}
my $rows = 'printf "01_good\t3\n" >>"$CHECKED_ROWS"';
my @good = (program('01_good/good', ''), program('01_good/experiments/1_first', $rows, 1), program('01_good/experiments/2_next', $rows));
my $bad = program('02_bad/bad', 'echo reason >&2; exit 1');
my $killed = program('02_bad/experiments/1_killed', 'kill -9 $$');
my $skipped = program('03_far/far', 'exit 77');
my $run = "'$root/tools/measure/run' --log log";

my $text = tells("$run @good", 0, 'all right: exit code 0');
my @lines = split /\n/, $text;
is(scalar @lines, 4 + 4, 'a line for each run, an empty one, one for the chapter, one for the folder, one for the verdict') or diag($text);
like($lines[0], qr{^\[1/4\]   01_good/good +ok +\d+\.\d s$}, 'with its number, its name, its verdict, its time');
like($lines[2], qr{^\[3/4\]   01_good/1_first --errors +ok}, 'a program with deliberate errors is run twice');
is($lines[-3], '01_good            3 programs, 9 rows checked, 1 with mistakes on purpose.', 'what was checked');
is($lines[-1], 'PASS: all 4 runs', 'the verdict is the last line');
ok(!(grep { length > 60 } @lines[0 .. 3]), '60 columns are enough for the lines of the runs');
is(slurp('log/01_good/1_first-errors.txt'), "output of 01_good/experiments/1_first --errors\n", 'what they print is in a file');

$text = tells("$run $bad $killed $good[0]", 1, 'one fails: exit code 1');
like($text, qr{^\[1/3\] +02_bad/bad +FAIL +\S+ s  exit code 1\noutput of 02_bad/bad \nreason\nAgain: build/cpu/02_bad/bad\n}m, 'it is shown whole, with the command that repeats it');
like($text, qr{FAIL .* signal 9\noutput of .*\nAgain: build/cpu/02_bad/experiments/1_killed\n}, 'so is one that was killed');
like($text, qr{^02_bad +2 programs, .*; 2 runs failed\.$}m, "its chapter's line says so");
like($text, qr{^FAIL: 2 of 3 runs failed\n\z}m, 'and the verdict');

tells("$run $skipped $good[0]", 0, qr/far +skip +\S+ s  no usable device\n/, qr/^PASS: 1 of 2 runs, 1 skipped\n\z/m, 'no device: skipped');
tells("$run $skipped", 1, qr/^FAIL: nothing could run\n\z/m, 'nothing could run: FAIL');

my $many = '05_coalescing';
my @ten = map { program("$many/experiments/${_}_x", "printf '$many\t1234\n' >>\"\$CHECKED_ROWS\"", $_ < 4) } 1 .. 10;
(my $code, $text) = output_of("$run @ten");
ok($code == 0 && !(grep { length > 80 } split /\n/, $text), 'a chapter with many: 80 columns') or diag($text);
tells("$run $good[0]", undef, qr/^01_good +1 program, all results checked\.\n.*^PASS: 1 run$/ms, 'one is no plural');

tells("$run --show @good[0, 1]", undef, qr{\A\n\[1/3\] 01_good/good\noutput of 01_good/good \n\n\[2/3\] }, "--show: the chapter's program first, as it prints");
($code, $text) = output_of("V=1 $run @good[0, 1]");
is(join(' ', $text =~ /^output of (.*?) *$/mg), '01_good/good 01_good/experiments/1_first 01_good/experiments/1_first --errors', 'V=1 shows all');
unlike($text, qr/V=1/, 'and says no more that it does');
is((output_of("'$root/tools/measure/run'"))[0], 2, 'without a program: exit code 2');

# ---- One command -----------------------------------------------------------------------------------
my $step = "'$root/tools/measure/step' name log/step.txt";
($code, $text) = output_of("$step sh -c 'echo said'");
ok($code == 0 && $text =~ /^ +name +ok +\S+ s\n\z/ && slurp('log/step.txt') eq "said\n", 'a step that ends well says nothing else') or diag($text);
tells("$step sh -c 'echo said; exit 3'", 3, qr/FAIL .* exit code 3\nsaid\nAgain: sh -c 'echo said; exit 3'\n\z/, 'one that fails says all, and how to repeat it');
($code, $text) = output_of("V=1 $step sh -c 'echo said'");
is($text, "\n name\nsaid\n", 'V=1: as it always would');

# ---- On a terminal ---------------------------------------------------------------------------------
SKIP: {
    skip 'no script (Debian package: bsdutils)', 4 if !found('script');
    skip 'no terminal can be made here', 4 if (output_of('script -qec true /dev/null </dev/null'))[0];
    my $slow = program('04_slow/slow', 'sleep 1.2');
    my $terminal = sub { (output_of("$_[0] TERM=xterm script -qec " . quoted("$run $slow") . ' /dev/null </dev/null'))[1] };
    $text = $terminal->('');
    like($text, qr{\r\[1/1\] +04_slow/slow +[01] s\r\[1/1\] +04_slow/slow +\e\[32mok\e\[0m +\d\.\d s\r?\n}, 'the step at work, with its time so far, and then its verdict, in color');
    $text = $terminal->('NO_COLOR=1');
    like($text, qr{\r\[1/1\] +04_slow/slow +ok +\d\.\d s\r?\n}, 'NO_COLOR: without color');
    unlike($text, qr/\e/, 'nothing else of a terminal');
    my ($out) = (sh($run . ' ' . $slow))[1];
    unlike($out, qr/[\e\r]/, 'and in a pipe nothing at all');
}
done_testing();
