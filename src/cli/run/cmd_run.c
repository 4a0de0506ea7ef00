// SPDX-License-Identifier: Apache-2.0
// koine run: runs any kernel on any device, times it, and compares it with another device.
#include "cmd_run.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/progress.h"
#include "cli/framework/report.h"

#define FIELD(type, field) OPTION_FIELD(type, struct run_arguments, field)

static const struct option_row options[] = {
    {"kernel", 'k', FIELD(OPTION_PATH, kernel), .metavar = "NAME",
     .help = "the kernel to run; may be omitted if the file has only one"},
    {"global", 'g', FIELD(OPTION_PATH, global), .metavar = "X[,Y[,Z]]", .help = "work-items in all"},
    {"local", 'l', FIELD(OPTION_PATH, local), .metavar = "X[,Y[,Z]]",
     .help = "work-group size (default: the device chooses)"},
    {"arg", 'a', FIELD(OPTION_STRINGS, args), .metavar = "SPEC",
     .help = "an argument, in the order of the kernel's parameters: buf:TYPE:COUNT[:FILL], in:FILE.npy, "
             "out:FILE.npy:TYPE:COUNT, inout:IN.npy:OUT.npy, TYPE=VALUE, struct:HEXBYTES, local:BYTES, "
             "image2d:ORDER:TYPE:WxH[:FILL] (and its like) or sampler:FILTER[,ADDRESSING][,normalized]; FILL "
             "is zero, iota, random[:SEED], value=V or file=PATH"},
    {"repeat", 'n', FIELD(OPTION_COUNT, repeat), .metavar = "N", .fallback = "1",
     .help = "run it N times, each time with the same initial contents"},
    {"compare", 'c', FIELD(OPTION_PATH, compare), .metavar = "SPEC",
     .help = "also run it on this device, and compare every buffer"},
    {"ulp", FIELD(OPTION_PATH, ulp), .metavar = "N", .fallback = "0",
     .help = "with --compare: floats may differ by N units in the last place"},
    {"tolerance", FIELD(OPTION_PATH, tolerance), .metavar = "T", .fallback = "0",
     .help = "with --compare: or by T times the larger of the two numbers and 1"},
    BUILD_OPTION_ROWS(struct run_arguments, build),
    {.name = NULL},
};

// ---- the options ----

static kn_status read_range(const struct run_arguments *arguments, kn_range *range, kn_error *err)
{
    unsigned dims;

    *range = (kn_range){.dims = 0};
    if (!arguments->global)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--global is missing: give the number of work-items");
    range->dims = options_sizes(arguments->global, range->global);
    if (!range->dims)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--global: '%s' is not X[,Y[,Z]], whole numbers from 1",
                       arguments->global);
    if (!arguments->local)
        return KN_OK;
    dims = options_sizes(arguments->local, range->local);
    if (!dims)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--local: '%s' is not X[,Y[,Z]], whole numbers from 1",
                       arguments->local);
    if (dims != range->dims)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--local has %u dimensions, but --global has %u", dims,
                       range->dims);
    return KN_OK;
}

static kn_status read_bound(const struct run_arguments *arguments, struct run_bound *bound, kn_error *err)
{
    uintmax_t ulp;
    char *end;

    errno = 0;
    ulp = strtoumax(arguments->ulp, &end, 10);
    if (!isdigit((unsigned char)*arguments->ulp) || errno || *end || ulp > INT64_MAX)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--ulp: '%s' is not a whole number of at least 0",
                       arguments->ulp);
    bound->ulp = ulp;
    bound->tolerance = strtod(arguments->tolerance, &end);
    if (*end || isspace((unsigned char)*arguments->tolerance) || !isfinite(bound->tolerance) ||
        bound->tolerance < 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--tolerance: '%s' is not a number of at least 0",
                       arguments->tolerance);
    return KN_OK;
}

