// SPDX-License-Identifier: Apache-2.0
// Correlations of volumes, and of periodic images and volumes, by Fourier transforms, with every sum exact.
// Axis 0 is x, the fastest; for offsets up to a reach on each axis
//
//     C(X0, Y0, Z0) = sum I(x, y, z) I'(x + X0, y + Y0, z + Z0)   for |X0| <= reach[0], |Y0| <= reach[1], 0
//     <= Z0 <= reach[2],
//
// over the overlap, or, if they are periodic, with positions modulo the sizes. An image is a volume of one
// row: W x 1 x H, with a reach of 0 on the middle axis.
//
// Levels are cut into pieces of so few bits that in double precision no sum of products of two pieces has an
// error of 1/4: rounded it is exact, and the sums of all pairs of pieces, shifted, are those of the levels.
#ifndef KN_APP_AUTOCORR_VOLUME_VOLUME_H
#define KN_APP_AUTOCORR_VOLUME_VOLUME_H

#include <stdbool.h>

#include <koine/fft.h>

#include "app/autocorr/autocorr.h"

enum {
    VOLUME_AXES = 3,
    VOLUME_PIECES = 4, // at most
    VOLUME_SHIFTS = 2 * VOLUME_PIECES - 1
};

struct autocorr_volume {
    size_t size[VOLUME_AXES];
    size_t reach[VOLUME_AXES];
    kn_type type; // KN_U8 or KN_U16
    bool periodic;
};

// How an axis is transformed: on a circle of this many points, from which offsets -lower to upper come back.
// `whole` is the extent of the second image: its size, or all of the circle if a periodic one has a length
// that transforms badly and is continued to both sides.
struct autocorr_volume_axis {
    size_t size, circle, whole, lower, upper;
};

struct autocorr_volume_plan {
    struct autocorr_volume volume;
    bool cross; // the second image's spectra are others than the first one's
    struct autocorr_volume_axis axis[VOLUME_AXES];
    unsigned pieces, bits; // of a level
    double bound;          // of a sum of products of pieces, less than 1/4
};

// KN_ERROR_ARGUMENT for no voxels or more than 2^31, or reaches that leave no overlap on any axis;
// KN_ERROR_UNSUPPORTED where no pieces are small enough. `with_second`: there is a second image.
kn_status ki_autocorr_volume_plan(const struct autocorr_volume *volume, bool with_second,
                                  struct autocorr_volume_plan *plan, kn_error *err);

// An image as a volume.
static inline struct autocorr_volume autocorr_volume_of_image(const struct autocorr_task *task)
{
    return (struct autocorr_volume){.size = {task->first.width, 1, task->first.height},
                                    .reach = {task->max_offset, 0, task->max_offset},
                                    .type = task->first.type,
                                    .periodic = task->periodic};
}

// Offsets of all axes.
static inline size_t autocorr_volume_offsets(const struct autocorr_volume *volume)
{
    return (2 * volume->reach[0] + 1) * (2 * volume->reach[1] + 1) * (volume->reach[2] + 1);
}

static inline size_t autocorr_volume_voxels(const struct autocorr_volume *volume)
{
    return volume->size[0] * volume->size[1] * volume->size[2];
}

// The index of an offset of an axis among those that come back; negative: it has no overlap.
static inline ptrdiff_t autocorr_volume_place(const struct autocorr_volume_axis *axis, bool periodic,
                                              ptrdiff_t offset)
{
    ptrdiff_t size = (ptrdiff_t)axis->size, lower = (ptrdiff_t)axis->lower;

    if (periodic) {
        offset = (offset % size + size) % size;
        if (offset >= size - lower)
            offset -= size;
    }
    return offset >= -lower && offset <= (ptrdiff_t)axis->upper ? offset + lower : -1;
}

// Offsets of an axis that come back.
static inline size_t autocorr_volume_back(const struct autocorr_volume_axis *axis)
{
    return axis->lower + axis->upper + 1;
}

// The transforms of a plan: of pieces as bytes, the first image's or the second one's, and back.
kn_fft_shape ki_autocorr_volume_there(const struct autocorr_volume_plan *plan, bool second);
kn_fft_shape ki_autocorr_volume_back(const struct autocorr_volume_plan *plan);

// Numbers of a spectrum, of what is transformed, and of what comes back.
size_t ki_autocorr_volume_spectrum(const struct autocorr_volume_plan *plan);
size_t ki_autocorr_volume_bytes(const struct autocorr_volume_plan *plan, bool second);
size_t ki_autocorr_volume_values(const struct autocorr_volume_plan *plan);

// The factors that move offset -lower of axis x and y to place 0: exp(-2 pi i k lower / circle), two numbers
// for each k of the axis's spectrum. The caller frees them; NULL: out of memory.
double *ki_autocorr_volume_turns(const struct autocorr_volume_plan *plan, unsigned axis);

// ---- the products of pieces ----

// Of conj F and G, the spectra of two pieces: |F|^2 where they are one, conj F G + F conj G where a pair
// stands for both of its orders.
enum autocorr_volume_kind { VOLUME_CROSS, VOLUME_SQUARE, VOLUME_BOTH };

struct autocorr_volume_pair {
    unsigned first, second;
    enum autocorr_volume_kind kind;
};

// The pairs whose products are to be shifted by `shift` pieces; how many.
unsigned ki_autocorr_volume_pairs(const struct autocorr_volume_plan *plan, unsigned shift,
                                  struct autocorr_volume_pair pairs[VOLUME_PIECES]);

#endif
