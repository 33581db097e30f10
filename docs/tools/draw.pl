# How charts become SVG: gnuplot scripts, and what is made of what gnuplot draws. A library for the
# tools report and figures beside it; charts.pl has the charts.
#
#     my @svg = gnuplot(map { plot_script($_, $shape{wide}) } @charts);
#     print coloured(tidied($svg[0], 'a'), sub { $palette{light}{ $_[0] } });
#
# SPDX-License-Identifier: MIT
use strict;
use warnings;
use File::Temp qw(tempdir);
use List::Util qw(min max);

# ---- Looks -------------------------------------------------------------------------------------
# A colour is written as rgb(0, 0, CODE) into the plot and gets its value when that is done: a fixed
# one for a file, a CSS variable for a page.
my %code = (text => 1, axis => 2, grid => 3, shade => 4, s1 => 5, s2 => 6, s3 => 7, s4 => 8);
our %palette = (
    light => {
        text => '#1f2328', axis => '#59636e', grid => '#d8dee4', shade => '#eef1f4',
        s1 => '#0072b2', s2 => '#c24e00', s3 => '#00795a', s4 => '#a0387c',
    },
    dark => {
        text => '#e6edf3', axis => '#9198a1', grid => '#343b44', shade => '#1c222b',
        s1 => '#5cb8f0', s2 => '#f0a35c', s3 => '#4fd1a5', s4 => '#e796c9',
    },
);

# A wide one for a page, a narrow one for a phone and for print, one for a lesson.
our %shape = (
    wide   => { width => 780, height => 400, font => 14 },
    narrow => { width => 360, height => 330, font => 13 },
    lesson => { width => 600, height => 380, font => 15 },
);

# Each series has a colour, and a marker, a dash or a fill of its own, so that it is known without the
# colour. Another device's series have the same colours; the rest is theirs: the second four.
my @markers = (7, 4, 9, 12, 6, 5, 8, 13);    # filled circle, open square, ...; open circle, ...
my @dashes = ('1', '(9,5)', '(2,4)', '(12,4,2,4)', '(5,5)', '(3,3)', '(9,3,2,3,2,3)', '(4,2)');
my @fills = ('solid 1', map { "pattern $_" } 4, 1, 6, 2, 5, 3, 7);

sub look {    # (name of the colour, index of the rest)
    my ($one, $index) = @_;
    return ('s' . ($index % 4 + 1), $index % 4 + ($one->{other} ? 4 : 0));
}

sub colour { return sprintf 'rgb "#%06x"', $code{ $_[0] } }

