// SPDX-License-Identifier: Apache-2.0
// What many right-hand sides at once are made of, and their launches.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_BATCH_INTERNAL_H
#define KN_APP_SPARSE_SOLVER_DEVICE_BATCH_INTERNAL_H

#include "batch.h"
#include "app/sparse/product/spmv_internal.h"
#include "operator/cgnr/cgnr_internal.h"

// BATCH_MULTIPLY_BACK computes A^T w alone; BATCH_BACK, and with tiles BATCH_GATHER, do so in an iteration.
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

// How a kernel's work-items share a block.
struct batch_shape {
    unsigned group, wide, shares, ahead;
};

// Columns in `count` pieces of `each`, the last of which may be smaller.
struct batch_pieces {
    uint32_t each, count;
};

// ---- tiles ----

// A for both products at once: rows that begin and end near each other in tiles of some, of which a group has
// the products in its local memory, and of each column of a tile what they add to it, which is a line of
// memory: lines of a column stand together. cl/app/sparse/sparse_batch_tiles.cl has the arrays.
struct batch_tiles {
    uint32_t rows, tiles, lines; // rows: those with nonzeros
    uint32_t placed, returned;   // fours of nonzeros in rows, and in entries
    uint32_t *starts;            // rows + 1, by tiles, in fours of nonzeros
    uint32_t *nonzeros;          // column and the bits of the value
    uint32_t *firsts;            // tiles + 1, in entries
    uint32_t *entries;           // four each: from and to of back, in fours of nonzeros; line; 0
    uint32_t *back;              // row in the tile and the bits of the value
    uint32_t *columns;           // columns + 1, in lines
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

// Tiles of `most` rows. Counting and two sorts: some passes over the nonzeros. KN_ERROR_MEMORY; on failure
// `tiles` is empty.
kn_status ki_batch_tiles_make(const struct sparse_matrix *matrix, uint32_t most, struct batch_tiles *tiles,
                              kn_error *err);
kn_status ki_batch_tiles_upload(kn_queue *queue, const struct batch_tiles *tiles, uint32_t columns,
                                kn_buffer **buffers, kn_error *err);
void ki_batch_tiles_free(struct batch_tiles *tiles);

// ---- all of them ----

struct sparse_batch {
    kn_context *context;
    struct sparse_batch_options options; // filled in, but for what launches are left open
    struct cgnr_terms terms;
    enum sparse_batch_launches launches; // not SPARSE_BATCH_AUTO
    uint32_t rows, columns, most;        // `most` images at once, whole blocks
    uint32_t tile_rows, tiles, lines;    // of tiles
    struct spmv_product products[2];
    struct batch_pieces back, steps; // of the kernels behind A^T w, and of batch_move and batch_turn
    struct batch_pieces rests;       // of rows, in batch_residual
    kn_kernel *kernels[BATCH_KERNELS];
    kn_buffer *buffers[BATCH_BUFFERS];
    kn_buffer *tile_buffers[BATCH_TILE_BUFFERS];
};

// Images that are in the device's memory: from `first` on, in whole blocks `all` of them.
struct batch_run {
    size_t first;
    uint32_t count, blocks, all;
};

struct batch_shape ki_batch_shape_of(const struct sparse_batch_options *options, unsigned kernel);
// Rows that a group has of a product at a time.
uint32_t ki_batch_rows_of(const struct sparse_batch_options *options, unsigned kernel);

// In groups of the kernel's, for every block of the run.
kn_status ki_batch_launch(kn_queue *queue, const struct sparse_batch *batch, const struct batch_run *run,
                          unsigned kernel, size_t groups, const kn_arg *args, size_t count, kn_error *err);
// Groups for a work-item each of n lines of a block.
size_t ki_batch_groups_of(const struct sparse_batch *batch, size_t n);
// to = A from, or A^T from.
kn_status ki_batch_multiply(kn_queue *queue, const struct sparse_batch *batch, const struct batch_run *run,
                            unsigned transposed, kn_buffer *from, kn_buffer *to, kn_error *err);
// Vectors of n numbers between the caller's buffer and ours: BATCH_TAKE, BATCH_GIVE.
kn_status ki_batch_carry(kn_queue *queue, const struct sparse_batch *batch, const struct batch_run *run,
                         unsigned kernel, kn_buffer *from, kn_buffer *to, uint32_t n, kn_error *err);
// Runs all iterations, and tells how each image ended; the host checks now and then whether all have.
kn_status ki_batch_iterate(kn_queue *queue, const struct sparse_batch *batch, const struct batch_run *run,
                           uint32_t *ends, kn_error *err);

#endif
