// SPDX-License-Identifier: Apache-2.0
// Tests kn_sort_less and kn_sort_less_by_key against a stable merge sort on the host, so that only one answer
// is right, bit by bit.
#include "support/buffers.h"

#include <koine/experimental.h>
#include "support/run.h"

#include <math.h>

#define MAX_BYTES ((size_t)1 << 22)
#define ROOM      200

// ---- orders: OpenCL C for the device, C for the reference ----

typedef int less_function(const void *a, const void *b);

// A value of `type` at an address that need not be aligned.
#define AT(type, name, address)                                                                              \
    type name;                                                                                               \
    memcpy(&name, address, sizeof name)

#define ORDER_OF(name, type, expression)                                                                     \
    static int name(const void *left, const void *right)                                                     \
    {                                                                                                        \
        AT(type, a, left);                                                                                   \
        AT(type, b, right);                                                                                  \
        return expression;                                                                                   \
    }

struct pair {
    float x, y;
};
struct particle {
    double energy;
    int32_t cell;
    char kind;
    char unused[3];
};
struct triple {
    unsigned char c[3];
};
struct large {
    uint32_t word[25];
};

ORDER_OF(less_i8, int8_t, a < b)
ORDER_OF(less_u8, uint8_t, a > b)
ORDER_OF(less_i16, int16_t, a < b)
ORDER_OF(less_u16, uint16_t, a % 100 < b % 100)
ORDER_OF(less_i32, int32_t, a < b)
ORDER_OF(less_u32, uint32_t, a > b)
ORDER_OF(less_i64, int64_t, a < b)
ORDER_OF(less_u64, uint64_t, (a & 0xff) < (b & 0xff))
ORDER_OF(less_f32, float, a < b)
ORDER_OF(less_f64, double, a > b)
ORDER_OF(less_pair, struct pair, a.x < b.x)
ORDER_OF(less_particle, struct particle, a.cell < b.cell || (a.cell == b.cell && a.energy > b.energy))
ORDER_OF(less_triple, struct triple, a.c[1] < b.c[1])
ORDER_OF(less_large, struct large, a.word[24] < b.word[24])

static int less_never(const void *left, const void *right)
{
    (void)left;
    (void)right;
    return 0;
}

static const struct order {
    kn_less less;
    less_function *host;
    unsigned char bits; // random bits of each byte: few bits give ties
} orders[] = {
    {{.struct_size = sizeof(kn_less), .type = "char", .size = 1, .less = "a < b"}, less_i8, 0xff},
    {{.struct_size = sizeof(kn_less), .type = "uchar", .size = 1, .less = "a > b"}, less_u8, 0x0f},
    {{.struct_size = sizeof(kn_less), .type = "short", .size = 2, .less = "a < b"}, less_i16, 0xff},
    {{.struct_size = sizeof(kn_less), .type = "ushort", .size = 2, .less = "a % 100 < b % 100"},
     less_u16,
     0xff},
    {{.struct_size = sizeof(kn_less), .type = "int", .size = 4, .less = "a < b"}, less_i32, 0xff},
    {{.struct_size = sizeof(kn_less), .type = "uint", .size = 4, .less = "a > b"}, less_u32, 0x03},
    {{.struct_size = sizeof(kn_less), .type = "long", .size = 8, .less = "a < b"}, less_i64, 0xff},
    {{.struct_size = sizeof(kn_less), .type = "ulong", .size = 8, .less = "(a & 0xff) < (b & 0xff)"},
     less_u64,
     0xff},
    {{.struct_size = sizeof(kn_less), .type = "float", .size = 4, .less = "a < b"}, less_f32, 0x3f},
    {{.struct_size = sizeof(kn_less), .type = "double", .size = 8, .less = "a > b"}, less_f64, 0x3f},
    {{.struct_size = sizeof(kn_less), .type = "float2", .size = 8, .less = "a.x < b.x"}, less_pair, 0x30},
    {{.struct_size = sizeof(kn_less),
      .type = "struct particle",
      .size = 16,
      .less = "before(&a, &b)",
      .definitions = "struct particle { // of a simulation\n"
                     "    double energy; int cell; char kind; char unused[3];\n"
                     "};\n"
                     "inline int before(const struct particle *a, const struct particle *b)\n"
                     "{\n"
                     "    return a->cell < b->cell || (a->cell == b->cell && a->energy > b->energy);\n"
                     "}\n"},
     less_particle,
     0x21},
    {{.struct_size = sizeof(kn_less),
      .type = "triple",
      .size = 3,
      .less = "a.c[1] < b.c[1]",
      .definitions = "typedef struct { uchar c[3]; } triple;"},
     less_triple,
     0xff},
    {{.struct_size = sizeof(kn_less),
      .type = "large",
      .size = 100,
      .less = "a.word[24] < b.word[24]",
      .definitions = "typedef struct { uint word[25]; } large;"},
     less_large,
     0x11},
    {{.struct_size = sizeof(kn_less), .type = "uint", .size = 4, .less = "0"}, less_never, 0xff},
};
enum {
    ORDERS = sizeof orders / sizeof *orders,
    U32 = 5,
    F32 = 8,
    F64 = 9,
    PAIR = 10,
    PARTICLE = 11,
    TRIPLE = 12,
    LARGE = 13
};

