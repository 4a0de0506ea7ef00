// SPDX-License-Identifier: Apache-2.0
// Counts of the values in stretches of a column of 8 bits, with cl/algo/robust/robust_count.cl.
#include "robust.h"

#include <string.h>

#include "base/array.h"
#include "base/error.h"

// Slots of scratch memory.
enum { COUNTS, CHUNKS, SLOTS };

// The most elements of a row of counts.
#define ROW_MOST ((uint64_t)1 << 31)

// As in cl/algo/robust/robust_count.cl.
struct chunk {
    uint64_t begin, end, row;
};

struct count {
    kn_queue *queue;
    const kn_buffer *x;
    unsigned group, replicas;
    uint64_t length; // of a chunk
    kn_kernel *kernel;
    struct chunk *chunks; // in order; those of part p are first[p] ... first[p + 1] - 1
    size_t chunk_count, chunk_room, *first;
    size_t *stretch; // to which a row belongs
    size_t rows;
};

static void choose_shape(struct count *c, uint64_t elements)
{
    const kn_device_info *info = &c->queue->context->device.info;
    const struct engine_sizes *sizes = ki_engine_sizes(info, SHAPE_ROBUST_COUNT);
    uint64_t groups = sizes->per_unit * (uint64_t)(info->compute_units ? info->compute_units : 1), least;

    c->group = sizes->group;
    while (c->group > 1 && c->group > info->max_work_group)
        c->group /= 2;
    c->replicas = sizes->copies > 8 && info->local_memory < (40u << 10) ? 8 : sizes->copies;
    least = (uint64_t)c->group * 64;
    c->length = (elements / groups + 15) / 16 * 16;
    c->length = c->length < least ? least : c->length;
    if (info->loop_limit && c->length > 512 * (uint64_t)c->group)
        c->length = 512 * (uint64_t)c->group;
    if (c->length > ROW_MOST)
        c->length = ROW_MOST;
}

static bool add_chunk(struct count *c, uint64_t begin, uint64_t end)
{
    if (c->chunk_count == c->chunk_room) {
        size_t room = 2 * c->chunk_room + 64;
        struct chunk *more = ki_kept_grow(&c->queue->kept, c->chunks, room * sizeof *more);
        if (!more)
            return false;
        c->chunks = more;
        c->chunk_room = room;
    }
    c->chunks[c->chunk_count++] = (struct chunk){begin, end, c->rows - 1};
    return true;
}

// Opens a row for elements of `stretch`.
static bool add_row(struct count *c, size_t stretch)
{
    size_t *more = ki_kept_grow(&c->queue->kept, c->stretch, (c->rows + 1) * sizeof *more);

    if (!more)
        return false;
    c->stretch = more;
    c->stretch[c->rows++] = stretch;
    return true;
}

// The stretches, cut at the parts of the buffer, into rows and into chunks.
static bool plan(struct count *c, const struct robust_stretch *stretches, size_t count)
{
    size_t parts = kn_buffer_get_part_count(c->x);
    uint64_t before = 0;

    c->first = ki_kept_take_zeros(&c->queue->kept, parts + 1, sizeof *c->first);
    if (!c->first)
        return false;
    for (size_t p = 0; p < parts; p++) {
        uint64_t size = kn_buffer_get_size(kn_buffer_get_part(c->x, p));
        c->first[p] = c->chunk_count;
        for (size_t i = 0; i < count; i++) {
            uint64_t begin = stretches[i].begin > before ? stretches[i].begin - before : 0;
            uint64_t end = stretches[i].end > before ? stretches[i].end - before : 0, row_end = begin;
            end = end < size ? end : size;
            for (uint64_t next; begin < end; begin = next) {
                if (begin >= row_end) {
                    row_end = begin + ROW_MOST;
                    if (!add_row(c, i))
                        return false;
                }
                next = begin + c->length < end ? begin + c->length : end;
                next = next < row_end ? next : row_end;
                if (!add_chunk(c, begin, next))
                    return false;
            }
        }
        before += size;
    }
    c->first[parts] = c->chunk_count;
    return true;
}

