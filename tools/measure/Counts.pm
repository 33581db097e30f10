# SPDX-License-Identifier: MIT
# A picture of counts, for a device that takes no times: a bar for each row of a program, as SVG for a
# page that has the colors of figure_style.gp as variables.
#
#     my $picture = counts_of(@rows);    # {svg, what}: the SVG, and the name of what is counted
package Counts;
use strict;
use warnings;
use Exporter qw(import);
use FindBin;
use lib "$FindBin::Bin/..";
use Course;
use List::Util qw(max);

our @EXPORT = qw(counts_of html);

use constant { WIDTH => 520, LINE => 23, MOST => 20, LETTERS => 26, TEXT => 244, BAR => 160 };

# A text as HTML and SVG have it.
sub html { my ($text) = @_; my %as = qw(& &amp; < &lt; > &gt; " &quot;); return $text =~ s/([&<>"])/$as{$1}/gr }

# The column that the bars show: the first that all or some rows have, and that is not the same in all.
sub counted {
    my (@rows) = @_;
    for my $column (qw(value bytes n)) {
        my @values = grep { length($_ // '') } map { $_->{$column} } @rows;
        return $column if unique(@values) > 1;
    }
    return 'n';
}

# What names a row: its variant, and what else is not the same in all rows.
sub name_of {
    my ($row, @columns) = @_;
    return join ', ', grep { length } map { ($_ eq 'n' || $_ eq 'block') && length $row->{$_} ? "$_ $row->{$_}" : $row->{$_} // '' } @columns;
}

sub counts_of {
    my (@rows) = @_;
    my $column = counted(@rows);
    @rows = grep { length($_->{$column} // '') } @rows;
    return if !@rows;
    my @names = grep { my $name = $_; $name ne $column && unique(map { $_->{$name} // '' } @rows) > 1 } qw(variant parameter n block);
    @names = 'variant' if !@names;
    my @parameters = unique(map { $_->{parameter} // '' } @rows);
    my $what = $column eq 'value' && @parameters == 1 && length $parameters[0] ? $parameters[0] : $column;
    my $step = @rows > MOST ? @rows / MOST : 1;
    my @shown = map { $rows[int($_ * $step)] } 0 .. (@rows > MOST ? MOST : @rows) - 1;
    my $most = max(map { $_->{$column} } @shown) || 1;
    my ($y, $svg) = (4, '');
    for my $row (@shown) {
        my $name = name_of($row, @names);
        $name = substr($name, 0, LETTERS - 2) . '..' if length $name > LETTERS;
        $svg .= sprintf '<text x="0" y="%d">%s</text>', $y + 14, html($name);
        $svg .= sprintf '<rect x="%d" y="%d" width="%.1f" height="13" style="fill:var(--blue)"/>', TEXT, $y + 3,
            max(0, BAR * $row->{$column} / $most);
        $svg .= sprintf '<text x="%.1f" y="%d">%s</text>', TEXT + 6 + max(0, BAR * $row->{$column} / $most), $y + 14, $row->{$column};
        $y += LINE;
    }
    my $height = $y + 4;
    return { what => $what, svg => "<svg width=\"@{[ WIDTH ]}\" viewBox=\"0 0 @{[ WIDTH ]} $height\" xmlns=\"http://www.w3.org/2000/svg\">"
        . "<rect width=\"@{[ WIDTH ]}\" height=\"$height\" style=\"fill:var(--page)\"/>"
        . "<g font-family=\"sans-serif\" font-size=\"16\" style=\"fill:var(--text)\">$svg</g></svg>" };
}

1;
