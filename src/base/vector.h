// SPDX-License-Identifier: Apache-2.0
// Code for processors with vectors, in a library that runs on those without. A file defines VECTOR_CODE as
// KI_TARGET of the extensions that its functions want, once, and calls them where the processor has these.
#ifndef KN_BASE_VECTOR_H
#define KN_BASE_VECTOR_H

// Whether there is code with AVX2 and AVX-512 (configure asks the same).
#if defined(__x86_64__) && defined(__GNUC__)
#define KI_HAS_VECTORS 1
#endif

// Before a loop whose rounds have nothing to do with one another: vectors, whatever the compiler finds of it.
#define KI_SIMD _Pragma("omp simd")

#define KI_TARGET(extensions) __attribute__((target(extensions)))

// A function that becomes a part of those that call it.
#define VECTOR_OPERATION VECTOR_CODE static inline __attribute__((always_inline))

#endif
