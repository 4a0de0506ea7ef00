// SPDX-License-Identifier: Apache-2.0
// Both sums by gridding, and the steps of density compensation: the launches of cl/app/mri/mri_gridding.cl,
// and the transforms between them.
#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "base/threads.h"
#include "gridding_internal.h"

// ---- steps ----

static kn_status check_buffer(const char *function, const kn_buffer *buffer, const char *name, size_t count,
                              kn_error *err)
{
    if (!buffer || kn_buffer_get_size(buffer) / (2 * sizeof(float)) < count)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: %s is of %zu bytes; expected %zu, 8 for each of %zu numbers", function, name,
                       buffer ? kn_buffer_get_size(buffer) : 0, 2 * sizeof(float) * count, count);
    return KN_OK;
}

enum { ITEMS = 64 }; // work-items of a group

// Launches at most `piece` work-items at a time, so that the queue can ask whether to go on in between.
static kn_status launch_pieces(kn_queue *queue, kn_kernel *kernel, size_t items, size_t piece,
                               const kn_arg *args, size_t count, kn_error *err)
{
    size_t most = piece < items ? (piece + ITEMS - 1) / ITEMS * ITEMS : items;
    kn_status status = KN_OK;

    for (size_t first = 0; first < items && !status; first += most) {
        size_t left = items - first < most ? items - first : most;
        const kn_range range = {1, {(left + ITEMS - 1) / ITEMS * ITEMS}, {ITEMS}, {first}};

        if (most < items)
            ki_queue_ask_next(queue);
        status = kn_launch(queue, kernel, &range, args, count, NO_EVENT, err);
    }
    return status;
}

static kn_status launch_items(kn_queue *queue, kn_kernel *kernel, size_t items, const kn_arg *args,
                              size_t count, kn_error *err)
{
    return launch_pieces(queue, kernel, items, items, args, count, err);
}

// Launches jobs with about `piece` samples at a time, taking each job for full.
static kn_status launch_jobs(kn_queue *queue, const struct mri_gridding *g, const kn_arg *args, size_t count,
                             kn_error *err)
{
    size_t most = g->piece / g->shape.split > 1 ? g->piece / g->shape.split : 1;
    kn_status status = KN_OK;

    for (size_t first = 0; first < g->jobs && !status; first += most) {
        size_t jobs = g->jobs - first < most ? g->jobs - first : most;
        const kn_range range = {1, {jobs * g->group}, {g->group}, {first * g->group}};

        if (most < g->jobs)
            ki_queue_ask_next(queue);
        status = kn_launch(queue, g->spread, &range, args, count, NO_EVENT, err);
    }
    return status;
}

static kn_status spread(kn_queue *queue, struct mri_gridding *g, kn_buffer *data, kn_error *err)
{
    const uint32_t cells[MRI_AXES] = {(uint32_t)g->shape.cells[0], (uint32_t)g->shape.cells[1],
                                      (uint32_t)g->shape.cells[2]};
    const kn_range folds = {1, {g->places * g->group}, {g->group}, {0}};
    const kn_arg spread_args[] = {KN_BUFFER(g->job_list), KN_BUFFER(g->starts), KN_BUFFER(g->positions),
                                  KN_BUFFER(g->offsets),  KN_BUFFER(data),      KN_BUFFER(g->phases),
                                  KN_VALUE(cells[0]),     KN_VALUE(cells[1]),   KN_VALUE(cells[2]),
                                  KN_BUFFER(g->grid),     KN_BUFFER(g->parts)};
    const kn_arg fold_args[] = {KN_BUFFER(g->folds), KN_BUFFER(g->parts), KN_BUFFER(g->phases),
                                KN_VALUE(cells[0]),  KN_VALUE(cells[1]),  KN_VALUE(cells[2]),
                                KN_BUFFER(g->grid)};
    kn_status status = launch_jobs(queue, g, spread_args, KI_COUNT(spread_args), err);

    if (!status && g->places)
        status = kn_launch(queue, g->fold, &folds, fold_args, KI_COUNT(fold_args), NO_EVENT, err);
    return status;
}

static kn_status interpolate(kn_queue *queue, struct mri_gridding *g, bool sorted_data, kn_buffer *data,
                             kn_error *err)
{
    const uint32_t cells[MRI_AXES] = {(uint32_t)g->shape.cells[0], (uint32_t)g->shape.cells[1],
                                      (uint32_t)g->shape.cells[2]};
    const uint32_t samples = (uint32_t)g->samples, sorted = sorted_data;
    const kn_arg args[] = {KN_VALUE(samples),     KN_VALUE(sorted),     KN_BUFFER(g->positions),
                           KN_BUFFER(g->offsets), KN_BUFFER(g->phases), KN_VALUE(cells[0]),
                           KN_VALUE(cells[1]),    KN_VALUE(cells[2]),   KN_BUFFER(g->grid),
                           KN_BUFFER(data)};

    return launch_pieces(queue, g->interpolate, g->samples, g->piece, args, KI_COUNT(args), err);
}

static kn_status deapodise(kn_queue *queue, struct mri_gridding *g, const kn_buffer *in, kn_buffer *out,
                           kn_error *err)
{
    const uint32_t size[MRI_AXES] = {(uint32_t)g->shape.size[0], (uint32_t)g->shape.size[1],
                                     (uint32_t)g->shape.size[2]};
    const kn_arg args[] = {KN_BUFFER(in),     KN_BUFFER(g->factors), KN_VALUE(size[0]),
                           KN_VALUE(size[1]), KN_VALUE(size[2]),     KN_BUFFER(out)};

    return launch_items(queue, g->deapodise, g->voxels, args, KI_COUNT(args), err);
}

