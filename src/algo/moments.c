// SPDX-License-Identifier: Apache-2.0
// Moments of a column in one read, with cl/algo/moments.cl.
#include <koine/reduce.h>

#include <math.h>

#include "shared/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "elements.h"
#include "moments.h"
#include "tree.h"

// The state's cells, as in cl/algo/moments.cl.
enum { SHIFT, RESULT, ROWS = MOMENTS_FIRST_SAMPLE + SHIFT_SAMPLES };
enum { LEAST, GREATEST, FIRST_SUM };
enum { NANS = FIRST_SUM, SUM, SQUARES, COMPONENTS_MOST = 8 };

// moments_fold: the most work-items in a group, the local bytes for each, and four more.
enum { FOLD_MOST = 1024, FOLD_BYTES = 32 };

struct moments {
    kn_queue *queue;
    const kn_buffer *x;
    kn_type type;
    uint64_t n;
    bool floats;
    uint64_t components;
    struct moments_tuning tuning;
    struct tree_shape tree;
    struct tile_shape tile;
    unsigned fold_group;
    kn_kernel *shift, *leaves, *fold;
    struct engine_scratch scratch;
    kn_buffer *state;
    uint64_t cells[RESULT + COMPONENTS_MOST]; // the shift and the result
};

static unsigned group_of(const struct moments *m)
{
    return m->floats ? m->tree.group : m->tile.group;
}

static kn_status get_kernels(struct moments *m, kn_error *err)
{
    const struct {
        const char *name;
        kn_kernel **kernel;
    } wanted[] = {{"moments_shift", &m->shift},
                  {m->floats ? "moments_leaves" : "moments_digits", &m->leaves},
                  {"moments_fold", &m->fold}};
    struct engine_defines defines = {.count = 0};
    // Strict: the sums promise bits, so no compiler may regroup them.
    kn_program_options options = KN_INIT(kn_program_options, .defines = defines.items,
                                         .policy = KN_POLICY_STRICT, .max_registers = m->tuning.registers);
    kn_status status = KN_OK;

    ki_element_define(&defines, m->type);
    ki_engine_define(&defines, "GROUP", group_of(m));
    if (m->fold_group != group_of(m))
        ki_engine_define(&defines, "FOLD_GROUP", m->fold_group);
    if (m->floats) {
        ki_engine_define(&defines, "WIDTH", m->tree.width);
        ki_column_define_sums(&defines, m->queue);
        if (m->tuning.unroll)
            ki_engine_define(&defines, "UNROLL", m->tuning.unroll);
        if (m->tuning.ahead)
            ki_engine_define(&defines, "AHEAD", m->tuning.ahead);
    } else {
        ki_engine_define(&defines, "LOADS", m->tile.loads);
    }
    options.define_count = defines.count;
    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++)
        status = ki_engine_builtin_kernel_with(m->queue->context, "algo/moments.cl", &options, wanted[i].name,
                                               wanted[i].kernel, err);
    return status;
}

static kn_status launch(const struct moments *m, kn_kernel *kernel, unsigned group, size_t groups,
                        size_t rows, const kn_arg *args, size_t count, kn_error *err)
{
    const kn_range range = {rows > 1 ? 2 : 1, {groups * group, rows}, {group, 1}, {0}};

    return kn_launch(m->queue, kernel, &range, args, count, NO_EVENT, err);
}

// ---- the shift ----

static kn_status choose_shift(const struct moments *m, kn_error *err)
{
    struct element_piece piece = {.buffer = NULL};
    const kn_range range = {1, {SHIFT_SAMPLES}, {SHIFT_SAMPLES}, {0}};
    kn_status status = KN_OK;

    while (!status && ki_element_next_piece(m->x, m->type, m->n, &piece)) {
        uint32_t last = piece.first + piece.count == m->n;
        const kn_arg args[] = {KN_BUFFER(piece.buffer), KN_VALUE(piece.skip), KN_VALUE(piece.first),
                               KN_VALUE(piece.count),   KN_VALUE(m->n),       KN_BUFFER(m->state),
                               KN_VALUE(last)};
        status = kn_launch(m->queue, m->shift, &range, args, KI_COUNT(args), NO_EVENT, err);
    }
    return status;
}

static kn_status give_shift(const struct moments *m, double shift, kn_error *err)
{
    union {
        float f32;
        double f64;
        uint64_t cell;
    } bits = {.cell = 0};

    if (m->type == KN_F64)
        bits.f64 = shift;
    else
        bits.f32 = (float)shift;
    return kn_buffer_fill(m->queue, m->state, &bits.cell, sizeof bits.cell, SHIFT * sizeof bits.cell,
                          sizeof bits.cell, NO_EVENT, err);
}

// ---- folding ----

static size_t fold_groups(const struct moments *m, uint64_t count)
{
    return ki_tree_fold_groups(&(struct tree_shape){m->fold_group, 0, 0}, (size_t)count);
}

