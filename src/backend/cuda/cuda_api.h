// SPDX-License-Identifier: Apache-2.0
// What Koine uses of NVIDIA's driver API and of NVRTC: the types, the numbers and the entry points, declared
// here so that no CUDA toolkit is needed to build. The entry points carry the suffixes that the libraries
// export; cuda.h hides those behind macros, and some names mean something else in another version.
#ifndef KN_BACKEND_CUDA_CUDA_API_H
#define KN_BACKEND_CUDA_CUDA_API_H

#include <stddef.h>

typedef int CUresult;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct CUuuid_st {
    unsigned char bytes[16];
} CUuuid;
typedef size_t (*CUoccupancyB2DSize)(int block);
typedef struct CUarray_st *CUarray;
typedef struct CUgraph_st *CUgraph;
typedef struct CUgraphExec_st *CUgraphExec;
typedef unsigned long long CUtexObject;
typedef unsigned long long CUsurfObject;

// An array of texels. Depth counts layers if Flags says so; a missing size is 0.
typedef struct CUDA_ARRAY3D_DESCRIPTOR_st {
    size_t Width, Height, Depth;
    unsigned Format;
    unsigned NumChannels;
    unsigned Flags;
} CUDA_ARRAY3D_DESCRIPTOR;

// The side of a copy that is read or written: memory or an array, and the place in it.
struct cuda_copy_side {
    size_t x_bytes, y, z, lod;
    unsigned memory_type;
    void *host;
    CUdeviceptr device;
    CUarray array;
    void *reserved;
    size_t pitch, height;
};
typedef struct CUDA_MEMCPY3D_st {
    struct cuda_copy_side from, to;
    size_t WidthInBytes, Height, Depth;
} CUDA_MEMCPY3D;

typedef struct CUDA_RESOURCE_DESC_st {
    unsigned resType;
    union {
        CUarray array;
        int reserved[32];
    } res;
    unsigned flags;
} CUDA_RESOURCE_DESC;

typedef struct CUDA_TEXTURE_DESC_st {
    unsigned addressMode[3];
    unsigned filterMode;
    unsigned flags;
    unsigned maxAnisotropy;
    unsigned mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    float borderColor[4];
    int reserved[12];
} CUDA_TEXTURE_DESC;

_Static_assert(sizeof(CUDA_ARRAY3D_DESCRIPTOR) == 40 && sizeof(CUDA_MEMCPY3D) == 200 &&
                   sizeof(CUDA_RESOURCE_DESC) == 144 && sizeof(CUDA_TEXTURE_DESC) == 104,
               "as the driver has them");

typedef int nvrtcResult;
typedef struct nvrtcProgram_st *nvrtcProgram;

enum {
    CUDA_SUCCESS = 0,
    CUDA_ERROR_INVALID_VALUE = 1,
    CUDA_ERROR_OUT_OF_MEMORY = 2,
    CUDA_ERROR_STUB_LIBRARY = 34,
    CUDA_ERROR_DEVICE_UNAVAILABLE = 46,
    CUDA_ERROR_NO_DEVICE = 100,
    CUDA_ERROR_INVALID_IMAGE = 200,
    CUDA_ERROR_NO_BINARY_FOR_GPU = 209,
    CUDA_ERROR_INVALID_PTX = 218,
    CUDA_ERROR_UNSUPPORTED_PTX_VERSION = 222,
    CUDA_ERROR_INVALID_SOURCE = 300,
    CUDA_ERROR_NOT_FOUND = 500,
    CUDA_ERROR_NOT_READY = 600,
    CUDA_ERROR_ILLEGAL_ADDRESS = 700,
    CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES = 701,
    CUDA_ERROR_LAUNCH_TIMEOUT = 702,
    CUDA_ERROR_ASSERT = 710,
    CUDA_ERROR_HARDWARE_STACK_ERROR = 714,
    CUDA_ERROR_ILLEGAL_INSTRUCTION = 715,
    CUDA_ERROR_MISALIGNED_ADDRESS = 716,
    CUDA_ERROR_INVALID_ADDRESS_SPACE = 717,
    CUDA_ERROR_INVALID_PC = 718,
    CUDA_ERROR_LAUNCH_FAILED = 719,
    CUDA_ERROR_SYSTEM_DRIVER_MISMATCH = 803
};

enum {
    CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 1,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK = 8,
    CU_DEVICE_ATTRIBUTE_WARP_SIZE = 10,
    CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT = 16,
    CU_DEVICE_ATTRIBUTE_COMPUTE_MODE = 20,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR = 75,
    CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR = 76,
    CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN = 97
};

enum { CU_JIT_MAX_REGISTERS = 0, CU_JIT_ERROR_LOG_BUFFER = 5, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6 };

enum { CU_COMPUTEMODE_PROHIBITED = 2 };

enum {
    CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK = 0,
    CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES = 1,
    CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES = 3,
    CU_FUNC_ATTRIBUTE_NUM_REGS = 4,
    CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES = 8
};

