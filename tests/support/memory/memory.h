// SPDX-License-Identifier: Apache-2.0
// Memory of the host that a test cannot do without: as it comes, full of 0xff (a not-a-number in each float
// and double), or full of 0. There is a byte, or an element, more than asked for, so that nothing is NULL.
#ifndef KN_TESTS_SUPPORT_MEMORY_MEMORY_H
#define KN_TESTS_SUPPORT_MEMORY_MEMORY_H

#include <stddef.h>

void *test_allocate(size_t bytes);
void *test_poisoned(size_t bytes);
void *test_zeros(size_t count, size_t size);

#endif
