// SPDX-License-Identifier: Apache-2.0
// Times kn_sort_less and kn_sort_segments on a device, each result checked in the same run: in order, stable
// where that can be seen, and the same elements as before (the sum of a hash of each).
//
//     bench/ki_sort_merge [--device SPEC] [--largest LOG2] [--tune [LOG2,...]]
//
// --tune goes over group sizes, elements a work-item and methods of finding splits, for floats of these
// sizes, and does nothing else. BENCH_KERNELS=1 in the environment prints each launch's time too. The peers
// (CUB's DeviceMergeSort and DeviceSegmentedSort) are in bench/peers/cub.cu.
//
// Columns: median, least and most of the device's time from the first kernel's start to the last one's end
// (by its events), the median of the time that the caller waits, and a billion elements a second by that.
#include <koine/experimental.h>

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "bench/bench.h"

enum { REPETITIONS = 9, NAME = 40 };

struct work {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    char name[NAME];
    size_t n, size; // elements, and bytes of one
    kn_less less;
    char *host;        // the elements before
    uint64_t *offsets; // of segments; NULL: none
    size_t segments;
    kn_buffer *original, *keys, *offset_buffer;
};

static void restore(struct work *work)
{
    bench_try(
        kn_buffer_copy(work->queue, work->original, 0, work->keys, 0, work->n * work->size, NULL, &work->err),
        &work->err);
    bench_try(kn_queue_finish(work->queue, &work->err), &work->err);
}

static kn_status sort(struct work *work)
{
    return work->offsets ? kn_sort_segments(work->queue, work->keys, KN_F32, work->n, work->offset_buffer,
                                            work->segments, 0, &work->err)
                         : kn_sort_less(work->queue, work->keys, work->n, &work->less, &work->err);
}

// ---- checks ----

static uint64_t hash_sum(const char *elements, size_t n, size_t size)
{
    uint64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        uint64_t bits[2] = {0, 0};
        memcpy(bits, elements + i * size, size < sizeof bits ? size : sizeof bits);
        uint64_t state = bits[0] ^ bits[1] * 0x9e3779b97f4a7c15u;
        sum += bench_random(&state);
    }
    return sum;
}

// The first float of each element is the key; of pairs the second is where the element stood.
static bool in_order(const char *elements, size_t begin, size_t end, size_t size)
{
    for (size_t i = begin + 1; i < end; i++) {
        float before[2] = {0, 0}, here[2] = {0, 0};
        memcpy(before, elements + (i - 1) * size, size < sizeof before ? size : sizeof before);
        memcpy(here, elements + i * size, size < sizeof here ? size : sizeof here);
        if (before[0] > here[0] || (size == sizeof here && before[0] == here[0] && before[1] >= here[1]))
            return false;
    }
    return true;
}

static bool is_right(struct work *work)
{
    size_t bytes = work->n * work->size;
    char *sorted = bench_allocate(bytes);
    bool right;

    bench_try(kn_buffer_read(work->queue, work->keys, 0, sorted, bytes, &work->err), &work->err);
    right = hash_sum(work->host, work->n, work->size) == hash_sum(sorted, work->n, work->size);
    for (size_t i = 0; i < work->segments && right; i++)
        right = in_order(sorted, (size_t)work->offsets[i], (size_t)work->offsets[i + 1], work->size);
    if (!work->offsets)
        right = right && in_order(sorted, 0, work->n, work->size);
    free(sorted);
    return right;
}

// ---- a row ----

static void measure(struct work *work)
{
    double device[REPETITIONS], wall[REPETITIONS];
    struct bench_times device_times, wall_times;
    size_t launches = 0;

    for (int i = -1; i < REPETITIONS; i++) {
        kn_profile_entry *entries = NULL;
        restore(work);
        double start = bench_seconds();
        if (sort(work)) { // more than the device supports, when trying sizes
            printf("%-*s %11zu  %.60s\n", NAME, work->name, work->n, work->err.text);
            return;
        }
        bench_try(kn_queue_finish(work->queue, &work->err), &work->err);
        double seconds = bench_seconds() - start;
        restore(work);
        bench_try(kn_profile_start(work->queue, &work->err), &work->err);
        bench_try(sort(work), &work->err);
        bench_try(kn_profile_stop(work->queue, &entries, &launches, &work->err), &work->err);
        if (i >= 0) {
            wall[i] = seconds;
            device[i] = kn_profile_span(entries, launches);
        }
        if (i == REPETITIONS - 1 && getenv("BENCH_KERNELS")) {
            for (size_t e = 0; e < launches; e++)
                printf("    %-16s %9.4f ms\n", entries[e].kernel,
                       (double)(entries[e].end - entries[e].start) * 1e-6);
        }
        kn_free(entries);
    }
    device_times = bench_times_of(device, REPETITIONS);
    wall_times = bench_times_of(wall, REPETITIONS);
    printf("%-*s %11zu  %9.4f (%.4f to %.4f)  %9.4f  %8.3f  %5zu  %s\n", NAME, work->name, work->n,
           device_times.median * 1e3, device_times.least * 1e3, device_times.most * 1e3,
           wall_times.median * 1e3, (double)work->n / wall_times.median * 1e-9, launches,
           is_right(work) ? "right" : "WRONG");
    fflush(stdout);
}

