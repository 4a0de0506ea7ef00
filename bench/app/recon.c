// SPDX-License-Identifier: Apache-2.0
// Times the sums of the reconstruction (src/app/mri/sum/sum.h), every kernel by its name, each checked at a
// sample of voxels against sums in double precision.
//
//     bench/recon [--device SPEC] [--matrix N] [--samples M] [--kernel NAME] [--host] [--tune] [--lecture]
//     [--q]
//                 [--kernels FOLDER]
//
// N^3 voxels (64) and M samples (16384), at random in the band. --host: the host's kernels too, and each
// without vectors by one thread. --tune: sweeps what the tuned kernel takes, or with --kernel separable the
// tiles of the product of matrices, and says which is best. --lecture: the lecture's problem, 128^3 voxels
// and 400,000 samples, by the tuned kernel and the product of matrices. --q: Q of such an image, half of a
// grid of twice the size, in the place of F^H d. --kernels: the folder with fhd_mappings.cl, for its first
// mappings at 16^3 voxels, and for the ceiling that shares are of: native sines and cosines of a phase.
// Columns: seconds by the device's clock (of the host the processor's time, of all its threads), least of
// several; pairs of voxel and sample a second; the share of the ceiling; operations a second and off-chip
// loads as the lecture counts them; the relative error. Polynomials in the place of native functions, as on
// CPUs, may be past that ceiling.
#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "app/mri/reference.h"
#include "app/mri/sum/sum.h"
#include "base/array.h"
#include "bench/bench.h"

enum {
    REPETITIONS = 5,
    CHECKED = 16,
    LECTURE_SIZE = 128,
    LECTURE_SAMPLES = 400000,
    MAPPED = 16,
    MAPPED_SAMPLES = 4096
};

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    struct mri_sum sum;
    double *k;
    double complex *data;
    size_t voxels; // that are summed
    kn_buffer *image;
    double ceiling; // pairs a second; 0: unknown
    bool failed;
};

// In [-1, 1).
static double uniform(uint64_t *seed)
{
    return (double)(int64_t)bench_random(seed) * 0x1p-63;
}

// Of a cube of voxels; is_q: of its first half, up to the middle, without data.
static void make(struct bench *b, size_t size, size_t samples, bool is_q)
{
    uint64_t seed = 1;

    free(b->k);
    free(b->data);
    kn_buffer_free(b->image);
    b->k = bench_allocate(3 * samples * sizeof *b->k);
    b->data = bench_allocate(samples * sizeof *b->data);
    for (size_t m = 0; m < samples; m++) {
        for (size_t axis = 0; axis < 3; axis++)
            b->k[3 * m + axis] = (double)size / 2 * uniform(&seed);
        b->data[m] = mri_complex(uniform(&seed), uniform(&seed));
    }
    b->sum =
        (struct mri_sum){.matrix = {3, {size, size, size}}, .k = b->k, .samples = samples, .data = b->data};
    b->voxels = size * size * size;
    if (is_q) {
        b->sum.data = NULL;
        b->sum.count = b->voxels = ((size / 2 * size + size / 2) * size) + size / 2 + 1;
        for (size_t m = 0; m < samples; m++)
            b->data[m] = 1;
    }
    bench_try(kn_buffer_create(b->context, b->voxels * 2 * sizeof(float), &b->image, &b->err), &b->err);
}

// The relative error of an image at a few voxels, the first and the last among them.
static double error_of(const struct bench *b, const float *pairs, const double complex *values)
{
    uint64_t seed = 2;
    double error = 0, energy = 0;

    for (size_t i = 0; i < CHECKED; i++) {
        size_t n = i == 0 ? 0 : i == 1 ? b->voxels - 1 : bench_random(&seed) % b->voxels;
        double complex wanted,
            found = values ? values[n] : mri_complex((double)pairs[2 * n], (double)pairs[2 * n + 1]);
        double r[3];

        for (size_t axis = 0, rest = n; axis < 3; rest /= b->sum.matrix.size[axis], axis++)
            r[axis] = ki_mri_position(rest % b->sum.matrix.size[axis], b->sum.matrix.size[axis]);
        ki_mri_reference_adjoint_at(b->k, b->sum.samples, b->data, NULL, r, 1, &wanted);
        error += creal((found - wanted) * conj(found - wanted));
        energy += creal(wanted * conj(wanted));
    }
    return sqrt(error / energy);
}

