# A launch is not a kernel: what a clock on the host sees
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { FROM => 72, LAUNCH => 60, LATE => 50, KERNEL => 290, COPY => 52, ROW => 29, HIGH => 24 };

my $picture = picture(498, 'A launch is not a kernel: what a clock on the host sees',
    'Four timelines, each with a row for the host and one for the device. The host launches three kernels and is free while the second and '
    . 'third wait in a queue. A clock stopped after the launch sees only the launch. Stopped after cudaDeviceSynchronize it sees launch and '
    . 'kernel; stopped after cudaMemcpy also the copy, which waits for the kernel.');
$picture->legend(8, 8, ['blue', 'host', 90], ['green', 'device', 105], ['none', 'waits', 95]);

my $y = 36;
sub titled { my ($title) = @_; $picture->text(8, $y + 16, $title); $y += 24; return }
# A row of parts: [color, from, to, words]...
sub row {
    my ($name, @parts) = @_;
    $picture->text(8, $y + 17, $name);
    $picture->box($_->[1], $y, $_->[2] - $_->[1], HIGH, $_->[0], $_->[3] // ()) for @parts;
    $y += ROW;
    return;
}
sub clocked { my ($to) = @_; $picture->text(8, $y + 13, 'clock', 'start', 'red')->span(FROM, $to, $y + 8, 'red'); $y += 32; return }

# Three launches, and where the kernels wait.
my $short = 3 * LAUNCH - LATE;    # the second kernel starts when the third is launched
my @launched = map { FROM + $_ * LAUNCH } 1 .. 3;
my @starts = map { FROM + LATE + $_ * $short } 0 .. 2;
titled('Launches return at once; kernels wait in a queue.');
row('host', map({ ['blue', $launched[$_] - LAUNCH, $launched[$_], 'launch'] } 0 .. 2), ['none', $launched[2], 510, 'free for other work']);
row('queue', map { ['none', $launched[$_], $starts[$_], $_ + 1] } 1, 2);
row('device', map { ['green', $starts[$_], $starts[$_] + $short, 'kernel ' . ($_ + 1)] } 0 .. 2);
$y += 8;

my ($launched, $start) = (FROM + LAUNCH, FROM + LATE);
my $end = $start + KERNEL;
titled('Clock stopped right after the launch');
row('host', ['blue', FROM, $launched, 'launch']);
row('device', ['green', $start, $end, 'kernel']);
clocked($launched);
titled('Clock stopped after `cudaDeviceSynchronize()`');
row('host', ['blue', FROM, $launched, 'launch'], ['none', $launched, $end + 8, 'waits']);
row('device', ['green', $start, $end, 'kernel']);
clocked($end + 8);
titled('Clock stopped after `cudaMemcpy()` of a result');
row('host', ['blue', FROM, $launched, 'launch'], ['none', $launched, $end + COPY + 8, 'waits']);
row('device', ['green', $start, $end, 'kernel'], ['green', $end, $end + COPY, 'copy']);
clocked($end + COPY + 8);
$picture->done;