static void upload(struct work *work)
{
    size_t bytes = work->n * work->size;

    bench_try(kn_buffer_create(work->context, bytes, &work->original, &work->err), &work->err);
    bench_try(kn_buffer_write(work->queue, work->original, 0, work->host, bytes, &work->err), &work->err);
    bench_try(kn_buffer_create(work->context, bytes, &work->keys, &work->err), &work->err);
    if (!work->offsets)
        return;
    bytes = (work->segments + 1) * sizeof(uint64_t);
    bench_try(kn_buffer_create(work->context, bytes, &work->offset_buffer, &work->err), &work->err);
    bench_try(kn_buffer_write(work->queue, work->offset_buffer, 0, work->offsets, bytes, &work->err),
              &work->err);
}

static void release(struct work *work)
{
    kn_buffer_free(work->original);
    kn_buffer_free(work->keys);
    kn_buffer_free(work->offset_buffer);
    free(work->host);
    free(work->offsets);
    work->original = work->keys = work->offset_buffer = NULL;
    work->offsets = NULL;
    work->segments = 0;
}

// ---- the data ----

// Pairs have one of 2^20 keys each, so that ties show whether the sort is stable.
static void fill(struct work *work)
{
    uint64_t state = work->n;

    work->host = bench_allocate(work->n * work->size);
    if (work->size == sizeof(float))
        bench_fill(work->host, KN_F32, work->n, work->n);
    for (size_t i = 0; i < work->n && work->size == 2 * sizeof(float); i++) {
        const float pair[2] = {(float)(bench_random(&state) >> 44), (float)i};
        memcpy(work->host + i * sizeof pair, pair, sizeof pair);
    }
}

static void prepare_less(struct work *work, unsigned log2_n, size_t size)
{
    work->n = (size_t)1 << log2_n;
    work->size = size;
    work->less = size == sizeof(float)
                     ? KN_INIT(kn_less, .type = "float", .size = size, .less = "a < b")
                     : KN_INIT(kn_less, .type = "float2", .size = size, .less = "a.x < b.x");
    fill(work);
    upload(work);
    snprintf(work->name, sizeof work->name, "kn_sort_less %s", work->less.type);
}

static void bench_less(struct work *work, unsigned log2_n, size_t size)
{
    prepare_less(work, log2_n, size);
    measure(work);
    release(work);
}

static void tune_less(struct work *work, unsigned log2_n)
{
    static const char *const methods[] = {"auto", "launch", "group"};

    prepare_less(work, log2_n, sizeof(float));
    for (kn_merge_splits splits = KN_SPLITS_LAUNCH; splits <= KN_SPLITS_GROUP; splits++)
        for (unsigned group = 256; group <= 512; group *= 2)
            for (unsigned items = 11; items <= 27; items += 4) {
                work->less.tuning = &(kn_merge_tuning){group, items, splits};
                snprintf(work->name, sizeof work->name, "  group %u items %u splits %s", group, items,
                         methods[splits]);
                measure(work);
            }
    release(work);
}

// Segments of `least` to `most` elements, sizes spread evenly over their logarithms.
static void bench_segments(struct work *work, unsigned log2_n, double least, double most)
{
    uint64_t state = 7, at = 0;
    size_t capacity;

    work->n = (size_t)1 << log2_n;
    work->size = sizeof(float);
    fill(work);
    capacity = (size_t)((double)work->n / least) + 2;
    work->offsets = bench_allocate(capacity * sizeof *work->offsets);
    work->offsets[0] = 0;
    while (at < work->n) {
        double length = least * pow(most / least, (double)(bench_random(&state) >> 11) * 0x1p-53);
        at = (double)(work->n - at) > length ? at + (uint64_t)length : work->n;
        work->offsets[++work->segments] = at;
    }
    upload(work);
    snprintf(work->name, sizeof work->name, "kn_sort_segments %.0f to %.0f", least, most);
    measure(work);
    release(work);
}

int main(int argc, char **argv)
{
    static const double ranges[][2] = {{1, 16},   {16, 16},   {100, 100}, {1000, 1000},
                                       {20, 1e5}, {1e5, 1e5}, {1e6, 1e7}};
    const char *spec = NULL;
    unsigned largest = 24;
    char *tune = NULL, by_default[] = "24";
    struct work work = {.err = KN_ERROR_INIT};

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--tune") == 0)
            tune = i + 1 < argc && argv[i + 1][0] != '-' ? argv[++i] : by_default;
        else if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--largest") == 0)
            largest = (unsigned)strtoul(argv[++i], NULL, 10);
        else
            return fprintf(stderr, "usage: %s [--device SPEC] [--largest LOG2] [--tune [LOG2,...]]\n",
                           argv[0]),
                   2;
    }
    bench_try(kn_context_open(spec, NULL, &work.context, &work.err), &work.err);
    bench_try(kn_queue_open(work.context, &work.queue, &work.err), &work.err);
    const kn_device_info *info = kn_context_get_device(work.context);
    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    printf("%-*s %11s  %-30s  %9s  %8s  %5s\n", NAME, "", "n", "device ms (least to most)", "wall ms",
           "10^9/s", "launches");
    for (char *next = tune; next && *next; next += *next == ',')
        tune_less(&work, (unsigned)strtoul(next, &next, 10));
    for (unsigned log2_n = 12; !tune && log2_n <= largest; log2_n += 2)
        bench_less(&work, log2_n, sizeof(float));
    for (unsigned log2_n = 16; !tune && log2_n <= largest; log2_n += 4)
        bench_less(&work, log2_n, 2 * sizeof(float));
    for (size_t i = 0; !tune && i < KI_COUNT(ranges); i++)
        bench_segments(&work, largest, ranges[i][0], ranges[i][1]);
    kn_queue_close(work.queue);
    kn_context_close(work.context);
    return 0;
}
