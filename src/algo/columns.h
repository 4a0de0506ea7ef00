// SPDX-License-Identifier: Apache-2.0
// What the algorithms on columns of float or double share: checks, definitions, one-dimensional launches.
#ifndef KN_ALGO_COLUMNS_H
#define KN_ALGO_COLUMNS_H

#include "engine/defines.h"
#include "engine/engine.h"

// The first n elements of a buffer: refuses NULL, another context, an invalid type, KN_F64 without double
// precision, and n beyond the buffer.
kn_status ki_column_check_any(const char *function, const kn_queue *queue, const kn_buffer *buffer,
                              kn_type type, size_t n, kn_error *err);
// The same; also refuses types other than KN_F32 and KN_F64.
kn_status ki_column_check(const char *function, const kn_queue *queue, const kn_buffer *buffer, kn_type type,
                          size_t n, kn_error *err);

// Whether sums in double are computed with integers, because the device lacks double precision.
bool ki_column_is_soft(const kn_queue *queue);

// ACC_SOFT, and SQUARE_SOFT if the device needs it (cl/lib/accumulator.clh).
void ki_column_define_sums(struct engine_defines *defines, const kn_queue *queue);
// The same, and REAL_BITS.
void ki_column_define_type(struct engine_defines *defines, const kn_queue *queue, kn_type type);

// A scalar as a kernel takes it; an accumulator is a double.
union column_scalar {
    float f32;
    double f64;
};
kn_arg ki_column_real(union column_scalar *scalar, kn_type type, double value);

#endif
