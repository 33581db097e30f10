# A GPU, its memories and its host
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { LEFT => 16, WIDE => 250, FIRST => 341, SECOND => 456, LINE => 20 };

my $picture = picture(392, 'A GPU, its memories and its host',
    'The device has multiprocessors (SM), each with warps and an L1 cache; one L2 cache that all of them share; and DRAM. A link joins it to '
    . 'the host, the CPU and its memory. An H200 has 132 multiprocessors, 60 MiB of L2 and 141 GB of DRAM at 4814 GB/s; an RTX 3060 has 28, '
    . '2.25 MiB and 12 GB at 360 GB/s.');

# Beside a part, what it is on two cards, from the line at y on.
sub sizes {
    my ($y, @lines) = @_;
    for (@lines) {
        $picture->text(FIRST, $y, $_->[0], 'middle')->text(SECOND, $y, $_->[1], 'middle');
        $y += LINE;
    }
    return;
}

$picture->text(FIRST, 22, 'H200', 'middle')->text(SECOND, 22, 'RTX 3060', 'middle');
$picture->line(LEFT + WIDE + 14, 30, 514, 30);
$picture->box(LEFT - 10, 8, WIDE + 20, 264, 'none')->text(LEFT, 28, 'device (GPU)');
for my $x (map { LEFT + 86 * $_ } 0 .. 2) {
    $picture->box($x, 38, 78, 62, 'green', 'SM', 'warps')->box($x, 106, 78, 28, 'pink', 'L1');
}
sizes(54, ['132 SMs', '28 SMs'], ['2048 threads', '1536 threads'], ['on each', 'on each']);
sizes(126, ['256 KiB each', '128 KiB each']);
$picture->box(LEFT, 156, WIDE, 30, 'pink', 'L2');
sizes(177, ['60 MiB', '2.25 MiB']);
$picture->box(LEFT, 210, WIDE, 52, 'pink', 'DRAM (global memory)');
sizes(232, ['141 GB', '12 GB'], ['4814 GB/s', '360 GB/s']);
$picture->line(LEFT + WIDE / 2, $_->[0], LEFT + WIDE / 2, $_->[1]) for [186, 210], [262, 330];
$picture->line(LEFT + 39 + 86 * $_, 134, LEFT + 39 + 86 * $_, 156) for 0 .. 2;
$picture->text(LEFT + WIDE / 2 + 10, 304, 'link');
sizes(296, ['PCIe 5, x16', 'PCIe 4, x16'], ['63 GB/s', '32 GB/s']);
$picture->box(LEFT, 330, WIDE, 52, 'blue', 'host: CPU and its memory');
$picture->done;
