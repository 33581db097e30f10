/* Functions of the C library that read or write, for the host, where a pointer leads: a list for
 * trace_libc.h; trace/record/host_calls.c has them.
 *
 * SPDX-License-Identifier: MIT
 */
CPU_DEVICE_CALLED(fgets)
CPU_DEVICE_CALLED(fprintf)
CPU_DEVICE_CALLED(fputs)
CPU_DEVICE_CALLED(fread)
CPU_DEVICE_CALLED(fwrite)
CPU_DEVICE_CALLED(memcmp)
CPU_DEVICE_CALLED(printf)
CPU_DEVICE_CALLED(puts)
CPU_DEVICE_CALLED(snprintf)
CPU_DEVICE_CALLED(sprintf)
CPU_DEVICE_CALLED(strcat)
CPU_DEVICE_CALLED(strcmp)
CPU_DEVICE_CALLED(strcpy)
CPU_DEVICE_CALLED(strlen)
CPU_DEVICE_CALLED(strncmp)
CPU_DEVICE_CALLED(strncpy)