static bool fold_fits(const kn_device_info *info, unsigned group)
{
    return group <= FOLD_MOST && group <= info->max_work_group &&
           (group + 4) * FOLD_BYTES <= info->local_memory;
}

// Groups large enough for one launch, if the device supports them.
static void choose_fold(struct moments *m, uint64_t count)
{
    const kn_device_info *info = &m->queue->context->device.info;

    m->fold_group = m->tuning.fold ? m->tuning.fold : group_of(m);
    while (!m->tuning.fold && !engine_is_cpu(info) && fold_groups(m, count) > 1 &&
           fold_fits(info, 2 * m->fold_group))
        m->fold_group *= 2;
}

// Folds rows of `count` cells at ROWS to rows of one cell at RESULT.
static kn_status fold(const struct moments *m, uint64_t count, kn_error *err)
{
    uint64_t from = ROWS, spare = ROWS + count * m->components;
    kn_status status = KN_OK;

    for (bool more = true; more && !status;) {
        size_t groups = fold_groups(m, count);
        uint64_t to = groups == 1 ? RESULT : spare;
        const kn_arg args[] = {KN_BUFFER(m->state), KN_VALUE(from), KN_VALUE(count), KN_VALUE(to)};
        status = launch(m, m->fold, m->fold_group, groups, (size_t)m->components, args, KI_COUNT(args), err);
        more = groups > 1;
        spare = from;
        from = to;
        count = groups;
    }
    return status;
}

static kn_status make_state(struct moments *m, size_t groups, kn_error *err)
{
    size_t cells = ROWS + (groups + fold_groups(m, groups)) * (size_t)m->components;

    return ki_engine_scratch_get(&m->scratch, 0, cells * sizeof(uint64_t), &m->state, err);
}

static kn_status read_cells(struct moments *m, kn_error *err)
{
    return kn_buffer_read(m->queue, m->state, 0, m->cells,
                          (RESULT + (size_t)m->components) * sizeof m->cells[0], err);
}

// ---- floats ----

// `find`: the kernel finds the shift by itself.
static kn_status launch_leaves(const struct moments *m, uint64_t groups, uint32_t find, kn_error *err)
{
    size_t size = kn_type_size(m->type), done = 0;
    uint64_t before = 0, base = ROWS;
    kn_status status = KN_OK;

    for (size_t i = 0; done < m->n && !status; i++) {
        kn_buffer *part = kn_buffer_get_part(m->x, i);
        uint64_t n =
            kn_buffer_get_size(part) / size < m->n - done ? kn_buffer_get_size(part) / size : m->n - done;
        const kn_arg args[] = {KN_BUFFER(part),  KN_VALUE(n),      KN_BUFFER(m->state), KN_VALUE(base),
                               KN_VALUE(before), KN_VALUE(groups), KN_VALUE(find)};
        size_t turns = m->tuning.turns ? m->tuning.turns : 1;
        size_t launched = (ki_tree_leaf_groups(m->queue, &m->tree, n) + turns - 1) / turns;
        status = launch(m, m->leaves, group_of(m), launched, 1, args, KI_COUNT(args), err);
        before += ki_tree_partials(&m->tree, n);
        done += n;
    }
    return status;
}

static void finish_floats(const struct moments *m, uint64_t groups, kn_moments *to)
{
    const uint64_t *found = m->cells + RESULT;
    uint64_t padding = groups * m->tree.leaves * TREE_LEAF - m->n; // read as NaN

    to->nan_count = (size_t)(found[NANS] - padding);
    to->n = (size_t)m->n - to->nan_count;
    to->shift = ki_element_value(m->cells[SHIFT], m->type);
    to->sum = ki_element_value(found[SUM], KN_F64);
    to->squares = ki_element_value(found[SQUARES], KN_F64);
    if (to->n == 0)
        return;
    ki_moments_from_sums(to);
    to->min = ki_element_value(ki_element_of_key(found[LEAST], m->type), m->type) + 0.0;
    to->max = ki_element_value(ki_element_of_key(found[GREATEST], m->type), m->type) + 0.0;
}

// The requested launch, on GPUs; otherwise the device's usual one.
static struct engine_shape choose_tuning(struct moments *m)
{
    enum engine_shape_of which = ki_column_is_soft(m->queue) ? SHAPE_MOMENTS_SOFT
                                 : m->type == KN_F64         ? SHAPE_MOMENTS_F64
                                                             : SHAPE_MOMENTS_F32;
    const struct engine_sizes *sizes = ki_engine_sizes(&m->queue->context->device.info, which);
    struct engine_shape shape = *ki_engine_shape(which);

    if (m->tuning.group == 0) {
        m->tuning = (struct moments_tuning){
            .unroll = sizes->items, .ahead = sizes->ahead, .registers = sizes->registers};
    } else {
        shape.gpu.group = m->tuning.group;
        shape.gpu.width = m->tuning.width;
    }
    return shape;
}

