// SPDX-License-Identifier: Apache-2.0
// What the ways to correlate on a device share: their names, and what frames must be.
#include "device.h"

const char *const autocorr_method_names[AUTOCORR_METHODS + 1] = {
    "auto", "direct", "fft", "naive", "simd", "texture-style", "two-line", "two-kernel", NULL};
