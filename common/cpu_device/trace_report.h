/*
 * trace_report.h: a line of the report, for trace_report.c and trace_advice.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TRACE_REPORT_H
#define CPU_DEVICE_TRACE_REPORT_H

#include "trace.h"

/* The access sites of a launch that share line, allocation, operation and width, added up. */
struct report_row {
    struct trace_source source;
    const char *name; /* of the allocation or variable */
    struct trace_row sum;
};

/* One sentence on what could be better, in text; "" when nothing could. From the counts alone. */
void trace_advice(const struct report_row *row, char *text, size_t size);

#endif
