// SPDX-License-Identifier: Apache-2.0
// Filtered back-projection of cones on a device: a batch of projections at a time is weighted, filtered by
// transforms of algo/fft, and summed by cl/app/sparse/sparse_cone.cl.
#include <stdlib.h>

#include <koine/fft.h>

#include "algo/columns.h"
#include "app/sparse/tomography/filter.h"
#include "base/error.h"
#include "base/text/text.h"
#include "engine/device/shapes.h"
#include "fdk.h"

enum {
    MOST_NUMBERS = 1 << 24, // of spectra at a time
    SIDE = 32               // of a tile of pixels, in cl/app/sparse/sparse_cone.cl
};

struct sparse_fdk_device {
    size_t angles, lines, detectors, size, slices, batch;
    size_t points; // those of half a spectrum
    struct engine_sizes sizes;
    kn_fft_plan *forward, *back;
    kn_kernel *weigh, *multiply, *sum;
    kn_buffer *numbers, *views, *weights, *factors; // numbers: of the cone; factors: of the filter
    kn_buffer *weighted, *spectra;                  // of a batch
    struct ki_text text;
};

// ---- sizes ----

// No more than a work-item's loop may have passes.
static size_t batch_of(const kn_queue *queue, const struct sparse_parallel *geometry)
{
    const kn_device_info *info = kn_context_get_device(kn_queue_get_context(queue));
    const size_t numbers = 2 * ki_sparse_filter_points(geometry->detectors) * geometry->lines,
                 loops = info->loop_limit ? info->loop_limit - 1 : MOST_NUMBERS,
                 most = loops < MOST_NUMBERS / numbers ? loops * numbers : MOST_NUMBERS;

    return ki_sparse_fdk_batch(geometry->angles, numbers, most);
}

size_t ki_sparse_fdk_device_memory(kn_queue *queue, const struct sparse_parallel *geometry)
{
    const size_t points = ki_sparse_filter_points(geometry->detectors),
                 lines = batch_of(queue, geometry) * geometry->lines;

    // Spectra, and as much scratch memory for lines that take several passes; factors and roots of unity.
    return (lines * (geometry->detectors + 4 * points) + 5 * points + 3 * geometry->angles + 4) *
           sizeof(float);
}

// ---- preparation ----

static kn_status make_transforms(kn_queue *queue, struct sparse_fdk_device *device, kn_error *err)
{
    const kn_fft_options own = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    kn_fft_shape shape =
        KN_INIT(kn_fft_shape, .rank = 1, .dims = {ki_sparse_filter_length(device->detectors)},
                .batch = device->batch * device->lines, .type = KN_F32, .kind = KN_FFT_REAL_TO_COMPLEX,
                .in_dims = {device->detectors});
    kn_status status = kn_fft_plan_create(queue, &shape, &own, &device->forward, err);

    shape.kind = KN_FFT_COMPLEX_TO_REAL;
    shape.in_dims[0] = 0;
    shape.out_dims[0] = device->detectors;
    return status ? status : kn_fft_plan_create(queue, &shape, &own, &device->back, err);
}

static kn_status upload(kn_queue *queue, const float *numbers, size_t count, kn_buffer **buffer,
                        kn_error *err)
{
    kn_status status = kn_buffer_create(kn_queue_get_context(queue), count * sizeof *numbers, buffer, err);

    return status ? status : kn_buffer_write(queue, *buffer, 0, numbers, count * sizeof *numbers, err);
}

// The filter's factors, and of each projection its direction and weight.
static kn_status upload_tables(kn_queue *queue, const struct sparse_parallel *geometry,
                               kn_tomography_filter filter, struct sparse_fdk_device *device, kn_error *err)
{
    const size_t angles = geometry->angles, length = ki_sparse_filter_length(geometry->detectors),
                 most = device->points > 2 * angles ? device->points : 2 * angles;
    struct sparse_view *turns = ki_sparse_parallel_turns(geometry, err);
    double *numbers = malloc(most * sizeof *numbers);
    float *singles = malloc(most * sizeof *singles);
    kn_status status = !turns               ? KN_ERROR_MEMORY
                       : numbers && singles ? KN_OK
                                            : ki_fail_memory(err, most * sizeof *numbers, "projections");

    if (!status)
        status = ki_sparse_filter_weights(geometry, numbers, err);
    for (size_t t = 0; t < angles && !status; t++)
        singles[t] = (float)numbers[t];
    if (!status)
        status = upload(queue, singles, angles, &device->weights, err);
    for (size_t t = 0; t < angles && !status; t++) {
        singles[2 * t] = (float)turns[t].cosine;
        singles[2 * t + 1] = (float)turns[t].sine;
    }
    if (!status)
        status = upload(queue, singles, 2 * angles, &device->views, err);
    if (!status)
        status = ki_sparse_filter_fill(geometry, filter, length, 1 / (double)length, numbers, err);
    for (size_t k = 0; k < device->points && !status; k++)
        singles[k] = (float)numbers[k];
    if (!status)
        status = upload(queue, singles, device->points, &device->factors, err);
    free(turns);
    free(numbers);
    free(singles);
    return status;
}

