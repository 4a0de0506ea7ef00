// SPDX-License-Identifier: Apache-2.0
// The speed of the device, as the cost model uses it (koine/experimental/cost.h). There is nothing to choose;
// the measured values are kept.
#include <koine/experimental/cost.h>
#include <koine/launch.h>
#include <koine/program.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/clock.h"
#include "subjects.h"

enum { CHAINS = 8, TRIPS = 1024, LAUNCHES = 256, REPETITIONS = 5 };
// Shapes of the two kernels, as in koine compare.
enum { CPU_WIDTH = 16, CPU_ITEMS = 1024, CPU_GROUP = 16, GPU_VECTOR = 4, GPU_GROUP = 256 };
enum { MEMORY, OPERATIONS, COPY, START, BUILD, LAUNCH }; // in the order of kn_cost_get_tunables

// The fraction of the peak rate of multiplications and additions that the sciences reach as they count
// operations.
static const double share = 0.25;

struct own {
    kn_program *programs[2];
    kn_kernel *chains, *copy;
    kn_buffer *from, *to; // what is copied
    size_t bytes;
    void *host;
    unsigned width, vector; // numbers for each work-item of the chains, and of the copy
    size_t items, group;    // of the copy
};

static const struct tune_axis *axes(const kn_queue *queue)
{
    static const struct tune_axis none[KN_TUNABLES] = {{0, {0}}};

    (void)queue;
    return none;
}

// ---- the timed work ----

static kn_status launch_chains(const struct tune_work *work, size_t elements, kn_error *err)
{
    const struct own *own = work->own;
    const float factor = 0.99951171875f, term = 0.000244140625f;
    const kn_arg args[] = {KN_VALUE(factor), KN_VALUE(term), KN_BUFFER(work->result)};
    const kn_range range = {1, {elements / own->width}, {0}, {0}};

    return kn_launch(work->queue, own->chains, &range, args, KI_COUNT(args), NULL, err);
}

static size_t elements_of(const struct tune_work *work)
{
    return kn_buffer_get_size(work->result) / sizeof(float);
}

static kn_status run(struct tune_work *work, kn_error *err)
{
    return launch_chains(work, elements_of(work), err);
}

static kn_status run_copy(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;

    const uint64_t vectors = own->bytes / sizeof(float) / own->vector;
    const uint32_t log2_vectors = (uint32_t)__builtin_ctzll(vectors);
    const kn_arg args[] = {KN_BUFFER(own->from), KN_VALUE(log2_vectors), KN_VALUE(vectors),
                           KN_BUFFER(own->to)};
    const kn_range range = {1, {own->items}, {own->group}, {0}};

    return kn_launch(work->queue, own->copy, &range, args, KI_COUNT(args), NULL, err);
}

static kn_status run_transfer(struct tune_work *work, kn_error *err)
{
    const struct own *own = work->own;
    kn_status status = kn_buffer_write(work->queue, own->from, 0, own->host, own->bytes, err);

    return status ? status : kn_buffer_read(work->queue, own->from, 0, own->host, own->bytes, err);
}

static kn_status run_launches(struct tune_work *work, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned i = 0; i < LAUNCHES && !status; i++)
        status = launch_chains(work, CPU_WIDTH, err);
    return status;
}

// Builds a program of ordinary size, with a macro that is new, so that no cache has it.
static kn_status run_build(struct tune_work *work, kn_error *err)
{
    char value[32];
    const kn_define defines[] = {{"BUILD", value}};
    const kn_program_options options = KN_INIT(kn_program_options, .defines = defines, .define_count = 1);
    kn_program *program = NULL;
    kn_status status;

    snprintf(value, sizeof value, "%.0f", ki_clock_seconds() * 1e9);
    status =
        kn_program_from_builtin(kn_queue_get_context(work->queue), "algo/scan.cl", &options, &program, err);
    kn_program_free(program);
    return status;
}

// The least of several times, in seconds until the work is complete.
static kn_status time_it(struct tune_work *work, kn_status (*what)(struct tune_work *, kn_error *),
                         unsigned repetitions, double *seconds, kn_error *err)
{
    kn_status status = KN_OK;

    *seconds = INFINITY;
    for (unsigned i = 0; i < repetitions && !status; i++) {
        double start = ki_clock_seconds();

        status = what(work, err);
        if (!status)
            status = kn_queue_finish(work->queue, err);
        *seconds = fmin(*seconds, ki_clock_seconds() - start);
    }
    return status;
}

// ---- the values ----