// As in sum.h: for the phase of a float of some dozen turns; worse native functions show.
static double bound_of(const struct bench *b, enum mri_kernel kernel)
{
    return mri_kernel_is_separable(kernel) ? 1e-6 : 3e-6 * fmax(1, (double)b->sum.matrix.size[0] / 32);
}

static void print_row(struct bench *b, const char *name, const kn_recon_rate *rate, double seconds,
                      double error, double bound)
{
    bool right = error <= bound;
    char share[16] = "-";

    if (b->ceiling > 0)
        snprintf(share, sizeof share, "%.0f %%", 100 * rate->pairs / seconds / b->ceiling);
    printf("%-40s %10.6f  %10.4f  %6s  %9.1f  %9.3g  %8.1f  %8.1e  %s\n", name, seconds,
           rate->pairs / seconds * 1e-9, share, rate->flops / seconds * 1e-9, rate->loads,
           rate->flops / rate->loads, error, right ? "right" : "WRONG");
    fflush(stdout);
    b->failed = b->failed || !right;
}

// The least of several runs' seconds.
static double run_device(struct bench *b, enum mri_kernel kernel, size_t repetitions, kn_recon_rate *rate)
{
    double least = INFINITY;

    for (size_t i = 0; i < repetitions; i++) {
        bench_try(ki_mri_sum_device(b->queue, &b->sum, kernel, b->image, rate, &b->err), &b->err);
        least = fmin(least, rate->seconds);
    }
    return least;
}

static double bench_device(struct bench *b, enum mri_kernel kernel, const char *name, size_t repetitions)
{
    float *pairs = bench_allocate(b->voxels * 2 * sizeof *pairs);
    kn_recon_rate rate;
    double seconds = run_device(b, kernel, repetitions, &rate);

    bench_try(kn_buffer_read(b->queue, b->image, 0, pairs, b->voxels * 2 * sizeof *pairs, &b->err), &b->err);
    print_row(b, name, &rate, seconds, error_of(b, pairs, NULL), bound_of(b, kernel));
    free(pairs);
    return rate.pairs / seconds;
}

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// As fast as possible, or plain C with one thread.
static void bench_host(struct bench *b, enum mri_kernel kernel, bool plain)
{
    const kn_host_options options =
        KN_INIT(kn_host_options, .threads = plain, .level = plain ? KN_HOST_SCALAR : KN_HOST_AUTO);
    char name[40];
    double complex *image = bench_allocate(b->voxels * sizeof *image);
    kn_recon_rate rate;
    double least = INFINITY;

    for (size_t i = 0; i < (!mri_kernel_is_double(kernel) && !plain ? 3 : 1); i++) {
        double start = processor_seconds();

        bench_try(ki_mri_sum_host(&b->sum, kernel, &options, image, &rate, &b->err), &b->err);
        least = fmin(least, processor_seconds() - start);
    }
    snprintf(name, sizeof name, "%s%s", ki_mri_kernel_names[kernel], plain ? ", plain C, one thread" : "");
    print_row(b, name, &rate, least, error_of(b, NULL, image), bound_of(b, kernel));
    free(image);
}

// ---- tuning ----

static void tune(struct bench *b)
{
    static const unsigned groups[] = {128, 256, 512}, voxels[] = {1, 2, 4, 8}, widths[] = {8, 16};
    static const char *const memories[] = {"constant", "global", "local"};
    static const char *const trigs[] = {"accurate", "native", "polynomial"};
    const struct mri_tuning usual = ki_mri_tuning_usual(b->queue);
    bool vectors = usual.width > 1;
    char name[80], best[80] = "";
    double most = 0;

    for (size_t g = 0; g < (vectors ? KI_COUNT(widths) : KI_COUNT(groups)); g++)
        for (size_t v = 0; v < KI_COUNT(voxels); v++)
            for (int memory = 0; memory < MRI_MEMORIES; memory++)
                for (unsigned unroll = 1; unroll <= (vectors ? 1 : 8); unroll *= 2) {
                    struct mri_tuning t = usual;
                    double rate;

                    if (vectors)
                        t.width = widths[g];
                    else
                        t.group = groups[g];
                    t.voxels = voxels[v];
                    t.memory = (enum mri_memory)memory;
                    t.chunk = 256;
                    t.unroll = unroll;
                    if (t.group > kn_context_get_device(b->context)->max_work_group)
                        continue;
                    snprintf(name, sizeof name, "%u x %u, %u voxels, %s, unroll %u, %s", t.group, t.width,
                             t.voxels, memories[memory], unroll, trigs[t.trig]);
                    b->sum.tuning = &t;
                    rate = bench_device(b, MRI_TUNED, name, REPETITIONS);
                    if (rate > most) {
                        most = rate;
                        memcpy(best, name, sizeof best);
                    }
                }
    b->sum.tuning = NULL;
    printf("best: %s, %.4f Gpairs/s\n", best, most * 1e-9);
}

