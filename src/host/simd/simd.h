// SPDX-License-Identifier: Apache-2.0
// The operations in which the host's vector code is written, for one instruction set and one width. The build
// compiles the files of simd_sources and the like (Makefile.am) once for each: it defines SIMD_SCALAR,
// SIMD_AVX2 or SIMD_AVX512, and KEY_BITS, 32 or 64. Functions that use them are declared VECTOR_CODE, so that
// nothing else in the library needs such a processor; exported functions are named by SIMD_NAME.
//
// keys_*.h: vectors of signed integers of KEY_BITS; reals_*.h: of floats or doubles. An operation is
// explained in the file for AVX-512; plain C (scalar) has those that are used with it, for vectors of one
// lane. Another instruction set needs two such files, a case here, a line in levels.h and its libraries in
// Makefile.am.
#ifndef KN_HOST_SIMD_SIMD_H
#define KN_HOST_SIMD_SIMD_H

#include "levels.h"

#if defined(SIMD_SCALAR)
#define SIMD_SET   scalar
#define SIMD_LEVEL KN_HOST_SCALAR
#define SIMD_TITLE "scalar"
#include "keys_scalar.h"
#include "reals_scalar.h"
#elif defined(SIMD_AVX2)
#define SIMD_SET   avx2
#define SIMD_LEVEL KN_HOST_AVX2
#define SIMD_TITLE "AVX2"
#include "keys_avx2.h"
#include "reals_avx2.h"
#elif defined(SIMD_AVX512)
#define SIMD_SET   avx512
#define SIMD_LEVEL KN_HOST_AVX512
#define SIMD_TITLE "AVX-512"
#include "keys_avx512.h"
#include "reals_avx512.h"
#else
#error "no instruction set: see simd_sources in Makefile.am"
#endif

// name_avx2_32, as levels.h declares it; and name_avx2, for functions of one width only.
#define SIMD_JOIN(name, set, bits)   ki_##name##_##set##_##bits
#define SIMD_EXPAND(name, set, bits) SIMD_JOIN(name, set, bits)
#define SIMD_NAME(name)              SIMD_EXPAND(name, SIMD_SET, KEY_BITS)
#define SIMD_JOIN_SET(name, set)     ki_##name##_##set
#define SIMD_EXPAND_SET(name, set)   SIMD_JOIN_SET(name, set)
#define SIMD_SET_NAME(name)          SIMD_EXPAND_SET(name, SIMD_SET)

#endif
