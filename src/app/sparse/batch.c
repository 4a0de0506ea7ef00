// SPDX-License-Identifier: Apache-2.0
#include "batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../base/array.h"
#include "../../base/clock.h"
#include "../../base/error.h"
#include "solver_own.h"

#define NO_EVENT NULL

enum { AT_ONCE = 128, MOST_IMAGES = 32, MOST_GROUP = 1024, LOOK = 32, LONGEST_LAUNCH = 512 };
// What a compute unit reads while a device launches what an iteration takes otherwise.
enum { WHOLE_BYTES = 1 << 20 };

enum { MULTIPLY, BACK, STEP, WHOLE, TAKE, GIVE, BEGIN, REST, KERNELS };
static const char *const names[KERNELS] = {"batch_multiply", "batch_multiply", "batch_step",
                                           "batch_whole",    "batch_take",     "batch_give",
                                           "batch_begin",    "batch_residual"};

enum { X, H, D, E, W, B, NORMS, ENDS, SUMS, BUFFERS };

struct sparse_batch {
    kn_context *context;
    struct sparse_batch_options options; // filled in
    struct solver_terms terms;
    bool whole;
    uint32_t rows, columns, most; // `most` images at once, whole blocks
    struct spmv_product products[2];
    kn_kernel *kernels[KERNELS];
    kn_buffer *buffers[BUFFERS];
};

// Images that are in the device's memory: from `first` on, in whole blocks `all` of them.
struct run {
    size_t first;
    uint32_t count, blocks, all;
};

bool sparse_batch_is_whole(const struct sparse_batch *batch)
{
    return batch->whole;
}

unsigned sparse_batch_images(const struct sparse_batch *batch)
{
    return batch->options.images;
}

size_t sparse_batch_at_once(const struct sparse_batch *batch)
{
    return batch->most;
}

// ---- options ----

static bool is_power(unsigned value)
{
    return value && !(value & (value - 1));
}

static kn_status check_options(const struct sparse_batch_options *options, kn_error *err)
{
    const struct {
        const char *name;
        unsigned value, most;
    } counts[] = {{"images side by side", options->images, MOST_IMAGES},
                  {"images of a work-item", options->wide, 16},
                  {"work-items of a group", options->group, MOST_GROUP},
                  {"images of a step's group", options->step, MOST_IMAGES},
                  {"work-items of a step's group", options->step_group, MOST_GROUP},
                  {"work-items of a row", options->shares, MOST_IMAGES},
                  {"work-items of a column", options->back_shares, MOST_IMAGES}};
    kn_status status = solver_check_options(&options->solver, err);

    for (size_t i = 0; i < KN_COUNT(counts) && !status; i++)
        if (counts[i].value && (!is_power(counts[i].value) || counts[i].value > counts[i].most))
            status = kn_fail(err, KN_ERROR_ARGUMENT, "%u %s; expected a power of two up to %u",
                             counts[i].value, counts[i].name, counts[i].most);
    if (!status && options->wide == 2)
        status = kn_fail(err, KN_ERROR_ARGUMENT, "2 images of a work-item; there are 1, 4, 8 and 16");
    if (!status && (options->solver.printed || options->solver.white))
        status = kn_fail(err, KN_ERROR_ARGUMENT,
                         "many right-hand sides at once have neither the loop as it is printed nor a stop at "
                         "the whiteness of A x - b; solve one at a time");
    if (!status && options->solver.residual > 0)
        status = kn_fail(err, KN_ERROR_ARGUMENT,
                         "many right-hand sides stop at a gradient, not at a residual (%g); solve one after "
                         "the other, or give a gradient",
                         options->solver.residual);
    if (!status && (unsigned)options->launches > SPARSE_BATCH_SPREAD)
        status = kn_fail(err, KN_ERROR_ARGUMENT, "there is no way of launching %d; see sparse_batch_launches",
                         (int)options->launches);
    return status;
}

static unsigned or_default(unsigned value, unsigned otherwise)
{
    return value ? value : otherwise;
}

static unsigned at_most(unsigned value, size_t most)
{
    while (value > most)
        value /= 2;
    return value;
}

