// SPDX-License-Identifier: Apache-2.0
#include "shapes.h"

// Unless stated otherwise, sizes for GPUs are the fastest on an H200, and those for CPUs the fastest with
// PoCL (bench/history). CPUs have small groups and wide vectors throughout: a work-group runs on one thread,
// and values that live across a barrier go through memory.
static const struct engine_shape table[SHAPES_OF_ALL] = {
    // ---- src/algo ----

    // Columns in tiles (elements.c). items: loads of 16 bytes. A CPU walks a contiguous chunk in each of few
    // work-items; a GPU's work-item marks its elements in a word of 32 bits, so narrow ones take fewer loads.
    [SHAPE_TILE] = {"tile",
                    true,
                    {.group = 1, .items = 16, .per_unit = 4},
                    {.group = 256, .items = 8, .per_unit = 4}},
    [SHAPE_TILE_NARROW] = {"tile-narrow",
                           true,
                           {.group = 1, .items = 16, .per_unit = 4},
                           {.group = 256, .items = 2, .per_unit = 4}},
    // The group that works alone (select.c), unless tiles have groups of one. items: up to this many elements
    // one group does everything; for more, launches of many groups are faster.
    [SHAPE_SELECT_ALONE] = {"select-alone",
                            false,
                            {.group = 1024, .items = 65536},
                            {.group = 256, .items = 8192}},
    // What brackets keep (select_shape.c): each group has its own bins, so a few large groups are best.
    // items: loads of 16 bytes.
    [SHAPE_SELECT_KEPT] = {"select-kept",
                           true,
                           {.group = 1, .items = 16, .per_unit = 4},
                           {.group = 1024, .items = 2, .per_unit = 1}},
    [SHAPE_TOP_K] = {"top-k", false, {.group = 1}, {.group = 256}},
    // Compaction (compact.c). items: loads of 16 bytes; a work-item marks its elements in a word of 32 bits.
    // per_unit: several times as many as run at once, so that the last ones do not run alone.
    [SHAPE_COMPACT] = {"compact",
                       true,
                       {.group = 1, .items = 4, .per_unit = 4},
                       {.group = 256, .items = 4, .per_unit = 32}},
    [SHAPE_COMPACT_NARROW] = {"compact-narrow",
                              true,
                              {.group = 1, .items = 2, .per_unit = 4},
                              {.group = 256, .items = 2, .per_unit = 32}},
    // Reductions by key (reduce_by_key.c), whose groups determine the bits of floats (cl/shared/tree.h).
    [SHAPE_BY_KEY] = {"by-key", false, {.per_unit = 4}, {.per_unit = 48}},
    // Histograms (histogram.c). copies: of the counters in local memory, if there is room; items: loads of 16
    // bytes in flight.
    [SHAPE_HISTOGRAM] = {"histogram",
                         true,
                         {.group = 1, .items = 4, .per_unit = 4, .copies = 1},
                         {.group = 512, .items = 4, .per_unit = 4, .copies = 8}},

    // Leaves of the fixed tree (tree.c). On CPUs a work-item holds a vector of 16 lanes, and four of them a
    // leaf, except where integers replace doubles: those take registers and fill no vectors, so the GPU's
    // width is used.
    [SHAPE_REDUCE_SUM] = {"reduce-sum", false, {.group = 16, .width = 16}, {.group = 512, .width = 4}},
    // For so few elements that the usual groups would not keep a GPU busy: a leaf each, with all rows loaded
    // before the first is added.
    [SHAPE_REDUCE_SUM_SMALL] = {"reduce-sum-small",
                                false,
                                {.group = 16, .width = 16},
                                {.group = 32, .width = 2, .ahead = 64}},
    [SHAPE_REDUCE_SUMS] = {"reduce-sums", false, {.group = 16, .width = 16}, {.group = 256, .width = 4}},
    // Any operation: on GPUs a work-item loads 16 bytes at once, and a group holds 16 leaves.
    [SHAPE_REDUCE_WITH] = {"reduce-with", false, {.group = 16, .width = 16}, {.group = 256, .width = 4}},
    [SHAPE_REDUCE_WITH_SHORTS] = {"reduce-with-shorts",
                                  false,
                                  {.group = 16, .width = 16},
                                  {.group = 128, .width = 8}},
    [SHAPE_REDUCE_WITH_BYTES] = {"reduce-with-bytes",
                                 false,
                                 {.group = 16, .width = 16},
                                 {.group = 64, .width = 16}},
    // Moments of floats (moments.c). items: unrolled rows; 0: the kernel's default. On an H200, CUDA and
    // OpenCL, 2^28 floats: 0.250 and 0.250 ms, with groups of 256 the same; with 8 rows ahead 0.256, 0.254;
    // with groups of 256, 4 lanes and no rows ahead 0.289, 0.290 (bench/select --tune).
    [SHAPE_MOMENTS_F32] = {"moments-f32",
                           false,
                           {.group = 16, .width = 16},
                           {.group = 128, .width = 2, .items = 16, .ahead = 1, .registers = 64}},
    [SHAPE_MOMENTS_F64] = {"moments-f64",
                           false,
                           {.group = 16, .width = 16},
                           {.group = 128, .width = 2, .items = 8, .ahead = 1}},
    [SHAPE_MOMENTS_SOFT] = {"moments-soft", false, {.group = 16, .width = 16}, {.group = 256, .width = 4}},

    // Medians in one read (robust_fused.c). items: elements that a work-item keeps before it writes them, on
    // GPUs half of that if local memory is small; lanes: work-items that write together; registers: with
    // more, fewer groups fit on an H200 at a time.
    [SHAPE_ROBUST_PASS_F32] = {"robust-pass-f32",
                               false,
                               {.group = 16, .width = 16, .items = 128, .lanes = 1},
                               {.group = 256, .width = 4, .items = 32, .lanes = 8, .registers = 48}},
    [SHAPE_ROBUST_PASS_F64] = {"robust-pass-f64",
                               false,
                               {.group = 16, .width = 16, .items = 128, .lanes = 1},
                               {.group = 128, .width = 4, .items = 32, .lanes = 8}},
    // For so few elements that the usual groups would not keep a GPU busy: a leaf each, with many rows loaded
    // before the first is used.
    [SHAPE_ROBUST_PASS_SMALL] = {"robust-pass-small",
                                 false,
                                 {.group = 16, .width = 16, .items = 128, .lanes = 1},
                                 {.group = 32, .width = 2, .items = 64, .lanes = 8, .ahead = 8}},
    // Its sample. copies: the most lists; more would hardly help, because fewer elements of each go on.
    // chunk: most elements of one of many lists. shares: at most one element in this many is sampled. A CPU
    // gains less from narrow brackets, and takes longer for the lists.
    [SHAPE_ROBUST_SAMPLE] = {"robust-sample",
                             false,
                             {.group = 1, .copies = 16, .chunk = 4096, .shares = 32},
                             {.group = 1024, .copies = 128, .chunk = 2048, .shares = 4}},
    // The same if one launch settles everything, with fewer points (items), which are found sooner and make
    // the brackets hardly wider; and for this many elements (items), narrower brackets are worth longer
    // lists.
    [SHAPE_ROBUST_SAMPLE_SMALL] = {"robust-sample-small",
                                   false,
                                   {.group = 1, .items = 4096, .copies = 16, .chunk = 4096, .shares = 32},
                                   {.group = 512, .items = 1024, .copies = 32, .chunk = 512, .shares = 2}},
    [SHAPE_ROBUST_SAMPLE_LARGE] =
        {"robust-sample-large",
         false,
         {.group = 1, .items = 1 << 26, .copies = 16, .chunk = 4096, .shares = 32},
         {.group = 1024, .items = 1 << 26, .copies = 64, .chunk = 4096, .shares = 4}},
    // Ranks by bins (robust_ranks.c), which koine tune can choose. ahead: for 4 bytes; doubles have half as
    // many.
    [SHAPE_ROBUST_RANK] = {"robust-rank",
                           true,
                           {.group = 1, .per_unit = 4, .ahead = 1},
                           {.group = 512, .per_unit = 2, .ahead = 8}},
    // items: for columns of up to this many elements, 16 leaves at most (lib/tree.clh), one launch settles
    // everything.
    [SHAPE_ROBUST_SETTLE] = {"robust-settle",
                             true,
                             {.group = 1, .items = 4096},
                             {.group = 512, .items = 65536}},
    // Counts of bytes (robust_count.c). copies: of the counters; GPUs have 8 if local memory is small.
    [SHAPE_ROBUST_COUNT] = {"robust-count",
                            true,
                            {.group = 1, .per_unit = 4, .copies = 4},
                            {.group = 512, .per_unit = 16, .copies = 32}},

    // Sorts. items: keys of a work-item, a power of two; for the merge sort, elements of 4 bytes, fewer if
    // tiles would not keep all compute units busy.
    [SHAPE_SORT_BITONIC] = {"sort-bitonic", false, {.group = 256, .items = 8}, {.group = 256, .items = 32}},
    [SHAPE_SORT_MERGE] = {"sort-merge", false, {.group = 256, .items = 19}, {.group = 256, .items = 19}},
    [SHAPE_SORT_MERGE_FEW] = {"sort-merge-few",
                              false,
                              {.group = 256, .items = 11},
                              {.group = 256, .items = 11}},

    // A window at every element (windows/rolling.c). items: outputs of a work-item; 0: all of a span.
    [SHAPE_WINDOW_ROLL] = {"window-roll", false, {.group = 1}, {.group = 128, .items = 16}},

    // Transforms (fft_passes.c). Rows: enough work-items a group. Columns: lines side by side that make whole
    // memory transactions; short lines have up to 16 work-items. copies: of a line, if it has more than two
    // stages: PoCL keeps values that live across a barrier in memory.
    [SHAPE_FFT_ROWS] = {"fft-rows", false, {.group = 256, .copies = 2}, {.group = 128, .copies = 1}},
    [SHAPE_FFT_COLUMNS] = {"fft-columns", false, {.lanes = 16, .copies = 2}, {.lanes = 16, .copies = 1}},
    [SHAPE_FFT_COLUMNS_SHORT] = {"fft-columns-short",
                                 false,
                                 {.lanes = 16, .copies = 2},
                                 {.lanes = 32, .copies = 1}},

    // ---- src/operator ----

    // Vectors of conjugate gradients (cgnr/cgnr.c).
    [SHAPE_CGNR] = {"cgnr", false, {.group = 32, .per_unit = 2}, {.group = 1024, .per_unit = 1}},
    // The same for self-adjoint operators. CPUs have a few groups a core, or more if each still has this many
    // rows (items); GPUs have as many groups as there are rows for.
    [SHAPE_CG] = {"cg",
                  false,
                  {.group = 1, .width = 16, .per_unit = 4, .items = 2048},
                  {.group = 256, .width = 4}},

    // ---- src/app/autocorr ----

    // Direct sums (device_direct.c). tile: offsets of a work-item; if width is above 1, neighbouring ones
    // form a vector.
    [SHAPE_AUTOCORR_DIRECT] = {"autocorr-direct",
                               false,
                               {.group = 16, .width = 16, .chunk = 128, .tile = {16, 4}, .per_unit = 8},
                               {.group = 128, .width = 1, .chunk = 32, .tile = {8, 4}, .per_unit = 8}},
    // Fused transforms (device_fft_fused.c). per_unit: fewer columns than this have a GPU to themselves, and
    // get more work-items each.
    [SHAPE_AUTOCORR_FUSED] = {"autocorr-fused", false, {.per_unit = 0}, {.per_unit = 8}},
    // Rings (device_radial.c).
    [SHAPE_AUTOCORR_RADIAL] = {"autocorr-radial", false, {.lanes = 1}, {.lanes = 16}},

    // ---- src/app/mri ----

    // The sum over samples (sum_tuned.c), which koine tune can choose. items: voxels; chunk: samples in local
    // memory, 0: read directly; ahead: samples unrolled.
    [SHAPE_MRI_SUM] = {"mri-sum",
                       true,
                       {.group = 1, .items = 4, .width = 16, .ahead = 1},
                       {.group = 256, .items = 4, .width = 1, .chunk = 256, .ahead = 4}},
    // What keeps a device busy if groups share samples: groups for each compute unit, or work-items (items).
    [SHAPE_MRI_SUM_SHARED] = {"mri-sum-shared", false, {.per_unit = 4}, {.items = 2048}},
    // Products of matrices (separable.c). tile: pairs of voxels along x, columns, and samples at a
    // time; items and width: pairs and columns of a work-item; per_unit: groups that keep a device busy.
    [SHAPE_MRI_SEPARABLE] = {"mri-separable",
                             false,
                             {.tile = {32, 32, 8}, .items = 4, .width = 8, .per_unit = 2},
                             {.tile = {64, 64, 16}, .items = 4, .width = 4, .per_unit = 2}},
    // The forward product (forward.c). tile: pairs at a time, columns and samples of a group; items and
    // width: samples and columns of a work-item.
    [SHAPE_MRI_FORWARD_SEPARABLE] = {"mri-forward-separable",
                                     false,
                                     {.tile = {8, 32, 32}, .items = 4, .width = 4},
                                     {.tile = {8, 64, 128}, .items = 8, .width = 4}},
    // Gridding (gridding.c), which koine tune can choose. chunk: samples that a group takes of a tile of
    // cells. On CPUs a group of one does the least work, because the work-items of a group run one after
    // another.
    [SHAPE_MRI_GRIDDING_PLANE] = {"mri-gridding-plane",
                                  true,
                                  {.group = 1, .chunk = 512, .tile = {32, 16, 1}},
                                  {.group = 32, .chunk = 512, .tile = {8, 8, 1}}},
    [SHAPE_MRI_GRIDDING_VOLUME] = {"mri-gridding-volume",
                                   true,
                                   {.group = 1, .chunk = 512, .tile = {16, 8, 8}},
                                   {.group = 32, .chunk = 512, .tile = {8, 8, 8}}},
    // The product with the spectrum (toeplitz.c). items: pairs of points.
    [SHAPE_MRI_TOEPLITZ] = {"mri-toeplitz", false, {.group = 256, .items = 16}, {.group = 256, .items = 2}},
    // Products with coil maps (sense/maps.c). items: voxels.
    [SHAPE_MRI_SENSE] = {"mri-sense", false, {.group = 256, .items = 16}, {.group = 256, .items = 2}},

    // ---- src/app/sparse ----

    // Products from memory (spmv_task.c). lanes: the most; a row gets about as many as it has nonzeros.
    [SHAPE_SPARSE_MEMORY] = {"sparse-memory",
                             false,
                             {.group = 32, .lanes = 1, .items = 32, .chunk = 4096},
                             {.group = 256, .lanes = 32, .items = 8, .chunk = 4096}},
    // Products on the fly (spmv_parallel.c). items: pixels, at most; chunk: of backprojections.
    [SHAPE_SPARSE_PARALLEL] = {"sparse-parallel",
                               false,
                               {.group = 32, .lanes = 1, .items = 4, .chunk = 4096},
                               {.group = 128, .lanes = 8, .items = 4, .chunk = 8192}},
    [SHAPE_SPARSE_PARALLEL_LOCAL] = {"sparse-parallel-local",
                                     false,
                                     {.group = 32, .lanes = 1, .items = 4, .chunk = 4096},
                                     {.group = 128, .lanes = 8, .items = 8, .chunk = 8192}},
    // Back-projection of cones (sparse/tomography/cone/fdk_device.c). items: slices, above one another.
    [SHAPE_SPARSE_CONE] = {"sparse-cone", false, {.group = 32, .items = 8}, {.group = 128, .items = 8}},
    // Products with A^T of fused conjugate gradients (sparse/solver/device/fused.c).
    [SHAPE_SPARSE_SOLVER_BACK] = {"sparse-solver-back",
                                  false,
                                  {.group = 32, .lanes = 1},
                                  {.group = 256, .lanes = 32}},
    // Many right-hand sides (batch.c). items: right-hand sides side by side; chunk: lines of a tile. Products
    // with A^T have their own sizes: on an H200, gathering lines of tiles is fastest with a work-item for
    // each number.
    [SHAPE_SPARSE_BATCH] = {"sparse-batch",
                            false,
                            {.group = 32, .items = 16, .width = 16, .shares = 1, .ahead = 1, .chunk = 256},
                            {.group = 256, .items = 32, .width = 4, .shares = 1, .ahead = 2, .chunk = 256}},
    [SHAPE_SPARSE_BATCH_BACK] = {"sparse-batch-back",
                                 false,
                                 {.width = 16, .shares = 1, .ahead = 1},
                                 {.width = 4, .shares = 2, .ahead = 8}},
    [SHAPE_SPARSE_BATCH_BACK_TILED] = {"sparse-batch-back-tiled",
                                       false,
                                       {.width = 16, .shares = 1, .ahead = 1},
                                       {.width = 1, .shares = 2, .ahead = 8}},
    [SHAPE_SPARSE_BATCH_STEP] = {"sparse-batch-step",
                                 false,
                                 {.group = 32, .items = 8},
                                 {.group = 512, .items = 8}},
};

const struct engine_shape *ki_engine_shape(enum engine_shape_of which)
{
    return &table[which];
}

const struct engine_sizes *ki_engine_sizes(const kn_device_info *info, enum engine_shape_of which)
{
    const struct engine_shape *shape = &table[which];
    bool cpu = shape->long_loops ? engine_is_serial(info) : engine_is_cpu(info);

    return cpu ? &shape->cpu : &shape->gpu;
}

uint64_t ki_engine_local_arrays(const kn_device_info *info)
{
    const uint64_t most = 48 << 10;

    return info->local_memory < most || engine_is_cpu(info) ? info->local_memory : most;
}
