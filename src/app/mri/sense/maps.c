// SPDX-License-Identifier: Apache-2.0
// Maps of sensitivities on the host and on a device.
#include "sense.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/defines.h"
#include "engine/device/shapes.h"
#include "engine/engine.h"

// ---- on the host ----

kn_status ki_mri_maps_check(const double complex *maps, size_t coils, size_t voxels, kn_error *err)
{
    bool sees = false;

    for (size_t i = 0; i < coils * voxels; i++) {
        if (!isfinite(creal(maps[i])) || !isfinite(cimag(maps[i])))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "the map of coil %zu is %g%+gi at voxel %zu; expected finite numbers", i / voxels,
                           creal(maps[i]), cimag(maps[i]), i % voxels);
        sees = sees || maps[i] != 0;
    }
    if (!sees)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "the maps of the coils are all 0: no coil sees anything of the image");
    return KN_OK;
}

double ki_mri_maps_bound(const double complex *maps, size_t coils, size_t voxels)
{
    double most = 0;

    for (size_t n = 0; n < voxels; n++) {
        double sum = 0;

        for (size_t coil = 0; coil < coils; coil++) {
            double complex s = maps[coil * voxels + n];

            sum += creal(s) * creal(s) + cimag(s) * cimag(s);
        }
        most = fmax(most, sum);
    }
    return most;
}

void ki_mri_map_multiply(const double complex *map, const double complex *x, size_t voxels,
                         double complex *seen)
{
    for (size_t n = 0; n < voxels; n++)
        seen[n] = map[n] * x[n];
}

void ki_mri_map_add(const double complex *map, const double complex *y, size_t voxels, double complex *sum)
{
    for (size_t n = 0; n < voxels; n++)
        sum[n] += conj(map[n]) * y[n];
}

// ---- on a device ----

struct mri_maps {
    size_t voxels, coils;
    kn_buffer **map; // one for each coil
    const struct engine_sizes *sizes;
    kn_kernel *multiply, *add;
};

static kn_status get_kernels(kn_context *context, struct mri_maps *maps, kn_error *err)
{
    struct engine_defines defines = {.count = 0};
    kn_status status;

    maps->sizes = ki_engine_sizes(kn_context_get_device(context), SHAPE_MRI_SENSE);
    ki_engine_define(&defines, "GROUP", maps->sizes->group);
    ki_engine_define(&defines, "ITEMS", maps->sizes->items);
    status = ki_engine_builtin_kernel(context, "app/mri/mri_sense.cl", defines.items, defines.count,
                                      KN_POLICY_DEFAULT, "mri_sense_multiply", &maps->multiply, err);
    if (status)
        return status;
    return ki_engine_builtin_kernel(context, "app/mri/mri_sense.cl", defines.items, defines.count,
                                    KN_POLICY_DEFAULT, "mri_sense_add", &maps->add, err);
}

static kn_status upload(kn_queue *queue, const double complex *map, float *pairs, struct mri_maps *maps,
                        size_t coil, kn_error *err)
{
    size_t bytes = maps->voxels * 2 * sizeof *pairs;
    kn_status status = kn_buffer_create(kn_queue_get_context(queue), bytes, &maps->map[coil], err);

    for (size_t n = 0; n < maps->voxels; n++) {
        pairs[2 * n] = (float)creal(map[n]);
        pairs[2 * n + 1] = (float)cimag(map[n]);
    }
    return status ? status : kn_buffer_write(queue, maps->map[coil], 0, pairs, bytes, err);
}

kn_status ki_mri_maps_create(kn_queue *queue, const double complex *maps, size_t coils, size_t voxels,
                             struct mri_maps **made, kn_error *err)
{
    struct mri_maps *there = calloc(1, sizeof *there);
    float *pairs = malloc(voxels * 2 * sizeof *pairs);
    kn_status status = KN_OK;

    if (there)
        *there = (struct mri_maps){voxels, coils, calloc(coils, sizeof *there->map), NULL, NULL, NULL};
    if (!there || !pairs || !there->map)
        status = ki_fail_memory(err, voxels * 2 * sizeof *pairs, "the maps of the coils");
    if (!status)
        status = get_kernels(kn_queue_get_context(queue), there, err);
    for (size_t coil = 0; coil < coils && !status; coil++)
        status = upload(queue, maps + coil * voxels, pairs, there, coil, err);
    free(pairs);
    if (status)
        ki_mri_maps_free(there);
    else
        *made = there;
    return status;
}

void ki_mri_maps_free(struct mri_maps *maps)
{
    if (!maps)
        return;
    for (size_t coil = 0; coil < maps->coils && maps->map; coil++)
        kn_buffer_free(maps->map[coil]);
    free(maps->map);
    free(maps);
}

static kn_range range_of(const struct mri_maps *maps)
{
    size_t group = maps->sizes->group, tile = group * maps->sizes->items,
           groups = maps->voxels / tile + (maps->voxels % tile != 0);

    return (kn_range){1, {groups * group}, {group}, {0}};
}

kn_status ki_mri_maps_multiply(kn_queue *queue, const struct mri_maps *maps, size_t coil, const kn_buffer *x,
                               kn_buffer *seen, kn_error *err)
{
    const kn_range range = range_of(maps);
    uint64_t count = maps->voxels;
    const kn_arg args[] = {KN_BUFFER(maps->map[coil]), KN_BUFFER(x), KN_BUFFER(seen), KN_VALUE(count)};

    return kn_launch(queue, maps->multiply, &range, args, KI_COUNT(args), NO_EVENT, err);
}

kn_status ki_mri_maps_add(kn_queue *queue, const struct mri_maps *maps, size_t coil, const kn_buffer *y,
                          bool begins, kn_buffer *sum, kn_error *err)
{
    const kn_range range = range_of(maps);
    uint64_t count = maps->voxels;
    uint32_t first = begins;
    const kn_arg args[] = {KN_BUFFER(maps->map[coil]), KN_BUFFER(y), KN_BUFFER(sum), KN_VALUE(count),
                           KN_VALUE(first)};

    return kn_launch(queue, maps->add, &range, args, KI_COUNT(args), NO_EVENT, err);
}
