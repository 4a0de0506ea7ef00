// SPDX-License-Identifier: Apache-2.0
// Correlations on a device, with integers: exactly the reference's sums.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_H

#include <koine/koine.h>

#include "app/autocorr/autocorr.h"

#define AUTOCORR_METHODS (KN_AUTOCORR_TWO_KERNEL + 1)

// "auto", "direct", "fft", "naive", "simd", "texture-style", "two-line", "two-kernel"; NULL ends them.
extern const char *const ki_autocorr_method_names[AUTOCORR_METHODS + 1];

// Images on the device: `count` of one size, one after another, without gaps between rows.
struct autocorr_frames {
    size_t width, height, count;
    kn_type type;            // KN_U8 or KN_U16
    const kn_buffer *first;  // count * width * height pixels
    const kn_buffer *second; // the shifted ones, of the same size and type; NULL: the first
    size_t max_offset;       // R
};

// An image that stays on the device: without gaps, and black outside the mask.
struct autocorr_copy {
    kn_buffer *buffer;
    size_t at;     // in bytes
    double energy; // ki_autocorr_energy of the image in this form; 0: unknown
    bool is_taken; // it belongs to some frame
    bool is_there; // the image has been sent; if not, it is kept there when it is sent
};

// The common checks of the functions below, for integer sums in `products`; NULL if these are not to be
// checked.
kn_status ki_autocorr_check_frames(const char *function, const kn_queue *queue,
                                   const struct autocorr_frames *frames, const kn_buffer *products,
                                   kn_error *err);

// The sums of every frame: `products` holds count * autocorr_offsets(R) ulong, frame after frame. Returns
// when the kernels are enqueued. Errors: KN_ERROR_ARGUMENT like ki_autocorr_check, and for buffers that are
// too small (nothing past `products` is written; count may be 0); KN_ERROR_LIMIT for rows or offsets that
// exceed the kernels' 32-bit numbers; KN_ERROR_MEMORY.
kn_status ki_autocorr_direct_device(kn_queue *queue, const struct autocorr_frames *frames,
                                    kn_buffer *products, kn_error *err);

// The source's ladder (Lu et al. 2009): KN_AUTOCORR_TEXTURE_STYLE, KN_AUTOCORR_TWO_LINE or
// KN_AUTOCORR_TWO_KERNEL, by its own kernels; another method is KN_ERROR_ARGUMENT.
kn_status ki_autocorr_ladder_device(kn_queue *queue, const struct autocorr_frames *frames,
                                    kn_autocorr_method method, kn_buffer *products, kn_error *err);

#endif
