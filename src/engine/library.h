// SPDX-License-Identifier: Apache-2.0
// The libraries of products and transforms that paths to devices have: CLBlast and clFFT on OpenCL, cuBLAS
// and cuFFT on CUDA. What they do passes through here, and only here: refusals, the record of what runs, and
// the profile.
#ifndef KN_ENGINE_LIBRARY_H
#define KN_ENGINE_LIBRARY_H

#include "backend/library.h"
#include "engine.h"

// The library that serves a path, whether it is there or not.
const struct be_library *ki_engine_library_of(const struct ki_backend *path, enum be_field field);

// A plan for work in this queue (see be_library). KN_ERROR_UNSUPPORTED, in words, if the library is one of
// another path, is not there, or does not do the shape.
kn_status ki_engine_library_prepare(kn_queue *queue, const struct be_library *library,
                                    const struct be_fft_shape *shape, struct be_plan **plan,
                                    char version[BE_VERSION_BYTES], kn_error *err);

// Executes the plan; in the queue's profile as the library's name, and `what` behind it unless that is NULL.
kn_status ki_engine_library_execute(kn_queue *queue, const struct be_library *library, struct be_plan *plan,
                                    const char *what, union be_task task, kn_error *err);

// The queue's plan for products, prepared at the first call; what came of that is kept by the queue.
kn_status ki_engine_library_products(kn_queue *queue, const struct be_library *library, struct be_plan **plan,
                                     kn_error *err);
void ki_engine_library_close(kn_queue *queue);

#endif
