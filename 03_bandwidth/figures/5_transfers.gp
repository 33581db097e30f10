# Copies between host and device: rate against size
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

array way[4] = ["pinned to device", "pinned to host", "pageable to host", "pageable to device"]
ours(i) = of("03_bandwidth/transfers") && is("variant", way[i])
rate(i) = take("gb_per_s", ours(i))

set logscale x 2
# (At the very end of the axis a tic would be left out.)
set xtics ("4 KiB" 2**12, "256 KiB" 2**18, "16 MiB" 2**24, "1 GiB" 2**30 - 1)
set xlabel "bytes copied"
set yrange [0:*]
set label "GB/s" . samples @above
set rmargin 20
plot for [i = 1:4] rows using "bytes":(rate(i)) with linespoints title way[i] at end, \
     for [i = 1:4] rows using "bytes":(lowest(ours(i))):(0):(highest(ours(i)) - lowest(ours(i))) @upright
