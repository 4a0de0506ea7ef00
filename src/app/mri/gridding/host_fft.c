// SPDX-License-Identifier: Apache-2.0
#include "host_fft.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Points that a thread transforms between two calls of `ask`.
enum { PIECE = 1 << 21 };

struct range {
    size_t first, count;
};

static size_t number_size(const struct mri_fft *fft)
{
    return fft->shape.type == KN_F64 ? sizeof(double complex) : sizeof(float complex);
}

// The lines of an axis at positions within these ranges of the other two axes.
static kn_status range_lines(struct mri_fft *fft, char *grid, size_t axis, const struct range ranges[2],
                             bool back, kn_error *err)
{
    const size_t *length = fft->shape.length, step[MRI_AXES] = {1, length[0], length[0] * length[1]};
    size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, n = length[axis];
    size_t split = ranges[1].count > 1, all = ranges[split].count, others = n * ranges[!split].count;
    size_t most = fft->threads * (PIECE / others + 1);
    struct host_fft_side side = {
        .points = HOST_FFT_COMPLEX, .count = n, .step = step[axis], .across = {step[a], step[b]}};
    struct host_fft_lines lines = {
        .line = &fft->lines[axis], .count = {ranges[0].count, ranges[1].count, 1}, .back = back, .scale = 1};
    kn_status status = KN_OK;

    grid += (ranges[0].first * step[a] + ranges[1].first * step[b]) * number_size(fft);
    for (size_t first = 0; first < all && n > 1 && !status; first += most) {
        if (first > 0)
            status = ki_ask(fft->ask, err);
        side.at = grid + first * side.across[split] * number_size(fft);
        lines.from = lines.to = side;
        lines.count[split] = all - first < most ? all - first : most;
        if (!status)
            ki_host_fft_lines(&lines, fft->threads, fft->room);
    }
    return status;
}

// The whole axis, or the two parts of it that are used.
static void find_ranges(const struct mri_fft *fft, size_t axis, bool whole, struct range ranges[2])
{
    size_t length = fft->shape.length[axis], below = whole ? 0 : fft->shape.used_below[axis];

    ranges[0] = (struct range){0, whole ? length : fft->shape.used[axis]};
    ranges[1] = (struct range){length - below, below};
}

// All lines of an axis within the used part of each other axis, or within all of it.
static kn_status axis_lines(struct mri_fft *fft, void *grid, size_t axis, const bool whole[MRI_AXES],
                            bool back, kn_error *err)
{
    size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2;
    struct range of_a[2], of_b[2];
    kn_status status = KN_OK;

    find_ranges(fft, a, whole[a], of_a);
    find_ranges(fft, b, whole[b], of_b);
    for (size_t i = 0; i < 4 && !status; i++) {
        const struct range ranges[2] = {of_a[i % 2], of_b[i / 2]};

        if (ranges[0].count > 0 && ranges[1].count > 0)
            status = range_lines(fft, grid, axis, ranges, back, err);
    }
    return status;
}

kn_status ki_mri_fft_forward(struct mri_fft *fft, void *grid, kn_error *err)
{
    bool whole[MRI_AXES] = {false, false, false};
    kn_status status = KN_OK;

    for (size_t axis = 0; axis < MRI_AXES && !status; axis++) {
        status = axis_lines(fft, grid, axis, whole, false, err);
        whole[axis] = true;
    }
    return status;
}

kn_status ki_mri_fft_backward(struct mri_fft *fft, void *grid, kn_error *err)
{
    bool whole[MRI_AXES] = {true, true, true};
    kn_status status = KN_OK;

    for (size_t axis = MRI_AXES; axis-- > 0 && !status;) {
        status = axis_lines(fft, grid, axis, whole, true, err);
        whole[axis] = false;
    }
    return status;
}

kn_status ki_mri_fft_create(const struct mri_fft_shape *shape, const kn_host_options *options,
                            struct ki_ask *ask, struct mri_fft *fft, kn_error *err)
{
    struct host_plan host;
    kn_status status = ki_host_plan("mri_fft", shape->type, 0, options, &host, err);
    size_t share = 0;

    *fft = (struct mri_fft){.shape = *shape, .threads = host.threads, .ask = ask};
    for (size_t axis = 0; axis < MRI_AXES && !status; axis++) {
        status =
            ki_host_fft_line_create(shape->length[axis], shape->type, host.level, &fft->lines[axis], err);
        share = fft->lines[axis].room > share ? fft->lines[axis].room : share;
    }
    if (!status) {
        fft->room = aligned_alloc(64, share * fft->threads);
        if (fft->room)
            memset(fft->room, 0, share * fft->threads);
        else
            status = ki_fail_memory(err, share * fft->threads, "a transform");
    }
    if (status)
        ki_mri_fft_free(fft);
    return status;
}

void ki_mri_fft_free(struct mri_fft *fft)
{
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        ki_host_fft_line_free(&fft->lines[axis]);
    free(fft->room);
    *fft = (struct mri_fft){.room = NULL};
}

struct mri_bytes ki_mri_fft_memory(const struct mri_fft_shape *shape)
{
    enum { BLOCK = 2 * 64, BLOCKS = 3 }; // bytes of a point of a block; blocks per thread
    size_t longest = 0, all = 0;

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        longest = shape->length[axis] > longest ? shape->length[axis] : longest;
        all = saturate_plus(all, shape->length[axis]);
    }
    return (struct mri_bytes){
        .host = saturate_plus(saturate_times(ki_threads(0), saturate_times(longest, BLOCK * BLOCKS)),
                              saturate_times(all, 2 * sizeof(double complex)))};
}
