// SPDX-License-Identifier: Apache-2.0
// The part of bench/autocorr that runs on a device.
//
// What the direct method should take on an H200, 8 bits: dp4a was measured at 66.1 T multiply-adds a second
// there, half the rate of other instructions. ptxas makes of the inner loop, 4 words of a row for 32 offsets:
// 128 dp4a, which take 256 cycles of a scheduler, 12 shifts, 8 local loads of 32 wavefronts at most, 10
// others, no move; 72 registers, so that 28 warps of a multiprocessor hide what they wait for. Of 750 x 1500
// pixels and R = 250 the kernel computes 1.09 times the 1.0802e11 products that there are: 512 by 256 offsets
// for 501 by 251 (1.042), blocks of 32 columns (1.026), steps of 16 pixels (1.01), a group's first rows
// (1.012). So 1.63 ms * 1.09 = 1.78 ms where nothing waits; 1.9 to 2.1 ms are expected. 640 x 480 and R = 16
// are 40 by 20 offsets for 33 by 17, 1.43 times 1.65e8 products: 3.6 us a frame at that rate, and about 8 us
// with the loads, in a batch.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/autocorr/device/device_direct.h"
#include "app/autocorr/host/host.h"
#include "base/array.h"
#include "autocorr.h"
#include "bench/bench.h"

enum { SWEEP_REPETITIONS = 4, HOST_REPETITIONS = 3 };

struct on_device {
    const struct autocorr_job *job;
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    struct autocorr_frames frames; // in `held`
    kn_buffer *held;
    unsigned char *pixels; // of all frames
    kn_buffer *products;
    kn_autocorr_method method;
    struct autocorr_direct_tuning tuning;
    bool failed;
};

// ---- frames ----

// The job's image, followed by others, with its bytes in another order.
static void make_frames(struct on_device *b)
{
    const struct autocorr_image *image = &b->job->image;
    size_t bytes = image->width * image->height * kn_type_size(image->type);

    b->pixels = bench_allocate(b->job->batch * bytes);
    for (size_t frame = 0; frame < b->job->batch; frame++) {
        size_t turn = frame * 997 % bytes;

        memcpy(b->pixels + frame * bytes, (const unsigned char *)image->pixels + turn, bytes - turn);
        memcpy(b->pixels + frame * bytes + bytes - turn, image->pixels, turn);
    }
    bench_try(kn_buffer_create(b->context, b->job->batch * bytes, &b->held, &b->err), &b->err);
    bench_try(kn_buffer_write(b->queue, b->held, 0, b->pixels, b->job->batch * bytes, &b->err), &b->err);
    b->frames.first = b->held;
    b->frames.width = image->width;
    b->frames.height = image->height;
    b->frames.count = b->job->batch;
    b->frames.type = image->type;
}

static void set_max_offset(struct on_device *b, size_t max_offset)
{
    b->frames.max_offset = max_offset;
    kn_buffer_free(b->products);
    b->products = NULL;
    bench_try(kn_buffer_create(b->context, b->frames.count * autocorr_offsets(max_offset) * sizeof(uint64_t),
                               &b->products, &b->err),
              &b->err);
}

static struct autocorr_task task_of(const struct on_device *b, size_t frame)
{
    const struct autocorr_frames *f = &b->frames;

    return (struct autocorr_task){.first = {f->width, f->height, f->width, f->type,
                                            b->pixels + frame * f->width * f->height * kn_type_size(f->type)},
                                  .max_offset = f->max_offset};
}

static bool is_right(struct on_device *b)
{
    size_t bytes = autocorr_offsets(b->frames.max_offset) * sizeof(uint64_t), count = b->frames.count;
    uint64_t *products = bench_allocate(bytes);
    size_t step = count > 1 ? count - 1 : 1; // the first and the last
    bool right = true;

    for (size_t frame = 0; frame < count; frame += step) {
        struct autocorr_task task = task_of(b, frame);

        bench_try(kn_buffer_read(b->queue, b->products, frame * bytes, products, bytes, &b->err), &b->err);
        right = right && autocorr_is_right(&task, products);
    }
    free(products);
    b->failed |= !right;
    return right;
}

// Sums that were not computed are wrong.
static void poison(struct on_device *b)
{
    const unsigned char byte = 0xa5;

    bench_try(
        kn_buffer_fill(b->queue, b->products, &byte, 1, 0, kn_buffer_get_size(b->products), NULL, &b->err),
        &b->err);
}

// ---- a method ----

static kn_status sum(struct on_device *b)
{
    return b->method == KN_AUTOCORR_DIRECT
               ? ki_autocorr_direct_tuned(b->queue, &b->frames, &b->tuning, b->products, &b->err)
               : ki_autocorr_ladder_device(b->queue, &b->frames, b->method, b->products, &b->err);
}

