// SPDX-License-Identifier: Apache-2.0
// The passes of cl/algo/sort/sort_merge.cl.
#include <koine/experimental.h>
#include <koine/sort.h>

#include <string.h>

#include "algo/snippet.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "sort.h"

enum { MOST_BYTES = 1024, MOST_ITEMS = 32, MOST_GROUP = 1024, SNIPPETS = 3 };
// Local bytes for the search for splits.
enum { SEARCH_BYTES = 128 };
// Up to this many elements, each group searches for its own splits (bench/history/sort.md).
enum { SPLITS_BY_GROUP = 1 << 21 };
// Slots of scratch memory.
enum { OTHER_KEYS, TILES, OTHER_VALUES, SEGMENTS, FOUND, SLOTS };

struct merger {
    const char *function;
    kn_queue *queue;
    kn_less less;
    kn_merge_tuning tuning;
    uint64_t n;
    uint64_t segments;
    kn_buffer *keys, *values; // values NULL: none
    const kn_buffer *offsets; // of segments; NULL: none
    size_t value_size;
    unsigned group, items;
    kn_kernel *sort_tiles, *find_splits, *merge_tiles, *check_segments, *find_segments;
    struct engine_scratch scratch;
    kn_buffer *through, *split;
};

static bool runs_on_cpu(const struct merger *m)
{
    return engine_is_cpu(&m->queue->context->device.info);
}

static uint64_t tile_size(const struct merger *m)
{
    return (uint64_t)m->group * m->items;
}

static uint64_t tile_count(const struct merger *m)
{
    return (m->n - 1) / tile_size(m) + 1;
}

// Bytes of a key and its value side by side. A type's alignment divides its size.
static size_t entry_size(const struct merger *m)
{
    size_t align = m->less.size & (~m->less.size + 1);

    if (align < m->value_size)
        align = m->value_size;
    return (m->less.size + m->value_size + align - 1) / align * align;
}

// Whether a key and its value side by side may have a size that is neither 1 nor 2 nor a multiple of 4: the
// alignment of a type defined by the caller is unknown.
static bool may_be_odd(const struct merger *m)
{
    return (m->less.size > 2 && m->less.size % 4) || (m->less.definitions && m->values && m->value_size < 4);
}

static uint64_t local_bytes(const struct merger *m)
{
    uint64_t tile = tile_size(m) * entry_size(m);

    if (runs_on_cpu(m))
        return 2 * tile;
    return tile + SEARCH_BYTES + (m->offsets ? 3 * sizeof(uint32_t) * m->group : 0);
}

// Whether a tile of this size fits into local memory, into a group, and into the iterations that a work-item
// may run.
static bool tile_fits(const struct merger *m)
{
    const kn_device_info *info = &m->queue->context->device.info;
    uint64_t iterations = runs_on_cpu(m) ? 32 * tile_size(m) : 0; // of sort_run, moving and merging

    return (runs_on_cpu(m) || m->group <= info->max_work_group) &&
           local_bytes(m) <= ki_engine_local_arrays(info) &&
           (info->loop_limit == 0 || iterations <= info->loop_limit);
}

// Sizes that the device supports: the requested ones; otherwise the defaults, reduced until they fit.
static kn_status choose_sizes(struct merger *m, kn_error *err)
{
    const kn_device_info *info = &m->queue->context->device.info;
    unsigned words = (unsigned)(entry_size(m) + 3) / 4;
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_SORT_MERGE);
    bool few = m->n / (sizes->group * sizes->items / words + 1) < info->compute_units;
    // Elements of one word each that a work-item takes.
    unsigned most = few ? ki_engine_sizes(info, SHAPE_SORT_MERGE_FEW)->items : sizes->items;
    bool groups_are_free = !m->tuning.group, items_are_free = !m->tuning.items;

    m->group = groups_are_free ? sizes->group : m->tuning.group;
    m->items = items_are_free ? (words < most ? (most / words) | 1 : 1) : m->tuning.items;
    if (m->group > MOST_GROUP || (m->group & (m->group - 1)) || m->items > MOST_ITEMS)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: group %u and items %u; a group has a power of two up to %d, items go up to %d",
                       m->function, m->group, m->items, MOST_GROUP, MOST_ITEMS);
    while (!tile_fits(m)) { // keeps 8 times as many work-items as elements of one, if both are free
        if (groups_are_free && m->group > 1 && (!items_are_free || m->items == 1 || m->group > 8 * m->items))
            m->group /= 2;
        else if (items_are_free && m->items > 1)
            m->items--;
        else
            return ki_fail(
                err, KN_ERROR_LIMIT,
                "%s: groups of %u work-items with %u elements of %zu bytes each need %llu bytes of local "
                "memory; %s takes groups of %llu and has %llu bytes for a kernel's arrays%s",
                m->function, m->group, m->items, entry_size(m), (unsigned long long)local_bytes(m),
                info->spec, (unsigned long long)info->max_work_group,
                (unsigned long long)ki_engine_local_arrays(info),
                info->loop_limit ? "; and a work-item's loops are limited there" : "");
    }
    return KN_OK;
}

