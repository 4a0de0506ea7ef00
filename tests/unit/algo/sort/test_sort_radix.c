// SPDX-License-Identifier: Apache-2.0
// Tests the radix sort against qsort: every type, both directions, keys alone, keys with values, indices; and
// that passes which are not needed are left out.
#include "sort_support.h"

#include <koine/experimental.h>

#include "algo/rung.h"

// The lanes, and the forms of KN_SORT_LANES_SERIAL besides the default: the highest digits first, and the
// form that it chooses. Then the form that counts all digits at once.
enum { LANES = 9, SERIAL_BUCKETS = 100, SERIAL_AUTO, ONCE };

// ---- the ways that a device has ----

static bool is_nvidia(void)
{
    return strcmp(kn_context_get_device(context)->backend, "cuda") == 0 ||
           strstr(context->device.extensions, "cl_nv_device_attribute_query");
}

static kn_sort_tuning tuning; // in the options that options_for returned last

// Small tiles on an interpreter, and on a CPU, whose compiler takes half a minute for large ones.
static kn_sort_options options_for(unsigned lanes)
{
    bool cpu = kn_context_get_device(context)->type == KN_DEVICE_CPU;

    tuning = (kn_sort_tuning){.lanes = lanes};
    if (lanes == ONCE) {
        tuning.lanes = cpu ? KN_SORT_LANES_LOCAL : KN_SORT_LANES_AUTO;
        tuning.counting = KN_SORT_COUNTING_ONCE;
    } else if (lanes >= SERIAL_BUCKETS) {
        tuning.lanes = KN_SORT_LANES_SERIAL;
    }
    tuning.digits = lanes == SERIAL_BUCKETS         ? KN_SORT_DIGITS_HIGHEST
                    : lanes == KN_SORT_LANES_SERIAL ? KN_SORT_DIGITS_ALL
                                                    : KN_SORT_DIGITS_AUTO;
    if (tuning.lanes == KN_SORT_LANES_LOCAL && cpu) {
        tuning.radix_group = 256;
        tuning.radix_keys = test_is_slow() ? 1 : 3;
    }
    return KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX, .tuning = &tuning);
}

static size_t lanes_here(unsigned lanes[LANES])
{
    bool subgroups = false;
    size_t count = 0;

    lanes[count++] = KN_SORT_LANES_LOCAL;
    lanes[count++] = KN_SORT_LANES_SERIAL;
    if (kn_context_get_device(context)->type == KN_DEVICE_CPU && !context->device.info.loop_limit) {
        lanes[count++] = SERIAL_BUCKETS;
        lanes[count++] = SERIAL_AUTO;
    }
    if (is_nvidia()) {
        lanes[count++] = KN_SORT_LANES_BALLOT;
        lanes[count++] = KN_SORT_LANES_MATCH;
        lanes[count++] = KN_SORT_LANES_MASKS;
    }
    if ((is_nvidia() || kn_context_get_device(context)->type == KN_DEVICE_CPU) &&
        !context->device.info.loop_limit)
        lanes[count++] = ONCE;
    if (strstr(context->device.extensions, "cl_khr_subgroup_ballot"))
        EXPECT_OK(ki_rung_has_subgroup(context, 2, 0, &subgroups, &err));
    if (subgroups)
        lanes[count++] = KN_SORT_LANES_SUBGROUPS;
    return count;
}

static const size_t sizes[] = {0,    1,    2,    3,    31,   32,    33,    63,    64,    65,
                               127,  128,  129,  255,  256,  257,   511,   512,   513,   1023,
                               1024, 1025, 4095, 4096, 4097, 16383, 16385, 40001, 100003};

// The type affects only the width and the order of keys in a kernel, which every form shares: all types are
// tried with the device's default form, a few with the others, which take long to compile.
static bool is_chosen(kn_type type, unsigned lanes)
{
    unsigned own = is_nvidia()                                             ? KN_SORT_LANES_BALLOT
                   : kn_context_get_device(context)->type == KN_DEVICE_CPU ? KN_SORT_LANES_SERIAL
                                                                           : KN_SORT_LANES_LOCAL;

    if (lanes == ONCE)
        return is_nvidia() || type == KN_F32 || type == KN_I64;
    return lanes == own || lanes >= SERIAL_BUCKETS || type == KN_F32 ||
           (lanes == KN_SORT_LANES_LOCAL && type == KN_I64);
}

