// SPDX-License-Identifier: Apache-2.0
// What the tests of direct sums share: random problems, and their results in double precision.
#ifndef KN_TESTS_UNIT_APP_MRI_SUM_SUM_SUPPORT_H
#define KN_TESTS_UNIT_APP_MRI_SUM_SUM_SUPPORT_H

#include "support/support.h"

#include "app/mri/reference.h"
#include "app/mri/sum/sum.h"

struct problem {
    struct mri_sum sum;
    size_t voxels, count; // of the matrix, and the number computed
    double *k, *positions, *weights;
    double complex *data, *basis, *mu, *wanted;
};

// The parts that a problem has.
enum { DATA = 1, WEIGHTS = 2, BASIS = 4, POSITIONS = 8 };

static inline void free_problem(struct problem *p)
{
    free(p->k);
    free(p->positions);
    free(p->weights);
    free(p->data);
    free(p->basis);
    free(p->mu);
    free(p->wanted);
}

// Computes the expected result in double precision.
static inline void refer(struct problem *p)
{
    double *at = test_zeros(3 * p->count, sizeof *at);

    for (size_t n = 0; n < p->count; n++)
        for (size_t axis = 0, rest = p->sum.first + n; axis < 3; rest /= p->sum.matrix.size[axis], axis++)
            at[3 * n + axis] =
                p->sum.positions ? p->positions[3 * (p->sum.first + n) + axis]
                                 : ki_mri_position(rest % p->sum.matrix.size[axis], p->sum.matrix.size[axis]);
    for (size_t m = 0; m < p->sum.samples; m++) {
        p->mu[m] = p->sum.data ? p->data[m] : 1;
        p->mu[m] *= p->sum.weights ? p->weights[m] : 1;
        p->mu[m] *= p->sum.basis ? conj(p->basis[m]) : 1;
    }
    ki_mri_reference_adjoint_at(p->k, p->sum.samples, p->mu, NULL, at, p->count, p->wanted);
    free(at);
}

// k in the whole band, an eighth of the numbers on its edge.
static inline struct problem make(const kn_recon_matrix *matrix, size_t samples, unsigned given,
                                  uint64_t *state)
{
    struct problem p = {.sum = {.matrix = *matrix, .samples = samples}};

    ck_assert_int_eq(ki_mri_matrix_count(matrix, &p.voxels, NULL), KN_OK);
    p.count = p.voxels;
    p.k = test_zeros(3 * samples, sizeof *p.k);
    p.positions = test_zeros(3 * p.voxels, sizeof *p.positions);
    p.weights = test_zeros(samples, sizeof *p.weights);
    p.data = test_zeros(samples, sizeof *p.data);
    p.basis = test_zeros(samples, sizeof *p.basis);
    p.mu = test_zeros(samples, sizeof *p.mu);
    p.wanted = test_zeros(p.voxels, sizeof *p.wanted);
    for (size_t m = 0; m < samples; m++) {
        for (size_t axis = 0; axis < 3; axis++) {
            double edge = (double)matrix->size[axis] / 2;

            p.k[3 * m + axis] = test_random(state) % 8   ? edge * (2 * test_uniform(state) - 1)
                                : test_random(state) % 2 ? edge
                                                         : -edge;
        }
        p.weights[m] = test_uniform(state);
        p.data[m] = test_complex(state);
        p.basis[m] = test_complex(state);
    }
    for (size_t i = 0; i < 3 * p.voxels; i++)
        p.positions[i] = test_uniform(state) - 0.5;
    p.sum.k = p.k;
    p.sum.data = given & DATA ? p.data : NULL;
    p.sum.weights = given & WEIGHTS ? p.weights : NULL;
    p.sum.basis = given & BASIS ? p.basis : NULL;
    p.sum.positions = given & POSITIONS ? p.positions : NULL;
    return p;
}

#endif
