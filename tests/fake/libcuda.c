// SPDX-License-Identifier: Apache-2.0
// A fake driver with one device (fake.h): device memory is the host's, copies are done at once, launches are
// recorded. Functions that release something do so even if they are told to fail, like the driver when it
// reports an older error.
#include "fake.h"

#include <pthread.h>
#include <stdbool.h>

#include "backend/cuda/cuda_api.h"

#define DEVICE_MEMORY ((size_t)1 << 30)
#define INVALID_VALUE 1
#define NO_CONTEXT    201
#define NOT_CAPTURED  900
#define MAX_DEPTH     64

struct CUctx_st {
    int fault; // sticky, as in the driver
};
struct CUstream_st {
    CUcontext context;
    CUgraph captures; // operations become its nodes; NULL: they are executed
};
struct CUevent_st {
    double at_ms;
};
struct CUfunc_st {
    char name[64];
    size_t sizes[FAKE_PARAMS];
    size_t count;
    int shared;
    int traps;
};
struct CUmod_st {
    struct CUfunc_st functions[8];
    size_t count;
    unsigned char *bank;
    size_t bank_bytes;
};

static struct fake_cuda state = {.occupancy = 256};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; // for the clock and the last launch
static struct CUctx_st primary;
static _Thread_local CUcontext stack[MAX_DEPTH];
static _Thread_local int depth;

struct fake_cuda *fake_cuda_state(void)
{
    state.depth = depth;
    return &state;
}

#define EXPORT_DECLARATION(result, name, arguments) result name arguments;
CUDA_DRIVER_CALLS(EXPORT_DECLARATION)
CUDA_GRAPH_CALLS(EXPORT_DECLARATION)

#define MAY_FAIL(name)                                                                                       \
    do {                                                                                                     \
        int failure = fake_failure(#name, &state.injected);                                                  \
        if (failure)                                                                                         \
            return failure;                                                                                  \
    } while (0)

// A context must be current, and none of its kernels have faulted.
#define NEEDS_CONTEXT(name)                                                                                  \
    MAY_FAIL(name);                                                                                          \
    do {                                                                                                     \
        int failure = current_fault();                                                                       \
        if (failure)                                                                                         \
            return failure;                                                                                  \
    } while (0)

static int current_fault(void)
{
    if (depth == 0) {
        state.without++;
        return NO_CONTEXT;
    }
    return stack[depth - 1]->fault;
}

// ---- devices ----

CUresult cuInit(unsigned flags)
{
    MAY_FAIL(cuInit);
    return flags ? INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuDriverGetVersion(int *version)
{
    MAY_FAIL(cuDriverGetVersion);
    *version = fake_number("FAKE_CUDA_DRIVER", 13000);
    return CUDA_SUCCESS;
}

CUresult cuGetErrorName(CUresult code, const char **name)
{
    MAY_FAIL(cuGetErrorName);
    *name = code == CUDA_ERROR_OUT_OF_MEMORY     ? "CUDA_ERROR_OUT_OF_MEMORY"
            : code == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                                 : "CUDA_ERROR_FAKE";
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetCount(int *count)
{
    MAY_FAIL(cuDeviceGetCount);
    *count = 1;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGet(CUdevice *device, int ordinal)
{
    MAY_FAIL(cuDeviceGet);
    *device = ordinal;
    return ordinal == 0 ? CUDA_SUCCESS : INVALID_VALUE;
}

CUresult cuDeviceGetName(char *name, int size, CUdevice device)
{
    MAY_FAIL(cuDeviceGetName);
    (void)device;
    snprintf(name, (size_t)size, "Fake H200");
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice device)
{
    const struct {
        int attribute, value;
    } known[] = {{CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, 1024},
                 {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 49152},
                 {CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN, 232448},
                 {CU_DEVICE_ATTRIBUTE_WARP_SIZE, 32},
                 {CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 132},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, fake_number("FAKE_CUDA_MODE", 0)},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, fake_number("FAKE_CUDA_ARCH", 90) / 10},
                 {CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, fake_number("FAKE_CUDA_ARCH", 90) % 10}};

    MAY_FAIL(cuDeviceGetAttribute);
    (void)device;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].attribute == attribute) {
            *value = known[i].value;
            return CUDA_SUCCESS;
        }
    return INVALID_VALUE;
}

