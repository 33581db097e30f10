// SPDX-License-Identifier: MIT
// Loads and stores of a float4 that say what the caches should do with it. __ldcs and __stcs are C;
// the others are PTX for compute capability 8.0 and later, and plain accesses elsewhere.
#ifndef CACHE_HINTS_H
#define CACHE_HINTS_H

enum cache_hint { PLAIN, STREAM, NOT_IN_L1, FIRST_OUT_OF_L2 };

template <int HINT> static __device__ __forceinline__ float4 load_hinted(const float4 *p) {
#if __CUDA_ARCH__ >= 800
    float4 v;
    if (HINT == NOT_IN_L1)
        asm volatile("ld.global.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(__cvta_generic_to_global(p)));
    if (HINT == FIRST_OUT_OF_L2)
        asm volatile("{ .reg .b64 policy;\n"
                     "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
                     "ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], policy; }"
                     : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                     : "l"(__cvta_generic_to_global(p)));
    if (HINT == NOT_IN_L1 || HINT == FIRST_OUT_OF_L2)
        return v;
#endif
    return HINT == STREAM ? __ldcs(p) : *p;
}

template <int HINT> static __device__ __forceinline__ void store_hinted(float4 *p, float4 v) {
    if (HINT == STREAM)
        __stcs(p, v);
#if __CUDA_ARCH__ >= 800
    else if (HINT == FIRST_OUT_OF_L2)
        asm volatile("{ .reg .b64 policy;\n"
                     "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n"
                     "st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, policy; }" ::"l"(
                         __cvta_generic_to_global(p)),
                     "f"(v.x), "f"(v.y), "f"(v.z), "f"(v.w)
                     : "memory");
#endif
    else
        *p = v;
}

#endif
