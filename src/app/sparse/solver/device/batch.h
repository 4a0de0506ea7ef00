// SPDX-License-Identifier: Apache-2.0
// The device's conjugate gradients (solver.h) for many right-hand sides, called images, of one matrix.
// Several images are stored side by side, so that the matrix is read once for all of them; each has its own
// alpha and beta, and ends independently.
#ifndef KN_APP_SPARSE_SOLVER_DEVICE_BATCH_H
#define KN_APP_SPARSE_SOLVER_DEVICE_BATCH_H

#include "solver.h"

// How iterations are launched. An estimate for 860,000 nonzeros in 81,545 rows on an H200: whole solutions,
// where a group has one image or a few, read 14 MB per iteration, and a sector of 32 bytes for each w that
// A^T gathers, at about 100 GB/s for a compute unit: 0.3 s for 400 iterations. Spread, 32 images side by side
// gather whole lines of 128 bytes, 220 MB per iteration at about 6 TB/s of L2: 15 ms, or 0.5 ms per image,
// less the parts of x and w that L1 keeps. So whole solutions are for systems that a compute unit reads in
// microseconds. Tiles of 128 rows have 80,000 columns in all, with one line each: 20 MB per iteration are
// written and read, and 220 MB are read on chip.
enum sparse_batch_launches {
    SPARSE_BATCH_AUTO,  // whole if a compute unit reads the system in less time than launches take; tiled,
                        // except on CPUs, if at least three nonzeros share a line; otherwise spread
    SPARSE_BATCH_WHOLE, // many iterations in one launch, with one group for each block of images: for small
                        // systems
    // As spread, but computes both products at once, by tiles of rows that lie near each other: A d is only
    // in local memory, and the sum for a column of a tile is a line in memory.
    SPARSE_BATCH_TILED,
    SPARSE_BATCH_SPREAD, // four launches per iteration, each over the whole device: two for the vectors, A,
                         // and A^T
};

struct sparse_batch_options {
    // Iterations, terms, the correction and the gradient to stop at. Stops at a residual or at its whiteness,
    // and the loop as printed, are refused; the other options are ignored.
    struct cgnr_options solver;
    enum sparse_batch_launches launches;
    size_t at_once; // images in the device's memory at the same time, rounded up to whole blocks; 0: 128
    // The sizes of launches, 0 for the best known value; all are powers of two:
    unsigned images;              // images in a block, side by side: 1 to 32
    unsigned wide, back_wide;     // images per work-item in A, and in A^T: 1, 4, 8 or 16, at most `images`
    unsigned group, back_group;   // work-items of a group in all kernels but those of A^T, and in A^T
    unsigned shares, back_shares; // work-items that share a row of A, and of A^T
    unsigned ahead, back_ahead;   // nonzeros that a work-item reads before it sums them: 1 to 16
    unsigned tile;                // the most rows in a tile: 1 to 1024; fewer if local memory is too small
    unsigned step, step_group;    // images in a group of the vectors' kernels, and its work-items
};

struct sparse_batch;

// Uploads A and A^T, and allocates memory for `at_once` images: 4 columns and 2 rows of floats for each, and
// a float for each line of tiles. The matrix may be freed after that. Errors: those of
// ki_sparse_operator_create; KN_ERROR_ARGUMENT for options out of range; KN_ERROR_BUILD for a correction that
// does not compile; KN_ERROR_LIMIT for more memory than one allocation of the device holds, for whole
// solutions if the device stops long loops, and for tiles of more than 2^26 nonzeros.
kn_status ki_sparse_batch_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                 const struct sparse_batch_options *options, struct sparse_batch **batch,
                                 kn_error *err);
void ki_sparse_batch_free(struct sparse_batch *batch); // NULL is fine

// b: `count` right-hand sides with one float per row, one after another; x: as many starts, then solutions,
// with one float per column. `results` has room for each; the caller frees every history. `seconds` is the
// time of all images that were in memory together; launches_per_iteration is 0 if a launch runs many
// iterations. Every image has the same bits in every run on one device, whatever images are solved with it.
// Errors: KN_ERROR_ARGUMENT for buffers that are too small or in another context, and for numbers that are
// not finite, with the image; KN_ERROR_MEMORY. On failure `results` has no histories.
kn_status ki_sparse_batch_solve(kn_queue *queue, struct sparse_batch *batch, kn_buffer *b, size_t count,
                                kn_buffer *x, struct cgnr_result *results, kn_error *err);

// Continues from x, like ki_cgnr_go_on (src/operator/cgnr/cgnr.h), with one float per column for each image's
// gradient.
kn_status ki_sparse_batch_go_on(kn_queue *queue, struct sparse_batch *batch, kn_buffer *gradients,
                                size_t count, kn_buffer *x, struct cgnr_result *results, kn_error *err);

// A^T b for images `first` to first + count - 1, at most as many as are in memory together. Element j of
// image i is at (i / images * columns + j) * images + i % images of `products`, floats that belong to the
// batch and are valid until its next call. Asynchronous.
kn_status ki_sparse_batch_transposed(kn_queue *queue, struct sparse_batch *batch, kn_buffer *b, size_t first,
                                     size_t count, kn_buffer **products, kn_error *err);

// to = A from, or A^T from, for one image, by the code that solves many. Asynchronous.
kn_status ki_sparse_batch_apply(kn_queue *queue, struct sparse_batch *batch, bool transposed, kn_buffer *from,
                                kn_buffer *to, kn_error *err);

// Whether a launch runs many iterations; whether products are computed by tiles; the images in a block; and
// the images in memory together.
bool ki_sparse_batch_is_whole(const struct sparse_batch *batch);
bool ki_sparse_batch_is_tiled(const struct sparse_batch *batch);
unsigned ki_sparse_batch_images(const struct sparse_batch *batch);
size_t ki_sparse_batch_at_once(const struct sparse_batch *batch);

#endif
