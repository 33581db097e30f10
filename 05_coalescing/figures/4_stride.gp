# Reading and writing with a stride: useful rate
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

sweep = "05_coalescing/stride"
# "stride 8", and not "stride 8, article", which is in the cache.
ours(program) = of(program) && is("dtype", "float") && words(strcol("variant")) == 2
stride(program) = ours(program) ? real(word(strcol("variant"), 2)) : NaN

set logscale x 2
set logscale y 10
set xlabel "stride in floats"
# What sectors alone predict: 4 of them at stride 1, and the row's first word says how many here.
stats rows using (stride(sweep) == 1 ? column("gb_per_s") : NaN) name "first" nooutput
predicted(program) = ours(program) ? first_max * 4 / real(word(strcol("parameter"), 1)) : NaN
stats rows using (take("gb_per_s", ours(sweep))) nooutput
set yrange [STATS_min / 2 : STATS_max * 1.5]
set ytics (5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
set label "useful GB/s" . samples @above
set rmargin 12
plot for [k = 1:devices] of_device(k) using (stride(sweep)):(take("gb_per_s", ours(sweep))) with linespoints linetype 2 * k - 1 title called(k, "measured") at end, \
     rows using (stride(sweep)):(predicted(sweep)) with lines linetype 2 title "by sectors" at end, \
     for [k = 1:devices] of_device(k) using (stride(sweep)):(lowest(ours(sweep))):(0):(highest(ours(sweep)) - lowest(ours(sweep))) @upright
