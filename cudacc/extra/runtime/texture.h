/*
 * texture.h: arrays, and what texture and surface objects say of memory, for api/ and texture.c.
 *
 * SPDX-License-Identifier: MIT
 */
#pragma once

#include "runtime/runtime.h"
#pragma GCC visibility push(default)
#include "extra/include/cpu_device/texture_abi.h"
#pragma GCC visibility pop

/* Elements of up to four channels in rows and slices; what a dimension lacks is 1. */
struct texels {
    char *data;
    struct cudaChannelFormatDesc format;
    size_t width, height, depth;
    size_t element, pitch, slice; /* bytes */
};

/* The first of what such a handle leads to. */
struct link {
    struct link *next;
};

struct cudaArray {
    struct link link;
    struct texels texels;
    struct cudaExtent extent; /* as the program gave it */
    unsigned flags;
};

/* What an object's handle is the address of. */
struct texture {
    struct link link;
    struct texels texels;
    struct cudaTextureDesc how;
    struct cudaResourceDesc of; /* both as the program gave them */
    int is_destroyed;           /* kept, so that who uses it is told so */
};

size_t texel_bytes(struct cudaChannelFormatDesc format); /* 0: no such format */
