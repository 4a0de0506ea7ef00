// SPDX-License-Identifier: Apache-2.0
// The public functions, and the choice of a sort.
#include "sort.h"

#include <koine/experimental.h>

#include "base/error.h"
#include "base/sized.h"
#include "engine/cost/crossovers.h"

static kn_status check_options(const struct sort_job *job, kn_error *err)
{
    const kn_sort_options *options = &job->options;
    const kn_sort_tuning *tuning = &job->tuning;

    if ((unsigned)options->order > KN_DESCENDING)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no order %d; see kn_order", job->function,
                       (int)options->order);
    if (tuning->padding != KN_SORT_IN_PLACE && tuning->padding != KN_SORT_POWER_OF_TWO)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no padding %d; see kn_sort_padding",
                       job->function, (int)tuning->padding);
    if ((unsigned)options->algorithm > KN_SORT_MERGE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no algorithm %d; see kn_sort_algorithm",
                       job->function, (int)options->algorithm);
    if ((unsigned)tuning->lanes > KN_SORT_LANES_SERIAL)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there are no lanes %d; see kn_sort_lanes", job->function,
                       (int)tuning->lanes);
    if ((unsigned)tuning->digits > KN_SORT_DIGITS_HIGHEST)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there are no digits %d; see kn_sort_digits",
                       job->function, (int)tuning->digits);
    if ((unsigned)tuning->counting > KN_SORT_COUNTING_ONCE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no counting %d; see kn_sort_counting",
                       job->function, (int)tuning->counting);
    if (options->algorithm == KN_SORT_MERGE && job->indices)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: the merge sort moves keys and makes no indices; take auto or radix",
                       job->function);
    if (options->algorithm == KN_SORT_BITONIC && job->values)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: the bitonic sort is not stable and sorts keys alone; take radix", job->function);
    return KN_OK;
}

static kn_status check_whole(const struct sort_job *job, const kn_buffer *buffer, kn_error *err)
{
    const kn_device_info *info = &job->queue->context->device.info;

    if (kn_buffer_get_part_count(buffer) > 1)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: the buffer of %zu bytes is held in parts; one allocation of %s holds %llu",
                       job->function, kn_buffer_get_size(buffer), info->spec,
                       (unsigned long long)info->max_alloc);
    return KN_OK;
}

static bool takes_bitonic(const struct sort_job *job)
{
    const kn_sort_options *options = &job->options;
    const kn_sort_tuning *tuning = &job->tuning;
    enum engine_crossover which =
        kn_type_size(job->type) == 8 ? CROSSOVER_SORT_BITONIC_64 : CROSSOVER_SORT_BITONIC;

    if (job->values || options->algorithm != KN_SORT_AUTO)
        return options->algorithm == KN_SORT_BITONIC;
    if (tuning->padding == KN_SORT_POWER_OF_TWO || tuning->log2_group || tuning->log2_keys)
        return true;
    return !tuning->lanes && !tuning->digits && !tuning->radix_group && !tuning->radix_keys &&
           !tuning->radix_chunks && job->n <= ki_engine_crossover(job->queue->context, which);
}

static kn_status sort(struct sort_job *job, const kn_sort_options *options, kn_error *err)
{
    kn_status status = ki_column_check_any(job->function, job->queue, job->keys, job->type, job->n, err);

    if (!status)
        status = KI_SIZED_READ(job->function, kn_sort_options, options, &job->options, err);
    if (!status && job->options.tuning)
        job->tuning = *job->options.tuning;
    if (!status)
        status = check_options(job, err);
    if (status || job->n < (job->indices ? 1 : 2))
        return status;
    status = check_whole(job, job->keys, err);
    if (!status && job->values)
        status = check_whole(job, job->values, err);
    if (status)
        return status;
    if (job->options.algorithm == KN_SORT_MERGE)
        return ki_sort_merge(job, err);
    return takes_bitonic(job) ? ki_sort_bitonic(job, err) : ki_sort_radix(job, err);
}

kn_status kn_sort(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n, const kn_sort_options *options,
                  kn_error *err)
{
    struct sort_job job = {.function = "kn_sort", .queue = queue, .type = type, .n = n, .keys = keys};

    return sort(&job, options, err);
}

// Checks a second buffer beside the keys: not NULL, of the same context, not the keys, and large enough.
static kn_status check_beside(const char *function, const kn_queue *queue, const kn_buffer *keys,
                              const kn_buffer *buffer, const char *what, size_t size, size_t n, kn_error *err)
{
    if (!queue || !keys || !buffer)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: queue, keys or %s is NULL", function, what);
    if (buffer->context != queue->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the %s belong to another context than the queue",
                       function, what);
    if (buffer == keys)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the keys and the %s are one buffer", function, what);
    if (n > buffer->bytes / size)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu %s of %zu bytes, but the buffer holds %zu", function,
                       n, what, size, buffer->bytes / size);
    return KN_OK;
}

kn_status kn_sort_by_key(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n, kn_buffer *values,
                         size_t value_size, const kn_sort_options *options, kn_error *err)
{
    struct sort_job job = {.function = "kn_sort_by_key",
                           .queue = queue,
                           .type = type,
                           .n = n,
                           .keys = keys,
                           .values = values,
                           .value_size = value_size};
    kn_status status;

    if (value_size == 0 || value_size > 16 || (value_size & (value_size - 1)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_sort_by_key: values of %zu bytes; they have 1, 2, 4, 8 or 16", value_size);
    status = check_beside(job.function, queue, keys, values, "values", value_size, n, err);
    return status ? status : sort(&job, options, err);
}

kn_status kn_argsort(kn_queue *queue, const kn_buffer *keys, kn_type type, size_t n, kn_buffer *indices,
                     kn_type index_type, const kn_sort_options *options, kn_error *err)
{
    struct sort_job job = {.function = "kn_argsort",
                           .queue = queue,
                           .type = type,
                           .n = n,
                           .keys = (kn_buffer *)keys, // which are only read for their indices
                           .values = indices,
                           .value_size = kn_type_size(index_type),
                           .indices = true};
    kn_status status;

    if (index_type != KN_U32 && index_type != KN_U64)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_argsort: indices of type %s; they are KN_U32 or KN_U64",
                       kn_type_name(index_type));
    if (index_type == KN_U32 && (uint64_t)n > (uint64_t)1 << 32)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_argsort: %zu elements have numbers beyond KN_U32; take KN_U64", n);
    status = check_beside(job.function, queue, keys, indices, "indices", job.value_size, n, err);
    return status ? status : sort(&job, options, err);
}
