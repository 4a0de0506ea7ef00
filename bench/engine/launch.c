// SPDX-License-Identifier: Apache-2.0
// What a launch costs on the host: kn_launch beside the raw loop of cuLaunchKernel or clEnqueueNDRangeKernel,
// for an empty kernel and for one with eight arguments of every kind (bench/kernels/launch.cl), one of them
// __constant (in the bank on CUDA), none of which changes between launches.
//
//     bench/launch [--device SPEC]... [--kernels FOLDER]         (without --device: every usable device)
//
// Beside these the same launches recorded and replayed at once, as the device has it; and what recording
// took. Blocks of LAUNCHES launches, in turns, after a warm-up. "host" is the time until the last call of a
// block returned, "whole" until the device was done too; nanoseconds a launch, the median of BLOCKS (least to
// most). The comparison is with the barest loop: on OpenCL, the arguments set once before it. The loop that
// sets them before each launch is there because it is what applications write, and what kn_launch is given.
// The kernel with arguments counts its launches: exit status 1 if one of them did not run.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <koine/cuda.h>

#include "base/array.h"
#include "launch.h"

enum { LAUNCHES = 500, BLOCKS = 41, WARM_UP = 5 };

enum variant { KOINE, RECORDED, RAW, RAW_SET, VARIANTS };

struct measured {
    struct bench_times host[VARIANTS], whole[VARIANTS];
    uint32_t launches;    // in all
    const char *recorded; // as what
    double record_seconds;
};

static void launch_each(const struct launch_case *of)
{
    kn_error err = KN_ERROR_INIT;

    for (int i = 0; i < LAUNCHES; i++)
        bench_try(kn_launch(of->queue, of->kernel, &of->range, of->args, of->arg_count, NULL, &err), &err);
}

// By the path's own kind of recording if the device has it, else as launches.
static kn_recording *record_block(const struct launch_case *of)
{
    const kn_recording_way own =
        kn_context_get_cuda(of->context) ? KN_RECORDING_GRAPH : KN_RECORDING_COMMAND_BUFFER;
    const kn_recording_way wanted[] = {own, KN_RECORDING_LAUNCHES};
    kn_error err = KN_ERROR_INIT;
    kn_recording *recording = NULL;
    kn_status status = KN_ERROR_UNSUPPORTED;

    for (size_t i = 0; i < KI_COUNT(wanted) && status == KN_ERROR_UNSUPPORTED; i++) {
        bench_try(kn_recording_begin(of->queue, wanted[i], &err), &err);
        launch_each(of);
        status = kn_recording_end(of->queue, &recording, &err);
    }
    bench_try(status, &err);
    return recording;
}

static void launch_block(const struct launch_case *of, const struct launch_native *native,
                         struct launch_loop *loop, kn_recording *recording, enum variant variant)
{
    kn_error err = KN_ERROR_INIT;

    if (variant == KOINE)
        launch_each(of);
    else if (variant == RECORDED)
        bench_try(kn_recording_replay(of->queue, recording, &err), &err);
    else
        native->run(loop, LAUNCHES, variant == RAW_SET);
}

static void measure(const struct launch_case *of, const struct launch_native *native,
                    struct measured *measured)
{
    double host[VARIANTS][BLOCKS], whole[VARIANTS][BLOCKS];
    int count = native->set_call ? VARIANTS : RAW_SET;
    struct launch_loop *loop = native->open(of);
    kn_error err = KN_ERROR_INIT;
    double begun = bench_seconds();
    kn_recording *recording = record_block(of);

    measured->record_seconds = bench_seconds() - begun;
    measured->recorded = kn_recording_way_name(kn_recording_get_way(recording));
    measured->launches = 0;
    for (int block = -WARM_UP; block < BLOCKS; block++)
        for (int turn = 0; turn < count; turn++) {
            int variant = block < 0 ? turn : (block + turn) % count; // Koine first of all: it fills the bank
            double start = bench_seconds();
            launch_block(of, native, loop, recording, (enum variant)variant);
            double returned = bench_seconds();
            bench_try(kn_queue_finish(of->queue, &err), &err);
            double done = bench_seconds();
            measured->launches += LAUNCHES;
            if (block < 0)
                continue;
            host[variant][block] = (returned - start) * 1e9 / LAUNCHES;
            whole[variant][block] = (done - start) * 1e9 / LAUNCHES;
        }
    for (int variant = 0; variant < count; variant++) {
        measured->host[variant] = bench_times_of(host[variant], BLOCKS);
        measured->whole[variant] = bench_times_of(whole[variant], BLOCKS);
    }
    native->close(loop);
    kn_recording_free(recording);
}

