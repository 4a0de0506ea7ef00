// SPDX-License-Identifier: Apache-2.0
// For tests of koine/recon.h: random samples of a matrix, and the results of the definitions for them, in
// plain loops in double precision that share no code with the library.
#ifndef KN_TESTS_UNIT_APP_MRI_RECON_API_SUPPORT_H
#define KN_TESTS_UNIT_APP_MRI_RECON_API_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

#include <math.h>

#include <koine/recon.h>

enum { API_WEIGHTS = 1, API_BASIS = 2, API_KINDS = 4, API_ROOM = 16 };

struct problem {
    kn_recon_matrix matrix;
    size_t voxels, samples;
    double *k, *weights, *basis; // weights and basis NULL: 1
    // A random image and random samples, and the results of the operations on them.
    double *image, *data, *forward, *adjoint, *bare, *normal; // bare: the adjoint without weights
};

static inline double *random_pairs(size_t count, uint64_t *state)
{
    double *pairs = test_allocate(2 * count * sizeof *pairs);

    for (size_t i = 0; i < 2 * count; i++) // representable in float
        pairs[i] = (double)(test_random(state) >> 40) * 0x1p-23 - 1;
    return pairs;
}

// k in the whole band, a quarter of the numbers on its edges, at 0, at a half, or up to a cycle outside it.
static inline double api_random_k(size_t size, uint64_t *state)
{
    double edge = (double)size / 2;
    const double odd_ones[] = {-edge, edge, 0, 0.5, edge + 1, -edge - 1, edge + 0.3, -edge - 0.7};

    return test_random(state) % 4 ? edge * (2 * test_uniform(state) - 1) : odd_ones[test_random(state) % 8];
}

// k . r of sample m and voxel n, in turns.
static inline double api_turns(const struct problem *p, size_t m, size_t n)
{
    double turns = 0;

    for (size_t axis = 0; axis < 3; axis++) {
        size_t size = p->matrix.size[axis] ? p->matrix.size[axis] : 1;

        turns += p->k[3 * m + axis] * ((double)(n % size) - (double)(size / 2)) / (double)size;
        n /= size;
    }
    return turns;
}

// to[row] = sum of from[column] exp(i 2 pi sign k . r), times a factor for each sample.
static inline void api_sum(const struct problem *p, bool adjoint, bool weighted, const double *from,
                           double *to)
{
    size_t rows = adjoint ? p->voxels : p->samples, columns = adjoint ? p->samples : p->voxels;

    memset(to, 0, 2 * rows * sizeof *to);
    for (size_t row = 0; row < rows; row++)
        for (size_t column = 0; column < columns; column++) {
            size_t m = adjoint ? column : row, n = adjoint ? row : column;
            double angle = (adjoint ? 1 : -1) * 2 * acos(-1) * api_turns(p, m, n);
            double complex term = cexp(I * angle) * (from[2 * column] + I * from[2 * column + 1]);

            if (p->basis)
                term *= p->basis[2 * m] + (adjoint ? -1 : 1) * I * p->basis[2 * m + 1];
            if (weighted && adjoint && p->weights)
                term *= p->weights[m];
            to[2 * row] += creal(term);
            to[2 * row + 1] += cimag(term);
        }
}

// Computes the results for the image and the samples that exist.
static inline void api_fill(struct problem *p)
{
    api_sum(p, false, false, p->image, p->forward);
    api_sum(p, true, true, p->forward, p->normal);
    api_sum(p, true, true, p->data, p->adjoint);
    api_sum(p, true, false, p->data, p->bare);
}

