// SPDX-License-Identifier: Apache-2.0
// Times exact autocorrelations, on the host or on a device.
//
//     bench/autocorr [--image FILE | --size WIDTH,HEIGHT] [--max-offset R] [--bits 8|16] [--threads N]
//                    [--fastest] [--naive] [--repetitions N]
//     bench/autocorr --device SPEC [--image FILE | --size WIDTH,HEIGHT] [--max-offset R] [--bits 8|16]
//     [--batch N]
//                    [--tune] [--ladder] [--listing FOLDER]
//
// The image is random, or a file's first channel (--bits is the file's then). --fastest: the best level of
// this processor alone. --naive: besides, the four nested loops, once (a minute for 750 x 1500 and R = 250).
// Columns: median and least of the seconds that a caller waits; the least of the process's own time, which
// other processes do not lengthen; multiply-adds of whole pixels by the least; whether 200 random offsets are
// what two loops add up to (all of them, where naive runs).
//
// On a device: every method of src/app/autocorr/device/device.h, N frames a call (1). Columns: milliseconds a
// frame by the device's clock, least and median; by the caller's, median; multiply-adds and frames a second
// by the least; whether 200 random offsets of the first and of the last frame are right. --tune: sweeps what
// the direct method takes, and says which is best. --ladder: the methods' times against R and how much faster
// than the naive loops each is, as figures 6, 7 and 9 of Lu et al. (2009) have it; the host's with N threads.
// --listing: besides, their listing 1 with its own normalisation, from autocorr_listing.cl in that folder.
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/autocorr/host/host.h"
#include "io/image/image.h"
#include "autocorr.h"
#include "bench/bench.h"

enum { CHECKED = 200, MOST_REPETITIONS = 100 };

static kn_error err = KN_ERROR_INIT;

static void take(struct autocorr_job *job, const struct image *image)
{
    size_t count = image->width * image->height, size = kn_type_size(image->type);
    unsigned char *pixels = bench_allocate(count * size);

    for (size_t i = 0; i < count; i++)
        memcpy(pixels + i * size, (const unsigned char *)image->samples + i * size * image->channels, size);
    job->image = (struct autocorr_image){image->width, image->height, image->width, image->type, pixels};
}

static void make_image(struct autocorr_job *job)
{
    struct image_file *file;
    struct image image;

    if (job->file) {
        bench_try(image_open(job->file, 0, &file, &err), &err);
        bench_try(image_read(file, 0, &image, &err), &err);
        image_close(file);
        take(job, &image);
        free(image.samples);
    } else {
        size_t bytes = job->image.stride * job->image.height * kn_type_size(job->image.type);
        unsigned char *pixels = bench_allocate(bytes);
        uint64_t state = 8;

        for (size_t i = 0; i < bytes; i++)
            pixels[i] = (unsigned char)bench_random(&state);
        job->image.pixels = pixels;
    }
}

static uint64_t pixel(const struct autocorr_image *image, size_t at)
{
    return image->type == KN_U8 ? ((const uint8_t *)image->pixels)[at]
                                : ((const uint16_t *)image->pixels)[at];
}

bool autocorr_is_right(const struct autocorr_task *task, const uint64_t *products)
{
    const struct autocorr_image *image = &task->first;
    size_t columns = 2 * task->max_offset + 1;
    uint64_t state = 9;

    for (size_t i = 0; i < CHECKED; i++) {
        size_t at = (size_t)(bench_random(&state) % autocorr_offsets(task->max_offset)), y0 = at / columns;
        ptrdiff_t x0 = (ptrdiff_t)(at % columns) - (ptrdiff_t)task->max_offset;
        size_t begin = x0 < 0 ? (size_t)-x0 : 0, end = x0 > 0 ? image->width - (size_t)x0 : image->width;
        uint64_t sum = 0;

        for (size_t y = 0; y + y0 < image->height; y++)
            for (size_t x = begin; x < end; x++)
                sum += pixel(image, y * image->stride + x) *
                       pixel(image, (size_t)((ptrdiff_t)((y + y0) * image->stride + x) + x0));
        if (sum != products[at])
            return false;
    }
    return true;
}

double autocorr_multiplications(const struct autocorr_task *task)
{
    double w = (double)task->first.width, h = (double)task->first.height, r = (double)task->max_offset;

    return (w * (2 * r + 1) - r * (r + 1)) * (h * (r + 1) - r * (r + 1) / 2);
}

static void report(const char *name, unsigned threads, const struct autocorr_task *task, double *wall,
                   double *processor, size_t count, bool right)
{
    struct bench_times walls = bench_times_of(wall, count), processors = bench_times_of(processor, count);

    printf("%-13s %7u  %9.4f %9.4f  %9.4f  %8.2f  %s\n", name, threads, walls.median, walls.least,
           processors.least, autocorr_multiplications(task) / walls.least / 1e9, right ? "right" : "WRONG");
    fflush(stdout);
}

