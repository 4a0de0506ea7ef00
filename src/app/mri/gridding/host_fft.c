// SPDX-License-Identifier: Apache-2.0
#include "host_fft.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/threads.h"

// WORTH: points of an axis' lines from which on more threads than one are worth waking.
enum { LANES_MAX = 8, WORTH = 1 << 17 };

// Neighbouring lines that are transformed together: where they begin, and how far a point is from the next.
struct lines {
    double complex *at[LANES_MAX];
    size_t count, step;
};

// To a block, with real and imaginary parts swapped for the way back.
static void load_lines(const struct lines *lines, const struct host_fft *fft, bool swap, double *block)
{
    const size_t lanes = fft->code->lanes, re = swap ? lanes : 0, im = lanes - re;

    for (size_t j = 0; j < fft->length; j++)
        for (size_t lane = 0; lane < lines->count; lane++) {
            double complex z = lines->at[lane][j * lines->step];

            block[2 * j * lanes + re + lane] = creal(z);
            block[2 * j * lanes + im + lane] = cimag(z);
        }
}

static void store_lines(const struct lines *lines, const struct host_fft *fft, bool swap, const double *block)
{
    const size_t lanes = fft->code->lanes, re = swap ? lanes : 0, im = lanes - re;

    for (size_t j = 0; j < fft->length; j++)
        for (size_t lane = 0; lane < lines->count; lane++)
            lines->at[lane][j * lines->step] =
                mri_complex(block[2 * j * lanes + re + lane], block[2 * j * lanes + im + lane]);
}

// Lines along an axis, `across` of them side by side on the first of the two others.
struct along {
    const struct mri_fft *fft;
    double complex *grid;
    size_t axis, count, across;
    size_t steps[2]; // from a line to the next on the two other axes
    size_t step;     // from a point of a line to the next
    bool back;
};

// As many lines as are transformed together.
static void transform_some(void *context, size_t group)
{
    const struct along *along = context;
    const struct mri_fft *fft = along->fft;
    const struct host_fft *transform = fft->lines[along->axis];
    const size_t lanes = transform->code->lanes, first = group * lanes;
    double *block = fft->room + fft->share * ki_thread(), *scratch = block + 2 * transform->length * lanes;
    struct lines lines = {.step = along->step};

    for (size_t i = first; i < along->count && i < first + lanes; i++)
        lines.at[lines.count++] =
            along->grid + i % along->across * along->steps[0] + i / along->across * along->steps[1];
    load_lines(&lines, transform, along->back, block);
    transform->code->transform(transform, block, scratch, block);
    store_lines(&lines, transform, along->back, block);
}

// All lines of an axis whose position on the other two is below `limit`.
static void axis_lines(struct mri_fft *fft, double complex *grid, size_t axis, const size_t limit[MRI_AXES],
                       bool back)
{
    const size_t step[MRI_AXES] = {1, fft->length[0], fft->length[0] * fft->length[1]};
    size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, n = fft->length[axis], count = limit[a] * limit[b];
    size_t lanes = fft->lines[axis]->code->lanes;
    struct along along = {fft, grid, axis, count, limit[a], {step[a], step[b]}, step[axis], back};

    if (n > 1)
        ki_parallel(count * n < WORTH ? 1 : fft->threads, (count + lanes - 1) / lanes, KI_STATIC,
                    transform_some, &along);
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

    *fft = (struct mri_fft){.threads = host.threads};
    for (size_t axis = 0; axis < MRI_AXES && !status; axis++) {
        size_t block = 2 * length[axis] * ki_host_fft_code_for(KN_F64, host.level)->lanes;

        fft->length[axis] = length[axis];
        fft->used[axis] = used[axis];
        fft->share = 3 * block > fft->share ? 3 * block : fft->share;
        status = ki_host_fft_create(length[axis], KN_F64, host.level, &fft->lines[axis], err);
    }
    if (!status) {
        fft->room = calloc(fft->share * fft->threads, sizeof *fft->room); // lanes without a line are zero
        if (!fft->room)
            status = ki_fail_memory(err, fft->share * fft->threads * sizeof *fft->room, "a transform");
    }
    if (status)
        ki_mri_fft_free(fft);
    return status;
}

void ki_mri_fft_free(struct mri_fft *fft)
{
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        ki_host_fft_free(fft->lines[axis]);
    free(fft->room);
    *fft = (struct mri_fft){.room = NULL};
}
