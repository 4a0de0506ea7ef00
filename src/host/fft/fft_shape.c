// SPDX-License-Identifier: Apache-2.0
#include "fft_shape.h"

#include <math.h>

#include "base/error.h"

static kn_status check_extent(const char *function, size_t extent, size_t whole, const char *name,
                              unsigned axis, kn_error *err)
{
    if (extent <= whole)
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s[%u] is %zu; it is at most %zu", function, name, axis,
                   extent, whole);
}

// Lengths along an axis, on both sides. A half spectrum has no zeros to leave out.
static kn_status check_axis(const char *function, struct fft_shape *shape, unsigned axis, kn_error *err)
{
    const kn_fft_shape *given = &shape->given;
    size_t n = given->dims[axis], half = n / 2 + 1;
    bool half_in = axis == 0 && given->kind == KN_FFT_COMPLEX_TO_REAL;
    bool half_out = axis == 0 && given->kind == KN_FFT_REAL_TO_COMPLEX;
    size_t in = given->in_dims[axis], out = given->out_dims[axis];
    kn_status status;

    if (n == 0 || n > UINT32_MAX / 4)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: dims[%u] is %zu; it goes from 1 to %u", function, axis, n,
                       UINT32_MAX / 4);
    if ((half_in && in && in != half) || (half_out && out && out != half))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: a half spectrum of %zu is all of its %zu numbers; leave %s[0] 0", function, n,
                       half, half_in ? "in_dims" : "out_dims");
    shape->in[axis] = in ? in : half_in ? half : n;
    shape->out[axis] = out ? out : half_out ? half : n;
    shape->resized = shape->resized || (in && in != n && !half_in) || (out && out != n && !half_out);
    status = check_extent(function, shape->in[axis], n, "in_dims", axis, err);
    return status ? status : check_extent(function, shape->out[axis], n, "out_dims", axis, err);
}

static kn_status count_bytes(const char *function, const size_t dims[3], size_t batch, size_t number,
                             uint64_t *bytes, kn_error *err)
{
    uint64_t total = number;

    for (unsigned i = 0; i < 4; i++)
        if (__builtin_mul_overflow(total, (uint64_t)(i < 3 ? dims[i] : batch), &total))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: more bytes than a number counts", function);
    *bytes = total;
    return KN_OK;
}

kn_status ki_fft_check_shape(const char *function, const kn_fft_shape *given, struct fft_shape *shape,
                             kn_error *err)
{
    size_t real = kn_type_size(given->type);
    kn_status status = KN_OK;

    if (given->type != KN_F32 && given->type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s works on float and double, not on %s", function,
                       kn_type_name(given->type));
    if (given->rank < 1 || given->rank > 3)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: rank %u; it goes from 1 to 3", function, given->rank);
    if ((unsigned)given->kind > KN_FFT_COMPLEX_TO_REAL)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no kind %d; see kn_fft_kind", function,
                       (int)given->kind);
    if (given->input_bits &&
        (given->kind != KN_FFT_REAL_TO_COMPLEX || (given->input_bits != 8 && given->input_bits != 16)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: input_bits %u; it is 8 or 16 with KN_FFT_REAL_TO_COMPLEX, else 0", function,
                       given->input_bits);
    if (!isfinite(given->scale))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: scale %g is not finite", function, given->scale);
    *shape = (struct fft_shape){.given = *given};
    shape->in_number = given->input_bits                       ? given->input_bits / 8
                       : given->kind == KN_FFT_REAL_TO_COMPLEX ? real
                                                               : 2 * real;
    shape->given.batch = given->batch ? given->batch : 1;
    shape->given.scale = given->scale != 0 ? given->scale : 1;
    for (unsigned i = given->rank; i < 3; i++)
        shape->given.dims[i] = 1, shape->given.in_dims[i] = shape->given.out_dims[i] = 0;
    for (unsigned i = 0; i < 3 && !status; i++)
        status = check_axis(function, shape, i, err);
    if (!status)
        status =
            count_bytes(function, shape->in, shape->given.batch, shape->in_number, &shape->in_bytes, err);
    if (!status)
        status = count_bytes(function, shape->out, shape->given.batch,
                             given->kind == KN_FFT_COMPLEX_TO_REAL ? real : 2 * real, &shape->out_bytes, err);
    return status;
}
