// SPDX-License-Identifier: Apache-2.0
#include "gram_device.h"

#include <stdlib.h>

#include <koine/gemm.h>

#include "algo/columns.h"
#include "base/error.h"

enum { SOME = 256 };

struct sparse_gram_device {
    size_t columns;
    struct sparse_batch *batch;
    kn_buffer *inverse;
};

// Uploads the inverse by rows, which equal its columns, some at a time.
static kn_status upload_inverse(kn_queue *queue, const struct sparse_gram *gram, struct sparse_gram_device *g,
                                kn_error *err)
{
    size_t n = g->columns;
    double *columns = malloc(SOME * n * sizeof *columns + 1);
    float *singles = malloc(SOME * n * sizeof *singles + 1);
    kn_status status =
        columns && singles ? KN_OK : ki_fail_memory(err, SOME * n * sizeof *columns, "an inverse");

    for (size_t first = 0; first < n && !status; first += SOME) {
        size_t count = n - first < SOME ? n - first : SOME;

        status = ki_sparse_gram_inverse(gram, first, count, columns, err);
        for (size_t i = 0; i < count * n && !status; i++)
            singles[i] = (float)columns[i];
        if (!status)
            status = kn_buffer_write(queue, g->inverse, first * n * sizeof *singles, singles,
                                     count * n * sizeof *singles, err);
    }
    free(columns);
    free(singles);
    return status;
}

kn_status ki_sparse_gram_device_create(kn_queue *queue, const struct sparse_matrix *matrix,
                                       const struct sparse_gram *gram, struct sparse_gram_device **made,
                                       kn_error *err)
{
    const struct sparse_batch_options options = {.launches = SPARSE_BATCH_SPREAD};
    const kn_device_info *info = kn_context_get_device(kn_queue_get_context(queue));
    size_t n = matrix->columns, bytes = n * n * sizeof(float);
    struct sparse_gram_device *g = calloc(1, sizeof *g);
    kn_status status = g ? KN_OK : ki_fail_memory(err, sizeof *g, "a Gram matrix");

    if (!status && bytes > info->max_alloc)
        status = ki_fail(err, KN_ERROR_LIMIT,
                         "the inverse of a Gram matrix of %zu columns takes %zu bytes in one piece, and one "
                         "allocation of %s holds %llu; solve on the host",
                         n, bytes, info->spec, (unsigned long long)info->max_alloc);
    if (!status) {
        g->columns = n;
        status = ki_sparse_batch_create(queue, matrix, &options, &g->batch, err);
    }
    if (!status)
        status = kn_buffer_create(kn_queue_get_context(queue), bytes, &g->inverse, err);
    if (!status)
        status = upload_inverse(queue, gram, g, err);
    if (status)
        ki_sparse_gram_device_free(g);
    else
        *made = g;
    return status;
}

void ki_sparse_gram_device_free(struct sparse_gram_device *made)
{
    if (!made)
        return;
    ki_sparse_batch_free(made->batch);
    kn_buffer_free(made->inverse);
    free(made);
}

// Multiplies `blocks` blocks of `images` images, from block `block` of the products on; x of the first one is
// at `offset`.
static kn_status apply_inverse(kn_queue *queue, const struct sparse_gram_device *g, kn_buffer *products,
                               size_t block, size_t blocks, size_t images, kn_buffer *x, size_t offset,
                               kn_error *err)
{
    size_t n = g->columns, side = ki_sparse_batch_images(g->batch);
    const kn_gemm_task task =
        KN_INIT(kn_gemm_task, .type = KN_F32, .transpose_a = KN_GEMM_TRANSPOSED, .m = images, .n = n, .k = n,
                .batch = blocks, .alpha = {1, 0}, .a = {products, block * n * side, side, n * side},
                .b = {g->inverse, 0, n, 0}, .c = {x, offset, n, n * side});

    return images && blocks && n ? kn_gemm(queue, &task, NULL, err) : KN_OK;
}

kn_status ki_sparse_gram_device_solve(kn_queue *queue, struct sparse_gram_device *made, kn_buffer *b,
                                      size_t count, kn_buffer *x, kn_error *err)
{
    size_t at_once = ki_sparse_batch_at_once(made->batch), side = ki_sparse_batch_images(made->batch);
    kn_status status =
        ki_column_check("sparse_gram_device_solve (x)", queue, x, KN_F32, count * made->columns, err);

    for (size_t first = 0; first < count && !status; first += at_once) {
        size_t some = count - first < at_once ? count - first : at_once, blocks = some / side;
        kn_buffer *products = NULL;

        status = ki_sparse_batch_transposed(queue, made->batch, b, first, some, &products, err);
        if (!status)
            status = apply_inverse(queue, made, products, 0, blocks, side, x, first * made->columns, err);
        if (!status)
            status = apply_inverse(queue, made, products, blocks, 1, some % side, x,
                                   (first + blocks * side) * made->columns, err);
    }
    return status;
}

kn_status ki_sparse_gram_device_inverse(kn_queue *queue, struct sparse_gram_device *made, kn_buffer *from,
                                        size_t count, kn_buffer *to, kn_error *err)
{
    size_t n = made->columns;
    const kn_gemm_task task =
        KN_INIT(kn_gemm_task, .type = KN_F32, .m = count, .n = n, .k = n, .alpha = {1, 0},
                .a = {from, 0, n, 0}, .b = {made->inverse, 0, n, 0}, .c = {to, 0, n, 0});
    kn_status status =
        ki_column_check("sparse_gram_device_inverse (from)", queue, from, KN_F32, count * n, err);

    if (!status)
        status = ki_column_check("sparse_gram_device_inverse (to)", queue, to, KN_F32, count * n, err);
    return status || !count || !n ? status : kn_gemm(queue, &task, NULL, err);
}

kn_status ki_sparse_gram_device_apply(kn_queue *queue, struct sparse_gram_device *made, bool transposed,
                                      kn_buffer *from, kn_buffer *to, kn_error *err)
{
    return ki_sparse_batch_apply(queue, made->batch, transposed, from, to, err);
}
