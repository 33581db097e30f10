# Adding two arrays: rate against size
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

array width[3] = ["float", "float4", "4 floats"]
ours(i) = of("06_vectorized/sizes") && is("variant", width[i]) && !begins("parameter", "article")

cached(yes) = take("n", ours(1) && begins("flag", "cache") == yes)
eval shading
eval peak_line

eval powers_of_2
set xlabel "elements"
set yrange [0:*]
set label "GB/s" . samples @above
set rmargin 10
plot for [i = 1:3] rows using "n":(take("gb_per_s", ours(i))) with linespoints title width[i] at end, \
     for [i = 1:3] rows using "n":(lowest(ours(i))):(0):(highest(ours(i)) - lowest(ours(i))) @upright
