// SPDX-License-Identifier: Apache-2.0
// bench/autocorr --listing: the source's kernel as it was printed, beside the same arithmetic on the host,
// and beside exact sums of the same rows divided by the same overlaps.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/array.h"
#include "autocorr.h"
#include "bench/bench.h"

enum { IMAGE_WIDTH = 800, OFFSET_SIZE = 514 }; // the listing's

struct listing {
    kn_queue *queue;
    kn_kernel *kernel;
    kn_buffer *image, *output;
    int width, height, max_offset;
    size_t across, count; // of outputs
    kn_error err;
};

static size_t row_count(const struct listing *l)
{
    return (size_t)(l->height - l->max_offset + 2);
}

static void call(void *data)
{
    struct listing *l = data;
    const kn_arg args[] = {KN_BUFFER(l->image), KN_VALUE(l->width), KN_VALUE(l->height),
                           KN_VALUE(l->max_offset), KN_BUFFER(l->output)};
    const kn_range range = {2, {row_count(l) * l->across, (size_t)l->max_offset}, {l->across, 1}, {0}};
    const int zero = 0;

    bench_try(
        kn_buffer_fill(l->queue, l->output, &zero, sizeof zero, 0, l->count * sizeof zero, NULL, &l->err),
        &l->err);
    bench_try(kn_launch(l->queue, l->kernel, &range, args, KI_COUNT(args), NULL, &l->err), &l->err);
}

// What the listing makes of an offset, without the end of 32 bits; and the exact sum of its rows' products.
static int64_t refer(const struct listing *l, const uint8_t *pixels, int x0, int y0, uint64_t *exact)
{
    int begin = x0 < 0 ? -x0 : 0, end = x0 > 0 ? l->width - x0 : l->width;
    int64_t total = 0;

    *exact = 0;
    for (int y = 1; y <= (int)row_count(l) && y + y0 < l->height; y++) {
        const uint8_t *one = pixels + (size_t)y * (size_t)l->width;
        const uint8_t *other = pixels + (size_t)(y + y0) * (size_t)l->width;
        uint64_t whole = 0;
        float sum = 0;

        for (int x = begin; x < end; x++) {
            unsigned product = (unsigned)(one[x] * other[x + x0]);
            sum += (float)product;
            whole += product;
        }
        total += (int64_t)rintf(100.0f * sum / (float)(l->width - abs(x0)));
        *exact += whole;
    }
    return total;
}

static bool compare(const struct listing *l, const uint8_t *pixels)
{
    int *found = bench_allocate(l->count * sizeof *found);
    size_t wrapped = 0, different = 0;
    double most = 0;
    kn_error err = KN_ERROR_INIT;

    bench_try(kn_buffer_read(l->queue, l->output, 0, found, l->count * sizeof *found, &err), &err);
    for (size_t i = 0; i < l->count; i += 1 + l->count / 997) {
        int x0 = (int)(i % l->across) - l->max_offset, y0 = (int)(i / l->across);
        uint64_t exact;
        int64_t listed = refer(l, pixels, x0, y0, &exact);
        double wanted = 100.0 * (double)exact / (l->width - abs(x0));

        different += (uint32_t)found[i] != (uint32_t)listed;
        wrapped += listed > INT32_MAX;
        if (wanted > 0)
            most = fmax(most, fabs((double)listed / wanted - 1));
    }
    printf("listing: %zu of about 997 offsets differ from the host's own listing; %zu are past 31 bits, and "
           "wrong; the "
           "others are off by at most %.1e of exact sums\n",
           different, wrapped, most);
    free(found);
    return different == 0;
}

bool autocorr_time_listing(const struct autocorr_job *job, kn_queue *queue)
{
    const struct autocorr_image *image = &job->image;
    const size_t bytes = image->width * image->height;
    kn_context *context = kn_queue_get_context(queue);
    struct listing l = {.queue = queue, .err = KN_ERROR_INIT};
    const kn_program_options options = KN_INIT(kn_program_options, .policy = KN_POLICY_STRICT);
    kn_program *program;
    struct bench_timing timing;
    char path[4096];
    bool right;

    l.width = (int)image->width;
    l.height = (int)image->height;
    l.max_offset = (int)job->max_offset;
    l.across = 2 * job->max_offset + 1;
    l.count = l.across * job->max_offset;
    if (image->type != KN_U8 || image->width > IMAGE_WIDTH || l.across > OFFSET_SIZE ||
        l.max_offset >= l.height || job->max_offset == 0 ||
        l.across > kn_context_get_device(context)->max_work_group) {
        printf(
            "listing: only 8 bits, rows of at most %d pixels, and groups of 2R + 1 work-items, at most %d\n",
            IMAGE_WIDTH, OFFSET_SIZE);
        return true;
    }
    snprintf(path, sizeof path, "%s/autocorr_listing.cl", job->listing);
    bench_try(kn_program_from_file(context, path, &options, &program, &l.err), &l.err);
    bench_try(kn_program_get_kernel(program, "autocorr_listing", &l.kernel, &l.err), &l.err);
    bench_try(kn_buffer_create(context, bytes, &l.image, &l.err), &l.err);
    bench_try(kn_buffer_write(queue, l.image, 0, image->pixels, bytes, &l.err), &l.err);
    bench_try(kn_buffer_create(context, l.count * sizeof(int), &l.output, &l.err), &l.err);
    timing = bench_measure(queue, NULL, call, &l, false);
    printf("listing: %.4f ms by the device's clock (least), %.4f as a caller waits (median)\n",
           timing.device.least * 1e3, timing.wall.median * 1e3);
    right = compare(&l, image->pixels);
    kn_buffer_free(l.image);
    kn_buffer_free(l.output);
    kn_program_free(program);
    return right;
}
