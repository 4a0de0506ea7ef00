// SPDX-License-Identifier: Apache-2.0
// koine stats --dry-run: what the run would take. The first file was read; others are assumed to be like it,
// and as much longer as they have more bytes.
#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "cli/dry_run.h"
#include "cli/framework/report.h"
#include "cmd_stats.h"

// What is computed.
struct sizes {
    double all, largest; // the bytes of all files, and of the largest, over those of the first
    double numbers;      // of the first file, in all columns
    size_t longest;      // column of the first file
    size_t columns;
    double prefixes, prefixed; // prefixes of a column, and their rows over its own
    double windows, windowed;  // likewise
    bool spooled;              // a file's values are in files
};

static double bytes_of_file(const struct inputs *files, size_t i)
{
    return inputs_bytes(&(struct inputs){.paths = &files->paths[i], .count = 1});
}

// The windows of a column, and the rows of all of them over its own.
static void find_windows(const struct stats_run *run, const struct stats_series *series, struct sizes *sizes)
{
    const struct stats_length *window = &run->window, *step = run->step.value > 0 ? &run->step : &run->window;
    const double rate = series->rate > 0 ? series->rate : 1;

    if (window->value <= 0)
        return;
    sizes->windows = (double)sizes->longest / fmax(step->value * (step->in_seconds ? rate : 1), 1);
    sizes->windowed = window->value * (window->in_seconds ? rate : 1) /
                      fmax(step->value * (step->in_seconds ? rate : 1), 1);
}

static struct sizes find_sizes(const struct stats_run *run, const struct inputs *files,
                               const struct csv_table *table, const struct stats_series *series)
{
    const double first = bytes_of_file(files, 0);
    struct sizes sizes = {.all = 1, .largest = 1, .columns = table->column_count};
    double held;

    for (size_t i = 1; i < files->count && first > 0; i++) {
        sizes.all += bytes_of_file(files, i) / first;
        sizes.largest = fmax(sizes.largest, bytes_of_file(files, i) / first);
    }
    for (size_t i = 0; i < table->column_count; i++) {
        sizes.numbers += (double)table->columns[i].count;
        sizes.longest = table->columns[i].count > sizes.longest ? table->columns[i].count : sizes.longest;
        sizes.spooled = sizes.spooled || table->columns[i].spool;
    }
    held = sizes.numbers * sizeof(double); // which a longer file takes the place of
    sizes.spooled = sizes.spooled ||
                    (sizes.largest > 1 && held * sizes.largest > ((double)stats_memory_left(run) + held) / 2);
    sizes.prefixes = (double)stats_prefix_count(run->cuts, sizes.longest);
    for (size_t i = 0; i < (size_t)sizes.prefixes; i++)
        sizes.prefixed += (double)stats_prefix_end(run->cuts, sizes.longest, i) / (double)sizes.longest;
    find_windows(run, series, &sizes);
    return sizes;
}

// ---- memory ----

// Results of prefixes and windows, and their JSON, which is a tree before it is text.
static double bytes_of_results(const struct stats_run *run, const struct sizes *sizes)
{
    enum { PREFIX = 64, WINDOW = 80, CSV = 400, JSON = 2500 };
    const struct stats_arguments *arguments = run->arguments;
    const double each = (run->output ? CSV : 0) + (report_wanted(&arguments->common) ? JSON : 0);

    return sizes->all * (double)(sizes->columns * run->config_count) *
           (sizes->prefixes * (PREFIX + each) +
            sizes->windows * (WINDOW + 8 * (double)run->quantile_count + each));
}

