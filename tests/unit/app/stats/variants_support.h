// SPDX-License-Identifier: Apache-2.0
// What the tests of the variants share: the ways to compute a column, and the reference for all of them.
#ifndef KN_TESTS_UNIT_APP_STATS_VARIANTS_SUPPORT_H
#define KN_TESTS_UNIT_APP_STATS_VARIANTS_SUPPORT_H

#include "random_support.h"
#include "support/buffers.h"
#include "support/run.h"
#include "tree.h"

#include <float.h>
#include <math.h>

#include "app/stats/column/column_internal.h"
#include "base/array.h"
#include "base/number.h"

static uint64_t state;
static kn_host_level best;

static inline void set_up(void)
{
    const kn_host_options options = KN_INIT(kn_host_options);
    struct host_plan plan;

    test_open();
    if (test_is_slow()) // smaller blocks to sort
        context->device.info.max_work_group = 32;
    EXPECT_OK(ki_host_plan("test", KN_F64, 0, &options, &plan, &err));
    best = plan.level;
    state = test_seed("stats_variants");
}

// The way in which a column is computed: a variant, and the vector instructions that it may use.
struct config {
    enum stats_variant variant;
    kn_host_level level;
    unsigned threads;
};

static const struct config configs[] = {
    {STATS_SERIAL, KN_HOST_SCALAR, 0},
    {STATS_VECTORIZED, KN_HOST_AVX2, 0},
    {STATS_VECTORIZED, KN_HOST_AVX512, 0},
    {STATS_PARALLEL, KN_HOST_SCALAR, 3},
    {STATS_PARALLEL_VECTORIZED, KN_HOST_AVX2, 5},
    {STATS_PARALLEL_VECTORIZED, KN_HOST_AVX512, 2},
    {STATS_GPU, KN_HOST_AUTO, 0}, // the last
};

static inline bool can_run(const struct config *config, bool single)
{
    return config->variant == STATS_GPU ? single || context->device.info.fp64 : config->level <= best;
}

static inline struct stats_column *open_config(const struct config *config, kn_stats_method method,
                                               bool single, const double *x, size_t n)
{
    const struct stats_options options = {
        .single = single, .mad_scale = 1, .method = method, .threads = config->threads};
    struct stats_column *column = NULL;

    test_prepare_numbers();
    EXPECT_OK(ki_stats_column_open(config->variant, config->variant == STATS_GPU ? queue : NULL, x, n,
                                   &options, &column, &err));
    if (config->variant != STATS_GPU)
        column->plan.level = config->level;
    return column;
}

// ---- what is expected ----

// The reference; with KN_STATS_SORT the sums are those of the sorted column.
static inline kn_stats expected_of(const double *x, size_t n, kn_stats_method method, bool single)
{
    const struct stats_options options = {.single = single, .mad_scale = 1};
    double shift = ki_stats_shift(x, n, single);
    kn_stats expected;

    EXPECT_OK(ki_stats_reference(x, n, &options, &expected, &err));
    if (method != KN_STATS_SORT || n == 0 || ki_stats_holds_nan(x, n))
        return expected;
    double *sorted = malloc(n * sizeof *sorted);
    ck_assert_ptr_nonnull(sorted);
    for (size_t i = 0; i < n; i++)
        sorted[i] = single ? ki_as_float(x[i]) : x[i];
    qsort(sorted, n, sizeof *sorted, test_by_value);
    ki_stats_moments(tree_of(sorted, n, shift), shift, n, &expected);
    free(sorted);
    return expected;
}

static inline void expect_value(double found, double expected, const char *what, const char *where)
{
    ck_assert_msg(test_same(found, expected), "%s: %s %.17g, expected %.17g", where, what, found, expected);
}

static inline void expect_medians(const kn_stats *found, const kn_stats *expected, const char *where)
{
    ck_assert_msg(found->n == expected->n, "%s: n %zu, expected %zu", where, found->n, expected->n);
    expect_value(found->median, expected->median, "median", where);
    expect_value(found->mad, expected->mad, "MAD", where);
}

static inline void expect_all(const kn_stats *found, const kn_stats *expected, const char *where)
{
    expect_medians(found, expected, where);
    expect_value(found->mean, expected->mean, "mean", where);
    expect_value(found->std, expected->std, "std", where);
    expect_value(found->cv, expected->cv, "CV", where);
}

// ---- what ran ----

static inline void expect_ran(const struct stats_column *column, const struct config *config,
                              kn_stats_method method, size_t n)
{
    const struct stats_ran *ran = &column->ran;
    unsigned most = config->threads ? config->threads : 1;

    ck_assert_int_eq(ki_stats_column_method(column), method);
    if (method == KN_STATS_FUSED)
        ck_assert_int_eq(ran->robust, ki_stats_column_in_bytes(column) ? KN_ROBUST_COUNTED
                                      : ran->missed                    ? KN_ROBUST_SELECT
                                                                       : KN_ROBUST_FUSED);
    if (method == KN_STATS_SELECT && config->variant == STATS_GPU)
        ck_assert_int_eq(ran->robust, KN_ROBUST_SELECT);
    if (config->variant == STATS_GPU)
        return;
    ck_assert_int_eq(ran->level, config->level);
    ck_assert_uint_le(ran->threads, most);
    if (method == KN_STATS_SORT) {
        ck_assert_int_eq(ran->merges.level, config->level);
        ck_assert(n < 300000 || ran->merges.threads == most);
        ck_assert((ran->merges.cut > 0) == (n >= 300000 && most > 1) || n < 300000);
    }
    ck_assert_int_eq(ran->own_select, method == KN_STATS_SELECT && config->variant == STATS_SERIAL);
}

// ---- columns ----

static inline void expect_config(const struct config *config, kn_stats_method method, bool single,
                                 const double *x, size_t n, const kn_stats *expected)
{
    char where[128];
    kn_stats found;
    struct stats_column *column = open_config(config, method, single, x, n);

    snprintf(where, sizeof where, "%s, level %d, %s, %s, %zu elements",
             ki_stats_variant_names[config->variant], (int)config->level, ki_stats_method_names[method],
             single ? "float" : "double", n);
    for (int repetition = 0; repetition < 2; repetition++) {
        EXPECT_OK(ki_stats_column_compute(column, n, &found, &err));
        expect_all(&found, expected, where);
        if (n > 0 && column->numbers == n)
            expect_ran(column, config, method, n);
    }
    ki_stats_column_close(column);
}

// Sums computed in integers, as on a device without double precision.
static inline void expect_soft(const struct config *config, kn_stats_method method, const double *x, size_t n,
                               const kn_stats *expected)
{
    const int fp64 = context->device.info.fp64;

    context->device.info.fp64 = 0;
    expect_config(config, method, true, x, n, expected);
    context->device.info.fp64 = fp64;
}

static const kn_stats_method methods[] = {KN_STATS_SORT, KN_STATS_SELECT, KN_STATS_FUSED};

static inline void expect_column(const double *x, size_t n)
{
    for (size_t m = 0; m < KI_COUNT(methods); m++)
        for (int single = 0; single < 2; single++) {
            kn_stats expected = expected_of(x, n, methods[m], single);
            for (size_t w = 0; w < KI_COUNT(configs); w++)
                if (can_run(&configs[w], single))
                    expect_config(&configs[w], methods[m], single, x, n, &expected);
            if (single && context->device.info.fp64 && can_run(&configs[KI_COUNT(configs) - 1], true))
                expect_soft(&configs[KI_COUNT(configs) - 1], methods[m], x, n, &expected);
        }
}

#endif
