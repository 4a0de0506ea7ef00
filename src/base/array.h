// SPDX-License-Identifier: Apache-2.0
// Growing arrays: `items`, `count` and `capacity` side by side in any struct, and one function that makes
// room.
#ifndef KN_BASE_ARRAY_H
#define KN_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

// Makes room for one more element of `size` bytes in the array whose pointer is stored at `items_address`;
// false if memory ran out (the array stays as it was).
bool ki_array_grow(void *items_address, size_t *capacity, size_t count, size_t size);

// KI_ARRAY_PUSH(list.items, list.count, list.capacity, value): true if it was appended.
#define KI_ARRAY_PUSH(items, count, capacity, value)                                                         \
    (ki_array_grow(&(items), &(capacity), (count), sizeof *(items)) ? ((items)[(count)++] = (value), true)   \
                                                                    : false)

#define KI_COUNT(array) (sizeof(array) / sizeof *(array))

#endif