static void check_types(unsigned lanes, size_t most, uint64_t *state)
{
    const kn_sort_options options = options_for(lanes);

    for (size_t t = 0; t < COUNT(types); t++)
        for (size_t i = 0; i < COUNT(sizes) && test_takes(types[t]); i++)
            if (sizes[i] <= most && is_chosen(types[t], lanes) && (i % 5 == 3 || !test_is_slow()))
                expect_sorts(sizes[i], types[t], i % 2 ? ANY_BITS : SPECIAL, &options, state);
}

START_TEST(types_and_sizes)
{
    uint64_t state = test_seed("types_and_sizes");
    unsigned lanes[LANES];
    size_t count = lanes_here(lanes);

    for (size_t i = 0; i < count; i++)
        check_types(lanes[i], test_is_slow() ? 300 : MAX_KEYS, &state);
}
END_TEST

START_TEST(descending)
{
    uint64_t state = test_seed("descending");
    unsigned lanes[LANES];
    size_t count = lanes_here(lanes);

    for (size_t i = 0; i < count; i++)
        for (size_t t = 0; t < COUNT(types); t++) {
            kn_sort_options options = options_for(lanes[i]);
            options.order = KN_DESCENDING;
            if (!test_takes(types[t]) || !is_chosen(types[t], lanes[i]) ||
                (types[t] == KN_I64 && !is_chosen(KN_U8, lanes[i])))
                continue;
            expect_sorts(test_is_slow() ? 300 : 20001, types[t], SPECIAL, &options, &state);
        }
}
END_TEST

START_TEST(patterns)
{
    uint64_t state = test_seed("patterns");
    unsigned lanes[LANES];
    size_t count = lanes_here(lanes);

    for (size_t i = 0; i < count; i++)
        for (enum pattern pattern = 0; pattern < PATTERN_COUNT; pattern += test_is_slow() ? 3 : 1) {
            kn_sort_options options = options_for(lanes[i]);
            expect_sorts(test_is_slow() ? 300 : 20000, KN_F32, pattern, &options, &state);
            if (!test_is_slow() && test_takes(KN_F64) && is_chosen(KN_F64, lanes[i]))
                expect_sorts(9999, KN_F64, pattern, &options, &state);
        }
}
END_TEST

START_TEST(values_of_every_size)
{
    static const size_t value_sizes[] = {1, 2, 4, 8, 16};
    uint64_t state = test_seed("values_of_every_size");
    unsigned lanes[LANES];
    size_t count = lanes_here(lanes);

    for (size_t i = 0; i < count; i++)
        for (size_t v = 0; v < COUNT(value_sizes); v++) {
            kn_sort_options options = options_for(lanes[i]);
            if (!is_chosen(KN_U8, lanes[i]) && value_sizes[v] != 4)
                continue;
            size_t n = test_is_slow() ? 300 : 30011;
            expect_moves(n, KN_F32, value_sizes[v], SPECIAL, &options, &state);
            expect_moves(n, KN_F32, value_sizes[v], MOSTLY_TIES, &options, &state);
            if (!is_chosen(KN_U8, lanes[i]))
                continue;
            expect_moves(n, KN_U8, value_sizes[v], ANY_BITS, &options, &state);
            options.order = KN_DESCENDING;
            expect_moves(n, v % 2 ? KN_I16 : KN_F32, value_sizes[v], SPECIAL, &options, &state);
        }
}
END_TEST

START_TEST(values_and_types)
{
    uint64_t state = test_seed("values_and_types");
    kn_sort_options options = options_for(KN_SORT_LANES_AUTO);

    for (size_t t = 0; t < COUNT(types); t++)
        for (size_t i = 0; i < COUNT(sizes) && test_takes(types[t]); i++)
            if (sizes[i] <= (test_is_slow() ? 64 : 5000) && (t % 3 == 0 || is_float(types[t])))
                expect_moves(sizes[i], types[t], 4, i % 2 ? SMALL_INTEGERS : SPECIAL, &options, &state);
}
END_TEST

