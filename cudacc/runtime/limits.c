/*
 * limits.c: how much memory, and how many addresses, this process may use.
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/runtime.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t limit_in(const char *path) {
    unsigned long long v = 0;
    FILE *f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%llu", &v) != 1)
        v = 0; /* "max" */
    fclose(f);
    return (size_t)v;
}

static void lower(size_t *least, size_t v) {
    if (v && v < *least)
        *least = v;
}

size_t cpu_device_memory_of_process(void) {
    char line[1024], path[1200];
    size_t least = (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
    lower(&least, limit_in("/sys/fs/cgroup/memory.max"));
    lower(&least, limit_in("/sys/fs/cgroup/memory/memory.limit_in_bytes"));
    FILE *f = fopen("/proc/self/cgroup", "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *group = strchr(line, ':');
        group = group ? strchr(group + 1, ':') : NULL;
        if (!group)
            continue;
        for (char *slash; *++group && (slash = strrchr(group, '/')); *slash = 0) {
            snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
            lower(&least, limit_in(path));
        }
    }
    if (f)
        fclose(f);
    return least;
}

size_t cpu_device_addresses_of_process(void) {
    struct rlimit r;
    return getrlimit(RLIMIT_AS, &r) || r.rlim_cur == RLIM_INFINITY ? SIZE_MAX : r.rlim_cur;
}
