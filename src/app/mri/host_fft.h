// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of up to three axes on the host, in double precision, for lengths without a prime factor
// above 5: plain recursion, a line at a time, all threads.
#ifndef KN_APP_MRI_HOST_FFT_H
#define KN_APP_MRI_HOST_FFT_H

#include "mri.h"

struct mri_fft {
    size_t length[MRI_AXES];
    size_t used[MRI_AXES];           // outside of these everything is zero before, or nobody's after
    double complex *roots[MRI_AXES]; // exp(-i 2 pi j / length)
    unsigned threads;
    double complex *lines; // room for two lines a thread
};

// threads 0: all there are. KN_ERROR_MEMORY.
kn_status mri_fft_create(const size_t length[MRI_AXES], const size_t used[MRI_AXES], unsigned threads,
                         struct mri_fft *fft, kn_error *err);
void mri_fft_free(struct mri_fft *fft);

// In place, unscaled, with exp(-i ...) from the used part to the whole grid; back, with exp(+i ...), from the
// whole grid to the used part.
void mri_fft_forward(struct mri_fft *fft, double complex *grid);
void mri_fft_backward(struct mri_fft *fft, double complex *grid);

#endif