// What is left open, and what does not fit is made smaller.
static void choose_shape(struct sparse_batch_options *o, const kn_device_info *info)
{
    bool cpu = info->type == KN_DEVICE_CPU;

    o->group = at_most(or_default(o->group, cpu ? 32 : 256), info->max_work_group);
    o->images = at_most(or_default(o->images, cpu ? 16 : 32), o->group);
    o->wide = at_most(or_default(o->wide, cpu ? 16 : 1), o->images);
    if (o->wide == 2)
        o->wide = 1;
    o->step_group = at_most(or_default(o->step_group, cpu ? 32 : 1024), info->max_work_group);
    o->step = at_most(at_most(or_default(o->step, 8), o->images), o->step_group);
    o->shares = at_most(or_default(o->shares, 1), o->group * o->wide / o->images);
    o->back_shares = at_most(or_default(o->back_shares, cpu ? 1 : 4), o->group * o->wide / o->images);
}

// What a group of batch_whole reads and writes in an iteration.
static size_t bytes_of_iteration(const struct sparse_batch *b, const struct sparse_matrix *matrix)
{
    return 16 * matrix->nonzeros +
           (7 * matrix->columns + 2 * matrix->rows) * b->options.images * sizeof(float);
}

static kn_status choose_launches(struct sparse_batch *b, const struct sparse_matrix *matrix, kn_error *err)
{
    const kn_device_info *info = kn_context_device(b->context);
    enum sparse_batch_launches launches = b->options.launches;

    if (launches == SPARSE_BATCH_WHOLE && info->loop_limit)
        return kn_fail(err, KN_ERROR_LIMIT,
                       "%s (%s) stops loops after %u, which whole solutions may need; spread them",
                       info->spec, info->name, info->loop_limit);
    b->whole = launches == SPARSE_BATCH_WHOLE || (launches == SPARSE_BATCH_AUTO && !info->loop_limit &&
                                                  bytes_of_iteration(b, matrix) <= WHOLE_BYTES);
    return KN_OK;
}

// ---- creation ----

static kn_status get_kernel(struct sparse_batch *b, unsigned kernel, kn_error *err)
{
    const struct sparse_batch_options *o = &b->options;
    bool steps = kernel == STEP || kernel == REST;
    struct column_defines defines = {.count = 0};

    column_define(&defines, "GROUP", steps ? o->step_group : o->group);
    column_define(&defines, "IMAGES", o->images);
    column_define(&defines, "WIDE", o->wide);
    if (kernel != WHOLE)
        column_define(&defines, "STEP", o->step);
    column_define(&defines, "SHARES", kernel == BACK || kernel == WHOLE ? o->back_shares : o->shares);
    solver_define(&defines, b->context, &o->solver);
    return engine_builtin_kernel(b->context, kernel == WHOLE ? "sparse_batch_whole.cl" : "sparse_batch.cl",
                                 defines.items, defines.count, KN_POLICY_DEFAULT, names[kernel],
                                 &b->kernels[kernel], err);
}

static kn_status get_kernels(struct sparse_batch *b, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned i = 0; i < KERNELS && !status; i++)
        if (b->whole ? i != MULTIPLY && i != STEP : i != WHOLE)
            status = get_kernel(b, i, err);
    if (b->whole) // before and after
        b->kernels[MULTIPLY] = b->kernels[BACK];
    return status;
}

static kn_status prepare_products(struct sparse_batch *b, kn_queue *queue, const struct sparse_matrix *matrix,
                                  kn_error *err)
{
    struct sparse_matrix transposed = {.rows = 0};
    kn_status status = sparse_transpose(matrix, &transposed, err);

    for (unsigned i = 0; i < 2 && !status; i++) {
        const struct spmv_task task = i == 0 ? spmv_task_of(queue, matrix, &transposed, NULL)
                                             : spmv_task_of(queue, &transposed, matrix, NULL);
        status = spmv_product_create(&task, SPARSE_SIMPLE, &b->products[i], err);
    }
    sparse_free(&transposed);
    return status;
}