START_TEST(indices)
{
    uint64_t state = test_seed("indices");
    unsigned lanes[LANES];
    size_t count = lanes_here(lanes);

    for (size_t l = 0; l < count; l++)
        for (size_t t = 0; t < COUNT(types); t++)
            for (size_t i = 0; i < COUNT(sizes) && test_takes(types[t]); i++) {
                kn_sort_options options = options_for(lanes[l]);
                if (sizes[i] > (test_is_slow() ? 32 : 50000) ||
                    (!is_chosen(KN_U8, lanes[l]) && types[t] != KN_F32))
                    continue;
                expect_indices(sizes[i], types[t], t % 2 ? KN_U64 : KN_U32, i % 3 ? SPECIAL : SMALL_INTEGERS,
                               &options, &state);
                options.order = KN_DESCENDING;
                if (i % 5 == 0 && is_chosen(KN_U8, lanes[l]) && t % 4 == 0)
                    expect_indices(sizes[i], types[t], t % 2 ? KN_U64 : KN_U32, SPECIAL, &options, &state);
            }
}
END_TEST

// ---- digits that are left out ----

// Expects as many passes as there are digits that differ, and the right result.
static void expect_passes(size_t n, kn_type type, enum pattern pattern, unsigned lanes, size_t passes,
                          size_t counts, uint64_t *state)
{
    static const char *const kernels[2][2] = {{"count_digits", "scatter_digits"},
                                              {"count_all_digits", "scatter_tiles"}};
    kn_sort_options options = options_for(lanes);
    size_t size = kn_type_size(type), count = 0;
    kn_profile_entry *entries = NULL;
    kn_buffer *buffer;

    tuning.digits = KN_SORT_DIGITS_DIFFERING;
    if (lanes != ONCE)
        tuning.counting = KN_SORT_COUNTING_SEPARATE;
    make_keys(n, type, pattern, state);
    pack(keys, n, size);
    buffer = test_upload_with_room(packed, n * size, 0);
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_sort(queue, buffer, type, n, &options, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t k = 0; k < 2; k++) {
        const char *kernel = kernels[lanes == ONCE][k];
        size_t launches = 0, wanted = k == 0 ? counts : passes;
        for (size_t i = 0; i < count; i++)
            launches += strcmp(entries[i].kernel, kernel) == 0;
        if (k == 0 && lanes == ONCE) // once more where the digits that differ are not aligned to bytes
            wanted = launches == 2 ? 2 : 1;
        ck_assert_msg(launches == wanted, "%s, pattern %d: %zu launches of %s, expected %zu",
                      kn_type_name(type), (int)pattern, launches, kernel, wanted);
    }
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, packed, n * size, &err));
    unpack(found, n, size);
    sorted_type = type;
    sorted_down = false;
    expect_keys(n, type, false);
    kn_free(entries);
    kn_buffer_free(buffer);
}

START_TEST(constant_digits_are_left_out)
{
    static const struct {
        kn_type type;
        enum pattern pattern;
        size_t passes,
            counts; // the first count gathers the masks, and also serves the lowest digit unless that is left
                    // out
    } cases[] = {
        {KN_F32, SMALL_INTEGERS, 2, 3}, {KN_F64, SMALL_INTEGERS, 3, 4}, {KN_F32, ALL_EQUAL, 0, 1},
        {KN_F64, ALL_EQUAL, 0, 1},      {KN_F32, ANY_BITS, 4, 4},       {KN_F64, ANY_BITS, 8, 8},
        {KN_I32, SMALL_INTEGERS, 2, 2}, {KN_I64, SMALL_INTEGERS, 2, 2}, {KN_U16, ANY_BITS, 2, 2},
        {KN_U8, ANY_BITS, 1, 1},        {KN_I8, ALL_EQUAL, 0, 1},       {KN_F32, TWO_VALUES, 1, 1},
    };
    uint64_t state = test_seed("constant_digits_are_left_out");
    unsigned lanes[LANES];
    size_t count = lanes_here(lanes), n = test_is_slow() ? 400 : 5000;

    for (size_t l = 0; l < count; l++)
        for (size_t i = 0; i < COUNT(cases); i++)
            if (test_takes(cases[i].type) && is_chosen(cases[i].type, lanes[l]) &&
                lanes[l] != SERIAL_BUCKETS && lanes[l] != SERIAL_AUTO)
                expect_passes(n, cases[i].type, cases[i].pattern, lanes[l], cases[i].passes, cases[i].counts,
                              &state);
}
END_TEST

