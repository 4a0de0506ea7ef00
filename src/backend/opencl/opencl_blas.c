// SPDX-License-Identifier: Apache-2.0
// CLBlast, opened at run time, because it may be absent. Its types, numbers and entry points are declared
// here, so that its headers are not needed to build.
#include "backend/library.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "opencl.h"

typedef int CLBlastStatusCode;

enum { CLBlastSuccess = 0, CLBlastLayoutRowMajor = 101 };
typedef enum {
    CLBlastTransposeNo = 111,
    CLBlastTransposeYes = 112,
    CLBlastTransposeConjugate = 113
} CLBlastTranspose;

#define GEMM_ARGUMENTS(scalar)                                                                               \
    (int layout, CLBlastTranspose a_op, CLBlastTranspose b_op, size_t m, size_t n, size_t k, scalar alpha,   \
     cl_mem a, size_t a_offset, size_t a_pitch, cl_mem b, size_t b_offset, size_t b_pitch, scalar beta,      \
     cl_mem c, size_t c_offset, size_t c_pitch, cl_command_queue *queue, cl_event *event)
#define BATCH_ARGUMENTS(scalar)                                                                              \
    (int layout, CLBlastTranspose a_op, CLBlastTranspose b_op, size_t m, size_t n, size_t k, scalar alpha,   \
     cl_mem a, size_t a_offset, size_t a_pitch, size_t a_stride, cl_mem b, size_t b_offset, size_t b_pitch,  \
     size_t b_stride, scalar beta, cl_mem c, size_t c_offset, size_t c_pitch, size_t c_stride, size_t count, \
     cl_command_queue *queue, cl_event *event)

// X(name, arguments)
#define CLBLAST_CALLS(X)                                                                                     \
    X(CLBlastSgemm, GEMM_ARGUMENTS(float))                                                                   \
    X(CLBlastDgemm, GEMM_ARGUMENTS(double))                                                                  \
    X(CLBlastCgemm, GEMM_ARGUMENTS(cl_float2))                                                               \
    X(CLBlastZgemm, GEMM_ARGUMENTS(cl_double2))                                                              \
    X(CLBlastSgemmStridedBatched, BATCH_ARGUMENTS(float))                                                    \
    X(CLBlastDgemmStridedBatched, BATCH_ARGUMENTS(double))                                                   \
    X(CLBlastCgemmStridedBatched, BATCH_ARGUMENTS(cl_float2))                                                \
    X(CLBlastZgemmStridedBatched, BATCH_ARGUMENTS(cl_double2))

#define CLBLAST_MEMBER(name, arguments) CLBlastStatusCode(*name) arguments;
struct clblast {
    CLBLAST_CALLS(CLBLAST_MEMBER)
};

#define CLBLAST_SYMBOL(name, arguments) {#name, offsetof(struct clblast, name)},
static const struct opencl_symbol symbols[] = {CLBLAST_CALLS(CLBLAST_SYMBOL)};

struct be_plan {
    struct clblast clblast;
};

static kn_status load(struct clblast *clblast, kn_error *err)
{
    char why[OPENCL_WHY_BYTES];

    if (!ki_opencl_library_load("libclblast.so.1", "libclblast1", clblast, symbols, KI_COUNT(symbols), why))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "CLBlast: %s", why);
    return KN_OK;
}

static kn_status clblast_find(kn_error *err)
{
    struct clblast clblast;

    return load(&clblast, err);
}

static kn_status clblast_prepare(struct be_queue *queue, const struct be_fft_shape *shape,
                                 struct be_plan **plan, char version[BE_VERSION_BYTES], kn_error *err)
{
    struct be_plan *made = calloc(1, sizeof *made);
    kn_status status = made ? load(&made->clblast, err) : ki_fail_memory(err, sizeof *made, "CLBlast");

    (void)queue;
    (void)shape;
    if (status) {
        free(made);
        return status;
    }
    version[0] = '\0';
    *plan = made;
    return KN_OK;
}

static void clblast_free(struct be_plan *plan)
{
    free(plan);
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
    static CLBlastStatusCode name(const struct clblast *clblast, const struct be_product *p,                 \
                                  const CLBlastTranspose *op, cl_command_queue *queue, cl_event *event)      \
    {                                                                                                        \
        const struct be_matrix *a = &p->a, *b = &p->b, *c = &p->c;                                           \
                                                                                                             \
        if (p->batch == 1)                                                                                   \
            return clblast->CLBlast##name(CLBlastLayoutRowMajor, op[p->transpose_a], op[p->transpose_b],     \
                                          p->m, p->n, p->k, scalar(p->alpha), a->memory->memory, a->offset,  \
                                          a->pitch, b->memory->memory, b->offset, b->pitch, scalar(p->beta), \
                                          c->memory->memory, c->offset, c->pitch, queue, event);             \
        return clblast->CLBlast##name##StridedBatched(                                                       \
            CLBlastLayoutRowMajor, op[p->transpose_a], op[p->transpose_b], p->m, p->n, p->k,                 \
            scalar(p->alpha), a->memory->memory, a->offset, a->pitch, a->stride, b->memory->memory,          \
            b->offset, b->pitch, b->stride, scalar(p->beta), c->memory->memory, c->offset, c->pitch,         \
            c->stride, p->batch, queue, event);                                                              \
    }
GEMM(Sgemm, single)
GEMM(Dgemm, twice)
GEMM(Cgemm, single_pair)
GEMM(Zgemm, double_pair)

static kn_status clblast_execute(struct be_queue *queue, struct be_plan *plan, union be_task task,
                                 struct be_event **event, kn_error *err)
{
    const struct be_product *product = task.product;
    static const CLBlastTranspose ops[BE_TRANSPOSES] = {CLBlastTransposeNo, CLBlastTransposeYes,
                                                        CLBlastTransposeConjugate};
    static CLBlastStatusCode (*const calls[2][2])(const struct clblast *, const struct be_product *,
                                                  const CLBlastTranspose *, cl_command_queue *,
                                                  cl_event *) = {{Sgemm, Dgemm}, {Cgemm, Zgemm}};
    struct opencl_work work;
    CLBlastStatusCode code;
    kn_status status;

    if (product->k == 0)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "CLBlast multiplies no matrices of 0 columns (k = 0); take another library");
    status = ki_opencl_work_begin(&work, queue, event != NULL, err);
    if (status)
        return status;
    code = calls[product->is_complex][product->fp64](&plan->clblast, product, ops, &queue->queue,
                                                     ki_opencl_work_last(&work));
    if (code == CLBlastSuccess)
        return ki_opencl_work_end(&work, event, err);
    ki_opencl_work_abandon(&work);
    // Codes below -1000 are its own (clblast_c.h).
    if (code > -1000)
        return ki_opencl_fail(err, (cl_int)code, queue->context->spec, "CLBlast");
    ki_fail(err, KN_ERROR_DEVICE, "%s: CLBlast failed with %d (CLBlastStatusCode in clblast_c.h)",
            queue->context->spec, (int)code);
    return ki_error_native(err, code, "CLBlast error");
}

const struct be_library ki_be_clblast = {
    .name = "CLBlast",
    .field = BE_PRODUCTS,
    .path = &ki_backend_opencl,
    .find = clblast_find,
    .prepare = clblast_prepare,
    .execute = clblast_execute,
    .free = clblast_free,
};