// What fits the device of tiles that an SGEMM has, and sines and cosines of both kinds.
static void tune_product(struct bench *b)
{
    static const struct mri_product tiles[] = {
        {64, 64, 8, 4, 4, MRI_TRIG_POLYNOMIAL, 0},  {64, 64, 16, 4, 4, MRI_TRIG_POLYNOMIAL, 0},
        {32, 64, 8, 4, 4, MRI_TRIG_POLYNOMIAL, 0},  {64, 32, 8, 4, 4, MRI_TRIG_POLYNOMIAL, 0},
        {64, 128, 8, 4, 8, MRI_TRIG_POLYNOMIAL, 0}, {64, 64, 8, 4, 8, MRI_TRIG_POLYNOMIAL, 0},
        {64, 128, 8, 4, 4, MRI_TRIG_POLYNOMIAL, 0}, {32, 32, 8, 4, 4, MRI_TRIG_POLYNOMIAL, 0},
        {64, 64, 8, 8, 4, MRI_TRIG_POLYNOMIAL, 0},  {32, 128, 8, 4, 4, MRI_TRIG_POLYNOMIAL, 0},
        {64, 64, 8, 4, 4, MRI_TRIG_NATIVE, 0},      {64, 128, 8, 4, 8, MRI_TRIG_NATIVE, 0},
    };
    static const char *const trigs[] = {"accurate", "native", "polynomial"};
    char name[80], best[80] = "";
    double most = 0;

    for (size_t i = 0; i < KI_COUNT(tiles); i++) {
        const struct mri_product *t = &tiles[i];
        const unsigned group = t->tile_x / t->item_x * (t->tile_columns / t->item_columns);
        double rate;

        if (group > kn_context_get_device(b->context)->max_work_group)
            continue;
        b->sum.product = t;
        snprintf(name, sizeof name, "%u x %u x %u, %u x %u, %s", t->tile_x, t->tile_columns, t->tile_samples,
                 t->item_x, t->item_columns, trigs[t->trig]);
        rate = bench_device(b, MRI_SEPARABLE, name, 3);
        if (rate > most) {
            most = rate;
            memcpy(best, name, sizeof best);
        }
    }
    b->sum.product = NULL;
    printf("best: %s, %.4f Gpairs/s\n", best, most * 1e-9);
}

// ---- the first mappings ----

static kn_buffer *upload_pairs(struct bench *b, const double complex *from, size_t count)
{
    float *pairs = bench_allocate(count * 2 * sizeof *pairs);
    kn_buffer *buffer;

    for (size_t i = 0; i < count; i++) {
        pairs[2 * i] = from ? (float)creal(from[i]) : 1;
        pairs[2 * i + 1] = from ? (float)cimag(from[i]) : 0;
    }
    bench_try(kn_buffer_create(b->context, count * 2 * sizeof *pairs, &buffer, &b->err), &b->err);
    bench_try(kn_buffer_write(b->queue, buffer, 0, pairs, count * 2 * sizeof *pairs, &b->err), &b->err);
    free(pairs);
    return buffer;
}

static kn_buffer *upload_floats(struct bench *b, const double *from, size_t count)
{
    float *numbers = bench_allocate(count * sizeof *numbers);
    kn_buffer *buffer;

    for (size_t i = 0; i < count; i++)
        numbers[i] = (float)from[i];
    bench_try(kn_buffer_create(b->context, count * sizeof *numbers, &buffer, &b->err), &b->err);
    bench_try(kn_buffer_write(b->queue, buffer, 0, numbers, count * sizeof *numbers, &b->err), &b->err);
    free(numbers);
    return buffer;
}

