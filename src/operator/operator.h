// SPDX-License-Identifier: Apache-2.0
// The fields of a kn_operator (koine/operator.h), and what the sciences tell the solvers about theirs in
// addition.
#ifndef KN_OPERATOR_OPERATOR_H
#define KN_OPERATOR_OPERATOR_H

#include <stdatomic.h>

#include <koine/operator.h>

struct kn_operator {
    kn_operator_functions functions;
    kn_context *context;   // held; NULL: the host's memory
    atomic_size_t holders; // the caller, and the plans that use the operator
    // For an operator on a device: whether applying it only enqueues launches, always the same ones, so that
    // they can be recorded (koine/launch.h); and the number of launches of A and A^H together, 0 if that is
    // not known.
    bool can_record;
    unsigned launches;
};

// Holds the operator for a plan that uses it, so that the caller may free it. Returns the operator.
kn_operator *ki_operator_hold(kn_operator *a);
void ki_operator_release(kn_operator *a); // NULL is fine

// The length of a vector in numbers of the type: two per complex element.
static inline size_t operator_row_numbers(const kn_operator *a)
{
    return a->functions.rows * (a->functions.is_complex ? 2 : 1);
}

static inline size_t operator_column_numbers(const kn_operator *a)
{
    return a->functions.columns * (a->functions.is_complex ? 2 : 1);
}

// Applies the operator without checking the buffers. `err` may be NULL.
kn_status ki_operator_apply(const kn_operator *a, kn_queue *queue, bool adjoint, const kn_buffer *from,
                            kn_buffer *to, kn_error *err);

#endif
