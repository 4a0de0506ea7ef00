// SPDX-License-Identifier: Apache-2.0
// ki_autocorr_simd, except the inner loop (host_kernel.h).
#include "host.h"

#include <string.h>

#include "host/host.h"
#include "base/error.h"
#include "host_kernel.h"

enum {
    PIECE =
        1024, // pixels of a row that are spread at once: with R = 250 they take 24 KB, half of a core's cache
    LINE = 64,         // bytes of a vector, and of a line of the cache
    PIXELS_MAX = 65000 // that a sum of 32 bits may have, see struct autocorr_kernel
};

// The bytes of both images, for all offsets, prepared for a kernel.
struct plan {
    const struct autocorr_kernel *kernel;
    size_t width, height, max_offset;
    size_t groups; // of offsets, from X0 = -R on
    size_t units;  // of a row of the first image
    size_t length; // bytes of a row of the second one: R zeros, the row, and zeros as far as the kernel reads
    int32_t *rows; // the first image, less the bias, followed by a row of zeros
    uint8_t *others;
    int64_t *totals; // groups * lanes sums for each y0
    struct ki_kept *kept;
    unsigned threads;
};

// What belongs to one thread.
struct share {
    const struct plan *plan;
    size_t first, step; // it has the pairs of y0 `first`, `first + step`...
    unsigned char *spread;
    uint32_t *sums; // like the totals, for its pairs one after the other; and two rows that are not used
};

static const struct autocorr_kernel *kernel_for(kn_host_level level)
{
#ifdef KI_HAS_VECTORS
    if (level == KN_HOST_AVX512 && __builtin_cpu_supports("avx512vnni"))
        return &ki_autocorr_avx512;
    if (level == KN_HOST_AVX512 || level == KN_HOST_AVX2)
        return &ki_autocorr_avx2;
#else
    (void)level;
#endif
    return &ki_autocorr_scalar;
}

const char *ki_autocorr_simd_name(kn_host_level level)
{
    const kn_host_options options = KN_INIT(kn_host_options, .level = level);
    struct host_plan host;

    return ki_host_plan("autocorr_simd", KN_U8, 0, &options, &host, NULL) ? NULL
                                                                          : kernel_for(host.level)->name;
}

// ---- images to rows of bytes ----

// Byte 0 or 1 of a pixel, or 0 outside the mask.
static uint8_t byte_of(const struct autocorr_task *task, const struct autocorr_image *image, size_t x,
                       size_t y, unsigned byte)
{
    size_t at = y * image->stride + x;

    if (task->mask && !task->mask[y * task->mask_stride + x])
        return 0;
    unsigned pixel = image->type == KN_U8 ? ((const uint8_t *)image->pixels)[at]
                                          : (unsigned)((const uint16_t *)image->pixels)[at] >> 8 * byte;

    return (uint8_t)pixel;
}

static void fill_rows(const struct autocorr_task *task, unsigned byte, struct plan *plan)
{
    size_t pixels = plan->kernel->pixels;

    for (size_t y = 0; y < plan->height; y++) {
        void *row = plan->rows + y * plan->units;

        for (size_t x = 0; x < plan->width; x++)
            host_store(row, x, sizeof *plan->rows / pixels,
                       byte_of(task, &task->first, x, y, byte) - plan->kernel->bias);
    }
}

static void fill_others(const struct autocorr_task *task, unsigned byte, struct plan *plan)
{
    const struct autocorr_image *second = autocorr_second(task);

    for (size_t y = 0; y < plan->height; y++)
        for (size_t x = 0; x < plan->width; x++)
            plan->others[y * plan->length + plan->max_offset + x] = byte_of(task, second, x, y, byte);
}

// ---- the sums ----

// Vectors for `count` places of a row, `pixels` apart.
static void spread_row(const struct autocorr_kernel *kernel, const uint8_t *row, size_t count,
                       unsigned char *spread)
{
    for (size_t i = 0; i < count; i++)
        for (size_t lane = 0; lane < kernel->lanes; lane++) {
            const uint8_t *from = row + i * kernel->pixels + lane;
            unsigned char *to = spread + (i * kernel->lanes + lane) * sizeof(int32_t);

            if (kernel->pixels == 4)
                memcpy(to, from, 4);
            else
                memcpy(to, (const uint16_t[]){from[0], from[1]}, 4);
        }
}

