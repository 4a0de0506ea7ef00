// SPDX-License-Identifier: Apache-2.0
// The levels of cl/algo/scan.cl.
#include <koine/scan.h>

#include "shared/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "base/sized.h"
#include "columns.h"
#include "operations.h"

enum { LEVELS = 8 };

struct scan {
    kn_queue *queue;
    const kn_buffer *x;
    kn_buffer *out, *scratch;
    kn_type type;
    uint32_t exclusive;
    uint64_t block; // elements
    kn_kernel *totals, *blocks;
    unsigned levels;
    uint64_t n[LEVELS], first[LEVELS]; // elements of a level, and where they begin in the scratch memory
};

// Level 0 is the column, the last one a single block.
static void plan(struct scan *s, uint64_t n)
{
    uint64_t room = 0;

    s->block = kn_type_size(s->type) == 8 ? 2048 : 4096;
    for (s->n[0] = n, s->levels = 1; n > s->block; s->levels++) {
        n = (n - 1) / s->block + 1;
        s->n[s->levels] = n;
        s->first[s->levels] = room;
        room += n;
    }
}

static kn_status get_kernels(struct scan *s, const kn_combine *how, kn_type as, kn_error *err)
{
    const kn_define defines[] = {{"TYPE", kn_type_name(as)},
                                 {"RUN", s->block == 2048 ? "8" : "16"},
                                 {"COMBINE", how->combine},
                                 {"IDENTITY", how->identity},
                                 {"MAP", how->map ? how->map : "x"}};
    kn_context *context = s->queue->context;
    // Strict: no compiler may regroup operations whose bits are promised.
    kn_status status = ki_engine_builtin_kernel(context, "algo/scan.cl", defines, KI_COUNT(defines),
                                                KN_POLICY_STRICT, "scan_totals", &s->totals, err);

    return status ? status
                  : ki_engine_builtin_kernel(context, "algo/scan.cl", defines, KI_COUNT(defines),
                                             KN_POLICY_STRICT, "scan_blocks", &s->blocks, err);
}

static kn_range range_of(const struct scan *s, unsigned level)
{
    return (kn_range){1, {(size_t)((s->n[level] - 1) / s->block + 1) * SCAN_GROUP}, {SCAN_GROUP}, {0}};
}

static kn_status launch_totals(const struct scan *s, unsigned level, kn_error *err)
{
    const kn_range range = range_of(s, level);
    uint64_t from = level ? s->first[level] : 0;
    uint32_t mapped = level == 0;
    const kn_arg args[] = {KN_BUFFER(level ? s->scratch : s->x),
                           KN_VALUE(from),
                           KN_VALUE(s->n[level]),
                           KN_VALUE(mapped),
                           KN_BUFFER(s->scratch),
                           KN_VALUE(s->first[level + 1])};

    return kn_launch(s->queue, s->totals, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status launch_blocks(const struct scan *s, unsigned level, kn_error *err)
{
    const kn_range range = range_of(s, level);
    uint64_t from = level ? s->first[level] : 0, prefixes = level + 1 < s->levels ? s->first[level + 1] : 0;
    uint32_t mapped = level == 0, exclusive = level > 0 || s->exclusive;
    const kn_arg args[] = {KN_BUFFER(level ? s->scratch : s->x),
                           KN_BUFFER(level ? s->scratch : s->out),
                           KN_VALUE(from),
                           KN_VALUE(s->n[level]),
                           KN_VALUE(mapped),
                           KN_VALUE(exclusive),
                           KN_BUFFER(s->scratch),
                           KN_VALUE(prefixes)};

    return kn_launch(s->queue, s->blocks, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status scan(struct scan *s, const kn_combine *how, kn_type as, uint64_t n, kn_error *err)
{
    uint64_t room;
    struct engine_scratch scratch = ki_engine_scratch_open(s->queue, ENGINE_SCRATCH_ALGORITHM, 1, "kn_scan");
    kn_status status;

    plan(s, n);
    room = s->first[s->levels - 1] + s->n[s->levels - 1];
    status = get_kernels(s, how, as, err);
    if (!status)
        status = ki_engine_scratch_get(
            &scratch, 0, (size_t)(s->levels > 1 ? room : 1) * kn_type_size(s->type), &s->scratch, err);
    for (unsigned level = 0; level + 1 < s->levels && !status; level++)
        status = launch_totals(s, level, err);
    for (unsigned level = s->levels; level-- > 0 && !status;)
        status = launch_blocks(s, level, err);
    ki_engine_scratch_close(&scratch);
    return status;
}

static kn_status check(const char *function, const struct scan *s, kn_type type, size_t n, kn_scan_kind kind,
                       kn_error *err)
{
    const kn_device_info *info;
    kn_status status = ki_column_check_any(function, s->queue, s->x, type, n, err);

    if (!status)
        status = ki_column_check_any(function, s->queue, s->out, type, n, err);
    if (status)
        return status;
    info = &s->queue->context->device.info;
    if ((unsigned)kind > KN_SCAN_EXCLUSIVE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no kind %d; see kn_scan_kind", function,
                       (int)kind);
    if (n > 0 && (kn_buffer_get_part_count(s->x) > 1 || kn_buffer_get_part_count(s->out) > 1))
        return ki_fail(err, KN_ERROR_LIMIT,
                       "%s: a buffer is held in parts; one allocation of %s holds %llu bytes", function,
                       info->spec, (unsigned long long)info->max_alloc);
    if (info->max_work_group < SCAN_GROUP)
        return ki_fail(err, KN_ERROR_LIMIT, "%s: %s takes groups of %llu work-items; %d are needed", function,
                       info->spec, (unsigned long long)info->max_work_group, SCAN_GROUP);
    return KN_OK;
}

kn_status kn_scan(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, kn_reduce_op op,
                  kn_scan_kind kind, kn_buffer *out, kn_error *err)
{
    struct scan s = {
        .queue = queue, .x = x, .out = out, .type = type, .exclusive = kind == KN_SCAN_EXCLUSIVE};
    kn_combine how;
    kn_type as;
    kn_status status = check("kn_scan", &s, type, n, kind, err);

    if (!status)
        status = ki_operation_find("kn_scan", op, type, type, &how, &as, err);
    return status || n == 0 ? status : scan(&s, &how, as, n, err);
}

kn_status kn_scan_with(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const kn_combine *how,
                       kn_scan_kind kind, kn_buffer *out, kn_error *err)
{
    struct scan s = {
        .queue = queue, .x = x, .out = out, .type = type, .exclusive = kind == KN_SCAN_EXCLUSIVE};
    kn_combine operation;
    kn_status status = check("kn_scan_with", &s, type, n, kind, err);

    if (!status)
        status = KI_SIZED_READ("kn_scan_with", kn_combine, how, &operation, err);
    if (!status && (!operation.combine || !operation.identity))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_scan_with: combine or identity is NULL");
    return status || n == 0 ? status : scan(&s, &operation, type, n, err);
}
