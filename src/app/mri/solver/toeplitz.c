// SPDX-License-Identifier: Apache-2.0
#include "toeplitz.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "algo/columns.h"
#include "app/mri/cartesian.h"
#include "base/array.h"
#include "base/error.h"
#include "base/os/clock.h"
#include "toeplitz_internal.h"

// ---- sizes ----

static bool is_smooth(size_t n)
{
    static const size_t primes[] = {2, 3, 5};

    for (size_t i = 0; i < KI_COUNT(primes); i++)
        while (n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

static size_t grid_length(size_t n)
{
    size_t length = 2 * n;

    while (n > 1 && !is_smooth(length))
        length += 2;
    return n > 1 ? length : 1;
}

// The matrix whose voxels are the differences between voxels of another matrix.
static kn_recon_matrix doubled(const kn_recon_matrix *matrix)
{
    kn_recon_matrix twice = {.axes = matrix->axes};

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        twice.size[axis] = matrix->size[axis] > 1 ? 2 * matrix->size[axis] : 1;
    return twice;
}

// The number of differences up to d = 0.
static size_t half_of(const kn_recon_matrix *twice)
{
    size_t centre = 0;

    for (size_t axis = MRI_AXES; axis-- > 0;)
        centre = centre * twice->size[axis] + twice->size[axis] / 2;
    return centre + 1;
}

static kn_status measure(const kn_recon_matrix *matrix, bool on_grid, struct mri_toeplitz_size *size,
                         kn_error *err)
{
    struct mri_toeplitz_size found = {.points = 1};
    kn_recon_matrix grid = {.axes = matrix->axes}, twice;
    size_t voxels, first, second;
    kn_status status = ki_mri_matrix_count(matrix, &voxels, err);

    if (status)
        return status;
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        if (matrix->size[axis] > UINT32_MAX / 8)
            return ki_fail(err, KN_ERROR_ARGUMENT, "a matrix of %zu voxels along %c; expected at most %u",
                           matrix->size[axis], "xyz"[axis], UINT32_MAX / 8);
    twice = doubled(matrix);
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        found.length[axis] = grid.size[axis] = on_grid ? matrix->size[axis] : grid_length(matrix->size[axis]);
    status = ki_mri_matrix_count(&grid, &found.points, err);
    if (status)
        return status;
    found.differences = on_grid ? 0 : half_of(&twice);
    // The intermediate arrays of the transforms: padded along x, and along x and y.
    first = matrix->size[2] * matrix->size[1] * found.length[0];
    second = matrix->size[2] * found.length[1] * found.length[0];
    found.bytes = (3 * found.points + 2 * (first + second + found.differences)) * sizeof(float);
    *size = found;
    return KN_OK;
}

kn_status ki_mri_toeplitz_measure(const kn_recon_matrix *matrix, struct mri_toeplitz_size *size,
                                  kn_error *err)
{
    return measure(matrix, false, size, err);
}

kn_status ki_mri_toeplitz_measure_on_grid(const kn_recon_matrix *matrix, struct mri_toeplitz_size *size,
                                          kn_error *err)
{
    return measure(matrix, true, size, err);
}

kn_status ki_mri_toeplitz_measure_for(const kn_recon_matrix *matrix, enum mri_kernel kernel,
                                      struct mri_toeplitz_size *size, kn_error *err)
{
    return measure(matrix, mri_kernel_is_cartesian(kernel), size, err);
}

struct mri_bytes ki_mri_toeplitz_memory(const kn_queue *queue, const struct mri_toeplitz_size *size,
                                        size_t samples)
{
    return mri_bytes_both(ki_mri_sum_memory(queue, size->differences, samples),
                          (struct mri_bytes){saturate_times(samples, MRI_POSITION), size->bytes});
}

// ---- differences ----

static kn_status check_weights(const double *weights, size_t samples, kn_error *err)
{
    for (size_t m = 0; m < samples && weights; m++)
        if (!isfinite(weights[m]))
            return ki_fail(err, KN_ERROR_ARGUMENT, "sample %zu: a weight of %g", m, weights[m]);
    return KN_OK;
}

static kn_status check_samples(const double *k, size_t samples, const double *weights, kn_error *err)
{
    bool finite = ki_mri_is_finite(k, samples);

    for (size_t i = 0; !finite && i < MRI_AXES * samples; i++)
        if (!isfinite(k[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT, "sample %zu of the trajectory: k%c is %g", i / MRI_AXES,
                           "xyz"[i % MRI_AXES], k[i]);
    return check_weights(weights, samples, err);
}

static kn_status sum_on_host(kn_queue *queue, const struct mri_sum *sum, enum mri_kernel kernel, kn_buffer *q,
                             kn_recon_rate *rate, kn_error *err)
{
    double complex *values = malloc(sum->count * sizeof *values);
    float *singles = (float *)values; // in place: each is written after the number there was read
    kn_status status = values ? ki_mri_sum_host(sum, kernel, NULL, values, rate, err)
                              : ki_fail_memory(err, sum->count * sizeof *values, "computing Q");

    for (size_t i = 0; i < sum->count && !status; i++) {
        double complex value = values[i];

        singles[2 * i] = (float)creal(value);
        singles[2 * i + 1] = (float)cimag(value);
    }
    if (!status)
        status = kn_buffer_write(queue, q, 0, singles, sum->count * 2 * sizeof *singles, err);
    free(values);
    return status;
}

kn_status ki_mri_toeplitz_differences(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                      size_t samples, const double *weights, enum mri_kernel kernel,
                                      size_t first, size_t count, kn_buffer *q, kn_recon_rate *rate,
                                      kn_error *err)
{
    struct mri_toeplitz_size size;
    struct mri_sum sum = {.samples = samples, .weights = weights, .first = first, .count = count};
    double *twice;
    kn_status status = ki_mri_toeplitz_measure(matrix, &size, err);

    if (!status)
        status = check_samples(k, samples, weights, err);
    if (status)
        return status;
    if (first > size.differences || count > size.differences - first)
        return ki_fail(err, KN_ERROR_ARGUMENT, "Q has %zu differences, and not %zu from number %zu on",
                       size.differences, count, first);
    if (kn_buffer_get_size(q) / (2 * sizeof(float)) < count)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%zu differences of 8 bytes, but the buffer holds %zu bytes",
                       count, kn_buffer_get_size(q));
    twice = malloc(samples * MRI_AXES * sizeof *twice + 1);
    if (!twice)
        return ki_fail_memory(err, samples * MRI_AXES * sizeof *twice, "computing Q");
    for (size_t i = 0; i < samples * MRI_AXES; i++)
        twice[i] = 2 * k[i];
    sum.matrix = doubled(matrix);
    sum.k = twice;
    sum.ask = queue->asking.ask; // for a kernel of the host
    status = mri_kernel_is_host(kernel) ? sum_on_host(queue, &sum, kernel, q, rate, err)
                                        : ki_mri_sum_device(queue, &sum, kernel, q, rate, err);
    free(twice);
    return status;
}

// ---- the operator ----

static const struct engine_sizes *sizes_of(const kn_context *context)
{
    return ki_engine_sizes(kn_context_get_device(context), SHAPE_MRI_TOEPLITZ);
}

static kn_status get_kernel(kn_context *context, const char *name, kn_kernel **kernel, kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_engine_define(&defines, "GROUP", sizes_of(context)->group);
    ki_engine_define(&defines, "ITEMS", sizes_of(context)->items);
    return ki_engine_builtin_kernel(context, "app/mri/mri_toeplitz.cl", defines.items, defines.count,
                                    KN_POLICY_DEFAULT, name, kernel, err);
}

// The grid of all points, between the two transforms.
static struct engine_scratch open_grid(kn_queue *queue)
{
    return ki_engine_scratch_open(queue, ENGINE_SCRATCH_OPERATOR, 1, "the normal operator");
}

// Each direction is compiled when it is first used: the inverse one here, not in the first iteration.
static kn_status make_plans(kn_queue *queue, struct mri_toeplitz *toeplitz, kn_error *err)
{
    const struct mri_toeplitz_size *size = &toeplitz->size;
    const size_t *voxels = toeplitz->origin.matrix.size;
    kn_fft_shape padded = KN_INIT(kn_fft_shape, .rank = MRI_AXES, .type = KN_F32), cropped;
    const kn_fft_options own = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    const float zero = 0;
    size_t bytes = size->points * 2 * sizeof(float);
    struct engine_scratch scratch = open_grid(queue);
    kn_buffer *grid = NULL, *image = NULL;
    kn_status status;

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        padded.dims[axis] = size->length[axis];
    cropped = padded;
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        padded.in_dims[axis] = cropped.out_dims[axis] = voxels[axis];
    status = kn_fft_plan_create(queue, &padded, &own, &toeplitz->forward, err);
    if (!status)
        status = kn_fft_plan_create(queue, &cropped, &own, &toeplitz->back, err);
    if (!status)
        status = ki_engine_scratch_get(&scratch, 0, bytes, &grid, err);
    if (!status)
        status = kn_buffer_fill(queue, grid, &zero, sizeof zero, 0, bytes, NO_EVENT, err);
    if (!status)
        status = kn_buffer_create(toeplitz->context, voxels[0] * voxels[1] * voxels[2] * 2 * sizeof(float),
                                  &image, err);
    if (!status)
        status = kn_fft_execute(queue, toeplitz->back, KN_FFT_INVERSE, grid, image, err);
    if (!status)
        status = kn_queue_finish(queue, err);
    ki_engine_scratch_close(&scratch);
    kn_buffer_free(image);
    return status;
}

static kn_status apply(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from, kn_buffer *to,
                       kn_error *err)
{
    (void)adjoint; // self-adjoint
    return ki_mri_toeplitz_apply(queue, data, from, to, err);
}

kn_status ki_toeplitz_create(kn_queue *queue, const struct toeplitz_origin *origin,
                             struct mri_toeplitz **toeplitz, kn_error *err)
{
    kn_context *context = kn_queue_get_context(queue);
    const kn_device_info *info = kn_context_get_device(context);
    struct mri_toeplitz_size size;
    struct mri_toeplitz *made;
    bool on_grid = strcmp(origin->kernel, ki_mri_kernel_names[MRI_CARTESIAN]) == 0;
    kn_status status = measure(&origin->matrix, on_grid, &size, err);

    if (status)
        return status;
    if (size.points > info->max_alloc / (2 * sizeof(float)))
        return ki_fail(err, KN_ERROR_LIMIT,
                       "a grid of %zu x %zu x %zu points of 8 bytes is more than one allocation of %s holds "
                       "(%llu bytes); use a smaller matrix or another device",
                       size.length[0], size.length[1], size.length[2], info->spec,
                       (unsigned long long)info->max_alloc);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing the normal operator");
    made->context = context;
    made->origin = *origin;
    made->size = size;
    status = kn_buffer_create(context, size.points * sizeof(float), &made->eigenvalues, err);
    if (!status)
        status = get_kernel(context, "mri_toeplitz_multiply", &made->multiply, err);
    if (!status)
        status = make_plans(queue, made, err);
    if (!status)
        status = ki_mri_normal_begin(context, &origin->matrix, NAN, apply, made, &made->normal, err);
    if (status)
        ki_mri_toeplitz_free(made);
    else
        *toeplitz = made;
    return status;
}

void ki_mri_toeplitz_free(struct mri_toeplitz *toeplitz)
{
    if (!toeplitz)
        return;
    ki_mri_normal_end(&toeplitz->normal);
    kn_fft_plan_free(toeplitz->forward);
    kn_fft_plan_free(toeplitz->back);
    kn_buffer_free(toeplitz->eigenvalues);
    free(toeplitz);
}

kn_status ki_toeplitz_find_bound(kn_queue *queue, struct mri_toeplitz *toeplitz, kn_error *err)
{
    size_t points = toeplitz->size.points;
    kn_number least, greatest;
    kn_status status = kn_reduce(queue, toeplitz->eigenvalues, KN_F32, points, KN_REDUCE_MIN, &least, err);

    if (!status)
        status = kn_reduce(queue, toeplitz->eigenvalues, KN_F32, points, KN_REDUCE_MAX, &greatest, err);
    if (status)
        return status;
    toeplitz->normal.bound = fmax(fabs(least.f64), fabs(greatest.f64)) * (double)points;
    if (isnan(least.f64) || !isfinite(toeplitz->normal.bound))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "the normal operator has eigenvalues that are not finite in single precision; divide the "
            "weights by their sum");
    return KN_OK;
}

// Places the differences on half of the grid, and transforms them; the result is real.
static kn_status find_eigenvalues(kn_queue *queue, struct mri_toeplitz *toeplitz, kn_buffer *q, kn_error *err)
{
    const struct mri_toeplitz_size *size = &toeplitz->size;
    uint32_t voxels[MRI_AXES], length[MRI_AXES];
    kn_fft_shape shape = KN_INIT(kn_fft_shape, .rank = MRI_AXES, .type = KN_F32,
                                 .kind = KN_FFT_COMPLEX_TO_REAL, .scale = 1 / (double)size->points);
    const kn_fft_options own = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    size_t half = size->length[0] / 2 + 1;
    const kn_range range = {3, {half, size->length[1], size->length[2]}, {0}, {0}};
    struct engine_scratch scratch = open_grid(queue);
    kn_fft_plan *plan = NULL;
    kn_kernel *embed;
    kn_buffer *grid;
    kn_status status = get_kernel(toeplitz->context, "mri_toeplitz_embed", &embed, err);

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        shape.dims[axis] = size->length[axis];
        length[axis] = (uint32_t)size->length[axis];
        voxels[axis] = (uint32_t)toeplitz->origin.matrix.size[axis];
    }
    if (!status)
        status = kn_fft_plan_create(queue, &shape, &own, &plan, err);
    if (!status)
        status = ki_engine_scratch_get(
            &scratch, 0, half * size->length[1] * size->length[2] * 2 * sizeof(float), &grid, err);
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(q),        KN_BUFFER(grid),     KN_VALUE(voxels[0]),
                               KN_VALUE(voxels[1]), KN_VALUE(voxels[2]), KN_VALUE(length[0]),
                               KN_VALUE(length[1]), KN_VALUE(length[2])};
        status = kn_launch(queue, embed, &range, args, KI_COUNT(args), NO_EVENT, err);
    }
    if (!status)
        status = kn_fft_execute(queue, plan, KN_FFT_INVERSE, grid, toeplitz->eigenvalues, err);
    ki_engine_scratch_close(&scratch);
    if (!status)
        status = ki_toeplitz_find_bound(queue, toeplitz, err);
    kn_fft_plan_free(plan);
    return status;
}