// Adds the sums to the totals, and clears them.
static void flush(const struct share *share)
{
    const struct plan *plan = share->plan;
    size_t count = plan->groups * plan->kernel->lanes, pair = 0;

    for (size_t y0 = 2 * share->first; y0 <= plan->max_offset; y0 += 2 * share->step, pair++)
        for (size_t i = 0; i < 2 * count; i++) {
            uint32_t sum = share->sums[2 * pair * count + i];

            if (y0 + i / count <= plan->max_offset)
                plan->totals[y0 * count + i] += plan->kernel->bias ? (int64_t)(int32_t)sum : (int64_t)sum;
        }
    memset(share->sums, 0, 2 * pair * count * sizeof *share->sums);
}

// A piece of row y of the second image, with the pieces of all rows that it is an offset of.
static void multiply_row(const struct share *share, size_t y, size_t first_unit, size_t units)
{
    const struct plan *plan = share->plan;
    const struct autocorr_kernel *kernel = plan->kernel;
    size_t count = plan->groups * kernel->lanes, pair = 0;
    const int32_t *zeros = plan->rows + plan->height * plan->units;

    spread_row(kernel, plan->others + y * plan->length + first_unit * kernel->pixels,
               units + AUTOCORR_GROUP_STEP * plan->groups, share->spread);
    for (size_t y0 = 2 * share->first; y0 <= plan->max_offset && y0 <= y; y0 += 2 * share->step, pair++) {
        const int32_t *row0 = plan->rows + (y - y0) * plan->units + first_unit;
        const int32_t *row1 = y > y0 ? row0 - plan->units : zeros;
        uint32_t *sums = share->sums + 2 * pair * count;

        kernel->multiply(share->spread, row0, row1, units, plan->groups, sums, sums + count);
    }
}

static void add_share(const struct share *share)
{
    const struct plan *plan = share->plan;
    size_t piece = PIECE / plan->kernel->pixels, since = 0;

    for (size_t y = 0; y < plan->height; y++)
        for (size_t unit = 0; unit < plan->units; unit += piece) {
            size_t units = plan->units - unit < piece ? plan->units - unit : piece;

            multiply_row(share, y, unit, units);
            since += units * plan->kernel->pixels;
            if (since + PIECE > PIXELS_MAX) {
                flush(share);
                since = 0;
            }
        }
    flush(share);
}

struct sums {
    const struct plan *plan;
    size_t pairs;
    unsigned threads;
    size_t spread_bytes, sum_count; // of a thread
    unsigned char *spread;          // of all threads
    uint32_t *sums;
};

static void add_some(void *context, size_t t)
{
    const struct sums *sums = context;
    const struct share share = {sums->plan, (unsigned)t, sums->threads, sums->spread + t * sums->spread_bytes,
                                sums->sums + t * sums->sum_count};

    memset(share.sums, 0, sums->sum_count * sizeof *share.sums);
    add_share(&share);
}

// Starts all threads; false if memory ran out.
static bool add_all(const struct plan *plan)
{
    size_t pairs = plan->max_offset / 2 + 1, count = plan->groups * plan->kernel->lanes;
    size_t vectors = PIECE / plan->kernel->pixels + AUTOCORR_GROUP_STEP * plan->groups;
    unsigned threads = pairs < plan->threads ? (unsigned)pairs : plan->threads;
    struct sums sums = {plan, pairs, threads, vectors * LINE, 0, NULL, NULL};
    bool has_memory;

    sums.sum_count = ((pairs + threads - 1) / threads * 2 * count + LINE - 1) / LINE * LINE;
    sums.spread = ki_kept_take_array(plan->kept, threads, sums.spread_bytes);
    sums.sums = ki_kept_take_array(plan->kept, threads, sums.sum_count * sizeof *sums.sums);
    has_memory = sums.spread && sums.sums;
    if (has_memory)
        ki_parallel(threads, threads, KI_STATIC, add_some, &sums);
    ki_kept_give(plan->kept, sums.spread);
    ki_kept_give(plan->kept, sums.sums);
    return has_memory;
}

