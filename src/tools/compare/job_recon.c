// SPDX-License-Identifier: Apache-2.0
// The image of an MRI scan along golden-angle spokes by the adjoint sum, end to end.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"
#include "io/array/cfl.h"
#include "jobs.h"

enum { K, DATA };        // the columns: the trajectory, and the phantom's samples
enum { CHECKED = 1024 }; // voxels
enum { SPIRAL = 1 };     // the variant on real data
enum { SAMPLES = 3770 }; // of that

struct problem {
    kn_recon_matrix matrix;
    size_t samples;
};

struct work {
    kn_recon_plan *plan;
    double *image;
};

static void settle(size_t n, kn_recon_trajectory *golden, struct problem *problem)
{
    *golden =
        KN_INIT(kn_recon_trajectory, .kind = KN_RECON_TRAJECTORY_GOLDEN, .extent = (size_t)sqrt((double)n));
    kn_recon_trajectory_settle(golden, &problem->matrix, &problem->samples, NULL);
}

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    kn_recon_trajectory golden;
    struct problem problem;

    settle(n, &golden, &problem);
    if (which->variant == SPIRAL)
        problem.samples = SAMPLES;
    // Memory for tables with a number for each sample and column; complex numbers in single precision.
    *cost = (struct compare_cost){.amount = (double)n * (double)problem.samples,
                                  .memory = 16 * problem.samples * problem.matrix.size[0],
                                  .largest = 8 * problem.samples * problem.matrix.size[0]};
}

// Reads a file of the real scan: complex numbers, `each` a sample.
static kn_status read_samples(const char *path, size_t each, struct npy *array, kn_error *err)
{
    kn_status status = cfl_read(path, array, err);

    if (status)
        return status;
    if (array->count == each * SAMPLES)
        return KN_OK;
    status = ki_fail(err, KN_ERROR_INPUT, "%s: it has %zu numbers, not %zu", path, array->count,
                     each * (size_t)SAMPLES);
    npy_free(array);
    return status;
}

// The trajectory in cycles per field of view, and the samples of ksp.cfl beside it.
static kn_status read_scan(struct compare_problem *problem, kn_error *err)
{
    double *k = problem->columns[K].data, *data = problem->columns[DATA].data;
    const char *slash = strrchr(problem->path, '/');
    struct npy trajectory, samples;
    struct ki_text path = KI_TEXT_INIT;
    kn_status status;

    ki_text_format(&path, "%.*s/ksp.cfl", (int)(slash - problem->path), problem->path);
    status = path.failed ? ki_fail_memory(err, 0, "naming the data")
                         : read_samples(problem->path, 3, &trajectory, err);
    if (!status) {
        status = read_samples(path.data, 1, &samples, err);
        for (size_t i = 0; i < 3 * SAMPLES && !status; i++)
            k[i] = (double)((const float *)trajectory.data)[2 * i];
        for (size_t i = 0; i < 2 * SAMPLES && !status; i++)
            data[i] = (double)((const float *)samples.data)[i];
        npy_free(&trajectory);
    }
    if (!status)
        npy_free(&samples);
    ki_text_free(&path);
    return status;
}

static kn_status make(struct compare_problem *problem, kn_error *err)
{
    struct problem *own = problem->own;
    kn_recon_trajectory golden;
    kn_status status;

    settle(problem->n, &golden, own);
    if (problem->path)
        own->samples = SAMPLES;
    status = job_column(problem, COMPARE_REFERENCE, 3 * own->samples * sizeof(double), err);
    if (!status)
        status = job_column(problem, COMPARE_REFERENCE, 2 * own->samples * sizeof(double), err);
    if (!status && problem->path)
        return read_scan(problem, err);
    if (!status)
        status = kn_recon_trajectory_fill(&golden, own->samples, problem->columns[K].data, err);
    return status ? status
                  : kn_recon_phantom_kspace(&own->matrix, problem->columns[K].data, own->samples,
                                            problem->columns[DATA].data, err);
}

static size_t image_bytes(const struct problem *problem)
{
    return 2 * problem->matrix.size[0] * problem->matrix.size[1] * sizeof(double);
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    struct work *own = work->own;
    kn_status status = job_memory(image_bytes(given), &own->image, err);

    return status ? status
                  : kn_recon_plan_create(work->queue, &given->matrix, work->problem->columns[K].data,
                                         given->samples, NULL, &own->plan, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_recon_plan_free(own->plan);
    free(own->image);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    (void)err;
    memset(((struct work *)work->own)->image, 0xff, image_bytes(work->problem->own)); // not a number
    return KN_OK;
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    return kn_recon_adjoint(own->plan, work->problem->columns[DATA].data, own->image, err);
}

// The sum as defined in koine/recon.h, at voxel (x, y).
static void voxel(const struct compare_problem *problem, size_t x, size_t y, double value[2])
{
    const struct problem *own = problem->own;
    const double *k = problem->columns[K].data, *data = problem->columns[DATA].data;
    size_t side = own->matrix.size[0];
    double rx = ((double)x - (double)(side / 2)) / (double)side,
           ry = ((double)y - (double)(side / 2)) / (double)side;

    value[0] = value[1] = 0;
    for (size_t m = 0; m < own->samples; m++) {
        double phase = 2 * M_PI * (k[3 * m] * rx + k[3 * m + 1] * ry), c = cos(phase), s = sin(phase);

        value[0] += data[2 * m] * c - data[2 * m + 1] * s;
        value[1] += data[2 * m] * s + data[2 * m + 1] * c;
    }
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct problem *given = work->problem->own;
    const double *image = ((struct work *)work->own)->image;
    size_t side = given->matrix.size[0], voxels = side * given->matrix.size[1];
    size_t checked = 1 + (size_t)CHECKED * 4096 / given->samples;
    long double off = 0, norm = 0;
    uint64_t state = voxels;

    (void)err;
    for (size_t i = 0; i < checked; i++) {
        size_t at = job_random(&state) % voxels;
        double wanted[2];

        voxel(work->problem, at % side, at / side, wanted);
        for (size_t j = 0; j < 2; j++) {
            off += (long double)(image[2 * at + j] - wanted[j]) * (image[2 * at + j] - wanted[j]);
            norm += (long double)wanted[j] * wanted[j];
        }
    }
    work->error = (double)sqrtl(off / norm);
    work->bound = work->queue ? 1e-6 : 1e-12; // the errors stated in koine/recon.h for the kernel and for the
                                              // product of matrices
    return KN_OK;
}

const struct compare_job compare_job_recon = {
    .name = "recon",
    .what = "the image of an MRI scan, by the adjoint sum",
    .size = "voxels",
    .unit = "Gterms/s",
    .scale = 1e-9,
    .wall_only = true,
    .error_is = "the 2-norm over some hundred voxels, relative to the image's",
    .cases = {{"golden", KN_F32, 0}},
    .quick = {64 * 64, 128 * 128},
    .full = {64 * 64, 128 * 128, 256 * 256},
    .data = "mri/impatient-64x64x1/traj.cfl", // a brain along a spiral
    .real = {"impatient, spiral", KN_F32, SPIRAL},
    .real_n = 64 * 64,
    .problem_bytes = sizeof(struct problem),
    .work_bytes = sizeof(struct work),
    .cost = cost,
    .make = make,
    .enter = enter,
    .leave = leave,
    .reset = reset,
    .run = run,
    .run_host = run,
    .check = check,
};
