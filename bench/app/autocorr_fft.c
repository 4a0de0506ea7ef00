// SPDX-License-Identifier: Apache-2.0
// Times autocorrelations by Fourier transforms on a device, from images there to their azimuthal averages
// there, checked at random offsets in 64 bits.
//
//     bench/autocorr_fft [--device SPEC] [--size WIDTH,HEIGHT] [--max-offset R] [--batch N]... [--bits 8|16]
//                        [--exact] [--number] [--across N] [--down N] [--held N] [--rows N] [--columns N]
//                        [--kernels] [--tune]
//
// Without --batch: one frame, and 64. --exact: exact sums; --number: by number-theoretic transforms. --across
// to
// --columns: see autocorr_fft_options. Columns, in ms a frame: the device's time by its events, median and
// least; what a caller waits, rings read by the host included; launches a batch; the greatest error at an
// offset, beside the bound. --kernels: what each kernel takes. --tune: the same with other lengths, lines and
// points held, the device's time alone.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/autocorr/device/device_fft.h"
#include "app/autocorr/device/device_radial.h"
#include "base/array.h"
#include "bench/bench.h"

enum { CHECKED = 100 };

struct job {
    kn_queue *queue;
    size_t width, height, max_offset, batch;
    kn_type type;
    bool exact, kernels, tune;
    struct autocorr_fft_options options;
    unsigned char *pixels;
    struct autocorr_frames frames; // in `held`
    kn_buffer *held;
    struct autocorr_fft *fft;
    struct autocorr_device_radial *radial;
    kn_buffer *sums, *rings;
    struct autocorr_ring *host;
};

static kn_error err = KN_ERROR_INIT;

#define TRY(call) bench_try(call, &err)

static uint64_t pixel(const struct job *job, size_t at)
{
    return job->type == KN_U8 ? job->pixels[at] : ((const uint16_t *)(const void *)job->pixels)[at];
}

// ---- checks ----

static uint64_t sum_at(const struct job *job, size_t frame, ptrdiff_t x0, size_t y0)
{
    size_t first = frame * job->width * job->height, begin = x0 < 0 ? (size_t)-x0 : 0,
           end = x0 > 0 ? job->width - (size_t)x0 : job->width;
    uint64_t sum = 0;

    for (size_t y = 0; y + y0 < job->height; y++)
        for (size_t x = begin; x < end; x++)
            sum += pixel(job, first + y * job->width + x) *
                   pixel(job, (size_t)((ptrdiff_t)(first + (y + y0) * job->width + x) + x0));
    return sum;
}

// sum (I - m)^2 of a frame, m its mean rounded down.
static double energy_of(const struct job *job, size_t frame)
{
    size_t pixels = job->width * job->height;
    double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < pixels; i++)
        sum += (double)pixel(job, frame * pixels + i);
    mean = floor(sum / (double)pixels);
    for (size_t i = 0; i < pixels; i++)
        squares +=
            ((double)pixel(job, frame * pixels + i) - mean) * ((double)pixel(job, frame * pixels + i) - mean);
    return squares;
}

static void print_errors(const struct job *job)
{
    size_t offsets = autocorr_offsets(job->max_offset), columns = 2 * job->max_offset + 1;
    uint64_t *sums = bench_allocate(offsets * sizeof *sums), state = 9;
    size_t frame = job->batch - 1;
    double worst = 0, bound = ki_autocorr_fft_bound(job->fft, energy_of(job, frame));

    TRY(kn_buffer_read(job->queue, job->sums, frame * offsets * sizeof *sums, sums, offsets * sizeof *sums,
                       &err));
    for (size_t i = 0; i < CHECKED; i++) {
        size_t at = (size_t)(bench_random(&state) % offsets);
        ptrdiff_t x0 = (ptrdiff_t)(at % columns) - (ptrdiff_t)job->max_offset;

        worst = fmax(worst, fabs((double)(int64_t)(sums[at] - sum_at(job, frame, x0, at / columns))));
    }
    printf("  %s: off by %.3g, bound %.3g\n", worst <= bound ? "right" : "WRONG", worst, bound);
    free(sums);
}

