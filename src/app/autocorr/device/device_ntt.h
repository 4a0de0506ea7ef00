// SPDX-License-Identifier: Apache-2.0
// Number-theoretic transforms of images (Pollard 1971) modulo two primes below 2^31, whose product, 2^61.8,
// no sum reaches: no rounding, and nothing to check. What correlations (device_fft_number.c) and the sums
// over the overlaps with a mask (device_masked.c) share: rows of images there, rows of correlations back.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_NTT_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_NTT_H

#include "device_fft_internal.h"

enum { NTT_PRIMES = 2 };

// Products of two pixels of 16 bits add up to less than the primes' product up to so many pixels.
#define NTT_MOST_PIXELS UINT64_C(990000000)

struct ntt {
    struct fft_lines lines[FFT_KERNELS];
    kn_kernel *kernels[NTT_PRIMES][FFT_KERNELS];
    kn_buffer *roots[NTT_PRIMES];
};

// What lines may be on a device.
struct fft_bounds ki_autocorr_ntt_bounds(const kn_device_info *info, unsigned held);

// Lines of powers of two for the sizes of `fft`, whose points it sets, roots of unity, and kernels;
// NAME.cl has those of the columns. `name` is what fft->text calls it. What was made before an error is
// freed by ki_autocorr_ntt_free. Errors: KN_ERROR_LIMIT for too many pixels, and for lines that local memory
// does not hold; KN_ERROR_ARGUMENT for options that are no powers of two; KN_ERROR_MEMORY.
kn_status ki_autocorr_ntt_create(kn_queue *queue, struct autocorr_fft *fft, const char *name,
                                 const char *columns, struct ntt *ntt, kn_error *err);
void ki_autocorr_ntt_free(struct ntt *ntt);

// A kernel for lines of FFT_ROWS, FFT_COLUMNS or FFT_BACK, out of FILE.cl; `type` is that of pixels.
kn_status ki_autocorr_ntt_kernel(const struct autocorr_fft *fft, const struct ntt *ntt, unsigned prime,
                                 unsigned lines, const char *file, const char *kernel, kn_type type,
                                 kn_kernel **made, kn_error *err);

// Images of a batch, and to which power pixels are taken (1 or 2).
struct ntt_images {
    const kn_buffer *pixels;
    size_t first, count; // images first to first + count - 1
    uint32_t power;
};

// Their rows' spectra modulo a prime, [image][row][points across], by a kernel of autocorr_ntt_rows.cl.
kn_status ki_autocorr_ntt_rows(kn_queue *queue, const struct autocorr_fft *fft, const struct ntt *ntt,
                               unsigned prime, kn_kernel *kernel, const struct ntt_images *images,
                               kn_buffer *spectra, kn_error *err);

// Where sums go: an array of `rows` rows of 2 R + 1 offsets an image, from image `first` on, rows from number
// `above` on; offset i is number i * step + part of whole numbers of 64 bits.
struct ntt_sums {
    kn_buffer *sums;
    size_t first, rows, above, step, part;
};

// The sums of `count` correlations from `rows` rows' spectra each. Modulo the first prime first, which is all
// where sums are below it; the second one completes what is there.
kn_status ki_autocorr_ntt_back(kn_queue *queue, const struct autocorr_fft *fft, const struct ntt *ntt,
                               unsigned prime, const kn_buffer *spectra, size_t rows, size_t count,
                               const struct ntt_sums *to, kn_error *err);

#endif
