// SPDX-License-Identifier: Apache-2.0
// Correlations on a device by Fourier transforms. The images less their mean levels, as integers, are padded
// with zeros to a circle of W + R by H + R points or a little more, so that wrap-around does not reach a
// wanted offset. Rows 0 to R of the circle's correlation D are transformed back, columns -R to R are stored,
// and the exact sums over the overlap restore what was subtracted (S1, S2: device_windows.h):
//
//     C = sum I I' = D + m' S1 + m S2 - n m m' ,   D = sum (I - m)(I' - m').
//
// Every sum is an integer. Exact ones are those of the reference; others differ by at most
// ki_autocorr_fft_bound.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_FFT_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_FFT_H

#include <stdbool.h>

#include "device_windows.h"

struct autocorr_fft;

// How it is computed.
enum autocorr_fft_algorithm {
    AUTOCORR_FFT_AUTO,
    AUTOCORR_FFT_FUSED,  // three kernels: rows, columns there and back in local memory, rows back
    AUTOCORR_FFT_NUMBER, // exact, with integers: number-theoretic transforms
    AUTOCORR_FFT_ALGORITHMS
};
// "auto", "fused", "number-theoretic"; NULL ends them.
extern const char *const ki_autocorr_fft_algorithm_names[AUTOCORR_FFT_ALGORITHMS + 1];

// All 0: what was measured best. Other values are used, or refused.
struct autocorr_fft_options {
    enum autocorr_fft_algorithm algorithm;
    size_t across, down;    // points of the circle; at least W + R and H + R
    unsigned held;          // the most points a work-item holds, 4 to 32
    unsigned rows, columns; // lines per work-group, for rows and for columns
};

// The choice of AUTOCORR_FFT_AUTO for images of this size and type.
enum autocorr_fft_algorithm ki_autocorr_fft_algorithm_for(const kn_device_info *device,
                                                          const struct autocorr_image *image,
                                                          size_t max_offset, bool exact);

// Programs, roots of unity and memory for batches of at most `batch` frames of one size (fewer where the
// device has not enough memory), for one thread at a time. `cross`: with a second image. `exact`: double
// precision, whose bound is below 1/4 for every image of this size and type, or else, and where there is no
// double precision, number-theoretic transforms; otherwise single precision. `options` may be NULL.
// Errors: ki_autocorr_check's; KN_ERROR_LIMIT for lines that local memory does not hold; KN_ERROR_UNSUPPORTED
// for an algorithm that does not do this; KN_ERROR_MEMORY.
kn_status ki_autocorr_fft_create_with(kn_queue *queue, size_t width, size_t height, size_t max_offset,
                                      kn_type type, bool cross, bool exact, size_t batch,
                                      const struct autocorr_fft_options *options, struct autocorr_fft **fft,
                                      kn_error *err);
kn_status ki_autocorr_fft_create(kn_queue *queue, size_t width, size_t height, size_t max_offset,
                                 kn_type type, bool cross, bool exact, size_t batch,
                                 struct autocorr_fft **fft, kn_error *err);
// NULL is fine.
void ki_autocorr_fft_free(struct autocorr_fft *fft);

// The sums of any number of frames of that size: `sums` holds count * autocorr_offsets(R) ulong, frame after
// frame. Returns when the kernels are enqueued. Cost of a batch, fused: 5 launches (two of them the
// windows'); reads the pixels once, writes and reads H and R + 1 rows of about (W + R) / 2 complex numbers a
// frame and image. Errors: KN_ERROR_ARGUMENT for frames of another size, type, R or number of images than
// planned, or a buffer that is too small.
kn_status ki_autocorr_fft_sums(kn_queue *queue, struct autocorr_fft *fft,
                               const struct autocorr_frames *frames, kn_buffer *sums, kn_error *err);

// The tables left by the last batch; they are those of all frames if count is at most ki_autocorr_fft_batch.
const struct autocorr_tables *ki_autocorr_fft_tables(const struct autocorr_fft *fft);
size_t ki_autocorr_fft_batch(const struct autocorr_fft *fft);

// The largest error of a sum; 0 if it is exact. `energy` is the root of sum (I - m)^2 sum (I' - m')^2 over
// the whole images, m and m' their means rounded down. Derived in device_fft.c.
double ki_autocorr_fft_bound(const struct autocorr_fft *fft, double energy);

// A description of what runs: "fused, single: 1000 = 10 * 10 * 10 across (...), ...". It belongs to the plan.
const char *ki_autocorr_fft_text(const struct autocorr_fft *fft);
enum autocorr_fft_algorithm
ki_autocorr_fft_algorithm_of(const struct autocorr_fft *fft); // never AUTOCORR_FFT_AUTO

#endif
