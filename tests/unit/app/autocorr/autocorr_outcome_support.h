// SPDX-License-Identifier: Apache-2.0
// For tests of koine/autocorr.h: the plan and the results of a call, and a comparison with the definitions.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_AUTOCORR_OUTCOME_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_AUTOCORR_OUTCOME_SUPPORT_H

#include "autocorr_api_support.h"

#include <inttypes.h>

#include "app/autocorr/radial.h"

static inline kn_autocorr_plan *make_plan(const struct problem *p, kn_queue *on, kn_autocorr_method method,
                                          kn_autocorr_normalization normalization)
{
    const kn_autocorr_shape shape = KN_INIT(kn_autocorr_shape, .width = p->width, .height = p->height,
                                            .type = p->type, .max_offset = p->max_offset);
    const kn_autocorr_options options =
        KN_INIT(kn_autocorr_options, .method = method, .normalization = normalization);
    kn_autocorr_plan *plan = NULL;

    EXPECT_OK(kn_autocorr_plan_create(on, &shape, &options, &plan, &err));
    ck_assert_uint_eq(kn_autocorr_plan_get_max_offset(plan), p->max_offset);
    ck_assert_uint_eq(kn_autocorr_plan_get_rows(plan), p->max_offset + 1);
    ck_assert_uint_eq(kn_autocorr_plan_get_columns(plan), 2 * p->max_offset + 1);
    ck_assert_int_eq(kn_autocorr_plan_get_method(plan), KN_AUTOCORR_AUTO);
    return plan;
}

// Memory for all results, poisoned, with more after it.
struct outcome {
    uint64_t *sums;
    double *values;
    kn_autocorr_ring *rings;
    kn_autocorr_lengths *lengths;
    size_t sum_bytes, value_bytes, ring_bytes, length_bytes;
    kn_autocorr_results results;
};

static inline struct outcome poisoned(const struct problem *p)
{
    struct outcome o = {.sum_bytes = p->count * offsets_of(p) * sizeof(uint64_t),
                        .value_bytes = p->count * offsets_of(p) * sizeof(double),
                        .ring_bytes = p->count * (p->max_offset + 1) * sizeof(kn_autocorr_ring),
                        .length_bytes = p->count * sizeof(kn_autocorr_lengths)};

    o.sums = test_poisoned(o.sum_bytes + API_ROOM);
    o.values = test_poisoned(o.value_bytes + API_ROOM);
    o.rings = test_poisoned(o.ring_bytes + API_ROOM);
    o.lengths = test_poisoned(o.length_bytes + API_ROOM);
    o.results = KN_INIT(kn_autocorr_results, .sums = o.sums, .values = o.values, .rings = o.rings,
                        .lengths = o.lengths);
    return o;
}

static inline void expect_poison(const void *array, size_t from, const char *what)
{
    for (size_t i = from; i < from + API_ROOM; i++)
        ck_assert_msg(((const unsigned char *)array)[i] == 0xff, "something was written behind the %s", what);
}

static inline void free_outcome(struct outcome *o)
{
    expect_poison(o->sums, o->sum_bytes, "sums");
    expect_poison(o->values, o->value_bytes, "values");
    expect_poison(o->rings, o->ring_bytes, "rings");
    expect_poison(o->lengths, o->length_bytes, "lengths");
    free(o->sums);
    free(o->values);
    free(o->rings);
    free(o->lengths);
}

static inline void expect_untouched(struct outcome *o)
{
    o->sum_bytes = o->value_bytes = o->ring_bytes = o->length_bytes = 0;
    free_outcome(o);
}

// Sums with errors of at most `bound`; unless `exact` is NULL, it has the windows of all frames.
static inline void expect_sums(const struct problem *p, const uint64_t *sums, const struct window *windows,
                               double bound, const char *what)
{
    for (size_t i = 0; i < p->count * offsets_of(p); i++) {
        uint64_t wanted = windows[i].c, off = sums[i] > wanted ? sums[i] - wanted : wanted - sums[i];

        ck_assert_msg((double)off <= bound,
                      "%s, %zu x %zu of %zu bytes%s%s, R %zu, frame %zu of %zu, offset %zu: %" PRIu64
                      " instead of %" PRIu64,
                      what, p->width, p->height, kn_type_size(p->type), p->second ? ", cross" : "",
                      p->mask ? ", mask" : "", p->max_offset, i / offsets_of(p), p->count, i % offsets_of(p),
                      sums[i], wanted);
    }
}

