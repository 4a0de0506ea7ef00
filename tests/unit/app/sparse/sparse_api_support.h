// SPDX-License-Identifier: Apache-2.0
// For tests of operators of koine/sparse.h and koine/tomography.h: applying them to arrays, with poisoned
// memory for the results, and comparing with a dense product.
#ifndef KN_TESTS_UNIT_APP_SPARSE_SPARSE_API_SUPPORT_H
#define KN_TESTS_UNIT_APP_SPARSE_SPARSE_API_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

#include <koine/tomography.h>

enum { API_ROOM = 64 };

// Numbers representable as floats.
static inline double *random_numbers(size_t count, uint64_t *state)
{
    double *x = test_allocate(count * sizeof *x);

    for (size_t i = 0; i < count; i++)
        x[i] = (double)(float)(2 * test_uniform(state) - 1);
    return x;
}

static inline void expect_room(const void *memory, size_t from, size_t to)
{
    for (size_t i = from; i < to; i++)
        ck_assert_msg(((const unsigned char *)memory)[i] == 0xff, "something was written behind the product");
}

// y = A x, or A^T x; the caller frees it.
static inline double *applied(const kn_operator *a, kn_queue *on, bool adjoint, const double *x)
{
    kn_type type = kn_operator_get_type(a);
    size_t rows = adjoint ? kn_operator_get_columns(a) : kn_operator_get_rows(a);
    size_t columns = adjoint ? kn_operator_get_rows(a) : kn_operator_get_columns(a);
    size_t bytes = rows * kn_type_size(type);
    float *singles = test_allocate(columns * sizeof *singles);
    const void *from = type == KN_F32 ? (const void *)singles : x;
    void *to = test_poisoned(bytes + API_ROOM);
    double *y = test_poisoned(rows * sizeof *y);

    for (size_t i = 0; i < columns; i++)
        singles[i] = (float)x[i];
    if (on) {
        kn_buffer *in = test_upload_with_room(from, columns * sizeof *singles, 0),
                  *out = test_upload_with_room(to, bytes, API_ROOM);

        EXPECT_OK(kn_operator_apply(on, a, adjoint, in, out, &err));
        EXPECT_OK(kn_buffer_read(on, out, 0, to, bytes, &err));
        test_expect_poison(out, bytes);
        kn_buffer_free(in);
        kn_buffer_free(out);
    } else {
        EXPECT_OK(kn_operator_apply_host(a, adjoint, from, to, &err));
        expect_room(to, bytes, bytes + API_ROOM);
    }
    for (size_t i = 0; i < rows; i++)
        y[i] = type == KN_F32 ? (double)((float *)to)[i] : ((double *)to)[i];
    free(singles);
    free(to);
    return y;
}

// Both products beside those of a dense matrix, rows x columns. A kept number is off by `weight_error`
// roundings' worth beside its own rounding; a sum of n terms by n + 3 roundings of the terms' moduli.
static inline void expect_dense(const kn_operator *a, kn_queue *on, const double *dense, double weight_error,
                                const char *what, uint64_t *state)
{
    size_t rows = kn_operator_get_rows(a), columns = kn_operator_get_columns(a);
    double unit = kn_operator_get_type(a) == KN_F32 ? 0x1p-24 : 0x1p-53;

    for (unsigned adjoint = 0; adjoint < 2; adjoint++) {
        size_t to = adjoint ? columns : rows, from = adjoint ? rows : columns;
        double *x = random_numbers(from, state), *y = applied(a, on, adjoint, x),
               *again = applied(a, on, adjoint, x);

        for (size_t i = 0; i < to; i++) {
            long double sum = 0;
            double size = 0, terms = 0;

            for (size_t k = 0; k < from; k++) {
                double value = adjoint ? dense[k * columns + i] : dense[i * columns + k];

                sum += (long double)value * (long double)x[k];
                size += fabs(value * x[k]);
                terms += value != 0;
            }
            ck_assert_msg(fabs(y[i] - (double)sum) <=
                              unit * ((terms + 3) * size + terms * weight_error) * (1 + 1e-3) +
                                  terms * (double)FLT_MIN * (unit > 1e-10),
                          "%s, %s%s, %zu x %zu: element %zu of %g terms is %.17g, not %.17g", what,
                          kn_sparse_format_name(kn_sparse_operator_get_format(a, adjoint)),
                          adjoint ? ", adjoint" : "", rows, columns, i, terms, y[i], (double)sum);
        }
        if (kn_sparse_operator_get_format(a, adjoint) != KN_SPARSE_BACKPROJECTION)
            ck_assert_msg(memcmp(y, again, to * sizeof *y) == 0, "%s: other bits again", what);
        free(x);
        free(y);
        free(again);
    }
}

