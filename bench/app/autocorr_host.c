// SPDX-License-Identifier: Apache-2.0
// Times autocorrelations by Fourier transforms on the host: in single precision beside FFTW's transforms of
// the same padded image (libfftw3f.so.3, where it is there, planned with FFTW_MEASURE, one thread), exact,
// and Pearson's coefficients with a mask, from the image to the coefficients.
//
//     bench/autocorr_host [--size WIDTH,HEIGHT] [--max-offset R] [--bits 8|16] [--threads N]
//                         [--repetitions N]
//
// The image is random, the mask lacks an eighth of the pixels. Columns: median and least of the milliseconds
// that a caller waits; the least of the process's own time, of all threads, which other processes do not
// lengthen. Room and tables are there, as for the second frame of a series; "first" has to make them. Each
// level's sums are compared with sums of two loops at 200 offsets; exact ones must be the same, of single
// precision the greatest error stands beside the bound. Exit status 1 if one is wrong.
#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/fft/host_fft.h"
#include "app/autocorr/host/host_fourier.h"
#include "app/autocorr/normalize.h"
#include "bench/bench.h"

enum { CHECKED = 200, MOST_REPETITIONS = 200 };

struct job {
    size_t repetitions, offsets;
    unsigned threads;
    bool wrong;
    struct autocorr_task plain, masked;
    uint64_t *products;
    struct autocorr_window *windows;
    double *values;
};

static kn_error err = KN_ERROR_INIT;

// ---- right or wrong ----

static uint64_t pixel(const struct autocorr_task *task, size_t x, size_t y)
{
    size_t at = y * task->first.stride + x;

    if (task->mask && !task->mask[y * task->mask_stride + x])
        return 0;
    return task->first.type == KN_U8 ? ((const uint8_t *)task->first.pixels)[at]
                                     : ((const uint16_t *)task->first.pixels)[at];
}

// The product's and, with a mask, the windows' greatest differences from two loops.
static double error_of(const struct job *job, const struct autocorr_task *task)
{
    size_t columns = 2 * task->max_offset + 1;
    uint64_t state = 9;
    double worst = 0;

    for (size_t i = 0; i < CHECKED; i++) {
        size_t at = (size_t)(bench_random(&state) % job->offsets), y0 = at / columns;
        ptrdiff_t x0 = (ptrdiff_t)(at % columns) - (ptrdiff_t)task->max_offset;
        size_t begin = x0 < 0 ? (size_t)-x0 : 0;
        size_t end = x0 > 0 ? task->first.width - (size_t)x0 : task->first.width;
        uint64_t sum = 0, s1 = 0, q2 = 0;

        for (size_t y = 0; y + y0 < task->first.height; y++)
            for (size_t x = begin; x < end; x++) {
                uint64_t a = pixel(task, x, y), b = pixel(task, (size_t)((ptrdiff_t)x + x0), y + y0);
                bool counts =
                    !task->mask || (task->mask[y * task->mask_stride + x] &&
                                    task->mask[(y + y0) * task->mask_stride + (size_t)((ptrdiff_t)x + x0)]);

                sum += a * b;
                s1 += counts ? a : 0;
                q2 += counts ? b * b : 0;
            }
        worst = fmax(worst, fabs((double)job->products[at] - (double)sum));
        if (task->mask && (s1 != job->windows[at].s1 || q2 != job->windows[at].q2))
            worst = INFINITY;
    }
    return worst;
}

// ---- time ----

typedef void timed(struct job *job, struct autocorr_fourier *fourier);

static double bound;

static void run_single(struct job *job, struct autocorr_fourier *fourier)
{
    bench_try(ki_autocorr_fourier_single(fourier, &job->plain, job->products, &bound, &err), &err);
}

static void run_exact(struct job *job, struct autocorr_fourier *fourier)
{
    bench_try(ki_autocorr_fourier_exact(fourier, &job->plain, job->products, NULL, &bound, &err), &err);
}

static void run_masked(struct job *job, struct autocorr_fourier *fourier)
{
    bench_try(ki_autocorr_fourier_exact(fourier, &job->masked, job->products, job->windows, &bound, &err),
              &err);
}

static void run_pearson(struct job *job, struct autocorr_fourier *fourier)
{
    run_masked(job, fourier);
    ki_autocorr_normalize(KN_AUTOCORR_PEARSON, job->masked.max_offset, job->products, job->windows,
                          job->values);
}

static void run_windows(struct job *job, struct autocorr_fourier *fourier)
{
    (void)fourier;
    bench_try(ki_autocorr_windows(&job->plain, job->windows, &err), &err);
}

