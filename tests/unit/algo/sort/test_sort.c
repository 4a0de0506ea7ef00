// SPDX-License-Identifier: Apache-2.0
// Tests kn_sort's bitonic sort against qsort, bit by bit: numbers as sign and magnitude, NaN last as a set;
// and what kn_sort refuses.
#include "small_block.h"

#include <koine/experimental.h>
#include "support/buffers.h"
#include "support/run.h"

#include "algo/sort/sort.h"

#define MAX_KEYS ((size_t)1 << 18)

// Keys of any type are kept as bits in 64-bit cells until they go to the device.
struct format {
    kn_type type;
    unsigned width;    // bits
    unsigned mantissa; // bits of it
};

static const struct format single_format = {KN_F32, 32, 23};
static const struct format double_format = {KN_F64, 64, 52};

static uint64_t sign_of(const struct format *format)
{
    return (uint64_t)1 << (format->width - 1);
}

static uint64_t infinity_of(const struct format *format)
{
    return sign_of(format) - ((uint64_t)1 << format->mantissa);
}

static bool is_nan(const struct format *format, uint64_t bits)
{
    return (bits & ~sign_of(format)) > infinity_of(format);
}

static int by_value(const uint64_t *a, const uint64_t *b, const struct format *format)
{
    uint64_t sign = sign_of(format);
    bool left_nan = is_nan(format, *a), right_nan = is_nan(format, *b);
    int magnitudes = test_by_bits(&(uint64_t){*a & ~sign}, &(uint64_t){*b & ~sign});

    if (left_nan || right_nan)
        return left_nan && right_nan ? test_by_bits(a, b) : left_nan - right_nan;
    if ((*a ^ *b) & sign)
        return *a & sign ? -1 : 1;
    return *a & sign ? -magnitudes : magnitudes;
}

static int by_single_value(const void *a, const void *b)
{
    return by_value(a, b, &single_format);
}

static int by_double_value(const void *a, const void *b)
{
    return by_value(a, b, &double_format);
}

static void sort_on_host(uint64_t *keys, size_t n, const struct format *format)
{
    qsort(keys, n, sizeof *keys, format->type == KN_F64 ? by_double_value : by_single_value);
}

// ---- what is sorted ----

enum pattern {
    ANY_BITS,
    PLAIN,
    SPECIAL,
    ALL_EQUAL,
    TWO_VALUES,
    MOSTLY_TIES,
    DENORMAL,
    ONLY_NAN,
    ASCENDING,
    DESCENDING,
    PATTERN_COUNT
};

// Zeros, infinities and NaN of both signs, the largest, the smallest normal and denormal numbers.
static uint64_t special_key(const struct format *format, uint64_t *state)
{
    uint64_t infinity = infinity_of(format), one = (uint64_t)1 << format->mantissa;
    const uint64_t magnitudes[] = {0,
                                   0,
                                   1,
                                   one - 1,
                                   one,
                                   infinity - 1,
                                   infinity,
                                   infinity,
                                   infinity + 1,
                                   infinity + one / 2,
                                   infinity + one / 2 + 12345,
                                   sign_of(format) - 1,
                                   infinity / 2};
    size_t count = sizeof magnitudes / sizeof *magnitudes;

    return magnitudes[test_random(state) % count] | (test_random(state) % 2 ? sign_of(format) : 0);
}

static uint64_t any_key(const struct format *format, enum pattern pattern, uint64_t *state)
{
    uint64_t bits = test_random(state) >> (64 - format->width);
    uint64_t sign = bits & sign_of(format), fraction = bits & (((uint64_t)1 << format->mantissa) - 1);

    switch (pattern) {
    case PLAIN: // in [1, 2) and (-2, -1]
    case ASCENDING:
    case DESCENDING:
        return sign | (infinity_of(format) / 2 + fraction);
    case SPECIAL:
        return test_random(state) % 2 ? special_key(format, state) : bits;
    case ALL_EQUAL:
        return infinity_of(format) / 2 + 7;
    case TWO_VALUES:
        return sign; // -0 and 0
    case MOSTLY_TIES:
        return test_random(state) % 100 ? infinity_of(format) / 2 : bits;
    case DENORMAL:
        return sign | (fraction >> test_random(state) % format->mantissa);
    case ONLY_NAN:
        return sign | infinity_of(format) | (fraction | 1);
    default:
        return bits;
    }
}

