#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# A grader that is ended at any moment, and begun again with the same command: exit code 2 until all rows are there, and
# then the same bytes as from one that was never ended, whatever -j. The moments are by chance, from a seed that is printed;
# under TEST_ALL there are more of them.
use lib 'tests/lib';
use Tests qw(exercises);
use POSIX ();
use Time::HiRes qw(sleep time);

my ($scratch, undef, %folder) = needs_solutions('g++');
my $tool = 'tools/teach/classroom';
my $isolation = found('bwrap') ? 'bwrap' : 'none';
my $solution = slurp("$folder{'3.1'}/solution.cu");
spew("$scratch/in/a$_/$folder{'3.1'}/exercise.cu", $solution =~ s/(yours, from here.*\n)/$1static const int mine$_ = $_;\n/r) for 1 .. 3;
spew("$scratch/in/b1/$folder{'3.1'}/exercise.cu", $solution);
spew("$scratch/in/b2/$folder{'3.1'}/exercise.cu", $solution =~ s/return 2 \* n/return n/r);
mkdir "$scratch/in/c";

sub command { my ($out, $jobs, %more) = @_; my %environment = (OUT => "$scratch/$out", JOBS => $jobs, EX => '3.1', ISOLATION => $isolation, %more); return (%environment) }

# Starts it, ends it after so many seconds by a signal to it (or, below 0, to all of it). Returns its exit code, or undef.
sub graded {
    my ($out, $jobs, $seconds, $signal, %more) = @_;
    my %environment = command($out, $jobs, %more);
    my $pid = fork // die;
    if (!$pid) {
        setpgrp;
        open STDOUT, '>', '/dev/null';
        open STDERR, '>', '/dev/null';
        @ENV{ keys %environment } = values %environment;
        exec $tool, 'grade', "$scratch/in" or POSIX::_exit(127);
    }
    my $until = time() + $seconds;
    while (time() < $until) {
        return $? >> 8 if waitpid($pid, POSIX::WNOHANG) == $pid;
        sleep 0.02;
    }
    kill abs $signal, $signal < 0 ? -$pid : $pid;
    waitpid $pid, 0;
    return $? & 127 ? undef : $? >> 8;
}

sub bytes_of { my ($out) = @_; return { map { substr($_, length "$scratch/$out") => slurp($_) } glob "$scratch/$out/*.json $scratch/$out/*.csv $scratch/$out/{feedback,results,students}/*" } }

my $began = time();
is(graded('whole', 2, 1e9, 9, SEED => 5), 0, 'never ended') or BAIL_OUT('nothing is graded here');
my $all = time() - $began;
my $whole = bytes_of('whole');
is(scalar keys %$whole, 3 + 3 * 6, 'tables, and three files for each student');

srand(my $seed = $ENV{TEST_SEED} // 35);
note("TEST_SEED=$seed");
for my $round (1 .. ($ENV{TEST_ALL} ? 20 : 2)) {
    my ($out, $ended) = ("round$round", 0);
    while ($ended < 3) {
        my ($jobs, $signal) = (1 + int rand 3, (-9, 9, 15)[rand 3]);
        my $code = graded($out, $jobs, rand($all), $signal, SEED => 5);
        last if defined $code && $code == 0;
        $ended++;
        my $grades = eval { decode_json(slurp("$scratch/$out/grades.json")) } // {};
        ok(!$grades->{complete} || @{ $grades->{students} } == 6, "round $round, -j$jobs, ended by signal $signal: not complete, or all rows are there");
    }
    is(graded($out, 1 + $round % 2, 1e9, 9, SEED => 5), 0, "round $round, ended $ended times: goes on to the end");
    my $is = bytes_of($out);
    is_deeply([grep { ($is->{$_} // '') ne ($whole->{$_} // '') } sort keys %{ { %$is, %$whole } }], [], 'and to the same bytes');
}

# ---- Rows that are missing ---------------------------------------------------------------------------
{
    mkdir "$scratch/lost";
    mkdir "$scratch/lost/students";
    mkdir "$scratch/lost/students/a2.json";    # cannot be written
    is(graded('lost', 2, 1e9, 9, SEED => 5), 2, 'a row that cannot be written: exit code 2');
    my $grades = decode_json(slurp("$scratch/lost/grades.json"));
    ok(!$grades->{complete} && @{ $grades->{students} } == 5, 'it says so, and the others are there');
    rmdir "$scratch/lost/students/a2.json";
    is(graded('lost', 2, 1e9, 9), 0, 'the same command, without SEED: exit code 0');
    is(decode_json(slurp("$scratch/lost/grades.json"))->{seed}, '5', 'and the same inputs');
}
done_testing();
