// SPDX-License-Identifier: Apache-2.0
// The CUDA backend: programs from NVRTC or from the cache, and their kernels.
#define _GNU_SOURCE // memmem
#include "cuda.h"
#include "cuda_ptx.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/ptx.h"
#include "source/source.h"

#define BANK_SYMBOL "kn_bank"

struct be_program {
    struct be_context *context;
    struct cuda_cubin cubin;
    CUmodule module;
    bool has_bank;
    unsigned max_registers; // with which it was compiled; 0: no limit
};

// A driver's errors for a cubin made for another card or by another version's compiler.
static bool is_refusal(CUresult code)
{
    static const CUresult codes[] = {CUDA_ERROR_INVALID_IMAGE, CUDA_ERROR_NO_BINARY_FOR_GPU,
                                     CUDA_ERROR_INVALID_PTX, CUDA_ERROR_UNSUPPORTED_PTX_VERSION,
                                     CUDA_ERROR_INVALID_SOURCE};

    for (size_t i = 0; i < KI_COUNT(codes); i++)
        if (codes[i] == code)
            return true;
    return false;
}

// Whether the module has a constant bank; then `bank` and `bytes` say where. The driver is asked only if the
// name occurs in the binary: compute-sanitizer reports a request for a missing symbol as an error of the
// application.
static struct cuda_outcome find_bank(const struct cuda_driver *cu, CUmodule module, bool stands_there,
                                     CUdeviceptr *bank, size_t *bytes)
{
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};

    *bank = 0;
    *bytes = 0;
    if (stands_there)
        outcome = CUDA_DO(cu, cuModuleGetGlobal_v2, bank, bytes, module, BANK_SYMBOL);
    if (outcome.code == CUDA_ERROR_NOT_FOUND)
        outcome.code = CUDA_SUCCESS;
    return outcome;
}

static bool names_bank(const struct cuda_cubin *cubin)
{
    return memmem(cubin->data, cubin->bytes, BANK_SYMBOL,
                  sizeof BANK_SYMBOL); // as a whole word: with its NUL
}

// Takes over the cubin's data on success. `outcome` is the result of loading.
static kn_status program_create(struct be_context *context, struct cuda_cubin *cubin,
                                struct be_program **program, struct cuda_outcome *outcome, kn_error *err)
{
    const struct cuda_driver *cu = &context->cu;
    struct be_program *made = calloc(1, sizeof *made);
    CUdeviceptr bank = 0;
    size_t bank_bytes = 0;
    kn_status status =
        made ? ki_cuda_enter(context, err) : ki_fail_memory(err, sizeof *made, "a CUDA program");

    if (status) {
        free(made);
        return status;
    }
    made->context = context;
    *outcome = CUDA_DO(cu, cuModuleLoadData, &made->module, cubin->data);
    if (!outcome->code) {
        *outcome = find_bank(cu, made->module, names_bank(cubin), &bank, &bank_bytes);
        if (outcome->code)
            (void)cu->cuModuleUnload(made->module);
    }
    ki_cuda_leave(context);
    if (outcome->code) {
        free(made);
        return ki_cuda_fail(err, cu, context->spec, *outcome, "loading a compiled program");
    }
    made->has_bank = bank_bytes > 0;
    made->cubin = *cubin;
    *cubin = (struct cuda_cubin){NULL, 0};
    *program = made;
    return KN_OK;
}

// One attempt with one NVRTC. `refused`: the driver does not accept this compiler's output; another may do.
static kn_status build_with(struct be_context *context, const struct cuda_nvrtc *nvrtc, const char *source,
                            const char *options, struct be_program **program, char **log, bool *refused,
                            kn_error *err)
{
    struct cuda_cubin cubin = {NULL, 0};
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};
    int arch = ki_cuda_nvrtc_arch(nvrtc, context->arch);
    kn_status status;

    *refused = false;
    if (!arch) {
        *refused = true;
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: NVRTC %d.%d knows no sm_%d", context->spec,
                       nvrtc->major, nvrtc->minor, context->arch);
    }
    status = ki_cuda_compile(nvrtc, source, options, arch, &cubin, log, err);
    if (!status)
        status = program_create(context, &cubin, program, &outcome, err);
    *refused = is_refusal(outcome.code);
    free(cubin.data);
    return status;
}