static kn_status read_options(struct run_run *run, kn_error *err)
{
    const struct run_arguments *arguments = run->arguments;
    kn_status status = options_at_most(&arguments->common, 1, err);

    if (!status && arguments->common.operands.count == 0)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "no kernel file named; try 'koine run --help'");
    if (!status && arguments->common.devices.count > 1)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "--device: a kernel runs on one device; --compare names a second");
    if (!status)
        status = read_range(arguments, &run->range, err);
    if (!status)
        status = read_bound(arguments, &run->bound, err);
    return status;
}

// Whether all files can be written, checked before doing the work that would fill them.
static kn_status try_outputs(const struct run_run *run, kn_error *err)
{
    kn_status status = report_try(&run->arguments->common, err);

    for (size_t i = 0; i < run->args.count && !status; i++)
        if (run->args.items[i].out_path)
            status = report_try_file(run->args.items[i].out_path, run->arguments->common.force, err);
    return status;
}

// ---- on a device ----

static kn_status open_place(const char *spec, const char *command, struct place *place, kn_error *err)
{
    if (strcmp(spec, "host") == 0)
        return ki_fail(err, KN_ERROR_NO_DEVICE,
                       "device host: a kernel needs a device; 'koine devices' lists them");
    return place_open(spec, true, command, place, err);
}

// The named kernel, or the only one.
static kn_status find_kernel(const struct run_run *run, kn_program *program, kn_kernel **kernel,
                             kn_error *err)
{
    if (run->arguments->kernel)
        return kn_program_get_kernel(program, run->arguments->kernel, kernel, err);
    if (kn_program_get_kernel_count(program) != 1)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s has %zu kernels; --kernel names the one to run",
                       run->arguments->common.operands.items[0], kn_program_get_kernel_count(program));
    *kernel = kn_program_get_kernel_at(program, 0);
    return KN_OK;
}

static kn_status build(struct run_run *run, struct run_outcome *outcome, kn_error *err)
{
    const struct run_arguments *arguments = run->arguments;
    struct build_defines defines = {.count = 0};
    double start = ki_clock_seconds();
    kn_status status = build_defines_read(&arguments->build, &defines, err);

    if (!status) {
        kn_program_options how = build_program_options(&defines, arguments->common.policy);

        const char *file = arguments->common.operands.items[0];

        status = run->text ? kn_program_from_text(outcome->place.context, run->text, build_input_name(file),
                                                  &how, &outcome->program, err)
                           : kn_program_from_file(outcome->place.context, file, &how, &outcome->program, err);
    }
    build_defines_free(&defines);
    outcome->build = ki_clock_seconds() - start;
    return status ? status : find_kernel(run, outcome->program, &outcome->kernel, err);
}

static kn_status create_buffers(const struct run_run *run, struct run_outcome *outcome, kn_error *err)
{
    const size_t count = run->args.count + 1;
    kn_status status = KN_OK;

    outcome->buffers = calloc(count, sizeof *outcome->buffers);
    outcome->data = calloc(count, sizeof *outcome->data);
    outcome->seconds = calloc(run->arguments->repeat, sizeof *outcome->seconds);
    outcome->images = calloc(count, sizeof *outcome->images);
    if (!outcome->buffers || !outcome->images || !outcome->data || !outcome->seconds)
        return ki_fail_memory(err, 0, "running a kernel");
    for (size_t i = 0; i < run->args.count && !status; i++) {
        const struct run_arg *arg = &run->args.items[i];

        if (!run_has_contents(arg))
            continue;
        outcome->data[i] = malloc(arg->bytes);
        if (!outcome->data[i])
            status = ki_fail_memory(err, arg->bytes, "keeping a buffer's contents");
        else if (arg->kind == RUN_IMAGE)
            status = kn_image_create(outcome->place.context, arg->image, arg->format, arg->size[0],
                                     arg->size[1], arg->size[2], &outcome->images[i], err);
        else
            status = kn_buffer_create(outcome->place.context, arg->bytes, &outcome->buffers[i], err);
    }
    return status;
}

