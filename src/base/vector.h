// SPDX-License-Identifier: Apache-2.0
// Code for processors with vector extensions, in a library that also runs on those without. A file defines
// VECTOR_CODE once, as KI_TARGET of the extensions that its functions need, and calls them if the processor
// has these.
#ifndef KN_BASE_VECTOR_H
#define KN_BASE_VECTOR_H

// Whether there is code for AVX2 and AVX-512 (configure asks the same).
#if defined(__x86_64__) && defined(__GNUC__)
#define KI_HAS_VECTORS 1
#endif

// Before a loop with independent rounds: vectorise it, whatever the compiler concludes.
#define KI_SIMD _Pragma("omp simd")

#define KI_TARGET(extensions) __attribute__((target(extensions)))

// A function that is inlined into its callers.
#define VECTOR_OPERATION VECTOR_CODE static inline __attribute__((always_inline))

#endif
