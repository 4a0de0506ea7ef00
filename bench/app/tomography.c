// SPDX-License-Identifier: Apache-2.0
// Times tomography by the public interface, with sinogram and picture in a device's memory, or on the host:
// filtered back-projection, and iterations of least squares and total variation.
//
//     bench/tomography [--device SPEC] [--repetitions N]
//
// Without --device, or with `host`: the host. Filtered back-projection of 180 projections of 1,024 detectors
// to 1,024 x 1,024 pixels, of parallel beams and of a fan of 360; then 500 iterations of total variation for
// 256 x 256 pixels from 60 projections, and 50 of conjugate gradients for 640 x 640 from 181; and filtered
// back-projection of a cone beam, 360 projections of 512 x 512 detectors to 512 x 512 x 512 voxels, in single
// precision on the host, too. Plans are made before, and the first run, which compiles, is not counted.
// Columns: median, least and most wall time in milliseconds, of N runs (9); and the distance from the head
// phantom, whose exact sinogram it is, as a part of it: of the cone from a ball, in the middle slice.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/koine.h>

#include "bench/bench.h"

struct bench {
    kn_queue *queue; // NULL: the host
    kn_error err;
    size_t repetitions;
    kn_tomography_geometry geometry;
    size_t rays, pixels;
    size_t first, compared;               // the pixels beside the phantom's
    double *phantom, *sinogram, *picture; // on the host; of a cone only the compared pixels
    float *singles;                       // as many as both have: of a cone the projections, then the volume
    kn_buffer *sinogram_there, *picture_there;
    kn_tomography_fbp_plan *fbp;
    kn_solve_plan *solver;
};

static void begin(struct bench *b, kn_tomography_geometry geometry)
{
    kn_context *context = b->queue ? kn_queue_get_context(b->queue) : NULL;

    b->geometry = geometry;
    b->rays = geometry.angles * geometry.detectors;
    b->pixels = b->compared = geometry.size * geometry.size;
    b->first = 0;
    b->phantom = bench_allocate(b->pixels * sizeof *b->phantom);
    b->picture = bench_allocate(b->pixels * sizeof *b->picture);
    b->sinogram = bench_allocate(b->rays * sizeof *b->sinogram);
    b->singles = bench_allocate((b->rays + b->pixels) * sizeof *b->singles);
    bench_try(kn_tomography_phantom(geometry.size, 4, b->phantom, &b->err), &b->err);
    bench_try(kn_tomography_phantom_sinogram(&geometry, b->sinogram, &b->err), &b->err);
    if (!context)
        return;
    for (size_t i = 0; i < b->rays; i++)
        b->singles[i] = (float)b->sinogram[i];
    bench_try(kn_buffer_create(context, b->rays * sizeof(float), &b->sinogram_there, &b->err), &b->err);
    bench_try(kn_buffer_create(context, b->pixels * sizeof(float), &b->picture_there, &b->err), &b->err);
    bench_try(kn_buffer_write(b->queue, b->sinogram_there, 0, b->singles, b->rays * sizeof(float), &b->err),
              &b->err);
}

static void end(struct bench *b)
{
    kn_buffer_free(b->sinogram_there);
    kn_buffer_free(b->picture_there);
    free(b->phantom);
    free(b->sinogram);
    free(b->picture);
    free(b->singles);
}

// The picture is 0 before each solution, which would start from it.
static void clear(struct bench *b)
{
    const float zero = 0;

    memset(b->picture, 0, b->compared * sizeof *b->picture);
    if (!b->queue)
        return;
    bench_try(kn_buffer_fill(b->queue, b->picture_there, &zero, sizeof zero, 0, b->pixels * sizeof zero, NULL,
                             &b->err),
              &b->err);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
}

static void back_project(struct bench *b)
{
    bench_try(b->queue
                  ? kn_tomography_fbp_execute_buffers(b->fbp, b->sinogram_there, b->picture_there, &b->err)
                  : kn_tomography_fbp_execute(b->fbp, b->sinogram, b->picture, &b->err),
              &b->err);
}

