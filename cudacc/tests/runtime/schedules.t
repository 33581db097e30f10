#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# The CPU device may run threads and blocks in any order, and queued work as late as CUDA allows.
# Programs that are right give the same results then.
use lib 'tests/lib';
use Tests;

my $build = $ENV{BUILD} // 'build';
plan skip_all => 'no build for the CPU device' if ($ENV{DEVICES} // 'cpu') !~ /\bcpu\b/;

for my $schedule (qw(reversed shuffled:1 late), $ENV{TEST_ALL} ? 'shuffled:2' : ()) {
    local $ENV{CPU_DEVICE_SCHEDULE} = $schedule;
    for my $test (map { "$build/cpu/cudacc/tests/runtime/semantics_$_" } qw(devices graphs kernels memory queued)) {
        my $output = `tests/lib/limit 120 $test 2>&1`;
        ok($? == 0, "$test, $schedule") or diag(grep { !/^ok/ } split /^/m, $output);
    }
    for my $program (sort grep { -f && -x } glob "$build/cpu/[0-9][0-9]_*/{,experiments/}*") {
        tells("tests/lib/limit 120 $program " . ($program =~ /experiments/ ? '--quick' : 10007), 0, qr/^PASS$/m, "$program --quick, $schedule");
    }
}
done_testing();
