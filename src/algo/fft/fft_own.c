// SPDX-License-Identifier: Apache-2.0
// The project's own transform: the passes of cl/algo/fft/fft.cl, built and launched.
#include "fft.h"

#include <koine/experimental.h>

#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/defines.h"

struct own_plan {
    kn_fft_shape shape;
    struct fft_passes passes[2]; // by direction; empty if the kind does not have the direction
    kn_buffer *roots;
    size_t scratch[2]; // bytes
};

static kn_status get_kernel(kn_context *context, kn_type type, unsigned input_bits, struct fft_pass *pass,
                            kn_error *err)
{
    static const char *const radix_names[FFT_MAX_RADICES] = {"RADIX_0", "RADIX_1", "RADIX_2",
                                                             "RADIX_3", "RADIX_4", "RADIX_5"};
    const struct {
        const char *name;
        unsigned value;
    } values[] = {{"REAL_BITS", type == KN_F64 ? 64 : 32},
                  {"POINTS", pass->cut.points},
                  {"ITEMS", pass->cut.items},
                  {"LINES", pass->lines_a_group},
                  {"BUFFERS", pass->buffers},
                  {"ROWS_IN", pass->rows_in},
                  {"ROWS_OUT", pass->rows_out},
                  {"SWAP_IN", pass->swap_in},
                  {"SWAP_OUT", pass->swap_out},
                  {"LOAD", pass->load},
                  {"STORE", pass->store},
                  {"INNER", pass->has_inner},
                  {"SPLIT", pass->has_split},
                  {"TWIDDLE", pass->twiddle},
                  {"WIDE", pass->wide},
                  {"SHORT_IN", pass->short_in},
                  {"SHORT_OUT", pass->short_out},
                  {"SCALED", pass->scale != 1},
                  {"TABLE_IN", pass->table_in},
                  {"TABLE_OUT", pass->table_out}};
    struct engine_defines defines = {.count = 0};

    _Static_assert(KI_COUNT(values) + FFT_MAX_RADICES + 1 <= ENGINE_DEFINES, "there is room for all");
    for (size_t i = 0; i < KI_COUNT(values); i++)
        ki_engine_define(&defines, values[i].name, values[i].value);
    for (unsigned s = 0; s < pass->cut.stages; s++)
        ki_engine_define(&defines, radix_names[s], pass->cut.radices[s]);
    if (input_bits)
        ki_engine_define_text(&defines, "SAMPLE", input_bits == 8 ? "uchar" : "ushort");
    return ki_engine_builtin_kernel(context, "algo/fft/fft.cl", defines.items, defines.count,
                                    KN_POLICY_DEFAULT, "fft_pass", &pass->kernel, err);
}

// The queue asks whether to go on between compilations.
static kn_status get_kernels(const kn_queue *queue, const kn_fft_shape *shape, struct fft_passes *passes,
                             kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < passes->count && !status; i++) {
        if (passes->items[i].kernel)
            continue;
        status = ki_ask(queue->asking.ask, err);
        if (!status)
            status = get_kernel(queue->context, shape->type, shape->input_bits, &passes->items[i], err);
    }
    return status;
}

kn_status ki_fft_upload_roots(kn_queue *queue, const struct fft_roots *roots, kn_type type,
                              kn_buffer **buffer, kn_error *err)
{
    size_t numbers = 2 * roots->count, bytes = (numbers ? numbers : 2) * kn_type_size(type);
    float *singles = malloc(numbers * sizeof *singles + 1);
    kn_status status = singles ? kn_buffer_create(queue->context, bytes, buffer, err)
                               : ki_fail_memory(err, bytes, "preparing a transform");

    for (size_t i = 0; i < numbers && singles; i++)
        singles[i] = (float)roots->values[i];
    if (!status && numbers)
        status = kn_buffer_write(queue, *buffer, 0, type == KN_F64 ? (const void *)roots->values : singles,
                                 bytes, err);
    free(singles);
    return status;
}

static void measure_scratch(struct own_plan *plan, const struct fft_passes *passes)
{
    for (size_t i = 0; i < passes->count; i++) {
        const struct fft_pass *pass = &passes->items[i];
        for (unsigned slot = 0; slot < KI_COUNT(plan->scratch); slot++) {
            size_t bytes = (size_t)pass->to_numbers * 2 * kn_type_size(plan->shape.type);
            if (pass->target == FFT_SCRATCH_0 + slot && bytes > plan->scratch[slot])
                plan->scratch[slot] = bytes;
        }
    }
}

