// SPDX-License-Identifier: Apache-2.0
#include "device_masked.h"

#include <koine/experimental.h>

#include <stdlib.h>
#include <string.h>

#include "shared/autocorr.h"
#include "base/array.h"
#include "base/error.h"
#include "device_ntt.h"

struct autocorr_masked {
    struct autocorr_fft fft; // sizes, as of a correlation of the frames
    struct ntt ntt;
    kn_kernel *mask_rows[NTT_PRIMES], *mask_columns[NTT_PRIMES];
    kn_buffer *spectra, *correlation; // of a batch of images, whatever the prime
    kn_buffer *mask, *mask_spectra[NTT_PRIMES];
    uint8_t *bytes, *next; // of the mask, without gaps, 0 or 1; room for another one
    bool is_set;
    struct autocorr_tables tables;
};

// ---- what it takes ----

static size_t table_side(size_t max_offset)
{
    return 2 * max_offset + 1;
}

// Of an image: two sums an offset, to all sides.
static size_t table_bytes(size_t max_offset)
{
    return 2 * table_side(max_offset) * table_side(max_offset) * sizeof(uint64_t);
}

// Rows of a correlation's spectrum.
static size_t wanted_rows(const struct autocorr_fft *fft)
{
    return 2 * fft->wanted - 1;
}

// Of an image's spectrum, or its correlation's, which takes more.
static size_t spectrum_bytes(const struct autocorr_fft *fft)
{
    size_t rows = fft->height > wanted_rows(fft) ? fft->height : wanted_rows(fft);

    return rows * fft->points[0] * sizeof(uint32_t);
}

static struct autocorr_fft sizes_of(const struct autocorr_frames *like)
{
    return (struct autocorr_fft){.width = like->width,
                                 .height = like->height,
                                 .max_offset = like->max_offset,
                                 .batch = like->count ? like->count : 1,
                                 .across = autocorr_fft_reach(like->max_offset, like->width),
                                 .wanted = autocorr_fft_reach(like->max_offset, like->height),
                                 .type = like->type,
                                 .cross = like->second != NULL,
                                 .exact = true,
                                 .text = KI_TEXT_INIT};
}

const char *ki_autocorr_masked_refusal(const kn_device_info *device, const struct autocorr_frames *like)
{
    const struct fft_bounds bounds = ki_autocorr_ntt_bounds(device, 0);
    struct autocorr_fft fft = sizes_of(like);
    uint64_t room =
        device->global_memory / 8 < device->max_alloc ? device->global_memory / 8 : device->max_alloc;
    struct fft_cut across, down;

    if ((uint64_t)like->width * like->height > NTT_MOST_PIXELS)
        return "the frames have more pixels than two primes hold the sums of";
    if (!ki_autocorr_fft_choose_length(fft.width + fft.across - 1, &bounds, true, &across) ||
        !ki_autocorr_fft_choose_length(fft.height + fft.wanted - 1, &bounds, true, &down))
        return "the device's local memory does not hold the frames' lines";
    fft.points[0] = across.points;
    if (table_bytes(like->max_offset) * (fft.cross ? 2 : 1) > room || spectrum_bytes(&fft) > room ||
        (uint64_t)across.points * down.points * sizeof(uint32_t) > room)
        return "the device has no room for the frames' sums";
    return NULL;
}

// ---- plans ----

static kn_status get_kernels(struct autocorr_masked *masked, kn_error *err)
{
    kn_status status = KN_OK;

    for (unsigned prime = 0; prime < NTT_PRIMES && !status; prime++) {
        status = ki_autocorr_ntt_kernel(&masked->fft, &masked->ntt, prime, FFT_ROWS, "autocorr_ntt_rows",
                                        "autocorr_ntt_rows", KN_U8, &masked->mask_rows[prime], err);
        if (!status)
            status = ki_autocorr_ntt_kernel(&masked->fft, &masked->ntt, prime, FFT_COLUMNS,
                                            "autocorr_masked_columns", "autocorr_masked_spectrum", KN_U8,
                                            &masked->mask_columns[prime], err);
    }
    return status;
}

static kn_status make_mask_memory(struct autocorr_masked *masked, kn_error *err)
{
    const struct autocorr_fft *fft = &masked->fft;
    size_t pixels = fft->width * fft->height;
    kn_status status = kn_buffer_create(fft->context, pixels, &masked->mask, err);

    for (unsigned prime = 0; prime < NTT_PRIMES && !status; prime++)
        status = kn_buffer_create(fft->context, fft->points[0] * fft->points[1] * sizeof(uint32_t),
                                  &masked->mask_spectra[prime], err);
    masked->bytes = malloc(pixels);
    masked->next = malloc(pixels);
    if (!status && (!masked->bytes || !masked->next))
        status = ki_fail_memory(err, 2 * pixels, "a mask");
    return status;
}

