// SPDX-License-Identifier: Apache-2.0
// koine/stats.h: every form, type, method and variant against a reference in long double, and against one
// another to the bit.
#include "support/buffers.h"
#include "support/memory.h"
#include "support/run.h"

#include <float.h>
#include <math.h>

#include "app/stats/api_internal.h"
#include "base/array.h"

static uint64_t state;

static void set_up(void)
{
    test_open();
    state = test_seed("stats_api");
}

// ---- columns ----

// The elements in their type, and their values.
struct column {
    kn_type type;
    size_t n;
    void *x;
    double *values;
};

static struct column column_of(kn_type type, const double *values, size_t n)
{
    struct column c = {type, n, test_allocate(n * kn_type_size(type)), test_allocate(n * sizeof(double))};

    for (size_t i = 0; i < n; i++) {
        switch (type) {
        case KN_F64:
            ((double *)c.x)[i] = c.values[i] = values[i];
            break;
        case KN_F32:
            ((float *)c.x)[i] = (float)values[i];
            c.values[i] = (double)((float *)c.x)[i];
            break;
        case KN_I8:
            ((int8_t *)c.x)[i] = (int8_t)values[i];
            c.values[i] = ((int8_t *)c.x)[i];
            break;
        default:
            ((uint8_t *)c.x)[i] = (uint8_t)values[i];
            c.values[i] = ((uint8_t *)c.x)[i];
        }
    }
    return c;
}

enum { KINDS = 5 };

static double random_element(kn_type type, int kind)
{
    if (type == KN_U8)
        return (double)(test_random(&state) % (kind ? 256 : 3));
    if (type == KN_I8)
        return (double)(test_random(&state) % (kind ? 256 : 3)) - 128;
    switch (kind) {
    case 0:
        return (double)(test_random(&state) % 21) - 10;
    case 1:
        return test_uniform(&state);
    case 2:
        return 1e6 + test_uniform(&state);
    case 3:
        return test_random(&state) % 100 ? 0.1 : test_uniform(&state);
    default:
        return ldexp(test_uniform(&state) - 0.3, (int)(test_random(&state) % 20));
    }
}

static struct column random_column(kn_type type, int kind, size_t n)
{
    double *values = test_allocate(n * sizeof *values);
    struct column c;

    for (size_t i = 0; i < n; i++)
        values[i] = random_element(type, kind);
    c = column_of(type, values, n);
    free(values);
    return c;
}

static void free_column(struct column *c)
{
    free(c->x);
    free(c->values);
}

// ---- the reference ----

static double sorted_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, test_by_value);
    return n % 2 ? x[n / 2] + 0.0 : x[n / 2 - 1] / 2 + x[n / 2] / 2 + 0.0;
}

static bool is_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

static bool holds_nan(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (isnan(x[i]))
            return true;
    return false;
}

static kn_stats reference_of(const struct column *c, size_t n, bool single)
{
    kn_stats r = {n, NAN, NAN, NAN, NAN, NAN};
    double *x = test_allocate(n * sizeof *x);
    long double sum = 0, squares = 0, mean;

    for (size_t i = 0; i < n; i++) {
        x[i] = single && c->type == KN_F64 ? test_rounded(c->values[i], KN_F32) : c->values[i];
        sum += x[i];
    }
    if (n > 0 && !holds_nan(x, n)) {
        mean = sum / (long double)n;
        for (size_t i = 0; i < n; i++)
            squares += (x[i] - mean) * (x[i] - mean);
        r.mean = (double)mean;
        r.std = is_finite(x, n) ? (double)sqrtl(squares / (long double)n) : NAN;
        r.cv = r.std / r.mean;
        r.median = sorted_median(x, n);
        if (isfinite(r.median)) {
            for (size_t i = 0; i < n; i++)
                x[i] = fabs(x[i] - r.median);
            r.mad = sorted_median(x, n);
        }
    }
    free(x);
    return r;
}

static bool close_to(double found, double expected, double scale)
{
    return test_same(found, expected) || found == expected || fabs(found - expected) <= 1e-12 * scale;
}

// Median and MAD are exact; mean and std to what doubles can.
static void expect_reference(const kn_stats *found, const kn_stats *r, const char *where)
{
    double size = fabs(r->mean) + r->std;

    ck_assert_msg(found->n == r->n, "%s: n %zu, expected %zu", where, found->n, r->n);
    ck_assert_msg(test_same(found->median, r->median), "%s: median %.17g, expected %.17g", where,
                  found->median, r->median);
    ck_assert_msg(test_same(found->mad, r->mad), "%s: MAD %.17g, expected %.17g", where, found->mad, r->mad);
    ck_assert_msg(close_to(found->mean, r->mean, size), "%s: mean %.17g, expected %.17g", where, found->mean,
                  r->mean);
    ck_assert_msg(close_to(found->std, r->std, size), "%s: std %.17g, expected %.17g", where, found->std,
                  r->std);
    ck_assert_msg(test_same(found->cv, found->std / found->mean + 0.0), "%s: CV %.17g, std %.17g, mean %.17g",
                  where, found->cv, found->std, found->mean);
}

static void expect_same(const kn_stats *found, const kn_stats *expected, const char *where)
{
    ck_assert_msg(found->n == expected->n && test_same(found->mean, expected->mean) &&
                      test_same(found->std, expected->std) && test_same(found->cv, expected->cv) &&
                      test_same(found->median, expected->median) && test_same(found->mad, expected->mad),
                  "%s: n %zu mean %.17g std %.17g CV %.17g median %.17g MAD %.17g, expected n %zu mean %.17g "
                  "std %.17g CV %.17g median %.17g MAD %.17g",
                  where, found->n, found->mean, found->std, found->cv, found->median, found->mad, expected->n,
                  expected->mean, expected->std, expected->cv, expected->median, expected->mad);
}

