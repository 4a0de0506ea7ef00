// SPDX-License-Identifier: Apache-2.0
// koine stats: mean, deviation, CV, median and MAD of the numeric columns of sensor files.
#include "cmd_stats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/output.h"
#include "cli/commands.h"
#include "cli/inputs.h"
#include "cli/framework/report.h"

enum { DEFAULT_PARTS = 75 };

static const char *const missing_names[] = {"error", "omit", "propagate",
                                            NULL}; // in the order of enum csv_missing
static const char *const mad_scale_names[] = {"1", "normal", NULL};
static const char *const endings[] = {".csv", ".csv.gz", ".csv.zst", NULL}; // of a folder's files

#define FIELD(type, field) OPTION_FIELD(type, struct stats_arguments, field)

static const struct option_row options[] = {
    {"input", 'i', FIELD(OPTION_STRINGS, inputs), .metavar = "FILE|DIR",
     .help =
         "read this file, or the .csv, .csv.gz and .csv.zst files in this folder; --input may be omitted"},
    {"column", 'c', FIELD(OPTION_STRINGS, columns), .metavar = "NAME|INDEX",
     .help = "only this column, by name or by number from 1; may be repeated"},
    {"missing", FIELD(OPTION_CHOICE, missing), .choices = missing_names, .fallback = "error",
     .help = "empty cells: refuse the file, omit them, or let the column's results be nan"},
    {"mad-scale", FIELD(OPTION_CHOICE, mad_scale), .choices = mad_scale_names, .fallback = "1",
     .help = "normal: divide the MAD by 0.6745, so that it estimates the standard deviation of normal data"},
    {"gpu", FIELD(OPTION_FLAG, gpu),
     .help = "run kernels on a device, CPU devices included (the default variant)"},
    {"serial", FIELD(OPTION_FLAG, serial), .help = "run on the host with one thread and without vectors"},
    {"vectorized", FIELD(OPTION_FLAG, vectorized),
     .help = "run on the host with vectors (AVX-512 or AVX2) and one thread"},
    {"parallel", FIELD(OPTION_FLAG, parallel),
     .help = "run on the host with all threads and without vectors; with --vectorized, with vectors too"},
    {"all-variants", FIELD(OPTION_FLAG, all_variants),
     .help = "run serial, vectorized, parallel, parallel-vectorized and gpu, one after another"},
    {"method", FIELD(OPTION_CHOICE, method), .choices = stats_method_names, .fallback = "auto",
     .help = "sort the column, select both medians without sorting, or compute all in one read (fused); auto "
             "is fused if the variant has it, and select on CPU devices, where it takes as long and compiles "
             "in half the time"},
    {"precision", FIELD(OPTION_CHOICE, common.precision), .choices = stats_precision_names,
     .fallback = "double",
     .help = "the type to which values are rounded; both computes everything twice, for comparison"},
    {"repetitions", 'n', FIELD(OPTION_COUNT, repetitions), .metavar = "N", .fallback = "1",
     .help = "compute N times and report the median time"},
    {"num-partitions", FIELD(OPTION_COUNT, num_partitions), .metavar = "N",
     .help = "also compute N growing prefixes of each column of n rows; prefix i has i*n/N rows"},
    {"partition-step", FIELD(OPTION_COUNT, partition_step), .metavar = "K",
     .help = "also compute the prefixes of K rows, 2K rows, 3K rows, and so on up to all rows"},
    {"sweep", FIELD(OPTION_FLAG, sweep),
     .help = "compute all prefixes in as few reads as possible; they are timed together, not one by one"},
    {"skip-lines", FIELD(OPTION_COUNT, skip_lines), .metavar = "N",
     .help = "skip the first N lines of the file; without this, lines before the table are recognised"},
    {"gap", FIELD(OPTION_STRING, gap), .metavar = "SECONDS",
     .help = "a longer time between two rows is a gap (default: twice the median step)"},
    {"resample", FIELD(OPTION_STRING, resample), .metavar = "HZ",
     .help =
         "resample to this rate by linear interpolation between rows; not across gaps, and without a filter"},
    {"window", FIELD(OPTION_STRING, window), .metavar = "W",
     .help = "also compute windows of W rows, or of a duration: 60s, 5min, 500ms, 1h"},
    {"step", FIELD(OPTION_STRING, step), .metavar = "S",
     .help = "start a window every S rows, or every duration (default: windows do not overlap)"},
    {"partial", FIELD(OPTION_FLAG, partial), .help = "also compute a shorter window of the last rows"},
    {"quantiles", FIELD(OPTION_STRING, quantiles), .metavar = "Q,...",
     .help = "also compute these quantiles of each window, from 0 to 1, interpolated as numpy does"},
    {"magnitude", FIELD(OPTION_FLAG, magnitude),
     .help = "add a column: the magnitude of the three axes, sqrt(x^2 + y^2 + z^2)"},
    {"enmo", FIELD(OPTION_FLAG, enmo),
     .help = "add a column: the magnitude minus one g, or 0 if that is negative"},
    {"unit", FIELD(OPTION_STRING, unit), .metavar = "g|N",
     .help = "for --enmo: the axes are in g, or N counts are one g (default: 64 for Empatica E4 exports, "
             "otherwise g)"},
    {"plots", FIELD(OPTION_FLAG, plots),
     .help = "plot time.svg, cv.svg and mad.svg over the prefixes, and windows.svg; into the folder results "
             "unless --output is given"},
    {.name = NULL},
};