static kn_status float_moments(struct moments *m, const double *shift, kn_moments *to, kn_error *err)
{
    // It saves a launch; on a CPU, which has few work-items a group, it would cost more than it saves.
    bool find =
        !shift && kn_buffer_get_part_count(m->x) == 1 && !engine_is_cpu(&m->queue->context->device.info);
    const struct engine_shape shape = choose_tuning(m);
    size_t groups;
    kn_status status;

    status = ki_tree_choose("kn_reduce_moments", m->queue, m->x, m->type, &shape, &m->tree, err);
    if (status)
        return status;
    groups = ki_tree_partials(&m->tree, (size_t)m->n);
    choose_fold(m, groups);
    status = get_kernels(m, err);
    if (!status)
        status = make_state(m, groups, err);
    if (!status && !find)
        status = shift ? give_shift(m, *shift, err) : choose_shift(m, err);
    if (!status)
        status = launch_leaves(m, groups, find, err);
    if (!status)
        status = fold(m, groups, err);
    if (!status)
        status = read_cells(m, err);
    if (!status)
        finish_floats(m, groups, to);
    return status;
}

// ---- integers ----

static void add_piece(const struct moments *m, struct moments_exact *sums)
{
    const uint64_t *found = m->cells + RESULT, *next = found + FIRST_SUM;
    unsigned digits = ki_element_bits(m->type) / 16; // of a square

    sums->least = found[LEAST] < sums->least ? found[LEAST] : sums->least;
    sums->greatest = found[GREATEST] > sums->greatest ? found[GREATEST] : sums->greatest;
    sums->keys += *next++;
    if (m->type == KN_I64 || m->type == KN_U64)
        sums->keys += (unsigned __int128)*next++ << 32;
    for (unsigned i = 0; i < (digits ? digits : 1); i++)
        sums->squares[i] += *next++;
}

static kn_status integer_piece(struct moments *m, const struct element_piece *piece, kn_error *err)
{
    uint64_t base = ROWS;
    const kn_arg args[] = {KN_BUFFER(piece->buffer), KN_VALUE(piece->skip), KN_VALUE(piece->count),
                           KN_BUFFER(m->state), KN_VALUE(base)};
    kn_status status = launch(m, m->leaves, m->tile.group, m->tile.groups, 1, args, KI_COUNT(args), err);

    if (!status)
        status = fold(m, m->tile.groups, err);
    return status ? status : read_cells(m, err);
}

static kn_status integer_moments(struct moments *m, kn_moments *to, kn_error *err)
{
    struct element_piece piece = {.buffer = NULL};
    struct moments_exact sums = {.least = UINT64_MAX};
    kn_status status;

    ki_tile_choose(m->queue, m->type, m->n, 0, &m->tile);
    m->fold_group = m->tile.group;
    status = get_kernels(m, err);
    if (!status)
        status = make_state(m, m->tile.groups, err);
    if (!status)
        status = choose_shift(m, err);
    while (!status && ki_element_next_piece(m->x, m->type, m->n, &piece)) {
        status = integer_piece(m, &piece, err);
        if (!status)
            add_piece(m, &sums);
    }
    if (!status)
        ki_moments_from_exact(m->type, (size_t)m->n, m->cells[SHIFT], &sums, to);
    return status;
}

kn_status ki_moments_tuned(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *shift,
                           const struct moments_tuning *tuning, kn_moments *moments, kn_error *err)
{
    static const uint64_t components[] = {
        [KN_I8] = 4,  [KN_U8] = 4,  [KN_I16] = 4, [KN_U16] = 4, [KN_I32] = 5,
        [KN_U32] = 5, [KN_I64] = 8, [KN_U64] = 8, [KN_F32] = 5, [KN_F64] = 5};
    struct moments m = {.queue = queue,
                        .x = x,
                        .type = type,
                        .n = n,
                        .floats = type >= KN_F32,
                        .components = components[type],
                        .tuning = *tuning,
                        .scratch =
                            ki_engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, 1, "kn_reduce_moments")};
    kn_status status;

    *moments = ki_moments_of_nothing();
    status = m.floats ? float_moments(&m, shift, moments, err) : integer_moments(&m, moments, err);
    ki_engine_scratch_close(&m.scratch);
    return status;
}

kn_status kn_reduce_moments(kn_queue *queue, const kn_buffer *x, kn_type type, size_t n, const double *shift,
                            kn_moments *moments, kn_error *err)
{
    const struct moments_tuning usual = {0};
    bool floats = type >= KN_F32;
    kn_moments found = ki_moments_of_nothing();
    kn_status status = ki_column_check_any("kn_reduce_moments", queue, x, type, n, err);

    if (status)
        return status;
    if (!moments)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_reduce_moments: moments is NULL");
    if (shift && floats && !isfinite(type == KN_F64 ? *shift : (double)(float)*shift))
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_reduce_moments: a shift of %g is not finite in %s", *shift,
                       kn_type_name(type));
    if (shift && floats)
        found.shift = type == KN_F64 ? *shift : (double)(float)*shift;
    if (n > 0)
        status = ki_moments_tuned(queue, x, type, n, shift, &usual, &found, err);
    if (!status)
        *moments = found;
    return status;
}
