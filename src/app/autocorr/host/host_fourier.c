// SPDX-License-Identifier: Apache-2.0
// host_fourier.h: the transforms, the bound, and the memory; the passes are in host_fourier_passes.c.
#include "host_fourier.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "host_fourier_internal.h"

enum { PIECES = 2 }; // into which an image of 16 bits, or the squares of its pixels, is cut

// The planes made from an image, or from its squares.
struct pieces {
    unsigned count, plane[PIECES], shift[PIECES];
};

// Correlations of planes with themselves, which go two by two.
struct energies {
    unsigned count, plane[PIECES + 1], result[PIECES + 1];
};

const char *ki_autocorr_fourier_name(kn_host_level level)
{
    const kn_host_options options = KN_INIT(kn_host_options, .level = level);
    struct host_plan host;

    return ki_host_plan("autocorr_fourier", KN_F64, 0, &options, &host, NULL)
               ? NULL
               : ki_host_fft_code_for(KN_F64, host.level)->name;
}

kn_status ki_autocorr_fourier_create(const kn_host_options *options, struct autocorr_fourier **fourier,
                                     kn_error *err)
{
    struct autocorr_fourier *made;
    struct host_plan host;
    kn_status status = ki_host_plan("autocorr_fourier", KN_F64, 0, options, &host, err);

    *fourier = NULL;
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (made)
        made->shares = calloc(host.threads, sizeof *made->shares);
    if (!made || !made->shares) {
        free(made);
        return ki_fail_memory(err, sizeof *made + host.threads * sizeof *made->shares,
                              "a correlation by Fourier transforms");
    }
    made->level = host.level;
    made->threads = host.threads;
    *fourier = made;
    return KN_OK;
}

void ki_autocorr_fourier_free(struct autocorr_fourier *fourier)
{
    if (!fourier)
        return;
    ki_host_fft_free(fourier->x);
    ki_host_fft_free(fourier->y);
    free(fourier->memory);
    free(fourier->shares);
    free(fourier->windows);
    free(fourier);
}

// ---- transforms and memory ----

static kn_status set_transform(const struct autocorr_fourier *fourier, size_t length, kn_type type,
                               struct host_fft **fft, kn_error *err)
{
    if (*fft && (*fft)->length == length && (*fft)->code == ki_host_fft_code_for(type, fourier->level))
        return KN_OK;
    ki_host_fft_free(*fft);
    return ki_host_fft_create(length, type, fourier->level, fft, err);
}

// For a task that has been checked.
static kn_status set_transforms(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                                kn_type type, kn_error *err)
{
    size_t x = ki_host_fft_length(task->first.width + task->max_offset);
    size_t y = ki_host_fft_length(task->first.height + task->max_offset);
    kn_status status = set_transform(fourier, x, type, &fourier->x, err);

    return status ? status : set_transform(fourier, y, type, &fourier->y, err);
}

static size_t rounded_up(size_t n, size_t unit)
{
    return (n + unit - 1) / unit * unit;
}

// The next piece of the memory, of this many bytes. Without memory, pieces are only counted.
static void *cut(unsigned char *memory, size_t *at, size_t bytes)
{
    void *piece = memory ? memory + *at : NULL;

    *at += rounded_up(bytes, 64);
    return piece;
}

static void lay_out_share(const struct autocorr_fourier *fourier, const struct fourier_room *room,
                          unsigned char *memory, size_t *at, struct fourier_share *share)
{
    size_t point = 2 * room->lanes * room->number, x = fourier->x->length, y = fourier->y->length;

    share->rows = cut(memory, at, 2 * room->lanes * room->row_stride * sizeof *share->rows);
    share->line = cut(memory, at, (x + room->lanes) * point);
    share->out = cut(memory, at, (x + room->lanes) * point);
    share->scratch = cut(memory, at, 2 * (x > y ? x : y) * point);
    share->sources = cut(memory, at, room->planes * room->at_once * y * point);
    share->work = cut(memory, at, y * point);
    share->spare = cut(memory, at, (room->max_offset + 1) * point);
    share->values = cut(memory, at, 2 * room->lanes * room->value_stride * sizeof *share->values);
}

