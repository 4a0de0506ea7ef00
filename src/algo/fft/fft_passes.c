// SPDX-License-Identifier: Apache-2.0
// A shape as passes of cl/algo/fft/fft.cl: one for each axis, two or three for a long line, more with
// Bluestein's chirps; and the memory that each reads and writes.
#include "fft.h"

#include <koine/experimental.h>

#include "base/error.h"

#define MOST_COUNT UINT64_C(0xffffffff)

enum { LOAD_COMPLEX, LOAD_REAL, LOAD_HALF };
enum { STORE_COMPLEX, STORE_REAL };

struct planner {
    const struct fft_shape *shape;
    const kn_device_info *info;
    const kn_fft_tuning *tuning;
    struct fft_bounds bounds;
    bool inverse;
    struct fft_passes *passes;
    struct fft_roots *roots;
    uint64_t dims[3]; // of the array after the passes so far; the batch is part of the last one
    kn_error *err;
};

// An axis as lines: `inner` lines side by side, `outer` times.
struct axis {
    unsigned number;
    uint64_t inner, outer;
    uint64_t n, in, out; // points; existing ones of the input; wanted ones of the output
    unsigned load, store;
};

struct fft_bounds ki_fft_bounds_of(const kn_device_info *info, kn_type type, const kn_fft_tuning *tuning)
{
    return (struct fft_bounds){.held = tuning && tuning->held ? tuning->held
                                       : type == KN_F64       ? 8
                                                              : 16,
                               .items = info->max_work_group > 1024 ? 1024 : (unsigned)info->max_work_group,
                               .points = UINT32_MAX / 2,
                               .local = info->local_memory,
                               .number = 2 * kn_type_size(type),
                               .banks = !engine_is_cpu(info)};
}

// Lines a group: enough work-items if lines are rows of memory, whole memory transactions if they are
// columns; but work for every compute unit comes first. Measured on an H200 (bench/history/fft.md).
static void choose_lines(const struct planner *p, struct fft_pass *pass)
{
    bool rows = pass->rows_in && pass->rows_out;
    unsigned asked = !p->tuning ? 0 : rows ? p->tuning->rows : p->tuning->columns;
    unsigned items = pass->cut.items, least = rows ? 1 : 4;
    const struct engine_sizes *sizes = ki_engine_sizes(p->info, rows          ? SHAPE_FFT_ROWS
                                                                : items <= 16 ? SHAPE_FFT_COLUMNS_SHORT
                                                                              : SHAPE_FFT_COLUMNS);
    unsigned lines = asked ? asked : rows ? (items < sizes->group ? sizes->group / items : 1) : sizes->lanes;
    size_t line = ki_fft_line_bytes(&pass->cut, &p->bounds), most = p->info->local_memory;

    if (!asked && !rows && most > (72 << 10))
        most = 72 << 10;
    pass->buffers = pass->cut.stages > 2 && sizes->copies * line <= most ? sizes->copies : 1;
    while (lines > 1 && (lines * items > p->bounds.items || lines * pass->buffers * line > most))
        lines /= 2;
    while (!asked && lines > least && pass->lines / lines < 2 * p->info->compute_units)
        lines /= 2;
    pass->lines_a_group = lines;
    pass->local_bytes = lines * pass->buffers * line;
}

static kn_status add_pass(struct planner *p, const struct fft_pass *pass)
{
    struct fft_pass *added = &p->passes->items[p->passes->count++];
    uint64_t most = pass->from_numbers > pass->to_numbers ? pass->from_numbers : pass->to_numbers;

    *added = *pass;
    added->wide = most > MOST_COUNT;
    added->has_inner = pass->inner > 1;
    added->has_split = pass->split > 1;
    choose_lines(p, added);
    added->scale = 1;
    if (!ki_fft_roots_of_cut(p->roots, &pass->cut, &added->roots))
        return ki_fail_memory(p->err, 0, "computing roots of unity");
    return KN_OK;
}

