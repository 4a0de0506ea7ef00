// SPDX-License-Identifier: Apache-2.0
// Multiplies the half spectra of projections by the factors of a filter, in place: src/app/sparse/tomography/fbp.h.
//
// Launch: filter_spectra with ceil(points / GROUP) x lines groups.
// Cost: reads and writes the spectra; reads one factor per point.
// Tunables: GROUP.
#ifndef GROUP
#define GROUP 64
#endif

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
filter_spectra(__global float2 *spectra, __global const float *factors, uint points)
{
    uint k = (uint)get_global_id(0);
    size_t line = get_global_id(1);

    if (k < points)
        spectra[line * points + k] *= factors[k];
}
