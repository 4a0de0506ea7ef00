// SPDX-License-Identifier: Apache-2.0
// Correlations in three kernels: autocorr_fft_rows.cl, autocorr_fft_columns.cl, autocorr_fft_back.cl.
#include <stdio.h>
#include <stdlib.h>

#include "../../algo/columns.h"
#include "../../base/array.h"
#include "../../base/error.h"
#include "device_fft_own.h"

#define NO_EVENT NULL

enum { ROWS, COLUMNS, BACK, KERNELS };

// A kernel's lines, and how a group takes them.
struct lines {
    struct fft_cut cut;
    uint32_t at; // of its roots
    unsigned lines;
    size_t local_bytes;
    kn_kernel *kernel;
};

struct fused {
    struct lines lines[KERNELS];
    kn_buffer *roots, *spectra[2], *correlation;
    uint32_t columns, pitch; // numbers of half a row's spectrum; from a row to the next
};

// ---- lengths ----

// Numbers that a line moves through local memory and registers.
static size_t work_of(const struct fft_cut *cut)
{
    size_t work = 2 * (size_t)cut->points;

    for (unsigned s = 0; s < cut->stages; s++) {
        unsigned butterflies = cut->points / cut->radices[s];
        unsigned rounds = (butterflies + cut->items - 1) / cut->items;

        work += (size_t)rounds * cut->radices[s] * cut->items + cut->points;
    }
    return work;
}

// The length from `least` on with the least work, up to an eighth longer.
static bool choose_length(size_t least, const struct fft_bounds *bounds, struct fft_cut *cut)
{
    bool found = false;

    for (size_t n = least; n <= least + least / 8 + 4; n++) {
        struct fft_cut trial;

        if (!fft_cut_line(n, bounds, &trial) || (found && work_of(&trial) >= work_of(cut)))
            continue;
        *cut = trial;
        found = true;
    }
    return found;
}

static kn_status choose_cut(const struct autocorr_fft *fft, const char *direction, size_t least, size_t given,
                            const struct fft_bounds *bounds, struct fft_cut *cut, kn_error *err)
{
    if (given && given < least)
        return kn_fail(err, KN_ERROR_ARGUMENT,
                       "a circle of %zu points %s; expected %zu, the image and R, or more", given, direction,
                       least);
    if (given ? !fft_cut_line(given, bounds, cut) : !choose_length(least, bounds, cut))
        return kn_fail(
            err, KN_ERROR_LIMIT,
            "a line of %zu points %s has no transform in the %zu bytes of local memory of %s; use a "
            "region, or another method",
            given ? given : least, direction, bounds->local, kn_context_device(fft->context)->spec);
    return KN_OK;
}

// So many lines that a group has enough work-items where lines are rows, and whole memory transactions where
// they are columns.
static void choose_lines(const struct fft_bounds *bounds, unsigned wanted, struct lines *lines)
{
    size_t line = fft_line_bytes(&lines->cut, bounds), most = bounds->local;

    lines->lines = wanted;
    while (lines->lines > 1 &&
           (lines->lines * lines->cut.items > bounds->items || lines->lines * line > most))
        lines->lines--;
    lines->local_bytes = lines->lines * line;
}

static kn_status cut_lines(struct autocorr_fft *fft, struct fused *fused, kn_error *err)
{
    const kn_device_info *info = kn_context_device(fft->context);
    const kn_fft_options options = {.held = fft->options.held};
    struct fft_bounds bounds = fft_bounds_of(info, fft->real, &options);
    struct fft_cut across, down;
    kn_status status =
        choose_cut(fft, "across", fft->width + fft->across - 1, fft->options.across, &bounds, &across, err);
    unsigned rows, columns = fft->options.columns ? fft->options.columns : 4;

    if (!status)
        status =
            choose_cut(fft, "down", fft->height + fft->wanted - 1, fft->options.down, &bounds, &down, err);
    if (status)
        return status;
    rows = fft->options.rows ? fft->options.rows : across.items < 128 ? 128 / across.items : 1;
    fused->lines[ROWS].cut = fused->lines[BACK].cut = across;
    fused->lines[COLUMNS].cut = down;
    choose_lines(&bounds, rows, &fused->lines[ROWS]);
    choose_lines(&bounds, columns, &fused->lines[COLUMNS]);
    choose_lines(&bounds, rows, &fused->lines[BACK]);
    fft->points[0] = across.points;
    fft->points[1] = down.points;
    fused->columns = across.points / 2 + 1;
    // Groups of columns begin where memory transactions do.
    fused->pitch = (fused->columns + 15) / 16 * 16;
    return KN_OK;
}