// For samples on the grid: the eigenvalues are the sums of the weights, because the transforms are unscaled.
static kn_status eigenvalues_on_grid(kn_queue *queue, const struct mri_sum *of, struct mri_toeplitz *toeplitz,
                                     kn_recon_rate *rate, kn_error *err)
{
    size_t points = toeplitz->size.points;
    double began = ki_clock_seconds(), *sums = malloc(points * sizeof *sums);
    float *singles = malloc(points * sizeof *singles);
    kn_status status = sums && singles ? check_samples(of->k, of->samples, of->weights, err)
                                       : ki_fail_memory(err, points * sizeof *sums, "computing Q");

    if (!status) {
        ki_mri_grid_weights(&of->matrix, of->k, of->samples, of->weights, sums);
        for (size_t i = 0; i < points; i++)
            singles[i] = (float)sums[i];
        status = kn_buffer_write(queue, toeplitz->eigenvalues, 0, singles, points * sizeof *singles, err);
    }
    free(sums);
    free(singles);
    if (!status)
        status = ki_toeplitz_find_bound(queue, toeplitz, err);
    if (!status && rate)
        *rate = (kn_recon_rate){.seconds = ki_clock_seconds() - began}; // no differences, so no pairs
    return status;
}

// Computes all differences; those of the second half are ignored.
static kn_status differences_by_nufft(kn_queue *queue, const struct mri_sum *of, kn_buffer **q,
                                      kn_recon_rate *rate, kn_error *err)
{
    double began = ki_clock_seconds();
    kn_recon_matrix twice = doubled(&of->matrix);
    struct mri_nufft *nufft = NULL;
    size_t voxels;
    kn_status status = check_weights(of->weights, of->samples, err), after; // the NUFFT checks k

    if (!status)
        status = ki_mri_matrix_count(&twice, &voxels, err);
    if (!status)
        status = kn_buffer_create(kn_queue_get_context(queue), voxels * 2 * sizeof(float), q, err);
    if (!status)
        status = ki_mri_nufft_create(queue, &twice, 2, of->k, of->samples, of->weights, NULL, of->tolerance,
                                     &nufft, err);
    if (!status)
        status = ki_mri_nufft_adjoint(queue, nufft, of->weights != NULL, NULL, *q, err);
    after = kn_queue_finish(queue, status ? NULL : err);
    ki_mri_nufft_free(nufft);
    if (rate)
        *rate = (kn_recon_rate){.seconds = ki_clock_seconds() - began}; // the work is not in pairs
    return status ? status : after;
}

