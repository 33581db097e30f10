# Roofline: GFLOP/s against flops for each byte
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

ladder = "03_bandwidth/roofline"
gflops(condition) = take("value", of(ladder) && condition) * column("gb_per_s")
rate(type) = gflops(is("dtype", type) && !is("variant", type . ", peak"))
slowest(type) = rate(type) * column("median_ms") / column("max_ms")
fastest(type) = rate(type) * column("median_ms") / column("min_ms")
roof(type) = gflops(is("variant", type . ", peak"))
saxpy = 'rows using (gflops(is("variant", "float, 1 FMA")))'

set logscale x 2
set logscale y 10
set xtics ("1/8" 0.125, "1/2" 0.5, "2" 2, "8" 8, "32" 32, "128" 128)
set xlabel "flop/byte"
set label "GFLOP/s" . samples @above
set xrange [0.07:150]
set rmargin 9

# The roofs by the attributes: the memory's slope up to the balance, then the arithmetic's level.
array type[2] = ["float", "double"]
do for [i = 1:2] {
    stats rows using (roof(type[i])) name "roof" nooutput
    if (peak > 0 && exists("roof_max")) {
        set label 9 "dotted: by the attributes" at graph 0.03, graph 0.92 @aside
        set arrow from 0.07, 0.07 * peak to roof_max / peak, roof_max @level
        set arrow from roof_max / peak, roof_max to 150, roof_max @level
        undefine roof_*
    }
}
stats @saxpy name "saxpy" nooutput
set label "SAXPY" at 1.0 / 6, saxpy_max offset 1,-0.5 @aside
plot for [i = 1:2] rows using "value":(rate(type[i])) with linespoints title type[i] at end, \
     for [i = 1:2] rows using "value":(slowest(type[i])):(0):(fastest(type[i]) - slowest(type[i])) @upright
