// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of up to three axes on the host, in double precision: with vectors of neighbouring
// lines, all threads.
#ifndef KN_APP_MRI_GRIDDING_HOST_FFT_H
#define KN_APP_MRI_GRIDDING_HOST_FFT_H

#include <koine/host.h>

#include "base/ask.h"
#include "host/fft/host_fft_lines.h"
#include "app/mri/mri.h"

struct mri_fft {
    size_t length[MRI_AXES];
    size_t used[MRI_AXES]; // outside of these everything is zero before, or nobody's after
    struct host_fft_line lines[MRI_AXES];
    unsigned threads;
    void *room;         // of all threads
    struct ki_ask *ask; // between parts of large transforms; NULL: nobody
};

// `options` and `ask` may be NULL; its order of sorting is not looked at. KN_ERROR_ARGUMENT for a length of
// 0; KN_ERROR_UNSUPPORTED for a level that this processor has not; KN_ERROR_MEMORY.
kn_status ki_mri_fft_create(const size_t length[MRI_AXES], const size_t used[MRI_AXES],
                            const kn_host_options *options, struct ki_ask *ask, struct mri_fft *fft,
                            kn_error *err);
void ki_mri_fft_free(struct mri_fft *fft);

// In place, unscaled, with exp(-i ...) from the used part to the whole grid; back, with exp(+i ...), from the
// whole grid to the used part.
// KN_ERROR_INTERRUPTED by `ask`.
kn_status ki_mri_fft_forward(struct mri_fft *fft, double complex *grid, kn_error *err);
kn_status ki_mri_fft_backward(struct mri_fft *fft, double complex *grid, kn_error *err);

#endif
