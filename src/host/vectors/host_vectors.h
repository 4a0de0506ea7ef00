// SPDX-License-Identifier: Apache-2.0
// Operations on vectors of float or double, by threads and with the processor's vectors. Sums are in double
// and in fixed blocks: the same bits in every run, with any number of threads; levels differ in rounding.
#ifndef KN_HOST_VECTORS_HOST_VECTORS_H
#define KN_HOST_VECTORS_HOST_VECTORS_H

#include <stdlib.h>

#include "host/host.h"

struct host_vectors_code;

// `threads` of the plan may be changed between operations.
struct host_vectors {
    struct host_plan plan;
    const struct host_vectors_code *code;
    double *sums; // a block's
};

// For vectors of up to `longest` numbers of KN_F32 or KN_F64. Errors: those of ki_host_plan, whose `function`
// names the caller; KN_ERROR_MEMORY. On failure `made` is empty.
kn_status ki_host_vectors_create(const char *function, kn_type type, size_t longest,
                                 const kn_host_options *options, struct host_vectors *made, kn_error *err);
void ki_host_vectors_free(struct host_vectors *vectors);

// y += factor x; returns the sum of y^2.
double ki_host_vectors_add(const struct host_vectors *v, void *y, const void *x, double factor, size_t count);
// y = x + factor y.
void ki_host_vectors_turn(const struct host_vectors *v, void *y, const void *x, double factor, size_t count);
// The sum of x y.
double ki_host_vectors_dot(const struct host_vectors *v, const void *x, const void *y, size_t count);

// Numbers of the vectors' type from double, and back; order[i] (NULL: i) is where number i stands among the
// doubles.
void ki_host_vectors_narrow(const struct host_vectors *v, const uint32_t *order, const double *from, void *to,
                            size_t count);
void ki_host_vectors_widen(const struct host_vectors *v, const uint32_t *order, const void *from, double *to,
                           size_t count);

// Numbers from another order into that of these vectors, and back. `order` NULL: copied.
void ki_host_vectors_arrange(const struct host_vectors *v, const uint32_t *order, const void *from, void *to,
                             size_t count);
void ki_host_vectors_restore(const struct host_vectors *v, const uint32_t *order, const void *from, void *to,
                             size_t count);

enum { HOST_VECTORS_LANES = 16 };

// Memory that vectors' loads do not split over two of the cache's lines.
static inline void *host_vectors_memory(size_t bytes)
{
    return aligned_alloc(64, (bytes / 64 + 1) * 64);
}

// Bytes of `count` numbers, up to whole lines of HOST_VECTORS_LANES.
static inline size_t host_vectors_bytes(const struct host_vectors *v, size_t count)
{
    return (count / HOST_VECTORS_LANES + 1) * HOST_VECTORS_LANES * v->plan.size;
}

#endif
