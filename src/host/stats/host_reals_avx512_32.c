// SPDX-License-Identifier: Apache-2.0
// Floats with AVX-512.
#include "host/host.h"

#ifdef HOST_HAS_VECTORS
#define KEY_BITS 32
#include "host_reals_avx512.h"
#include "host_reals_vector.h"

const struct host_reals host_reals_avx512_32 = HOST_REALS;
#endif