// ---- time ----

static void to_rings(struct job *job)
{
    TRY(ki_autocorr_fft_sums(job->queue, job->fft, &job->frames, job->sums, &err));
    TRY(ki_autocorr_radial_device(job->queue, job->radial, job->sums, 0, job->batch,
                                  ki_autocorr_fft_tables(job->fft), KN_AUTOCORR_PEARSON, job->rings, &err));
}

static void run(void *data)
{
    struct job *job = data;

    to_rings(job);
    TRY(ki_autocorr_radial_read(job->queue, job->radial, job->rings, 0, job->batch, job->host, &err));
}

static struct bench_timing time_fft(struct job *job)
{
    size_t offsets = autocorr_offsets(job->max_offset);
    struct bench_timing timing;

    TRY(kn_buffer_create(kn_queue_get_context(job->queue), job->batch * offsets * sizeof(uint64_t),
                         &job->sums, &err));
    TRY(kn_buffer_create(kn_queue_get_context(job->queue),
                         ki_autocorr_device_radial_bytes(job->radial, job->batch), &job->rings, &err));
    timing = bench_measure(job->queue, NULL, run, job, job->kernels);
    return timing;
}

static void free_results(struct job *job)
{
    kn_buffer_free(job->sums);
    kn_buffer_free(job->rings);
    ki_autocorr_fft_free(job->fft);
    job->fft = NULL;
}

// False if the options are refused.
static bool make_plan(struct job *job)
{
    kn_status status =
        ki_autocorr_fft_create_with(job->queue, job->width, job->height, job->max_offset, job->type, false,
                                    job->exact, job->batch, &job->options, &job->fft, &err);

    if (!status && ki_autocorr_fft_batch(job->fft) < job->batch) {
        printf("batches of %zu are more than the device takes at once\n", job->batch);
        ki_autocorr_fft_free(job->fft);
        return false;
    }
    if (status && !job->tune)
        bench_try(status, &err);
    err = (kn_error)KN_ERROR_INIT;
    return status == KN_OK;
}

static void report(struct job *job)
{
    double scale = 1e3 / (double)job->batch;
    struct bench_timing timing;

    if (!make_plan(job))
        return;
    timing = time_fft(job);
    printf("%zux%zu R %zu, %d bits, batch %3zu: device %.4f (least %.4f), wall %.4f (least %.4f) ms a frame, "
           "%zu launches",
           job->width, job->height, job->max_offset, job->type == KN_U8 ? 8 : 16, job->batch,
           timing.device.median * scale, timing.device.least * scale, timing.wall.median * scale,
           timing.wall.least * scale, timing.launches);
    print_errors(job);
    printf("  %s\n", ki_autocorr_fft_text(job->fft));
    fflush(stdout);
    free_results(job);
}

// One line of a sweep, unless it is refused.
static void try_options(struct job *job, const char *what, double *least)
{
    struct bench_timing timing;

    if (!make_plan(job))
        return;
    timing = time_fft(job);
    if (timing.device.least < *least) {
        *least = timing.device.least;
        what = "best so far";
    }
    printf("%-12s %.4f ms a frame: %s\n", what, timing.device.least * 1e3 / (double)job->batch,
           ki_autocorr_fft_text(job->fft));
    fflush(stdout);
    free_results(job);
}

static void tune(struct job *job)
{
    static const unsigned held[] = {16, 8, 32}, lines[] = {1, 2, 3, 4, 6, 8};
    const struct autocorr_fft_options given = job->options;
    size_t across = job->width + job->max_offset, down = job->height + job->max_offset;
    double least = INFINITY;

    for (size_t h = 0; h < KI_COUNT(held); h++)
        for (size_t i = 0; i < KI_COUNT(lines); i++) {
            job->options = given;
            job->options.held = held[h];
            job->options.columns = lines[i];
            try_options(job, "columns", &least);
            job->options.columns = given.columns;
            job->options.rows = lines[i];
            try_options(job, "rows", &least);
        }
    for (size_t extra = 0; extra <= 160; extra++) {
        job->options = given;
        if ((across + extra) % 8 == 0 && extra <= 80) {
            job->options.across = across + extra;
            try_options(job, "across", &least);
            job->options.across = given.across;
        }
        if ((down + extra) % 16 == 0) {
            job->options.down = down + extra;
            try_options(job, "down", &least);
        }
    }
    job->options = given;
}

