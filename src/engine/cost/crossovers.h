// SPDX-License-Identifier: Apache-2.0
// Sizes at which one method of an algorithm becomes faster than another on a device: all of them, in one
// table, as a part of the cost model. Each row is a tunable: values measured on a device
// (engine/device/measured_devices.h, or kept on this machine) replace those of the table.
#ifndef KN_ENGINE_COST_CROSSOVERS_H
#define KN_ENGINE_COST_CROSSOVERS_H

#include <koine/experimental/tuning.h>

#include "engine/engine.h"

enum engine_crossover {
    // ---- src/algo ----
    CROSSOVER_SORT_BITONIC,    // keys of up to 4 bytes, up to which sorts are bitonic and not by radix
    CROSSOVER_SORT_BITONIC_64, // the same of 8 bytes
    CROSSOVER_SORT_ALONE,      // bytes of keys, up to which one work-item sorts them all
    CROSSOVER_SORT_LINES,      // bytes, from which buckets are written past the caches
    CROSSOVER_SORT_DIFFERING,  // keys, from which it pays to ask which digits differ
    CROSSOVER_SORT_AHEAD,      // keys, up to which all digits are counted ahead
    CROSSOVER_SORT_ONCE,       // keys, beyond which each pass reads them once
    CROSSOVER_SELECT_BRACKETS, // bytes, from which selection is by brackets and not by digits
    CROSSOVER_GEMM_OWN,        // m n k of floats, up to which Koine's product is taken and not cuBLAS's
    CROSSOVER_ROBUST_FUSED,    // whether all of one column is found in one read: always, or never
    // ---- src/app/mri ----
    CROSSOVER_MRI_SEPARABLE, // whether an adjoint may be a product of matrices: always, or never
    // ---- src/app/sparse ----
    CROSSOVER_SPARSE_FUSED, // whether iterations of least squares have fused launches: always, or never
    CROSSOVER_BATCH_WHOLE,  // bytes an iteration moves, up to which one launch computes whole solutions
    CROSSOVER_BATCH_TILED,  // nonzeros that share a line, from which products are by tiles
    CROSSOVERS_OF_ALL
};

// For a method that is used at every size, or at none.
enum { CROSSOVER_ALWAYS = 0 };
#define CROSSOVER_NEVER UINT32_MAX

struct engine_crossover_row {
    kn_tunables tunables; // "crossover-...", with one value, AT (koine/experimental/tuning.h)
    uint32_t cpu, gpu, nvidia;
};

const struct engine_crossover_row *ki_engine_crossover_row(enum engine_crossover which);

// The size on the context's device.
uint64_t ki_engine_crossover(kn_context *context, enum engine_crossover which);

#endif
