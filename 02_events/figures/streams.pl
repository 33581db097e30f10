# Two streams: copies and kernels overlap
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { FROM => 82, UNIT => 71, HIGH => 28, ROW => 34 };
# What is done to each half, in this order: its color and how long it takes.
my @steps = (['in', 'blue', 1], ['kernel', 'green', 1], ['out', 'red', 1]);
my @halves = qw(A B);

my $picture = picture(300, 'Two streams: copies and kernels overlap',
    'Two timelines of two halves A and B, each copied in, worked on by a kernel and copied out. In one stream the six steps follow one '
    . 'another. In two streams half B is copied in while the kernel works on A, and so on: four steps of time instead of six.');
$picture->legend(8, 8, ['blue', 'copy in', 115], ['green', 'kernel', 110], ['red', 'copy out', 120]);

# When each step begins, by half: in one stream after all before it, in two when the half's last step
# and the engine for it are done.
sub schedule {
    my ($streams) = @_;
    my (%engine_free, @begin);
    my @stream_free = (0) x $streams;
    for my $half (0 .. $#halves) {
        my $stream = $half % $streams;
        for my $step (@steps) {
            my ($name, undef, $time) = @$step;
            my ($begin) = sort { $b <=> $a } $stream_free[$stream], $engine_free{$name} // 0;
            push @begin, [$stream, $half, $step, $begin];
            $stream_free[$stream] = $engine_free{$name} = $begin + $time;
        }
    }
    my ($end) = sort { $b <=> $a } @stream_free;
    return ($end, @begin);
}

my $y = 36;
my ($alone) = schedule(1);
for my $streams (1, 2) {
    my ($end, @begin) = schedule($streams);
    my $bottom = $y + 28 + $streams * ROW;
    $picture->text(8, $y + 18, ('One stream: one step after the other', 'Two streams: the halves overlap')[$streams - 1]);
    $picture->text(8, $y + 28 + ROW * $_ + 19, 'stream ' . ($_ + 1)) for 0 .. $streams - 1;
    for (@begin) {
        my ($stream, $half, $step, $begin) = @$_;
        my ($name, $color, $time) = @$step;
        $picture->box(FROM + $begin * UNIT, $y + 28 + ROW * $stream, $time * UNIT, HIGH, $color, "$name $halves[$half]");
    }
    $picture->text(8, $bottom + 15, 'time')->span(FROM, FROM + $end * UNIT, $bottom + 10, 'text', sprintf '%.2f', $end / $alone);
    $y = $bottom + 34;
}
$picture->done;