// Whether the user named the file, rather than its folder.
static bool is_named(const struct stats_arguments *arguments, const char *path)
{
    bool named = false;

    for (size_t i = 0; i < arguments->inputs.count; i++)
        named = named || strcmp(arguments->inputs.items[i], path) == 0;
    for (size_t i = 0; i < arguments->common.operands.count; i++)
        named = named || strcmp(arguments->common.operands.items[i], path) == 0;
    return named;
}

// Leaves out what is no series among the files of an E4 session: tags.csv, the times of key presses.
static void leave_tags_out(const struct stats_arguments *arguments, struct inputs *files)
{
    static const char name[] = "/tags.csv";
    size_t kept = 0;

    for (size_t i = 0; i < files->count; i++) {
        char *path = files->paths[i];
        const size_t length = strlen(path), end = sizeof name - 1;

        if (length > end && strcmp(path + length - end, name) == 0 && !is_named(arguments, path) &&
            files->count > 1) {
            if (ranks_writes(arguments->common.ranks))
                fprintf(stderr, "%s: %s is skipped: it holds the times of key presses\n",
                        arguments->common.command, path);
            free(path);
        } else {
            files->paths[kept++] = path;
        }
    }
    files->count = kept;
}

// What follows from the options before anything is read: the prefixes, and the folder of the files.
static void settle(struct stats_run *run)
{
    const struct stats_arguments *arguments = run->arguments;
    const struct common_arguments *common = &arguments->common;

    run->cuts = (struct stats_cuts){arguments->num_partitions, arguments->partition_step};
    run->output = common->output ? common->output : arguments->plots ? "results" : NULL;
    if (((arguments->plots && !arguments->window) || arguments->sweep) && !run->cuts.parts &&
        !run->cuts.step) {
        run->cuts.parts = DEFAULT_PARTS;
        fprintf(
            stderr,
            "%s: --%s uses %d prefixes of each column; --num-partitions and --partition-step choose others\n",
            common->command, arguments->plots ? "plots" : "sweep", DEFAULT_PARTS);
    }
    if (arguments->plots && arguments->sweep)
        fprintf(stderr, "%s: time.svg is not drawn: --sweep does not time the prefixes one by one\n",
                common->command);
}

static void plan(struct stats_run *run, const struct inputs *files)
{
    resume_plan(&run->resume, &command_stats, run->arguments);
    for (size_t i = 0; i < files->count; i++)
        resume_plan_file(&run->resume, files->paths[i]);
}

static kn_status report(const struct stats_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    kn_status status = stats_write_files(run, err);

    if (!status && report_wanted(common))
        status = stats_write_json(run, err);
    if (!status && report_shows_text(common) && !stats_print(run))
        status = ki_fail_memory(err, 0, "printing the results");
    if (!status && report_shows_text(common))
        stats_print_files(run);
    return status;
}