static void make_keys(uint64_t *keys, size_t n, const struct format *format, enum pattern pattern,
                      uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = any_key(format, pattern, state);
    if (pattern == ASCENDING || pattern == DESCENDING)
        sort_on_host(keys, n, format);
    for (size_t i = 0; i < n / 2 && pattern == DESCENDING; i++) {
        uint64_t swapped = keys[i];
        keys[i] = keys[n - 1 - i];
        keys[n - 1 - i] = swapped;
    }
}

// ---- comparing ----

static void pack(void *packed, const uint64_t *keys, size_t n, const struct format *format)
{
    for (size_t i = 0; i < n; i++)
        if (format->width == 64)
            ((uint64_t *)packed)[i] = keys[i];
        else
            ((uint32_t *)packed)[i] = (uint32_t)keys[i];
}

static void unpack(uint64_t *keys, const void *packed, size_t n, const struct format *format)
{
    for (size_t i = 0; i < n; i++)
        keys[i] = format->width == 64 ? ((const uint64_t *)packed)[i] : ((const uint32_t *)packed)[i];
}

static void expect_sorted(uint64_t *found, uint64_t *expected, size_t n, const struct format *format)
{
    size_t numbers = 0;

    sort_on_host(expected, n, format);
    while (numbers < n && !is_nan(format, expected[numbers]))
        numbers++;
    for (size_t i = numbers; i < n; i++)
        ck_assert_msg(is_nan(format, found[i]), "n %zu: key %zu is %llx, a number among NaN", n, i,
                      (unsigned long long)found[i]);
    qsort(found + numbers, n - numbers, sizeof *found, test_by_bits);
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(found[i] == expected[i], "n %zu: key %zu is %llx, expected %llx", n, i,
                      (unsigned long long)found[i], (unsigned long long)expected[i]);
}

static uint64_t keys[MAX_KEYS], found[MAX_KEYS], packed[MAX_KEYS];

static void expect_sorts(size_t n, const struct format *format, enum pattern pattern,
                         const kn_sort_options *options, uint64_t *state)
{
    static const kn_sort_options bitonic = {.struct_size = sizeof(kn_sort_options),
                                            .algorithm = KN_SORT_BITONIC};
    size_t bytes = n * format->width / 8;
    kn_buffer *buffer;

    ck_assert_uint_le(n, MAX_KEYS);
    make_keys(keys, n, format, pattern, state);
    pack(packed, keys, n, format);
    buffer = test_upload_with_room(packed, bytes, 200);
    EXPECT_OK(kn_sort(queue, buffer, format->type, n, options ? options : &bitonic, &err));
    EXPECT_OK(kn_buffer_read(queue, buffer, 0, packed, bytes, &err));
    test_expect_poison(buffer, bytes);
    kn_buffer_free(buffer);
    unpack(found, packed, n, format);
    expect_sorted(found, keys, n, format);
}

static void check_sizes(const struct format *format)
{
    static const size_t small[] = {0,  1,  2,  3,  4,   5,   7,   8,   9,   31, 32,
                                   33, 63, 64, 65, 127, 128, 129, 255, 256, 257};
    uint64_t state = test_seed("sizes");

    if (!test_takes(format->type))
        return;
    for (size_t i = 0; i < sizeof small / sizeof *small; i += test_is_slow() ? 2 : 1)
        expect_sorts(small[i], format, SPECIAL, small_block(), &state);
    if (test_is_slow())
        return;
    for (unsigned log2 = 9; log2 <= 17; log2++)
        for (size_t n = ((size_t)1 << log2) - 1; n <= ((size_t)1 << log2) + 1; n++)
            expect_sorts(n, format, SPECIAL, NULL, &state);
    for (int i = 0; i < 30; i++)
        expect_sorts(1 + test_random(&state) % 40000, format, i % 2 ? ANY_BITS : SPECIAL, NULL, &state);
    expect_sorts(100003, format, SPECIAL, NULL, &state);
}

