// SPDX-License-Identifier: Apache-2.0
// Number-theoretic transforms of images (Pollard 1971) modulo two primes below 2^31, whose product, 2^61.8,
// exceeds every sum: no rounding, and nothing to check. This is shared by correlations (device_fft_number.c)
// and the sums over the overlaps with a mask (device_masked.c): from rows of images to spectra, and back to
// rows of correlations.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_NTT_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_NTT_H

#include "device_fft_internal.h"

enum { NTT_PRIMES = 2 };

// Up to this many pixels, sums of products of two pixels of 16 bits are less than the primes' product.
#define NTT_MOST_PIXELS UINT64_C(990000000)

struct ntt {
    struct fft_lines lines[FFT_KERNELS];
    kn_kernel *kernels[NTT_PRIMES][FFT_KERNELS];
    kn_buffer *roots[NTT_PRIMES];
};

// The limits of lines on a device.
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

// The images of a batch, and the power to which pixels are taken (1 or 2).
struct ntt_images {
    const kn_buffer *pixels;
    size_t first, count; // images first to first + count - 1
    uint32_t power;
};

// Their rows' spectra modulo a prime, [image][row][points across], by a kernel of autocorr_ntt_rows.cl.
kn_status ki_autocorr_ntt_rows(kn_queue *queue, const struct autocorr_fft *fft, const struct ntt *ntt,
                               unsigned prime, kn_kernel *kernel, const struct ntt_images *images,
                               kn_buffer *spectra, kn_error *err);

// The destination of sums: an array of `rows` rows of 2 R + 1 offsets an image, from image `first` on, rows
// from number `above` on; offset i is number i * step + part, in 64-bit integers.
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
