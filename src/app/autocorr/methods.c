// SPDX-License-Identifier: Apache-2.0
#include "methods.h"

#include "../../base/array.h"
#include "../../base/clock.h"
#include "../../base/error.h"
#include "batch.h"
#include "host.h"

typedef kn_status compute_sums(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                               size_t count, uint64_t *products, kn_error *err);

static kn_status naive(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                       uint64_t *products, kn_error *err)
{
    kn_status status = KN_OK;

    (void)engine;
    for (size_t i = 0; i < count && !status; i++)
        status = autocorr_naive(&tasks[i], products + i * autocorr_offsets(tasks[i].max_offset), err);
    return status;
}

static kn_status simd(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                      uint64_t *products, kn_error *err)
{
    kn_status status = KN_OK;

    (void)engine;
    for (size_t i = 0; i < count && !status; i++)
        status = autocorr_simd(&tasks[i], NULL, products + i * autocorr_offsets(tasks[i].max_offset), err);
    return status;
}

static kn_status direct_frames(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                               kn_buffer *products, kn_error *err)
{
    return autocorr_direct_device(engine->queue, frames, products, err);
}

static kn_status direct(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                        uint64_t *products, kn_error *err)
{
    return autocorr_batch(engine, tasks, count, direct_frames, products, err);
}

// A method that is not in the table is not there.
static const struct row {
    enum autocorr_method method;
    bool on_device;
    compute_sums *sums;
} rows[] = {
    {AUTOCORR_DIRECT, true, direct},
    {AUTOCORR_NAIVE, false, naive},
    {AUTOCORR_SIMD, false, simd},
};

static const struct row *row_of(enum autocorr_method method)
{
    for (size_t i = 0; i < KN_COUNT(rows); i++)
        if (rows[i].method == method)
            return &rows[i];
    return NULL;
}

bool autocorr_method_is_there(enum autocorr_method method)
{
    return method == AUTOCORR_AUTO || row_of(method) != NULL;
}

bool autocorr_method_is_on_device(enum autocorr_method method)
{
    const struct row *row = row_of(method);

    return row && row->on_device;
}

kn_status autocorr_engine_begin(kn_queue *queue, enum autocorr_method method, struct autocorr_engine *engine,
                                kn_error *err)
{
    const struct row *row = row_of(method);

    *engine = (struct autocorr_engine){.queue = queue, .method = method, .ran = AUTOCORR_AUTO};
    if (method == AUTOCORR_AUTO)
        return KN_OK;
    if (!row)
        return kn_fail(err, KN_ERROR_ARGUMENT, "the method %s is not in this build",
                       autocorr_method_names[method]);
    if (row->on_device && !queue)
        return kn_fail(err, KN_ERROR_UNSUPPORTED,
                       "the method %s runs on a device, and there is none here; simd runs on the host",
                       autocorr_method_names[method]);
    if (!row->on_device && queue)
        return kn_fail(err, KN_ERROR_ARGUMENT, "the method %s runs on the host, and a device was given",
                       autocorr_method_names[method]);
    return KN_OK;
}

void autocorr_engine_end(struct autocorr_engine *engine)
{
    autocorr_batch_free(engine->kept);
    engine->kept = NULL;
}

// What AUTOCORR_AUTO stands for.
static enum autocorr_method choose(struct autocorr_engine *engine)
{
    engine->why = engine->queue ? "the device's only fast one" : "the host's only fast one";
    return engine->queue ? AUTOCORR_DIRECT : AUTOCORR_SIMD;
}

kn_status autocorr_engine_sums(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                               size_t count, uint64_t *products, kn_error *err)
{
    enum autocorr_method method = engine->method == AUTOCORR_AUTO ? choose(engine) : engine->method;
    const struct row *row = row_of(method);
    double start = kn_clock_seconds();
    kn_status status;

    engine->ran = method;
    status = row->sums(engine, tasks, count, products, err);
    if (!row->on_device)
        engine->seconds.compute += kn_clock_seconds() - start;
    return status;
}
