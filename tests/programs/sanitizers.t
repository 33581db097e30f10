#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# compute-sanitizer finds nothing in any program. Each tool finds its own kind of error only, so
# there are four runs. With TEST_ALL=1.
use lib 'tests/lib';
use Tests;

my $build = $ENV{BUILD} // 'build';
plan skip_all => 'with TEST_ALL=1' if !$ENV{TEST_ALL};
plan skip_all => 'no GPU build' if ($ENV{DEVICES} // '') !~ /\bgpu\b/;
if (system('command -v compute-sanitizer >/dev/null 2>&1') != 0) {
    plan skip_all => 'no compute-sanitizer (it comes with the CUDA Toolkit)' if !$ENV{REQUIRE_GPU};
    BAIL_OUT('REQUIRE_GPU is set: no compute-sanitizer');
}

for my $program (sort grep { -f && -x } glob "$build/gpu/[0-9][0-9]_*/{,experiments/}*") {
    my $output = `$program @{[ $program =~ /experiments/ ? "--quick" : 10007 ]} 2>&1`;
    my $code = $? >> 8;
  SKIP: {
        skip "$program: no usable device", 1 if $code == 77 && !$ENV{REQUIRE_GPU};
        for my $tool (qw(memcheck racecheck initcheck synccheck)) {
            $output = `tests/lib/limit 300 compute-sanitizer --tool $tool --error-exitcode 9 $program @{[ $program =~ /experiments/ ? "--quick" : 10007 ]} 2>&1`;
            ok($? == 0, "$tool $program --quick") or diag($output);
        }
    }
}
done_testing();
