// SPDX-License-Identifier: Apache-2.0
// Tests kn_sort_segments and kn_sort_segments_by_key against a stable merge sort of each segment on the host.
#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

#define MAX_N ((size_t)1 << 17)
#define ROOM  200

// ---- numpy's order of each type ----

union number {
    int64_t integer;
    uint64_t natural;
    double real;
};

static union number number_at(const char *address, kn_type type)
{
    union number n = {.natural = 0};
    float single;

    switch (type) {
    case KN_I8:
        n.integer = *(const int8_t *)address;
        break;
    case KN_I16:
        n.integer = *(const int16_t *)address;
        break;
    case KN_I32:
        n.integer = *(const int32_t *)address;
        break;
    case KN_F32:
        memcpy(&single, address, sizeof single);
        n.real = (double)single;
        break;
    default: // unsigned ones of fewer bits, and types of 64 bits
        memcpy(&n, address, kn_type_size(type));
    }
    return n;
}

// -1, 0 or 1; NaN come last, descending or not.
static int order_of(const char *left, const char *right, kn_type type, bool descending)
{
    union number a = number_at(left, type), b = number_at(right, type);
    int order = 0;

    if (type == KN_F32 || type == KN_F64) {
        if (isnan(a.real) || isnan(b.real))
            return (isnan(a.real) != 0) - (isnan(b.real) != 0);
        order = (a.real > b.real) - (a.real < b.real);
    } else if (type == KN_U8 || type == KN_U16 || type == KN_U32 || type == KN_U64) {
        order = (a.natural > b.natural) - (a.natural < b.natural);
    } else {
        order = (a.integer > b.integer) - (a.integer < b.integer);
    }
    return descending ? -order : order;
}

// ---- a case, and the reference ----

static char keys[MAX_N * 8], found[MAX_N * 8], values[MAX_N * 8], found_values[MAX_N * 8];
static uint64_t offsets[MAX_N * 2];
static uint32_t positions[MAX_N], spare[MAX_N];

struct wanted {
    kn_type type;
    bool descending;
    size_t n, segments, value_size;
};

// A top-down merge sort of positions[begin..end).
static void sort_positions(const struct wanted *w, size_t begin, size_t end)
{
    size_t size = kn_type_size(w->type), middle = begin + (end - begin) / 2, a = begin, b = middle;

    if (end - begin < 2)
        return;
    sort_positions(w, begin, middle);
    sort_positions(w, middle, end);
    for (size_t i = begin; i < end; i++) {
        bool take_b =
            a == middle || (b < end && order_of(keys + positions[b] * size, keys + positions[a] * size,
                                                w->type, w->descending) < 0);
        spare[i] = take_b ? positions[b++] : positions[a++];
    }
    memcpy(positions + begin, spare + begin, (end - begin) * sizeof *positions);
}

// A few distinct values, so that there are ties: small numbers, the largest and smallest, zeros and NaN of
// both signs.
static void make_key(char *key, kn_type type, uint64_t *state)
{
    static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN};
    uint64_t bits = test_random(state), chance = test_random(state) % 4;
    double real = chance ? (double)(bits % 40) - 20 : special[bits % 6];
    float single = (float)real;

    if (type == KN_F64)
        memcpy(key, &real, sizeof real);
    else if (type == KN_F32)
        memcpy(key, &single, sizeof single);
    else {
        if (chance)
            bits = bits % 40 - 20;
        memcpy(key, &bits, kn_type_size(type));
    }
}

static void expect_placed(const struct wanted *w, const char *what, const char *after, const char *before,
                          size_t size)
{
    for (size_t i = 0; i < w->n; i++)
        ck_assert_msg(memcmp(after + i * size, before + positions[i] * size, size) == 0,
                      "%s of %s%s, n %zu, segments %zu: what stood at %u is not at %zu", what,
                      kn_type_name(w->type), w->descending ? ", descending" : "", w->n, w->segments,
                      positions[i], i);
}

static void expect_sorts(const struct wanted *w, uint64_t *state)
{
    size_t size = kn_type_size(w->type);
    kn_buffer *key_buffer, *value_buffer, *offset_buffer;

    ck_assert_uint_le(w->n, MAX_N);
    for (size_t i = 0; i < w->n; i++)
        make_key(keys + i * size, w->type, state);
    for (size_t i = 0; i < w->n * w->value_size; i++)
        values[i] = (char)test_random(state);
    key_buffer = test_upload_with_room(keys, w->n * size, ROOM);
    value_buffer = test_upload_with_room(values, w->n * w->value_size, ROOM);
    offset_buffer = test_upload_with_room(offsets, (w->segments + 1) * sizeof *offsets, 0);
    if (w->value_size > 0)
        EXPECT_OK(kn_sort_segments_by_key(queue, key_buffer, w->type, w->n, value_buffer, w->value_size,
                                          offset_buffer, w->segments, w->descending, &err));
    else
        EXPECT_OK(kn_sort_segments(queue, key_buffer, w->type, w->n, offset_buffer, w->segments,
                                   w->descending, &err));
    EXPECT_OK(kn_buffer_read(queue, key_buffer, 0, found, w->n * size, &err));
    EXPECT_OK(kn_buffer_read(queue, value_buffer, 0, found_values, w->n * w->value_size, &err));
    test_expect_poison(key_buffer, w->n * size);
    test_expect_poison(value_buffer, w->n * w->value_size);
    kn_buffer_free(key_buffer);
    kn_buffer_free(value_buffer);
    kn_buffer_free(offset_buffer);
    for (size_t i = 0; i < w->n; i++)
        positions[i] = (uint32_t)i;
    for (size_t i = 0; i < w->segments; i++)
        sort_positions(w, (size_t)offsets[i], (size_t)offsets[i + 1]);
    expect_placed(w, "key", found, keys, size);
    expect_placed(w, "value", found_values, values, w->value_size);
}

