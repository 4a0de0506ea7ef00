// SPDX-License-Identifier: Apache-2.0
// For tests of koine/autocorr.h: random frames with gaps, and the results of the definitions for them, in
// plain loops that share no code with the library.
#ifndef KN_TESTS_UNIT_APP_AUTOCORR_AUTOCORR_API_SUPPORT_H
#define KN_TESTS_UNIT_APP_AUTOCORR_AUTOCORR_API_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

#include <koine/autocorr.h>

enum { API_KINDS = 8, API_ROOM = 16 };

// Kinds of frames: bit 0: with a second image, bit 1: with a mask, bit 2: with a separate one for each frame.
struct problem {
    size_t width, height, max_offset, count;
    kn_type type;
    kn_autocorr_frames frames;
    unsigned char *first, *second;
    uint8_t *mask;
};

static inline unsigned char *random_array(size_t bytes, uint64_t *state)
{
    unsigned char *all = test_allocate(bytes);

    for (size_t i = 0; i < bytes; i++)
        all[i] = (unsigned char)test_random(state);
    return all;
}

// Every byte is random, including those between rows and frames.
static inline struct problem random_problem(size_t width, size_t height, size_t max_offset, size_t count,
                                            kn_type type, unsigned kind, uint64_t *state)
{
    size_t size = kn_type_size(type), length[3], stride[3];
    struct problem p = {width, height, max_offset, count, type, KN_INIT(kn_autocorr_frames),
                        NULL,  NULL,   NULL};

    for (size_t i = 0; i < 3; i++) {
        stride[i] = width + (size_t)(test_random(state) % 5);
        length[i] = height * stride[i] + (size_t)(test_random(state) % 5);
    }
    p.frames.first = p.first = random_array(count * length[0] * size, state);
    p.frames.stride = stride[0];
    p.frames.frame_stride = length[0];
    if (kind & 1) {
        p.frames.second = p.second = random_array(count * length[1] * size, state);
        p.frames.second_stride = stride[1];
        p.frames.second_frame_stride = kind & 4 ? length[1] : 0;
    }
    if (kind & 2) {
        p.frames.mask = p.mask = random_array(count * length[2], state);
        for (size_t i = 0; i < count * length[2]; i++)
            p.mask[i] = (uint8_t)(p.mask[i] % 4 * 85);
        p.frames.mask_stride = stride[2];
        p.frames.mask_frame_stride = kind & 4 ? length[2] : 0;
    }
    return p;
}

static inline void free_problem(struct problem *p)
{
    free(p->first);
    free(p->second);
    free(p->mask);
}

static inline size_t offsets_of(const struct problem *p)
{
    return (2 * p->max_offset + 1) * (p->max_offset + 1);
}

// ---- the definitions ----

struct window {
    uint64_t c, n, s1, s2, q1, q2;
};

static inline uint64_t level_of(const void *pixels, kn_type type, size_t at)
{
    return type == KN_U8 ? ((const uint8_t *)pixels)[at] : ((const uint16_t *)pixels)[at];
}

static inline struct window window_of(const struct problem *p, size_t frame, ptrdiff_t x0, ptrdiff_t y0)
{
    const kn_autocorr_frames *f = &p->frames;
    const void *other = f->second ? f->second : f->first;
    size_t other_stride = f->second ? f->second_stride : f->stride;
    size_t first = frame * f->frame_stride, second = f->second ? frame * f->second_frame_stride : first;
    const uint8_t *mask = f->mask ? f->mask + frame * f->mask_frame_stride : NULL;
    struct window w = {.c = 0};

    for (size_t y = 0; y + (size_t)y0 < p->height; y++)
        for (ptrdiff_t x = 0; x < (ptrdiff_t)p->width; x++) {
            size_t here = (size_t)x, there = (size_t)(x + x0), below = y + (size_t)y0;
            uint64_t a, b;

            if (x + x0 < 0 || x + x0 >= (ptrdiff_t)p->width)
                continue;
            if (mask && (!mask[y * f->mask_stride + here] || !mask[below * f->mask_stride + there]))
                continue;
            a = level_of(f->first, p->type, first + y * f->stride + here);
            b = level_of(other, p->type, second + below * other_stride + there);
            w.c += a * b;
            w.n++;
            w.s1 += a;
            w.s2 += b;
            w.q1 += a * a;
            w.q2 += b * b;
        }
    return w;
}

