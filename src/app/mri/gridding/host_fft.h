// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of up to three axes on the host: with vectors of neighbouring lines, all threads.
#ifndef KN_APP_MRI_GRIDDING_HOST_FFT_H
#define KN_APP_MRI_GRIDDING_HOST_FFT_H

#include <koine/host.h>

#include "base/ask.h"
#include "host/fft/host_fft_lines.h"
#include "app/mri/memory.h"
#include "app/mri/mri.h"

// What is used of an axis: as many points from its beginning on and at its end. Outside of these everything
// is zero before, or nobody's after.
struct mri_fft_shape {
    kn_type type; // KN_F32 or KN_F64
    size_t length[MRI_AXES], used[MRI_AXES], used_below[MRI_AXES];
};

struct mri_fft {
    struct mri_fft_shape shape;
    struct host_fft_line lines[MRI_AXES];
    unsigned threads;
    void *room;         // of all threads
    struct ki_ask *ask; // between parts of large transforms; NULL: nobody
};

// `options` and `ask` may be NULL; its order of sorting is not looked at. KN_ERROR_ARGUMENT for a length of
// 0; KN_ERROR_UNSUPPORTED for a level that this processor has not; KN_ERROR_MEMORY.
kn_status ki_mri_fft_create(const struct mri_fft_shape *shape, const kn_host_options *options,
                            struct ki_ask *ask, struct mri_fft *fft, kn_error *err);
void ki_mri_fft_free(struct mri_fft *fft);
// Of smooth lengths, at most: threads' rooms, and tables.
struct mri_bytes ki_mri_fft_memory(const struct mri_fft_shape *shape);

// In place, unscaled, with exp(-i ...) from the used part to the whole grid; back, with exp(+i ...), from the
// whole grid to the used part. The grid is pairs of numbers of the shape's type.
// KN_ERROR_INTERRUPTED by `ask`.
kn_status ki_mri_fft_forward(struct mri_fft *fft, void *grid, kn_error *err);
kn_status ki_mri_fft_backward(struct mri_fft *fft, void *grid, kn_error *err);

#endif
