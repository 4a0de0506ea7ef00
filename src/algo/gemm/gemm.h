// SPDX-License-Identifier: Apache-2.0
// What the libraries that multiply matrices share. A task that arrives here has been checked: pitches and
// batch are filled in, and nothing in it is 0 except offsets, strides, k, alpha and beta.
#ifndef KN_ALGO_GEMM_GEMM_H
#define KN_ALGO_GEMM_GEMM_H

#include <koine/experimental.h>
#include <koine/gemm.h>

#include "engine/device/tuning.h"

struct gemm_library {
    const char *name;
    // Refuses, in words, what it cannot do on this device.
    kn_status (*serves)(kn_queue *queue, const kn_gemm_task *task, kn_error *err);
    kn_status (*run)(kn_queue *queue, const kn_gemm_task *task, const kn_gemm_tile *tile, kn_error *err);
};

extern const struct gemm_library ki_gemm_own, ki_gemm_clblast, ki_gemm_cublas;

// A number or a pair of numbers.
union gemm_element {
    float f32[2];
    double f64[2];
};

// Bytes of an element.
static inline size_t gemm_element(const kn_gemm_task *task)
{
    return kn_type_size(task->type) * (task->is_complex ? 2 : 1);
}

// What koine tune chooses for our own kernel: for large products of floats.
extern const kn_tunables ki_gemm_tunables;

// Our own kernel for CPUs.
kn_status ki_gemm_on_cpu(kn_queue *queue, const kn_gemm_task *task, kn_error *err);

#endif
