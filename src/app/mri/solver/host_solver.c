// SPDX-License-Identifier: Apache-2.0
#include "host_solver.h"

#include <math.h>
#include <stdlib.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "base/saturate.h"
#include "app/mri/cartesian.h"
#include "app/mri/gridding/host_fft.h"
#include "app/mri/sum/sum_internal.h"
#include "operator/cgnr/host_cgnr.h"
#include "sparsity.h"

struct mri_host_normal {
    kn_recon_matrix matrix;
    size_t voxels;
    struct mri_toeplitz_size size;
    double *spectrum; // for each point, scaled so that both transforms together have no scale
    double complex *grid;
    double bound;
    struct mri_fft fft;
    struct host_forward *forward; // in place of spectrum, grid and transforms
    struct mri_normal normal;     // the form that the solver takes
};

// F^H W F by both sums. F is a product of matrices, or the adjoint's sum with the roles exchanged: its voxels
// are the samples at -k, its data are the image.
struct host_forward {
    struct mri_sum sum, back;
    enum mri_kernel kernel;
    double *positions, *opposite; // positions of the voxels; -k
    double complex *data;
    size_t voxels;
    kn_recon_rate rate;
};

// ---- the operator ----

static kn_status apply(void *data, bool adjoint, const void *from, void *to, kn_error *err)
{
    (void)adjoint; // self-adjoint
    return ki_mri_host_normal_apply(data, from, to, err);
}

// The index of voxel n in the grid.
static size_t grid_index(const kn_recon_matrix *matrix, const size_t length[MRI_AXES], size_t n)
{
    size_t x = n % matrix->size[0], y = n / matrix->size[0] % matrix->size[1],
           z = n / matrix->size[0] / matrix->size[1];

    return x + length[0] * (y + length[1] * z);
}

// q for half of the differences, d_a = j - N_a on a matrix of 2 N (for an axis of 1: 0), up to d = 0.
static kn_status differences(const struct mri_sum *of, enum mri_kernel kernel, const struct mri_sum *shape,
                             double complex *q, kn_recon_rate *rate, kn_error *err)
{
    struct mri_sum sum = *shape;
    double *doubled = malloc((of->samples + 1) * MRI_AXES * sizeof *doubled);
    kn_status status;

    if (!doubled)
        return ki_fail_memory(err, of->samples * MRI_AXES * sizeof *doubled, "a trajectory");
    for (size_t i = 0; i < MRI_AXES * of->samples; i++)
        doubled[i] = of->k[i] * (of->matrix.size[i % MRI_AXES] > 1 ? 2 : 1);
    sum.k = doubled;
    sum.samples = of->samples;
    sum.weights = of->weights;
    sum.ask = of->ask;
    sum.tolerance = of->tolerance;
    status = ki_mri_sum_host(&sum, kernel, NULL, q, rate, err);
    free(doubled);
    return status;
}

// Stores the circulant's first column: q(d), and its conjugate at -d.
static void place(struct mri_host_normal *normal, const struct mri_sum *shape, const double complex *q)
{
    const size_t *length = normal->size.length;

    for (size_t i = 0; i < normal->size.points; i++)
        normal->grid[i] = 0;
    for (size_t i = 0; i < shape->count; i++) {
        size_t at = 0, opposite = 0, step = 1, rest = i;
        bool edge = false;

        for (size_t axis = 0; axis < MRI_AXES; axis++, rest /= shape->matrix.size[axis - 1]) {
            size_t j = rest % shape->matrix.size[axis], n = shape->matrix.size[axis] / 2;

            edge = edge || (n && j == 0);
            at += step * ((j + length[axis] - n) % length[axis]);
            opposite += step * ((length[axis] + n - j) % length[axis]);
            step *= length[axis];
        }
        if (edge)
            continue;
        normal->grid[at] = q[i];
        normal->grid[opposite] = at == opposite ? creal(q[i]) : conj(q[i]);
    }
}

