#!/usr/bin/env perl
# SPDX-License-Identifier: MIT
# Which pages move: on the CPU device by its first-touch model, with and without protection keys; on
# a GPU by CUPTI. And devices without concurrent access, which nothing may break.
use lib 'tests/lib';
use Tests;

my $build   = $ENV{BUILD}   // 'build';
my @devices = split ' ', $ENV{DEVICES} // 'cpu';

# The program's rows: {variant}{parameter} = [value, bytes, flag, check].
sub rows {
    my (@command) = @_;
    my ($header, @lines) = split /\n/, `tests/lib/limit 120 @command --csv 2>/dev/null`;
    is($? >> 8, 0, "@command ends well");
    my %rows;
    for (@lines) {
        my @field = split /,/, $_, -1;
        $rows{ $field[3] }{ $field[7] } = [ @field[ 8, 9, 17, 18 ] ];
    }
    return \%rows;
}

# [count, bytes] of four kinds of traffic, as page_traffic names them on the CPU device.
sub traffic {
    my ($rows, $case) = @_;
    return [ map { ($rows->{$case}{$_} // [])->[0] // 'none' } 'pages to device', 'pages to host',
            'host touches', 'device touches' ];
}

if (grep { $_ eq 'cpu' } @devices) {
    my $program = "$build/cpu/04_unified_memory/experiments/3_page_traffic";
    # 2^20 floats are 1024 pages of 4 KiB; other machines have larger ones.
    my $bytes = 4 * 2**20;
    for my $keys (0, 1) {
        local $ENV{CPU_DEVICE_NO_KEYS} = 1 if !$keys;
        my $with = $keys ? 'keys' : 'no keys';
        my $rows = rows($program);
        my $case = $rows->{'set on the host'};
        my $page = $case->{'pages to host'}[1] / $case->{'pages to host'}[0];
        my $n    = $bytes / $page;
        my %expected = (
            'set on the host'   => [ 2 * $n, $n,     3 * $n, 2 * $n ],
            'set on the device' => [ 0,      $n,     $n,     2 * $n ],
            '100 runs'                  => [ 2 * $n, $n,     3 * $n, 2 * $n ],
            'prefetched'                => [ 2 * $n, $n,     3 * $n, 0 ],
            'preferred location: host'  => [ 0,      0,      2 * $n, 0 ],
            'host reads x in between'   => [ 3 * $n, 2 * $n, 4 * $n, 3 * $n ],
            'host reads read-mostly x'  => [ 2 * $n, $n,     3 * $n, 2 * $n ],
        );
        is_deeply(traffic($rows, $_), $expected{$_}, "$_, $with") for sort keys %expected;

        # Which part of a case moves them; and what crosses between the memories in 32 adds.
        my $parts = rows("$build/cpu/04_unified_memory/experiments/2_unified_memory");
        my %moved = ('set on the host, add' => 2 * $n, 'set on the device, add' => 0, '100 runs, first' => 2 * $n, '100 runs, adds 2 to 100' => 0,
            'prefetched, prefetch x and y' => 2 * $n, 'prefetched, add' => 0, 'preferred location: host, add' => 0,
            'host reads x in between, second add' => $n, 'host reads read-mostly x, second add' => 0);
        is_deeply({ map { my ($variant, $part) = /^(.*), (.*)$/; $_ => $parts->{$variant}{$part}[0] } keys %moved }, \%moved, "unified_memory's parts, $with");
        my $reuse = rows("$build/cpu/04_unified_memory/experiments/5_reuse");
        is_deeply([ map { $reuse->{$_}{adds}[1] } 'set on the host', 'prefetched', 'explicit copies', 'copies from pinned memory', 'mapped host memory' ],
            [ (3 * $bytes) x 4, 32 * 3 * $bytes ], "what crosses in 32 adds, $with");

        my $sparse = rows("$build/cpu/04_unified_memory/experiments/4_sparse_access --samples 1 --size 4M");
        is_deeply([ map { $sparse->{"one page in $_"}{'KiB touched'}[1] } 1, 16, 512 ],
            [ map { 4 * $bytes / $_ } 1, 16, 512 ], "what was touched moves, $with") if $page == 4096;

        # A device that cannot fault has all pages, and takes them back at each launch.
        local $ENV{CPU_DEVICE_NO_CONCURRENT_MANAGED} = 1;
        $rows = rows($program);
        is_deeply(traffic($rows, 'set on the host'), [ 2 * $n, 3 * $n, 3 * $n, 0 ], "before Pascal, $with");
        is($rows->{prefetched}{'not counted'}[2], 'skipped', 'there is no prefetch there');
    }
    for my $program (grep { -x } glob "$build/cpu/04_unified_memory/experiments/[78]_*") {
        tells("tests/lib/limit 120 $program", 0, qr/^Skipped: .*two devices.* 10007 .* ok\nPASS\n\z/ms, "$program says that it needs two devices");
    }
    {
        tells("tests/lib/limit 120 $build/cpu/04_unified_memory/experiments/9_system_memory", 0, qr/^Skipped: .*pageableMemoryAccess/m, not => qr/^malloc /m,
            'system_memory says that memory from malloc is not for kernels here');
    }
    local $ENV{CPU_DEVICE_NO_CONCURRENT_MANAGED} = 1;
    for my $program (sort grep { -x } glob "$build/cpu/04_*/experiments/*") {
        my $output = tells("tests/lib/limit 120 $program --samples 2", 0, qr/^PASS$/m, "$program without concurrentManagedAccess");
        like($output, qr/^Skipped:.*concurrentManagedAccess/m, 'it says what it skips')
            if $program !~ /ladder|sparse_access|peer_copies|two_gpus|system_memory/;
    }
}

if (grep { $_ eq 'gpu' } @devices) {
    if (my $nvcc = $ENV{NVCC}) {
        my $without = tempdir(CLEANUP => 1) . '/page_traffic';
        tells("'$nvcc' -DNO_CUPTI 04_unified_memory/experiments/3_page_traffic.cu -o $without", 0, '', 'page_traffic compiles without CUPTI');
        my $output = `$without 2>&1`;
        ok($? >> 8 == 77 || $? == 0 && $output =~ /^No table of pages: .*CUDA Toolkit.*^PASS$/ms,
            'and says what it lacks') or diag($output);
    }
    my $program = "$build/gpu/04_unified_memory/experiments/3_page_traffic";
    my $output = `tests/lib/limit 120 $program 2>&1`;
  SKIP: {
        skip 'no usable GPU', 1 if $? >> 8 == 77 && !$ENV{REQUIRE_GPU};
        is($? >> 8, 0, "$program ends well") or diag($output);
        skip 'no CUPTI here, or it refuses', 1 if $output =~ /^No table of pages: /m;
        skip 'pages do not move on demand here', 1 if $output !~ /concurrentManagedAccess 1.*host page tables 0/;
        my $case = rows($program)->{'set on the host'};
        is($case->{'moves to device'}[1], 8 * 2**20, '8.0 MB to the device');
        is($case->{'moves to host'}[1],   4 * 2**20, '4.0 MB back');
        cmp_ok($case->{'CPU page faults'}[0],  '>', 0, 'CPU page faults');
        cmp_ok($case->{'GPU fault groups'}[0], '>', 0, 'GPU page-fault groups');
    }
}
done_testing();
