/*
 * behind_shared.c: room behind the __shared__ variables, which are a thread's variables as the
 * runtime's own are: an access past the last of them must not hit those. A traced program reports
 * such an access when its warp is done. In a plain one the room's whole pages stop it, and what is
 * before these shows afterwards that something was stored.
 *
 * Linked first (driver/build.sh).
 *
 * SPDX-License-Identifier: MIT
 */
#include "runtime/worker.h"
#include <string.h>
#include <sys/mman.h>

enum {
    ROOM_BYTES = 65536,     /* that of 1,024 threads with 64 bytes each */
    DYNAMIC_ROOM = 1 << 10, /* the same behind what a launch gives of dynamic memory */
    UNUSED = 0xa5
};

__thread char cpu_device_behind_shared[ROOM_BYTES] __attribute__((used));

/* Where its whole pages begin. */
static char *pages(void) {
    uintptr_t first = (uintptr_t)cpu_device_behind_shared + cpu_device.page - 1;
    return (char *)(first - first % cpu_device.page);
}

/* A thread that ends must open them: its memory may become another one's. */
void behind_shared_close(int is_closed) {
    ptrdiff_t bytes = cpu_device_behind_shared + ROOM_BYTES - pages();
    bytes -= bytes % (ptrdiff_t)cpu_device.page;
    if (OBSERVED || sanitizer_linked || bytes <= 0) /* a sanitizer reads all there is */
        return;
    if (is_closed)
        memset(cpu_device_behind_shared, UNUSED, (size_t)(pages() - cpu_device_behind_shared));
    mprotect(pages(), (size_t)bytes, is_closed ? PROT_NONE : PROT_READ | PROT_WRITE);
}

/* Shared variables are thread-local: they lie near each other; so may device memory. */
int is_shared(const volatile void *p) {
    uintptr_t distance = (uintptr_t)p - (uintptr_t)cpu_device_dynamic_shared;
    return distance + (4u << 20) < (8u << 20) && !cpu_device_memory_find((const void *)p).base;
}

int is_behind_shared(const void *p) {
    return (uintptr_t)p - (uintptr_t)cpu_device_behind_shared < ROOM_BYTES;
}

static size_t dynamic_room(const struct cpu_device_launch *l) {
    size_t rest = SHARED_OPTIN - l->shared_bytes;
    return rest < DYNAMIC_ROOM ? rest : DYNAMIC_ROOM;
}

/* How many bytes have been stored there; marks them as unused again. */
static size_t stored(char *room, size_t bytes) {
    while (bytes && room[bytes - 1] == (char)UNUSED)
        bytes--;
    memset(room, UNUSED, bytes);
    return bytes;
}

void behind_shared_begin(const struct cpu_device_launch *l) {
    memset(cpu_device_dynamic_shared + l->shared_bytes, UNUSED, dynamic_room(l));
}

size_t behind_shared_stored(const struct cpu_device_launch *l, const char **past) {
    size_t bytes = 0;
    *past = "__shared__ variables";
    if (!sanitizer_linked)
        bytes = stored(cpu_device_behind_shared, (size_t)(pages() - cpu_device_behind_shared));
    if (bytes)
        return bytes;
    *past = l->shared_bytes ? "dynamic shared memory, as large as its launch says"
                            : "dynamic shared memory, of which its launch gives none";
    return stored(cpu_device_dynamic_shared + l->shared_bytes, dynamic_room(l));
}