static kn_status make_spectrum(struct mri_host_normal *normal, const struct mri_sum *shape,
                               const double complex *q, struct ki_ask *ask, kn_error *err)
{
    const size_t *length = normal->size.length, *used = normal->matrix.size;
    const struct mri_fft_shape all = {
        KN_F64, {length[0], length[1], length[2]}, {length[0], length[1], length[2]}, {0}};
    const struct mri_fft_shape cropped = {
        KN_F64, {length[0], length[1], length[2]}, {used[0], used[1], used[2]}, {0}};
    struct mri_fft whole;
    kn_status status = ki_mri_fft_create(&all, NULL, ask, &whole, err);

    if (status)
        return status;
    place(normal, shape, q);
    status = ki_mri_fft_forward(&whole, normal->grid, err);
    ki_mri_fft_free(&whole);
    if (status)
        return status;
    for (size_t i = 0; i < normal->size.points; i++) {
        double value = creal(normal->grid[i]);

        normal->bound = fmax(normal->bound, fabs(value));
        normal->spectrum[i] = value / (double)normal->size.points;
        normal->grid[i] = 0;
    }
    return ki_mri_fft_create(&cropped, NULL, ask, &normal->fft, err);
}

// For samples on the grid.
static kn_status make_spectrum_on_grid(struct mri_host_normal *normal, const struct mri_sum *of,
                                       kn_recon_rate *rate, kn_error *err)
{
    const size_t *size = normal->matrix.size;
    const struct mri_fft_shape all = {KN_F64, {size[0], size[1], size[2]}, {size[0], size[1], size[2]}, {0}};
    double began = ki_clock_seconds();

    normal->spectrum = malloc(normal->size.points * sizeof *normal->spectrum);
    normal->grid = malloc(normal->size.points * sizeof *normal->grid);
    if (!normal->spectrum || !normal->grid)
        return ki_fail_memory(err, normal->size.points * sizeof *normal->grid, "the normal operator");
    ki_mri_grid_weights(&normal->matrix, of->k, of->samples, of->weights, normal->spectrum);
    for (size_t i = 0; i < normal->size.points; i++)
        normal->bound = fmax(normal->bound, fabs(normal->spectrum[i]) * (double)normal->size.points);
    if (rate)
        *rate = (kn_recon_rate){.seconds = ki_clock_seconds() - began}; // no differences, so no pairs
    return ki_mri_fft_create(&all, NULL, of->ask, &normal->fft, err);
}

// From the differences.
static kn_status make_spectrum_of(struct mri_host_normal *normal, const struct mri_sum *of,
                                  enum mri_kernel kernel, kn_recon_rate *rate, kn_error *err)
{
    struct mri_sum shape = {.matrix = of->matrix};
    size_t centre = 0, step = 1;
    double complex *q;
    kn_status status;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        shape.matrix.size[axis] = of->matrix.size[axis] > 1 ? 2 * of->matrix.size[axis] : 1;
        centre += step * (shape.matrix.size[axis] / 2);
        step *= shape.matrix.size[axis];
    }
    shape.count = centre + 1;
    q = malloc(shape.count * sizeof *q);
    normal->spectrum = malloc(normal->size.points * sizeof *normal->spectrum);
    normal->grid = malloc(normal->size.points * sizeof *normal->grid);
    status = q && normal->spectrum && normal->grid
                 ? differences(of, kernel, &shape, q, rate, err)
                 : ki_fail_memory(err, normal->size.points * sizeof *normal->grid, "the normal operator");
    if (!status)
        status = make_spectrum(normal, &shape, q, of->ask, err);
    free(q);
    return status;
}

kn_status ki_mri_host_normal_create(const struct mri_sum *of, enum mri_kernel kernel,
                                    struct mri_host_normal **normal, kn_recon_rate *rate, kn_error *err)
{
    const kn_recon_matrix *matrix = &of->matrix;
    struct mri_host_normal *made = calloc(1, sizeof *made);
    kn_status status = made ? ki_mri_toeplitz_measure_for(matrix, kernel, &made->size, err)
                            : ki_fail_memory(err, sizeof *made, "the normal operator");

    *normal = made;
    if (!status)
        status = ki_mri_matrix_count(matrix, &made->voxels, err);
    if (status)
        goto fail;
    made->matrix = *matrix;
    status = mri_kernel_is_cartesian(kernel) ? make_spectrum_on_grid(made, of, rate, err)
                                             : make_spectrum_of(made, of, kernel, rate, err);
    if (!status)
        status = ki_mri_normal_begin_host(matrix, made->bound, apply, made, &made->normal, err);
    if (!status)
        return KN_OK;
fail:
    ki_mri_host_normal_free(made);
    *normal = NULL;
    return status;
}

struct mri_bytes ki_mri_host_normal_memory(const struct mri_toeplitz_size *size, size_t samples,
                                           enum mri_kernel kernel)
{
    const struct mri_bytes grids = {.host = saturate_times(size->points, sizeof(double) + MRI_COMPLEX)},
                           q = {.host = saturate_plus(saturate_times(size->differences, MRI_COMPLEX),
                                                      saturate_times(samples, MRI_POSITION))};