static kn_stats poisoned(void)
{
    kn_stats result;

    memset(&result, 0xa5, sizeof result);
    return result;
}

// A refused call has written nothing.
static void expect_poison(const kn_stats *result)
{
    const kn_stats poison = poisoned();

    ck_assert_mem_eq(result, &poison, sizeof poison);
}

#define EXPECT_NOTHING(status, words, result, call)                                                          \
    do {                                                                                                     \
        *(result) = poisoned();                                                                              \
        EXPECT_REFUSED(status, words, call);                                                                 \
        expect_poison(result);                                                                               \
    } while (0)

// ---- plans ----

static const kn_stats_method methods[] = {KN_STATS_SORT, KN_STATS_SELECT, KN_STATS_FUSED};
static const kn_stats_variant variants[] = {KN_STATS_SERIAL, KN_STATS_VECTORIZED, KN_STATS_PARALLEL,
                                            KN_STATS_PARALLEL_VECTORIZED, KN_STATS_DEVICE};
static const kn_type types[] = {KN_F64, KN_F32, KN_I8, KN_U8};

static kn_queue *queue_for(kn_stats_variant variant)
{
    return variant == KN_STATS_DEVICE ? queue : NULL;
}

static kn_stats_options options_for(kn_stats_method method, kn_stats_variant variant, bool single)
{
    return KN_INIT(kn_stats_options, .method = method, .variant = variant, .single = single, .threads = 3);
}

// NULL, where this processor or device does not have what the variant needs.
static kn_stats_plan *plan_for(kn_stats_method method, kn_stats_variant variant, bool single, kn_type type,
                               size_t n)
{
    const kn_stats_options options = options_for(method, variant, single);
    kn_stats_plan *plan = NULL;

    test_prepare_numbers();
    err = (kn_error)KN_ERROR_INIT;
    if (kn_stats_plan_create(queue_for(variant), type, n, &options, &plan, &err) == KN_ERROR_UNSUPPORTED) {
        ck_assert(variant != KN_STATS_SERIAL && variant != KN_STATS_PARALLEL && plan == NULL);
        ck_assert_ptr_nonnull(strstr(err.text, "kn_stats_plan_create"));
        return NULL;
    }
    ck_assert_msg(plan != NULL, "%s", err.text);
    ck_assert_int_eq(kn_stats_plan_get_method(plan), method);
    ck_assert_int_eq(kn_stats_plan_get_variant(plan), variant);
    ck_assert_uint_eq(kn_stats_plan_get_passes(plan), 0);
    return plan;
}

static bool is_in_bytes(const kn_stats_plan *plan)
{
    return ki_stats_column_in_bytes(plan->column);
}

// The variant's own code has run.
static void expect_ran(const kn_stats_plan *plan, kn_stats_method method, kn_stats_variant variant)
{
    const struct stats_ran *ran = &plan->column->ran;
    const bool vectors = variant == KN_STATS_VECTORIZED || variant == KN_STATS_PARALLEL_VECTORIZED;
    const bool threads = variant == KN_STATS_PARALLEL || variant == KN_STATS_PARALLEL_VECTORIZED;

    if (method == KN_STATS_FUSED)
        ck_assert_int_eq(ran->robust, is_in_bytes(plan) ? KN_ROBUST_COUNTED
                                      : ran->missed     ? KN_ROBUST_SELECT
                                                        : KN_ROBUST_FUSED);
    if (variant == KN_STATS_DEVICE) {
        ck_assert(method != KN_STATS_SELECT || ran->robust == KN_ROBUST_SELECT);
        return;
    }
    ck_assert_int_eq(ran->level > KN_HOST_SCALAR, vectors);
    ck_assert_uint_eq(plan->column->plan.threads, threads ? 3 : 1);
    ck_assert_int_eq(ran->own_select, method == KN_STATS_SELECT && variant == KN_STATS_SERIAL);
    ck_assert(method != KN_STATS_SORT || ran->merges.level == ran->level);
}

// ---- forms ----

// A source: pieces of `chunk` elements of a column, copied to memory that is poisoned with the next call.
struct feed {
    const struct column *column;
    size_t chunk, at;
    void *piece;
    unsigned rewinds;
    // What goes wrong, in this rewind.
    unsigned bad_rewind;
    enum { FEED_FAILS = 1, FEED_REWIND_FAILS, FEED_SHORT, FEED_LONG, FEED_OTHER, FEED_NULL, FEED_MUTE } fault;
};

static bool goes_wrong(const struct feed *feed, int fault)
{
    return (int)feed->fault == fault && feed->rewinds == feed->bad_rewind;
}

static kn_status rewind_feed(void *data, kn_error *said)
{
    struct feed *feed = data;

    ck_assert_ptr_nonnull(said);
    feed->at = 0;
    feed->rewinds++;
    if (!goes_wrong(feed, FEED_REWIND_FAILS))
        return KN_OK;
    snprintf(said->text, sizeof said->text, "the tape is torn");
    return KN_ERROR_INPUT;
}