// OpenCL C's type of this many bytes, for moving elements without interpreting them.
static const char *value_type(size_t size)
{
    static const struct {
        size_t size;
        const char *type;
    } types[] = {{1, "uchar"}, {2, "ushort"}, {4, "uint"}, {8, "ulong"}, {16, "uint4"}};

    for (size_t i = 0; i < KI_COUNT(types); i++)
        if (types[i].size == size)
            return types[i].type;
    return NULL;
}

static kn_status get_kernels(struct merger *m, kn_error *err)
{
    const struct {
        const char *name;
        kn_kernel **kernel;
    } wanted[] = {{"sort_tiles", &m->sort_tiles},
                  {"find_splits", &m->find_splits},
                  {"merge_tiles", &m->merge_tiles},
                  {"check_segments", &m->check_segments},
                  {"find_segments", &m->find_segments}};
    const struct {
        const char *macro, *what, *text;
    } snippets[SNIPPETS] = {{"DEFINITIONS", "definitions", m->less.definitions ? m->less.definitions : ""},
                            {"TYPE", "type", m->less.type},
                            {"LESS", "comparison", m->less.less}};
    char *joined[SNIPPETS] = {NULL, NULL, NULL};
    struct engine_defines defines = {.count = 0};
    kn_error reason = KN_ERROR_INIT;
    kn_status status = KN_OK;

    for (size_t i = 0; i < SNIPPETS && !status; i++) {
        status = ki_snippet_join(m->function, snippets[i].what, snippets[i].text, &m->queue->kept, &joined[i],
                                 &reason);
        ki_engine_define_text(&defines, snippets[i].macro, joined[i]);
    }
    ki_engine_define(&defines, "TYPE_SIZE", (unsigned)m->less.size);
    ki_engine_define(&defines, "GROUP", m->group);
    ki_engine_define(&defines, "ITEMS", m->items);
    ki_engine_define(&defines, "SEGMENTS", m->offsets != NULL);
    if (m->values)
        ki_engine_define_text(&defines, "VALUE", value_type(m->value_size));
    for (size_t i = 0; i < (m->offsets ? KI_COUNT(wanted) : 3) && !status; i++)
        status = ki_engine_builtin_kernel(m->queue->context, "algo/sort/sort_merge.cl", defines.items,
                                          defines.count, KN_POLICY_DEFAULT, wanted[i].name, wanted[i].kernel,
                                          &reason);
    for (size_t i = 0; i < SNIPPETS; i++)
        ki_kept_give(&m->queue->kept, joined[i]);
    if (status == KN_ERROR_BUILD) {
        ki_fail_at(err, status, reason.file, reason.line,
                   "%s: the comparison '%s' of elements of type '%s' (%zu bytes) is not what the compiler "
                   "takes; `a` and `b` are "
                   "the elements. %s",
                   m->function, m->less.less, m->less.type, m->less.size, reason.text);
        return ki_error_native(err, reason.native, reason.native_name);
    }
    if (status && err)
        *err = reason;
    return status;
}

// ---- launches ----

static kn_range range_over_tiles(const struct merger *m)
{
    size_t lanes = runs_on_cpu(m) ? 1 : m->group;

    return (kn_range){1, {(size_t)tile_count(m) * lanes}, {lanes}, {0}};
}

// One work-item for each of `count`, in groups of any size.
static kn_range range_over(const struct merger *m, uint64_t count)
{
    size_t group = m->queue->context->device.info.max_work_group < 128 ? 1 : 128;

    return (kn_range){1, {((size_t)count + group - 1) / group * group}, {group}, {0}};
}

// Without values, segments or tables, kernels do not use these arguments, and get the keys.
static const kn_buffer *or_keys(const struct merger *m, const kn_buffer *buffer)
{
    return buffer ? buffer : m->keys;
}

