// SPDX-License-Identifier: Apache-2.0
// libkoine: plain OpenCL C kernels on any device. This is the umbrella header; no OpenCL or CUDA type appears
// in it. For native handles see koine/opencl.h and koine/cuda.h.
#ifndef KOINE_KOINE_H
#define KOINE_KOINE_H

#include <koine/error.h>
#include <koine/types.h>
#include <koine/device.h>
#include <koine/context.h>
#include <koine/event.h>
#include <koine/buffer.h>
#include <koine/image.h>
#include <koine/program.h>
#include <koine/launch.h>
#include <koine/sort.h>
#include <koine/reduce.h>
#include <koine/scan.h>
#include <koine/select.h>
#include <koine/histogram.h>
#include <koine/fft.h>
#include <koine/gemm.h>
#include <koine/host.h>
#include <koine/robust.h>
#include <koine/operator.h>
#include <koine/solve.h>
#include <koine/stats.h>
#include <koine/window.h>
#include <koine/autocorr.h>
#include <koine/recon.h>
#include <koine/sparse.h>
#include <koine/tomography.h>
#include <koine/least_squares.h>
#include <koine/distribute.h>
#include <koine/journal.h>

#ifdef __cplusplus
extern "C" {
#endif

// The version of these headers, and that of the library at run time, "0.2.0". A program works with a library
// of the same major version and the same or a later minor version (CHANGELOG.md); this is not promised
// between versions 0.x and 0.y.
#define KN_VERSION_MAJOR  0
#define KN_VERSION_MINOR  2
#define KN_VERSION_PATCH  0
#define KN_VERSION_NUMBER (KN_VERSION_MAJOR * 1000000 + KN_VERSION_MINOR * 1000 + KN_VERSION_PATCH)
KN_API const char *kn_version(void);
KN_API long kn_version_number(void);

#ifdef __cplusplus
}
#endif

#endif