START_TEST(sizes_single)
{
    check_sizes(&single_format);
}
END_TEST

START_TEST(sizes_double)
{
    check_sizes(&double_format);
}
END_TEST

static void check_patterns(const struct format *format)
{
    static const size_t sizes[] = {100, 777, 4097, 20000};
    uint64_t state = test_seed("patterns");

    if (!test_takes(format->type))
        return;
    for (size_t i = 0; i < (test_is_slow() ? 1 : sizeof sizes / sizeof *sizes); i++)
        for (enum pattern pattern = 0; pattern < PATTERN_COUNT; pattern++)
            expect_sorts(sizes[i], format, pattern, small_block(), &state);
}

START_TEST(patterns_single)
{
    check_patterns(&single_format);
}
END_TEST

START_TEST(patterns_double)
{
    check_patterns(&double_format);
}
END_TEST

// Whether a block of this shape fits the device.
static bool fits(const struct format *format, unsigned log2_group, unsigned log2_keys)
{
    const kn_device_info *info = kn_context_get_device(context);
    uint64_t slots = ((uint64_t)1 << (log2_group + log2_keys)) + ((uint64_t)1 << log2_group);

    return (uint64_t)1 << log2_group <= info->max_work_group &&
           slots * format->width / 8 <= ki_engine_local_arrays(info);
}

// The driver's compiler would crash this process (src/engine/device/quirks.c).
static void expect_no_crash(kn_type type, const kn_sort_options *options)
{
    kn_buffer *buffer = test_upload_with_room(packed, 1000, 0);

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "crashes on more than",
                   kn_sort(queue, buffer, type, 100, options, &err));
    kn_buffer_free(buffer);
}

static void sort_shape(const struct format *format, unsigned log2_group, unsigned log2_keys, uint64_t *state)
{
    const kn_sort_options options = KN_INIT(
        kn_sort_options, .tuning = &(kn_sort_tuning){.log2_group = log2_group, .log2_keys = log2_keys});
    size_t block = (size_t)1 << (log2_group + log2_keys);
    const size_t sizes[] = {2,         block - 1,     block,           block + 1,     3 * block + 5,
                            8 * block, 8 * block + 1, 37 * block + 11, 70 * block - 1};

    if (context->quirks.bitonic_keys && 1u << log2_keys > context->quirks.bitonic_keys) {
        if (fits(format, log2_group, log2_keys))
            expect_no_crash(format->type, &options);
        return;
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && fits(format, log2_group, log2_keys); i++)
        if (sizes[i] <= (test_is_slow() ? 400 : (size_t)150000))
            expect_sorts(sizes[i], format, i % 2 ? SPECIAL : PLAIN, &options, state);
}

// Each shape is a different network, above all where a stage begins and where a block ends. A shape takes
// seconds to compile: those are tried in which a number of steps is a multiple of another or not, and some
// random others.
static void check_shapes(const struct format *format, size_t count, int more)
{
    static const unsigned shapes[][2] = {{5, 2}, {5, 3}, {8, 5}, {6, 4}, {10, 2}};
    uint64_t state = test_seed("shapes");

    if (!test_takes(format->type))
        return;
    for (size_t i = 0; i < (test_is_slow() ? 2 : count); i++)
        sort_shape(format, shapes[i][0], shapes[i][1], &state);
    for (int i = 0; i < more && !test_is_slow(); i++)
        sort_shape(format, (unsigned)(5 + test_random(&state) % 6), (unsigned)(2 + test_random(&state) % 4),
                   &state);
}

