// SPDX-License-Identifier: Apache-2.0
// The convention that all files here follow. Images I and I' hold integers, W x H, x fastest, y downwards;
// for an autocorrelation they are the same image. With R the largest offset,
//
//     C(X0, Y0) = sum I(x, y) I'(x + X0, y + Y0)    for |X0| <= R, 0 <= Y0 <= R,
//
// over the overlap: those (x, y) for which both pixels are in the image, and in the mask if there is one. An
// array over the offsets has R + 1 rows, Y0 = 0 to R, of 2R + 1 columns, X0 = -R to R. The other half of an
// autocorrelation is its rotation by 180 degrees.
//
// All sums are exact. A product has at most 32 bits and an image at most 2^31 pixels, so that a sum has 63.
#ifndef KN_APP_AUTOCORR_AUTOCORR_H
#define KN_APP_AUTOCORR_AUTOCORR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/autocorr.h>

#include "base/kept.h"

struct autocorr_image {
    size_t width, height;
    size_t stride;      // distance between rows, in pixels
    kn_type type;       // KN_U8 or KN_U16
    const void *pixels; // rows from top to bottom
};

struct autocorr_copy;

struct autocorr_task {
    struct autocorr_image first;
    struct autocorr_image
        second;          // I', the shifted one, with the first's size and type; `pixels` NULL: the first
    const uint8_t *mask; // one byte a pixel; pixels with 0 count in neither image; NULL: all pixels count
    size_t mask_stride;
    size_t max_offset; // R
    bool periodic;     // positions are modulo the sides; no mask is allowed
    double energy; // ki_autocorr_energy of the first image with the mask, if that is known already; else 0
    double second_energy;                     // the same of the second one
    struct autocorr_copy *copy, *second_copy; // copies of the images on the device; NULL: none is kept
    struct ki_kept *kept;                     // the source of the host's memory for it; NULL: nothing is kept
};

// The sums over the overlap at an offset; the second image's are those of I'(x + X0, y + Y0).
struct autocorr_window {
    uint64_t n;      // pairs
    uint64_t s1, s2; // of the pixels
    uint64_t q1, q2; // of their squares
};

// The number of offsets, and the index of (X0, Y0).
static inline size_t autocorr_offsets(size_t max_offset)
{
    return (2 * max_offset + 1) * (max_offset + 1);
}

static inline size_t autocorr_at(size_t max_offset, ptrdiff_t x0, size_t y0)
{
    return y0 * (2 * max_offset + 1) + (size_t)((ptrdiff_t)max_offset + x0);
}

// The default of R: a quarter of the shorter side, at least 1 if there are two pixels, at most 250.
size_t ki_autocorr_default_offset(size_t width, size_t height);
// For a volume: a quarter of its shortest side, at least 1 if there are two voxels, at most 64.
size_t ki_autocorr_default_reach(size_t width, size_t height, size_t depth);

// sum (I - m)^2, with m the mean rounded down: it bounds the error of sums in single precision. Exact up to
// 2^53. The image is black outside of the mask, which may be NULL. Reads both once.
double ki_autocorr_energy(const struct autocorr_image *image, const uint8_t *mask, size_t mask_stride);

// Crops to the region: images and mask become views of it. KN_ERROR_ARGUMENT for one that exceeds the image,
// with both sizes.
kn_status ki_autocorr_crop(struct autocorr_task *task, const kn_autocorr_region *region, kn_error *err);

// KN_ERROR_ARGUMENT, with what was found and what is possible: images without pixels, of more than 2^31, of
// other types, or of two sizes or types; an R that leaves no overlap in either direction, R >= max(W, H). If
// R exceeds only the shorter side, overlaps beyond it are empty: their sums are 0.
kn_status ki_autocorr_check(const struct autocorr_task *task, kn_error *err);

// The images of a task: the second one, or the first again.
static inline const struct autocorr_image *autocorr_second(const struct autocorr_task *task)
{
    return task->second.pixels ? &task->second : &task->first;
}

// The reference: C, and the windows' sums, term by term, serial. Cost: about 2 R^2 W H terms each. `products`
// and `windows` have autocorr_offsets elements. Errors: those of ki_autocorr_check.
kn_status ki_autocorr_reference(const struct autocorr_task *task, uint64_t *products, kn_error *err);
kn_status ki_autocorr_reference_windows(const struct autocorr_task *task, struct autocorr_window *windows,
                                        kn_error *err);

// The windows' sums from summed areas of the images' edges: each image is read once, its rows are added up,
// and W + 8 R numbers for each Y0. With a mask, by Fourier transforms (host_fourier.h) and all threads, or,
// if these are not exact, term by term like the reference. KN_ERROR_MEMORY, and the errors of
// ki_autocorr_check.
kn_status ki_autocorr_windows(const struct autocorr_task *task, struct autocorr_window *windows,
                              kn_error *err);
// The window at offset (0, 0), for every offset, as for periodic images.
void ki_autocorr_spread_window(size_t max_offset, struct autocorr_window *windows);

#endif
