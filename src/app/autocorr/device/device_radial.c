// SPDX-License-Identifier: Apache-2.0
#include "device_radial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"

struct autocorr_device_radial {
    kn_context *context;
    size_t width, height, max_offset;
    kn_type real;
    unsigned lanes; // work-items a sector
    kn_buffer *starts, *members;
};

// ---- which offsets a ring has ----

// Visits every share of a ring: with `members` NULL they are counted, in starts[1] and on; else put in their
// places, and starts moves on.
static void visit_shares(size_t max_offset, uint32_t *starts, uint32_t *members)
{
    ptrdiff_t most = (ptrdiff_t)max_offset;

    for (ptrdiff_t y0 = 0; y0 <= most; y0++)
        for (ptrdiff_t x0 = -most; x0 <= most; x0++) {
            double r = sqrt((double)(x0 * x0 + y0 * y0));
            size_t k = (size_t)r, last = r > (double)k && k < max_offset ? k + 1 : k;
            size_t sector = autocorr_sector(x0, (size_t)y0);

            if (x0 * x0 + y0 * y0 > most * most)
                continue;
            for (size_t ring = k; ring <= last; ring++) {
                uint32_t *at = &starts[ring * AUTOCORR_SECTORS + sector];

                if (members)
                    members[*at] = (uint32_t)autocorr_at(max_offset, x0, (size_t)y0);
                ++*at;
            }
        }
}

static kn_status upload(kn_queue *queue, const void *data, size_t bytes, kn_buffer **buffer, kn_error *err)
{
    kn_status status = kn_buffer_create(kn_queue_get_context(queue), bytes, buffer, err);

    return status ? status : kn_buffer_write(queue, *buffer, 0, data, bytes, err);
}

static kn_status make_lists(kn_queue *queue, struct autocorr_device_radial *radial, kn_error *err)
{
    size_t segments = (radial->max_offset + 1) * AUTOCORR_SECTORS, total = 0;
    uint32_t *starts = calloc(segments + 1, sizeof *starts), *ends = calloc(segments, sizeof *ends);
    uint32_t *members = NULL;
    kn_status status = KN_OK;

    if (starts && ends) {
        visit_shares(radial->max_offset, ends, NULL);
        for (size_t i = 0; i < segments; i++) {
            total += ends[i];
            starts[i + 1] = (uint32_t)total;
        }
        memcpy(ends, starts, segments * sizeof *ends);
        members = malloc(total * sizeof *members);
    }
    if (!members)
        status = ki_fail_memory(err, (segments + total) * sizeof *members, "the offsets of rings");
    else
        visit_shares(radial->max_offset, ends, members);
    if (!status)
        status = upload(queue, starts, (segments + 1) * sizeof *starts, &radial->starts, err);
    if (!status)
        status = upload(queue, members, total * sizeof *members, &radial->members, err);
    free(starts);
    free(ends);
    free(members);
    return status;
}

// ---- plans ----

kn_status ki_autocorr_device_radial_create(kn_queue *queue, size_t width, size_t height, size_t max_offset,
                                           struct autocorr_device_radial **radial, kn_error *err)
{
    const kn_device_info *info = kn_context_get_device(kn_queue_get_context(queue));
    const struct autocorr_task task = {.first = {width, height, width, KN_U8, queue},
                                       .max_offset = max_offset};
    struct autocorr_device_radial *made = NULL;
    kn_status status = ki_autocorr_check(&task, err);

    if (!status && max_offset > AUTOCORR_DEVICE_RADIAL_MAX)
        status = ki_fail(err, KN_ERROR_LIMIT, "rings up to %zu pixels; 32-bit numbers have room for %d",
                         max_offset, AUTOCORR_DEVICE_RADIAL_MAX);
    if (!status && !(made = calloc(1, sizeof *made)))
        status = ki_fail_memory(err, sizeof *made, "preparing rings");
    if (status)
        return status;
    *made = (struct autocorr_device_radial){.context = kn_queue_get_context(queue),
                                            .width = width,
                                            .height = height,
                                            .max_offset = max_offset,
                                            .real = info->fp64 ? KN_F64 : KN_F32,
                                            .lanes = ki_engine_sizes(info, SHAPE_AUTOCORR_RADIAL)->lanes};
    status = make_lists(queue, made, err);
    if (status)
        ki_autocorr_device_radial_free(made);
    else
        *radial = made;
    return status;
}

void ki_autocorr_device_radial_free(struct autocorr_device_radial *radial)
{
    if (!radial)
        return;
    kn_buffer_free(radial->starts);
    kn_buffer_free(radial->members);
    free(radial);
}

size_t ki_autocorr_device_radial_bytes(const struct autocorr_device_radial *radial, size_t count)
{
    return count * (radial->max_offset + 1) * AUTOCORR_RING_NUMBERS * kn_type_size(radial->real);
}

// ---- their use ----

