// SPDX-License-Identifier: Apache-2.0
// Writes `far` elements behind its place.
__kernel void smash(__global float *x, ulong far)
{
    x[far + get_global_id(0)] = 1.0f;
}
