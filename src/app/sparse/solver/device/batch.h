// SPDX-License-Identifier: Apache-2.0
// The device's conjugate gradients (solver.h) for many right-hand sides, images, of one matrix: several stand
// side by side, so that the matrix is read once for all of them, and each has an alpha, a beta and an end of
// its own.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_BATCH_H
#define KN_APP_SPARSE_SOLVER_DEVICE_BATCH_H

#include "solver.h"

// How iterations are launched. By count, for 860,000 nonzeros in 81,545 rows on an H200: a group that has an
// image or a few to itself reads 14 MB an iteration, and a sector of 32 bytes for each w that A^T gathers, at
// some 100 GB/s that a compute unit has: 0.3 s for 400 iterations. Spread, 32 images side by side gather
// whole lines of 128 bytes, 220 MB an iteration at some 6 TB/s of L2: 15 ms, 0.5 ms an image, less what L1
// keeps of x and w. So whole solutions are for systems of which a compute unit reads all in microseconds.
// Tiles of 128 rows have 80,000 columns in all, a line each: 20 MB an iteration are written and read, and
// 220 MB are read on chip.
enum sparse_batch_launches {
    SPARSE_BATCH_AUTO,  // whole where a compute unit reads all in less time than launches take; tiled, but on
                        // CPUs, where three nonzeros or more share a line; otherwise spread
    SPARSE_BATCH_WHOLE, // many iterations in one launch, a group for each block of images: small systems
    // As spread, but both products at once, by tiles of rows that lie near each other: A d is in local memory
    // alone, and what is added up there for a column is a line.
    SPARSE_BATCH_TILED,
    SPARSE_BATCH_SPREAD, // four an iteration, each over the whole device: two of the vectors, A, and A^T
};

struct sparse_batch_options {
    // Iterations, terms, the correction and the gradient to stop at. There is no stop at a residual, and of
    // the others there is no choice.
    struct cgnr_options solver;
    enum sparse_batch_launches launches;
    size_t at_once; // images in the device's memory together, rounded up to whole blocks; 0: 128
    // What launches are made of, 0 for what is best known; all powers of two:
    unsigned images;              // of a block, side by side: 1 to 32
    unsigned wide, back_wide;     // images of a work-item in A, and in A^T: 1, 4, 8 or 16, at most `images`
    unsigned group, back_group;   // work-items of A, of whole solutions, and of what else there is; of A^T
    unsigned shares, back_shares; // work-items that divide a row of A, and of A^T
    unsigned ahead, back_ahead;   // nonzeros of a work-item that are read before they are summed: 1 to 16
    unsigned tile;                // rows of a tile at most: 1 to 1024; less where local memory is
    unsigned step, step_group;    // images of a group of the vectors' kernels, and its work-items
};

struct sparse_batch;

// A and A^T on the device, and memory for `at_once` images: 4 columns and 2 rows of floats for each, and a
// float for each line of tiles. The matrix may be freed after that. Errors: those of
// ki_sparse_operator_create; KN_ERROR_ARGUMENT for options out of range; KN_ERROR_BUILD for a correction that
// does not compile; KN_ERROR_LIMIT for more memory than one allocation of the device holds, for whole
// solutions where the device stops long loops, and for tiles of more than 2^26 nonzeros.
kn_status ki_sparse_batch_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                 const struct sparse_batch_options *options, struct sparse_batch **batch,
                                 kn_error *err);
void ki_sparse_batch_free(struct sparse_batch *batch); // NULL is fine

// b: `count` right-hand sides of a float a row, one after the other; x: as many starts, and solutions, of a
// float a column. `results` has a place for each; the caller frees every history. Their `seconds` are those
// of all images that were at once in memory, their launches_per_iteration 0 where a launch does many. Every
// image has the same bits each time on one device, whatever images are beside it.
// Errors: KN_ERROR_ARGUMENT for buffers too small or of another context, and for numbers that are not finite,
// with the image; KN_ERROR_MEMORY. On failure `results` has no histories.
kn_status ki_sparse_batch_solve(kn_queue *queue, struct sparse_batch *batch, kn_buffer *b, size_t count,
                                kn_buffer *x, struct cgnr_result *results, kn_error *err);

// Goes on from x, as ki_sparse_solver_go_on (solver.h), with a float a column of each image's gradient.
kn_status ki_sparse_batch_go_on(kn_queue *queue, struct sparse_batch *batch, kn_buffer *gradients,
                                size_t count, kn_buffer *x, struct cgnr_result *results, kn_error *err);

// A^T b of images `first` to first + count - 1, which are no more than at once in memory: of image i the
// element of column j is at (i / images * columns + j) * images + i % images of `products`, floats that are
// the batch's until its next call. Asynchronous.
kn_status ki_sparse_batch_transposed(kn_queue *queue, struct sparse_batch *batch, kn_buffer *b, size_t first,
                                     size_t count, kn_buffer **products, kn_error *err);

// to = A from, or A^T from, of one image, by what solves many. Asynchronous.
kn_status ki_sparse_batch_apply(kn_queue *queue, struct sparse_batch *batch, bool transposed, kn_buffer *from,
                                kn_buffer *to, kn_error *err);

// Whether a launch does many iterations, and whether launches are by tiles; images of a block; and images at
// once in memory.
bool ki_sparse_batch_is_whole(const struct sparse_batch *batch);
bool ki_sparse_batch_is_tiled(const struct sparse_batch *batch);
unsigned ki_sparse_batch_images(const struct sparse_batch *batch);
size_t ki_sparse_batch_at_once(const struct sparse_batch *batch);

#endif