enum {
    CU_AD_FORMAT_UNSIGNED_INT8 = 1,
    CU_AD_FORMAT_UNSIGNED_INT16 = 2,
    CU_AD_FORMAT_UNSIGNED_INT32 = 3,
    CU_AD_FORMAT_SIGNED_INT8 = 8,
    CU_AD_FORMAT_SIGNED_INT16 = 9,
    CU_AD_FORMAT_SIGNED_INT32 = 10,
    CU_AD_FORMAT_HALF = 16,
    CU_AD_FORMAT_FLOAT = 32
};

enum { CUDA_ARRAY3D_LAYERED = 1, CUDA_ARRAY3D_SURFACE_LDST = 2 };
enum {
    CU_TR_ADDRESS_MODE_WRAP,
    CU_TR_ADDRESS_MODE_CLAMP,
    CU_TR_ADDRESS_MODE_MIRROR,
    CU_TR_ADDRESS_MODE_BORDER
};
enum { CU_TR_FILTER_MODE_POINT, CU_TR_FILTER_MODE_LINEAR };
enum { CU_TRSF_READ_AS_INTEGER = 1, CU_TRSF_NORMALIZED_COORDINATES = 2 };
enum { CU_RESOURCE_TYPE_ARRAY = 0 };
enum { CU_MEMORYTYPE_HOST = 1, CU_MEMORYTYPE_DEVICE = 2, CU_MEMORYTYPE_ARRAY = 3 };

enum { CU_STREAM_CAPTURE_MODE_RELAXED = 2 };
enum { CU_STREAM_NON_BLOCKING = 1, CU_EVENT_DEFAULT = 0, CU_MEMHOSTALLOC_PORTABLE = 1 };

// What every card supports (CUDA C++ Programming Guide, "Technical Specifications per Compute Capability").
#define CUDA_MAX_GRID_X       2147483647u
#define CUDA_MAX_GRID_YZ      65535u
#define CUDA_MAX_BLOCK_Z      64u
#define CUDA_MAX_BLOCK_XY     1024u
#define CUDA_SHARED_UNASKED   49152u // more dynamic shared memory than this has to be requested
#define CUDA_MAX_KERNEL_PARAM 4096u

// X(result, name, arguments)
#define CUDA_DRIVER_CALLS(X)                                                                                 \
    X(CUresult, cuInit, (unsigned flags))                                                                    \
    X(CUresult, cuDriverGetVersion, (int *version))                                                          \
    X(CUresult, cuGetErrorName, (CUresult code, const char **name))                                          \
    X(CUresult, cuDeviceGetCount, (int *count))                                                              \
    X(CUresult, cuDeviceGet, (CUdevice * device, int ordinal))                                               \
    X(CUresult, cuDeviceGetName, (char *name, int size, CUdevice device))                                    \
    X(CUresult, cuDeviceGetAttribute, (int *value, int attribute, CUdevice device))                          \
    X(CUresult, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device))                                      \
    X(CUresult, cuDeviceGetUuid_v2, (CUuuid * uuid, CUdevice device))                                        \
    X(CUresult, cuDeviceGetPCIBusId, (char *id, int size, CUdevice device))                                  \
    X(CUresult, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device))                            \
    X(CUresult, cuDevicePrimaryCtxRelease_v2, (CUdevice device))                                             \
    X(CUresult, cuCtxPushCurrent_v2, (CUcontext context))                                                    \
    X(CUresult, cuCtxPopCurrent_v2, (CUcontext * context))                                                   \
    X(CUresult, cuCtxGetDevice, (CUdevice * device))                                                         \
    X(CUresult, cuCtxSynchronize, (void))                                                                    \
    X(CUresult, cuStreamCreate, (CUstream * stream, unsigned flags))                                         \
    X(CUresult, cuStreamDestroy_v2, (CUstream stream))                                                       \
    X(CUresult, cuStreamSynchronize, (CUstream stream))                                                      \
    X(CUresult, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags))                         \
    X(CUresult, cuStreamGetCtx, (CUstream stream, CUcontext * context))                                      \
    X(CUresult, cuMemAlloc_v2, (CUdeviceptr * pointer, size_t bytes))                                        \
    X(CUresult, cuMemFree_v2, (CUdeviceptr pointer))                                                         \
    X(CUresult, cuMemHostAlloc, (void **pointer, size_t bytes, unsigned flags))                              \
    X(CUresult, cuMemFreeHost, (void *pointer))                                                              \
    X(CUresult, cuMemcpyHtoDAsync_v2, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream))     \
    X(CUresult, cuMemcpyDtoHAsync_v2, (void *to, CUdeviceptr from, size_t bytes, CUstream stream))           \
    X(CUresult, cuMemcpyDtoDAsync_v2, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream))     \
    X(CUresult, cuMemsetD8Async, (CUdeviceptr to, unsigned char value, size_t count, CUstream stream))       \
    X(CUresult, cuMemsetD16Async, (CUdeviceptr to, unsigned short value, size_t count, CUstream stream))     \
    X(CUresult, cuMemsetD32Async, (CUdeviceptr to, unsigned value, size_t count, CUstream stream))           \
    X(CUresult, cuArray3DCreate_v2, (CUarray * array, const CUDA_ARRAY3D_DESCRIPTOR *shape))                 \
    X(CUresult, cuArrayDestroy, (CUarray array))                                                             \
    X(CUresult, cuTexObjectCreate,                                                                           \
      (CUtexObject * texture, const CUDA_RESOURCE_DESC *resource, const CUDA_TEXTURE_DESC *how,              \
       const void *view))                                                                                    \
    X(CUresult, cuTexObjectDestroy, (CUtexObject texture))                                                   \
    X(CUresult, cuSurfObjectCreate, (CUsurfObject * surface, const CUDA_RESOURCE_DESC *resource))            \
    X(CUresult, cuSurfObjectDestroy, (CUsurfObject surface))                                                 \
    X(CUresult, cuMemcpy3DAsync_v2, (const CUDA_MEMCPY3D *copy, CUstream stream))                            \
    X(CUresult, cuModuleLoadData, (CUmodule * module, const void *image))                                    \
    X(CUresult, cuModuleLoadDataEx,                                                                          \
      (CUmodule * module, const void *image, unsigned count, int *options, void **values))                   \
    X(CUresult, cuModuleUnload, (CUmodule module))                                                           \
    X(CUresult, cuModuleGetFunction, (CUfunction * function, CUmodule module, const char *name))             \
    X(CUresult, cuModuleGetGlobal_v2,                                                                        \
      (CUdeviceptr * pointer, size_t * bytes, CUmodule module, const char *name))                            \
    X(CUresult, cuFuncGetAttribute, (int *value, int attribute, CUfunction function))                        \
    X(CUresult, cuFuncSetAttribute, (CUfunction function, int attribute, int value))                         \
    X(CUresult, cuOccupancyMaxPotentialBlockSize,                                                            \
      (int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of, size_t shared, int limit))  \
    X(CUresult, cuOccupancyMaxActiveBlocksPerMultiprocessor,                                                 \
      (int *groups, CUfunction function, int block, size_t shared))                                          \
    X(CUresult, cuLaunchKernel,                                                                              \
      (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,             \
       unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **params, void **extra))   \
    X(CUresult, cuEventCreate, (CUevent * event, unsigned flags))                                            \
    X(CUresult, cuEventDestroy_v2, (CUevent event))                                                          \
    X(CUresult, cuEventRecord, (CUevent event, CUstream stream))                                             \
    X(CUresult, cuEventQuery, (CUevent event))                                                               \
    X(CUresult, cuEventSynchronize, (CUevent event))                                                         \
    X(CUresult, cuEventElapsedTime, (float *milliseconds, CUevent start, CUevent end))

