// SPDX-License-Identifier: Apache-2.0
// Sums of integers with AVX2.
#include "host/host.h"

#ifdef KN_HAS_VECTORS
#define VECTOR_CODE __attribute__((target("avx2")))
#include "host_digits_vector.h"

VECTOR_CODE void host_digits_avx2(const struct host_integers *integers, size_t first, size_t n,
                                  struct moments_exact *sums)
{
    add_digits(integers, first, n, sums);
}
#endif
