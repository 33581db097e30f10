// SPDX-License-Identifier: MIT
// A picture of what happened in which order: calls of the host, and what the device did meanwhile.
// Nothing is timed; each beginning and each end takes the next number, and a column of the picture
// is a number.
//
//     int call = span_begin("host", "launch");
//     int work = device_span("device", "saxpy");
//     span_begins(stream, work);         // when the stream gets there
//     kernel<<<...>>>(...);
//     span_ends(stream, work);
//     span_end(call);
//     ...
//     timeline_draw(8);                  // columns of text for a number
#ifndef TIMELINE_H
#define TIMELINE_H

#include "../../common/experiment/program.h"

enum { MOST_SPANS = 64, TIMELINE_TEXT = 256 };

static struct span {
    const char *lane, *label;
    int begin, end; // numbers; 0: not yet
} spans[MOST_SPANS];
static int span_count, last_number;

// Threads of the runtime call it, too.
static inline int next_number(void) { return __sync_add_and_fetch(&last_number, 1); }

static inline void timeline_clear(void) { span_count = last_number = 0; }

// Something that the device does, later.
static inline int device_span(const char *lane, const char *label) {
    struct span span = {lane, label, 0, 0};
    spans[span_count] = span;
    return span_count++;
}

// Something that begins now.
static inline int span_begin(const char *lane, const char *label) {
    int at = device_span(lane, label);
    spans[at].begin = next_number();
    return at;
}

static inline void span_end(int at) { spans[at].end = next_number(); }

#ifdef __CUDACC__
static void CUDART_CB note_number(void *number) { *(int *)number = next_number(); }

static inline void span_begins(cudaStream_t stream, int at) {
    CUDA_CHECK(cudaLaunchHostFunc(stream, note_number, &spans[at].begin));
}

static inline void span_ends(cudaStream_t stream, int at) {
    CUDA_CHECK(cudaLaunchHostFunc(stream, note_number, &spans[at].end));
}
#endif

// A lane's spans, each from | to |.
static inline void draw_lane(const char *lane, int each) {
    char text[TIMELINE_TEXT];
    int end = 0;
    memset(text, ' ', sizeof text);
    for (int i = 0; i < span_count; i++) {
        int from = (spans[i].begin - 1) * each, to = (spans[i].end - 1) * each;
        if (strcmp(spans[i].lane, lane) || from < 0 || to < from || to >= TIMELINE_TEXT - 1)
            continue;
        int length = (int)strlen(spans[i].label), room = to - from - 1;
        memset(text + from, '-', (size_t)(to - from));
        memcpy(text + from + 1, spans[i].label, (size_t)(length < room ? length : room));
        text[from] = text[to] = '|';
        end = to > end ? to : end;
    }
    say("  %-9s%.*s", lane, end + 1, text);
}

// All lanes, in the order in which they were named first.
static inline void timeline_draw(int each) {
    for (int i = 0; i < span_count; i++) {
        int known = 0;
        for (int j = 0; j < i; j++)
            known |= strcmp(spans[i].lane, spans[j].lane) == 0;
        if (!known)
            draw_lane(spans[i].lane, each);
    }
}

#endif