static kn_status get_kernel(kn_queue *queue, const struct sparse_fdk_device *device, const char *file,
                            const char *name, kn_kernel **kernel, kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_engine_define(&defines, "GROUP", device->sizes.group);
    if (kernel != &device->multiply) {
        ki_engine_define(&defines, "SIDE", SIDE);
        ki_engine_define(&defines, "SLICES", device->sizes.items);
    }
    return ki_engine_builtin_kernel(kn_queue_get_context(queue), file, defines.items, defines.count,
                                    KN_POLICY_DEFAULT, name, kernel, err);
}

static kn_status get_kernels(kn_queue *queue, struct sparse_fdk_device *device, kn_error *err)
{
    static const char file[] = "app/sparse/sparse_cone.cl";
    kn_status status =
        get_kernel(queue, device, "app/sparse/sparse_filter.cl", "filter_spectra", &device->multiply, err);

    if (!status)
        status = get_kernel(queue, device, file, "weigh_panels", &device->weigh, err);
    return status ? status : get_kernel(queue, device, file, "cone_back", &device->sum, err);
}

static kn_status prepare(kn_queue *queue, const struct sparse_parallel *geometry, kn_tomography_filter filter,
                         struct sparse_fdk_device *device, kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    const size_t lines = device->batch * device->lines;
    const float cone[] = {(float)geometry->source, (float)(geometry->source + geometry->detector),
                          (float)geometry->axis, (float)(((double)geometry->lines - 1) / 2)};
    kn_status status = make_transforms(queue, device, err);

    if (!status)
        status = get_kernels(queue, device, err);
    if (!status)
        status = upload(queue, cone, 4, &device->numbers, err);
    if (!status)
        status = upload_tables(queue, geometry, filter, device, err);
    if (!status)
        status = kn_buffer_create(context, lines * device->points * 2 * sizeof(float), &device->spectra, err);
    if (!status)
        status = kn_buffer_create(context, lines * device->detectors * sizeof(float), &device->weighted, err);
    if (!status)
        ki_text_format(&device->text, "%zu projections at a time, %u slices a work-item", device->batch,
                       device->sizes.items);
    return status;
}

kn_status ki_sparse_fdk_device_create(kn_queue *queue, const struct sparse_parallel *geometry,
                                      kn_tomography_filter filter, size_t batch,
                                      struct sparse_fdk_device **made, kn_error *err)
{
    struct sparse_fdk_device *device = calloc(1, sizeof *device);
    kn_status status;

    if (!device)
        return ki_fail_memory(err, sizeof *device, "filtered back-projection");
    device->text = (struct ki_text)KI_TEXT_INIT;
    device->sizes = *ki_engine_sizes(kn_context_get_device(kn_queue_get_context(queue)), SHAPE_SPARSE_CONE);
    device->angles = geometry->angles;
    device->lines = geometry->lines;
    device->detectors = geometry->detectors;
    device->size = geometry->size;
    device->slices = geometry->slices;
    device->batch = batch && batch < geometry->angles ? batch : batch_of(queue, geometry);
    device->points = ki_sparse_filter_points(geometry->detectors);
    status = prepare(queue, geometry, filter, device, err);
    if (status)
        ki_sparse_fdk_device_free(device);
    else
        *made = device;
    return status;
}