static void lay_out(struct autocorr_fourier *fourier, const struct fourier_room *room, unsigned char *memory,
                    size_t *bytes)
{
    size_t point = 2 * room->lanes * room->number;

    *bytes = 0;
    fourier->spectra = cut(memory, bytes, room->planes * room->blocks * room->rows * point);
    fourier->results = cut(memory, bytes, room->results * room->blocks * room->kept * point);
    for (size_t t = 0; t < room->threads; t++)
        lay_out_share(fourier, room, memory, bytes, &fourier->shares[t]);
}

// In large pages, if the system has them: the points of a column are a small page apart.
static unsigned char *allocate(size_t bytes)
{
    const size_t page = (size_t)1 << 21;
    unsigned char *memory;

    if (bytes < page)
        return aligned_alloc(64, bytes);
    memory = aligned_alloc(page, rounded_up(bytes, page));
#ifdef MADV_HUGEPAGE
    if (memory)
        (void)madvise(memory, rounded_up(bytes, page), MADV_HUGEPAGE); // a refusal does not matter
#endif
    return memory;
}

// All of it is zero at first: rows after the image, and after the results, stay zero.
static kn_status make_room(struct autocorr_fourier *fourier, const struct fourier_job *job, kn_error *err)
{
    const struct autocorr_image *image = &job->task->first;
    const struct host_fft_code *code = fourier->x->code;
    const struct host_plan host = {.threads = fourier->threads};
    struct fourier_room room = {.width = image->width,
                                .height = image->height,
                                .max_offset = job->task->max_offset,
                                .planes = job->planes,
                                .results = job->results,
                                .at_once = job->at_once,
                                .number = code->number,
                                .lanes = code->lanes};
    size_t bytes;

    room.blocks = rounded_up(fourier->x->length / 2 / room.lanes + 1, room.at_once);
    room.rows = rounded_up(fourier->y->length, 2 * room.lanes);
    room.kept = rounded_up(room.max_offset + 1, 2 * room.lanes);
    room.row_stride = rounded_up(room.width, room.lanes);
    room.value_stride = rounded_up(2 * room.max_offset + 1 + 2 * room.lanes, room.lanes);
    room.threads = ki_host_threads(&host, room.planes * room.blocks * room.rows * room.lanes * room.number);
    lay_out(fourier, &room, NULL, &bytes);
    if (bytes > fourier->capacity) {
        free(fourier->memory);
        fourier->capacity = 0;
        fourier->memory = allocate(bytes);
        if (!fourier->memory)
            return ki_fail_memory(err, bytes, "a correlation by Fourier transforms");
        fourier->capacity = bytes;
        fourier->room = (struct fourier_room){.width = 0};
    }
    lay_out(fourier, &room, fourier->memory, &bytes);
    if (memcmp(&room, &fourier->room, sizeof room) != 0)
        memset(fourier->memory, 0, bytes);
    fourier->room = room;
    return KN_OK;
}

// ---- what is transformed ----

static unsigned add_plane(struct fourier_job *job, struct fourier_plane plane)
{
    job->plane[job->planes] = plane;
    return job->planes++;
}

static unsigned add_result(struct fourier_job *job, uint64_t *to, size_t step, unsigned shift)
{
    job->result[job->results] = (struct fourier_result){.to = to, .step = step, .shift = shift};
    return job->results++;
}

static void add_step(struct fourier_job *job, enum fourier_kind kind, unsigned a, unsigned b, unsigned result,
                     unsigned result2)
{
    job->step[job->steps++] = (struct fourier_step){kind, a, b, {result, result2}};
}

static double root_of_pixels(const struct autocorr_image *image)
{
    return sqrt((double)image->width * (double)image->height);
}

// The image's power, whole (with its norm), or its lower and upper halves.
static struct pieces add_pieces(struct fourier_job *job, const struct autocorr_image *image, unsigned power,
                                unsigned count, double norm)
{
    const unsigned bits = 8 * power * (image->type == KN_U16 ? 2 : 1) / count;
    const uint32_t keep = bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX;
    struct pieces pieces = {.count = count};

    if (count > 1)
        norm = (double)keep * root_of_pixels(image);
    for (unsigned i = 0; i < count; i++) {
        pieces.shift[i] = i * bits;
        pieces.plane[i] = add_plane(job, (struct fourier_plane){image, power, i * bits, keep, 0, norm});
    }
    return pieces;
}

