// SPDX-License-Identifier: Apache-2.0
// The loops of host_vectors.c, of every level.
#ifndef KN_HOST_VECTORS_HOST_VECTORS_INTERNAL_H
#define KN_HOST_VECTORS_HOST_VECTORS_INTERNAL_H

#include "host/simd/levels.h"
#include "host_vectors.h"

struct host_vectors_code {
    double (*add)(void *y, const void *x, double factor, size_t count);
    void (*turn)(void *y, const void *x, double factor, size_t count);
    double (*dot)(const void *x, const void *y, size_t count);
};

HOST_DECLARE_LEVELS(const struct host_vectors_code, host_vectors_code);

#endif
