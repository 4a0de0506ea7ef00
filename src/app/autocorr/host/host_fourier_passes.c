// SPDX-License-Identifier: Apache-2.0
// The three passes of host_fourier.h: rows, columns there and back, and rows back.
#include <string.h>

#include "base/array.h"
#include "host_fourier_internal.h"

static unsigned char *number_at(void *numbers, size_t number, const struct autocorr_fourier *fourier)
{
    return (unsigned char *)numbers + number * fourier->room.number;
}

static size_t point_of(const struct autocorr_fourier *fourier)
{
    return 2 * fourier->room.lanes;
}

// Row `row` of a block of a plane's spectrum, or of a result's.
static unsigned char *spectrum_at(const struct autocorr_fourier *fourier, size_t plane, size_t block,
                                  size_t row)
{
    const struct fourier_room *room = &fourier->room;

    return number_at(fourier->spectra,
                     ((plane * room->blocks + block) * room->rows + row) * point_of(fourier), fourier);
}

static unsigned char *result_at(const struct autocorr_fourier *fourier, size_t result, size_t block,
                                size_t row)
{
    const struct fourier_room *room = &fourier->room;

    return number_at(fourier->results,
                     ((result * room->blocks + block) * room->kept + row) * point_of(fourier), fourier);
}

// ---- rows ----

static void fill_row(const struct fourier_job *job, const struct fourier_plane *plane, size_t y, int32_t *to)
{
    const struct autocorr_image *image = plane->image;
    const size_t width = image->width;
    const uint8_t *bytes = (const uint8_t *)image->pixels + (image->type == KN_U8 ? y * image->stride : 0);
    const uint16_t *shorts =
        (const uint16_t *)image->pixels + (image->type == KN_U16 ? y * image->stride : 0);
    const unsigned shift = plane->shift;
    const uint32_t keep = plane->keep;
    const int32_t level = plane->level;
    const uint8_t *mask = job->task->mask ? job->task->mask + y * job->task->mask_stride : NULL;

    if (plane->power == 0) {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            to[x] = 1;
    } else if (image->type == KN_U8) {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            to[x] = bytes[x];
    } else {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            to[x] = shorts[x];
    }
    if (plane->power == 2) {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            to[x] = (int32_t)((uint32_t)to[x] * (uint32_t)to[x] >> shift & keep);
    } else if (plane->power == 1 && image->type == KN_U16) {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            to[x] = (int32_t)((uint32_t)to[x] >> shift & keep);
    }
    if (level) {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            to[x] -= level;
    }
    if (mask) {
        KI_SIMD
        for (size_t x = 0; x < width; x++)
            to[x] = mask[x] ? to[x] : 0;
    }
}

// Asks for the rows that a block's part will be written to. They lie far from the last block's, so that the
// processor does not foresee them.
static void fetch_rows(const struct autocorr_fourier *fourier, size_t plane, size_t block, size_t first)
{
    const unsigned char *rows = spectrum_at(fourier, plane, block, first);
    const size_t bytes = 2 * fourier->room.lanes * point_of(fourier) * fourier->room.number;

    for (size_t i = 0; i < bytes; i += 64)
        __builtin_prefetch(rows + i, 1);
}

// 2 lanes rows of a plane from `first` on. Behind the width rows and block are zero from the beginning.
static void transform_rows(const struct autocorr_fourier *fourier, const struct fourier_share *share,
                           const struct fourier_job *job, size_t plane, size_t first)
{
    const struct fourier_room *room = &fourier->room;
    const struct host_fft_code *code = fourier->x->code;
    const size_t used = room->blocks < fourier->x->length / 2 / room->lanes + 1
                            ? room->blocks
                            : fourier->x->length / 2 / room->lanes + 1;

    for (size_t i = 0; i < 2 * room->lanes; i++) {
        int32_t *row = share->rows + i * room->row_stride;

        if (first + i < room->height)
            fill_row(job, &job->plane[plane], first + i, row);
        else
            memset(row, 0, room->width * sizeof *row);
    }
    for (size_t part = 0; part < 2; part++)
        code->spread(share->rows + part * room->lanes * room->row_stride, room->row_stride, room->width,
                     number_at(share->line, part * room->lanes, fourier));
    code->transform(fourier->x, share->line, share->scratch, share->out);
    for (size_t block = 0; block < used; block++) {
        if (block + 2 < used)
            fetch_rows(fourier, plane, block + 2, first);
        code->part_rows(share->out, fourier->x->length, block * room->lanes,
                        spectrum_at(fourier, plane, block, first),
                        spectrum_at(fourier, plane, block, first + room->lanes));
    }
}

// ---- columns ----

static void run_step(const struct autocorr_fourier *fourier, const struct fourier_share *share,
                     const struct fourier_job *job, const struct fourier_step *step, size_t block)
{
    const struct host_fft_code *code = fourier->y->code;
    const size_t n = fourier->y->length, kept = fourier->room.max_offset + 1;
    const void *a = number_at(share->sources, step->a * n * point_of(fourier), fourier);
    const void *b = number_at(share->sources, step->b * n * point_of(fourier), fourier);
    unsigned char *to[2] = {share->spare, share->spare};

    for (size_t i = 0; i < 2; i++)
        if (step->results[i] != FOURIER_NONE)
            to[i] = result_at(fourier, step->results[i], job->at_once == 2 ? block + i : block, 0);
    (step->kind == FOURIER_ENERGIES ? code->energies : code->correlate)(a, b, n, share->work);
    code->transform(fourier->y, share->work, share->scratch, share->work);
    if (step->kind == FOURIER_ENERGIES)
        code->halves(share->work, n, 0, kept, to[0], to[1]);
    else if (step->kind == FOURIER_MIRROR)
        code->mirror(share->work, n, kept, to[0], to[1]);
    else
        memcpy(to[0], share->work, kept * point_of(fourier) * fourier->room.number);
}

