// SPDX-License-Identifier: Apache-2.0
// The output of koine run: the contents of each buffer and image, the time, the comparison; and the JSON.
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd_run.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

static int by_size(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

void run_times(const struct run_run *run, const struct run_outcome *outcome, double times[3])
{
    size_t count = run->arguments->repeat;
    double *sorted = calloc(count, sizeof *sorted);

    if (!sorted) { // then at least what is certain
        times[0] = times[1] = times[2] = outcome->seconds[0];
        return;
    }
    memcpy(sorted, outcome->seconds, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_size);
    times[0] = sorted[0];
    times[1] = count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
    times[2] = sorted[count - 1];
    free(sorted);
}

bool run_agrees(const struct run_run *run)
{
    for (size_t i = 0; run->differences && i < run->args.count; i++)
        if (run->differences[i].beyond)
            return false;
    return true;
}

// ---- for people ----

static void print_range(const char *word, const size_t sizes[3], unsigned dims)
{
    printf(", %s ", word);
    for (unsigned d = 0; d < dims; d++)
        printf("%s%zu", d ? " x " : "", sizes[d]);
}

static bool print_buffers(const struct run_run *run)
{
    struct table table;
    bool printed;

    table_begin(&table, "rllrrrrrr");
    for (const char *const *title = (const char *const[]){"", "buffer", "type", "count", "min", "max", "sum",
                                                          "nan", "unwritten", NULL};
         *title; title++)
        table_add(&table, "%s", *title);
    for (size_t i = 0; i < run->args.count; i++) {
        const struct run_arg *arg = &run->args.items[i];
        struct run_summary summary;
        char type[RUN_TYPE_NAME];

        if (!run_has_contents(arg))
            continue;
        run_summarize(arg, run->outcomes[0].data[i], &summary);
        run_type_name(&arg->type, type);
        table_add(&table, "%zu", i);
        table_add(&table, "%s", arg->name);
        table_add(&table, "%s", type);
        table_add(&table, "%zu", arg->count);
        table_add(&table, "%.9g", summary.min);
        table_add(&table, "%.9g", summary.max);
        table_add(&table, "%.9g", summary.sum);
        table_add(&table, "%zu", summary.nan);
        table_add(&table, "%zu", summary.unwritten);
    }
    printed = table_print(&table, stdout);
    table_free(&table);
    return printed;
}

static void print_seeds(const struct run_run *run)
{
    for (size_t i = 0; i < run->args.count; i++)
        if (run->args.items[i].is_random)
            printf("%s: random, seed %" PRIu64 "\n", run->args.items[i].name, run->args.items[i].seed);
}

static void print_time(const struct run_run *run, const struct run_outcome *outcome)
{
    double times[3];

    run_times(run, outcome, times);
    printf("%s: ", outcome->place.device.spec);
    if (times[2] == 0)
        puts("the driver does not measure time");
    else if (run->arguments->repeat == 1)
        printf("%.4g ms\n", 1e3 * times[0]);
    else
        printf("min %.4g ms, median %.4g ms, max %.4g ms of %zu runs\n", 1e3 * times[0], 1e3 * times[1],
               1e3 * times[2], run->arguments->repeat);
}

static void print_difference(const struct run_arg *arg, const struct run_difference *difference)
{
    const bool is_float = arg->type.class == RUN_FLOAT;
    size_t width = arg->type.width;

    printf("%s: ", arg->name);
    if (difference->worst_ulp == 0 && difference->worst == 0 && difference->beyond == 0)
        printf("equal");
    else if (is_float && difference->worst_ulp == UINT64_MAX)
        printf("at most %.3g apart, and numbers where the other has nan", difference->worst);
    else if (is_float)
        printf("at most %" PRIu64 " ulp, %.3g apart", difference->worst_ulp, difference->worst);
    else
        printf("at most %.17g apart", difference->worst);
    if (!difference->beyond) {
        putchar('\n');
        return;
    }
    printf("; %zu of %zu differ by more than allowed, the first at element %zu", difference->beyond,
           difference->compared, difference->first / width);
    if (width > 1)
        printf(" component %zu", difference->first % width);
    printf(": %s against %s\n", difference->value, difference->other);
}

static void print_comparison(const struct run_run *run)
{
    printf("\nagainst %s (%s), allowed %" PRIu64 " ulp or %g\n", run->outcomes[1].place.device.spec,
           run->outcomes[1].place.device.name, run->bound.ulp, run->bound.tolerance);
    for (size_t i = 0; i < run->args.count; i++)
        if (run_has_contents(&run->args.items[i]))
            print_difference(&run->args.items[i], &run->differences[i]);
    puts(run_agrees(run) ? "all buffers agree" : "the buffers do NOT agree");
}

bool run_print(const struct run_run *run)
{
    const kn_device_info *device = &run->outcomes[0].place.device;

    printf("%s on %s (%s)", kn_kernel_get_name(run->outcomes[0].kernel), device->spec, device->name);
    print_range("global", run->range.global, run->range.dims);
    if (run->range.local[0])
        print_range("local", run->range.local, run->range.dims);
    putchar('\n');
    if (!print_buffers(run))
        return false;
    print_seeds(run);
    for (size_t i = 0; i < run->outcome_count; i++)
        print_time(run, &run->outcomes[i]);
    if (run->differences)
        print_comparison(run);
    return true;
}

// ---- JSON ----

static json_t *sizes_json(const size_t sizes[3], unsigned dims)
{
    json_t *array = json_array();

    if (!sizes[0]) {
        json_decref(array);
        return json_null();
    }
    for (unsigned d = 0; d < dims; d++)
        report_append(&array, json_integer((json_int_t)sizes[d]));
    return array;
}

static json_t *times_json(const struct run_run *run, const struct run_outcome *outcome)
{
    json_t *object = json_object();
    double times[3];

    run_times(run, outcome, times);
    report_put(&object, "count", json_integer((json_int_t)run->arguments->repeat));
    report_put(&object, "min", ki_json_double(times[0]));
    report_put(&object, "median", ki_json_double(times[1]));
    report_put(&object, "max", ki_json_double(times[2]));
    return object;
}

static json_t *buffer_json(const struct run_run *run, size_t index)
{
    const struct run_arg *arg = &run->args.items[index];
    struct run_summary summary;
    char type[RUN_TYPE_NAME];
    json_t *object = json_object();

    run_summarize(arg, run->outcomes[0].data[index], &summary);
    run_type_name(&arg->type, type);
    report_put(&object, "argument", json_integer((json_int_t)index));
    report_put(&object, "name", ki_json_string(arg->name));
    report_put(&object, "type", ki_json_string(type));
    report_put(&object, "count", json_integer((json_int_t)arg->count));
    report_put(&object, "min", ki_json_double(summary.min));
    report_put(&object, "max", ki_json_double(summary.max));
    report_put(&object, "sum", ki_json_double(summary.sum));
    report_put(&object, "nan", json_integer((json_int_t)summary.nan));
    report_put(&object, "unwritten", json_integer((json_int_t)summary.unwritten));
    report_put(&object, "seed", arg->is_random ? json_integer((json_int_t)arg->seed) : json_null());
    report_put(&object, "file", arg->out_path ? ki_json_string(arg->out_path) : json_null());
    return object;
}

static json_t *difference_json(const struct run_run *run, size_t index)
{
    const struct run_arg *arg = &run->args.items[index];
    const struct run_difference *difference = &run->differences[index];
    json_t *object = json_object(), *first = json_object();

    report_put(&first, "element", json_integer((json_int_t)(difference->first / arg->type.width)));
    report_put(&first, "component", json_integer((json_int_t)(difference->first % arg->type.width)));
    report_put(&first, "value", ki_json_string(difference->value));
    report_put(&first, "other", ki_json_string(difference->other));
    report_put(&object, "argument", json_integer((json_int_t)index));
    report_put(&object, "name", ki_json_string(arg->name));
    report_put(&object, "compared", json_integer((json_int_t)difference->compared));
    report_put(&object, "beyond", json_integer((json_int_t)difference->beyond));
    report_put(&object, "max_ulp",
               arg->type.class != RUN_FLOAT || difference->worst_ulp > INT64_MAX
                   ? json_null()
                   : json_integer((json_int_t)difference->worst_ulp));
    report_put(&object, "max_difference", ki_json_double(difference->worst));
    if (difference->beyond) {
        report_put(&object, "first", first);
    } else {
        json_decref(first);
        report_put(&object, "first", json_null());
    }
    return object;
}

static json_t *compare_json(const struct run_run *run)
{
    const kn_device_info *device = &run->outcomes[1].place.device;
    json_t *object = json_object(), *other = json_object(), *buffers = json_array();

    report_put(&other, "spec", ki_json_string(device->spec));
    report_put(&other, "name", ki_json_string(device->name));
    report_put(&other, "backend", ki_json_string(device->backend));
    report_put(&other, "driver", report_text(device->driver));
    for (size_t i = 0; i < run->args.count; i++)
        if (run_has_contents(&run->args.items[i]))
            report_append(&buffers, difference_json(run, i));
    report_put(&object, "device", other);
    report_put(&object, "ok", json_boolean(run_agrees(run)));
    report_put(&object, "ulp", json_integer((json_int_t)run->bound.ulp));
    report_put(&object, "tolerance", ki_json_double(run->bound.tolerance));
    report_put(&object, "repeat", times_json(run, &run->outcomes[1]));
    report_put(&object, "buffers", buffers);
    return object;
}

kn_status run_write_json(const struct run_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const struct run_outcome *outcome = &run->outcomes[0];
    json_t *buffers = json_array(), *root;
    struct ki_json_seconds seconds = {.total = run->total,
                                      .read = run->read,
                                      .build = outcome->build,
                                      .upload = outcome->upload,
                                      .download = outcome->download};
    double times[3];

    run_times(run, outcome, times);
    seconds.compute = times[1];
    root = report_begin("run", &outcome->place.device, NULL, policy_names[common->policy], &seconds);
    for (size_t i = 0; i < run->args.count; i++)
        if (run_has_contents(&run->args.items[i]))
            report_append(&buffers, buffer_json(run, i));
    report_put(&root, "kernel", ki_json_string(kn_kernel_get_name(outcome->kernel)));
    report_put(&root, "global", sizes_json(run->range.global, run->range.dims));
    report_put(&root, "local", sizes_json(run->range.local, run->range.dims));
    report_put(&root, "repeat", times_json(run, outcome));
    report_put(&root, "buffers", buffers);
    report_put(&root, "compare", run->differences ? compare_json(run) : json_null());
    return report_write(root, common, err);
}
