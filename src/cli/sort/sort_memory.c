// SPDX-License-Identifier: Apache-2.0
// koine sort: the memory that an element takes.
#include "cmd_sort.h"

static size_t most(size_t a, size_t b)
{
    return a > b ? a : b;
}

// An element's bytes in the host's memory: read, and what kn_host_sort, _argsort, _sort_by_key and _top_k
// have of it besides. With a device: as read, and what is written.
static size_t host_bytes(const struct sorting *sorting, size_t key, size_t value)
{
    const bool moves = value || sorting->arguments->top;
    const size_t first = sorting->arguments->top ? key + value + sizeof(uint64_t) : 0;

    if (sorting->tool.place.queue || !moves)
        return key + value + first;
    return key + value + first + 2 * most(key, 4) + most(key, value) + 2 * sizeof(uint64_t);
}

// An element's bytes in the device's memory: buffers, up to two more of each that a sort takes, and its
// tables.
static size_t device_bytes(const struct sorting *sorting, size_t key, size_t value)
{
    const size_t along = most(value, sorting->arguments->top ? sizeof(uint64_t) : 0);

    return sorting->tool.place.queue ? 3 * (key + along) + sizeof(uint64_t) : 0;
}

static size_t value_size(const struct sorting *sorting)
{
    return sorting->arguments->by_key    ? npy_element_size(&sorting->values)
           : sorting->arguments->argsort ? sizeof(uint64_t)
                                         : 0;
}

size_t sort_element_bytes(const struct sorting *sorting, size_t *host, size_t *device)
{
    const size_t key = npy_element_size(&sorting->keys), value = value_size(sorting);

    *host = host_bytes(sorting, key, value);
    *device = device_bytes(sorting, key, value);
    return key + value;
}
