// SPDX-License-Identifier: Apache-2.0
// Keys of 32 bits sorted in plain C.
#define KEY_BITS 32
#include "host/host_scalar.h"
#include "host_sort_vector.h"

const struct host_quicksort host_quicksort_scalar_32 = HOST_QUICKSORT;
