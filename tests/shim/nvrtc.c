// SPDX-License-Identifier: Apache-2.0
// Compiles CUDA files with NVRTC, without a toolkit's headers or a GPU, for tests: PTX goes to standard
// output, the log and the time to standard error. Exit 77 where there is no NVRTC.
//
//   nvrtc sm_90 [--option ...] prelude-dir file.cu
//   nvrtc --archs                                     the architectures that it compiles for, one a line
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

typedef struct nvrtc_program *program_t;

static struct {
    int (*create)(program_t *, const char *text, const char *name, int headers, const char *const *texts,
                  const char *const *names);
    int (*compile)(program_t, int count, const char *const *options);
    int (*log_size)(program_t, size_t *);
    int (*log)(program_t, char *);
    int (*ptx_size)(program_t, size_t *);
    int (*ptx)(program_t, char *);
    int (*arch_count)(int *);
    int (*archs)(int *);
} nvrtc;

static void *open_library(void)
{
    static const char *const names[] = {"libnvrtc.so.13", "/usr/local/cuda/lib64/libnvrtc.so.13",
                                        "libnvrtc.so.12", "/usr/local/cuda/lib64/libnvrtc.so.12"};
    void *library = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !library; i++)
        library = dlopen(names[i], RTLD_NOW);
    return library;
}

static int load(void)
{
    static const struct {
        const char *name;
        void **address;
    } symbols[] = {
        {"nvrtcCreateProgram", (void **)&nvrtc.create},
        {"nvrtcCompileProgram", (void **)&nvrtc.compile},
        {"nvrtcGetProgramLogSize", (void **)&nvrtc.log_size},
        {"nvrtcGetProgramLog", (void **)&nvrtc.log},
        {"nvrtcGetPTXSize", (void **)&nvrtc.ptx_size},
        {"nvrtcGetPTX", (void **)&nvrtc.ptx},
        {"nvrtcGetNumSupportedArchs", (void **)&nvrtc.arch_count},
        {"nvrtcGetSupportedArchs", (void **)&nvrtc.archs},
    };
    void *library = open_library();
    if (!library)
        return 77;
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++)
        if (!(*symbols[i].address = dlsym(library, symbols[i].name)))
            return 77;
    return 0;
}

static void print_text(FILE *to, program_t program, int (*size)(program_t, size_t *),
                       int (*get)(program_t, char *))
{
    size_t bytes = 0;
    char *text;
    if (size(program, &bytes) || bytes < 2 || !(text = malloc(bytes)))
        return;
    if (get(program, text) == 0)
        fputs(text, to);
    free(text);
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int compile(const char *architecture, const char *const *more, int count, const char *folder,
                   const char *file)
{
    enum { FIXED = 4, LIMIT = 32 };
    char arch[64], include[4096], text[8192];
    const char *options[LIMIT] = {arch, include, "--std=c++17", "--device-as-default-execution-space"};
    program_t program = NULL;

    snprintf(arch, sizeof arch, "--gpu-architecture=%s", architecture);
    snprintf(include, sizeof include, "-I%s", folder);
    snprintf(text, sizeof text, "#include \"%s\"\n", file);
    for (int i = 0; i < count && FIXED + i < LIMIT; i++)
        options[FIXED + i] = more[i];

    double start = seconds();
    if (nvrtc.create(&program, text, "test.cu", 0, NULL, NULL))
        return 1;
    int failed = nvrtc.compile(program, FIXED + count, options);
    fprintf(stderr, "%s: %.3f s, %s\n", architecture, seconds() - start, failed ? "FAILED" : "ok");
    print_text(stderr, program, nvrtc.log_size, nvrtc.log);
    if (failed)
        return 1;
    print_text(stdout, program, nvrtc.ptx_size, nvrtc.ptx);
    return 0;
}

static int print_archs(void)
{
    int archs[64], count;
    if (nvrtc.arch_count(&count) || count > 64 || nvrtc.archs(archs))
        return 1;
    for (int i = 0; i < count; i++)
        printf("sm_%d\n", archs[i]);
    return 0;
}

int main(int argc, char **argv)
{
    bool list = argc == 2 && strcmp(argv[1], "--archs") == 0;
    if (argc < 4 && !list) {
        fprintf(stderr, "usage: nvrtc sm_XX [--option ...] prelude-folder file.cu, or nvrtc --archs\n");
        return 2;
    }
    if (load()) {
        fprintf(stderr, "no NVRTC here: skipped\n");
        return 77;
    }
    if (list)
        return print_archs();
    return compile(argv[1], (const char *const *)argv + 2, argc - 4, argv[argc - 2], argv[argc - 1]);
}
