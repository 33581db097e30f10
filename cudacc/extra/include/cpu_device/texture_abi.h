/*
 * texture_abi.h: what textures.h asks of the runtime (texture.c).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CPU_DEVICE_TEXTURE_ABI_H
#define CPU_DEVICE_TEXTURE_ABI_H

#ifdef __cplusplus
extern "C" {
#endif

/* Four channels at a position: the bits of floats (then 1 comes back), or integers. */
int cpu_device_texture(unsigned long long object, int dimensions, float x, float y, float z,
                       int layer, unsigned out[4]);
int cpu_device_texture_fetch(unsigned long long object, int i, unsigned out[4]);
/* 1, 2, 4, 8 or 16 bytes of a surface. */
void cpu_device_surface_read(void *value, unsigned bytes, unsigned long long object, int x, int y,
                             int z, int mode);
void cpu_device_surface_write(const void *value, unsigned bytes, unsigned long long object, int x,
                              int y, int z, int mode);

#ifdef __cplusplus
}
#endif
#endif
