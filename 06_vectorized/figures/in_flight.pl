# What one thread has in flight, in four ways to add four floats
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { LEFT => 9, LATENCY => 104, BYTE => 1.5, GAP => 2, STORE => 5, TURNOVER => 24, ABOVE => 23, BELOW => 12 };
# A way; the loads that are in flight together, each with its bytes; how often, and what lies between.
my @ways = (
    ['1 float', [['a', 4], ['b', 4]], 4, TURNOVER],
    ['4 floats in turn', [['a', 4], ['b', 4]], 4, STORE],
    ['4 floats at once', [map { (['a', 4], ['b', 4]) } 1 .. 4], 1, 0],
    ['`float4`', [['a', 16], ['b', 16]], 1, 0],
);

sub thick { my ($loads) = @_; my $sum = 0; $sum += $_->[1] * BYTE + GAP for @$loads; return $sum }

my $height = 62 + 20;
$height += ABOVE + thick($_->[1]) + BELOW for @ways;
my $picture = picture($height, 'What one thread has in flight',
    'Four timelines, time from left to right; a bar is a load on its way, as thick as it has bytes. One float for each thread: four pairs of '
    . 'thin bars one after another, with a new block between them. Four floats in turn: the same four pairs, closer together. Four floats at once: '
    . 'eight thin bars at the same time, and done. float4: two thick bars at the same time, and done just as early.');
$picture->text(LEFT, 19, 'A bar is a load on its way, as thick as its bytes.');
$picture->legend(LEFT, 32, ['blue', 'of `a`', 90], ['red', 'of `b`', 0]);

my $y = 62;
for (@ways) {
    my ($label, $loads, $rounds, $between) = @$_;
    my $bytes = 0;
    $bytes += $_->[1] for @$loads;
    $picture->text(LEFT, $y + 16, $label)->text(511, $y + 16, "$bytes bytes in flight", 'end');
    $y += ABOVE;
    my $x = LEFT;
    for my $round (1 .. $rounds) {
        my $top = $y;
        for (@$loads) {
            my ($array, $size) = @$_;
            $picture->box($x, $top, LATENCY, $size * BYTE, $array eq 'a' ? 'blue' : 'red');
            $top += $size * BYTE + GAP;
        }
        $x += LATENCY + $between;
        $picture->line($x - $between / 2, $y - 4, $x - $between / 2, $top + 2, 'axis', 1) if $between == TURNOVER && $round < $rounds;
    }
    $y += thick($loads) + BELOW;
}
$picture->text(LEFT, $y + 8, 'Time runs to the right. Dashed: a block ends, another starts.');
$picture->done;
