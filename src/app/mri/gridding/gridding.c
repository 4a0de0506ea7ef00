// SPDX-License-Identifier: Apache-2.0
// Gridding on a device: the shape of a grid, and the preparation for its samples.
#include "gridding_internal.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "shared/mri.h"
#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "base/saturate.h"
#include "base/text/text.h"

static const double least_oversampling = 1.25, most_oversampling = 4;

// ---- arguments ----

static kn_status check_sizes(const struct mri_gridding_options *options, kn_error *err)
{
    if (options->group & (options->group - 1))
        return ki_fail(err, KN_ERROR_ARGUMENT, "gridding: a group of %u work-items; expected a power of two",
                       options->group);
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        unsigned tile = options->tile[axis];
        if (tile && (tile < MRI_GRIDDING_TILE_MIN || tile > MRI_GRIDDING_TILE_MAX || (tile & (tile - 1))))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "gridding: tiles of %u cells; expected a power of two from %d to %d", tile,
                           MRI_GRIDDING_TILE_MIN, MRI_GRIDDING_TILE_MAX);
    }
    return KN_OK;
}

static bool is_on_grid(const struct mri_gridding_options *options)
{
    return options->oversampling == 1 && options->width == 1;
}

static kn_status check(const kn_recon_matrix *matrix, const double *k, size_t samples,
                       const struct mri_gridding_options *options, kn_error *err)
{
    if (matrix->axes != 2 && matrix->axes != MRI_AXES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "gridding: a matrix of %zu axes; expected 2 or 3",
                       matrix->axes);
    // Refuses NaN, too.
    if (!is_on_grid(options) &&
        !(options->oversampling >= least_oversampling && options->oversampling <= most_oversampling))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "gridding: an oversampling of %g; expected %g to %g (2 is usual; less saves memory and "
            "takes a wider window)",
            options->oversampling, least_oversampling, most_oversampling);
    if (!is_on_grid(options) &&
        (options->width < MRI_GRIDDING_WIDTH_MIN || options->width > MRI_GRIDDING_WIDTH_MAX))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "gridding: a window %u cells wide; expected %d to %d (6 is usual; wider is more exact)",
            options->width, MRI_GRIDDING_WIDTH_MIN, MRI_GRIDDING_WIDTH_MAX);
    kn_status status = check_sizes(options, err);

    return status ? status : ki_gridding_check_samples(matrix, k, samples, err);
}

kn_status ki_gridding_check_samples(const kn_recon_matrix *matrix, const double *k, size_t samples,
                                    kn_error *err)
{
    bool finite = ki_mri_is_finite(k, samples);

    for (size_t i = 0; !finite && i < samples * MRI_AXES; i++)
        if (i % MRI_AXES < matrix->axes && !isfinite(k[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "k%c of sample %zu is %g; expected cycles per field of view", "xyz"[i % MRI_AXES],
                           i / MRI_AXES, k[i]);
    return KN_OK;
}

// The least length that is not below n and has no prime factor above 7.
static size_t smooth_length(size_t n)
{
    for (;; n++) {
        size_t rest = n;

        for (size_t prime = 2; prime <= 7; prime++)
            while (rest % prime == 0)
                rest /= prime;
        if (rest == 1)
            return n;
    }
}

size_t ki_gridding_cells(size_t size, double oversampling, unsigned width)
{
    // Reduced by a rounding, so that 1.4 times 5 is 7.
    double least = ceil(oversampling * (double)size * (1 - 1e-12));

    return width > 1 && size > 1 ? smooth_length((size_t)fmax(least, width)) : size;
}

static struct mri_gridding_options settled(const struct mri_gridding_options *options)
{
    struct mri_gridding_options how = options ? *options : (struct mri_gridding_options){.width = 0};

    how.oversampling = how.oversampling == 0 ? 2 : how.oversampling;
    how.width = how.width ? how.width : GRIDDING_WIDTH;
    return how;
}

struct mri_bytes ki_mri_gridding_memory(const kn_recon_matrix *matrix, size_t samples,
                                        const struct mri_gridding_options *options)
{
    const struct mri_gridding_options how = settled(options);
    size_t cells = 1, voxels = 1, each = saturate_times(samples, MRI_GRIDDING_SAMPLE);

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        voxels = saturate_times(voxels, matrix->size[axis]);
        cells = saturate_times(cells, ki_gridding_cells(matrix->size[axis], how.oversampling, how.width));
    }
    return (struct mri_bytes){
        .host = saturate_times(samples, MRI_GRIDDING_HOST_SAMPLE),
        .device = saturate_plus(
            saturate_plus(saturate_times(cells, 2 * MRI_PAIR), saturate_times(voxels, MRI_PAIR)), each)};
}

static kn_status plan_grid(struct mri_gridding *g, const struct mri_gridding_options *options,
                           const kn_device_info *info, kn_error *err)
{
    double bytes = MRI_PAIR;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        g->shape.cells[axis] = ki_gridding_cells(g->matrix.size[axis], options->oversampling, options->width);
        bytes *= (double)g->shape.cells[axis];
    }
    if (bytes > (double)info->max_alloc)
        return ki_fail(
            err, KN_ERROR_LIMIT,
            "gridding: %zu x %zu x %zu voxels with an oversampling of %g need a grid of %.1f GiB, and "
            "%s allocates %.1f GiB at once; use a lower oversampling, or the direct sum",
            g->matrix.size[0], g->matrix.size[1], g->matrix.size[2], options->oversampling, bytes * 0x1p-30,
            info->spec, (double)info->max_alloc * 0x1p-30);
    g->cells = 1;
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        g->shape.size[axis] = g->matrix.size[axis];
        g->shape.fields_of_view = options->fields_of_view ? options->fields_of_view : 1;
        g->shape.span[axis] = g->matrix.size[axis] > 1 ? options->width : 1;
        g->cells *= g->shape.cells[axis];
    }
    return KN_OK;
}

