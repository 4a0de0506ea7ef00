// SPDX-License-Identifier: Apache-2.0
// Keys of 64 bits sorted in plain C.
#define KEY_BITS 64
#include "host/host_scalar.h"
#include "host_sort_vector.h"

const struct host_quicksort host_quicksort_scalar_64 = HOST_QUICKSORT;
