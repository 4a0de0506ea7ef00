// SPDX-License-Identifier: Apache-2.0
// koine tune: measures the tunables of algorithms on a device, and keeps the best for later runs.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

#include <koine/experimental/cache.h>
#include <koine/experimental/cost.h>

#include "tools/tune/tune.h"
#include "base/array.h"
#include "base/os/clock.h"
#include "base/os/output.h"
#include "base/error.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/framework/nearest.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

struct tune_arguments {
    struct common_arguments common;
    bool quick, list, reset;
    const char *journal, *export;
};

#define FIELD(type, field) OPTION_FIELD(type, struct tune_arguments, field)

static const struct option_row options[] = {
    {"quick", FIELD(OPTION_FLAG, quick),
     .help = "small problems, and each tunable once: seconds instead of minutes"},
    {"list", FIELD(OPTION_FLAG, list), .help = "measure nothing: show the values kept for the device"},
    {"reset", FIELD(OPTION_FLAG, reset),
     .help = "measure nothing: forget the kept values, so that the built-in ones are used again"},
    {"export", FIELD(OPTION_PATH, export), .writes = true, .metavar = "FILE",
     .help = "write the values kept for the device there, one line each, to send to the project, so that "
             "similar devices need no measurement; with --list, without measuring; - is standard output"},
    {"journal", FIELD(OPTION_PATH, journal), .metavar = "FILE",
     .help = "measure one ALGO in this process, with a line in FILE before and after each candidate, and "
             "continue after those already in it: koine tune starts itself with this, so that a candidate "
             "that crashes the driver ends only that process"},
    {.name = NULL},
};

// The final result for an algorithm.
struct outcome {
    const struct tune_subject *subject;
    struct tune_report report; // without rows if nothing was measured
    char why[256];             // why it was not measured
    bool kept;
    unsigned values[KN_TUNABLES];
    char summary[KN_TUNING_WORDS]; // of the measurement that is kept
};

struct tune_run {
    const struct tune_arguments *arguments;
    struct place place;
    struct outcome *outcomes;
    size_t count, capacity;
    double seconds, built, opened; // opened: the driver and the context
};

// ---- the request ----

static kn_status add_subject(struct tune_run *run, const struct tune_subject *subject, kn_error *err)
{
    const struct outcome outcome = {.subject = subject};

    for (size_t i = 0; i < run->count; i++)
        if (run->outcomes[i].subject == subject)
            return KN_OK;
    return KI_ARRAY_PUSH(run->outcomes, run->count, run->capacity, outcome)
               ? KN_OK
               : ki_fail_memory(err, 0, "the list of algorithms");
}

// Its name, or what stands before the hyphen in several.
static bool is_named(const struct tune_subject *subject, const char *word)
{
    const char *name = subject->tunables()->algorithm;
    size_t length = strlen(word);

    return length && strncmp(name, word, length) == 0 && (!name[length] || name[length] == '-');
}

static kn_status add_named(struct tune_run *run, const char *word, kn_error *err)
{
    struct nearest nearest = {word, NULL, 0};
    struct ki_text names = KI_TEXT_INIT;
    kn_status status = KN_OK;
    bool found = false;

    for (size_t i = 0; tune_subjects[i] && !status; i++) {
        const char *name = tune_subjects[i]->tunables()->algorithm;

        nearest_offer(&nearest, name);
        ki_text_format(&names, "%s%s", i ? ", " : "", name);
        if (is_named(tune_subjects[i], word)) {
            status = add_subject(run, tune_subjects[i], err);
            found = true;
        }
    }
    if (!found)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "'%s' is not one of the algorithms that have tunables: %s%s%s%s",
                    word, ki_text_string(&names), nearest.best ? "; did you mean '" : "",
                    nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
    ki_text_free(&names);
    return status;
}