static kn_status make_memory(struct autocorr_masked *masked, kn_error *err)
{
    struct autocorr_fft *fft = &masked->fft;
    size_t row = fft->points[0] * sizeof(uint32_t), table = table_bytes(fft->max_offset),
           tables = table * (fft->cross ? 2 : 1);
    size_t greatest = spectrum_bytes(fft) > tables ? spectrum_bytes(fft) : tables;
    struct autocorr_tables *made = &masked->tables;
    kn_status status = ki_autocorr_fft_limit_batch(fft, greatest, err);

    if (!status)
        status = kn_buffer_create(fft->context, fft->batch * fft->height * row, &masked->spectra, err);
    if (!status)
        status =
            kn_buffer_create(fft->context, fft->batch * wanted_rows(fft) * row, &masked->correlation, err);
    if (!status)
        status = kn_buffer_create(fft->context, fft->batch * tables, &made->sums, err);
    if (!status)
        status = kn_buffer_create(fft->context, table / 2, &made->pairs, err);
    made->max_offset = fft->max_offset;
    made->count = fft->batch;
    made->is_cross = fft->cross;
    return status;
}

kn_status ki_autocorr_masked_create(kn_queue *queue, const struct autocorr_frames *like,
                                    struct autocorr_masked **masked, kn_error *err)
{
    const struct autocorr_task task = {.first = {like->width, like->height, like->width, like->type, like},
                                       .max_offset = like->max_offset};
    kn_context *context = kn_queue_get_context(queue);
    kn_status status = ki_autocorr_check(&task, err);
    const char *refusal = status ? NULL : ki_autocorr_masked_refusal(kn_context_get_device(context), like);
    struct autocorr_masked *made;

    if (refusal)
        return ki_fail(err, KN_ERROR_LIMIT, "sums with a mask of %zu x %zu pixels and R = %zu: %s",
                       like->width, like->height, like->max_offset, refusal);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "preparing sums with a mask");
    made->fft = sizes_of(like);
    made->fft.context = context;
    status = ki_autocorr_ntt_create(queue, &made->fft, "sums with a mask", "autocorr_masked_columns",
                                    &made->ntt, err);
    if (!status)
        status = get_kernels(made, err);
    if (!status)
        status = make_mask_memory(made, err);
    if (!status)
        status = make_memory(made, err);
    if (status)
        ki_autocorr_masked_free(made);
    else
        *masked = made;
    return status;
}

void ki_autocorr_masked_free(struct autocorr_masked *masked)
{
    if (!masked)
        return;
    ki_autocorr_ntt_free(&masked->ntt);
    kn_buffer_free(masked->spectra);
    kn_buffer_free(masked->correlation);
    kn_buffer_free(masked->mask);
    for (unsigned prime = 0; prime < NTT_PRIMES; prime++)
        kn_buffer_free(masked->mask_spectra[prime]);
    free(masked->bytes);
    free(masked->next);
    ki_autocorr_tables_free(&masked->tables);
    ki_text_free(&masked->fft.text);
    free(masked);
}

const struct autocorr_tables *ki_autocorr_masked_tables(const struct autocorr_masked *masked)
{
    return &masked->tables;
}

// ---- launches ----

static kn_status columns(kn_queue *queue, const struct autocorr_masked *masked, unsigned prime, size_t count,
                         kn_error *err)
{
    const struct autocorr_fft *fft = &masked->fft;
    const struct fft_lines *lines = &masked->ntt.lines[FFT_COLUMNS];
    const uint32_t values[] = {(uint32_t)fft->points[0], (uint32_t)fft->height, (uint32_t)fft->wanted};
    const kn_range range = ki_autocorr_fft_range(lines, fft->points[0], count);
    const kn_arg args[] = {KN_BUFFER(masked->spectra),
                           KN_BUFFER(masked->mask_spectra[prime]),
                           KN_BUFFER(masked->correlation),
                           KN_VALUE(values[0]),
                           KN_VALUE(values[1]),
                           KN_VALUE(values[2]),
                           KN_BUFFER(masked->ntt.roots[prime]),
                           KN_VALUE(lines->at),
                           KN_LOCAL(lines->local_bytes)};

    return kn_launch(queue, masked->ntt.kernels[prime][FFT_COLUMNS], &range, args, KI_COUNT(args), NO_EVENT,
                     err);
}

