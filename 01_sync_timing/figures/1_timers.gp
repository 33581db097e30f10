# One SAXPY, timed in four ways
# SPDX-License-Identifier: MIT
height = 260
load "tools/measure/figure_style.gp"

timing = "01_sync_timing/sync_timing"
events = "02_events/events"
array stop[4] = ["launch only", "launch + synchronize", "launch + 4-byte copy", "by events"]
array name[4] = ["CPU clock, stopped right after the launch", "CPU clock, stopped after a synchronize", \
                 "CPU clock, stopped after a 4-byte copy", "events before and after (chapter 02)"]

# The size that the chapter is about, and not the small one that it is compared with.
stats rows using (take("n", of(timing))) nooutput
ours(i) = (of(timing) || of(events)) && is("variant", "saxpy_512") && column("n") == STATS_max \
    && is("parameter", stop[i])
ms(i) = take("median_ms", ours(i))
least(i) = take("min_ms", ours(i))
greatest(i) = take("max_ms", ours(i))

stats rows using (ms(2)) name "whole" nooutput
scale = whole_max < 5 ? 1e3 : 1 # 15000 µs make for crowded numbers
set xlabel (scale == 1 ? "time in ms" : "time in µs") . samples
set xrange [0:*]
eval bars
plot for [i = 1:4] rows using (0):(i):(0):(scale * ms(i)):(i - half):(i + half) with boxxyerror \
         linetype 1 notitle, \
     for [i = 1:4] rows using (scale * ms(i)):(i):(scale * least(i)):(scale * greatest(i)) @across, \
     for [i = 1:4] rows using (scale * greatest(i)):(i):(duration(ms(i))) with labels @behind
