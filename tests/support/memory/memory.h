// SPDX-License-Identifier: Apache-2.0
// Host memory for tests, which fail without it: uninitialised, full of 0xff (a NaN in each float and double),
// or full of 0. There is a byte, or an element, more than requested, so that the result is never NULL.
#ifndef KN_TESTS_SUPPORT_MEMORY_MEMORY_H
#define KN_TESTS_SUPPORT_MEMORY_MEMORY_H

#include <stddef.h>

void *test_allocate(size_t bytes);
void *test_poisoned(size_t bytes);
void *test_zeros(size_t count, size_t size);

#endif
