// SPDX-License-Identifier: Apache-2.0
// CLBlast, linked where configure found it.
#include "backend/blas.h"

#include <config.h>

#include "base/error.h"

#ifdef HAVE_CLBLAST

#include <stdlib.h>

#include "opencl.h" // before CLBlast's: it says which version of OpenCL is meant

#include <clblast_c.h>

struct be_blas {
    struct be_queue *queue;
};

static kn_status clblast_open(struct be_queue *queue, struct be_blas **blas, kn_error *err)
{
    struct be_blas *made = calloc(1, sizeof *made);

    if (!made)
        return kn_fail_memory(err, sizeof *made, "CLBlast");
    made->queue = queue;
    *blas = made;
    return KN_OK;
}

static void clblast_close(struct be_blas *blas)
{
    free(blas);
}

static float single(const double value[2])
{
    return (float)value[0];
}

static double twice(const double value[2])
{
    return value[0];
}

static cl_float2 single_pair(const double value[2])
{
    return (cl_float2){{(float)value[0], (float)value[1]}};
}

static cl_double2 double_pair(const double value[2])
{
    return (cl_double2){{value[0], value[1]}};
}

// One product, or a batch of them, in one of the four types.
#define GEMM(name, scalar)                                                                                   \
    static CLBlastStatusCode name(const struct be_product *p, const CLBlastTranspose *op,                    \
                                  cl_command_queue *queue, cl_event *event)                                  \
    {                                                                                                        \
        const struct be_matrix *a = &p->a, *b = &p->b, *c = &p->c;                                           \
                                                                                                             \
        if (p->batch == 1)                                                                                   \
            return CLBlast##name(CLBlastLayoutRowMajor, op[p->transpose_a], op[p->transpose_b], p->m, p->n,  \
                                 p->k, scalar(p->alpha), a->memory->memory, a->offset, a->pitch,             \
                                 b->memory->memory, b->offset, b->pitch, scalar(p->beta), c->memory->memory, \
                                 c->offset, c->pitch, queue, event);                                         \
        return CLBlast##name##StridedBatched(CLBlastLayoutRowMajor, op[p->transpose_a], op[p->transpose_b],  \
                                             p->m, p->n, p->k, scalar(p->alpha), a->memory->memory,          \
                                             a->offset, a->pitch, a->stride, b->memory->memory, b->offset,   \
                                             b->pitch, b->stride, scalar(p->beta), c->memory->memory,        \
                                             c->offset, c->pitch, c->stride, p->batch, queue, event);        \
    }
GEMM(Sgemm, single)
GEMM(Dgemm, twice)
GEMM(Cgemm, single_pair)
GEMM(Zgemm, double_pair)

static kn_status clblast_gemm(struct be_blas *blas, const struct be_product *product, struct be_event **event,
                              kn_error *err)
{
    static const CLBlastTranspose ops[BE_TRANSPOSES] = {CLBlastTransposeNo, CLBlastTransposeYes,
                                                        CLBlastTransposeConjugate};
    static CLBlastStatusCode (*const calls[2][2])(const struct be_product *, const CLBlastTranspose *,
                                                  cl_command_queue *,
                                                  cl_event *) = {{Sgemm, Dgemm}, {Cgemm, Zgemm}};
    cl_command_queue queue = blas->queue->queue;
    cl_event native = NULL;
    CLBlastStatusCode code;

    if (product->k == 0)
        return kn_fail(err, KN_ERROR_UNSUPPORTED,
                       "CLBlast multiplies no matrices of 0 columns (k = 0); take another library");
    code = calls[product->is_complex][product->fp64](product, ops, &queue, event ? &native : NULL);
    if (code == CLBlastSuccess)
        return opencl_event_give(native, event, err);
    // Below -1000 are its own numbers (clblast_c.h).
    if (code > -1000)
        return opencl_fail(err, (cl_int)code, blas->queue->context->spec, "CLBlast");
    kn_fail(err, KN_ERROR_DEVICE, "%s: CLBlast failed with %d (CLBlastStatusCode in clblast_c.h)",
            blas->queue->context->spec, (int)code);
    return kn_error_native(err, code, "CLBlast error");
}

const struct be_blas_library kn_be_clblast = {"CLBlast", clblast_open, clblast_gemm, clblast_close};

#else

static kn_status clblast_open(struct be_queue *queue, struct be_blas **blas, kn_error *err)
{
    (void)queue;
    (void)blas;
    return kn_fail(
        err, KN_ERROR_UNSUPPORTED,
        "this build of Koine is without CLBlast: install its headers (libclblast-dev) and configure again");
}

const struct be_blas_library kn_be_clblast = {"CLBlast", clblast_open, NULL, NULL};

#endif
