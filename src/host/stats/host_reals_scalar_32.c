// SPDX-License-Identifier: Apache-2.0
// Floats in plain C.
#define KEY_BITS 32
#include "host_reals_scalar.h"
#include "host_reals_vector.h"

const struct host_reals host_reals_scalar_32 = HOST_REALS;