// A plan of a configuration: on a device for all columns of a file, which it may compute together; beside
// what is counted, selecting and sorting take a few hundredths.
static kn_status measure_plan(const struct stats_run *run, const struct stats_config *config,
                              const struct sizes *sizes, kn_stats_memory *memory, kn_error *err)
{
    enum { SCRATCH = 16 };
    const kn_stats_options how = stats_plan_options(run, config);
    kn_queue *queue = run->places[config->place].queue;
    const size_t longest = (size_t)((double)sizes->longest * sizes->largest),
                 all = (size_t)(sizes->numbers * sizes->largest), number = how.single ? 4 : 8;
    size_t held = longest, bytes;
    kn_status status;

    if (sizes->spooled) {
        status = stats_choose_held(run, config, &how, longest, &held, err);
        if (!status)
            status = stats_bytes_of_plan(run, config, &how, held, &bytes, err);
        if (!status)
            *memory = (kn_stats_memory){.host = bytes, .device = queue ? 2 * held * number : 0};
        return status;
    }
    status = ki_error_unname(
        kn_stats_estimate_memory(queue, KN_F64, queue ? all : longest, KN_STATS_ARRAY, memory, &how, err),
        err);
    memory->host += queue ? 0 : longest * number / SCRATCH;
    memory->device += queue ? longest * number / SCRATCH : 0;
    return status;
}

static kn_status tell_memory(const struct stats_run *run, const struct sizes *sizes, struct dry_run *plan,
                             kn_error *err)
{
    const double places = run->shares ? (double)run->place_count : 1, first = sizes->numbers * sizeof(double),
                 values = sizes->spooled ? 0 : first * sizes->largest - first / places;
    kn_stats_memory most = {0, 0};
    kn_status status = KN_OK;

    for (size_t i = 0; i < run->config_count * (size_t)places && !status; i++) {
        kn_stats_memory memory = {0, 0};

        status = measure_plan(run, &run->configs[i], sizes, &memory, err);
        most.host = memory.host > most.host ? memory.host : most.host;
        most.device = memory.device > most.device ? memory.device : most.device;
    }
    dry_run_memory(plan, most.host + (size_t)(values + bytes_of_results(run, sizes) / places), most.device);
    if (sizes->spooled)
        plan->temporary = first * sizes->largest * places;
    return status;
}

// ---- time ----

// By one thread where the variant has one. The rows of a window are sorted.
static kn_work work_of(const struct stats_run *run, const struct sizes *sizes)
{
    const kn_stats_variant variant = run->configs->variant;
    const double sorted = 4, numbers = sizes->numbers * sizes->all,
                 times =
                     (1 + sizes->prefixed) * (double)run->arguments->repetitions + sorted * sizes->windowed;
    const bool alone = variant == KN_STATS_SERIAL || variant == KN_STATS_VECTORIZED;
    kn_work work = KN_INIT(kn_work, .device.bytes = 60 * numbers * times, .copied = numbers * sizeof(double),
                           .program = "algo/robust/robust.cl", .programs = 4);

    if (alone)
        work.host.prepared = (variant == KN_STATS_SERIAL ? 80 : 20) * numbers * times;
    else
        work.host.bytes = (variant == KN_STATS_PARALLEL ? 60 : 10) * numbers * times;
    return work;
}

static void add_file(void *data, const char *path)
{
    dry_run_file(data, path, NAN);
}

kn_status stats_dry_run(const struct stats_run *run, const struct inputs *files,
                        const struct csv_table *table, const struct stats_series *series, double seconds,
                        kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const struct share share = {
        .places = run->places, .taken = run->taken, .count = run->shares ? run->place_count : 0};
    const struct place *place = &run->places[0];
    const struct sizes sizes = find_sizes(run, files, table, series);
    const kn_work work = work_of(run, &sizes);
    struct dry_run plan;
    kn_status status;

    for (size_t i = 0; i < run->place_count && !place->queue; i++)
        place = run->places[i].queue ? &run->places[i] : place;
    dry_run_begin(&plan, common, place, &share, seconds * sizes.all);
    plan.precision = stats_precision_names[common->precision];
    status = tell_memory(run, &sizes, &plan, err);
    if (status)
        return status;
    dry_run_work(&plan, run->config_count > 1 ? NULL : &work);
    if (!stats_list_files(run, add_file, &plan))
        plan.failed = true;
    return dry_run_tell(&plan, err);
}
