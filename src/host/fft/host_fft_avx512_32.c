// SPDX-License-Identifier: Apache-2.0
// Transforms of floats with AVX-512.
#include "host/host.h"

#ifdef HOST_HAS_VECTORS
#define KEY_BITS 32
#include "host_fft_avx512.h"
#include "host_fft_vector.h"

const struct host_fft_code host_fft_avx512_32 = HOST_FFT("AVX-512");
#endif