CUresult cuDeviceTotalMem_v2(size_t *bytes, CUdevice device)
{
    MAY_FAIL(cuDeviceTotalMem_v2);
    (void)device;
    *bytes = DEVICE_MEMORY;
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetUuid_v2(CUuuid *uuid, CUdevice device)
{
    MAY_FAIL(cuDeviceGetUuid_v2);
    (void)device;
    for (unsigned char i = 0; i < 16; i++)
        uuid->bytes[i] = (unsigned char)(0xf0 + i);
    return CUDA_SUCCESS;
}

CUresult cuDeviceGetPCIBusId(char *id, int size, CUdevice device)
{
    MAY_FAIL(cuDeviceGetPCIBusId);
    (void)device;
    snprintf(id, (size_t)size, "0000:8F:00.0");
    return CUDA_SUCCESS;
}

// ---- contexts ----

// Releases an object, whatever is returned.
static CUresult ended(const char *call, void *memory)
{
    int code = fake_failure(call, &state.injected);

    free(memory);
    state.objects--;
    return code ? code : current_fault();
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice device)
{
    MAY_FAIL(cuDevicePrimaryCtxRetain);
    (void)device;
    *context = &primary;
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice device)
{
    int code = fake_failure("cuDevicePrimaryCtxRelease_v2", &state.injected);

    (void)device;
    state.objects--;
    primary.fault = 0; // a new primary context has no fault
    return code;
}

CUresult cuCtxPushCurrent_v2(CUcontext context)
{
    MAY_FAIL(cuCtxPushCurrent_v2);
    if (depth == MAX_DEPTH)
        return INVALID_VALUE;
    stack[depth++] = context;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent_v2(CUcontext *context)
{
    int code = fake_failure("cuCtxPopCurrent_v2", &state.injected);

    if (depth == 0)
        return NO_CONTEXT;
    *context = stack[--depth];
    return code;
}

// Functions that only applications call (doc/examples/cuda_embed.c), under the names in the headers of CUDA
// 12 and 13.
CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device);
CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned flags, CUdevice device);
CUresult cuCtxDestroy_v2(CUcontext context);