static kn_status launch(const struct count *c, kn_buffer *chunks, kn_buffer *counts, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t p = 0; p < kn_buffer_get_part_count(c->x) && !status; p++) {
        uint64_t first = c->first[p];
        size_t groups = c->first[p + 1] - c->first[p];
        const kn_arg args[] = {KN_BUFFER(kn_buffer_get_part(c->x, p)), KN_BUFFER(chunks), KN_VALUE(first),
                               KN_BUFFER(counts)};
        const kn_range range = {1, {groups * c->group}, {c->group}, {0}};
        if (groups > 0)
            status = kn_launch(c->queue, c->kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
    }
    return status;
}

static kn_status run(struct count *c, uint64_t *counts, uint32_t *cells, kn_error *err)
{
    const uint32_t nothing = 0;
    size_t bytes = c->rows * ROBUST_VALUES * sizeof *cells;
    struct engine_defines defines = {.count = 0};
    kn_buffer *chunks = NULL, *rows = NULL;
    struct engine_scratch scratch =
        ki_engine_scratch_open(c->queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, "kn_robust_stats");
    kn_status status;

    ki_engine_define(&defines, "GROUP", c->group);
    ki_engine_define(&defines, "REPLICAS", c->replicas);
    status = ki_engine_builtin_kernel(c->queue->context, "algo/robust/robust_count.cl", defines.items,
                                      defines.count, KN_POLICY_DEFAULT, "count_bytes", &c->kernel, err);
    if (!status)
        status = ki_engine_scratch_get(&scratch, COUNTS, bytes, &rows, err);
    if (!status)
        status = ki_engine_scratch_get(&scratch, CHUNKS, c->chunk_count * sizeof *c->chunks, &chunks, err);
    if (!status)
        status = kn_buffer_fill(c->queue, rows, &nothing, sizeof nothing, 0, bytes, NO_EVENT, err);
    if (!status)
        status = kn_buffer_write(c->queue, chunks, 0, c->chunks, c->chunk_count * sizeof *c->chunks, err);
    if (!status)
        status = launch(c, chunks, rows, err);
    if (!status)
        status = kn_buffer_read(c->queue, rows, 0, cells, bytes, err);
    ki_engine_scratch_close(&scratch);
    for (size_t r = 0; r < c->rows && !status; r++)
        for (size_t k = 0; k < ROBUST_VALUES; k++)
            counts[c->stretch[r] * ROBUST_VALUES + k] += cells[r * ROBUST_VALUES + k];
    return status;
}

// Signed values begin with the negative ones.
static void order_signed(uint64_t *counts)
{
    for (size_t k = 0; k < ROBUST_VALUES / 2; k++) {
        uint64_t positive = counts[k];
        counts[k] = counts[k + ROBUST_VALUES / 2];
        counts[k + ROBUST_VALUES / 2] = positive;
    }
}

kn_status ki_robust_count(kn_queue *queue, const kn_buffer *x, kn_type type,
                          const struct robust_stretch *stretches, size_t count, uint64_t *counts,
                          kn_error *err)
{
    struct count c = {.queue = queue, .x = x};
    uint64_t elements = 0;
    uint32_t *cells = NULL;
    kn_status status = KN_OK;

    for (size_t i = 0; i < count; i++)
        elements += stretches[i].end - stretches[i].begin;
    memset(counts, 0, count * ROBUST_VALUES * sizeof *counts);
    choose_shape(&c, elements);
    if (!plan(&c, stretches, count) ||
        !(cells = ki_kept_take(&queue->kept, c.rows * ROBUST_VALUES * sizeof *cells)))
        status = ki_fail_memory(err, c.chunk_count * sizeof *c.chunks, "the counts of columns");
    else if (c.rows > 0)
        status = run(&c, counts, cells, err);
    for (size_t i = 0; i < count && type == KN_I8 && !status; i++)
        order_signed(counts + i * ROBUST_VALUES);
    ki_kept_give(&queue->kept, c.chunks);
    ki_kept_give(&queue->kept, c.first);
    ki_kept_give(&queue->kept, c.stretch);
    ki_kept_give(&queue->kept, cells);
    return status;
}
