// SPDX-License-Identifier: Apache-2.0
// The autocorrelation of an image in memory, end to end: its sums and lengths.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "io/image/image.h"
#include "jobs.h"

enum { PIXELS };          // the column
enum { CHECKED = 64 };    // offsets
enum { SIDE_OVER_R = 8 }; // offsets reach an eighth of the side

struct work {
    kn_autocorr_plan *plan;
    uint64_t *sums;
    kn_autocorr_lengths lengths;
};

static size_t side_of(size_t n)
{
    return (size_t)sqrt((double)n);
}

static size_t count_offsets(size_t n)
{
    size_t r = side_of(n) / SIDE_OVER_R;

    return (r + 1) * (2 * r + 1);
}

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    (void)which;
    // Transforms of padded images, in double precision.
    *cost = (struct compare_cost){.amount = (double)n, .memory = 64 * n, .largest = 16 * n};
}

// The first page of a square image of the problem's size.
static kn_status read_image(struct compare_problem *problem, kn_error *err)
{
    size_t side = side_of(problem->n);
    struct image_file *file = NULL;
    struct image image = {.samples = NULL};
    kn_status status = image_open(problem->path, 0, &file, err);

    if (!status)
        status = image_read(file, 0, &image, err);
    if (!status &&
        (image.width != side || image.height != side || image.channels != 1 || image.type != KN_U8))
        status = ki_fail(err, KN_ERROR_INPUT, "%s: it is not a grey image of %zu x %zu pixels of 8 bits",
                         problem->path, side, side);
    if (!status)
        memcpy(problem->columns[PIXELS].data, image.samples, side * side);
    free(image.samples);
    image_close(file);
    return status;
}

// Blobs, as in a picture from a microscope, with noise.
static kn_status make(struct compare_problem *problem, kn_error *err)
{
    size_t side = side_of(problem->n);
    uint64_t state = problem->n;
    kn_status status = job_column(problem, COMPARE_REFERENCE, side * side, err);

    if (problem->path)
        return status ? status : read_image(problem, err);
    for (size_t i = 0; i < side * side && !status; i++) {
        double x = (double)(i % side), y = (double)(i / side);
        double level = 128 + 60 * sin(0.31 * x + 0.11 * y) * sin(0.27 * y - 0.07 * x);

        ((uint8_t *)problem->columns[PIXELS].data)[i] = (uint8_t)(level + (double)(job_random(&state) % 64));
    }
    return status;
}

static kn_status enter(struct compare_work *work, kn_error *err)
{
    size_t side = side_of(work->problem->n);
    const kn_autocorr_shape shape = KN_INIT(kn_autocorr_shape, .width = side, .height = side, .type = KN_U8,
                                            .max_offset = side / SIDE_OVER_R);
    struct work *own = work->own;
    kn_status status = job_memory(count_offsets(work->problem->n) * sizeof *own->sums, &own->sums, err);

    return status ? status : kn_autocorr_plan_create(work->queue, &shape, NULL, &own->plan, err);
}

static void leave(struct compare_work *work)
{
    struct work *own = work->own;

    kn_autocorr_plan_free(own->plan);
    free(own->sums);
}

static kn_status reset(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;

    (void)err;
    memset(own->sums, 0xff, count_offsets(work->problem->n) * sizeof *own->sums);
    return KN_OK;
}

static kn_status run(struct compare_work *work, kn_error *err)
{
    struct work *own = work->own;
    const kn_autocorr_frames frames =
        KN_INIT(kn_autocorr_frames, .first = work->problem->columns[PIXELS].data);
    const kn_autocorr_results results =
        KN_INIT(kn_autocorr_results, .sums = own->sums, .lengths = &own->lengths);

    return kn_autocorr_execute(own->plan, &frames, 1, &results, err);
}

// C(X0, Y0), summed term by term.
static uint64_t sum_at(const uint8_t *pixels, size_t side, ptrdiff_t x0, size_t y0)
{
    size_t begin = x0 < 0 ? (size_t)-x0 : 0, end = x0 > 0 ? side - (size_t)x0 : side;
    uint64_t sum = 0;

    for (size_t y = 0; y + y0 < side; y++)
        for (size_t x = begin; x < end; x++)
            sum += (uint64_t)pixels[y * side + x] * pixels[(y + y0) * side + (size_t)((ptrdiff_t)x + x0)];
    return sum;
}

static kn_status check(struct compare_work *work, kn_error *err)
{
    const struct work *own = work->own;
    size_t side = side_of(work->problem->n), r = side / SIDE_OVER_R,
           offsets = count_offsets(work->problem->n);
    uint64_t state = offsets;

    (void)err;
    work->error = work->bound = 0;
    for (size_t i = 0; i < CHECKED; i++) {
        size_t at = i == 0 ? r : i == 1 ? 0 : i == 2 ? offsets - 1 : job_random(&state) % offsets;
        ptrdiff_t x0 = (ptrdiff_t)(at % (2 * r + 1)) - (ptrdiff_t)r;

        work->error +=
            own->sums[at] != sum_at(work->problem->columns[PIXELS].data, side, x0, at / (2 * r + 1));
    }
    return KN_OK;
}

const struct compare_job compare_job_autocorr = {
    .name = "autocorr",
    .what = "autocorrelation of an image",
    .size = "pixels",
    .unit = "Mpixels/s",
    .scale = 1e-6,
    .wall_only = true,
    .error_is = "sums that are not exact, of 64",
    .cases = {{"u8", KN_U8, 0}},
    .quick = {(size_t)1 << 16, (size_t)1 << 18},
    .full = {(size_t)1 << 16, (size_t)1 << 20, (size_t)1 << 22},
    .data = "images/foam_1.tif", // a foam
    .real = {"foam_1.tif", KN_U8, 0},
    .real_n = 768 * 768,
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
