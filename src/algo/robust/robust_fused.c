// SPDX-License-Identifier: Apache-2.0
// The robust statistics of columns of floats in one read of them, with cl/algo/robust/robust.cl,
// cl/algo/robust/robust_rank.cl and cl/algo/robust/robust_settle.cl.
#include "robust.h"

#include <math.h>

#include "shared/columns.h"
#include "base/array.h"
#include "base/error.h"
#include "base/number.h"
#include "algo/elements.h"
#include "algo/tree.h"

// Slots of scratch memory.
enum { COLUMNS, COUNTERS, CANDIDATES, PARTIAL, SPARE, GATHERED, SHIFT_SAMPLE, SORTED, RESULTS, SLOTS };

enum {
    GATHERED_MOST = 1 << 18,
    COLUMNS_MOST = 4096 // columns at once
};

struct fused {
    const struct robust_columns *of;
    size_t first; // of the columns
    struct tree_shape tree;
    const struct engine_sizes *pass_sizes;
    struct robust_ranks ranks;
    unsigned sort_group, sort;           // SORT_GROUP and SORT
    uint32_t lists, list, points, reach; // `list` elements of each
    uint64_t partials;
    kn_kernel *sample, *brackets, *pass, *fold;
    struct engine_scratch scratch;
    kn_buffer *candidates, *partial, *spare, *shift_sample, *sorted;
};

// ---- shape ----

// As many points of a sample as local memory has room for; 0: it is too small. The pass keeps at most 26 KB
// in it (choose_shape, get_kernels).
unsigned ki_robust_points(const kn_queue *queue, kn_type type)
{
    uint64_t room = queue->context->device.info.local_memory;

    if (room < (28u << 10))
        return 0;
    return room >= (4096 + 4096 / 32 + 64) * kn_type_size(type) + 512 ? 4096 : 2048;
}

// So few elements that one launch settles everything after the read.
static bool are_few(const struct fused *f)
{
    return f->of->n <= ki_engine_sizes(&f->of->queue->context->device.info, SHAPE_ROBUST_SETTLE)->items;
}

static const struct engine_sizes *sample_sizes(const struct fused *f)
{
    const kn_device_info *info = &f->of->queue->context->device.info;
    const struct engine_sizes *large = ki_engine_sizes(info, SHAPE_ROBUST_SAMPLE_LARGE);

    if (are_few(f))
        return ki_engine_sizes(info, SHAPE_ROBUST_SAMPLE_SMALL);
    return f->of->n >= large->items ? large : ki_engine_sizes(info, SHAPE_ROBUST_SAMPLE);
}

static void choose_sample(struct fused *f)
{
    const kn_device_info *info = &f->of->queue->context->device.info;
    const struct engine_sizes *sizes = sample_sizes(f);
    const double asked = ki_robust_width(&f->of->options);
    double width = asked == 0 ? 4.5 : asked, points, samples, lists, step, spread;

    f->sort = ki_robust_points(f->of->queue, f->of->type);
    if (are_few(f) && f->sort > sizes->items)
        f->sort = sizes->items;
    f->sort_group = sizes->group;
    while (f->sort_group > 1 && f->sort_group > info->max_work_group)
        f->sort_group /= 2;
    f->list = f->sort < sizes->chunk ? f->sort : sizes->chunk;
    f->lists = 1;
    while (f->lists < sizes->copies && f->of->n / sizes->shares >= (uint64_t)2 * f->lists * f->list)
        f->lists *= 2;
    if (f->lists == 1 || f->lists * f->list < f->sort) {
        f->lists = 1;
        f->list = f->sort;
    }
    f->points = f->of->n < f->sort ? (uint32_t)f->of->n : f->sort;
    // The spread of a rank in the sample, including the error from keeping only every so many-th element of
    // each list.
    points = f->points;
    lists = f->lists;
    samples = lists > 1 ? lists * f->list : points;
    step = samples / points;
    spread = sqrt(samples / 4 + lists * (step * step - 1) / 12);
    spread = ceil(width * spread / step);
    f->reach = spread < points ? (uint32_t)spread : f->points;
}

