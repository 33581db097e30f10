# What the pictures of the lessons share: those that show an idea, not a measurement. A script
# NN_x/figures/NAME.pl draws one:
#
#     require './tools/measure/picture.pl';
#     my $picture = picture(200, 'Its title', 'What it shows, for those who cannot see it.');
#     $picture->box(10, 10, 80, 40, 'blue', 'kernel');
#     $picture->done;
#
# tools/measure/figures runs it in the root of the repository and stores what it prints. A picture is 520
# wide, so that a phone of 390 pixels shows its letters 12 pixels high. Its colors are those of
# figure_style.gp, for light and for dark pages.
#
# SPDX-License-Identifier: MIT
package Picture;
use strict;
use warnings;
use utf8;
use File::Basename qw(dirname);
use lib dirname(__FILE__) . '/..';
use Course ();

use constant { WIDTH => 520, LETTER => 16, LINE => 21, HEAD => 30 };    # above it its title, for who has the picture alone

my (%light, %dark);
/^(\w+) *= "(#\w{6})" *# dark (#\w{6})/ and ($light{$1}, $dark{$1}) = ($2, $3)
    for split /\n/, Course::slurp("$Course::root/tools/measure/figure_style.gp");

# Blue is full; each other color has a pattern, so that it can be told without color as well.
my %pattern = (
    red   => '<path d="M-1 1L1 -1M0 6L6 0M5 7L7 5" stroke="%s" stroke-width="1.3"/>',
    green => '<circle cx="3" cy="3" r="1.4" fill="%s"/>',
    pink  => '<path d="M0 1.5H6M0 4.5H6" stroke="%s" stroke-width="1"/>',
);

sub main::picture {
    my ($height, $title, $description) = @_;
    return bless { height => $height, title => $title, description => $description, parts => [], used => {}, y => 36 };
}

sub escaped { my ($text) = @_; my %as = qw(& &amp; < &lt; > &gt;); return $text =~ s/([&<>])/$as{$1}/gr }

sub put {
    my ($self, $format, @values) = @_;
    push @{ $self->{parts} }, sprintf $format, @values;
    return $self;
}