START_TEST(shapes_single)
{
    check_shapes(&single_format, 5, 1);
}
END_TEST

START_TEST(shapes_double)
{
    check_shapes(&double_format, 2, 1);
}
END_TEST

// Oclgrind 21.10 wrongly reports a filled buffer as uninitialised.
static bool takes_padding(void)
{
    if (test_is_slow())
        fprintf(stderr, "skipped: padding, in which Oclgrind sees uninitialised memory\n");
    return !test_is_slow();
}

// The classical network on a copy: the result is the same, and nothing after element n is touched.
START_TEST(power_of_two)
{
    static const size_t sizes[] = {0, 1, 2, 3, 5, 64, 100, 129, 300, 4097, 65537, 131071};
    uint64_t state = test_seed("power_of_two");
    kn_sort_options options = KN_INIT(
        kn_sort_options,
        .tuning = &(kn_sort_tuning){.padding = KN_SORT_POWER_OF_TWO, .log2_group = 5, .log2_keys = 2});

    if (!takes_padding())
        return;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int width = 0; width < 1 + kn_context_get_device(context)->fp64; width++) {
            const struct format *format = width ? &double_format : &single_format;
            expect_sorts(sizes[i], format, SPECIAL, &options, &state);
            expect_sorts(sizes[i], format, ONLY_NAN, &options, &state);
        }
}
END_TEST

// ---- which kernels run ----

// Expects one sort_blocks; for every later stage k, whose steps are at 2^(k - 1) ... 1: a merge_global for
// the first `log2_keys` of them, one more for every `log2_keys` until a block holds the rest, and a
// merge_local.
static void expect_launches(size_t n, const kn_sort_tuning *tuning)
{
    unsigned block = tuning->log2_group + tuning->log2_keys;
    size_t global = 0, local = 0, count = 0;
    kn_profile_entry *entries = NULL;
    kn_buffer *buffer;

    for (unsigned stage = block + 1; (size_t)1 << (stage - 1) < n; stage++) {
        unsigned left = stage - tuning->log2_keys;
        global += 1 + (left > block ? (left - block + tuning->log2_keys - 1) / tuning->log2_keys : 0);
        local++;
    }
    buffer = test_upload_with_room(packed, n * sizeof(float), 0);
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_sort(queue, buffer, KN_F32, n, &KN_INIT(kn_sort_options, .tuning = tuning), &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(test_count_kernel(entries, count, "sort_blocks"), 1);
    ck_assert_uint_eq(test_count_kernel(entries, count, "merge_global"), global);
    ck_assert_uint_eq(test_count_kernel(entries, count, "merge_local"), local);
    ck_assert_uint_eq(count, 1 + global + local);
    ck_assert_str_eq(entries[0].kernel, "sort_blocks");
    kn_free(entries);
    kn_buffer_free(buffer);
}

START_TEST(launches)
{
    kn_sort_tuning tuning = {.log2_group = 5, .log2_keys = 2};
    size_t largest = test_is_slow() ? 256 : 131073;

    memset(packed, 0, sizeof packed);
    for (int padded = 0; padded < 1 + takes_padding(); padded++) {
        static const size_t sizes[] = {2, 127, 128, 129, 256, 257, 1000, 4096, 4097, 65536, 131072, 131073};
        tuning.padding = padded ? KN_SORT_POWER_OF_TWO : KN_SORT_IN_PLACE;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && sizes[i] <= largest; i++)
            expect_launches(sizes[i], &tuning);
    }
}
END_TEST

// Keeps the first launch of a sort from the log: "sort_blocks: 128 x 1 x 1 work-items".
static void keep_blocks(void *user, kn_log_level level, const char *message)
{
    if (level == KN_LOG_DEBUG && strncmp(message, "sort_blocks:", 12) == 0)
        *(size_t *)user = (size_t)strtoull(message + 12, NULL, 10);
}