struct mri_bytes ki_mri_toeplitz_nufft_memory(const kn_recon_matrix *matrix,
                                              const struct mri_toeplitz_size *size, size_t samples)
{
    const kn_recon_matrix twice = doubled(matrix);
    size_t differences = MRI_PAIR;

    for (size_t axis = 0; axis < MRI_AXES; axis++)
        differences = saturate_times(differences, twice.size[axis]);
    return mri_bytes_both(ki_mri_nufft_memory(&twice, samples),
                          (struct mri_bytes){0, saturate_plus(size->bytes, differences)});
}

// From given differences; NULL: computes them.
static kn_status compute(kn_queue *queue, const struct mri_sum *of, enum mri_kernel kernel,
                         const float *given, struct mri_toeplitz **toeplitz, kn_recon_rate *rate,
                         kn_error *err)
{
    struct toeplitz_origin origin = {.samples = of->samples};
    struct mri_toeplitz *made = NULL;
    kn_buffer *q = NULL;
    kn_status status;

    if ((unsigned)kernel >= MRI_KERNELS)
        return ki_fail(err, KN_ERROR_ARGUMENT, "there is no kernel %d; see mri_kernel", (int)kernel);
    origin.matrix = of->matrix;
    snprintf(origin.kernel, sizeof origin.kernel, "%s", ki_mri_kernel_names[kernel]);
    if (mri_kernel_is_cartesian(kernel) && given)
        return ki_fail(err, KN_ERROR_ARGUMENT, "differences of Q, which samples on the grid do not have");
    status = ki_toeplitz_create(queue, &origin, &made, err);
    if (!status && mri_kernel_is_cartesian(kernel)) {
        status = eigenvalues_on_grid(queue, of, made, rate, err);
        goto done;
    }
    if (!status && kernel == MRI_NUFFT && !given)
        status = differences_by_nufft(queue, of, &q, rate, err);
    else if (!status)
        status = kn_buffer_create(made->context, made->size.differences * 2 * sizeof(float), &q, err);
    if (!status && given)
        status = kn_buffer_write(queue, q, 0, given, made->size.differences * 2 * sizeof *given, err);
    else if (!status && kernel != MRI_NUFFT)
        status = ki_mri_toeplitz_differences(queue, &of->matrix, of->k, of->samples, of->weights, kernel, 0,
                                             made->size.differences, q, rate, err);
    if (!status)
        status = find_eigenvalues(queue, made, q, err);
done:
    kn_buffer_free(q);
    if (status)
        ki_mri_toeplitz_free(made);
    else
        *toeplitz = made;
    return status;
}