static kn_status create_buffers(struct sparse_batch *b, kn_error *err)
{
    const size_t columns = (size_t)b->columns * b->most * sizeof(float);
    const size_t rows = (size_t)b->rows * b->most * sizeof(float);
    const size_t bytes[BUFFERS] = {[X] = columns,
                                   [H] = columns,
                                   [D] = columns,
                                   [E] = columns,
                                   [W] = rows,
                                   [B] = rows,
                                   [NORMS] = (b->options.solver.iterations + 1) * b->most * SOLVER_CELL,
                                   [ENDS] = b->most * sizeof(uint32_t),
                                   [SUMS] = 2 * (size_t)b->most * SOLVER_CELL};
    const kn_device_info *info = kn_context_device(b->context);
    kn_status status = KN_OK;

    for (unsigned i = 0; i < BUFFERS && !status; i++) {
        if (bytes[i] > info->max_alloc)
            return kn_fail(err, KN_ERROR_LIMIT,
                           "%u images of %u rows and %u columns at once take %zu bytes in one piece, and one "
                           "allocation of %s holds %llu; take fewer at once",
                           b->most, b->rows, b->columns, bytes[i], info->spec,
                           (unsigned long long)info->max_alloc);
        status = kn_buffer_create(b->context, bytes[i], &b->buffers[i], err);
    }
    return status;
}

kn_status sparse_batch_create(kn_queue *queue, const struct sparse_matrix *matrix,
                              const struct sparse_batch_options *options, struct sparse_batch **batch,
                              kn_error *err)
{
    struct sparse_batch *b = calloc(1, sizeof *b);
    kn_status status = b ? check_options(options, err) : kn_fail_memory(err, sizeof *b, "a sparse solver");

    if (!status)
        status = spmv_check(matrix, SPARSE_SIMPLE, err);
    if (!status) {
        size_t at_once = options->at_once ? options->at_once : AT_ONCE;
        b->context = kn_queue_context(queue);
        b->options = *options;
        b->terms = solver_terms_of(&options->solver);
        b->rows = (uint32_t)matrix->rows;
        b->columns = (uint32_t)matrix->columns;
        choose_shape(&b->options, kn_context_device(b->context));
        at_once = at_once < UINT16_MAX ? at_once : UINT16_MAX;
        b->most = (uint32_t)(at_once + b->options.images - 1) / b->options.images * b->options.images;
        status = choose_launches(b, matrix, err);
    }
    if (!status)
        status = get_kernels(b, err);
    if (!status)
        status = prepare_products(b, queue, matrix, err);
    if (!status)
        status = create_buffers(b, err);
    if (status) {
        sparse_batch_free(b);
        return status;
    }
    b->options.solver.correction = NULL; // it is the caller's
    *batch = b;
    return KN_OK;
}

void sparse_batch_free(struct sparse_batch *batch)
{
    if (!batch)
        return;
    for (unsigned i = 0; i < 2; i++)
        spmv_product_free(&batch->products[i]);
    for (unsigned i = 0; i < BUFFERS; i++)
        kn_buffer_free(batch->buffers[i]);
    free(batch);
}

// ---- launches ----

static kn_status launch(kn_queue *queue, const struct sparse_batch *b, const struct run *run, unsigned kernel,
                        size_t groups, const kn_arg *args, size_t count, kn_error *err)
{
    size_t group = kernel == STEP || kernel == REST ? b->options.step_group : b->options.group;
    const kn_range range = {2, {groups * group, run->blocks}, {group, 1}, {0}};

    return groups && run->blocks ? kn_launch(queue, b->kernels[kernel], &range, args, count, NO_EVENT, err)
                                 : KN_OK;
}

// Groups for a work-item each of n lines of a block.
static size_t groups_of(const struct sparse_batch *b, size_t n)
{
    return (n * b->options.images + b->options.group - 1) / b->options.group;
}

// to = A from, or A^T from.
static kn_status multiply(kn_queue *queue, const struct sparse_batch *b, const struct run *run,
                          unsigned transposed, kn_buffer *from, kn_buffer *to, kn_error *err)
{
    kn_buffer *const *a = b->products[transposed].buffers;
    uint32_t rows = transposed ? b->columns : b->rows, n = transposed ? b->rows : b->columns;
    unsigned shares = transposed || b->whole ? b->options.back_shares : b->options.shares;
    size_t each = b->options.group * b->options.wide / (b->options.images * shares);
    const kn_arg args[] = {KN_BUFFER(a[SPMV_CSR_STARTS]),
                           KN_BUFFER(a[SPMV_CSR_INDICES]),
                           KN_BUFFER(a[SPMV_CSR_VALUES]),
                           KN_VALUE(rows),
                           KN_VALUE(n),
                           KN_BUFFER(from),
                           KN_BUFFER(to)};

    return launch(queue, b, run, transposed ? BACK : MULTIPLY, (rows + each - 1) / each, args, KN_COUNT(args),
                  err);
}

