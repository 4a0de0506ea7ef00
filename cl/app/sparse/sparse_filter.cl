// SPDX-License-Identifier: Apache-2.0
// filter_spectra: multiplies the half spectra of projections by the factors of a filter, in place:
//     src/app/sparse/tomography/fbp.h.
// weigh_detectors: multiplies projections of fans by a weight for each detector: src/app/sparse/tomography/fbp_fan.h.
//
// Launch: filter_spectra with ceil(points / GROUP) x lines groups, weigh_detectors with ceil(rays / GROUP) groups.
// Cost: reads and writes the spectra or the sinogram; reads one factor per point or ray.
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

__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void
weigh_detectors(__global const float *sinogram, __global const float *weights, __global float *to, uint detectors,
                uint rays)
{
    uint i = (uint)get_global_id(0);

    if (i < rays)
        to[i] = sinogram[i] * weights[i % detectors];
}
