// SPDX-License-Identifier: Apache-2.0
#include "register.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/fft/host_fft.h"
#include "base/error.h"

enum { ROUNDS = 4, CLIMB_ROUNDS = 20, BESIDE = 5 };

// ---- transforms of pictures ----

// Points of a plane, and what transforms its rows and columns.
struct transform {
    size_t width, height;
    const struct host_fft_code *code;
    struct host_fft *rows, *columns;
    float *block; // a block of lines and the two that are scratch
};

static void transform_end(struct transform *transform)
{
    ki_host_fft_free(transform->rows);
    ki_host_fft_free(transform->columns);
    free(transform->block);
}

// For pictures of this size, padded to lengths that are fast.
static kn_status transform_begin(size_t width, size_t height, struct transform *transform, kn_error *err)
{
    size_t longer, bytes;
    kn_status status;

    *transform = (struct transform){ki_host_fft_length(width),
                                    ki_host_fft_length(height),
                                    ki_host_fft_code_for(KN_F32, KN_HOST_SCALAR),
                                    NULL,
                                    NULL,
                                    NULL};
    longer = transform->width > transform->height ? transform->width : transform->height;
    bytes = 3 * longer * 2 * transform->code->lanes * sizeof *transform->block;
    status = ki_host_fft_create(transform->width, KN_F32, KN_HOST_SCALAR, &transform->rows, err);
    if (!status)
        status = ki_host_fft_create(transform->height, KN_F32, KN_HOST_SCALAR, &transform->columns, err);
    if (!status) {
        transform->block = aligned_alloc(64, (bytes + 63) / 64 * 64);
        if (!transform->block)
            status = ki_fail_memory(err, bytes, "a transform");
    }
    if (status)
        transform_end(transform);
    return status;
}

// All lines of one direction, forward; a line's points are `step` apart, and the lines `apart`.
static void transform_lines(const struct transform *transform, const struct host_fft *fft, size_t lines,
                            size_t apart, size_t step, float *re, float *im)
{
    size_t lanes = transform->code->lanes, length = fft->length;
    float *block = transform->block, *scratch = block + length * 2 * lanes;

    for (size_t first = 0; first < lines; first += lanes) {
        size_t count = lines - first < lanes ? lines - first : lanes;

        memset(block, 0, length * 2 * lanes * sizeof *block);
        for (size_t l = 0; l < count; l++)
            for (size_t p = 0; p < length; p++) {
                block[p * 2 * lanes + l] = re[(first + l) * apart + p * step];
                block[p * 2 * lanes + lanes + l] = im[(first + l) * apart + p * step];
            }
        transform->code->transform(fft, block, scratch, block);
        for (size_t l = 0; l < count; l++)
            for (size_t p = 0; p < length; p++) {
                re[(first + l) * apart + p * step] = block[p * 2 * lanes + l];
                im[(first + l) * apart + p * step] = block[p * 2 * lanes + lanes + l];
            }
    }
}

// Forward; backward with the parts in each other's place.
static void transform_plane(const struct transform *transform, float *re, float *im)
{
    transform_lines(transform, transform->rows, transform->height, transform->width, 1, re, im);
    transform_lines(transform, transform->columns, transform->width, 1, transform->width, re, im);
}

// ---- phase correlation ----

struct part {
    size_t x, y, width, height, stride; // of a picture
};

static double hann(size_t i, size_t count)
{
    return 0.5 - 0.5 * cos(2 * M_PI * ((double)i + 0.5) / (double)count);
}

// A part of a picture less its mean, under the window, in the corner of a plane of zeros.
static void place(const float *picture, const struct part *part, const struct transform *transform,
                  float *plane)
{
    double mean = 0;

    memset(plane, 0, transform->width * transform->height * sizeof *plane);
    for (size_t y = 0; y < part->height; y++)
        for (size_t x = 0; x < part->width; x++)
            mean += (double)picture[(part->y + y) * part->stride + part->x + x];
    mean /= (double)(part->width * part->height);
    for (size_t y = 0; y < part->height; y++)
        for (size_t x = 0; x < part->width; x++)
            plane[y * transform->width + x] =
                (float)(((double)picture[(part->y + y) * part->stride + part->x + x] - mean) *
                        hann(x, part->width) * hann(y, part->height));
}

static double frequency(size_t k, size_t count)
{
    return (2 * k > count ? (double)k - (double)count : (double)k) / (double)count;
}

// Two real planes were transformed as one, a + i b: 4 conj A B of each point.
static void cross_spectrum(const struct transform *transform, const float *re, const float *im,
                           float *cross_re, float *cross_im)
{
    size_t width = transform->width, height = transform->height;

    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            size_t at = y * width + x, other = (height - y) % height * width + (width - x) % width;
            // A = (Z + conj Z-) / 2, B = (Z - conj Z-) / 2i
            double a_re = (double)re[at] + (double)re[other], a_im = (double)im[at] - (double)im[other],
                   b_re = (double)im[at] + (double)im[other], b_im = (double)re[other] - (double)re[at];

            cross_re[at] = (float)(a_re * b_re + a_im * b_im);
            cross_im[at] = (float)(a_re * b_im - a_im * b_re);
        }
}