static kn_status next_of_feed(void *data, const void **chunk, size_t *count, kn_error *said)
{
    struct feed *feed = data;
    const struct column *c = feed->column;
    size_t size = kn_type_size(c->type), n = c->n;

    if (goes_wrong(feed, FEED_FAILS)) {
        snprintf(said->text, sizeof said->text, "the disk is gone");
        return KN_ERROR_INPUT;
    }
    if (goes_wrong(feed, FEED_MUTE))
        return KN_ERROR_DEVICE;
    if (goes_wrong(feed, FEED_NULL)) {
        *count = 3;
        return KN_OK;
    }
    n -= goes_wrong(feed, FEED_SHORT);
    if (feed->at >= n) {
        *count = feed->at == n && goes_wrong(feed, FEED_LONG);
        feed->at += *count;
        *chunk = c->x;
        return KN_OK;
    }
    *count = n - feed->at < feed->chunk ? n - feed->at : feed->chunk;
    memset(feed->piece, 0xff, feed->chunk * size);
    memcpy(feed->piece, (const char *)c->x + feed->at * size, *count * size);
    if (goes_wrong(feed, FEED_OTHER)) // the greatest element there can be, in place of all
        for (size_t i = 0; i < *count; i++)
            memcpy((char *)feed->piece + i * size, (const char *)c->x + (n - 1) * size, size);
    feed->at += *count;
    *chunk = feed->piece;
    return KN_OK;
}

static kn_status compute_feed(kn_stats_plan *plan, struct feed *feed, kn_stats *result)
{
    const kn_stats_source source =
        KN_INIT(kn_stats_source, .rewind = rewind_feed, .next = next_of_feed, .data = feed);
    kn_status status;

    feed->piece = test_allocate(feed->chunk * sizeof(double));
    status = kn_stats_compute_source(plan, &source, result, &err);
    free(feed->piece);
    return status;
}

static kn_stats expect_array(kn_stats_plan *plan, const struct column *c)
{
    kn_stats result = poisoned();
    size_t bytes = c->n * kn_type_size(c->type);
    void *copy = test_allocate(bytes);

    memcpy(copy, c->x, bytes);
    EXPECT_OK(kn_stats_compute(plan, c->x, c->n, &result, &err));
    ck_assert_int_eq(memcmp(copy, c->x, bytes), 0);
    free(copy);
    return result;
}

static kn_stats expect_buffer(kn_stats_plan *plan, const struct column *c)
{
    enum { ROOM = 64 };
    kn_stats result = poisoned();
    size_t bytes = c->n * kn_type_size(c->type);
    void *left = test_allocate(bytes);
    kn_buffer *buffer = test_upload_with_room(c->x, bytes, ROOM);

    EXPECT_OK(kn_stats_compute_buffer(plan, buffer, c->n, &result, &err));
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, left, bytes, &err));
    ck_assert_int_eq(memcmp(left, c->x, bytes), 0);
    test_expect_poison(buffer, bytes);
    kn_buffer_free(buffer);
    free(left);
    return result;
}

static kn_stats expect_source(kn_stats_plan *plan, const struct column *c, size_t chunk)
{
    struct feed feed = {.column = c, .chunk = chunk ? chunk : 1};
    kn_stats result = poisoned();

    EXPECT_OK(compute_feed(plan, &feed, &result));
    ck_assert_uint_eq(kn_stats_plan_get_passes(plan), feed.rewinds);
    ck_assert_uint_le(feed.rewinds, 15);
    return result;
}

// Held as a whole, and in chunks of any size with room for a part of the column or for nothing.
static void expect_sources(const struct column *c, kn_stats_method method, kn_stats_variant variant,
                           bool single, const kn_stats *expected, const char *where)
{
    const size_t chunks[] = {1, 7, c->n}, rooms[] = {c->n, c->n / 3, 0};

    for (size_t r = 0; r < KI_COUNT(rooms); r++) {
        kn_stats_plan *plan = plan_for(method, variant, single, c->type, rooms[r]);

        for (size_t i = 0; i < KI_COUNT(chunks) && plan; i++) {
            struct feed feed = {.column = c, .chunk = chunks[i] ? chunks[i] : 1};
            kn_stats found;

            if (rooms[r] < c->n && method != KN_STATS_SELECT) {
                EXPECT_NOTHING(KN_ERROR_UNSUPPORTED, "kn_stats_compute_source: the column has more than",
                               &found, compute_feed(plan, &feed, &found));
                continue;
            }
            found = expect_source(plan, c, chunks[i]);
            expect_same(&found, expected, where);
            ck_assert_int_eq(kn_stats_plan_get_passes(plan) == 1,
                             rooms[r] >= c->n || holds_nan(c->values, c->n));
        }
        kn_stats_plan_free(plan);
    }
}

static void expect_variant(const struct column *c, kn_stats_method method, kn_stats_variant variant,
                           bool single, bool sources, kn_stats *expected)
{
    kn_stats_plan *plan = plan_for(method, variant, single, c->type, c->n);
    char where[128];
    kn_stats found;

    if (!plan)
        return;
    snprintf(where, sizeof where, "method %d, variant %d, %s%s, %zu elements", (int)method, (int)variant,
             kn_type_name(c->type), single ? ", single" : "", c->n);
    for (int repetition = 0; repetition < 2; repetition++) {
        found = expect_array(plan, c);
        if (variant == KN_STATS_SERIAL)
            *expected = found;
        expect_same(&found, expected, where);
        if (c->n > 0 && !isnan(found.median))
            expect_ran(plan, method, variant);
    }
    if (variant == KN_STATS_DEVICE && test_takes(c->type)) {
        found = expect_buffer(plan, c);
        expect_same(&found, expected, where);
        found = expect_array(plan, c); // another form in between
        expect_same(&found, expected, where);
    }
    kn_stats_plan_free(plan);
    if (sources)
        expect_sources(c, method, variant, single, expected, where);
}

static void expect_column(const struct column *c, bool sources)
{
    for (int single = 0; single < (c->type == KN_F64 ? 2 : 1); single++) {
        const kn_stats r = reference_of(c, c->n, single);
        kn_stats of[KI_COUNT(methods)];

        for (size_t m = 0; m < KI_COUNT(methods); m++) {
            for (size_t v = 0; v < KI_COUNT(variants); v++)
                expect_variant(c, methods[m], variants[v], single, sources, &of[m]);
            expect_reference(&of[m], &r, "the reference");
        }
        expect_same(&of[1], &of[2], "select and fused");
    }
}

