// SPDX-License-Identifier: Apache-2.0
#include "series_memory.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/threads.h"
#include "engine/device/shapes.h"
#include "engine/engine.h"
#include "host/fft/host_fft.h"

// Of a device's direct sums: partial ones, and packed images (device_direct.c).
static const double most_partial_sums = 64 << 20;
static const double page = 2 << 20; // that memory of the host's transforms is a multiple of
enum { LANES_BYTES = 64 };          // of a vector of the host

static double sums_of(const struct autocorr_task *task)
{
    return (double)autocorr_offsets(task->max_offset) * sizeof(uint64_t);
}

static double pixels_of(const struct autocorr_task *task)
{
    return (double)task->first.width * (double)task->first.height * (double)kn_type_size(task->first.type);
}

// ---- the host ----

// Of one thread's set of transforms (lay_out in host_fourier.c), or of one set that all threads share.
static double host_transforms(const struct autocorr_task *task, bool exact, unsigned planes, unsigned results,
                              double threads)
{
    const double number = exact ? sizeof(double) : sizeof(float), lanes = LANES_BYTES / number,
                 reach = (double)task->max_offset + 2 * lanes,
                 x = (double)ki_host_fft_length(task->first.width + task->max_offset),
                 y = (double)ki_host_fft_length(task->first.height + task->max_offset),
                 across = x / 2 + 2 * lanes;
    const double share = 2 * LANES_BYTES * (2 * x + 2 * (x > y ? x : y) + 2 * planes * y + y + 3 * reach) +
                         2 * lanes * (x + 2 * reach) * sizeof(double);
    const double bytes = 2 * number * across * (planes * (y + 2 * lanes) + results * reach) + threads * share;

    return bytes < page ? bytes : bytes + page;
}

// Planes and results are those of host_fourier.c: pixels of 16 bits may go in two pieces.
static double host_sums(const struct autocorr_engine *engine, const struct autocorr_task *task,
                        kn_autocorr_method method, size_t count)
{
    const unsigned images = task->second.pixels ? 2 : 1, pieces = task->first.type == KN_U16 ? 2 : 1;
    const double all = ki_threads(0), sets = count > 1 ? all : 1;

    if (method != KN_AUTOCORR_FFT)
        return 2 * images * pixels_of(task) +
               all * LANES_BYTES * LANES_BYTES * ((double)task->max_offset + 1);
    return sets * host_transforms(task, engine->exact, engine->exact ? images * pieces : images,
                                  engine->exact ? 2 * pieces * pieces : 2, all / sets);
}

// Values, the windows that they are made with, and where a mask makes these transforms.
static double host_values(const struct autocorr_task *task, size_t count)
{
    const unsigned images = task->second.pixels ? 2 : 1, pieces = task->first.type == KN_U16 ? 2 : 1;
    const double all = ki_threads(0), sets = count > 1 ? all : 1;
    const double windows = sets * sums_of(task) / sizeof(uint64_t) * sizeof(struct autocorr_window);

    return (double)count * sums_of(task) + 2 * windows +
           (task->mask ? sets * host_transforms(task, true, 1 + 2 * images * pieces, 1 + 4 * pieces * pieces,
                                                all / sets)
                       : 0);
}

// ---- a device ----

static double device_sums(const struct autocorr_engine *engine, const struct autocorr_task *task,
                          kn_autocorr_method method, size_t count)
{
    const double images = task->second.pixels ? 2 : 1, height = (double)task->first.height,
                 reach = (double)task->max_offset + 1, row = 1.25 * ((double)task->first.width + reach);
    const double number = engine->exact ? sizeof(double) : sizeof(float), partial = height * sums_of(task);

    if (method == KN_AUTOCORR_FFT)
        return (double)count * row * number * (images * height + reach);
    return partial * (double)count < most_partial_sums ? partial * (double)count
                                                       : most_partial_sums + sums_of(task);
}

// ---- both ----