static inline void expect_near(double found, double wanted, double error, const char *what, size_t at)
{
    ck_assert_msg(isnan(wanted) ? isnan(found) : fabs(found - wanted) <= error * (1 + fabs(wanted)),
                  "%s %zu: %.17g instead of %.17g", what, at, found, wanted);
}

static inline struct window *windows_of(const struct problem *p)
{
    ptrdiff_t r = (ptrdiff_t)p->max_offset;
    struct window *all = test_allocate(p->count * offsets_of(p) * sizeof *all), *w = all;

    for (size_t i = 0; i < p->count; i++)
        for (ptrdiff_t y0 = 0; y0 <= r; y0++)
            for (ptrdiff_t x0 = -r; x0 <= r; x0++)
                *w++ = window_of(p, i, x0, y0);
    return all;
}

// The jackknife of noise depends on ties, which the last bit of a value decides: r_max_error is compared only
// if the values are exactly equal.
static inline void expect_lengths(const kn_autocorr_lengths *found, const double *values, size_t max_offset,
                                  bool same)
{
    struct autocorr_ring *rings = test_allocate((max_offset + 1) * sizeof *rings);
    kn_autocorr_lengths wanted;

    ki_autocorr_radial(values, max_offset, AUTOCORR_LINEAR, rings);
    ki_autocorr_find_lengths(rings, max_offset, AUTOCORR_PROMINENCE, &wanted);
    expect_near(found->r_max, wanted.r_max, 1e-6, "r_max", 0);
    if (same)
        expect_near(found->r_max_error, wanted.r_max_error, 0, "r_max_error", 0);
    expect_near(found->maximum, wanted.maximum, 1e-8, "maximum", 0);
    expect_near(found->r_min, wanted.r_min, 1e-6, "r_min", 0);
    expect_near(found->minimum, wanted.minimum, 1e-8, "minimum", 0);
    expect_near(found->r_zero, wanted.r_zero, 1e-8, "r_zero", 0);
    free(rings);
}

// Compares values, rings and lengths, those of `o` that the call requested.
static inline void expect_rest(const struct problem *p, const struct outcome *o, const struct window *windows,
                               kn_autocorr_normalization normalization, bool on_host)
{
    size_t offsets = offsets_of(p), rings = p->max_offset + 1;
    double *values = test_allocate(offsets * sizeof *values);

    for (size_t frame = 0; frame < p->count; frame++) {
        const struct window *w = windows + frame * offsets;

        for (size_t i = 0; i < offsets; i++)
            values[i] = value_of(normalization, &w[i], &w[p->max_offset]);
        for (size_t i = 0; i < offsets && o->results.values; i++)
            expect_near(o->values[frame * offsets + i], values[i], 1e-12,
                        kn_autocorr_normalization_name(normalization), i);
        for (size_t k = 0; k < rings && o->results.rings; k++) {
            const kn_autocorr_ring *found = &o->rings[frame * rings + k],
                                   wanted = ring_of(values, (ptrdiff_t)p->max_offset, (ptrdiff_t)k);

            ck_assert_uint_eq(found->count, wanted.count);
            expect_near(found->radius, wanted.radius, 1e-12, "radius", k);
            expect_near(found->value, wanted.value, 1e-11, "ring", k);
            expect_near(found->error * found->error, wanted.error * wanted.error, 1e-11, "squared error", k);
            expect_near(found->weight, wanted.weight, 1e-12, "weight", k);
        }
        if (o->results.lengths)
            expect_lengths(&o->lengths[frame], values, p->max_offset, false);
        if (o->results.lengths && o->results.values && on_host)
            expect_lengths(&o->lengths[frame], o->values + frame * offsets, p->max_offset, true);
    }
    free(values);
}

static inline bool runs(kn_autocorr_method method, bool on_device)
{
    bool host = method == KN_AUTOCORR_NAIVE || method == KN_AUTOCORR_SIMD;

    return method == KN_AUTOCORR_FFT || method == KN_AUTOCORR_AUTO || host != on_device;
}

static inline void expect_method(const kn_autocorr_plan *plan, kn_autocorr_method method)
{
    if (method == KN_AUTOCORR_AUTO) {
        ck_assert_int_ne(kn_autocorr_plan_get_method(plan), KN_AUTOCORR_AUTO);
        ck_assert_msg(strlen(kn_autocorr_plan_get_why(plan)) > 20, "'%s'", kn_autocorr_plan_get_why(plan));
    } else {
        ck_assert_int_eq(kn_autocorr_plan_get_method(plan), method);
        ck_assert_str_eq(kn_autocorr_plan_get_why(plan), "");
    }
    ck_assert(kn_autocorr_plan_get_bound(plan) == 0);
}

#endif