// For a normal distribution, 7 times as much is kept as lies between the middle of the sample and the end of
// its bracket.
static uint64_t choose_room(const struct fused *f)
{
    uint64_t n = f->of->n, room = (uint64_t)(12 * (double)n * f->reach / f->points);

    room = room < n / 8 ? n / 8 : room;
    room = room < 1 << 18 ? 1 << 18 : room;
    return room < n ? room : n;
}

// Groups of the usual shape, or, if these were fewer than compute units, of the shape for few elements.
static kn_status choose_pass(struct fused *f, kn_error *err)
{
    const struct robust_columns *of = f->of;
    const kn_device_info *info = &of->queue->context->device.info;
    enum engine_shape_of usual = of->type == KN_F64 ? SHAPE_ROBUST_PASS_F64 : SHAPE_ROBUST_PASS_F32;
    kn_status status =
        ki_tree_choose(of->function, of->queue, of->x, of->type, ki_engine_shape(usual), &f->tree, err);

    f->pass_sizes = ki_engine_sizes(info, usual);
    if (status || engine_is_cpu(info) || (of->type == KN_F32 && ki_column_is_soft(of->queue)) ||
        ki_tree_partials(&f->tree, (size_t)of->n) * of->count >= info->compute_units ||
        info->max_work_group < ki_engine_shape(SHAPE_ROBUST_PASS_SMALL)->gpu.group)
        return status;
    f->pass_sizes = ki_engine_sizes(info, SHAPE_ROBUST_PASS_SMALL);
    return ki_tree_choose(of->function, of->queue, of->x, of->type, ki_engine_shape(SHAPE_ROBUST_PASS_SMALL),
                          &f->tree, err);
}

static kn_status choose_shape(struct fused *f, kn_error *err)
{
    const struct robust_columns *of = f->of;
    uint64_t most = of->queue->context->device.info.max_alloc / kn_type_size(of->type);
    uint64_t room;
    kn_status status = choose_pass(f, err);

    if (status)
        return status;
    choose_sample(f);
    room = choose_room(f);
    room = room < most ? room : most;
    f->partials = ki_tree_partials(&f->tree, (size_t)of->n);
    f->ranks = (struct robust_ranks){.queue = of->queue,
                                     .type = of->type,
                                     .count = of->count,
                                     .room = room,
                                     .tables = 2,
                                     .few = are_few(f),
                                     .stays = of->to != NULL};
    while (f->ranks.count > 1 && (f->ranks.count > COLUMNS_MOST || f->ranks.count * room > most ||
                                  f->ranks.count * (f->lists * f->list + f->sort) > most ||
                                  f->ranks.count * 2 * f->partials > most))
        f->ranks.count = (f->ranks.count + 1) / 2;
    f->ranks.gathered_room = room < GATHERED_MOST ? room : GATHERED_MOST;
    while (f->ranks.gathered_room > 1 && f->ranks.count * f->ranks.gathered_room * sizeof(uint64_t) > most)
        f->ranks.gathered_room /= 2;
    return KN_OK;
}

static kn_status get_kernels(struct fused *f, kn_error *err)
{
    const struct robust_columns *of = f->of;
    const kn_device_info *info = &of->queue->context->device.info;
    const struct engine_sizes *pass = f->pass_sizes;
    bool small = !engine_is_cpu(info) && info->local_memory < (44u << 10);
    const struct {
        const char *file, *name;
        kn_kernel **kernel;
    } wanted[] = {{"algo/robust/robust.cl", "robust_lists", &f->sample},
                  {"algo/robust/robust.cl", "robust_brackets", &f->brackets},
                  {"algo/robust/robust.cl", "robust_pass", &f->pass},
                  {"algo/reduce.cl", "reduce_fold", &f->fold}};
    // Few partial results are folded without the last launch.
    size_t count = KI_COUNT(wanted) - (f->partials <= ki_robust_fold_most(&f->ranks));
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++) {
        struct engine_defines defines = {.count = 0};
        ki_column_define_type(&defines, of->queue, of->type);
        ki_engine_define(&defines, "GROUP", f->tree.group);
        ki_engine_define(&defines, "WIDTH", f->tree.width);
        if (i < 3) {
            ki_engine_define(&defines, "SORT_GROUP", f->sort_group);
            ki_engine_define(&defines, "SORT", f->sort);
            ki_engine_define(&defines, "SLOTS", small ? pass->items / 2 : pass->items);
            ki_engine_define(&defines, "TEAM", pass->lanes);
            if (pass->ahead)
                ki_engine_define(&defines, "UNROLL", pass->ahead);
            ki_engine_define(&defines, "SIGNS",
                             of->type == KN_F32 && ki_engine_is_nvidia(of->queue->context));
            ki_engine_define(&defines, "STRAY", of->count > 1 && of->stride % f->tree.width != 0);
        }
        const kn_program_options options =
            KN_INIT(kn_program_options, .defines = defines.items, .define_count = defines.count,
                    .policy = KN_POLICY_STRICT, .max_registers = i == 2 ? pass->registers : 0);
        status = ki_engine_builtin_kernel_with(of->queue->context, wanted[i].file, &options, wanted[i].name,
                                               wanted[i].kernel, err);
    }
    return status;
}

