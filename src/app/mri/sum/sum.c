// SPDX-License-Identifier: Apache-2.0
// The adjoint on a device: copies samples and voxels there, and launches the lecture's kernels for them.
#include "sum.h"

#include <math.h>
#include <stdlib.h>

#include "shared/mri.h"
#include "base/array.h"
#include "base/error.h"
#include "sum_internal.h"

const char *const ki_mri_kernel_names[MRI_KERNELS + 1] = {"naive",
                                                          "register",
                                                          "coalesced",
                                                          "constant",
                                                          "constant-struct",
                                                          "fast-trig",
                                                          "tuned",
                                                          "separable",
                                                          "host-double",
                                                          "host-single",
                                                          "host-double-separable",
                                                          "host-single-separable",
                                                          "host-double-nufft",
                                                          "host-single-nufft",
                                                          "host-double-cartesian",
                                                          "host-single-cartesian",
                                                          "nufft",
                                                          "cartesian",
                                                          NULL};

enum {
    GROUP = 128,                 // the lecture's
    CONSTANT_CHUNK = 2048,       // 40 of the 64 KB that every device has
    SLAB = 1 << 22,              // voxels at a time
    BATCH = 1 << 20,             // samples on the device at a time
    CACHED_FOR = 512,            // voxels for which a cache keeps a sample, as estimated in the lecture
    VOXEL_ACCESSES = 7,          // position, and reading and writing sums
    ELEMENT = 5 * sizeof(float), // the largest record
    // Memory: a voxel's record and sum; a sample's record, data, weight and basis, and its copy in a chunk.
    VOXEL_BYTES = ELEMENT + 4 * sizeof(float),
    SAMPLE_BYTES = 2 * ELEMENT + 5 * sizeof(float),
    SHARE = 16 // an array takes at most 1/16 of the device's memory
};

static const struct sum_layout arrays = {5, {{0, 0, 1}, {1, 0, 1}, {2, 0, 1}, {3, 0, 1}, {4, 0, 1}}};
static const struct sum_layout records = {1, {{0, 0, 5}, {0, 1, 5}, {0, 2, 5}, {0, 3, 5}, {0, 4, 5}}};
static const struct sum_layout real_records = {1, {{0, 0, 4}, {0, 1, 4}, {0, 2, 4}, {0, 3, 4}, {0, 0, 0}}};
static const struct sum_layout points = {2, {{0, 0, 4}, {0, 1, 4}, {0, 2, 4}, {0, 3, 4}, {1, 0, 1}}};

// The layout of numbers that each kernel takes, and its loads from global memory per pair: `pair_loads`, and
// k and mu, which each pair loads unless they are `cached`.
static const struct form {
    const char *function;
    const struct sum_layout *layout, *real_layout;
    enum sum_voxels voxels;
    bool constant, cached;
    double pair_loads;
} forms[MRI_HOST_DOUBLE] = {
    [MRI_NAIVE] = {"mri_naive", &records, &real_records, SUM_VOXEL_RECORDS, false, false, 7},
    [MRI_REGISTER] = {"mri_register", &records, &real_records, SUM_VOXEL_RECORDS, false, false, 0},
    [MRI_COALESCED] = {"mri_coalesced", &arrays, &arrays, SUM_VOXEL_ARRAYS, false, false, 0},
    [MRI_CONSTANT] = {"mri_constant", &arrays, &arrays, SUM_VOXEL_ARRAYS, true, true, 0},
    [MRI_CONSTANT_STRUCT] = {"mri_constant_struct", &records, &real_records, SUM_VOXEL_ARRAYS, true, true, 0},
    [MRI_FAST_TRIG] = {"mri_fast_trig", &arrays, &arrays, SUM_VOXEL_ARRAYS, true, true, 0},
    [MRI_TUNED] = {"mri_tuned", &points, &points, SUM_VOXELS_NOWHERE, false, true, 0},
    [MRI_SEPARABLE] = {"mri_separable", &points, &points, SUM_VOXELS_NOWHERE, false, true, 0},
};

// Kernels with device-dependent launch sizes.
static const struct {
    kn_status (*open)(struct sum_work *work, size_t slab, kn_error *err);
    kn_status (*launch)(struct sum_work *work, const struct sum_range *range, kn_error *err);
} ways[MRI_HOST_DOUBLE] = {[MRI_TUNED] = {ki_sum_tuned_open, ki_sum_tuned_launch},
                           [MRI_SEPARABLE] = {ki_separable_open, ki_separable_launch}};

