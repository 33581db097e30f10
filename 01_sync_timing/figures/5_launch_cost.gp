# A small kernel takes as long as its launch
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

cost = "01_sync_timing/launch_cost"
array way[3] = ["in a stream", "after a gate", "in a graph"]
array name[3] = ["in a stream", "after a gate", "in a graph"]
ours(i) = of(cost) && is("variant", way[i])
us(i) = 1e3 * take("median_ms", ours(i))

eval powers_of_2
set logscale y 2
set xlabel "elements" . samples
set label "µs for each launch" @above
set rmargin 13
plot for [i = 1:3] rows using "n":(us(i)) with linespoints title name[i] at end, \
     for [i = 1:3] rows using "n":(1e3 * take("min_ms", ours(i))):(0): \
         (1e3 * (column("max_ms") - column("min_ms"))) @upright