static kn_status upload_image(const struct run_arg *arg, struct run_outcome *outcome, size_t index,
                              kn_error *err)
{
    memset(outcome->data[index], run_poison(&arg->type), arg->bytes);
    return kn_image_write(outcome->place.queue, outcome->images[index], NULL,
                          arg->data ? arg->data : outcome->data[index], 0, err);
}

// The initial contents of the buffers: poison everywhere, then the given contents.
static kn_status upload(const struct run_run *run, struct run_outcome *outcome, kn_error *err)
{
    double start = ki_clock_seconds();
    kn_status status = KN_OK;

    for (size_t i = 0; i < run->args.count && !status; i++) {
        const struct run_arg *arg = &run->args.items[i];
        unsigned char poison;

        if (arg->kind == RUN_IMAGE)
            status = upload_image(arg, outcome, i, err);
        if (arg->kind != RUN_BUFFER)
            continue;
        poison = run_poison(&arg->type);
        status =
            kn_buffer_fill(outcome->place.queue, outcome->buffers[i], &poison, 1, 0, arg->bytes, NULL, err);
        if (!status && arg->data)
            status =
                kn_buffer_write(outcome->place.queue, outcome->buffers[i], 0, arg->data, arg->bytes, err);
    }
    if (!status)
        status = kn_queue_finish(outcome->place.queue, err);
    outcome->upload += ki_clock_seconds() - start;
    return status;
}

static kn_status launch(const struct run_run *run, struct run_outcome *outcome, const kn_arg *args,
                        double *seconds, kn_error *err)
{
    kn_event *event = NULL;
    uint64_t nanoseconds = 0;
    kn_status status =
        kn_launch(outcome->place.queue, outcome->kernel, &run->range, args, run->args.count, &event, err);

    if (!status)
        status = kn_queue_finish(outcome->place.queue, err);
    if (!status)
        status = kn_event_get_duration(event, &nanoseconds, err);
    kn_event_free(event);
    *seconds = 1e-9 * (double)nanoseconds;
    return status;
}

kn_status run_read(const struct run_run *run, struct run_outcome *outcome, kn_error *err)
{
    double start = ki_clock_seconds();
    kn_status status = KN_OK;

    for (size_t i = 0; i < run->args.count && !status; i++)
        if (outcome->buffers[i])
            status = kn_buffer_read(outcome->place.queue, outcome->buffers[i], 0, outcome->data[i],
                                    run->args.items[i].bytes, err);
        else if (outcome->images[i])
            status = kn_image_read(outcome->place.queue, outcome->images[i], NULL, outcome->data[i], 0, err);
    outcome->download = ki_clock_seconds() - start;
    return status;
}

static void take_args(const struct run_run *run, const struct run_outcome *outcome, kn_arg *args)
{
    for (size_t i = 0; i < run->args.count; i++) {
        const struct run_arg *arg = &run->args.items[i];

        if (arg->kind == RUN_BUFFER)
            args[i] = KN_BUFFER(outcome->buffers[i]);
        else if (arg->kind == RUN_LOCAL)
            args[i] = KN_LOCAL(arg->bytes);
        else if (arg->kind == RUN_IMAGE)
            args[i] = KN_IMAGE(outcome->images[i]);
        else if (arg->kind == RUN_SAMPLER)
            args[i] = KN_SAMPLER(arg->sampler);
        else
            args[i] = (kn_arg){.kind = KN_ARG_VALUE, .value = arg->data, .size = arg->bytes};
    }
}

kn_status run_once(const struct run_run *run, struct run_outcome *outcome, double *seconds, kn_error *err)
{
    kn_arg *args = calloc(run->args.count + 1, sizeof *args);
    kn_status status = args ? upload(run, outcome, err) : ki_fail_memory(err, 0, "running a kernel");

    if (!status) {
        take_args(run, outcome, args);
        status = launch(run, outcome, args, seconds, err);
    }
    free(args);
    return status;
}

kn_status run_open(struct run_run *run, struct run_outcome *outcome, kn_error *err)
{
    kn_status status = build(run, outcome, err);

    if (!status && outcome == run->outcomes)
        status = run_args_bind(&run->args, outcome->kernel, err);
    return status ? status : create_buffers(run, outcome, err);
}

