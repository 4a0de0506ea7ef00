// SPDX-License-Identifier: Apache-2.0
// Right-hand sides and solutions on a device, in the precision that the task has there: what every method of
// a device begins and ends with.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_DEVICE_VECTORS_H
#define KN_APP_SPARSE_SOLVER_DEVICE_DEVICE_VECTORS_H

#include "app/sparse/solver/solve_internal.h"

struct device_vectors {
    kn_queue *queue;
    size_t rows, columns, at_once; // at_once: so many columns side by side
    size_t size;                   // of a number there
    float *floats;                 // as many as the longer of b and x; NULL in double precision
    kn_buffer *b, *x, *gradient;   // gradient: NULL until it is sent
};

// Columns that the device has room for at once (batch.h), in whole blocks, or 0.
size_t ki_device_most_at_once(const struct solve_run *run);
// Whether conjugate gradients solve for many at once (batch.h): in single precision alone, by their number of
// iterations, and of matrices in one format.
bool ki_device_is_batch(const struct solve_run *run);

// The sizes alone, of `at_once` columns; then the memory.
struct device_vectors ki_device_vectors(const struct solve_run *run, size_t at_once);
kn_status ki_device_vectors_create(struct device_vectors *v, bool is_double, kn_error *err);
void ki_device_vectors_free(struct device_vectors *v);

// `count` numbers to the device, and from there.
kn_status ki_device_send(struct device_vectors *v, const double *from, size_t count, kn_buffer *to,
                         kn_error *err);
kn_status ki_device_fetch(struct device_vectors *v, kn_buffer *from, double *to, size_t count, kn_error *err);
// The gradients of `count` columns to v->gradient, in single precision.
kn_status ki_device_send_gradients(struct device_vectors *v, const double *gradients, size_t count,
                                   kn_error *err);

// to = A from, or A^T from, of the host's numbers, as `apply` has it there; see solve_multiply.
typedef kn_status device_apply(void *own, bool transposed, kn_buffer *from, kn_buffer *to, kn_error *err);
kn_status ki_device_multiply(struct device_vectors *v, device_apply *apply, void *own, bool transposed,
                             const double *from, double *to, kn_error *err);

// Spent on programs until now.
double ki_device_build_seconds(const struct device_vectors *v);

// How blocks of iterations are launched, in words behind "launches": "" for one by one, " in graphs", ...
const char *ki_device_recorded(const kn_recording *recording);

#endif