static void back_project_cone(struct bench *b)
{
    bench_try(b->queue
                  ? kn_tomography_fbp_execute_buffers(b->fbp, b->sinogram_there, b->picture_there, &b->err)
                  : kn_tomography_fbp_execute(b->fbp, b->singles, b->singles + b->rays, &b->err),
              &b->err);
}

static void solve(struct bench *b)
{
    kn_solve_result result;

    bench_try(b->queue
                  ? kn_solve_execute_buffers(b->solver, b->sinogram_there, b->picture_there, NULL, &b->err)
                  : kn_solve_execute(b->solver, b->sinogram, b->picture, &result, &b->err),
              &b->err);
}

static double distance(struct bench *b)
{
    double off = 0, all = 0;

    if (b->queue) {
        bench_try(kn_buffer_read(b->queue, b->picture_there, b->first * sizeof(float),
                                 b->singles + b->rays + b->first, b->compared * sizeof(float), &b->err),
                  &b->err);
    }
    if (b->queue || b->geometry.beam == KN_TOMOGRAPHY_CONE)
        for (size_t i = 0; i < b->compared; i++)
            b->picture[i] = (double)b->singles[b->rays + b->first + i];
    for (size_t i = 0; i < b->compared; i++) {
        off += (b->picture[i] - b->phantom[i]) * (b->picture[i] - b->phantom[i]);
        all += b->phantom[i] * b->phantom[i];
    }
    return sqrt(off / all);
}

static void time_it(struct bench *b, const char *what, void (*run)(struct bench *b))
{
    double *seconds = bench_allocate(b->repetitions * sizeof *seconds);
    struct bench_times times;

    for (size_t i = 0; i <= b->repetitions; i++) {
        double start;

        clear(b);
        start = bench_seconds();
        run(b);
        if (b->queue)
            bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
        if (i > 0)
            seconds[i - 1] = bench_seconds() - start;
    }
    times = bench_times_of(seconds, b->repetitions);
    printf("%-48s %10.3f ms (%.3f to %.3f)  off by %.4f\n", what, 1e3 * times.median, 1e3 * times.least,
           1e3 * times.most, distance(b));
    fflush(stdout);
    free(seconds);
}

static void bench_fbp(struct bench *b, const char *what, kn_tomography_geometry geometry)
{
    begin(b, geometry);
    bench_try(kn_tomography_fbp_plan_create(b->queue, &b->geometry, NULL, &b->fbp, &b->err), &b->err);
    time_it(b, what, back_project);
    kn_tomography_fbp_plan_free(b->fbp);
    end(b);
}

// A ball at the axis, whose projections are the same from all sides.
static void begin_cone(struct bench *b, kn_tomography_geometry geometry)
{
    kn_context *context = b->queue ? kn_queue_get_context(b->queue) : NULL;
    const double source = geometry.source_distance, length = source + geometry.detector_distance,
                 radius = 0.4 * (double)geometry.size, half = ((double)geometry.size - 1) / 2;
    const size_t panel = geometry.lines * geometry.detectors;

    b->geometry = geometry;
    b->compared = geometry.size * geometry.size;
    b->first = geometry.slices / 2 * b->compared;
    b->rays = geometry.angles * panel;
    b->pixels = geometry.slices * b->compared;
    b->phantom = bench_allocate(b->compared * sizeof *b->phantom);
    b->picture = bench_allocate(b->compared * sizeof *b->picture);
    b->sinogram = NULL;
    b->singles = bench_allocate((b->rays + b->pixels) * sizeof *b->singles);
    for (size_t i = 0; i < b->rays; i++) {
        const double u = (double)(i % geometry.detectors) - ((double)geometry.detectors - 1) / 2,
                     v = (double)(i / geometry.detectors % geometry.lines) - ((double)geometry.lines - 1) / 2,
                     cosine = length / sqrt(length * length + u * u + v * v),
                     square = radius * radius - source * source * (1 - cosine * cosine);

        b->singles[i] = (float)(2 * sqrt(fmax(square, 0)));
    }
    for (size_t i = 0; i < b->compared; i++)
        b->phantom[i] =
            hypot((double)(i % geometry.size) - half, (double)(i / geometry.size) - half) < radius;
    if (!context)
        return;
    bench_try(kn_buffer_create(context, b->rays * sizeof(float), &b->sinogram_there, &b->err), &b->err);
    bench_try(kn_buffer_create(context, b->pixels * sizeof(float), &b->picture_there, &b->err), &b->err);
    bench_try(kn_buffer_write(b->queue, b->sinogram_there, 0, b->singles, b->rays * sizeof(float), &b->err),
              &b->err);
}