START_TEST(random_columns)
{
    static const size_t sizes[] = {0, 1, 2, 3, 31, 32, 33, 255, 4097, 9001};

    for (size_t s = 0; s < (test_is_slow() ? 4 : KI_COUNT(sizes)); s++)
        for (size_t t = 0; t < KI_COUNT(types); t++)
            for (int kind = 0; kind < (types[t] >= KN_F32 && !test_is_slow() ? KINDS : 2); kind++) {
                struct column c = random_column(types[t], kind, sizes[s]);
                expect_column(&c, sizes[s] < 40 || (sizes[s] == 4097 && kind < 3));
                free_column(&c);
            }
}
END_TEST

// Many blocks, the last one in part; threads share the work.
START_TEST(large_columns)
{
    enum { N = 5 * 262144 + 4099 };

    for (size_t t = 0; t < KI_COUNT(types) && !test_is_slow(); t++) {
        struct column c = random_column(types[t], t == 0 ? 1 : 4, N);
        kn_stats expected = {.n = 0};

        for (size_t v = 0; v < KI_COUNT(variants); v++) {
            expect_variant(&c, KN_STATS_SELECT, variants[v], false, false, &expected);
            kn_stats_plan *plan = plan_for(KN_STATS_SELECT, variants[v], false, types[t], N / 50);
            for (size_t chunk = 4093; plan && chunk < N; chunk = chunk * 250 + 1) {
                kn_stats found = expect_source(plan, &c, chunk);
                expect_same(&found, &expected, "a large source");
                ck_assert_int_gt((int)kn_stats_plan_get_passes(plan), 2);
            }
            kn_stats_plan_free(plan);
        }
        const kn_stats r = reference_of(&c, N, false);
        expect_reference(&expected, &r, "a large column");
        free_column(&c);
    }
}
END_TEST

#define EXPECT_COLUMN(...)                                                                                   \
    expect_special((const double[]){__VA_ARGS__}, sizeof((const double[]){__VA_ARGS__}) / sizeof(double))

static void expect_special(const double *values, size_t n)
{
    for (size_t t = 0; t < 2; t++) {
        struct column c = column_of(types[t], values, n);

        expect_column(&c, true);
        free_column(&c);
    }
}

// Neighbours among doubles: intervals of few keys, whose ends are elements.
START_TEST(adjacent_values)
{
    enum { N = 301 };
    double values[N];
    kn_stats_plan *plan = plan_for(KN_STATS_SELECT, KN_STATS_SERIAL, false, KN_F64, N / 3);

    for (int repetition = 0; repetition < 30; repetition++) {
        for (size_t i = 0; i < N; i++)
            values[i] = 1 + (double)(test_random(&state) % 3000) * DBL_EPSILON;
        struct column c = column_of(KN_F64, values, N - (size_t)repetition % 2);
        const kn_stats r = reference_of(&c, c.n, false), found = expect_source(plan, &c, 50);
        expect_reference(&found, &r, "neighbours");
        if (repetition == 0)
            expect_column(&c, !test_is_slow());
        free_column(&c);
    }
    kn_stats_plan_free(plan);
}
END_TEST

START_TEST(special_columns)
{
    EXPECT_COLUMN(NAN);
    EXPECT_COLUMN(1, NAN, 3);
    EXPECT_COLUMN(1, 2, INFINITY);
    EXPECT_COLUMN(-0.0, -0.0);
    EXPECT_COLUMN(-1, 1);
    if (test_is_slow())
        return;
    EXPECT_COLUMN(NAN, INFINITY, -INFINITY, 4);
    EXPECT_COLUMN(0.0, -0.0, 0.0);
    EXPECT_COLUMN(-INFINITY, 5, 6, 7);
    EXPECT_COLUMN(-INFINITY, 5, 6, INFINITY);
    EXPECT_COLUMN(-INFINITY, -INFINITY, 6, INFINITY, INFINITY);
    EXPECT_COLUMN(1, INFINITY);
    EXPECT_COLUMN(-INFINITY, INFINITY);
    EXPECT_COLUMN(INFINITY);
    EXPECT_COLUMN(INFINITY, INFINITY, INFINITY, 1);
    EXPECT_COLUMN(7, 7, 7, 7, 7, 7, 7);
    EXPECT_COLUMN(0, 0, 0, 1e9, 1e9, 1e9);
    EXPECT_COLUMN(16777216, 16777218);
    EXPECT_COLUMN(-1e-30, 1e30, 1e-30, -1e30, 0.0);
    EXPECT_COLUMN(0.25, 0.1, 0.3, 0.7, 1.1, 1e-3, 2e-3, 1e7);
}
END_TEST

// ---- prefixes ----

static void expect_prefixes(const struct column *c, kn_stats_method method, kn_stats_variant variant)
{
    enum { COUNT = 9 };
    const size_t ends[COUNT] = {0, 1, 2, 2, 100, 1000, 4096, c->n - 1, c->n};
    kn_stats_plan *plan = plan_for(method, variant, false, c->type, c->n);
    kn_stats found[COUNT + 1], one;
    kn_buffer *buffer;

    if (!plan)
        return;
    memset(found, 0xa5, sizeof found);
    EXPECT_OK(kn_stats_compute_prefixes(plan, c->x, ends, COUNT, found, &err));
    expect_poison(&found[COUNT]);
    for (size_t i = 0; i < COUNT; i++) {
        const kn_stats r = reference_of(c, ends[i], false);
        expect_reference(&found[i], &r, "a prefix");
        EXPECT_OK(kn_stats_compute(plan, c->x, ends[i], &one, &err));
        expect_same(&found[i], &one, "a prefix beside a column");
    }
    if (variant == KN_STATS_DEVICE) {
        kn_stats of_buffer[COUNT];
        buffer = test_upload_with_room(c->x, c->n * kn_type_size(c->type), 0);
        EXPECT_OK(kn_stats_compute_buffer_prefixes(plan, buffer, ends, COUNT, of_buffer, &err));
        for (size_t i = 0; i < COUNT; i++)
            expect_same(&of_buffer[i], &found[i], "a prefix of a buffer");
        kn_buffer_free(buffer);
    }
    EXPECT_OK(kn_stats_compute_prefixes(plan, NULL, NULL, 0, NULL, &err));
    kn_stats_plan_free(plan);
}

