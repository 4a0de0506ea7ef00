// SPDX-License-Identifier: Apache-2.0
// A fake NVRTC of the version FAKE_NVRTC_MAJOR (fake.h). Its cubins are an ELF magic number, a line with the
// version and the architecture, and the text.
#include "fake.h"

#include "backend/cuda/cuda_api.h"

struct nvrtcProgram_st {
    char *text;
    char *cubin;
    size_t bytes;
    const char *log;
};

static struct fake_nvrtc state;

struct fake_nvrtc *fake_nvrtc_state(void)
{
    return &state;
}

#define MAY_FAIL(name)                                                                                       \
    do {                                                                                                     \
        int failure = fake_failure(#name, &state.injected);                                                  \
        if (failure)                                                                                         \
            return failure;                                                                                  \
    } while (0)

#define EXPORT_DECLARATION(result, name, arguments) result name arguments;
CUDA_NVRTC_CALLS(EXPORT_DECLARATION)

static int parse_archs(int *archs)
{
    const char *list = getenv("FAKE_NVRTC_ARCHS");
    int count = 0;

    if (!list)
        list = "75 80 86 90 100";
    for (char *end; *list; list = end) {
        long arch = strtol(list, &end, 10);
        if (end == list)
            break;
        if (archs)
            archs[count] = (int)arch;
        count++;
    }
    return count;
}

nvrtcResult nvrtcVersion(int *major, int *minor)
{
    MAY_FAIL(nvrtcVersion);
    *major = FAKE_NVRTC_MAJOR;
    *minor = 2;
    return NVRTC_SUCCESS;
}

const char *nvrtcGetErrorString(nvrtcResult code)
{
    return code == NVRTC_ERROR_COMPILATION ? "NVRTC_ERROR_COMPILATION" : "NVRTC_ERROR_FAKE";
}

nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    MAY_FAIL(nvrtcGetNumSupportedArchs);
    *count = parse_archs(NULL);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *archs)
{
    MAY_FAIL(nvrtcGetSupportedArchs);
    parse_archs(archs);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *text, const char *name, int header_count,
                               const char *const *headers, const char *const *header_names)
{
    MAY_FAIL(nvrtcCreateProgram);
    (void)name;
    (void)header_count;
    (void)headers;
    (void)header_names;
    *program = calloc(1, sizeof **program);
    (*program)->text = strdup(text);
    (*program)->log = "";
    state.objects++;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    int code = fake_failure("nvrtcDestroyProgram", &state.injected);

    free((*program)->text);
    free((*program)->cubin);
    free(*program);
    *program = NULL;
    state.objects--;
    return code;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int option_count, const char *const *options)
{
    int archs[64], arch = 0, known = 0;
    size_t used = 0;

    MAY_FAIL(nvrtcCompileProgram);
    state.options[0] = '\0';
    for (int i = 0; i < option_count; i++) {
        (void)sscanf(options[i], "--gpu-architecture=sm_%d", &arch);
        used += (size_t)snprintf(state.options + used, sizeof state.options - used, "%s ", options[i]);
    }
    for (int i = parse_archs(archs); i-- > 0;)
        known |= archs[i] == arch;
    if (!known) {
        program->log = "nvrtc: error: invalid value for --gpu-architecture\n";
        return 5; // NVRTC_ERROR_INVALID_OPTION
    }
    if (strstr(program->text, "//warning"))
        program->log = "a.cl(1): warning #1-D: a fake warning\n";
    if (strstr(program->text, "//error")) {
        program->log = "a.cl(2): error: a fake error\n";
        return NVRTC_ERROR_COMPILATION;
    }
    program->bytes = strlen(program->text) + 64;
    program->cubin = calloc(program->bytes, 1);
    used = 1 + (size_t)snprintf(program->cubin, program->bytes, "\177ELF %d %d\n%s", FAKE_NVRTC_MAJOR, arch,
                                program->text);
    if (strstr(program->text, "//bank")) // in the symbol table
        snprintf(program->cubin + used, program->bytes - used, "kn_bank");
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
    MAY_FAIL(nvrtcGetProgramLogSize);
    *bytes = strlen(program->log) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
    MAY_FAIL(nvrtcGetProgramLog);
    strcpy(log, program->log);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
    MAY_FAIL(nvrtcGetCUBINSize);
    *bytes = program->bytes;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
    MAY_FAIL(nvrtcGetCUBIN);
    memcpy(cubin, program->cubin, program->bytes);
    return NVRTC_SUCCESS;
}

// The text takes the place of its PTX.
nvrtcResult nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
    MAY_FAIL(nvrtcGetPTXSize);
    *bytes = strlen(program->text) + 1;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
    MAY_FAIL(nvrtcGetPTX);
    strcpy(ptx, program->text);
    return NVRTC_SUCCESS;
}
