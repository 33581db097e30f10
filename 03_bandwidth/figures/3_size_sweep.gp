# SAXPY with float4: rate against size
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

sweep = "03_bandwidth/size_sweep"
ours(mode) = of(sweep) && is("parameter", mode . ", MiB touched")
rate(mode) = take("gb_per_s", ours(mode))

cached(yes) = take("value", of(sweep) && begins("flag", "cache") == yes)
eval shading
if (l2_mib > 0) {
    set arrow from l2_mib, graph 0 to l2_mib, graph 1 @level
    set label "L2" at l2_mib, graph 0.06 offset 0.5,0 @aside
}
eval peak_line

set logscale x 2
set xlabel "MiB touched"
set yrange [0:*]
set label "GB/s" . samples @above
set rmargin 7
plot rows using "value":(rate("hot")) with linespoints title "hot" at end, \
     rows using "value":(rate("cold")) with linespoints title "cold" at end, \
     for [mode in "hot cold"] rows using "value":(lowest(ours(mode))):(0):(highest(ours(mode)) - lowest(ours(mode))) @upright
