// SPDX-License-Identifier: Apache-2.0
// OpenCL C 1.2 for CUDA: the types and built-ins that a rewritten kernel file uses, for NVRTC and nvcc
// (C++17, no headers needed) and, over tests/shim/shim.h, for a host compiler.
//
// Everything lives in namespace kn; the user's program is in kn::program, so that its `float4` and `sin` are found here
// before CUDA's. Names that OpenCL C does not define begin with kn_. Built-ins are templates: they take scalars, vectors,
// component selections (v.xy) and bool, cost nothing until they are used, and never compete with CUDA's overloads.
//
// Set before this text, or defaulted here:
//   KN_CONSTANT_BANK  1: __constant kernel arguments are offsets into kn_bank; 0: read-only global pointers
//   KN_BANK_BYTES     the bank's size
//   KN_WITHOUT_ATOMICS  defined where the source has none
//   KN_SWIZZLES_n     for n = 2, 3, 4, 8, 16: KN_SWIZZLE(n, name, i, j, ...) for every selection the source
//   uses

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define KN_FN           __device__ inline
#define KN_BODY         __device__ __forceinline__
#define KN_DECLARED     __device__
#define KN_LOCAL        __shared__
#define KN_CONSTANT_VAR __constant__
#define KN_TABLE_VAR    __device__ const
#define KN_ON_DEVICE    1
#elif defined(KN_SHIM)
#define KN_FN           inline
#define KN_BODY         static
#define KN_DECLARED
#define KN_LOCAL        KN_SHIM_LOCAL
#define KN_CONSTANT_VAR static const
#define KN_TABLE_VAR    static const
#define KN_ON_DEVICE    0
#else
#error "this file is CUDA C++: compile it with NVRTC or nvcc, or include tests/shim/shim.h first"
#endif
#define KN_LOCAL_VAR KN_LOCAL

// nvcc's host pass knows printf only from <stdio.h>, whose macros would reach the program.
#if defined(__CUDACC__) && !defined(__CUDACC_RTC__)
extern "C" __host__ __device__ int printf(const char *, ...);
#endif

#ifndef KN_CONSTANT_BANK
#define KN_CONSTANT_BANK 0
#endif
#ifndef KN_BANK_BYTES
#define KN_BANK_BYTES 16
#endif
#ifndef KN_SWIZZLES_2
#define KN_SWIZZLES_2
#endif
#ifndef KN_SWIZZLES_3
#define KN_SWIZZLES_3
#endif
#ifndef KN_SWIZZLES_4
#define KN_SWIZZLES_4
#endif
#ifndef KN_SWIZZLES_8
#define KN_SWIZZLES_8
#endif
#ifndef KN_SWIZZLES_16
#define KN_SWIZZLES_16
#endif

#include "types.cuh"
#include "vector.cuh"
#include "constants.cuh"
#include "convert.cuh"
#include "half.cuh"
#include "integer.cuh"
#include "common.cuh"
#include "relational.cuh"
#include "math.cuh"
#include "native.cuh"
#include "geometric.cuh"
#include "memory.cuh"
#include "extension.cuh"
#ifndef KN_WITHOUT_ATOMICS
#include "atomic.cuh"
#endif
#include "item.cuh"
#include "kernel.cuh"
