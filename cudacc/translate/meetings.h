/*
 * meetings.h: the text of a warp function in a split kernel, for the WARP statement s.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "writer.h"

void put_rooms_of_call(struct writer *w, int s); /* cpu_value_s[cpu_threads], before the loop */
void put_call(struct writer *w, int s);          /* what this thread hands in, in the loop */
void put_meeting(struct writer *w, int s);       /* meet<operation>(...), behind it */