struct columns {
    kn_buffer *keys, *values;
};

static kn_status sort_tiles(const struct merger *m, struct columns from, struct columns to, kn_error *err)
{
    const kn_range range = range_over_tiles(m);
    const kn_arg args[] = {KN_BUFFER(from.keys),  KN_BUFFER(or_keys(m, from.values)),
                           KN_VALUE(m->n),        KN_BUFFER(or_keys(m, m->offsets)),
                           KN_VALUE(m->segments), KN_BUFFER(or_keys(m, m->through)),
                           KN_BUFFER(to.keys),    KN_BUFFER(or_keys(m, to.values))};

    return kn_launch(m->queue, m->sort_tiles, &range, args, KI_COUNT(args), NO_EVENT, err);
}

// A launch that finds all splits pays if there are so many that groups would wait for memory one after the
// other.
static bool splits_are_launched(const struct merger *m)
{
    if (m->tuning.splits != KN_SPLITS_AUTO)
        return m->tuning.splits == KN_SPLITS_LAUNCH;
    return !runs_on_cpu(m) && m->n > SPLITS_BY_GROUP;
}

static kn_status merge_level(const struct merger *m, uint32_t level, struct columns from, struct columns to,
                             kn_error *err)
{
    const kn_range each_tile = range_over(m, tile_count(m)), range = range_over_tiles(m);
    const kn_arg split_args[] = {KN_BUFFER(from.keys),
                                 KN_VALUE(m->n),
                                 KN_VALUE(level),
                                 KN_BUFFER(or_keys(m, m->offsets)),
                                 KN_BUFFER(or_keys(m, m->through)),
                                 KN_BUFFER(or_keys(m, m->split))};
    const uint32_t given = splits_are_launched(m);
    const kn_arg args[] = {KN_BUFFER(from.keys),
                           KN_BUFFER(or_keys(m, from.values)),
                           KN_VALUE(m->n),
                           KN_VALUE(level),
                           KN_BUFFER(or_keys(m, m->offsets)),
                           KN_BUFFER(or_keys(m, m->through)),
                           KN_BUFFER(or_keys(m, m->split)),
                           KN_VALUE(given),
                           KN_BUFFER(to.keys),
                           KN_BUFFER(or_keys(m, to.values))};
    kn_status status = KN_OK;

    if (given)
        status =
            kn_launch(m->queue, m->find_splits, &each_tile, split_args, KI_COUNT(split_args), NO_EVENT, err);

    return status ? status : kn_launch(m->queue, m->merge_tiles, &range, args, KI_COUNT(args), NO_EVENT, err);
}

// Sorts tiles, then merges `levels` times, alternating so that the last pass writes to the caller's buffers.
static kn_status sort_levels(struct merger *m, unsigned levels, kn_error *err)
{
    struct columns own = {m->keys, m->values}, other = own, from;
    kn_status status = KN_OK;

    if (levels > 0) {
        status = ki_engine_scratch_get(&m->scratch, OTHER_KEYS, m->n * m->less.size, &other.keys, err);
        if (!status && m->values)
            status =
                ki_engine_scratch_get(&m->scratch, OTHER_VALUES, m->n * m->value_size, &other.values, err);
        if (!status && splits_are_launched(m))
            status =
                ki_engine_scratch_get(&m->scratch, TILES, tile_count(m) * sizeof(uint64_t), &m->split, err);
    }
    from = levels % 2 ? other : own;
    if (!status)
        status = sort_tiles(m, own, from, err);
    for (uint32_t level = 0; level < levels && !status; level++) {
        struct columns to = from.keys == own.keys ? other : own;
        status = merge_level(m, level, from, to, err);
        from = to;
    }
    return status;
}

static unsigned levels_for(uint64_t tiles)
{
    unsigned levels = 0;

    while (levels < 63 && ((uint64_t)1 << levels) < tiles)
        levels++;
    return levels;
}