static kn_status get_memory(struct fused *f, kn_error *err)
{
    struct robust_ranks *r = &f->ranks;
    size_t size = kn_type_size(f->of->type), count = r->count;
    size_t samples = f->lists * (size_t)f->list, kept = (size_t)r->room;
    kn_status status =
        ki_engine_scratch_get(&f->scratch, COLUMNS, count * sizeof(struct robust_column), &r->columns, err);

    if (!status)
        status = ki_engine_scratch_get(
            &f->scratch, COUNTERS, (size_t)ki_robust_counter_cells(r) * sizeof(uint32_t), &r->counters, err);
    // The sample, and later the kept elements.
    if (!status)
        status = ki_engine_scratch_get(&f->scratch, CANDIDATES,
                                       count * (kept > samples ? kept : samples) * size, &f->candidates, err);
    if (!status)
        status = ki_engine_scratch_get(&f->scratch, PARTIAL, 2 * count * (size_t)f->partials * sizeof(double),
                                       &f->partial, err);
    if (!status)
        status = ki_engine_scratch_get(&f->scratch, SPARE, 2 * count * (size_t)f->partials * sizeof(double),
                                       &f->spare, err);
    if (!status)
        status = ki_engine_scratch_get(
            &f->scratch, GATHERED, count * (size_t)r->gathered_room * sizeof(uint64_t), &r->gathered, err);
    if (!status)
        status = ki_engine_scratch_get(&f->scratch, SHIFT_SAMPLE, count * SHIFT_SAMPLES * size,
                                       &f->shift_sample, err);
    if (!status)
        status = ki_engine_scratch_get(&f->scratch, SORTED, count * f->sort * size, &f->sorted, err);
    return status ? status : ki_robust_ranks_results(r, &f->scratch, RESULTS, err);
}

// ---- launches ----

static kn_status launch(const struct fused *f, kn_kernel *kernel, unsigned group, size_t groups, size_t rows,
                        const kn_arg *args, size_t count, kn_error *err)
{
    const kn_range range = {2, {groups * group, rows}, {group, 1}, {0}};

    return kn_launch(f->of->queue, kernel, &range, args, count, NO_EVENT, err);
}

// The bits of the given shift; 0 without one.
static uint64_t given_shift(const struct fused *f)
{
    union {
        float f32;
        double f64;
        uint64_t cell;
    } bits = {.cell = 0};

    if (f->of->options.shift && f->of->type == KN_F64)
        bits.f64 = *f->of->options.shift;
    else if (f->of->options.shift)
        bits.f32 = (float)*f->of->options.shift;
    return bits.cell;
}

// Uploads the shifts if each column has one.
static kn_status write_shifts(const struct fused *f, kn_error *err)
{
    struct ki_kept *kept = &f->of->queue->kept;
    const double *shifts = f->of->shifts + f->first;
    size_t count = f->ranks.count, size = kn_type_size(f->of->type);
    void *reals = ki_kept_take(kept, count * size);
    kn_status status;

    if (!reals)
        return ki_fail_memory(err, count * size, "the shifts of columns");
    for (size_t i = 0; i < count; i++)
        if (f->of->type == KN_F64)
            ((double *)reals)[i] = shifts[i];
        else
            ((float *)reals)[i] = (float)shifts[i];
    status = kn_buffer_write(f->of->queue, f->shift_sample, 0, reals, count * size, err);
    ki_kept_give(kept, reals);
    return status;
}