// Images' correlations with the mask, modulo a prime, into their place in tables. `rows`: their type's
// kernel.
static kn_status correlate(kn_queue *queue, const struct autocorr_masked *masked, unsigned prime,
                           kn_kernel *rows, const struct ntt_images *images, const struct ntt_sums *to,
                           kn_error *err)
{
    const struct autocorr_fft *fft = &masked->fft;
    kn_status status =
        ki_autocorr_ntt_rows(queue, fft, &masked->ntt, prime, rows, images, masked->spectra, err);

    if (!status)
        status = columns(queue, masked, prime, images->count, err);
    return status ? status
                  : ki_autocorr_ntt_back(queue, fft, &masked->ntt, prime, masked->correlation,
                                         wanted_rows(fft), images->count, to, err);
}

// Offsets without an overlap are not computed.
static kn_status clear(kn_queue *queue, const struct autocorr_fft *fft, kn_buffer *table, kn_error *err)
{
    const uint64_t nothing = 0;

    return fft->across <= fft->max_offset || fft->wanted <= fft->max_offset
               ? kn_buffer_fill(queue, table, &nothing, sizeof nothing, 0, kn_buffer_get_size(table),
                                NO_EVENT, err)
               : KN_OK;
}

// Where an image's sums go: `above` rows have no overlap.
static struct ntt_sums place_of(const struct autocorr_fft *fft, kn_buffer *table, size_t step)
{
    return (struct ntt_sums){.sums = table,
                             .rows = table_side(fft->max_offset),
                             .above = fft->max_offset + 1 - fft->wanted,
                             .step = step};
}

// ---- the mask ----

static kn_status transform_mask(kn_queue *queue, const struct autocorr_masked *masked, unsigned prime,
                                kn_error *err)
{
    const struct autocorr_fft *fft = &masked->fft;
    const struct fft_lines *lines = &masked->ntt.lines[FFT_COLUMNS];
    const struct ntt_images images = {.pixels = masked->mask, .count = 1, .power = 1};
    const uint32_t values[] = {(uint32_t)fft->points[0], (uint32_t)fft->height};
    const kn_range range = ki_autocorr_fft_range(lines, fft->points[0], 1);
    const kn_arg args[] = {
        KN_BUFFER(masked->spectra),  KN_BUFFER(masked->mask_spectra[prime]), KN_VALUE(values[0]),
        KN_VALUE(values[1]),         KN_BUFFER(masked->ntt.roots[prime]),    KN_VALUE(lines->at),
        KN_LOCAL(lines->local_bytes)};
    kn_status status = ki_autocorr_ntt_rows(queue, fft, &masked->ntt, prime, masked->mask_rows[prime],
                                            &images, masked->spectra, err);

    return status
               ? status
               : kn_launch(queue, masked->mask_columns[prime], &range, args, KI_COUNT(args), NO_EVENT, err);
}

// The mask's correlation with itself: fewer pairs than the first prime.
static kn_status count_pairs(kn_queue *queue, const struct autocorr_masked *masked, kn_error *err)
{
    const struct ntt_images images = {.pixels = masked->mask, .count = 1, .power = 1};
    const struct ntt_sums to = place_of(&masked->fft, masked->tables.pairs, 1);
    kn_status status = clear(queue, &masked->fft, masked->tables.pairs, err);

    return status ? status : correlate(queue, masked, 0, masked->mask_rows[0], &images, &to, err);
}

kn_status ki_autocorr_masked_set(kn_queue *queue, struct autocorr_masked *masked, const uint8_t *mask,
                                 size_t stride, kn_error *err)
{
    size_t width = masked->fft.width, pixels = width * masked->fft.height;
    uint8_t *bytes = masked->next;
    kn_status status;

    for (size_t y = 0; y < masked->fft.height; y++)
        for (size_t x = 0; x < width; x++)
            bytes[y * width + x] = mask[y * stride + x] != 0;
    if (masked->is_set && memcmp(bytes, masked->bytes, pixels) == 0)
        return KN_OK;
    masked->next = masked->bytes;
    masked->bytes = bytes;
    status = kn_buffer_write(queue, masked->mask, 0, bytes, pixels, err);
    for (unsigned prime = 0; prime < NTT_PRIMES && !status; prime++)
        status = transform_mask(queue, masked, prime, err);
    if (!status)
        status = count_pairs(queue, masked, err);
    masked->is_set = !status;
    return status;
}

// ---- frames ----

// Of the greatest sum of levels, or of their squares.
static unsigned primes_for(const struct autocorr_fft *fft, uint32_t power)
{
    uint64_t level = fft->type == KN_U8 ? 255 : 65535, pixels = (uint64_t)fft->width * fft->height;

    return pixels * (power == 2 ? level * level : level) < NTT_PRIME_0 ? 1 : NTT_PRIMES;
}