START_TEST(prefixes)
{
    enum { N = 5003 };

    for (size_t t = 0; t < KI_COUNT(types) && !test_is_slow(); t++)
        for (size_t m = 0; m < KI_COUNT(methods); m++)
            for (size_t v = 0; v < KI_COUNT(variants); v++) {
                struct column c = random_column(types[t], 1, N);
                if (types[t] == KN_F32) // the last prefix has it
                    ((float *)c.x)[N - 1] = NAN;
                if (types[t] == KN_F32)
                    c.values[N - 1] = NAN;
                expect_prefixes(&c, methods[m], variants[v]);
                free_column(&c);
            }
}
END_TEST

// Columns that the device holds in parts.
START_TEST(columns_in_parts)
{
    enum { N = 600011, LARGEST = 1 << 21 };

    context->device.info.max_alloc = LARGEST;
    for (size_t t = 0; t < KI_COUNT(types) && !test_is_slow(); t++)
        for (int single = 0; single < (types[t] == KN_F64 ? 2 : 1); single++)
            for (size_t m = 0; m < KI_COUNT(methods); m++) {
                struct column c = random_column(types[t], 1, N);
                const kn_stats r = reference_of(&c, N, single);
                kn_stats_plan *plan = plan_for(methods[m], KN_STATS_DEVICE, single, types[t], N);
                kn_stats found, of_array;
                if (plan) {
                    found = expect_buffer(plan, &c);
                    expect_reference(&found, &r, "a buffer in parts");
                    of_array = expect_array(plan, &c);
                    expect_same(&of_array, &found, "an array in parts");
                }
                kn_stats_plan_free(plan);
                free_column(&c);
            }
}
END_TEST

// ---- options and plans ----

START_TEST(mad_scale)
{
    static const float x[] = {1, 2, 3, 10};

    for (size_t m = 0; m < KI_COUNT(methods); m++) {
        const kn_stats_options options =
            KN_INIT(kn_stats_options, .method = methods[m], .mad_scale = KN_STATS_MAD_NORMAL);
        struct column c = column_of(KN_F32, (const double[]){1, 2, 3, 10}, 4);
        kn_stats_plan *plan;
        kn_stats found;

        EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 4, &options, &plan, &err));
        EXPECT_OK(kn_stats_compute(plan, x, 4, &found, &err));
        ck_assert_double_eq(found.mad, 1 / 0.6744897501960817); // scipy, scale="normal"
        kn_stats_plan_free(plan);
        if (methods[m] != KN_STATS_SELECT)
            continue;
        EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 1, &options, &plan, &err));
        found = expect_source(plan, &c, 3);
        ck_assert_double_eq(found.mad, 1 / 0.6744897501960817);
        kn_stats_plan_free(plan);
        free_column(&c);
    }
}
END_TEST

// What is chosen where nothing was asked for.
START_TEST(defaults)
{
    struct column c = random_column(KN_F32, 1, 1000);
    const kn_stats r = reference_of(&c, c.n, false);
    kn_stats_plan *plan;
    kn_stats found;

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 1000, NULL, &plan, &err));
    ck_assert_int_eq(kn_stats_plan_get_method(plan), KN_STATS_FUSED);
    ck_assert(kn_stats_plan_get_variant(plan) == KN_STATS_PARALLEL_VECTORIZED ||
              kn_stats_plan_get_variant(plan) == KN_STATS_PARALLEL);
    found = expect_array(plan, &c);
    expect_reference(&found, &r, "defaults");
    kn_stats_plan_free(plan);

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 10, NULL, &plan, &err));
    found = expect_source(plan, &c, 64);
    expect_reference(&found, &r, "a source, defaults");
    ck_assert_int_eq(kn_stats_plan_get_method(plan), KN_STATS_SELECT); // too long to be held
    c.n = 10;
    found = expect_source(plan, &c, 64);
    ck_assert_int_eq(kn_stats_plan_get_method(plan), KN_STATS_FUSED);
    kn_stats_plan_free(plan);

    EXPECT_OK(kn_stats_plan_create(queue, KN_F32, 1000, NULL, &plan, &err));
    ck_assert_int_eq(kn_stats_plan_get_variant(plan), KN_STATS_DEVICE);
    c.n = 1000;
    found = expect_buffer(plan, &c);
    expect_reference(&found, &r, "a buffer, defaults");
    kn_stats_plan_free(plan);
    free_column(&c);
}
END_TEST

