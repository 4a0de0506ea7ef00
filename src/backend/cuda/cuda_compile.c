// SPDX-License-Identifier: Apache-2.0
#include "cuda_compile.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

const char *ki_cuda_policy_options(kn_policy policy, bool contract_off)
{
    static const char *const options[][2] = {
        [KN_POLICY_DEFAULT] = {"--fmad=true --prec-div=false --prec-sqrt=false",
                               "--fmad=false --prec-div=false --prec-sqrt=false"},
        [KN_POLICY_STRICT] = {"--fmad=false --prec-div=true --prec-sqrt=true",
                              "--fmad=false --prec-div=true --prec-sqrt=true"},
        [KN_POLICY_FAST] = {"--use_fast_math", "--use_fast_math --fmad=false"},
    };

    return options[(size_t)policy < KI_COUNT(options) ? policy : KN_POLICY_DEFAULT][contract_off];
}

// Always passed. The suppressed warnings are those that OpenCL C programs get when read as C++: unused
// declarations (177, 550), code after a return (111, 128), jumps past a declaration (546), string constants
// as char * (2464).
static const char always[] =
    "--std=c++17 --device-as-default-execution-space -diag-suppress=111,128,177,546,550,2464";

static kn_status fail(const struct cuda_nvrtc *nvrtc, nvrtcResult code, const char *call, kn_error *err)
{
    const char *name = nvrtc->nvrtcGetErrorString(code);
    kn_status status = code == NVRTC_ERROR_OUT_OF_MEMORY ? KN_ERROR_MEMORY
                       : code == NVRTC_ERROR_COMPILATION ? KN_ERROR_BUILD
                                                         : KN_ERROR_DEVICE;

    ki_fail(err, status, "NVRTC %d.%d: %s: %s (%d)", nvrtc->major, nvrtc->minor, call, name ? name : "error",
            code);
    ki_error_native(err, code, name ? name : "");
    return status;
}

struct words {
    char *text;
    const char **items;
    size_t count, capacity;
};

static void words_free(struct words *words)
{
    free(words->items);
    free(words->text);
}

// Since 12.9 NVRTC caches its output next to the driver's, without the requested report.
static const char *ask_anew(const struct cuda_nvrtc *nvrtc, const char *options)
{
    bool keeps = nvrtc->major > 12 || (nvrtc->major == 12 && nvrtc->minor >= 9);

    return keeps && strstr(options, "--ptxas-options=-v") ? "--no-cache" : "";
}

// Since 12.4 NVRTC may omit its declarations of textures and surfaces, which only images need
// (cl/cuda/image.cuh), and of the runtime: they take a sixth of the time of an empty program.
static const char *leave_out(const struct cuda_nvrtc *nvrtc, const char *text)
{
    bool can = nvrtc->major > 12 || (nvrtc->major == 12 && nvrtc->minor >= 4);

    return can && !strstr(text, "::tex2D") ? "--minimal" : "";
}