// Corrects for the bias: adds bias times the second image's bytes over the overlap to row `y0` of the
// products, times 2^shift.
static void add_products(const struct plan *plan, const struct autocorr_window *windows, unsigned shift,
                         uint64_t *products)
{
    size_t count = plan->groups * plan->kernel->lanes, columns = 2 * plan->max_offset + 1;

    for (size_t y0 = 0; y0 <= plan->max_offset; y0++)
        for (size_t column = 0; column < columns; column++) {
            int64_t sum = plan->totals[y0 * count + column];

            if (plan->kernel->bias)
                sum += plan->kernel->bias * (int64_t)windows[y0 * columns + column].s2;
            products[y0 * columns + column] += (uint64_t)sum << shift;
        }
}

static kn_status add_bytes(const struct autocorr_task *task, unsigned byte1, unsigned byte2,
                           struct plan *plan, struct autocorr_window *windows, uint64_t *products,
                           kn_error *err)
{
    struct autocorr_image bytes = {plan->width, plan->height, plan->length, KN_U8,
                                   plan->others + plan->max_offset};
    const struct autocorr_task whole = {.first = bytes, .max_offset = plan->max_offset, .kept = plan->kept};
    size_t count = plan->groups * plan->kernel->lanes;
    kn_status status = KN_OK;

    fill_rows(task, byte1, plan);
    fill_others(task, byte2, plan);
    memset(plan->totals, 0, (plan->max_offset + 1) * count * sizeof *plan->totals);
    if (plan->kernel->bias)
        status = ki_autocorr_windows(&whole, windows, err);
    if (!status && !add_all(plan))
        status = ki_fail_memory(err, 0, "sums of an autocorrelation");
    if (!status)
        add_products(plan, windows, 8 * (byte1 + byte2), products);
    return status;
}

static void make_plan(const struct autocorr_task *task, const struct host_plan *host, struct plan *plan)
{
    const struct autocorr_kernel *kernel = kernel_for(host->level);
    size_t width = task->first.width, height = task->first.height, columns = 2 * task->max_offset + 1;

    *plan = (struct plan){.kernel = kernel,
                          .width = width,
                          .height = height,
                          .max_offset = task->max_offset,
                          .groups = (columns + kernel->lanes - 1) / kernel->lanes,
                          .units = (width + kernel->pixels - 1) / kernel->pixels,
                          .threads = host->threads,
                          .kept = task->kept};
    plan->length = (plan->units + (plan->groups + 1) * AUTOCORR_GROUP_STEP) * kernel->pixels + kernel->lanes;
    plan->rows = ki_kept_take_zeros(plan->kept, (height + 1) * plan->units, sizeof *plan->rows);
    plan->others = ki_kept_take_zeros(plan->kept, height, plan->length);
    plan->totals = ki_kept_take_zeros(plan->kept, (task->max_offset + 1) * plan->groups * kernel->lanes,
                                      sizeof *plan->totals);
}

kn_status ki_autocorr_simd(const struct autocorr_task *task, const kn_host_options *options,
                           uint64_t *products, kn_error *err)
{
    const unsigned bytes = task->first.type == KN_U16 ? 2 : 1;
    size_t offsets = autocorr_offsets(task->max_offset);
    struct autocorr_window *windows = NULL;
    struct host_plan host;
    struct plan plan = {.rows = NULL};
    kn_status status = ki_autocorr_check(task, err);

    if (!status)
        status = ki_host_plan("autocorr_simd", task->first.type, 0, options, &host, err);
    if (status)
        return status;
    make_plan(task, &host, &plan);
    windows = plan.kernel->bias ? ki_kept_take(task->kept, offsets * sizeof *windows) : NULL;
    if (!plan.rows || !plan.others || !plan.totals || (plan.kernel->bias && !windows))
        status = ki_fail_memory(err, 0, "an autocorrelation");
    else
        memset(products, 0, offsets * sizeof *products);
    for (unsigned i = 0; i < bytes * bytes && !status; i++)
        status = add_bytes(task, i / bytes, i % bytes, &plan, windows, products, err);
    ki_kept_give(task->kept, plan.rows);
    ki_kept_give(task->kept, plan.others);
    ki_kept_give(task->kept, plan.totals);
    ki_kept_give(task->kept, windows);
    return status;
}