// ---- arguments ----

kn_status ki_sum_check(const char *function, struct mri_sum *sum, kn_error *err)
{
    size_t voxels;
    kn_status status = ki_mri_matrix_count(&sum->matrix, &voxels, err);

    if (status)
        return status;
    if (sum->first > voxels || sum->count > voxels - sum->first)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: voxels %zu to %zu, but the matrix has %zu", function,
                       sum->first, sum->first + sum->count, voxels);
    if (sum->count == 0)
        sum->count = voxels - sum->first;
    if (sum->samples > 0 && !sum->k)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu samples, but k is NULL", function, sum->samples);
    if (sum->device_nufft || ki_mri_is_finite(sum->k, sum->samples)) // the NUFFT's samples have been checked
        return KN_OK;
    for (size_t i = 0; i < MRI_AXES * sum->samples; i++)
        if (!isfinite(sum->k[i]))
            return ki_fail(err, KN_ERROR_INPUT,
                           "sample %zu of the trajectory: k is %g on axis %zu; expected a number",
                           i / MRI_AXES, sum->k[i], i % MRI_AXES);
    return KN_OK;
}

kn_status ki_sum_check_positions(const char *function, const struct mri_sum *sum, enum mri_kernel kernel,
                                 kn_error *err)
{
    if (!sum->positions || !(mri_kernel_is_separable(kernel) || mri_kernel_is_transform(kernel)))
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "%s: positions of their own, but the kernel %s is for the matrix's alone", function,
                   ki_mri_kernel_names[kernel]);
}

void ki_sum_position(const struct mri_sum *sum, size_t voxel, double r[MRI_AXES])
{
    size_t n = sum->first + voxel;

    for (size_t axis = 0; axis < MRI_AXES; n /= sum->matrix.size[axis], axis++)
        r[axis] = sum->positions ? sum->positions[MRI_AXES * (sum->first + voxel) + axis]
                                 : ki_mri_position(n % sum->matrix.size[axis], sum->matrix.size[axis]);
}

double ki_sum_flops(const struct mri_sum *sum)
{
    return sum_is_real(sum) ? 10 : 13;
}

void ki_mri_basis_box(const kn_recon_matrix *matrix, const double *k, size_t samples, double complex *basis)
{
    for (size_t m = 0; m < samples; m++) {
        double product = 1;

        for (size_t axis = 0; axis < MRI_AXES; axis++) {
            double x = M_PI * k[MRI_AXES * m + axis] / (double)matrix->size[axis];

            product *= x == 0 ? 1 : sin(x) / x;
        }
        basis[m] = product;
    }
}

// ---- memory ----