static void print_case(const struct launch_case *of, const struct launch_native *native)
{
    struct measured measured;
    char call[64], replay[64];

    measure(of, native, &measured);
    snprintf(replay, sizeof replay, "kn_recording_replay (%s)", measured.recorded);
    snprintf(call, sizeof call, "%s + %s", native->set_call ? native->set_call : "", native->call);
    const char *names[VARIANTS] = {"kn_launch", replay, native->call, call};
    for (int variant = 0; variant < (native->set_call ? VARIANTS : RAW_SET); variant++) {
        const struct bench_times *host = &measured.host[variant], *whole = &measured.whole[variant];
        printf("%-7s %-40s %7.0f (%.0f to %.0f)   %7.0f (%.0f to %.0f)", of->name, names[variant],
               host->median, host->least, host->most, whole->median, whole->least, whole->most);
        if (variant == RECORDED)
            printf("   recorded in %.0f us", measured.record_seconds * 1e6);
        else if (variant != KOINE)
            printf("   kn_launch: %+.0f ns (least: %+.0f)", measured.host[KOINE].median - host->median,
                   measured.host[KOINE].least - host->least);
        printf("\n");
    }
    fflush(stdout);
    if (of->arg_count > 0) {
        kn_error err = KN_ERROR_INIT;
        uint32_t counted = 0;
        bench_try(kn_buffer_read(of->queue, of->args[0].buffer, 0, &counted, sizeof counted, &err), &err);
        if (counted != measured.launches) {
            printf("WRONG: %u launches were made, %u ran\n", measured.launches, counted);
            exit(1);
        }
    }
}

static kn_buffer *upload(struct launch_case *of, const void *data, size_t bytes)
{
    kn_error err = KN_ERROR_INIT;
    kn_buffer *buffer = NULL;

    bench_try(kn_buffer_create(of->context, bytes, &buffer, &err), &err);
    bench_try(kn_buffer_write(of->queue, buffer, 0, data, bytes, &err), &err);
    return buffer;
}

static void bench_device(const char *spec, const char *folder)
{
    const kn_define bank = {"KN_CONSTANT", "bank"};
    const kn_program_options options = KN_INIT(kn_program_options, .defines = &bank, .define_count = 1);
    struct launch_case of = {.folder = folder, .range = {1, {64}, {64}, {0}}};
    kn_program *program = NULL;
    kn_error err = KN_ERROR_INIT;
    char path[4096];

    snprintf(path, sizeof path, "%s/launch.cl", folder);
    bench_try(kn_context_open(spec, NULL, &of.context, &err), &err);
    bench_try(kn_queue_open(of.context, &of.queue, &err), &err);
    bench_try(kn_program_from_file(of.context, path, &options, &program, &err), &err);

    const struct launch_native *native = kn_context_get_cuda(of.context) ? &launch_cuda : &launch_opencl;
    const kn_device_info *info = kn_context_get_device(of.context);
    const uint32_t steps[4] = {0, 1, 0, 0}, counter = 0, which = 1;
    const float in[4] = {0}, f = 1, v[4] = {1, 2, 3, 4};
    const uint64_t l = 1;
    kn_buffer *const buffers[] = {upload(&of, &counter, sizeof counter), upload(&of, in, sizeof in),
                                  upload(&of, steps, sizeof steps)};
    const kn_arg args[] = {KN_BUFFER(buffers[0]), KN_BUFFER(buffers[1]), KN_BUFFER(buffers[2]),
                           KN_VALUE(which),       KN_VALUE(f),           KN_VALUE_AT(v, sizeof v),
                           KN_VALUE(l),           KN_LOCAL(1024)};

    printf("%s: %s, %s, driver %s\n", info->spec, info->name, info->version, info->driver);
    printf("%-7s %-40s %7s %-16s   %7s\n", "kernel", "call", "host", "ns a launch", "whole");
    for (int with_args = 0; with_args < 2; with_args++) {
        of.name = with_args ? "eight" : "empty";
        of.args = with_args ? args : NULL;
        of.arg_count = with_args ? KI_COUNT(args) : 0;
        bench_try(kn_program_get_kernel(program, of.name, &of.kernel, &err), &err);
        print_case(&of, native);
    }
    for (size_t i = 0; i < KI_COUNT(buffers); i++)
        kn_buffer_free(buffers[i]);
    kn_program_free(program);
    kn_queue_close(of.queue);
    kn_context_close(of.context);
}

int main(int argc, char **argv)
{
    const char *folder = getenv("srcdir") ? getenv("srcdir") : "bench/kernels";
    kn_device_list *list = NULL;
    kn_error err = KN_ERROR_INIT;
    int named = 0;

    for (int i = 1; i < argc; i += 2)
        if (i + 1 < argc && strcmp(argv[i], "--kernels") == 0)
            folder = argv[i + 1];
        else if (i + 1 >= argc || strcmp(argv[i], "--device") != 0)
            return fprintf(stderr, "usage: %s [--device SPEC]... [--kernels FOLDER]\n", argv[0]), 2;
    for (int i = 1; i < argc; i += 2)
        if (strcmp(argv[i], "--device") == 0) {
            bench_device(argv[i + 1], folder);
            named++;
        }
    if (named)
        return 0;
    bench_try(kn_device_list_create(&list, &err), &err);
    for (size_t i = 0; i < kn_device_list_get_count(list); i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);
        if (!device->why_not[0])
            bench_device(device->spec, folder);
    }
    kn_device_list_free(list);
    return 0;
}
