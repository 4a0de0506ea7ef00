// SPDX-License-Identifier: Apache-2.0
#include "eigenmaps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/threads.h"
#include "base/vector.h"

enum { STEPS = 30, BLOCK = 16 }; // BLOCK: voxels whose numbers lie side by side

// A number for each voxel of a block.
struct numbers {
    double real[BLOCK], imaginary[BLOCK];
};

struct share {
    const struct mri_eigenmaps *job;
    struct numbers *memory; // for each thread: the matrices, and two vectors
    size_t pairs;
};

static void take_matrices(const struct mri_eigenmaps *job, size_t first, size_t count, size_t pairs,
                          struct numbers *h)
{
    for (size_t pair = 0; pair < pairs; pair++)
        for (size_t i = 0; i < BLOCK; i++) {
            double complex element = i < count ? job->h[pair * job->voxels + first + i] : 0;

            h[pair].real[i] = creal(element);
            h[pair].imaginary[i] = cimag(element);
        }
}

// The unit vector of the first coil with a signal.
static void begin(const struct numbers *h, size_t coils, struct numbers *v)
{
    const double nothing = 1e-12; // relative to the trace

    memset(v, 0, coils * sizeof *v);
    for (size_t i = 0; i < BLOCK; i++) {
        double trace = 0;
        size_t coil = 0;

        for (size_t c = 0; c < coils; c++)
            trace += h[c * (c + 3) / 2].real[i];
        while (coil + 1 < coils && !(h[coil * (coil + 3) / 2].real[i] > nothing * trace))
            coil++;
        v[coil].real[i] = 1;
    }
}

// to += h from, or with the adjoint of h.
static void add(const struct numbers *h, double sign, const struct numbers *from, struct numbers *to)
{
    KI_SIMD
    for (size_t i = 0; i < BLOCK; i++) {
        double real = h->real[i], imaginary = sign * h->imaginary[i];

        to->real[i] += real * from->real[i] - imaginary * from->imaginary[i];
        to->imaginary[i] += real * from->imaginary[i] + imaginary * from->real[i];
    }
}

static void multiply(const struct numbers *h, size_t coils, const struct numbers *from, struct numbers *to)
{
    memset(to, 0, coils * sizeof *to);
    for (size_t c = 0; c < coils; c++, h++) {
        for (size_t other = 0; other < c; other++, h++) {
            add(h, 1, from + other, to + c);
            add(h, -1, from + c, to + other);
        }
        add(h, 1, from + c, to + c);
    }
}

static double length(const struct numbers *v, size_t coils, size_t i)
{
    double squares = 0;

    for (size_t c = 0; c < coils; c++)
        squares += v[c].real[i] * v[c].real[i] + v[c].imaginary[i] * v[c].imaginary[i];
    return sqrt(squares);
}

// Stores the map of voxel i of a block, which is voxel n, from the last two vectors.
static void give(const struct mri_eigenmaps *job, const struct numbers *before, const struct numbers *v,
                 size_t i, size_t n)
{
    double size = length(v, job->coils, i), previous = length(before, job->coils, i);
    double value = previous > 0 ? size / previous : 0;
    double complex product = 0;

    for (size_t c = 0; c < job->coils; c++)
        product += job->principal[c] * mri_complex(v[c].real[i], -v[c].imaginary[i]);
    product = cabs(product) > 0 ? product / cabs(product) : 1;
    for (size_t c = 0; c < job->coils; c++)
        job->maps[c * job->step + n] = size > 0 && value >= job->crop
                                           ? product * mri_complex(v[c].real[i], v[c].imaginary[i]) / size
                                           : 0;
}

// Vectors are not normalised between steps: eigenvalues are at most 1.
static void find_block(void *context, size_t block)
{
    const struct share *share = context;
    const struct mri_eigenmaps *job = share->job;
    size_t first = block * BLOCK, count = job->voxels - first < BLOCK ? job->voxels - first : BLOCK;
    struct numbers *h = share->memory + ki_thread() * (share->pairs + 2 * job->coils), *v = h + share->pairs,
                   *next = v + job->coils;

    take_matrices(job, first, count, share->pairs, h);
    begin(h, job->coils, v);
    for (unsigned step = 0; step < STEPS; step++) {
        struct numbers *last = v;

        multiply(h, job->coils, v, next);
        v = next;
        next = last;
    }
    for (size_t i = 0; i < count; i++)
        give(job, next, v, i, first + i);
}

kn_status ki_mri_eigenmaps(const struct mri_eigenmaps *job, kn_error *err)
{
    unsigned threads = ki_threads(0);
    size_t blocks = job->voxels / BLOCK + (job->voxels % BLOCK != 0),
           pairs = job->coils * (job->coils + 1) / 2;
    struct share share = {job, NULL, pairs};
    size_t bytes = threads * (pairs + 2 * job->coils) * sizeof *share.memory;

    share.memory = malloc(bytes);
    if (!share.memory)
        return ki_fail_memory(err, bytes, "maps of sensitivities");
    ki_parallel(threads, blocks, KI_DYNAMIC, find_block, &share);
    free(share.memory);
    return KN_OK;
}
