// SPDX-License-Identifier: Apache-2.0
#include "host_fft.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Points that a thread transforms between two questions whether to go on.
enum { PIECE = 1 << 21 };

// All lines of an axis whose position on the other two is below `limit`.
static kn_status axis_lines(struct mri_fft *fft, double complex *grid, size_t axis,
                            const size_t limit[MRI_AXES], bool back, kn_error *err)
{
    const size_t step[MRI_AXES] = {1, fft->length[0], fft->length[0] * fft->length[1]};
    size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, n = fft->length[axis];
    size_t split = limit[b] > 1, all = limit[split ? b : a], others = n * limit[split ? a : b];
    size_t most = fft->threads * (PIECE / others + 1);
    struct host_fft_side side = {
        .at = grid, .points = HOST_FFT_COMPLEX, .count = n, .step = step[axis], .across = {step[a], step[b]}};
    struct host_fft_lines lines = {
        .line = &fft->lines[axis], .count = {limit[a], limit[b], 1}, .back = back, .scale = 1};
    kn_status status = KN_OK;

    for (size_t first = 0; first < all && n > 1 && !status; first += most) {
        if (first > 0)
            status = ki_ask(fft->ask, err);
        side.at = grid + first * side.across[split];
        lines.from = lines.to = side;
        lines.count[split] = all - first < most ? all - first : most;
        if (!status)
            ki_host_fft_lines(&lines, fft->threads, fft->room);
    }
    return status;
}

kn_status ki_mri_fft_forward(struct mri_fft *fft, double complex *grid, kn_error *err)
{
    size_t limit[MRI_AXES] = {fft->used[0], fft->used[1], fft->used[2]};
    kn_status status = KN_OK;

    for (size_t axis = 0; axis < MRI_AXES && !status; axis++) {
        status = axis_lines(fft, grid, axis, limit, false, err);
        limit[axis] = fft->length[axis];
    }
    return status;
}

kn_status ki_mri_fft_backward(struct mri_fft *fft, double complex *grid, kn_error *err)
{
    size_t limit[MRI_AXES] = {fft->length[0], fft->length[1], fft->length[2]};
    kn_status status = KN_OK;

    for (size_t axis = MRI_AXES; axis-- > 0 && !status;) {
        status = axis_lines(fft, grid, axis, limit, true, err);
        limit[axis] = fft->used[axis];
    }
    return status;
}

kn_status ki_mri_fft_create(const size_t length[MRI_AXES], const size_t used[MRI_AXES],
                            const kn_host_options *options, struct ki_ask *ask, struct mri_fft *fft,
                            kn_error *err)
{
    struct host_plan host;
    kn_status status = ki_host_plan("mri_fft", KN_F64, 0, options, &host, err);
    size_t share = 0;

    *fft = (struct mri_fft){.threads = host.threads, .ask = ask};
    for (size_t axis = 0; axis < MRI_AXES && !status; axis++) {
        fft->length[axis] = length[axis];
        fft->used[axis] = used[axis];
        status = ki_host_fft_line_create(length[axis], KN_F64, host.level, &fft->lines[axis], err);
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
