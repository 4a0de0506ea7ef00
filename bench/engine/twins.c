// SPDX-License-Identifier: Apache-2.0
// Koine's OpenCL C kernels (bench/twin_*.cl) through libkoine and their twins, hand-written in CUDA C++
// (bench/twin_*.cu): the same work in the same context and stream, on the same memory, timed in turns.
//
//     bench/twins [--device cuda:0] [--kernels FOLDER]
//
// Both are compiled by NVRTC for the device's architecture with the same switches, those of Koine's default
// policy
// (--fmad=true --prec-div=false --prec-sqrt=false). Times are by CUDA events around a block of launches: the
// median, least and most of BLOCKS blocks after a warm-up, Koine's and the twin's in turns. Results are
// compared with each other and with double precision. Exit status: 0; 1 if any is wrong; 77 without CUDA.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/cuda.h>

#include "backend/cuda/cuda_compile.h"
#include "base/array.h"
#include "twins.h"

enum { BLOCKS = 31, LEAST_LAUNCHES = 4, MOST_LAUNCHES = 200, MAX_PARAMS = 8 };
#define BLOCK_SECONDS   0.03
#define WARM_UP_SECONDS 0.5

static const struct row {
    const char *title;
    twins_make *make;
    const char *constant; // how Koine's gets its __constant arguments; NULL: it has none
    const char *voxels;
    const char *switches; // of the twin
} rows[] = {
    {"streaming, y = a x + y", twins_stream, NULL, "1", ""},
    {"local memory, transpose", twins_transpose, NULL, "1", ""},
    {"local memory, product", twins_product, NULL, "1", ""},
    {"constant bank, 1 voxel", twins_fhd_1, "bank", "1", ""},
    {"constant bank, 8 voxels", twins_fhd_8, "bank", "8", "-DVOXELS=8"},
    {"constant as global, 1 voxel", twins_fhd_1, "global", "1", "-DGLOBAL"},
    {"constant as global, 8 voxels", twins_fhd_8, "global", "8", "-DGLOBAL -DVOXELS=8"},
};

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    const char *folder;
    struct cuda_driver cu;
    struct cuda_nvrtc nvrtc;
    int arch;
    CUstream stream;
    CUevent start, end;
};

// The twin's side of a task.
struct twin {
    CUmodule module;
    CUfunction function;
    kn_buffer *constants[MAX_PARAMS]; // the global form's own: a buffer whose pointer is out is no longer
                                      // Koine's alone
    CUdeviceptr pointers[MAX_PARAMS];
    void *params[MAX_PARAMS];
};

static void cu_try(const struct bench *bench, CUresult code, const char *what)
{
    const char *name = NULL;

    if (code == CUDA_SUCCESS)
        return;
    (void)bench->cu.cuGetErrorName(code, &name);
    fprintf(stderr, "bench: %s: %s (%d)\n", what, name ? name : "CUDA error", code);
    exit(4);
}
#define CU(bench, call, ...) cu_try((bench), (bench)->cu.call(__VA_ARGS__), #call)

static size_t block_of(const kn_range *range, unsigned d)
{
    return d < range->dims ? range->local[d] : 1;
}

static size_t grid_of(const kn_range *range, unsigned d)
{
    return d < range->dims ? range->global[d] / range->local[d] : 1;
}

// ---- both sides ----

static kn_program *koine_build(struct bench *bench, const struct row *row, const struct twins_task *task,
                               kn_kernel **kernel)
{
    const kn_define defines[] = {{"VOXELS", row->voxels}, {"KN_CONSTANT", row->constant}};
    const kn_program_options options =
        KN_INIT(kn_program_options, .defines = defines, .define_count = row->constant ? 2 : 1);
    kn_program *program = NULL;
    char path[4096];

    snprintf(path, sizeof path, "%s/%s.cl", bench->folder, task->file);
    bench_try(kn_program_from_file(bench->context, path, &options, &program, &bench->err), &bench->err);
    bench_try(kn_program_get_kernel(program, task->kernel, kernel, &bench->err), &bench->err);
    return program;
}

static void koine_launch(struct bench *bench, kn_kernel *kernel, const struct twins_task *task)
{
    bench_try(kn_launch(bench->queue, kernel, &task->range, task->args, task->arg_count, NULL, &bench->err),
              &bench->err);
}

static void twin_build(struct bench *bench, const struct row *row, const struct twins_task *task,
                       struct twin *twin)
{
    struct cuda_cubin cubin = {NULL, 0};
    char text[256], options[4400];
    char *log = NULL;

    snprintf(text, sizeof text, "#include \"%s.cu\"\n", task->file);
    snprintf(options, sizeof options, "%s --include-path=%s %s",
             ki_cuda_policy_options(KN_POLICY_DEFAULT, false), bench->folder, row->switches);
    if (ki_cuda_compile(&bench->nvrtc, text, options, bench->arch, &cubin, &log, &bench->err)) {
        fprintf(stderr, "bench: %s.cu: %s\n%s", task->file, bench->err.text, log ? log : "");
        exit(4);
    }
    CU(bench, cuModuleLoadData, &twin->module, cubin.data);
    CU(bench, cuModuleGetFunction, &twin->function, twin->module, task->kernel);
    free(log);
    free(cubin.data);
}

