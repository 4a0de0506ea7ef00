// SPDX-License-Identifier: Apache-2.0
#include "tool.h"

#include <koine/experimental.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/os/clock.h"
#include "base/error.h"
#include "io/csv/csv.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"

// Seconds since the last call.
static double lap(struct tool *tool)
{
    double before = tool->clock;

    tool->clock = ki_clock_seconds();
    return tool->clock - before;
}

kn_status tool_begin(struct tool *tool, const struct tool_arguments *arguments, size_t operands,
                     const char *names, bool writes, kn_error *err)
{
    const struct common_arguments *common = &arguments->common;
    kn_status status;

    *tool = (struct tool){.arguments = arguments, .shares = tool->shares, .start = ki_clock_seconds()};
    if (common->operands.count < operands)
        return ki_fail(err, KN_ERROR_ARGUMENT, "expected %s; try '%s --help'", names, common->command);
    status = options_at_most(common, operands, err);
    if (status)
        return status;
    if (writes && !arguments->out)
        return ki_fail(err, KN_ERROR_ARGUMENT, "expected -o FILE.npy, for the result; try '%s --help'",
                       common->command);
    if (!ranks_writes(common->ranks))
        return KN_OK;
    status = report_try(common, err);
    return status || !arguments->out ? status : report_try_file(arguments->out, common->force, err);
}

kn_status tool_check_library(const struct tool *tool, const char *const *names, int library, kn_error *err)
{
    int policy = tool->arguments->common.policy;

    return policy == KN_POLICY_DEFAULT || library < 2
               ? KN_OK
               : ki_fail(err, KN_ERROR_ARGUMENT, "--policy %s: %s does not follow it; use --library own",
                         policy_names[policy], names[library]);
}

static bool names_host(const struct places *chosen)
{
    for (size_t i = 0; i < chosen->count; i++)
        if (strcmp(chosen->specs[i].spec, "host") == 0)
            return true;
    return false;
}

static kn_status open_several(struct tool *tool, const struct places *chosen, bool must_be_device,
                              kn_error *err)
{
    const struct common_arguments *common = &tool->arguments->common;
    kn_status status = share_open(chosen, common->policy, must_be_device, common->command, &tool->share, err);

    if (!status && common->ranks)
        status = share_spread(&tool->share, common->ranks, err);
    if (!status)
        tool->place = *share_first(&tool->share); // under MPI, this rank's own
    return status;
}

// The host has no such steps.
static void settle_seconds(struct tool *tool)
{
    if (!tool->place.queue)
        tool->seconds.build = tool->seconds.upload = tool->seconds.download = -1;
}

kn_status tool_open(struct tool *tool, enum tool_place places, const kn_work *work, kn_error *err)
{
    const struct common_arguments *common = &tool->arguments->common;
    struct places chosen = {.count = 0};
    kn_status status = choose_places(&common->devices, &chosen, err);

    if (status)
        return status;
    if (chosen.count > 1 && !tool->shares)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--device names %zu devices; %s uses one", chosen.count,
                         common->command);
    else if (places == TOOL_DEVICE && names_host(&chosen))
        status = ki_fail(err, KN_ERROR_NO_DEVICE,
                         "device host: this command has no code for the host; name a device, such as cpu");
    else if (chosen.count > 1)
        status = open_several(tool, &chosen, false, err);
    else if (places == TOOL_DEVICE)
        status =
            place_open_with(chosen.specs[0].spec, common->policy, true, common->command, &tool->place, err);
    else
        status = estimate_open(&chosen, work, common->policy, common->command, &tool->place, err);
    choose_free(&chosen);
    settle_seconds(tool);
    return status;
}