// Whether the device supports the type's numbers, and copies its structs exactly; otherwise the sort is
// refused.
static bool takes(const struct order *order)
{
    if (context->quirks.odd_structs_wrong && order == &orders[TRIPLE]) {
        kn_buffer *buffer = test_upload_with_room("abcdef", 6, 0);

        EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "copies structs wrong",
                       kn_sort_less(queue, buffer, 2, &order->less, &err));
        kn_buffer_free(buffer);
        return false;
    }
    return test_takes(order == &orders[F64] || order == &orders[PARTICLE] ? KN_F64 : KN_U8);
}

// ---- the reference ----

// A bottom-up merge sort of `positions`, the positions of the elements in order.
static void sort_positions(uint32_t *positions, size_t n, const char *elements, const struct order *order)
{
    uint32_t *from = positions, *to = malloc((n + 1) * sizeof *to), *spare = to;
    size_t size = order->less.size;

    ck_assert_ptr_nonnull(to);
    for (size_t i = 0; i < n; i++)
        positions[i] = (uint32_t)i;
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t begin = 0; begin < n; begin += 2 * run) {
            size_t middle = begin + run < n ? begin + run : n, end = middle + run < n ? middle + run : n;
            size_t a = begin, b = middle;
            for (size_t i = begin; i < end; i++)
                to[i] = a < middle && (b == end ||
                                       !order->host(elements + from[b] * size, elements + from[a] * size))
                            ? from[a++]
                            : from[b++];
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != positions)
        memcpy(positions, from, n * sizeof *positions);
    free(spare);
}

static char elements[MAX_BYTES], found[MAX_BYTES], values[MAX_BYTES], found_values[MAX_BYTES];
static uint32_t positions[MAX_BYTES];

static bool walks_as_gpu;

static void make_elements(size_t n, const struct order *order, uint64_t *state)
{
    for (size_t i = 0; i < n * order->less.size; i++)
        elements[i] = (char)(test_random(state) & order->bits);
}

static void expect_placed(const char *what, const char *after, const char *before, size_t size, size_t n,
                          const char *type)
{
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(memcmp(after + i * size, before + positions[i] * size, size) == 0,
                      "%s of type %s, n %zu: what stood at %u is not at %zu", what, type, n, positions[i], i);
}

// A small tile if an interpreter has to sort it, or if a CPU's compiler takes long for a GPU's code.
static void choose_tile(kn_less *less)
{
    static const kn_merge_tuning small = {.group = 8, .items = 3};

    if ((test_is_slow() || walks_as_gpu) && !less->tuning)
        less->tuning = &small;
}

