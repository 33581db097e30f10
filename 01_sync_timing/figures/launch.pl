# A launch is not a kernel: what a clock on the host sees
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { FROM => 72, LAUNCH => 60, LATE => 50, KERNEL => 290, COPY => 52 };

my $picture = picture(498, 'A launch is not a kernel: what a clock on the host sees',
    'Four timelines, each with a row for the host and one for the device. The host launches three kernels and is free while the second and '
    . 'third wait in a queue. A clock stopped after the launch sees only the launch. Stopped after cudaDeviceSynchronize it sees launch and '
    . 'kernel; stopped after cudaMemcpy also the copy, which waits for the kernel.');
$picture->legend(8, 8, ['blue', 'host', 90], ['green', 'device', 105], ['none', 'waits', 95]);

sub clocked { my ($to) = @_; $picture->text(8, $picture->{y} + 13, 'clock', 'start', 'red')->span(FROM, $to, $picture->{y} + 8, 'red'); $picture->{y} += 32; return }

# Three launches, and where the kernels wait.
my $short = 3 * LAUNCH - LATE;    # the second kernel starts when the third is launched
my @launched = map { FROM + $_ * LAUNCH } 1 .. 3;
my @starts = map { FROM + LATE + $_ * $short } 0 .. 2;
$picture->titled('Launches return at once; kernels wait in a queue.');
$picture->row('host', map({ ['blue', $launched[$_] - LAUNCH, $launched[$_], 'launch'] } 0 .. 2), ['none', $launched[2], 510, 'free for other work']);
$picture->row('queue', map { ['none', $launched[$_], $starts[$_], $_ + 1] } 1, 2);
$picture->row('device', map { ['green', $starts[$_], $starts[$_] + $short, 'kernel ' . ($_ + 1)] } 0 .. 2);
$picture->{y} += 8;

my ($launched, $start) = (FROM + LAUNCH, FROM + LATE);
my $end = $start + KERNEL;
$picture->titled('Clock stopped right after the launch');
$picture->row('host', ['blue', FROM, $launched, 'launch']);
$picture->row('device', ['green', $start, $end, 'kernel']);
clocked($launched);
$picture->titled('Clock stopped after `cudaDeviceSynchronize()`');
$picture->row('host', ['blue', FROM, $launched, 'launch'], ['none', $launched, $end + 8, 'waits']);
$picture->row('device', ['green', $start, $end, 'kernel']);
clocked($end + 8);
$picture->titled('Clock stopped after `cudaMemcpy()` of a result');
$picture->row('host', ['blue', FROM, $launched, 'launch'], ['none', $launched, $end + COPY + 8, 'waits']);
$picture->row('device', ['green', $start, $end, 'kernel'], ['green', $end, $end + COPY, 'copy']);
clocked($end + COPY + 8);
$picture->done;