// How one transform along an axis begins and ends: what it reads, multiplies, swaps and writes.
struct ends {
    uint64_t n, in, out; // of this transform
    unsigned load, store;
    bool swap_in, swap_out, table_in, table_out;
    uint32_t table_in_at, table_out_at;
};

static struct fft_pass first_half(const struct axis *axis, const struct ends *ends)
{
    struct fft_pass pass = {
        .swap_in = ends->swap_in,
        .table_in = ends->table_in,
        .table_in_at = ends->table_in_at,
        .load = ends->load,
        .inner = (uint32_t)axis->inner,
        .split = 1,
        .length = (uint32_t)axis->n,
        .short_in = ends->in < ends->n,
    };
    uint64_t there = ends->load == LOAD_HALF ? axis->n / 2 + 1 : ends->in;

    // Every position of a half spectrum has a number, though it may be stored as its mirror image.
    pass.from = (struct fft_side){1, axis->inner * there, axis->inner, 1, 0, ends->in};
    pass.from_numbers = axis->inner * there * axis->outer;
    return pass;
}

static void set_end(struct fft_pass *pass, const struct axis *axis, const struct ends *ends)
{
    pass->swap_out = ends->swap_out;
    pass->table_out = ends->table_out;
    pass->table_out_at = ends->table_out_at;
    pass->store = ends->store;
    pass->short_out = ends->out < ends->n;
    pass->to = (struct fft_side){1, axis->inner * ends->out, axis->inner, 1, 0, ends->out};
    pass->to_numbers = axis->inner * ends->out * axis->outer;
}

static kn_status too_many(const struct planner *p, const struct axis *axis)
{
    return ki_fail(
        p->err, KN_ERROR_LIMIT,
        "kn_fft_plan_create: %llu lines of %llu along %c are more than one launch numbers (2^32 - 1); "
        "use a smaller batch",
        (unsigned long long)(axis->inner * axis->outer), (unsigned long long)axis->n, "xyz"[axis->number]);
}

static kn_status add_short(struct planner *p, const struct axis *axis, const struct ends *ends,
                           const struct fft_cut *cut)
{
    struct fft_pass pass = first_half(axis, ends);

    if (axis->inner * axis->outer > MOST_COUNT)
        return too_many(p, axis);
    set_end(&pass, axis, ends);
    pass.cut = *cut;
    pass.lines = (uint32_t)(axis->inner * axis->outer);
    pass.rows_in = pass.rows_out = axis->inner == 1;
    return add_pass(p, &pass);
}

// A long line of n = a * b * c in as many passes, again by Stockham's autosort (Bailey 1990): what is already
// transformed, `done` numbers, is innermost, and what is still to come, `rest`, outermost. Pass by pass a
// line's points, `rest` apart, become neighbours:  [a][b c][s] to [b c][a][s] to [c][b][a s]; the last pass
// stays in place.
static kn_status add_long(struct planner *p, const struct axis *axis, const struct ends *ends,
                          const struct fft_cut *cuts, unsigned parts)
{
    uint64_t done = 1, rest = ends->n, whole = axis->inner * ends->n;
    kn_status status = KN_OK;

    for (unsigned i = 0; i < parts && !status; i++) {
        struct fft_pass pass = first_half(axis, ends);
        uint64_t points = cuts[i].points, lines = whole / points * axis->outer;
        bool last = i == parts - 1;
        if (lines > MOST_COUNT)
            return too_many(p, axis);
        rest /= points;
        if (i > 0)
            pass = (struct fft_pass){.from = {1, whole, axis->inner * (last ? 1 : done), 0, 1, ends->n},
                                     .from_numbers = whole * axis->outer};
        pass.cut = cuts[i];
        pass.lines = (uint32_t)lines;
        pass.inner = (uint32_t)(axis->inner * (last ? 1 : done));
        pass.split = (uint32_t)(last ? done : rest);
        pass.from.point = last ? done : rest;
        pass.from.split = 1;
        if (last) {
            set_end(&pass, axis, ends);
            pass.to.point = done;
            pass.to.split = 1;
        } else {
            pass.to = (struct fft_side){1, whole, axis->inner * done, 1, points, ends->n};
            pass.to_numbers = whole * axis->outer;
            pass.rows_out = pass.inner == 1;
            pass.twiddle = true;
            if (!ki_fft_roots_of_long(p->roots, points * rest, &pass.long_roots, &pass.log2_low))
                return ki_fail_memory(p->err, 0, "computing roots of unity");
        }
        status = add_pass(p, &pass);
        done *= points;
    }
    return status;
}