static double launch(struct bench *b, kn_kernel *kernel, size_t items, const kn_arg *args, size_t count)
{
    const kn_range range = {1, {(items + 127) / 128 * 128}, {128}, {0}};
    kn_event *event;
    uint64_t nanoseconds;

    bench_try(kn_launch(b->queue, kernel, &range, args, count, &event, &b->err), &b->err);
    bench_try(kn_event_get_duration(event, &nanoseconds, &b->err), &b->err);
    kn_event_free(event);
    return (double)nanoseconds * 1e-9;
}

static void bench_mapping(struct bench *b, kn_program *program, const char *name, const kn_arg *args,
                          size_t count, size_t items)
{
    float *pairs = bench_allocate(b->voxels * 2 * sizeof *pairs);
    // Of the second mapping: 8 loads of a sample, 3 of the position, 2 of the sum, a pair; the first loads
    // the sample once.
    bool scatter = strcmp(name, "fhd_scatter") == 0;
    double seconds = INFINITY, number = (double)b->voxels * (double)b->sum.samples;
    kn_recon_rate rate = {.pairs = number, .flops = 13 * number, .loads = number * (scatter ? 5 : 12)};
    kn_kernel *kernel;

    bench_try(kn_program_get_kernel(program, name, &kernel, &b->err), &b->err);
    for (size_t i = 0; i < REPETITIONS; i++) {
        bench_try(kn_buffer_fill(b->queue, b->image, "\0\0\0\0", 4, 0, b->voxels * 2 * sizeof(float), NULL,
                                 &b->err),
                  &b->err);
        seconds = fmin(seconds, launch(b, kernel, items, args, count));
    }
    bench_try(kn_buffer_read(b->queue, b->image, 0, pairs, b->voxels * 2 * sizeof *pairs, &b->err), &b->err);
    print_row(b, name, &rate, seconds, error_of(b, pairs, NULL), bound_of(b, MRI_NAIVE));
    free(pairs);
}

static void bench_mappings(struct bench *b, kn_program *program)
{
    const unsigned samples = MAPPED_SAMPLES, voxels = MAPPED * MAPPED * MAPPED;
    double *positions = bench_allocate(3 * (size_t)voxels * sizeof *positions);
    kn_buffer *phi, *d, *k, *r;

    make(b, MAPPED, MAPPED_SAMPLES, false);
    for (size_t n = 0; n < voxels; n++)
        for (size_t axis = 0, rest = n; axis < 3; rest /= MAPPED, axis++)
            positions[3 * n + axis] = ki_mri_position(rest % MAPPED, MAPPED);
    phi = upload_pairs(b, NULL, samples);
    d = upload_pairs(b, b->data, samples);
    k = upload_floats(b, b->k, 3 * (size_t)samples);
    r = upload_floats(b, positions, 3 * (size_t)voxels);
    const kn_arg args[] = {KN_BUFFER(phi), KN_BUFFER(d),     KN_BUFFER(k),       KN_VALUE(samples),
                           KN_BUFFER(r),   KN_VALUE(voxels), KN_BUFFER(b->image)};
    bench_mapping(b, program, "fhd_scatter", args, KI_COUNT(args), samples);
    bench_mapping(b, program, "fhd_motion", args, KI_COUNT(args), voxels);
    kn_buffer_free(phi);
    kn_buffer_free(d);
    kn_buffer_free(k);
    kn_buffer_free(r);
    free(positions);
}

static double measure_ceiling(struct bench *b, kn_program *program)
{
    const unsigned steps = 4096;
    size_t items = (size_t)kn_context_get_device(b->context)->compute_units * 2048;
    kn_kernel *kernel;
    kn_buffer *out;
    double seconds = INFINITY;

    bench_try(kn_program_get_kernel(program, "trig", &kernel, &b->err), &b->err);
    bench_try(kn_buffer_create(b->context, (items + 128) * sizeof(float), &out, &b->err), &b->err);
    const kn_arg args[] = {KN_BUFFER(out), KN_VALUE(steps)};
    for (size_t i = 0; i < REPETITIONS; i++)
        seconds = fmin(seconds, launch(b, kernel, items, args, KI_COUNT(args)));
    kn_buffer_free(out);
    return (double)items * steps / seconds;
}

