// SPDX-License-Identifier: Apache-2.0
// Tests the sort of CPUs: which of its forms runs, columns too large for the caches, and data that do not
// suit buckets. test_sort_radix tests it with every type, value and special number.
#include "support/buffers.h"

#include <koine/experimental.h>
#include "support/run.h"

#include <math.h>

#define COUNT(a) (sizeof(a) / sizeof *(a))
#define LARGE                                                                                                \
    ((size_t)(13 << 20) / 4 + 77) // floats: more than 12 MiB, from which on writes bypass the caches

enum shape { NORMAL, TIES, OUTLIERS, ASCENDING, FAR_FROM_ZERO, ALL_EQUAL, SHAPES };

static bool has_buckets(void)
{
    return kn_context_get_device(context)->type == KN_DEVICE_CPU && !context->device.info.loop_limit;
}

static double any_number(enum shape shape, size_t i, uint64_t *state)
{
    double sum = 0, uniform = (double)(test_random(state) >> 11) * 0x1p-53;

    for (int k = 0; k < 4; k++)
        sum += (double)(test_random(state) >> 11) * 0x1p-53;
    switch (shape) {
    case TIES:
        return uniform < 0.99 ? 7 : sum - 2;
    case OUTLIERS:
        return (sum - 2) * (uniform < 0.001 ? 1e30 : 1);
    case ASCENDING:
        return (double)i - 1000;
    case FAR_FROM_ZERO:
        return 1e6 + floor(sum * 1000) / 1000;
    case ALL_EQUAL:
        return -3;
    default:
        return (sum - 2) * 100;
    }
}

static void *make(kn_type type, size_t n, enum shape shape, uint64_t *state)
{
    char *made = malloc(n * kn_type_size(type));

    ck_assert_ptr_nonnull(made);
    for (size_t i = 0; i < n; i++) {
        double number = any_number(shape, i, state);
        if (type == KN_F32)
            ((float *)(void *)made)[i] = (float)number;
        else
            ((double *)(void *)made)[i] = number;
    }
    return made;
}

static double number_at(const void *keys, kn_type type, size_t i)
{
    return type == KN_F32 ? (double)((const float *)keys)[i] : ((const double *)keys)[i];
}

// indices[] must put the keys into their stable order: each index occurs once, and no key comes before a
// smaller one, or before an equal one that preceded it.
static void expect_stable_order(const void *keys, kn_type type, const uint32_t *indices, size_t n)
{
    unsigned char *seen = calloc(n, 1);

    ck_assert_ptr_nonnull(seen);
    for (size_t i = 0; i < n; i++) {
        ck_assert_msg(indices[i] < n && !seen[indices[i]], "place %zu has %u, out of range or twice", i,
                      indices[i]);
        seen[indices[i]] = 1;
        if (i == 0)
            continue;
        double before = number_at(keys, type, indices[i - 1]), here = number_at(keys, type, indices[i]);
        ck_assert_msg(before < here || (before == here && indices[i - 1] < indices[i]),
                      "place %zu: %g of %u stands before %g of %u", i, before, indices[i - 1], here,
                      indices[i]);
    }
    free(seen);
}

static void expect_sorts(kn_type type, size_t n, enum shape shape, const kn_sort_options *options,
                         uint64_t *state)
{
    size_t bytes = n * kn_type_size(type);
    char *keys = make(type, n, shape, state), *sorted = malloc(bytes);
    uint32_t *numbers = malloc(n * sizeof *numbers);
    kn_buffer *key_buffer = test_upload_with_room(keys, bytes, 200), *number_buffer;

    ck_assert(sorted && numbers);
    memset(numbers, 0x5a, n * sizeof *numbers);
    number_buffer = test_upload_with_room(numbers, n * sizeof *numbers, 200);
    EXPECT_OK(kn_argsort(queue, key_buffer, type, n, number_buffer, KN_U32, options, &err));
    EXPECT_OK(kn_buffer_read(queue, number_buffer, 0, numbers, n * sizeof *numbers, &err));
    expect_stable_order(keys, type, numbers, n);
    test_expect_poison(number_buffer, n * sizeof *numbers);
    EXPECT_OK(kn_sort(queue, key_buffer, type, n, options, &err));
    EXPECT_OK(kn_buffer_read(queue, key_buffer, 0, sorted, bytes, &err));
    for (size_t i = 0; i < n; i++)
        ck_assert_msg(memcmp(sorted + i * kn_type_size(type), keys + numbers[i] * kn_type_size(type),
                             kn_type_size(type)) == 0,
                      "shape %d, %s: key %zu is %g", (int)shape, kn_type_name(type), i,
                      number_at(sorted, type, i));
    test_expect_poison(key_buffer, bytes);
    EXPECT_OK(kn_buffer_write(queue, key_buffer, 0, keys, bytes, &err));
    for (size_t i = 0; i < n; i++)
        numbers[i] = (uint32_t)i;
    EXPECT_OK(kn_buffer_write(queue, number_buffer, 0, numbers, n * sizeof *numbers, &err));
    EXPECT_OK(kn_sort_by_key(queue, key_buffer, type, n, number_buffer, sizeof *numbers, options, &err));
    EXPECT_OK(kn_buffer_read(queue, number_buffer, 0, numbers, n * sizeof *numbers, &err));
    expect_stable_order(keys, type, numbers, n);
    EXPECT_OK(kn_buffer_read(queue, key_buffer, 0, keys, bytes, &err));
    ck_assert_mem_eq(keys, sorted, bytes);
    test_expect_poison(number_buffer, n * sizeof *numbers);
    kn_buffer_free(key_buffer);
    kn_buffer_free(number_buffer);
    free(keys);
    free(sorted);
    free(numbers);
}

