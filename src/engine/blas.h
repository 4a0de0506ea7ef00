// SPDX-License-Identifier: Apache-2.0
// The library of linear algebra that a queue's path to its device has: cuBLAS or CLBlast.
#ifndef KN_ENGINE_BLAS_H
#define KN_ENGINE_BLAS_H

#include "backend/blas.h"
#include "engine.h"

// The library that serves this path, whether it is there or not.
const struct be_blas_library *engine_blas_library(const kn_context *context);

// Opens it at the first call; what came of that is kept by the queue. KN_ERROR_UNSUPPORTED, in words, if it
// is not there.
kn_status engine_blas_open(kn_queue *queue, kn_error *err);

// The product, in the queue's profile too. engine_blas_open went well.
kn_status engine_blas_gemm(kn_queue *queue, const struct be_product *product, kn_error *err);

void engine_blas_close(kn_queue *queue);

#endif
