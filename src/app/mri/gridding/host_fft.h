// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of up to three axes on the host, with vectors of neighbouring lines, on all threads.
#ifndef KN_APP_MRI_GRIDDING_HOST_FFT_H
#define KN_APP_MRI_GRIDDING_HOST_FFT_H

#include <koine/host.h>

#include "base/ask.h"
#include "host/fft/host_fft_lines.h"
#include "app/mri/memory.h"
#include "app/mri/mri.h"

// The used part of an axis: this many points at its beginning and at its end. The others are zero before a
// forward transform, and undefined after an inverse one.
struct mri_fft_shape {
    kn_type type; // KN_F32 or KN_F64
    size_t length[MRI_AXES], used[MRI_AXES], used_below[MRI_AXES];
};

struct mri_fft {
    struct mri_fft_shape shape;
    struct host_fft_line lines[MRI_AXES];
    unsigned threads;
    void *room;         // workspaces of all threads
    struct ki_ask *ask; // called between parts of large transforms; NULL: not called
};

// `options` and `ask` may be NULL; the sort order in `options` is ignored. KN_ERROR_ARGUMENT for a length of
// 0; KN_ERROR_UNSUPPORTED for a level that this processor does not have; KN_ERROR_MEMORY.
kn_status ki_mri_fft_create(const struct mri_fft_shape *shape, const kn_host_options *options,
                            struct ki_ask *ask, struct mri_fft *fft, kn_error *err);
void ki_mri_fft_free(struct mri_fft *fft);
// An upper bound for smooth lengths: the threads' workspaces, and tables.
struct mri_bytes ki_mri_fft_memory(const struct mri_fft_shape *shape);

// In place, unscaled: with exp(-i ...) from the used part to the whole grid; the inverse, with exp(+i ...),
// from the whole grid to the used part. The grid consists of pairs of numbers of the shape's type.
// KN_ERROR_INTERRUPTED by `ask`.
kn_status ki_mri_fft_forward(struct mri_fft *fft, void *grid, kn_error *err);
kn_status ki_mri_fft_backward(struct mri_fft *fft, void *grid, kn_error *err);

#endif