// ---- the program ----

struct options {
    const char *spec, *kernel, *folder;
    size_t size, samples;
    bool host, tune, lecture, q;
};

static void run_all(struct bench *b, const struct options *o)
{
    const size_t size = (o->lecture ? LECTURE_SIZE : o->size) * (o->q ? 2 : 1);
    bool product = o->kernel && strcmp(o->kernel, ki_mri_kernel_names[MRI_SEPARABLE]) == 0;
    kn_program *program = NULL;
    char path[4096];

    if (o->folder) {
        snprintf(path, sizeof path, "%s/fhd_mappings.cl", o->folder);
        bench_try(kn_program_from_file(b->context, path, NULL, &program, &b->err), &b->err);
        b->ceiling = measure_ceiling(b, program);
        printf("native sines and cosines: %.4f Gpairs/s\n", b->ceiling * 1e-9);
    }
    printf("%-40s %10s  %10s  %6s  %9s  %9s  %8s  %8s\n", "", "seconds", "Gpairs/s", "share", "GFLOP/s",
           "loads", "flop/load", "error");
    if (program && !o->tune && !o->lecture)
        bench_mappings(b, program);
    make(b, size, o->lecture ? LECTURE_SAMPLES : o->samples, o->q);
    if (o->tune)
        (product ? tune_product : tune)(b);
    for (int kernel = 0; kernel < MRI_HOST_DOUBLE && !o->tune; kernel++)
        if ((!o->kernel || strcmp(o->kernel, ki_mri_kernel_names[kernel]) == 0) &&
            (!o->lecture || kernel >= MRI_TUNED))
            bench_device(b, (enum mri_kernel)kernel, ki_mri_kernel_names[kernel],
                         o->lecture ? 1 : REPETITIONS);
    for (int kernel = MRI_HOST_DOUBLE; kernel < MRI_EXACT && o->host; kernel++)
        if (!o->kernel || strcmp(o->kernel, ki_mri_kernel_names[kernel]) == 0) {
            bench_host(b, (enum mri_kernel)kernel, false);
            bench_host(b, (enum mri_kernel)kernel, true);
        }
    kn_program_free(program);
}

int main(int argc, char **argv)
{
    struct options o = {.size = 64, .samples = 16384};
    struct bench b = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        const struct {
            const char *name;
            bool *flag;
        } flags[] = {{"--host", &o.host}, {"--tune", &o.tune}, {"--lecture", &o.lecture}, {"--q", &o.q}};
        const struct {
            const char *name;
            const char **text;
            size_t *number;
        } values[] = {{"--device", &o.spec, NULL},
                      {"--kernel", &o.kernel, NULL},
                      {"--kernels", &o.folder, NULL},
                      {"--matrix", NULL, &o.size},
                      {"--samples", NULL, &o.samples}};
        bool known = false;

        for (size_t f = 0; f < KI_COUNT(flags) && !known; f++)
            if ((known = strcmp(argv[i], flags[f].name) == 0))
                *flags[f].flag = true;
        for (size_t v = 0; v < KI_COUNT(values) && !known && i + 1 < argc; v++)
            if ((known = strcmp(argv[i], values[v].name) == 0)) {
                if (values[v].text)
                    *values[v].text = argv[++i];
                else
                    *values[v].number = strtoul(argv[++i], NULL, 10);
            }
        if (!known || o.size == 0 || o.samples == 0) {
            fprintf(stderr,
                    "usage: %s [--device SPEC] [--matrix N] [--samples M] [--kernel NAME] [--host] [--tune] "
                    "[--lecture] [--q] [--kernels FOLDER]\n",
                    argv[0]);
            return 2;
        }
    }
    bench_try(kn_context_open(o.spec, NULL, &b.context, &b.err), &b.err);
    bench_try(kn_queue_open(b.context, &b.queue, &b.err), &b.err);
    const kn_device_info *info = kn_context_get_device(b.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    run_all(&b, &o);
    free(b.k);
    free(b.data);
    kn_buffer_free(b.image);
    kn_queue_close(b.queue);
    kn_context_close(b.context);
    return b.failed;
}