static inline double quotient(long double a, long double b)
{
    return b == 0 ? (double)NAN : (double)(a / b);
}

// n times the sum of squares about the mean.
static inline long double spread(uint64_t n, uint64_t s, uint64_t q)
{
    return (long double)n * (long double)q - (long double)s * (long double)s;
}

static inline double zero_of(const struct window *w, const struct window *all)
{
    long double n = (long double)all->n, m1 = (long double)all->s1 / n, m2 = (long double)all->s2 / n;
    long double sum =
        (long double)w->c - m1 * (long double)w->s2 - m2 * (long double)w->s1 + (long double)w->n * m1 * m2;

    return all->n ? quotient(sum * n, sqrtl(spread(all->n, all->s1, all->q1)) *
                                          sqrtl(spread(all->n, all->s2, all->q2)))
                  : (double)NAN;
}

static inline double value_of(kn_autocorr_normalization normalization, const struct window *w,
                              const struct window *all)
{
    long double c = (long double)w->c, n = (long double)w->n;

    switch (normalization) {
    case KN_AUTOCORR_PEARSON:
        return quotient(n * c - (long double)w->s1 * (long double)w->s2,
                        sqrtl(spread(w->n, w->s1, w->q1)) * sqrtl(spread(w->n, w->s2, w->q2)));
    case KN_AUTOCORR_ENERGY:
        return quotient(c, sqrtl((long double)all->q1) * sqrtl((long double)all->q2));
    case KN_AUTOCORR_LU2009:
        return quotient(c, (long double)w->q2);
    case KN_AUTOCORR_GEO:
        return quotient(c, sqrtl((long double)w->q1) * sqrtl((long double)w->q2));
    case KN_AUTOCORR_ZERO:
        return zero_of(w, all);
    case KN_AUTOCORR_UNBIASED:
        return w->n ? zero_of(w, all) * (double)all->n / (double)w->n : (double)NAN;
    case KN_AUTOCORR_SYMAVG:
        return quotient(n * c, (long double)w->s1 * (long double)w->s2);
    }
    return NAN;
}

// A ring of values, by the definition: each ring goes through all offsets.
static inline kn_autocorr_ring ring_of(const double *values, ptrdiff_t max_offset, ptrdiff_t k)
{
    kn_autocorr_ring ring = {(double)k, NAN, NAN, 0, 0};
    double distances = 0, sum = 0, squares = 0, weights = 0;

    for (ptrdiff_t y0 = 0; y0 <= max_offset; y0++)
        for (ptrdiff_t x0 = -max_offset; x0 <= max_offset; x0++) {
            double value = values[y0 * (2 * max_offset + 1) + max_offset + x0];
            double r = sqrt((double)(x0 * x0 + y0 * y0));
            double share = fmax(1 - fabs(r - (double)k), 0) * (y0 ? 2 : 1);

            if (share == 0 || isnan(value) || x0 * x0 + y0 * y0 > max_offset * max_offset)
                continue;
            ring.count++;
            ring.weight += share;
            distances += share * r;
            sum += share * value;
            squares += share * value * value;
            weights += share * share;
        }
    if (ring.count) {
        ring.radius = distances / ring.weight;
        ring.value = sum / ring.weight;
        ring.error = sqrt(fmax(squares / ring.weight - ring.value * ring.value, 0) * weights) / ring.weight;
    }
    return ring;
}

#endif