static bool walks_as_gpu;

// ---- how segments are cut ----

// Cuts n elements into segments with lengths between `least` and `most`, uniformly distributed on a
// logarithmic scale, one in eight replaced by 0; returns their number.
static size_t cut(size_t n, double least, double most, uint64_t *state)
{
    size_t segments = 0;

    offsets[0] = 0;
    while (offsets[segments] < n) {
        double length = test_random(state) % 8 ? least * pow(most / least, test_uniform(state)) : 0;
        size_t left = n - (size_t)offsets[segments];
        offsets[segments + 1] = offsets[segments] + ((double)left > length ? (size_t)length : left);
        segments++;
        ck_assert_uint_lt(segments, MAX_N * 2 - 10);
    }
    for (uint64_t empty = test_random(state) % 4; empty > 0; empty--, segments++)
        offsets[segments + 1] = n;
    return segments;
}

static size_t largest(void)
{
    return test_is_slow() ? 900 : 70000;
}

static const double lengths[][2] = {{1, 1.5},   {1, 6},       {2, 40},      {17, 17},       {100, 5000},
                                    {1, 50000}, {2816, 2816}, {4864, 4864}, {20000, 60000}, {1e9, 1e9}};
enum { LENGTHS = sizeof lengths / sizeof *lengths };

START_TEST(mixtures)
{
    uint64_t state = test_seed("mixtures");

    for (size_t l = 0; l < LENGTHS; l++)
        for (int i = 0; i < (test_is_slow() ? 1 : 4); i++) {
            struct wanted w = {
                .type = KN_F32, .n = 1 + (size_t)test_random(&state) % largest(), .descending = i % 2};
            w.segments = cut(w.n, lengths[l][0], lengths[l][1], &state);
            expect_sorts(&w, &state);
        }
}
END_TEST

START_TEST(small)
{
    uint64_t state = test_seed("small");

    for (size_t n = 0; n <= (test_is_slow() ? 6 : 70); n += n < 5 ? 1 : 13) {
        struct wanted w = {.type = KN_U32, .n = n};
        w.segments = cut(n, 1, 20, &state);
        expect_sorts(&w, &state);
    }
    for (size_t i = 0; i < 10; i++) // only empty segments
        offsets[i] = 0;
    expect_sorts(&(struct wanted){.type = KN_U32, .n = 0, .segments = 9}, &state);
}
END_TEST

START_TEST(any_type)
{
    uint64_t state = test_seed("any_type");

    // Each case compiles a program: integers in one direction only, and few types if that takes long.
    for (kn_type type = KN_I8; type <= KN_F64; type++)
        for (int descending = 0; descending < 2 && test_takes(type); descending++) {
            struct wanted w = {.type = type, .n = largest() / 4, .descending = descending};
            unsigned few = test_is_slow() || walks_as_gpu ? 4 : 2;
            if ((type < KN_F32 || few == 4) && (unsigned)type % few != (unsigned)descending)
                continue;
            w.segments = cut(w.n, 2, 9000, &state);
            expect_sorts(&w, &state);
        }
}
END_TEST

START_TEST(by_key)
{
    static const size_t sizes[] = {1, 2, 4, 8};
    uint64_t state = test_seed("by_key");

    if (walks_as_gpu && context->quirks.odd_structs_wrong) {
        fprintf(
            stderr,
            "skipped: %s has keys with values wrong in the form for GPUs, which it does not take by itself\n",
            kn_context_get_device(context)->name);
        return;
    }
    for (size_t i = 0; i < (test_is_slow() ? 1 : 4); i++) {
        struct wanted w = {.type = i % 2 ? KN_F32 : KN_I16, .n = largest() / 3, .value_size = sizes[i]};
        w.segments = cut(w.n, 1, 20000, &state);
        expect_sorts(&w, &state);
    }
}
END_TEST

