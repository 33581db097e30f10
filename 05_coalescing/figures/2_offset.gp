# Reading and writing at an offset: useful rate
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

sweep = "05_coalescing/offset"
# "offset 8", and not "offset 8, article", which is in the cache.
ours(program) = of(program) && is("dtype", "float") && words(strcol("variant")) == 2
offset(program) = ours(program) ? real(word(strcol("variant"), 2)) : NaN

set xtics 8
set xrange [-0.5:*]
set xlabel "offset in floats"
set yrange [0:*]
set label "useful GB/s" . samples @above
set rmargin 12
plot for [k = 1:devices] of_device(k) using (offset(sweep)):(take("gb_per_s", ours(sweep))) with linespoints linetype 2 * k - 1 title called(k, "measured") at end, \
     for [k = 1:devices] of_device(k) using (offset(sweep)):(lowest(ours(sweep))):(0):(highest(ours(sweep)) - lowest(ours(sweep))) @upright
