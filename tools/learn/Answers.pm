# SPDX-License-Identifier: MIT
# Answers to predictions. They are numbers, so that no text fits other constants; and the first ones count.
# first_answers.txt, beside exercise.cu, has a line for each different set of them, the first one first:
#
#     TIME BASE64 SHA256
#
# BASE64 holds the exercise's number, the constants that were asked for, the answers. SHA256 is that of the hash
# before, TIME and BASE64: a line that was edited, left out or moved breaks the chain. It is no signature, and the
# encoding hides from the eye only: both are against chance and haste.
package Answers;
use strict;
use warnings;
use Digest::SHA qw(sha256_hex);
use Exporter qw(import);
use MIME::Base64 qw(decode_base64 encode_base64);
use POSIX qw(strftime);
use Exercises;
use Variant;

our @EXPORT = qw(numbers_wrong answers_kept keep_answers);

my $blank = qr{(?:\s|//[^\n]*(?:\n|\z)|/\*.*?\*/)+}s;
my $number = qr{(?:0[xX][0-9a-fA-F]+|(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)[fFlLuU]*};

# The words of a text with the lines they are in: [word, line].
sub words_of {
    my ($text, $line) = @_;
    my @words;
    while ($text =~ m{\G(?:($blank)|([A-Za-z_]\w*|$number|.))}gs) {
        push @words, [$2, $line] if defined $2;
        $line += ($1 // '') =~ tr/\n//;
    }
    return @words;
}

# Between the marks of an exercise of predictions stands what was handed out, with a number, or a calculation with
# numbers, in place of each UNKNOWN. Says where a text is another one; nothing where all is well.
sub numbers_wrong {
    my ($e, $text) = @_;
    return if $e->{kind} ne 'measure';
    my ($front, $region) = parts($text);
    my @words = words_of($region, 1 + ($front =~ tr/\n//));
    my $at = sub { return @words ? "exercise.cu:$words[0][1]: $words[0][0]" : 'exercise.cu: the end' };
    for my $asked (map { $_->[0] } words_of((parts($e->{start}))[1], 0)) {
        my $given = 0;
        if ($asked eq 'UNKNOWN') {
            shift(@words), $given++ while @words && $words[0][0] =~ m{^(?:$number|[-+*/()])$};
            return $at->() . ' is no number; an answer is one, such as 4, or is calculated from some, 3 * 8' if @words && !$given && $words[0][0] ne $asked || $given && @words && $words[0][0] =~ /^\w/;
        }
        next if $given;
        return $at->() . ': only the answers may change, each UNKNOWN into a number' if !@words || $words[0][0] ne $asked;
        shift @words;
    }
    return @words ? $at->() . ': only the answers may change, each UNKNOWN into a number' : undef;
}

# ---- The chain ---------------------------------------------------------------------------------
sub asked_for { my ($e) = @_; return join '', "$e->{id}\n", map { "$_->[0] $_->[1]\n" } values_of($e) }

# The sets of answers in a chain: time, answers (label => number). Dies where it is broken, or of something else.
sub answers_kept {
    my ($e, $chain) = @_;
    my ($before, $asked, @sets) = ('', asked_for($e));
    for my $line (split /\n/, $chain // '') {
        my ($time, $coded, $hash) = $line =~ /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ) (\S+) ([0-9a-f]{64})$/ or die "it is not what make check has written\n";
        die "it was edited\n" if sha256_hex("$before $time $coded") ne $hash || @sets && $time lt $sets[-1]{time};
        my $said = decode_base64($coded);
        die "it answers " . ($said =~ /^\Q$e->{id}\E\n/ ? 'other numbers than those asked for' : 'another exercise') . "\n" if index($said, "$asked\n") != 0;
        push @sets, { time => $time, answers => { substr($said, length "$asked\n") =~ /^(.*)\t(.*)$/mg } };
        $before = $hash;
    }
    return @sets;
}

# The chain with one more set of answers: label, number, ...
sub keep_answers {
    my ($e, $chain, $time, @answers) = @_;
    $chain //= '';
    my ($before) = $chain =~ /(\S+)\n\z/;
    my $text = asked_for($e) . "\n";
    $text .= shift(@answers) . "\t" . shift(@answers) . "\n" while @answers;
    my $coded = encode_base64($text, '');
    $time //= strftime('%Y-%m-%dT%H:%M:%SZ', gmtime);
    return "$chain$time $coded " . sha256_hex(($before // '') . " $time $coded") . "\n";
}

1;