static kn_status launch_step(kn_queue *queue, const struct sparse_batch *b, const struct run *run,
                             uint32_t iteration, kn_error *err)
{
    kn_buffer *const *m = b->buffers;
    const struct solver_terms *t = &b->terms;
    const kn_arg args[] = {KN_BUFFER(m[X]),       KN_BUFFER(m[H]),      KN_BUFFER(m[D]),
                           KN_BUFFER(m[E]),       KN_VALUE(b->columns), KN_VALUE(t->weight),
                           KN_VALUE(t->lambda),   KN_VALUE(t->smooth),  KN_VALUE(t->order),
                           KN_VALUE(t->gradient), KN_BUFFER(m[NORMS]),  KN_BUFFER(m[ENDS]),
                           KN_VALUE(run->all),    KN_VALUE(iteration)};

    return launch(queue, b, run, STEP, b->options.images / b->options.step, args, KN_COUNT(args), err);
}

static kn_status launch_whole(kn_queue *queue, const struct sparse_batch *b, const struct run *run,
                              uint32_t first, uint32_t last, kn_error *err)
{
    kn_buffer *const *m = b->buffers, *const *a = b->products[0].buffers,
                     *const *back = b->products[1].buffers;
    const struct solver_terms *t = &b->terms;
    const kn_arg args[] = {KN_BUFFER(a[SPMV_CSR_STARTS]),
                           KN_BUFFER(a[SPMV_CSR_INDICES]),
                           KN_BUFFER(a[SPMV_CSR_VALUES]),
                           KN_BUFFER(back[SPMV_CSR_STARTS]),
                           KN_BUFFER(back[SPMV_CSR_INDICES]),
                           KN_BUFFER(back[SPMV_CSR_VALUES]),
                           KN_VALUE(b->rows),
                           KN_VALUE(b->columns),
                           KN_BUFFER(m[X]),
                           KN_BUFFER(m[H]),
                           KN_BUFFER(m[D]),
                           KN_BUFFER(m[E]),
                           KN_BUFFER(m[W]),
                           KN_VALUE(t->weight),
                           KN_VALUE(t->lambda),
                           KN_VALUE(t->smooth),
                           KN_VALUE(t->order),
                           KN_VALUE(t->gradient),
                           KN_BUFFER(m[NORMS]),
                           KN_BUFFER(m[ENDS]),
                           KN_VALUE(run->all),
                           KN_VALUE(first),
                           KN_VALUE(last)};

    return launch(queue, b, run, WHOLE, 1, args, KN_COUNT(args), err);
}

// Vectors of n numbers between the caller's buffer and ours.
static kn_status move(kn_queue *queue, const struct sparse_batch *b, const struct run *run, unsigned kernel,
                      kn_buffer *from, kn_buffer *to, uint32_t n, kn_error *err)
{
    const uint64_t first = run->first;
    const kn_arg args[] = {KN_BUFFER(from), KN_BUFFER(to), KN_VALUE(first), KN_VALUE(n),
                           KN_VALUE(run->count)};

    return launch(queue, b, run, kernel, groups_of(b, n), args, KN_COUNT(args), err);
}

// ---- before and after ----

// w = A x - b; squares of it and of b, of every image.
static kn_status find_residuals(kn_queue *queue, const struct sparse_batch *b, const struct run *run,
                                double *sums, kn_error *err)
{
    kn_buffer *const *m = b->buffers;
    const kn_arg args[] = {KN_BUFFER(m[W]), KN_BUFFER(m[B]), KN_VALUE(b->rows), KN_BUFFER(m[SUMS]),
                           KN_VALUE(run->all)};
    kn_status status = multiply(queue, b, run, 0, m[X], m[W], err);

    if (!status)
        status = launch(queue, b, run, REST, b->options.images / b->options.step, args, KN_COUNT(args), err);
    return status ? status : kn_buffer_read(queue, m[SUMS], 0, sums, 2 * run->all * SOLVER_CELL, err);
}

