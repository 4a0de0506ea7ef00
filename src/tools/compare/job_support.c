// SPDX-License-Identifier: Apache-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "jobs.h"

kn_status job_kernel(kn_queue *queue, const char *file, const char *name, const struct job_define *defines,
                     size_t count, kn_program **program, kn_kernel **kernel, kn_error *err)
{
    kn_define given[8];
    char values[8][16];
    kn_program_options options = KN_INIT(kn_program_options, .defines = given, .define_count = count);
    kn_status status;

    for (size_t i = 0; i < count; i++) {
        snprintf(values[i], sizeof values[i], "%u", defines[i].value);
        given[i] = (kn_define){defines[i].name, values[i]};
    }
    status = kn_program_from_builtin(kn_queue_get_context(queue), file, &options, program, err);
    return status ? status : kn_program_get_kernel(*program, name, kernel, err);
}

kn_status job_buffer(kn_queue *queue, const void *data, size_t bytes, kn_buffer **buffer, kn_error *err)
{
    kn_status status = kn_buffer_create(kn_queue_get_context(queue), bytes, buffer, err);

    return status || !data ? status : kn_buffer_write(queue, *buffer, 0, data, bytes, err);
}

kn_status job_memory(size_t bytes, void *pointer_address, kn_error *err)
{
    void *memory = malloc(bytes ? bytes : 1);

    memcpy(pointer_address, &memory, sizeof memory);
    return memory ? KN_OK : ki_fail_memory(err, bytes, "preparing a comparison");
}

uint64_t job_random(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

// The sum of four uniform numbers: close enough to a normal distribution, and fast enough for a billion of
// them.
static double normal(uint64_t *state)
{
    const double deviation = 37837.0, mean = 2 * 65535.0;
    uint64_t a = job_random(state);

    return ((double)(a & 0xffff) + (double)(a >> 16 & 0xffff) + (double)(a >> 32 & 0xffff) +
            (double)(a >> 48) - mean) /
           deviation;
}

void job_fill(void *data, kn_type type, size_t n, uint64_t seed)
{
    float *singles = data;
    double *doubles = data;
    uint32_t *words = data;

    for (size_t i = 0; i < n && type == KN_U32; i++)
        words[i] = (uint32_t)job_random(&seed);
    for (size_t i = 0; i < n && type != KN_U32; i++) {
        double value = 100 * normal(&seed);

        if (type == KN_F32)
            singles[i] = (float)value;
        else
            doubles[i] = value + 1e-9 * (double)(job_random(&seed) & 0xffff);
    }
}