static void add_energy(struct energies *energies, unsigned plane, unsigned result)
{
    energies->plane[energies->count] = plane;
    energies->result[energies->count++] = result;
}

static void add_energy_steps(struct fourier_job *job, const struct energies *energies)
{
    for (unsigned i = 0; i < energies->count; i += 2) {
        unsigned other = i + 1 < energies->count ? i + 1 : i;

        add_step(job, FOURIER_ENERGIES, energies->plane[i], energies->plane[other], energies->result[i],
                 other > i ? energies->result[other] : FOURIER_NONE);
    }
}

// Two parts of one spectrum instead of two spectra.
static void take_two_blocks(struct fourier_job *job)
{
    job->at_once = 1;
    if (job->planes == 1 && job->steps == 1 && job->step[0].kind == FOURIER_ENERGIES) {
        job->at_once = 2;
        job->step[0] = (struct fourier_step){FOURIER_ENERGIES, 0, 1, {0, 0}};
    }
}

static void add_products(struct fourier_job *job, const struct pieces *first, const struct pieces *second,
                         uint64_t *products, struct energies *energies)
{
    bool is_auto = first->plane[0] == second->plane[0];

    for (unsigned i = 0; i < first->count; i++)
        for (unsigned j = is_auto ? i : 0; j < second->count; j++) {
            unsigned shift = first->shift[i] + second->shift[j];
            unsigned result = add_result(job, products, 1, shift);

            if (is_auto && i == j)
                add_energy(energies, first->plane[i], result);
            else if (is_auto)
                add_step(job, FOURIER_MIRROR, first->plane[i], second->plane[j], result,
                         add_result(job, products, 1, shift));
            else
                add_step(job, FOURIER_CORRELATE, first->plane[i], second->plane[j], result, FOURIER_NONE);
        }
}

// Sums of both images' pixels, or of their squares, in the mask: `of_first` and `of_second` are of the same
// window.
static void add_sums(struct fourier_job *job, const struct pieces *first, const struct pieces *second,
                     unsigned mask, uint64_t *of_first, uint64_t *of_second)
{
    const size_t step = sizeof(struct autocorr_window) / sizeof *of_first;

    for (unsigned i = 0; i < first->count; i++) {
        unsigned result = add_result(job, of_first, step, first->shift[i]);
        unsigned result2 = add_result(job, of_second, step, second->shift[i]);

        if (first->plane[i] == second->plane[i]) {
            add_step(job, FOURIER_MIRROR, first->plane[i], mask, result, result2);
            continue;
        }
        add_step(job, FOURIER_CORRELATE, first->plane[i], mask, result, FOURIER_NONE);
        add_step(job, FOURIER_CORRELATE, mask, second->plane[i], result2, FOURIER_NONE);
    }
}

// ---- the bound ----

// The relative bound of a sum's error, as a fraction of the product of its planes' norms: two forward
// transforms, each with its root mean square error (Cauchy-Schwarz); their product (2 u, u half the distance
// from 1 to the next number); the inverse transform, relative to the sum of its moduli, which is at most that
// product, counted twice because two rows are one line; and the scale, and halves of lines (less than 14 u).
static double relative_bound(const struct autocorr_fourier *fourier)
{
    double unit = fourier->x->code->number == sizeof(double) ? DBL_EPSILON / 2 : (double)FLT_EPSILON / 2;

    return 4 * (ki_host_fft_error(fourier->x) + ki_host_fft_error(fourier->y)) + 16 * unit;
}

static double bound_of(const struct autocorr_fourier *fourier, const struct fourier_job *job)
{
    double most = 0;

    for (unsigned i = 0; i < job->steps; i++) {
        const struct fourier_step *step = &job->step[i];
        double a = job->plane[step->a].norm, b = job->plane[job->at_once == 2 ? 0 : step->b].norm;
        // both energies are in one line; two parts of a spectrum are one together
        double bound = step->kind != FOURIER_ENERGIES ? a * b : job->at_once == 2 ? a * a : a * a + b * b;

        most = bound > most ? bound : most;
    }
    return most * relative_bound(fourier);
}

