// SPDX-License-Identifier: Apache-2.0
// Threads for loops, through OpenMP; where the compiler has none, loops run one round after the other.
#ifndef KN_BASE_PARALLEL_H
#define KN_BASE_PARALLEL_H

#ifdef _OPENMP
#include <omp.h>

#define KN_PRAGMA(text) _Pragma(#text)
// Before a loop: its rounds are spread over `count` threads, `planned` static or dynamic.
#define KN_PARALLEL(count, planned) KN_PRAGMA(omp parallel for num_threads(count) schedule(planned, 1))
// In such a loop, before a block: one thread after the other.
#define KN_ONE_AT_A_TIME KN_PRAGMA(omp critical)
// Before a loop whose rounds have nothing to do with one another: vectors, whatever the compiler finds of it.
#define KN_SIMD KN_PRAGMA(omp simd)
#else
#define KN_PARALLEL(count, planned) (void)(count);
#define KN_ONE_AT_A_TIME
#define KN_SIMD
#endif

// How many threads: those asked for, or all there are for 0.
static inline unsigned kn_threads(unsigned asked)
{
#ifdef _OPENMP
    return asked ? asked : (unsigned)omp_get_max_threads();
#else
    (void)asked;
    return 1;
#endif
}

// Which of them runs this, from 0.
static inline unsigned kn_thread(void)
{
#ifdef _OPENMP
    return (unsigned)omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