    const kn_recon_matrix doubled = {MRI_AXES, {size->length[0], size->length[1], size->length[2]}};

    return mri_bytes_both(mri_bytes_both(grids, q), ki_mri_sum_host_memory(&doubled, samples, kernel));
}

// ---- the operator by both sums ----

static kn_status prepare_forward(struct host_forward *f, const struct mri_sum *of, size_t voxels,
                                 kn_error *err)
{
    const kn_recon_matrix *matrix = &of->matrix;
    size_t samples = of->samples;

    f->back = (struct mri_sum){
        .matrix = *matrix, .k = of->k, .samples = samples, .weights = of->weights, .ask = of->ask};
    f->back.data = f->data = malloc(samples * sizeof *f->data);
    if (!f->data)
        return ki_fail_memory(err, samples * sizeof *f->data, "the normal operator");
    if (mri_kernel_is_transform(f->kernel)) {
        f->back.tolerance = of->tolerance;
        return ki_mri_nufft_for(&f->back, f->kernel, NULL, &f->back.nufft, err);
    }
    if (mri_kernel_is_separable(f->kernel))
        return KN_OK;
    f->positions = malloc(MRI_AXES * voxels * sizeof *f->positions);
    f->opposite = malloc(MRI_AXES * samples * sizeof *f->opposite);
    if (!f->positions || !f->opposite)
        return ki_fail_memory(err, MRI_AXES * (voxels + samples) * sizeof *f->positions,
                              "the normal operator");
    for (size_t n = 0; n < voxels; n++)
        for (size_t axis = 0, rest = n; axis < MRI_AXES; rest /= matrix->size[axis], axis++)
            f->positions[MRI_AXES * n + axis] =
                ki_mri_position(rest % matrix->size[axis], matrix->size[axis]);
    for (size_t i = 0; i < MRI_AXES * samples; i++)
        f->opposite[i] = -of->k[i];
    f->sum = (struct mri_sum){.matrix = {MRI_AXES, {samples, 1, 1}},
                              .positions = f->opposite,
                              .k = f->positions,
                              .samples = voxels,
                              .ask = of->ask};
    return KN_OK;
}

kn_status ki_mri_host_normal_create_forward(const struct mri_sum *of, enum mri_kernel kernel,
                                            struct mri_host_normal **normal, kn_error *err)
{
    struct mri_host_normal *made = calloc(1, sizeof *made);
    struct host_forward *forward = calloc(1, sizeof *forward);
    kn_status status = made && forward ? ki_mri_matrix_count(&of->matrix, &made->voxels, err)
                                       : ki_fail_memory(err, sizeof *forward, "the normal operator");

    *normal = NULL;
    if (!status && of->samples == 0)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "the normal operator of no samples");
    if (!status) {
        forward->kernel = kernel;
        forward->voxels = made->voxels;
        status = prepare_forward(forward, of, made->voxels, err);
    }
    if (made) {
        made->matrix = of->matrix;
        made->bound = NAN;
        made->forward = forward;
        if (!status)
            status = ki_mri_normal_begin_host(&of->matrix, NAN, apply, made, &made->normal, err);
    } else {
        free(forward);
    }
    if (status)
        ki_mri_host_normal_free(made);
    else
        *normal = made;
    return status;
}

struct mri_bytes ki_mri_host_normal_forward_memory(const kn_recon_matrix *matrix, size_t voxels,
                                                   size_t samples, enum mri_kernel kernel)
{
    const struct mri_bytes data = {.host = saturate_times(samples, MRI_COMPLEX)},
                           positions = {.host = saturate_times(saturate_plus(voxels, samples), MRI_POSITION)},
                           arrays = mri_bytes_both(data, positions);

    if (mri_kernel_is_transform(kernel))
        return mri_bytes_both(data, ki_mri_sum_host_memory(matrix, samples, kernel));
    if (mri_kernel_is_separable(kernel))
        return mri_bytes_both(data, mri_bytes_either(ki_mri_forward_host_memory(voxels, kernel),
                                                     ki_mri_sum_host_memory(matrix, samples, kernel)));
    return mri_bytes_both(arrays,
                          ki_mri_sum_host_memory(matrix, voxels > samples ? voxels : samples, kernel));
}