// Shorter and longer columns, with and without bytes, one after the other.
START_TEST(a_plan_serves_many)
{
    static const size_t sizes[] = {7, 900, 3, 0, 1000, 64};

    for (size_t m = 0; m < KI_COUNT(methods); m++)
        for (size_t v = 0; v < KI_COUNT(variants); v++) {
            kn_stats_plan *plan = plan_for(methods[m], variants[v], false, KN_F64, 1000);

            for (size_t s = 0; s < KI_COUNT(sizes) && plan; s++) {
                struct column c = random_column(KN_F64, s % 2 ? 0 : 1, sizes[s]);
                const kn_stats r = reference_of(&c, c.n, false);
                kn_stats found = expect_array(plan, &c);
                expect_reference(&found, &r, "one of many");
                found = expect_source(plan, &c, 11);
                expect_reference(&found, &r, "a source among many");
                if (variants[v] == KN_STATS_DEVICE) {
                    found = expect_buffer(plan, &c);
                    expect_reference(&found, &r, "a buffer among many");
                }
                free_column(&c);
            }
            kn_stats_plan_free(plan);
        }
}
END_TEST

static void expect_memory(kn_stats_method method, kn_stats_variant variant, bool single, kn_type type,
                          kn_stats_form form)
{
    enum { N = 3000 };
    const kn_stats_options options = options_for(method, variant, single);
    kn_stats_plan *plan = plan_for(method, variant, single, type, N);
    struct column c = random_column(type, 1, N);
    kn_stats_memory estimated, held;

    if (plan) {
        held = kn_stats_plan_get_memory(plan);
        ck_assert(held.host == 0 && held.device == 0);
        EXPECT_OK(kn_stats_estimate_memory(queue_for(variant), type, N, form, &estimated, &options, &err));
        if (form == KN_STATS_ARRAY)
            (void)expect_array(plan, &c);
        else if (form == KN_STATS_BUFFER)
            (void)expect_buffer(plan, &c);
        else
            (void)expect_source(plan, &c, 100);
        held = kn_stats_plan_get_memory(plan);
        ck_assert_msg(held.host == estimated.host && held.device == estimated.device,
                      "method %d, variant %d, form %d, %s: %zu and %zu bytes, estimated %zu and %zu",
                      (int)method, (int)variant, (int)form, kn_type_name(type), held.host, held.device,
                      estimated.host, estimated.device);
    }
    kn_stats_plan_free(plan);
    free_column(&c);
}

// Bytes of an element.
static void expect_estimate(kn_stats_method method, kn_stats_variant variant, kn_type type,
                            kn_stats_form form, size_t host, size_t device)
{
    const kn_stats_options options = options_for(method, variant, false);
    kn_stats_memory found;

    EXPECT_OK(kn_stats_estimate_memory(queue_for(variant), type, 1000, form, &found, &options, &err));
    ck_assert_uint_eq(found.host, 1000 * host);
    ck_assert_uint_eq(found.device, 1000 * device);
}

START_TEST(memory)
{
    expect_estimate(KN_STATS_FUSED, KN_STATS_SERIAL, KN_F32, KN_STATS_ARRAY, 0, 0);
    expect_estimate(KN_STATS_SELECT, KN_STATS_SERIAL, KN_F32, KN_STATS_ARRAY, 8, 0);
    expect_estimate(KN_STATS_SORT, KN_STATS_SERIAL, KN_F32, KN_STATS_ARRAY, 12, 0);
    expect_estimate(KN_STATS_SORT, KN_STATS_SERIAL, KN_U8, KN_STATS_ARRAY, 16, 0);
    expect_estimate(KN_STATS_FUSED, KN_STATS_DEVICE, KN_F32, KN_STATS_ARRAY, 0, 4);
    expect_estimate(KN_STATS_FUSED, KN_STATS_DEVICE, KN_I8, KN_STATS_BUFFER, 0, 0);
    expect_estimate(KN_STATS_SORT, KN_STATS_DEVICE, KN_F32, KN_STATS_BUFFER, 0, 4);
    expect_estimate(KN_STATS_SORT, KN_STATS_DEVICE, KN_I8, KN_STATS_BUFFER, 0, 8);
    for (size_t m = 0; m < KI_COUNT(methods); m++)
        for (size_t v = 0; v < KI_COUNT(variants); v++)
            for (size_t t = 0; t < KI_COUNT(types) && !test_is_slow(); t++)
                for (int single = 0; single < 2; single++)
                    for (int form = KN_STATS_ARRAY; form <= KN_STATS_SOURCE; form++)
                        if (form != KN_STATS_BUFFER ||
                            (variants[v] == KN_STATS_DEVICE && test_takes(types[t])))
                            expect_memory(methods[m], variants[v], single, types[t], (kn_stats_form)form);
}
END_TEST

// ---- progress ----

struct progress {
    size_t calls, stop; // at this call; 0: never
    unsigned pass;
    size_t done, n;
    bool prefixes;
};

static bool count_call(void *data, unsigned pass, size_t done, size_t total)
{
    struct progress *p = data;

    p->calls++;
    if (p->prefixes)
        ck_assert(pass == 1 && done == p->calls && total == p->n);
    else {
        ck_assert(pass == p->pass ? done > p->done : pass == p->pass + 1);
        ck_assert_uint_eq(total, pass == 1 ? 0 : p->n);
        ck_assert_uint_le(done, p->n);
    }
    p->pass = pass;
    p->done = done;
    return p->calls != p->stop;
}