static void expect_sorts_by_key(size_t n, const struct order *order, size_t value_size, uint64_t *state)
{
    size_t bytes = n * order->less.size;
    kn_less less = order->less;
    kn_buffer *keys, *payload;

    ck_assert_uint_le(bytes, MAX_BYTES);
    ck_assert_uint_le(n * value_size, MAX_BYTES);
    choose_tile(&less);
    make_elements(n, order, state);
    for (size_t i = 0; i < n * value_size; i++)
        values[i] = (char)test_random(state);
    keys = test_upload_with_room(elements, bytes, ROOM);
    payload = test_upload_with_room(values, n * value_size, ROOM);
    if (value_size > 0)
        EXPECT_OK(kn_sort_less_by_key(queue, keys, n, payload, value_size, &less, &err));
    else
        EXPECT_OK(kn_sort_less(queue, keys, n, &less, &err));
    EXPECT_OK(kn_buffer_read(queue, keys, 0, found, bytes, &err));
    EXPECT_OK(kn_buffer_read(queue, payload, 0, found_values, n * value_size, &err));
    test_expect_poison(keys, bytes);
    test_expect_poison(payload, n * value_size);
    kn_buffer_free(keys);
    kn_buffer_free(payload);
    sort_positions(positions, n, elements, order);
    expect_placed("key", found, elements, order->less.size, n, order->less.type);
    expect_placed("value", found_values, values, value_size, n, order->less.type);
}

static void expect_sorts(size_t n, const struct order *order, uint64_t *state)
{
    expect_sorts_by_key(n, order, 0, state);
}

// ---- tests ----

START_TEST(any_size)
{
    static const size_t small[] = {0,  1,  2,  3,  4,  5,  7,  8,   9,   15, 16,
                                   17, 31, 32, 33, 63, 64, 65, 127, 128, 129};
    uint64_t state = test_seed("sizes");

    for (size_t i = 0; i < sizeof small / sizeof *small; i++)
        expect_sorts(small[i], &orders[i % 2 ? U32 : F32], &state);
    for (unsigned log2 = 8; log2 <= 17 && !test_is_slow(); log2++)
        for (size_t n = ((size_t)1 << log2) - 1; n <= ((size_t)1 << log2) + 1; n++)
            expect_sorts(n, &orders[U32], &state);
    for (int i = 0; i < 30 && !test_is_slow(); i++)
        expect_sorts(1 + test_random(&state) % 60000, &orders[i % 2 ? U32 : F32], &state);
}
END_TEST

START_TEST(any_type)
{
    static const size_t sizes[] = {1, 2, 37, 200, 1000, 4097, 20001};
    uint64_t state = test_seed("types");

    for (size_t o = 0; o < ORDERS; o += walks_as_gpu ? 3 : 1)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && takes(&orders[o]); i++)
            if (!test_is_slow() || (sizes[i] < 300 && sizes[i] > 30))
                expect_sorts(sizes[i], &orders[o], &state);
}
END_TEST

// A program takes a second to compile: each size of values is tried with one type of keys.
START_TEST(by_key)
{
    static const size_t sizes[] = {2, 100, 3000, 20001};
    static const struct {
        size_t order, value_size;
    } cases[] = {{1, 16}, {U32, 4}, {PAIR, 1}, {TRIPLE, 2}, {U32, 8}};
    uint64_t state = test_seed("by_key");

    if (walks_as_gpu && context->quirks.odd_structs_wrong) {
        fprintf(
            stderr,
            "skipped: %s has keys with values wrong in the form for GPUs, which it does not take by itself\n",
            kn_context_get_device(context)->name);
        return;
    }
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && takes(&orders[cases[c].order]); i++)
            if (!test_is_slow() || (sizes[i] == 100 && c % 2))
                expect_sorts_by_key(sizes[i], &orders[cases[c].order], cases[c].value_size, &state);
}
END_TEST

// All kinds of tiles, each with sizes around its ends and the ends of its runs.
START_TEST(any_tile)
{
    static const unsigned tiles[][2] = {{1, 1}, {1, 7}, {2, 1}, {4, 16}, {32, 3}, {256, 1}, {128, 5}};
    uint64_t state = test_seed("tiles");
    struct order order = orders[U32];

    for (size_t t = 0; t < sizeof tiles / sizeof *tiles; t++) {
        size_t tile = (size_t)tiles[t][0] * tiles[t][1];
        const size_t sizes[] = {tile - 1,     tile,         tile + 1,     2 * tile - 1,  2 * tile,
                                2 * tile + 1, 3 * tile + 2, 8 * tile + 1, 37 * tile + 11};
        kn_merge_tuning tuning = {.group = tiles[t][0], .items = tiles[t][1]};

        order.less.tuning = &tuning;
        if (tiles[t][0] > kn_context_get_device(context)->max_work_group)
            continue;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            tuning.splits = (t + i) % 2 ? KN_SPLITS_LAUNCH : KN_SPLITS_GROUP;
            if (sizes[i] < (test_is_slow() ? 200 : (size_t)60000))
                expect_sorts(sizes[i], &order, &state);
        }
    }
}
END_TEST