static kn_status get(struct sum_work *work, unsigned place, size_t bytes, kn_buffer **buffer, kn_error *err)
{
    return ki_engine_scratch_get(&work->scratch, place, bytes, buffer, err);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// The elements that are processed at a time: limited by `most`, by one allocation, and by a part of the
// device's memory.
static size_t at_a_time(const kn_queue *queue, size_t most, size_t wanted)
{
    const kn_device_info *info = &queue->context->device.info;
    size_t held = least(info->max_alloc, info->global_memory / SHARE) / ELEMENT;

    return least(least(most, held ? held : 1), wanted ? wanted : 1);
}

struct mri_bytes ki_mri_sum_memory(const kn_queue *queue, size_t voxels, size_t samples)
{
    size_t slab = at_a_time(queue, SLAB, voxels), batch = at_a_time(queue, BATCH, samples);
    size_t tuned = ki_sum_parts_memory(queue, slab, samples),
           product = ki_separable_parts_memory(queue, slab, samples);

    return (struct mri_bytes){.host = (slab > batch ? slab : batch) * ELEMENT,
                              .device = slab * VOXEL_BYTES + batch * SAMPLE_BYTES +
                                        (tuned > product ? tuned : product)};
}

static kn_status get_all(struct sum_work *work, size_t slab, size_t batch, kn_error *err)
{
    const struct mri_sum *sum = work->sum;
    kn_status status = get(work, SUM_PLACE_TOTAL, slab * 4 * sizeof(float), &work->total, err);

    if (work->voxels == SUM_VOXEL_RECORDS && !status)
        status = ki_sum_get(&work->scratch, work->voxels_there, SUM_PLACE_POSITIONS, slab * ELEMENT,
                            &work->positions[0], err);
    for (size_t axis = 0; axis < MRI_AXES && work->voxels == SUM_VOXEL_ARRAYS && !status; axis++)
        status = ki_sum_get(&work->scratch, work->voxels_there, SUM_PLACE_POSITIONS + (unsigned)axis,
                            slab * sizeof(float), &work->positions[axis], err);
    for (unsigned component = 0; component < SUM_COMPONENTS && !status; component++) {
        const struct sum_slot *slot = &work->layout->slots[component];
        size_t bytes = slot->step * sizeof(float);

        if (slot->step == 0 || work->samples[slot->buffer])
            continue;
        status = ki_sum_get(&work->scratch, work->samples_there, SUM_PLACE_SAMPLES + slot->buffer,
                            batch * bytes, &work->samples[slot->buffer], err);
        if (work->constant && !status)
            status = ki_engine_scratch_get_exact(&work->scratch, SUM_PLACE_CHUNKS + slot->buffer,
                                                 work->chunk * bytes, &work->chunks[slot->buffer], err);
    }
    if ((sum->data || sum->device_data) && !status)
        status = get(work, SUM_PLACE_DATA, batch * 2 * sizeof(float), &work->data, err);
    if (sum->weights && !status)
        status = ki_sum_get(&work->scratch, work->samples_there, SUM_PLACE_WEIGHTS, batch * sizeof(float),
                            &work->weights, err);
    if (sum->basis && !status)
        status = ki_sum_get(&work->scratch, work->samples_there, SUM_PLACE_BASIS, batch * 2 * sizeof(float),
                            &work->basis, err);
    return status;
}

static void free_events(struct sum_launches *launches)
{
    for (size_t i = 0; i < launches->event_count; i++)
        kn_event_free(launches->events[i]);
    free(launches->events);
}

// ---- kernels ----

static kn_status open_kernels(struct sum_work *work, const struct form *form, kn_error *err)
{
    const struct mri_sum *sum = work->sum;
    struct engine_defines defines = {.count = 0}, factors = {.count = 0};
    kn_status status;

    ki_engine_define(&factors, "DATA", sum->data || sum->device_data);
    ki_engine_define(&factors, "WEIGHTS", sum->weights != NULL);
    ki_engine_define(&factors, "BASIS", sum->basis != NULL);
    status = ki_engine_builtin_kernel(work->queue->context, "app/mri/mri_mu.cl", factors.items, factors.count,
                                      KN_POLICY_DEFAULT, "mri_mu", &work->mu, err);
    if (status || ways[form - forms].open)
        return status;
    ki_engine_define(&defines, "REAL_MU", sum_is_real(sum));
    if (form->constant)
        ki_engine_define_text(&defines, "KN_CONSTANT", "bank");
    return ki_engine_builtin_kernel(work->queue->context, "app/mri/mri_fhd.cl", defines.items, defines.count,
                                    KN_POLICY_DEFAULT, form->function, &work->kernel, err);
}

static kn_range items(size_t count, size_t group)
{
    return (kn_range){1, {(count + group - 1) / group * group}, {group}, {0}};
}

// ---- samples ----

static kn_status write_data(struct sum_work *work, size_t first, size_t count, float *staging, kn_error *err)
{
    const struct mri_sum *sum = work->sum;
    size_t pair = 2 * sizeof *staging;

    if (sum->device_data)
        return kn_buffer_copy(work->queue, sum->device_data, first * pair, work->data, 0, count * pair, NULL,
                              err);
    if (!sum->data)
        return KN_OK;
    ki_sum_round_pairs(sum->data + first, count, staging);
    return kn_buffer_write(work->queue, work->data, 0, staging, count * pair, err);
}

static kn_status write_basis(struct sum_work *work, size_t first, size_t count, float *staging, kn_error *err)
{
    if (!work->sum->basis || sum_is_there(work->samples_there, SUM_PLACE_BASIS))
        return KN_OK;
    ki_sum_round_pairs(work->sum->basis + first, count, staging);
    return ki_sum_write(work->queue, work->samples_there, SUM_PLACE_BASIS, work->basis, staging,
                        count * 2 * sizeof *staging, err);
}

static kn_status write_weights(struct sum_work *work, size_t first, size_t count, float *staging,
                               kn_error *err)
{
    if (!work->sum->weights || sum_is_there(work->samples_there, SUM_PLACE_WEIGHTS))
        return KN_OK;
    for (size_t m = 0; m < count; m++)
        staging[m] = (float)work->sum->weights[first + m];
    return ki_sum_write(work->queue, work->samples_there, SUM_PLACE_WEIGHTS, work->weights, staging,
                        count * sizeof *staging, err);
}

// Writes the components of k to one of the layout's buffers, which has room for mu.
static kn_status write_k(struct sum_work *work, size_t first, size_t count, unsigned buffer, void *staging,
                         kn_error *err)
{
    const struct mri_sum *sum = work->sum;
    float *numbers = staging;
    uint32_t *bits = staging;
    size_t step = 0;

    if (sum_is_there(work->samples_there, SUM_PLACE_SAMPLES + buffer))
        return KN_OK;
    for (unsigned axis = 0; axis < SUM_COMPONENTS; axis++) {
        const struct sum_slot *slot = &work->layout->slots[axis];

        if (slot->buffer != buffer || slot->step == 0)
            continue;
        step = slot->step;
        for (size_t m = 0; m < count; m++) {
            size_t at = slot->at + m * step;

            if (axis >= MRI_AXES)
                numbers[at] = 0;
            else if (work->fractions)
                bits[at] = ki_mri_fraction(sum->k[MRI_AXES * (first + m) + axis], sum->matrix.size[axis]);
            else
                numbers[at] = (float)sum->k[MRI_AXES * (first + m) + axis];
        }
    }
    return ki_sum_write(work->queue, work->samples_there, SUM_PLACE_SAMPLES + buffer, work->samples[buffer],
                        staging, count * step * sizeof *numbers, err);
}

static kn_status launch_mu(struct sum_work *work, size_t samples, kn_error *err)
{
    const struct sum_slot *re = &work->layout->slots[SUM_RE], *im = &work->layout->slots[SUM_IM];
    const uint32_t count = (uint32_t)samples, re_at = re->at, re_step = re->step, im_at = im->at,
                   im_step = im->step;
    const uint32_t has_im = im->step > 0;
    kn_buffer *to = work->samples[re->buffer]; // also stands in for buffers that are not read
    const kn_arg args[] = {
        KN_BUFFER(work->data ? work->data : to),
        KN_BUFFER(work->weights ? work->weights : to),
        KN_BUFFER(work->basis ? work->basis : to),
        KN_VALUE(count),
        KN_BUFFER(to),
        KN_VALUE(re_at),
        KN_VALUE(re_step),
        KN_BUFFER(work->samples[im->buffer]),
        KN_VALUE(im_at),
        KN_VALUE(im_step),
        KN_VALUE(has_im),
    };
    const kn_range range = items(samples, GROUP);

    return ki_sum_launch(work->queue, &work->launches, work->mu, &range, 0, args, KI_COUNT(args), err);
}

static kn_status load_samples(struct sum_work *work, size_t first, size_t count, void *staging, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned buffer = 0; buffer < work->layout->buffers && !status; buffer++)
        status = write_k(work, first, count, buffer, staging, err);
    if (!status)
        status = write_data(work, first, count, staging, err);
    if (!status)
        status = write_basis(work, first, count, staging, err);
    if (!status)
        status = write_weights(work, first, count, staging, err);
    return status ? status : launch_mu(work, count, err);
}