// Checks that the offsets are valid, and finds how many levels the longest segment takes.
static kn_status look_at_segments(struct merger *m, unsigned *levels, kn_error *err)
{
    const kn_range each_segment = range_over(m, m->segments), each_tile = range_over(m, tile_count(m));
    uint32_t found[2] = {0, 0};
    kn_buffer *buffer = NULL;
    kn_status status = ki_engine_scratch_get(&m->scratch, FOUND, sizeof found, &buffer, err);

    if (!status)
        status =
            ki_engine_scratch_get(&m->scratch, SEGMENTS, tile_count(m) * sizeof(uint64_t), &m->through, err);
    if (!status)
        status = kn_buffer_write(m->queue, buffer, 0, found, sizeof found, err);
    if (!status) {
        const kn_arg args[] = {KN_VALUE(m->n), KN_BUFFER(m->offsets), KN_VALUE(m->segments),
                               KN_BUFFER(buffer)};
        status = kn_launch(m->queue, m->check_segments, &each_segment, args, KI_COUNT(args), NO_EVENT, err);
    }
    if (!status)
        status = kn_buffer_read(m->queue, buffer, 0, found, sizeof found, err);
    if (status)
        return status;
    if (found[1] > 0)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: offsets must begin with 0, not descend, and end with n = %llu; %u of the %llu "
                       "segments have an offset that "
                       "breaks this",
                       m->function, (unsigned long long)m->n, found[1], (unsigned long long)m->segments);
    *levels = found[0];
    const kn_arg args[] = {KN_VALUE(m->n), KN_BUFFER(m->offsets), KN_VALUE(m->segments),
                           KN_BUFFER(m->through)};
    return kn_launch(m->queue, m->find_segments, &each_tile, args, KI_COUNT(args), NO_EVENT, err);
}

// ---- checks, and the public functions ----

static kn_status check_buffer(const struct merger *m, const char *what, const kn_buffer *buffer, size_t size,
                              uint64_t n, kn_error *err)
{
    if (!buffer)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", m->function, what);
    if (m->queue->context != buffer->context)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s belongs to another context than the queue",
                       m->function, what);
    if (n > buffer->bytes / size)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %llu elements of %zu bytes, but %s holds %zu",
                       m->function, (unsigned long long)n, size, what, buffer->bytes / size);
    if (kn_buffer_get_part_count(buffer) > 1)
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: %s, of %zu bytes, is held in parts; one allocation of %s holds %llu", m->function,
                       what, buffer->bytes, m->queue->context->device.info.spec,
                       (unsigned long long)m->queue->context->device.info.max_alloc);
    return KN_OK;
}

static kn_status check(const struct merger *m, bool with_values, bool with_segments, kn_error *err)
{
    kn_status status = KN_OK;

    if (!m->queue)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: queue is NULL", m->function);
    if (!m->less.type || !m->less.less)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the type or the comparison is NULL", m->function);
    if (m->queue->context->quirks.odd_structs_wrong && may_be_odd(m))
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s: elements of type '%s' (%zu bytes) and values of %zu bytes: %s of %s copies "
                       "structs wrong whose size is not a multiple of 4; fill the type up",
                       m->function, m->less.type, m->less.size, m->value_size,
                       m->queue->context->device.info.platform, m->queue->context->device.info.spec);
    if (m->less.size == 0 || m->less.size > MOST_BYTES)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: elements of %zu bytes; they may have 1 to %d",
                       m->function, m->less.size, MOST_BYTES);
    if ((unsigned)m->tuning.splits > KN_SPLITS_GROUP)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: there is no method %d of finding splits; see kn_merge_splits", m->function,
                       (int)m->tuning.splits);
    status = check_buffer(m, "keys", m->keys, m->less.size, m->n, err);
    if (!status && with_values && !value_type(m->value_size))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: values of %zu bytes; they may have 1, 2, 4, 8 or 16",
                       m->function, m->value_size);
    if (!status && with_values)
        status = check_buffer(m, "values", m->values, m->value_size, m->n, err);
    if (!status && with_segments && (m->segments == UINT64_MAX || (m->segments == 0 && m->n > 0)))
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "%s: %lld segments for %llu elements; offsets hold one number more than there are segments",
            m->function, (long long)m->segments, (unsigned long long)m->n);
    if (!status && with_segments)
        status = check_buffer(m, "offsets", m->offsets, sizeof(uint64_t), m->segments + 1, err);
    return status;
}

static kn_status merge(struct merger *m, kn_error *err)
{
    unsigned levels = 0;
    kn_status status = KN_OK;

    if (m->offsets)
        status = look_at_segments(m, &levels, err);
    else
        levels = levels_for(tile_count(m));
    return status ? status : sort_levels(m, levels, err);
}

