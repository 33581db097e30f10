# Copy in, kernel, copy out: in one stream and in two
# SPDX-License-Identifier: MIT
height = 235
load "tools/measure/figure_style.gp"

array name[2] = ["pinned memory", "pageable memory"]
array stream[2] = ["1 stream", "2 streams"]
ours(i, k) = of("02_events/streams") && is("variant", word(name[i], 1) . ", " . stream[k])
ms(i, k) = take("median_ms", ours(i, k))
least(i, k) = take("min_ms", ours(i, k))
greatest(i, k) = take("max_ms", ours(i, k))

set xlabel "time in ms" . samples offset 5,0.6
set xrange [0:*]
eval bars
set rmargin 19
half = 0.12
y(i, k) = i - 0.1 + 0.3 * (k - 1)
plot for [i = 1:2] for [k = 1:2] rows using (0):(y(i, k)):(0):(ms(i, k)):(y(i, k) - half):(y(i, k) + half) \
         with boxxyerror fillstyle pattern (k == 1 ? 3 : 4) linetype k dashtype 1 notitle, \
     for [i = 1:2] for [k = 1:2] rows using (ms(i, k)):(y(i, k)):(least(i, k)):(greatest(i, k)) @across, \
     for [i = 1:2] for [k = 1:2] rows using (greatest(i, k)):(y(i, k)):(duration(ms(i, k)) . ", " . stream[k]) \
         with labels @behind