kn_status ki_mri_toeplitz_compute(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                  size_t samples, const double *weights, enum mri_kernel kernel,
                                  struct mri_toeplitz **toeplitz, kn_recon_rate *rate, kn_error *err)
{
    const struct mri_sum of = {.matrix = *matrix, .k = k, .samples = samples, .weights = weights};

    return compute(queue, &of, kernel, NULL, toeplitz, rate, err);
}

kn_status ki_mri_toeplitz_from(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                               size_t samples, const double *weights, enum mri_kernel kernel,
                               const float *differences, struct mri_toeplitz **toeplitz, kn_error *err)
{
    const struct mri_sum of = {.matrix = *matrix, .k = k, .samples = samples, .weights = weights};

    return compute(queue, &of, kernel, differences, toeplitz, NULL, err);
}

kn_status ki_mri_toeplitz_compute_nufft(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                        size_t samples, const double *weights, double tolerance,
                                        struct mri_toeplitz **toeplitz, kn_recon_rate *rate, kn_error *err)
{
    const struct mri_sum of = {
        .matrix = *matrix, .k = k, .samples = samples, .weights = weights, .tolerance = tolerance};

    return compute(queue, &of, MRI_NUFFT, NULL, toeplitz, rate, err);
}

// ---- application ----

kn_status ki_mri_toeplitz_apply(kn_queue *queue, struct mri_toeplitz *toeplitz, const kn_buffer *x,
                                kn_buffer *y, kn_error *err)
{
    uint64_t points = toeplitz->size.points;
    const struct engine_sizes *sizes = sizes_of(toeplitz->context);
    size_t tile = (size_t)2 * sizes->group * sizes->items,
           groups = (size_t)(points / tile + (points % tile != 0));
    const kn_range range = {1, {groups * sizes->group}, {sizes->group}, {0}};
    struct engine_scratch scratch;
    kn_buffer *grid;
    kn_status status;

    if (x == y)
        return ki_fail(err, KN_ERROR_ARGUMENT, "the normal operator in place; give two buffers");
    scratch = open_grid(queue);
    status = ki_engine_scratch_get(&scratch, 0, points * 2 * sizeof(float), &grid, err);
    if (!status)
        status = kn_fft_execute(queue, toeplitz->forward, KN_FFT_FORWARD, x, grid, err);
    if (!status) {
        const kn_arg args[] = {KN_BUFFER(grid), KN_BUFFER(toeplitz->eigenvalues), KN_VALUE(points)};
        status = kn_launch(queue, toeplitz->multiply, &range, args, KI_COUNT(args), NO_EVENT, err);
    }
    if (!status)
        status = kn_fft_execute(queue, toeplitz->back, KN_FFT_INVERSE, grid, y, err);
    ki_engine_scratch_close(&scratch);
    return status;
}

double ki_mri_toeplitz_bound(const struct mri_toeplitz *toeplitz)
{
    return toeplitz->normal.bound;
}

const struct mri_normal *ki_mri_toeplitz_normal(const struct mri_toeplitz *toeplitz)
{
    return &toeplitz->normal;
}

const char *ki_mri_toeplitz_kernel(const struct mri_toeplitz *toeplitz)
{
    for (size_t i = 0; ki_mri_kernel_names[i]; i++)
        if (strcmp(ki_mri_kernel_names[i], toeplitz->origin.kernel) == 0)
            return ki_mri_kernel_names[i];
    return "unknown";
}
