// SPDX-License-Identifier: Apache-2.0
// The launch of cl/algo/gemm/gemm_cpu.cl, and its block sizes.
#include "base/array.h"
#include "base/error.h"
#include "algo/columns.h"
#include "gemm.h"

struct blocks {
    unsigned item_m, m, k; // tunables of the kernel
    uint32_t columns;      // columns of C per work-item
};

static unsigned width_of(const kn_gemm_task *task)
{
    return task->type == KN_F64 ? 8 : 16;
}

static uint64_t local_bytes(const struct blocks *blocks, const kn_gemm_task *task)
{
    return (uint64_t)blocks->k * (blocks->m + width_of(task)) * gemm_element(task);
}

static uint64_t groups_of(const struct blocks *blocks, const kn_gemm_task *task)
{
    return (uint64_t)((task->m - 1) / blocks->m + 1) * ((task->n - 1) / blocks->columns + 1);
}

// Sizes that fit into local memory and give every thread something to do.
static struct blocks choose_blocks(const kn_queue *queue, const kn_gemm_task *task)
{
    const kn_device_info *info = &queue->context->device.info;
    struct blocks blocks = {task->is_complex ? 3 : 6, 192, 256, 512};

    while (blocks.k > 32 && local_bytes(&blocks, task) > info->local_memory)
        blocks.k /= 2;
    while (blocks.m > 2 * blocks.item_m && local_bytes(&blocks, task) > info->local_memory)
        blocks.m /= 2;
    while (blocks.columns > width_of(task) &&
           groups_of(&blocks, task) * task->batch < 4 * (uint64_t)info->compute_units)
        blocks.columns /= 2;
    return blocks;
}

static kn_status get_kernel(kn_queue *queue, const kn_gemm_task *task, const struct blocks *blocks,
                            kn_kernel **kernel, kn_error *err)
{
    struct engine_defines defines = {.count = 0};

    ki_engine_define(&defines, "REAL_BITS", task->type == KN_F64 ? 64 : 32);
    ki_engine_define(&defines, "COMPLEX", task->is_complex != 0);
    ki_engine_define(&defines, "ITEM_M", blocks->item_m);
    ki_engine_define(&defines, "BLOCK_M", blocks->m);
    ki_engine_define(&defines, "BLOCK_K", blocks->k);
    return ki_engine_builtin_kernel(queue->context, "algo/gemm/gemm_cpu.cl", defines.items, defines.count,
                                    KN_POLICY_DEFAULT, "gemm_cpu", kernel, err);
}

// An operand's layout, in numbers: the offset, the strides of rows and columns of op(X), and the stride of
// matrices.
struct layout {
    uint64_t offset, row, column, stride;
    double sign; // of imaginary parts
};

static struct layout layout_of(const kn_gemm_task *task, const kn_gemm_matrix *matrix,
                               kn_gemm_transpose transpose)
{
    uint64_t parts = task->is_complex ? 2 : 1, pitch = matrix->pitch * parts;
    struct layout layout = {matrix->offset * parts, pitch, parts, matrix->stride * parts,
                            transpose == KN_GEMM_CONJUGATED ? -1 : 1};

    if (transpose != KN_GEMM_AS_IS) {
        layout.row = parts;
        layout.column = pitch;
    }
    return layout;
}

kn_status ki_gemm_on_cpu(kn_queue *queue, const kn_gemm_task *task, kn_error *err)
{
    const struct blocks blocks = choose_blocks(queue, task);
    const struct layout a = layout_of(task, &task->a, task->transpose_a),
                        b = layout_of(task, &task->b, task->transpose_b);
    const struct layout c = layout_of(task, &task->c, KN_GEMM_AS_IS);
    bool nothing = task->k == 0 || (task->alpha[0] == 0 && task->alpha[1] == 0);
    const uint32_t m = (uint32_t)task->m, n = (uint32_t)task->n, k = nothing ? 0 : (uint32_t)task->k;
    const uint32_t keep = !(task->beta[0] == 0 && task->beta[1] == 0);
    union column_scalar signs[2], factors[4];
    kn_kernel *kernel = NULL;
    kn_status status = get_kernel(queue, task, &blocks, &kernel, err);

    if (status)
        return status;
    const kn_arg args[] = {
        KN_BUFFER(k ? task->a.buffer : task->c.buffer),
        KN_VALUE(a.offset),
        KN_VALUE(a.row),
        KN_VALUE(a.column),
        KN_VALUE(a.stride),
        ki_column_real(&signs[0], task->type, a.sign),
        KN_BUFFER(k ? task->b.buffer : task->c.buffer),
        KN_VALUE(b.offset),
        KN_VALUE(b.row),
        KN_VALUE(b.column),
        KN_VALUE(b.stride),
        ki_column_real(&signs[1], task->type, b.sign),
        KN_BUFFER(task->c.buffer),
        KN_VALUE(c.offset),
        KN_VALUE(c.row),
        KN_VALUE(c.stride),
        KN_VALUE(m),
        KN_VALUE(n),
        KN_VALUE(k),
        KN_VALUE(blocks.columns),
        ki_column_real(&factors[0], task->type, task->alpha[0]),
        ki_column_real(&factors[1], task->type, task->alpha[1]),
        ki_column_real(&factors[2], task->type, task->beta[0]),
        ki_column_real(&factors[3], task->type, task->beta[1]),
        KN_VALUE(keep),
    };
    const kn_range range = {2, {(size_t)groups_of(&blocks, task), task->batch}, {1, 1}, {0}};
    return kn_launch(queue, kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}
