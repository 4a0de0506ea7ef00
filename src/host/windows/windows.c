// SPDX-License-Identifier: Apache-2.0
#include "windows.h"

#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"

static const double mad_divisors[] = {
    [KN_STATS_MAD_RAW] = 1,
    [KN_STATS_MAD_NORMAL] = 0.6744897501960817,
};

double ki_window_mad_divisor(kn_stats_mad_scale scale)
{
    return mad_divisors[scale];
}

size_t kn_window_count(size_t n, size_t width, size_t step, bool partial)
{
    size_t full;

    if (width == 0 || step == 0)
        return 0;
    full = n < width ? 0 : (n - width) / step + 1;
    if (partial && full == 0)
        return n > 0;
    // Elements after the last full window that the next one would contain.
    return full + (partial && n - (full - 1) * step > (width > step ? width : step));
}

static kn_status check_type(const char *function, kn_type type, kn_error *err)
{
    if (type == KN_F32 || type == KN_F64)
        return KN_OK;
    return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: works on float and double, not on %s", function,
                   kn_type_name(type));
}

static kn_status check_scale(const char *function, kn_stats_mad_scale scale, kn_error *err)
{
    if ((size_t)scale < KI_COUNT(mad_divisors))
        return KN_OK;
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no MAD scale %d; see kn_stats_mad_scale", function,
                   (int)scale);
}

static kn_status check_quantiles(const char *function, const kn_window_options *options,
                                 const double *quantiles, kn_error *err)
{
    if (options->quantile_count > 0 && (!options->quantiles || !quantiles))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu quantiles are asked for, and quantiles is NULL",
                       function, options->quantile_count);
    for (size_t k = 0; k < options->quantile_count; k++)
        if (!(options->quantiles[k] >= 0 && options->quantiles[k] <= 1))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: a quantile of %g; they go from 0 to 1", function,
                           options->quantiles[k]);
    return KN_OK;
}

kn_status ki_window_check(const char *function, kn_type type, const struct window_grid *grid,
                          const kn_window_options *given, const kn_stats *results, const double *quantiles,
                          kn_window_options *options, kn_error *err)
{
    kn_status status = KI_SIZED_READ(function, kn_window_options, given, options, err);

    if (!status)
        status = check_type(function, type, err);
    if (!status && (grid->width == 0 || grid->step == 0))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s: windows of %zu elements every %zu; both are 1 at least",
                         function, grid->width, grid->step);
    if (!status && grid->n > 0 && !results)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "%s: results is NULL", function);
    if (!status)
        status = check_scale(function, options->mad_scale, err);
    return status ? status : check_quantiles(function, options, quantiles, err);
}

kn_status ki_window_check_rolling(const char *function, kn_type type, size_t n, size_t width,
                                  const kn_rolling_options *given, struct window_rolling *rolling,
                                  kn_error *err)
{
    const size_t most = (size_t)1 << 30;
    size_t after;
    kn_status status = KI_SIZED_READ(function, kn_rolling_options, given, &rolling->options, err);

    if (!status)
        status = check_type(function, type, err);
    if (!status)
        status = check_scale(function, rolling->options.mad_scale, err);
    if (status)
        return status;
    if (width == 0 || width >= most)
        return ki_fail(err, width ? KN_ERROR_LIMIT : KN_ERROR_ARGUMENT,
                       "%s: windows of %zu elements; they have from 1 to %zu", function, width, most - 1);
    if ((unsigned)rolling->options.position > KN_WINDOW_TRAILING ||
        (unsigned)rolling->options.edges > KN_WINDOW_OMIT)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: position %d, edges %d; see kn_window_position and "
                       "kn_window_edges",
                       function, (int)rolling->options.position, (int)rolling->options.edges);
    rolling->n = n;
    rolling->before = rolling->options.position == KN_WINDOW_TRAILING ? width - 1 : width / 2;
    after = width - rolling->before < n ? width - rolling->before : n; // i itself and the elements after it
    rolling->before = rolling->before < n ? rolling->before : n;
    rolling->width = rolling->before + after; // of a window that reaches beyond both ends still more than n
    return KN_OK;
}
