// SPDX-License-Identifier: Apache-2.0
// The public functions of koine/stats.h: checks, and the plan around a column.
#include <stdlib.h>

#include "algo/columns.h"
#include "api_internal.h"
#include "base/error.h"
#include "base/sized.h"

static const enum stats_variant variants[] = {
    [KN_STATS_SERIAL] = STATS_SERIAL,     [KN_STATS_VECTORIZED] = STATS_VECTORIZED,
    [KN_STATS_PARALLEL] = STATS_PARALLEL, [KN_STATS_PARALLEL_VECTORIZED] = STATS_PARALLEL_VECTORIZED,
    [KN_STATS_DEVICE] = STATS_GPU,
};

static const double mad_scales[] = {
    [KN_STATS_MAD_RAW] = 1,
    [KN_STATS_MAD_NORMAL] = STATS_MAD_SCALE_NORMAL,
};

// ---- messages ----

static kn_status refuse_number(const char *function, const char *what, int number, const char *type,
                               kn_error *err)
{
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s: there is no %s %d; see %s", function, what, number, type);
}

static kn_status check_options(const char *function, const kn_stats_options *o, kn_error *err)
{
    if ((unsigned)o->method > KN_STATS_FUSED)
        return refuse_number(function, "method", (int)o->method, "kn_stats_method", err);
    if ((unsigned)o->variant > KN_STATS_DEVICE)
        return refuse_number(function, "variant", (int)o->variant, "kn_stats_variant", err);
    if ((unsigned)o->mad_scale > KN_STATS_MAD_NORMAL)
        return refuse_number(function, "MAD scale", (int)o->mad_scale, "kn_stats_mad_scale", err);
    if ((unsigned)o->policy > KN_POLICY_FAST)
        return refuse_number(function, "policy", (int)o->policy, "kn_policy", err);
    return KN_OK;
}

static kn_status check_type(const char *function, kn_type type, size_t n, kn_error *err)
{
    if (kn_type_size(type) == 0)
        return refuse_number(function, "type", (int)type, "kn_type", err);
    if (type != KN_F64 && type != KN_F32 && type != KN_I8 && type != KN_U8)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "%s works on KN_F64, KN_F32, KN_I8 and KN_U8, not on %s; convert the column to KN_F64",
                       function, kn_type_name(type));
    if (n > SIZE_MAX / 32)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: a column of %zu elements does not fit in memory",
                       function, n);
    return KN_OK;
}

static kn_status check_queue(const char *function, const kn_queue *queue, kn_stats_variant variant,
                             kn_error *err)
{
    if (queue && variant != KN_STATS_BEST && variant != KN_STATS_DEVICE)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: the variant %s computes on the host, but there is a queue; give NULL", function,
                       ki_stats_variant_names[variants[variant]]);
    if (!queue && variant == KN_STATS_DEVICE)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: the variant KN_STATS_DEVICE needs a queue; it is NULL",
                       function);
    return KN_OK;
}

// ---- plans ----

static kn_status create_column(kn_stats_plan *plan, kn_queue *queue, kn_error *err)
{
    const struct stats_options how = {.single = plan->options.single,
                                      .mad_scale = mad_scales[plan->options.mad_scale],
                                      .policy = plan->options.policy,
                                      .method = plan->options.method,
                                      .threads = plan->options.threads};

    return ki_stats_column_create(variants[plan->options.variant], queue, plan->type, plan->n, &how,
                                  &plan->column, err);
}

// Replaces KN_STATS_BEST by the variant that it stands for here.
static kn_status choose_variant(kn_stats_plan *plan, kn_queue *queue, kn_error *err)
{
    kn_error why = KN_ERROR_INIT;
    kn_status status;

    if (plan->options.variant != KN_STATS_BEST || queue) {
        plan->options.variant = queue ? KN_STATS_DEVICE : plan->options.variant;
        return create_column(plan, queue, err);
    }
    plan->options.variant = KN_STATS_PARALLEL_VECTORIZED;
    status = create_column(plan, NULL, &why);
    if (status == KN_ERROR_UNSUPPORTED) {
        plan->options.variant = KN_STATS_PARALLEL;
        return create_column(plan, NULL, err);
    }
    if (status && err)
        *err = why;
    return status;
}

static kn_status create(const char *function, kn_queue *queue, kn_type type, size_t n,
                        const kn_stats_options *options, kn_stats_plan **plan, kn_error *err)
{
    kn_stats_options read;
    kn_stats_plan *p;
    kn_status status = KI_SIZED_READ(function, kn_stats_options, options, &read, err);

    if (!status)
        status = check_options(function, &read, err);
    if (!status)
        status = check_type(function, type, n, err);
    if (!status)
        status = check_queue(function, queue, read.variant, err);
    if (status)
        return status;
    p = calloc(1, sizeof *p);
    if (!p)
        return ki_fail_memory(err, sizeof *p, function);
    p->options = read;
    p->type = type;
    p->n = n;
    status = ki_error_name(function, choose_variant(p, queue, err), err);
    if (status)
        free(p);
    else
        *plan = p;
    return status;
}

