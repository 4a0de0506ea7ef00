// SPDX-License-Identifier: Apache-2.0
// Sorting many floats by radix (src/algo/sort/sort_radix.c).
#include "algo/sort/sort.h"
#include "subjects.h"

struct own {
    kn_buffer *keys;
    size_t count;
};

static const struct tune_axis *axes(const kn_queue *queue)
{
    static const struct tune_axis all[ENGINE_TUNABLES] = {
        {4, {256, 384, 512, 1024}}, {7, {4, 8, 10, 12, 16, 20, 24}}, {5, {1, 2, 4, 8, 16}}, {2, {1, 2}}};

    return engine_is_cpu(kn_context_get_device(kn_queue_get_context(queue))) ? NULL : all;
}

static void usual(const struct tune_work *work, unsigned *values)
{
    ki_sort_radix_usual(work->queue, values);
}

static kn_status open_work(struct tune_work *work, kn_error *err)
{
    struct own *own = work->own;
    uint64_t state = 1;
    kn_status status;

    own->count = (size_t)1 << (work->quick ? 23 : 26);
    status = subject_floats(work->queue, own->count, &state, &own->keys, err);
    return status ? status
                  : kn_buffer_create(kn_queue_get_context(work->queue), own->count * sizeof(float),
                                     &work->result, err);
}

static void close_work(struct tune_work *work)
{
    struct own *own = work->own;

    kn_buffer_free(own->keys);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    static const kn_sort_options options = {.struct_size = sizeof(kn_sort_options),
                                            .algorithm = KN_SORT_RADIX};
    const struct own *own = work->own;
    kn_status status =
        kn_buffer_copy(work->queue, own->keys, 0, work->result, 0, own->count * sizeof(float), NULL, err);

    return status ? status : kn_sort(work->queue, work->result, KN_F32, own->count, &options, err);
}

const struct tune_subject tune_sort = {
    .tunables = &ki_sort_radix_tunables,
    .what = "many floats by radix",
    .own_bytes = sizeof(struct own),
    .axes = axes,
    .usual = usual,
    .open = open_work,
    .close = close_work,
    .run = run,
};