// Applies F, and measures its rate.
static kn_status apply_there(struct host_forward *f, const double complex *x, kn_recon_rate *rate,
                             kn_error *err)
{
    const struct mri_sum *back = &f->back;
    double pairs = (double)back->samples * (double)f->voxels, start = ki_clock_seconds();
    kn_status status;

    f->sum.data = x;
    if (mri_kernel_is_transform(f->kernel)) {
        status = ki_mri_host_nufft_forward(back->nufft, x, f->data, err);
        *rate = (kn_recon_rate){.seconds = ki_clock_seconds() - start};
        return status;
    }
    if (!mri_kernel_is_separable(f->kernel))
        return ki_mri_sum_host(&f->sum, f->kernel, NULL, f->data, rate, err);
    status = ki_mri_forward_host(&back->matrix, back->k, back->samples, x, f->kernel, NULL, NULL, back->ask,
                                 f->data, err);
    *rate = (kn_recon_rate){
        .seconds = ki_clock_seconds() - start, .pairs = pairs, .flops = pairs * ki_sum_flops(back)};
    return status;
}

static kn_status apply_forward(struct host_forward *f, const double complex *x, double complex *y,
                               kn_error *err)
{
    kn_recon_rate there, back;
    kn_status status;

    status = apply_there(f, x, &there, err);
    if (!status)
        status = ki_mri_sum_host(&f->back, f->kernel, NULL, y, &back, err);
    if (status)
        return status;
    f->rate.seconds += there.seconds + back.seconds;
    f->rate.pairs += there.pairs + back.pairs;
    f->rate.flops += there.flops + back.flops;
    return KN_OK;
}

kn_recon_rate ki_mri_host_normal_rate(const struct mri_host_normal *normal)
{
    return normal->forward ? normal->forward->rate : (kn_recon_rate){0};
}

// ---- application ----

void ki_mri_host_normal_free(struct mri_host_normal *normal)
{
    if (!normal)
        return;
    if (normal->forward) {
        free(normal->forward->positions);
        free(normal->forward->opposite);
        free(normal->forward->data);
        ki_mri_host_nufft_free(normal->forward->back.nufft);
        free(normal->forward);
    }
    ki_mri_normal_end(&normal->normal);
    ki_mri_fft_free(&normal->fft);
    free(normal->spectrum);
    free(normal->grid);
    free(normal);
}

double ki_mri_host_normal_bound(const struct mri_host_normal *normal)
{
    return normal->bound;
}

const struct mri_normal *ki_mri_host_normal_of(const struct mri_host_normal *normal)
{
    return &normal->normal;
}

kn_status ki_mri_host_normal_apply(struct mri_host_normal *normal, const double complex *x, double complex *y,
                                   kn_error *err)
{
    kn_status status;

    if (normal->forward)
        return apply_forward(normal->forward, x, y, err);
    for (size_t i = 0; i < normal->size.points; i++)
        normal->grid[i] = 0;
    for (size_t n = 0; n < normal->voxels; n++)
        normal->grid[grid_index(&normal->matrix, normal->size.length, n)] = x[n];
    status = ki_mri_fft_forward(&normal->fft, normal->grid, err);
    for (size_t i = 0; i < normal->size.points && !status; i++)
        normal->grid[i] *= normal->spectrum[i];
    if (!status)
        status = ki_mri_fft_backward(&normal->fft, normal->grid, err);
    for (size_t n = 0; n < normal->voxels && !status; n++)
        y[n] = normal->grid[grid_index(&normal->matrix, normal->size.length, n)];
    return status;
}

// ---- conjugate gradients ----

// The product in the form of the loop (src/operator/cgnr/host_cgnr.h), where a complex number is two numbers.
static kn_status product(void *data, bool adjoint, const void *x, void *y, double *squares, kn_error *err)
{
    *squares = NAN; // not needed
    return kn_operator_apply_host(data, adjoint, x, y, err);
}

// The term lambda R of the equation.
struct regularizer {
    const kn_recon_matrix *matrix;
    kn_recon_regularizer kind;
    kn_recon_boundary boundary;
    double lambda;
};

// y += lambda D^H D x along each axis.
static void add_differences(const struct regularizer *regularizer, const double complex *x, double complex *y)
{
    const kn_recon_matrix *matrix = regularizer->matrix;
    size_t step = 1, voxels = matrix->size[0] * matrix->size[1] * matrix->size[2];

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t n = matrix->size[axis];

        for (size_t i = 0; i < voxels; i++) {
            size_t j = i / step % n;
            bool wraps = j == 0;
            size_t before = wraps ? i + (n - 1) * step : i - step;
            double complex difference = regularizer->lambda * (x[i] - x[before]); // (D x)_j

            if (n == 1 || (wraps && regularizer->boundary == KN_RECON_BOUNDARY_ZERO))
                continue;
            y[i] += difference;
            y[before] -= difference;
        }
        step *= n;
    }
}