sub quoted { return '"' . $_[0] =~ s/([\\"])/\\$1/gr . '"' }

# About how wide it will be, in pixels.
sub text_width { my ($text, $shape) = @_; return length($text) * $shape->{font} * 0.55 }

# ---- Scripts -----------------------------------------------------------------------------------
# The script that draws a chart in a shape: all that decides how it looks, its data included.
sub plot_script {
    my ($chart, $shape) = @_;
    my ($height, @lines) = $chart->{bars} ? bars_script($chart, $shape) : lines_script($chart, $shape);
    return join "\n",
        "set terminal svg size $shape->{width},$height dynamic noenhanced font 'sans-serif,$shape->{font}'"
        . ' linewidth 1.4 dashlength 0.7',
        'set encoding utf8',
        'set tics nomirror scale 0.6 textcolor ' . colour('text'),
        'set border 3 linecolor ' . colour('axis'),
        'set xtics offset 0,0.3',
        @lines, '';
}

# Commands for round values on a logarithmic axis, about `most` of them; for others gnuplot knows.
sub tics {
    my ($which, $axis, $low, $high, $most) = @_;
    return $axis->{step} ? ("set ${which}tics $axis->{step}") : () if !$axis->{log};
    my $base = $axis->{log};
    my ($first, $last) = map { log($_) / log($base) } $low, $high;
    my @powers = grep { $_ >= $first - 1e-9 && $_ <= $last + 1e-9 } int($first) - 1 .. int($last) + 1;
    my $step = 1;
    $step *= 2 while @powers > $most * $step;
    my @values = map { $base**$_ } grep { $_ % $step == $powers[-1] % $step } @powers;
    if ($base == 10 && @values < 3) {    # too few: 2 and 5 as well
        @values = grep { $_ >= $low && $_ <= $high } map { my $power = $_; map { $_ * 10**$power } 1, 2, 5 }
            int($first) - 1 .. int($last) + 1;
    }
    my $name = $axis->{tics} // sub { sprintf '%.10g', $_[0] };
    return "set ${which}tics (" . join(', ', map { quoted($name->($_)) . sprintf ' %.9g', $_ } @values) . ')';
}

sub grid { return 'set grid ' . $_[0] . 'tics linetype 1 dashtype 1 linewidth 0.7 linecolor ' . colour('grid') }

sub x_label { return 'set xlabel ' . quoted($_[0]) . ' offset 0,0.7 textcolor ' . colour('text') }

sub unit_of { my ($unit, $log) = @_; return $unit . ($log ? ' (logarithmic)' : '') }

# Lines and points. Each line's name stands at its end; on a narrow chart there is a key instead.
sub lines_script {
    my ($chart, $shape) = @_;
    my ($x, $y, $font, $height) = (@$chart{qw(x y)}, @$shape{qw(font height)});
    my @series = @{ $chart->{series} };
    my @levels = sort { $b->{y} <=> $a->{y} } @{ $chart->{levels} // [] };
    my @xs = map { $_->[0] } map { @{ $_->{points} } } @series;
    my @ys = ((map { $_->[1] } map { @{ $_->{points} } } @series), map { $_->{y} } @levels);
    my @x_range = $x->{log} ? (min(@xs) / 1.15, max(@xs) * 1.15) : (min(@xs) - 0.5, max(@xs) + 0.5);
    my @y_range = $y->{log} ? (min(@ys) / 1.4, max(@ys) * 1.6) : (0, 1.14 * max(@ys));

    my $narrow = $shape->{width} < 500;
    my $columns = max(1, int(($shape->{width} - 20) / (max(map { text_width($_->{label}, $shape) } @series) + 50)));
    my $key_rows = int((@series + $columns - 1) / $columns);
    $height += int(($key_rows - 2) * 1.45 * $font) if $narrow && $key_rows > 2;

    my @lines;
    my $label = sub {    # text, place, other words
        push @lines, sprintf 'set label %s at %s %s', quoted($_[0]), $_[1], $_[2];
    };
    for (['x', $x, @x_range, $narrow ? 5 : 8], ['y', $y, @y_range, 8]) {
        my ($which, $axis, $low, $high, $most) = @$_;
        push @lines, "set logscale $which $axis->{log}" if $axis->{log};
        push @lines, sprintf('set %srange [%.9g:%.9g]', $which, $low, $high), tics($which, $axis, $low, $high, $most);
    }
    push @lines, grid('y'), x_label($x->{label}), sprintf 'set bmargin at screen %.4f', 3.5 * $font / $height;
    # The unit of y stands above its axis, in reading direction.
    $label->(unit_of($y->{label}, $y->{log}), 'graph 0, graph 1', 'left offset -4,0.9 textcolor ' . colour('text'));
    if ($chart->{cache}) {
        push @lines, sprintf 'set object rectangle from graph 0, graph 0 to %.9g, graph 1 behind'
            . ' fillstyle solid 1 noborder fillcolor %s', $chart->{cache}, colour('shade');
        $label->('cache may help', 'graph 0, graph 0.96', 'left offset 0.7,0 textcolor ' . colour('axis'));
    }
    if (($chart->{l2} // 0) > 0) {
        push @lines, sprintf 'set arrow from %.9g, graph 0 to %.9g, graph 1 nohead dashtype (3,4) linewidth 0.8'
            . ' linecolor %s', $chart->{l2}, $chart->{l2}, colour('axis');
        $label->(sprintf("L2 %g MiB", $chart->{l2}), "$chart->{l2}, graph 0.05", 'left offset 0.6,0 textcolor ' . colour('axis'));
    }

    my $place = sub {    # 0 to 1, from the bottom to the top
        my ($low, $high, $at) = map { $y->{log} ? log : $_ } @y_range, $_[0];
        return ($at - $low) / ($high - $low);
    };
    my @names;           # for the right margin: [place, text, colour]
    my $above = 2;       # the place of the last level whose name stands above it
    for my $level (@levels) {
        my $at = $place->($level->{y});
        push @lines, sprintf 'set arrow from graph 0, first %.9g to graph 1, first %.9g nohead dashtype (1,3)'
            . ' linewidth 1 linecolor %s', $level->{y}, $level->{y}, colour('axis');
        if (!$narrow && !$level->{inside}) {
            push @names, [$at, $level->{label}, 'axis'];
            next;
        }
        my $close = $above - $at < 2 * $font / $height;
        $above = $at if !$close;
        $label->($shape->{width} < 700 && $level->{short} || $level->{label}, sprintf('graph 1, first %.9g', $level->{y}),
            'right offset -0.3,' . ($close ? '-0.6' : '0.55') . ' textcolor ' . colour('axis'));
    }

    my (@data, @plots, %count);
    for my $i (0 .. $#series) {
        my ($one, $points) = ($series[$i], $series[$i]{points});
        my ($colour, $look) = look($one, $count{ $one->{other} // 0 }++);
        push @data, "\$d$i << END", (map { sprintf '%.9g %.9g', @$_[0, 1] } @$points), 'END';
        push @plots, "\$d$i using 1:2 with " . ($one->{plain}
            ? 'lines dashtype ' . ($one->{other} ? '(1,2)' : '(6,4)')
            : "linespoints dashtype $dashes[$look] pointtype $markers[$look] pointsize " . (@$points > 24 ? 0.45 : 0.65))
            . ' linewidth ' . ($one->{other} ? 1 : 1.5) . ' linecolor ' . colour($colour) . ' title ' . quoted($one->{label});
        push @names, [$place->($points->[-1][1]), $one->{label}, $colour];
    }
    if ($narrow) {
        push @lines, "set key at screen 0.98, screen 0.99 right top Left reverse horizontal samplen 3 spacing 1.1"
            . " width 0 maxcols $columns maxrows $key_rows textcolor " . colour('text'),
            sprintf('set tmargin at screen %.4f', 1 - (($key_rows + 1) * 1.45 * $font + 12) / $height),
            'set rmargin at screen 0.945';
    } else {
        # Names that would touch are pushed apart: upwards, then down from the top.
        my $line = 1.25 * $font / ($height - 5.8 * $font);
        @names = sort { $a->[0] <=> $b->[0] } @names;
        $names[$_][0] = max($names[$_][0], $names[$_ - 1][0] + $line) for 1 .. $#names;
        my $top = 1;
        for my $name (reverse @names) {
            $name->[0] = min($name->[0], $top);
            $top = $name->[0] - $line;
        }
        $label->($_->[1], sprintf('graph 1, graph %.4f', $_->[0]), 'left offset 0.8,0 textcolor ' . colour($_->[2]))
            for @names;
        my $width = max(map { text_width($_->[1], $shape) } @names);
        push @lines, 'unset key', sprintf('set rmargin at screen %.4f', 1 - ($width + 1.2 * $font) / $shape->{width}),
            sprintf('set tmargin at screen %.4f', 1 - 2.3 * $font / $height);
    }
    return ($height, @lines, @data, 'plot ' . join(", \\\n    ", @plots));
}

# Bars from left to right, each name above, each value behind. On a logarithmic axis the length of a
# bar means nothing: there a value is a point.
sub bars_script {
    my ($chart, $shape) = @_;
    my ($font, $width, $log) = (@$shape{qw(font width)}, $chart->{log});
    my @parts = map { @{ $_->{parts} } } @{ $chart->{bars} };
    my $most = max(map { $_->{value} } @parts);
    my ($unit, $scale) = $chart->{unit} eq 'ms' && $most < 1 ? ('us', 1e3) : ($chart->{unit}, 1);
    # The share of the width that is left beside the longest text.
    my $room = 1 - (max(map { text_width($_->{text}, $shape) } @parts) + $font) / ($width - 2 * $font);
    my $low = $log ? $scale * min(map { $_->{value} } @parts) / 1.5 : 0;
    my $high = $log ? $low * ($scale * $most / $low)**(1 / $room) : $scale * $most / $room;

    # In pixels from the top: a line for each name, one for each part.
    my ($name_line, $part_line, $gap) = (1.55 * $font, 1.4 * $font, 0.55 * $font);
    my ($y, $number, @lines, @data, @plots) = (0, 0);
    for my $bar (@{ $chart->{bars} }) {
        push @lines, sprintf 'set label %s at graph 0, first %.4g left offset 0.2,0 front textcolor %s',
            quoted($bar->{label}), $y + 0.6 * $name_line, colour('text');
        $y += $name_line;
        my %count;
        for my $part (@{ $bar->{parts} }) {
            my $value = $scale * $part->{value};
            my ($top, $middle, $bottom) = map { $y + $_ * $part_line } 0.12, 0.5, 0.88;
            my ($colour, $look) = look($part, $count{ $part->{other} // 0 }++);
            my $end = 'linecolor ' . colour($colour) . ' notitle';
            push @data, "\$d$number << END",
                sprintf('%.9g %.4g %.9g %.9g %.4g %.4g', $value, $middle, $low, $value, $top, $bottom), 'END';
            push @plots, $log
                ? ("\$d$number using 3:2:(\$4-\$3):(0) with vectors nohead dashtype (2,4) linewidth 1 $end",
                   "\$d$number using 1:2 with points pointtype $markers[$look] pointsize 0.8 $end")
                : "\$d$number using 1:2:3:4:5:6 with boxxyerror fillstyle $fills[$look] border linewidth 1 $end";
            push @lines, sprintf 'set label %s at first %.9g, first %.4g left offset 0.8,0 front textcolor %s',
                quoted($part->{text}), $value, $middle, colour('text');
            $number++;
            $y += $part_line;
        }
        $y += $gap;
    }
    my ($top, $bottom) = (0.4 * $font, 3.4 * $font);
    my $height = int($y + $top + $bottom + 0.5);
    return ($height, sprintf('set yrange [%.4f:0]', $y), sprintf('set xrange [%.9g:%.9g]', $low, $high),
        'unset ytics', 'unset key', 'set border 1', grid('x'), x_label(unit_of($unit, $log)),
        $log ? ('set logscale x 10', tics('x', { log => 10 }, $low, $high, 6)) : (),
        (map { sprintf 'set %smargin at screen %.4f', @$_ } ['l', $font / $width], ['r', 1 - $font / $width],
            ['t', 1 - $top / $height], ['b', $bottom / $height]),
        @lines, @data, 'plot ' . join(", \\\n    ", @plots));
}

# ---- gnuplot -----------------------------------------------------------------------------------
# Which of these commands is not here, as a line that says what to install; or nothing.
sub not_here {
    my (%package) = @_;
    my @missing = grep { my $tool = $_; !grep { -x "$_/$tool" } split /:/, $ENV{PATH} // '' } sort keys %package;
    return if !@missing;
    return 'needs ' . join(' and ', @missing) . ': sudo apt-get install ' . join(' ', map { $package{$_} } @missing)
        . " (Debian, Ubuntu)\n";
}

# Draws scripts with one run of gnuplot; returns one SVG for each, with coded colours.
sub gnuplot {
    my (@scripts) = @_;
    my $folder = tempdir(CLEANUP => 1);
    open my $all, '>', "$folder/all.gp" or die "$folder: $!\n";
    print $all "set output '$folder/$_.svg'\n$scripts[$_]unset output\nreset\nundefine \$*\n" for 0 .. $#scripts;
    close $all or die "$folder: $!\n";
    my $said = `LC_ALL=C.UTF-8 gnuplot '$folder/all.gp' 2>&1`;
    die "gnuplot: $said\n" if $? || $said =~ /\S/;
    return map { slurp("$folder/$_.svg") } 0 .. $#scripts;
}

# gnuplot's SVG, smaller: no prologue, no markers that are not used, no empty groups, plain text
# elements, coordinates to a tenth of a pixel. `name` keeps the ids of several in one page apart.
sub tidied {
    my ($svg, $name) = @_;
    my ($font) = $svg =~ /font-size="([\d.]+)"/;
    my ($box) = $svg =~ /(viewBox="[^"]*")/;
    $svg =~ s{^.*?<svg[^>]*>}{<svg xmlns="http://www.w3.org/2000/svg" $box font-family="sans-serif" font-size="$font">}s;
    $svg =~ s/<(title|desc|filter)\b.*?<\/\1>\s*//sg;
    $svg =~ s/xlink:href=/href=/g;
    my %used = map { $_ => 1 } $svg =~ /<use href='#(gpPt\d+)' transform='translate/g;
    for (1 .. 3) {    # markers are made of other markers
        $used{$1} ||= $used{$2} while $svg =~ /<use href='#(gpPt\d+)' id='(gpPt\d+)'/g;
    }
    $svg =~ s/[ \t]*<\w+ [^>]*id='(gp(?:Pt\d+|Dot))'[^>]*\/>\n?/$used{$1} ? $& : ''/ge;
    $svg =~ s{<g\ transform="translate\(([\d.]+),([\d.]+)\)"\ stroke="none"\ fill="([^"]*)"
        \ font-family="sans-serif"\ font-size="[\d.]+"\s+text-anchor="(\w+)">\s*
        <text>(?:<tspan[^>]*>)?\s*(.*?)\s*(?:</tspan>)?</text>\s*</g>}
        {<text x="$1" y="$2" stroke="none" fill="$3" text-anchor="$4">$5</text>}sgx;
    my $point = qr{<use href='#gpPt\d+' transform='[^']*'};
    $svg =~ s{($point) color='([^']*)'/>((?:\s*$point color='\2'/>)*)}
        {"<g color='$2'>$1/>" . $3 =~ s/ color='[^']*'//gr . '</g>'}ge;
    $svg =~ s/<g [^>]*>\s*<\/g>\s*//g for 1 .. 3;
    $svg =~ s/ (?:class="gridline"|stroke-linecap="butt"|stroke-linejoin="miter")//g;
    $svg =~ s/<[^<>]*>/shortened($&)/ge;
    $svg =~ s/^\s+//mg;
    $svg =~ s/\b(gpPt\d+|gpDot|gpPat\d+|gnuplot_\w+)\b/$name-$1/g;
    return $svg;
}

# A tag with fewer blanks and digits.
sub shortened {
    my ($tag) = @_;
    $tag =~ s/ ?= ?(['"])/=$1/g;
    $tag =~ s/(\.\d)\d+/$1/g if $tag !~ /scale|stroke-width/;
    $tag =~ s/\.0\b//g;
    $tag =~ s/rgb\(\s*(\d+),\s*(\d+),\s*(\d+)\)/rgb($1,$2,$3)/g;
    $tag =~ s/\s+/ /g;
    $tag =~ s/ +(?=['"\/>])//g;
    return $tag;
}

# Puts colours in the place of their codes: value->(name) is a colour.
sub coloured {
    my ($svg, $value) = @_;
    my %name = reverse %code;
    $svg =~ s/rgb\(\s*0\s*,\s*0\s*,\s*(\d+)\s*\)/exists $name{$1} ? $value->($name{$1}) : $&/ge;
    return $svg;
}

1;