static void call(void *data)
{
    struct on_device *b = data;

    bench_try(sum(b), &b->err);
}

static double products_of(const struct on_device *b)
{
    struct autocorr_task task = task_of(b, 0);

    return autocorr_multiplications(&task);
}

static double time_method(struct on_device *b, const char *name)
{
    double frames = (double)b->frames.count;
    struct bench_timing timing;

    poison(b);
    if (sum(b) == KN_ERROR_LIMIT) {
        printf("%-34s %s\n", name, b->err.text);
        return NAN;
    }
    timing = bench_measure(b->queue, NULL, call, b, false);
    printf("%-34s %9.4f %9.4f  %9.4f  %9.2f  %11.1f  %s\n", name, timing.device.least / frames * 1e3,
           timing.device.median / frames * 1e3, timing.wall.median / frames * 1e3,
           products_of(b) * frames / timing.device.least / 1e9, frames / timing.device.least,
           is_right(b) ? "right" : "WRONG");
    fflush(stdout);
    return timing.wall.median / frames;
}

static void time_methods(struct on_device *b)
{
    static const kn_autocorr_method rungs[] = {KN_AUTOCORR_TWO_LINE, KN_AUTOCORR_TWO_KERNEL,
                                               KN_AUTOCORR_TEXTURE_STYLE};
    char name[80];

    printf("%s, %zu frames a call; milliseconds a frame\n", kn_context_get_device(b->context)->name,
           b->frames.count);
    printf("method                                 least    median       wall   GMAC / s   frames / s\n");
    b->method = KN_AUTOCORR_DIRECT;
    for (unsigned dot = 0; dot < AUTOCORR_DOTS; dot++) {
        b->tuning = ki_autocorr_direct_tuning_for(b->queue);
        snprintf(name, sizeof name, "direct, %s%s", ki_autocorr_dot_names[dot],
                 dot == b->tuning.dot ? " (its own)" : "");
        b->tuning.dot = (enum autocorr_dot)dot;
        b->tuning.vectors = b->tuning.vectors && dot != AUTOCORR_DOT_BYTES;
        time_method(b, name);
    }
    for (size_t i = 0; i < KI_COUNT(rungs); i++) {
        b->method = rungs[i];
        time_method(b, ki_autocorr_method_names[rungs[i]]);
    }
}

// ---- tuning ----

static double least_of(struct on_device *b)
{
    double least = INFINITY;

    for (size_t i = 0; i < SWEEP_REPETITIONS; i++) {
        kn_profile_entry *entries;
        size_t count;
        double span;

        bench_try(kn_profile_start(b->queue, &b->err), &b->err);
        call(b);
        bench_try(kn_profile_stop(b->queue, &entries, &count, &b->err), &b->err);
        span = kn_profile_span(entries, count);
        kn_free(entries);
        if (i > 0 && span < least) // the first warms up
            least = span;
    }
    return least;
}

static void try_tuning(struct on_device *b, double *least, struct autocorr_direct_tuning *best)
{
    const struct autocorr_direct_tuning *t = &b->tuning;
    kn_status status;
    double seconds;

    poison(b);
    status = sum(b);
    if (status == KN_ERROR_LIMIT) // the device has not the room
        return;
    bench_try(status, &b->err);
    seconds = least_of(b);
    printf("%-7s %2u x %-2u chunk %3u, %3u items, %2u rows: %9.4f ms a frame%s\n",
           ki_autocorr_dot_names[t->dot], t->tile_x, t->tile_y, t->chunk, t->items, t->rows,
           seconds / (double)b->frames.count * 1e3, is_right(b) ? "" : "  WRONG");
    fflush(stdout);
    if (seconds < *least) {
        *least = seconds;
        *best = *t;
    }
}

static void tune(struct on_device *b)
{
    static const unsigned tiles[][2] = {{8, 4}, {8, 6}, {8, 8}, {12, 4}, {16, 2}, {16, 4}, {4, 8}};
    static const unsigned chunks[] = {16, 32, 64}, items[] = {64, 128, 256}, rows[] = {8, 16, 32, 64};
    struct autocorr_direct_tuning best = {.items = 0};
    bool cpu = kn_context_get_device(b->context)->type == KN_DEVICE_CPU;
    double least = INFINITY;

    b->method = KN_AUTOCORR_DIRECT;
    for (size_t tile = 0; tile < KI_COUNT(tiles); tile++)
        for (size_t chunk = 0; chunk < KI_COUNT(chunks); chunk++)
            for (size_t item = 0; item < KI_COUNT(items); item++)
                for (size_t row = 0; row < KI_COUNT(rows); row++) {
                    b->tuning = ki_autocorr_direct_tuning_for(b->queue);
                    if (b->tuning.vectors && tiles[tile][0] != 8 && tiles[tile][0] != 16)
                        continue;
                    b->tuning.tile_x = tiles[tile][0];
                    b->tuning.tile_y = tiles[tile][1];
                    b->tuning.chunk = cpu ? 4 * chunks[chunk] : chunks[chunk];
                    b->tuning.items = cpu ? items[item] / 16 : items[item];
                    b->tuning.rows = rows[row];
                    try_tuning(b, &least, &best);
                }
    printf("best: %s, %u x %u, chunk %u, %u items, %u rows: %.4f ms a frame, %.1f frames / s\n",
           ki_autocorr_dot_names[best.dot], best.tile_x, best.tile_y, best.chunk, best.items, best.rows,
           least / (double)b->frames.count * 1e3, (double)b->frames.count / least);
}

