# Copies to the device: from pageable and from pinned memory
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { BOX => 112, HIGH => 58, LEFT => 18, MIDDLE => 190, RIGHT => 390 };

my $picture = picture(314, 'Copies to the device: from pageable and from pinned memory',
    'Two paths from host memory to device memory. From a pageable array the CPU first copies each part into the driver’s pinned buffer, '
    . 'and the device fetches it from there: two copies. From a pinned array the device fetches the data itself: one copy.');

# The host and the device as frames, with what is said of the copy above them.
sub path {
    my ($y, $title) = @_;
    $picture->text(8, $y + 16, $title);
    $picture->box(8, $y + 26, 304, 104, 'none')->box(RIGHT - 10, $y + 26, BOX + 20, 104, 'none');
    $picture->text(LEFT, $y + 46, 'host')->text(RIGHT, $y + 46, 'device');
    return $y + 56;
}
sub copied {
    my ($from, $to, $y, $what, $who) = @_;
    my $middle = ($from + $to) / 2;
    $picture->arrow($from, $y, $to, $y)->text($middle, $y - 8, $what, 'middle', 'text', 'halo')->text($middle, $y + 20, $who, 'middle', 'text', 'halo');
    return;
}

my $y = path(4, 'Pageable memory: two copies of each byte');
$picture->box(LEFT, $y, BOX, HIGH, 'red', 'your array,', 'pageable');
$picture->box(MIDDLE, $y, BOX, HIGH, 'blue', 'driver’s', 'pinned buffer');
$picture->box(RIGHT, $y, BOX, HIGH, 'green', 'device', 'memory');
copied(LEFT + BOX, MIDDLE, $y + HIGH / 2, 'copy 1', 'CPU');
copied(MIDDLE + BOX, RIGHT, $y + HIGH / 2, 'copy 2', 'device');

$y = path(158, 'Pinned memory: one copy, without the CPU');
$picture->box(LEFT, $y, BOX, HIGH, 'blue', 'your array,', 'pinned');
$picture->box(RIGHT, $y, BOX, HIGH, 'green', 'device', 'memory');
copied(LEFT + BOX, RIGHT, $y + HIGH / 2, 'one copy', 'device');
$picture->done;
