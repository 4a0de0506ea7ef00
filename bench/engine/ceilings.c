// SPDX-License-Identifier: Apache-2.0
// The shapes of the kernels that measure a device's ceilings (cl/tools/compare/bandwidth.cl,
// cl/tools/compare/flops.cl): which group, unrolling and number of groups reads, copies and multiplies
// fastest. koine compare uses what came out best.
//   bench/ceilings [--device SPEC] [--bytes N]
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"

enum { RUNS = 9, TRIPS = 1024, CHAINS = 8 };

struct bench {
    kn_context *context;
    kn_queue *queue;
    kn_error err;
    const kn_device_info *device;
    size_t bytes;
    kn_buffer *x, *y, *sums;
    uint32_t sum; // of x
};

struct shape {
    unsigned group, width, unroll;
    size_t groups;
};

static kn_kernel *build(struct bench *bench, const char *file, const char *name, const kn_define *defines,
                        size_t count, kn_program **program)
{
    const kn_program_options options = KN_INIT(kn_program_options, .defines = defines, .define_count = count);
    kn_kernel *kernel = NULL;

    bench_try(kn_program_from_builtin(bench->context, file, &options, program, &bench->err), &bench->err);
    bench_try(kn_program_get_kernel(*program, name, &kernel, &bench->err), &bench->err);
    return kernel;
}

static struct bench_times launch(struct bench *bench, kn_kernel *kernel, const kn_range *range,
                                 const kn_arg *args, size_t count)
{
    double samples[RUNS];

    for (int run = -2; run < RUNS; run++) {
        kn_profile_entry *entries = NULL;
        size_t launches = 0;

        bench_try(kn_profile_start(bench->queue, &bench->err), &bench->err);
        bench_try(kn_launch(bench->queue, kernel, range, args, count, NULL, &bench->err), &bench->err);
        bench_try(kn_profile_stop(bench->queue, &entries, &launches, &bench->err), &bench->err);
        if (run >= 0)
            samples[run] = kn_profile_span(entries, launches);
        kn_free(entries);
    }
    return bench_times_of(samples, RUNS);
}

static uint32_t sum_of(struct bench *bench, size_t items)
{
    uint32_t *sums = malloc(items * sizeof *sums), sum = 0;

    if (!sums)
        exit(5);
    bench_try(kn_buffer_read(bench->queue, bench->sums, 0, sums, items * sizeof *sums, &bench->err),
              &bench->err);
    for (size_t i = 0; i < items; i++)
        sum += sums[i];
    free(sums);
    return sum;
}

static void bench_memory(struct bench *bench, const char *name, size_t footprint, const struct shape *shape)
{
    char values[3][12];
    const kn_define defines[] = {{"GROUP", values[0]}, {"WIDTH", values[1]}, {"UNROLL", values[2]}};
    const bool copies = strcmp(name, "copy_words") == 0;
    const uint32_t log2_vectors = (uint32_t)__builtin_ctzll(footprint / 4 / shape->width);
    uint64_t total = bench->bytes / 4 / shape->width;
    kn_buffer *to = copies ? bench->y : bench->sums;
    size_t items = shape->groups * shape->group;
    kn_program *program = NULL;
    kn_kernel *kernel;
    struct bench_times times;
    const kn_arg args[] = {KN_BUFFER(bench->x), KN_VALUE(log2_vectors), KN_VALUE(total), KN_BUFFER(to)};
    const kn_range range = {1, {items}, {shape->group}, {0}};

    snprintf(values[0], sizeof values[0], "%u", shape->group);
    snprintf(values[1], sizeof values[1], "%u", shape->width);
    snprintf(values[2], sizeof values[2], "%u", shape->unroll);
    kernel = build(bench, "tools/compare/bandwidth.cl", name, defines, 3, &program);
    times = launch(bench, kernel, &range, args, 4);
    printf("%-10s %10zu  %5u %5u %6u %8zu  %8.1f (%.1f)", name, footprint, shape->group, shape->width,
           shape->unroll, shape->groups, (double)bench->bytes * (copies ? 2 : 1) / times.median * 1e-9,
           (double)bench->bytes * (copies ? 2 : 1) / times.least * 1e-9);
    printf("%s\n", copies || footprint < bench->bytes || sum_of(bench, items) == bench->sum ? "" : "  WRONG");
    kn_program_free(program);
}

static void sweep_memory(struct bench *bench, const char *name, size_t footprint)
{
    static const struct shape gpu[] = {{128, 4, 0, 0}, {256, 4, 0, 0}, {512, 4, 0, 0}, {1024, 4, 0, 0}};
    static const struct shape cpu[] = {{1, 16, 0, 0}, {4, 16, 0, 0}, {16, 16, 0, 0}, {16, 4, 0, 0}};
    const bool is_cpu = bench->device->type == KN_DEVICE_CPU;

    for (size_t i = 0; i < 4; i++) {
        struct shape shape = is_cpu ? cpu[i] : gpu[i];

        for (shape.unroll = 1; shape.unroll <= 16; shape.unroll *= 2) {
            size_t most = bench->bytes / 4 / shape.width / shape.group / shape.unroll;
            size_t first = is_cpu ? 64 : bench->device->compute_units * (size_t)4, times = is_cpu ? 16 : 4;

            for (shape.groups = first; shape.groups < most && shape.groups <= first * 256;
                 shape.groups *= times)
                bench_memory(bench, name, footprint, &shape);
            shape.groups = most;
            if (!is_cpu)
                bench_memory(bench, name, footprint, &shape);
        }
    }
}

