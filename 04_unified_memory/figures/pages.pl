# Managed pages move to the processor that touches them
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { PAGES => 4, PAGE => 23, LEFT => 8, RIGHT => 328, STEP => 74 };
# What happens, and where the pages of x and of y are after it: h(ost) or d(evice).
my @steps = (
    ['The host writes x and y.', 'h', 'h'],
    ['A kernel adds x to y: pages move at their first touch.', 'd', 'd'],
    ['The host reads y: only the pages of y move back.', 'd', 'h'],
    ['The next kernel moves y again; x is still there.', 'd', 'd'],
);
my %color = (x => 'blue', y => 'green');

my $picture = picture(32 + STEP * @steps, 'Managed pages move to the processor that touches them',
    'Four rows, each with places for pages on the host and on the device. After the host has written x and y, all 8 pages are on the host; '
    . 'a kernel moves all 8 to the device; when the host reads y, its 4 pages move back and those of x stay; the next kernel moves the 4 again.');
$picture->text(LEFT, 19, 'host')->text(RIGHT, 19, 'device');

my %was;
my $y = 26;
for (@steps) {
    my ($what, %is);
    ($what, @is{ 'x', 'y' }) = @$_;
    $picture->text(LEFT, $y + 19, $what);
    my $moved = 0;
    my $i = 0;
    for my $array ('x', 'y') {
        for (1 .. PAGES) {
            my $x = $i++ * PAGE;
            $picture->box($x + LEFT, $y + 30, PAGE - 2, PAGE + 3, $is{$array} eq 'h' ? ($color{$array}, $array) : 'none');
            $picture->box($x + RIGHT, $y + 30, PAGE - 2, PAGE + 3, $is{$array} eq 'd' ? ($color{$array}, $array) : 'none');
        }
        $moved += PAGES if %was && $was{$array} ne $is{$array};
    }
    if ($moved) {
        my @ends = (LEFT + 2 * PAGES * PAGE + 8, RIGHT - 10);
        @ends = reverse @ends if $is{y} eq 'h';
        $picture->arrow($ends[0], $y + 50, $ends[1], $y + 50);
        $picture->text(($ends[0] + $ends[1]) / 2, $y + 42, "$moved pages", 'middle');
    }
    %was = %is;
    $y += STEP;
}
$picture->done;
