# SPDX-License-Identifier: MIT
# Predictions that differ from class to class, and from try to try. A line in the head of check.cu,
#
#     vary: STRIDE 2, 3, 5
#
# says that given.h has a constant, `#define STRIDE 2`, which may have another of these values: in a
# variant of the course (make strip), and after make again, which notes that in given.h. explained.base64
# has a line for each prediction, "label: why", where {STRIDE} stands for the value; the encoding hides it
# from the eye only (base64 -d shows it). explained.zh_CN.base64 has the sentences in Chinese.
package Variant;
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Exporter qw(import);
use MIME::Base64 qw(decode_base64);
use Chinese;
use Course;

our @EXPORT = qw(answers_file constants explanations given_again given_varied points_before values_of);

# [name, value, value...] of each constant.
sub constants {
    my ($e) = @_;
    return map { my ($name, $values) = split ' ', $_, 2; [$name, split /, /, $values] } $e->{check} =~ m{^//\s+vary:\s+(.+?)\s*$}mg;
}

sub given { my ($e) = @_; return slurp("$e->{folder}/given.h") // '' }

sub value_of {
    my ($e, $name) = @_;
    return given($e) =~ /^#define \Q$name\E (.+)$/m ? $1 : die short($e->{folder}), "/given.h: no constant $name\n";
}

# [name, value] of each.
sub values_of { my ($e) = @_; return map { [$_->[0], value_of($e, $_->[0])] } constants($e) }

# given.h as handed out, with the constants that `choose` picks of all values, and of the one that is there.
sub with_constants {
    my ($e, $choose) = @_;
    my $text = given($e) =~ s/^\/\/ make again: .*\n//mr;
    for my $constant (constants($e)) {
        my ($name, @values) = @$constant;
        my $value = $choose->($name, value_of($e, $name), @values);
        $text =~ s/^(#define \Q$name\E ).+$/$1$value/m;
    }
    return $text;
}

# For a class.
sub given_varied {
    my ($e, $seed) = @_;
    return with_constants($e, sub {
        my ($name, $now, @values) = @_;
        return defined $seed ? $values[hex(substr md5_hex("$seed $e->{id} $name"), 0, 7) % @values] : $now;
    });
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
sub points_before { my ($e) = @_; return given($e) =~ /^\/\/ make again: (\d+) points before$/m ? $1 : undef }

# Where the answers to the numbers that are asked for now are kept.
sub answers_file { my ($e) = @_; return defined points_before($e) ? 'again_answers.txt' : 'first_answers.txt' }

# Why each answer is what it is: label => sentence.
sub explanations {
    my ($e) = @_;
    my %value = map { @$_ } values_of($e);
    my %why = map { decode_base64(slurp("$e->{folder}/$_.base64") // '') =~ /^(.+?): (.+)$/mg } 'explained', ('explained.zh_CN') x in_chinese();
    s/\{(\w+)\}/$value{$1} \/\/ die "explained.base64: no constant $1\n"/ge for values %why;
    return %why;
}

1;