// "x 256 = 16 * 16 (16 items, 16 lines)"
static void describe(struct ki_text *text, const struct fft_passes *passes)
{
    for (size_t i = 0; i < passes->count; i++) {
        const struct fft_pass *pass = &passes->items[i];
        ki_text_format(text, "%s%u = ", i ? "; " : "", pass->cut.points);
        for (unsigned s = 0; s < pass->cut.stages; s++)
            ki_text_format(text, "%s%u", s ? " * " : "", pass->cut.radices[s]);
        ki_text_format(text, " (%u items, %u %s)", pass->cut.items, pass->lines_a_group,
                       pass->rows_in && pass->rows_out ? "rows"
                       : pass->rows_in                 ? "rows to columns"
                                                       : "columns");
    }
}

static void own_free(void *data)
{
    struct own_plan *plan = data;

    if (plan)
        kn_buffer_free(plan->roots);
    free(plan);
}

static kn_status own_create(kn_queue *queue, const struct fft_shape *shape, const kn_fft_tuning *tuning,
                            void **plan, struct ki_text *text, kn_error *err)
{
    struct own_plan *own = calloc(1, sizeof *own);
    struct fft_roots roots = {NULL, 0, 0};
    kn_status status = own ? KN_OK : ki_fail_memory(err, sizeof *own, "preparing a transform");

    for (unsigned direction = 0; direction < 2 && !status; direction++) {
        struct fft_passes *passes = &own->passes[direction];
        if ((direction == KN_FFT_INVERSE && shape->given.kind == KN_FFT_REAL_TO_COMPLEX) ||
            (direction == KN_FFT_FORWARD && shape->given.kind == KN_FFT_COMPLEX_TO_REAL))
            continue;
        own->shape = shape->given;
        status = ki_fft_plan_passes(shape, (kn_fft_direction)direction, &queue->context->device.info, tuning,
                                    passes, &roots, err);
        // A plan is often used in one direction only: the other direction is compiled when it is first used.
        if (!status && (direction == KN_FFT_FORWARD || shape->given.kind != KN_FFT_COMPLEX))
            status = get_kernels(queue, &shape->given, passes, err);
        if (status)
            continue;
        measure_scratch(own, passes);
        if (text->length == 0)
            describe(text, passes);
    }
    if (!status)
        status = ki_fft_upload_roots(queue, &roots, shape->given.type, &own->roots, err);
    free(roots.values);
    if (status)
        own_free(own);
    else
        *plan = own;
    return status;
}

static kn_status launch(kn_queue *queue, const struct own_plan *plan, const struct fft_pass *pass,
                        kn_buffer *from, kn_buffer *to, kn_error *err)
{
    size_t group = (size_t)pass->lines_a_group * pass->cut.items;
    size_t groups = (pass->lines - 1) / pass->lines_a_group + 1;
    union column_scalar scale;
    const kn_arg args[] = {KN_BUFFER(from),
                           KN_BUFFER(to),
                           KN_VALUE(pass->from),
                           KN_VALUE(pass->to),
                           KN_VALUE(pass->lines),
                           KN_VALUE(pass->inner),
                           KN_VALUE(pass->split),
                           KN_VALUE(pass->length),
                           KN_BUFFER(plan->roots),
                           KN_VALUE(pass->roots),
                           KN_VALUE(pass->table_in_at),
                           KN_VALUE(pass->table_out_at),
                           KN_VALUE(pass->long_roots),
                           KN_VALUE(pass->log2_low),
                           ki_column_real(&scale, plan->shape.type, pass->scale),
                           KN_LOCAL(pass->local_bytes)};
    const kn_range range = {1, {groups * group}, {group}, {0}};

    return kn_launch(queue, pass->kernel, &range, args, KI_COUNT(args), NO_EVENT, err);
}

static kn_status own_execute(kn_queue *queue, void *data, kn_fft_direction direction, const kn_buffer *in,
                             kn_buffer *out, kn_error *err)
{
    struct own_plan *plan = data;
    kn_buffer *buffers[4] = {(kn_buffer *)in, out, NULL, NULL}; // no pass writes the first one
    struct engine_scratch scratch =
        ki_engine_scratch_open(queue, ENGINE_SCRATCH_ALGORITHM, KI_COUNT(plan->scratch), "kn_fft_execute");
    kn_status status = get_kernels(queue, &plan->shape, &plan->passes[direction], err);

    for (unsigned slot = 0; slot < KI_COUNT(plan->scratch) && !status; slot++)
        if (plan->scratch[slot] > 0)
            status = ki_engine_scratch_get(&scratch, slot, plan->scratch[slot],
                                           &buffers[FFT_SCRATCH_0 + slot], err);
    for (size_t i = 0; i < plan->passes[direction].count && !status; i++) {
        const struct fft_pass *pass = &plan->passes[direction].items[i];
        status = launch(queue, plan, pass, buffers[pass->source], buffers[pass->target], err);
    }
    ki_engine_scratch_close(&scratch);
    return status;
}

const struct fft_library ki_fft_own = {KN_FFT_OWN, "own", own_create, own_execute, own_free};
