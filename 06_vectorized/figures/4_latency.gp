# A load's latency against the bytes that are read
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

array series[2] = ["next to each other", "spread"]
ours(i) = of("06_vectorized/latency") && is("variant", series[i])

least(i) = take("value", ours(i)) * column("min_ms") / column("median_ms")
greatest(i) = take("value", ours(i)) * column("max_ms") / column("median_ms")

set logscale x 2
set xtics ("4 KiB" 2**12, "256 KiB" 2**18, "16 MiB" 2**24, "1 GiB" 2**30)
set xlabel "bytes of the array"
set yrange [0:*]
set label "ns" . samples @above
set rmargin 17
plot for [i = 1:2] rows using "n":(take("value", ours(i))) with linespoints title series[i] at end, \
     for [k = 2:devices] of_device(k) using "n":(take("value", ours(1))) with linespoints title other_device at end, \
     for [k = 2:devices] of_device(k) using "n":(least(1)):(0):(greatest(1) - least(1)) @upright, \
     for [i = 1:2] rows using "n":(least(i)):(0):(greatest(i) - least(i)) @upright