START_TEST(progress_and_stop)
{
    enum { N = 1000, CHUNK = 100 };
    struct column c = random_column(KN_F64, 1, N);
    struct progress progress = {.n = N};
    const kn_stats r = reference_of(&c, N, false);
    const kn_stats_options options =
        KN_INIT(kn_stats_options, .progress = count_call, .progress_data = &progress);
    kn_stats_plan *plan;
    kn_stats found;
    size_t calls;

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F64, N / 10, &options, &plan, &err));
    found = expect_source(plan, &c, CHUNK);
    calls = progress.calls;
    ck_assert_uint_eq(calls, kn_stats_plan_get_passes(plan) * (N / CHUNK));
    for (size_t stop = 1; stop <= calls; stop++) {
        struct feed feed = {.column = &c, .chunk = CHUNK};
        progress = (struct progress){.n = N, .stop = stop};
        EXPECT_NOTHING(KN_ERROR_INTERRUPTED, "kn_stats_compute_source: stopped", &found,
                       compute_feed(plan, &feed, &found));
        ck_assert_uint_eq(progress.calls, stop);
    }
    progress = (struct progress){.n = N};
    found = expect_source(plan, &c, CHUNK);
    expect_reference(&found, &r, "after it was stopped");
    kn_stats_plan_free(plan);

    EXPECT_OK(kn_stats_plan_create(NULL, KN_F64, N, &options, &plan, &err));
    const size_t ends[] = {10, 500, N};
    kn_stats results[3] = {poisoned(), poisoned(), poisoned()};
    progress = (struct progress){.n = 3, .prefixes = true, .stop = 2};
    EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "kn_stats_compute_prefixes: stopped",
                   kn_stats_compute_prefixes(plan, c.x, ends, 3, results, &err));
    for (size_t i = 0; i < 3; i++)
        expect_poison(&results[i]);
    progress = (struct progress){.n = 3, .prefixes = true};
    EXPECT_OK(kn_stats_compute_prefixes(plan, c.x, ends, 3, results, &err));
    ck_assert_uint_eq(progress.calls, 3);
    kn_stats_plan_free(plan);
    free_column(&c);
}
END_TEST

// ---- what is refused ----

static void expect_fault(const struct column *c, int fault, unsigned at, kn_status status, const char *words)
{
    struct feed feed = {.column = c, .chunk = 70, .bad_rewind = at};
    kn_stats_plan *plan = plan_for(KN_STATS_SELECT, KN_STATS_SERIAL, false, c->type, c->n / 10);
    kn_stats found;

    memcpy(&feed.fault, &fault, sizeof feed.fault);
    EXPECT_NOTHING(status, words, &found, compute_feed(plan, &feed, &found));
    feed.fault = 0;
    EXPECT_OK(compute_feed(plan, &feed, &found));
    kn_stats_plan_free(plan);
}

START_TEST(faulty_sources)
{
    enum { N = 1000 };
    struct column c = random_column(KN_F64, 1, N);
    const char *changed = "kn_stats_compute_source: pass";

    ((double *)c.x)[N - 1] = 5; // the greatest
    for (unsigned at = 1; at <= 4; at++) {
        expect_fault(&c, FEED_FAILS, at, KN_ERROR_INPUT, "the disk is gone");
        expect_fault(&c, FEED_REWIND_FAILS, at, KN_ERROR_INPUT, "the tape is torn");
        expect_fault(&c, FEED_MUTE, at, KN_ERROR_DEVICE,
                     "kn_stats_compute_source: the source's next returned KN_ERROR_DEVICE");
        expect_fault(&c, FEED_NULL, at, KN_ERROR_ARGUMENT, "3 elements at NULL");
    }
    for (unsigned at = 2; at <= 4; at++) {
        expect_fault(&c, FEED_SHORT, at, KN_ERROR_ARGUMENT, changed);
        expect_fault(&c, FEED_LONG, at, KN_ERROR_ARGUMENT, changed);
    }
    expect_fault(&c, FEED_OTHER, 3, KN_ERROR_ARGUMENT, changed);
    free_column(&c);
}
END_TEST

#define REFUSE_PLAN(status, words, queue_, type, n, ...)                                                     \
    do {                                                                                                     \
        const kn_stats_options options_ = KN_INIT(kn_stats_options, __VA_ARGS__);                            \
        kn_stats_plan *refused_ = NULL;                                                                      \
        kn_stats_memory bytes_ = {77, 77};                                                                   \
        EXPECT_REFUSED(status, words, kn_stats_plan_create(queue_, type, n, &options_, &refused_, &err));    \
        ck_assert_ptr_null(refused_);                                                                        \
        ck_assert_ptr_nonnull(strstr(err.text, "kn_stats_plan_create"));                                     \
        EXPECT_REFUSED(status, words,                                                                        \
                       kn_stats_estimate_memory(queue_, type, n, KN_STATS_ARRAY, &bytes_, &options_, &err)); \
        ck_assert_ptr_nonnull(strstr(err.text, "kn_stats_estimate_memory"));                                 \
        ck_assert(bytes_.host == 77 && bytes_.device == 77);                                                 \
    } while (0)