// The padding really runs: 33 blocks of 128 become 64.
START_TEST(padding_runs_larger)
{
    size_t items = 0;
    kn_context_options watched =
        KN_INIT(kn_context_options, .log = keep_blocks, .log_user = &items, .debug_sync = 1);
    kn_sort_tuning tuning = {.log2_group = 5, .log2_keys = 2};
    const kn_sort_options options = KN_INIT(kn_sort_options, .tuning = &tuning);
    size_t n = 4097, blocks[2] = {0, 0};
    kn_buffer *buffer;

    test_open_with(&watched);
    buffer = test_upload_with_room(packed, n * sizeof(float), 0);
    for (int padded = 0; padded < 1 + takes_padding(); padded++) {
        tuning.padding = padded ? KN_SORT_POWER_OF_TWO : KN_SORT_IN_PLACE;
        EXPECT_OK(kn_sort(queue, buffer, KN_F32, n, &options, &err));
        blocks[padded] = items / 32;
    }
    ck_assert_uint_eq(blocks[0], 33);
    if (!test_is_slow())
        ck_assert_uint_eq(blocks[1], 64);
    kn_buffer_free(buffer);
    test_close();
}
END_TEST

// ---- refusals and limits ----

START_TEST(refusals)
{
    static const struct {
        unsigned log2_group, log2_keys;
    } bad[] = {{4, 4}, {11, 4}, {7, 1}, {7, 6}, {1, 0}, {0, 1}, {0, 6}, {40, 40}};
    kn_buffer *buffer = test_upload_with_room(packed, 1000, 0);
    kn_context *other = NULL;
    kn_buffer *foreign = NULL, *indices = test_upload_with_room(packed, 1000, 0);

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no type", kn_sort(queue, buffer, (kn_type)99, 10, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no algorithm",
                   kn_sort(queue, buffer, KN_F32, 10,
                           &KN_INIT(kn_sort_options, .algorithm = (kn_sort_algorithm)9), &err));
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "merge",
                   kn_argsort(queue, buffer, KN_F32, 10, indices, KN_U32,
                              &KN_INIT(kn_sort_options, .algorithm = KN_SORT_MERGE), &err));
    kn_buffer_free(indices);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 250", kn_sort(queue, buffer, KN_F32, 251, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 250", kn_sort(queue, buffer, KN_F32, (size_t)-1, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_sort(NULL, buffer, KN_F32, 10, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_sort(queue, NULL, KN_F32, 10, NULL, &err));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kn_sort_options options = KN_INIT(
            kn_sort_options, .algorithm = KN_SORT_BITONIC,
            .tuning = &(kn_sort_tuning){.log2_group = bad[i].log2_group, .log2_keys = bad[i].log2_keys});
        EXPECT_REFUSED(KN_ERROR_ARGUMENT, "5 to 10 and 2 to 5",
                       kn_sort(queue, buffer, KN_F32, 10, &options, &err));
    }
    EXPECT_REFUSED(
        KN_ERROR_ARGUMENT, "padding",
        kn_sort(queue, buffer, KN_F32, 10,
                &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.padding = (kn_sort_padding)7}), &err));
    EXPECT_OK(kn_context_open(NULL, NULL, &other, &err));
    EXPECT_OK(kn_buffer_create(other, 1000, &foreign, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "another context", kn_sort(queue, foreign, KN_F32, 10, NULL, &err));
    kn_buffer_free(foreign);
    kn_context_close(other);
    // As if the device had no double precision.
    context->device.info.fp64 = 0;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "double precision", kn_sort(queue, buffer, KN_F64, 10, NULL, &err));
    kn_buffer_free(buffer);
}
END_TEST

