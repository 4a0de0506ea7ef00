// SPDX-License-Identifier: Apache-2.0
// The internals of the solver for many right-hand sides, and its launches.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_BATCH_INTERNAL_H
#define KN_APP_SPARSE_SOLVER_DEVICE_BATCH_INTERNAL_H

#include "batch.h"
#include "app/sparse/product/spmv_internal.h"
#include "operator/cgnr/cgnr_internal.h"

// BATCH_MULTIPLY_BACK only computes A^T w; BATCH_BACK, or with tiles BATCH_GATHER, does so within an
// iteration.
enum {
    BATCH_MULTIPLY,
    BATCH_MULTIPLY_BACK,
    BATCH_BACK,
    BATCH_TILE,
    BATCH_GATHER,
    BATCH_MOVE,
    BATCH_TURN,
    BATCH_WHOLE,
    BATCH_TAKE,
    BATCH_GIVE,
    BATCH_BEGIN,
    BATCH_REST,
    BATCH_KERNELS
};

// BATCH_PARTS: parts of d.e and d.g; BATCH_NEXT_PARTS: of |g|^2 and g.e. BATCH_ENDS: how images have ended,
// for even and for odd iterations. BATCH_LINES: the lines of tiles.
enum {
    BATCH_X,
    BATCH_H,
    BATCH_D,
    BATCH_E,
    BATCH_W,
    BATCH_B,
    BATCH_NORMS,
    BATCH_ENDS,
    BATCH_SUMS,
    BATCH_PARTS,
    BATCH_NEXT_PARTS,
    BATCH_CURVATURES,
    BATCH_LINES,
    BATCH_BUFFERS
};

// How the work-items of a kernel share a block.
struct batch_shape {
    unsigned group, wide, shares, ahead;
};

// The columns in `count` pieces of `each`, the last of which may be smaller.
struct batch_pieces {
    uint32_t each, count;
};

// ---- tiles ----

// A in the form for both products at once: rows that begin and end near each other are grouped in tiles. A
// group keeps the products of a tile in local memory, and writes, for each column of the tile, their sum as a
// line in memory; the lines of a column are contiguous. The arrays are described in
// cl/app/sparse/sparse_batch_tiles.cl.
struct batch_tiles {
    uint32_t rows, tiles, lines; // rows: only those with nonzeros
    uint32_t placed, returned;   // groups of four nonzeros in rows, and in entries
    uint32_t *starts;            // rows + 1, in the order of tiles, in groups of four nonzeros
    uint32_t *nonzeros;          // column and bits of the value
    uint32_t *firsts;            // tiles + 1, counted in entries
    uint32_t *entries; // four numbers each: begin and end in `back`, in groups of four nonzeros; line; 0
    uint32_t *back;    // row within the tile and bits of the value
    uint32_t *columns; // columns + 1, counted in lines
};

enum {
    BATCH_TILE_STARTS,
    BATCH_TILE_NONZEROS,
    BATCH_TILE_FIRSTS,
    BATCH_TILE_ENTRIES,
    BATCH_TILE_BACK,
    BATCH_TILE_COLUMNS,
    BATCH_TILE_BUFFERS
};

// Makes tiles of at most `most` rows by counting and two sorts, in a few passes over the nonzeros.
// KN_ERROR_MEMORY; on failure `tiles` is empty.
kn_status ki_batch_tiles_make(const struct sparse_matrix *matrix, uint32_t most, struct batch_tiles *tiles,
                              kn_error *err);
kn_status ki_batch_tiles_upload(kn_queue *queue, const struct batch_tiles *tiles, uint32_t columns,
                                kn_buffer **buffers, kn_error *err);
void ki_batch_tiles_free(struct batch_tiles *tiles);

// ---- the batch ----

struct sparse_batch {
    kn_context *context;
    struct sparse_batch_options options; // filled in, except for `launches`
    struct cgnr_terms terms;
    enum sparse_batch_launches launches; // not SPARSE_BATCH_AUTO
    uint32_t rows, columns, most;        // lengths; `most`: images in memory together, in whole blocks
    uint32_t tile_rows, tiles, lines;    // for tiles
    struct spmv_product products[2];
    struct batch_pieces back, steps; // for the kernels after A^T w, and for batch_move and batch_turn
    struct batch_pieces rests;       // of rows, for batch_residual
    kn_kernel *kernels[BATCH_KERNELS];
    kn_buffer *buffers[BATCH_BUFFERS];
    kn_buffer *tile_buffers[BATCH_TILE_BUFFERS];
};

// The images in the device's memory: `count` from `first` on, padded to whole blocks, `all` in total.
struct batch_run {
    size_t first;
    uint32_t count, blocks, all;
};

struct batch_shape ki_batch_shape_of(const struct sparse_batch_options *options, unsigned kernel);
// The rows that a group of a product computes at a time.
uint32_t ki_batch_rows_of(const struct sparse_batch_options *options, unsigned kernel);

// Launches groups of the kernel's size for every block of the run.
kn_status ki_batch_launch(kn_queue *queue, const struct sparse_batch *batch, const struct batch_run *run,
                          unsigned kernel, size_t groups, const kn_arg *args, size_t count, kn_error *err);
// The groups that give each of n lines of a block a work-item.
size_t ki_batch_groups_of(const struct sparse_batch *batch, size_t n);
// to = A from, or A^T from.
kn_status ki_batch_multiply(kn_queue *queue, const struct sparse_batch *batch, const struct batch_run *run,
                            unsigned transposed, kn_buffer *from, kn_buffer *to, kn_error *err);
// Copies vectors of n numbers between the caller's buffer and the batch's: BATCH_TAKE, BATCH_GIVE.
kn_status ki_batch_carry(kn_queue *queue, const struct sparse_batch *batch, const struct batch_run *run,
                         unsigned kernel, kn_buffer *from, kn_buffer *to, uint32_t n, kn_error *err);
// Runs all iterations, and returns how each image ended; the host checks now and then whether all have.
kn_status ki_batch_iterate(kn_queue *queue, const struct sparse_batch *batch, const struct batch_run *run,
                           uint32_t *ends, kn_error *err);

#endif
