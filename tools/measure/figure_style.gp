# SPDX-License-Identifier: MIT
# What all figures share. A chapter's NN_x/figures/NAME.gp loads it; tools/measure/figures runs that,
# with `rows`, the rows of the programs that it names, one a line, tabs between the columns; and with
# `peak` and `l2_mib` of the device if it names them, 0 where unknown.

# The colors, and those of a dark page, which tools/measure/figures puts into the SVG beside them. Safe
# for the color-blind; each series has a marker, a dash or a pattern of its own as well.
page  = "#ffffff"    # dark #0d1117
text  = "#1f2328"    # dark #e6edf3
axis  = "#59636e"    # dark #9198a1
faint = "#d8dee4"    # dark #343b44
shade = "#eef1f4"    # dark #1c222b
blue  = "#0072b2"    # dark #5cb8f0
red   = "#c24e00"    # dark #f0a35c
green = "#00795a"    # dark #4fd1a5
pink  = "#a0387c"    # dark #e796c9
set linetype 1 linecolor rgb blue  linewidth 2 dashtype 1 pointtype 7 pointsize 0.6
set linetype 2 linecolor rgb red   linewidth 2 dashtype (9,5) pointtype 4 pointsize 0.6
set linetype 3 linecolor rgb green linewidth 2 dashtype (2,4) pointtype 9 pointsize 0.6
set linetype 4 linecolor rgb pink  linewidth 2 dashtype (12,4,2,4) pointtype 12 pointsize 0.6

# As wide as a phone can show with letters of 11 pixels.
if (!exists("height")) height = 330
set terminal svg size 520,height dynamic enhanced font "sans-serif,16" background rgb page
set encoding utf8
set border 3 linecolor rgb axis
set tics nomirror scale 0.6 textcolor rgb text
set xtics offset 0,0.3
set xlabel offset 0,0.6 textcolor rgb text
set grid ytics linetype 1 linecolor rgb faint linewidth 0.7 dashtype 1
set key textcolor variable    # `title "..." at end`: the line's name where it ends
set lmargin 7
set tmargin 2.2
set bmargin 3.2

# What stands above the y axis: set label "GB/s" @above
above = 'at graph 0, graph 1 offset -5,1 textcolor rgb text'
# Words about a line or a region: set label "cache may help" at X, Y @aside
aside = 'textcolor rgb axis'
# A line across or up, to go with them: set arrow from X, Y to X, Y @level
level = 'nohead linewidth 1 dashtype (2,4) linecolor rgb axis'

# ---- Rows --------------------------------------------------------------------------------------
set datafile separator tab
set datafile columnheaders
set datafile missing NaN
# Is it a row of "CHAPTER/PROGRAM"? Has the column that text; does its text begin with that?
of(program) = strcol("program") eq program
is(name, value) = strcol(name) eq value
begins(name, value) = strstrt(strcol(name), value) == 1
# A column where the condition holds, else nothing.
take(name, condition) = condition ? column(name) : NaN

# The rate of a row's slowest sample, of its fastest.
lowest(condition) = take("gb_per_s", condition) * column("median_ms") / column("max_ms")
highest(condition) = take("gb_per_s", condition) * column("median_ms") / column("min_ms")
# From the least sample to the greatest, in the last part of a plot: for a bar X:Y:LEAST:GREATEST @across,
# for a point X:LEAST:(0):(GREATEST - LEAST) @upright.
across = 'with xerrorbars pointtype -1 linecolor rgb text linewidth 1.2 dashtype 1 notitle'
upright = 'with vectors nohead linecolor rgb text linewidth 1.6 dashtype 1 notitle'
samples = ", median; line: least to greatest"

# ---- Two devices -------------------------------------------------------------------------------
# `other`: the rows of a second device, '' without one. A script that compares devices draws
# `plot for [k = 1:devices] of_device(k) using ... linetype 2 * k - 1 title called(k, "measured") at end`.
devices = other eq "" ? 1 : 2
of_device(k) = k == 1 ? rows : other
called(k, what) = devices == 1 ? what : k == 1 ? device : other_device

# ---- Numbers in words --------------------------------------------------------------------------
duration(ms) = ms < 0.9995 ? sprintf("%.3g µs", 1e3 * ms) : sprintf("%.3g ms", ms)
# `eval powers_of_2` writes every second one at an x axis of elements, as 2¹⁰. (At the very end of the
# axis a tic would be left out.)
raised = "⁰¹²³⁴⁵⁶⁷⁸⁹"
power(n) = (n < 10 ? "" : power(n / 10)) . substr(raised, n % 10 + 1, n % 10 + 1)
powers_of_2 = 'set logscale x 2; set xtics ("" 1); stats rows using "n" name "elements" nooutput;' \
            . 'do for [n = 0:40:2] { set xtics add ("2" . power(n) 2.0**n - (2.0**n >= elements_max)) }'

# ---- What rates are compared with --------------------------------------------------------------
# `eval peak_line` draws the memory's theoretical peak, where it is known.
peak_line = 'if (peak > 0) {' \
          . '  set arrow from graph 0, first peak to graph 1, first peak @level;' \
          . '  set label sprintf("peak %.0f", peak) at graph 1, first peak right offset -0.5,0.6 @aside }'
# `eval shading` shades as far as flags say that the cache may help, where some rows have this flag and
# some have none: cached(yes) is the x of a row that has one, of one that has none.
shading = 'stats rows using (cached(1)) name "cached" nooutput;' \
        . 'stats rows using (cached(0)) name "beyond" nooutput;' \
        . 'if (exists("cached_max") && exists("beyond_min")) {' \
        . '  set object rectangle from graph 0, graph 0 to sqrt(cached_max * beyond_min), graph 1' \
        . '    fillcolor rgb shade fillstyle solid noborder behind;' \
        . '  set label "cache may help" at graph 0.02, graph 0.94 @aside }'

# ---- Bars --------------------------------------------------------------------------------------
# `eval bars` makes room for |name| bars from the top, each below its name. A bar is
#     plot rows using (0):(i):(0):(LENGTH):(i - half):(i + half) with boxxyerror
# its samples from the least to the greatest    rows using (LENGTH):(i):(LEAST):(GREATEST) @across
# and what stands after those    rows using (GREATEST):(i):(TEXT) with labels @behind
bars = 'unset ytics; set border 1; set lmargin 2; set tmargin 0.5; set rmargin 9;' \
     . 'set grid noytics xtics; set style fill solid border; set yrange [|name| + 0.5 : 0.3];' \
     . 'do for [i = 1:|name|] { set label name[i] at graph 0, first i - 0.4 front textcolor rgb text }'
half = 0.15
behind = 'left offset 0.7,0 textcolor rgb text notitle'
