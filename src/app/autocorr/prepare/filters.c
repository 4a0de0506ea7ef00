// SPDX-License-Identifier: Apache-2.0
#include "filters.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <koine/host.h>

#include "base/error.h"

enum { BOXES = 3, DUST_REACH = 8, DUST_GROWTH = 2, MEDIAN_BINS = 256, ROUNDS_MAX = 1000 };

static const double dust_deviations = 8, dust_levels = 3, dust_share = 0.98, dust_ratio = 2;
static const double normal_deviation = 1.4826; // of a normal distribution with a MAD of 1
static const double tail = 1e-3;               // of the pixels, beyond the levels of contrast

// ---- blurs ----

// The mean of the pixels up to `reach` before and behind each, of those that are there; `step` apart.
static void box_line(const float *from, size_t count, size_t step, size_t reach, float *to)
{
    double sum = 0;
    size_t inside = 0;

    for (size_t i = 0; i < reach && i < count; i++, inside++)
        sum += (double)from[i * step];
    for (size_t i = 0; i < count; i++) {
        if (i + reach < count) {
            sum += (double)from[(i + reach) * step];
            inside++;
        }
        if (i > reach) {
            sum -= (double)from[(i - reach - 1) * step];
            inside--;
        }
        to[i] = (float)(sum / (double)inside);
    }
}

static kn_status blur(float *picture, size_t width, size_t height, size_t reach, int boxes, kn_error *err)
{
    size_t longer = width > height ? width : height;
    float *line = malloc(longer * sizeof *line);

    if (!line)
        return ki_fail_memory(err, longer * sizeof *line, "a blur");
    for (int box = 0; box < boxes; box++) {
        for (size_t y = 0; y < height; y++) {
            box_line(picture + y * width, width, 1, reach, line);
            memcpy(picture + y * width, line, width * sizeof *line);
        }
        for (size_t x = 0; x < width; x++) {
            box_line(picture + x, height, width, reach, line);
            for (size_t y = 0; y < height; y++)
                picture[y * width + x] = line[y];
        }
    }
    free(line);
    return KN_OK;
}

static kn_status copy_of(const float *picture, size_t count, float **copy, kn_error *err)
{
    *copy = malloc(count * sizeof **copy);
    if (!*copy)
        return ki_fail_memory(err, count * sizeof **copy, "preparing a frame");
    memcpy(*copy, picture, count * sizeof **copy);
    return KN_OK;
}

kn_status ki_autocorr_flatten(float *picture, size_t width, size_t height, double radius, kn_error *err)
{
    // A box that reaches b pixels has the variance b (b + 1) / 3; three of them have b (b + 1).
    size_t reach = (size_t)fmax(1, rint((sqrt(4 * radius * radius + 1) - 1) / 2)), count = width * height;
    double mean = 0;
    float *light;
    kn_status status = copy_of(picture, count, &light, err);

    if (!status)
        status = blur(light, width, height, reach, BOXES, err);
    for (size_t i = 0; i < count && !status; i++)
        mean += (double)picture[i] / (double)count;
    for (size_t i = 0; i < count && !status; i++)
        if (light[i] > 0)
            picture[i] = (float)((double)picture[i] * mean / (double)light[i]);
    free(light);
    return status;
}

// ---- dust ----

// What is within DUST_GROWTH pixels of a 1 becomes 1.
static void grow(uint8_t *dust, size_t width, size_t height)
{
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            if (dust[y * width + x] != 1)
                continue;
            for (size_t j = y > DUST_GROWTH ? y - DUST_GROWTH : 0; j < height && j <= y + DUST_GROWTH; j++)
                for (size_t i = x > DUST_GROWTH ? x - DUST_GROWTH : 0; i < width && i <= x + DUST_GROWTH; i++)
                    if (!dust[j * width + i])
                        dust[j * width + i] = 2;
        }
    for (size_t i = 0; i < width * height; i++)
        dust[i] = dust[i] != 0;
}

