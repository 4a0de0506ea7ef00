// SPDX-License-Identifier: Apache-2.0
// Needs double precision.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable

__kernel void thirds(__global double *x)
{
    x[get_global_id(0)] /= 3.0;
}