static void bench_fdk(struct bench *b, const char *what, kn_tomography_geometry geometry)
{
    const kn_tomography_fbp_options options = KN_INIT(kn_tomography_fbp_options, .type = KN_F32);

    begin_cone(b, geometry);
    bench_try(kn_tomography_fbp_plan_create(b->queue, &b->geometry, &options, &b->fbp, &b->err), &b->err);
    time_it(b, what, back_project_cone);
    kn_tomography_fbp_plan_free(b->fbp);
    end(b);
}

static void bench_solve(struct bench *b, const char *what, kn_tomography_geometry geometry,
                        kn_solve_options options)
{
    kn_operator *rays = NULL;

    begin(b, geometry);
    options.shape[0] = options.shape[1] = geometry.size;
    bench_try(kn_tomography_operator_create(b->queue, &b->geometry, NULL, &rays, &b->err), &b->err);
    bench_try(kn_solve_plan_create(b->queue, rays, &options, &b->solver, &b->err), &b->err);
    time_it(b, what, solve);
    kn_solve_plan_free(b->solver);
    kn_operator_free(rays);
    end(b);
}

int main(int argc, char **argv)
{
    struct bench b = {.err = KN_ERROR_INIT, .repetitions = BENCH_REPETITIONS};
    const char *spec = "host";
    kn_context *context = NULL;

    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[i + 1];
        else if (i + 1 < argc && strcmp(argv[i], "--repetitions") == 0)
            b.repetitions = strtoul(argv[i + 1], NULL, 10);
        else
            b.repetitions = 0;
        if (b.repetitions == 0) {
            fprintf(stderr, "usage: %s [--device SPEC] [--repetitions N]\n", argv[0]);
            return 2;
        }
    }
    if (strcmp(spec, "host") != 0) {
        bench_try(kn_context_open(spec, NULL, &context, &b.err), &b.err);
        bench_try(kn_queue_open(context, &b.queue, &b.err), &b.err);
    }
    printf("%s: %s\n", spec,
           context ? kn_context_get_device(context)->name : "the host, in double precision");
    bench_fbp(&b, "fbp, parallel, 180 x 1024 to 1024^2",
              KN_INIT(kn_tomography_geometry, .angles = 180, .detectors = 1024, .size = 1024));
    bench_fbp(&b, "fbp, fan, 360 x 1024 to 512^2",
              KN_INIT(kn_tomography_geometry, .angles = 360, .detectors = 1024, .size = 512,
                      .beam = KN_TOMOGRAPHY_FAN_FLAT, .source_distance = 1000, .detector_distance = 500));
    bench_solve(&b, "tv, 60 x 256 to 256^2, 500 iterations",
                KN_INIT(kn_tomography_geometry, .angles = 60, .detectors = 256, .size = 256),
                KN_INIT(kn_solve_options, .method = KN_SOLVE_TV, .iterations = 500, .lambda = 0.05));
    bench_solve(&b, "cgnr, 181 x 640 to 640^2, 50 iterations",
                KN_INIT(kn_tomography_geometry, .angles = 181, .detectors = 640, .size = 640),
                KN_INIT(kn_solve_options, .method = KN_SOLVE_CGNR, .iterations = 50));
    bench_fdk(&b, "fdk, cone, 360 x 512 x 512 to 512^3",
              KN_INIT(kn_tomography_geometry, .angles = 360, .lines = 512, .detectors = 512, .size = 512,
                      .slices = 512, .beam = KN_TOMOGRAPHY_CONE, .source_distance = 1000));
    kn_queue_close(b.queue);
    kn_context_close(context);
    return 0;
}