// Transforms in double precision of each piece of the levels, there and back; sides that have larger prime
// factors are padded to twice their length.
static double periodic_sums(const struct autocorr_task *task)
{
    const double images = task->second.pixels ? 2 : 1, pieces = task->first.type == KN_U16 ? 4 : 2;
    double points = (double)task->first.width * (double)task->first.height;

    if (!ki_host_fft_is_smooth(task->first.width) || !ki_host_fft_is_smooth(task->first.height))
        points *= 4;
    return (images * pieces + 3) * points * sizeof(double);
}

// Bytes at most.
struct bytes {
    double host, device; // device: 0 on the host
};

static const double batches = 2; // under way

// What `count` tasks like this one take that are computed together by a method, which is not
// KN_AUTOCORR_AUTO, and as many before or behind them: beside their pixels.
static struct bytes bytes_of_batches(const struct autocorr_engine *engine, const struct autocorr_task *task,
                                     kn_autocorr_method method, size_t count)
{
    const double images = task->second.pixels ? 2 : 1, levels = pixels_of(task),
                 frames = batches * (double)count;
    struct bytes bytes = {.host = frames * sums_of(task) + host_values(task, count)};

    if (engine->queue) {
        bytes.host += frames * images * levels; // on their way
        bytes.device = frames * (images * levels + sums_of(task) +
                                 64.0 * (double)(task->max_offset + 1) * (double)(task->max_offset + 1));
    }
    if (engine->periodic && engine->queue)
        bytes.device += periodic_sums(task);
    else if (engine->periodic)
        bytes.host += periodic_sums(task);
    else if (engine->queue)
        bytes.device += device_sums(engine, task, method, count);
    else
        bytes.host += host_sums(engine, task, method, count);
    return bytes;
}

// By the method that takes more.
static struct bytes most_of_batches(const struct autocorr_engine *engine, const struct autocorr_task *task,
                                    const kn_autocorr_method methods[2], size_t count)
{
    struct bytes most = bytes_of_batches(engine, task, methods[0], count),
                 other = bytes_of_batches(engine, task, methods[1], count);

    return (struct bytes){fmax(most.host, other.host), fmax(most.device, other.device)};
}

// Frames that are decoded, and those of the batches.
static double bytes_of_frames(const struct autocorr_demand *demand, size_t count)
{
    const struct autocorr_task *task = &demand->task;
    const double ahead = (double)demand->ahead, threads = ki_threads(demand->settings->threads),
                 decoding = threads < ahead ? threads : ahead;
    const double prepared = demand->settings->preparation ? 4 * sizeof(float) : 0; // a thread's, a pixel
    const double levels = pixels_of(task), pixels = levels / (double)kn_type_size(task->first.type);

    return (ahead + batches * (double)count) * levels + decoding * (4 * levels + prepared * pixels);
}

// Frames that later ones are correlated with (lag/recent.c), and what comes of the pairs (lag/lags.c).
static double bytes_of_lags(const struct autocorr_demand *demand, size_t count)
{
    const struct autocorr_task *task = &demand->task;
    const double lags = (double)demand->settings->max_lag + 1,
                 offsets = (double)autocorr_offsets(task->max_offset);
    const double rings =
        (double)(task->max_offset + 1) * (double)(sizeof(struct autocorr_ring) + sizeof(kn_autocorr_ring));
    const double kept = (double)demand->settings->max_lag + (double)count + 1;

    return kept * pixels_of(task) +
           lags *
               (rings + sizeof(double) * ((double)demand->frames + (demand->settings->values ? offsets : 0)));
}

static struct bytes bytes_of(const struct autocorr_demand *demand, const kn_autocorr_method methods[2],
                             size_t count)
{
    struct bytes bytes = most_of_batches(demand->engine, &demand->task, methods, count), pairs;
    struct autocorr_task pair = demand->task;

    bytes.host += bytes_of_frames(demand, count);
    if (!demand->pairs)
        return bytes;
    pair.second = pair.first;
    pairs = most_of_batches(demand->pairs, &pair, methods, count);
    bytes.host += pairs.host + bytes_of_lags(demand, count);
    bytes.device += pairs.device;
    return bytes;
}

// The greater of both, or where they are the same memory their sum.
static double counted(const struct autocorr_engine *engine, struct bytes bytes)
{
    if (engine->queue && engine_is_cpu(&engine->queue->context->device.info))
        return bytes.host + bytes.device;
    return bytes.host > bytes.device ? bytes.host : bytes.device;
}

