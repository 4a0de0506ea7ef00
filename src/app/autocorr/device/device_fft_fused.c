// SPDX-License-Identifier: Apache-2.0
// Correlations in three kernels: autocorr_fft_rows.cl, autocorr_fft_columns.cl, autocorr_fft_back.cl.
#include <koine/experimental.h>

#include <stdio.h>
#include <stdlib.h>

#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "device_fft_internal.h"

struct fused {
    struct fft_lines lines[FFT_KERNELS];
    kn_kernel *kernels[FFT_KERNELS];
    kn_buffer *roots, *spectra[2], *correlation;
    uint32_t columns, pitch; // numbers of half a row's spectrum; from a row to the next
};

// ---- programs and memory ----

static kn_status get_kernel(struct autocorr_fft *fft, unsigned number, kn_error *err)
{
    static const char *const names[FFT_KERNELS] = {"autocorr_fft_rows", "autocorr_fft_columns",
                                                   "autocorr_fft_back"};
    struct fused *fused = fft->plan;
    struct engine_defines defines = {.count = 0};
    char file[64];

    ki_engine_define(&defines, "REAL_BITS", fft->real == KN_F64 ? 64 : 32);
    ki_autocorr_fft_define_lines(&defines, &fused->lines[number]);
    if (number == FFT_ROWS)
        ki_engine_define(&defines, "PIXEL_BITS", fft->type == KN_U8 ? 8 : 16);
    if (number == FFT_COLUMNS)
        ki_engine_define(&defines, "CROSS", fft->cross);
    snprintf(file, sizeof file, "app/autocorr/%s.cl", names[number]);
    return ki_engine_builtin_kernel(fft->context, file, defines.items, defines.count, KN_POLICY_DEFAULT,
                                    names[number], &fused->kernels[number], err);
}

static kn_status make_roots(kn_queue *queue, struct autocorr_fft *fft, struct fused *fused, kn_error *err)
{
    struct fft_roots roots = {NULL, 0, 0};
    kn_status status = KN_OK;

    for (unsigned i = FFT_ROWS; i <= FFT_COLUMNS && !status; i++)
        if (!ki_fft_roots_of_cut(&roots, &fused->lines[i].cut, &fused->lines[i].at))
            status = ki_fail_memory(err, 0, "computing roots of unity");
    fused->lines[FFT_BACK].at = fused->lines[FFT_ROWS].at;
    if (!status)
        status = ki_fft_upload_roots(queue, &roots, fft->real, &fused->roots, err);
    free(roots.values);
    return status;
}

static kn_status make_memory(struct autocorr_fft *fft, struct fused *fused, kn_error *err)
{
    size_t number = 2 * kn_type_size(fft->real), row = fused->pitch * number;
    kn_status status = ki_autocorr_fft_limit_batch(fft, fft->height * row, err);

    for (unsigned i = 0; i < (fft->cross ? 2 : 1) && !status; i++)
        status = kn_buffer_create(fft->context, fft->batch * fft->height * row, &fused->spectra[i], err);
    if (!status)
        status = kn_buffer_create(fft->context, fft->batch * fft->wanted * row, &fused->correlation, err);
    return status;
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
    const kn_device_info *info = kn_context_get_device(fft->context);
    // Few columns have a GPU to themselves, and more work-items each.
    size_t least = ki_engine_sizes(info, SHAPE_AUTOCORR_FUSED)->per_unit * (size_t)info->compute_units;
    bool few = fft->batch * (fft->width + fft->across) / 2 < least;
    const kn_fft_tuning tuning = {.held = fft->options.held ? fft->options.held : few ? 8 : 0};
    struct fft_bounds bounds = ki_fft_bounds_of(info, fft->real, &tuning);
    struct fused *fused = calloc(1, sizeof *fused);
    kn_status status;

    fft->plan = fused;
    if (!fused)
        return ki_fail_memory(err, sizeof *fused, "preparing a correlation");
    status = ki_autocorr_fft_cut_lines(
        fft, &bounds, false, fft->real == KN_F64 ? "fused, double precision" : "fused, single precision",
        fused->lines, err);
    fused->columns = (uint32_t)(fft->points[0] / 2 + 1);
    // Groups of columns begin where memory transactions do.
    fused->pitch = (fused->columns + 15) / 16 * 16;
    for (unsigned i = 0; i < FFT_KERNELS && !status; i++)
        status = get_kernel(fft, i, err);
    if (!status)
        status = make_roots(queue, fft, fused, err);
    return status ? status : make_memory(fft, fused, err);
}

// ---- launches ----

static kn_status rows(kn_queue *queue, const struct autocorr_fft *fft, const kn_buffer *images,
                      uint32_t level, size_t first, size_t count, kn_error *err)
{
    const struct fused *fused = fft->plan;
    const struct fft_lines *lines = &fused->lines[FFT_ROWS];
    uint32_t width = (uint32_t)fft->width, height = (uint32_t)fft->height, from = (uint32_t)first;
    const kn_range range = ki_autocorr_fft_range(lines, (fft->height + 1) / 2, count);
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

    return kn_launch(queue, fused->kernels[FFT_ROWS], &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status columns(kn_queue *queue, const struct autocorr_fft *fft, size_t count, kn_error *err)
{
    const struct fused *fused = fft->plan;
    const struct fft_lines *lines = &fused->lines[FFT_COLUMNS];
    uint32_t height = (uint32_t)fft->height, wanted = (uint32_t)fft->wanted;
    const kn_range range = ki_autocorr_fft_range(lines, fused->columns, count);
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

    return kn_launch(queue, fused->kernels[FFT_COLUMNS], &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status back(kn_queue *queue, const struct autocorr_fft *fft, size_t first, size_t count,
                      kn_buffer *sums, kn_error *err)
{
    const struct fused *fused = fft->plan;
    const struct fft_lines *lines = &fused->lines[FFT_BACK];
    const uint32_t values[] = {(uint32_t)fft->width,  (uint32_t)fft->height, (uint32_t)(fft->max_offset + 1),
                               (uint32_t)fft->across, (uint32_t)fft->wanted, (uint32_t)first};
    union column_scalar scale;
    const kn_range range = ki_autocorr_fft_range(lines, (fft->wanted + 1) / 2, count);
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
        ki_column_real(&scale, fft->real, 1 / ((double)fft->points[0] * (double)fft->points[1])),
        KN_BUFFER(fused->roots),
        KN_VALUE(lines->at),
        KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, fused->kernels[FFT_BACK], &range, args, KI_COUNT(args), NO_EVENT, err);
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

const struct fft_algorithm ki_autocorr_fft_fused = {fused_create, fused_run, fused_free};
