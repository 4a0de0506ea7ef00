// SPDX-License-Identifier: Apache-2.0
// koine sort --dry-run: what the run would take.
#include <stdio.h>
#include <string.h>

#include "cli/dry_run.h"
#include "cmd_sort.h"

// ---- what has to be known of the input ----

// An array without its elements.
static kn_status read_form(const char *path, struct npy *array, kn_error *err)
{
    struct npy_file file = {.stream = NULL};
    kn_status status = npy_open(fopen(path, "rb"), path, &file, err);

    *array = file.array;
    npy_close(&file);
    return status;
}

// Elements themselves where they are looked at, and where their number is not known before they are read.
kn_status sort_read_sizes(struct sorting *sorting, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const char *path = arguments->tool.common.operands.items[0];
    const bool whole = arguments->tool.column || strcmp(path, "-") == 0 || arguments->nan == SORT_NAN_ERROR ||
                       (arguments->by_key && strcmp(arguments->by_key, "-") == 0);
    kn_status status;

    if (whole)
        return sort_read_input(sorting, err);
    status = read_form(path, &sorting->keys, err);
    if (!status)
        status = tool_check_column(path, &sorting->keys, err);
    if (!status)
        status = sort_check_top(sorting, err);
    if (!status && arguments->by_key)
        status = read_form(arguments->by_key, &sorting->values, err);
    if (!status && arguments->by_key)
        status = sort_check_values(sorting, &sorting->values, err);
    if (!status && arguments->segments)
        status = sort_read_offsets(sorting, err);
    return status;
}

// ---- what is told ----

static size_t bytes_of(const struct npy *array)
{
    return array->count * npy_element_size(array);
}

// On each place. The first elements are found in the array itself, which only pieces have to be kept with.
// Places that share the work hold two more copies of everything together, and a part each; so does one with
// --resume.
static void tell_memory(const struct sorting *sorting, const struct sort_division *division,
                        struct dry_run *plan)
{
    const size_t places = sorting->tool.share.count ? sorting->tool.share.count : 1,
                 elements = division->pieces > 1 ? division->elements : sorting->keys.count,
                 held = (sorting->keys.data ? bytes_of(&sorting->keys) : 0) +
                        (sorting->values.data ? bytes_of(&sorting->values) : 0);
    size_t host, device, needs;

    (void)sort_element_bytes(sorting, &host, &device);
    if (sorting->arguments->top && !sorting->arguments->tool.common.memory_limit)
        host = npy_element_size(&sorting->keys) +
               (sorting->arguments->by_key ? npy_element_size(&sorting->values) : 0);
    needs = host * elements;
    if (places > 1 || sorting->arguments->tool.common.resume)
        needs += 2 * host * elements / places;
    needs += 2 * bytes_of(&sorting->offsets);
    dry_run_memory(plan, needs - (held < needs ? held : needs), device * elements);
}

// Elements that are not read yet pass through memory once; runs are written, read and merged by one thread.
// On the host it takes longer by a factor, as measured, if values go along.
static void tell_work(const struct sorting *sorting, const struct sort_division *division,
                      struct dry_run *plan)
{
    const double read = sorting->keys.data ? 0 : 2 * (double)bytes_of(&sorting->keys),
                 with = sorting->values.data ? 0 : 2 * (double)bytes_of(&sorting->values);
    const double merged = division->pieces > 1 ? 100 * (double)sorting->keys.count : 0;
    kn_work work = sort_work(sorting);

    if ((sorting->arguments->argsort || sorting->arguments->by_key) && !sorting->arguments->top)
        work.host.bytes *= 6;
    work.host.prepared = work.device.prepared = read + with + merged;
    dry_run_work(plan, &work);
}

// The result's form.
static struct npy result_of(const struct sorting *sorting)
{
    const struct sort_arguments *arguments = sorting->arguments;
    struct npy form = arguments->argsort ? sort_number : arguments->by_key ? sorting->values : sorting->keys;

    form.dims = 1;
    form.count = form.shape[0] = arguments->top ? arguments->top : sorting->keys.count;
    return form;
}

kn_status sort_dry_run(const struct sorting *sorting, const struct sort_division *division, kn_error *err)
{
    const struct sort_arguments *arguments = sorting->arguments;
    const struct tool *tool = &sorting->tool;
    const struct npy result = result_of(sorting);
    size_t host, device;
    const size_t record = sort_element_bytes(sorting, &host, &device);
    struct dry_run plan;

    dry_run_begin(&plan, &arguments->tool.common, &tool->place, &tool->share, tool->seconds.read);
    plan.precision = kn_type_name(sorting->keys.type);
    tell_memory(sorting, division, &plan);
    tell_work(sorting, division, &plan);
    if (division->pieces > 1 && !arguments->segments && !arguments->top)
        plan.temporary = (double)record * (double)sorting->keys.count;
    dry_run_array(&plan, arguments->tool.out, &result);
    return dry_run_tell(&plan, err);
}
