// SPDX-License-Identifier: Apache-2.0
// The sizes from which on methods of the sciences are faster than others: the adjoint of a reconstruction,
// and least squares with sparse matrices, for one right-hand side and for many.
#include <koine/least_squares.h>
#include <koine/recon.h>

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "crossovers.h"

enum { SIZES = 8, QUICK_SIZES = 2, IMAGES = 32, A_ROW = 8, ITERATIONS = 100 };

struct own {
    double *k; // of samples
    kn_recon_plan *plan;
    kn_buffer *data;
    size_t edge, samples;

    kn_sparse *matrices[SIZES];
    size_t count, images; // number of matrices, and right-hand sides for each
    double *b, *x;        // large enough for the largest matrix
    float *found;
};

// ---- the adjoint ----

// Makes random samples in the band of a square, as many as it has voxels.
static kn_status open_adjoint(struct tune_work *work, struct crossover_range range, kn_error *err)
{
    struct own *own = work->own;
    uint64_t state = 1;
    kn_status status;

    own->edge = (size_t)1 << (subject_is_cpu(work->queue) || work->quick ? range.least : range.most);
    own->samples = own->edge * own->edge;
    own->k = calloc(3 * own->samples, sizeof *own->k);
    if (!own->k)
        return ki_fail_memory(err, 3 * own->samples * sizeof *own->k, "samples");
    for (size_t i = 0; i < 3 * own->samples; i++)
        own->k[i] = i % 3 == 2 ? 0 : (double)own->edge / 2 * subject_uniform(&state);
    status = subject_floats(work->queue, 2 * own->samples, &state, &own->data, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(work->queue), 2 * own->samples * sizeof(float),
                                     &work->result, err);
}

// The choice is made when a plan is created.
static kn_status prepare_adjoint(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;
    const kn_recon_matrix matrix = {2, {own->edge, own->edge, 1}};

    kn_recon_plan_free(own->plan);
    own->plan = NULL;
    return kn_recon_plan_create(work->queue, &matrix, own->k, own->samples, NULL, &own->plan, err);
}

static kn_status run_adjoint(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;

    return kn_recon_adjoint_buffers(own->plan, own->data, work->result, err);
}

static void close_adjoint(struct tune_work *work)
{
    struct own *own = work->own;

    kn_recon_plan_free(own->plan);
    kn_buffer_free(own->data);
    free(own->k);
}

// ---- least squares ----

// Makes a matrix with A_ROW numbers in each row, one in each part of a window of `window` columns, which
// moves from the first column to the last.
static kn_status make_matrix(size_t rows, size_t columns, size_t window, kn_sparse **made, kn_error *err)
{
    uint64_t state = 1, *starts = calloc(rows + 1, sizeof *starts);
    uint32_t *indices = calloc(rows * A_ROW, sizeof *indices);
    double *values = calloc(rows * A_ROW, sizeof *values);
    const size_t part = window / A_ROW;
    kn_status status = starts && indices && values
                           ? KN_OK
                           : ki_fail_memory(err, rows * A_ROW * sizeof *values, "a measurement's matrix");

    for (size_t i = 0; i < rows && !status; i++) {
        starts[i + 1] = (i + 1) * A_ROW;
        for (size_t j = 0; j < A_ROW; j++) {
            const double within = (double)part * (1 + subject_uniform(&state)) / 2;
            const size_t least = i * (columns - window) / rows + j * part;

            indices[i * A_ROW + j] = (uint32_t)(least + (size_t)within % part);
            values[i * A_ROW + j] = subject_uniform(&state);
        }
    }
    if (!status)
        status = kn_sparse_create_csr(rows, columns, rows * A_ROW, starts, indices, values, made, err);
    free(starts);
    free(indices);
    free(values);
    return status;
}

// Makes vectors for the largest matrix, and room for all solutions.
static kn_status get_vectors(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;
    size_t rows = 0, columns = 0, all = 0;
    uint64_t state = 2;

    for (size_t i = 0; i < own->count; i++) {
        const size_t its_rows = kn_sparse_get_rows(own->matrices[i]) * own->images,
                     its_columns = kn_sparse_get_columns(own->matrices[i]) * own->images;

        rows = its_rows > rows ? its_rows : rows;
        columns = its_columns > columns ? its_columns : columns;
        all += its_columns;
    }
    own->b = calloc(rows, sizeof *own->b);
    own->x = calloc(columns, sizeof *own->x);
    own->found = calloc(columns, sizeof *own->found);
    if (!own->b || !own->x || !own->found)
        return ki_fail_memory(err, rows * sizeof *own->b, "a measurement's right-hand sides");
    for (size_t i = 0; i < rows; i++)
        own->b[i] = subject_uniform(&state);
    return kn_buffer_create(kn_queue_get_context(work->queue), all * sizeof *own->found, &work->result, err);
}