// The transform of the whole grid, where only the image's voxels are input or output.
static kn_status plan_transform(kn_queue *queue, const struct mri_gridding *g, kn_fft_direction direction,
                                kn_fft_plan **plan, kn_error *err)
{
    const kn_fft_options own = KN_INIT(kn_fft_options, .library = KN_FFT_OWN);
    kn_fft_shape shape =
        KN_INIT(kn_fft_shape, .rank = (unsigned)g->matrix.axes, .type = KN_F32, .kind = KN_FFT_COMPLEX);

    for (size_t axis = 0; axis < g->matrix.axes; axis++) {
        shape.dims[axis] = g->shape.cells[axis];
        (direction == KN_FFT_INVERSE ? shape.out_dims : shape.in_dims)[axis] = g->shape.size[axis];
    }
    return *plan ? KN_OK : kn_fft_plan_create(queue, &shape, &own, plan, err);
}

// ---- both sums ----

enum { STAGED = 1 << 16 }; // samples that a thread stages at a time

struct staging {
    const double complex *data;
    const double *weights;
    float *staged;
    size_t samples;
};

// Applies the weights in double precision.
static void stage_block(void *context, size_t b)
{
    const struct staging *s = context;

    for (size_t m = b * STAGED; m < (b + 1) * STAGED && m < s->samples; m++) {
        double weight = s->weights ? s->weights[m] : 1;

        s->staged[2 * m] = (float)(weight * creal(s->data[m]));
        s->staged[2 * m + 1] = (float)(weight * cimag(s->data[m]));
    }
}

static void stage(const struct mri_gridding *g, const double complex *data, const double *weights)
{
    ki_parallel(ki_threads(0), (g->samples + STAGED - 1) / STAGED, KI_STATIC, stage_block,
                &(struct staging){data, weights, g->staged, g->samples});
}

// The image of data on the device, in the caller's order.
static kn_status make_image(kn_queue *queue, struct mri_gridding *g, const kn_buffer *data, kn_buffer *image,
                            kn_error *err)
{
    const uint32_t samples = (uint32_t)g->samples;
    const kn_arg args[] = {KN_VALUE(samples), KN_BUFFER(g->positions), KN_BUFFER(data), KN_BUFFER(g->data)};
    kn_status status = plan_transform(queue, g, KN_FFT_INVERSE, &g->to_image, err);

    if (!status)
        status = launch_items(queue, g->take, g->samples, args, KI_COUNT(args), err);
    if (!status)
        status = spread(queue, g, g->data, err);
    if (!status)
        status = kn_fft_execute(queue, g->to_image, KN_FFT_INVERSE, g->grid, image, err);
    return status ? status : deapodise(queue, g, image, image, err);
}

kn_status ki_mri_gridding_adjoint(kn_queue *queue, struct mri_gridding *g, const double complex *data,
                                  const double *weights, kn_buffer *image, kn_error *err)
{
    kn_status status = check_buffer("mri_gridding_adjoint", image, "the image", g->voxels, err);

    if (!status && g->samples) {
        stage(g, data, weights);
        status = kn_buffer_write(queue, g->arrived, 0, g->staged, g->samples * 2 * sizeof *g->staged, err);
    }
    return status ? status : make_image(queue, g, g->arrived, image, err);
}

kn_status ki_mri_gridding_adjoint_there(kn_queue *queue, struct mri_gridding *g, const kn_buffer *data,
                                        kn_buffer *image, kn_error *err)
{
    kn_status status = check_buffer("mri_gridding_adjoint_there", image, "the image", g->voxels, err);

    if (!status)
        status = check_buffer("mri_gridding_adjoint_there", data, "the data", g->samples, err);
    return status ? status : make_image(queue, g, data, image, err);
}

kn_status ki_mri_gridding_forward(kn_queue *queue, struct mri_gridding *g, const kn_buffer *image,
                                  kn_buffer *data, kn_error *err)
{
    kn_status status = check_buffer("mri_gridding_forward", image, "the image", g->voxels, err);

    if (!status)
        status = check_buffer("mri_gridding_forward", data, "the data", g->samples, err);
    if (!status)
        status = plan_transform(queue, g, KN_FFT_FORWARD, &g->to_grid, err);
    if (!status)
        status = deapodise(queue, g, image, g->image, err);
    if (!status)
        status = kn_fft_execute(queue, g->to_grid, KN_FFT_FORWARD, g->image, g->grid, err);
    return status ? status : interpolate(queue, g, false, data, err);
}

// ---- density compensation ----

kn_status ki_mri_gridding_convolve(kn_queue *queue, struct mri_gridding *g, kn_buffer *in, kn_buffer *out,
                                   kn_error *err)
{
    kn_status status = check_buffer("mri_gridding_convolve", in, "the input", g->samples, err);

    if (!status)
        status = check_buffer("mri_gridding_convolve", out, "the output", g->samples, err);
    if (!status)
        status = spread(queue, g, in, err);
    return status ? status : interpolate(queue, g, true, out, err);
}

kn_status ki_mri_gridding_compensate(kn_queue *queue, struct mri_gridding *g, kn_buffer *weights,
                                     kn_error *err)
{
    const uint32_t samples = (uint32_t)g->samples;
    const kn_arg args[] = {KN_VALUE(samples), KN_BUFFER(g->data), KN_BUFFER(weights)};
    kn_status status = ki_mri_gridding_convolve(queue, g, weights, g->data, err);

    return status ? status : launch_items(queue, g->compensate, g->samples, args, KI_COUNT(args), err);
}

double ki_mri_gridding_weight(const struct mri_gridding *g)
{
    double weight = 1;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        double cells = (double)g->shape.cells[axis],
               integral = ki_gridding_window_transform(&g->window, 0, cells);
        weight *= g->shape.span[axis] > 1 ? integral * integral / cells : 1;
    }
    return weight;
}