// The root of the sum of squares; for 8 bits without reading the pixels.
static double norm_of(const struct autocorr_image *image)
{
    double sum = 0;

    if (image->type == KN_U8)
        return 255 * root_of_pixels(image);
    for (size_t y = 0; y < image->height; y++) {
        const uint16_t *row = (const uint16_t *)image->pixels + y * image->stride;
        uint64_t squares = 0; // fewer than 2^31

        for (size_t x = 0; x < image->width; x++)
            squares += (uint32_t)row[x] * row[x];
        sum += (double)squares;
    }
    return sqrt(sum * (1 + DBL_EPSILON * (double)(image->height + 2)));
}

// ---- both transforms ----

static void set_scales(const struct autocorr_fourier *fourier, struct fourier_job *job)
{
    double points = (double)fourier->x->length * (double)fourier->y->length;

    for (unsigned i = 0; i < job->steps; i++)
        for (unsigned j = 0; j < 2; j++)
            if (job->step[i].results[j] != FOURIER_NONE)
                job->result[job->step[i].results[j]].scale =
                    1 / (points * (job->step[i].kind == FOURIER_ENERGIES ? 8 : 4));
}

// Planes and steps of the exact sums.
static void plan_exact(const struct autocorr_fourier *fourier, const struct autocorr_task *task,
                       uint64_t *products, struct autocorr_window *windows, struct fourier_job *job)
{
    const struct autocorr_image *images[2] = {&task->first, autocorr_second(task)};
    struct energies energies = {.count = 0};
    struct pieces pieces[2], squares[2];
    unsigned count = 1, mask;
    double norm[2];

    for (size_t i = 0; i < 2; i++)
        norm[i] = norm_of(images[i]);
    if (task->first.type == KN_U16 &&
        2 * relative_bound(fourier) * fmax(norm[0], norm[1]) * fmax(norm[0], norm[1]) >= 0.25)
        count = PIECES;
    for (size_t i = 0; i < 2; i++) {
        bool again = i == 1 && images[1] == images[0];

        pieces[i] = again ? pieces[0] : add_pieces(job, images[i], 1, count, norm[i]);
    }
    if (products)
        add_products(job, &pieces[0], &pieces[1], products, &energies);
    if (windows) {
        mask = add_plane(job, (struct fourier_plane){&task->first, 0, 0, 1, 0, root_of_pixels(&task->first)});
        add_energy(&energies, mask, add_result(job, &windows->n, sizeof *windows / sizeof windows->n, 0));
        add_sums(job, &pieces[0], &pieces[1], mask, &windows->s1, &windows->s2);
        for (size_t i = 0; i < 2; i++) {
            bool again = i == 1 && images[1] == images[0];
            unsigned halves = task->first.type == KN_U16 ? PIECES : 1;

            squares[i] =
                again ? squares[0] : add_pieces(job, images[i], 2, halves, 65025 * root_of_pixels(images[i]));
        }
        add_sums(job, &squares[0], &squares[1], mask, &windows->q1, &windows->q2);
    }
    add_energy_steps(job, &energies);
    take_two_blocks(job);
    set_scales(fourier, job);
}

kn_status ki_autocorr_fourier_exact(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                                    uint64_t *products, struct autocorr_window *windows, double *bound,
                                    kn_error *err)
{
    struct autocorr_window *masked = task->mask ? windows : NULL;
    struct fourier_job job = {.task = task};
    size_t offsets = autocorr_offsets(task->max_offset);
    double most = 0;
    kn_status status = ki_autocorr_check(task, err);

    if (!status && windows && !masked)
        status = ki_autocorr_windows(task, windows, err);
    if (!status && (products || masked)) {
        status = set_transforms(fourier, task, KN_F64, err);
        if (!status) {
            plan_exact(fourier, task, products, masked, &job);
            most = bound_of(fourier, &job);
        }
        if (!status && most >= 0.25)
            return ki_fail(err, KN_ERROR_UNSUPPORTED,
                           "sums of %zu x %zu pixels by Fourier transforms may be wrong by %.2g, where exact "
                           "ones need less than 0.25; take a smaller region, or direct sums",
                           task->first.width, task->first.height, most);
        if (!status)
            status = make_room(fourier, &job, err);
        if (!status && products)
            memset(products, 0, offsets * sizeof *products);
        if (!status && masked)
            memset(masked, 0, offsets * sizeof *masked);
        if (!status)
            ki_fourier_run(fourier, &job);
    }
    if (!status && bound)
        *bound = most;
    return status;
}