// Segments that begin or end at the ends of tiles, or next to them: tiles have 2,816 or 4,864 elements of 4
// bytes.
START_TEST(edges_of_tiles)
{
    static const size_t tiles[] = {2815, 2816, 2817, 4863, 4864, 4865};
    uint64_t state = test_seed("edges_of_tiles");

    for (size_t t = 0; t < sizeof tiles / sizeof *tiles && !test_is_slow(); t++)
        for (size_t span = 1; span <= 5; span++) {
            size_t tile = tiles[t];
            struct wanted w = {.type = KN_F32, .n = 16 * tile + 5};
            for (w.segments = 0; w.segments * span * tile < w.n; w.segments++)
                offsets[w.segments] = w.segments * span * tile;
            offsets[w.segments] = w.n;
            expect_sorts(&w, &state);
        }
}
END_TEST

// As few passes as the longest segment needs, regardless of the number of elements; one more if tiles are
// smaller because the loops of a work-item are limited.
START_TEST(launches)
{
    uint64_t state = test_seed("launches");
    static const struct {
        double length;
        size_t levels[2]; // one of both
    } cases[] = {{1, {0, 0}}, {10, {0, 1}}, {1000, {1, 1}}, {30000, {3, 4}}};
    size_t n = 60000;

    for (size_t i = 0; i < sizeof cases / sizeof *cases && !test_is_slow(); i++) {
        size_t segments = cut(n, cases[i].length, cases[i].length, &state), merges = 0, count = 0;
        kn_buffer *buffer = test_upload_with_room(keys, n * 4, 0);
        kn_buffer *offset_buffer = test_upload_with_room(offsets, (segments + 1) * sizeof *offsets, 0);
        kn_profile_entry *entries = NULL;
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(kn_sort_segments(queue, buffer, KN_F32, n, offset_buffer, segments, 0, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        for (size_t e = 0; e < count; e++)
            merges += strcmp(entries[e].kernel, "merge_tiles") == 0;
        ck_assert_uint_ge(merges, cases[i].levels[0]);
        ck_assert_uint_le(merges,
                          cases[i].levels[1] + (context->device.info.loop_limit && cases[i].levels[1] > 1));
        kn_free(entries);
        kn_buffer_free(buffer);
        kn_buffer_free(offset_buffer);
    }
}
END_TEST

START_TEST(refusals)
{
    static const uint64_t bad[][4] = {{0, 5, 4, 10}, {1, 5, 6, 10},          {0, 5, 6, 9},
                                      {0, 5, 6, 11}, {0, 5, UINT64_MAX, 10}, {0, UINT64_MAX, 5, 10}};
    const uint64_t good[4] = {0, 0, 10, 10};
    kn_buffer *buffer = test_upload_with_room(keys, 40, 0);

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kn_buffer *offset_buffer = test_upload_with_room(bad[i], sizeof bad[i], 0);
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "must begin with 0, not descend, and end with n = 10",
                       kn_sort_segments(queue, buffer, KN_F32, 10, offset_buffer, 3, 0, &err));
        kn_buffer_free(offset_buffer);
    }
    kn_buffer *offset_buffer = test_upload_with_room(good, sizeof good, 0);
    EXPECT_OK(kn_sort_segments(queue, buffer, KN_F32, 10, offset_buffer, 3, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "offsets holds 4",
                   kn_sort_segments(queue, buffer, KN_F32, 10, offset_buffer, 4, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "-1 segments",
                   kn_sort_segments(queue, buffer, KN_F32, 10, offset_buffer, (size_t)-1, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "offsets is NULL",
                   kn_sort_segments(queue, buffer, KN_F32, 10, NULL, 3, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL",
                   kn_sort_segments(NULL, buffer, KN_F32, 10, offset_buffer, 3, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 10",
                   kn_sort_segments(queue, buffer, KN_F32, 11, offset_buffer, 3, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 segments for 10 elements",
                   kn_sort_segments(queue, buffer, KN_F32, 10, offset_buffer, 0, 0, &err));
    EXPECT_OK(kn_sort_segments(queue, buffer, KN_F32, 0, offset_buffer, 0, 0, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no type",
                   kn_sort_segments(queue, buffer, (kn_type)99, 10, offset_buffer, 3, 0, &err));
    kn_buffer_free(buffer);
    kn_buffer_free(offset_buffer);
}
END_TEST

static void open_as_gpu(void)
{
    test_open();
    walks_as_gpu = true;
    context->device.info.type = KN_DEVICE_GPU;
    context->device.info.max_work_group = test_is_slow() ? 8 : 32; // default sizes are reduced: less to
                                                                   // compile
}

int main(void)
{
    const TTest *const tests[] = {mixtures, small, any_type, by_key, edges_of_tiles, launches, refusals};
    const TTest *const walks[] = {mixtures, small, any_type, by_key};
    int status = test_run("segmented sort", tests, sizeof tests / sizeof *tests, test_open, test_close);

    return status ? status
                  : test_run("segmented sort, as GPUs do it", walks, sizeof walks / sizeof *walks,
                             open_as_gpu, test_close);
}
