// SPDX-License-Identifier: Apache-2.0
// Linear operators, with which koine/solve.h solves: a matrix, a projector of tomography, an encoding
// operator of MRI, or two functions that the caller supplies.
//
// An operator A takes vectors of `columns` elements to vectors of `rows` elements, and its adjoint takes them
// back: the transpose, or for complex numbers the conjugate transpose. Elements are KN_F32 or KN_F64; a
// complex number is two of them, the real part first. An operator works either in host memory or with buffers
// of one context.
//
//     static kn_status blur(void *data, bool adjoint, const void *from, void *to, kn_error *err);
//     const kn_operator_functions functions = KN_INIT(kn_operator_functions, .rows = n, .columns = n,
//                                                     .type = KN_F64, .apply_host = blur);
//
//     kn_operator_create(NULL, &functions, &a, &err);
#ifndef KOINE_OPERATOR_H
#define KOINE_OPERATOR_H

#include <koine/buffer.h>
#include <koine/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kn_operator kn_operator;

// Computes to = A from, or with `adjoint` to = A^H from; both are in host memory and never the same. A
// function that fails returns the status that the caller will get, and may fill in `err`, which is not NULL.
typedef kn_status kn_operator_host_function(void *data, bool adjoint, const void *from, void *to,
                                            kn_error *err);
// The same with buffers, by commands in `queue`, for which the function need not wait. The buffers may be
// larger than the vectors.
typedef kn_status kn_operator_function(void *data, kn_queue *queue, bool adjoint, const kn_buffer *from,
                                       kn_buffer *to, kn_error *err);

typedef struct kn_operator_functions {
    size_t struct_size;                    // set by KN_INIT
    size_t rows, columns;                  // elements of A x and of x
    kn_type type;                          // KN_F32 or KN_F64
    bool is_complex;                       // an element is two numbers of the type
    kn_operator_host_function *apply_host; // for an operator in host memory
    kn_operator_function *apply;           // for an operator in a context
    void (*release)(void *data);           // called once, when nothing needs `data` any more; NULL: never
    void *data;                            // what all of them are called with
} kn_operator_functions;

// Makes an operator of the caller's functions: with buffers of `context`, which is kept open, or, if that is
// NULL, in host memory. Exactly the one function that it needs must be given. If this call fails, `release`
// is not called. Errors: KN_ERROR_ARGUMENT; KN_ERROR_UNSUPPORTED for other types, and for KN_F64 on a device
// without double precision; KN_ERROR_LIMIT for vectors larger than the address space.
KN_API kn_status kn_operator_create(kn_context *context, const kn_operator_functions *functions,
                                    kn_operator **made, kn_error *err);
// NULL is fine. The operator lives on as long as a plan of koine/solve.h uses it.
KN_API void kn_operator_free(kn_operator *a);

// For NULL these return 0, KN_F32, false and NULL.
KN_API size_t kn_operator_get_rows(const kn_operator *a);
KN_API size_t kn_operator_get_columns(const kn_operator *a);
KN_API kn_type kn_operator_get_type(const kn_operator *a);
KN_API bool kn_operator_get_is_complex(const kn_operator *a);
KN_API kn_context *kn_operator_get_context(const kn_operator *a); // NULL: in host memory

// Computes to = A from, or A^H from, by an operator in host memory; from and to must not overlap. One thread
// at a time. Errors: KN_ERROR_ARGUMENT; those of the function.
KN_API kn_status kn_operator_apply_host(const kn_operator *a, bool adjoint, const void *from, void *to,
                                        kn_error *err);
// The same by an operator in the queue's context. Does not wait, unless the function does. Errors:
// KN_ERROR_ARGUMENT also for buffers that are too small, belong to another context, or are the same buffer.
KN_API kn_status kn_operator_apply(kn_queue *queue, const kn_operator *a, bool adjoint, const kn_buffer *from,
                                   kn_buffer *to, kn_error *err);

// How well A and its adjoint match: |<A x, y> - <x, A^H y>| / (|A x| |y|) for random vectors x and y of
// numbers from -1 to 1, from `seed` (the dot-product test). For a matching pair it is about the type's
// precision, 1e-7 or 1e-16, often times the square root of the length; with a pair that does not match,
// solvers give a wrong answer or do not converge. `queue` is NULL for an operator in host memory. Takes
// memory for two vectors of either length, applies both, and waits. KN_ERROR_ARGUMENT; KN_ERROR_MEMORY; those
// of the functions.
KN_API kn_status kn_operator_check_adjoint(kn_queue *queue, const kn_operator *a, uint64_t seed,
                                           double *difference, kn_error *err);

#ifdef __cplusplus
}
#endif
#endif
