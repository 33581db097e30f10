/*
 * behind_shared.c: room behind the __shared__ variables, which are a thread's variables as the
 * runtime's own are: a store past the last of them is reported when its warp is done, and must not
 * hit those until then.
 *
 * Linked first: the first of the folder's files, in the order of their names (cudacc).
 *
 * SPDX-License-Identifier: MIT
 */
enum { ROOM_BYTES = 65536 }; /* that of 1,024 threads with 64 bytes each */

__thread char cpu_device_behind_shared[ROOM_BYTES] __attribute__((used));
