#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# make predict: the questions of every lesson have answers in the results; what people type is understood;
# nothing hangs where nothing is typed; and the answers stand beside what was measured.
use lib 'tests/lib';
use Tests;

my $root = root();
delete @ENV{qw(MAKEFLAGS MFLAGS MAKELEVEL BUILD CH CHAPTER DEVICE)};
my $scratch = tempdir(CLEANUP => 1);
my $builds = 0;
sub build { return "$scratch/build" . ++$builds }

# Runs it with these lines typed: exit code, stdout, stderr. Its output fits 80 columns.
sub predict {
    my ($words, $typed) = @_;
    spew("$scratch/typed", $typed // '');
    my ($code, $out, $err) = sh("tests/lib/limit 20 tools/learn/predict $words <'$scratch/typed'");
    my @wide = grep { length(s/[\x80-\xBF]//gr) > 80 } grep { !/^Stored in|^To guess anew/ } split /\n/, $out . $err;
    is("@wide", '', 'no line has more than 80 columns') if @wide;
    return ($code, $out, $err);
}

# A program of nothing but a shell that prints a file, and notes that it ran.
sub program { my ($path, $file) = @_; spew($path, "#!/bin/sh\necho \"\$0 \$*\" >>'$scratch/ran'\n[ \"\$1\" = --help ] || cat '$file'\n", 0755); return }

# Those of a chapter, printing what is recorded of a device.
sub programs_of {
    my ($chapter, $build, $device, $recorded) = @_;
    my $said = slurp("$chapter/results/$recorded.txt");
    for my $source (glob "$chapter/*.cu $chapter/experiments/*.cu") {
        my $binary = shown_build("$build/$device/" . $source =~ s/\.cu$//r);
        my ($name) = $source =~ m{^\w+/(\w+)\.cu$};
        my $file = "$chapter/results/$recorded.csv";
        spew($file = "$binary.said", $said =~ /^\$ \.\/\Q$name\E\n(.*?)(?=^\$ |\z)/ms ? $1 : '') if $name;
        program($binary, $name ? $file : "$root/$file");
    }
    return;
}

# ---- Every lesson ------------------------------------------------------------------------------
my @chapters = glob '[0-9][0-9]_*';
for my $chapter (grep { -f "$_/questions" } @chapters) {
    my ($number) = $chapter =~ /^(\d+)/;
    my $questions = () = slurp("$chapter/questions") =~ /^ask /mg;
    ok($questions >= 2 && $questions <= 4, "$chapter asks two to four questions");

    # Any answer, to see what was measured; then that as the answer.
    my $build = build();
    my @any = map { /^choice/m ? "a\n" : "7\n" } slurp("$chapter/questions") =~ /^(ask .*?)(?=^ask |\z)/msg;
    tells([predict("--build $build $number", join '', @any)], 0, qr/^\d\. .*^Stored in .*make $chapter$/ms, 'and stores the answers');
    programs_of($chapter, $build, 'gpu', 'nvidia_h200');
    programs_of($chapter, $build, 'cpu', 'cpu_device');
    my ($code, $out) = predict("--build $build --device gpu $number");
    my @measured = $out =~ /^   NVIDIA H200   (.*?)\. (?:Right|Not|Too)/mg;
    is(scalar @measured, $questions, 'each has an answer in the results of an H200') or diag($out);
    is(join('|', $out =~ /^   this machine  (.*)$/mg), join('|', @measured), 'and on any GPU that has run its programs') or diag($out);
    my $again = build();
    predict("--build $again $number", join '', map { "$_\n" } @measured);
    ($code, $out) = predict("--build $again $number");
    like($out, qr/^$questions of $questions right on the H200/m, 'whose own figure is right') or diag($out);

    my @cpu = slurp("$chapter/questions") =~ /^cpu /mg;
    ($code, $out) = predict("--build $build --device cpu $number");
    is(scalar(() = $out =~ /^   this machine  no time: there is no GPU/mg), $questions - @cpu, 'the CPU device keeps silent about times');
    unlike($out, qr/not built|nothing: its/, 'and says what it counted');
}

# ---- What people type --------------------------------------------------------------------------
my $tree = "$scratch/tree";
make_path("$tree/docs", "$tree/tests/lib", "$tree/01_small/results", "$tree/01_small/experiments");
symlink "$root/tools", "$tree/tools";
symlink "$root/tests/lib/limit", "$tree/tests/lib/limit";
spew("$tree/01_small/experiments/1_some.cu", '');
sub small { my ($text) = @_; spew("$tree/01_small/questions", $text); return build() }
my $head = 'schema,chapter,program,variant,n,parameter,value,flag';
sub recorded { my ($file, @rows) = @_; spew($file, join "\n", $head, @rows, ''); return }
recorded("$tree/01_small/results/nvidia_h200.csv", '1,01_small,some,finding,,share,50,"A half."', '1,01_small,some,"a, b",3,x,8,', '1,01_small,some,"a, b",4,x,16,');
spew("$tree/01_small/results/nvidia_h200.txt", "\$ ./small\nstride 2  5\nPASS\n\n\$ experiments/1_small\nstride 2  6\n");
chdir $tree or die;

sub one { my ($unit, $typed) = @_; my $build = small("ask q\n    How much?\nunit $unit\nanswer some.share\n"); predict("--build $build 01", "$typed\n"); return (predict("--build $build 1"))[1] =~ /^   you           (.*)/m ? $1 : 'nothing' }
my @typed = (['%', '50', '50 %'], ['%', ' 50 % ', '50 %'], ['%', '1/4', '25 %'], ['times', '8x', '8 times'], ['times', '2 times as long', '2 times'], ['times', '50 %', '0.5 times'],
    ['times', '.67', '0.67 times'], ['times', '1e6', '1000000 times'], ['sectors', 'about 8', '8 sectors'], ['number of the launch', 'launch 64', 'launch 64'], ['sectors', '8 sectors', '8 sectors'],
    ['sectors', '2^5', '32 sectors'], ['µs', '3 ms', '3000 µs'], ['µs', '1.4us', '1.4 µs'], ['KiB', '1 MiB', '1024 KiB'], ['sectors', '1 sector', '1 sector'], ['launches', '1', '1 launch'], ['number of the launch', '64', 'launch 64'], ['ms', '1', '1 ms']);
is(one(@$_[0, 1]), $_->[2], "'$_->[1]' as an answer in $_->[0]") for @typed;
is(one('sectors', $_), 'nothing', "'$_' is no number of sectors") for 'many', '8 ms', '1/0', '-', '8 8';

my $choices = "ask q\n    Which?\nchoice an error < 10\nchoice the new values < 60\nchoice old values\nanswer some.share\n";
for (['b', 'the new values'], ['B)', 'the new values'], ['old', 'old values'], ['error', 'an error'], ['new values', 'the new values'], ['d', 'nothing'], ['what', 'nothing']) {
    my $build = small($choices);
    predict("--build $build 1", "$_->[0]\n");
    is((predict("--build $build 1"))[1] =~ /^   you           (.*)/m ? $1 : 'nothing', $_->[1], "'$_->[0]' as a choice");
}

# ---- Asked, and asked again --------------------------------------------------------------------
my $three = "ask a\n    First?\nunit sectors\nanswer some[a, b; n=4].value / some[a, b; n=3].value\nask b\n    Second?\nunit %\nanswer some.share\ncpu some.share\n"
    . "ask c\n    Third?\nunit sectors\nanswer ./small{^stride 2 +(\\d+)}\ncpu some[a, b; n=4].value | %g in other words\n";
my $build = small($three);
tells([predict("--build $build 1", '')], 0, qr/First\?.*Nothing is stored\.\n\z/s, not => qr/Second/, 'no input: it ends, and stores nothing');
ok(!-e "$build/predict/01_small", 'no file, either');
my ($code, $out, $err) = predict("--build $build 1", "x\ny\nz\n70\n");
ok($code eq '0' && 2 == (() = $out =~ /That is no number/g) && $out =~ /Left open\..*Second\?.*Third\?.*Stored/s, 'a question is asked three times, then left open') or diag($out);
tells([predict("--build $build --after 1", "1\n1\n")], 0, qr/Second.*70 %.*50 %. Too high, by a factor of 1\.4\..*0 of 1 right/s, not => qr/your answer|First|Third/, 'after a run: what was answered, nothing is asked');
($code, $out) = predict("--build $build 1", "2\n\n");
ok($out =~ /First\?.*your answer.*Third\?.*your answer.*what you predicted/s && $out =~ /^1 of 2 right/m, 'again: what is open is asked, then all is shown') or diag($out);
unlike($out, qr/Second\?\n   your answer/, 'what was answered is not asked again');
is((predict("--build " . build() . " --after 1"))[1], '', 'after a run of one who guessed nothing: silence');

($code, $out) = predict("--build $build 1", "5\n");
like($out, qr/^   you           5 sectors\n   NVIDIA H200   5 sectors\. Right\.\n   this machine  not built yet: make 01_small/m, 'a figure that a program printed; its own machine has not built it');
recorded("$scratch/here.csv", '1,01_small,some,finding,,share,40,', '1,01_small,some,"a, b",4,x,12,');
program("$build/cpu/01_small/experiments/1_some", "$scratch/here.csv");
unlink "$scratch/ran";
($code, $out) = predict("--build $build 1");
is(join('|', $out =~ /^   this machine  (.*)$/mg), 'no time: there is no GPU here|40 %|12 in other words', 'what this machine says') or diag($out);
like(slurp("$scratch/ran"), qr{1_some --csv\n\z}, 'for which a program runs');
unlink "$scratch/ran";
predict("--build $build 1");
is(slurp("$scratch/ran"), '', 'once');
utime time + 9, time + 9, "$build/cpu/01_small/experiments/1_some";
predict("--build $build 1");
isnt(slurp("$scratch/ran"), '', 'and again when it was built anew');
recorded("$tree/01_small/results/nvidia_h200.csv");
like((predict("--build $build 1"))[1], qr/NVIDIA H200   no such row/, 'results without the row');

# ---- Wrong usage, and make ---------------------------------------------------------------------
for ('', '""', '7', 'small', '1 2', '--nonsense 1', '--build') {
    ($code, $out, $err) = predict($_);
    ok($code eq '2' && $out eq '' && $err =~ /\Apredict: [^\n]+\n\z/, "predict $_: exit code 2 and one line") or diag($code, $out, $err);
}
small("ask q\n    How?\nunite %\n");
($code, $out, $err) = predict('1');
like($err, qr{^01_small/questions:3: cannot read 'unite %'$}m, 'a mistake in the questions is named');

chdir $root;
$build = build();
for (['CH=05', 'CH'], ['CHAPTER=05_coalescing/', 'CHAPTER']) {
    tells("printf '8\\n' | make -s DEVICE=cpu BUILD='$build' predict $_->[0]", 0, qr/^Lesson 05/m, "make predict with $_->[1]");
}
like((output_of("make -n DEVICE=cpu BUILD='$build' 05_coalescing"))[1], qr{predict .*--after 05_coalescing$}m, 'make 05_coalescing ends with the answers');
unlike((output_of("make -n DEVICE=cpu BUILD='$build' 06_vectorized"))[1], qr/predict/, 'where there are any');
($code, $out) = output_of("make DEVICE=cpu BUILD='$build' predict");
like($out, qr/say which chapter: make predict CH=05/, 'without a chapter it says how');
done_testing();