// Levels from `low` to `high` in MEDIAN_BINS.
static uint16_t bin_of(float level, double low, double high)
{
    return (uint16_t)(((double)level - low) / (high - low) * (MEDIAN_BINS - 1));
}

// A column of the window around a row enters the histogram (`by` 1) or leaves it (-1).
static void count_column(const uint16_t *bins, size_t width, size_t height, size_t x, size_t y, int by,
                         int *histogram, int *all)
{
    size_t first = y > DUST_REACH ? y - DUST_REACH : 0,
           end = y + DUST_REACH + 1 < height ? y + DUST_REACH + 1 : height;

    for (size_t j = first; j < end; j++)
        histogram[bins[j * width + x]] += by;
    *all += by * (int)(end - first);
}

// The bin of the median of the window around each pixel (Huang 1979: the window's histogram moves along a
// row).
static void find_medians(const uint16_t *bins, size_t width, size_t height, uint16_t *medians)
{
    for (size_t y = 0; y < height; y++) {
        int histogram[MEDIAN_BINS] = {0}, all = 0;

        for (size_t x = 0; x < DUST_REACH && x < width; x++)
            count_column(bins, width, height, x, y, 1, histogram, &all);
        for (size_t x = 0; x < width; x++) {
            int below = 0;
            uint16_t bin = 0;

            if (x + DUST_REACH < width)
                count_column(bins, width, height, x + DUST_REACH, y, 1, histogram, &all);
            if (x > DUST_REACH)
                count_column(bins, width, height, x - DUST_REACH - 1, y, -1, histogram, &all);
            while (below + histogram[bin] <= all / 2)
                below += histogram[bin++];
            medians[y * width + x] = bin;
        }
    }
}

// How far each pixel is off its window's median.
static kn_status find_distances(const float *picture, size_t width, size_t height, float *distances,
                                kn_error *err)
{
    size_t count = width * height;
    uint16_t *bins = calloc(2 * count, sizeof *bins), *medians;
    double low = INFINITY, high = -INFINITY;

    if (!bins)
        return ki_fail_memory(err, 2 * count * sizeof *bins, "finding dust");
    medians = bins + count;
    for (size_t i = 0; i < count; i++) {
        low = fmin(low, (double)picture[i]);
        high = fmax(high, (double)picture[i]);
    }
    high = high > low ? high : low + 1;
    for (size_t i = 0; i < count; i++)
        bins[i] = bin_of(picture[i], low, high);
    find_medians(bins, width, height, medians);
    for (size_t i = 0; i < count; i++) {
        double median = low + (high - low) * medians[i] / (MEDIAN_BINS - 1);

        distances[i] = (float)fabs((double)picture[i] - median);
    }
    free(bins);
    return KN_OK;
}

kn_status ki_autocorr_find_dust(const float *picture, size_t width, size_t height, uint8_t *dust,
                                kn_error *err)
{
    const double parts[] = {0.5, dust_share};
    size_t count = width * height;
    double quantiles[2] = {0, 0}, most;
    float *distances = malloc(count * sizeof *distances);
    kn_status status;

    if (!distances)
        return ki_fail_memory(err, count * sizeof *distances, "finding dust");
    status = find_distances(picture, width, height, distances, err);
    if (!status)
        status = kn_host_quantiles(distances, KN_F32, count, parts, 2, quantiles, NULL, err);
    most = fmax(dust_deviations * normal_deviation * quantiles[0], dust_ratio * quantiles[1]);
    most = fmax(most, dust_levels);
    for (size_t i = 0; i < count && !status; i++)
        dust[i] = (double)distances[i] > most;
    if (!status)
        grow(dust, width, height);
    free(distances);
    return status;
}

