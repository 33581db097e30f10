# SPDX-License-Identifier: MIT
# The mutants of an exercise: wrong answers that its check has to reject. They stand in
# mutants.diff, each as what it changes in solution.cu between the marks:
#
#     @@ name: Why it is wrong.
#     rejected: REASON|REASON: some words of the verdict
#      a line that stays, to say where
#     -a line that goes
#     +a line that comes
#
# An empty line ends a change. Its lines, but for those with +, have to stand in solution.cu one
# after the other, and once. Constants of given.h become numbers then (Variant.pm). A mutant of + lines alone is a whole answer. # begins a comment.
package Mutants;
use strict;
use warnings;
use Exporter qw(import);
use Course;
use Exercises;
use Show;
use Variant;

our @EXPORT = qw(mutants);

# The names of an exercise's mutants, what rejects them, and their text between the marks. What is wrong in
# the file is one line, by die.
sub mutants {
    my ($e) = @_;
    my $file = "$e->{folder}/mutants.diff";
    my $solution = slurp("$e->{folder}/solution.cu");
    return if !defined $solution || !-e $file;    # the student edition
    my (undef, $region) = parts($solution);
    my @mutants = read_mutants($file);
    my %seen;
    for my $m (@mutants) {
        my $wrong = sub { die short($file), ":$_[0]: $m->{name}: $_[1]\n" };
        $wrong->($m->{line}, 'a second one of that name') if $seen{ $m->{name} }++;
        $wrong->($m->{line}, 'it needs a line "rejected: REASON: words"') if !defined $m->{rejected};
        $wrong->($m->{line}, 'solution.cu has lost one of its two marks') if !defined $region;
        $m->{text} = changed($region, $m->{changes}, $wrong);
        $wrong->($m->{line}, 'it changes nothing') if $m->{text} eq $region;
        $m->{text} = with_numbers($e, $m->{text});
    }
    return @mutants;
}

sub read_mutants {
    my ($file) = @_;
    my %known = map { $_ => 1 } verdicts();
    my (@mutants, $change);
    my $number = 0;
    for (split /\n/, slurp($file)) {
        my $wrong = sub { die short($file), ":$number: $_[0]\n" };
        $number++;
        if (/^@@ (\w+): \S/) {
            push @mutants, { name => $1, line => $number, changes => [] };
            $change = undef;
        } elsif (@mutants && /^rejected: ((\w+(?:\|\w+)*)(?:: .*)?)$/) {
            $mutants[-1]{rejected} = $1;
            my ($unknown) = grep { !$known{$_} } split /\|/, $2;
            $wrong->("no verdict is \"$unknown\"; there are: " . join ' ', sort keys %known) if defined $unknown;
        } elsif (@mutants && /^([-+ ])(.*)$/) {
            push @{ $mutants[-1]{changes} }, $change = { line => $number, old => '', new => '' } if !$change;
            $change->{old} .= "$2\n" if $1 ne '+';
            $change->{new} .= "$2\n" if $1 ne '-';
        } elsif ($_ eq '') {
            $change = undef;
        } elsif (!/^#/) {
            $wrong->('a line begins with "@@ name: ", "rejected: REASON", "-", "+", a space or "#"');
        }
    }
    return @mutants;
}

# The solution's text with the changes made.
sub changed {
    my ($text, $changes, $wrong) = @_;
    return $changes->[0]{new} if @$changes == 1 && $changes->[0]{old} eq '';
    my $solution = $text;
    my $end = length $text;
    for my $c (@$changes) {
        $wrong->($c->{line}, 'where? it needs a line that goes or stays') if $c->{old} eq '';
        my @at;
        push @at, $-[0] while $solution =~ /^(?=\Q$c->{old}\E)/mg;
        my ($missing) = grep { $solution !~ /^\Q$_\E$/m } split /\n/, $c->{old};
        $wrong->($c->{line}, defined $missing ? "not in solution.cu: $missing" : 'these lines do not follow each other in solution.cu') if !@at;
        $wrong->($c->{line}, 'found ' . @at . ' times in solution.cu: add a line that stays') if @at > 1;
        $c->{at} = $at[0];
    }
    for my $c (sort { $b->{at} <=> $a->{at} } @$changes) {    # from the end: what is in front stays in place
        $wrong->($c->{line}, 'it overlaps another change') if $c->{at} + length $c->{old} > $end;
        substr $text, $end = $c->{at}, length $c->{old}, $c->{new};
    }
    return $text;
}

1;
