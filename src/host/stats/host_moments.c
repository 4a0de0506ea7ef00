// SPDX-License-Identifier: Apache-2.0
// Moments on the host, with the bits of cl/algo/moments.cl, and reductions of integers.
#include "host_moments.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/element.h"
#include "base/error.h"
#include "shared/columns.h"
#include "host/sort/host_sort.h"
#include "host_digits.h"
#include "host_reals.h"
#include "host_sums.h"

// ---- the shift ----

// The position of one of up to SHIFT_SAMPLES elements, each taken at random from its own stratum:
// sample_position in cl/lib/shift.clh.
static size_t sample_position(uint64_t sample, uint64_t n)
{
    uint32_t hash = (uint32_t)(sample + 1) * 0x9e3779b9u;
    uint64_t begin =
        n < SHIFT_SAMPLES ? sample : n / SHIFT_SAMPLES * sample + n % SHIFT_SAMPLES * sample / SHIFT_SAMPLES;
    uint64_t length = n < SHIFT_SAMPLES ? 1 : n / SHIFT_SAMPLES;

    return (size_t)(begin + (length >> 32 ? hash : (length * hash) >> 32));
}

// The stored bits of the median of the samples, for floats without NaN and infinities; 0 if there are none.
static int64_t typical_element(const void *x, kn_type type, size_t n, kn_host_level level)
{
    const struct host_codec codec = ki_host_codec(type, false), as_is = {0, 0, 0, 0};
    const struct host_plan plan = {.level = level, .size = sizeof(int64_t)};
    const size_t size = kn_type_size(type);
    size_t first = 0, end = n < SHIFT_SAMPLES ? n : SHIFT_SAMPLES;
    int64_t sorted[SHIFT_SAMPLES];

    for (size_t i = 0; i < end; i++)
        sorted[i] = host_encode(host_stored(x, sample_position(i, n), size), size, &codec);
    ki_host_quicksort_for(&plan)->sort(sorted, end, INT64_MIN, INT64_MAX, &as_is);
    if (type == KN_F32 || type == KN_F64) {
        const int64_t least = host_least(size), most = host_encode(~least - codec.bias, size, &codec);
        while (first < end && sorted[first] == least) // the keys of the infinities
            first++;
        while (first < end && sorted[end - 1] >= most)
            end--;
    }
    return first < end ? host_decode(sorted[first + (end - first - 1) / 2], size, &codec) : 0;
}

double ki_host_moments_shift(const void *x, kn_type type, size_t n, kn_host_level level)
{
    union {
        int64_t bits;
        float single;
        double value;
    } shift = {.bits = typical_element(x, type, n, level)};

    return type == KN_F32 ? (double)shift.single : shift.value;
}

// ---- floats ----

// The results of a read of floats or doubles: leaves only if `column` is not NULL, without NaN.
struct float_read {
    const void *x;
    size_t n;
    const struct host_plan *plan;
    const struct host_reals *reals;
    const struct host_column *column;
    kn_sums *leaves;
    struct host_extremes extremes;
    pthread_mutex_t lock; // of the extremes
};

static void read_share(void *context, size_t first, size_t end)
{
    struct float_read *r = context;
    struct host_extremes own = {INFINITY, -INFINITY, 0};

    for (size_t i = first; i < end; i++) {
        size_t start = i * TREE_LEAF, count = r->n - start < TREE_LEAF ? r->n - start : TREE_LEAF;
        size_t before = own.nan_count;
        if (r->column)
            r->leaves[i] = ki_host_sum_leaf(r->column, i);
        r->reals->extremes((const char *)r->x + start * r->plan->size, count, &own);
        if (r->column && own.nan_count > before)
            r->leaves[i] = ki_host_sum_numbers(r->column, i);
    }
    pthread_mutex_lock(&r->lock);
    r->extremes.least = fmin(r->extremes.least, own.least);
    r->extremes.greatest = fmax(r->extremes.greatest, own.greatest);
    r->extremes.nan_count += own.nan_count;
    pthread_mutex_unlock(&r->lock);
}

static struct host_extremes read_floats(const void *x, kn_type type, size_t n, const struct host_plan *plan,
                                        const struct host_column *column, kn_sums *leaves)
{
    struct float_read r = {.x = x,
                           .n = n,
                           .plan = plan,
                           .reals = ki_host_reals_for(type, plan->level),
                           .column = column,
                           .leaves = leaves,
                           .extremes = {INFINITY, -INFINITY, 0},
                           .lock = PTHREAD_MUTEX_INITIALIZER};

    ki_host_share_out(ki_host_threads(plan, n * plan->size), ki_host_leaf_count(n), read_share, &r);
    return r.extremes;
}

