// SPDX-License-Identifier: Apache-2.0
#include "crossovers.h"

#include <koine/experimental/cost.h>

#include "base/error.h"
#include "engine/device/shapes.h"
#include "engine/device/tuning.h"

#define ROW(name, files, cpu, gpu, nvidia)                                                                   \
    {                                                                                                        \
        {"crossover-" name, files, {"AT", NULL}}, cpu, gpu, nvidia                                           \
    }
#define SORTS "algo/sort/sort_bitonic.cl algo/sort/sort_radix.cl"

// CPUs as measured with PoCL, GPUs as measured on an H200 and an H100 (bench/history).
static const struct engine_crossover_row table[CROSSOVERS_OF_ALL] = {
    [CROSSOVER_SORT_BITONIC] = ROW("sort-bitonic-32bit", SORTS, 0, 1 << 14, 1 << 14),
    [CROSSOVER_SORT_BITONIC_64] = ROW("sort-bitonic-64bit", SORTS, 0, 1 << 17, 1 << 17),
    [CROSSOVER_SORT_ALONE] = ROW("sort-alone", "algo/sort/sort_buckets.cl", 1 << 16, 1 << 16, 1 << 16),
    [CROSSOVER_SORT_LINES] = ROW("sort-lines", "algo/sort/sort_buckets.cl", 12 << 20, 12 << 20, 12 << 20),
    [CROSSOVER_SORT_DIFFERING] = ROW("sort-differing", "algo/sort/sort_radix.cl", 1 << 22, 1 << 22, 1 << 22),
    [CROSSOVER_SORT_AHEAD] = ROW("sort-ahead", "algo/sort/sort_radix.cl", 0, 0, 1 << 18),
    [CROSSOVER_SORT_ONCE] = ROW("sort-once", "algo/sort/sort_radix.cl algo/sort/sort_radix_once.cl",
                                CROSSOVER_NEVER, CROSSOVER_NEVER, 1 << 18),
    [CROSSOVER_SELECT_BRACKETS] = ROW("select-brackets", "algo/select.cl", 1 << 22, 1 << 27, 1 << 27),
    [CROSSOVER_GEMM_OWN] = ROW("gemm-own", "algo/gemm/gemm.cl", 1 << 27, 1 << 27, 1 << 27),
    // On CPUs separate passes for the sums and each median take as long, and their kernels compile in half
    // the time.
    [CROSSOVER_ROBUST_FUSED] =
        ROW("robust-fused", "algo/robust/robust.cl", CROSSOVER_NEVER, CROSSOVER_ALWAYS, CROSSOVER_ALWAYS),
    // With PoCL the direct sums are as fast: the tiles of a group are written and read by one thread.
    [CROSSOVER_MRI_SEPARABLE] =
        ROW("mri-separable", "app/mri/mri_separable.cl", CROSSOVER_NEVER, CROSSOVER_ALWAYS, CROSSOVER_ALWAYS),
    [CROSSOVER_SPARSE_FUSED] =
        ROW("sparse-fused", "app/sparse/sparse_cgnr.cl", CROSSOVER_NEVER, CROSSOVER_ALWAYS, CROSSOVER_ALWAYS),
    // Reading this much takes a compute unit no longer than the device takes for an iteration's launches.
    [CROSSOVER_BATCH_WHOLE] =
        ROW("batch-whole", "app/sparse/sparse_batch_whole.cl", 1 << 20, 1 << 20, 1 << 20),
    [CROSSOVER_BATCH_TILED] = ROW("batch-tiled", "app/sparse/sparse_batch_tiles.cl", CROSSOVER_NEVER, 3, 3),
};

const struct engine_crossover_row *ki_engine_crossover_row(enum engine_crossover which)
{
    return &table[which];
}

static uint32_t usual(const kn_context *context, const struct engine_crossover_row *row)
{
    if (engine_is_cpu(&context->device.info))
        return row->cpu;
    return ki_engine_is_nvidia(context) ? row->nvidia : row->gpu;
}

uint64_t ki_engine_crossover(kn_context *context, enum engine_crossover which)
{
    const struct engine_crossover_row *row = &table[which];
    unsigned values[KN_TUNABLES];

    return ki_engine_tuning(context, &row->tunables, values) ? values[0] : usual(context, row);
}

const kn_tunables *kn_cost_get_crossover_tunables(size_t number)
{
    return number < CROSSOVERS_OF_ALL ? &table[number].tunables : NULL;
}

kn_status kn_cost_get_crossover_usual(const kn_context *context, const kn_tunables *tunables, unsigned *value,
                                      kn_error *err)
{
    static const char function[] = "kn_cost_get_crossover_usual";

    if (!context || !tunables || !value)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", function,
                       !context    ? "context"
                       : !tunables ? "tunables"
                                   : "value");
    for (size_t i = 0; i < CROSSOVERS_OF_ALL; i++)
        if (tunables == &table[i].tunables) {
            *value = usual(context, &table[i]);
            return KN_OK;
        }
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s: tunables are not those of a crossover", function);
}
