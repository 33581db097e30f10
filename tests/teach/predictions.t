#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Predictions that are graded: each student's own constants, whose first answers count and which are a second
# try, and on Gradescope no answer before the first answers are kept.
use lib 'tests/lib';
use Tests qw(exercises);
use Answers;
use Exercises;
use Variant;

needs_solutions(qw(g++));
my $scratch = tempdir(CLEANUP => 1);
my $tool = 'tools/teach/classroom';
my ($e) = grep { $_->{id} eq '5.2' } all_exercises();
my $place = $e->{folder} =~ s{^\Q@{[getcwd()]}\E/}{}r;
my $solution = slurp("$e->{folder}/solution.cu");
my @labels = qw(plain shifted backwards spread far_apart all_the_same shared_by_some doubles one_field some_read);

# ---- Constants of one's own ------------------------------------------------------------------------
sub of { my ($who, $class) = @_; return varied($e, $class // 'fall26', $who) }
my @class = map { "s$_" } 1 .. 60;
my %variant = map { of($_)->{given} => 1 } @class;
cmp_ok(scalar keys %variant, '>=', 6, 'a class has several variants');
cmp_ok(scalar keys %variant, '<=', 8, 'and no more than a grader can compile');
is(of('S7')->{given}, of('s7')->{given}, 'an ID in capitals is the same');
ok((grep { of($_)->{given} ne of($_, 'fall27')->{given} } @class) > 50, 'another class, other constants');
my ($anna) = 's1';
my ($ben) = grep { of($_)->{given} ne of($anna)->{given} && with_numbers(of($_), $solution) ne with_numbers(of($anna), $solution) } @class;

# ---- A class ---------------------------------------------------------------------------------------
sub numbers { my ($who) = @_; return with_numbers(of($who), $solution) }
sub chain {    # first answers: those of the text
    my ($who, $text, $before) = @_;
    my @values = map { eval } $text =~ /\] = ([^;]+);/g;
    return keep_answers(of($who), $before, undef, map { $labels[$_], $values[$_] } 0 .. $#labels);
}
my $wrong = numbers($anna) =~ s/\[SHIFTED\] = 5/[SHIFTED] = 4/r;
my %students = ($anna => [numbers($anna), chain($anna, numbers($anna)), 5, qr/^done$/]);
# IDs of the variant that anna has, so that one check is compiled for all of them
my @same = grep { of($_)->{given} eq of($anna)->{given} && $_ ne $anna } map { "t$_" } 1 .. 200;
my $take = sub { my (@row) = @_; $students{ shift @same } = \@row };
$take->(numbers($anna), undef, 2.5, qr/^done: 10 of 10 answers, a second try, for half of the points: without first_answers\.txt$/);
$take->(numbers($anna), chain($anna, $wrong), 4, qr/^done: 9 of 10 first answers$/);
$take->(numbers($anna), chain($anna, numbers($anna), chain($anna, $wrong)), 4, qr/^done: 9 of 10 first answers$/);
$take->($wrong, chain($anna, $wrong, chain($anna, numbers($anna))), 5, qr/^done$/);
$take->(numbers($anna), chain($anna, numbers($anna), chain($anna, $wrong)) =~ s/\A.*\n//r, 2.5, qr/second try.*: first_answers\.txt: it was edited$/);
$take->(numbers($anna), "plain\t4\n", 2.5, qr/second try.*it is not what make check has written$/);
$take->(numbers($anna), chain($ben, numbers($ben)), 2.5, qr/second try.*it answers other numbers than those asked for$/);
$take->($solution, undef, 0, qr/^answers: exercise\.cu:14: NEAR is no number/);
$students{$ben} = [numbers($anna), chain($anna, numbers($anna)), undef, qr/^done: [0-9] of 10 answers, a second try.*it answers other numbers/];
for my $who (sort keys %students) {
    spew("$scratch/in/$who/$place/exercise.cu", $students{$who}[0]);
    spew("$scratch/in/$who/$place/first_answers.txt", $students{$who}[1]) if defined $students{$who}[1];
}
my ($code, $text);
{
    local @ENV{qw(EX VARIANT SEED OUT)} = ('5.2', 'fall26', 3, "$scratch/grades");
    ($code, $text) = output_of("$tool grade '$scratch/in'");
}
is($code, 0, 'make grade VARIANT=fall26') or diag($text);
my %row = map { $_->{id} => $_ } @{ (eval { decode_json(slurp("$scratch/grades/grades.json")) } // { students => [] })->{students} };
for my $who (sort keys %students) {
    my (undef, undef, $points, $line) = @{ $students{$who} };
    like($row{$who}{exercises}[0]{line}, $line, "$who: the line");
    is($row{$who}{points}, $points, "$who: points") if defined $points;
}
cmp_ok($row{$ben}{points}, '<', 2.5, 'the answers of another student are not all right');

# ---- A class that asks everybody for the same numbers ----------------------------------------------
{
    my $same = with_numbers($e, $solution);
    spew("$scratch/same/anna/$place/exercise.cu", $same);
    my @values = map { eval } $same =~ /\] = ([^;]+);/g;
    spew("$scratch/same/anna/$place/first_answers.txt", keep_answers($e, undef, undef, map { $labels[$_], $values[$_] } 0 .. $#labels));
    local @ENV{qw(EX SEED OUT)} = ('5.2', 3, "$scratch/same/grades");
    tells("$tool grade '$scratch/same'", undef, qr/^  5\.2 +5 of 5 +done$/m, 'without VARIANT: the constants of given.h');
}

# ---- Gradescope: the first result, the second ------------------------------------------------------
sub hand_in {
    my ($n, $answers, @before) = @_;
    spew("$scratch/gs$n/submission/$place/exercise.cu", $answers);
    spew("$scratch/gs$n.json", encode_json({ users => [{ email => 'anna@x.org' }], previous_submissions => [map { { submission_time => "2026-11-2$_->[0]", results => $_->[1] } } @before] }));
    local @ENV{qw(EX VARIANT SEED OUT METADATA)} = ('5.2', 'fall26', 3, "$scratch/gs$n/grades", "$scratch/gs$n.json");
    tells("$tool grade '$scratch/gs$n/submission'", 0, "Gradescope, result $n");
    return decode_json(slurp("$scratch/gs$n/grades/results/submission.json"));
}
my $right = numbers('anna@x.org');
my $open = hand_in(1, $right =~ s/\[PLAIN\] = 4/[PLAIN] = UNKNOWN/r);
ok(!$open->{extra_data} && $open->{score} == 0, 'an answer is missing: none is kept');
my $first = hand_in(2, $right =~ s/\[PLAIN\] = 4/[PLAIN] = 3/r, [1, $open]);
ok($first->{score} == 4 && length $first->{extra_data}{first_answers}{'5.2'} && @{ $first->{tests} } == 1, 'all answers: they count and are kept') or diag(explain($first));
unlike(encode_json($first->{tests}), qr/plain:|you said|right/, 'the first result shows no answer');
my $second = hand_in(3, $right, [1, $open], [2, $first]);
is($second->{score}, 4, 'the first answers count, not the second ones');
like(encode_json($second->{tests}), qr/plain: you said 3, it is 4/, 'and now they are explained');
my ($kept) = split /\n/, hand_in(4, $right, [3, $second], [2, $first])->{extra_data}{first_answers}{'5.2'};
is("$kept\n", $first->{extra_data}{first_answers}{'5.2'}, 'nor does a third time change them');
done_testing();