static kn_status check(const struct autocorr_device_radial *radial, const kn_buffer *products, size_t first,
                       size_t count, const struct autocorr_tables *tables,
                       kn_autocorr_normalization normalization, const kn_buffer *rings, kn_error *err)
{
    size_t bytes = autocorr_offsets(radial->max_offset) * sizeof(uint64_t);

    if ((unsigned)normalization >= AUTOCORR_NORMALIZATIONS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no normalization %d; see autocorr_normalization",
                       (int)normalization);
    if (tables->max_offset != radial->max_offset || tables->count < count)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "tables of %zu frames with R = %zu for the rings of %zu frames with R = %zu",
                       tables->count, tables->max_offset, count, radial->max_offset);
    if (kn_buffer_get_size(products) / bytes < first + count || kn_buffer_get_part_count(products) > 1)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "the sums of %zu frames take %zu bytes each in one allocation, but the buffer holds %zu bytes",
            first + count, bytes, kn_buffer_get_size(products));
    if (kn_buffer_get_size(rings) < ki_autocorr_device_radial_bytes(radial, count) ||
        kn_buffer_get_part_count(rings) > 1)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "the rings of %zu frames take %zu bytes in one allocation, but the buffer holds %zu bytes", count,
            ki_autocorr_device_radial_bytes(radial, count), kn_buffer_get_size(rings));
    return KN_OK;
}

kn_status ki_autocorr_radial_device(kn_queue *queue, const struct autocorr_device_radial *radial,
                                    kn_buffer *products, size_t first, size_t count,
                                    const struct autocorr_tables *tables,
                                    kn_autocorr_normalization normalization, kn_buffer *rings, kn_error *err)
{
    size_t group = (size_t)AUTOCORR_SECTORS * radial->lanes;
    const uint32_t values[] = {(uint32_t)radial->width, (uint32_t)radial->height,
                               (uint32_t)(radial->max_offset + 1), (uint32_t)first,
                               (uint32_t)(tables->is_cross ? tables->count : 0)};
    const kn_range range = {2, {(radial->max_offset + 1) * group, count}, {group, 1}, {0}};
    const kn_arg args[] = {KN_BUFFER(products),        KN_BUFFER(tables->sums), KN_BUFFER(radial->starts),
                           KN_BUFFER(radial->members), KN_BUFFER(rings),        KN_VALUE(values[0]),
                           KN_VALUE(values[1]),        KN_VALUE(values[2]),     KN_VALUE(values[3]),
                           KN_BUFFER(tables->pairs),   KN_VALUE(values[4])};
    const size_t arg_count = KI_COUNT(args) - (tables->pairs ? 0 : 2); // the last ones are a mask's
    struct engine_defines defines = {.count = 0};
    kn_kernel *kernel;
    kn_status status = check(radial, products, first, count, tables, normalization, rings, err);

    ki_engine_define(&defines, "NORMALIZATION", (unsigned)normalization);
    ki_engine_define(&defines, "LANES", radial->lanes);
    ki_engine_define(&defines, "REAL_BITS", radial->real == KN_F64 ? 64 : 32);
    ki_engine_define(&defines, "MASKED", tables->pairs != NULL);
    if (status || count == 0)
        return status;
    status = ki_engine_builtin_kernel(radial->context, "app/autocorr/autocorr_radial.cl", defines.items,
                                      defines.count, KN_POLICY_DEFAULT, "autocorr_radial", &kernel, err);
    return status ? status : kn_launch(queue, kernel, &range, args, arg_count, NO_EVENT, err);
}

_Static_assert(sizeof(struct autocorr_ring) == AUTOCORR_RING_NUMBERS * sizeof(double),
               "a ring is read as it was written");

// Single precision at the beginning of doubles' room, from the last one on, so that each is read before a
// double overwrites it.
static void widen(void *numbers, size_t count)
{
    unsigned char *bytes = numbers;

    for (size_t i = count; i-- > 0;) {
        float single;
        double wide;

        memcpy(&single, bytes + i * sizeof single, sizeof single);
        wide = (double)single;
        memcpy(bytes + i * sizeof wide, &wide, sizeof wide);
    }
}

kn_status ki_autocorr_radial_read(kn_queue *queue, const struct autocorr_device_radial *radial,
                                  kn_buffer *rings, size_t first, size_t count, struct autocorr_ring *host,
                                  kn_error *err)
{
    size_t all = count * (radial->max_offset + 1);
    kn_status status = kn_buffer_read(queue, rings, ki_autocorr_device_radial_bytes(radial, first), host,
                                      ki_autocorr_device_radial_bytes(radial, count), err);

    if (status)
        return status;
    if (radial->real == KN_F32)
        widen(host, all * AUTOCORR_RING_NUMBERS);
    for (size_t k = 0; k < all; k++) {
        double offsets; // counted as a real number there

        memcpy(&offsets, &host[k].count, sizeof offsets);
        host[k].count = (uint64_t)offsets;
    }
    return KN_OK;
}