// ---- times against R ----

static double time_on_host(struct on_device *b, kn_autocorr_method method)
{
    struct autocorr_task task = task_of(b, 0);
    const kn_host_options options = KN_INIT(kn_host_options, .threads = b->job->threads);
    uint64_t *products = bench_allocate(autocorr_offsets(task.max_offset) * sizeof *products);
    double least = INFINITY;

    for (size_t i = 0; i < (method == KN_AUTOCORR_NAIVE ? 1 : HOST_REPETITIONS); i++) {
        double start = bench_seconds();

        bench_try(method == KN_AUTOCORR_NAIVE ? ki_autocorr_naive(&task, products, &b->err)
                                              : ki_autocorr_simd(&task, &options, products, &b->err),
                  &b->err);
        least = fmin(least, bench_seconds() - start);
    }
    free(products);
    return least;
}

static double time_once(struct on_device *b, kn_autocorr_method method)
{
    double start;

    if (method == KN_AUTOCORR_NAIVE || method == KN_AUTOCORR_SIMD)
        return time_on_host(b, method);
    b->method = method;
    b->tuning = ki_autocorr_direct_tuning_for(b->queue);
    if (sum(b) == KN_ERROR_LIMIT)
        return NAN;
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
    start = bench_seconds();
    call(b);
    bench_try(kn_queue_finish(b->queue, &b->err), &b->err);
    return (bench_seconds() - start) / (double)b->frames.count;
}

// The naive loops take a minute for 750 x 1500 and R = 250: past R = 50 only where they are asked for.
static void time_ladder(struct on_device *b)
{
    static const kn_autocorr_method rungs[] = {KN_AUTOCORR_NAIVE,         KN_AUTOCORR_SIMD,
                                               KN_AUTOCORR_TEXTURE_STYLE, KN_AUTOCORR_TWO_LINE,
                                               KN_AUTOCORR_TWO_KERNEL,    KN_AUTOCORR_DIRECT};
    static const size_t offsets[] = {5, 10, 25, 50, 100, 150, 200, 250};

    printf("seconds a frame, and how many times faster than naive\n     R");
    for (size_t rung = 0; rung < KI_COUNT(rungs); rung++)
        printf(" %21s", ki_autocorr_method_names[rungs[rung]]);
    printf("\n");
    for (size_t i = 0; i < KI_COUNT(offsets) && offsets[i] <= b->job->max_offset; i++) {
        double naive = NAN;

        set_max_offset(b, offsets[i]);
        printf("%6zu", offsets[i]);
        for (size_t rung = 0; rung < KI_COUNT(rungs); rung++) {
            bool left_out = rungs[rung] == KN_AUTOCORR_NAIVE && offsets[i] > 50 && !b->job->naive;
            double seconds = left_out ? NAN : time_once(b, rungs[rung]);

            if (rungs[rung] == KN_AUTOCORR_NAIVE)
                naive = seconds;
            printf(" %10.6f %10.1f", seconds, naive / seconds);
            fflush(stdout);
        }
        printf("\n");
    }
}

bool autocorr_time_device(const struct autocorr_job *job)
{
    struct on_device b = {.job = job, .err = KN_ERROR_INIT};

    bench_try(kn_context_open(job->device, NULL, &b.context, &b.err), &b.err);
    bench_try(kn_queue_open(b.context, &b.queue, &b.err), &b.err);
    make_frames(&b);
    set_max_offset(&b, job->max_offset);
    if (job->tune)
        tune(&b);
    else if (job->ladder)
        time_ladder(&b);
    else
        time_methods(&b);
    if (job->listing)
        b.failed |= !autocorr_time_listing(job, b.queue);
    kn_buffer_free(b.products);
    kn_buffer_free(b.held);
    free(b.pixels);
    kn_queue_close(b.queue);
    kn_context_close(b.context);
    return !b.failed;
}
