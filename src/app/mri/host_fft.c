// SPDX-License-Identifier: Apache-2.0
#include "host_fft.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "../../base/error.h"
#include "../../base/parallel.h"

// WORTH: points of an axis' lines from which on more threads than one are worth waking.
enum { RADIX_MAX = 5, WORTH = 1 << 17 };

// C's own product looks for infinities.
static inline double complex times(double complex a, double complex b)
{
    return mri_complex(creal(a) * creal(b) - cimag(a) * cimag(b), creal(a) * cimag(b) + cimag(a) * creal(b));
}

static size_t factor_of(size_t n)
{
    for (size_t radix = 2; radix < RADIX_MAX; radix++)
        if (n % radix == 0)
            return radix;
    return RADIX_MAX;
}

// out[j] = sum over i of in[i * stride] root^(i j * turn); root has `turn` * n points a turn.
static void line(const double complex *roots, size_t turn, size_t n, const double complex *in, size_t stride,
                 double complex *out)
{
    size_t radix = n > 1 ? factor_of(n) : 1, part = n / radix;
    double complex turns[RADIX_MAX][RADIX_MAX];

    if (n == 1) {
        out[0] = in[0];
        return;
    }
    for (size_t r = 0; r < radix; r++) {
        line(roots, turn * radix, part, in + r * stride, stride * radix, out + r * part);
        for (size_t q = 0; q < radix; q++)
            turns[q][r] = roots[r * q % radix * part * turn];
    }
    for (size_t j = 0; j < part; j++) {
        double complex terms[RADIX_MAX];

        for (size_t r = 0; r < radix; r++)
            terms[r] = times(out[r * part + j], roots[r * j * turn]);
        for (size_t q = 0; q < radix; q++) {
            double complex sum = terms[0];

            for (size_t r = 1; r < radix; r++)
                sum += times(terms[r], turns[q][r]);
            out[q * part + j] = sum;
        }
    }
}

// All lines of an axis whose place on the other two is below `limit`.
static void axis_lines(struct mri_fft *fft, double complex *grid, size_t axis, const size_t limit[MRI_AXES],
                       bool conjugate)
{
    const size_t step[MRI_AXES] = {1, fft->length[0], fft->length[0] * fft->length[1]};
    size_t a = axis == 0 ? 1 : 0, b = axis == 2 ? 1 : 2, n = fft->length[axis], lines = limit[a] * limit[b];
    unsigned threads = lines * n < WORTH ? 1 : fft->threads;
    size_t longest = 0;

    for (size_t i = 0; i < MRI_AXES; i++)
        longest = fft->length[i] > longest ? fft->length[i] : longest;
    if (n == 1)
        return;
    KN_PARALLEL(threads, static)
    for (unsigned t = 0; t < threads; t++) {
        double complex *in = fft->lines + 2 * longest * t, *out = in + longest;

        for (size_t i = t; i < lines; i += threads) {
            double complex *at = grid + i % limit[a] * step[a] + i / limit[a] * step[b];

            for (size_t j = 0; j < n; j++)
                in[j] = conjugate ? conj(at[j * step[axis]]) : at[j * step[axis]];
            line(fft->roots[axis], 1, n, in, 1, out);
            for (size_t j = 0; j < n; j++)
                at[j * step[axis]] = conjugate ? conj(out[j]) : out[j];
        }
    }
}

void mri_fft_forward(struct mri_fft *fft, double complex *grid)
{
    size_t limit[MRI_AXES] = {fft->used[0], fft->used[1], fft->used[2]};

    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        axis_lines(fft, grid, axis, limit, false);
        limit[axis] = fft->length[axis];
    }
}

void mri_fft_backward(struct mri_fft *fft, double complex *grid)
{
    size_t limit[MRI_AXES] = {fft->length[0], fft->length[1], fft->length[2]};

    for (size_t axis = MRI_AXES; axis-- > 0;) {
        axis_lines(fft, grid, axis, limit, true);
        limit[axis] = fft->used[axis];
    }
}

kn_status mri_fft_create(const size_t length[MRI_AXES], const size_t used[MRI_AXES], unsigned threads,
                         struct mri_fft *fft, kn_error *err)
{
    size_t longest = 1;

    *fft = (struct mri_fft){.threads = kn_threads(threads)};
    for (size_t axis = 0; axis < MRI_AXES; axis++) {
        size_t n = length[axis];

        fft->length[axis] = n;
        fft->used[axis] = used[axis];
        longest = n > longest ? n : longest;
        fft->roots[axis] = malloc(n * sizeof **fft->roots);
        for (size_t j = 0; fft->roots[axis] && j < n; j++) {
            double angle = -2 * M_PI * (double)j / (double)n;

            fft->roots[axis][j] = mri_complex(cos(angle), sin(angle));
        }
    }
    fft->lines = malloc(2 * longest * fft->threads * sizeof *fft->lines);
    if (fft->lines && fft->roots[0] && fft->roots[1] && fft->roots[2])
        return KN_OK;
    mri_fft_free(fft);
    return kn_fail_memory(err, 2 * longest * sizeof *fft->lines, "a transform");
}

void mri_fft_free(struct mri_fft *fft)
{
    for (size_t axis = 0; axis < MRI_AXES; axis++)
        free(fft->roots[axis]);
    free(fft->lines);
    *fft = (struct mri_fft){.lines = NULL};
}
