// SPDX-License-Identifier: Apache-2.0
// Values of tunables that were kept are those that algorithms use: the sums and the gridding of the
// reconstruction, sorts, robust statistics, and estimates of time.
#include "support/buffers.h"
#include "support/run.h"
#include "unit/app/mri/sum/sum_support.h"

#include <koine/experimental.h>
#include <math.h>

#include "algo/sort/sort.h"
#include "app/mri/gridding/gridding.h"
#include "base/error.h"
#include "engine/engine.h"

#include "tune_support.h"

// ---- the reconstruction's sums ----

// Whether a program of the context was built with this macro.
static bool is_built_with(const char *file, const char *macro)
{
    char line[64];

    snprintf(line, sizeof line, "\n%s", macro);
    for (size_t i = 0; i < context->builtin_count; i++) {
        const char *key = context->builtins[i].key, *at = strstr(key, line);

        if (strncmp(key, file, strlen(file)) == 0 && at && (at[strlen(line)] == '\n' || !at[strlen(line)]))
            return true;
    }
    return false;
}

static void expect_sum(struct problem *p)
{
    kn_buffer *image;
    float *found = test_zeros(2 * p->count, sizeof *found);

    EXPECT_OK(kn_buffer_create(context, p->count * 2 * sizeof *found, &image, &err));
    EXPECT_OK(ki_mri_sum_device(queue, &p->sum, MRI_TUNED, image, NULL, &err));
    EXPECT_OK(kn_buffer_read(queue, image, 0, found, p->count * 2 * sizeof *found, &err));
    // The rounding of a sum, in floats, of 40 numbers up to the square root of 2.
    for (size_t n = 0; n < p->count; n++)
        ck_assert_double_le(cabs(p->wanted[n] - mri_complex((double)found[2 * n], (double)found[2 * n + 1])),
                            1e-4);
    kn_buffer_free(image);
    free(found);
}

START_TEST(sums_take_it)
{
    uint64_t state = test_seed("sums_take_it");
    const kn_recon_matrix matrix = {3, {5, 3, 7}};
    struct problem p = make(&matrix, 40, DATA, &state);
    struct mri_tuning tuning = ki_mri_tuning_usual(queue);
    unsigned values[KN_TUNABLES];
    char usual[64];

    refer(&p);
    snprintf(usual, sizeof usual, "VOXELS=%u", tuning.voxels);
    expect_sum(&p);
    ck_assert(is_built_with("app/mri/mri_fhd.cl", usual));
    ck_assert(!is_built_with("app/mri/mri_fhd.cl", "VOXELS=3"));

    tuning.voxels = 3;
    ki_mri_tuning_values(&tuning, values);
    EXPECT_OK(kn_tuning_keep(context, &ki_mri_sum_tunables, values, "", &err));
    open_again();
    expect_sum(&p);
    ck_assert(is_built_with("app/mri/mri_fhd.cl", "VOXELS=3"));
    ck_assert(!is_built_with("app/mri/mri_fhd.cl", usual));

    // Values that no kernel can have are ignored.
    values[1] = 17;
    EXPECT_OK(kn_tuning_keep(context, &ki_mri_sum_tunables, values, "", &err));
    open_again();
    expect_sum(&p);
    ck_assert(is_built_with("app/mri/mri_fhd.cl", usual));
    free_problem(&p);
}
END_TEST

// The relative error of the gridded adjoint with a window 4 cells wide.
static double gridding_error(const struct problem *p)
{
    const struct mri_gridding_options options = {.width = 4};
    struct mri_gridding *gridding;
    double error = 0, energy = 0;
    float *found = test_zeros(2 * p->count, sizeof *found);
    kn_buffer *image;

    EXPECT_OK(ki_mri_gridding_create(queue, &p->sum.matrix, p->k, p->sum.samples, &options, &gridding, &err));
    EXPECT_OK(kn_buffer_create(context, p->count * 2 * sizeof *found, &image, &err));
    EXPECT_OK(ki_mri_gridding_adjoint(queue, gridding, p->data, NULL, image, &err));
    EXPECT_OK(kn_buffer_read(queue, image, 0, found, p->count * 2 * sizeof *found, &err));
    for (size_t n = 0; n < p->count; n++) {
        double complex difference =
            p->wanted[n] - mri_complex((double)found[2 * n], (double)found[2 * n + 1]);

        error += creal(difference * conj(difference));
        energy += creal(p->wanted[n] * conj(p->wanted[n]));
    }
    kn_buffer_free(image);
    ki_mri_gridding_free(gridding);
    free(found);
    return sqrt(error / energy);
}