// h = A^T (A x - b) + L x; d and e are 0.
static kn_status begin(kn_queue *queue, const struct sparse_batch *b, const struct run *run, kn_buffer *right,
                       kn_buffer *x, double *sums, kn_error *err)
{
    const uint32_t none = 0;
    kn_buffer *const *m = b->buffers;
    const kn_arg args[] = {KN_BUFFER(m[X]),           KN_BUFFER(m[H]),         KN_BUFFER(m[D]),
                           KN_BUFFER(m[E]),           KN_VALUE(b->columns),    KN_VALUE(b->terms.lambda),
                           KN_VALUE(b->terms.smooth), KN_VALUE(b->terms.order)};
    kn_status status = move(queue, b, run, TAKE, right, m[B], b->rows, err);

    if (!status)
        status = move(queue, b, run, TAKE, x, m[X], b->columns, err);
    if (!status)
        status = find_residuals(queue, b, run, sums, err);
    for (uint32_t i = 0; i < run->count && !status; i++)
        if (!isfinite(sums[i]) || !isfinite(sums[run->all + i]))
            status = kn_fail(err, KN_ERROR_ARGUMENT,
                             "%s %zu (from 0) is not finite everywhere, or beyond single precision",
                             isfinite(sums[run->all + i]) ? "start" : "right hand side", run->first + i);
    if (!status)
        status = multiply(queue, b, run, 1, m[W], m[E], err);
    if (!status)
        status = launch(queue, b, run, BEGIN, groups_of(b, b->columns), args, KN_COUNT(args), err);
    return status
               ? status
               : kn_buffer_fill(queue, m[ENDS], &none, sizeof none, 0, run->all * sizeof none, NO_EVENT, err);
}

// ---- iterations ----

static kn_status look(kn_queue *queue, const struct sparse_batch *b, const struct run *run, uint32_t *ends,
                      bool *goes_on, kn_error *err)
{
    kn_status status = kn_buffer_read(queue, b->buffers[ENDS], 0, ends, run->all * sizeof *ends, err);

    *goes_on = false;
    for (uint32_t i = 0; i < run->all && !status; i++)
        *goes_on = *goes_on || ends[i] == 0;
    return status;
}

// All of them, and how each image ended; the host looks now and then whether all have.
static kn_status iterate(kn_queue *queue, const struct sparse_batch *b, const struct run *run, uint32_t *ends,
                         kn_error *err)
{
    kn_buffer *const *m = b->buffers;
    uint32_t most = (uint32_t)b->options.solver.iterations + 1;
    bool goes_on = true;
    kn_status status = KN_OK;

    for (uint32_t k = 0; k < most && goes_on && !status;) {
        if (b->whole) {
            uint32_t last = most - k < LONGEST_LAUNCH ? most : k + LONGEST_LAUNCH;
            status = launch_whole(queue, b, run, k, last, err);
            k = last;
        } else {
            status = launch_step(queue, b, run, k, err);
            if (!status && k + 1 < most)
                status = multiply(queue, b, run, 0, m[D], m[W], err);
            if (!status && k + 1 < most)
                status = multiply(queue, b, run, 1, m[W], m[E], err);
            k++;
        }
        if (!status && (b->whole || (b->terms.gradient > 0 && k % LOOK == 0)))
            status = look(queue, b, run, ends, &goes_on, err);
    }
    return status ? status : look(queue, b, run, ends, &goes_on, err);
}

// What an image's end says, and its squares of gradients.
static kn_status take_results(kn_queue *queue, const struct sparse_batch *b, const struct run *run,
                              const uint32_t *ends, struct sparse_solver_result *results, kn_error *err)
{
    size_t last = 0;
    double *norms;
    kn_status status = KN_OK;

    for (uint32_t i = 0; i < run->count; i++) {
        size_t iteration = ends[i] ? ends[i] >> 5 : b->options.solver.iterations;
        solver_take_end(ends[i] & 31, iteration, &results[i]);
        last = iteration > last ? iteration : last;
    }
    norms = malloc((last + 1) * run->all * sizeof *norms);
    if (!norms)
        return kn_fail_memory(err, (last + 1) * run->all * sizeof *norms, "solving");
    status = kn_buffer_read(queue, b->buffers[NORMS], 0, norms, (last + 1) * run->all * SOLVER_CELL, err);
    for (uint32_t i = 0; i < run->count && !status; i++)
        status = solver_take_history(norms + i, run->all, &results[i], err);
    free(norms);
    return status;
}