kn_status kn_stats_plan_create(kn_queue *queue, kn_type type, size_t n, const kn_stats_options *options,
                               kn_stats_plan **plan, kn_error *err)
{
    if (!plan)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_stats_plan_create: plan is NULL");
    return create("kn_stats_plan_create", queue, type, n, options, plan, err);
}

void kn_stats_plan_free(kn_stats_plan *plan)
{
    if (!plan)
        return;
    ki_stats_stream_free(plan->stream);
    ki_stats_columns_free(plan->columns);
    ki_stats_column_close(plan->column);
    free(plan);
}

kn_stats_method kn_stats_plan_get_method(const kn_stats_plan *plan)
{
    if (!plan)
        return KN_STATS_AUTO;
    return plan->streamed ? KN_STATS_SELECT : ki_stats_column_method(plan->column);
}

kn_stats_variant kn_stats_plan_get_variant(const kn_stats_plan *plan)
{
    return plan ? plan->options.variant : KN_STATS_BEST;
}

unsigned kn_stats_plan_get_passes(const kn_stats_plan *plan)
{
    return plan ? plan->passes : 0;
}

static kn_stats_memory memory_of(struct stats_room column, struct stats_room stream)
{
    return (kn_stats_memory){column.host + stream.host, column.device + stream.device};
}

kn_stats_memory kn_stats_plan_get_memory(const kn_stats_plan *plan)
{
    const struct stats_room none = {0, 0};
    struct stats_room column;

    if (!plan)
        return memory_of(none, none);
    column = ki_stats_column_holds(plan->column);
    column.device += ki_stats_columns_hold(plan->columns);
    return memory_of(column, plan->stream ? ki_stats_stream_wants(plan->column) : none);
}

kn_status kn_stats_estimate_memory(kn_queue *queue, kn_type type, size_t n, kn_stats_form form,
                                   kn_stats_memory *memory, const kn_stats_options *options, kn_error *err)
{
    static const char function[] = "kn_stats_estimate_memory";
    struct stats_room stream = {0, 0};
    kn_stats_plan *plan;
    kn_status status;

    if (!memory)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: memory is NULL", function);
    if ((unsigned)form > KN_STATS_SOURCE)
        return refuse_number(function, "form", (int)form, "kn_stats_form", err);
    status = create(function, queue, type, n, options, &plan, err);
    if (status)
        return status;
    if (form == KN_STATS_SOURCE)
        stream = ki_stats_stream_wants(plan->column);
    *memory = memory_of(ki_stats_column_wants(plan->column, form == KN_STATS_BUFFER), stream);
    kn_stats_plan_free(plan);
    return KN_OK;
}

// ---- columns ----

// A column in memory, and its prefixes.
struct job {
    const char *function;
    kn_stats_plan *plan;
    const void *x;           // the host's memory
    const kn_buffer *buffer; // or the device's buffer
    bool in_buffer;
    const size_t *ends;
    size_t count;
    kn_stats *results;
};

static kn_status check_buffer(const struct job *job, size_t n, kn_error *err)
{
    const kn_stats_plan *plan = job->plan;

    if (plan->options.variant != KN_STATS_DEVICE)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: the plan computes on the host, but the column is in a buffer; make the plan with "
                       "a queue",
                       job->function);
    return ki_column_check_any(job->function, plan->column->queue, job->buffer, plan->type, n, err);
}

static kn_status check_ends(const struct job *job, kn_error *err)
{
    for (size_t i = 1; i < job->count; i++)
        if (job->ends[i] < job->ends[i - 1])
            return ki_fail(err, KN_ERROR_ARGUMENT, "%s: ends descend from %zu to %zu; they must ascend",
                           job->function, job->ends[i - 1], job->ends[i]);
    return KN_OK;
}

static kn_status check_job(const struct job *job, kn_error *err)
{
    size_t n;

    if (!job->plan || (job->count > 0 && (!job->ends || !job->results)))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: plan, ends or the result is NULL", job->function);
    if (check_ends(job, err))
        return KN_ERROR_ARGUMENT;
    n = job->count > 0 ? job->ends[job->count - 1] : 0;
    if (n > job->plan->n)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %zu elements, but the plan is for %zu at most",
                       job->function, n, job->plan->n);
    if (job->in_buffer)
        return check_buffer(job, n, err);
    if (n > 0 && !job->x)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: x is NULL", job->function);
    return KN_OK;
}

