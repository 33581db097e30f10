#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Where the grader runs besides an instructor's machine: Gradescope's two scripts, also without namespaces
# and ended half way; a class that make class has made.
use lib 'tests/lib';
use Tests qw(exercises);
use Time::HiRes qw(sleep);

my ($scratch, $root) = needs_solutions(qw(g++ bwrap bsdtar));
chmod 0755, $scratch;
my $tool = 'tools/teach/classroom';
$ENV{CUDACC_CACHE} //= "$root/build/cudacc";
my ($units) = glob '03_*/exercises/1_units';

# ---- Gradescope --------------------------------------------------------------------------------------
my $autograder = "$scratch/autograder";
tells("make -s gradescope OUT='$scratch/autograder.zip' EX=3.1", 0, 'make gradescope');
system("mkdir -p '$autograder/source' '$autograder/submission' '$autograder/results' && cd '$autograder/source' && bsdtar -xf ../../autograder.zip");
ok(!(glob "$autograder/source/course/*/exercises/*/solution.cu"), 'no solution is in there');
spew("$autograder/submission/exercise.cu", slurp("$units/solution.cu"));
my $result = sub { eval { decode_json(slurp("$autograder/results/results.json")) } // {} };
my $pid = fork // die;
if (!$pid) {
    setpgrp;
    $ENV{AUTOGRADER} = $autograder;
    open STDOUT, '>', '/dev/null';
    exec "$autograder/source/run_autograder";
}
for (1 .. 600) { last if -s "$autograder/results/results.json"; sleep 0.05 }
kill 'KILL', -$pid;
waitpid $pid, 0;
ok(defined $result->()->{score} && $result->()->{score} == 0 && $result->()->{output} =~ /did not finish/, 'ended half way: a result that says so');
# As root in a container that refuses namespaces: with the capabilities that Docker leaves it.
my $docker = 'setpriv --inh-caps=-all --bounding-set=-all,+chown,+dac_override,+fowner,+fsetid,+kill,+setgid,+setuid,+setpcap,+net_bind_service,+net_raw,+sys_chroot,+mknod,+setfcap';
for my $as ($> ? ['bwrap', ''] : ['setpriv', $docker], $ENV{TEST_ALL} && !$> ? ['bwrap', ''] : ()) {
    my ($isolation, $by) = @$as;
    my ($code, $text) = output_of("AUTOGRADER='$autograder' $by '$autograder/source/run_autograder'");
    my $r = $result->();
    ok($code == 0 && $r->{score} == 5 && $r->{tests}[0]{score} == 5 && $r->{output} =~ /isolation: $isolation/, "$isolation: all points") or diag($text, explain($r));
}
unlink "$autograder/submission/exercise.cu";
output_of("AUTOGRADER='$autograder' '$autograder/source/run_autograder'");
is($result->()->{score}, 0, 'nothing handed in: 0, and no failure');

# ---- A class -----------------------------------------------------------------------------------------
tells("make -s class N=6 SEED=4 OUT='$scratch/class'", 0, 'make class');
tells("make -s collect FROM='$scratch/class/downloads' OUT='$scratch/class/returned' ROSTER='$scratch/class/roster.csv'", 0, 'make collect takes it');
{
    local @ENV{qw(OUT SEED EX JOBS)} = ("$scratch/class/grades", 7, $ENV{TEST_ALL} ? '' : '3.1', 2);
    tells("$tool grade '$scratch/class/returned'", 0, 'and make grade');
}
my $merged = eval { decode_json(slurp("$scratch/class/grades/grades.json")) } // { students => [] };
is(scalar @{ $merged->{students} }, 6, 'a row for each');
if ($ENV{TEST_ALL}) {
    my %expected = slurp("$scratch/class/expected.csv") =~ /^"(\w+)","(\d+)"$/mg;
    is_deeply({ map { $_->{id} => 0 + $_->{points} } @{ $merged->{students} } }, { map { $_ => 0 + $expected{$_} } keys %expected }, 'points as generated');
}
done_testing();
