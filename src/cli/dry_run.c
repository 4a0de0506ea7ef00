// SPDX-License-Identifier: Apache-2.0
#include "dry_run.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/output.h"
#include "estimate.h"
#include "io/array/volume.h"
#include "cli/framework/memory.h"
#include "cli/framework/report.h"

void dry_run_begin(struct dry_run *plan, const struct common_arguments *common, const struct place *place,
                   const struct share *share, double read)
{
    *plan = (struct dry_run){.common = common,
                             .place = place,
                             .share = share && share->count ? share : NULL,
                             .seconds = {.total = read, .read = read, .upload = -1, .download = -1}};
}

// ---- memory and time ----

static size_t places_of(const struct dry_run *plan)
{
    return plan->share ? plan->share->count : 1;
}

static const struct place *place_of(const struct dry_run *plan, size_t i)
{
    return plan->share ? &plan->share->places[i] : plan->place;
}

// What was read may have taken more for a while than the work will.
void dry_run_memory(struct dry_run *plan, size_t host, size_t device)
{
    double needs = (double)memory_resident() + MEMORY_BESIDE;

    for (size_t i = 0; i < places_of(plan); i++) {
        const struct place *place = place_of(plan, i);

        needs += (double)host;
        if (place->queue && place->device.type == KN_DEVICE_CPU)
            plan->shared += (double)device;
        if (place->queue)
            plan->device = (double)device;
    }
    plan->host = fmax(needs + plan->shared, (double)memory_peak());
}

// Places that share the work are faster by as much as their speeds add up to; each starts and compiles for
// itself at the same time.
void dry_run_work(struct dry_run *plan, const kn_work *work)
{
    double start = 0, build = 0, copies = 0, computes = 0; // the latter two: per second

    if (!work) {
        plan->seconds.total = NAN;
        return;
    }
    for (size_t i = 0; i < places_of(plan); i++) {
        const struct place *place = place_of(plan, i);
        kn_cost cost;

        // It cannot fail with these arguments.
        (void)kn_cost_estimate(work, place->queue ? &place->device : NULL, &cost, NULL);
        start = fmax(start, cost.start);
        build = fmax(build, cost.build);
        copies += 1 / cost.copy;
        computes += 1 / cost.compute;
    }
    plan->start = fmax(plan->start, start);
    plan->seconds.build = fmax(plan->seconds.build, build);
    plan->copy += 1 / copies;
    plan->seconds.compute += 1 / computes;
    plan->seconds.total += 1 / copies + 1 / computes;
}

// ---- files ----

void dry_run_file(struct dry_run *plan, const char *name, double bytes)
{
    struct dry_run_file file = {.bytes = bytes};

    if (!name)
        return;
    file.name = strdup(name);
    if (file.name && KI_ARRAY_PUSH(plan->files, plan->file_count, plan->file_capacity, file))
        return;
    free(file.name);
    plan->failed = true;
}

static void add_file(void *data, const char *name, double bytes)
{
    dry_run_file(data, name, bytes);
}

void dry_run_array(struct dry_run *plan, const char *name, const struct npy *array)
{
    if (name && !volume_files(name, array, add_file, plan))
        plan->failed = true;
}

// Bytes that are free where a file would be written, as far as its folder exists; NAN: not known.
static double free_for(const char *name)
{
    const size_t there = ki_output_folder_there(name);
    const char *slash = strrchr(name, '/');
    const size_t folder = slash ? (size_t)(slash - name) : 0;
    struct statvfs disk;
    char *path;
    double bytes = NAN;

    if (strcmp(name, "-") == 0)
        return NAN;
    path = folder ? strndup(name, folder < there ? folder : there) : strdup(slash ? "/" : ".");
    if (path && statvfs(*path ? path : ".", &disk) == 0)
        bytes = (double)disk.f_bavail * (double)disk.f_frsize;
    free(path);
    return bytes;
}

// ---- output ----

static const double mega = 1e6;

static void print_place(const struct dry_run *plan)
{
    printf("place: ");
    if (!plan->share)
        estimate_print_place(plan->place);
    for (size_t i = 0; plan->share && i < plan->share->count; i++)
        printf("%s%s", i ? ", " : "", plan->share->places[i].device.spec);
    printf("\n");
}

static void print_memory(const struct dry_run *plan)
{
    printf("memory: about %.1f MB of the host's", plan->host / mega);
    if (plan->shared > 0)
        printf(", %.1f MB of it for buffers of %s", plan->shared / mega,
               plan->share ? "CPU devices" : plan->place->device.spec);
    else if (plan->device > 0)
        printf(", and %.1f MB of the %.0f MB of %s", plan->device / mega,
               (double)plan->place->device.global_memory / mega,
               plan->share ? "each device" : plan->place->device.spec);
    printf("\n");
}