// The value of --maxrregcount; 0: none.
static unsigned register_limit(const char *options)
{
    static const char option[] = "--maxrregcount=";
    const char *found = options ? strstr(options, option) : NULL;

    return found ? (unsigned)strtoul(found + sizeof option - 1, NULL, 10) : 0;
}

kn_status ki_cuda_program_build(struct be_context *context, const char *source, const char *options,
                                struct be_program **program, char **log, kn_error *err)
{
    char why[CUDA_WHY_BYTES];
    int newest = context->cuda_major;
    bool refused = false;
    kn_error first = KN_ERROR_INIT;
    kn_status status = KN_ERROR_UNSUPPORTED;

    *log = NULL;
    do {
        struct cuda_nvrtc nvrtc;
        kn_error reason = KN_ERROR_INIT;

        if (!ki_cuda_nvrtc_load(&nvrtc, newest, why))
            break;
        free(*log);
        *log = NULL;
        status = build_with(context, &nvrtc, source, options, program, log, &refused, &reason);
        newest = nvrtc.major - 1;
        ki_cuda_nvrtc_unload(&nvrtc);
        if (!status) {
            (*program)->max_registers = register_limit(options);
            return KN_OK;
        }
        if (!first.code)
            first = reason;
    } while (refused);

    if (!first.code)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: %s", context->spec, why);
    if (refused)
        ki_fail(err, first.code, "%s; and there is no older NVRTC that serves it better", first.text);
    else
        ki_fail(err, first.code, "%s", first.text);
    ki_error_native(err, first.native, first.native_name);
    return first.code;
}

kn_status ki_cuda_program_load(struct be_context *context, const void *binary, size_t bytes,
                               const char *options, struct be_program **program, kn_error *err)
{
    static const unsigned char magic[4] = {0x7f, 'E', 'L', 'F'};
    struct cuda_cubin cubin = {NULL, bytes};
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};
    kn_status status;

    if (bytes < sizeof magic || memcmp(binary, magic, sizeof magic) != 0) // the driver is not told the length
        return ki_fail(err, KN_ERROR_INPUT, "%s: loading a cached program: it is not a cubin", context->spec);
    cubin.data = malloc(bytes);
    if (!cubin.data)
        return ki_fail_memory(err, bytes, "a compiled program");
    memcpy(cubin.data, binary, bytes);
    status = program_create(context, &cubin, program, &outcome, err);
    if (!status)
        (*program)->max_registers = register_limit(options);
    free(cubin.data);
    return status;
}

kn_status ki_cuda_program_ptx(struct be_program *program, const char *source, const char *options, char **ptx,
                              kn_error *err)
{
    const struct be_context *context = program->context;
    char why[CUDA_WHY_BYTES];
    struct cuda_nvrtc nvrtc;
    kn_status status;
    int arch;

    if (!ki_cuda_nvrtc_load(&nvrtc, context->cuda_major, why))
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: %s", context->spec, why);
    arch = ki_cuda_nvrtc_arch(&nvrtc, context->arch);
    status = arch ? ki_cuda_compile_ptx(&nvrtc, source, options, arch, ptx, err)
                  : ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: NVRTC %d.%d knows no sm_%d", context->spec,
                            nvrtc.major, nvrtc.minor, context->arch);
    ki_cuda_nvrtc_unload(&nvrtc);
    return status;
}