// ---- voxels ----

static kn_status load_voxels(struct sum_work *work, size_t from, size_t count, float *staging, kn_error *err)
{
    unsigned last = SUM_PLACE_POSITIONS + (work->voxels == SUM_VOXEL_ARRAYS ? MRI_AXES - 1 : 0);
    kn_status status = KN_OK;
    double r[MRI_AXES];

    if (work->voxels == SUM_VOXELS_NOWHERE || sum_is_there(work->voxels_there, last))
        return KN_OK;
    if (work->voxels == SUM_VOXEL_RECORDS) {
        memset(staging, 0, count * ELEMENT);
        for (size_t n = 0; n < count; n++) {
            ki_sum_position(work->sum, from + n, r);
            for (size_t axis = 0; axis < MRI_AXES; axis++)
                staging[5 * n + axis] = (float)r[axis];
        }
        return ki_sum_write(work->queue, work->voxels_there, SUM_PLACE_POSITIONS, work->positions[0], staging,
                            count * ELEMENT, err);
    }
    for (size_t axis = 0; axis < MRI_AXES && !status; axis++) {
        for (size_t n = 0; n < count; n++) {
            ki_sum_position(work->sum, from + n, r);
            staging[n] = (float)r[axis];
        }
        status = ki_sum_write(work->queue, work->voxels_there, SUM_PLACE_POSITIONS + (unsigned)axis,
                              work->positions[axis], staging, count * sizeof *staging, err);
    }
    return status;
}