// The twin's parameters are Koine's arguments; constant ones are its own: a copy, or an array filled here.
static void twin_bind(struct bench *bench, const struct row *row, const struct twins_task *task,
                      struct twin *twin)
{
    static const char *const arrays[] = {"k", "d"};
    size_t count = 0;

    for (size_t i = 0; i < task->arg_count; i++) {
        const kn_arg *arg = &task->args[i];
        kn_buffer *buffer = (kn_buffer *)arg->buffer;
        size_t bytes = 0;
        if (i < task->constants && strcmp(row->constant, "bank") == 0) {
            CU(bench, cuModuleGetGlobal_v2, &twin->pointers[i], &bytes, twin->module, arrays[i]);
            CU(bench, cuMemcpyHtoDAsync_v2, twin->pointers[i], task->inputs[i], bytes, bench->stream);
            continue;
        }
        if (i < task->constants) {
            bench_try(kn_buffer_create(bench->context, kn_buffer_get_size(buffer), &buffer, &bench->err),
                      &bench->err);
            bench_try(kn_buffer_write(bench->queue, buffer, 0, task->inputs[i], kn_buffer_get_size(buffer),
                                      &bench->err),
                      &bench->err);
            twin->constants[i] = buffer;
        }
        if (buffer)
            twin->pointers[i] = kn_buffer_get_cuda(buffer);
        twin->params[count++] = buffer ? (void *)&twin->pointers[i]
                                       : (void *)(arg->kind == KN_ARG_INLINE ? arg->bytes : arg->value);
    }
}

static void twin_launch(struct bench *bench, const struct twins_task *task, struct twin *twin)
{
    const kn_range *range = &task->range;

    CU(bench, cuLaunchKernel, twin->function, (unsigned)grid_of(range, 0), (unsigned)grid_of(range, 1),
       (unsigned)grid_of(range, 2), (unsigned)block_of(range, 0), (unsigned)block_of(range, 1),
       (unsigned)block_of(range, 2), 0, bench->stream, twin->params, NULL);
}

static void twin_free(struct bench *bench, struct twin *twin)
{
    for (size_t i = 0; i < MAX_PARAMS; i++)
        kn_buffer_free(twin->constants[i]);
    CU(bench, cuModuleUnload, twin->module);
}

// ---- a row ----

struct pair {
    struct bench *bench;
    const struct twins_task *task;
    kn_kernel *kernel;
    struct twin twin;
};

static void launch(struct pair *pair, bool twin)
{
    if (twin)
        twin_launch(pair->bench, pair->task, &pair->twin);
    else
        koine_launch(pair->bench, pair->kernel, pair->task);
}

// Seconds of one launch, by events around `launches` of them.
static double timed(struct pair *pair, bool twin, int launches)
{
    struct bench *bench = pair->bench;
    float milliseconds = 0;

    CU(bench, cuEventRecord, bench->start, bench->stream);
    for (int i = 0; i < launches; i++)
        launch(pair, twin);
    CU(bench, cuEventRecord, bench->end, bench->stream);
    CU(bench, cuEventSynchronize, bench->end);
    CU(bench, cuEventElapsedTime, &milliseconds, bench->start, bench->end);
    return (double)milliseconds * 1e-3 / launches;
}

static void measure(struct pair *pair, struct bench_times times[2], int *launches)
{
    double samples[2][BLOCKS];
    double begin = bench_seconds(), one = 0;

    while (bench_seconds() - begin < WARM_UP_SECONDS)
        for (int side = 0; side < 2; side++)
            one = fmax(timed(pair, side, LEAST_LAUNCHES), 1e-6);
    *launches = (int)fmin(fmax(ceil(BLOCK_SECONDS / one), LEAST_LAUNCHES), MOST_LAUNCHES);
    for (int block = 0; block < BLOCKS; block++)
        for (int turn = 0; turn < 2; turn++) {
            int side = (block + turn) % 2;
            samples[side][block] = timed(pair, side, *launches);
        }
    for (int side = 0; side < 2; side++)
        times[side] = bench_times_of(samples[side], BLOCKS);
}

// What one launch leaves in the output.
static float *result(struct pair *pair, bool twin)
{
    struct bench *bench = pair->bench;
    const struct twins_task *task = pair->task;
    const uint32_t nothing = 0xffffffff; // not a number
    size_t bytes = task->floats * sizeof(float);
    float *found = malloc(bytes);

    if (!found) {
        fprintf(stderr, "bench: out of memory: %zu bytes\n", bytes);
        exit(5);
    }
    if (task->before)
        bench_try(kn_buffer_write(bench->queue, task->output, 0, task->before, bytes, &bench->err),
                  &bench->err);
    else
        bench_try(
            kn_buffer_fill(bench->queue, task->output, &nothing, sizeof nothing, 0, bytes, NULL, &bench->err),
            &bench->err);
    launch(pair, twin);
    bench_try(kn_buffer_read(bench->queue, task->output, 0, found, bytes, &bench->err), &bench->err);
    return found;
}

