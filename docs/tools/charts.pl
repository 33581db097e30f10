# What the course's results show, as charts: which rows each draws, and the sentence that those rows
# bear out. A library for the tools report and figures beside it; draw.pl draws them.
#
#     my $set = recorded('nvidia_h200');                               # results of all chapters
#     print "$_->{title}: $_->{sentence}\n" for grep { !$_->{missing} } charts($set);
#
# Every word of a sentence that a number decides is chosen by that number: other results, other words.
#
# SPDX-License-Identifier: MIT
use strict;
use warnings;

use List::Util qw(min max first uniq);

# ---- Results -----------------------------------------------------------------------------------
sub slurp {
    my ($file) = @_;
    open my $handle, '<', $file or return;
    local $/;
    return scalar <$handle>;
}

sub csv_fields {
    my ($line) = @_;
    my @fields;
    while ($line =~ /\G(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g) {
        push @fields, defined $1 ? $1 =~ s/""/"/gr : $2;
    }
    return @fields;
}

# Rows of CSV text, each a hash by column; `file` and `line` say where a row stands.
sub csv_rows {
    my ($text, $file) = @_;
    my ($number, @names, @rows) = (0);
    for my $line (split /\n/, $text) {
        $number++;
        my @fields = csv_fields($line);
        if (!@names) {
            @names = @fields;
            next;
        }
        my %row = (file => $file, line => $number);
        @row{@names} = @fields;
        push @rows, \%row;
    }
    return @rows;
}

# One device's results. Each source is {chapter, csv, txt, csv_file}: the rows, and what the programs
# said beside them. A row that is wrong is not drawn: its time is the time of something else.
sub result_set {
    my (@sources) = @_;
    my %set = (name => 'unknown device', line => '', rows => [], verdicts => [], l2_mib => 0);
    for my $source (@sources) {
        push @{ $set{rows} }, grep { ($_->{check} // '') =~ /^(?:ok)?$/ }
            csv_rows($source->{csv}, $source->{csv_file});
        my $txt = $source->{txt};
        ($set{line}) = $txt =~ /^Device \d+: (.*)$/m if !$set{line};
        ($set{peak}, $set{formula}) = ($2, $1) if $txt =~ /^Theoretical peak: (.* = ([\d.]+) GB\/s)$/m;
        my ($date) = $txt =~ /^# make \w+, (\S+)/m;
        $set{date} = $date if defined $date && $date gt ($set{date} // '');
        for my $part (split /^(?=\$ )/m, $txt) {
            my ($program) = $part =~ m{^\$ (?:experiments/\d+_)?(.*)$}m or next;
            my ($verdict) = $part =~ /^((?:PASS|FAIL|SKIP)\b.*)$/m;
            push @{ $set{verdicts} }, [$source->{chapter}, $program, $verdict // 'FAIL: it did not end'];
        }
    }
    ($set{name}) = $set{line} =~ /^([^,]+)/ if $set{line};
    ($set{l2_mib}) = $set{line} =~ /([\d.]+) MiB L2/ if $set{line} =~ /MiB L2/;
    $set{cpu} = $set{name} eq 'CPU device';
    $set{short} = $set{name} =~ s/^NVIDIA (?:GeForce )?//r;
    return \%set;
}

# The device that is called so, or whose name holds it: "h200", "nvidia_h200", "results/nvidia_h200".
sub find_device {
    my ($wanted) = @_;
    $wanted =~ s{.*/}{};
    $wanted =~ s/\.\w+$//;
    my @devices = uniq(map { m{/results/(.*)\.csv$} } glob '[0-9][0-9]_*/results/*.csv');
    my @found = grep { $_ eq $wanted } @devices;
    @found = grep { index($_, lc $wanted) >= 0 } @devices if !@found;
    return $found[0] if @found == 1;
    return (undef, "no results of '$wanted': there are " . join(', ', sort @devices)) if !@found;
    return (undef, "'$wanted' fits " . join(' and ', sort @found));
}

sub recorded {
    my ($device) = @_;
    my @sources;
    for my $csv (sort glob "[0-9][0-9]_*/results/$device.csv") {
        my ($chapter) = $csv =~ m{^([^/]+)/};
        push @sources, { chapter => $chapter, csv => slurp($csv) // '', csv_file => $csv,
            txt => slurp("$chapter/results/$device.txt") // '' };
    }
    return result_set(@sources);
}

# The rows that fit: a condition is a value, a pattern or a sub.
sub rows {
    my ($set, %conditions) = @_;
    return grep {
        my $row = $_;
        !grep {
            my ($wanted, $is) = ($conditions{$_}, $row->{$_} // '');
            !(ref $wanted eq 'CODE' ? $wanted->($is) : ref $wanted ? $is =~ $wanted : $is eq $wanted);
        } keys %conditions;
    } @{ $set->{rows} };
}

sub one {
    my ($set, %conditions) = @_;
    my @found = rows($set, %conditions);
    return $found[0] if @found;
    die 'no row of ' . join(', ', map { "$_ $conditions{$_}" } sort keys %conditions) . "\n";
}

# Rows in the order of a column's numbers.
sub by {
    my ($column, @rows) = @_;
    return sort { $a->{$column} <=> $b->{$column} } @rows;
}

# ---- Numbers in words --------------------------------------------------------------------------
sub figure_of {
    my ($x) = @_;
    my $a = abs $x;
    return sprintf $a >= 99.95 ? '%.0f' : $a >= 9.995 ? '%.1f' : '%.2f', $x;
}

sub duration {
    my ($ms) = @_;
    return abs $ms >= 0.9995 ? figure_of($ms) . ' ms' : figure_of($ms * 1e3) . ' us';
}

sub time_of { return duration($_[0]{median_ms}) }    # of a row

sub rate { return figure_of($_[0]) . ' GB/s' }

sub percent {
    my ($share) = @_;
    return "less than 0.1 %" if $share < 0.0005 && $share >= 0;
    return sprintf(abs $share < 0.1995 ? '%.1f %%' : '%.0f %%', 100 * $share);
}

sub binary {    # bytes
    my ($bytes) = @_;
    for (['GiB', 2**30], ['MiB', 2**20], ['KiB', 2**10]) {
        my ($unit, $size) = @$_;
        next if $bytes < $size;
        return ($bytes < 100 * $size ? figure_of($bytes / $size) =~ s{\.?0+$}{}r : int $bytes / $size) . " $unit";
    }
    return "$bytes bytes";
}

sub mib { return binary($_[0] * 2**20) }

sub elements {    # "2^28" where it is a power of two
    my ($n) = @_;
    my $power = int(log($n) / log(2) + 0.5);
    return 2**$power == $n && $n >= 1024 ? "2^$power" : $n;
}

sub factor { return figure_of($_[0]) . ' times' }

# "1.25 times as fast"; "as fast" within 2 %.
sub as_fast {
    my ($ratio) = @_;
    return abs($ratio - 1) < 0.02 ? 'as fast' : factor($ratio) . ' as fast';
}

sub median {
    my @sorted = sort { $a <=> $b } @_;
    return ($sorted[$#sorted / 2] + $sorted[@sorted / 2]) / 2;
}

# ---- The charts --------------------------------------------------------------------------------
# Each sub takes a set of results and returns a chart, or dies with what is missing:
#
#   lines: x, y {label, log, tics}, series [{label, points [[x, y, row]...], plain}],
#          levels [{label, y}], cache (the x up to which the flag says "cache may help")
#   bars:  unit, log, bars [{label, parts [{value, text, row}...]}]
#
#   sentence  what the rows show; findings [[what, value]...]: its figures, for a table
my @charts = (
    ['01_timers',    '01_sync_timing',    \&timers],
    ['02_floor',     '02_events',         \&event_floor],
    ['02_overlap',   '02_events',         \&overlap],
    ['03_sizes',     '03_bandwidth',      \&size_sweep],
    ['03_transfers', '03_bandwidth',      \&transfers],
    ['04_variants',  '04_unified_memory', \&managed_variants],
    ['04_traffic',   '04_unified_memory', \&page_traffic],
    ['05_offset',    '05_coalescing',     \&offsets],
    ['05_stride',    '05_coalescing',     \&strides],
    ['06_widths',    '06_vectorized',     \&widths],
);

# All charts of a set; one whose rows are not there has `missing` instead of a sentence.
sub charts {
    my ($set) = @_;
    return map { chart($set, $_->[0]) } @charts;
}

sub chart {
    my ($set, $name) = @_;
    my ($known) = grep { $_->[0] eq $name } @charts;
    die "no figure is called $name\n" if !$known;
    my $chart = eval { $known->[2]->($set) };
    $chart = { missing => $@ =~ s/\n\z//r } if !$chart;
    @$chart{qw(name chapter set)} = ($known->[0], $known->[1], $set);
    $chart->{rows} = [grep { $_ } (map { $_->[2] } map { @{ $_->{points} } } @{ $chart->{series} // [] }),
        (map { $_->{row} } map { @{ $_->{parts} } } @{ $chart->{bars} // [] }),
        (map { $_->{row} } @{ $chart->{levels} // [] })];
    return $chart;
}

# A bar for each of some rows' times, one below the other.
sub bar {
    my ($label, @rows) = @_;
    return { label => $label, parts => [map { { value => $_->{median_ms}, row => $_, text => time_of($_) } } @rows] };
}

sub timers {
    my ($set) = @_;
    my %saxpy = (program => 'sync_timing', variant => 'saxpy_512');
    my $n = max(map { $_->{n} } rows($set, %saxpy, parameter => 'launch only'))
        // die "no row of sync_timing\n";
    my ($launch, $wait, $copy) = map { one($set, %saxpy, n => $n, parameter => $_) }
        'launch only', 'launch + synchronize', 'launch + 4-byte copy';
    my ($events) = rows($set, program => 'events', variant => 'saxpy_512', n => $n, parameter => 'by events');
    my @bars = (
        bar('CPU clock, stopped behind the launch', $launch),
        bar('CPU clock, stopped after a synchronisation', $wait),
        bar('CPU clock, stopped after a copy of 4 bytes', $copy),
        $events ? bar('events before and after it (chapter 02)', $events) : (),
    );
    my $share = $launch->{median_ms} / $wait->{median_ms};
    my $less = $events ? $wait->{median_ms} - $events->{median_ms} : 0;
    return {
        title => "One SAXPY of $n floats, timed in " . @bars . ' ways',
        unit => 'ms', bars => \@bars,
        sentence => sprintf('Stopped behind the launch, the CPU clock reads %s; stopped when the kernel is'
            . ' done, %s. The first is %s of the second: %s.', time_of($launch), time_of($wait), percent($share),
            $share < 0.5 ? 'it is the time of the launch, not of the kernel'
            : $share < 1 ? 'most of what both read is the launch'
            : 'here the clock cannot tell them apart')
            . ($events ? sprintf(' Events read %s, %s %s than the clock that waits.', time_of($events),
                duration(abs $less), $less > 0 ? 'less' : 'more') : ''),
        findings => [
            ["SAXPY of $n floats: CPU clock stopped behind the launch", time_of($launch)],
            ['the same, stopped after a synchronisation; after a copy', join '; ', map { time_of($_) } $wait, $copy],
        ],
    };
}

sub event_floor {
    my ($set) = @_;
    my %saxpy = (program => 'events', variant => 'saxpy_512', median_ms => qr/./);
    my @events = by(n => rows($set, %saxpy, parameter => 'by events'));
    my @clock = by(n => rows($set, %saxpy, parameter => qr/^by CPU clock/));
    my $nothing = one($set, program => 'events', variant => 'two events, nothing between');
    my $empty = one($set, program => 'events', variant => 'empty kernel', parameter => 'by events');
    die "no row of events\n" if !@events || @events != @clock;
    my $short = grep { $_->{median_ms} < 20 * $empty->{median_ms} } @events;
    my @difference = map {
        my ($event, $clock) = ($events[$_], $clock[$_]);
        my $more = $clock->{median_ms} - $event->{median_ms};
        sprintf '%s %s for %d elements (%s)', duration(abs $more), $more >= 0 ? 'more' : 'less', $event->{n},
            percent(abs $more / $event->{median_ms});
    } 0, -1;
    return {
        title => 'The shortest time that means anything',
        x => { label => 'elements', log => 2, tics => \&elements },
        y => { label => 'time in us', log => 10 },
        series => [
            { label => 'by CPU clock', points => [map { [$_->{n}, 1e3 * $_->{median_ms}, $_] } @clock] },
            { label => 'by events', points => [map { [$_->{n}, 1e3 * $_->{median_ms}, $_] } @events] },
        ],
        levels => [
            { label => 'empty kernel', y => 1e3 * $empty->{median_ms}, row => $empty },
            { label => 'two events', y => 1e3 * $nothing->{median_ms}, row => $nothing },
        ],
        sentence => sprintf('Two events with nothing between them read %s, an empty kernel %s. %d of %d kernels'
            . ' here take less than twenty empty ones (%s): a good part of that is the launch. The CPU clock'
            . ' reads %s, %s.', time_of($nothing), time_of($empty), $short, scalar @events,
            duration(20 * $empty->{median_ms}), @difference),
        findings => [['two events with nothing between them; an empty kernel',
            join '; ', map { time_of($_) } $nothing, $empty]],
    };
}

sub overlap {
    my ($set) = @_;
    my (@bars, %share);
    for my $memory ('pinned', 'pageable') {
        my ($one, $two) = map { one($set, program => 'streams', variant => "$memory, $_") } '1 stream', '2 streams';
        push @bars, bar("$memory memory", $one, $two);
        $bars[-1]{parts}[$_]{text} .= (', 1 stream', ', 2 streams')[$_] for 0, 1;
        $share{$memory} = $two->{median_ms} / $one->{median_ms};
    }
    my @gain = grep { $share{$_} < 0.95 } 'pinned', 'pageable';
    return {
        title => 'Copy in, kernel, copy out: in one stream and in two',
        unit => 'ms', bars => \@bars,
        sentence => sprintf('Two streams take %.2f of the time of one with pinned memory, %.2f with pageable'
            . ' memory: %s.', $share{pinned}, $share{pageable},
            @gain == 2 ? 'here copies and kernels overlap from both'
            : @gain ? "only from $gain[0] memory copies and kernels overlap"
            : 'here nothing overlaps'),
        findings => [['copy, kernel, copy in two streams against one: pinned; pageable',
            sprintf '%.2f; %.2f of the time', $share{pinned}, $share{pageable}]],
    };
}

# The x up to which points are flagged, half way to the next; undef if none is, or if all are.
sub cache_limit {
    my (@points) = @_;
    my @flagged = grep { $_->[2]{flag} =~ /cache|above/ } @points;
    my @free = grep { $_->[2]{flag} !~ /cache|above/ } @points;
    return undef if !@flagged || !@free;
    my ($last, $next) = (max(map { $_->[0] } @flagged), min(map { $_->[0] } @free));
    return $next > $last ? sqrt($last * $next) : undef;
}

# A line for the theoretical peak, but not beside a CPU's times.
sub peak_level {
    my ($set) = @_;
    return () if $set->{cpu} || !$set->{peak};
    return { label => "theoretical peak $set->{peak} GB/s", y => $set->{peak}, inside => 1,
        short => sprintf 'peak %.0f GB/s', $set->{peak} };
}

sub size_sweep {
    my ($set) = @_;
    my %rows = map { my $mode = $_; $mode => [by(value => rows($set, program => 'size_sweep',
        parameter => qr/^$mode,/, gb_per_s => qr/./))] } 'hot', 'cold';
    my @hot = map { [$_->{value}, $_->{gb_per_s}, $_] } @{ $rows{hot} };
    my @cold = map { [$_->{value}, $_->{gb_per_s}, $_] } @{ $rows{cold} };
    die "no row of size_sweep\n" if !@hot || !@cold;
    my %cold = map { $_->[0] => $_->[1] } @cold;
    my ($best) = sort { $b->[1] <=> $a->[1] } @hot;
    my ($last, $limit) = ($hot[-1], cache_limit(@hot));
    my $sentence = sprintf 'Hot, the rate is highest with %s touched: %s, %s.', mib($best->[0]), rate($best->[1]),
        $best == $last ? 'the largest size here'
        : sprintf '%s the %s of %s', factor($best->[1] / $last->[1]), rate($last->[1]), mib($last->[0]);
    if (!$set->{cpu} && $set->{peak}) {
        my $above = grep { $_->[1] > $set->{peak} } @hot;
        $sentence .= !$above ? ' No size is above the theoretical peak of the memory.'
            : sprintf ' %d of %d sizes %s above the theoretical peak of the memory: the cache did that.', $above,
            scalar @hot, $above == 1 ? 'is' : 'are';
    }
    my @beyond = grep { defined $limit && $_->[0] > $limit && $cold{ $_->[0] } } @hot;
    $sentence .= sprintf ' Beyond four times the L2 cache hot and cold differ by %s at most.',
        percent(max(map { abs($_->[1] / $cold{ $_->[0] } - 1) } @beyond)) if @beyond;
    return {
        title => 'SAXPY with float4: rate against size',
        x => { label => 'MiB touched', log => 2 }, y => { label => 'GB/s' },
        series => [{ label => 'hot', points => \@hot }, { label => 'cold', points => \@cold }],
        levels => [peak_level($set)], cache => $limit, l2 => $set->{l2_mib},
        sentence => $sentence,
        findings => [['SAXPY, hot: fastest size; largest size',
            join '; ', map { rate($_->[1]) . ' (' . mib($_->[0]) . ')' } $best, $last]],
    };
}

sub transfers {
    my ($set) = @_;
    my (@series, %last);
    for my $variant ('pinned to device', 'pinned to host', 'pageable to device', 'pageable to host') {
        my @rows = by(bytes => rows($set, program => 'transfers', variant => $variant, gb_per_s => qr/./));
        die "no row of transfers, $variant\n" if !@rows;
        push @series, { label => $variant, points => [map { [$_->{bytes}, $_->{gb_per_s}, $_] } @rows] };
        $last{$variant} = $rows[-1]{bytes};
    }
    my $bytes = min(values %last);
    my %at = map { my $variant = $_; $variant => one($set, program => 'transfers', variant => $variant,
        bytes => $bytes)->{gb_per_s} } keys %last;
    my @clause = map {
        my ($pinned, $pageable) = ($at{"pinned to $_"}, $at{"pageable to $_"});
        sprintf '%s with pageable memory and %s with pinned, %s', rate($pageable), rate($pinned),
            as_fast($pinned / $pageable);
    } 'device', 'host';
    my ($least, $most) = @{ $series[0]{points} }[0, -1];
    return {
        title => 'Copies between host and device: rate against size',
        x => { label => 'bytes copied', log => 2, tics => \&binary }, y => { label => 'GB/s' },
        series => \@series,
        sentence => sprintf('Copies of %s to the device reach %s; to the host %s. With %s a pinned copy to the'
            . ' device reaches %s of its rate with %s.', binary($bytes), @clause, binary($least->[0]),
            percent($least->[1] / $most->[1]), binary($most->[0])),
        findings => [map { my $to = $_; [binary($bytes) . " to the $to: pinned; pageable",
            join '; ', map { rate($at{"$_ to $to"}) } 'pinned', 'pageable'] } 'device', 'host'],
    };
}

sub managed_variants {
    my ($set) = @_;
    my @wanted = (
        ['initialised on the host', 'add', 'add, first: pages were written by the host'],
        ['100 runs', 'fastest', 'add, fastest of 100 runs'],
        ['initialised on the device', 'add', 'add, pages were written by the device'],
        ['prefetched', 'prefetch x and y', 'prefetch of both arrays'],
        ['prefetched', 'add', 'add, after the prefetch'],
        ['preferred location: device', 'add', 'add, advised: prefer the device'],
        ['preferred location: host', 'add', 'add, advised: prefer the host'],
        ['host reads x in between', 'second add', 'add again, the host read x in between'],
        ['host reads read-mostly x', 'second add', 'the same, x advised read-mostly'],
        ['explicit copies', 'copy x and y in', 'cudaMemcpy of both arrays instead'],
    );
    my (@bars, %ms);
    for (@wanted) {
        my ($variant, $parameter, $label) = @$_;
        my ($row) = rows($set, program => 'unified_memory', variant => $variant, parameter => $parameter,
            median_ms => qr/./) or next;
        $ms{"$variant, $parameter"} = $row->{median_ms};
        push @bars, bar($label, $row);
    }
    my ($first, $fastest, $prefetch, $after) = map { $ms{$_} // die "no row of unified_memory, $_\n" }
        'initialised on the host, add', '100 runs, fastest', 'prefetched, prefetch x and y', 'prefetched, add';
    my $moved = grep { $_->{bytes} } rows($set, program => 'page_traffic', variant => '100 runs',
        parameter => 'moves to the device');
    my ($ratio, $together) = ($first / $fastest, ($prefetch + $after) / $first);
    return {
        title => 'Adding 2^20 managed floats: what the first touch costs',
        unit => 'ms', log => 1, bars => \@bars,
        sentence => sprintf('On pages that the host wrote, the first add takes %s, the fastest of 100 %s: %s. After'
            . ' a prefetch the add takes %s; both together take %.2f of the time of the first add: %s.',
            duration($first), duration($fastest),
            $ratio < 2 ? 'here the first touch costs little, or nothing'
            : 'the first takes ' . factor($ratio) . ' as long' . ($moved ? ', for its pages have to move' : ''),
            duration($after), $together,
            $together < 0.95 ? 'prefetching pays'
            : $together > 1.05 ? 'prefetching does not pay here'
            : 'it makes no difference here'),
        findings => [['first add of 2^20 managed floats written by the host; fastest of 100',
            join '; ', map { duration($_) } $first, $fastest]],
    };
}

sub page_traffic {
    my ($set) = @_;
    my (%mib, %bar, @bars);
    for my $row (rows($set, program => 'page_traffic', parameter => qr{^(?:moves|pages) to the })) {
        my ($variant, $to) = ($row->{variant}, $row->{parameter} =~ m{to the (\w+)});
        push @bars, $bar{$variant} = { label => $variant, parts => [] } if !$bar{$variant};
        $mib{$variant}{$to} = ($row->{bytes} || 0) / 2**20;
        push @{ $bar{$variant}{parts} }, { value => $mib{$variant}{$to}, row => $row,
            text => sprintf '%.2f MiB to the %s', $mib{$variant}{$to}, $to };
    }
    my ($host, $device, $hundred) = map { my $variant = $_; [map { $mib{$variant}{$_}
        // die "no row of page_traffic, $variant to the $_\n" } 'device', 'host'] }
        'initialised on the host', 'initialised on the device', '100 runs';
    return {
        title => 'Managed pages that move' . ($set->{cpu} ? ' (by the CPU device\'s page model)' : ''),
        unit => 'MiB', bars => \@bars,
        comparable => 1,    # bytes, not times: they may stand beside another device's
        sentence => sprintf('Initialised on the host, %.2f MiB move to the device and %.2f back; initialised on'
            . ' the device, %.2f and %.2f. In 100 runs %.2f MiB move to the device, %s.', @$host, @$device,
            $hundred->[0], $hundred->[0] == $host->[0] ? 'as in one' : sprintf 'in one %.2f', $host->[0]),
        findings => [
            ['managed pages moved to the device; back: written first by the host', sprintf '%.2f MiB; %.2f MiB', @$host],
            ['the same, written first by the device', sprintf '%.2f MiB; %.2f MiB', @$device],
        ],
    };
}

# A sweep of chapter 05, by the number in the variant's name: its series, the greatest error of the
# prediction (undef if there is none), and the useful GB/s by number.
sub sweep {
    my ($set, $program) = @_;
    my (@measured, @predicted, %rate, $off);
    for my $row (rows($set, program => $program, variant => qr/^$program \d+$/, dtype => 'float',
        gb_per_s => qr/./)) {
        my ($x) = $row->{variant} =~ /(\d+)/;
        push @measured, [$x, $row->{gb_per_s}, $row];
        $rate{$x} = $row->{gb_per_s};
        next if $row->{parameter} !~ /^predicted/ || $row->{value} eq '';
        push @predicted, [$x, $row->{value}];
        $off = max($off // 0, abs($row->{gb_per_s} / $row->{value} - 1)); # as the program's column off_by
    }
    die "no row of $program\n" if !@measured;
    return ([{ label => 'measured', points => \@measured },
        @predicted ? { label => 'predicted', points => \@predicted, plain => 1 } : ()], $off, \%rate);
}

sub offsets {
    my ($set) = @_;
    my ($series, $off, $rate) = sweep($set, 'offset');
    my @four = grep { $_ % 8 == 0 } keys %$rate;
    my @five = grep { $_ % 8 != 0 } keys %$rate;
    die "no offsets on and off a multiple of 8\n" if !@four || !@five;
    my ($four, $five) = (median(@$rate{@four}), median(@$rate{@five}));
    my $share = $five / $four;
    return {
        title => 'Reading and writing at an offset: useful rate',
        x => { label => 'offset in floats', step => 8 }, y => { label => 'useful GB/s' }, series => $series,
        sentence => sprintf('At a multiple of 8 floats a request touches 4 sectors, elsewhere 5. The median rates'
            . ' are %s and %s, %s of the first: %s.', rate($four), rate($five), percent($share),
            abs($share - 1) < 0.03 ? 'next to no difference'
            : $share >= 1 ? 'no cost at all'
            : $share >= 0.9 ? 'a small cost'
            : 'a real cost here')
            . (defined $off ? sprintf ' The prediction, which charges nothing, is off by %s at most.', percent($off) : ''),
        findings => [['useful rate at an offset of a multiple of 8 floats; elsewhere',
            join '; ', map { rate($_) } $four, $five]],
    };
}

sub strides {
    my ($set) = @_;
    my ($series, $off, $rate) = sweep($set, 'stride');
    my $end = max(keys %$rate);
    my ($one, $eight, $last) = @$rate{1, 8, $end};
    die "no stride of 1 and of 8\n" if !$one || !$eight;
    my ($first_step, $second_step) = map { $_->[1] < $_->[0] ? factor($_->[0] / $_->[1]) . ' less'
        : factor($_->[1] / $_->[0]) . ' more' } [$one, $eight], [$eight, $last];
    return {
        title => 'Reading and writing with a stride: useful rate',
        x => { label => 'stride in floats', log => 2 }, y => { label => 'useful GB/s', log => 10 },
        series => $series,
        sentence => sprintf('The useful rate is %s at stride 1, %s at stride 8 (%s) and %s at stride %d (%s again).'
            . ' A request touches 4 sectors at stride 1 and 32 from stride 8 on%s.', rate($one), rate($eight),
            $first_step, rate($last), $end, $second_step,
            $end > 8 && $last < 0.8 * $eight ? ': the sectors do not explain what is lost beyond that' : '')
            . (defined $off ? sprintf ' The prediction is off by %s at most.', percent($off) : ''),
        findings => [["useful rate at stride 1; 8; $end", join '; ', map { rate($_) } $one, $eight, $last]],
    };
}

sub widths {
    my ($set) = @_;
    my (@series, %rate);
    for my $variant ('float', 'float4', '4 floats') {
        my @rows = by(n => rows($set, program => 'sizes', variant => $variant, gb_per_s => qr/./,
            parameter => sub { $_[0] !~ /article/ }));
        die "no row of sizes, $variant\n" if !@rows;
        push @series, { label => $variant, points => [map { [$_->{n}, $_->{gb_per_s}, $_] } @rows] };
        $rate{$variant}{ $_->{n} } = $_->{gb_per_s} for @rows;
    }
    my @n = sort { $a <=> $b } grep { $rate{float4}{$_} && $rate{'4 floats'}{$_} } keys %{ $rate{float} };
    my ($float, $float4, $floats) = map { $rate{$_}{ $n[-1] } } 'float', 'float4', '4 floats';
    my @slower = grep { $rate{float4}{$_} < 1.05 * $rate{float}{$_} } @n;
    my $from = first { $_ > ($slower[-1] // 0) } @n;
    my $plain = $floats / $float4;
    return {
        title => 'Adding two arrays: rate against size',
        x => { label => 'elements', log => 2, tics => \&elements }, y => { label => 'GB/s' },
        series => \@series, levels => [peak_level($set)], cache => cache_limit(@{ $series[0]{points} }),
        sentence => sprintf('With %s elements one float for each thread moves %s, float4 %s: %s. Four separate'
            . ' floats for each thread move %s: %s. %s.', elements($n[-1]), rate($float), rate($float4),
            as_fast($float4 / $float), rate($floats),
            abs($plain - 1) < 0.02 ? 'the width of the access is not what matters'
            : $plain < 1 ? percent($plain) . ' of the rate of float4'
            : 'more than float4',
            !defined $from ? 'At the largest size float4 gains less than 5 %'
            : @slower ? 'From ' . elements($from) . ' elements on float4 gains 5 % or more at every size'
            : 'At every size here float4 gains 5 % or more'),
        findings => [['add of ' . elements($n[-1]) . ' floats: float; float4; 4 floats for each thread',
            join '; ', map { rate($_) } $float, $float4, $floats]],
    };
}

# One chart with the rows of another device's beside its own. Only for what may stand side by side.
sub overlaid {
    my ($chart, $other) = @_;
    my %both = %$chart;
    my $mark = $other->{set}{short};
    $both{rows} = [@{ $chart->{rows} }, @{ $other->{rows} }];
    $both{other} = $other->{set};
    $both{beside} = $other;
    if ($chart->{series}) {
        my %known = map { $_->{label} => $_->{y} } @{ $chart->{levels} // [] };
        my $marked = sub { return { %{ $_[0] }, label => "$mark: $_[0]{label}", other => 1 } };
        # A level close to one that is there has no room for its words; the table below has both.
        my @levels = grep { my $y = $_->{y}; !grep { $y < 1.5 * $_ && $_ < 1.5 * $y } values %known } @{ $other->{levels} || [] };
        $both{series} = [@{ $chart->{series} }, map { $marked->($_) } @{ $other->{series} }];
        $both{levels} = [@{ $chart->{levels} || [] },
            map { { %{ $marked->($_) }, $_->{short} ? (short => "$mark: $_->{short}") : () } } @levels];
        return \%both;
    }
    my %parts = map { $_->{label} => $_->{parts} } @{ $other->{bars} };
    $both{bars} = [map { { label => $_->{label}, parts => [@{ $_->{parts} },
        map { { %$_, text => "$_->{text}, $mark", other => 1 } } @{ $parts{ $_->{label} } // [] }] } } @{ $chart->{bars} }];
    return \%both;
}

# May they share one pair of axes? A CPU's times and a GPU's may not.
sub comparable {
    my ($chart, $other) = @_;
    return !$chart->{missing} && !$other->{missing} && ($chart->{set}{cpu} == $other->{set}{cpu} || $chart->{comparable});
}

1;