static kn_status check(const struct autocorr_masked *masked, const struct autocorr_frames *frames,
                       size_t first, size_t count, kn_error *err)
{
    const struct autocorr_fft *fft = &masked->fft;
    kn_status status = ki_autocorr_check_images(frames, err);

    if (!status &&
        (frames->width != fft->width || frames->height != fft->height || frames->type != fft->type ||
         frames->max_offset != fft->max_offset || (frames->second != NULL) != fft->cross))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "frames of %zu x %zu pixels of %zu bytes with R = %zu%s are not those that were "
                         "prepared, %zu x %zu of %zu bytes with R = %zu%s",
                         frames->width, frames->height, kn_type_size(frames->type), frames->max_offset,
                         frames->second ? " and second images" : "", fft->width, fft->height,
                         kn_type_size(fft->type), fft->max_offset, fft->cross ? " and second images" : "");
    if (!status && (first > frames->count || count > frames->count - first || count > masked->tables.count))
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "%zu frames from frame %zu on, of %zu, in tables for %zu at a time", count, first,
                         frames->count, masked->tables.count);
    if (!status && !masked->is_set)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "sums with a mask, but none was set");
    return status;
}

// Of the first images or the second ones.
static kn_status add_side(kn_queue *queue, const struct autocorr_masked *masked, const kn_buffer *pixels,
                          size_t first, size_t count, bool is_second, kn_error *err)
{
    const struct autocorr_fft *fft = &masked->fft;
    struct ntt_sums to = place_of(fft, masked->tables.sums, 2);
    kn_status status = KN_OK;

    to.first = is_second ? masked->tables.count : 0;
    for (uint32_t power = 1; power <= 2; power++) {
        const struct ntt_images images = {pixels, first, count, power};

        to.part = power - 1;
        for (unsigned prime = 0; prime < primes_for(fft, power) && !status; prime++)
            status = correlate(queue, masked, prime, masked->ntt.kernels[prime][FFT_ROWS], &images, &to, err);
    }
    return status;
}

kn_status ki_autocorr_masked_windows_device(kn_queue *queue, struct autocorr_masked *masked,
                                            const struct autocorr_frames *frames, size_t first, size_t count,
                                            kn_error *err)
{
    kn_status status = check(masked, frames, first, count, err);

    if (status || count == 0)
        return status;
    status = clear(queue, &masked->fft, masked->tables.sums, err);
    if (!status)
        status = add_side(queue, masked, frames->first, first, count, false, err);
    if (!status && frames->second)
        status = add_side(queue, masked, frames->second, first, count, true, err);
    return status;
}

// ---- for the host ----

// cl/app/autocorr/autocorr.clh has the same.
static size_t place_in_table(ptrdiff_t x0, ptrdiff_t y0, size_t max_offset)
{
    ptrdiff_t most = (ptrdiff_t)max_offset;

    return (size_t)((y0 + most) * (2 * most + 1) + x0 + most);
}

static void look_up(const uint64_t *pairs, const uint64_t *first, const uint64_t *second, size_t max_offset,
                    struct autocorr_window *windows)
{
    ptrdiff_t most = (ptrdiff_t)max_offset;

    for (ptrdiff_t y0 = 0; y0 <= most; y0++)
        for (ptrdiff_t x0 = -most; x0 <= most; x0++) {
            size_t there = place_in_table(x0, y0, max_offset), back = place_in_table(-x0, -y0, max_offset);

            windows[autocorr_at(max_offset, x0, (size_t)y0)] =
                (struct autocorr_window){.n = pairs[there],
                                         .s1 = first[2 * back],
                                         .s2 = second[2 * there],
                                         .q1 = first[2 * back + 1],
                                         .q2 = second[2 * there + 1]};
        }
}

kn_status ki_autocorr_masked_read(kn_queue *queue, const struct autocorr_masked *masked, size_t frame,
                                  struct autocorr_window *windows, kn_error *err)
{
    const struct autocorr_tables *tables = &masked->tables;
    size_t table = table_bytes(tables->max_offset), sides = tables->is_cross ? 2 : 1;
    unsigned char *sums = ki_kept_take_array(&queue->kept, 2 * sides + 1, table / 2);
    uint64_t *pairs = (uint64_t *)(void *)(sums + sides * table);
    kn_status status = sums ? KN_OK : ki_fail_memory(err, (2 * sides + 1) * table / 2, "sums with a mask");

    for (size_t side = 0; side < sides && !status; side++)
        status = kn_buffer_read(queue, tables->sums, (side * tables->count + frame) * table,
                                sums + side * table, table, err);
    if (!status)
        status = kn_buffer_read(queue, tables->pairs, 0, pairs, table / 2, err);
    if (!status)
        look_up(pairs, (uint64_t *)(void *)sums, (uint64_t *)(void *)(sums + (sides - 1) * table),
                tables->max_offset, windows);
    ki_kept_give(&queue->kept, sums);
    return status;
}
