// SPDX-License-Identifier: Apache-2.0
// Total variation of pictures and volumes: the sum over the pixels of the length of the differences to the
// next pixel along each axis (isotropic), and what the primal-dual method of Chambolle and Pock (2011) is
// made of, over-relaxed as Condat (2013) has it. On a device that is cl/operator/tv.cl.
#ifndef KN_OPERATOR_PROXIMAL_TV_H
#define KN_OPERATOR_PROXIMAL_TV_H

#include <stddef.h>

enum { TV_MOST_AXES = 3 };

struct tv_grid {
    size_t lengths[TV_MOST_AXES]; // pixels along each axis, the fastest one first
    size_t strides[TV_MOST_AXES];
    unsigned axes;       // that have differences: 2, or 3 of a volume
    unsigned components; // numbers of a pixel: 1, or 2 of a complex one
    size_t pixels;
    double norm; // |D|^2 is at most this; 1 where there are no differences
};

// Of a shape whose lengths are at least 1 and whose product is a size_t.
struct tv_grid ki_tv_grid(const size_t *shape, unsigned components);

// Of x, pixels * components numbers.
double ki_tv_value(const struct tv_grid *grid, const double *x);

// The step of x for an operator whose squared norm is this; 0 counts as 1.
double ki_tv_step(double squared_norm);

// `dual`, of so many numbers for each axis, is y times the step, of no more length than `radius` (the step
// times lambda) once it is where it is going: from the differences of 2 x - before, relaxed. Returns the sum
// of the squares of what it was off by, each over the step of t y, 1 / (2 |D|^2).
double ki_tv_dual(const struct tv_grid *grid, const double *x, const double *before, double radius,
                  double *dual);

// out += D^T dual.
void ki_tv_adjoint(const struct tv_grid *grid, const double *dual, double *out);

#endif
