// SPDX-License-Identifier: Apache-2.0
// koine devices: the devices, their paths, and why one is not used.
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <koine/device.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "cli/commands.h"
#include "cli/framework/progress.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

struct devices_arguments {
    struct common_arguments common;
    bool all;
};

static const struct option_row options[] = {
    {"all", 'a', OPTION_FIELD(OPTION_FLAG, struct devices_arguments, all),
     .help = "also list what is not used, and why"},
    {.name = NULL},
};

static const char *const type_names[] = {
    [KN_DEVICE_CPU] = "cpu",
    [KN_DEVICE_GPU] = "gpu",
    [KN_DEVICE_ACCELERATOR] = "accelerator",
};

static const struct path {
    const char *backend, *title;
    bool names_devices;
} paths[] = {{"cuda", "CUDA: ", true}, {"opencl", "OpenCL: ", false}};

static bool is_used(const kn_device_info *device)
{
    return !*device->why_not && !*device->alias_of;
}

static bool print_table(const kn_device_list *list, bool all, FILE *out)
{
    struct table table;
    bool printed;

    table_begin(&table, all ? "llrrlll" : "llrrll");
    for (const char *const *title =
             (const char *const[]){"spec", "name", "type", "memory", "fp64", "default", NULL};
         *title; title++)
        table_add(&table, "%s", *title);
    if (all)
        table_add(&table, "not used because");
    for (size_t i = 0; i < kn_device_list_get_count(list); i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);

        if (!all && !is_used(device))
            continue;
        table_add(&table, "%s", device->spec);
        table_add(&table, "%s", device->name);
        table_add(&table, "%s", type_names[device->type]);
        table_add(&table, "%.1f GiB", (double)device->global_memory / (1 << 30));
        table_add(&table, "%s", device->fp64 ? "yes" : "no");
        table_add(&table, "%s", device->is_default ? "*" : "");
        if (all && *device->alias_of && !*device->why_not)
            table_add(&table, "it is used as %s", device->alias_of);
        else if (all)
            table_add(&table, "%s", device->why_not);
    }
    printed = table_print(&table, out);
    table_free(&table);
    return printed;
}

// The first device of a path that is used, else its first; NULL if it has none.
static const kn_device_info *device_of(const struct path *path, const kn_device_list *list)
{
    const kn_device_info *found = NULL;

    for (size_t i = kn_device_list_get_count(list); i-- > 0;) {
        const kn_device_info *device = kn_device_list_get_device(list, i);
        if (strcmp(device->backend, path->backend) == 0 && (!found || !*device->why_not))
            found = device;
    }
    return found;
}

// Why a path has no device, in a separate buffer: from the reasons of the paths without one.
static void find_reason(const struct path *path, const char *why, char reason[256])
{
    const char *begin = strstr(why, path->title), *end;

    reason[0] = '\0';
    if (!begin)
        return;
    begin += strlen(path->title);
    end = strstr(begin, "; OpenCL: ");
    snprintf(reason, 256, "%.*s", end ? (int)(end - begin) : (int)strlen(begin), begin);
}

// A vendor's library that a path has in addition to our own kernels, or why it is missing.
static void print_library(const struct path *path, const kn_device_library *library)
{
    printf("%s%s is %s%s\n", path->title, library->name, *library->why_not ? "not used: " : "there",
           library->why_not);
}

// Whether a path is used, and if not, why; and which libraries it has. NVIDIA's devices are named one by one.
static void print_path(const struct path *path, const kn_device_list *list)
{
    const kn_device_info *device = device_of(path, list);
    kn_device_library gemm, fft;
    char reason[256];

    for (size_t i = 0; i < kn_device_list_get_count(list) && path->names_devices; i++) {
        const kn_device_info *one = kn_device_list_get_device(list, i);
        if (strcmp(one->backend, path->backend) == 0)
            printf("%s%s %s%s\n", path->title, one->spec, *one->why_not ? "is not used: " : "is used",
                   one->why_not);
    }
    find_reason(path, kn_device_list_get_why(list), reason);
    if (!device && *reason)
        printf("%snot used: %s\n", path->title, reason);
    if (!device || *device->why_not || kn_device_get_libraries(device, &gemm, &fft, NULL))
        return;
    print_library(path, &gemm);
    print_library(path, &fft);
}

static void print_text(const kn_device_list *list, bool all, bool *failed)
{
    size_t count = kn_device_list_get_count(list), used = 0;
    const char *why = kn_device_list_get_why(list);

    for (size_t i = 0; i < count; i++)
        used += is_used(kn_device_list_get_device(list, i));
    if (used == 0)
        printf("No usable device%s%s\n", *why ? ": " : "", why);
    if (used > 0 || (all && count > 0))
        *failed = !print_table(list, all, stdout);
    if (!all && count > used)
        printf("%zu not used; 'koine devices --all' says why\n", count - used);
    for (size_t i = 0; i < KI_COUNT(paths); i++)
        print_path(&paths[i], list);
}

