// SPDX-License-Identifier: Apache-2.0
#include "operations.h"

#include "base/array.h"
#include "base/error.h"

struct operation {
    const char *integers, *floats; // least and greatest of floats: written so that a NaN stays
    bool wraps;
};

static const struct operation operations[] = {
    [KN_REDUCE_SUM] = {"a + b", "a + b", true},
    [KN_REDUCE_PRODUCT] = {"a * b", "a * b", true},
    [KN_REDUCE_MIN] = {"min(a, b)", "a < b || isnan(a) ? a : b", false},
    [KN_REDUCE_MAX] = {"max(a, b)", "a > b || isnan(a) ? a : b", false},
};

// Least and greatest of each type.
static const char *const extremes[][2] = {
    [KN_I8] = {"CHAR_MIN", "CHAR_MAX"},   [KN_U8] = {"0", "UCHAR_MAX"},
    [KN_I16] = {"SHRT_MIN", "SHRT_MAX"},  [KN_U16] = {"0", "USHRT_MAX"},
    [KN_I32] = {"INT_MIN", "INT_MAX"},    [KN_U32] = {"0", "UINT_MAX"},
    [KN_I64] = {"LONG_MIN", "LONG_MAX"},  [KN_U64] = {"0", "ULONG_MAX"},
    [KN_F32] = {"-INFINITY", "INFINITY"}, [KN_F64] = {"-INFINITY", "INFINITY"}};

kn_status ki_operation_find(const char *function, kn_reduce_op op, kn_type type, kn_type to, kn_combine *how,
                            kn_type *as, kn_error *err)
{
    const struct operation *of = operations + op;

    if ((unsigned)op >= KI_COUNT(operations))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no operation %d; see kn_reduce_op", function,
                       (int)op);
    *how = KN_INIT(kn_combine, .combine = type >= KN_F32 ? of->floats : of->integers);
    how->identity = op == KN_REDUCE_SUM       ? "0"
                    : op == KN_REDUCE_PRODUCT ? "1"
                                              : extremes[to][op == KN_REDUCE_MIN];
    *as = of->wraps && to < KN_F32 && to % 2 == 0 ? (kn_type)(to + 1) : to;
    return KN_OK;
}