static kn_status read_subjects(struct tune_run *run, kn_error *err)
{
    const struct string_list *operands = &run->arguments->common.operands;
    kn_status status = KN_OK;

    for (size_t i = 0; i < operands->count && !status; i++)
        status = add_named(run, operands->items[i], err);
    for (size_t i = 0; tune_subjects[i] && !operands->count && !status; i++)
        status = add_subject(run, tune_subjects[i], err);
    return status;
}

static kn_status check_arguments(const struct tune_arguments *arguments, kn_error *err)
{
    kn_status status;

    if (arguments->list && arguments->reset)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--list and --reset are mutually exclusive; choose one");
    if (arguments->quick && (arguments->list || arguments->reset))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--quick is for measurements, but --%s measures nothing",
                       arguments->list ? "list" : "reset");
    if (arguments->journal &&
        (arguments->list || arguments->reset || arguments->common.json || arguments->export))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--journal is for a single measurement, without --list, --reset, --export and --json");
    if (arguments->export && arguments->reset)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--export and --reset cannot be combined: one writes the kept values, the other forgets them");
    status = arguments->export ? ki_output_try(arguments->export, arguments->common.force, err) : KN_OK;
    return status ? status : report_try(&arguments->common, err);
}

static kn_status open_place(struct tune_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    struct places chosen = {.count = 0};
    kn_status status = choose_places(&common->devices, &chosen, err);

    if (!status && chosen.count > 1)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--device names %zu devices; %s measures one", chosen.count,
                         common->command);
    if (!status && strcmp(chosen.specs[0].spec, "host") == 0)
        status = ki_fail(err, KN_ERROR_NO_DEVICE,
                         "device host: the host's code has no tunables; name a device, such as cpu");
    if (!status)
        status = place_open(chosen.specs[0].spec, true, common->command, &run->place, err);
    choose_free(&chosen);
    return status;
}

// ---- the work ----

static void print_report(const struct outcome *outcome)
{
    const struct tune_report *report = &outcome->report;
    double best = report->rows[report->best].seconds;
    struct table table;

    printf("%s (%s), %s:\n", outcome->subject->tunables()->algorithm, outcome->subject->what,
           report->by_device_clock ? "kernels by the device's clock" : "wall-clock time");
    table_begin(&table, "lrrl");
    table_add_all(&table, (const char *const[]){"candidate", "ms", "of the best", "", NULL});
    for (size_t i = 0; i < report->count; i++) {
        const struct tune_row *row = &report->rows[i];
        struct ki_text text = KI_TEXT_INIT;
        bool counts = row->seconds >= 0;

        tune_describe(outcome->subject, row->values, &text);
        table_add(&table, "%s", ki_text_string(&text));
        table_add(&table, counts ? "%.4g" : "-", row->seconds * 1e3);
        table_add(&table, counts ? "%.0f %%" : "-", 100 * best / row->seconds);
        table_add(&table, "%s%s%s", row->why, i == 0 ? "built-in" : "",
                  i == report->best ? i == 0 ? ", best" : "best" : "");
        ki_text_free(&text);
    }
    table_finish(&table);
}

// In a separate process: this one closes the device before, because some drivers serve one process at a time.
static kn_status measure_apart(const struct tune_run *run, struct outcome *outcome, kn_error *err)
{
    const char *command_line[] = {"/proc/self/exe",
                                  "tune",
                                  outcome->subject->tunables()->algorithm,
                                  "--device",
                                  run->place.device.spec,
                                  run->arguments->quick ? "--quick" : "--journal",
                                  run->arguments->quick ? "--journal" : NULL,
                                  NULL};
    struct ki_text said = KI_TEXT_INIT;
    kn_status status = tune_measure_apart(outcome->subject, command_line, &outcome->report, &said, err);

    if (said.length)
        fputs(ki_text_string(&said), stderr);
    ki_text_free(&said);
    return status;
}

