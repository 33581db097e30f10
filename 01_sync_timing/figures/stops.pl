# Three programs that time one kernel
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use utf8;
require './tools/measure/picture.pl';

use constant { FROM => 74, LAUNCH => 158, CALL => 262, HIGH => 30, ROW => 62 };

my $picture = picture(196, 'Three places to stop the clock: which has timed the kernel?',
    'Three programs. Each starts a clock and launches saxpy. The first stops its clock right after the launch, the second after '
    . 'cudaDeviceSynchronize, the third after cudaMemcpy has copied 4 bytes to the host.');
my $y = 8;
for (['A'], ['B', '`cudaDeviceSynchronize()`'], ['C', '`cudaMemcpy()` of 4 bytes']) {
    my ($name, @call) = @$_;
    my $to = FROM + LAUNCH + (@call ? CALL : 0);
    $picture->text(8, $y + 21, "host $name")->box(FROM, $y, LAUNCH, HIGH, 'blue', '`saxpy<<<...>>>`');
    $picture->box(FROM + LAUNCH, $y, CALL, HIGH, 'none', @call) if @call;
    $picture->text(8, $y + 49, 'clock', 'start', 'red')->span(FROM, $to, $y + 44, 'red');
    $y += ROW;
}
$picture->done;
