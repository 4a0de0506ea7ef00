// SPDX-License-Identifier: Apache-2.0
// Doubles in plain C.
#define KEY_BITS 64
#include "host_reals_scalar.h"
#include "host_reals_vector.h"

const struct host_reals host_reals_scalar_64 = HOST_REALS;
