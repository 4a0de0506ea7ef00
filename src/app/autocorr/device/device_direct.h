// SPDX-License-Identifier: Apache-2.0
// The parameters of the register-tiled kernel of ki_autocorr_direct_device
// (cl/app/autocorr/autocorr_direct.cl), for tuning it.
#ifndef KN_APP_AUTOCORR_DEVICE_DEVICE_DIRECT_H
#define KN_APP_AUTOCORR_DEVICE_DEVICE_DIRECT_H

#include <stdbool.h>

#include "device.h"

enum autocorr_dot {
    AUTOCORR_DOT_FLOAT, // products of floats, at most 256 of them in a sum
    AUTOCORR_DOT_BYTES, // four bytes at once: NVIDIA's dp4a; elsewhere plain C with the same result
    AUTOCORR_DOT_INTEGER,
    AUTOCORR_DOTS
};

// "float", "bytes", "integer"; NULL ends them.
extern const char *const ki_autocorr_dot_names[AUTOCORR_DOTS + 1];

struct autocorr_direct_tuning {
    enum autocorr_dot dot;
    bool vectors;            // neighbouring offsets form a vector, which suits CPUs; not with BYTES
    unsigned tile_x, tile_y; // offsets of a work-item; tile_x is a multiple of 4, with vectors 8 or 16
    unsigned chunk;          // values of a row in local memory: a multiple of 4, at most 256
    unsigned items;          // the most work-items in a group
    unsigned rows; // of the second image in a slice, at most 1,024, or 255 on rusticl; 0: as many as keep the
                   // device busy
};

// The defaults.
struct autocorr_direct_tuning ki_autocorr_direct_tuning_for(const kn_queue *queue);

// ki_autocorr_direct_device with a tuning. KN_ERROR_ARGUMENT for one that no kernel supports, KN_ERROR_LIMIT
// if the device lacks local memory for it, KN_ERROR_UNSUPPORTED if the device computes wrong results with it
// (ki_autocorr_direct_try).
kn_status ki_autocorr_direct_tuned(kn_queue *queue, const struct autocorr_frames *frames,
                                   const struct autocorr_direct_tuning *tuning, kn_buffer *products,
                                   kn_error *err);

// Whether the device computes a small correlation correctly with this tuning: tried once, see engine_trial.
kn_status ki_autocorr_direct_try(kn_context *context, const struct autocorr_direct_tuning *tuning,
                                 bool *serves, kn_error *err);

// The checks of ki_autocorr_direct_tuned except the trial.
kn_status ki_autocorr_direct_check(kn_queue *queue, const struct autocorr_direct_tuning *tuning,
                                   kn_error *err);

// ki_autocorr_direct_tuned without the trial, for use in the trial.
kn_status ki_autocorr_direct_untried(kn_queue *queue, const struct autocorr_frames *frames,
                                     const struct autocorr_direct_tuning *tuning, kn_buffer *products,
                                     kn_error *err);

#endif
