// SPDX-License-Identifier: Apache-2.0
// A large product of floats with the project's own kernel (src/algo/gemm/gemm_own.c).
#include <koine/gemm.h>

#include "subjects.h"

struct own {
    kn_gemm_task task;
};

static const struct tune_axis *axes(const kn_queue *queue)
{
    static const struct tune_axis all[KN_TUNABLES] = {{3, {32, 64, 128}}, {3, {32, 64, 128}},
                                                      {3, {8, 16, 32}},   {3, {4, 8, 16}},
                                                      {3, {4, 8, 16}},    {3, {4, 8, 16}}};

    return subject_is_serial(queue) ? NULL : all;
}

static kn_status usual(const struct tune_work *work, unsigned *values, kn_error *err)
{
    return kn_gemm_get_usual(work->queue, values, err);
}

static kn_status open_work(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;
    // Devices with a limit on loops are CPUs, which get a small size.
    size_t n = subject_is_cpu(work->queue) ? 256 : work->quick ? 2048 : 4096;
    uint64_t state = 1;
    kn_status status;

    own->task = KN_INIT(kn_gemm_task, .type = KN_F32, .m = n, .n = n, .k = n, .alpha = {1});
    status = subject_floats(work->queue, n * n, &state, &own->task.a.buffer, err);
    if (!status)
        status = subject_floats(work->queue, n * n, &state, &own->task.b.buffer, err);
    if (!status)
        status =
            kn_buffer_create(kn_queue_get_context(work->queue), n * n * sizeof(float), &work->result, err);
    own->task.c.buffer = work->result;
    return status;
}

static void close_work(struct tune_work *work)
{
    struct own *own = work->own;

    kn_buffer_free(own->task.a.buffer);
    kn_buffer_free(own->task.b.buffer);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    static const kn_gemm_options options = {.struct_size = sizeof(kn_gemm_options), .library = KN_GEMM_OWN};
    const struct own *own = work->own;

    return kn_gemm(work->queue, &own->task, &options, err);
}

const struct tune_subject tune_gemm = {
    .tunables = kn_gemm_get_tunables,
    .what = "a large product of floats",
    // For k = 4,096 terms of random sign, in any order, the rounding error is about 2^-24 sqrt(k).
    .bound = 1e-5,
    .own_bytes = sizeof(struct own),
    .axes = axes,
    .usual = usual,
    .open = open_work,
    .close = close_work,
    .run = run,
};
