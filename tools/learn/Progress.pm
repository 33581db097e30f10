# SPDX-License-Identifier: MIT
# How far the course is done: the last verdict on each exercise, good as long as its files are the same.
package Progress;
use strict;
use warnings;
use Exporter qw(import);
use Digest::MD5 qw(md5_hex);
use File::Basename qw(dirname);
use List::Util qw(sum);
use Check;
use Chinese;
use Course;
use Exercises;
use Screen;
use Variant;

our @EXPORT = qw(state_of check_exercise check_changed next_open count_done progress bar);

sub state_file { my ($e) = @_; return "$build/exercises/$e->{id}/state" }

sub state_key {
    my ($e) = @_;
    my @files = (map({ "$e->{folder}/$_" } qw(exercise.cu check.cu given.h first_answers.txt again_answers.txt)), files($root, 'tools/learn/*.h'));
    return md5_hex(join "\0", "@stages", map { slurp($_) // '' } @files);
}

# new: as handed out; changed: not checked yet; tried; done.
sub state_of {
    my ($e) = @_;
    my ($key, $state, $points) = split ' ', slurp(state_file($e)) // '';
    return { state => $state, points => $points } if defined $points && $key eq state_key($e);
    my $untouched = (slurp("$e->{folder}/exercise.cu") // '') eq ($e->{start} // '');
    return { state => $untouched ? 'new' : 'changed', points => points_before($e) // 0 };
}

sub check_exercise {
    my ($e) = @_;
    my $text = slurp("$e->{folder}/exercise.cu") // die short($e->{folder}), "/exercise.cu is missing: make reset EX=$e->{id}\n";
    my $v = check_text($e, $text, "$build/exercises/$e->{id}");
    my $answers = "$e->{folder}/" . answers_file($e);
    my $chain = first_answers($e, $v, slurp($answers));
    spew($answers, $chain) if defined $chain;
    my $is_same = $text eq (slurp("$e->{folder}/exercise.cu") // '');    # not saved meanwhile
    make_path(dirname(state_file($e)));
    spew(state_file($e), state_key($e) . ($v->{reason} ? ' tried ' : ' done ') . "$v->{points}\n") if $is_same;
    return $v;
}

sub check_changed {    # what was edited without a check
    for my $e (grep { state_of($_)->{state} eq 'changed' } all_exercises()) {
        print STDERR said("checking $e->{id} ...\n");
        check_exercise($e);
    }
    return;
}

# The open exercise after this one: in its chapter, up to the end and from the beginning, or in the
# whole course.
sub next_open {
    my ($e, $whole_course) = @_;
    my @all = grep { $whole_course || !$e || $_->{chapter} == $e->{chapter} } all_exercises();
    my $is_later = sub { !$e || $_[0]{chapter} <=> $e->{chapter} || $_[0]{number} <=> $e->{number} };
    my @order = ((grep { $is_later->($_) > 0 } @all), (grep { $is_later->($_) < 0 } @all));
    my ($next) = grep { state_of($_)->{state} ne 'done' } @order;
    return $next;
}

sub count_done { return scalar(grep { state_of($_)->{state} eq 'done' } all_exercises()) }

sub bar { my ($share) = @_; my $n = int($share * 10 + 0.5); return '[' . '#' x $n . '-' x (10 - $n) . ']' }

# A line for each chapter, and one for the course.
sub progress {
    my (%chapter, $text);
    my @all = map { { %$_, now => state_of($_) } } all_exercises();
    push @{ $chapter{ $_->{folder} =~ s{^.*/(\d\d_\w+)/exercises/.*}{$1}r } }, $_ for @all;
    my %mark = (done => ' ', tried => '?', new => '-', changed => '*');
    my $line = sub {
        my ($name, @here) = @_;
        my $done = grep { $_->{now}{state} eq 'done' } @here;
        $text .= padded($name, 18) . ' ' . bar($done / @here) . " $done" . said(' of ') . @here . '  ';
    };
    for my $name (sort keys %chapter) {
        $line->($name, @{ $chapter{$name} });
        $text .= join('', map { "  $_->{id}$mark{ $_->{now}{state} }" } @{ $chapter{$name} }) . "\n";
    }
    $line->(said('the course'), @all);
    my ($points, $most) = (sum(map { $_->{now}{points} } @all), sum(map { $_->{points} } @all));
    $text .= '  ' . said("$points of $most points") . "\n";
    return $text =~ s/ +$//mgr . said("- not begun, ? tried, * changed since the last check\n");
}

1;
