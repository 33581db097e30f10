# SPDX-License-Identifier: MIT
# The rows and verdicts of the course's results, of all chapters.
#
#     my $set = recorded('nvidia_h200');    # the results of all chapters
#     print "$_->{program} $_->{variant}\n" for @{ $set->{rows} };
package Results;
use strict;
use warnings;
use Exporter qw(import);
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/..';
use Course;

our @EXPORT = qw(rows_drawn result_set listed_findings find_device file_name recorded not_here);

# A row that is wrong is not shown: its time is the time of something else.
sub right { my ($row) = @_; return ($row->{check} // '') =~ /^(?:ok)?$/ }

# The rows of each "CHAPTER/PROGRAM" in a figure's script; `results` is where a chapter's are.
sub rows_drawn {
    my ($script, $results) = @_;
    my @rows;
    for my $name ($script =~ m{"(\d\d_\w+/\w+)"}g) {
        my ($chapter, $program) = split m{/}, $name;
        push @rows, grep { $_->{program} eq $program && $_->{variant} ne 'finding' && right($_) }
            csv_table(slurp(sprintf "$results.csv", $chapter) // '');
    }
    return @rows;
}

# One device's results. Each source is {chapter, csv, txt}: the rows, and what the programs said beside
# them. What a program found, as sentences, is apart from its rows.
sub result_set {
    my (@sources) = @_;
    my %set = (name => 'unknown device', line => '', rows => [], findings => [], verdicts => []);
    for my $source (@sources) {
        for my $row (csv_table($source->{csv})) {
            push @{ $set{ $row->{variant} eq 'finding' ? 'findings' : 'rows' } }, $row if right($row);
        }
        my $txt = $source->{txt};
        ($set{line}) = $txt =~ /^Device \d+: (.*)$/m if !$set{line};
        ($set{peak}, $set{formula}) = ($2, $1) if $txt =~ /^Theoretical peak: (.* = ([\d.]+) GB\/s)$/m;
        my ($date) = $txt =~ /^# make \w+, (\S+)/m;
        $set{date} = $date if defined $date && $date gt ($set{date} // '');
        for my $part (split /^(?=\$ )/m, $txt) {
            my ($program) = $part =~ m{^\$ (?:experiments/\d+_)?(.*)$}m or next;
            my ($verdict) = $part =~ /^((?:PASS|FAIL|SKIP)\b.*)$/m;
            $set{printed}{ $source->{chapter} } = $part if !($source->{csv} // '');
            push @{ $set{verdicts} }, [$source->{chapter}, $program, $verdict // 'FAIL: it did not end'];
        }
    }
    ($set{name}) = $set{line} =~ /^([^,]+)/ if $set{line};
    $set{cpu} = $set{name} eq 'CPU device';
    $set{list} = $set{cpu} ? '@cpu_device' : '';    # how tools/measure/headlines marks it
    return \%set;
}

# Of what a device found, what tools/measure/headlines names; of a chapter that it does not name, all.
sub listed_findings {
    my ($set) = @_;
    my $names = slurp('tools/measure/headlines') // '';
    my %listed = map { $_ => 1 } $names =~ m{^(\d[^\s@]*)$set->{list}(?: !)?$}mg;
    my %headline = map { $_ => 1 } $names =~ m{^(\d[^\s@]*)$set->{list} !$}mg;
    my %chapter = map { m{^(\w+)/} => 1 } keys %listed;
    return map { +{ %$_, isHeadline => $headline{"$_->{chapter}/$_->{program}.$_->{parameter}"} } } grep { !$chapter{ $_->{chapter} } || $listed{"$_->{chapter}/$_->{program}.$_->{parameter}"} } @{ $set->{findings} };
}

# The device that is called so, or whose name holds it: "h200", "nvidia_h200", "results/nvidia_h200".
sub find_device {
    my ($wanted) = @_;
    $wanted =~ s{.*/}{};
    $wanted =~ s/\.\w+$//;
    my @devices = unique(map { m{/results/(.*)\.csv$} } glob '[0-9][0-9]_*/results/*.csv');
    my @found = grep { $_ eq $wanted } @devices;
    @found = grep { /(?:^|_)\Q@{[lc $wanted]}\E$/ } @devices if !@found;
    @found = grep { index($_, lc $wanted) >= 0 } @devices if !@found;
    return $found[0] if @found == 1;
    return (undef, "no results of '$wanted': there are " . join(', ', sort @devices)) if !@found;
    return (undef, "'$wanted' fits " . join(' and ', sort @found));
}

# A device's name as the names of its files begin.
sub file_name { return lc($_[0] =~ tr/ A-Za-z0-9//cdr) =~ tr/ /_/r }

sub recorded {
    my ($device) = @_;
    my $set = result_set(map {
        my ($chapter) = m{^([^/]+)/};
        { chapter => $chapter, csv => slurp($_) // '', txt => slurp(s/csv$/txt/r) // '' };
    } map { s/txt$/csv/r } sort glob "[0-9][0-9]_*/results/$device.txt");
    $set->{results} = "%s/results/$device";
    # Two of it, or another host with the same device: "NVIDIA H200 x2", "NVIDIA H200 at lab2".
    $set->{name} .= $1 =~ tr/_/ /r if $device =~ /^\Q@{[ file_name($set->{name}) ]}\E(_\w+)$/;
    return $set;
}

# Which of these commands is not here, as a line that says what to install; or nothing.
sub not_here {
    my (%package) = @_;
    my @missing = grep { !found($_) } sort keys %package;
    return if !@missing;
    return 'needs ' . join(' and ', @missing) . ': sudo apt-get install ' . join(' ', map { $package{$_} } @missing)
        . " (Debian, Ubuntu)\n";
}

1;
