// SPDX-License-Identifier: Apache-2.0
// Doubles with AVX-512.
#include "host/host.h"

#ifdef HOST_HAS_VECTORS
#define KEY_BITS 64
#include "host_reals_avx512.h"
#include "host_reals_vector.h"

const struct host_reals host_reals_avx512_64 = HOST_REALS;
#endif