// ---- the job ----

static void make_frames(struct job *job)
{
    size_t bytes = job->batch * job->width * job->height * kn_type_size(job->type);
    uint64_t state = 8;

    job->pixels = bench_allocate(bytes);
    for (size_t i = 0; i < bytes; i++)
        job->pixels[i] = (unsigned char)bench_random(&state);
    job->frames = (struct autocorr_frames){.width = job->width,
                                           .height = job->height,
                                           .count = job->batch,
                                           .type = job->type,
                                           .max_offset = job->max_offset};
    TRY(kn_buffer_create(kn_queue_get_context(job->queue), bytes, &job->held, &err));
    TRY(kn_buffer_write(job->queue, job->held, 0, job->pixels, bytes, &err));
    job->frames.first = job->held;
}

static void run_batch(struct job *job, size_t batch)
{
    job->batch = batch;
    make_frames(job);
    TRY(ki_autocorr_device_radial_create(job->queue, job->width, job->height, job->max_offset, &job->radial,
                                         &err));
    job->host = bench_allocate(batch * (job->max_offset + 1) * sizeof *job->host);
    if (job->tune)
        tune(job);
    else
        report(job);
    ki_autocorr_device_radial_free(job->radial);
    kn_buffer_free(job->held);
    free(job->pixels);
    free(job->host);
}

static bool read_value(struct job *job, const char *name, const char *value, size_t batches[16],
                       size_t *count)
{
    if (strcmp(name, "--size") == 0)
        return sscanf(value, "%zu,%zu", &job->width, &job->height) == 2;
    if (strcmp(name, "--max-offset") == 0)
        job->max_offset = strtoull(value, NULL, 10);
    else if (strcmp(name, "--batch") == 0 && *count < 16)
        batches[(*count)++] = strtoull(value, NULL, 10);
    else if (strcmp(name, "--bits") == 0)
        job->type = strcmp(value, "16") == 0 ? KN_U16 : KN_U8;
    else if (strcmp(name, "--across") == 0)
        job->options.across = strtoull(value, NULL, 10);
    else if (strcmp(name, "--down") == 0)
        job->options.down = strtoull(value, NULL, 10);
    else if (strcmp(name, "--held") == 0)
        job->options.held = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "--rows") == 0)
        job->options.rows = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "--columns") == 0)
        job->options.columns = (unsigned)strtoul(value, NULL, 10);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct job job = {.width = 750, .height = 1500, .max_offset = 250, .type = KN_U8};
    const char *spec = NULL;
    kn_context *context = NULL;
    size_t batches[16] = {1, 64}, count = 0;

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (strcmp(argv[i], "--exact") == 0)
            job.exact = true;
        else if (strcmp(argv[i], "--number") == 0) {
            job.exact = true;
            job.options.algorithm = AUTOCORR_FFT_NUMBER;
        } else if (strcmp(argv[i], "--kernels") == 0)
            job.kernels = true;
        else if (strcmp(argv[i], "--tune") == 0)
            job.tune = true;
        else if (strcmp(argv[i], "--device") == 0 && *value)
            spec = argv[++i];
        else if (read_value(&job, argv[i], value, batches, &count))
            i++;
        else
            return fprintf(stderr, "usage: see the head of bench/app/autocorr_fft.c\n"), 2;
    }
    TRY(kn_context_open(spec, NULL, &context, &err));
    TRY(kn_queue_open(context, &job.queue, &err));
    const kn_device_info *info = kn_context_get_device(context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    for (size_t i = 0; i < (count ? count : 2); i++)
        run_batch(&job, batches[i]);
    kn_queue_close(job.queue);
    kn_context_close(context);
    return 0;
}