// The mean of the neighbours for which `known` is not above `round`; false if there is none.
static bool mean_around(const float *picture, const uint16_t *known, unsigned round, size_t width,
                        size_t height, size_t at, double *mean)
{
    size_t x = at % width, y = at / width, count = 0;
    const size_t neighbours[] = {x ? at - 1 : at, x + 1 < width ? at + 1 : at, y ? at - width : at,
                                 y + 1 < height ? at + width : at};
    double sum = 0;

    for (size_t i = 0; i < 4; i++)
        if (neighbours[i] != at && known[neighbours[i]] <= round) {
            sum += (double)picture[neighbours[i]];
            count++;
        }
    *mean = count ? sum / (double)count : 0;
    return count > 0;
}

// From the edges inwards, each round the pixels that touch known ones. `known`: the round in which a pixel
// became known, 0 for those that were.
static void fill_inwards(float *picture, uint16_t *known, const size_t *list, size_t listed, size_t width,
                         size_t height)
{
    size_t left = listed;

    for (unsigned round = 1; left && round < UINT16_MAX; round++) {
        size_t before = left;

        for (size_t i = 0; i < listed; i++) {
            double mean;

            if (known[list[i]] == UINT16_MAX &&
                mean_around(picture, known, round - 1, width, height, list[i], &mean)) {
                picture[list[i]] = (float)mean;
                known[list[i]] = (uint16_t)round;
                left--;
            }
        }
        if (left == before)
            return;
    }
}

// Until every pixel is the mean of its neighbours (Gauss and Seidel, overrelaxed).
static void smooth(float *picture, const uint16_t *known, const size_t *list, size_t listed, size_t width,
                   size_t height)
{
    const double relaxation = 1.8, small = 1e-3;
    double change = INFINITY;

    for (int round = 0; round < ROUNDS_MAX && change > small; round++) {
        change = 0;
        for (size_t i = 0; i < listed; i++) {
            double mean, old = (double)picture[list[i]];

            if (!mean_around(picture, known, UINT16_MAX, width, height, list[i], &mean))
                continue;
            picture[list[i]] = (float)(old + relaxation * (mean - old));
            change = fmax(change, fabs(mean - old));
        }
    }
}

kn_status ki_autocorr_mend(float *picture, size_t width, size_t height, const uint8_t *dust, size_t *changed,
                           kn_error *err)
{
    size_t count = width * height, listed = 0;
    uint16_t *known = malloc(count * sizeof *known);
    size_t *list = malloc(count * sizeof *list);
    kn_status status = KN_OK;

    if (!known || !list)
        status = ki_fail_memory(err, count * (sizeof *known + sizeof *list), "mending dust");
    for (size_t i = 0; i < count && !status; i++) {
        known[i] = dust[i] ? UINT16_MAX : 0;
        if (dust[i])
            list[listed++] = i;
    }
    *changed = listed < count ? listed : 0;
    if (!status && *changed) {
        fill_inwards(picture, known, list, listed, width, height);
        smooth(picture, known, list, listed, width, height);
    }
    free(known);
    free(list);
    return status;
}

// ---- contrast ----

kn_status ki_autocorr_levels(const float *picture, size_t width, size_t height, size_t stride, double *low,
                             double *high, kn_error *err)
{
    const double tails[] = {tail, 1 - tail};
    float *copy = malloc(width * height * sizeof *copy);
    double levels[2];
    kn_status status;

    if (!copy)
        return ki_fail_memory(err, width * height * sizeof *copy, "the levels of a frame");
    for (size_t y = 0; y < height; y++)
        memcpy(copy + y * width, picture + y * stride, width * sizeof *copy);
    status = kn_host_quantiles(copy, KN_F32, width * height, tails, 2, levels, NULL, err);
    if (!status) {
        *low = levels[0];
        *high = levels[1];
    }
    free(copy);
    return status;
}

kn_status ki_autocorr_stretch(float *picture, size_t count, double low, double high, double white,
                              kn_error *err)
{
    if (!(low < high))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "contrast from %g to %g: expected the first to be less than the second", low, high);
    for (size_t i = 0; i < count; i++)
        picture[i] = (float)fmin(white, fmax(0, ((double)picture[i] - low) / (high - low) * white));
    return KN_OK;
}