// Phases alone, times a Gaussian; what is weaker than a part of the strongest keeps less, as it is noise.
static void keep_phases(const struct transform *transform, float *re, float *im)
{
    const double noise = 1e-2;
    double most = 0;

    for (size_t i = 0; i < transform->width * transform->height; i++)
        most = fmax(most, hypot((double)re[i], (double)im[i]));
    for (size_t y = 0; y < transform->height; y++)
        for (size_t x = 0; x < transform->width; x++) {
            size_t at = y * transform->width + x;
            double fx = frequency(x, transform->width), fy = frequency(y, transform->height);
            double modulus = hypot((double)re[at], (double)im[at]) + noise * most,
                   weight = most > 0 ? exp(-2 * M_PI * M_PI * (fx * fx + fy * fy)) / modulus : 0;

            re[at] = (float)((double)re[at] * weight);
            im[at] = (float)((double)im[at] * weight);
        }
}

// The correlation's highest whole pixel.
static void find_peak(const struct transform *transform, const float *values, struct autocorr_shift *peak)
{
    size_t width = transform->width, height = transform->height, best = 0;

    for (size_t i = 1; i < width * height; i++)
        if (values[i] > values[best])
            best = i;
    peak->x = frequency(best % width, width) * (double)width;
    peak->y = frequency(best / width, height) * (double)height;
}

static bool is_beside(size_t i, size_t peak, size_t count)
{
    size_t apart = i > peak ? i - peak : peak - i;

    return apart <= BESIDE || count - apart <= BESIDE;
}

// The ratio of the peak to its side lobes, all points but the 11 x 11 around it; 0 where these are of one
// level, or none.
static double stand_out(const struct transform *transform, const float *values, struct autocorr_shift peak)
{
    size_t width = transform->width, height = transform->height, count = 0;
    size_t x0 = (size_t)(peak.x < 0 ? peak.x + (double)width : peak.x),
           y0 = (size_t)(peak.y < 0 ? peak.y + (double)height : peak.y);
    double top = (double)values[y0 * width + x0], sum = 0, squares = 0, variance;

    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++)
            if (!is_beside(x, x0, width) || !is_beside(y, y0, height)) {
                double below = top - (double)values[y * width + x];

                sum += below;
                squares += below * below;
                count++;
            }
    variance = count ? squares / (double)count - pow(sum / (double)count, 2) : 0;
    return variance > 0 ? sum / (double)count / sqrt(variance) : 0;
}

// cos and sin of 2 pi f at, for the frequencies of a line; the caller frees them.
static double *turns_of(size_t count, double at)
{
    double *turns = malloc(2 * count * sizeof *turns);

    for (size_t k = 0; turns && k < count; k++) {
        turns[2 * k] = cos(2 * M_PI * frequency(k, count) * at);
        turns[2 * k + 1] = sin(2 * M_PI * frequency(k, count) * at);
    }
    return turns;
}

// The slope and the curvature of sum S exp(2 pi i f at) in x and y.
struct slope {
    double x, y, xx, xy, yy;
};

static void add_slope(const struct transform *transform, const float *re, const float *im,
                      const double *across, const double *down, struct slope *slope)
{
    size_t width = transform->width;

    for (size_t y = 0; y < transform->height; y++) {
        double fy = 2 * M_PI * frequency(y, transform->height);

        for (size_t x = 0; x < width; x++) {
            double fx = 2 * M_PI * frequency(x, width);
            double c = across[2 * x] * down[2 * y] - across[2 * x + 1] * down[2 * y + 1],
                   s = across[2 * x] * down[2 * y + 1] + across[2 * x + 1] * down[2 * y];
            double real = (double)re[y * width + x] * c - (double)im[y * width + x] * s,
                   imaginary = (double)re[y * width + x] * s + (double)im[y * width + x] * c;

            slope->x -= fx * imaginary;
            slope->y -= fy * imaginary;
            slope->xx -= fx * fx * real;
            slope->xy -= fx * fy * real;
            slope->yy -= fy * fy * real;
        }
    }
}

// From a whole pixel to the top between pixels, by Newton's method; not farther than a pixel.
static kn_status climb(const struct transform *transform, const float *re, const float *im,
                       struct autocorr_shift *peak, kn_error *err)
{
    struct autocorr_shift at = *peak;
    double step = 1;

