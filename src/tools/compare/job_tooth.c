// SPDX-License-Identifier: Apache-2.0
#include "job_tooth.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "tools/solve/sinogram_files.h"

enum { B, X, WANTED, THETA }; // the columns, from the first of them on

// The axis of rotation in these detectors, from their middle: 295.8 of 640 unbinned ones (koine solve with
// AXIS auto).
static const double axis_offset = (295.8 - 1.5) / JOB_TOOTH_BIN - (JOB_TOOTH_SIZE - 1) / 2.0;

static kn_tomography_geometry geometry_of(const struct compare_problem *problem, size_t first)
{
    return KN_INIT(kn_tomography_geometry, .angles = JOB_TOOTH_ANGLES, .detectors = JOB_TOOTH_SIZE,
                   .size = JOB_TOOTH_SIZE, .axis_offset = axis_offset,
                   .theta = problem->columns[first + THETA].data);
}

static kn_status read(const char *path, struct sparse_sinogram *sinogram, kn_error *err)
{
    const struct sparse_sinogram_options options = {.slice = 0, .bin = JOB_TOOTH_BIN};
    kn_status status = sparse_read_sinogram(path, &options, sinogram, err);

    if (!status && (sinogram->angles != JOB_TOOTH_ANGLES || sinogram->detectors != JOB_TOOTH_SIZE))
        status =
            ki_fail(err, KN_ERROR_INPUT, "%s: %zu projections of %zu binned detectors; expected %d of %d",
                    path, sinogram->angles, sinogram->detectors, JOB_TOOTH_ANGLES, JOB_TOOTH_SIZE);
    return status;
}

static void round_to(kn_type type, const double *from, size_t count, void *to)
{
    for (size_t i = 0; i < count; i++)
        if (type == KN_F32)
            ((float *)to)[i] = (float)from[i];
        else
            ((double *)to)[i] = from[i];
}

kn_solve_options job_tooth_options(size_t iterations)
{
    return KN_INIT(kn_solve_options, .method = KN_SOLVE_SIRT, .iterations = iterations);
}

// The solution on the host, with rays on the fly.
static kn_status solve(const kn_tomography_geometry *geometry, size_t iterations, const double *b, double *x,
                       kn_error *err)
{
    const kn_solve_options options = job_tooth_options(iterations);
    kn_operator *a = NULL;
    kn_solve_plan *plan = NULL;
    kn_solve_result result;
    kn_status status = kn_tomography_operator_create(NULL, geometry, NULL, &a, err);

    if (!status)
        status = kn_solve_plan_create(NULL, a, &options, &plan, err);
    if (!status)
        status = kn_solve_execute(plan, b, x, &result, err);
    kn_solve_plan_free(plan);
    kn_operator_free(a);
    return status;
}

kn_status job_tooth_make(struct compare_problem *problem, size_t iterations, kn_error *err)
{
    size_t element = kn_type_size(problem->which->type), first = problem->column_count;
    struct sparse_sinogram sinogram = {.slices = 0};
    kn_tomography_geometry geometry;
    kn_status status = job_column(problem, COMPARE_REFERENCE, JOB_TOOTH_ROWS * element, err);

    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, problem->n * element, err);
    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, problem->n * sizeof(double), err);
    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, JOB_TOOTH_ANGLES * sizeof(double), err);
    if (!status)
        status = read(problem->path, &sinogram, err);
    if (!status) {
        memcpy(problem->columns[first + THETA].data, sinogram.theta, JOB_TOOTH_ANGLES * sizeof(double));
        round_to(problem->which->type, sinogram.values, JOB_TOOTH_ROWS, problem->columns[first + B].data);
        memset(problem->columns[first + WANTED].data, 0, problem->n * sizeof(double));
        geometry = geometry_of(problem, first);
        status = solve(&geometry, iterations, sinogram.values, problem->columns[first + WANTED].data, err);
    }
    sparse_sinogram_free(&sinogram);
    return status;
}

kn_status job_tooth_operator(const struct compare_work *work, size_t first, kn_operator **made, kn_error *err)
{
    const kn_tomography_geometry geometry = geometry_of(work->problem, first);
    const kn_sparse_operator_options options =
        KN_INIT(kn_sparse_operator_options, .format = KN_SPARSE_SELL, .type = work->problem->which->type);

    return kn_tomography_operator_create(work->queue, &geometry, &options, made, err);
}

double job_tooth_error(const struct compare_problem *problem, size_t first, const double *x)
{
    const double *wanted = problem->columns[first + WANTED].data;
    double largest = 0, worst = 0;

    for (size_t i = 0; i < problem->n; i++) {
        double error = fabs(x[i] - wanted[i]);

        largest = fmax(largest, fabs(wanted[i]));
        worst = error <= worst ? worst : error; // also if the error is not a number
    }
    return worst / largest;
}
