// SPDX-License-Identifier: Apache-2.0
// Transforms of doubles in plain C.
#define KEY_BITS 64
#include "host_fft_scalar.h"
#include "host_fft_vector.h"

const struct host_fft_code host_fft_scalar_64 = HOST_FFT("scalar");
