# SPDX-License-Identifier: MIT
# Predictions that differ from student to student, and from try to try: lines "vary:" in the head of check.cu say
# which constants of given.h have which values (docs/add_an_exercise.md). make mine chooses them, and make again,
# which notes that in given.h. explained.zh_CN.base64 has the explanations in Chinese.
#
# A class has VARIANTS of the constants, by its word (make strip VARIANT=fall26 writes it into the file `variant`);
# which of them a student has, the ID says: so a grader compiles a check a few times, and not for each student.
package Variant;
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Exporter qw(import);
use MIME::Base64 qw(decode_base64);
use Chinese;
use Course;

our @EXPORT = qw(answers_file constants explanations given_again given_of make_mine points_before values_of varied whose with_numbers);

use constant VARIANTS => 8;

# [name, value, value...] of each constant.
sub constants {
    my ($e) = @_;
    return map { my ($name, $values) = split ' ', $_, 2; [$name, split /, /, $values] } $e->{check} =~ m{^//\s+vary:\s+(.+?)\s*$}mg;
}

# As it stands, or a student's own.
sub given_of { my ($e) = @_; return $e->{given} // slurp("$e->{folder}/given.h") // '' }

sub value_of {
    my ($e, $name) = @_;
    return given_of($e) =~ /^#define \Q$name\E (.+)$/m ? $1 : die short($e->{folder}), "/given.h: no constant $name\n";
}

# [name, value] of each.
sub values_of { my ($e) = @_; return map { [$_->[0], value_of($e, $_->[0])] } constants($e) }

# given.h as handed out, with the constants that `choose` picks of all values, and of the one that is there.
sub with_constants {
    my ($e, $choose) = @_;
    my $text = given_of($e) =~ s/^\/\/ make again: .*\n//mr;
    for my $constant (constants($e)) {
        my ($name, @values) = @$constant;
        my $value = $choose->($name, value_of($e, $name), @values);
        $text =~ s/^(#define \Q$name\E ).+$/$1$value/m;
    }
    return $text;
}

# The exercise with the constants of a student of a class.
sub varied {
    my ($e, $class, $id) = @_;
    return $e if !constants($e);
    my $variant = hex(substr md5_hex(lc "$class $id"), 0, 7) % VARIANTS;
    return { %$e, given => with_constants($e, sub {
        my ($name, undef, @values) = @_;
        return $values[hex(substr md5_hex("$class $variant $e->{id} $name"), 0, 7) % @values];
    }) };
}

# The class and the student that this copy of the course is for; the student is undef before make mine.
sub whose { return (slurp("$root/variant") // '') =~ /^(.*)\n(.+)?/ }

# Gives a student's copy its constants, but where there was a second chance. Returns the exercises that have some.
sub make_mine {
    my ($id, @exercises) = @_;
    my ($class) = whose() or die "this copy of the course asks everybody for the same numbers\n";
    my @varied = grep { constants($_) && !defined points_before($_) } @exercises;
    spew("$_->{folder}/given.h", varied($_, $class, $id)->{given}) for @varied;
    spew("$root/variant", "$class\n$id\n");
    return @varied;
}

# For a second chance: no constant is what it is now.
sub given_again {
    my ($e, $points) = @_;
    my $text = with_constants($e, sub {
        my ($name, $now, @values) = @_;
        my @others = grep { $_ ne $now } @values;
        return $others[rand @others];
    });
    return $text =~ s/\n/\n\/\/ make again: $points points before\n/r;
}

# The points before a second chance; undef: this is the first.
sub points_before { my ($e) = @_; return given_of($e) =~ /^\/\/ make again: (\d+) points before$/m ? $1 : undef }

# Where the answers to the numbers that are asked for now are kept.
sub answers_file { my ($e) = @_; return defined points_before($e) ? 'again_answers.txt' : 'first_answers.txt' }

# A solution that calculates with the constants of given.h, and so is right for all of them, as numbers: what is
# handed in has no names (Answers.pm).
sub with_numbers {
    my ($e, $text) = @_;
    my %bytes = ('float' => 4, 'double' => 8, 'int' => 4, 'unsigned' => 4, 'size_t' => 8, 'unsigned short' => 2, 'unsigned char' => 1);
    for my $constant (values_of($e)) {
        my ($name, $value) = @$constant;
        $text =~ s/\bsizeof\($name\)/$bytes{$value} \/\/ die "sizeof($value)?\n"/ge;
        $text =~ s/\b$name\b/$value/g;
    }
    return $text;
}

# Why each answer is what it is: label => sentence.
sub explanations {
    my ($e) = @_;
    my %value = map { @$_ } values_of($e);
    my %why = map { decode_base64(slurp("$e->{folder}/$_.base64") // '') =~ /^(.+?): (.+)$/mg } 'explained', ('explained.zh_CN') x in_chinese();
    s/\{(\w+)\}/$value{$1} \/\/ die "explained.base64: no constant $1\n"/ge for values %why;
    return %why;
}

1;