// Digits that are left out never affect the order: every pattern, with values.
START_TEST(differing_digits)
{
    uint64_t state = test_seed("differing_digits");
    size_t n = test_is_slow() ? 300 : 3000;
    kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX,
                                      .tuning = &(kn_sort_tuning){.digits = KN_SORT_DIGITS_DIFFERING});

    for (size_t t = 0; t < COUNT(types); t++)
        for (enum pattern pattern = 0; pattern < PATTERN_COUNT && test_takes(types[t]);
             pattern += test_is_slow() ? 4 : 1) {
            expect_sorts(n, types[t], pattern, &options, &state);
            if (types[t] == KN_F32 || types[t] == KN_I16)
                expect_indices(n, types[t], KN_U32, pattern, &options, &state);
            if (types[t] == KN_F64)
                expect_moves(n, types[t], 8, pattern, &options, &state);
        }
}
END_TEST

// ---- many groups, wide positions ----

static void expect_scanned(kn_type type, kn_sort_options options, uint64_t *state)
{
    size_t n = test_is_slow() ? 80000 : MAX_KEYS - 77, count = 0, scans = 0;
    kn_profile_entry *entries = NULL;

    EXPECT_OK(kn_profile_start(queue, &err));
    expect_sorts(n, type, ANY_BITS, &options, state);
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        scans += strcmp(entries[i].kernel, "scan_counts") == 0;
    ck_assert_uint_eq(scans, kn_type_size(type));
    kn_free(entries);
}

START_TEST(many_groups)
{
    uint64_t state = test_seed("many_groups");
    unsigned lanes[LANES];
    size_t count = lanes_here(lanes);

    for (size_t i = 0; i < count && !test_is_slow(); i++) {
        kn_sort_options options = options_for(lanes[i]);
        if (lanes[i] == SERIAL_BUCKETS || lanes[i] == ONCE)
            continue;
        tuning.radix_chunks = 700;
        if (tuning.lanes != KN_SORT_LANES_SERIAL) {
            tuning.radix_group = 256;
            tuning.radix_keys = 1;
        }
        expect_scanned(KN_F32, options, &state);
        tuning.radix_places = 64;
        expect_scanned(KN_U8, options, &state);
        if (!is_chosen(KN_U8, lanes[i]))
            continue;
        options.order = KN_DESCENDING;
        expect_moves(MAX_KEYS - 5, KN_F32, 8, SPECIAL, &options, &state);
        tuning.radix_chunks = 0;
        expect_sorts(5000, KN_U8, SPECIAL, &options, &state);
    }
}
END_TEST

// Counting ahead launches a count only for the first digit, and gives the same result.
static void expect_ahead(size_t n, kn_type type, kn_sort_options options, uint64_t *state)
{
    size_t count = 0, counts = 0;
    kn_profile_entry *entries = NULL;

    tuning.counting = KN_SORT_COUNTING_AHEAD;
    EXPECT_OK(kn_profile_start(queue, &err));
    expect_sorts(n, type, SPECIAL, &options, state);
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    for (size_t i = 0; i < count; i++)
        counts += strcmp(entries[i].kernel, "count_digits") == 0;
    ck_assert_uint_eq(counts, 1);
    kn_free(entries);
    expect_moves(n, type, 4, SPECIAL, &options, state);
    tuning.digits = KN_SORT_DIGITS_DIFFERING;
    expect_sorts(n, type, SMALL_INTEGERS, &options, state);
}

