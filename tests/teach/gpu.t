#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# With a GPU, with TEST_ALL=1: three students with all exercises, graded in the best box there is, on the CPU device and on
# the GPU. They get the same points, and nothing differs from one to the other ("suspicious").
use lib 'tests/lib';
use Tests qw(exercises);
use Exercises;
use Mutants;
use Variant;

my $gpu = found('nvidia-smi') && `nvidia-smi -L 2>/dev/null` =~ /^GPU 0/ && (found('nvcc') || length($ENV{NVCC} // ''));
if (!$gpu) {
    plan skip_all => 'no GPU with nvcc' if !$ENV{REQUIRE_GPU};
    BAIL_OUT('REQUIRE_GPU is set: no GPU with nvcc');
}
plan skip_all => 'takes minutes: with TEST_ALL=1' if !$ENV{TEST_ALL};
needs_solutions(qw(g++));
my $scratch = tempdir(CLEANUP => 1);
my $isolation = $ENV{GPU_ISOLATION} // 'best';

# All solved; all as a wrong answer that counts and values reject; the half solved.
for my $e (all_exercises()) {
    my $place = $e->{folder} =~ s{.*/([^/]+/exercises/[^/]+)$}{$1}r . '/exercise.cu';
    my ($front, undef, $back) = parts($e->{start});
    my $solution = (parts(slurp("$e->{folder}/solution.cu")))[1];
    my ($wrong) = grep { $_->{rejected} !~ /goal|prediction|time/ } mutants($e);
    my %text = (right => with_numbers($e, $solution), wrong => $wrong && $wrong->{text}, half => $e->{number} % 2 ? with_numbers($e, $solution) : undef);
    spew("$scratch/in/$_/$place", $front . $text{$_} . $back) for grep { defined $text{$_} } keys %text;
}

my %grades;
for my $device ('cpu', 'gpu') {
    local @ENV{qw(GRADE_DEVICE OUT SEED JOBS ISOLATION)} = ($device, "$scratch/$device", 7, 8, $isolation);
    my ($code, $text) = output_of("tools/teach/classroom grade '$scratch/in'");
    is($code, 0, "graded on the $device") or BAIL_OUT(substr $text, -2000);
    my $grades = decode_json(slurp("$scratch/$device/grades.json"));
    note("$device: $grades->{device}, isolation $grades->{isolation}, limits $grades->{limits}");
    isnt($grades->{isolation}, 'none', 'in a box');
    $grades{$device} = { map { my $s = $_; map { ("$s->{id} $_->{id}" => $_) } @{ $s->{exercises} } } @{ $grades->{students} } };
}
for my $key (sort keys %{ $grades{cpu} }) {
    my ($cpu, $on_gpu) = map { $grades{$_}{$key} } qw(cpu gpu);
    is($on_gpu->{points}, $cpu->{points}, "$key: the same points") or diag("CPU device: $cpu->{line}\nGPU: $on_gpu->{line}");
    ok(!$on_gpu->{suspicious}, "$key: nothing differs from one to the other");
}
done_testing();