    for (int round = 0; round < CLIMB_ROUNDS && step > 1e-5; round++) {
        double *across = turns_of(transform->width, at.x), *down = turns_of(transform->height, at.y);
        struct slope slope = {0, 0, 0, 0, 0};
        double determinant, dx, dy;

        if (across && down)
            add_slope(transform, re, im, across, down, &slope);
        free(across);
        free(down);
        if (!across || !down)
            return ki_fail_memory(err, 2 * transform->width * sizeof *across, "registering a frame");
        determinant = slope.xx * slope.yy - slope.xy * slope.xy;
        if (!(slope.xx < 0 && determinant > 0)) // no top
            return KN_OK;
        dx = (slope.xy * slope.y - slope.yy * slope.x) / determinant;
        dy = (slope.xy * slope.x - slope.xx * slope.y) / determinant;
        step = hypot(dx, dy);
        at.x += dx;
        at.y += dy;
        if (!(fabs(at.x - peak->x) < 1 && fabs(at.y - peak->y) < 1))
            return KN_OK;
    }
    *peak = at;
    return KN_OK;
}

static kn_status correlate(const float *reference, const struct part *of_reference, const float *frame,
                           const struct part *of_frame, struct autocorr_shift *shift, double *certainty,
                           kn_error *err)
{
    struct transform transform;
    size_t points;
    float *planes;
    kn_status status = transform_begin(of_reference->width, of_reference->height, &transform, err);

    if (status)
        return status;
    points = transform.width * transform.height;
    planes = malloc(4 * points * sizeof *planes);
    if (planes) {
        float *re = planes, *im = planes + points, *cross_re = im + points, *cross_im = cross_re + points;

        place(reference, of_reference, &transform, re);
        place(frame, of_frame, &transform, im);
        transform_plane(&transform, re, im);
        cross_spectrum(&transform, re, im, cross_re, cross_im);
        keep_phases(&transform, cross_re, cross_im);
        memcpy(re, cross_re, 2 * points * sizeof *re);
        transform_plane(&transform, cross_im, cross_re); // backward
        find_peak(&transform, cross_re, shift);
        *certainty = stand_out(&transform, cross_re, *shift);
        status = climb(&transform, re, im, shift, err);
    } else {
        status = ki_fail_memory(err, 4 * points * sizeof *planes, "registering a frame");
    }
    free(planes);
    transform_end(&transform);
    return status;
}

// What the reference and a frame that moved by whole pixels have both.
static void overlap(size_t size, double moved, size_t *of_reference, size_t *of_frame, size_t *count)
{
    size_t by = (size_t)fabs(moved);

    *of_reference = moved < 0 ? by : 0;
    *of_frame = moved > 0 ? by : 0;
    *count = size - by;
}

static double without_noise(double shift)
{
    return fabs(shift - rint(shift)) < 1e-3 ? rint(shift) + 0.0 : shift; // no -0
}

kn_status ki_autocorr_register(const float *reference, const float *frame, size_t width, size_t height,
                               struct autocorr_shift *shift, double *certainty, kn_error *err)
{
    double x = 0, y = 0, here = 0;
    kn_status status = KN_OK;

    *shift = (struct autocorr_shift){0, 0};
    *certainty = INFINITY;
    for (int round = 0; round < ROUNDS && !status; round++) {
        struct part of_reference = {0, 0, 0, 0, width}, of_frame = of_reference;
        struct autocorr_shift more = {0, 0};

        overlap(width, x, &of_reference.x, &of_frame.x, &of_reference.width);
        overlap(height, y, &of_reference.y, &of_frame.y, &of_reference.height);
        of_frame.width = of_reference.width;
        of_frame.height = of_reference.height;
        status = correlate(reference, &of_reference, frame, &of_frame, &more, &here, err);
        if (status || (round && (fabs(more.x) > 2 || fabs(more.y) > 2))) // the overlap has nothing in common
            break;
        *certainty = fmin(*certainty, here);
        *shift = (struct autocorr_shift){without_noise(x + more.x), without_noise(y + more.y)};
        if (rint(shift->x) == x && rint(shift->y) == y)
            break;
        x = rint(shift->x);
        y = rint(shift->y);
    }
    return status;
}

// ---- moving ----

static void cubic(double t, double weights[4])
{
    weights[0] = t * (-0.5 + t * (1 - 0.5 * t));
    weights[1] = 1 + t * t * (-2.5 + 1.5 * t);
    weights[2] = t * (0.5 + t * (2 - 1.5 * t));
    weights[3] = t * t * (-0.5 + 0.5 * t);
}

static size_t clamp(double at, size_t count)
{
    return at < 0 ? 0 : at > (double)(count - 1) ? count - 1 : (size_t)at;
}

void ki_autocorr_move(const float *frame, size_t width, size_t height, struct autocorr_shift shift,
                      float *moved)
{
    double left = floor(shift.x), top = floor(shift.y), across[4], down[4];

    cubic(shift.x - left, across);
    cubic(shift.y - top, down);
    for (size_t y = 0; y < height; y++)
        for (size_t x = 0; x < width; x++) {
            double sum = 0;

            for (int j = 0; j < 4; j++) {
                const float *row = frame + clamp((double)y + top + j - 1, height) * width;

                for (int i = 0; i < 4 && down[j] != 0; i++)
                    if (across[i] != 0)
                        sum += down[j] * across[i] * (double)row[clamp((double)x + left + i - 1, width)];
            }
            moved[y * width + x] = (float)sum;
        }
}