void ki_sparse_fdk_device_free(struct sparse_fdk_device *device)
{
    if (!device)
        return;
    kn_fft_plan_free(device->forward);
    kn_fft_plan_free(device->back);
    kn_buffer_free(device->numbers);
    kn_buffer_free(device->views);
    kn_buffer_free(device->weights);
    kn_buffer_free(device->factors);
    kn_buffer_free(device->weighted);
    kn_buffer_free(device->spectra);
    ki_text_free(&device->text);
    free(device);
}

const char *ki_sparse_fdk_device_text(const struct sparse_fdk_device *device)
{
    return ki_text_string(&device->text);
}

// ---- running ----

static size_t whole(size_t items, size_t group)
{
    return (items + group - 1) / group;
}

static kn_status weigh(kn_queue *queue, const struct sparse_fdk_device *device, const kn_buffer *projections,
                       size_t from, kn_error *err)
{
    const size_t group = device->sizes.group;
    const kn_range range = {
        2, {whole(device->detectors, group) * group, device->batch * device->lines}, {group, 1}, {0}};
    const uint32_t first = (uint32_t)from, angles = (uint32_t)device->angles, lines = (uint32_t)device->lines,
                   detectors = (uint32_t)device->detectors;
    const kn_arg args[] = {KN_BUFFER(projections), KN_BUFFER(device->numbers), KN_BUFFER(device->weighted),
                           KN_VALUE(first),        KN_VALUE(angles),           KN_VALUE(lines),
                           KN_VALUE(detectors)};

    return kn_launch(queue, device->weigh, &range, args, 7, NO_EVENT, err);
}

// Weighted projections are replaced by filtered ones.
static kn_status filter(kn_queue *queue, const struct sparse_fdk_device *device, kn_error *err)
{
    const size_t group = device->sizes.group;
    const kn_range range = {
        2, {whole(device->points, group) * group, device->batch * device->lines}, {group, 1}, {0}};
    const uint32_t points = (uint32_t)device->points;
    const kn_arg args[] = {KN_BUFFER(device->spectra), KN_BUFFER(device->factors), KN_VALUE(points)};
    kn_status status =
        kn_fft_execute(queue, device->forward, KN_FFT_FORWARD, device->weighted, device->spectra, err);

    if (!status)
        status = kn_launch(queue, device->multiply, &range, args, 3, NO_EVENT, err);
    return status
               ? status
               : kn_fft_execute(queue, device->back, KN_FFT_INVERSE, device->spectra, device->weighted, err);
}

static kn_status sum(kn_queue *queue, const struct sparse_fdk_device *device, size_t from, kn_buffer *volume,
                     kn_error *err)
{
    const size_t group = device->sizes.group, left = device->angles - from,
                 tiles = whole(device->size, SIDE) * whole(device->size, group / SIDE);
    const kn_range range = {2, {tiles * group, whole(device->slices, device->sizes.items)}, {group, 1}, {0}};
    const uint32_t first = (uint32_t)from, angles = (uint32_t)(left < device->batch ? left : device->batch),
                   detectors = (uint32_t)device->detectors, lines = (uint32_t)device->lines,
                   size = (uint32_t)device->size, slices = (uint32_t)device->slices, adds = from > 0;
    const kn_arg args[] = {KN_BUFFER(device->views),
                           KN_BUFFER(device->weights),
                           KN_BUFFER(device->numbers),
                           KN_BUFFER(device->weighted),
                           KN_BUFFER(volume),
                           KN_VALUE(first),
                           KN_VALUE(angles),
                           KN_VALUE(detectors),
                           KN_VALUE(lines),
                           KN_VALUE(size),
                           KN_VALUE(slices),
                           KN_VALUE(adds)};

    return kn_launch(queue, device->sum, &range, args, 12, NO_EVENT, err);
}

kn_status ki_sparse_fdk_device_run(kn_queue *queue, const struct sparse_fdk_device *device,
                                   const kn_buffer *projections, kn_buffer *volume, kn_error *err)
{
    kn_status status = ki_column_check("projections", queue, projections, KN_F32,
                                       device->angles * device->lines * device->detectors, err);

    if (!status)
        status = ki_column_check("volume", queue, volume, KN_F32,
                                 device->slices * device->size * device->size, err);
    for (size_t first = 0; first < device->angles && !status; first += device->batch) {
        status = weigh(queue, device, projections, first, err);
        if (!status)
            status = filter(queue, device, err);
        if (!status)
            status = sum(queue, device, first, volume, err);
    }
    return status;
}
