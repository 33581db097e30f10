#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The exercises: a sample of them in each kind (all with TEST_ALL), and what a learner and an
# instructor do: check, hint, reset, the student edition. And what a learner's
# code may try against the checker.
use lib 'tests/lib';
use Tests qw(exercises);
use MIME::Base64 qw(decode_base64 encode_base64);
use Answers ();
use Variant ();

needs_exercises();
my $root = getcwd();
my $tool = 'tools/learn/exercises';
my $scratch = tempdir(CLEANUP => 1);
my $students = !glob '[0-9][0-9]_*/exercises/*/solution.cu';
diag('no solutions and no mutants here: this is the student edition') if $students;

# ---- Each kind, or all -------------------------------------------------------------------------
{
    local $ENV{BUILD} = "$scratch/build";
    my $all = $ENV{TEST_ALL} && !system('command -v g++ >/dev/null 2>&1');    # clang takes a float4 apart
    local $ENV{GRADE_MUTANTS} = $all ? 0 : 1;
    local $ENV{GRADE_EDITED} = !$all;    # who has solved one may still run the tests
    # 4.2: what it is given includes a header of common/experiment.
    my ($code, $text) = output_of('tools/teach/lint_exercises ' . ($all ? '' : '4.2 5.2 3.4'));
    my @wrong = grep { /^not ok/ } split /\n/, $text;
    my ($count) = $text =~ /^# (\d+) exercises, \1 unsolved/m;
    ok($code == 0 && $count && !@wrong, 'unsolved fails, the solution passes, mutants are rejected: ' . ($text =~ /^(# \d.*)/m ? $1 : ''))
        or diag($text);
    if ($all && !$students) {
        my ($mutants) = $text =~ /, (\d+) mutants/;
        cmp_ok($count, '>=', 18, '18 exercises or more');
        cmp_ok($mutants, '>=', 54, '54 mutants or more');
        my %kind;
        for my $readme (glob '[0-9][0-9]_*/exercises/*/README.md') {
            $kind{ substr $readme, 0, 2 }{$1} = 1 if slurp($readme) =~ /\*\*Kind:\*\* (\w+)/;
        }
        ok(!(grep { $_ ne "00" && keys %{ $kind{$_} } < 3 } keys %kind), 'each chapter has all three kinds');
    }
}

# ---- The student edition, and a learner in it --------------------------------------------------
SKIP: {
    skip 'no solutions here: this is the student edition', 1 if $students;
    my $copy = "$scratch/students";
    my ($code, $text) = output_of("make -s strip OUT='$copy'");
    ok($code == 0 && -f "$copy/Makefile" && -f "$copy/LICENSE", 'make strip makes a student edition') or diag($text);
    ok(!(glob "$copy/*/exercises/*/solution.cu $copy/*/exercises/*/mutants*"), 'without solutions and mutants');
    my @clear = map { split /\n/, decode_base64(slurp($_)) } glob "$copy/*/exercises/*/explained.base64";
    my @words = map { slurp($_) } glob "$copy/*/exercises/*/*";
    my @told = grep { my $why = (/: (.{30,})/)[0]; defined $why && grep { index($_, $why) >= 0 } @words } @clear;
    ok(@clear >= 50 && !@told, 'no file has an explanation in clear') or diag("@told");
    ok((output_of("make -s strip OUT='$copy'"))[0] != 0, 'it does not write over anything');

    $ENV{CUDACC_CACHE} //= "$root/build/cudacc";
    my $folder = '03_bandwidth/exercises/1_units';
    my $file = "$copy/$folder/exercise.cu";
    my ($unsolved, $solution) = (slurp($file), slurp("$root/$folder/solution.cu"));
    my $make = "make -s -C '$copy' DEVICE=cpu";
    tells("$make lint-exercises EX=3.1", 0, qr/^# no solutions here/m, 'there the lint says that it has no solutions, and passes');
    tells("cd '$copy' && DEVICES=gpu perl tests/learn/exercises.t", 0, 'and so does this test');

    tells("$make check", 0, qr/^the course +\[-{10}\] 0 of \d+ +0 of \d+ points$/m, qr/^Next: 0\.1 /m, 'make check: nothing done');
    $text = tells("$make check EX=3.1", 0, qr/^NOT YET: 0 of 5/m, qr/saxpy_bytes\(1\): it returned 8, right is 12/, 'make check EX=3.1: not yet');
    unlike($text, qr/make: |\e/, 'which is no failure of make, and no color');
    cmp_ok(scalar(() = $text =~ /\n/g), '<=', 24, 'on one screen');
    is(join('', grep { length > 80 } split /\n/, $text), '', 'of 80 columns');
    tells("'$copy/$tool' check 3.1", 1, 'the tool itself ends with 1, for scripts');
    {
        local @ENV{qw(LANG LC_ALL)} = ('xx_XX.UTF-8', 'xx_XX.UTF-8');
        delete local $ENV{PERL_BADLANG};    # make test exports it, too
        like(join('', `perl -e1 2>&1`), qr/locale/, 'a locale that is not installed: perl warns of it');
        my $said = join '', map { (output_of("$make $_"))[1] } 'check', 'hint EX=3.2', 'predict CH=03 </dev/null', 'help';
        unlike($said, qr/locale/, 'and no command does') or diag($said);
    }
    my @hints = map { (output_of("$make hint EX=3.1"))[1] =~ /hint (\d) of 3/ } 1 .. 4;
    is("@hints", '1 2 3', 'three hints, one at a time');
    like((output_of("$make hint EX=3.1"))[1], qr/\AYou have seen all 3 hints for 3\.1\..*README\.md\.\n\z/s, 'and then they end');
    spew($file, $solution);
    tells("$make check ex=3.1", undef, qr/Tesla M2050\. With\s+the functions/, 'in small letters, too; its line breaks are blanks');
    like((output_of("$make read CH=02"))[1], qr/^The CPU clock, size by size\n\n +\S/m, 'make read opens folds');
    $text = (output_of("$make read EX=3.1"))[1];
    ok($text =~ /^- Hint 1: a nudge\n.*^- The prediction, answered\n.*make hint EX=3\.1/ms && $text !~ /2\^30 is 7 %|0\.07 GB/, 'but of hints and answers the titles, and where they are');
    tells("$make check EX=3.1", 0, qr/^DONE: 5 of 5.*^Next: 3\.2 /ms, 'solved: done, and the next of this chapter');
    tells("$make check", undef, qr/^03_bandwidth .* 1 of \d+    3\.1   3\.2-/m, qr/ 5 of \d+ points/, 'and make check knows');
    ($code, $text) = output_of("$make reset EX=3.1");
    ok($code == 0 && slurp($file) eq $unsolved && slurp("$file.1~") eq $solution, 'make reset: as handed out, with a backup') or diag($text);
    $text = (output_of("$make hint EX=3.1"))[1];
    like($text, qr/hint 1 of 3/, 'its hints begin again');
    for my $wrong ('check EX=9.9', 'hint', 'reset', 'again', 'mine', 'strip', 'grade') {
        tells("$make $wrong", 'not 0', qr/\S/, "make $wrong fails and says why");
    }

    # ---- Answers, the first of which count ----
    my $asked = '03_bandwidth/exercises/3_count_the_bytes';
    my $given = slurp("$copy/$asked/given.h");
    unlike($given, qr/vary|variant|make again/, 'given.h does not say which other numbers there are');
    my $numbers = sub {    # the solution, for the constants that the edition has now
        my ($at) = @_;
        return Variant::with_numbers({ folder => "$copy/$at", check => slurp("$copy/$at/check.cu") }, slurp("$root/$at/solution.cu"));
    };
    my ($no_answers, $answers) = (slurp("$copy/$asked/exercise.cu"), $numbers->($asked));
    my $some_wrong = $answers =~ s/GATHER\] = 8 \+ 4/GATHER] = 8/r =~ s/SAXPY\] = 12/SAXPY] = 8/r;
    my %no_number = (
        'a published text, right for all constants' => [slurp("$root/$asked/solution.cu"), 'exercise.cu:14: sizeof is no number; an answer is one'],
        'a name for an answer'                       => [$answers =~ s/COPY\] = 8/COPY] = EVERY/r, 'exercise.cu:11: EVERY is no number'],
        'a name behind a number'                     => [$answers =~ s/COPY\] = 8/COPY] = 4 * EVERY/r, 'exercise.cu:11: EVERY is no number'],
        'a macro'                                    => [$answers =~ s/^void/#define COPY SAXPY\nvoid/mr, 'exercise.cu:10: #: only the answers may change'],
        'one answer less'                            => [$answers =~ s/.*SCALE.*\n//r, 'exercise.cu:13: ADD: only the answers may change'],
        'more behind it'                             => [$answers =~ s/^\}\n/}\nint more;\n/mr, 'exercise.cu:19: int: only the answers'],
    );
    for my $what (sort keys %no_number) {
        spew("$copy/$asked/exercise.cu", $no_number{$what}[0]);
        ($code, $text) = output_of("$make check EX=3.3");
        ok($text =~ s/\n +/ /gr =~ /^3\.3.* answers +\Q$no_number{$what}[1]\E/m && $text =~ /^NOT YET: 0 of 5/m, "$what: no prediction") or diag($text);
    }
    spew("$copy/$asked/exercise.cu", $some_wrong =~ s/COPY\] = 8/COPY] = UNKNOWN/r);
    tells("$make check EX=3.3", undef, qr/^  missing +1 of 7 answers: copy\n.*^NOT YET: 0 of 5/ms, not => qr/saxpy|gather|right/, 'an answer is missing: nothing is given away');
    spew("$copy/$asked/exercise.cu", $some_wrong);
    tells("$make check EX=3.3", undef, qr/^DONE: 3 of 5 points; 5 of 7 first answers/m, qr/gather: you said 8, it is 12\. \S/, qr/scale: 8\. An update/, 'all are there: a wrong one costs a point, each is explained');
    spew("$copy/$asked/exercise.cu", $answers);
    tells("$make check EX=3.3", undef, qr/^DONE: 3 of 5 points; 5 of 7 first answers/m, 'later answers do not count');
    tells("$make check", undef, qr/ 3\.3 .* 3 of \d+ points/s, 'nor in the progress');
    my $keep = slurp("$copy/$asked/first_answers.txt");
    my $kept = sub { my ($chain) = @_; return eval { [map { $_->{answers}{gather} } Answers::answers_kept({ id => '3.3', folder => "$copy/$asked", check => slurp("$copy/$asked/check.cu") }, $chain)] } // $@ };
    is_deeply($kept->($keep), [8, 12], 'both sets of answers are kept, the first one first');
    unlike($keep, qr/gather|saxpy|\t/, 'and none is in clear');
    my ($one, $two) = split /^/, $keep;
    my ($coded) = $one =~ / (\S+) /;
    my %broken = (
        'edited'            => [$one =~ s/ \Q$coded\E / encode_base64(decode_base64($coded) =~ s{gather\t8}{gather\t12}r, '') =~ s{^}{ }r . ' ' /er, 'it was edited'],
        'another time'      => [$one =~ s/^20\d\d/2020/r, 'it was edited'],
        'the first one out' => [$two, 'it was edited'],
        'an old form'       => ["gather\t12\n", 'it is not what make check has written'],
    );
    is($kept->($broken{$_}[0]), "$broken{$_}[1]\n", "first answers, $_: no chain") for sort keys %broken;
    ($code, $text) = output_of("$make strip OUT='$scratch/again'");
    ok(!-e "$scratch/again/$asked/first_answers.txt", 'a student edition has no answers');

    # ---- A second chance ----
    my $constants = sub { return $_[0] =~ /^#define (?:REAL|PLACE|PIXEL|EVERY) (.*)$/mg };
    ($code, $text) = output_of("$make again EX=3.3");
    my $other = slurp("$copy/$asked/given.h");
    my ($was, $is) = map { join '; ', $constants->($_) } $given, $other;
    my @same = grep { ($constants->($given))[$_] eq ($constants->($other))[$_] } 0 .. 3;
    ok($code == 0 && !@same && $text =~ /^    EVERY is [48], was 2$/m && $text =~ /^Your 3 of 5 points stay/m, "make again: other numbers ($is; they were $was)")
        or diag($text, $other);
    is(slurp("$copy/$asked/exercise.cu"), $no_answers, 'and the questions anew');
    like((output_of("$make check"))[1], qr/ 3\.3- .* 3 of \d+ points/s, 'the points stay');
    tells("$make check EX=3.3", undef, qr/^  missing +7 of 7/m, qr/^NOT YET: 3 of 5/m, qr/Your 3 of 5 points stay\./, not => qr/gather: |first complete/, 'nothing is given away, no point is lost');
    like((output_of("$make again EX=3.3"))[1], qr/^Answer 3\.3 first/, 'again needs answers');
    $answers = $numbers->($asked);
    spew("$copy/$asked/exercise.cu", $answers =~ s{ = [^;]+}{ = 3}gr);
    tells("$make check EX=3.3", undef, qr/^DONE: 3 of 5 points; 0 of 7 answers/m, qr/clear_some: you said 3.*one of [48] threads/s, 'wrong ones take nothing away');
    output_of("$make again EX=3.3");
    spew("$copy/$asked/exercise.cu", $numbers->($asked));
    tells("$make check EX=3.3", undef, qr/^DONE: 5 of 5 points; 7 of 7 answers/m, 'right ones give all points');
    is(slurp("$copy/$asked/first_answers.txt"), $keep, 'the first answers are kept as they were: for who grades');
    like((output_of("$make again EX=3.1"))[1], qr/^3\.1 asks for no predictions/, 'and predictions to ask for');
    ($code, $text) = output_of("cd '$copy' && make -s strip OUT='$scratch/from_again'");
    unlike(slurp("$scratch/from_again/$asked/given.h"), qr/make again/, 'a student edition is at its first chance');

    # ---- Each student's own constants ----
    for my $class ($ENV{TEST_ALL} ? 1 .. 10 : 1) {
        local @ENV{qw(VARIANT GRADE_MUTANTS GRADE_EDITED BUILD)} = ($class, $ENV{TEST_ALL} ? 0 : 1, 1, "$scratch/build");
        tells('tools/teach/lint_exercises ' . ($ENV{TEST_ALL} ? '3.3 4.3 5.2 6.3' : '5.2'), 0, "VARIANT=$class: with other constants the solution passes, mutants are rejected");
    }
    {
        my $class = "$scratch/variant";
        my ($five, $mine) = ("$class/05_coalescing/exercises/2_count_the_sectors/given.h", "make -s -C '$class' DEVICE=cpu");
        output_of("make -s strip OUT='$class' VARIANT=fall26");
        my $as_it_was = slurp($five);
        tells("$mine check EX=5.2", undef, qr/^  answers +each student is asked for other numbers: make mine/m, qr/^NOT YET: 0/m, 'a class whose students have numbers of their own: first make mine');
        ($code, $text) = output_of("$mine mine ID=s7");
        my ($near) = $text =~ /^5\.2: .*NEAR is (\d)/m;
        ok($code == 0 && slurp($five) ne $as_it_was && slurp($five) =~ /^#define NEAR $near$/m, 'make mine: they are in given.h') or diag($text);
        my $said = slurp($five);
        output_of("$mine mine ID=S7");
        is(slurp($five), $said, 'the same for the same ID, in capitals, too');
        output_of("$mine mine ID=s8");
        isnt(slurp($five), $said, 'others for another one');
        tells("$mine check EX=5.2", undef, qr/^  missing +10 of 10 answers/m, 'then the check asks for them');
        tells("$mine handin ID=s7", 'not 0', qr/^the numbers here are those of s8: make mine ID=s7/, 'make handin takes no other ID');
        tells("$make mine ID=s7", 'not 0', qr/^this copy of the course asks everybody for the same numbers/, 'where there is no class there is no make mine');
    }

    # ---- Half a solution ----
    my $matrix = '05_coalescing/exercises/1_side_by_side';
    spew("$copy/$matrix/exercise.cu", slurp("$root/$matrix/solution.cu") =~ s/block\(32, 8\)/block(4, 64)/r);
    tells("$make check EX=5.1", undef, qr/WRONG +8 sectors per load; at most 4 are needed\n.*^  why +Fewer sectors.*32 wide/ms, 'half a solution gets its explanation');

    spew("$copy/$matrix/exercise.cu", slurp("$root/$matrix/exercise.cu") =~ s/block\(32, 8\)/block(8, 32)/r);
    tells("$make check EX=5.1", undef, qr/WRONG +8 sectors per load.*^  why +Fewer sectors.*Let\s+x\s+choose\s+the\s+column/ms, not => qr/covers W columns/, 'the other half, too');
    spew("$copy/$matrix/exercise.cu", slurp("$root/$matrix/solution.cu") =~ s/block\(32, 8\)/block(8, 32)/r);
    $text = tells("$make check EX=5.1", undef, qr/right +4 sectors per load\n.*^  note +Your block is narrower.*^DONE/ms, 'what passes and misses the point: a note');

    # ---- What comes next is on another page; what CUDA_CHECK says, once; 80 columns ----
    unlike($text, qr/^ +first /m, 'after 5.1, 5.2 is on the same page');
    my $counted = '05_coalescing/exercises/2_count_the_sectors';
    spew("$copy/$counted/exercise.cu", $numbers->($counted));
    tells("$make check EX=5.2", undef, qr{^DONE.*^Next: 5\.3 .*\n +first 05_coalescing/layouts\.md\n +read +\S+/3_transpose/README\.md$}ms, 'after 5.2: first the second page');
    my $launch = '01_sync_timing/exercises/2_unnoticed_launch';
    spew("$copy/$launch/exercise.cu", slurp("$root/$launch/exercise.cu") =~ s/    return cudaSuccess/    CUDA_CHECK(cudaGetLastError());\n    CUDA_CHECK(cudaDeviceSynchronize());\n$&/r);
    ($code, $text) = output_of("$make check EX=1.2");
    is(scalar(() = $text =~ /failed:\s+cuda/g), 1, 'what CUDA_CHECK says stands there once') or diag($text);
    my $all = join '', map { (output_of("$make $_ 2>&1"))[1] } 'check', 'check EX=1.2', 'check EX=5.1', 'check EX=5.2', 'check EX=9.9', 'check EX=5.9',
        'hint EX=5.1', 'hint EX=x', 'reset EX=5.1', 'reset EX=5.1', 'again EX=5.1', 'again EX=6.3', 'again EX=5.2', 'predict CH=05 </dev/null', 'predict CH=9', 'learn CH=44';
    is(join("\n", grep { length > 80 } split /\n/, $all), '', 'what a learner reads has 80 columns');
    unlike($all, qr/\b1 (?:times|elements|programs|rows|exercises|runs)\b/, 'and one is no plural');

    # ---- A share of the points -----------------------------------------------------------------
    spew($file, $solution =~ s/(return [^;]*clock_khz[^;]*);/$1 + 1;/r);
    tells("$make check EX=3.1", undef, qr/^  right +results in the first (\d+) cases$/m, qr/^NOT YET: ([1-4]) of 5 points$/m, qr/peak_gb_per_s/, 'a fix that is wrong in its last cases: a share');

    # ---- A gate that has opened by itself: no verdict, whatever was seen ----
    my $gate = 'common/experiment/gate.h';
    my $whole = slurp("$copy/$gate");
    my $opened = $whole =~ s{gate\[i\] = \K0;}{i == GATE_GAVE_UP;}r;
    isnt($opened, $whole, 'a gate that has given up');
    spew("$copy/$gate", $opened);
    for my $at (glob '02_events/exercises/[0-9]*') {
        spew("$copy/$at/exercise.cu", slurp("$root/$at/solution.cu"));
        my ($id) = slurp("$at/README.md") =~ /^# (\S+)/;
        my (undef, $verdict) = output_of("$make check EX=$id");
        ok($verdict =~ s/\n +/ /gr =~ / device .*a gate opened by itself.*^NOT YET: 0.*^Next: your code has no verdict yet/ms, "$id: no verdict") or diag($verdict);
    }
    spew("$copy/$gate", $whole);

    # ---- What a learner's code may try ----
    my ($before, $after) = $unsolved =~ m{\A(.*?^// ==== yours, from here ====\n).*(^// ==== to here ====\n.*)\z}ms;
    my $right = $solution =~ m{^// ==== yours, from here ====\n(.*)^// ==== to here}ms ? $1 : die;
    my $check = sub {
        my ($what, $region, $pattern, $source, $seconds) = @_;
        spew($file, $source // "$before$region$after");
        local $ENV{GRADE_SECONDS} = $seconds // 4;
        tells("$make check EX=3.1", 0, qr/^NOT YET/m, $pattern, not => qr/^DONE/m, "$what: rejected");
    };
    my $start_up = '__attribute__((constructor)) static void early(void) ';
    $check->('a solution included', "#include \"$root/$folder/solution.cu\"\n", qr/include +only/);
    $check->('the same by a continued line', "#incl\\\nude <$root/$folder/solution.cu>\n", qr/include +only/);
    spew($file, "$before$right\nextern \"C\" int memcmp(const void *, const void *, size_t) { return 0; }\nint calls, main_;\nint fail() { return calls; }\n$after");
    ($code, $text) = output_of("$make check EX=3.1");
    like($text, qr/^DONE: 5 of 5/m, 'names that the check or the library has, too, are a learner\'s own affair') or diag($text);
    $check->('a mark lost', '', qr/has lost one of its two marks/, $right);
    $check->('no C at all', "this is no C\n", qr/It does not compile.*^ +exercise\.cu:9:/ms);
    $check->('a function missing', "// nothing\n", qr/It does not compile.*saxpy_bytes/s);
    $check->('an end before main', "$right\n$start_up\{ printf(\"PASS\\n\"); exit(0); }\n", qr/language +the attribute constructor/);
    $check->('a word for the report', "#include <unistd.h>\n$right\nint word = write(3, \"end\\n\", 4);\n", qr/language +exercise.cu uses write/);
    $check->('an early end', $right =~ s/return/exit(0); return/r, qr/early/);
    $check->('no end', $right =~ s/return/for (volatile int i = 0;; i++) ; return/r, qr/time +saxpy_bytes\(1\): it did not end; the limit is 1 seconds?/, undef, 1);
    $check->('a flood', $right =~ s/return/for (;;) puts("PASS"); return/r, qr/output +saxpy_bytes\(1\): it printed more than/);

    # ---- A mutant that says something wrong ----
    spew("$copy/$folder/solution.cu", $solution);
    my $head = "# a comment\n\n\@\@ one: Wrong.\nrejected: values: nan\n";
    my ($flops, $rate) = map { $solution =~ /^(.*\b$_\(.*\n)/m } qw(saxpy_flops gb_per_s);
    my %mutants = (
        'a line that is not in the solution'    => ["$head-int nothing;\n", 'mutants.diff:5: one: not in solution.cu: int nothing;'],
        'a line that is there more than once'   => ["$head \n+int nothing;\n", 'mutants.diff:5: one: found \d times'],
        'lines that do not follow each other'   => ["$head-$flops-$rate", 'mutants.diff:5: one: .* do not follow'],
        'a change without a place'              => ["$head+int i;\n\n-$flops", 'mutants.diff:5: one: where\?'],
        'changes that overlap'                  => ["$head-$flops\n-$flops", 'mutants.diff:\d: one: it overlaps'],
        'a mutant that is the solution'         => ["$head $flops", 'mutants.diff:3: one: it changes nothing'],
        'two mutants of one name'               => ["$head-$flops\n${head}-$rate", 'mutants.diff:9: one: a second one'],
        'a verdict that there is not'           => [$head =~ s/values/value/r, 'mutants.diff:4: no verdict is "value"; .* values'],
        'no verdict'                            => ["\@\@ one: Wrong.\n-$flops", 'mutants.diff:1: one: it needs a line "rejected:'],
        'no reason'                             => [$head =~ s/: Wrong\.//r, 'mutants.diff:3: a line begins with'],
    );
    for my $what (sort keys %mutants) {
        my ($bad, $pattern) = @{ $mutants{$what} };
        spew("$copy/$folder/mutants.diff", $bad);
        tells("'$copy/tools/teach/lint_exercises' 3.1", 2, qr{^$folder/$pattern.*\n\z}, "$what: exit code 2 and one line");
    }
}
done_testing();
