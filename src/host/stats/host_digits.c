// SPDX-License-Identifier: Apache-2.0
// Sums of integers in plain C.
#define VECTOR_CODE
#include "host_digits_vector.h"

void host_digits_scalar(const struct host_integers *integers, size_t first, size_t n,
                        struct moments_exact *sums)
{
    add_digits(integers, first, n, sums);
}