static kn_status run_stats(void *given, kn_error *err)
{
    const struct stats_arguments *arguments = given;
    const struct common_arguments *common = &arguments->common;
    struct stats_run run = {.arguments = arguments};
    struct inputs files = {NULL, 0, 0};
    size_t there;
    kn_status status = stats_check_arguments(arguments, err);

    if (!status)
        status = inputs_add(&files, &arguments->inputs, endings, err);
    if (!status)
        status = inputs_add(&files, &common->operands, endings, err);
    leave_tags_out(arguments, &files);
    run.file_count = files.count;
    run.file_bytes = inputs_bytes(&files);
    if (!status)
        status = stats_read_numbers(&run, err);
    if (!status)
        status = stats_read_windows(&run, err);
    if (!status)
        settle(&run);
    there = run.output ? ki_output_folder_there(run.output) : 0;
    if (!status && ranks_writes(common->ranks))
        status = report_try(common, err);
    if (!status && ranks_writes(common->ranks))
        status = stats_try_files(&run, err);
    plan(&run, &files);
    if (!status)
        status = stats_compute_files(&run, &files, err);
    if (!status && ranks_writes(common->ranks) && !common->dry_run)
        status = report(&run, err);
    status = resume_close(&run.resume, status, err);
    if (run.output && common->dry_run)
        ki_output_folder_undo(run.output, there);
    stats_run_free(&run);
    inputs_free(&files);
    return status;
}