static void set_together(const struct autocorr_demand *demand, size_t count)
{
    demand->engine->together = count;
    if (demand->pairs)
        demand->pairs->together = count;
}

// Fewer frames together, until they fit or there is one; the bytes of those that are left.
static double shrink(const struct autocorr_demand *demand, const kn_autocorr_method methods[2])
{
    for (size_t count = ki_autocorr_together(&demand->task);; count -= count / 2) {
        const double takes = counted(demand->engine, bytes_of(demand, methods, count));

        set_together(demand, count);
        if (takes <= (double)demand->settings->memory_limit || count == 1)
            return takes;
    }
}

static void set_no_transforms(const struct autocorr_demand *demand, bool none)
{
    demand->engine->no_transforms = none;
    if (demand->pairs)
        demand->pairs->no_transforms = none;
}

// Of the device's memory, which on a processor is the host's.
static double left_of(const struct autocorr_demand *demand, const kn_autocorr_method methods[2])
{
    struct bytes bytes = bytes_of(demand, methods, demand->engine->together);

    if (!demand->engine->queue)
        return 0;
    if (!engine_is_cpu(&demand->engine->queue->context->device.info))
        bytes.host = 0;
    return (double)demand->settings->memory_limit - bytes.host - bytes.device;
}

kn_status ki_autocorr_series_fit(const struct autocorr_demand *demand, size_t *left, kn_error *err)
{
    const struct autocorr_engine *engine = demand->engine;
    const struct autocorr_task *task = &demand->task;
    const kn_autocorr_method direct = engine->queue ? KN_AUTOCORR_DIRECT : KN_AUTOCORR_SIMD;
    const bool is_auto = engine->method == KN_AUTOCORR_AUTO;
    const double limit = (double)demand->settings->memory_limit, mega = 1e6;
    kn_autocorr_method methods[2] = {is_auto ? KN_AUTOCORR_FFT : engine->method,
                                     is_auto ? direct : engine->method};
    char kept[64] = "";
    double needs;

    set_no_transforms(demand, false);
    needs = shrink(demand, methods);
    if (needs > limit && is_auto && !engine->periodic) { // term by term
        methods[0] = direct;
        set_no_transforms(demand, true);
        needs = shrink(demand, methods);
    }
    *left = (size_t)fmax(left_of(demand, methods), 0);
    if (needs <= limit)
        return KN_OK;
    if (demand->pairs)
        snprintf(kept, sizeof kept, ", %zu of which are kept for later ones,", demand->settings->max_lag + 1);
    return ki_fail(
        err, KN_ERROR_MEMORY,
        "frames of %zu x %zu pixels with R = %zu%s take %.1f MB one at a time by %s, %.1f MB more than the "
        "limit on memory leaves",
        task->first.width, task->first.height, task->max_offset, kept, needs / mega,
        engine->periodic ? "transforms" : ki_autocorr_method_names[methods[0]], (needs - limit) / mega);
}

kn_status ki_autocorr_series_measure(const struct autocorr_demand *demand, kn_autocorr_memory *memory,
                                     kn_error *err)
{
    const struct autocorr_engine *engine = demand->engine;
    const kn_autocorr_method direct = engine->queue ? KN_AUTOCORR_DIRECT : KN_AUTOCORR_SIMD;
    const bool is_auto = engine->method == KN_AUTOCORR_AUTO, limited = demand->settings->memory_limit > 0;
    kn_autocorr_method methods[2] = {is_auto ? KN_AUTOCORR_FFT : engine->method,
                                     is_auto ? direct : engine->method};
    size_t left, count;
    kn_status status = limited ? ki_autocorr_series_fit(demand, &left, err) : KN_OK;
    struct bytes bytes;

    if (status)
        return status;
    if (limited && engine->no_transforms)
        methods[0] = direct;
    count = limited ? engine->together : ki_autocorr_together(&demand->task);
    bytes = bytes_of(demand, methods, count < demand->frames ? count : demand->frames);
    *memory = (kn_autocorr_memory){(size_t)bytes.host, (size_t)bytes.device, demand->task.max_offset};
    return KN_OK;
}
