# Adding managed floats: what the first touch costs
# SPDX-License-Identifier: MIT
height = 530
load "tools/measure/figure_style.gp"

# A row's variant and parameter, and its name here.
array row[10] = ["set on the host|add", "100 runs|fastest", "set on the device|add", \
    "prefetched|prefetch x and y", "prefetched|add", "preferred location: device|add", \
    "preferred location: host|add", "host reads x in between|second add", \
    "host reads read-mostly x|second add", "explicit copies|copy x and y in"]
array name[10] = ["first add: the host wrote the pages", "add, fastest of 100 runs", \
    "add: the device wrote the pages", "prefetch of both arrays", "add after the prefetch", \
    "add, advised to prefer the device", "add, advised to prefer the host", \
    "add again: the host read x in between", "the same, x advised read-mostly", \
    "cudaMemcpy of both arrays instead"]
ours(i) = of("04_unified_memory/unified_memory") && strcol("variant") . "|" . strcol("parameter") eq row[i]
us(field, i) = 1e3 * take(field, ours(i))

# On a logarithmic axis the length of a bar means nothing: a value is a point.
set logscale x 10
set xlabel "time in µs (log)" . samples
eval bars
plot for [i = 1:10] rows using (us("median_ms", i)):(i) with points linetype 1 pointsize 0.9 notitle, \
     for [i = 1:10] rows using (us("median_ms", i)):(i):(us("min_ms", i)):(us("max_ms", i)) @across, \
     for [i = 1:10] rows using (us("max_ms", i)):(i):(duration(us("median_ms", i) / 1e3)) with labels @behind