// ---- the device ----

// Cells of windows that a compute unit of a CPU adds or reads in a launch: about a twentieth of a second.
static const size_t piece_cells = (size_t)1 << 24;

// Some drivers stop long loops, which a group of one work-item has.
static kn_status choose_sizes(struct mri_gridding *g, const struct mri_gridding_options *options,
                              const kn_device_info *info, kn_error *err)
{
    const struct engine_shape *both =
        ki_engine_shape(g->shape.cells[2] > 1 ? SHAPE_MRI_GRIDDING_VOLUME : SHAPE_MRI_GRIDDING_PLANE);
    const struct engine_sizes *sizes;
    const unsigned *tile = g->shape.tile;

    if (options->group == 1 && info->loop_limit)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "gridding: a group of 1 work-item, but %s stops a work-item after %u rounds of its loops; "
            "expected 2 or more",
            info->spec, (unsigned)info->loop_limit);
    g->serial = options->group == 1 || (!options->group && engine_is_serial(info));
    sizes = g->serial ? &both->cpu : &both->gpu;
    g->piece = g->serial ? piece_cells * info->compute_units /
                               (g->shape.span[0] * g->shape.span[1] * g->shape.span[2])
                         : SIZE_MAX;
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        g->shape.tile[axis] = sizes->tile[axis];
        if (options->tile[axis] && g->shape.tile[axis] > 1)
            g->shape.tile[axis] = options->tile[axis];
    }
    g->shape.split = options->split ? options->split : sizes->chunk;
    g->group = options->group ? options->group : sizes->group;
    while (!options->group && g->group > info->max_work_group)
        g->group /= 2;
    if (g->group > info->max_work_group || g->group > tile[0] * tile[1] * tile[2])
        return ki_fail(err, KN_ERROR_LIMIT,
                       "gridding: a group of %u work-items for a tile of %u cells, and %s takes %llu at most",
                       g->group, tile[0] * tile[1] * tile[2], info->spec,
                       (unsigned long long)info->max_work_group);
    return KN_OK;
}

// ---- sizes kept by koine tune ----

const kn_tunables ki_mri_gridding_tunables[2] = {
    {"gridding-2d", "app/mri/mri_gridding.cl", {"GROUP", "SPLIT", "TILE_X", "TILE_Y", NULL}},
    {"gridding-3d", "app/mri/mri_gridding.cl", {"GROUP", "SPLIT", "TILE_X", "TILE_Y", "TILE_Z", NULL}}};

void ki_mri_gridding_values(const struct mri_gridding *gridding, unsigned values[KN_TUNABLES])
{
    values[0] = gridding->group;
    values[1] = gridding->shape.split;
    memcpy(&values[2], gridding->shape.tile, sizeof gridding->shape.tile);
}