sub color { my ($name) = @_; return $light{$name} // die "no color '$name' in figure_style.gp\n" }

# What fills a box: full color, or lines and dots of it.
sub filling {
    my ($self, $name) = @_;
    return color($name) if !$pattern{$name};
    $self->{used}{$name} = 1;
    return "url(#$name)";
}

# A box with the pattern of a color and, if need be, words in it; 'none' is an outline of dashes.
sub box {
    my ($self, $x, $y, $width, $height, $name, @words) = @_;
    my $fill = $name eq 'none' ? $name : $self->filling($name);
    my $line = color($pattern{$name} ? $name : $name eq 'blue' ? 'page' : 'axis');
    $self->put('<rect x="%g" y="%g" width="%g" height="%g" fill="%s" stroke="%s"%s/>', $x, $y, $width, $height, $fill, $line,
        $name eq 'none' ? ' stroke-dasharray="4 3"' : '');
    my $top = $y + $height / 2 - LINE * @words / 2 + LINE - 5;
    $self->text($x + $width / 2, $top + LINE * $_, $words[$_], 'middle', $name eq 'blue' ? 'page' : 'text', $pattern{$name} && 'halo') for 0 .. $#words;
    return $self;
}

# A cell with room around it, for many small ones side by side.
sub cell {
    my ($self, $x, $y, $width, $height, $name) = @_;
    return $self->put('<rect x="%g" y="%g" width="%g" height="%g" fill="%s" stroke="%s"/>', $x, $y, $width, $height, $self->filling($name), color('page'));
}

# A line of text; anchor is start, middle or end. What is between backticks is code.
sub text {
    my ($self, $x, $y, $words, $anchor, $name, $halo) = @_;
    my $inner = escaped($words) =~ s{`([^`]*)`}{<tspan font-family="monospace">$1</tspan>}gr;
    return $self->put('<text x="%g" y="%g" text-anchor="%s" fill="%s"%s>%s</text>', $x, $y, $anchor // 'start', color($name // 'text'),
        $halo ? sprintf(' stroke="%s" stroke-width="5" stroke-linejoin="round" style="paint-order:stroke"', color('page')) : '', $inner);
}

sub line {
    my ($self, $x1, $y1, $x2, $y2, $name, $dashes) = @_;
    return $self->put('<path d="M%g %gL%g %g" fill="none" stroke="%s" stroke-width="1.5"%s/>', $x1, $y1, $x2, $y2, color($name // 'axis'),
        $dashes ? ' stroke-dasharray="4 3"' : '');
}

sub arrow {
    my ($self, $x1, $y1, $x2, $y2, $name) = @_;
    my ($dx, $dy) = ($x2 - $x1, $y2 - $y1);
    my $length = sqrt($dx**2 + $dy**2);
    my ($ux, $uy) = ($dx / $length, $dy / $length);
    $self->line($x1, $y1, $x2 - 5 * $ux, $y2 - 5 * $uy, $name);
    return $self->put('<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fZ" fill="%s"/>', $x2, $y2, $x2 - 9 * $ux - 5 * $uy, $y2 - 9 * $uy + 5 * $ux,
        $x2 - 9 * $ux + 5 * $uy, $y2 - 9 * $uy - 5 * $ux, color($name // 'axis'));
}

# From x1 to x2, with a stroke at each end and words in the middle: a span of time.
sub span {
    my ($self, $x1, $x2, $y, $name, $words) = @_;
    my ($middle, $gap) = (($x1 + $x2) / 2, 6 * length($words // ''));
    $self->line($_, $y - 6, $_, $y + 6, $name) for $x1, $x2;
    $self->text($middle, $y + 5, $words, 'middle', $name) if $gap;
    return $self->line($x1, $y, $middle - $gap, $y, $name)->line($middle + $gap, $y, $x2, $y, $name);
}

# Timelines from y on: a title, and below it rows of parts, [color, from, to, words]...
sub titled { my ($self, $title) = @_; $self->text(8, $self->{y} + 16, $title); $self->{y} += 24; return $self }

sub row {
    my ($self, $name, @parts) = @_;
    $self->text(8, $self->{y} + 17, $name);
    $self->box($_->[1], $self->{y}, $_->[2] - $_->[1], 24, $_->[0], $_->[3] // ()) for @parts;
    $self->{y} += 29;
    return $self;
}

# A row of small boxes with what they mean: [color, words]...
sub legend {
    my ($self, $x, $y, @entries) = @_;
    for (@entries) {
        my ($name, $words, $width) = @$_;
        $self->box($x, $y, 22, 14, $name)->text($x + 29, $y + 13, $words);
        $x += $width // 0;
    }
    return $self;
}

# Prints it.
sub done {
    my ($self) = @_;
    my $defs = join '', map { sprintf qq(<pattern id="%s" width="6" height="6" patternUnits="userSpaceOnUse">$pattern{$_}</pattern>\n), $_, color($_) } sort keys %{ $self->{used} };
    my $body = join "\n", @{ $self->{parts} };
    my %shown = map { $_ => 1 } "$defs$body" =~ /"(#\w{6})"/g;
    my $rules = join '', map { my $name = $_; map { "[$_=\"$light{$name}\"]{$_:$dark{$name}}" } 'fill', 'stroke' }
        grep { $shown{ $light{$_} } || /^(?:page|text)$/ } sort keys %light;
    binmode STDOUT, ':encoding(UTF-8)';
    printf <<'SVG', WIDTH, -HEAD, WIDTH, $self->{height} + HEAD, escaped($self->{title}), escaped($self->{description}), $rules, $defs, -HEAD, color('page'), LETTER, color('text'), escaped($self->{title}), $body;
<?xml version="1.0" encoding="utf-8"?>
<svg width="%d" viewBox="0 %d %d %d" xmlns="http://www.w3.org/2000/svg" role="img" aria-labelledby="title description">
<title id="title">%s</title>
<desc id="description">%s</desc>
<style>@media screen and (prefers-color-scheme: dark) {%s}</style>
<defs>
%s</defs>
<rect y="%d" width="100%%" height="100%%" fill="%s"/>
<g font-family="sans-serif" font-size="%d">
<text x="10" y="-10" fill="%s">%s</text>
%s
</g>
</svg>
SVG
    return;
}

1;
