// SPDX-License-Identifier: Apache-2.0
// The system of the job solve on real data: a slice of a tooth, as a synchrotron measured it (sparse/tooth.h5
// below KOINE_DATA), in detectors binned by 4, and the parallel rays through JOB_TOOTH_SIZE^2 pixels as a
// stored matrix. It is solved by simultaneous reconstruction (SIRT), whose steps do not magnify the rounding
// of earlier ones: conjugate gradients in single precision differ by percents after ten iterations of this
// system.
#ifndef KN_TOOLS_COMPARE_JOB_TOOTH_H
#define KN_TOOLS_COMPARE_JOB_TOOTH_H

#include "jobs.h"

enum { JOB_TOOTH_SIZE = 160, JOB_TOOTH_BIN = 4, JOB_TOOTH_ANGLES = 181 };
enum {
    JOB_TOOTH_ROWS = JOB_TOOTH_ANGLES * JOB_TOOTH_SIZE
}; // of the matrix: as many detectors as pixels in a line

// Reads the slice, and solves it in double precision. Adds four columns: the right-hand side in the case's
// type, room for a solution, the wanted solution in double precision, and the angles. The error says what
// differs in another file.
kn_status job_tooth_make(struct compare_problem *problem, size_t iterations, kn_error *err);

// The operator in a place, in sliced ELL; `first` is the first of the four columns.
kn_status job_tooth_operator(const struct compare_work *work, size_t first, kn_operator **made,
                             kn_error *err);

// What a place's plan is made with.
kn_solve_options job_tooth_options(size_t iterations);

// The largest difference of a pixel from the wanted one, relative to the largest pixel.
double job_tooth_error(const struct compare_problem *problem, size_t first, const double *x);

// The nonzeros of the matrix, about: each pixel is seen by two detectors of each projection.
static inline size_t job_tooth_nonzeros(void)
{
    return (size_t)2 * JOB_TOOTH_ANGLES * JOB_TOOTH_SIZE * JOB_TOOTH_SIZE;
}

#endif
