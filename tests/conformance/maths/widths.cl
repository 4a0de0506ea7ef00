// SPDX-License-Identifier: Apache-2.0
// Every function of 6.12.2 on n samples, for tests/conformance/maths/test_maths: OF_FLOAT or OF_DOUBLE, and
// OF_SCALARS, one kernel, or OF_VECTORS, one for each width.
#ifdef OF_FLOAT
#define SINGLE
#define REAL(W) float##W
#define BITS(W) as_uint##W
#else
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define REAL(W) double##W
#define BITS(W) as_ulong##W
#endif
#define INT(W) int##W

#ifdef OF_SCALARS
#define KERNEL         scalars
#define WIDTH          1
#define R              REAL()
#define I              INT()
#define AS_BITS        BITS()
#define LOAD(i, p)     ((p)[i])
#define STORE(v, i, p) ((p)[i] = (v))
#include "width.clh"
#else
#define LOAD  LOADS(WIDTH)
#define STORE STORES(WIDTH)
#define PASTE(a, b)  a##b
#define LOADS(W)  PASTE(vload, W)
#define STORES(W) PASTE(vstore, W)
#define R       VECTORS(WIDTH)
#define VECTORS(W) REAL(W)
#define I       VECTORS_OF_INT(WIDTH)
#define VECTORS_OF_INT(W) INT(W)
#define AS_BITS  VECTORS_OF_BITS(WIDTH)
#define VECTORS_OF_BITS(W) BITS(W)
#define KERNEL KERNELS(WIDTH)
#define KERNELS(W) PASTE(vectors_, W)

#define WIDTH 2
#include "width.clh"
#undef WIDTH
#define WIDTH 3
#include "width.clh"
#undef WIDTH
#define WIDTH 4
#include "width.clh"
#undef WIDTH
#define WIDTH 8
#include "width.clh"
#undef WIDTH
#define WIDTH 16
#include "width.clh"
#endif
