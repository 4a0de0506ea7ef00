// SPDX-License-Identifier: Apache-2.0
// The libraries for matrix products and Fourier transforms: CLBlast and clFFT on OpenCL, cuBLAS and cuFFT on
// CUDA. All calls of them go through here, which refuses what a library cannot do and records what runs, also
// in the profile.
#ifndef KN_ENGINE_LIBRARY_H
#define KN_ENGINE_LIBRARY_H

#include "backend/library.h"
#include "engine.h"

// The library of a path, whether it is installed or not.
const struct be_library *ki_engine_library_of(const struct ki_backend *path, enum be_field field);

// A plan for work in this queue (see be_library). KN_ERROR_UNSUPPORTED, with the reason, if the library
// belongs to another path, is not installed, or does not support the shape.
kn_status ki_engine_library_prepare(kn_queue *queue, const struct be_library *library,
                                    const struct be_fft_shape *shape, struct be_plan **plan,
                                    char version[BE_VERSION_BYTES], kn_error *err);

// Executes the plan; the queue's profile names the library, followed by `what` unless that is NULL.
kn_status ki_engine_library_execute(kn_queue *queue, const struct be_library *library, struct be_plan *plan,
                                    const char *what, union be_task task, kn_error *err);

// The queue's plan for products, prepared by the first call; the queue keeps it, or the reason for failing.
kn_status ki_engine_library_products(kn_queue *queue, const struct be_library *library, struct be_plan **plan,
                                     kn_error *err);
void ki_engine_library_close(kn_queue *queue);

#endif