// A comparison that is no order: then only accesses within bounds are guaranteed (Oclgrind checks reads).
START_TEST(no_order)
{
    static const char *const snippets[] = {"1",
                                           "a != b",
                                           "a <= b",
                                           "(a ^ b) & 1",
                                           "a * 2654435761u < b * 40503u + 77u",
                                           "(a + b) % 3 == 0",
                                           "(a - b) % 3 == 1"};
    static const size_t sizes[] = {2, 3, 50, 129, 1000, 5000, 30001};
    uint64_t state = test_seed("no_order");
    struct order order = orders[4];

    for (size_t s = 0; s < sizeof snippets / sizeof *snippets; s++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            size_t bytes = sizes[i] * 4;
            kn_less less =
                KN_INIT(kn_less, .type = "uint", .size = 4, .less = snippets[s],
                        .tuning = &(kn_merge_tuning){.group = test_is_slow() ? 8 : 32,
                                                     .items = 3,
                                                     .splits = i % 2 ? KN_SPLITS_LAUNCH : KN_SPLITS_GROUP});
            kn_buffer *buffer;
            if (test_is_slow() && sizes[i] > 200)
                break;
            make_elements(sizes[i], &order, &state);
            for (size_t byte = 0; byte < bytes; byte++) // so that no element looks like the bytes after them
                elements[byte] = (char)(elements[byte] & 0x7f);
            buffer = test_upload_with_room(elements, bytes, ROOM);
            EXPECT_OK(kn_sort_less(queue, buffer, sizes[i], &less, &err));
            EXPECT_OK(kn_buffer_read(queue, buffer, 0, found, bytes, &err));
            test_expect_poison(buffer, bytes);
            for (size_t byte = 0; byte < bytes; byte++)
                ck_assert_msg(!(found[byte] & 0x80), "'%s', n %zu: byte %zu is not one of the elements'",
                              snippets[s], sizes[i], byte);
            kn_buffer_free(buffer);
        }
}
END_TEST

