// SPDX-License-Identifier: Apache-2.0
// What a kn_operator (koine/operator.h) is, and what the sciences tell the solvers of theirs beyond it.
#ifndef KN_OPERATOR_OPERATOR_H
#define KN_OPERATOR_OPERATOR_H

#include <stdatomic.h>

#include <koine/operator.h>

struct kn_operator {
    kn_operator_functions functions;
    kn_context *context;   // held; NULL: the host's memory
    atomic_size_t holders; // the caller, and the plans that use it
    // Of a device: whether applying it only enqueues launches, always the same ones, so that they can be
    // recorded (koine/launch.h); and how many of them A and A^H have together, 0 if that is not known.
    bool can_record;
    unsigned launches;
};

// For a plan that uses the operator; the caller may free it meanwhile. Returns it.
kn_operator *ki_operator_hold(kn_operator *a);
void ki_operator_release(kn_operator *a); // NULL is fine

// Numbers of the type in a vector: two for a complex element.
static inline size_t operator_row_numbers(const kn_operator *a)
{
    return a->functions.rows * (a->functions.is_complex ? 2 : 1);
}

static inline size_t operator_column_numbers(const kn_operator *a)
{
    return a->functions.columns * (a->functions.is_complex ? 2 : 1);
}

// Without looking at the buffers. `err` may be NULL.
kn_status ki_operator_apply(const kn_operator *a, kn_queue *queue, bool adjoint, const kn_buffer *from,
                            kn_buffer *to, kn_error *err);

#endif