static kn_status watch(const struct job *job, size_t done, kn_error *err)
{
    const kn_stats_options *o = &job->plan->options;

    if (!o->progress || o->progress(o->progress_data, 1, done, job->count))
        return KN_OK;
    return ki_fail(err, KN_ERROR_INTERRUPTED,
                   "%s: stopped by the progress function after %zu of %zu prefixes", job->function, done,
                   job->count);
}

static kn_status compute(const struct job *job, kn_stats *results, kn_error *err)
{
    struct stats_column *column = job->plan->column;
    size_t n = job->ends[job->count - 1];
    kn_status status = job->in_buffer ? ki_stats_column_attach(column, job->buffer, n, err)
                                      : ki_stats_column_load(column, job->x, n, err);

    if (!status && job->count > 1 && ki_stats_column_in_bytes(column))
        return ki_stats_column_sweep(column, job->ends, job->count, results, err);
    for (size_t i = 0; i < job->count && !status; i++) {
        status = ki_stats_column_compute(column, job->ends[i], &results[i], err);
        if (!status && job->count > 1)
            status = watch(job, i + 1, err);
    }
    return status;
}

static kn_status run(const struct job *job, kn_error *err)
{
    kn_stats one, *results = &one;
    struct ki_kept *kept;
    kn_status status = ki_error_name(job->function, check_job(job, err), err);

    if (status || job->count == 0)
        return status;
    kept = &job->plan->column->kept;
    if (job->count > 1) {
        results = ki_kept_take_array(kept, job->count, sizeof *results);
        if (!results)
            return ki_fail_memory(err, 0, "the statistics of prefixes");
    }
    job->plan->streamed = job->plan->loaded = job->plan->columns_loaded = false;
    status = ki_error_name(job->function, compute(job, results, err), err);
    for (size_t i = 0; i < job->count && !status; i++)
        job->results[i] = results[i];
    if (results != &one)
        ki_kept_give(kept, results);
    return status;
}

kn_status kn_stats_compute(kn_stats_plan *plan, const void *x, size_t n, kn_stats *result, kn_error *err)
{
    const struct job job = {
        .function = "kn_stats_compute", .plan = plan, .x = x, .ends = &n, .count = 1, .results = result};

    return run(&job, err);
}

kn_status kn_stats_compute_buffer(kn_stats_plan *plan, const kn_buffer *x, size_t n, kn_stats *result,
                                  kn_error *err)
{
    const struct job job = {.function = "kn_stats_compute_buffer",
                            .plan = plan,
                            .buffer = x,
                            .in_buffer = true,
                            .ends = &n,
                            .count = 1,
                            .results = result};

    return run(&job, err);
}

kn_status kn_stats_compute_prefixes(kn_stats_plan *plan, const void *x, const size_t *ends, size_t count,
                                    kn_stats *results, kn_error *err)
{
    const struct job job = {.function = "kn_stats_compute_prefixes",
                            .plan = plan,
                            .x = x,
                            .ends = ends,
                            .count = count,
                            .results = results};

    return run(&job, err);
}

kn_status kn_stats_compute_buffer_prefixes(kn_stats_plan *plan, const kn_buffer *x, const size_t *ends,
                                           size_t count, kn_stats *results, kn_error *err)
{
    const struct job job = {.function = "kn_stats_compute_buffer_prefixes",
                            .plan = plan,
                            .buffer = x,
                            .in_buffer = true,
                            .ends = ends,
                            .count = count,
                            .results = results};

    return run(&job, err);
}

// ---- sources ----

static kn_status read_source(const char *function, const kn_stats_source *given, kn_stats_source *source,
                             kn_error *err)
{
    kn_status status = KI_SIZED_READ(function, kn_stats_source, given, source, err);

    if (!status && (!source->rewind || !source->next))
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: source is NULL, or its rewind or next is", function);
    return status;
}

kn_status kn_stats_compute_source(kn_stats_plan *plan, const kn_stats_source *source, kn_stats *result,
                                  kn_error *err)
{
    static const char function[] = "kn_stats_compute_source";
    kn_stats_source read;
    kn_stats found;
    kn_status status;

    if (!plan || !result)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: plan or result is NULL", function);
    status = read_source(function, source, &read, err);
    if (!status && !plan->stream)
        status = ki_error_name(function, ki_stats_stream_create(plan->column, &plan->stream, err), err);
    if (status)
        return status;

    struct stats_streaming streaming = {.function = function,
                                        .source = &read,
                                        .watch = {plan->options.progress, plan->options.progress_data},
                                        .streams = plan->options.method == KN_STATS_AUTO ||
                                                   plan->options.method == KN_STATS_SELECT};
    plan->loaded = plan->columns_loaded = false;
    status = ki_stats_stream_compute(plan->stream, &streaming, &found, err);
    plan->passes = streaming.passes;
    plan->streamed = streaming.streamed;
    // An error reported by the source stays as it is.
    if (!status)
        *result = found;
    return status;
}
