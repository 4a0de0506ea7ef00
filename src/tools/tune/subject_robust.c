// SPDX-License-Identifier: Apache-2.0
// Mean, variance, median and MAD of a long column of floats: the way in which ranks are found
// (src/algo/robust/robust_ranks.c).
#include <koine/robust.h>

#include "subjects.h"

struct own {
    kn_buffer *column;
    size_t n;
};

enum { ANSWERS = 4 }; // of a column: mean, variance, median, MAD

static const struct tune_axis *axes(const kn_queue *queue)
{
    static const struct tune_axis all[KN_TUNABLES] = {
        {4, {128, 256, 512, 1024}}, {4, {1, 2, 4, 8}}, {5, {1, 2, 4, 8, 16}}, {3, {256, 512, 1024}}};

    return subject_is_serial(queue) ? NULL : all;
}

static kn_status usual(const struct tune_work *work, unsigned *values, kn_error *err)
{
    return kn_robust_get_usual(work->queue, values, err);
}

static kn_status open_work(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;
    uint64_t state = 1;
    kn_status status;

    // Devices with a limit on loops are CPUs, which get a small size.
    own->n = (size_t)1 << (subject_is_cpu(work->queue) ? 18 : work->quick ? 24 : 26);
    status = subject_floats(work->queue, own->n, &state, &own->column, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(work->queue), ANSWERS * sizeof(double),
                                     &work->result, err);
}

static void close_work(struct tune_work *work)
{
    struct own *own = work->own;

    kn_buffer_free(own->column);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    kn_robust found;
    kn_status status = kn_robust_stats(work->queue, own->column, KN_F32, own->n, &found, NULL, err);
    const double answers[ANSWERS] = {found.mean, found.variance, found.median, found.mad};

    return status ? status : kn_buffer_write(work->queue, work->result, 0, answers, sizeof answers, err);
}

const struct tune_subject tune_robust = {
    .tunables = kn_robust_get_tunables,
    .what = "mean, variance, median and MAD of a long column of floats",
    .own_bytes = sizeof(struct own),
    .axes = axes,
    .usual = usual,
    .open = open_work,
    .close = close_work,
    .run = run,
};