kn_status tool_open_rank(struct tool *tool, bool on_host, bool must_be_device, kn_error *err)
{
    const struct common_arguments *common = &tool->arguments->common;
    struct places chosen = {.count = 0};
    kn_status status =
        on_host ? choose_host_too(&chosen, err) : choose_places(&common->devices, &chosen, err);

    if (!status && !on_host)
        status = ranks_choose(common, must_be_device, &chosen, err);
    if (!status)
        status = open_several(tool, &chosen, must_be_device, err);
    choose_free(&chosen);
    settle_seconds(tool);
    return status;
}

void tool_end(struct tool *tool)
{
    if (tool->share.count)
        share_close(&tool->share);
    else
        place_close(&tool->place);
}

static kn_status read_csv(const char *path, const char *column, struct npy *array, kn_error *err)
{
    const struct csv_options options = {.columns = &column, .column_count = 1};
    struct csv_table table = {.columns = NULL};
    kn_status status = csv_read(path, &options, &table, err);

    if (status)
        return status;
    *array = (struct npy){.type = KN_F64,
                          .dims = 1,
                          .shape = {table.columns[0].count},
                          .count = table.columns[0].count,
                          .data = table.columns[0].values};
    table.columns[0].values = NULL;
    csv_free(&table);
    return KN_OK;
}

kn_status tool_read(struct tool *tool, const char *path, struct npy *array, kn_error *err)
{
    kn_status status;

    tool->clock = ki_clock_seconds();
    status = tool->arguments->column ? read_csv(path, tool->arguments->column, array, err)
                                     : npy_read(path, array, err);
    tool->seconds.read += lap(tool);
    return status;
}

kn_status tool_check_column(const char *path, const struct npy *array, kn_error *err)
{
    if (array->dims != 1)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0,
                          "the array has %zu dimensions, expected one; in Python: a.ravel()", array->dims);
    if (array->is_complex)
        return ki_fail_at(err, KN_ERROR_INPUT, path, 0, "the array is of %s, which has no order",
                          npy_type_name(array));
    return KN_OK;
}

kn_status tool_read_column(struct tool *tool, const char *path, struct npy *array, kn_error *err)
{
    kn_status status = tool_read(tool, path, array, err);

    if (status)
        return status;
    status = tool_check_column(path, array, err);
    if (status)
        npy_free(array);
    return status;
}

kn_status tool_upload(struct tool *tool, const struct npy *array, kn_buffer **buffer, kn_error *err)
{
    size_t bytes = array->count * npy_element_size(array);
    kn_status status;

    if (!tool->place.queue)
        return KN_OK;
    tool->clock = ki_clock_seconds();
    status = kn_buffer_create(tool->place.context, bytes ? bytes : 1, buffer, err);
    if (!status)
        status = kn_buffer_write(tool->place.queue, *buffer, 0, array->data, bytes, err);
    tool->seconds.upload += lap(tool);
    return status;
}

kn_status tool_download(struct tool *tool, kn_buffer *buffer, struct npy *array, kn_error *err)
{
    kn_status status;

    if (!tool->place.queue)
        return KN_OK;
    tool->clock = ki_clock_seconds();
    status = kn_buffer_read(tool->place.queue, buffer, 0, array->data, array->count * npy_element_size(array),
                            err);
    tool->seconds.download += lap(tool);
    return status;
}

// Seconds of compiling so far.
static double built(const struct tool *tool)
{
    if (tool->share.count)
        return share_built(&tool->share);
    return tool->place.queue ? kn_context_get_build_seconds(tool->place.context) : 0;
}

void tool_compute(struct tool *tool)
{
    tool->clock = ki_clock_seconds();
    tool->built = built(tool);
}

kn_status tool_share(struct tool *tool, const kn_distribute_job *job, kn_distribute_write_function *write,
                     struct progress *progress, kn_error *err)
{
    struct share alone;
    kn_status status;

    tool->share.resume = &tool->resume;
    if (tool->share.count)
        return share_run(&tool->share, job, write, progress, err);
    status = share_alone(&tool->place, tool->arguments->common.command, &alone, err);
    if (status)
        return status;
    alone.resume = &tool->resume;
    status = share_run(&alone, job, write, progress, err);
    share_close(&alone);
    return status;
}

