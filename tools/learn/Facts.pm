# SPDX-License-Identifier: MIT
# What is counted in a run, and what an exercise asks of it: queries to the access report, goals, limits,
# predictions; and how each reads.
package Facts;
use strict;
use warnings;
use Exporter qw(import);
use List::Util qw(max min sum);

our @EXPORT = qw(facts fact_text);

# The value of a query (check.h) from the access report; a number stands for itself. An atomic loads and stores.
sub query {
    my ($report, $text) = @_;
    return $text if $text =~ /^(?:[-+.\d]|nan|inf)/;
    my ($ask, $unit) = split m{ / }, $text;    # "moved all / 1048576"
    return query($report, $ask) / $unit if $unit;
    my ($metric, $op, $kernel) = split ' ', $ask;
    my $table = $metric =~ /^(?:turns|shared)$/ ? 'shared' : 'global';
    my @rows = grep { ($op eq 'all' || $_->{op} eq $op || $_->{op} eq 'atomic') && (!defined $kernel || $_->{kernel} eq $kernel) } @{ $report->{$table} };
    my ($requests, $sectors, $useful, $moved, $wavefronts) = map { my $column = $_; sum(0, map { $_->{$column} // 0 } @rows) }
        qw(requests sectors useful_bytes moved_bytes wavefronts);
    my $size = sub { my ($x, $y, $z) = split /x/, $_[0]; return $x * $y * $z };
    my %threads = map { ($_->{launch} => $size->($_->{grid}) * $size->($_->{block})) } @rows;
    my %value = (
        requests          => $requests,
        useful            => $useful,
        moved             => $moved,
        shared            => $requests,
        turns             => $requests ? $wavefronts / $requests : 'none',
        threads           => sum(0, values %threads),
        block             => max(0, map { $size->($_->{block}) } @rows),
        width             => min(map { $_->{block} =~ /^(\d+)/ } @rows) // 0,
        share             => $moved ? 100 * $useful / $moved : 0,
        'sectors/request' => $requests ? $sectors / $requests : 0,
        'bytes/request'   => $requests ? $useful / $requests : 0,
    );
    return $value{$metric} // die "no metric $metric\n";
}

# The facts that a program has reported: goals, limits, predictions, explanations.
sub facts {
    my ($lines, $report) = @_;
    my @facts;
    for my $line (split /\n/, $lines) {
        my ($what, $label, @rest) = split /\t/, $line, -1;
        my %f = (what => $what, label => $label // '');
        if ($what eq 'predict') {
            @f{qw(yours actual tolerance)} = ($rest[0], query($report, $rest[1]), $rest[2]);
            $f{none} = $f{yours} =~ /nan/;
            $f{ok} = !$f{none} && abs($f{yours} - $f{actual}) <= $f{tolerance};
        } elsif ($what eq 'limit') {
            @f{qw(yours least most)} = (query($report, $rest[0]), @rest[1, 2]);
            # Ragged edges cost a little; a number that has to be met has no such room.
            my $room = $f{least} == $f{most} ? 0 : 0.03;
            $f{ok} = $f{yours} >= $f{least} * (1 - $room) && $f{yours} <= $f{most} * (1 + $room);
        } elsif ($what eq 'explain') {
            my ($query, $least, $most, $text) = ($label, @rest);
            my $value = query($report, $query);
            next if $value eq 'none';
            push @facts, { what => $what, label => '', yours => 0, ok => 1, text => $text } if $value >= $least && $value <= $most;
            next;
        } elsif ($what eq 'goal') {
            @f{qw(yours start ideal)} = (query($report, $rest[0]), @rest[1, 2]);
            $f{way} = $f{yours} eq 'none' ? 0 : ($f{start} - $f{yours}) / ($f{start} - $f{ideal});
        } else {
            next;
        }
        if (defined $f{way}) {
            $f{way} = $f{way} < 0 ? 0 : $f{way} > 1 ? 1 : $f{way};
            $f{ok} = $f{way} >= 0.9;
        }
        push @facts, \%f;
    }
    return @facts;
}

sub figure {
    my ($x) = @_;
    return 'nan' if $x =~ /nan/;
    return 'no' if $x eq 'none';
    return abs($x) < 10 ? sprintf '%.3g', $x : sprintf('%.1f', $x) =~ s/\.0\z//r;
}

# A label says what the figure counts, "sectors per load"; a # in it, where the figure stands.
sub counted {
    my ($label, $figure) = @_;
    my $text = $label =~ /#/ ? $label =~ s/#/$figure/r : "$figure $label";
    return $text =~ s/\b1 (\w+[^s])s\b/1 $1/r;
}

sub fact_text {
    my ($f) = @_;
    my $yours = figure($f->{yours});
    my $is = sub { $_[0] eq '1' ? '1 is' : "$_[0] are" };
    if ($f->{what} eq 'predict') {
        return "$f->{label}: " . ($f->{none} ? 'no answer yet' : $f->{ok} ? $yours : "you said $yours, it is " . figure($f->{actual}));
    } elsif ($f->{what} eq 'explain') {
        return $f->{text};
    } elsif ($f->{what} eq 'limit') {
        my ($least, $most) = map { figure($_) } @$f{qw(least most)};
        return counted($f->{label}, $yours) . ($f->{ok} ? '' : $least eq $most ? "; it should be $least"
            : $f->{yours} < $f->{least} ? '; at least ' . $is->($least) . ' needed' : '; at most ' . $is->($most) . ' needed');
    }
    my $ideal = figure($f->{ideal});
    return counted($f->{label}, $yours) . ($yours eq $ideal ? '' : '; ' . $is->($ideal) . ' possible');
}

1;
