// SPDX-License-Identifier: Apache-2.0
// Radix sorts of many keys (koine/sort.h): floats and doubles, alone and with values of their width.
#include <koine/sort.h>

#include <string.h>

#include "subjects.h"

struct own {
    kn_buffer *keys; // the sorted keys are the result, followed by the values
    kn_buffer *values, *moved;
    kn_type type;
    size_t bytes, count;
};

static const struct tune_axis *axes(const kn_queue *queue)
{
    // Only NVIDIA's compilers accept a number of registers.
    static const struct tune_axis all[KN_TUNABLES] = {{5, {256, 384, 512, 768, 1024}},
                                                      {8, {6, 8, 10, 12, 14, 16, 18, 22}},
                                                      {0, {0}},
                                                      {5, {1, 2, 4, 8, 16}},
                                                      {2, {1, 2}}},
                                  nvidia[KN_TUNABLES] = {{5, {256, 384, 512, 768, 1024}},
                                                         {8, {6, 8, 10, 12, 14, 16, 18, 22}},
                                                         {6, {0, 40, 56, 64, 80, 128}},
                                                         {5, {1, 2, 4, 8, 16}},
                                                         {2, {1, 2}}};

    if (subject_is_cpu(queue))
        return NULL;
    return strstr(subject_device(queue)->vendor, "NVIDIA") ? nvidia : all;
}

// ---- the keys ----

static kn_status upload(struct tune_work *work, bool by_key, kn_error *err)
{
    kn_context *context = kn_queue_get_context(work->queue);
    struct own *own = work->own;
    uint64_t state = 1;
    kn_status status = subject_numbers(work->queue, own->type, own->count, &state, &own->keys, err);

    if (!status)
        status = kn_buffer_create(context, (by_key ? 2 : 1) * own->bytes, &work->result, err);
    if (!status && by_key)
        status = kn_buffer_create(context, own->bytes, &own->values, err);
    if (!status && by_key)
        status = kn_buffer_create(context, own->bytes, &own->moved, err);
    if (!status && by_key) // any values are suitable
        status = kn_buffer_copy(work->queue, own->keys, 0, own->values, 0, own->bytes, NULL, err);
    return status;
}

static kn_status open_keys(struct tune_work *work, kn_type type, bool by_key, kn_error *err)
{
    struct own *own = work->own;

    own->bytes = (size_t)1 << (work->quick ? 25 : 28);
    own->type = type;
    own->count = own->bytes / kn_type_size(type);
    return upload(work, by_key, err);
}

static void close_keys(struct tune_work *work)
{
    struct own *own = work->own;

    kn_buffer_free(own->keys);
    kn_buffer_free(own->values);
    kn_buffer_free(own->moved);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_RADIX);
    const struct own *own = work->own;
    kn_status status = kn_buffer_copy(work->queue, own->keys, 0, work->result, 0, own->bytes, NULL, err);

    if (!status && own->values)
        status = kn_buffer_copy(work->queue, own->values, 0, own->moved, 0, own->bytes, NULL, err);
    if (status)
        return status;
    if (!own->values)
        return kn_sort(work->queue, work->result, own->type, own->count, &options, err);
    status = kn_sort_by_key(work->queue, work->result, own->type, own->count, own->moved,
                            kn_type_size(own->type), &options, err);
    return status
               ? status
               : kn_buffer_copy(work->queue, own->moved, 0, work->result, own->bytes, own->bytes, NULL, err);
}

// ---- the subjects ----

#define SUBJECT(name, key_type, with_values, words)                                                          \
    static const kn_tunables *tunables_##name(void)                                                          \
    {                                                                                                        \
        return kn_sort_get_tunables(kn_type_size(key_type), with_values);                                    \
    }                                                                                                        \
    static kn_status usual_##name(const struct tune_work *work, unsigned *values, kn_error *err)             \
    {                                                                                                        \
        return kn_sort_get_usual(work->queue, kn_type_size(key_type), with_values, values, err);             \
    }                                                                                                        \
    static kn_status open_##name(struct tune_work *work, kn_error *err)                                      \
    {                                                                                                        \
        return open_keys(work, key_type, with_values, err);                                                  \
    }                                                                                                        \
    const struct tune_subject tune_##name = {.tunables = tunables_##name,                                    \
                                             .what = words,                                                  \
                                             .own_bytes = sizeof(struct own),                                \
                                             .axes = axes,                                                   \
                                             .usual = usual_##name,                                          \
                                             .open = open_##name,                                            \
                                             .close = close_keys,                                            \
                                             .run = run}

SUBJECT(sort_32bit, KN_F32, false, "many floats by radix");
SUBJECT(sort_64bit, KN_F64, false, "many doubles by radix");
SUBJECT(sort_by_key_32bit, KN_F32, true, "many floats with values of 4 bytes by radix");
SUBJECT(sort_by_key_64bit, KN_F64, true, "many doubles with values of 8 bytes by radix");
