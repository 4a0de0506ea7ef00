// SPDX-License-Identifier: Apache-2.0
// What the kernels of conjugate gradients (cl/operator) and their hosts agree on.
#ifndef KN_SHARED_CGNR_H
#define KN_SHARED_CGNR_H

// Why the iterations of conjugate gradients stopped; STOP_MOVED is added where the solution is that of this iteration,
// not of the one before.
#define STOP_GRADIENT 1  // |g| is small enough
#define STOP_RESIDUAL 2  // |A x - b| is
#define STOP_CURVATURE 3 // d.e is not positive
#define STOP_WHITENESS 4 // A x - b is as white as it gets
#define STOP_MOVED 16

#endif