CUresult cuCtxCreate_v2(CUcontext *context, unsigned flags, CUdevice device)
{
    MAY_FAIL(cuCtxCreate_v2);
    (void)flags;
    if (device != 0 || depth == MAX_DEPTH)
        return INVALID_VALUE;
    *context = stack[depth++] = calloc(1, sizeof **context);
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate_v4(CUcontext *context, void *params, unsigned flags, CUdevice device)
{
    return params ? INVALID_VALUE : cuCtxCreate_v2(context, flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext context)
{
    if (depth > 0 && stack[depth - 1] == context)
        depth--;
    free(context);
    state.objects--;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device)
{
    NEEDS_CONTEXT(cuCtxGetDevice);
    *device = 0;
    return CUDA_SUCCESS;
}

CUresult cuCtxSynchronize(void)
{
    NEEDS_CONTEXT(cuCtxSynchronize);
    return CUDA_SUCCESS;
}

// ---- streams and events ----

#include "libcuda_graphs.h"

CUresult cuStreamCreate(CUstream *stream, unsigned flags)
{
    NEEDS_CONTEXT(cuStreamCreate);
    (void)flags;
    *stream = calloc(1, sizeof **stream);
    (*stream)->context = stack[depth - 1];
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuStreamDestroy_v2(CUstream stream)
{
    drop_graph(stream->captures);
    return ended("cuStreamDestroy_v2", stream);
}

CUresult cuStreamSynchronize(CUstream stream)
{
    NEEDS_CONTEXT(cuStreamSynchronize);
    return stream && stream->captures ? NOT_CAPTURED : CUDA_SUCCESS;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags)
{
    NEEDS_CONTEXT(cuStreamWaitEvent);
    (void)stream;
    (void)flags;
    return event ? CUDA_SUCCESS : INVALID_VALUE;
}

CUresult cuStreamGetCtx(CUstream stream, CUcontext *context)
{
    NEEDS_CONTEXT(cuStreamGetCtx);
    *context = stream->context;
    return CUDA_SUCCESS;
}

CUresult cuEventCreate(CUevent *event, unsigned flags)
{
    NEEDS_CONTEXT(cuEventCreate);
    (void)flags;
    *event = calloc(1, sizeof **event);
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuEventDestroy_v2(CUevent event)
{
    return ended("cuEventDestroy_v2", event);
}

CUresult cuEventRecord(CUevent event, CUstream stream)
{
    NEEDS_CONTEXT(cuEventRecord);
    if (stream && stream->captures)
        return NOT_CAPTURED;
    pthread_mutex_lock(&lock);
    state.now_ms += 0.001;
    event->at_ms = state.now_ms;
    pthread_mutex_unlock(&lock);
    return CUDA_SUCCESS;
}

CUresult cuEventQuery(CUevent event)
{
    NEEDS_CONTEXT(cuEventQuery);
    return event->at_ms > 0 ? CUDA_SUCCESS : INVALID_VALUE;
}

CUresult cuEventSynchronize(CUevent event)
{
    NEEDS_CONTEXT(cuEventSynchronize);
    return event->at_ms > 0 ? CUDA_SUCCESS : INVALID_VALUE;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end)
{
    NEEDS_CONTEXT(cuEventElapsedTime);
    *milliseconds = (float)(end->at_ms - start->at_ms);
    return CUDA_SUCCESS;
}

// ---- memory ----

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t bytes)
{
    NEEDS_CONTEXT(cuMemAlloc_v2);
    if (bytes == 0)
        return INVALID_VALUE;
    if (bytes > DEVICE_MEMORY)
        return CUDA_ERROR_OUT_OF_MEMORY;
    *pointer = (CUdeviceptr)(size_t)malloc(bytes);
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuMemFree_v2(CUdeviceptr pointer)
{
    return ended("cuMemFree_v2", (void *)(size_t)pointer);
}

CUresult cuMemHostAlloc(void **pointer, size_t bytes, unsigned flags)
{
    NEEDS_CONTEXT(cuMemHostAlloc);
    (void)flags;
    *pointer = malloc(bytes);
    state.objects++;
    return CUDA_SUCCESS;
}

CUresult cuMemFreeHost(void *pointer)
{
    return ended("cuMemFreeHost", pointer);
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, CUstream stream)
{
    NEEDS_CONTEXT(cuMemcpyHtoDAsync_v2);
    (void)stream;
    memcpy((void *)(size_t)to, from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    NEEDS_CONTEXT(cuMemcpyDtoHAsync_v2);
    (void)stream;
    memcpy(to, (const void *)(size_t)from, bytes);
    return CUDA_SUCCESS;
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)
{
    const struct fake_node node = {.to = to, .from = from, .bytes = bytes};

    NEEDS_CONTEXT(cuMemcpyDtoDAsync_v2);
    return capture_node(stream, &node) ? CUDA_SUCCESS : run_node(&node, stream);
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t count, CUstream stream)
{
    NEEDS_CONTEXT(cuMemsetD8Async);
    (void)stream;
    memset((void *)(size_t)to, value, count);
    return CUDA_SUCCESS;
}

CUresult cuMemsetD16Async(CUdeviceptr to, unsigned short value, size_t count, CUstream stream)
{
    NEEDS_CONTEXT(cuMemsetD16Async);
    (void)stream;
    for (size_t i = 0; i < count; i++)
        ((unsigned short *)(size_t)to)[i] = value;
    return CUDA_SUCCESS;
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned value, size_t count, CUstream stream)
{
    NEEDS_CONTEXT(cuMemsetD32Async);
    (void)stream;
    for (size_t i = 0; i < count; i++)
        ((unsigned *)(size_t)to)[i] = value;
    return CUDA_SUCCESS;
}

#include "libcuda_images.h"

// ---- programs ----

static CUfunction find(CUmodule module, const char *name)
{
    for (size_t i = 0; i < module->count; i++)
        if (strcmp(module->functions[i].name, name) == 0)
            return &module->functions[i];
    return NULL;
}

// A kernel of a rewritten program, KN_KERNEL(NAME) or KN_KERNEL_SIZED(NAME, ...): the sizes of its parameters
// are unknown, so they are not recorded.
static void read_wrapper(CUmodule module, const char *line)
{
    const char *end = line + strcspn(line, "\n");
    char name[50];

    if (*line == '#' || *line == '/')
        return;
    while (line < end && strncmp(line, "KN_KERNEL", 9) != 0)
        line++;
    if (line < end && sscanf(line + strcspn(line, "("), "(%49[A-Za-z0-9_]", name) == 1 && module->count < 8)
        snprintf(module->functions[module->count++].name, sizeof module->functions->name, "koine_%s", name);
}

static void read_line(CUmodule module, const char *line)
{
    char word[16] = "", name[64] = "";
    int used = 0, number = 0;
    struct CUfunc_st *function;

    if (sscanf(line, "//bank %d", &number) == 1) {
        module->bank_bytes = (size_t)number;
        module->bank = calloc(module->bank_bytes, 1);
        return;
    }
    if (sscanf(line, "//%15[a-z] %63s%n", word, name, &used) != 2)
        return;
    function = find(module, name);
    if (strcmp(word, "kernel") == 0 && module->count < 8) {
        function = &module->functions[module->count++];
        strcpy(function->name, name);
        for (int more; sscanf(line += used, "%d%n", &number, &more) == 1 && function->count < FAKE_PARAMS;
             used = more)
            function->sizes[function->count++] = (size_t)number;
    } else if (strcmp(word, "shared") == 0 && function) {
        function->shared = atoi(line + used);
    } else if (strcmp(word, "trap") == 0 && function) {
        function->traps = 1;
    }
}

CUresult cuModuleLoadData(CUmodule *module, const void *image)
{
    const char *text = image;
    int made_by = 0, made_for = 0, arch = fake_number("FAKE_CUDA_ARCH", 90);

    NEEDS_CONTEXT(cuModuleLoadData);
    if (sscanf(text, "\177ELF %d %d", &made_by, &made_for) != 2)
        return CUDA_ERROR_INVALID_IMAGE;
    if (made_by == fake_number("FAKE_CUDA_REFUSE", 0) || made_for / 10 != arch / 10 || made_for > arch)
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    *module = calloc(1, sizeof **module);
    for (const char *line = strchr(text, '\n'); line; line = strchr(line, '\n')) {
        read_line(*module, ++line);
        read_wrapper(*module, line);
    }
    state.objects++;
    return CUDA_SUCCESS;
}

#include "libcuda_ptx.h"

CUresult cuModuleUnload(CUmodule module)
{
    free(module->bank);
    return ended("cuModuleUnload", module);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module, const char *name)
{
    NEEDS_CONTEXT(cuModuleGetFunction);
    *function = find(module, name);
    return *function ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr *pointer, size_t *bytes, CUmodule module, const char *name)
{
    NEEDS_CONTEXT(cuModuleGetGlobal_v2);
    if (strcmp(name, "kn_bank") != 0 || !module->bank) {
        state.not_found++;
        return CUDA_ERROR_NOT_FOUND;
    }
    *pointer = (CUdeviceptr)(size_t)module->bank;
    *bytes = module->bank_bytes;
    return CUDA_SUCCESS;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction function)
{
    NEEDS_CONTEXT(cuFuncGetAttribute);
    *value = attribute == CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK ? 768
             : attribute == CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES   ? function->shared
             : attribute == CU_FUNC_ATTRIBUTE_NUM_REGS            ? 40
             : attribute == CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES    ? 24
                                                                  : -1;
    return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, int attribute, int value)
{
    NEEDS_CONTEXT(cuFuncSetAttribute);
    if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || value + function->shared > 232448)
        return INVALID_VALUE;
    state.dynamic_allowed = (size_t)value;
    return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function,
                                          CUoccupancyB2DSize shared_of, size_t shared, int limit)
{
    NEEDS_CONTEXT(cuOccupancyMaxPotentialBlockSize);
    (void)function;
    (void)shared_of;
    (void)shared;
    *grid = 132;
    *block = limit && limit < state.occupancy ? limit : state.occupancy;
    return CUDA_SUCCESS;
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void **params, void **extra)
{
    struct fake_node node = {.bytes = 0};
    struct fake_launch *last = &node.launch;
    size_t allowed = state.dynamic_allowed > 49152 ? state.dynamic_allowed : 49152;

    NEEDS_CONTEXT(cuLaunchKernel);
    if (extra || grid_x > CUDA_MAX_GRID_X || grid_y > CUDA_MAX_GRID_YZ || grid_z > CUDA_MAX_GRID_YZ ||
        block_z > CUDA_MAX_BLOCK_Z || (size_t)block_x * block_y * block_z > 1024 || shared > allowed ||
        !grid_x || !grid_y || !grid_z || !block_x || !block_y || !block_z)
        return INVALID_VALUE;
    strcpy(last->kernel, function->name);
    for (int d = 0; d < 3; d++) {
        last->grid[d] = (const unsigned[]){grid_x, grid_y, grid_z}[d];
        last->block[d] = (const unsigned[]){block_x, block_y, block_z}[d];
    }
    last->shared = shared;
    last->count = function->count;
    for (size_t i = 0; i < function->count; i++) {
        last->sizes[i] = function->sizes[i];
        memcpy(last->params[i], params[i], function->sizes[i]);
    }
    node.faults = function->traps ? stack[depth - 1] : NULL;
    return capture_node(stream, &node) ? CUDA_SUCCESS : run_node(&node, stream);
}
