// SPDX-License-Identifier: Apache-2.0
// Right-hand sides and solutions on a device, in the precision that the task has there; shared by all methods
// on devices.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_DEVICE_VECTORS_H
#define KN_APP_SPARSE_SOLVER_DEVICE_DEVICE_VECTORS_H

#include "app/sparse/solver/solve_internal.h"

struct device_vectors {
    kn_queue *queue;
    size_t rows, columns, at_once; // at_once: columns side by side
    size_t size;                   // size in bytes of a number on the device
    float *floats;               // for conversion, as many as the longer of b and x; NULL in double precision
    kn_buffer *b, *x, *gradient; // gradient: NULL until one is sent
};

// The columns for which the device has memory at the same time (batch.h), in whole blocks; may be 0.
size_t ki_device_most_at_once(const struct solve_run *run);
// Whether conjugate gradients solve many systems at once (batch.h): only in single precision, with a fixed
// number of iterations, for matrices in one format.
bool ki_device_is_batch(const struct solve_run *run);

// Only sets the sizes for `at_once` columns; the next function allocates the memory.
struct device_vectors ki_device_vectors(const struct solve_run *run, size_t at_once);
kn_status ki_device_vectors_create(struct device_vectors *v, bool is_double, kn_error *err);
void ki_device_vectors_free(struct device_vectors *v);

// Copies `count` numbers to the device, and from it.
kn_status ki_device_send(struct device_vectors *v, const double *from, size_t count, kn_buffer *to,
                         kn_error *err);
kn_status ki_device_fetch(struct device_vectors *v, kn_buffer *from, double *to, size_t count, kn_error *err);
// Copies the gradients of `count` columns to v->gradient, in single precision.
kn_status ki_device_send_gradients(struct device_vectors *v, const double *gradients, size_t count,
                                   kn_error *err);

// to = A from, or A^T from, with arrays on the host; `apply` does it on the device. See solve_multiply.
typedef kn_status device_apply(void *own, bool transposed, kn_buffer *from, kn_buffer *to, kn_error *err);
kn_status ki_device_multiply(struct device_vectors *v, device_apply *apply, void *own, bool transposed,
                             const double *from, double *to, kn_error *err);

// The seconds spent on building programs so far.
double ki_device_build_seconds(const struct device_vectors *v);

// How blocks of iterations are launched, as a text that follows "launches": "" for one by one, " in graphs",
// ...
const char *ki_device_recorded(const kn_recording *recording);

#endif
