// SPDX-License-Identifier: Apache-2.0
// The shape of a transform, checked once for the host and for devices.
#ifndef KN_HOST_FFT_FFT_SHAPE_H
#define KN_HOST_FFT_FFT_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

#include <koine/fft.h>

// A checked shape, with all defaults filled in.
struct fft_shape {
    kn_fft_shape given;
    size_t in[3], out[3]; // numbers along each axis (complex ones, or real ones on a real side)
    uint64_t in_bytes, out_bytes;
    size_t in_number; // bytes of a number of the input
    bool resized;     // padded or cropped
};

// KN_ERROR_ARGUMENT; KN_ERROR_UNSUPPORTED for a type other than KN_F32 and KN_F64. `function` names the
// caller in messages.
kn_status ki_fft_check_shape(const char *function, const kn_fft_shape *given, struct fft_shape *shape,
                             kn_error *err);

#endif