// What older drivers lack: graphs as of CUDA 11.4.
#define CUDA_GRAPH_CALLS(X)                                                                                  \
    X(CUresult, cuStreamBeginCapture_v2, (CUstream stream, int mode))                                        \
    X(CUresult, cuStreamEndCapture, (CUstream stream, CUgraph * graph))                                      \
    X(CUresult, cuGraphInstantiateWithFlags, (CUgraphExec * exec, CUgraph graph, unsigned long long flags))  \
    X(CUresult, cuGraphLaunch, (CUgraphExec exec, CUstream stream))                                          \
    X(CUresult, cuGraphExecDestroy, (CUgraphExec exec))                                                      \
    X(CUresult, cuGraphDestroy, (CUgraph graph))

#define CUDA_NVRTC_CALLS(X)                                                                                  \
    X(nvrtcResult, nvrtcVersion, (int *major, int *minor))                                                   \
    X(const char *, nvrtcGetErrorString, (nvrtcResult code))                                                 \
    X(nvrtcResult, nvrtcGetNumSupportedArchs, (int *count))                                                  \
    X(nvrtcResult, nvrtcGetSupportedArchs, (int *archs))                                                     \
    X(nvrtcResult, nvrtcCreateProgram,                                                                       \
      (nvrtcProgram * program, const char *text, const char *name, int header_count,                         \
       const char *const *headers, const char *const *header_names))                                         \
    X(nvrtcResult, nvrtcDestroyProgram, (nvrtcProgram * program))                                            \
    X(nvrtcResult, nvrtcCompileProgram,                                                                      \
      (nvrtcProgram program, int option_count, const char *const *options))                                  \
    X(nvrtcResult, nvrtcGetProgramLogSize, (nvrtcProgram program, size_t * bytes))                           \
    X(nvrtcResult, nvrtcGetProgramLog, (nvrtcProgram program, char *log))                                    \
    X(nvrtcResult, nvrtcGetCUBINSize, (nvrtcProgram program, size_t * bytes))                                \
    X(nvrtcResult, nvrtcGetCUBIN, (nvrtcProgram program, char *cubin))                                       \
    X(nvrtcResult, nvrtcGetPTXSize, (nvrtcProgram program, size_t * bytes))                                  \
    X(nvrtcResult, nvrtcGetPTX, (nvrtcProgram program, char *ptx))

enum { NVRTC_SUCCESS = 0, NVRTC_ERROR_OUT_OF_MEMORY = 1, NVRTC_ERROR_COMPILATION = 6 };

#endif