kn_status ki_cuda_program_binary(struct be_program *program, void **binary, size_t *bytes, kn_error *err)
{
    void *copy = malloc(program->cubin.bytes);

    if (!copy)
        return ki_fail_memory(err, program->cubin.bytes, "a program's binary");
    memcpy(copy, program->cubin.data, program->cubin.bytes);
    *binary = copy;
    *bytes = program->cubin.bytes;
    return KN_OK;
}

void ki_cuda_program_free(struct be_program *program)
{
    struct be_context *context = program->context;
    bool entered = ki_cuda_enter_to_free(context);

    (void)context->cu.cuCtxSynchronize(); // its kernels may still run
    (void)context->cu.cuModuleUnload(program->module);
    if (entered)
        ki_cuda_leave(context);
    free(program->cubin.data);
    free(program);
}

// ---- kernels ----

static void kernel_destroy(struct be_kernel *kernel)
{
    if (kernel->instance) {
        (void)kernel->context->cu.cuCtxSynchronize();
        (void)kernel->context->cu.cuModuleUnload(kernel->instance);
    }
    free(kernel->slots);
    free(kernel);
}

// The PTX that replaces the kernel, as a separate module. `said` receives the messages of the driver's ptxas
// about PTX that it refuses.
static struct cuda_outcome load_ptx(struct be_kernel *kernel, const struct cuda_ptx *ptx,
                                    unsigned max_registers, char *said, size_t size)
{
    int options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES, CU_JIT_MAX_REGISTERS};
    void *values[] = {said, (void *)size, (void *)(size_t)max_registers};

    return CUDA_DO(&kernel->context->cu, cuModuleLoadDataEx, &kernel->instance, ptx->text,
                   max_registers ? 3 : 2, options, values);
}

// Fills in `kernel` from the program, or from the PTX that replaces it; its context is current.
static struct cuda_outcome kernel_open(struct be_kernel *kernel, const struct be_program *program,
                                       const struct cuda_ptx *ptx, char *said, size_t size)
{
    const struct cuda_driver *cu = &kernel->context->cu;
    bool has_bank = ptx ? ptx->has_bank : program->has_bank;
    struct cuda_outcome outcome = {CUDA_SUCCESS, ""};
    char symbol[512];
    int shared = 0;

    if (ptx)
        outcome = load_ptx(kernel, ptx, program->max_registers, said, size);
    else if (has_bank)
        outcome = CUDA_DO(cu, cuModuleLoadData, &kernel->instance, program->cubin.data);
    if (!outcome.code && has_bank)
        outcome = find_bank(cu, kernel->instance, true, &kernel->bank, &kernel->bank_bytes);
    snprintf(symbol, sizeof symbol, KI_PTX_KERNEL_PREFIX "%s", kernel->source->name);
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuModuleGetFunction, &kernel->function,
                          kernel->instance ? kernel->instance : program->module, ptx ? ptx->symbol : symbol);
    if (!outcome.code)
        outcome =
            CUDA_DO(cu, cuFuncGetAttribute, &shared, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel->function);
    kernel->static_shared = (size_t)shared;
    kernel->dynamic_asked =
        CUDA_SHARED_UNASKED > kernel->static_shared ? CUDA_SHARED_UNASKED - kernel->static_shared : 0;
    kernel->is_opencl = ptx && !ptx->is_koine;
    kernel->arena_bytes = kernel->is_opencl ? 0 : kernel->source->cuda.arena_bytes;
    return outcome;
}

static const struct cuda_ptx *substitute_of(const struct be_context *context, const char *kernel)
{
    return context->substitute && strcmp(context->substitute->kernel, kernel) == 0 ? context->substitute
                                                                                   : NULL;
}

