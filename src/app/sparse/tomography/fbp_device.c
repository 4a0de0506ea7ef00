// SPDX-License-Identifier: Apache-2.0
// Filtered back-projection on a device: transforms of algo/fft with the filter between them, and the
// back-projection of cl/app/sparse/sparse_parallel.cl.
#include <stdlib.h>

#include <koine/fft.h>

#include "algo/columns.h"
#include "app/sparse/product/spmv_internal.h"
#include "base/error.h"
#include "fan.h"
#include "fbp.h"
#include "fbp_fan.h"
#include "filter.h"

struct sparse_fbp_device {
    size_t angles, detectors, points, rows, columns; // points: those of half a spectrum
    kn_fft_plan *forward, *back;
    kn_kernel *kernel, *weigh; // weigh: NULL but for fans
    size_t group;
    struct sparse_operator *operator;
    kn_buffer *factors, *spectra, *filtered;
    kn_buffer *cosines, *weighted; // of fans
    struct ki_text text;
};

static const struct engine_sizes *sizes_of(const kn_queue *queue)
{
    return ki_engine_sizes(kn_context_get_device(kn_queue_get_context(queue)), SHAPE_SPARSE_PARALLEL);
}

// ---- preparation ----

static kn_status make_transforms(kn_queue *queue, const struct sparse_parallel *geometry,
                                 struct sparse_fbp_device *device, kn_error *err)
{
    const kn_fft_options own = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    kn_fft_shape shape =
        KN_INIT(kn_fft_shape, .rank = 1, .dims = {ki_sparse_filter_length(geometry->detectors)},
                .batch = geometry->angles, .type = KN_F32, .kind = KN_FFT_REAL_TO_COMPLEX,
                .in_dims = {geometry->detectors});
    kn_status status = kn_fft_plan_create(queue, &shape, &own, &device->forward, err);

    shape.kind = KN_FFT_COMPLEX_TO_REAL;
    shape.in_dims[0] = 0;
    shape.out_dims[0] = geometry->detectors;
    return status ? status : kn_fft_plan_create(queue, &shape, &own, &device->back, err);
}

static kn_status upload_factors(kn_queue *queue, const struct sparse_parallel *geometry,
                                kn_tomography_filter filter, struct sparse_fbp_device *device, kn_error *err)
{
    const size_t length = ki_sparse_filter_length(geometry->detectors),
                 bytes = device->points * sizeof(float);
    double *factors = malloc(device->points * sizeof *factors);
    float *singles = malloc(bytes);
    kn_status status = factors && singles
                           ? ki_sparse_filter_fill(geometry, filter, length, 1 / (double)length, factors, err)
                           : ki_fail_memory(err, device->points * sizeof *factors, "a filter");

    for (size_t k = 0; k < device->points && !status; k++)
        singles[k] = (float)factors[k];
    if (!status)
        status = kn_buffer_create(kn_queue_get_context(queue), bytes, &device->factors, err);
    if (!status)
        status = kn_buffer_write(queue, device->factors, 0, singles, bytes, err);
    free(factors);
    free(singles);
    return status;
}

static kn_status get_kernel(kn_queue *queue, const struct sparse_fbp_device *device, const char *name,
                            kn_kernel **kernel, kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_engine_define(&defines, "GROUP", (unsigned)device->group);
    return ki_engine_builtin_kernel(kn_queue_get_context(queue), "app/sparse/sparse_filter.cl", defines.items,
                                    defines.count, KN_POLICY_DEFAULT, name, kernel, err);
}

// The cosines of a fan's rays, and room for its sinogram times these.
static kn_status prepare_fan(kn_queue *queue, const struct sparse_parallel *geometry,
                             struct sparse_fbp_device *device, kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    const size_t count = geometry->detectors;
    double *cosines = malloc(count * sizeof *cosines);
    float *singles = malloc(count * sizeof *singles);
    kn_status status =
        cosines && singles ? KN_OK : ki_fail_memory(err, count * sizeof *cosines, "a fan's rays");

    if (!status)
        ki_sparse_fan_cosines(geometry, cosines);
    for (size_t k = 0; k < count && !status; k++)
        singles[k] = (float)cosines[k];
    if (!status)
        status = kn_buffer_create(context, count * sizeof *singles, &device->cosines, err);
    if (!status)
        status = kn_buffer_write(queue, device->cosines, 0, singles, count * sizeof *singles, err);
    if (!status)
        status = kn_buffer_create(context, device->rows * sizeof(float), &device->weighted, err);
    if (!status)
        status = get_kernel(queue, device, "weigh_detectors", &device->weigh, err);
    free(cosines);
    free(singles);
    return status;
}

static kn_status create_back(kn_queue *queue, const struct sparse_parallel *geometry,
                             struct sparse_operator **made, kn_error *err)
{
    double *weights = malloc(geometry->angles * sizeof *weights);
    kn_status status = weights ? ki_sparse_filter_weights(geometry, weights, err)
                               : ki_fail_memory(err, geometry->angles * sizeof *weights, "projections");

    if (!status)
        status = ki_sparse_operator_create_interpolated(queue, geometry, weights, made, err);
    free(weights);
    return status;
}