START_TEST(counting_ahead)
{
    uint64_t state = test_seed("counting_ahead");
    unsigned lanes[LANES];
    size_t count = lanes_here(lanes);

    for (size_t i = 0; i < count; i++)
        for (size_t k = 0;
             k < 3 && lanes[i] != ONCE && options_for(lanes[i]).tuning->lanes != KN_SORT_LANES_SERIAL; k++) {
            kn_sort_options options = options_for(lanes[i]);
            size_t tile = test_is_slow() ? 200 : 5000;
            expect_ahead(k * tile + 3, KN_F32, options, &state);
            tuning.radix_chunks = 3;
            if (is_chosen(KN_U16, lanes[i]))
                expect_ahead(k * tile + 999, KN_U16, options, &state);
        }
}
END_TEST

START_TEST(refusals)
{
    kn_buffer *buffer = test_upload_with_room(packed, 4096, 0),
              *other = test_upload_with_room(packed, 4096, 0);
    const kn_sort_tuning bad[] = {
        {.radix_group = 128}, {.radix_group = 300}, {.radix_group = 2048}, {.radix_keys = 33}};
    const kn_sort_options bitonic = KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC),
                          narrow = KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.radix_places = 16});

    for (size_t i = 0; i < COUNT(bad); i++)
        EXPECT_REFUSED(
            KN_ERROR_ARGUMENT, "a multiple of 32 from 256 to 1024",
            kn_sort(queue, buffer, KN_F32, 10, &KN_INIT(kn_sort_options, .tuning = &bad[i]), &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no lanes",
                   kn_sort(queue, buffer, KN_F32, 10,
                           &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.lanes = (kn_sort_lanes)99}),
                           &err));
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "no digits",
        kn_sort(queue, buffer, KN_F32, 10,
                &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.digits = (kn_sort_digits)99}), &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "32 or 64",
                   kn_sort_by_key(queue, buffer, KN_F32, 10, other, 4, &narrow, &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "not stable",
                   kn_sort_by_key(queue, buffer, KN_F32, 10, other, 4, &bitonic, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "1, 2, 4, 8 or 16",
                   kn_sort_by_key(queue, buffer, KN_F32, 10, other, 3, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "1, 2, 4, 8 or 16",
                   kn_sort_by_key(queue, buffer, KN_F32, 10, other, 32, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "one buffer",
                   kn_sort_by_key(queue, buffer, KN_F32, 10, buffer, 4, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 512",
                   kn_sort_by_key(queue, buffer, KN_F32, 513, other, 8, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL",
                   kn_sort_by_key(queue, buffer, KN_F32, 513, NULL, 8, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "KN_U32 or KN_U64",
                   kn_argsort(queue, buffer, KN_F32, 10, other, KN_I32, NULL, &err));
    EXPECT_REFUSED(
        KN_ERROR_UNSUPPORTED, "KN_SORT_COUNTING_ONCE",
        kn_sort(queue, buffer, KN_F32, 10,
                &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.lanes = KN_SORT_LANES_SERIAL,
                                                                      .counting = KN_SORT_COUNTING_ONCE}),
                &err));
    if (!is_nvidia())
        EXPECT_REFUSED(
            KN_ERROR_UNSUPPORTED, "KN_SORT_LANES_LOCAL",
            kn_sort(queue, buffer, KN_F32, 10,
                    &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.lanes = KN_SORT_LANES_BALLOT}),
                    &err));
    context->device.info.local_memory = 8192;
    EXPECT_REFUSED(
        KN_ERROR_LIMIT, "bytes of local memory",
        kn_sort(queue, buffer, KN_F32, 10,
                &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.lanes = KN_SORT_LANES_LOCAL}), &err));
    kn_buffer_free(buffer);
    kn_buffer_free(other);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {types_and_sizes,
                                  descending,
                                  patterns,
                                  values_of_every_size,
                                  values_and_types,
                                  indices,
                                  constant_digits_are_left_out,
                                  differing_digits,
                                  many_groups,
                                  counting_ahead,
                                  refusals};

    return test_run("sort_radix", tests, COUNT(tests), test_open, test_close);
}