static kn_status float_moments(const void *x, kn_type type, size_t n, double shift,
                               const struct host_plan *plan, kn_moments *to, kn_error *err)
{
    const struct host_column column = {x, n, type == KN_F32, true, shift, ki_host_leaf_for(plan->level)};
    size_t bytes = ki_host_leaf_count(n) * sizeof(kn_sums);
    struct host_extremes extremes;
    kn_sums *leaves = malloc(bytes), sums;

    if (!leaves)
        return ki_fail_memory(err, bytes, "the sums of a column");
    extremes = read_floats(x, type, n, plan, &column, leaves);
    sums = ki_host_fold_leaves(leaves, ki_host_leaf_count(n));
    free(leaves);
    to->nan_count = extremes.nan_count;
    to->n = n - extremes.nan_count;
    to->shift = shift;
    to->sum = sums.sum;
    to->squares = sums.squares;
    if (to->n == 0)
        return KN_OK;
    ki_moments_from_sums(to);
    to->min = extremes.least + 0.0;
    to->max = extremes.greatest + 0.0;
    return KN_OK;
}

// ---- integers ----

struct integer_read {
    const struct host_integers *integers;
    host_digits *add;
    struct moments_exact *to;
    pthread_mutex_t lock; // of the sums
};

static void add_share(void *context, size_t first, size_t end)
{
    const size_t most = (size_t)1 << 31; // at a time
    struct integer_read *r = context;
    struct moments_exact own = {.least = UINT64_MAX}, *to = r->to;

    for (size_t i = first, next; i < end; i = next) {
        next = end - i < most ? end : i + most;
        r->add(r->integers, i, next - i, &own);
    }
    pthread_mutex_lock(&r->lock);
    to->keys += own.keys;
    for (int digit = 0; digit < 4; digit++)
        to->squares[digit] += own.squares[digit];
    to->least = own.least < to->least ? own.least : to->least;
    to->greatest = own.greatest > to->greatest ? own.greatest : to->greatest;
    pthread_mutex_unlock(&r->lock);
}

static void read_integers(const struct host_integers *integers, size_t n, const struct host_plan *plan,
                          struct moments_exact *to)
{
    static host_digits *const levels[] = {[KN_HOST_SCALAR] = ki_host_digits_scalar,
                                          HOST_SET_VECTORS(host_digits)};
    struct integer_read r = {integers, levels[plan->level], to, PTHREAD_MUTEX_INITIALIZER};

    *to = (struct moments_exact){.least = UINT64_MAX};
    ki_host_share_out(ki_host_threads(plan, n * plan->size), n, add_share, &r);
}

// The sign bit of signed types.
static uint64_t sign_of(kn_type type)
{
    return ki_element_kind(type) == 1 ? (uint64_t)1 << (ki_element_bits(type) - 1) : 0;
}

static void integer_moments(const void *x, kn_type type, size_t n, const struct host_plan *plan,
                            kn_moments *to)
{
    uint64_t ones = UINT64_MAX >> (64 - ki_element_bits(type)), sign = sign_of(type);
    uint64_t shift = ((uint64_t)typical_element(x, type, n, plan->level) ^ sign) & ones;
    const struct host_integers integers = {x, plan->size, sign, shift, true};
    struct moments_exact sums;

    read_integers(&integers, n, plan, &sums);
    ki_moments_from_exact(type, n, shift, &sums, to);
}

kn_status kn_host_moments(const void *x, kn_type type, size_t n, const double *shift, kn_moments *moments,
                          const kn_host_options *options, kn_error *err)
{
    bool floats = type == KN_F32 || type == KN_F64;
    double rounded = !shift ? 0 : type == KN_F32 ? (double)(float)*shift : *shift;
    kn_moments found = ki_moments_of_nothing();
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_moments", type, n, options, &plan, err);

    if (status)
        return status;
    if (!moments || (!x && n > 0))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_moments: x or the result is NULL");
    if (floats && !isfinite(rounded))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_moments: a shift of %g is not finite in %s", *shift,
                       kn_type_name(type));
    if (floats)
        found.shift = rounded;
    if (n > 0 && !floats)
        integer_moments(x, type, n, &plan, &found);
    else if (n > 0)
        status = float_moments(x, type, n, shift ? rounded : ki_host_moments_shift(x, type, n, plan.level),
                               &plan, &found, err);
    if (!status)
        *moments = found;
    return status;
}

// ---- reductions ----

static kn_number reduce_integers(const void *x, kn_type type, size_t n, kn_reduce_op op,
                                 const struct host_plan *plan)
{
    uint64_t sign = sign_of(type);
    const struct host_integers integers = {x, plan->size, sign, 0, false};
    struct moments_exact sums;
    uint64_t keys[KN_REDUCE_MAX + 1];

    read_integers(&integers, n, plan, &sums);
    keys[KN_REDUCE_SUM] = (uint64_t)sums.keys - (uint64_t)n * sign; // modulo 2^64
    keys[KN_REDUCE_MIN] = sums.least - sign;
    keys[KN_REDUCE_MAX] = sums.greatest - sign;
    return (kn_number){.u64 = keys[op]};
}

struct integer_product {
    const void *x;
    size_t size;   // bytes of an element
    uint64_t ones; // where its bits are
    uint64_t all;
    pthread_mutex_t lock; // of the product of all
};

