// SPDX-License-Identifier: Apache-2.0
// The loops of host_own.h in double precision without vectors.
#include "host_own.h"

typedef double number;

#include "host_scalar.h"

const struct sparse_code sparse_scalar_64 = {csr, sell, add, turn, dot};