static kn_status measure(struct tune_run *run, struct outcome *outcome, kn_error *err)
{
    kn_error why = KN_ERROR_INIT;
    kn_status status = measure_apart(run, outcome, &why);

    if (status == KN_ERROR_UNSUPPORTED && !run->arguments->common.operands.count) {
        snprintf(outcome->why, sizeof outcome->why, "%.*s", (int)sizeof outcome->why - 1, why.text);
        return KN_OK;
    }
    if (status) {
        if (err)
            *err = why;
        return status;
    }
    run->built += outcome->report.built;
    if (report_shows_text(&run->arguments->common)) {
        print_report(outcome);
        fflush(stdout);
    }
    return KN_OK;
}

// The cache is tested before the measurement, which takes minutes.
static kn_status measure_all(struct tune_run *run, kn_error *err)
{
    char dir[4096], spec[sizeof run->place.device.spec];
    kn_status status = kn_cache_get_default_dir(dir, sizeof dir, err);

    if (!status)
        status = kn_cache_try(dir, err);
    snprintf(spec, sizeof spec, "%s", run->place.device.spec);
    place_close(&run->place);
    for (size_t i = 0; i < run->count && !status; i++)
        status = measure(run, &run->outcomes[i], err);
    return status ? status : place_open(spec, true, run->arguments->common.command, &run->place, err);
}

static kn_status work(struct tune_run *run, kn_error *err)
{
    const struct tune_arguments *arguments = run->arguments;
    kn_status status = arguments->list || arguments->reset ? KN_OK : measure_all(run, err);

    for (size_t i = 0; i < run->count && !status; i++) {
        struct outcome *outcome = &run->outcomes[i];
        const kn_tunables *tunables = outcome->subject->tunables();

        if (arguments->reset)
            status = kn_tuning_forget(run->place.context, tunables, err);
        if (!status)
            status = kn_tuning_get_kept(run->place.context, tunables, &outcome->kept, outcome->values,
                                        outcome->summary, err);
    }
    return status;
}

// In the process that another koine tune started: the journal carries all its output.
static kn_status work_with_journal(struct tune_run *run, kn_error *err)
{
    prctl(PR_SET_PDEATHSIG, SIGTERM); // without the other process the journal is not read
    if (run->count != 1)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--journal is for one ALGO, but %zu are named", run->count);
    return tune_measure(run->place.queue, run->outcomes[0].subject, run->arguments->quick, run->opened,
                        run->arguments->journal, &run->outcomes[0].report, err);
}

// ---- what is said of it ----

static void print_kept(const struct tune_run *run)
{
    const kn_device_info *device = &run->place.device;

    for (size_t i = 0; i < run->count; i++) {
        const struct outcome *outcome = &run->outcomes[i];
        const char *name = outcome->subject->tunables()->algorithm;
        struct ki_text text = KI_TEXT_INIT;

        tune_describe(outcome->subject, outcome->values, &text);
        if (*outcome->why)
            printf("%s\n", outcome->why);
        else if (outcome->kept)
            printf("%s on %s (%s): kept %s; %s\n", name, device->name, device->spec, ki_text_string(&text),
                   outcome->summary);
        else
            printf("%s on %s (%s): nothing is kept; the built-in values are used\n", name, device->name,
                   device->spec);
        ki_text_free(&text);
    }
}

static json_t *values_json(const struct tune_subject *subject, const unsigned *values)
{
    json_t *object = json_object();

    for (size_t i = 0; subject->tunables()->names[i]; i++)
        report_put(&object, subject->tunables()->names[i], json_integer(values[i]));
    return object;
}

static json_t *row_json(const struct tune_report *report, size_t i)
{
    const struct tune_row *row = &report->rows[i];
    bool counts = row->seconds >= 0;
    json_t *object = json_object();

    report_put(&object, "values", values_json(report->subject, row->values));
    report_put(&object, "seconds", counts ? ki_json_double(row->seconds) : json_null());
    report_put(&object, "share",
               counts ? ki_json_double(report->rows[report->best].seconds / row->seconds) : json_null());
    report_put(&object, "error", ki_json_double(row->error));
    report_put(&object, "built_in", json_boolean(i == 0));
    report_put(&object, "best", json_boolean(i == report->best));
    report_put(&object, "why", report_text(row->why));
    return object;
}