static kn_status sort(struct merger *m, bool with_values, bool with_segments, kn_error *err)
{
    kn_status status = check(m, with_values, with_segments, err);

    if (status || m->n == 0 || (m->n < 2 && !m->offsets))
        return status;
    status = choose_sizes(m, err);
    if (!status)
        status = get_kernels(m, err);
    if (status)
        return status;
    m->scratch = ki_engine_scratch_open(m->queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, m->function);
    status = merge(m, err);
    ki_engine_scratch_close(&m->scratch);
    return status;
}

static kn_status sort_less(struct merger *m, bool with_values, const kn_less *less, kn_error *err)
{
    kn_status status;

    if (!less)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: less is NULL", m->function);
    status = KI_SIZED_READ(m->function, kn_less, less, &m->less, err);
    if (!status && m->less.tuning)
        m->tuning = *m->less.tuning;
    return status ? status : sort(m, with_values, false, err);
}

kn_status kn_sort_less(kn_queue *queue, kn_buffer *keys, size_t n, const kn_less *less, kn_error *err)
{
    struct merger m = {.function = "kn_sort_less", .queue = queue, .keys = keys, .n = n};

    return sort_less(&m, false, less, err);
}

kn_status kn_sort_less_by_key(kn_queue *queue, kn_buffer *keys, size_t n, kn_buffer *values,
                              size_t value_size, const kn_less *less, kn_error *err)
{
    struct merger m = {.function = "kn_sort_less_by_key",
                       .queue = queue,
                       .keys = keys,
                       .values = values,
                       .value_size = value_size,
                       .n = n};

    return sort_less(&m, true, less, err);
}

// Numpy's order: NaN after all numbers, descending or not. -0 and +0 are equal, or -0 is the lesser one.
static kn_less order_of(kn_type type, bool descending, bool zeros_differ)
{
    static const char *const integers[] = {"a < b", "b < a"};
    static const char *const reals[] = {"a == a && !(b <= a)", "a == a && !(a <= b)"};
    static const char *const signs[][2] = {{"a == a && (!(b <= a) || (a == b && as_int(a) < as_int(b)))",
                                            "a == a && (!(a <= b) || (a == b && as_int(b) < as_int(a)))"},
                                           {"a == a && (!(b <= a) || (a == b && as_long(a) < as_long(b)))",
                                            "a == a && (!(a <= b) || (a == b && as_long(b) < as_long(a)))"}};
    kn_less less = KN_INIT(kn_less, .type = kn_type_name(type), .size = kn_type_size(type),
                           .less = integers[descending]);

    if (type == KN_F32 || type == KN_F64)
        less.less = zeros_differ ? signs[type == KN_F64][descending] : reals[descending];
    return less;
}

kn_status ki_sort_merge(const struct sort_job *job, kn_error *err)
{
    struct merger m = {.function = job->function,
                       .queue = job->queue,
                       .less = order_of(job->type, job->options.order == KN_DESCENDING, !job->values),
                       .n = job->n,
                       .keys = job->keys,
                       .values = job->values,
                       .value_size = job->value_size};

    return sort(&m, job->values != NULL, false, err);
}

static kn_status sort_segments(struct merger *m, kn_type type, bool with_values, kn_order order,
                               kn_error *err)
{
    kn_status status = ki_column_check_any(m->function, m->queue, m->keys, type, (size_t)m->n, err);

    if (status)
        return status;
    if ((unsigned)order > KN_DESCENDING)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no order %d; see kn_order", m->function,
                       (int)order);
    m->less = order_of(type, order == KN_DESCENDING, false);
    return sort(m, with_values, true, err);
}

kn_status kn_sort_segments(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n, const kn_buffer *offsets,
                           size_t segments, kn_order order, kn_error *err)
{
    struct merger m = {.function = "kn_sort_segments",
                       .queue = queue,
                       .keys = keys,
                       .n = n,
                       .offsets = offsets,
                       .segments = segments};

    return sort_segments(&m, type, false, order, err);
}

kn_status kn_sort_segments_by_key(kn_queue *queue, kn_buffer *keys, kn_type type, size_t n, kn_buffer *values,
                                  size_t value_size, const kn_buffer *offsets, size_t segments,
                                  kn_order order, kn_error *err)
{
    struct merger m = {.function = "kn_sort_segments_by_key",
                       .queue = queue,
                       .keys = keys,
                       .values = values,
                       .value_size = value_size,
                       .n = n,
                       .offsets = offsets,
                       .segments = segments};

    return sort_segments(&m, type, true, order, err);
}
