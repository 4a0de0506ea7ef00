// SPDX-License-Identifier: Apache-2.0
#include "array.h"

#include <stdlib.h>
#include <string.h>

bool ki_array_grow(void *items_address, size_t *capacity, size_t count, size_t size)
{
    size_t wanted = *capacity ? *capacity * 2 : 8;
    void *items;

    if (count < *capacity)
        return true;
    if (wanted > (size_t)-1 / size)
        return false;
    // Through memcpy, because a T ** is not a void **.
    memcpy(&items, items_address, sizeof items);
    items = realloc(items, wanted * size);
    if (!items)
        return false;
    memcpy(items_address, &items, sizeof items);
    *capacity = wanted;
    return true;
}
