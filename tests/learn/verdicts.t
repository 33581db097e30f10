#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# What a learner is told: each row of `attempts`, a wrong answer, is rejected, its verdict names the cause, and
# what comes after "Next:" is a step that mends it. Each mutant has a row. A sample of them; all with TEST_ALL.
use lib 'tests/lib';
BEGIN { delete @ENV{ grep { /^(?:LC_|LANG|COURSE_LANG|GRADE_)/ } keys %ENV }; $ENV{COLUMNS} = 80 }
use Tests qw(exercises);
BEGIN { $ENV{BUILD} = tempdir(CLEANUP => 1) }
use Check;
use Exercises;
use Mutants;
use Show;
use Variant;

needs_solutions('g++');
$ENV{CUDACC_CACHE} //= "$Course::root/build/cudacc";

# EXERCISE NAME | EDIT | CAUSE => NEXT STEP. EDIT is Perl on the solution's text in $_; none: NAME is a mutant's. Both words
# are those of the verdict, "..." stands for others; an answer to a question has a cause alone,
# and DONE is for what is right, however slow.
my @rows;
for (grep { /^\d/ } split /\n/, slurp('tests/learn/attempts')) {
    my ($id, $name, $edit, $words) = /^(\S+) (.+?) \| (.*?) ?\| (.+)$/ or die "attempts: $_\n";
    push @rows, { id => $id, name => $name, edit => $edit, words => [split / => /, $words] };
}
my %exercise = map { $_->{id} => $_ } all_exercises();
my %mutants = map { my $e = $_; $e->{id} => { map { $_->{name} => $_->{text} } mutants($e) } } values %exercise;
my %has_row = map { ("$_->{id} $_->{name}" => 1) } grep { $_->{edit} eq '' } @rows;
is(join(', ', grep { !$has_row{$_} } map { my $id = $_; map { "$id $_" } sort keys %{ $mutants{$id} } } sort keys %mutants), '', 'each mutant has a row');

sub shown {
    my ($e, $v) = @_;
    open my $file, '>', \my $text or die;
    my $before = select $file;
    show($e, $v);
    select $before;
    return $text =~ s/\s+/ /gr;
}

my $only = $ENV{ATTEMPTS} // '';
my $count = 0;
for my $row (grep { $only eq '' ? $ENV{TEST_ALL} || $count++ % 12 == 0 : "$_->{id} $_->{name}" =~ /$only/ } @rows) {
    my $e = $exercise{ $row->{id} };
    my ($before, undef, $after) = parts($e->{start});
    my $text = with_numbers($e, slurp("$e->{folder}/solution.cu"));
    my $mutant = $mutants{ $e->{id} }{ $row->{name} };
    if ($row->{edit} eq '') {
        $text = $before . ($mutant // die "$row->{id} $row->{name}: no such mutant\n") . $after;
    } else {
        my $solution = $text;
        $_ = $text;
        eval "$row->{edit}; 1" or die "attempts: $row->{edit}: $@";    ## no critic
        $text = $_;
        die "$row->{id} $row->{name}: it changes nothing\n" if $text eq $solution;
    }
    my $v = check_text($e, $text, "$build/exercises/$e->{id}", $row->{words}[0] =~ /did not end/ ? 3 : undef);
    first_answers($e, $v, undef) if $e->{kind} eq 'measure';
    my $said = shown($e, $v);
    my ($cause, $next) = map { join '.*?', map { quotemeta } split / ?\.\.\. ?/, $_, -1 } @{ $row->{words} };
    my $rejected = $v->{reason} || ($v->{answers} && $v->{points} < $e->{points});
    is($v->{reason}, undef, "$row->{id} $row->{name}: right"), next if $cause eq 'DONE';
    ok($rejected && $said =~ (defined $next ? qr/$cause.*Next: .*$next/ : qr/$cause/), "$row->{id} $row->{name}") or diag($said =~ s/ (?=Next|NOT)/\n/gr);
}
done_testing();
