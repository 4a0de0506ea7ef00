// SPDX-License-Identifier: Apache-2.0
// The lengths of vectors less g, limited below by zero: ENMO (van Hees et al. 2013, PLoS ONE 8(4):e61691); with g = 0, the
// lengths themselves.
// Launch: one work-item an element. Cost: three reads and one write of n elements.
// Tunables: REAL (float or double).
#ifndef REAL
#define REAL float
#endif

// A NaN stays a NaN.
__kernel void stats_magnitude(__global const REAL *x, ulong x_first, __global const REAL *y, ulong y_first,
                              __global const REAL *z, ulong z_first, REAL g, __global REAL *out, ulong out_first, ulong n)
{
    ulong i = get_global_id(0);

    if (i < n) {
        REAL a = x[x_first + i], b = y[y_first + i], c = z[z_first + i];
        REAL over = sqrt(a * a + b * b + c * c) - g;

        out[out_first + i] = over < 0 ? 0 : over;
    }
}