static void run_normalize(struct job *job, struct autocorr_fourier *fourier)
{
    (void)fourier;
    ki_autocorr_normalize(KN_AUTOCORR_PEARSON, job->masked.max_offset, job->products, job->windows,
                          job->values);
}

static void print_times(const char *what, const char *level, unsigned threads, double *wall,
                        double *processor, size_t count)
{
    struct bench_times walls = bench_times_of(wall, count), processors = bench_times_of(processor, count);

    printf("%-16s %-8s %7u  %9.3f %9.3f  %9.3f", what, level, threads, walls.median * 1e3, walls.least * 1e3,
           processors.least * 1e3);
}

static void time_run(struct job *job, const char *what, timed *run, kn_host_level level, unsigned threads,
                     const struct autocorr_task *checked)
{
    const kn_host_options options = KN_INIT(kn_host_options, .threads = threads, .level = level);
    double wall[MOST_REPETITIONS + 1], processor[MOST_REPETITIONS + 1];
    struct autocorr_fourier *fourier;

    if (!ki_autocorr_fourier_name(level))
        return;
    bench_try(ki_autocorr_fourier_create(&options, &fourier, &err), &err);
    for (size_t i = 0; i <= job->repetitions; i++) {
        double start = bench_seconds(), processor_start = bench_process_seconds();

        run(job, fourier);
        wall[i] = bench_seconds() - start;
        processor[i] = bench_process_seconds() - processor_start;
    }
    double first = wall[0];
    print_times(what, ki_autocorr_fourier_name(level), threads, wall + 1, processor + 1, job->repetitions);
    printf("  first %.3f", first * 1e3);
    if (checked) {
        double error = error_of(job, checked);

        printf("  error %.3g, bound %.3g%s", error, bound, error > bound ? " WRONG" : "");
        job->wrong = job->wrong || error > bound;
    }
    printf("\n");
    fflush(stdout);
    ki_autocorr_fourier_free(fourier);
}

// ---- FFTW ----

// What is used of its interface, by its manual.
struct fftw {
    void *(*allocate)(size_t bytes);
    void *(*plan_forward)(int ny, int nx, float *in, void *out, unsigned flags);
    void *(*plan_back)(int ny, int nx, void *in, float *out, unsigned flags);
    void (*execute)(void *plan);
};

static bool open_fftw(struct fftw *fftw)
{
    void *library = dlopen("libfftw3f.so.3", RTLD_NOW);

    if (!library)
        return false;
    *(void **)&fftw->allocate = dlsym(library, "fftwf_malloc");
    *(void **)&fftw->plan_forward = dlsym(library, "fftwf_plan_dft_r2c_2d");
    *(void **)&fftw->plan_back = dlsym(library, "fftwf_plan_dft_c2r_2d");
    *(void **)&fftw->execute = dlsym(library, "fftwf_execute");
    return fftw->allocate && fftw->plan_forward && fftw->plan_back && fftw->execute;
}

static void time_fftw(const struct job *job)
{
    const struct autocorr_task *task = &job->plain;
    int nx = (int)ki_host_fft_length(task->first.width + task->max_offset);
    int ny = (int)ki_host_fft_length(task->first.height + task->max_offset);
    size_t half = ((size_t)nx / 2 + 1) * (size_t)ny;
    double wall[3][MOST_REPETITIONS], processor[3][MOST_REPETITIONS];
    static const char *const names[] = {"FFTW r2c", "FFTW c2r", "FFTW all"};
    struct fftw fftw;

    if (!open_fftw(&fftw)) {
        printf("libfftw3f.so.3 is not there\n");
        return;
    }
    float *image = fftw.allocate(sizeof *image * (size_t)nx * (size_t)ny);
    float *spectrum = fftw.allocate(2 * sizeof *spectrum * half);
    void *forward = fftw.plan_forward(ny, nx, image, spectrum, 0 /* FFTW_MEASURE */);
    void *back = fftw.plan_back(ny, nx, spectrum, image, 0);
    for (size_t i = 0; i < job->repetitions; i++) {
        double at[5], spent[5];

        at[0] = bench_seconds(), spent[0] = bench_process_seconds();
        memset(image, 0, sizeof *image * (size_t)nx * (size_t)ny);
        for (size_t y = 0; y < task->first.height; y++)
            for (size_t x = 0; x < task->first.width; x++)
                image[y * (size_t)nx + x] = (float)pixel(task, x, y);
        at[1] = bench_seconds(), spent[1] = bench_process_seconds();
        fftw.execute(forward);
        at[2] = bench_seconds(), spent[2] = bench_process_seconds();
        for (size_t k = 0; k < half; k++) {
            spectrum[2 * k] = spectrum[2 * k] * spectrum[2 * k] + spectrum[2 * k + 1] * spectrum[2 * k + 1];
            spectrum[2 * k + 1] = 0;
        }
        at[3] = bench_seconds(), spent[3] = bench_process_seconds();
        fftw.execute(back);
        at[4] = bench_seconds(), spent[4] = bench_process_seconds();
        wall[0][i] = at[2] - at[1], processor[0][i] = spent[2] - spent[1];
        wall[1][i] = at[4] - at[3], processor[1][i] = spent[4] - spent[3];
        wall[2][i] = at[4] - at[0], processor[2][i] = spent[4] - spent[0];
    }
    for (size_t i = 0; i < 3; i++) {
        print_times(names[i], "float", 1, wall[i], processor[i], job->repetitions);
        printf("  %d x %d\n", nx, ny);
    }
}

