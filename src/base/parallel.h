// SPDX-License-Identifier: Apache-2.0
// Threads for loops, through OpenMP; where the compiler has none, loops run one round after the other.
#ifndef KN_BASE_PARALLEL_H
#define KN_BASE_PARALLEL_H

#ifdef _OPENMP
#include <omp.h>

#define KI_PRAGMA(text) _Pragma(#text)
// Before a loop: its rounds are spread over `count` threads, `planned` static or dynamic.
#define KI_PARALLEL(count, planned) KI_PRAGMA(omp parallel for num_threads(count) schedule(planned, 1))
// In such a loop, before a block: one thread after the other.
#define KI_ONE_AT_A_TIME KI_PRAGMA(omp critical)
// Before a loop whose rounds have nothing to do with one another: vectors, whatever the compiler finds of it.
#define KI_SIMD KI_PRAGMA(omp simd)
#else
#define KI_PARALLEL(count, planned) (void)(count);
#define KI_ONE_AT_A_TIME
#define KI_SIMD
#endif

// How many threads: those asked for, or all there are for 0.
static inline unsigned ki_threads(unsigned asked)
{
#ifdef _OPENMP
    return asked ? asked : (unsigned)omp_get_max_threads();
#else
    (void)asked;
    return 1;
#endif
}

// Which of them runs this, from 0.
static inline unsigned ki_thread(void)
{
#ifdef _OPENMP
    return (unsigned)omp_get_thread_num();
#else
    return 0;
#endif
}

#endif