kn_status tool_computed(struct tool *tool, kn_status status, kn_error *err)
{
    double compiling;

    if (!tool->place.queue) {
        tool->seconds.compute += lap(tool);
        return status;
    }
    if (!status)
        status = kn_queue_finish(tool->place.queue, err);
    compiling = built(tool) - tool->built;
    tool->seconds.build += compiling;
    tool->seconds.compute += lap(tool) - compiling;
    return status;
}

// An integer of any size in little-endian byte order, which is the machine's (npy.h).
static json_t *integer(const void *element, size_t size, bool is_signed, char text[TOOL_ELEMENT])
{
    unsigned shift = 64 - 8 * (unsigned)size;
    uint64_t bits = 0;
    int64_t value;

    memcpy(&bits, element, size);
    value = (int64_t)(bits << shift) >> shift;
    if (is_signed)
        snprintf(text, TOOL_ELEMENT, "%" PRId64, value);
    else
        snprintf(text, TOOL_ELEMENT, "%" PRIu64, bits);
    if (!is_signed && bits > INT64_MAX)
        return ki_json_double((double)bits);
    return json_integer(is_signed ? value : (int64_t)bits);
}

json_t *tool_element(const struct npy *array, const void *elements, size_t i, char text[TOOL_ELEMENT])
{
    const kn_type type = array->type;
    const char *element = (const char *)elements + i * kn_type_size(type);
    float single;
    double wide;

    if (type == KN_F32) {
        memcpy(&single, element, sizeof single);
        snprintf(text, TOOL_ELEMENT, "%.9g", (double)single);
        return ki_json_float(single);
    }
    if (type == KN_F64) {
        memcpy(&wide, element, sizeof wide);
        snprintf(text, TOOL_ELEMENT, "%.17g", wide);
        return ki_json_double(wide);
    }
    return integer(element, kn_type_size(type),
                   type == KN_I8 || type == KN_I16 || type == KN_I32 || type == KN_I64, text);
}

kn_status tool_write(struct tool *tool, const struct npy *array, kn_error *err)
{
    kn_status status;

    interrupt_hold();
    status = npy_write(tool->arguments->out, array, tool->arguments->common.force, err);
    interrupt_release();
    return status;
}

bool tool_shows_text(const struct tool *tool)
{
    bool out_is_text = tool->arguments->out && strcmp(tool->arguments->out, "-") == 0;

    return !out_is_text && report_shows_text(&tool->arguments->common);
}

void tool_print_place(const struct tool *tool)
{
    const struct ki_json_seconds *seconds = &tool->seconds;

    printf("on ");
    if (tool->share.count)
        share_print(&tool->share);
    else
        estimate_print_place(&tool->place);
    printf("; seconds: read %.3f, ", seconds->read);
    if (tool->place.queue)
        printf("build %.3f, upload %.3f, compute %.3f, download %.3f\n", seconds->build, seconds->upload,
               seconds->compute, seconds->download);
    else
        printf("compute %.3f\n", seconds->compute);
}

json_t *tool_report(struct tool *tool, kn_type type)
{
    const struct common_arguments *common = &tool->arguments->common;
    json_t *root;

    tool->seconds.total = ki_clock_seconds() - tool->start;
    root = report_begin(common->command + strlen("koine "), &tool->place.device, kn_type_name(type),
                        policy_names[common->policy], &tool->seconds);
    estimate_report(&root, &tool->place);
    if (tool->share.count)
        report_put(&root, "devices", share_json(tool->share.places, tool->share.taken, tool->share.count));
    if (common->resume)
        report_put(&root, "resumed", json_integer((json_int_t)tool->resume.resumed));
    return root;
}

kn_status tool_report_write(const struct tool *tool, json_t *root, kn_error *err)
{
    return report_write(root, &tool->arguments->common, err);
}
