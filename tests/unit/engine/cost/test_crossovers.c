// SPDX-License-Identifier: Apache-2.0
// Tests the sizes from which on one method is faster than another: the measured ones, the one that a context
// uses, and that a tuning replaces it and decides which kernels run.
#include "engine/cost/crossovers.h"

#include <koine/experimental/cost.h>
#include <koine/sort.h>

#include "base/array.h"
#include "engine/device/shapes.h"
#include "support/device.h"
#include "support/files.h"
#include "support/run.h"

// As on a processor (PoCL) and on an H100 or H200; changing a value changes what runs there.
START_TEST(measured)
{
    static const struct {
        enum engine_crossover which;
        uint32_t cpu, nvidia;
    } sizes[] = {{CROSSOVER_SORT_BITONIC, 0, 16384},
                 {CROSSOVER_SORT_BITONIC_64, 0, 131072},
                 {CROSSOVER_SORT_ALONE, 65536, 65536},
                 {CROSSOVER_SORT_LINES, 12582912, 12582912},
                 {CROSSOVER_SORT_DIFFERING, 4194304, 4194304},
                 {CROSSOVER_SORT_AHEAD, 0, 262144},
                 {CROSSOVER_SORT_ONCE, CROSSOVER_NEVER, 262144},
                 {CROSSOVER_SELECT_BRACKETS, 4194304, 134217728},
                 {CROSSOVER_GEMM_OWN, 134217728, 134217728},
                 {CROSSOVER_ROBUST_FUSED, CROSSOVER_NEVER, CROSSOVER_ALWAYS},
                 {CROSSOVER_MRI_SEPARABLE, CROSSOVER_NEVER, CROSSOVER_ALWAYS},
                 {CROSSOVER_SPARSE_FUSED, CROSSOVER_NEVER, CROSSOVER_ALWAYS},
                 {CROSSOVER_BATCH_WHOLE, 1048576, 1048576},
                 {CROSSOVER_BATCH_TILED, CROSSOVER_NEVER, 3}};
    bool cpu = engine_is_cpu(&context->device.info), nvidia = ki_engine_is_nvidia(context);

    ck_assert_uint_eq(KI_COUNT(sizes), CROSSOVERS_OF_ALL);
    for (size_t i = 0; i < KI_COUNT(sizes); i++) {
        const struct engine_crossover_row *row = ki_engine_crossover_row(sizes[i].which);

        ck_assert_uint_eq(row->cpu, sizes[i].cpu);
        ck_assert_uint_eq(row->nvidia, sizes[i].nvidia);
        ck_assert_uint_eq(ki_engine_crossover(context, sizes[i].which), cpu      ? row->cpu
                                                                        : nvidia ? row->nvidia
                                                                                 : row->gpu);
    }
}
END_TEST

static size_t bitonic_launches(size_t n)
{
    kn_buffer *keys = NULL;
    kn_profile_entry *entries = NULL;
    size_t count = 0, launches;
    const uint32_t zero = 0;

    EXPECT_OK(kn_buffer_create(context, n * sizeof(float), &keys, &err));
    EXPECT_OK(kn_buffer_fill(queue, keys, &zero, sizeof zero, 0, n * sizeof(float), NULL, &err));
    EXPECT_OK(kn_profile_start(queue, &err));
    EXPECT_OK(kn_sort(queue, keys, KN_F32, n, NULL, &err));
    EXPECT_OK(kn_profile_stop(queue, &entries, &count, &err));
    launches = test_count_kernel(entries, count, "sort_blocks");
    kn_free(entries);
    kn_buffer_free(keys);
    return launches;
}

START_TEST(tuned)
{
    const kn_tunables *tunables = &ki_engine_crossover_row(CROSSOVER_SORT_BITONIC)->tunables;
    const unsigned at = 300;

    EXPECT_OK(kn_tuning_try(context, tunables, &at, &err));
    ck_assert_uint_eq(ki_engine_crossover(context, CROSSOVER_SORT_BITONIC), 300);
    ck_assert_uint_eq(bitonic_launches(300), 1);
    ck_assert_uint_eq(bitonic_launches(301), 0);
    EXPECT_OK(kn_tuning_end(context, tunables, &err));
}
END_TEST

// Every row names files with kernels: kept values depend on their texts.
START_TEST(kept)
{
    for (unsigned i = 0; i < CROSSOVERS_OF_ALL; i++) {
        const kn_tunables *tunables = &ki_engine_crossover_row(i)->tunables;
        const unsigned at = 77;

        EXPECT_OK(kn_tuning_keep(context, tunables, &at, "planted", &err));
        ck_assert_uint_eq(ki_engine_crossover(context, i), 77);
        EXPECT_OK(kn_tuning_forget(context, tunables, &err));
        ck_assert_uint_ne(ki_engine_crossover(context, i), 77);
    }
}
END_TEST

START_TEST(named)
{
    const kn_tunables *sort = kn_cost_get_crossover_tunables(CROSSOVER_SORT_BITONIC);
    unsigned value = 7;

    ck_assert_str_eq(sort->algorithm, "crossover-sort-bitonic-32bit");
    ck_assert_ptr_null(kn_cost_get_crossover_tunables(CROSSOVERS_OF_ALL));
    EXPECT_OK(kn_cost_get_crossover_usual(context, sort, &value, &err));
    ck_assert_uint_eq(value, ki_engine_crossover(context, CROSSOVER_SORT_BITONIC));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "context is NULL",
                   kn_cost_get_crossover_usual(NULL, sort, &value, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "value is NULL",
                   kn_cost_get_crossover_usual(context, sort, NULL, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "not those of a crossover",
                   kn_cost_get_crossover_usual(context, kn_cost_get_tunables(), &value, &err));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {measured, tuned, kept, named};

    return test_run("crossovers", tests, KI_COUNT(tests), test_open_with_cache, test_close_cache);
}
