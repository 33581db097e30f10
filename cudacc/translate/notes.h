/*
 * notes.h: what a traced program notes for the runtime about names (cpu_device/program_notes.h).
 *
 *   cudaMalloc(&d_x, n)       cpu_device_name(cudaMalloc(&d_x, n), "d_x", 0, "file.cu", 12,
 *                             the size of what it points to)
 *   cudaFree(p);              cpu_device::dropped(cudaFree(p), "cudaFree");
 *   __shared__ float t[32];   the same, a gap behind it, so that running past its end does not
 *                             lead into the next one, and a note of its address and size; a note
 *                             for __device__, __constant__ and __managed__ variables too
 *   __global__ void k(int n)  a note of the parameters' names at the end of the text
 *
 * A note is a function that runs once before main().
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once
#include "declarations.h"

/* Text that makes such calls, to stand where a declaration may. */
const char *note(const char *calls, enum scope scope);
/* Kind: "shared", "dynamic", "device", "constant" or "managed". Section: where a gap is put behind
 * each, in which no variable lies; NULL: nowhere, but for shared ones. */
void note_variables(const struct declaration *d, const char *kind, const char *section,
                    enum scope scope);
void note_kernels(void); /* at the end of the text */
bool is_allocation(int i, enum scope scope);
void name_allocation(int i);
/* A statement: is it nothing but a call of CUDA, whose result is dropped? */
void note_dropped_result(int start, int end);
