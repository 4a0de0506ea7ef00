// SPDX-License-Identifier: Apache-2.0
// Keys of 64 bits sorted with AVX2.
#include "host/host.h"

#ifdef HOST_HAS_VECTORS
#define KEY_BITS 64
#include "host/host_avx2.h"
#include "host_sort_vector.h"

const struct host_quicksort host_quicksort_avx2_64 = HOST_QUICKSORT;
#endif