static json_t *device_json(const kn_device_info *device)
{
    json_t *object = json_object();

    report_put(&object, "spec", ki_json_string(device->spec));
    report_put(&object, "name", ki_json_string(device->name));
    report_put(&object, "vendor", ki_json_string(device->vendor));
    report_put(&object, "backend", ki_json_string(device->backend));
    report_put(&object, "version", ki_json_string(device->version));
    report_put(&object, "driver", ki_json_string(device->driver));
    report_put(&object, "type", ki_json_string(type_names[device->type]));
    report_put(&object, "compute_units", json_integer(device->compute_units));
    report_put(&object, "global_memory", json_integer((json_int_t)device->global_memory));
    report_put(&object, "local_memory", json_integer((json_int_t)device->local_memory));
    report_put(&object, "max_alloc", json_integer((json_int_t)device->max_alloc));
    report_put(&object, "constant_memory", json_integer((json_int_t)device->constant_memory));
    report_put(&object, "fp64", json_boolean(device->fp64));
    report_put(&object, "subgroup", json_boolean(device->subgroup));
    report_put(&object, "images", json_boolean(device->images));
    report_put(&object, "alias_of", report_text(device->alias_of));
    report_put(&object, "default", json_boolean(device->is_default));
    report_put(&object, "why_not", report_text(device->why_not));
    return object;
}

static json_t *library_json(const kn_device_library *library)
{
    json_t *object = json_object();

    report_put(&object, "name", ki_json_string(library->name));
    report_put(&object, "why_not", report_text(library->why_not));
    return object;
}

// The path to devices: why it has no usable ones (null: it has some), and its libraries.
static json_t *path_json(const struct path *path, const kn_device_list *list)
{
    const kn_device_info *device = device_of(path, list);
    json_t *object = json_object();
    kn_device_library gemm, fft;
    char reason[256];

    find_reason(path, kn_device_list_get_why(list), reason);
    report_put(&object, "backend", ki_json_string(path->backend));
    report_put(&object, "why_not", report_text(device ? device->why_not : reason));
    if (device && !*device->why_not && !kn_device_get_libraries(device, &gemm, &fft, NULL)) {
        report_put(&object, "gemm", library_json(&gemm));
        report_put(&object, "fft", library_json(&fft));
    }
    return object;
}

static kn_status write_json(const kn_device_list *list, double seconds,
                            const struct devices_arguments *arguments, kn_error *err)
{
    const struct ki_json_seconds times = {seconds, -1, -1, -1, -1, -1};
    const kn_device_info *best = NULL;
    json_t *array = json_array(), *rows = json_array(), *root;

    for (size_t i = 0; i < kn_device_list_get_count(list); i++) {
        const kn_device_info *device = kn_device_list_get_device(list, i);

        if (device->is_default)
            best = device;
        if (arguments->all || is_used(device))
            report_append(&array, device_json(device));
    }
    root = report_begin("devices", best, NULL, NULL, &times);
    report_put(&root, "devices", array);
    for (size_t i = 0; i < KI_COUNT(paths); i++)
        report_append(&rows, path_json(&paths[i], list));
    report_put(&root, "paths", rows);
    return report_write(root, &arguments->common, err);
}

static kn_status run(void *given, kn_error *err)
{
    struct devices_arguments *arguments = given;
    const struct common_arguments *common = &arguments->common;
    double start = ki_clock_seconds();
    kn_device_list *list = NULL;
    bool failed = false;
    kn_status status = options_at_most(common, 0, err);

    if (!status)
        status = report_try(common, err);
    if (!status)
        status = kn_device_list_create(&list, err);
    if (!status && common->json)
        status = write_json(list, ki_clock_seconds() - start, arguments, err);
    if (!status && report_shows_text(common))
        print_text(list, arguments->all, &failed);
    if (failed)
        status = ki_fail_memory(err, 0, "printing the devices");
    kn_device_list_free(list);
    return status;
}

const struct command command_devices = {
    .name = "devices",
    .summary = "Lists the available devices, and which one is used by default",
    .description =
        "Lists every device through which kernels can be run: its name for --device, its driver's name for "
        "it, its type, its memory, whether it computes in double precision, and a * at the default one.\n\n"
        "With --all the list also has what is not used, and why: a driver that reports an error or crashes "
        "the programs that open it, a device that is already reached through another path. The exit status "
        "is 0 even if there is no device: the list is then empty, and a line says why. The last lines say "
        "which path is not used and why, and which vendors' libraries for matrix products and Fourier "
        "transforms are installed (CLBlast and clFFT, cuBLAS and cuFFT).",
    .common = COMMON_JSON | COMMON_FORCE,
    .options = options,
    .examples = {{"koine devices", "one line for each device; the * marks the default"},
                 {"koine devices --all --json -", "everything known about each device, for programs"}},
    .arguments_size = sizeof(struct devices_arguments),
    .run = run,
};