static void multiply_share(void *context, size_t first, size_t end)
{
    struct integer_product *p = context;
    uint64_t product = 1;

    for (size_t i = first; i < end; i++)
        product *= (uint64_t)host_stored(p->x, i, p->size) & p->ones;
    pthread_mutex_lock(&p->lock);
    p->all *= product;
    pthread_mutex_unlock(&p->lock);
}

static kn_number multiply_integers(const void *x, kn_type type, size_t n, const struct host_plan *plan)
{
    uint64_t ones = ki_element_kind(type) == 1 ? UINT64_MAX : UINT64_MAX >> (64 - ki_element_bits(type));
    struct integer_product product = {x, plan->size, ones, 1, PTHREAD_MUTEX_INITIALIZER};

    ki_host_share_out(ki_host_threads(plan, n * plan->size), n, multiply_share, &product);
    return (kn_number){.u64 = product.all};
}

static double multiply_leaf(const struct host_column *c, size_t i)
{
    size_t start = i * TREE_LEAF, count = c->n - start < TREE_LEAF ? c->n - start : TREE_LEAF;
    double lanes[TREE_LANES];

    for (size_t lane = 0; lane < TREE_LANES; lane++)
        lanes[lane] = 1;
    for (size_t k = 0; k < count; k++)
        lanes[k % TREE_LANES] *=
            c->single ? (double)((const float *)c->x)[start + k] : ((const double *)c->x)[start + k];
    for (size_t distance = TREE_LANES / 2; distance > 0; distance /= 2)
        for (size_t lane = 0; lane < distance; lane++)
            lanes[lane] *= lanes[lane + distance];
    return lanes[0];
}

struct float_product {
    const struct host_column *column;
    double *leaves;
};

static void multiply_leaves(void *context, size_t first, size_t end)
{
    const struct float_product *product = context;

    for (size_t i = first; i < end; i++)
        product->leaves[i] = multiply_leaf(product->column, i);
}

// In the tree of the sums.
static kn_status multiply_floats(const struct host_column *c, const struct host_plan *plan, double *product,
                                 kn_error *err)
{
    size_t count = ki_host_leaf_count(c->n);
    double *leaves = malloc(count * sizeof *leaves);

    if (!leaves)
        return ki_fail_memory(err, count * sizeof *leaves, "the products of a column");
    ki_host_share_out(ki_host_threads(plan, c->n * plan->size), count, multiply_leaves,
                      &(struct float_product){c, leaves});
    for (; count > 1; count = count / 2 + count % 2) {
        for (size_t i = 0; i < count / 2; i++)
            leaves[i] = leaves[2 * i] * leaves[2 * i + 1];
        if (count % 2)
            leaves[count / 2] = leaves[count - 1];
    }
    *product = leaves[0];
    free(leaves);
    return KN_OK;
}

static kn_status reduce_floats(const void *x, kn_type type, size_t n, kn_reduce_op op,
                               const struct host_plan *plan, kn_number *to, kn_error *err)
{
    const struct host_column column = {x, n, type == KN_F32, false, 0, ki_host_leaf_for(plan->level)};
    struct host_extremes extremes;

    if (op == KN_REDUCE_PRODUCT)
        return multiply_floats(&column, plan, &to->f64, err);
    if (op == KN_REDUCE_SUM)
        return kn_host_sum(x, type, n, &to->f64,
                           &KN_INIT(kn_host_options, .threads = plan->threads, .level = plan->level), err);
    extremes = read_floats(x, type, n, plan, NULL, NULL);
    to->f64 = extremes.nan_count > 0 ? NAN : op == KN_REDUCE_MIN ? extremes.least : extremes.greatest;
    return KN_OK;
}

kn_status kn_host_reduce(const void *x, kn_type type, size_t n, kn_reduce_op op, kn_number *result,
                         const kn_host_options *options, kn_error *err)
{
    bool floats = type == KN_F32 || type == KN_F64, extreme = op == KN_REDUCE_MIN || op == KN_REDUCE_MAX;
    kn_number found = {.u64 = op == KN_REDUCE_PRODUCT};
    struct host_plan plan;
    kn_status status = ki_host_plan("kn_host_reduce", type, n, options, &plan, err);

    if (status)
        return status;
    if ((unsigned)op > KN_REDUCE_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_host_reduce: there is no operation %d; see kn_reduce_op",
                       (int)op);
    if (!result || (!x && n > 0) || (n == 0 && extreme))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_host_reduce: x or the result is NULL, or there are no elements to take the %s of",
                       op == KN_REDUCE_MIN ? "least" : "greatest");
    if (floats)
        found.f64 = op == KN_REDUCE_PRODUCT;
    if (n > 0 && floats)
        status = reduce_floats(x, type, n, op, &plan, &found, err);
    else if (n > 0)
        found = op == KN_REDUCE_PRODUCT ? multiply_integers(x, type, n, &plan)
                                        : reduce_integers(x, type, n, op, &plan);
    if (floats)
        found.f64 += 0.0; // turns -0 into 0
    if (!status)
        *result = found;
    return status;
}
