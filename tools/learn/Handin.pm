# SPDX-License-Identifier: MIT
# make handin: all that one hands in, as one file: whose it is, for what, when (by the learner's clock), and of each
# exercise that is begun the text between its marks, the first answers to its predictions, and a hash of both.
package Handin;
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Encode qw(decode encode);
use Exporter qw(import);
use JSON::PP;
use POSIX qw(strftime);
use Course;
use Exercises;
use Variant;

our @EXPORT = qw(hand_in read_handin);

my $time_like = qr/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/;

# Text that is no UTF-8 is taken for Latin-1: it can only be in comments and strings.
sub characters { my ($bytes) = @_; return eval { decode('UTF-8', my $copy = $bytes, Encode::FB_CROAK) } // decode('latin1', $bytes) }

sub hash_of { my ($x) = @_; return sha256_hex(encode('UTF-8', join "\0", map { $_ // '' } @$x{qw(exercise region first_answers)})) }

# Writes the file; says what is in it, and why something is not. Returns how many exercises are.
sub hand_in {
    my ($id, $to, @asked) = @_;
    my (undef, $student) = whose();
    die "the numbers here are those of $student: make mine ID=$id asks for yours\n" if defined $student && lc $student ne lc $id;
    my @exercises;
    for my $e (@asked ? map({ find_exercise($_) } @asked) : all_exercises()) {
        my ($text) = repaired(slurp("$e->{folder}/exercise.cu") // '');
        my ($region, $untouched) = map { (parts($_))[1] } $text, $e->{start};
        if (!defined $region) { print "$e->{id}: exercise.cu has lost one of its two marks: it is not handed in\n"; next }
        if ($region eq $untouched) { print "$e->{id}: not begun\n" if @asked; next }
        my %x = (exercise => $e->{id}, region => characters($region));
        my $answers = slurp("$e->{folder}/first_answers.txt");
        $x{first_answers} = characters($answers) if defined $answers;
        push @exercises, { %x, sha256 => hash_of(\%x) };
    }
    if (!@exercises) { print "no exercise is begun: nothing is written\n"; return 0 }
    my $time = strftime('%Y-%m-%dT%H:%M:%SZ', gmtime);
    spew($to, JSON::PP->new->canonical->pretty->utf8->encode({ handin => 1, id => characters($id), assignment => "@asked", time => $time, exercises => \@exercises }));
    print short($to), " of $id, $time: ", join(' ', map { $_->{exercise} } @exercises), "\n";
    return scalar @exercises;
}

# What such a file says, as bytes but for its id; or dies. wrong: an exercise whose hash is not that of its text.
sub read_handin {
    my ($bytes) = @_;
    my $x = eval { JSON::PP->new->utf8->decode($bytes) };
    my $is_text = sub { return defined $_[0] && !ref $_[0] };
    die "it is not what make handin writes\n" if ref $x ne 'HASH' || !$is_text->($x->{id}) || !length $x->{id} || ref $x->{exercises} ne 'ARRAY' || ($x->{time} // '') !~ $time_like;
    my @exercises;
    for my $e (@{ $x->{exercises} }) {
        die "it is not what make handin writes\n" if ref $e ne 'HASH' || grep { !$is_text->($e->{$_}) } qw(exercise region sha256);
        my $answers = $is_text->($e->{first_answers}) ? encode('UTF-8', $e->{first_answers}) : undef;
        push @exercises, { id => $e->{exercise}, region => encode('UTF-8', $e->{region}), answers => $answers, wrong => hash_of($e) ne $e->{sha256} };
    }
    return { id => $x->{id}, time => $x->{time}, exercises => \@exercises };
}

1;