// The column's pieces, or those of several columns, which are in one part. False past the last.
static bool next_piece(const struct fused *f, struct element_piece *piece)
{
    if (f->of->count == 1)
        return ki_element_next_piece(f->of->x, f->of->type, f->of->n, piece);
    if (piece->count > 0)
        return false;
    *piece =
        (struct element_piece){kn_buffer_get_part(f->of->x, 0), f->first * f->of->stride, f->of->n, 0, 0};
    return true;
}

static kn_status take_sample(const struct fused *f, kn_error *err)
{
    const struct robust_ranks *r = &f->ranks;
    uint64_t cells = ki_robust_counter_cells(r), n = f->of->n, shift = given_shift(f);
    uint32_t find = f->of->shifts          ? ROBUST_SHIFT_OF_EACH
                    : f->of->options.shift ? ROBUST_SHIFT_GIVEN
                                           : ROBUST_SHIFT_FOUND;
    uint32_t points = f->points;
    struct element_piece piece = {.buffer = NULL};
    kn_status status = f->of->shifts ? write_shifts(f, err) : KN_OK;

    while (!status && next_piece(f, &piece)) {
        uint32_t last = piece.first + piece.count == n;
        const kn_arg args[] = {KN_BUFFER(piece.buffer),
                               KN_VALUE(piece.skip),
                               KN_VALUE(piece.first),
                               KN_VALUE(piece.count),
                               KN_VALUE(n),
                               KN_VALUE(f->of->stride),
                               KN_BUFFER(f->candidates),
                               KN_VALUE(f->list),
                               KN_BUFFER(f->sorted),
                               KN_VALUE(last),
                               KN_BUFFER(r->counters),
                               KN_VALUE(cells),
                               KN_VALUE(find),
                               KN_VALUE(shift),
                               KN_BUFFER(f->shift_sample),
                               KN_BUFFER(r->columns)};
        status = launch(f, f->sample, f->sort_group, f->lists + 1, r->count, args, KI_COUNT(args), err);
    }
    if (!status) {
        uint32_t run = f->sort / f->lists;
        const kn_arg args[] = {KN_BUFFER(f->sorted), KN_VALUE(points), KN_VALUE(run),
                               KN_VALUE(f->reach),   KN_VALUE(n),      KN_BUFFER(r->columns)};
        status = launch(f, f->brackets, f->sort_group, 1, r->count, args, KI_COUNT(args), err);
    }
    return status;
}

static kn_status read_column(const struct fused *f, kn_error *err)
{
    const struct robust_ranks *r = &f->ranks;
    struct element_piece piece = {.buffer = NULL};
    uint64_t before = 0;
    kn_status status = KN_OK;

    while (!status && next_piece(f, &piece)) {
        const kn_arg args[] = {KN_BUFFER(piece.buffer),  KN_VALUE(piece.skip),  KN_VALUE(piece.count),
                               KN_VALUE(f->of->stride),  KN_BUFFER(r->columns), KN_BUFFER(r->counters),
                               KN_BUFFER(f->partial),    KN_VALUE(before),      KN_VALUE(f->partials),
                               KN_BUFFER(f->candidates), KN_VALUE(r->room)};
        status = launch(f, f->pass, f->tree.group,
                        ki_tree_leaf_groups(f->of->queue, &f->tree, (size_t)piece.count), r->count, args,
                        KI_COUNT(args), err);
        before += ki_tree_partials(&f->tree, (size_t)piece.count);
    }
    return status;
}

// Folding this many partial results takes launches.
static kn_status fold(struct fused *f, struct robust_sums *sums, kn_error *err)
{
    struct tree_job job = {
        .queue = f->of->queue, .shape = f->tree, .rows = 2 * (unsigned)f->ranks.count, .fold = f->fold};
    bool many = f->partials > ki_robust_fold_most(&f->ranks);
    kn_status status = many ? ki_tree_fold(&job, &f->partial, &f->spare, (size_t)f->partials, err) : KN_OK;

    *sums = (struct robust_sums){f->partial, f->spare, many ? 1 : f->partials};
    return status;
}