START_TEST(parts_are_refused)
{
    kn_context_options small = KN_INIT(kn_context_options, .max_alloc = 4096);
    kn_buffer *buffer = NULL;

    test_open_with(&small);
    EXPECT_OK(kn_buffer_create(context, 5000, &buffer, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "in parts", kn_sort(queue, buffer, KN_F32, 10, NULL, &err));
    EXPECT_OK(kn_buffer_write(queue, kn_buffer_get_part(buffer, 1), 0, (float[]){2, 1}, 8, &err));
    EXPECT_OK(kn_sort(queue, kn_buffer_get_part(buffer, 1), KN_F32, 2, NULL, &err));
    kn_buffer_free(buffer);
    // The padded copy may be too large where the column is not.
    buffer = test_upload_with_room(packed, 3000, 0);
    if (takes_padding())
        EXPECT_OK(kn_sort(
            queue, buffer, KN_F32, 750,
            &KN_INIT(kn_sort_options,
                     .tuning =
                         &(kn_sort_tuning){.padding = KN_SORT_POWER_OF_TWO, .log2_group = 5, .log2_keys = 2}),
            &err));
    kn_buffer_free(buffer);
    context->device.info.max_alloc = 3000;
    EXPECT_OK(kn_buffer_create(context, 3000, &buffer, &err));
    EXPECT_REFUSED(
        KN_ERROR_LIMIT, "more than one allocation",
        kn_sort(queue, buffer, KN_F32, 750,
                &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.padding = KN_SORT_POWER_OF_TWO,
                                                                      .log2_group = 5,
                                                                      .log2_keys = 2}),
                &err));
    kn_buffer_free(buffer);
    test_close();
}
END_TEST

// Default sizes are halved until they fit a small device; requested sizes are not.
START_TEST(small_devices)
{
    uint64_t state = test_seed("small_devices");
    kn_device_info *info = &context->device.info;
    const uint64_t local = info->local_memory, group = info->max_work_group;
    kn_buffer *buffer = test_upload_with_room(packed, 1000, 0);

    for (uint64_t bytes = 32768; bytes >= 16384; bytes /= 2) {
        info->local_memory = bytes < local ? bytes : local;
        if (!test_is_slow())
            expect_sorts(10000, info->fp64 ? &double_format : &single_format, SPECIAL, NULL, &state);
    }
    info->max_work_group = 32;
    expect_sorts(test_is_slow() ? 100 : 10000, &single_format, SPECIAL, NULL, &state);
    // A requested number of keys, with the group size left to the device.
    expect_sorts(100, &single_format, SPECIAL,
                 &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.log2_group = 0, .log2_keys = 2}),
                 &state);
    EXPECT_REFUSED(
        KN_ERROR_LIMIT, "groups of 64 work-items",
        kn_sort(queue, buffer, KN_F32, 10,
                &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.log2_group = 6, .log2_keys = 0}),
                &err));
    info->max_work_group = 16;
    EXPECT_REFUSED(
        KN_ERROR_LIMIT, "groups of 32 work-items",
        kn_sort(queue, buffer, KN_F32, 10, &KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC), &err));
    info->max_work_group = group;
    info->local_memory = local;
    context->quirks.bitonic_keys = 4; // as if this driver's compiler crashed on more
    EXPECT_OK(kn_sort(queue, buffer, KN_F32, 10,
                      &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.log2_group = 5, .log2_keys = 2}),
                      &err));
    expect_no_crash(KN_F32,
                    &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.log2_group = 5, .log2_keys = 3}));
    info->local_memory = 2048;
    EXPECT_REFUSED(
        KN_ERROR_LIMIT, "bytes of local memory",
        kn_sort(queue, buffer, KN_F32, 10,
                &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.log2_group = 7, .log2_keys = 5}),
                &err));
    kn_buffer_free(buffer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sizes_single,  sizes_double,  patterns_single, patterns_double,
                                  shapes_single, shapes_double, power_of_two,    launches,
                                  refusals,      small_devices};
    const TTest *const own_device[] = {padding_runs_larger, parts_are_refused};
    int status = test_run("sort", tests, sizeof tests / sizeof *tests, test_open, test_close);

    return status ? status : test_run("sort, devices of their own", own_device, 2, NULL, NULL);
}