static kn_status run_on(struct run_run *run, const char *spec, kn_error *err)
{
    struct run_outcome *outcome = &run->outcomes[run->outcome_count++];
    kn_status status = open_place(spec, run->arguments->common.command, &outcome->place, err);

    if (!status)
        status = run_open(run, outcome, err);
    for (size_t i = 0; i < run->arguments->repeat && !status; i++)
        status = run_once(run, outcome, &outcome->seconds[i], err);
    return status ? status : run_read(run, outcome, err);
}

static kn_status compare(struct run_run *run, kn_error *err)
{
    kn_status status = run_on(run, run->arguments->compare, err);

    if (status)
        return status;
    run->differences = calloc(run->args.count + 1, sizeof *run->differences);
    if (!run->differences)
        return ki_fail_memory(err, 0, "comparing the results");
    for (size_t i = 0; i < run->args.count; i++)
        if (run_has_contents(&run->args.items[i]))
            run_compare(&run->args.items[i], run->outcomes[0].data[i], run->outcomes[1].data[i], &run->bound,
                        &run->differences[i]);
    return KN_OK;
}

static kn_status run_all(struct run_run *run, kn_error *err)
{
    struct places places = {.count = 0};
    kn_status status = choose_places(&run->arguments->common.devices, &places, err);

    if (!status && places.count != 1)
        status = ki_fail(err, KN_ERROR_ARGUMENT,
                         "--device: a kernel runs on one device; --compare names a second");
    if (!status)
        status = run_on(run, places.specs[0].spec, err);
    if (!status && run->arguments->compare)
        status = compare(run, err);
    choose_free(&places);
    return status;
}

// ---- saved results ----

// Vectors of 3 lie closer in a file than on the device.
static unsigned char *packed(const struct run_arg *arg, const unsigned char *data)
{
    const size_t element = arg->type.width * arg->type.size;
    unsigned char *copy = malloc(arg->count * element);

    for (size_t i = 0; copy && i < arg->count; i++)
        memcpy(copy + i * element, data + i * run_type_bytes(&arg->type), element);
    return copy;
}

static kn_status write_array(const struct run_arg *arg, const unsigned char *data, bool force, kn_error *err)
{
    struct npy array = arg->shape;
    kn_status status;

    if (!array.count) // out: a row for each vector
        array = (struct npy){.type = arg->type.npy,
                             .dims = arg->type.width > 1 ? 2 : 1,
                             .shape = {arg->count, arg->type.width}};
    array.data = packed(arg, data);
    if (!array.data)
        return ki_fail_memory(err, arg->bytes, "writing an array");
    interrupt_hold();
    status = npy_write(arg->out_path, &array, force, err);
    interrupt_release();
    free(array.data);
    return status;
}

static kn_status write_arrays(const struct run_run *run, kn_error *err)
{
    kn_status status = KN_OK;

    for (size_t i = 0; i < run->args.count && !status; i++)
        if (run->args.items[i].out_path)
            status =
                write_array(&run->args.items[i], run->outcomes[0].data[i], run->arguments->common.force, err);
    return status;
}

static void free_outcome(struct run_outcome *outcome, size_t count)
{
    for (size_t i = 0; outcome->buffers && i < count; i++)
        kn_buffer_free(outcome->buffers[i]);
    for (size_t i = 0; outcome->images && i < count; i++)
        kn_image_free(outcome->images[i]);
    for (size_t i = 0; outcome->data && i < count; i++)
        free(outcome->data[i]);
    free(outcome->buffers);
    free(outcome->images);
    free(outcome->data);
    free(outcome->seconds);
    kn_program_free(outcome->program);
    place_close(&outcome->place);
}

kn_status run_begin(struct run_run *run, kn_error *err)
{
    double start = ki_clock_seconds();
    kn_status status = read_options(run, err);

    if (!status)
        status = build_input_read(run->arguments->common.operands.items[0], &run->text, err);
    if (!status)
        status = run_args_read(&run->arguments->args, &run->args, err);
    run->read = ki_clock_seconds() - start;
    return status;
}

