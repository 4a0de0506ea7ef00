// SPDX-License-Identifier: Apache-2.0
// Transforms of floats with AVX2 and FMA.
#include "host/host.h"

#ifdef HOST_HAS_VECTORS
#define KEY_BITS 32
#include "host_fft_avx2.h"
#include "host_fft_vector.h"

const struct host_fft_code host_fft_avx2_32 = HOST_FFT("AVX2");
#endif