static void print_time(const struct dry_run *plan)
{
    const struct {
        const char *what;
        double seconds;
    } parts[] = {{"reading", plan->seconds.read},
                 {"starting the device", plan->start},
                 {"compiling", plan->seconds.build},
                 {"copies", plan->copy},
                 {"computing", plan->seconds.compute}};
    bool first = true;

    if (isnan(plan->seconds.total)) {
        printf("time: the cost model has no estimate\n");
        return;
    }
    printf("time: about %.2g s (", plan->seconds.total + plan->start + plan->seconds.build);
    for (size_t i = 0; i < KI_COUNT(parts); i++) {
        if (parts[i].seconds < 1e-6 && i + 1 < KI_COUNT(parts))
            continue;
        printf("%s%s %.2g", first ? "" : ", ", parts[i].what, parts[i].seconds);
        first = false;
    }
    printf(")\n");
}

static void print_file(const struct dry_run_file *file)
{
    const double room = free_for(file->name);

    printf("output: %s", strcmp(file->name, "-") == 0 ? "standard output" : file->name);
    if (!isnan(file->bytes))
        printf(", %.0f bytes", file->bytes);
    if (!isnan(room))
        printf("; %.0f MB are free there%s", room / mega, file->bytes > room ? ", too little" : "");
    printf("\n");
}

// The first ones, and how many more there are.
static void print_files(const struct dry_run *plan)
{
    enum { MOST = 12 };
    const size_t shown = plan->file_count > MOST ? MOST : plan->file_count;
    double bytes = 0;

    for (size_t i = 0; i < shown; i++)
        print_file(&plan->files[i]);
    for (size_t i = shown; i < plan->file_count; i++)
        bytes += isnan(plan->files[i].bytes) ? 0 : plan->files[i].bytes;
    if (plan->file_count > shown)
        printf("and %zu more files, with at least %.1f MB\n", plan->file_count - shown, bytes / mega);
}

static void print(const struct dry_run *plan)
{
    printf("dry run: nothing is computed, and nothing written\n");
    print_place(plan);
    print_memory(plan);
    print_time(plan);
    if (plan->temporary > 0)
        printf("temporary files: %.1f MB\n", plan->temporary / mega);
    print_files(plan);
}

// A whole number of bytes; null if it is not known.
static json_t *number_of(double bytes)
{
    return isfinite(bytes) ? json_integer((json_int_t)bytes) : json_null();
}

static json_t *seconds_of(const struct dry_run *plan)
{
    json_t *seconds = json_object();

    report_put(&seconds, "total", ki_json_double(plan->seconds.total + plan->start + plan->seconds.build));
    report_put(&seconds, "read", ki_json_double(plan->seconds.read));
    if (isnan(plan->seconds.total))
        return seconds;
    if (plan->place->queue) {
        report_put(&seconds, "start", ki_json_double(plan->start));
        report_put(&seconds, "build", ki_json_double(plan->seconds.build));
        report_put(&seconds, "copy", ki_json_double(plan->copy));
    }
    report_put(&seconds, "compute", ki_json_double(plan->seconds.compute));
    return seconds;
}

static json_t *make_json(const struct dry_run *plan)
{
    const struct common_arguments *common = plan->common;
    json_t *root = report_begin(common->command + strlen("koine "), &plan->place->device, plan->precision,
                                policy_names[common->policy], &plan->seconds);
    json_t *memory = json_object(), *outputs = json_array();

    estimate_report(&root, plan->place);
    if (plan->share)
        report_put(&root, "devices", share_json(plan->share->places, plan->share->taken, plan->share->count));
    report_put(&root, "seconds", seconds_of(plan));
    report_put(&root, "dry_run", json_true());
    report_put(&memory, "host", number_of(plan->host));
    report_put(&memory, "device", number_of(plan->device));
    report_put(&root, "memory", memory);
    report_put(&root, "temporary_bytes", number_of(plan->temporary));
    for (size_t i = 0; i < plan->file_count; i++) {
        json_t *file = json_object();

        report_put(&file, "file", ki_json_string(plan->files[i].name));
        report_put(&file, "bytes", number_of(plan->files[i].bytes));
        report_put(&file, "free", number_of(free_for(plan->files[i].name)));
        report_append(&outputs, file);
    }
    report_put(&root, "outputs", outputs);
    return root;
}

kn_status dry_run_tell(struct dry_run *plan, kn_error *err)
{
    struct common_arguments common = *plan->common;
    kn_status status;

    dry_run_file(plan, common.report, NAN);
    common.report = NULL; // a page is of results
    if (report_shows_text(&common) && !plan->failed)
        print(plan);
    status = plan->failed ? ki_fail_memory(err, 0, "listing what would be done")
                          : report_write(make_json(plan), &common, err);
    for (size_t i = 0; i < plan->file_count; i++)
        free(plan->files[i].name);
    free(plan->files);
    return status;
}