kn_status ki_cuda_kernel_get(struct be_program *program, const kn_source_kernel *source,
                             struct be_kernel **kernel, kn_error *err)
{
    struct be_context *context = program->context;
    const struct cuda_ptx *ptx = substitute_of(context, source->name);
    struct be_kernel *made;
    struct cuda_outcome outcome;
    char what[160], said[4096] = "";
    kn_status status = ptx ? ki_cuda_ptx_check(ptx, source, context->spec, err) : KN_OK;

    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a CUDA kernel");
    if (ptx ? ptx->has_bank : program->has_bank) {
        made->slots = calloc(source->param_count + 1, sizeof *made->slots);
        if (!made->slots) {
            free(made);
            return ki_fail_memory(err, (source->param_count + 1) * sizeof *made->slots, "a CUDA kernel");
        }
    }
    made->context = context;
    made->source = source;
    status = ki_cuda_enter(context, err);
    if (status) {
        free(made->slots);
        free(made);
        return status;
    }
    outcome = kernel_open(made, program, ptx, said, sizeof said);
    if (outcome.code) {
        snprintf(what, sizeof what, "getting kernel %s", source->name);
        status = ki_cuda_fail(err, &context->cu, context->spec, outcome, what);
        if (ptx && is_refusal(outcome.code))
            status = ki_fail(err, KN_ERROR_INPUT, "%s: the driver does not take the PTX for kernel %s: %s",
                             context->spec, source->name,
                             *said ? said : ki_cuda_error_name(&context->cu, outcome.code));
        kernel_destroy(made);
    } else {
        *kernel = made;
    }
    ki_cuda_leave(context);
    return status;
}

kn_status ki_cuda_kernel_limits(struct be_kernel *kernel, struct be_kernel_limits *limits, kn_error *err)
{
    struct be_context *context = kernel->context;
    const struct cuda_driver *cu = &context->cu;
    int threads = 0, warp = 0;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    outcome =
        CUDA_DO(cu, cuFuncGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, kernel->function);
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuDeviceGetAttribute, &warp, CU_DEVICE_ATTRIBUTE_WARP_SIZE, context->device);
    ki_cuda_leave(context);
    if (outcome.code)
        return ki_cuda_fail(err, cu, context->spec, outcome, "asking for a kernel's limits");
    *limits =
        (struct be_kernel_limits){(size_t)threads, (size_t)warp, kernel->static_shared + kernel->arena_bytes};
    return KN_OK;
}

kn_status ki_cuda_kernel_resources(struct be_kernel *kernel, struct be_kernel_resources *resources,
                                   kn_error *err)
{
    struct be_context *context = kernel->context;
    const struct cuda_driver *cu = &context->cu;
    int registers = 0, local = 0, groups = 0;
    struct cuda_outcome outcome;
    kn_status status = ki_cuda_enter(context, err);

    if (status)
        return status;
    outcome = CUDA_DO(cu, cuFuncGetAttribute, &registers, CU_FUNC_ATTRIBUTE_NUM_REGS, kernel->function);
    if (!outcome.code)
        outcome =
            CUDA_DO(cu, cuFuncGetAttribute, &local, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, kernel->function);
    if (!outcome.code)
        outcome = CUDA_DO(cu, cuOccupancyMaxActiveBlocksPerMultiprocessor, &groups, kernel->function,
                          (int)resources->group_items, kernel->arena_bytes + resources->local_bytes);
    ki_cuda_leave(context);
    if (outcome.code)
        return ki_cuda_fail(err, cu, context->spec, outcome, "asking what a kernel takes");
    resources->registers = registers;
    resources->private_bytes = local;
    resources->groups = groups;
    return KN_OK;
}

kn_status ki_cuda_ptx_substitute(struct be_context *context, const char *kernel, const char *ptx,
                                 kn_error *err)
{
    struct cuda_ptx *read = NULL;
    kn_status status = ki_cuda_ptx_read(context->spec, kernel, ptx, &read, err);

    if (status)
        return status;
    ki_cuda_ptx_free(context->substitute);
    context->substitute = read;
    return KN_OK;
}

void ki_cuda_kernel_free(struct be_kernel *kernel)
{
    struct be_context *context = kernel->context;
    bool entered = ki_cuda_enter_to_free(context);

    kernel_destroy(kernel);
    if (entered)
        ki_cuda_leave(context);
}
