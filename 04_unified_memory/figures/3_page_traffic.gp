# Managed pages that move, in MiB
# SPDX-License-Identifier: MIT
height = 660
load "tools/measure/figure_style.gp"

# A row's variant, and its name here.
array row[8] = ["set on the host", "set on the device", "100 runs", "prefetched", \
    "preferred location: device", "preferred location: host", "host reads x in between", \
    "host reads read-mostly x"]
array name[8] = ["one add: the host wrote the pages", "one add: the device wrote the pages", \
    "100 adds: the host wrote the pages", "add after a prefetch", \
    "add, advised to prefer the device", "add, advised to prefer the host", \
    "two adds: the host reads x in between", "the same, x advised read-mostly"]
array side[2] = ["device", "host"]
# A row without bytes is one in which nothing moved.
ours(i, k) = of("04_unified_memory/page_traffic") && is("variant", row[i]) \
    && strstrt(strcol("parameter"), "s to " . side[k])
moved(i, k) = ours(i, k) ? (is("bytes", "") ? 0 : column("bytes") / 2**20) : NaN

set xlabel "MiB moved"
set xrange [0:*]
eval bars
set rmargin 19
half = 0.12
y(i, k) = i - 0.1 + 0.3 * (k - 1)
plot for [i = 1:8] for [k = 1:2] rows using (0):(y(i, k)):(0):(moved(i, k)):(y(i, k) - half):(y(i, k) + half) \
         with boxxyerror fillstyle pattern (k == 1 ? 3 : 4) linetype k dashtype 1 notitle, \
     for [i = 1:8] for [k = 1:2] rows using (moved(i, k)):(y(i, k)): \
         (sprintf("%.2f to the %s", moved(i, k), side[k])) with labels @behind
