# Which element does a thread take?
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { BLOCKS => 4, THREADS => 4, N => 14, LEFT => 10, CELL => 29, GAP => 12, HIGH => 26, SHOWN => 9 };

my $picture = picture(222, 'Which element does a thread take?',
    'Four blocks of four threads above an array of 14 elements. Thread threadIdx.x of block blockIdx.x takes element '
    . 'blockIdx.x * blockDim.x + threadIdx.x: thread 1 of block 2 takes element 2 * 4 + 1 = 9. The last two threads of the last block have no '
    . 'element.');
my $threads_y = 50;
my $array_y = 128;

sub thread_x { my ($i) = @_; return LEFT + $i * CELL + int($i / THREADS) * GAP }
sub element_x { my ($i) = @_; return LEFT + (BLOCKS - 1) * GAP / 2 + $i * CELL }

for my $block (0 .. BLOCKS - 1) {
    my $x = thread_x($block * THREADS);
    $picture->text($x + THREADS * CELL / 2, $threads_y - 26, "blockIdx.x = $block", 'middle');
    $picture->box($x - 5, $threads_y - 16, THREADS * CELL + 8, HIGH + 14, 'none');
}
for my $i (0 .. BLOCKS * THREADS - 1) {
    my $color = $i == SHOWN ? 'blue' : 'green';
    $picture->box(thread_x($i), $threads_y - 9, CELL - 2, HIGH, $i < N ? $color : 'red', $i % THREADS);
    next if $i >= N;
    $picture->arrow(thread_x($i) + CELL / 2 - 1, $threads_y + HIGH - 1, element_x($i) + CELL / 2 - 1, $array_y - 2, $i == SHOWN ? 'blue' : 'axis');
    $picture->box(element_x($i), $array_y, CELL - 2, HIGH, $i == SHOWN ? 'blue' : 'pink', $i);
}
$picture->text(element_x(N) + 6, $array_y + 18, 'n = ' . N);
$picture->text(LEFT, $array_y + 54, 'In blue: thread 1 of block 2 takes element 2 * 4 + 1 = 9.');
$picture->legend(LEFT, $array_y + 68, ['green', 'thread, its threadIdx.x', 216], ['pink', 'element', 100], ['red', 'thread without one']);
$picture->done;
