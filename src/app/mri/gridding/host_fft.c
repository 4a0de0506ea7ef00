// SPDX-License-Identifier: Apache-2.0
#include "host_fft.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// All lines of an axis whose position on the other two is below `limit`.
static void axis_lines(struct mri_fft *fft, double complex *grid, size_t axis, const size_t limit[MRI_AXES],
                       bool back)
{
    const size_t step[MRI_AXES] = {1, fft->length[0], fft->length[0] * fft->length[1]};
    size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, n = fft->length[axis];
    const struct host_fft_side side = {
        .at = grid, .points = HOST_FFT_COMPLEX, .count = n, .step = step[axis], .across = {step[a], step[b]}};
    const struct host_fft_lines lines = {.line = &fft->lines[axis],
                                         .from = side,
                                         .to = side,
                                         .count = {limit[a], limit[b], 1},
                                         .back = back,
                                         .scale = 1};

    if (n > 1)
        ki_host_fft_lines(&lines, fft->threads, fft->room);
}

void ki_mri_fft_forward(struct mri_fft *fft, double complex *grid)
{
    size_t limit[MRI_AXES] = {fft->used[0], fft->used[1], fft->used[2]};

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        axis_lines(fft, grid, axis, limit, false);
        limit[axis] = fft->length[axis];
    }
}

void ki_mri_fft_backward(struct mri_fft *fft, double complex *grid)
{
    size_t limit[MRI_AXES] = {fft->length[0], fft->length[1], fft->length[2]};

    for (size_t axis = MRI_AXES; axis-- > 0;) {
        axis_lines(fft, grid, axis, limit, true);
        limit[axis] = fft->used[axis];
    }
}

kn_status ki_mri_fft_create(const size_t length[MRI_AXES], const size_t used[MRI_AXES],
                            const kn_host_options *options, struct mri_fft *fft, kn_error *err)
{
    struct host_plan host;
    kn_status status = ki_host_plan("mri_fft", KN_F64, options, &host, err);
    size_t share = 0;

    *fft = (struct mri_fft){.threads = host.threads};
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