// ---- single precision ----

// The windows, and of each image the whole number next to its mean and the norm of what lies about it.
static kn_status find_levels(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                             uint64_t level[2], double norm[2], kn_error *err)
{
    size_t offsets = autocorr_offsets(task->max_offset);
    const struct autocorr_window *whole;
    kn_status status;

    if (offsets > fourier->windows_room) {
        free(fourier->windows);
        fourier->windows_room = 0;
        fourier->windows = malloc(offsets * sizeof *fourier->windows);
        if (!fourier->windows)
            return ki_fail_memory(err, offsets * sizeof *fourier->windows, "the sums of windows");
        fourier->windows_room = offsets;
    }
    status = ki_autocorr_windows(task, fourier->windows, err);
    if (status)
        return status;
    whole = &fourier->windows[autocorr_at(task->max_offset, 0, 0)];
    level[0] = (whole->s1 + whole->n / 2) / whole->n;
    level[1] = (whole->s2 + whole->n / 2) / whole->n;
    norm[0] = sqrt((double)(whole->q1 + level[0] * level[0] * whole->n - 2 * level[0] * whole->s1));
    norm[1] = sqrt((double)(whole->q2 + level[1] * level[1] * whole->n - 2 * level[1] * whole->s2));
    return KN_OK;
}

static void plan_single(const struct autocorr_fourier *fourier, const struct autocorr_task *task,
                        const uint64_t level[2], const double norm[2], uint64_t *products,
                        struct fourier_job *job)
{
    const struct autocorr_image *images[2] = {&task->first, autocorr_second(task)};
    struct energies energies = {.count = 0};
    struct pieces pieces[2];

    for (size_t i = 0; i < 2; i++)
        if (i == 1 && images[1] == images[0])
            pieces[1] = pieces[0];
        else {
            pieces[i] = add_pieces(job, images[i], 1, 1, norm[i]);
            job->plane[pieces[i].plane[0]].level = (int32_t)level[i];
        }
    add_products(job, &pieces[0], &pieces[1], products, &energies);
    add_energy_steps(job, &energies);
    take_two_blocks(job);
    set_scales(fourier, job);
}

// What subtracting the levels takes from the products.
static void fill_products(const struct autocorr_window *windows, size_t offsets, const uint64_t level[2],
                          uint64_t *products)
{
    for (size_t i = 0; i < offsets; i++)
        products[i] =
            level[1] * windows[i].s1 + level[0] * windows[i].s2 - level[0] * level[1] * windows[i].n;
}

kn_status ki_autocorr_fourier_single(struct autocorr_fourier *fourier, const struct autocorr_task *task,
                                     uint64_t *products, double *bound, kn_error *err)
{
    struct fourier_job job = {.task = task};
    size_t offsets = autocorr_offsets(task->max_offset);
    uint64_t level[2] = {0, 0};
    double norm[2];
    kn_status status = ki_autocorr_check(task, err);

    if (!status && !task->mask)
        status = find_levels(fourier, task, level, norm, err);
    for (size_t i = 0; i < 2 && !status && task->mask; i++)
        norm[i] = norm_of(i ? autocorr_second(task) : &task->first);
    if (!status)
        status = set_transforms(fourier, task, KN_F32, err);
    if (status)
        return status;
    plan_single(fourier, task, level, norm, products, &job);
    status = make_room(fourier, &job, err);
    if (status)
        return status;
    if (task->mask)
        memset(products, 0, offsets * sizeof *products);
    else
        fill_products(fourier->windows, offsets, level, products);
    ki_fourier_run(fourier, &job);
    for (size_t i = 0; i < offsets; i++)
        if (products[i] > INT64_MAX) // an error below 0
            products[i] = 0;
    if (bound)
        *bound = bound_of(fourier, &job) + 0.5;
    return KN_OK;
}