// ---- programs and memory ----

static kn_status get_kernel(struct autocorr_fft *fft, unsigned number, struct lines *lines, kn_error *err)
{
    static const char *const names[KERNELS] = {"autocorr_fft_rows", "autocorr_fft_columns",
                                               "autocorr_fft_back"};
    static const char *const radix_names[FFT_MAX_RADICES] = {"RADIX_0", "RADIX_1", "RADIX_2",
                                                             "RADIX_3", "RADIX_4", "RADIX_5"};
    struct column_defines defines = {.count = 0};
    char file[64];

    column_define(&defines, "REAL_BITS", fft->real == KN_F64 ? 64 : 32);
    column_define(&defines, "POINTS", lines->cut.points);
    column_define(&defines, "ITEMS", lines->cut.items);
    column_define(&defines, "LINES", lines->lines);
    for (unsigned s = 0; s < lines->cut.stages; s++)
        column_define(&defines, radix_names[s], lines->cut.radices[s]);
    if (number == ROWS)
        column_define(&defines, "PIXEL_BITS", fft->type == KN_U8 ? 8 : 16);
    if (number == COLUMNS)
        column_define(&defines, "CROSS", fft->cross);
    snprintf(file, sizeof file, "%s.cl", names[number]);
    return engine_builtin_kernel(fft->context, file, defines.items, defines.count, KN_POLICY_DEFAULT,
                                 names[number], &lines->kernel, err);
}

static kn_status make_roots(kn_queue *queue, struct autocorr_fft *fft, struct fused *fused, kn_error *err)
{
    struct fft_roots roots = {NULL, 0, 0};
    kn_status status = KN_OK;

    for (unsigned i = ROWS; i <= COLUMNS && !status; i++)
        if (!fft_roots_of_cut(&roots, &fused->lines[i].cut, &fused->lines[i].at))
            status = kn_fail_memory(err, 0, "computing roots of unity");
    fused->lines[BACK].at = fused->lines[ROWS].at;
    if (!status)
        status = fft_upload_roots(queue, &roots, fft->real, &fused->roots, err);
    free(roots.values);
    return status;
}

static kn_status make_memory(struct autocorr_fft *fft, struct fused *fused, kn_error *err)
{
    size_t number = 2 * kn_type_size(fft->real), row = fused->pitch * number;
    kn_status status = autocorr_fft_limit_batch(fft, fft->height * row, err);

    for (unsigned i = 0; i < (fft->cross ? 2 : 1) && !status; i++)
        status = kn_buffer_create(fft->context, fft->batch * fft->height * row, &fused->spectra[i], err);
    if (!status)
        status = kn_buffer_create(fft->context, fft->batch * fft->wanted * row, &fused->correlation, err);
    return status;
}

// "fused, single precision: 1000 = 10 * 10 * 10 across (100 items, 1 row), ..."
static void describe(struct autocorr_fft *fft, const struct fused *fused)
{
    kn_text_format(&fft->text, "fused, %s precision:", fft->real == KN_F64 ? "double" : "single");
    for (unsigned i = ROWS; i <= COLUMNS; i++) {
        const struct lines *lines = &fused->lines[i];

        kn_text_format(&fft->text, "%s %u = ", i ? ";" : "", lines->cut.points);
        for (unsigned s = 0; s < lines->cut.stages; s++)
            kn_text_format(&fft->text, "%s%u", s ? " * " : "", lines->cut.radices[s]);
        kn_text_format(&fft->text, " %s (%u items, %u %s)", i ? "down" : "across", lines->cut.items,
                       lines->lines, i ? "columns" : "pairs of rows");
    }
}

static void fused_free(void *plan)
{
    struct fused *fused = plan;

    kn_buffer_free(fused->roots);
    kn_buffer_free(fused->spectra[0]);
    kn_buffer_free(fused->spectra[1]);
    kn_buffer_free(fused->correlation);
    free(fused);
}

static kn_status fused_create(kn_queue *queue, struct autocorr_fft *fft, kn_error *err)
{
    struct fused *fused = calloc(1, sizeof *fused);
    kn_status status;

    fft->plan = fused;
    if (!fused)
        return kn_fail_memory(err, sizeof *fused, "preparing a correlation");
    status = cut_lines(fft, fused, err);
    for (unsigned i = 0; i < KERNELS && !status; i++)
        status = get_kernel(fft, i, &fused->lines[i], err);
    if (!status)
        status = make_roots(queue, fft, fused, err);
    if (!status)
        status = make_memory(fft, fused, err);
    if (!status)
        describe(fft, fused);
    return status;
}