START_TEST(shapes)
{
    static const size_t few[] = {2, 3, 15, 16, 17, 31, 33};
    uint64_t state = test_seed("shapes");
    const kn_sort_options asked =
        KN_INIT(kn_sort_options,
                .tuning = &(kn_sort_tuning){.digits = KN_SORT_DIGITS_HIGHEST, .lanes = KN_SORT_LANES_SERIAL});

    for (size_t i = 0; i < COUNT(few) && has_buckets(); i++) // fewer than a sample has
        expect_sorts(KN_F32, few[i], NORMAL, &asked, &state);
    for (enum shape shape = 0; shape < SHAPES && has_buckets(); shape++) {
        size_t n = test_is_slow() ? 700 : 70001;
        expect_sorts(KN_F32, n, shape, &asked, &state);
        if (test_takes(KN_F64) && !test_is_slow())
            expect_sorts(KN_F64, n, shape, NULL, &state);
    }
}
END_TEST

START_TEST(large_columns)
{
    uint64_t state = test_seed("large_columns");

    if (!has_buckets() || test_is_slow())
        return;
    expect_sorts(KN_F32, LARGE, NORMAL, NULL, &state);
    expect_sorts(KN_F32, LARGE, OUTLIERS, NULL, &state);
    expect_sorts(KN_F32, LARGE, TIES,
                 &KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.digits = KN_SORT_DIGITS_HIGHEST}),
                 &state);
    if (test_takes(KN_F64))
        expect_sorts(KN_F64, LARGE / 2, FAR_FROM_ZERO, NULL, &state);
}
END_TEST

// Recognises each form by its launches.
START_TEST(forms)
{
    enum { WHOLE, SAMPLE, BUCKETS, SORTED, DIGITS, KERNELS };
    static const char *const kernels[KERNELS] = {"sort_whole", "sample_keys", "scatter_buckets",
                                                 "sort_buckets", "scatter_digits"};
    static const struct {
        size_t n;
        enum shape shape;
        kn_sort_digits digits;
        size_t launches[KERNELS];
    } cases[] = {
        {1000, NORMAL, KN_SORT_DIGITS_AUTO, {1, 0, 0, 0, 0}},
        {16384, TIES, KN_SORT_DIGITS_AUTO, {1, 0, 0, 0, 0}},
        {16385, NORMAL, KN_SORT_DIGITS_AUTO, {0, 1, 1, 1, 0}},
        {1000, NORMAL, KN_SORT_DIGITS_HIGHEST, {0, 1, 1, 1, 0}},
        {16385, TIES, KN_SORT_DIGITS_AUTO, {0, 1, 0, 0, 4}},
        {16385, TIES, KN_SORT_DIGITS_HIGHEST, {0, 1, 1, 1, 0}},
        {16385, ALL_EQUAL, KN_SORT_DIGITS_AUTO, {0, 1, 0, 0, 4}},
        {16385, NORMAL, KN_SORT_DIGITS_ALL, {0, 0, 0, 0, 4}},
    };
    uint64_t state = test_seed("forms");

    for (size_t i = 0; i < COUNT(cases) && has_buckets() && !test_is_slow(); i++) {
        float *keys = make(KN_F32, cases[i].n, cases[i].shape, &state);
        kn_buffer *buffer = test_upload_with_room(keys, cases[i].n * sizeof *keys, 0);
        kn_sort_options options =
            KN_INIT(kn_sort_options, .tuning = &(kn_sort_tuning){.digits = cases[i].digits});
        kn_profile_entry *entries = NULL;
        size_t count = 0;
        EXPECT_OK(kn_profile_start(queue, &err));
        EXPECT_OK(kn_sort(queue, buffer, KN_F32, cases[i].n, &options, &err));
        EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
        for (size_t k = 0; k < KERNELS; k++) {
            size_t launches = 0;
            for (size_t e = 0; e < count; e++)
                launches += strcmp(entries[e].kernel, kernels[k]) == 0;
            ck_assert_msg(launches == cases[i].launches[k], "case %zu: %zu launches of %s, expected %zu", i,
                          launches, kernels[k], cases[i].launches[k]);
        }
        kn_free(entries);
        kn_buffer_free(buffer);
        free(keys);
    }
}
END_TEST

START_TEST(refusals)
{
    const float keys[4] = {3, 1, 2, 0};
    kn_buffer *buffer = test_upload_with_room(keys, sizeof keys, 0);
    const kn_sort_options local = KN_INIT(kn_sort_options,
                                          .tuning = &(kn_sort_tuning){.digits = KN_SORT_DIGITS_HIGHEST,
                                                                      .lanes = KN_SORT_LANES_LOCAL}),
                          serial = KN_INIT(kn_sort_options,
                                           .tuning = &(kn_sort_tuning){.digits = KN_SORT_DIGITS_HIGHEST,
                                                                       .lanes = KN_SORT_LANES_SERIAL});
    uint32_t limit = context->device.info.loop_limit;

    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "KN_SORT_LANES_SERIAL",
                   kn_sort(queue, buffer, KN_F32, 4, &local, &err));
    context->device.info.loop_limit = 65535;
    EXPECT_REFUSED(KN_ERROR_UNSUPPORTED, "limit of 65535", kn_sort(queue, buffer, KN_F32, 4, &serial, &err));
    context->device.info.loop_limit = limit;
    kn_buffer_free(buffer);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {shapes, large_columns, forms, refusals};

    return test_run("sort_buckets", tests, COUNT(tests), test_open, test_close);
}
