#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Managed memory in a traced run: pages touched and moved, for each allocation, as the comments in
# cudacc/tests/trace/pages/pages.cu say; in the table at the end and in FILE.pages.csv.
use lib 'tests/lib';
use Tests;

my ($scratch, $root, $cudacc) = in_scratch();
my $source  = "$root/cudacc/tests/trace/pages/pages.cu";

my (%expected, @order);
for (split /\n/, slurp($source)) {
    next if !m{&(\w+), bytes\); *// PAGES (\d+) (\d+) (\d+) (\d+)};
    $expected{$1} = "16 $2 $3 $4 $5";
    push @order, $1;
}
is(scalar @order, 9, 'nine allocations with what is expected of them');
ok(system("'$cudacc' --trace -Wall -Wextra '$source' -o pages") == 0, 'it compiles') or BAIL_OUT('pages.cu');

for my $schedule ('', 'reversed', 'late') {
    local $ENV{CPU_DEVICE_SCHEDULE} = $schedule if $schedule;
    local $ENV{ACCESS_REPORT} = 'run.csv';
    system "'$root/tests/lib/limit' 60 ./pages >out 2>err";
    my $what = $schedule || 'in order';
    is($? >> 8, 0, "$what: runs") or diag(slurp('err'));
    my @lines = split /\n/, slurp('run.pages.csv');
    is(shift @lines,
       'allocation,place,bytes,pages,touched_by_host,touched_by_device,moved_to_device,moved_to_host,faults,'
       . 'prefetched_to_device,prefetched_to_host,moved_before_launches,kept_by_advice',
       "$what: the header");
    my %found;
    for (@lines) {
        my @fields = split /,/;
        $found{ $fields[0] =~ s/"//gr } = join ' ', @fields[3 .. 7];
    }
    is_deeply(\%found, \%expected, "$what: pages of each allocation");
}

system "'$root/tests/lib/limit' 60 ./pages >out 2>err";
my $report = slurp('err');
my %why = (both => '16 device faults, 8 host faults', prefetched => '16 prefetched, 16 prefetched back',
    shared_copies => '16 device faults, 16 kept by advice', stays => '16 kept by advice', every_other => '8 device faults', first => '1 device fault');
for my $name (@order) {
    my $row = join '\s+', $name, 1, split(' ', $expected{$name}), $why{$name} // '.*';
    ok($report =~ /^$row$/m, "$name: the same in the table") or diag($report);
}
done_testing();