const struct command command_stats = {
    .name = "stats",
    .summary = "Computes mean, standard deviation, CV, median and MAD of each numeric column of sensor files",
    .operands = "FILE|DIR...",
    .description =
        "Reads delimited text files with or without a header, and raw Empatica E4 exports, whose columns are "
        "called x, y and z; the column of an E4's IBI.csv is ibi, the seconds between beats, and time, when "
        "they occurred, is read if --column time asks for it. In a folder, the files that end in .csv, "
        ".csv.gz and .csv.zst are read, in the order of their names; - is standard input.\n\n"
        "Files may be compressed by gzip or zstd (.csv.gz, .csv.zst). Cells are separated by commas, "
        "semicolons, tabs, bars or blanks, and the decimal separator is a point or a comma: the choice that "
        "makes most cells of the first lines numbers or times. Lines above the table are skipped if they "
        "begin with a single cell of text, as in ActiGraph's files, or with #; a first line sep=; names the "
        "separator. A line above the results, and `files` in the JSON, say what was found.\n\n"
        "The first column of times (ISO 8601, in UTC without an offset; dates as 7/24/2020, 24/7/2020 or "
        "24.7.2020 with a time of day, 19:00:00 or 7:00:00 PM, month or day first as a line above the table "
        "says, date format M/d/yyyy, or as a row near the file's beginning tells; a column of dates and, as "
        "in ActiGraph's epochs, the next one of times of day; Unix seconds or milliseconds, where the header "
        "says time, date, stamp, epoch, unix or utc, or in the first column without a header) gives the "
        "times of the rows; no statistics are computed of it unless --column names it. Times may not go "
        "backwards. The rate is 1 / the median step between rows, and a step of more than twice the median "
        "step, or of more than --gap, is a gap. --resample takes samples at i / HZ seconds from the first "
        "row, and again from the first row after each gap, by linear interpolation between the two rows "
        "around that time.\n\n"
        "The axes for --magnitude and --enmo are the three columns, or those called x, y and z or ending so "
        "(acc_x); both have their unit. ENMO, the Euclidean norm minus one, is a measure of activity (van "
        "Hees et al. 2013). For an E4's IBI.csv, the line reports the heart rate variability: SDNN = "
        "sqrt(sum (I - mean)^2 / (n - 1)) of the n intervals I, RMSSD = sqrt(sum d^2 / m) of the m "
        "differences d of successive intervals with no beat missed between them, and pNN50, the percentage "
        "of these that exceed 50 ms (Task Force of the ESC and NASPE 1996); the JSON has them in seconds. In "
        "the folder of an E4 session, tags.csv is skipped, since it holds only the times of key presses.\n\n"
        "std is divided by n. CV is std divided by the mean, with the sign of the mean; it is infinite if "
        "the mean is 0. MAD is the median of the absolute deviations from the median. Median and MAD are "
        "exact. Each method adds in one fixed order, so that mean, std and CV are bitwise identical in every "
        "variant and on every device.\n\n"
        "There are five variants: serial, vectorized, parallel and parallel-vectorized run on the host, gpu "
        "runs kernels on a device. One of them runs, or all with --all-variants; the default is gpu on the "
        "best device, or parallel-vectorized if there is no device or with --device host. Several devices "
        "(--device all, or --device given more than once) share the files, or the columns of a single file: "
        "each takes the next one when it is done, and a line says how many each took. A device that fails is "
        "dropped with a line, and another one takes over its part. What is finished is kept in NAME.parts, "
        "beside the folder of --output or else the file of --json, until the results are written, as it is "
        "with --resume on one device; after an interruption the same command with --resume computes only the "
        "rest. It has to be the same version of Koine, with the same options and devices, and unchanged "
        "files. Under mpirun the ranks of MPI share the work in the same way, if koine was built with MPI "
        "(see koine(1)); nothing is kept then. With --all-variants and --sweep, which compare times, each "
        "device computes everything, one after another.\n\n"
        "The methods: sort sorts the column (merge sort on the host, bitonic sort padded to a power of two "
        "on a device) and takes both medians from it; select finds them by their ranks without sorting; "
        "fused reads the column once, for the sums and for the elements around both medians. With fused, a "
        "column of integers from -128 to 127 is stored in bytes and counted, and a device computes the "
        "columns of a file together.\n\n"
        "With --num-partitions or --partition-step the statistics of growing prefixes are computed as well, "
        "to show how they converge and how the time grows. Each prefix is timed separately, or with --sweep "
        "all of them together.\n\n"
        "With --window the statistics of windows of each column are computed as well, all exact. Durations "
        "are converted to rows by the file's rate, rounded; with --gap no window spans a gap. If rows have "
        "no constant rate, like an E4's beats, a window has the rows within its time, and windows without "
        "rows are omitted. Incomplete windows are omitted unless --partial is given.\n\n"
        "Columns that do not fit in memory are written to temporary files in the folder TMPDIR, or /var/tmp, "
        "while they are read, also those from pipes and compressed files, and are computed in chunks, with "
        "method select, in as many passes over these files as exact results need: a line and the JSON say "
        "how many. Results are bitwise identical. --memory-limit bounds all memory of the process, including "
        "the program itself, some 12 MB, but not what a device's driver takes to compile; without it the "
        "bound is three quarters of the available memory. Windows, times, samples and magnitudes are "
        "computed in chunks as well; options that need a whole column (--method sort and fused, --sweep) are "
        "refused.\n\n"
        "The seconds of a column are the time to compute it (its share, if columns are computed together), "
        "the median over --repetitions; reading, compiling the kernels (almost nothing if they are in the "
        "cache) and copying to the device are reported separately, for all columns together. If times of a "
        "device are compared (repetitions, prefixes, several variants or devices), each is computed once "
        "before, untimed, because some drivers compile parts of a kernel at its first launch. A single time "
        "includes that.\n\n"
        "With --output the folder receives stats.csv, a line for each column in each variant, and if there "
        "are prefixes partitions.csv, a line for each of them. --plots adds time.svg, for the first column "
        "of the first file, and cv.svg and mad.svg, for all columns. For several files a table of MAD and CV "
        "follows, a line for each file.",
    .common = COMMON_DEVICE | COMMON_POLICY | COMMON_JSON | COMMON_REPORT | COMMON_OUTPUT | COMMON_FORCE |
              COMMON_MEMORY | COMMON_RESUME | COMMON_DRY_RUN | COMMON_RANKS | COMMON_SHARES_RANKS,
    .options = options,
    .examples = {{"koine stats --column acc_x --json result.json recordings/",
                  "one column of each .csv file in a folder, on the best device, and the result as JSON"},
                 {"koine stats --all-variants -n 10 --partition-step 1000 --plots ACC_001.csv",
                  "all variants on growing prefixes, with plots of their times and results in results/"}},
    .arguments_size = sizeof(struct stats_arguments),
    .run = run_stats,
};
