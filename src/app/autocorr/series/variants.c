// SPDX-License-Identifier: Apache-2.0
// koine/experimental/autocorr.h: the comparison of Lu et al. (2009, figures 6, 7 and 9).
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "app/autocorr/prepare/grey.h"
#include "series.h"

_Static_assert(KN_AUTOCORR_VARIANTS_MAX == AUTOCORR_METHODS,
               "a variant for each method but auto, and for fft twice");

enum { FIRST_OFFSET = 16, REPETITIONS = 5, DEVICE_LEAST = 2 };

static const double enough = 0.5; // seconds

// The slowest first: the others are held against it.
static const struct {
    kn_autocorr_method method;
    bool on_device;
    const char *name;
} order[KN_AUTOCORR_VARIANTS_MAX] = {
    {KN_AUTOCORR_NAIVE, false, "naive"},          {KN_AUTOCORR_SIMD, false, "simd"},
    {KN_AUTOCORR_FFT, false, "fft-host"},         {KN_AUTOCORR_TEXTURE_STYLE, true, "texture-style"},
    {KN_AUTOCORR_TWO_KERNEL, true, "two-kernel"}, {KN_AUTOCORR_TWO_LINE, true, "two-line"},
    {KN_AUTOCORR_DIRECT, true, "direct"},         {KN_AUTOCORR_FFT, true, "fft"},
};

static void list(const kn_queue *queue, size_t max_offset, kn_autocorr_variants *variants)
{
    for (size_t i = 0; i < KN_AUTOCORR_VARIANTS_MAX; i++)
        if (kn_autocorr_method_runs(order[i].method, order[i].on_device) && (queue || !order[i].on_device))
            variants->items[variants->count++] = (kn_autocorr_variant){
                .method = order[i].method, .on_device = order[i].on_device, .name = order[i].name};
    variants->against = variants->count - 1;
    for (size_t i = 0; i < variants->count; i++)
        if (variants->items[i].method == KN_AUTOCORR_TWO_LINE)
            variants->against = i;
    for (size_t r = FIRST_OFFSET; r < max_offset && variants->offset_count + 1 < KN_AUTOCORR_LADDER_MAX;
         r *= 2)
        variants->offsets[variants->offset_count++] = r;
    variants->offsets[variants->offset_count++] = max_offset;
}

// Seconds that a caller waits, without compiling.
static kn_status time_method(struct autocorr_engine *engine, const struct autocorr_task *task,
                             uint64_t *products, double *seconds, kn_error *err)
{
    // A device's compiler may wait for the first launch.
    size_t least = engine->queue ? DEVICE_LEAST : 1;
    double begin = ki_clock_seconds();
    kn_status status = KN_OK;

    *seconds = INFINITY;
    for (size_t i = 0; i < REPETITIONS && !status && (i < least || ki_clock_seconds() - begin < enough);
         i++) {
        double start = ki_clock_seconds(), built = engine->seconds.build;

        status = ki_autocorr_engine_sums(engine, task, 1, products, err);
        *seconds = fmin(*seconds, ki_clock_seconds() - start - (engine->seconds.build - built));
    }
    return status;
}

static size_t count_differences(const uint64_t *a, const uint64_t *b, size_t count, double bound)
{
    size_t differences = 0;

    for (size_t i = 0; i < count; i++)
        differences += (double)(a[i] > b[i] ? a[i] - b[i] : b[i] - a[i]) > bound;
    return differences;
}

// All methods at one offset.
static kn_status run_offset(struct autocorr_engine *engines, const struct autocorr_task *task, size_t offset,
                            uint64_t *expected, uint64_t *found, kn_autocorr_variants *variants,
                            kn_error *err)
{
    struct autocorr_task smaller = *task;
    size_t count = autocorr_offsets(variants->offsets[offset]);
    kn_status status = KN_OK;

    smaller.max_offset = variants->offsets[offset];
    for (size_t m = 0; m < variants->count && !status; m++) {
        kn_autocorr_variant *variant = &variants->items[m];
        uint64_t *sums = m ? found : expected;

        memset(sums, 0xff, count * sizeof *sums);
        status = time_method(&engines[m], &smaller, sums, &variant->seconds[offset], err);
        variant->differ[offset] = count_differences(expected, sums, count, engines[m].bound);
    }
    return status;
}

// What a caller asked for.
struct comparison {
    kn_queue *queue;
    struct autocorr_task task;
    bool exact;
    kn_autocorr_progress *progress;
    void *data;
};

static kn_status run_all(const struct comparison *asked, kn_autocorr_variants *variants, kn_error *err)
{
    size_t most = autocorr_offsets(asked->task.max_offset);
    uint64_t *sums = malloc(2 * most * sizeof *sums);
    struct autocorr_engine engines[KN_AUTOCORR_VARIANTS_MAX];
    size_t begun = 0;
    kn_status status = KN_OK;

    if (!sums)
        return ki_fail_memory(err, 2 * most * sizeof *sums, "the sums of all variants");
    list(asked->queue, asked->task.max_offset, variants);
    for (; begun < variants->count && !status; begun++) {
        const kn_autocorr_variant *variant = &variants->items[begun];

        status = ki_autocorr_engine_begin(variant->on_device ? asked->queue : NULL, variant->method,
                                          asked->exact, &engines[begun], err);
    }
    for (size_t r = 0; r < variants->offset_count && !status; r++) {
        status = run_offset(engines, &asked->task, r, sums, sums + most, variants, err);
        if (!status && asked->progress &&
            !asked->progress(asked->data, (double)(r + 1) / (double)variants->offset_count))
            status = ki_fail(err, KN_ERROR_INTERRUPTED,
                             "stopped by the progress function after %zu of %zu offsets", r + 1,
                             variants->offset_count);
    }
    for (size_t m = 0; m < begun; m++)
        ki_autocorr_engine_end(&engines[m]);
    free(sums);
    return status;
}

kn_status kn_autocorr_compare_variants(kn_queue *queue, const char *name, const kn_autocorr_grey *grey,
                                       kn_autocorr_variants *variants,
                                       const kn_autocorr_series_options *options,
                                       kn_autocorr_progress *progress, void *data, kn_error *err)
{
    struct comparison asked = {.queue = queue, .progress = progress, .data = data};
    kn_autocorr_variants found = {.count = 0};
    kn_autocorr_series_options settings;
    uint8_t *mask = NULL;
    kn_status status;

    if (!grey || !variants)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", __func__, grey ? "variants" : "grey");
    name = name ? name : "the frame";
    status = ki_autocorr_check_grey(name, grey, err);
    if (!status)
        status = ki_autocorr_read_settings(__func__, queue, options, &settings, err);
    if (status)
        return ki_error_name(__func__, status, err);
    asked.exact = !settings.single;
    status = ki_autocorr_mask_bytes(settings.mask, &mask, err);
    if (!status)
        status = ki_autocorr_make_task(&settings, mask, name, grey, settings.max_offset, &asked.task, err);
    if (!status)
        status = run_all(&asked, &found, err);
    free(mask);
    if (!status)
        *variants = found;
    return status;
}