// A function of struct solve_correction: linear in d, whatever x is.
static void along(const void *data, const double *x, const double *d, size_t count, double *out)
{
    const struct regularizer *regularizer = data;

    (void)x;
    if (regularizer->kind == KN_RECON_REGULARIZER_DIFFERENCE)
        add_differences(regularizer, (const double complex *)d, (double complex *)out);
    else
        for (size_t i = 0; i < count; i++)
            out[i] += regularizer->lambda * d[i];
}

static kn_status iterate(const struct mri_normal *normal, const double complex *fhd,
                         const struct mri_solver_options *options, const double complex *start,
                         double complex *image, struct mri_solver_result *result, kn_error *err)
{
    const struct regularizer regularizer = {&normal->matrix, options->regularizer, options->boundary,
                                            result->lambda};
    const struct solve_correction correction = {.along = along, .data = &regularizer};
    const struct host_cgnr_options how = {.iterations = options->iterations,
                                          .tolerance = options->tolerance,
                                          .correction = result->lambda > 0 ? &correction : NULL,
                                          .progress = options->progress,
                                          .progress_data = options->context};
    size_t voxels = kn_operator_get_columns(normal->a);
    struct host_vectors vectors;
    const struct host_cgnr_operator a = {.rows = 2 * voxels,
                                         .columns = 2 * voxels,
                                         .vectors = &vectors,
                                         .product = product,
                                         .data = normal->a};
    struct host_cgnr_result found = {.history = result->residuals};
    double norm = 0;
    kn_status status = ki_host_vectors_create("solving", KN_F64, a.rows, NULL, &vectors, err);

    if (!status)
        norm = sqrt(ki_host_vectors_dot(&vectors, fhd, fhd, a.rows));
    for (size_t i = 0; i < voxels && !status; i++)
        image[i] = start && norm > 0 ? start[i] : 0;
    if (!status && norm > 0)
        status = ki_host_cg(&a, fhd, &how, image, &found, err);
    ki_host_vectors_free(&vectors);
    for (size_t i = 0; i <= found.iterations && norm > 0; i++)
        result->residuals[i] /= norm;
    result->iterations = found.iterations;
    result->residual = norm > 0 ? found.residual / norm : 0;
    result->converged = found.stopped_by == HOST_CGNR_RESIDUAL || norm == 0;
    result->stopped = found.stopped_by == HOST_CGNR_FLOOR;
    return status;
}

struct mri_bytes ki_mri_host_solve_memory(const struct mri_solver_options *options, size_t voxels)
{
    enum { VECTORS = 7 }; // with a correction (operator/cgnr/host_cg.c)

    if (ki_mri_is_sparse(options->regularizer))
        return ki_mri_host_sparsity_memory(voxels);
    return (struct mri_bytes){.host = saturate_times(voxels, VECTORS * MRI_COMPLEX)};
}

kn_status ki_mri_host_solve(const struct mri_normal *normal, const double complex *fhd,
                            const struct mri_solver_options *options, const double complex *start,
                            double complex *image, struct mri_solver_result *result, kn_error *err)
{
    double began = ki_clock_seconds();
    bool sparse = ki_mri_is_sparse(options->regularizer);
    kn_status status = ki_mri_solver_check(options, err);

    *result = (struct mri_solver_result){.lambda = options->lambda *
                                                   (options->relative_lambda ? normal->bound : 1)};
    if (!status && isnan(result->lambda))
        status =
            ki_fail(err, KN_ERROR_ARGUMENT,
                    "lambda is in units of a bound that this operator does not have; give it in absolute "
                    "terms");
    if (!status && options->iterations < SIZE_MAX)
        result->residuals = calloc(options->iterations + 1, sizeof *result->residuals);
    if (!status && sparse && options->iterations < SIZE_MAX)
        result->objectives = calloc(options->iterations + 1, sizeof *result->objectives);
    if (!status && (!result->residuals || (sparse && !result->objectives)))
        status =
            ki_fail_memory(err, saturate_times(options->iterations, sizeof *result->residuals), "the solver");
    if (!status)
        status =
            (sparse ? ki_mri_host_sparsity_solve : iterate)(normal, fhd, options, start, image, result, err);
    result->seconds = ki_clock_seconds() - began;
    if (status) {
        free(result->residuals);
        free(result->objectives);
        *result = (struct mri_solver_result){.residuals = NULL};
    }
    return status;
}