// ---- the sum ----

// Launches one of the lecture's kernels: the arguments are voxels, their number, samples, their range, sums,
// and the place for the values.
static kn_status launch(struct sum_work *work, const struct sum_range *range, kn_error *err)
{
    kn_buffer *const *samples = work->constant ? work->chunks : work->samples;
    const uint32_t begin = work->constant ? 0 : range->begin, end = begin + range->end - range->begin;
    kn_arg args[MRI_AXES + SUM_COMPONENTS + 7];
    size_t count = 0;
    const kn_range all = items(range->count, GROUP);
    kn_status status =
        work->constant ? ki_sum_copy_chunk(work, range->begin, range->end - range->begin, err) : KN_OK;

    for (size_t axis = 0; axis < (work->voxels == SUM_VOXEL_RECORDS ? 1 : MRI_AXES); axis++)
        args[count++] = KN_BUFFER(work->positions[axis]);
    args[count++] = KN_VALUE(range->count);
    for (size_t i = 0; i < work->layout->buffers; i++)
        args[count++] = KN_BUFFER(samples[i]);
    args[count++] = KN_VALUE(begin);
    args[count++] = KN_VALUE(end);
    args[count++] = KN_BUFFER(work->total);
    args[count++] = KN_BUFFER(range->image);
    args[count++] = KN_VALUE(range->at);
    args[count++] = KN_VALUE(range->stage);
    return status ? status
                  : ki_sum_launch(work->queue, &work->launches, work->kernel, &all, end - begin, args, count,
                                  err);
}

// Adds the samples on the device, the batch beginning with sample `first`, to a slab of voxels.
static kn_status add_batch(struct sum_work *work, const struct form *form, struct sum_range *range,
                           size_t first, size_t batch, kn_error *err)
{
    const struct mri_sum *sum = work->sum;
    double all = (double)sum->count * (double)sum->samples;
    kn_status status = KN_OK;

    for (size_t begin = 0; begin < batch && !status; begin += work->chunk) {
        size_t samples = least(work->chunk, batch - begin);

        work->launches.part =
            ((double)range->from * (double)sum->samples + (double)range->count * (double)(first + begin)) /
            all;
        work->launches.share = (double)range->count * (double)samples / all;
        range->begin = (uint32_t)begin;
        range->end = (uint32_t)(begin + samples);
        range->stage = (first + begin == 0 ? STAGE_FIRST : 0) |
                       (first + begin + samples == sum->samples ? STAGE_LAST : 0);
        status = (ways[form - forms].launch ? ways[form - forms].launch : launch)(work, range, err);
        double numbers = (sum_is_real(sum) ? 4.0 : 5.0) * (double)samples, voxels = (double)range->count;
        work->loads += numbers * (form->cached ? ceil(voxels / CACHED_FOR) : voxels) +
                       form->pair_loads * (double)samples * voxels + VOXEL_ACCESSES * voxels;
    }
    return status;
}

// The slab that begins with voxel `from`: within one part of the image, and at most `most` voxels.
static struct sum_range slab_at(const struct sum_work *work, kn_buffer *image, size_t from, size_t most)
{
    size_t value = 2 * sizeof(float), length = kn_buffer_get_size(kn_buffer_get_part(image, 0)) / value;
    size_t part = from / length, at = from % length;

    return (struct sum_range){.from = from,
                              .count = (uint32_t)least(least(most, length - at), work->sum->count - from),
                              .image = kn_buffer_get_part(image, part),
                              .at = at};
}

static kn_status add_all(struct sum_work *work, const struct form *form, kn_buffer *image, size_t slab,
                         size_t batch, void *staging, kn_error *err)
{
    const struct mri_sum *sum = work->sum;
    size_t loaded = SIZE_MAX;
    kn_status status = KN_OK;

    for (size_t from = 0; from < sum->count && !status;) {
        struct sum_range range = slab_at(work, image, from, slab);

        status = load_voxels(work, from, range.count, staging, err);
        for (size_t first = 0; first < sum->samples && !status; first += batch) {
            size_t count = least(batch, sum->samples - first);

            if (loaded != first)
                status = load_samples(work, first, count, staging, err);
            loaded = first;
            if (!status)
                status = add_batch(work, form, &range, first, count, err);
        }
        from += range.count;
    }
    return status;
}