// ---- launches ----

// Of `count` frames with so many lines each.
static kn_range range_of(const struct lines *lines, size_t lines_a_frame, size_t count)
{
    size_t group = (size_t)lines->lines * lines->cut.items;

    return (kn_range){2, {((lines_a_frame - 1) / lines->lines + 1) * group, count}, {group, 1}, {0}};
}

static kn_status rows(kn_queue *queue, const struct autocorr_fft *fft, kn_buffer *images, uint32_t level,
                      size_t first, size_t count, kn_error *err)
{
    const struct fused *fused = fft->plan;
    const struct lines *lines = &fused->lines[ROWS];
    uint32_t width = (uint32_t)fft->width, height = (uint32_t)fft->height, from = (uint32_t)first;
    const kn_range range = range_of(lines, (fft->height + 1) / 2, count);
    const kn_arg args[] = {KN_BUFFER(images),
                           KN_BUFFER(fft->tables.levels),
                           KN_BUFFER(fused->spectra[level]),
                           KN_VALUE(width),
                           KN_VALUE(height),
                           KN_VALUE(fused->pitch),
                           KN_VALUE(from),
                           KN_VALUE(level),
                           KN_BUFFER(fused->roots),
                           KN_VALUE(lines->at),
                           KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, lines->kernel, &range, args, KN_COUNT(args), NO_EVENT, err);
}

static kn_status columns(kn_queue *queue, const struct autocorr_fft *fft, size_t count, kn_error *err)
{
    const struct fused *fused = fft->plan;
    const struct lines *lines = &fused->lines[COLUMNS];
    uint32_t height = (uint32_t)fft->height, wanted = (uint32_t)fft->wanted;
    const kn_range range = range_of(lines, fused->columns, count);
    const kn_arg args[] = {KN_BUFFER(fused->spectra[0]),
                           KN_BUFFER(fused->spectra[fft->cross]),
                           KN_BUFFER(fused->correlation),
                           KN_VALUE(fused->columns),
                           KN_VALUE(height),
                           KN_VALUE(wanted),
                           KN_VALUE(fused->pitch),
                           KN_BUFFER(fused->roots),
                           KN_VALUE(lines->at),
                           KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, lines->kernel, &range, args, KN_COUNT(args), NO_EVENT, err);
}

static kn_status back(kn_queue *queue, const struct autocorr_fft *fft, size_t first, size_t count,
                      kn_buffer *sums, kn_error *err)
{
    const struct fused *fused = fft->plan;
    const struct lines *lines = &fused->lines[BACK];
    const uint32_t values[] = {(uint32_t)fft->width,  (uint32_t)fft->height, (uint32_t)(fft->max_offset + 1),
                               (uint32_t)fft->across, (uint32_t)fft->wanted, (uint32_t)first};
    union column_scalar scale;
    const kn_range range = range_of(lines, (fft->wanted + 1) / 2, count);
    const kn_arg args[] = {
        KN_BUFFER(fused->correlation),
        KN_BUFFER(fft->tables.sums),
        KN_BUFFER(fft->tables.levels),
        KN_BUFFER(sums),
        KN_VALUE(values[0]),
        KN_VALUE(values[1]),
        KN_VALUE(values[2]),
        KN_VALUE(values[3]),
        KN_VALUE(values[4]),
        KN_VALUE(fused->pitch),
        KN_VALUE(values[5]),
        column_real(&scale, fft->real, 1 / ((double)fft->points[0] * (double)fft->points[1])),
        KN_BUFFER(fused->roots),
        KN_VALUE(lines->at),
        KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, lines->kernel, &range, args, KN_COUNT(args), NO_EVENT, err);
}

static kn_status fused_run(kn_queue *queue, const struct autocorr_fft *fft,
                           const struct autocorr_frames *frames, size_t first, size_t count, kn_buffer *sums,
                           kn_error *err)
{
    kn_status status = rows(queue, fft, frames->first, 0, first, count, err);

    if (!status && fft->cross)
        status = rows(queue, fft, frames->second, 1, first, count, err);
    if (!status)
        status = columns(queue, fft, count, err);
    return status ? status : back(queue, fft, first, count, sums, err);
}

const struct fft_way autocorr_fft_fused = {fused_create, fused_run, fused_free};