// The median, then that of the deviations from it; nothing is read back in between.
static kn_status ask(struct fused *f, kn_error *err)
{
    const struct robust_piece kept = {f->candidates, f->candidates, 0, 0, true};
    struct robust_sums sums;
    kn_status status = fold(f, &sums, err);

    if (f->ranks.few)
        return status ? status : ki_robust_settle_kept(&f->ranks, f->candidates, f->of->n, &sums, err);
    for (uint32_t question = ROBUST_MEDIAN; question <= ROBUST_DEVIATION && !status; question++) {
        status = ki_robust_bins(&f->ranks, &kept, question, 0, err);
        if (!status)
            status = ki_robust_narrow(&f->ranks, &kept, question, 1, err);
        if (!status)
            status = ki_robust_settle(&f->ranks, question, 1, f->of->n, &sums, err);
    }
    return status;
}

// ---- results ----

// Positions past the column's end were read as NaN.
static uint64_t padding_of(const struct fused *f)
{
    return f->partials * f->tree.leaves * TREE_LEAF - f->of->n;
}

static void finish(const struct fused *f, const struct robust_result *found, kn_robust *result)
{
    kn_type type = f->of->type;
    double bounds[2], median, mad = NAN;
    kn_sums sums = {found->sum, found->squares};

    *result = ki_robust_of_nothing((size_t)f->of->n, found->nans - (size_t)padding_of(f), KN_ROBUST_FUSED);
    if (result->nan_count > 0)
        return;
    for (int k = 0; k < 2; k++)
        bounds[k] = ki_element_value(ki_element_of_key(found->answer[ROBUST_MEDIAN][k], type), type);
    median = ki_middle(bounds[0], bounds[1]);
    if (isfinite(median))
        mad = ki_middle(ki_element_value(found->answer[ROBUST_DEVIATION][0], KN_F64),
                        ki_element_value(found->answer[ROBUST_DEVIATION][1], KN_F64));
    result->missed = (found->missed & ROBUST_MISSED_MEDIAN) != 0 ||
                     ((found->missed & ROBUST_MISSED_DEVIATION) && isfinite(median));
    ki_robust_finish(result, ki_element_value(found->shift, type), &sums, median, mad);
}

static kn_status read_results(struct fused *f, kn_robust *results, kn_error *err)
{
    struct ki_kept *kept = &f->of->queue->kept;
    size_t count = f->ranks.count;
    struct robust_result *found = ki_kept_take(kept, count * sizeof *found);
    kn_status status = found ? ki_robust_ranks_read(&f->ranks, found, err)
                             : ki_fail_memory(err, count * sizeof *found, "the results of columns");

    for (size_t i = 0; i < count && !status; i++)
        finish(f, &found[i], &results[i]);
    ki_kept_give(kept, found);
    return status;
}

static kn_status answer(struct fused *f, kn_robust *results, kn_error *err)
{
    kn_status status = get_memory(f, err);

    if (!status)
        status = take_sample(f, err);
    if (!status)
        status = read_column(f, err);
    if (!status)
        status = ask(f, err);
    if (status)
        return status;
    return f->of->to ? ki_robust_deliver(f->of, &f->ranks, padding_of(f), err)
                     : read_results(f, results, err);
}

kn_status ki_robust_fused(const struct robust_columns *columns, kn_robust *results, kn_error *err)
{
    struct fused f = {.of = columns};
    size_t batch;
    kn_status status = choose_shape(&f, err);

    batch = f.ranks.count;
    if (!status)
        status = ki_robust_ranks_open(&f.ranks, f.ranks.room, err);
    if (!status)
        status = get_kernels(&f, err);
    f.scratch = ki_engine_scratch_open(columns->queue, ENGINE_SCRATCH_ALGORITHM, SLOTS, columns->function);
    for (; f.first < columns->count && !status; f.first += batch) {
        f.ranks.count = columns->count - f.first < batch ? columns->count - f.first : batch;
        status = answer(&f, results + f.first, err);
    }
    ki_engine_scratch_close(&f.scratch);
    return status;
}