// The sizes that the caller gives; otherwise those that koine tune kept, if they fit; otherwise the device's
// default.
static kn_status choose_tuned(kn_context *context, struct mri_gridding *g,
                              const struct mri_gridding_options *given, kn_error *err)
{
    const kn_device_info *info = &context->device.info;
    struct mri_gridding_options tuned = *given;
    const kn_tunables *tunables = &ki_mri_gridding_tunables[g->shape.cells[2] > 1];
    bool open = !given->group && !given->split && !given->tile[0] && !given->tile[1] && !given->tile[2];
    unsigned values[KN_TUNABLES] = {0};
    kn_error why = KN_ERROR_INIT;

    if (!open || !ki_engine_tuning(context, tunables, values))
        return choose_sizes(g, given, info, err);
    tuned.group = values[0];
    tuned.split = values[1];
    memcpy(tuned.tile, &values[2], sizeof tuned.tile);
    if (!check_sizes(&tuned, &why) && !choose_sizes(g, &tuned, info, &why))
        return KN_OK;
    ki_engine_tuning_refuse(context, tunables, "%s", why.text);
    return choose_sizes(g, given, info, err);
}

// Exact and independent of the locale: an integer times a power of two.
static void add_coefficients(struct ki_text *text, const struct gridding_window *window)
{
    for (unsigned i = 0; i < window->terms; i++) {
        int exponent;
        double mantissa = frexp((double)window->coefficients[i], &exponent);

        ki_text_format(text, "%s%ld.0f * 0x1p%df", i ? ", " : "", (long)ldexp(mantissa, FLT_MANT_DIG),
                       exponent - FLT_MANT_DIG);
    }
}

// Defines the shape of the grid for all kernels.
static void define_shape(const struct gridding_shape *shape, struct engine_defines *defines)
{
    ki_engine_define(defines, "SPAN_X", shape->span[0]);
    ki_engine_define(defines, "SPAN_Y", shape->span[1]);
    ki_engine_define(defines, "SPAN_Z", shape->span[2]);
    ki_engine_define(defines, "TILE_X", shape->tile[0]);
    ki_engine_define(defines, "TILE_Y", shape->tile[1]);
    ki_engine_define(defines, "TILE_Z", shape->tile[2]);
}

struct gridding_kernel {
    const char *name;
    kn_kernel **kernel;
};

static kn_status get_program(kn_queue *queue, const char *file, const struct engine_defines *defines,
                             const struct gridding_kernel *kernels, size_t count, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = ki_engine_builtin_kernel(queue->context, file, defines->items, defines->count,
                                          KN_POLICY_DEFAULT, kernels[i].name, kernels[i].kernel, err);
    return status;
}

static kn_status get_kernels(kn_queue *queue, struct mri_gridding *g, kn_error *err)
{
    const struct gridding_kernel places[] = {{"mri_gridding_bin", &g->bin},
                                             {"mri_gridding_starts", &g->start},
                                             {"mri_gridding_place", &g->place},
                                             {"mri_gridding_parts", &g->count_parts},
                                             {"mri_gridding_jobs", &g->make_jobs}};
    const struct gridding_kernel sums[] = {
        {"mri_take", &g->take},           {"mri_spread", &g->spread},
        {"mri_gridding_fold", &g->fold},  {"mri_interpolate", &g->interpolate},
        {"mri_deapodise", &g->deapodise}, {"mri_compensate", &g->compensate}};
    struct engine_defines defines = {.count = 0};
    struct ki_text coefficients = KI_TEXT_INIT;
    kn_status status;

    define_shape(&g->shape, &defines);
    status = get_program(queue, "app/mri/mri_gridding_place.cl", &defines, places, KI_COUNT(places), err);
    add_coefficients(&coefficients, &g->window);
    if (!status && coefficients.failed)
        status = ki_fail_memory(err, 0, "preparing gridding");
    if (!status) {
        ki_engine_define(&defines, "WIDTH", g->window.width);
        ki_engine_define(&defines, "GROUP", g->group);
        ki_engine_define(&defines, "SERIAL", g->serial);
        ki_engine_define(&defines, "TERMS", g->window.terms);
        ki_engine_define_text(&defines, "COEFFICIENTS", ki_text_string(&coefficients));
        status = get_program(queue, "app/mri/mri_gridding.cl", &defines, sums, KI_COUNT(sums), err);
    }
    ki_text_free(&coefficients);
    return status;
}

