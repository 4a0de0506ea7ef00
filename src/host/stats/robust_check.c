// SPDX-License-Identifier: Apache-2.0
// What kn_robust_... and kn_host_robust... refuse alike.
#include "robust_finish.h"

#include <math.h>
#include <stdbool.h>

#include "base/error.h"

double ki_robust_width(const kn_robust_options *options)
{
    return options->tuning ? options->tuning->width : 0;
}

kn_status ki_robust_check_options(const char *function, kn_type type, const kn_robust_options *options,
                                  kn_error *err)
{
    bool floats = type == KN_F32 || type == KN_F64;
    double shift = options->shift ? *options->shift : 0, width = ki_robust_width(options);
    double limits[2] = {type == KN_I8 ? INT8_MIN : 0, type == KN_I8 ? INT8_MAX : UINT8_MAX};

    if (!floats && type != KN_I8 && type != KN_U8)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: works on float, double and 8 bits, not on %s",
                       function, kn_type_name(type));
    if ((unsigned)options->method > KN_ROBUST_COUNTED)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no method %d; see kn_robust_method", function,
                       (int)options->method);
    if (options->method != KN_ROBUST_AUTO && (options->method == KN_ROBUST_COUNTED) == floats)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: columns of %s are %s; KN_ROBUST_AUTO chooses",
                       function, kn_type_name(type),
                       floats ? "not counted in 256 bins" : "counted in 256 bins, and nothing else");
    if (!(width >= 0) || isinf(width))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: brackets of a width of %g; 0 chooses", function, width);
    if (floats && !isfinite(type == KN_F32 ? (double)(float)shift : shift))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: a shift of %g is not finite in %s", function, shift,
                       kn_type_name(type));
    if (!floats && !(rint(shift) >= limits[0] && rint(shift) <= limits[1]))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: a shift of %g is no %s; they go from %g to %g", function,
                       shift, kn_type_name(type), limits[0], limits[1]);
    return KN_OK;
}

kn_status ki_robust_check_ends(const char *function, const size_t *ends, size_t count, kn_error *err)
{
    if (count > 0 && !ends)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: ends is NULL", function);
    for (size_t i = 1; i < count; i++)
        if (ends[i] < ends[i - 1])
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "%s: prefix %zu has %zu elements and the one before it %zu; they grow", function,
                           i, ends[i], ends[i - 1]);
    return KN_OK;
}
