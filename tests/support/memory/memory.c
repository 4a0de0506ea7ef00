// SPDX-License-Identifier: Apache-2.0
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#include "support/assertions.h"
void *test_allocate(size_t bytes)
{
    void *memory = malloc(bytes + 1);

    ck_assert_ptr_nonnull(memory);
    return memory;
}

void *test_poisoned(size_t bytes)
{
    return memset(test_allocate(bytes), 0xff, bytes);
}

void *test_zeros(size_t count, size_t size)
{
    void *memory = calloc(count + 1, size);

    ck_assert_ptr_nonnull(memory);
    return memory;
}