static unsigned rounded(double value)
{
    return (unsigned)fmin(fmax(round(value), 1), UINT32_MAX);
}

static kn_status usual(const struct tune_work *given, unsigned *values, kn_error *err)
{
    struct tune_work work = *given;
    const struct own *own = work.own;
    double bytes = (double)own->bytes, chains = 2.0 * CHAINS * TRIPS * (double)elements_of(&work);
    const struct {
        kn_status (*what)(struct tune_work *, kn_error *);
        unsigned value, repetitions;
        double rate, seconds; // value = rate / seconds taken, or seconds taken * seconds
    } rows[] = {{run_copy, MEMORY, REPETITIONS, 2 * bytes * 1e-6, 0},
                {run, OPERATIONS, REPETITIONS, share * chains * 1e-6, 0},
                {run_transfer, COPY, REPETITIONS, 2 * bytes * 1e-6, 0},
                {run_build, BUILD, 1, 0, 1e6},
                {run_launches, LAUNCH, REPETITIONS, 0, 1e9 / LAUNCHES}};
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(rows) && !status; i++) {
        double seconds;

        status = time_it(&work, rows[i].what, rows[i].repetitions, &seconds, err);
        values[rows[i].value] = rounded(rows[i].rate / seconds + rows[i].seconds * seconds);
    }
    values[START] = rounded(work.opened * 1e6);
    return status;
}

// ---- the work ----

static kn_status get_kernels(struct own *own, kn_context *context, bool cpu, kn_error *err)
{
    const kn_define chains[] = {{"TRIPS", "1024"}, {"WIDTH", cpu ? "16" : "1"}, {"REAL_BITS", "32"}},
                    copy[] = {{"GROUP", cpu ? "16" : "256"},
                              {"WIDTH", cpu ? "16" : "4"},
                              {"UNROLL", cpu ? "4" : "1"}};
    const struct {
        const char *file, *name;
        const kn_define *defines;
        kn_kernel **kernel;
    } wanted[] = {{"tools/compare/flops.cl", "fma_chains", chains, &own->chains},
                  {"tools/compare/bandwidth.cl", "copy_words", copy, &own->copy}};
    kn_status status = KN_OK;

    for (size_t i = 0; i < KI_COUNT(wanted) && !status; i++) {
        const kn_program_options options =
            KN_INIT(kn_program_options, .defines = wanted[i].defines, .define_count = KI_COUNT(chains));

        status = kn_program_from_builtin(context, wanted[i].file, &options, &own->programs[i], err);
        if (!status)
            status = kn_program_get_kernel(own->programs[i], wanted[i].name, wanted[i].kernel, err);
    }
    return status;
}

static kn_status open_work(struct tune_work *work, kn_error *err)
{
    kn_context *context = kn_queue_get_context(work->queue);
    struct own *own = work->own;
    const bool cpu = subject_is_cpu(work->queue);
    const size_t elements = (size_t)1 << (cpu ? 14 : 22);
    kn_status status = kn_buffer_create(context, elements * sizeof(float), &work->result, err);

    own->width = cpu ? CPU_WIDTH : 1;
    own->vector = cpu ? CPU_WIDTH : GPU_VECTOR;
    own->group = cpu ? CPU_GROUP : GPU_GROUP;
    own->bytes = (size_t)1 << (work->quick || cpu ? 26 : 28);
    own->items = cpu ? CPU_ITEMS : own->bytes / sizeof(float) / GPU_VECTOR;
    own->host = calloc(1, own->bytes);
    if (!status && !own->host)
        status = ki_fail_memory(err, own->bytes, "what is copied");
    if (!status)
        status = kn_buffer_create(context, own->bytes, &own->from, err);
    if (!status)
        status = kn_buffer_create(context, own->bytes, &own->to, err);
    if (!status)
        status = kn_buffer_write(work->queue, own->from, 0, own->host, own->bytes, err);
    return status ? status : get_kernels(own, context, cpu, err);
}

static void close_work(struct tune_work *work)
{
    struct own *own = work->own;

    kn_program_free(own->programs[0]);
    kn_program_free(own->programs[1]);
    kn_buffer_free(own->from);
    kn_buffer_free(own->to);
    free(own->host);
}

const struct tune_subject tune_rates = {.tunables = kn_cost_get_tunables,
                                        .what = "how fast the device is, for estimates; no candidates",
                                        .own_bytes = sizeof(struct own),
                                        .axes = axes,
                                        .usual = usual,
                                        .open = open_work,
                                        .close = close_work,
                                        .run = run};