static void time_level(const struct autocorr_job *job, const struct autocorr_task *task, kn_host_level level,
                       unsigned threads, uint64_t *products)
{
    const kn_host_options options = KN_INIT(kn_host_options, .threads = threads, .level = level);
    double wall[MOST_REPETITIONS], processor[MOST_REPETITIONS];

    for (size_t i = 0; i < job->repetitions; i++) {
        double start = bench_seconds(), processor_start = bench_process_seconds();
        kn_status status = ki_autocorr_simd(task, &options, products, &err);

        if (status == KN_ERROR_UNSUPPORTED)
            return;
        bench_try(status, &err);
        wall[i] = bench_seconds() - start;
        processor[i] = bench_process_seconds() - processor_start;
    }
    report(ki_autocorr_simd_name(level), threads, task, wall, processor, job->repetitions,
           autocorr_is_right(task, products));
}

static void time_naive(const struct autocorr_task *task, uint64_t *products, const uint64_t *expected)
{
    double start = bench_seconds(), processor_start = bench_process_seconds(), wall, processor;

    bench_try(ki_autocorr_naive(task, products, &err), &err);
    wall = bench_seconds() - start;
    processor = bench_process_seconds() - processor_start;
    report("naive", 1, task, &wall, &processor, 1,
           memcmp(products, expected, autocorr_offsets(task->max_offset) * sizeof *products) == 0);
}

static bool read_flag(const char *word, struct autocorr_job *job)
{
    const struct {
        const char *name;
        bool *flag;
    } flags[] = {{"--naive", &job->naive},
                 {"--fastest", &job->fastest},
                 {"--tune", &job->tune},
                 {"--ladder", &job->ladder}};

    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(word, flags[i].name) == 0)
            return *flags[i].flag = true;
    return false;
}

static bool read_value(const char *word, const char *value, struct autocorr_job *job)
{
    if (strcmp(word, "--image") == 0)
        job->file = value;
    else if (strcmp(word, "--size") == 0) {
        if (sscanf(value, "%zu,%zu", &job->image.width, &job->image.height) != 2)
            return false;
        job->image.stride = job->image.width;
    } else if (strcmp(word, "--max-offset") == 0)
        job->max_offset = strtoull(value, NULL, 10);
    else if (strcmp(word, "--bits") == 0)
        job->image.type = strcmp(value, "16") == 0 ? KN_U16 : KN_U8;
    else if (strcmp(word, "--threads") == 0)
        job->threads = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(word, "--repetitions") == 0)
        job->repetitions = strtoull(value, NULL, 10);
    else if (strcmp(word, "--device") == 0)
        job->device = value;
    else if (strcmp(word, "--batch") == 0)
        job->batch = strtoull(value, NULL, 10);
    else if (strcmp(word, "--listing") == 0)
        job->listing = value;
    else
        return false;
    return true;
}

static bool read_options(int argc, char **argv, struct autocorr_job *job)
{
    for (int i = 1; i < argc; i++) {
        if (read_flag(argv[i], job))
            continue;
        if (i + 1 == argc || !read_value(argv[i], argv[i + 1], job))
            return false;
        i++;
    }
    return job->repetitions >= 1 && job->repetitions <= MOST_REPETITIONS && job->threads >= 1 &&
           job->batch >= 1;
}

static void time_host(const struct autocorr_job *job, const struct autocorr_task *task)
{
    uint64_t *products = bench_allocate(autocorr_offsets(task->max_offset) * sizeof *products);
    uint64_t *others = bench_allocate(autocorr_offsets(task->max_offset) * sizeof *others);

    printf("method        threads   median s   least s  processor  GMAC / s\n");
    for (kn_host_level level = KN_HOST_AVX512; level >= KN_HOST_SCALAR && !job->fastest; level--)
        for (unsigned twice = 0; twice < 1 + (job->threads > 1); twice++)
            time_level(job, task, level, twice ? job->threads : 1, products);
    if (job->fastest)
        time_level(job, task, KN_HOST_AUTO, job->threads, products);
    if (job->naive)
        time_naive(task, others, products);
    free(products);
    free(others);
}

int main(int argc, char **argv)
{
    struct autocorr_job job = {.max_offset = 250,
                               .repetitions = 5,
                               .threads = 2,
                               .batch = 1,
                               .image = {750, 1500, 750, KN_U8, NULL}};
    struct autocorr_task task = {.max_offset = 0};
    bool right = true;

    if (!read_options(argc, argv, &job)) {
        fprintf(stderr,
                "usage: %s [--image FILE | --size WIDTH,HEIGHT] [--max-offset R] [--bits 8|16] [--threads N] "
                "[--naive] [--fastest] [--repetitions N] [--device SPEC [--batch N] [--tune] [--ladder] "
                "[--listing FOLDER]]\n",
                argv[0]);
        return 2;
    }
    make_image(&job);
    task.first = job.image;
    task.max_offset = job.max_offset;
    bench_try(ki_autocorr_check(&task, &err), &err);
    printf("%zu x %zu, R = %zu, %zu bits\n", task.first.width, task.first.height, task.max_offset,
           8 * kn_type_size(task.first.type));
    if (job.device)
        right = autocorr_time_device(&job);
    else
        time_host(&job, &task);
    free((void *)(uintptr_t)job.image.pixels);
    return right ? 0 : 1;
}