// ---- the program ----

static void make_images(struct job *job)
{
    struct autocorr_image *image = &job->plain.first;
    size_t count = image->width * image->height;
    unsigned char *pixels = bench_allocate(count * kn_type_size(image->type)), *mask = bench_allocate(count);
    uint64_t state = 8;

    for (size_t i = 0; i < count * kn_type_size(image->type); i++)
        pixels[i] = (unsigned char)bench_random(&state);
    for (size_t i = 0; i < count; i++)
        mask[i] = bench_random(&state) % 8 != 0;
    image->stride = image->width;
    image->pixels = pixels;
    job->masked = job->plain;
    job->masked.mask = mask;
    job->masked.mask_stride = image->width;
}

static bool read_options(int argc, char **argv, struct job *job)
{
    struct autocorr_task *task = &job->plain;

    for (int i = 1; i + 1 < argc; i += 2) {
        const char *value = argv[i + 1];

        if (strcmp(argv[i], "--size") == 0) {
            if (sscanf(value, "%zu,%zu", &task->first.width, &task->first.height) != 2)
                return false;
        } else if (strcmp(argv[i], "--max-offset") == 0)
            task->max_offset = strtoull(value, NULL, 10);
        else if (strcmp(argv[i], "--bits") == 0)
            task->first.type = strcmp(value, "16") == 0 ? KN_U16 : KN_U8;
        else if (strcmp(argv[i], "--threads") == 0)
            job->threads = (unsigned)strtoul(value, NULL, 10);
        else if (strcmp(argv[i], "--repetitions") == 0)
            job->repetitions = strtoull(value, NULL, 10);
        else
            return false;
    }
    return argc % 2 == 1 && job->repetitions >= 1 && job->repetitions <= MOST_REPETITIONS &&
           job->threads >= 1;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *what;
        timed *run;
        bool checked, masked;
    } runs[] = {{"single", run_single, true, false},       {"exact", run_exact, true, false},
                {"masked, exact", run_masked, true, true}, {"masked Pearson", run_pearson, true, true},
                {"windows", run_windows, false, false},    {"normalize", run_normalize, false, false}};
    struct job job = {.repetitions = 15,
                      .threads = 2,
                      .plain = {.first = {750, 1500, 750, KN_U8, NULL}, .max_offset = 250}};

    if (!read_options(argc, argv, &job)) {
        fprintf(stderr,
                "usage: %s [--size WIDTH,HEIGHT] [--max-offset R] [--bits 8|16] [--threads N] [--repetitions "
                "N]\n",
                argv[0]);
        return 2;
    }
    make_images(&job);
    bench_try(ki_autocorr_check(&job.plain, &err), &err);
    job.offsets = autocorr_offsets(job.plain.max_offset);
    job.products = bench_allocate(job.offsets * sizeof *job.products);
    job.windows = bench_allocate(job.offsets * sizeof *job.windows);
    job.values = bench_allocate(job.offsets * sizeof *job.values);
    printf("%zu x %zu, R = %zu, %zu bits; milliseconds\n", job.plain.first.width, job.plain.first.height,
           job.plain.max_offset, 8 * kn_type_size(job.plain.first.type));
    printf("what             level    threads     median     least  processor\n");
    time_fftw(&job);
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        for (kn_host_level level = KN_HOST_AVX512; level >= KN_HOST_SCALAR; level--)
            for (unsigned twice = 0; twice < 1 + (job.threads > 1); twice++)
                if (runs[i].checked || (level == KN_HOST_AVX512 && !twice))
                    time_run(&job, runs[i].what, runs[i].run, level, twice ? job.threads : 1,
                             !runs[i].checked ? NULL
                             : runs[i].masked ? &job.masked
                                              : &job.plain);
    free(job.products);
    free(job.windows);
    free(job.values);
    free((void *)(uintptr_t)job.plain.first.pixels);
    free((void *)(uintptr_t)job.masked.mask);
    return job.wrong;
}
