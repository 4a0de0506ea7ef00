// SPDX-License-Identifier: Apache-2.0
// Sums on the host in the fixed tree of cl/algo/reduce.cl: leaves of 4,096 elements in 64 lanes, lanes folded
// by halves, leaves in neighbouring pairs; missing elements are +0. Only additions, a subtraction and
// explicit fma are used, so the bits are the same everywhere.
#include "host_sums.h"

#include <math.h>

#include "base/error.h"

// `count` elements of a leaf in plain C.
static inline __attribute__((always_inline)) void add_each(const struct host_column *c, const void *x,
                                                           size_t count, double *sums, double *squares)
{
    for (size_t i = 0; i < count; i++) {
        size_t lane = i % TREE_LANES;
        double d = (c->single ? (double)((const float *)x)[i] : ((const double *)x)[i]) - c->shift;
        sums[lane] += d;
        if (c->wants_squares)
            squares[lane] = fma(d, d, squares[lane]);
    }
}

#ifdef KI_HAS_VECTORS
// The same, compiled so that fma is an instruction and not a call.
KI_TARGET("fma")
static void add_elements_fma(const struct host_column *c, const void *x, size_t count, double *sums,
                             double *squares)
{
    add_each(c, x, count, sums, squares);
}
#endif

static void add_elements(const struct host_column *c, const void *x, size_t count, double *sums,
                         double *squares)
{
#ifdef KI_HAS_VECTORS
    if (__builtin_cpu_supports("fma")) {
        add_elements_fma(c, x, count, sums, squares);
        return;
    }
#endif
    add_each(c, x, count, sums, squares);
}

// Adds up the `count` elements from x on.
static kn_sums sum_elements(const struct host_column *c, const void *x, size_t count)
{
    const size_t rows = c->leaf ? count - count % TREE_LANES : 0; // elements in whole rows, for vectors
    const size_t size = c->single ? sizeof(float) : sizeof(double);
    double sums[TREE_LANES] = {0}, squares[TREE_LANES] = {0};

    if (rows > 0)
        c->leaf(x, rows, c->single, c->shift, c->wants_squares, sums, squares);
    if (rows < count)
        add_elements(c, (const char *)x + rows * size, count - rows, sums, squares);
    for (size_t distance = TREE_LANES / 2; distance > 0; distance /= 2)
        for (size_t lane = 0; lane < distance; lane++) {
            sums[lane] += sums[lane + distance];
            squares[lane] += squares[lane + distance];
        }
    return (kn_sums){sums[0], squares[0]};
}

size_t ki_host_leaf_count(size_t n)
{
    return n / TREE_LEAF + (n % TREE_LEAF != 0);
}

static size_t leaf_size(const struct host_column *c, size_t i)
{
    return c->n - i * TREE_LEAF < TREE_LEAF ? c->n - i * TREE_LEAF : TREE_LEAF;
}

static const void *leaf_start(const struct host_column *c, size_t i)
{
    return (const char *)c->x + i * TREE_LEAF * (c->single ? sizeof(float) : sizeof(double));
}

kn_sums ki_host_sum_leaf(const struct host_column *c, size_t i)
{
    return sum_elements(c, leaf_start(c, i), leaf_size(c, i));
}

kn_sums ki_host_sum_numbers(const struct host_column *c, size_t i)
{
    union {
        float singles[TREE_LEAF];
        double doubles[TREE_LEAF];
    } numbers;
    size_t count = leaf_size(c, i);
    const void *x = leaf_start(c, i);

    for (size_t k = 0; k < count; k++)
        if (c->single)
            numbers.singles[k] = isnan(((const float *)x)[k]) ? (float)c->shift : ((const float *)x)[k];
        else
            numbers.doubles[k] = isnan(((const double *)x)[k]) ? c->shift : ((const double *)x)[k];
    return sum_elements(c, &numbers, count);
}

kn_sums ki_host_fold_leaves(kn_sums *leaves, size_t count)
{
    if (count == 0)
        return (kn_sums){0, 0};
    while (count > 1) {
        for (size_t i = 0; i < count / 2; i++) {
            leaves[i].sum = leaves[2 * i].sum + leaves[2 * i + 1].sum;
            leaves[i].squares = leaves[2 * i].squares + leaves[2 * i + 1].squares;
        }
        // Without a partner: adding +0 would change nothing, because no sum is -0.
        if (count % 2)
            leaves[count / 2] = leaves[count - 1];
        count = count / 2 + count % 2;
    }
    return leaves[0];
}

host_leaf *ki_host_leaf_for(kn_host_level level)
{
    static host_leaf *const leaves[] = {[KN_HOST_SCALAR] = NULL, HOST_SET_VECTORS(host_leaf)};

    return leaves[level];
}

struct summing {
    const struct host_column *column;
    kn_sums *leaves;
};

static void sum_share(void *context, size_t first, size_t end)
{
    const struct summing *s = context;

    for (size_t i = first; i < end; i++)
        s->leaves[i] = ki_host_sum_leaf(s->column, i);
}

kn_status ki_host_sum_column(const struct host_column *c, const struct host_plan *plan, kn_sums *sums,
                             kn_error *err)
{
    size_t count = ki_host_leaf_count(c->n);
    kn_sums *leaves = ki_kept_take_array(plan->kept, count, sizeof *leaves);

    if (!leaves)
        return ki_fail_memory(err, count * sizeof *leaves, "the sums of a column");
    ki_host_share_out(ki_host_threads(plan, c->n * plan->size), count, sum_share,
                      &(struct summing){c, leaves});
    *sums = ki_host_fold_leaves(leaves, count);
    ki_kept_give(plan->kept, leaves);
    return KN_OK;
}

static kn_status sums_of(const char *function, const void *x, kn_type type, size_t n, double shift,
                         bool wants_squares, kn_sums *sums, const kn_host_options *options, kn_error *err)
{
    struct host_plan plan;
    kn_status status = ki_host_plan(function, type, n, options, &plan, err);
    struct host_column column = {
        x, n, type == KN_F32, wants_squares, type == KN_F32 ? (double)(float)shift : shift, NULL};

    if (status)
        return status;
    if (type != KN_F32 && type != KN_F64)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: works on float and double, not on %s", function,
                       kn_type_name(type));
    if (!sums || (!x && n > 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: x or the result is NULL", function);
    if (!isfinite(column.shift))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: a shift of %g is not finite in %s", function, shift,
                       kn_type_name(type));
    *sums = (kn_sums){0, 0};
    column.leaf = ki_host_leaf_for(plan.level);
    return n == 0 ? KN_OK : ki_host_sum_column(&column, &plan, sums, err);
}

kn_status kn_host_sum(const void *x, kn_type type, size_t n, double *sum, const kn_host_options *options,
                      kn_error *err)
{
    kn_sums sums = {0, 0};
    kn_status status = sums_of("kn_host_sum", x, type, n, 0, false, sum ? &sums : NULL, options, err);

    if (!status)
        *sum = sums.sum;
    return status;
}

kn_status kn_host_sums(const void *x, kn_type type, size_t n, double shift, kn_sums *sums,
                       const kn_host_options *options, kn_error *err)
{
    return sums_of("kn_host_sums", x, type, n, shift, true, sums, options, err);
}
