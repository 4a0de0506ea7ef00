// SPDX-License-Identifier: Apache-2.0
#include "methods.h"

#include <math.h>

#include "../../base/clock.h"
#include "../../base/error.h"
#include "batch.h"
#include "host.h"
#include "host_fourier.h"

typedef kn_status compute_frame(struct autocorr_engine *engine, const struct autocorr_task *task,
                                uint64_t *products, kn_error *err);

// ---- on the host ----

static kn_status naive(struct autocorr_engine *engine, const struct autocorr_task *task, uint64_t *products,
                       kn_error *err)
{
    (void)engine;
    return autocorr_naive(task, products, err);
}

static kn_status simd(struct autocorr_engine *engine, const struct autocorr_task *task, uint64_t *products,
                      kn_error *err)
{
    (void)engine;
    return autocorr_simd(task, NULL, products, err);
}

static kn_status fourier(struct autocorr_engine *engine, const struct autocorr_task *task, uint64_t *products,
                         kn_error *err)
{
    kn_status status = engine->fourier ? KN_OK : autocorr_fourier_create(NULL, &engine->fourier, err);
    double bound = 0;

    if (status)
        return status;
    if (engine->exact)
        return autocorr_fourier_exact(engine->fourier, task, products, NULL, NULL, err);
    status = autocorr_fourier_single(engine->fourier, task, products, &bound, err);
    engine->bound = fmax(engine->bound, bound);
    return status;
}

// ---- on a device ----

static kn_status direct(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                        kn_buffer *products, kn_error *err)
{
    return autocorr_direct_device(engine->queue, frames, products, err);
}

static kn_status ladder(struct autocorr_engine *engine, const struct autocorr_frames *frames,
                        kn_buffer *products, kn_error *err)
{
    return autocorr_ladder_device(engine->queue, frames, engine->ran, products, err);
}

// ---- all of them ----

// A method that is neither on the host nor on a device is not there.
static const struct row {
    compute_frame *on_host;
    autocorr_on_device *on_device;
} rows[AUTOCORR_METHODS] = {
    [AUTOCORR_DIRECT] = {NULL, direct},
    [AUTOCORR_FFT] = {fourier, NULL},
    [AUTOCORR_NAIVE] = {naive, NULL},
    [AUTOCORR_SIMD] = {simd, NULL},
    [AUTOCORR_TEXTURE_STYLE] = {NULL, ladder},
    [AUTOCORR_TWO_LINE] = {NULL, ladder},
    [AUTOCORR_TWO_KERNEL] = {NULL, ladder},
};

bool autocorr_method_is_there(enum autocorr_method method, bool on_device)
{
    return on_device ? rows[method].on_device != NULL : rows[method].on_host != NULL;
}

kn_status autocorr_engine_begin(kn_queue *queue, enum autocorr_method method, bool exact,
                                struct autocorr_engine *engine, kn_error *err)
{
    const char *name = autocorr_method_names[method];

    *engine = (struct autocorr_engine){.queue = queue, .method = method, .exact = exact};
    if (method == AUTOCORR_AUTO || autocorr_method_is_there(method, queue != NULL))
        return KN_OK;
    if (!queue)
        return kn_fail(err, KN_ERROR_UNSUPPORTED,
                       "the method %s runs on a device, and there is none here; simd and fft run on the host",
                       name);
    return kn_fail(err, KN_ERROR_ARGUMENT, "the method %s runs on the host, and a device was given", name);
}

void autocorr_engine_end(struct autocorr_engine *engine)
{
    autocorr_batch_free(engine->kept);
    autocorr_fourier_free(engine->fourier);
    engine->kept = NULL;
    engine->fourier = NULL;
}

// What AUTOCORR_AUTO stands for. On the host transforms were faster at every R from 2 on (750 x 1500 pixels
// of 8 and 16 bits, two cores with AVX-512), exact ones too.
static enum autocorr_method choose(const struct autocorr_engine *engine)
{
    return engine->queue ? AUTOCORR_DIRECT : AUTOCORR_FFT;
}

static kn_status on_host(struct autocorr_engine *engine, const struct autocorr_task *tasks, size_t count,
                         compute_frame *compute, uint64_t *products, kn_error *err)
{
    double start = kn_clock_seconds();
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = compute(engine, &tasks[i], products + i * autocorr_offsets(tasks[i].max_offset), err);
    engine->seconds.compute += kn_clock_seconds() - start;
    return status;
}

kn_status autocorr_engine_sums(struct autocorr_engine *engine, const struct autocorr_task *tasks,
                               size_t count, uint64_t *products, kn_error *err)
{
    const struct row *row;

    kn_status status;

    engine->ran = engine->method == AUTOCORR_AUTO ? choose(engine) : engine->method;
    engine->bound = 0;
    row = &rows[engine->ran];
    status = engine->queue ? autocorr_batch(engine, tasks, count, row->on_device, products, err)
                           : on_host(engine, tasks, count, row->on_host, products, err);
    // Images of so many bright pixels that not even double precision is exact.
    if (status != KN_ERROR_UNSUPPORTED || engine->method != AUTOCORR_AUTO || engine->queue)
        return status;
    engine->ran = AUTOCORR_SIMD;
    return on_host(engine, tasks, count, simd, products, err);
}