static inline struct problem random_problem(const kn_recon_matrix *matrix, size_t samples, unsigned kind,
                                            uint64_t *state)
{
    struct problem p = {.matrix = *matrix, .samples = samples, .voxels = 1};

    for (size_t axis = 0; axis < 3; axis++)
        p.voxels *= matrix->size[axis] ? matrix->size[axis] : 1;
    p.k = test_zeros(3 * samples, sizeof *p.k);
    for (size_t i = 0; i < 3 * samples; i++)
        p.k[i] = i % 3 < matrix->axes ? api_random_k(matrix->size[i % 3], state) : 0;
    p.weights = kind & API_WEIGHTS ? test_allocate(samples * sizeof *p.weights) : NULL;
    for (size_t m = 0; m < samples && p.weights; m++)
        p.weights[m] = test_uniform(state);
    p.basis = kind & API_BASIS ? random_pairs(samples, state) : NULL;
    p.image = random_pairs(p.voxels, state);
    p.data = random_pairs(samples, state);
    p.forward = test_allocate(2 * samples * sizeof *p.forward);
    p.adjoint = test_allocate(2 * p.voxels * sizeof *p.adjoint);
    p.bare = test_allocate(2 * p.voxels * sizeof *p.bare);
    p.normal = test_allocate(2 * p.voxels * sizeof *p.normal);
    api_fill(&p);
    return p;
}

static inline void free_problem(struct problem *p)
{
    double *const arrays[] = {p->k,       p->weights, p->basis, p->image, p->data,
                              p->forward, p->adjoint, p->bare,  p->normal};

    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        free(arrays[i]);
}

// ---- comparisons ----

// Compares numbers, with an error of at most `error` in the 2-norm, relative to `scale`, or to the expected
// numbers if that is 0.
static inline void expect_numbers(const double *found, const double *wanted, size_t count, double error,
                                  double scale, const char *what)
{
    double off = 0, norm = 0;

    for (size_t i = 0; i < 2 * count; i++) {
        off += (found[i] - wanted[i]) * (found[i] - wanted[i]);
        norm += wanted[i] * wanted[i];
    }
    norm = scale > 0 ? scale : sqrt(norm);
    ck_assert_msg(sqrt(off) <= error * norm, "%s: error %g of %g, at most %g was promised", what,
                  sqrt(off) / norm, norm, error);
}

// Compares an array followed by poison, and frees it.
static inline void expect_array(double *found, const double *wanted, size_t count, double error, double scale,
                                const char *what)
{
    expect_numbers(found, wanted, count, error, scale, what);
    for (size_t i = 0; i < API_ROOM; i++)
        ck_assert_msg(((const unsigned char *)(found + 2 * count))[i] == 0xff,
                      "%s: something was written behind", what);
    free(found);
}

static inline double *poisoned_pairs(size_t count)
{
    return test_poisoned(2 * count * sizeof(double) + API_ROOM);
}

// ---- buffers ----

// Uploads pairs of floats; not-a-number if `pairs` is NULL. There is room after them.
static inline kn_buffer *upload_pairs(const double *pairs, size_t count)
{
    float *singles = test_poisoned(2 * count * sizeof *singles);
    kn_buffer *buffer;

    for (size_t i = 0; i < 2 * count && pairs; i++)
        singles[i] = (float)pairs[i];
    buffer = test_upload_with_room(singles, 2 * count * sizeof *singles, 64);
    free(singles);
    return buffer;
}

static inline double *download_pairs(kn_queue *from, kn_buffer *buffer, size_t count)
{
    float *singles = test_poisoned(2 * count * sizeof *singles);
    double *pairs = test_allocate(2 * count * sizeof *pairs);

    EXPECT_OK(kn_buffer_read(from, buffer, 0, singles, 2 * count * sizeof *singles, &err));
    for (size_t i = 0; i < 2 * count; i++)
        pairs[i] = (double)singles[i];
    free(singles);
    return pairs;
}

// Compares the contents of a buffer of the tests' queue, and its poison; frees it.
static inline void expect_buffer(kn_buffer *buffer, const double *wanted, size_t count, double error,
                                 double scale, const char *what)
{
    double *found = download_pairs(queue, buffer, count);

    expect_numbers(found, wanted, count, error, scale, what);
    test_expect_poison(buffer, 2 * count * sizeof(float));
    kn_buffer_free(buffer);
    free(found);
}

#endif
