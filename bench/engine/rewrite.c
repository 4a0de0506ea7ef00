// SPDX-License-Identifier: Apache-2.0
// The cost of the way to CUDA before and around NVRTC: rewriting a kernel file of LINES lines
// (bench/kernels/rewrite.cl, repeated under other names), and the prelude's share of a build.
//
//     bench/rewrite [FILE.cl] [--arch 90]
//
// Medians (least to most) of REPETITIONS, by the processor time of this process: all of it is one thread's
// work, so that is what one waits for on an idle machine, and other programs do not count. Needs no GPU; the
// second part needs NVRTC and says so where there is none.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "backend/cuda/cuda_compile.h"
#include "base/array.h"
#include "base/text/text.h"
#include "source/cuda/cuda.h"
#include "bench/bench.h"

enum { LINES = 5000, REPETITIONS = 31 };

static const kn_define predefined[] = {{"__OPENCL_VERSION__", "120"}, {"__OPENCL_C_VERSION__", "120"}};
static const struct src_options reading = {
    .predefined = predefined, .predefined_count = KI_COUNT(predefined), .embedded = ki_src_embedded_kernels};

static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static char *read_text(const char *path)
{
    struct ki_text text = KI_TEXT_INIT;
    char piece[4096];
    FILE *file = fopen(path, "r");

    while (file && fgets(piece, sizeof piece, file))
        ki_text_add(&text, piece);
    if (!file || text.length == 0 || text.failed) {
        fprintf(stderr, "bench: %s cannot be read\n", path);
        exit(3);
    }
    fclose(file);
    return ki_text_take(&text);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;

    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

// `text` repeated, with _1, _2, ... replacing its _0.
static char *repeat(const char *text, size_t lines)
{
    struct ki_text all = KI_TEXT_INIT;
    size_t copies = (lines + lines_of(text) - 1) / lines_of(text);

    for (size_t copy = 0; copy < copies; copy++)
        for (const char *at = text; *at;) {
            const char *next = strstr(at, "_0");
            size_t length = next ? (size_t)(next - at) : strlen(at);
            ki_text_add_bytes(&all, at, length);
            if (next)
                ki_text_format(&all, "_%zu", copy);
            at += next ? length + 2 : length;
        }
    return ki_text_take(&all);
}

static void print_times(const char *what, double *samples)
{
    struct bench_times times = bench_times_of(samples, REPETITIONS);

    printf("%-52s %8.2f ms (%.2f to %.2f)\n", what, times.median * 1e3, times.least * 1e3, times.most * 1e3);
}

static struct src_cuda *rewrite(const char *name, const char *text, double *read, double *rewritten)
{
    struct src_unit *unit = NULL;
    struct src_cuda *cuda = NULL;
    kn_error err = KN_ERROR_INIT;
    double start = cpu_seconds();

    bench_try(ki_src_read(name, text, &reading, &unit, &err), &err);
    *read = cpu_seconds() - start;
    bench_try(ki_src_cuda_program(unit, &reading, &cuda, &err), &err);
    *rewritten = cpu_seconds() - start;
    ki_src_free(unit);
    return cuda;
}

static void bench_rewrite(const char *path)
{
    char *once = read_text(path), *text = repeat(once, LINES);
    double read[REPETITIONS], both[REPETITIONS];

    if (!text)
        exit(5);
    for (int i = -1; i < REPETITIONS; i++) {
        double to_read, to_both;
        ki_src_cuda_free(rewrite(path, text, &to_read, &to_both));
        if (i < 0)
            continue;
        read[i] = to_read;
        both[i] = to_both;
    }
    printf("%zu lines, %zu bytes of OpenCL C (%s, repeated)\n", lines_of(text), strlen(text), path);
    print_times("read: preprocessed, signatures, OpenCL text", read);
    print_times("read and rewritten for CUDA", both);
    free(text);
    free(once);
}

static double build(const struct cuda_nvrtc *nvrtc, const char *text, int arch)
{
    struct cuda_cubin cubin = {NULL, 0};
    char *log = NULL;
    kn_error err = KN_ERROR_INIT;
    double start = cpu_seconds();

    bench_try(ki_cuda_compile(nvrtc, text, ki_cuda_policy_options(KN_POLICY_DEFAULT, false), arch, &cubin,
                              &log, &err),
              &err);
    free(log);
    free(cubin.data);
    return cpu_seconds() - start;
}

// In turns, so that other load affects both.
static void bench_prelude(int arch)
{
    struct cuda_nvrtc nvrtc;
    char why[CUDA_WHY_BYTES];
    double with[REPETITIONS], without[REPETITIONS], more[REPETITIONS], ignored;

    if (!ki_cuda_nvrtc_load(&nvrtc, INT32_MAX, why)) {
        printf("the prelude's share in a build: not measured: %s\n", why);
        return;
    }
    struct src_cuda *cuda = rewrite("empty.cl", "__kernel void empty(void)\n{\n}\n", &ignored, &ignored);
    for (int i = -1; i < REPETITIONS; i++) {
        double bare = build(&nvrtc, "extern \"C\" __global__ void koine_empty()\n{\n}\n", arch);
        double whole = build(&nvrtc, cuda->text, arch);
        if (i < 0)
            continue;
        with[i] = whole;
        without[i] = bare;
        more[i] = whole - bare;
    }
    printf("NVRTC %d.%d for sm_%d, an empty kernel\n", nvrtc.major, nvrtc.minor, arch);
    print_times("without the prelude", without);
    print_times("with it", with);
    print_times("what it adds", more);
    ki_src_cuda_free(cuda);
    ki_cuda_nvrtc_unload(&nvrtc);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("srcdir") ? getenv("srcdir") : "bench/kernels";
    char path[4096];
    int arch = 90;

    snprintf(path, sizeof path, "%s/rewrite.cl", folder);
    for (int i = 1; i < argc; i++)
        if (i + 1 < argc && strcmp(argv[i], "--arch") == 0)
            arch = atoi(argv[++i]);
        else if (argv[i][0] != '-')
            snprintf(path, sizeof path, "%s", argv[i]);
        else
            return fprintf(stderr, "usage: %s [FILE.cl] [--arch 90]\n", argv[0]), 2;
    bench_rewrite(path);
    bench_prelude(arch);
    return 0;
}