static void transform_columns(const struct autocorr_fourier *fourier, const struct fourier_share *share,
                              const struct fourier_job *job, size_t block)
{
    const size_t n = fourier->y->length;

    for (size_t plane = 0; plane < job->planes; plane++)
        for (size_t i = 0; i < job->at_once; i++)
            fourier->y->code->transform(
                fourier->y, spectrum_at(fourier, plane, block + i, 0), share->scratch,
                number_at(share->sources, (plane * job->at_once + i) * n * point_of(fourier), fourier));
    for (size_t step = 0; step < job->steps; step++)
        run_step(fourier, share, job, &job->step[step], block);
}

// ---- rows back ----

static void add_row(const struct fourier_result *result, const double *values, size_t count, uint64_t *to)
{
    for (size_t i = 0; i < count; i++) {
        double value = values[i] * result->scale;
        int64_t whole = (int64_t)(value < 0 ? value - 0.5 : value + 0.5);

        to[i * result->step] += (uint64_t)whole << result->shift;
    }
}

// 2 lanes rows of a result, from Y0 = first on.
static void transform_back(const struct autocorr_fourier *fourier, const struct fourier_share *share,
                           const struct fourier_result *result, size_t number, size_t first)
{
    const struct fourier_room *room = &fourier->room;
    const struct host_fft_code *code = fourier->x->code;
    const size_t n = fourier->x->length, columns = 2 * room->max_offset + 1, half = n / 2 + 1;

    for (size_t at = 0, block = 0; at < half; at += room->lanes, block++)
        code->join_rows(result_at(fourier, number, block, first),
                        result_at(fourier, number, block, first + room->lanes), n, at,
                        half - at < room->lanes ? half - at : room->lanes, share->line);
    code->transform(fourier->x, share->line, share->scratch, share->out);
    for (size_t part = 0; part < 2; part++) {
        double *rows = share->values + part * room->lanes * room->value_stride;
        const size_t r = room->max_offset;

        for (size_t x = 0; x < r; x += room->lanes)
            code->gather(number_at(share->out, (n - r + x) * point_of(fourier) + part * room->lanes, fourier),
                         rows + x, room->value_stride);
        for (size_t x = 0; x <= r; x += room->lanes)
            code->gather(number_at(share->out, x * point_of(fourier) + part * room->lanes, fourier),
                         rows + r + x, room->value_stride);
    }
    for (size_t i = 0; i < 2 * room->lanes && first + i <= room->max_offset; i++)
        add_row(result, share->values + i * room->value_stride, columns,
                result->to + (first + i) * columns * result->step);
}

// Lines of pixels end in zeros; those of results fill the block.
static void clear_lines(const struct autocorr_fourier *fourier, const struct fourier_share *share)
{
    size_t used = fourier->room.row_stride * point_of(fourier);
    size_t all = fourier->x->length * point_of(fourier);

    if (used < all)
        memset(number_at(share->line, used, fourier), 0, (all - used) * fourier->room.number);
}

struct passes {
    struct autocorr_fourier *fourier;
    const struct fourier_job *job;
};

// The three passes, of thread t.
static void pass_rows(void *context, size_t t)
{
    const struct passes *passes = context;
    struct autocorr_fourier *fourier = passes->fourier;
    const struct fourier_room *room = &fourier->room;
    const size_t group = 2 * room->lanes, groups = (room->height + group - 1) / group;

    clear_lines(fourier, &fourier->shares[t]);
    for (size_t i = t; i < groups * passes->job->planes; i += room->threads)
        transform_rows(fourier, &fourier->shares[t], passes->job, i / groups, i % groups * group);
}

static void pass_columns(void *context, size_t t)
{
    const struct passes *passes = context;
    struct autocorr_fourier *fourier = passes->fourier;
    const struct fourier_room *room = &fourier->room;
    const size_t at_once = passes->job->at_once;

    for (size_t block = t * at_once; block < room->blocks; block += room->threads * at_once)
        transform_columns(fourier, &fourier->shares[t], passes->job, block);
}

static void pass_back(void *context, size_t t)
{
    const struct passes *passes = context;
    struct autocorr_fourier *fourier = passes->fourier;
    const struct fourier_room *room = &fourier->room;
    const struct fourier_job *job = passes->job;
    const size_t group = 2 * room->lanes;

    for (size_t first = t * group; first <= room->max_offset; first += room->threads * group)
        for (size_t i = 0; i < job->results; i++)
            transform_back(fourier, &fourier->shares[t], &job->result[i], i, first);
}

void ki_fourier_run(struct autocorr_fourier *fourier, const struct fourier_job *job)
{
    static ki_round *const all[] = {pass_rows, pass_columns, pass_back};
    const size_t threads = fourier->room.threads;

    for (size_t i = 0; i < KI_COUNT(all); i++)
        ki_parallel((unsigned)threads, threads, KI_STATIC, all[i], &(struct passes){fourier, job});
}
