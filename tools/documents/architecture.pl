# How a lesson and an access report are made
# SPDX-License-Identifier: MIT
#
# make docs stores it as docs/architecture.svg. Each box is a folder, or a file of one.
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { LEFT => 8, HIGH => 48, DOWN => 68, STEP => 48, LOW => 32 };
# Three columns of boxes, and one narrow column for the steps of the CPU device.
my @column = (LEFT, 193, 378);
use constant { WIDE => 134, NARROW => 160, BESIDE => 182 };

my $picture = picture(714, 'How a lesson and an access report are made',
    'Above, a chapter: its programs and experiments include common.h and common/experiment; tools/measure runs them and stores results; '
    . 'tools/documents copies results into the lesson and its figures; tools/learn checks exercises, tools/teach grades them. '
    . 'Below, cudacc: translate rewrites a kernel, g++ puts a call before each access, include and api make a launch a loop over threads, '
    . 'runtime runs it; with --trace, trace/record makes requests of what 32 threads do, trace/check and trace/count look at each request, '
    . 'trace/report prints, with the names that trace/names knows.');
$picture->legend(LEFT, 8, ['blue', 'in a chapter', 138], ['green', 'common', 110], ['red', 'tools', 92], ['none', 'compiler']);

my $y = 36;
sub titled { my ($title) = @_; $picture->text(LEFT, $y + 16, $title); $y += 28; return }
# A box in a column of the upper part.
sub put_in { my ($column, $color, @words) = @_; $picture->box($column[$column], $y, WIDE, HIGH, $color, @words); return }
sub to_the_right { my ($column) = @_; $picture->arrow($column[$column] + WIDE + 5, $y + HIGH / 2, $column[$column + 1] - 5, $y + HIGH / 2); return }
sub to_the_left { my ($column) = @_; $picture->arrow($column[$column] - 5, $y + HIGH / 2, $column[$column - 1] + WIDE + 5, $y + HIGH / 2); return }

# ---- A chapter -----------------------------------------------------------------------------------
titled('A chapter');
put_in(0, 'blue', 'its program,', 'experiments');
put_in(1, 'red', 'tools/', 'measure');
put_in(2, 'blue', 'results');
to_the_right($_) for 0, 1;
$picture->arrow($column[2] + WIDE / 2, $y + HIGH + 2, $column[2] + WIDE / 2, $y + DOWN - 2);
$picture->arrow($column[0] + WIDE / 2, $y + DOWN - 2, $column[0] + WIDE / 2, $y + HIGH + 2);
$y += DOWN;
put_in(0, 'green', 'common.h,', 'experiment/');
put_in(1, 'blue', 'lesson,', 'figures');
put_in(2, 'red', 'tools/', 'documents');
to_the_left(2);
$y += DOWN;
put_in(0, 'blue', 'exercises');
put_in(1, 'red', 'tools/learn', 'tools/teach');
to_the_right($_) for 0, 1;
$picture->text($column[2], $y + 20, 'a verdict, hints;')->text($column[2], $y + 41, 'points');
$y += HIGH + 18;

# ---- The CPU device ------------------------------------------------------------------------------
titled('A `.cu` file without a GPU: `cudacc`');
sub step {
    my ($color, $name, $what) = @_;
    $picture->box(LEFT, $y, NARROW, LOW, $color, $name)->text(BESIDE, $y + 21, $what);
    $y += STEP;
    $picture->arrow(LEFT + NARROW / 2, $y - STEP + LOW + 1, LEFT + NARROW / 2, $y - 1);
    return;
}
step('green', 'translate/', 'launches become calls; no line moves');
step('none', 'g++ or clang++', 'with --trace: a call before each access');
step('green', 'include/, api/', 'a launch: a loop over threads, in a queue');
step('green', 'runtime/', 'streams, blocks, fibers: the loop runs');
# With --trace the steps below follow, in boxes that stand side by side.
my @beside = (LEFT, BESIDE + 8);
my $wide = $beside[1] + NARROW - LEFT;
sub from_both { $picture->arrow($_ + NARROW / 2, $y - 18, $_ + NARROW / 2, $y - 2) for @beside; return }
$picture->box(LEFT, $y, $wide, HIGH, 'green', 'trace/record/', 'what 32 threads do together: a request');
$y += DOWN;
from_both();
$picture->box($beside[0], $y, NARROW, HIGH, 'green', 'trace/check/', 'bounds, races')->box($beside[1], $y, NARROW, HIGH, 'green', 'trace/count/', 'sectors');
$y += DOWN;
from_both();
$picture->box(LEFT, $y, $wide, HIGH, 'green', 'trace/report/', 'the table, CSV, advice');
$picture->box($column[2], $y, WIDE, HIGH, 'green', 'trace/names/', 'what is where');
$picture->arrow($column[2] - 4, $y + HIGH / 2, LEFT + $wide + 4, $y + HIGH / 2);
$picture->text(LEFT, $y + HIGH + 26, '`tests` has a folder for each part above; `docs` holds the pages.');
$picture->done;