START_TEST(refused_plans)
{
    kn_stats_options options = {.method = KN_STATS_SORT}; // not made by KN_INIT
    kn_stats_plan *plan = NULL;
    kn_stats_memory bytes;

    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no method 4", NULL, KN_F64, 1, .method = (kn_stats_method)4);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no method -1", NULL, KN_F64, 1, .method = (kn_stats_method)-1);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no variant 6", NULL, KN_F64, 1, .variant = (kn_stats_variant)6);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no MAD scale 2", NULL, KN_F64, 1, .mad_scale = (kn_stats_mad_scale)2);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no policy 3", NULL, KN_F64, 1, .policy = (kn_policy)3);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "no type 10", NULL, (kn_type)10, 1, .method = KN_STATS_SORT);
    REFUSE_PLAN(KN_ERROR_UNSUPPORTED, "not on short", NULL, KN_I16, 1, .method = KN_STATS_SORT);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "does not fit in memory", NULL, KN_F64, SIZE_MAX, .single = true);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "computes on the host", queue, KN_F64, 1, .variant = KN_STATS_SERIAL);
    REFUSE_PLAN(KN_ERROR_ARGUMENT, "needs a queue", NULL, KN_F64, 1, .variant = KN_STATS_DEVICE);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_plan_create: the kn_stats_options has a struct_size of 0",
                   kn_stats_plan_create(NULL, KN_F64, 1, &options, &plan, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_plan_create: plan is NULL",
                   kn_stats_plan_create(NULL, KN_F64, 1, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_estimate_memory: memory is NULL",
                   kn_stats_estimate_memory(NULL, KN_F64, 1, KN_STATS_ARRAY, NULL, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_stats_estimate_memory: there is no form 3",
                   kn_stats_estimate_memory(NULL, KN_F64, 1, (kn_stats_form)3, &bytes, NULL, &err));
    ck_assert_int_eq(kn_stats_plan_create(NULL, KN_I16, 1, NULL, &plan, NULL), KN_ERROR_UNSUPPORTED);
    kn_stats_plan_free(NULL);
    ck_assert_int_eq(kn_stats_plan_get_method(NULL), KN_STATS_AUTO);
    ck_assert_int_eq(kn_stats_plan_get_variant(NULL), KN_STATS_BEST);
    ck_assert_uint_eq(kn_stats_plan_get_passes(NULL), 0);
    ck_assert_uint_eq(kn_stats_plan_get_memory(NULL).host, 0);
}
END_TEST

// A device without double precision takes doubles rounded on the host, and no buffers of them.
START_TEST(refused_doubles)
{
    const int fp64 = context->device.info.fp64;
    const kn_stats_options single = KN_INIT(kn_stats_options, .single = true);
    struct column c = random_column(KN_F64, 1, 100);
    const kn_stats r = reference_of(&c, 100, true);
    kn_buffer *buffer = test_upload_with_room(c.x, 800, 0);
    kn_stats_plan *plan = NULL;
    kn_stats found;

    context->device.info.fp64 = 0;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "kn_stats_plan_create",
                   kn_stats_plan_create(queue, KN_F64, 100, NULL, &plan, &err));
    ck_assert_ptr_null(plan);
    EXPECT_OK(kn_stats_plan_create(queue, KN_F64, 100, &single, &plan, &err));
    found = expect_array(plan, &c);
    expect_reference(&found, &r, "without double precision");
    EXPECT_NOTHING(KN_ERROR_UNSUPPORTED, "kn_stats_compute_buffer", &found,
                   kn_stats_compute_buffer(plan, buffer, 100, &found, &err));
    kn_stats_plan_free(plan);
    context->device.info.fp64 = fp64;
    kn_buffer_free(buffer);
    free_column(&c);
}
END_TEST

START_TEST(refused_columns)
{
    static const float x[] = {1, 2, 3, 4};
    const size_t ends[] = {1, 4, 2}, long_ends[] = {1, 5};
    kn_stats_plan *host, *device;
    kn_context *other;
    kn_buffer *small, *foreign;
    kn_stats found[3];

    EXPECT_OK(kn_context_open(NULL, NULL, &other, &err));
    EXPECT_OK(kn_buffer_create(other, sizeof x, &foreign, &err));
    EXPECT_OK(kn_buffer_create(context, 3 * sizeof *x, &small, &err));
    EXPECT_OK(kn_stats_plan_create(NULL, KN_F32, 4, NULL, &host, &err));
    EXPECT_OK(kn_stats_plan_create(queue, KN_F32, 4, NULL, &device, &err));

    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute: plan", found,
                   kn_stats_compute(NULL, x, 4, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute: x is NULL", found,
                   kn_stats_compute(host, NULL, 4, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute: 5 elements, but the plan is for 4", found,
                   kn_stats_compute(host, x, 5, found, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "result is NULL", kn_stats_compute(host, x, 4, NULL, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_prefixes: ends descend from 4 to 2", found,
                   kn_stats_compute_prefixes(host, x, ends, 3, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_prefixes: 5 elements", found,
                   kn_stats_compute_prefixes(host, x, long_ends, 2, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_prefixes: plan, ends", found,
                   kn_stats_compute_prefixes(host, x, NULL, 2, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer: the plan computes on the host", found,
                   kn_stats_compute_buffer(host, small, 3, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer: queue or buffer is NULL", found,
                   kn_stats_compute_buffer(device, NULL, 3, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer: 4 elements of float, but the buffer holds 3",
                   found, kn_stats_compute_buffer(device, small, 4, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer: the buffer belongs to another context", found,
                   kn_stats_compute_buffer(device, foreign, 4, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_buffer_prefixes: 4 elements", found,
                   kn_stats_compute_buffer_prefixes(device, small, (const size_t[]){1, 4}, 2, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_source: source is NULL", found,
                   kn_stats_compute_source(host, NULL, found, &err));
    EXPECT_NOTHING(KN_ERROR_ARGUMENT, "kn_stats_compute_source: plan", found,
                   kn_stats_compute_source(NULL, NULL, found, &err));
    EXPECT_NOTHING(
        KN_ERROR_ARGUMENT, "kn_stats_compute_source: the kn_stats_source has a struct_size", found,
        kn_stats_compute_source(host, &(const kn_stats_source){.next = next_of_feed}, found, &err));
    ck_assert_int_eq(kn_stats_compute(host, NULL, 4, found, NULL), KN_ERROR_ARGUMENT);

    kn_stats_plan_free(device);
    kn_stats_plan_free(host);
    kn_buffer_free(small);
    kn_buffer_free(foreign);
    kn_context_close(other);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {random_columns,     large_columns,   special_columns,   prefixes,
                                  columns_in_parts,   adjacent_values, mad_scale,         defaults,
                                  a_plan_serves_many, memory,          progress_and_stop, faulty_sources,
                                  refused_plans,      refused_doubles, refused_columns};

    return test_run("stats: the public functions", tests, sizeof tests / sizeof *tests, set_up, test_close);
}