static kn_status write_json(const struct tune_run *run, kn_error *err)
{
    const struct ki_json_seconds times = {run->seconds, -1, run->built, -1, -1, -1};
    json_t *root = report_begin("tune", &run->place.device, precision_names[PRECISION_FLOAT],
                                policy_names[KN_POLICY_DEFAULT], &times);
    json_t *results = json_array();

    for (size_t i = 0; i < run->count; i++) {
        const struct outcome *outcome = &run->outcomes[i];
        json_t *object = json_object(), *rows = json_array();

        for (size_t k = 0; k < outcome->report.count; k++)
            report_append(&rows, row_json(&outcome->report, k));
        report_put(&object, "algorithm", json_string(outcome->subject->tunables()->algorithm));
        report_put(&object, "candidates", rows);
        report_put(&object, "why", report_text(outcome->why));
        report_put(&object, "kept",
                   outcome->kept ? values_json(outcome->subject, outcome->values) : json_null());
        report_put(&object, "measured", report_text(outcome->summary));
        report_append(&results, object);
    }
    report_put(&root, "results", results);
    return report_write(root, &run->arguments->common, err);
}

// As a string of C.
static void add_quoted(struct ki_text *text, const char *words)
{
    ki_text_add_char(text, '"');
    for (; *words; words++)
        ki_text_format(text, "%s%c", *words == '"' || *words == '\\' ? "\\" : "", *words);
    ki_text_add_char(text, '"');
}

// Lines of src/engine/device/measured_devices.h.

static const char *const device_types[] = {
    [KN_DEVICE_CPU] = "CPU", [KN_DEVICE_GPU] = "GPU", [KN_DEVICE_ACCELERATOR] = "ACCELERATOR"};

static void add_rates(struct ki_text *text, const kn_device_info *device, const unsigned *values)
{
    static const double units[] = {1e6, 1e6, 1e6, 1e-6, 1e-6, 1e-9}; // of kn_cost_get_tunables

    ki_text_add(text, "RATES(");
    add_quoted(text, device->name);
    ki_text_add(text, ", ");
    add_quoted(text, device->vendor);
    ki_text_format(text, ", %s, %u", device_types[device->type], device->compute_units);
    for (size_t i = 0; i < KI_COUNT(units); i++)
        ki_text_format(text, ", %.2g", values[i] * units[i]);
    ki_text_add(text, ")\n");
}

static void add_measured(struct ki_text *text, const kn_device_info *device, const struct outcome *outcome)
{
    const kn_tunables *tunables = outcome->subject->tunables();

    ki_text_add(text, "MEASURED(");
    add_quoted(text, device->name);
    ki_text_add(text, ", ");
    add_quoted(text, device->vendor);
    ki_text_format(text, ", %s, \"%s\", %u, \"%s\",\n         \"", device_types[device->type],
                   device->backend, device->compute_units, tunables->algorithm);
    for (size_t i = 0; tunables->names[i]; i++)
        ki_text_format(text, "%s%s=%u", i ? " " : "", tunables->names[i], outcome->values[i]);
    ki_text_add(text, "\")\n");
}

static kn_status export_kept(const struct tune_run *run, kn_error *err)
{
    const struct tune_arguments *arguments = run->arguments;
    struct ki_text text = KI_TEXT_INIT;
    kn_status status;

    for (size_t i = 0; i < run->count; i++)
        if (run->outcomes[i].kept && run->outcomes[i].subject->tunables() == kn_cost_get_tunables())
            add_rates(&text, &run->place.device, run->outcomes[i].values);
        else if (run->outcomes[i].kept)
            add_measured(&text, &run->place.device, &run->outcomes[i]);
    status = text.failed ? ki_fail_memory(err, text.length, "what is kept")
                         : ki_output_write(arguments->export, ki_text_string(&text), text.length,
                                           arguments->common.force, err);
    ki_text_free(&text);
    return status;
}