// exp(-i 2 pi g floor(N/2)/K) for all cells of an axis, with turns reduced as integers; and 1/A(n) for all
// voxels.
static void fill_tables(const struct mri_gridding *g, float *phases, float *factors)
{
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t size = g->shape.size[axis], cells = g->shape.cells[axis], middle = size / 2;

        for (size_t cell = 0; cell < cells; cell++) {
            double angle = -2 * M_PI * (double)(cell * middle % cells) / (double)cells;
            *phases++ = (float)cos(angle);
            *phases++ = (float)sin(angle);
        }
        for (size_t j = 0; j < size; j++)
            *factors++ = g->shape.span[axis] == 1
                             ? 1
                             : (float)(1 / ki_gridding_window_transform(
                                               &g->window, (double)j - (double)middle, (double)cells));
    }
}

static kn_status upload_tables(kn_queue *queue, struct mri_gridding *g, kn_error *err)
{
    size_t cells = g->shape.cells[0] + g->shape.cells[1] + g->shape.cells[2];
    size_t voxels = g->shape.size[0] + g->shape.size[1] + g->shape.size[2];
    float *phases = malloc(2 * cells * sizeof *phases), *factors = malloc(voxels * sizeof *factors);
    kn_status status = KN_OK;

    if (!phases || !factors) {
        status = ki_fail_memory(err, (2 * cells + voxels) * sizeof *phases, "preparing gridding");
        goto done;
    }
    fill_tables(g, phases, factors);
    status = ki_gridding_make_buffer(queue, cells, 2 * sizeof *phases, phases, &g->phases, err);
    if (!status)
        status = ki_gridding_make_buffer(queue, voxels, sizeof *factors, factors, &g->factors, err);
done:
    free(phases);
    free(factors);
    return status;
}

kn_status ki_mri_gridding_create(kn_queue *queue, const kn_recon_matrix *matrix, const double *k,
                                 size_t samples, const struct mri_gridding_options *options,
                                 struct mri_gridding **gridding, kn_error *err)
{
    const kn_device_info *info = &queue->context->device.info;
    const struct mri_gridding_options how = settled(options);
    struct mri_gridding *g = calloc(1, sizeof *g);
    kn_status status = g ? KN_OK : ki_fail_memory(err, sizeof *g, "preparing gridding");

    if (status)
        return status;
    g->matrix = *matrix;
    g->samples = samples;
    status = ki_mri_matrix_count(matrix, &g->voxels, err);
    if (!status)
        status = check(matrix, k, samples, &how, err);
    if (!status)
        status = plan_grid(g, &how, info, err);
    if (!status) {
        g->window = is_on_grid(&how) ? (struct gridding_window){.width = 1, .terms = 1, .coefficients = {1}}
                                     : ki_gridding_window(how.width, how.oversampling);
        status = choose_tuned(queue->context, g, &how, err);
    }
    if (!status)
        status = upload_tables(queue, g, err);
    if (!status)
        status = get_kernels(queue, g, err);
    if (!status)
        status = ki_gridding_place(queue, g, k, err);
    if (status) {
        ki_mri_gridding_free(g);
        return status;
    }
    *gridding = g;
    return KN_OK;
}

void ki_mri_gridding_free(struct mri_gridding *g)
{
    if (!g)
        return;
    kn_buffer *const buffers[] = {g->fractions, g->keys,    g->sorted,   g->starts, g->positions, g->offsets,
                                  g->extras,    g->sums,    g->job_list, g->folds,  g->parts,     g->phases,
                                  g->factors,   g->arrived, g->data,     g->grid,   g->image};
    for (size_t i = 0; i < KI_COUNT(buffers); i++)
        kn_buffer_free(buffers[i]);
    kn_fft_plan_free(g->to_image);
    kn_fft_plan_free(g->to_grid);
    free(g->order);
    free(g->staged);
    free(g);
}

void ki_mri_gridding_grid(const struct mri_gridding *g, size_t cells[MRI_AXES])
{
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        cells[axis] = g->shape.cells[axis];
}