static void expect_launches(size_t n, size_t levels, kn_merge_splits splits)
{
    const kn_less less = KN_INIT(kn_less, .type = "uint", .size = 4, .less = "a < b",
                                 .tuning = &(kn_merge_tuning){.group = 8, .items = 3, .splits = splits});
    kn_buffer *buffer = test_upload_with_room(elements, n * 4, 0);
    kn_profile_entry *entries = NULL;
    size_t count = 0, finds = splits == KN_SPLITS_LAUNCH ? levels : 0;

    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_sort_less(queue, buffer, n, &less, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    ck_assert_uint_eq(test_count_kernel(entries, count, "sort_tiles"), 1);
    ck_assert_uint_eq(test_count_kernel(entries, count, "find_splits"), finds);
    ck_assert_uint_eq(test_count_kernel(entries, count, "merge_tiles"), levels);
    ck_assert_uint_eq(count, 1 + finds + levels);
    kn_free(entries);
    kn_buffer_free(buffer);
}

// One sort of tiles; for each doubling of the runs a merge, and a launch before it if requested.
START_TEST(launches)
{
    static const size_t cases[][2] = {{2, 0},  {24, 0}, {25, 1}, {48, 1},
                                      {49, 2}, {96, 2}, {97, 3}, {24 * 16 + 1, 5}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_launches(cases[i][0], cases[i][1], KN_SPLITS_LAUNCH);
        expect_launches(cases[i][0], cases[i][1], KN_SPLITS_GROUP);
    }
}
END_TEST

// kn_sort's KN_SORT_MERGE: the same bits as the radix sort, and other launches. What can be
// equal without the same bits is zeros; NaN are of one kind.
static void expect_same_as_radix(kn_type type, size_t value_size, int descending, uint64_t *state)
{
    static const kn_sort_algorithm algorithms[] = {KN_SORT_MERGE, KN_SORT_RADIX};
    size_t n = test_is_slow() ? 100 : 9001, size = kn_type_size(type), tiles = 0;

    for (size_t i = 0; i < n; i++) {
        const double reals[] = {0.0, -0.0, (double)NAN, (double)(test_random(state) % 50) - 25};
        double real = reals[test_random(state) % 4];
        float single = (float)real;
        uint64_t bits = test_random(state);
        memcpy(elements + i * size,
               type == KN_F64   ? (void *)&real
               : type == KN_F32 ? (void *)&single
                                : (void *)&bits,
               size);
    }
    for (size_t i = 0; i < n * value_size; i++)
        values[i] = (char)test_random(state);
    for (size_t a = 0; a < 2; a++) {
        const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = algorithms[a],
                                                .order = descending ? KN_DESCENDING : KN_ASCENDING);
        kn_buffer *keys = test_upload_with_room(elements, n * size, ROOM);
        kn_buffer *payload = test_upload_with_room(values, n * value_size, ROOM);
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        EXPECT_OK(kn_profile_start(queue, &err));
        if (value_size > 0)
            EXPECT_OK(kn_sort_by_key(queue, keys, type, n, payload, value_size, &options, &err));
        else
            EXPECT_OK(kn_sort(queue, keys, type, n, &options, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        tiles += test_count_kernel(entries, count, "sort_tiles") == (algorithms[a] == KN_SORT_MERGE);
        kn_free(entries);
        EXPECT_OK(kn_buffer_read(queue, keys, 0, a ? found : elements + MAX_BYTES / 2, n * size, &err));
        EXPECT_OK(kn_buffer_read(queue, payload, 0, a ? found_values : values + MAX_BYTES / 2, n * value_size,
                                 &err));
        kn_buffer_free(keys);
        kn_buffer_free(payload);
    }
    ck_assert_uint_eq(tiles, 2);
    ck_assert_msg(memcmp(found, elements + MAX_BYTES / 2, n * size) == 0, "%s: other keys",
                  kn_type_name(type));
    ck_assert_msg(memcmp(found_values, values + MAX_BYTES / 2, n * value_size) == 0, "%s: other values",
                  kn_type_name(type));
}

// Each case compiles two programs.
START_TEST(as_kn_sort)
{
    static const struct {
        kn_type type;
        size_t value_size;
        int descending;
    } cases[] = {{KN_I16, 4, 0}, {KN_U64, 4, 1}, {KN_F32, 4, 0},
                 {KN_F32, 0, 1}, {KN_F64, 0, 0}, {KN_F64, 4, 1}};
    uint64_t state = test_seed("as_kn_sort");

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (test_takes(cases[i].type))
            expect_same_as_radix(cases[i].type, cases[i].value_size, cases[i].descending, &state);
}
END_TEST

START_TEST(snippets_refused)
{
    kn_buffer *buffer = test_upload_with_room(elements, 1000, 0);
    static const struct {
        kn_less less;
        const char *words;
    } bad[] = {
        {{.struct_size = sizeof(kn_less), .type = "float2", .size = 8, .less = "a.x << b.x"},
         "'a.x << b.x' of elements of type 'float2'"},
        {{.struct_size = sizeof(kn_less), .type = "float2", .size = 8, .less = "a.q < b.q"}, "'a.q < b.q'"},
        {{.struct_size = sizeof(kn_less), .type = "float", .size = 4, .less = "a < "}, "'a < '"},
        {{.struct_size = sizeof(kn_less), .type = "struct nowhere", .size = 8, .less = "a.x < b.x"},
         "'struct nowhere'"},
        {{.struct_size = sizeof(kn_less), .type = "float2", .size = 4, .less = "a.x < b.x"}, "(4 bytes)"},
        {{.struct_size = sizeof(kn_less), .type = "float3", .size = 12, .less = "a.x < b.x"}, "(12 bytes)"},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        EXPECT_REFUSED(KN_ERROR_BUILD, bad[i].words, kn_sort_less(queue, buffer, 10, &bad[i].less, &err));
    kn_buffer_free(buffer);
}
END_TEST

START_TEST(refusals)
{
    const kn_less less = orders[F32].less;
    kn_buffer *buffer = test_upload_with_room(elements, 1000, 0), *foreign = NULL;
    kn_context *other = NULL;
    kn_less changed;

    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "queue is NULL", kn_sort_less(NULL, buffer, 10, &less, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "keys is NULL", kn_sort_less(queue, NULL, 10, &less, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "less is NULL", kn_sort_less(queue, buffer, 10, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 250", kn_sort_less(queue, buffer, 251, &less, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "holds 250", kn_sort_less(queue, buffer, (size_t)-1, &less, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "values is NULL",
                   kn_sort_less_by_key(queue, buffer, 10, NULL, 4, &less, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "1, 2, 4, 8 or 16",
                   kn_sort_less_by_key(queue, buffer, 10, buffer, 3, &less, &err));
    changed = KN_INIT(kn_less, .size = 4, .less = "a < b");
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL", kn_sort_less(queue, buffer, 10, &changed, &err));
    changed = KN_INIT(kn_less, .type = "float", .less = "a < b");
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "0 bytes", kn_sort_less(queue, buffer, 10, &changed, &err));
    changed = KN_INIT(kn_less, .type = "float", .size = 4, .less = "a < b",
                      .tuning = &(kn_merge_tuning){.group = 48});
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "power of two", kn_sort_less(queue, buffer, 10, &changed, &err));
    changed = KN_INIT(kn_less, .type = "float", .size = 4, .less = "a < b",
                      .tuning = &(kn_merge_tuning){.items = 33});
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "up to 32", kn_sort_less(queue, buffer, 10, &changed, &err));
    changed = KN_INIT(kn_less, .type = "float", .size = 4, .less = "a < b",
                      .tuning = &(kn_merge_tuning){.splits = (kn_merge_splits)3});
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no method 3", kn_sort_less(queue, buffer, 10, &changed, &err));
    context->device.info.local_memory = 1 << 14;
    changed = KN_INIT(kn_less, .type = "float", .size = 4, .less = "a < b",
                      .tuning = &(kn_merge_tuning){.group = 256, .items = 32});
    EXPECT_REFUSED(KN_ERROR_LIMIT, "bytes of local memory", kn_sort_less(queue, buffer, 10, &changed, &err));
    EXPECT_OK(kn_context_open(NULL, NULL, &other, &err));
    EXPECT_OK(kn_buffer_create(other, 1000, &foreign, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "another context", kn_sort_less(queue, foreign, 10, &less, &err));
    kn_buffer_free(foreign);
    kn_context_close(other);
    kn_buffer_free(buffer);
}
END_TEST

// Default sizes are reduced for a small device.
START_TEST(small_devices)
{
    uint64_t state = test_seed("small_devices");
    kn_device_info *info = &context->device.info;

    info->local_memory = 2048;
    expect_sorts(test_is_slow() ? 100 : 5000, &orders[PAIR], &state);
    info->max_work_group = 16;
    expect_sorts(test_is_slow() ? 100 : 5000, &orders[U32], &state);
    info->local_memory = 250; // one element of 100 bytes
    if (!test_is_slow())      // the tile is then chosen
        expect_sorts(60, &orders[LARGE], &state);
}
END_TEST

static void open_as_gpu(void)
{
    test_open();
    walks_as_gpu = true;
    context->device.info.type = KN_DEVICE_GPU;
}

START_TEST(parts_are_refused)
{
    kn_context_options small = KN_INIT(kn_context_options, .max_alloc = 4096);
    kn_buffer *buffer = NULL;

    test_open_with(&small);
    EXPECT_OK(kn_buffer_create(context, 5000, &buffer, &err));
    EXPECT_REFUSED(KN_ERROR_LIMIT, "in parts", kn_sort_less(queue, buffer, 10, &orders[F32].less, &err));
    kn_buffer_free(buffer);
    test_close();
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {any_size, any_type,   by_key,           any_tile, no_order,
                                  launches, as_kn_sort, snippets_refused, refusals, small_devices};
    const TTest *const walks[] = {any_size, any_type, by_key, any_tile, no_order, launches};
    const TTest *const own_device[] = {parts_are_refused};
    int status = test_run("merge sort", tests, sizeof tests / sizeof *tests, test_open, test_close);

    if (!status)
        status = test_run("merge sort, as GPUs do it", walks, sizeof walks / sizeof *walks, open_as_gpu,
                          test_close);
    return status ? status : test_run("merge sort, devices of their own", own_device, 1, NULL, NULL);
}
