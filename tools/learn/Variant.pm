# SPDX-License-Identifier: MIT
# Predictions that differ from class to class. A line of given.h
#
#     #define STRIDE 2 // variants: 2, 3, 5
#
# is a constant, and a variant of the course has another of these values. explained.txt has a line for each
# prediction, "label: why", where {STRIDE} stands for the value. The student edition has it as
# explained.base64, which hides it from the eye only.
package Variant;
use strict;
use warnings;
use Digest::MD5 qw(md5_hex);
use Exporter qw(import);
use MIME::Base64 qw(decode_base64 encode_base64);
use Course;

our @EXPORT = qw(explanations hidden_explanations varied);

my $constant = qr{^#define (\w+) (.+?)(\s*// variants: (.+))$}m;

# given.h with the constants of a variant.
sub varied {
    my ($text, $seed, $id) = @_;
    return $text =~ s{$constant}{
        my ($name, $note, @values) = ($1, $3, split /, /, $4);
        "#define $name " . $values[hex(substr md5_hex("$seed $id $name"), 0, 7) % @values] . $note
    }ger;
}

# Why each answer is what it is: label => sentence.
sub explanations {
    my ($e) = @_;
    my $text = slurp("$e->{folder}/explained.txt") // decode_base64(slurp("$e->{folder}/explained.base64") // '');
    my %value;
    my $given = slurp("$e->{folder}/given.h") // '';
    $value{$1} = $2 while $given =~ /$constant/g;
    my %why = $text =~ /^(.+?): (.+)$/mg;
    s/\{(\w+)\}/$value{$1} \/\/ die "explained.txt: no constant $1\n"/ge for values %why;
    return %why;
}

sub hidden_explanations { my ($text) = @_; return encode_base64($text) }

1;