// kn_operator_check_adjoint's vectors are x and y of numbers that the seed makes in this order, and what it
// finds is a part of |A x| |y|: the sums of both products round as expect_dense says.
static inline void expect_adjoint(const kn_operator *a, kn_queue *on, const double *dense,
                                  double weight_error, uint64_t *state)
{
    size_t rows = kn_operator_get_rows(a), columns = kn_operator_get_columns(a);
    uint64_t seed = test_random(state), same = seed;
    double *x = test_allocate(columns * sizeof *x), *y = test_allocate(rows * sizeof *y);
    double unit = kn_operator_get_type(a) == KN_F32 ? 0x1p-24 : 0x1p-53, difference = NAN, off = 0;
    double forward = 0, length = 0;

    for (size_t i = 0; i < columns; i++)
        x[i] = 2 * test_uniform(&same) - 1;
    for (size_t i = 0; i < rows; i++)
        y[i] = 2 * test_uniform(&same) - 1;
    for (size_t i = 0; i < rows; i++) {
        double sum = 0;

        for (size_t k = 0; k < columns; k++) {
            double value = dense[i * columns + k];

            sum += value * x[k];
            if (value != 0)
                off += ((double)(rows + columns + 6) * fabs(value) + 2 * weight_error) * fabs(x[k] * y[i]);
        }
        forward += sum * sum;
        length += y[i] * y[i];
    }
    EXPECT_OK(kn_operator_check_adjoint(on, a, seed, &difference, &err));
    off *= unit / (forward > 0 ? sqrt(forward * length) : 1);
    ck_assert_msg(difference <= 1.01 * off, "%s, %zu x %zu: the adjoint is off by %g, at most %g expected",
                  kn_sparse_format_name(kn_sparse_operator_get_format(a, false)), rows, columns, difference,
                  off);
    free(x);
    free(y);
}

// The estimate must equal the memory in use; for AUTO on a device it is an upper bound.
static inline void expect_memory(const kn_operator *a, kn_sparse_memory estimated, bool is_auto)
{
    const kn_sparse_memory held = kn_sparse_operator_get_memory(a);
    const char *name = kn_sparse_format_name(kn_sparse_operator_get_format(a, false));

    ck_assert_msg(estimated.device == held.device || (is_auto && estimated.device > held.device),
                  "%s%s: %zu bytes of the device, not %zu", name, is_auto ? ", auto" : "", held.device,
                  estimated.device);
    ck_assert_msg(estimated.host >= held.host && estimated.host <= held.host + 256,
                  "%s: %zu bytes of the host, not %zu", name, held.host, estimated.host);
}

static inline bool is_on_the_fly(kn_sparse_format format)
{
    return format == KN_SPARSE_ON_THE_FLY || format == KN_SPARSE_ON_THE_FLY_LOCAL;
}

// Entries in any order, some at the same place, and the dense matrix that they form. Every third row and
// every fourth column may be empty.
struct entries {
    size_t rows, columns, count;
    uint32_t *i, *j;
    double *values, *dense;
};

static inline struct entries random_entries(size_t rows, size_t columns, size_t count, bool with_empty,
                                            uint64_t *state)
{
    struct entries e = {rows, columns, 0, NULL, NULL, random_numbers(count, state), NULL};

    e.i = test_allocate(count * sizeof *e.i);
    e.j = test_allocate(count * sizeof *e.j);
    e.dense = test_zeros(rows * columns, sizeof *e.dense);
    for (size_t k = 0; k < count; k++) {
        uint32_t i = (uint32_t)(test_random(state) % rows), j = (uint32_t)(test_random(state) % columns);

        if (with_empty && (i % 3 == 1 || j % 4 == 2))
            continue;
        e.i[e.count] = i;
        e.j[e.count] = j;
        e.dense[i * columns + j] += e.values[e.count++];
    }
    return e;
}

static inline void free_entries(struct entries *e)
{
    free(e->i);
    free(e->j);
    free(e->values);
    free(e->dense);
}

static inline kn_sparse *matrix_of(const struct entries *e)
{
    kn_sparse *matrix = NULL;

    EXPECT_OK(kn_sparse_create_coo(e->rows, e->columns, e->count, e->i, e->j, e->values, &matrix, &err));
    ck_assert_uint_eq(kn_sparse_get_rows(matrix), e->rows);
    ck_assert_uint_eq(kn_sparse_get_columns(matrix), e->columns);
    return matrix;
}

#endif
