// SPDX-License-Identifier: Apache-2.0
#include "histogram_edges.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/element.h"
#include "base/error.h"

enum { MOST_BINS = 1 << 30 };

static uint64_t bits_of_float(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t bits_of_double(double value)
{
    uint64_t bits;

    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// The element nearest to `edge` that is not below it, or with `down` not above it; false if there is none.
// Zeros are the outermost ones: -0, which equals +0, is below it in the order of stored bits.
static bool nearest_element(double edge, kn_type type, bool down, uint64_t *bits)
{
    unsigned width = ki_element_bits(type);
    bool is_signed = ki_element_kind(type) == 1;
    double least = is_signed ? -ldexp(1, (int)width - 1) : 0, beyond = ldexp(1, (int)width - is_signed);
    double zero = down ? 0.0 : -0.0;
    float single = (float)edge;

    if (type == KN_F64) {
        *bits = bits_of_double(edge == 0 ? zero : edge);
        return true;
    }
    if (type == KN_F32) {
        if (down ? (double)single > edge : (double)single < edge)
            single = nextafterf(single, down ? -INFINITY : INFINITY);
        *bits = bits_of_float(single == 0 ? (float)zero : single);
        return true;
    }
    edge = down ? floor(edge) : ceil(edge);
    if (down ? edge < least : edge >= beyond)
        return false;
    edge = edge < least ? least : edge;
    if (edge >= beyond)
        *bits = UINT64_MAX >> (64 - width + is_signed);
    else
        *bits = is_signed ? (uint64_t)(int64_t)edge : (uint64_t)edge;
    return true;
}

static kn_status check(const char *function, const double *edges, double low, double high, size_t bins,
                       kn_error *err)
{
    if (bins == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there are no bins", function);
    if (bins > MOST_BINS)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %zu bins; there may be %d", function, bins, MOST_BINS);
    if (!edges && !(isfinite(low) && isfinite(high) && low < high && isfinite(high - low)))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: bins from %g to %g; both are finite, so is the distance, and the first is the "
                       "lower one",
                       function, low, high);
    for (size_t i = 0; edges && i <= bins; i++)
        if (isnan(edges[i]) || (i > 0 && edges[i] < edges[i - 1]))
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: edge %zu is %g%s", function, i, edges[i],
                           isnan(edges[i]) ? "" : ", below the one before it");
    return KN_OK;
}

kn_status ki_histogram_edges_make(const char *function, kn_type type, const double *edges, double low,
                                  double high, size_t bins, struct histogram_edges *made, kn_error *err)
{
    size_t size = kn_type_size(type);
    double step = (high - low) / (double)bins;
    uint64_t bits;
    kn_status status = check(function, edges, low, high, bins, err);

    *made = (struct histogram_edges){.kept = made->kept, .bins = bins};
    if (status)
        return status;
    made->edges = ki_kept_take_array(made->kept, bins + 1, sizeof *made->edges);
    made->least = ki_kept_take_array(made->kept, bins, size);
    if (!made->edges || !made->least) {
        ki_histogram_edges_free(made);
        return ki_fail_memory(err, (bins + 1) * (sizeof *made->edges + size), "the edges of a histogram");
    }
    // A step that is not representable is split, as in numpy.linspace.
    for (size_t i = 0; i <= bins; i++)
        made->edges[i] = edges       ? edges[i]
                         : i == bins ? high
                         : step == 0 ? (double)i / (double)bins * (high - low) + low
                                     : (double)i * step + low;
    if (!nearest_element(made->edges[bins], type, true, &made->top))
        return KN_OK;
    for (; made->used < bins && nearest_element(made->edges[made->used], type, false, &bits); made->used++)
        ki_element_store((char *)made->least + made->used * size, bits, type);
    return KN_OK;
}

void ki_histogram_edges_free(struct histogram_edges *made)
{
    ki_kept_give(made->kept, made->edges);
    ki_kept_give(made->kept, made->least);
    made->edges = NULL;
    made->least = NULL;
}