START_TEST(gridding_takes_it)
{
    uint64_t state = test_seed("gridding_takes_it");
    const kn_recon_matrix matrix = {2, {12, 10, 1}};
    struct problem p = make(&matrix, 50, DATA, &state);
    unsigned values[KN_TUNABLES] = {16, 3, 8, 16};

    refer(&p);
    EXPECT_OK(kn_tuning_keep(context, &ki_mri_gridding_tunables[0], values, "", &err));
    ck_assert_double_le(gridding_error(&p),
                        1e-3); // gridding.h: 2.4e-4 for a larger image; losing a sample makes it 0.1
    ck_assert(is_built_with("app/mri/mri_gridding.cl", "GROUP=16"));
    ck_assert(is_built_with("app/mri/mri_gridding.cl", "TILE_X=8") &&
              is_built_with("app/mri/mri_gridding.cl", "TILE_Y=16"));

    // A group that is not a power of two is ignored.
    values[0] = 3;
    EXPECT_OK(kn_tuning_keep(context, &ki_mri_gridding_tunables[0], values, "", &err));
    ck_assert_double_le(gridding_error(&p), 1e-3);
    ck_assert(!is_built_with("app/mri/mri_gridding.cl", "GROUP=3"));
    free_problem(&p);
}
END_TEST

// ---- sorting ----

