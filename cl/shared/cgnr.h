// SPDX-License-Identifier: Apache-2.0
// Constants shared by the kernels of conjugate gradients (cl/operator) and their hosts.
#ifndef KN_SHARED_CGNR_H
#define KN_SHARED_CGNR_H

// Why conjugate gradients stopped; STOP_MOVED is added if the solution is that of this iteration, not of the
// previous one.
#define STOP_GRADIENT 1  // |g| is small enough
#define STOP_RESIDUAL 2  // |A x - b| is
#define STOP_CURVATURE 3 // d.e is not positive
#define STOP_WHITENESS 4 // A x - b is as white as it gets
#define STOP_MOVED 16

#endif