// The command line for this text: `always`, the architecture, and `options`.
static kn_status words_make(const struct cuda_nvrtc *nvrtc, struct words *words, const char *text,
                            const char *options, int arch, kn_error *err)
{
    size_t size = sizeof always + strlen(options) + 64;
    char *rest = NULL;

    memset(words, 0, sizeof *words);
    words->text = malloc(size);
    if (!words->text)
        return ki_fail_memory(err, size, "compiling a program");
    snprintf(words->text, size, "--gpu-architecture=sm_%d %s %s %s %s", arch, always, options,
             ask_anew(nvrtc, options), leave_out(nvrtc, text));
    for (char *word = strtok_r(words->text, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        if (!KI_ARRAY_PUSH(words->items, words->count, words->capacity, word)) {
            words_free(words);
            return ki_fail_memory(err, 0, "compiling a program");
        }
    return KN_OK;
}

// The compiler's output; "" if there is none or it cannot be had.
static char *take_log(const struct cuda_nvrtc *nvrtc, nvrtcProgram program, nvrtcResult *code,
                      const char **call)
{
    size_t size = 0;
    char *log;

    *call = "nvrtcGetProgramLogSize";
    *code = nvrtc->nvrtcGetProgramLogSize(program, &size);
    log = calloc(*code == NVRTC_SUCCESS ? size + 1 : 1, 1);
    if (log && *code == NVRTC_SUCCESS && size > 0) {
        *call = "nvrtcGetProgramLog";
        *code = nvrtc->nvrtcGetProgramLog(program, log);
        if (*code != NVRTC_SUCCESS)
            log[0] = '\0';
    }
    return log;
}

// The compiler's result: machine code, or PTX with its end.
static kn_status take_code(const struct cuda_nvrtc *nvrtc, nvrtcProgram program, bool ptx,
                           struct cuda_cubin *cubin, kn_error *err)
{
    size_t size = 0;
    nvrtcResult code =
        ptx ? nvrtc->nvrtcGetPTXSize(program, &size) : nvrtc->nvrtcGetCUBINSize(program, &size);
    char *data;

    if (code != NVRTC_SUCCESS)
        return fail(nvrtc, code, ptx ? "nvrtcGetPTXSize" : "nvrtcGetCUBINSize", err);
    data = calloc(size + 1, 1);
    if (!data)
        return ki_fail_memory(err, size, "a compiled program");
    code = ptx ? nvrtc->nvrtcGetPTX(program, data) : nvrtc->nvrtcGetCUBIN(program, data);
    if (code != NVRTC_SUCCESS) {
        free(data);
        return fail(nvrtc, code, ptx ? "nvrtcGetPTX" : "nvrtcGetCUBIN", err);
    }
    cubin->data = data;
    cubin->bytes = size;
    return KN_OK;
}

static kn_status compile(const struct cuda_nvrtc *nvrtc, const char *text, const char *options, int arch,
                         bool ptx, struct cuda_cubin *cubin, char **log, kn_error *err)
{
    nvrtcProgram program = NULL;
    struct words words;
    nvrtcResult compiled, said;
    const char *call;
    kn_status status = words_make(nvrtc, &words, text, options, arch, err);

    *log = NULL;
    if (status)
        return status;
    compiled = nvrtc->nvrtcCreateProgram(&program, text, "program.cu", 0, NULL, NULL);
    if (compiled != NVRTC_SUCCESS) {
        words_free(&words);
        return fail(nvrtc, compiled, "nvrtcCreateProgram", err);
    }
    compiled = nvrtc->nvrtcCompileProgram(program, (int)words.count, words.items);
    words_free(&words);
    *log = take_log(nvrtc, program, &said, &call);
    if (compiled != NVRTC_SUCCESS)
        status = fail(nvrtc, compiled, "nvrtcCompileProgram", err);
    else if (!*log)
        status = ki_fail_memory(err, 0, "a compiler's messages");
    else if (said != NVRTC_SUCCESS)
        status = fail(nvrtc, said, call, err);
    else
        status = take_code(nvrtc, program, ptx, cubin, err);
    (void)nvrtc->nvrtcDestroyProgram(&program);
    return status;
}

kn_status ki_cuda_compile(const struct cuda_nvrtc *nvrtc, const char *text, const char *options, int arch,
                          struct cuda_cubin *cubin, char **log, kn_error *err)
{
    return compile(nvrtc, text, options, arch, false, cubin, log, err);
}

kn_status ki_cuda_compile_ptx(const struct cuda_nvrtc *nvrtc, const char *text, const char *options, int arch,
                              char **ptx, kn_error *err)
{
    struct cuda_cubin code = {NULL, 0};
    char *log = NULL;
    kn_status status = compile(nvrtc, text, options, arch, true, &code, &log, err);

    free(log);
    if (!status)
        *ptx = code.data;
    return status;
}
