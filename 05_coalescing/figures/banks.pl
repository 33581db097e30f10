# A column of a tile in the banks of shared memory
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { BANKS => 32, TILE => 32, CELL => 7.25, TOP => 128 };
my $side = BANKS * CELL;

my $picture = picture(TOP + 33 * CELL + 34, 'A column of a tile in the banks of shared memory',
    'Two grids of words, each line of a grid one word of each of the 32 banks. With rows of 32 words the column that a warp reads lies in '
    . 'one bank: 32 turns. With rows of 33 words it runs down the diagonal, one word in each bank: 1 turn. Beside each of its words lies '
    . 'the word of padding that moves the next row along by one bank.');
$picture->text(8, 19, 'Thread k of a warp reads `tile[k][0]`. A column is a bank.');
$picture->legend(8, 32, ['blue', 'read by a thread', 180], ['red', 'padding, never read', 0]);

# A grid of the words of a tile whose rows are `length` words apart.
sub tile {
    my ($left, $length, $declared) = @_;
    my %of_bank;
    $of_bank{ $_ * $length % BANKS }++ for 0 .. TILE - 1;
    my ($turns) = sort { $b <=> $a } values %of_bank;
    $picture->text($left, 77, $declared);
    $picture->text($left, 77 + 21, "rows of $length words: $turns turn" . ($turns > 1 ? 's' : ''));
    $picture->text($left, TOP - 5, 'bank 0')->text($left + $side, TOP - 5, 'bank 31', 'end');
    my $lines = $length * TILE / BANKS;
    $picture->box($left, TOP, $side, $lines * CELL, 'page');
    my $place = sub { return ($left + $_[0] % BANKS * CELL, TOP + int($_[0] / BANKS) * CELL) };
    for my $row (0 .. TILE - 1) {
        $picture->cell($place->($row * $length + $_), CELL, CELL, 'red') for TILE .. $length - 1;
        $picture->cell($place->($row * $length), CELL, CELL, 'blue');
    }
    $picture->line($left + $_ * CELL, TOP, $left + $_ * CELL, TOP + $lines * CELL, 'faint') for map { 4 * $_ } 1 .. 7;
    return;
}
tile(8, 32, '`float tile[32][32]`');
tile(512 - $side, 33, '`float tile[32][33]`');
$picture->text(8, TOP + 33 * CELL + 24, 'Words of one bank are read in turn, those of 32 banks at once.');
$picture->done;