// The seconds are 0 if the caller's queue does not measure time (koine/opencl.h).
static kn_status measure(struct sum_work *work, kn_recon_rate *rate, kn_error *err)
{
    const struct mri_sum *sum = work->sum;
    kn_status status = KN_OK;
    uint64_t nanoseconds = 0, all = 0;

    for (size_t i = 0; i < work->launches.event_count && !status; i++) {
        status = kn_event_wait(work->launches.events[i], err);
        if (!status && kn_event_get_duration(work->launches.events[i], &nanoseconds, NULL) == KN_OK)
            all += nanoseconds;
    }
    rate->seconds = (double)all * 1e-9;
    rate->pairs = (double)sum->samples * (double)sum->count;
    rate->flops = rate->pairs * ki_sum_flops(sum);
    rate->loads = work->loads;
    return status;
}

static kn_status check_device(const kn_queue *queue, const struct mri_sum *sum, enum mri_kernel kernel,
                              const kn_buffer *image, kn_error *err)
{
    if (!queue || !image || queue->context != image->context)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "mri_sum_device: queue or image is NULL, or of another context");
    if (!mri_kernel_is_of_device(kernel))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "mri_sum_device: kernel %d is not one of a device; see mri_kernel", (int)kernel);
    if (ki_sum_check_positions("mri_sum_device", sum, kernel, err))
        return KN_ERROR_ARGUMENT;
    if (sum->count > image->bytes / (2 * sizeof(float)))
        return ki_fail(err, KN_ERROR_ARGUMENT, "mri_sum_device: %zu voxels, but the image has room for %zu",
                       sum->count, image->bytes / (2 * sizeof(float)));
    if (sum->device_data && (sum->data || queue->context != sum->device_data->context ||
                             sum->samples > sum->device_data->bytes / (2 * sizeof(float))))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "mri_sum_device: the device's data are of another context, or not of %zu samples, or "
                       "there are others beside them",
                       sum->samples);
    return KN_OK;
}

kn_status ki_mri_sum_device(kn_queue *queue, const struct mri_sum *given, enum mri_kernel kernel,
                            kn_buffer *image, kn_recon_rate *rate, kn_error *err)
{
    struct mri_sum sum = *given;
    struct sum_work work = {.launches = {.timed = rate != NULL}, .queue = queue, .sum = &sum};
    kn_status status = ki_sum_check("mri_sum_device", &sum, err);
    const struct form *form = &forms[(unsigned)kernel < MRI_HOST_DOUBLE ? kernel : 0];
    size_t slab, batch;
    void *staging = NULL;

    if (!status)
        status = check_device(queue, &sum, kernel, image, err);
    if (status)
        return status;
    if (mri_kernel_is_cartesian(kernel))
        sum.tolerance = MRI_NUFFT_ON_GRID;
    if (mri_kernel_is_transform(kernel))
        return ki_nufft_device(queue, &sum, image, rate, err);
    work.layout = sum_is_real(&sum) ? form->real_layout : form->layout;
    work.constant = form->constant;
    work.voxels = form->voxels;
    work.chunk = at_a_time(queue, form->constant ? CONSTANT_CHUNK : SUM_CHUNK, SIZE_MAX);
    slab = at_a_time(queue, SLAB, sum.count);
    batch = at_a_time(queue, BATCH, sum.samples);
    if (batch >= sum.samples)
        work.samples_there = sum.there;
    if (slab >= sum.count && kn_buffer_get_part_count(image) == 1)
        work.voxels_there = sum.there;
    work.scratch = ki_engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, SUM_PLACES, "a sum over samples");
    if (sum.samples == 0)
        status = kn_buffer_fill(queue, image, "\0\0\0\0", 4, 0, sum.count * 2 * sizeof(float), NULL, err);
    if (!status)
        status = open_kernels(&work, form, err);
    if (ways[kernel].open && !status)
        status = ways[kernel].open(&work, slab, err);
    if (!status)
        status = get_all(&work, slab, batch, err);
    if (!status && !(staging = ki_kept_take(&queue->kept, (slab > batch ? slab : batch) * ELEMENT)))
        status = ki_fail_memory(err, (slab > batch ? slab : batch) * ELEMENT, "the samples of a sum");
    if (!status)
        status = add_all(&work, form, image, slab, batch, staging, err);
    if (rate && !status)
        status = measure(&work, rate, err);
    ki_kept_give(&queue->kept, staging);
    ki_engine_scratch_close(&work.scratch);
    free_events(&work.launches);
    return status;
}
