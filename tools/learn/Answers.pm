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
use Variant;

our @EXPORT = qw(answers_kept keep_answers);

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