static kn_status prepare(kn_queue *queue, const struct sparse_parallel *geometry, kn_tomography_filter filter,
                         struct sparse_fbp_device *device, kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    kn_status status = make_transforms(queue, geometry, device, err);

    if (!status)
        status = upload_factors(queue, geometry, filter, device, err);
    if (!status)
        status = get_kernel(queue, device, "filter_spectra", &device->kernel, err);
    if (!status && ki_sparse_is_fan(geometry))
        status = prepare_fan(queue, geometry, device, err);
    if (!status)
        status = kn_buffer_create(context, device->angles * device->points * 2 * sizeof(float),
                                  &device->spectra, err);
    if (!status)
        status = kn_buffer_create(context, device->rows * sizeof(float), &device->filtered, err);
    if (!status)
        status = create_back(queue, geometry, &device->operator, err);
    if (!status)
        ki_text_format(&device->text, "%s%s%s",
                       ki_sparse_format_names[ki_sparse_operator_format(device->operator, true)],
                       *ki_sparse_operator_why(device->operator, true) ? ": " : "",
                       ki_sparse_operator_why(device->operator, true));
    return status;
}

kn_status ki_sparse_fbp_device_create(kn_queue *queue, const struct sparse_parallel *geometry,
                                      kn_tomography_filter filter, struct sparse_fbp_device **made,
                                      kn_error *err)
{
    struct sparse_fbp_device *device = calloc(1, sizeof *device);
    kn_status status;

    if (!device)
        return ki_fail_memory(err, sizeof *device, "filtered back-projection");
    device->text = (struct ki_text)KI_TEXT_INIT;
    device->group = sizes_of(queue)->group;
    device->angles = geometry->angles;
    device->detectors = geometry->detectors;
    device->points = ki_sparse_filter_points(geometry->detectors);
    device->rows = ki_sparse_parallel_rows(geometry);
    device->columns = ki_sparse_parallel_columns(geometry);
    status = prepare(queue, geometry, filter, device, err);
    if (status)
        ki_sparse_fbp_device_free(device);
    else
        *made = device;
    return status;
}

void ki_sparse_fbp_device_free(struct sparse_fbp_device *device)
{
    if (!device)
        return;
    kn_fft_plan_free(device->forward);
    kn_fft_plan_free(device->back);
    ki_sparse_operator_free(device->operator);
    kn_buffer_free(device->factors);
    kn_buffer_free(device->spectra);
    kn_buffer_free(device->filtered);
    kn_buffer_free(device->cosines);
    kn_buffer_free(device->weighted);
    ki_text_free(&device->text);
    free(device);
}

const char *ki_sparse_fbp_device_text(const struct sparse_fbp_device *device)
{
    return ki_text_string(&device->text);
}

size_t ki_sparse_fbp_device_memory(kn_queue *queue, const struct sparse_parallel *geometry)
{
    const struct spmv_task task = ki_spmv_task_of_geometry(queue, geometry, true, NULL);
    const size_t points = ki_sparse_filter_points(geometry->detectors);
    // Factors, roots of unity, and spectra; half spectra, and as much scratch memory for lines that take
    // several passes.
    const size_t numbers = 5 * points + 4 * points * geometry->angles + ki_sparse_parallel_rows(geometry);

    if (ki_sparse_is_fan(geometry))
        return (numbers + ki_sparse_parallel_rows(geometry) + geometry->detectors) * sizeof(float) +
               ki_spmv_estimate_fan_interpolated(&task);
    return numbers * sizeof(float) + ki_spmv_estimate_parallel(&task, false);
}

// ---- running ----

static kn_status multiply(kn_queue *queue, const struct sparse_fbp_device *device, kn_error *err)
{
    const size_t group = device->group, items = (device->points + group - 1) / group * group;
    const kn_range range = {2, {items, device->angles}, {group, 1}, {0}};
    const uint32_t points = (uint32_t)device->points;
    const kn_arg args[] = {KN_BUFFER(device->spectra), KN_BUFFER(device->factors), KN_VALUE(points)};

    return kn_launch(queue, device->kernel, &range, args, 3, NO_EVENT, err);
}

// A fan's sinogram, times the cosines of its rays.
static kn_status weigh(kn_queue *queue, const struct sparse_fbp_device *device, const kn_buffer *sinogram,
                       kn_error *err)
{
    const size_t group = device->group, items = (device->rows + group - 1) / group * group;
    const kn_range range = {1, {items}, {group}, {0}};
    const uint32_t rays = (uint32_t)device->rows, detectors = (uint32_t)device->detectors;
    const kn_arg args[] = {KN_BUFFER(sinogram), KN_BUFFER(device->cosines), KN_BUFFER(device->weighted),
                           KN_VALUE(detectors), KN_VALUE(rays)};

    return kn_launch(queue, device->weigh, &range, args, 5, NO_EVENT, err);
}

kn_status ki_sparse_fbp_device_run(kn_queue *queue, const struct sparse_fbp_device *device,
                                   const kn_buffer *sinogram, kn_buffer *picture, kn_error *err)
{
    kn_status status = ki_column_check("sinogram", queue, sinogram, KN_F32, device->rows, err);

    if (!status)
        status = ki_column_check("picture", queue, picture, KN_F32, device->columns, err);
    if (!status && device->weigh)
        status = weigh(queue, device, sinogram, err);
    if (!status)
        status = kn_fft_execute(queue, device->forward, KN_FFT_FORWARD,
                                device->weigh ? device->weighted : sinogram, device->spectra, err);
    if (!status)
        status = multiply(queue, device, err);
    if (!status)
        status = kn_fft_execute(queue, device->back, KN_FFT_INVERSE, device->spectra, device->filtered, err);
    return status ? status
                  : ki_sparse_operator_apply(queue, device->operator, true, device->filtered, picture, err);
}