// Images of one run.
static kn_status solve(kn_queue *queue, const struct sparse_batch *b, const struct run *run, kn_buffer *right,
                       kn_buffer *x, struct sparse_solver_result *results, kn_error *err)
{
    double *sums = malloc(run->all * (2 * sizeof *sums + sizeof(uint32_t))), begun;
    uint32_t *ends = (uint32_t *)(void *)(sums + 2 * (size_t)run->all);
    kn_status status = sums ? begin(queue, b, run, right, x, sums, err)
                            : kn_fail_memory(err, run->all * 2 * sizeof *sums, "solving");

    if (!status)
        status = kn_queue_finish(queue, err);
    begun = kn_clock_seconds();
    if (!status)
        status = iterate(queue, b, run, ends, err);
    for (uint32_t i = 0; i < run->count && !status; i++)
        results[i] = (struct sparse_solver_result){.seconds = kn_clock_seconds() - begun,
                                                   .launches_per_iteration = b->whole ? 0 : 3};
    if (!status)
        status = take_results(queue, b, run, ends, results, err);
    if (!status)
        status = find_residuals(queue, b, run, sums, err);
    for (uint32_t i = 0; i < run->count && !status; i++) {
        double rest = sums[i], goal = sums[run->all + i];
        results[i].residual = goal > 0 ? sqrt(rest / goal) : rest > 0 ? INFINITY : 0;
    }
    if (!status)
        status = move(queue, b, run, GIVE, b->buffers[X], x, b->columns, err);
    free(sums);
    return status;
}

static struct run run_of(const struct sparse_batch *b, size_t first, size_t count)
{
    uint32_t images = b->options.images, some = (uint32_t)(count < b->most ? count : b->most);
    uint32_t blocks = (some + images - 1) / images;

    return (struct run){first, some, blocks, blocks * images};
}

kn_status sparse_batch_transposed(kn_queue *queue, struct sparse_batch *batch, kn_buffer *b, size_t first,
                                  size_t count, kn_buffer **products, kn_error *err)
{
    const struct run run = run_of(batch, first, count);
    kn_buffer *const *m = batch->buffers;
    kn_status status =
        column_check("sparse_batch_transposed (b)", queue, b, KN_F32, (first + count) * batch->rows, err);

    if (!status)
        status = move(queue, batch, &run, TAKE, b, m[B], batch->rows, err);
    if (!status)
        status = multiply(queue, batch, &run, 1, m[B], m[E], err);
    *products = m[E];
    return status;
}

kn_status sparse_batch_apply(kn_queue *queue, struct sparse_batch *batch, bool transposed, kn_buffer *from,
                             kn_buffer *to, kn_error *err)
{
    const struct run run = run_of(batch, 0, 1);
    uint32_t sources = transposed ? batch->rows : batch->columns;
    uint32_t targets = transposed ? batch->columns : batch->rows;
    kn_buffer *in = batch->buffers[transposed ? B : X], *out = batch->buffers[transposed ? E : W];
    kn_status status = column_check("sparse_batch_apply (from)", queue, from, KN_F32, sources, err);

    if (!status)
        status = column_check("sparse_batch_apply (to)", queue, to, KN_F32, targets, err);
    if (!status)
        status = move(queue, batch, &run, TAKE, from, in, sources, err);
    if (!status)
        status = multiply(queue, batch, &run, transposed, in, out, err);
    return status ? status : move(queue, batch, &run, GIVE, out, to, targets, err);
}

kn_status sparse_batch_solve(kn_queue *queue, struct sparse_batch *batch, kn_buffer *b, size_t count,
                             kn_buffer *x, struct sparse_solver_result *results, kn_error *err)
{
    kn_status status = column_check("sparse_batch_solve (b)", queue, b, KN_F32, count * batch->rows, err);

    memset(results, 0, count * sizeof *results);
    if (!status)
        status = column_check("sparse_batch_solve (x)", queue, x, KN_F32, count * batch->columns, err);
    for (size_t first = 0; first < count && !status; first += batch->most) {
        const struct run run = run_of(batch, first, count - first);
        status = solve(queue, batch, &run, b, x, results + first, err);
    }
    for (size_t i = 0; i < count && status; i++) {
        free(results[i].history);
        results[i].history = NULL;
    }
    return status;
}
