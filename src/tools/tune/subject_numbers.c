// SPDX-License-Identifier: Apache-2.0
// The numbers that are used in measurements.
#include <stdlib.h>

#include "base/error.h"
#include "subjects.h"

// xorshift*
double subject_uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)(int64_t)(*state * 0x2545f4914f6cdd1d) * 0x1p-63;
}

kn_status subject_numbers(kn_queue *queue, kn_type type, size_t count, uint64_t *state, kn_buffer **buffer,
                          kn_error *err)
{
    size_t bytes = count * kn_type_size(type);
    void *numbers = malloc(bytes);
    kn_status status = numbers ? kn_buffer_create(kn_queue_get_context(queue), bytes, buffer, err)
                               : ki_fail_memory(err, bytes, "a measurement's numbers");

    for (size_t i = 0; i < count && !status; i++)
        if (type == KN_F64)
            ((double *)numbers)[i] = subject_uniform(state);
        else
            ((float *)numbers)[i] = (float)subject_uniform(state);
    if (!status)
        status = kn_buffer_write(queue, *buffer, 0, numbers, bytes, err);
    free(numbers);
    return status;
}

kn_status subject_floats(kn_queue *queue, size_t count, uint64_t *state, kn_buffer **buffer, kn_error *err)
{
    return subject_numbers(queue, KN_F32, count, state, buffer, err);
}