void run_end(struct run_run *run)
{
    for (size_t i = 0; i < run->outcome_count; i++)
        free_outcome(&run->outcomes[i], run->args.count);
    free(run->differences);
    free(run->text);
    run_args_free(&run->args);
}

static kn_status run_run(void *given, kn_error *err)
{
    struct run_arguments *arguments = given;
    struct common_arguments *common = &arguments->common;
    struct run_run run = {.arguments = arguments};
    double start = ki_clock_seconds();
    kn_status status = run_begin(&run, err);

    if (!status)
        status = try_outputs(&run, err);
    if (!status)
        status = run_all(&run, err);
    if (!status)
        status = write_arrays(&run, err);
    run.total = ki_clock_seconds() - start;
    if (!status && common->json)
        status = run_write_json(&run, err);
    if (!status && report_shows_text(common) && !run_print(&run))
        status = ki_fail_memory(err, 0, "printing the results");
    if (!status)
        common->check_failed = !run_agrees(&run);
    run_end(&run);
    return status;
}

const struct command command_run = {
    .name = "run",
    .summary = "Runs a kernel of any OpenCL C file on any device, times it, and compares devices",
    .operands = "FILE.cl",
    .description =
        "Compiles the file, passes the kernel its arguments in the order of the --arg options, runs it, and "
        "summarizes each buffer afterwards: minimum, maximum, sum, how many numbers are NaN, and how many "
        "the kernel left unwritten. The name of a file that does not exist may be that of one of Koine's "
        "own, such as reduce.cl.\n\n"
        "TYPE is one of char, uchar, short, ushort, int, uint, long, ulong, half, float, double, with 2, 3, "
        "4, 8 or 16 behind it for a vector. buf: is a buffer of COUNT elements. FILL is its initial "
        "contents: zero, iota (0, 1, 2, ...), random (floats from 0 to 1, integers of all values, from SEED, "
        "which is by default the position of the argument from 1) or value=V; file=PATH reads its bytes. "
        "Without any of these, and for out:, it is poisoned: NaN in floats, the bytes a5 in integers. in:, "
        "out: and inout: are NumPy files; an array with 3 in its last dimension can be passed to a kernel "
        "that takes vectors of 3. The numbers of a value are separated by commas; one number is used for all "
        "components. struct: has the bytes of a struct in hexadecimal, local: a number of bytes of local "
        "memory.\n\n"
        "image1d:, image1d_buffer:, image1d_array:, image2d:, image2d_array: and image3d: are images of W, "
        "W, WxLAYERS, WxH, WxHxLAYERS and WxHxDEPTH texels. ORDER is one of r, a, rg, ra, rgba, bgra, argb, "
        "intensity, luminance, TYPE one of snorm8, snorm16, unorm8, unorm16, signed8, signed16, signed32, "
        "unsigned8, unsigned16, unsigned32, half, float. They are filled, shown and compared as the numbers "
        "in memory: a channel of unorm8 is a uchar. sampler: has a filter, nearest or linear; an addressing "
        "mode, none, edge, clamp, repeat or mirror; and normalized, for coordinates from 0 to 1, which "
        "repeat and mirror need.\n\n"
        "Times are those of the kernel alone, by the device's clock. Every repetition starts from the same "
        "contents.\n\n"
        "With --compare every buffer is compared with that of a second device. Integers must be equal; "
        "floats may differ by --ulp or by --tolerance; the exit status is 1 if one differs by more.",
    .common = COMMON_DEVICE | COMMON_POLICY | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine run scale.cl -k scale -g 1024 -a buf:float:1024:iota -a float=2",
                  "what is in the buffer after that, and how long it took"},
                 {"koine run blur.cl -g 4096 -a in:a.npy -a out:b.npy:float:4096 --compare cpu",
                  "the result in a file, and compared with that of a CPU"}},
    .arguments_size = sizeof(struct run_arguments),
    .run = run_run,
};
