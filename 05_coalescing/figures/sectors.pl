# The sectors that a warp touches
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { LANES => 32, FLOATS => 8, SECTORS => 8, CELL => 7.5, GAP => 3, ROW => 17, HIGH => 14, LEFT => 9 };
# An access, and the floats that lane k wants. Lesson 05 asks for a[2 * k] before anything runs, so that
# one is not here; strides.pl shows it.
our @accesses;
@accesses = (
    ['`a[k]`', sub { $_[0] }],
    ['`a[k + 1]`', sub { $_[0] + 1 }],
    ['`a[8 * k]`', sub { 8 * $_[0] }],
    ['`float4 v[k]`', sub { map { 4 * $_[0] + $_ } 0 .. 3 }],
    ['`p[k].x`, `p[k].vx`', sub { 8 * $_[0], 8 * $_[0] + 4 }],    # structures of 8 floats
) if !@accesses;
our $description //= 'a[k] touches 4 sectors and wants all of them; a[k + 1] touches 5; a[8 * k] 32, with one float wanted in each; '
    . 'a float4 for each lane 16, all wanted; two fields of a structure of 8 floats touch 32 sectors and want a quarter.';
our $title //= 'The sectors that a warp touches';

# How many sectors there are up to the last one, and how many floats are wanted in which.
sub touched {
    my ($floats) = @_;
    my %sectors;
    $sectors{ int($_ / FLOATS) }++ for map { $floats->($_) } 0 .. LANES - 1;
    return \%sectors;
}

# The left edge and the top of a float, in rows of SECTORS.
sub place {
    my ($float) = @_;
    my $sector = int($float / FLOATS);
    return (LEFT + $sector % SECTORS * (FLOATS * CELL + GAP) + $float % FLOATS * CELL, ROW * int($sector / SECTORS));
}

my $height = 62;
$height += 31 + ROW * (1 + int((keys(%{ touched($_->[1]) }) - 1) / SECTORS)) for @accesses;
my $picture = picture($height, $title,
    'Each box is a sector: 32 bytes, 8 floats. What the 32 lanes of a warp want is full, what comes along unwanted is hatched. '
    . $description);
$picture->text(LEFT, 19, 'A box is a sector: 32 bytes, 8 floats. Lane k of a warp reads:');
$picture->legend(LEFT, 32, ['blue', 'wanted by a lane', 190], ['red', 'moved, and not wanted']);

my $y = 62;
for (@accesses) {
    my ($label, $floats) = @$_;
    my $sectors = touched($floats);
    my ($count, $wanted) = (scalar keys %$sectors, 0);
    $wanted += 4 * $_ for values %$sectors;
    my $bytes = 4 * FLOATS * $count;
    $picture->text(LEFT, $y + 16, $label)->text(511, $y + 16, "$count sectors, " . ($wanted == $bytes ? "all $bytes bytes" : "$wanted of $bytes bytes") . ' wanted', 'end');
    $y += 23;
    for my $sector (sort { $a <=> $b } keys %$sectors) {
        my ($x, $down) = place($sector * FLOATS);
        $picture->box($x, $y + $down, FLOATS * CELL, HIGH, 'red');
    }
    for my $lane (0 .. LANES - 1) {
        $picture->cell((place($_))[0], $y + (place($_))[1], CELL, HIGH, 'blue') for $floats->($lane);
    }
    $y += ROW * (1 + int(($count - 1) / SECTORS)) + 8;
}
$picture->done;
1;
