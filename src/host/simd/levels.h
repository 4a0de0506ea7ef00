// SPDX-License-Identifier: Apache-2.0
// What the build made of a file for every instruction set and width (simd.h), by kn_host_level.
#ifndef KN_HOST_SIMD_LEVELS_H
#define KN_HOST_SIMD_LEVELS_H

#include "host/host.h"

// HOST_LEVELS(name): the initialiser of a table [level][is it 64 bits wide?] of addresses;
// HOST_DECLARE_LEVELS(type, name) must come before it. HOST_VECTORS: without KN_HOST_SCALAR.
// HOST_SET_VECTORS: for functions of one width only, a table [level].
#define HOST_WIDTHS(name, set)                                                                               \
    {                                                                                                        \
        &ki_##name##_##set##_32, &ki_##name##_##set##_64                                                     \
    }
#define HOST_LEVELS(name) [KN_HOST_SCALAR] = HOST_WIDTHS(name, scalar), HOST_VECTORS(name)
#define HOST_DECLARE_LEVELS(type, name)                                                                      \
    extern type ki_##name##_scalar_32, ki_##name##_scalar_64;                                                \
    HOST_DECLARE_VECTORS(type, name)

#ifdef KI_HAS_VECTORS
#define HOST_VECTORS(name)                                                                                   \
    [KN_HOST_AVX2] = HOST_WIDTHS(name, avx2), [KN_HOST_AVX512] = HOST_WIDTHS(name, avx512)
#define HOST_DECLARE_VECTORS(type, name)                                                                     \
    extern type ki_##name##_avx2_32, ki_##name##_avx2_64, ki_##name##_avx512_32, ki_##name##_avx512_64
#define HOST_SET_VECTORS(name)               [KN_HOST_AVX2] = &ki_##name##_avx2, [KN_HOST_AVX512] = &ki_##name##_avx512
#define HOST_DECLARE_SET_VECTORS(type, name) extern type ki_##name##_avx2, ki_##name##_avx512
#else
#define HOST_VECTORS(name)
#define HOST_DECLARE_VECTORS(type, name) struct host_plan
#define HOST_SET_VECTORS(name)
#define HOST_DECLARE_SET_VECTORS(type, name) struct host_plan
#endif

#endif