// Makes a matrix for each number of rows.
static kn_status open_systems(struct tune_work *work, struct crossover_range range, size_t images,
                              kn_error *err)
{
    struct own *own = work->own;
    kn_status status = KN_OK;

    own->images = images;
    if (work->quick && range.most > range.least + QUICK_SIZES - 1)
        range.most = range.least + QUICK_SIZES - 1;
    for (unsigned log2 = range.least; log2 <= range.most && !status; log2++, own->count += !status) {
        const size_t rows = (size_t)1 << log2;

        status = make_matrix(rows, rows / 4, rows / 4, &own->matrices[own->count], err);
    }
    return status ? status : get_vectors(work, err);
}

static kn_status open_one(struct tune_work *work, struct crossover_range range, kn_error *err)
{
    return open_systems(work, range, 1, err);
}

static kn_status open_many(struct tune_work *work, struct crossover_range range, kn_error *err)
{
    return open_systems(work, range, IMAGES, err);
}

// Makes matrices with equal numbers of rows, in narrower and narrower windows: nonzeros of neighbouring rows
// share columns more and more often.
static kn_status open_windows(struct tune_work *work, struct crossover_range range, kn_error *err)
{
    struct own *own = work->own;
    const size_t rows = (size_t)1 << (work->quick ? 13 : 15);
    kn_status status = KN_OK;

    own->images = IMAGES;
    for (unsigned log2 = range.most + 1; log2-- > range.least && !status; own->count += !status)
        status = make_matrix(rows, rows / 4, (size_t)1 << log2, &own->matrices[own->count], err);
    return status ? status : get_vectors(work, err);
}

static kn_status solve(struct tune_work *work, const kn_sparse *matrix, size_t offset, kn_error *err)
{
    static const kn_least_squares_options options = {.struct_size = sizeof(kn_least_squares_options),
                                                     .method = KN_LEAST_SQUARES_CGNR,
                                                     .stop = KN_LEAST_SQUARES_STOP_FIXED,
                                                     .iterations = ITERATIONS,
                                                     .lambda = 1,
                                                     .type = KN_F32};
    const struct own *own = work->own;
    const size_t columns = kn_sparse_get_columns(matrix) * own->images;
    const kn_least_squares_task task =
        KN_INIT(kn_least_squares_task, .matrix = matrix, .b = own->b, .count = own->images);
    kn_status status;

    for (size_t j = 0; j < columns; j++)
        own->x[j] = 0;
    status = kn_least_squares(work->queue, &task, own->x, &options, NULL, err);
    for (size_t j = 0; j < columns && !status; j++)
        own->found[j] = (float)own->x[j];
    return status ? status
                  : kn_buffer_write(work->queue, work->result, offset * sizeof *own->found, own->found,
                                    columns * sizeof *own->found, err);
}

static kn_status run_systems(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    size_t offset = 0;
    kn_status status = KN_OK;

    for (size_t i = 0; i < own->count && !status; i++) {
        status = solve(work, own->matrices[i], offset, err);
        offset += kn_sparse_get_columns(own->matrices[i]) * own->images;
    }
    return status;
}

static void close_systems(struct tune_work *work)
{
    struct own *own = work->own;

    for (size_t i = 0; i < SIZES; i++)
        kn_sparse_free(own->matrices[i]);
    free(own->b);
    free(own->x);
    free(own->found);
}

// ---- the table ----

// For an adjoint, twice the bound in koine/recon.h; for solutions, the errors of single precision for these
// systems.
#define ADJOINT .bound = 6e-6, .close = close_adjoint, .prepare = prepare_adjoint, .run = run_adjoint
#define SYSTEMS .bound = 1e-4, .close = close_systems, .run = run_systems

CROSSOVER(crossover_separable, "mri-separable",
          "F^H d of 64 x 64 or 256 x 256 voxels and as many samples, as a product of matrices wherever it is "
          "estimated to be "
          "faster, or never",
          ADJOINT, open_adjoint, crossover_on_all, KN_F32, 6, 8, ALWAYS, NEVER);
CROSSOVER(crossover_fused, "sparse-fused",
          "100 iterations of least squares of 2^10 to 2^13 rows, with fused launches always or never",
          SYSTEMS, open_one, crossover_on_all, KN_F32, 10, 13, ALWAYS, NEVER);
CROSSOVER(crossover_whole, "batch-whole",
          "100 iterations of least squares of 2^8 to 2^13 rows and 32 right-hand sides, in one launch up to "
          "so many bytes an iteration",
          SYSTEMS, open_many, crossover_on_all, KN_F32, 8, 13, 0, 1 << 17, 1 << 18, 1 << 19, 1 << 20, 1 << 21,
          1 << 22, NEVER);
CROSSOVER(crossover_tiled, "batch-tiled",
          "100 iterations of least squares of 2^15 rows and 32 right-hand sides in windows of 2^6 to 2^11 "
          "columns, by tiles where so many nonzeros share a line",
          SYSTEMS, open_windows, crossover_on_gpus, KN_F32, 6, 11, 1, 2, 3, 4, 6, 8, NEVER);
