// SPDX-License-Identifier: Apache-2.0
// Total variation of pictures and volumes: the sum over the pixels of the length of the differences to the
// next pixel along each axis (isotropic); and the parts of the primal-dual method of Chambolle and Pock
// (2011), over-relaxed as in Condat (2013). For devices, see cl/operator/tv.cl.
#ifndef KN_OPERATOR_PROXIMAL_TV_H
#define KN_OPERATOR_PROXIMAL_TV_H

#include <stddef.h>

enum { TV_MOST_AXES = 3 };

struct tv_grid {
    size_t lengths[TV_MOST_AXES]; // pixels along each axis, the fastest one first
    size_t strides[TV_MOST_AXES];
    unsigned axes;       // number of axes with differences: 2, or 3 for a volume
    unsigned components; // numbers per pixel: 1, or 2 if it is complex
    size_t pixels;
    double norm; // an upper bound of |D|^2; 1 if there are no differences
};

// The grid of a shape whose lengths are at least 1 and whose product fits in a size_t.
struct tv_grid ki_tv_grid(const size_t *shape, unsigned components);

// The total variation of x, which has pixels * components numbers.
double ki_tv_value(const struct tv_grid *grid, const double *x);

// The step of x for an operator with this squared norm; 0 counts as 1.
double ki_tv_step(double squared_norm);

// Updates `dual`, which has as many numbers for each axis, from the differences of 2 x - before, with
// relaxation. It is y times the step; in the limit its length is at most `radius`, the step times lambda.
// Returns the sum of the squares of its changes, each divided by the step of t y, 1 / (2 |D|^2).
double ki_tv_dual(const struct tv_grid *grid, const double *x, const double *before, double radius,
                  double *dual);

// out += D^T dual.
void ki_tv_adjoint(const struct tv_grid *grid, const double *dual, double *out);

#endif
