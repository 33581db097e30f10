# What a page that links the site shows of it, 1200 x 630: what a stride costs.
# SPDX-License-Identifier: MIT
#     gnuplot -e "output = 'preview.png'" docs/site/preview.gp
other = ""    # of one device
load "tools/measure/figure_style.gp"
set terminal pngcairo size 1200,630 enhanced font "sans-serif,22" background rgb page linewidth 2 pointscale 2
set output output
set datafile separator comma

results = "05_coalescing/results/nvidia_h200.csv"
rate(program) = of(program) && words(strcol("variant")) == 2 && column("n") == 2**26 && is("dtype", "float") ? column("gb_per_s") : NaN
stride(program) = rate(program) == rate(program) ? real(word(strcol("variant"), 2)) : NaN
stats results using (rate("stride")) name "rate" nooutput

set label 1 "{/:Bold*1.8 CUDA by Measurement}" at screen 0.04, 0.91
set label 2 "Learn CUDA performance by counting and measuring, without a GPU, too." at screen 0.04, 0.81
set label 3 "Useful GB/s of a kernel whose lanes lie n floats apart, on an NVIDIA H200" at screen 0.04, 0.71 textcolor rgb axis
set tmargin at screen 0.64
set bmargin at screen 0.15
set lmargin at screen 0.10
set rmargin at screen 0.82
set logscale x 2
set logscale y 10
set yrange [rate_min / 1.5 : rate_max * 1.4]
set ytics (100, 200, 500, 1000, 2000)
set xlabel "stride"
plot results using (stride("stride")):(rate("stride")) with linespoints linetype 1 title "measured" at end