// Cuts that leave room for eight lines of columns in a group, so that whole memory transactions are moved; if
// there are none, any cuts.
static unsigned split(const struct planner *p, uint64_t n, struct fft_cut cuts[FFT_MAX_PARTS])
{
    struct fft_bounds few = p->bounds;

    few.local /= 8;
    few.points = 1024;
    for (unsigned parts = 2; parts <= FFT_MAX_PARTS; parts++)
        if (ki_fft_split_line(n, parts, &few, cuts))
            return parts;
    for (unsigned parts = 2; parts <= FFT_MAX_PARTS; parts++)
        if (ki_fft_split_line(n, parts, &p->bounds, cuts))
            return parts;
    return 0;
}

static kn_status add_transform(struct planner *p, const struct axis *axis, const struct ends *ends)
{
    struct fft_cut whole, cuts[FFT_MAX_PARTS];
    unsigned parts;

    if (ki_fft_cut_line(ends->n, &p->bounds, &whole))
        return add_short(p, axis, ends, &whole);
    parts = ends->n <= MOST_COUNT / 2 ? split(p, ends->n, cuts) : 0;
    if (parts)
        return add_long(p, axis, ends, cuts, parts);
    return ki_fail(
        p->err, KN_ERROR_LIMIT,
        "kn_fft_plan_create: %llu points along %c take lines of %llu, more than three passes do with the %zu "
        "bytes of local memory of %s",
        (unsigned long long)axis->n, "xyz"[axis->number], (unsigned long long)ends -> n, p -> bounds.local,
        p->info->spec);
}

// Bluestein: jk = (j^2 + k^2 - (k - j)^2) / 2 turns the transform into a convolution with a chirp, done on a
// circle of a smooth length. The inverse transform is a forward one with real and imaginary parts swapped
// before and after it; swapping turns a factor into its conjugate.
static kn_status add_chirp(struct planner *p, const struct axis *axis)
{
    uint64_t length = ki_fft_chirp_length(axis->n);
    struct ends there = {.n = length,
                         .in = axis->in,
                         .out = length,
                         .load = axis->load,
                         .swap_in = p->inverse,
                         .swap_out = true,
                         .table_in = true,
                         .table_out = true};
    struct ends back = {.n = length,
                        .in = length,
                        .out = axis->out,
                        .store = axis->store,
                        .swap_out = !p->inverse,
                        .table_out = true};
    kn_status status;

    if (length > MOST_COUNT / 2 || !ki_fft_roots_of_chirp(p->roots, axis->n, length, &there.table_in_at,
                                                          &back.table_out_at, &there.table_out_at))
        return ki_fail_memory(p->err, 0, "computing chirps");
    status = add_transform(p, axis, &there);
    return status ? status : add_transform(p, axis, &back);
}

