// SPDX-License-Identifier: Apache-2.0
// The number of pieces into which a sort is divided.
#include "runs.h"

// A read from a run has at least this many records, because of the latency of files; and at most this many
// bytes, because larger reads are not faster.
enum { LEAST_BUFFER = 512, MOST_BYTES = 1 << 18 };
// Further bytes for each run.
enum { RUN_BYTES = 128 };

bool sort_divide(const struct sort_sizes *sizes, size_t limit, struct sort_division *division)
{
    const size_t most = limit / sizes->piece;
    const size_t largest = MOST_BYTES / sizes->record;
    size_t room;

    if (sizes->n <= most) {
        *division = (struct sort_division){.pieces = 1, .elements = sizes->n};
        return true;
    }
    if (!most)
        return false;
    division->elements = most;
    division->pieces = sizes->n / most + (sizes->n % most != 0);
    if (division->pieces > limit / RUN_BYTES)
        return false;
    room = (limit - division->pieces * RUN_BYTES) / sizes->record / (division->pieces + 1);
    division->buffer = room < largest ? room : largest;
    return division->buffer >= LEAST_BUFFER;
}

size_t sort_least_limit(const struct sort_sizes *sizes)
{
    struct sort_division division;
    size_t low = 0, high = sizes->n * sizes->piece; // low is too little, high is enough

    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;

        if (sort_divide(sizes, middle, &division))
            high = middle;
        else
            low = middle;
    }
    return high;
}
