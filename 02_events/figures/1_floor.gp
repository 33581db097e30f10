# The shortest time that means anything
# SPDX-License-Identifier: MIT
load "tools/measure/figure_style.gp"

events = "02_events/events"
ours(clock) = of(events) && is("variant", "saxpy_512") && begins("parameter", clock)
us(field, clock) = 1e3 * take(field, ours(clock))
alone(what) = 1e3 * take("median_ms", of(events) && is("variant", what) && !begins("parameter", "by CPU"))

# The levels that no kernel gets below.
stats rows using (alone("empty kernel")) name "kernel" nooutput
stats rows using (alone("two events, nothing between")) name "nothing" nooutput
do for [y in sprintf("%g %g", kernel_max, nothing_max)] {
    set arrow from graph 0, first y to graph 1, first y @level
}
set label "empty kernel" at graph 1, first kernel_max offset 1,0 @aside
set label "two events" at graph 1, first nothing_max offset 1,0 @aside

eval powers_of_2
set logscale y 10
set xlabel "elements"
set yrange [nothing_max / 1.5 : *]
set label "time in µs" . samples @above
set rmargin 15
plot rows using "n":(us("median_ms", "by CPU")) with linespoints title "CPU clock" at end, \
     rows using "n":(us("median_ms", "by events")) with linespoints title "events" at end, \
     for [clock in "CPU events"] rows using "n":(us("min_ms", "by " . clock)):(0): \
         (us("max_ms", "by " . clock) - us("min_ms", "by " . clock)) @upright