static kn_status add_axis(struct planner *p, unsigned number)
{
    const struct fft_shape *shape = p->shape;
    const kn_fft_shape *given = &shape->given;
    struct axis axis = {.number = number,
                        .inner = 1,
                        .outer = 1,
                        .n = given->dims[number],
                        .in = shape->in[number],
                        .out = shape->out[number]};
    kn_status status;

    if (number == 0 && given->kind == KN_FFT_REAL_TO_COMPLEX)
        axis.load = LOAD_REAL;
    if (number == 0 && given->kind == KN_FFT_COMPLEX_TO_REAL) {
        axis.load = LOAD_HALF;
        axis.store = STORE_REAL;
        axis.in = axis.n;
    }
    for (unsigned i = 0; i < 3; i++)
        *(i < number ? &axis.inner : &axis.outer) *= i == number ? 1 : p->dims[i];
    axis.outer *= given->batch;
    p->dims[number] = axis.out;
    if (ki_fft_is_smooth(axis.n)) {
        const struct ends ends = {.n = axis.n,
                                  .in = axis.in,
                                  .out = axis.out,
                                  .load = axis.load,
                                  .store = axis.store,
                                  .swap_in = p->inverse,
                                  .swap_out = p->inverse};
        status = add_transform(p, &axis, &ends);
    } else {
        status = add_chirp(p, &axis);
    }
    return status;
}

// ---- memory ----

// A pass whose lines stay where they are may overwrite its input.
static bool stays_in_place(const struct fft_pass *pass)
{
    const struct fft_side *from = &pass->from, *to = &pass->to;

    return pass->load == LOAD_COMPLEX && pass->store == STORE_COMPLEX && from->outer == to->outer &&
           from->point == to->point && from->split == to->split && from->count == to->count;
}

// From the last pass, which writes the result, back to the first: `out` serves in between if it is large
// enough. A first pass that moves lines does not write to `out`, which may be `in`.
static void place_passes(struct fft_passes *passes, uint64_t out_numbers)
{
    enum fft_buffer target = FFT_OUT;

    for (size_t i = passes->count; i-- > 0;) {
        struct fft_pass *pass = &passes->items[i];
        bool may_be_out = (i > 1 || stays_in_place(&passes->items[0])) && pass->from_numbers <= out_numbers;
        pass->target = target;
        if (i == 0)
            pass->source = FFT_IN;
        else if (stays_in_place(pass) && (target != FFT_OUT || may_be_out))
            pass->source = target;
        else if (target != FFT_OUT && may_be_out)
            pass->source = FFT_OUT;
        else
            pass->source = target == FFT_SCRATCH_0 ? FFT_SCRATCH_1 : FFT_SCRATCH_0;
        target = pass->source;
    }
}

kn_status ki_fft_plan_passes(const struct fft_shape *shape, kn_fft_direction direction,
                             const kn_device_info *info, const kn_fft_tuning *tuning,
                             struct fft_passes *passes, struct fft_roots *roots, kn_error *err)
{
    struct planner p = {.shape = shape,
                        .info = info,
                        .tuning = tuning,
                        .inverse = direction == KN_FFT_INVERSE,
                        .bounds = ki_fft_bounds_of(info, shape->given.type, tuning),
                        .passes = passes,
                        .roots = roots,
                        .err = err};
    bool backwards = shape->given.kind == KN_FFT_COMPLEX_TO_REAL;
    kn_status status = KN_OK;

    passes->count = 0;
    for (unsigned i = 0; i < 3; i++) {
        p.dims[i] = shape->in[i];
        // Padding comes late when going from x to z, cropping early when going from z to x: fewer lines are
        // left then.
        backwards =
            backwards || (shape->out[i] < shape->given.dims[i] && shape->given.kind == KN_FFT_COMPLEX);
    }
    for (unsigned i = 0; i < 3 && !status; i++) {
        unsigned number = backwards ? 2 - i : i;
        bool real = number == 0 && shape->given.kind != KN_FFT_COMPLEX;
        if (shape->given.dims[number] > 1 || real || (i == 2 && passes->count == 0))
            status = add_axis(&p, number);
    }
    if (status)
        return status;
    passes->items[passes->count - 1].scale = shape->given.scale;
    // A real result has half as much memory as its count of complex numbers suggests.
    place_passes(passes, shape->given.kind == KN_FFT_COMPLEX_TO_REAL
                             ? 0
                             : shape->out_bytes / (2 * kn_type_size(shape->given.type)));
    return KN_OK;
}