static void bench_flops(struct bench *bench, unsigned bits, unsigned width, size_t elements, unsigned group)
{
    char values[2][12];
    const kn_define defines[] = {{"REAL_BITS", values[0]}, {"WIDTH", values[1]}};
    const float a = 0.99951171875f, b = 0.000244140625f;
    const double wide_a = (double)a, wide_b = (double)b;
    kn_program *program = NULL;
    kn_kernel_limits limits;
    kn_kernel *kernel;
    struct bench_times times;
    const kn_arg args[] = {bits == 32 ? KN_VALUE(a) : KN_VALUE(wide_a),
                           bits == 32 ? KN_VALUE(b) : KN_VALUE(wide_b), KN_BUFFER(bench->x)};
    const kn_range range = {1, {elements / width}, {group}, {0}};

    snprintf(values[0], sizeof values[0], "%u", bits);
    snprintf(values[1], sizeof values[1], "%u", width);
    kernel = build(bench, "tools/compare/flops.cl", "fma_chains", defines, 2, &program);
    limits = *kn_kernel_get_limits(kernel);
    if (group > limits.work_group) {
        kn_program_free(program);
        return;
    }
    times = launch(bench, kernel, &range, args, 3);
    printf("fma_chains f%u  width %2u  group %4u  elements %9zu  %10.1f GFLOP/s (%.1f)\n", bits, width, group,
           elements, 2e-9 * TRIPS * CHAINS * (double)elements / times.median,
           2e-9 * TRIPS * CHAINS * (double)elements / times.least);
    kn_program_free(program);
}

static void sweep_flops(struct bench *bench)
{
    const bool cpu = bench->device->type == KN_DEVICE_CPU;
    size_t most = cpu ? (size_t)1 << 17 : (size_t)1 << 23;

    for (unsigned bits = 32; bits <= (bench->device->fp64 ? 64u : 32u); bits += 32)
        for (unsigned width = 1; width <= 16; width *= 4)
            for (unsigned group = cpu ? 16 : 128; group <= (cpu ? 64u : 512u); group *= 2)
                for (size_t elements = most / 64; elements <= most && elements * (bits / 8) <= bench->bytes;
                     elements *= 8)
                    bench_flops(bench, bits, width, elements, group);
}

static void prepare(struct bench *bench)
{
    uint32_t *words = malloc(bench->bytes);
    uint64_t state = 1;

    if (!words)
        exit(5);
    for (size_t i = 0; i < bench->bytes / 4; i++) {
        words[i] = (uint32_t)bench_random(&state);
        bench->sum += words[i];
    }
    bench_try(kn_buffer_create(bench->context, bench->bytes, &bench->x, &bench->err), &bench->err);
    bench_try(kn_buffer_create(bench->context, bench->bytes, &bench->y, &bench->err), &bench->err);
    bench_try(kn_buffer_create(bench->context, bench->bytes, &bench->sums, &bench->err), &bench->err);
    bench_try(kn_buffer_write(bench->queue, bench->x, 0, words, bench->bytes, &bench->err), &bench->err);
    free(words);
}

int main(int argc, char **argv)
{
    struct bench bench = {.err = KN_ERROR_INIT, .bytes = (size_t)1 << 30};
    const char *spec = NULL;

    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--device") == 0)
            spec = argv[++i];
        else if (i + 1 < argc && strcmp(argv[i], "--bytes") == 0)
            bench.bytes = strtoull(argv[++i], NULL, 10);
        else
            return fprintf(stderr, "usage: %s [--device SPEC] [--bytes N (a power of two)]\n", argv[0]), 2;
    }
    bench_try(kn_context_open(spec, NULL, &bench.context, &bench.err), &bench.err);
    bench_try(kn_queue_open(bench.context, &bench.queue, &bench.err), &bench.err);
    bench.device = kn_context_get_device(bench.context);
    printf("%s: %s, %s, driver %s\n", bench.device->spec, bench.device->name, bench.device->version,
           bench.device->driver);
    prepare(&bench);
    printf("%-10s %10s  %5s %5s %6s %8s  GB/s by the median (by the best)\n", "", "footprint", "group",
           "width", "unroll", "groups");
    for (size_t footprint = bench.bytes; footprint >= (size_t)4 << 20; footprint /= 256) {
        sweep_memory(&bench, "read_words", footprint);
        sweep_memory(&bench, "copy_words", footprint);
    }
    sweep_flops(&bench);
    kn_buffer_free(bench.x);
    kn_buffer_free(bench.y);
    kn_buffer_free(bench.sums);
    kn_queue_close(bench.queue);
    kn_context_close(bench.context);
    return 0;
}
