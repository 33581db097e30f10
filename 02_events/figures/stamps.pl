# Two events, or a clock on the host
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { FROM => 72, CALL => 64, KERNEL => 190, STAMP => 8, TO => 510 };

my $picture = picture(256, 'Two events, or a clock on the host',
    'Two timelines, each with a row for the host and one for the device. With events the host records, launches, records and is free; the device '
    . 'stamps the time, is idle until the launch arrives, runs the kernel and stamps again. With a CPU clock the host launches and waits, and the '
    . 'clock spans the launch, the kernel and the wait.');
$picture->legend(8, 8, ['blue', 'the host calls', 145], ['green', 'kernel', 100], ['red', 'time stamp', 120]);

sub timed { my ($name, $from, $to) = @_; $picture->text(8, $picture->{y} + 13, $name)->span($from, $to, $picture->{y} + 8, 'text'); $picture->{y} += 36; return }

my @called = map { FROM + $_ * CALL } 0 .. 3;
my ($stamped, $arrives) = ($called[1], $called[2] - STAMP);
my $ends = $arrives + KERNEL;
$picture->titled('Two events');
$picture->row('host', map({ ['blue', $called[$_], $called[$_ + 1], qw(record launch record)[$_]] } 0 .. 2), ['none', $called[3], TO, 'free for other work']);
$picture->row('device', ['red', $stamped - STAMP, $stamped], ['none', $stamped, $arrives, 'idle'], ['green', $arrives, $ends, 'kernel'], ['red', $ends, $ends + STAMP]);
timed('reading', $stamped - STAMP, $ends);

$picture->titled('A CPU clock');
my $begins = $called[1] - STAMP;
my $back = $begins + KERNEL + 2 * STAMP;
$picture->row('host', ['blue', $called[0], $called[1], 'launch'], ['none', $called[1], $back, 'waits']);
$picture->row('device', ['green', $begins, $begins + KERNEL, 'kernel']);
timed('reading', FROM, $back);
$picture->done;