static int compare_floats(const void *a, const void *b)
{
    const float *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static int compare_longs(const void *a, const void *b)
{
    const int64_t *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void fill_keys(void *keys, kn_type type, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        if (type == KN_I64)
            ((int64_t *)keys)[i] = (int64_t)test_random(state);
        else
            ((float *)keys)[i] = (float)(2 * test_uniform(state) - 1);
}

// Sorts keys, if `by_key` with a copy of them as values, and expects both in order.
static void expect_sorted(const void *keys, const void *wanted, kn_type type, size_t n, bool by_key)
{
    // KN_SORT_LANES_LOCAL on every device, because the sort for CPUs does not have these tunables.
    const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX,
                                            .tuning = &(kn_sort_tuning){.lanes = KN_SORT_LANES_LOCAL});
    size_t bytes = n * kn_type_size(type);
    void *found = test_zeros(n, kn_type_size(type));
    kn_buffer *buffers[2] = {NULL, NULL};

    for (size_t i = 0; i < (by_key ? 2 : 1); i++) {
        EXPECT_OK(kn_buffer_create(context, bytes, &buffers[i], &err));
        EXPECT_OK(kn_buffer_write(queue, buffers[i], 0, keys, bytes, &err));
    }
    if (by_key)
        EXPECT_OK(kn_sort_by_key(queue, buffers[0], type, n, buffers[1], kn_type_size(type), &options, &err));
    else
        EXPECT_OK(kn_sort(queue, buffers[0], type, n, &options, &err));
    for (size_t i = 0; i < (by_key ? 2 : 1); i++) {
        EXPECT_OK(kn_buffer_read(queue, buffers[i], 0, found, bytes, &err));
        ck_assert_mem_eq(found, wanted, bytes);
        kn_buffer_free(buffers[i]);
    }
    free(found);
}

// The file with the sort for many keys.
static const char *sort_program(bool by_key)
{
    return ki_engine_is_nvidia(context) && !by_key ? "algo/sort/sort_radix_once.cl"
                                                   : "algo/sort/sort_radix.cl";
}

static void check_sort(kn_type type, bool by_key, uint64_t *state)
{
    // The tunables are those of the sort for many keys; on GPUs, the sort for fewer keys has shapes of its
    // own.
    const size_t n = kn_context_get_device(context)->type == KN_DEVICE_CPU ? 3001 : ((size_t)1 << 21) + 3001;
    const kn_tunables *own = kn_sort_get_tunables(kn_type_size(type), by_key),
                      *other = kn_sort_get_tunables(kn_type_size(type), !by_key);
    unsigned values[KN_TUNABLES] = {288, 3, 0, 2, 2};
    const unsigned others[KN_TUNABLES] = {320, 5, 0, 2, 2};
    void *keys = test_zeros(n, kn_type_size(type)), *wanted = test_zeros(n, kn_type_size(type));

    fill_keys(keys, type, n, state);
    memcpy(wanted, keys, n * kn_type_size(type));
    qsort(wanted, n, kn_type_size(type), type == KN_I64 ? compare_longs : compare_floats);
    EXPECT_OK(kn_tuning_keep(context, other, others, "", &err));
    for (size_t round = 0; round < 2; round++) {
        if (round)
            values[0] = 300; // not a multiple of 32, so it is ignored
        EXPECT_OK(kn_tuning_keep(context, own, values, "", &err));
        open_again();
        expect_sorted(keys, wanted, type, n, by_key);
        ck_assert(is_built_with(sort_program(by_key), "GROUP=288") == (round == 0));
        ck_assert(is_built_with(sort_program(by_key), "KEYS=3") == (round == 0));
        ck_assert(!is_built_with(sort_program(by_key), "GROUP=320"));
    }
    EXPECT_OK(kn_tuning_forget(context, own, &err));
    EXPECT_OK(kn_tuning_forget(context, other, &err));
    free(keys);
    free(wanted);
}

START_TEST(sorting_takes_it)
{
    uint64_t state = test_seed("sorting_takes_it");

    check_sort(KN_F32, false, &state);
    check_sort(KN_F32, true, &state);
    check_sort(KN_I64, false, &state);
    check_sort(KN_I64, true, &state);
}
END_TEST

// ---- robust statistics ----

static int compare_magnitudes(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

// Median and MAD of an odd number of floats must be those that sorting finds.
static void expect_robust(const float *column, size_t n)
{
    kn_buffer *buffer = NULL;
    double *sorted = test_zeros(n, sizeof *sorted), median;
    kn_robust found;

    EXPECT_OK(kn_buffer_create(context, n * sizeof *column, &buffer, &err));
    EXPECT_OK(kn_buffer_write(queue, buffer, 0, column, n * sizeof *column, &err));
    EXPECT_OK(kn_robust_stats(queue, buffer, KN_F32, n, &found, NULL, &err));
    for (size_t i = 0; i < n; i++)
        sorted[i] = (double)column[i];
    qsort(sorted, n, sizeof *sorted, compare_magnitudes);
    median = sorted[n / 2];
    ck_assert(found.median == median);
    for (size_t i = 0; i < n; i++)
        sorted[i] = fabs((double)column[i] - median);
    qsort(sorted, n, sizeof *sorted, compare_magnitudes);
    ck_assert(found.mad == sorted[n / 2]);
    kn_buffer_free(buffer);
    free(sorted);
}

START_TEST(robust_takes_it)
{
    enum { N = 70001 }; // so that more than one group settles
    static const char rank[] = "algo/robust/robust_rank.cl";
    uint64_t state = test_seed("robust_takes_it");
    unsigned values[KN_TUNABLES] = {64, 3, 5, 32};
    bool serial = engine_is_serial(kn_context_get_device(context)); // CPUs have shapes of their own
    float *column = test_zeros(N, sizeof *column);

    for (size_t i = 0; i < N; i++)
        column[i] = (float)(2 * test_uniform(&state) - 1);
    EXPECT_OK(kn_tuning_keep(context, kn_robust_get_tunables(), values, "", &err));
    open_again();
    expect_robust(column, N);
    ck_assert(is_built_with(rank, "GROUP=64") == !serial);
    ck_assert(is_built_with(rank, "AHEAD=5") == !serial);
    ck_assert(is_built_with("algo/robust/robust_settle.cl", "GROUP=32") == !serial);

    values[0] = 48; // not a power of two, so it is ignored
    EXPECT_OK(kn_tuning_keep(context, kn_robust_get_tunables(), values, "", &err));
    open_again();
    expect_robust(column, N);
    ck_assert(!is_built_with(rank, "GROUP=48"));
    ck_assert(!is_built_with(rank, "AHEAD=5"));
    free(column);
}
END_TEST

// ---- estimates ----

START_TEST(estimates_take_it)
{
    const unsigned values[KN_TUNABLES] = {1000, 2000, 3000, 0, 5000000, 6000};
    const kn_work work = KN_INIT(kn_work, .device = {.bytes = 2e9, .operations = 8e9}, .copied = 9e9,
                                 .launches = 1e5, .program = "algo/none.cl", .programs = 2);
    const kn_device_info *device = kn_context_get_device(context);
    kn_cost before, cost;

    ck_assert_int_eq(setenv("KOINE_CACHE_DIR", cache_dir, 1), 0);
    EXPECT_OK(kn_cost_estimate(&work, device, &before, &err));
    EXPECT_OK(kn_tuning_keep(context, kn_cost_get_tunables(), values, "", &err));
    EXPECT_OK(kn_cost_estimate(&work, device, &cost, &err));
    ck_assert_double_eq_tol(cost.compute, 2 + 4 + 0.6, 1e-9);
    ck_assert_double_eq_tol(cost.copy, 3, 1e-9);
    ck_assert_double_eq_tol(cost.build, 10, 1e-9);
    ck_assert_double_eq(cost.start, before.start); // kept as 0, which means unknown
    EXPECT_OK(kn_tuning_forget(context, kn_cost_get_tunables(), &err));
    EXPECT_OK(kn_cost_estimate(&work, device, &cost, &err));
    ck_assert_double_eq(cost.compute, before.compute);
    unsetenv("KOINE_CACHE_DIR");
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {sums_take_it, gridding_takes_it, sorting_takes_it, robust_takes_it,
                                  estimates_take_it};

    return test_run("tune taken", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