static kn_status tell(const struct tune_run *run, kn_error *err)
{
    const struct tune_arguments *arguments = run->arguments;
    bool is_text = arguments->export && strcmp(arguments->export, "-") == 0;
    kn_status status = KN_OK;

    if (report_shows_text(&arguments->common) && !is_text)
        print_kept(run);
    if (arguments->export)
        status = export_kept(run, err);
    return status ? status : write_json(run, err);
}

static kn_status run_tune(void *given, kn_error *err)
{
    struct tune_run run = {.arguments = given};
    double start = ki_clock_seconds();
    kn_status status = check_arguments(run.arguments, err);

    if (!status)
        status = read_subjects(&run, err);
    if (!status)
        status = open_place(&run, err);
    run.opened = ki_clock_seconds() - start;
    if (!status)
        status = run.arguments->journal ? work_with_journal(&run, err) : work(&run, err);
    run.seconds = ki_clock_seconds() - start;
    if (!status && !run.arguments->journal)
        status = tell(&run, err);
    for (size_t i = 0; i < run.count; i++)
        tune_free(&run.outcomes[i].report);
    free(run.outcomes);
    place_close(&run.place);
    return status;
}

static const char *subject_name(size_t index)
{
    return tune_subjects[index] ? tune_subjects[index]->tunables()->algorithm : NULL;
}

const struct command command_tune = {
    .name = "tune",
    .summary = "Measures tunables on a device and keeps the best",
    .operands = "[ALGO]...",
    .description =
        "Work-group sizes and similar parameters have built-in values that were measured on some devices; on "
        "others, other values may be faster. This command measures them on your device and keeps the best in "
        "the cache folder (koine cache): later runs of the algorithm on this device, with this driver and "
        "these kernels, use them.\n\n"
        "ALGO is recon (the sums of koine recon --kernel tuned: work-group, voxels per work-item, vectors, "
        "memory for k-space, samples in local memory at a time, unrolling), gridding (gridding-2d and "
        "gridding-3d: work-group, samples per group, tiles of the grid), sort (many keys by radix sort, "
        "sort-32bit and sort-64bit, and with values sort-by-key-32bit and sort-by-key-64bit: work-group, "
        "keys per work-item, registers on NVIDIA's devices, groups per compute unit, prefetching), gemm "
        "(large products of floats by Koine's own kernel: tiles per group and per work-item), robust "
        "(medians and MAD: work-groups, groups per compute unit, prefetching), crossover (sizes at which one "
        "method becomes faster than another, or whether it is taken always, 0, or never: for sorts "
        "crossover-sort-bitonic-32bit and -64bit, -alone, -lines, -differing, -ahead and -once, for "
        "selections crossover-select-brackets and crossover-robust-fused, for products crossover-gemm-own, "
        "for reconstructions crossover-mri-separable, and for least squares crossover-sparse-fused, "
        "crossover-batch-whole and crossover-batch-tiled) or rates (no choice: the speed of memory, "
        "arithmetic, copies, starting the driver, the compiler and launches, by which commands without "
        "--device choose between the host and this device). The default is to tune everything; on CPUs, "
        "sort, gemm and robust have other kernels or shapes, with nothing to tune.\n\n"
        "The candidates of one tunable after another are tried. A candidate only counts if its results agree "
        "with those of the built-in values; its time is the median of several runs, and the best has to be 2 "
        "% faster than the built-in values to replace them. Each ALGO is measured in a separate process: a "
        "candidate that crashes the driver becomes a row of the table, and a new process continues after it. "
        "--reset, or koine cache clear, restores the built-in values.\n\n"
        "A device that was never tuned uses the values of the most similar measured device: one of the same "
        "name, or of the same vendor, type and path with the closest number of compute units. Koine has a "
        "list of these, and --export FILE writes lines to add to it.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = options,
    .operand_word = subject_name,
    .examples = {{"koine tune recon", "the fastest way to sum on the best device, for all later runs there"},
                 {"koine tune --device gpu --export gpu.txt",
                  "measure everything, and write the values for others to use"}},
    .arguments_size = sizeof(struct tune_arguments),
    .run = run_tune,
};