// Both against double precision, and every result of one against the other's: they may differ by the sum of
// the bounds.
static bool check(struct pair *pair, char verdict[128])
{
    const struct twins_task *task = pair->task;
    float *ours = result(pair, false), *theirs = result(pair, true);
    double bound = 0, apart = 0;
    double errors[2] = {task->worst(task, ours, &bound), task->worst(task, theirs, &bound)};
    bool right;

    for (size_t i = 0; i < task->floats; i++) {
        double distance = fabs((double)ours[i] - (double)theirs[i]);
        apart = distance <= apart ? apart : isnan(distance) ? INFINITY : distance;
    }
    right = errors[0] <= 1 && errors[1] <= 1 && apart <= 2 * bound;
    snprintf(verdict, 128, "%s: error/bound %.2g, %.2g; %s %.2g", right ? "right" : "WRONG", errors[0],
             errors[1], apart > 0 ? "apart by" : "the same:", apart);
    free(ours);
    free(theirs);
    return right;
}

static bool run_row(struct bench *bench, const struct row *row)
{
    struct twins_task task;
    struct pair pair = {.bench = bench, .task = &task};
    struct bench_times times[2];
    char verdict[128];
    int launches = 0;

    row->make(&task, bench->context, bench->queue);
    kn_program *program = koine_build(bench, row, &task, &pair.kernel);
    twin_build(bench, row, &task, &pair.twin);
    twin_bind(bench, row, &task, &pair.twin);
    bool right = check(&pair, verdict);
    measure(&pair, times, &launches);
    printf("%-28s", row->title);
    for (int side = 0; side < 2; side++)
        printf("  %8.4f (%.4f to %.4f)", times[side].median * 1e3, times[side].least * 1e3,
               times[side].most * 1e3);
    printf("  %6.3f", times[0].median / times[1].median);
    for (int side = 0; side < 2; side++)
        printf("  %8.0f", task.amount / times[side].median * 1e-9);
    printf(" %-9s  %8d  %s\n", task.unit, launches, verdict);
    fflush(stdout);
    twin_free(bench, &pair.twin);
    kn_program_free(program);
    twins_free(&task);
    return right;
}

// ---- opening ----

static int skip(const char *why)
{
    printf("bench/twins: not run: %s\n", why);
    return 77;
}

int main(int argc, char **argv)
{
    const char *spec = "cuda:0";
    struct bench bench = {.err = KN_ERROR_INIT,
                          .folder = getenv("srcdir") ? getenv("srcdir") : "bench/kernels"};
    char why[CUDA_WHY_BYTES];
    int version = 0, wrong = 0;

    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[i + 1];
        else if (i + 1 < argc && strcmp(argv[i], "--kernels") == 0)
            bench.folder = argv[i + 1];
        else
            return fprintf(stderr, "usage: %s [--device cuda:0] [--kernels FOLDER]\n", argv[0]), 2;
    }
    if (kn_context_open(spec, NULL, &bench.context, &bench.err))
        return skip(bench.err.text);
    if (!kn_context_get_cuda(bench.context))
        return skip("the device is not of the CUDA path");
    bench_try(kn_queue_open(bench.context, &bench.queue, &bench.err), &bench.err);
    if (!ki_cuda_driver_load(&bench.cu, why))
        return skip(why);
    CU(&bench, cuDriverGetVersion, &version);
    if (!ki_cuda_nvrtc_load(&bench.nvrtc, version / 1000, why))
        return skip(why);
    CU(&bench, cuCtxPushCurrent_v2, kn_context_get_cuda(bench.context));
    bench.stream = kn_queue_get_cuda(bench.queue);
    CU(&bench, cuEventCreate, &bench.start, CU_EVENT_DEFAULT);
    CU(&bench, cuEventCreate, &bench.end, CU_EVENT_DEFAULT);

    const kn_device_info *info = kn_context_get_device(bench.context);
    int major = 0, minor = 0;
    CUdevice device;
    CU(&bench, cuCtxGetDevice, &device);
    CU(&bench, cuDeviceGetAttribute, &major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    CU(&bench, cuDeviceGetAttribute, &minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    bench.arch = ki_cuda_nvrtc_arch(&bench.nvrtc, 10 * major + minor);
    printf("%s: %s, driver %s, NVRTC %d.%d for sm_%d, both with %s\n", info->spec, info->name, info->driver,
           bench.nvrtc.major, bench.nvrtc.minor, bench.arch,
           ki_cuda_policy_options(KN_POLICY_DEFAULT, false));
    printf("%-28s  %-30s  %-30s  %6s  %8s  %8s\n", "", "Koine ms (least to most)", "twin ms (least to most)",
           "ratio", "Koine", "twin");
    for (size_t i = 0; i < KI_COUNT(rows); i++)
        wrong += !run_row(&bench, &rows[i]);
    (void)bench.cu.cuEventDestroy_v2(bench.start);
    (void)bench.cu.cuEventDestroy_v2(bench.end);
    kn_queue_close(bench.queue);
    kn_context_close(bench.context);
    return wrong > 0;
}
