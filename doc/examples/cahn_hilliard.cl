// SPDX-License-Identifier: Apache-2.0
// A step of the Cahn-Hilliard equation, du/dt = laplace(u^3 - u - gamma laplace(u)), on a torus of pixels 1 apart.
// Launch: one work-item a pixel, twice a step: first the potential, then u by it. Each reads a pixel and its four
// neighbours and writes one.
#ifndef GAMMA
#define GAMMA 0.5f
#endif

float laplace(__global const float *f)
{
    size_t x = get_global_id(0), y = get_global_id(1), width = get_global_size(0), height = get_global_size(1);
    size_t left = x ? x - 1 : width - 1, right = x + 1 < width ? x + 1 : 0;
    size_t up = y ? y - 1 : height - 1, down = y + 1 < height ? y + 1 : 0;

    return f[y * width + left] + f[y * width + right] + f[up * width + x] + f[down * width + x] -
           4 * f[y * width + x];
}

__kernel void potential(__global const float *u, __global float *mu)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);

    mu[i] = u[i] * u[i] * u[i] - u[i] - GAMMA * laplace(u);
}

__kernel void advance(float dt, __global const float *mu, __global float *u)
{
    size_t i = get_global_id(1) * get_global_size(0) + get_global_id(0);

    u[i] += dt * laplace(mu);
}
