// SPDX-License-Identifier: Apache-2.0
// Launch sizes, and how they differ between CPUs and GPUs: one table (shapes.c), with a row for each launch
// whose sizes differ. A file looks up its row and gets the sizes for its device; rules that depend on the
// number of elements, their size or local memory are in the file that launches. The caller's options take
// precedence, then the values that koine tune kept (tuning.h), then this table.
//
// Three sets of sizes are not here: tiles of matrix products, by type and vendor (src/algo/gemm/gemm_own.c);
// radix sorts on NVIDIA GPUs, by element and length (src/algo/sort/sort_radix_shape.c); and constants that
// kernels are written for, the same on every device (cl/shared, or the file that launches).
#ifndef KN_ENGINE_DEVICE_SHAPES_H
#define KN_ENGINE_DEVICE_SHAPES_H

#include <stdbool.h>
#include <stdint.h>

#include <koine/device.h>

enum engine_shape_of {
    // src/algo
    SHAPE_TILE,
    SHAPE_TILE_NARROW,
    SHAPE_SELECT_ALONE,
    SHAPE_SELECT_KEPT,
    SHAPE_TOP_K,
    SHAPE_COMPACT,
    SHAPE_COMPACT_NARROW,
    SHAPE_BY_KEY,
    SHAPE_HISTOGRAM,
    SHAPE_REDUCE_SUM,
    SHAPE_REDUCE_SUM_SMALL,
    SHAPE_REDUCE_SUMS,
    SHAPE_REDUCE_WITH,
    SHAPE_REDUCE_WITH_SHORTS,
    SHAPE_REDUCE_WITH_BYTES,
    SHAPE_MOMENTS_F32,
    SHAPE_MOMENTS_F64,
    SHAPE_MOMENTS_SOFT,
    SHAPE_ROBUST_PASS_F32,
    SHAPE_ROBUST_PASS_F64,
    SHAPE_ROBUST_PASS_SMALL,
    SHAPE_ROBUST_SAMPLE,
    SHAPE_ROBUST_SAMPLE_SMALL,
    SHAPE_ROBUST_SAMPLE_LARGE,
    SHAPE_ROBUST_RANK,
    SHAPE_ROBUST_SETTLE,
    SHAPE_ROBUST_COUNT,
    SHAPE_SORT_BITONIC,
    SHAPE_SORT_MERGE,
    SHAPE_SORT_MERGE_FEW,
    SHAPE_WINDOW_ROLL,
    SHAPE_FFT_ROWS,
    SHAPE_FFT_COLUMNS,
    SHAPE_FFT_COLUMNS_SHORT,
    // src/operator
    SHAPE_CGNR,
    SHAPE_CG,
    // src/app
    SHAPE_AUTOCORR_DIRECT,
    SHAPE_AUTOCORR_FUSED,
    SHAPE_AUTOCORR_RADIAL,
    SHAPE_MRI_SUM,
    SHAPE_MRI_SUM_SHARED,
    SHAPE_MRI_SEPARABLE,
    SHAPE_MRI_FORWARD_SEPARABLE,
    SHAPE_MRI_GRIDDING_PLANE,
    SHAPE_MRI_GRIDDING_VOLUME,
    SHAPE_MRI_TOEPLITZ,
    SHAPE_MRI_SENSE,
    SHAPE_SPARSE_MEMORY,
    SHAPE_SPARSE_PARALLEL,
    SHAPE_SPARSE_PARALLEL_LOCAL,
    SHAPE_SPARSE_CONE,
    SHAPE_SPARSE_SOLVER_BACK,
    SHAPE_SPARSE_BATCH,
    SHAPE_SPARSE_BATCH_BACK,
    SHAPE_SPARSE_BATCH_BACK_TILED,
    SHAPE_SPARSE_BATCH_STEP,
    SHAPES_OF_ALL
};

// Sizes on one kind of device. Fields that a launch does not use are 0. If a field has another meaning in a
// row, the comment beside the row says so.
struct engine_sizes {
    unsigned group;     // work-items
    unsigned items;     // elements per work-item
    unsigned width;     // neighbouring elements that a work-item loads as one vector
    unsigned lanes;     // work-items that share a row, or write together
    unsigned ahead;     // loads started before the first is used
    unsigned shares;    // parts into which a row is divided
    unsigned copies;    // of a table or a line, in local memory
    unsigned chunk;     // numbers that local memory holds at a time
    unsigned per_unit;  // groups per compute unit
    unsigned registers; // most registers per work-item; 0: no limit
    unsigned tile[3];   // along x, y and z
};

struct engine_shape {
    const char *name;
    // On CPUs a single work-item of this launch runs long loops: a CPU whose driver limits loops uses the GPU
    // sizes.
    bool long_loops;
    struct engine_sizes cpu, gpu; // every device that is not a CPU counts as a GPU
};

static inline bool engine_is_cpu(const kn_device_info *info)
{
    return info->type == KN_DEVICE_CPU;
}

// A CPU on which one work-item may do the work of many, since its driver does not limit loops.
static inline bool engine_is_serial(const kn_device_info *info)
{
    return engine_is_cpu(info) && !info->loop_limit;
}

// The whole row, for callers that change a part of it or choose the column themselves.
const struct engine_shape *ki_engine_shape(enum engine_shape_of which);
// The row's column for this device.
const struct engine_sizes *ki_engine_sizes(const kn_device_info *info, enum engine_shape_of which);

// Bytes of local memory for arrays declared in a kernel: CUDA has 48 KiB for them on every GPU, so no GPU
// gets more.
uint64_t ki_engine_local_arrays(const kn_device_info *info);

#endif
