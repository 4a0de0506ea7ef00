// SPDX-License-Identifier: Apache-2.0
// koine compare: the same work on every device and path, timed, checked, and compared with the device's own
// limits.
#include "compare_explain.h"
#include "compare_files.h"

#include <koine/experimental.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "base/text/text.h"
#include "cli/commands.h"
#include "cli/framework/nearest.h"
#include "cli/framework/report.h"

#define FIELD(type, field) OPTION_FIELD(type, struct compare_arguments, field)

static const struct option_row options[] = {
    {"quick", FIELD(OPTION_FLAG, quick), .help = "small sizes and few repetitions: under a minute on a CPU"},
    {"repetitions", 'n', FIELD(OPTION_COUNT, repetitions), .metavar = "N",
     .help = "repeat each measurement N times if there is time (default: 11, with --quick 5)"},
    {"merge", FIELD(OPTION_STRINGS, merge), .metavar = "FILE",
     .help =
         "run nothing: put this report.json and those that are named after it on one page, report.html in "
         "the folder of --output"},
    {"baseline", FIELD(OPTION_PATH, baseline), .metavar = "FILE",
     .help = "also hold each time against that of this report.json, and say what became slower"},
    {"explain", 'e', FIELD(OPTION_PATH, explain), .metavar = "KERNEL|FILE.cl",
     .help = "explain a kernel, one of Koine's in a job that launches it or one in a file: its resources on "
             "each path, its instructions, its time, and what differs"},
    {"dump-ptx", FIELD(OPTION_PATH, dump_ptx), .writes = true, .metavar = "DIR",
     .help = "with --explain: write the PTX of each path that has PTX (KERNEL.cuda-0.ptx)"},
    {"load-ptx", FIELD(OPTION_PATH, load_ptx), .metavar = "FILE",
     .help = "with --explain: also run this PTX through CUDA, in place of the kernel"},
    {"kernel", 'k', FIELD(OPTION_PATH, run.kernel), .metavar = "NAME",
     .help = "with --explain FILE.cl: the kernel; this and the options below are as in koine run"},
    {"global", 'g', FIELD(OPTION_PATH, run.global), .metavar = "X[,Y[,Z]]", .help = "work-items in all"},
    {"local", 'l', FIELD(OPTION_PATH, run.local), .metavar = "X[,Y[,Z]]", .help = "work-items in a group"},
    {"arg", 'a', FIELD(OPTION_STRINGS, run.args), .metavar = "SPEC",
     .help = "an argument, in the order of the kernel's parameters"},
    BUILD_OPTION_ROWS(struct compare_arguments, run.build),
    {.name = NULL},
};

// ---- the selection of jobs ----

static const struct compare_job *job_named(const char *name)
{
    for (const struct compare_job *const *job = compare_jobs; *job; job++)
        if (strcmp((*job)->name, name) == 0)
            return *job;
    return NULL;
}

static kn_status unknown_job(const char *name, kn_error *err)
{
    struct nearest nearest = {name, NULL, 0};
    struct ki_text text = KI_TEXT_INIT;
    kn_status status;

    ki_text_format(&text, "there is no job '%s'", name);
    for (const struct compare_job *const *job = compare_jobs; *job; job++)
        nearest_offer(&nearest, (*job)->name);
    if (nearest.best)
        ki_text_format(&text, ", did you mean %s?", nearest.best);
    ki_text_add(&text, nearest.best ? " There are" : "; there are");
    for (const struct compare_job *const *job = compare_jobs; *job; job++)
        ki_text_format(&text, " %s", (*job)->name);
    status = ki_fail(err, KN_ERROR_ARGUMENT, "%s", ki_text_string(&text));
    ki_text_free(&text);
    return status;
}

static bool is_wanted(const struct common_arguments *common, const struct compare_job *job)
{
    for (size_t i = 0; i < common->operands.count; i++) {
        const struct compare_job *named = job_named(common->operands.items[i]);

        if (named == job || compare_ceiling_job(named->ceiling) == job)
            return true;
    }
    return common->operands.count == 0;
}

// Selects the named jobs and those that measure their ceilings; all jobs if none was named.
static kn_status choose_jobs(struct compare_session *session, kn_error *err)
{
    const struct common_arguments *common = &session->arguments->common;
    size_t count = 0;

    for (size_t i = 0; i < common->operands.count; i++)
        if (!job_named(common->operands.items[i]))
            return unknown_job(common->operands.items[i], err);
    while (compare_jobs[count])
        count++;
    session->jobs = calloc(count, sizeof *session->jobs);
    if (!session->jobs)
        return ki_fail_memory(err, 0, "listing the jobs");
    for (size_t i = 0; i < count; i++)
        if (is_wanted(common, compare_jobs[i]))
            session->jobs[session->job_count++] = compare_jobs[i];
    return KN_OK;
}

// ---- places ----

static kn_status open_places(struct compare_session *session, const struct places *chosen, kn_error *err)
{
    for (size_t i = 0; i < chosen->count; i++) {
        struct place *place = &session->opened[session->place_count];
        bool opened;
        kn_status status = place_open_chosen(&chosen->specs[i], KN_POLICY_DEFAULT, true,
                                             session->arguments->common.command, place, &opened, err);

        if (status)
            return status;
        if (opened)
            session->places[session->place_count++] = (struct compare_place){place->queue, &place->device};
    }
    return session->place_count ? KN_OK : ki_fail(err, KN_ERROR_NO_DEVICE, "no device could be opened");
}

static kn_status choose_devices(struct compare_session *session, kn_error *err)
{
    struct places chosen = {.count = 0};
    const struct common_arguments *common = &session->arguments->common;
    kn_status status = choose_paths(&common->devices, common->command, &chosen, err);

    if (!status && !chosen.named)
        status = choose_host_too(&chosen, err);
    if (status)
        return status;
    session->opened = calloc(chosen.count, sizeof *session->opened);
    session->places = calloc(chosen.count, sizeof *session->places);
    status = session->opened && session->places ? open_places(session, &chosen, err)
                                                : ki_fail_memory(err, 0, "opening the devices");
    choose_free(&chosen);
    return status;
}

// ---- running the jobs ----

static void step(void *user, double done)
{
    struct compare_session *session = user;

    progress_step(&session->bar, session->jobs_before + done / (double)session->job_count);
}

// A new context has back what a driver lost in a failure. If even that cannot be opened, the old one stays,
// with its errors.
static void reopen(void *user, size_t index)
{
    struct compare_session *session = user;
    struct place *place = &session->opened[index], anew;

    if (place_open(place->device.spec, true, session->arguments->common.command, &anew, NULL))
        return;
    session->build += place->queue ? kn_context_get_build_seconds(place->context) : 0;
    place_close(place);
    *place = anew;
    session->places[index] = (struct compare_place){place->queue, &place->device};
}

static kn_status run_jobs(struct compare_session *session, kn_error *err)
{
    const struct common_arguments *common = &session->arguments->common;
    double start = ki_clock_seconds();
    kn_status status = KN_OK;

    session->run =
        (struct compare_run){.places = session->places,
                             .place_count = session->place_count,
                             .options = {session->arguments->quick, session->arguments->repetitions},

                             .progress = step,
                             .reopen = reopen,
                             .user = session};
    for (size_t i = 0; i < session->job_count && !status; i++) {
        size_t first = session->run.row_count;

        session->jobs_before = (double)i / (double)session->job_count;
        progress_begin(&session->bar, common->quiet);
        status = compare_job_run(&session->run, session->jobs[i], err);
        progress_end(&session->bar);
        if (!status && report_shows_text(common) && !compare_print(session, session->jobs[i], first))
            status = ki_fail_memory(err, 0, "printing the results");
    }
    for (size_t i = 0; i < session->place_count; i++)
        if (session->opened[i].queue)
            session->build += kn_context_get_build_seconds(session->opened[i].context);
    session->total = ki_clock_seconds() - start;
    return status;
}

// `wrong` if any check failed. KN_ERROR_DEVICE if every row failed.
static kn_status judge(struct compare_session *session, bool *wrong, kn_error *err)
{
    const struct compare_row *failed = NULL;
    bool computed = false;

    *wrong = false;
    for (size_t i = 0; i < session->run.row_count; i++) {
        const struct compare_row *row = &session->run.rows[i];

        *wrong = *wrong || row->verdict == COMPARE_WRONG;
        computed = computed || row->verdict != COMPARE_FAILED;
        if (row->verdict == COMPARE_FAILED && !failed)
            failed = row;
    }
    if (failed && !computed)
        return ki_fail(err, KN_ERROR_DEVICE, "every job failed; the first one, %s %s: %s", failed->job->name,
                       failed->which->name, failed->why);
    return KN_OK;
}

// ---- files ----

static kn_status write_reports(const struct compare_session *session, kn_error *err)
{
    const struct common_arguments *common = &session->arguments->common;
    json_t *root;
    kn_status status = KN_OK;

    if (!common->output && !common->json && !session->baseline)
        return KN_OK;
    root = compare_json(session);
    if (session->baseline && root && !compare_with_baseline(session->arguments, root, session->baseline)) {
        json_decref(root);
        return ki_fail_memory(err, 0, "holding the results against the baseline");
    }
    if (common->output)
        status = compare_write_files(session, root, err);
    if (!status)
        return report_write(root, common, err);
    json_decref(root);
    return status;
}

static void free_session(struct compare_session *session)
{
    compare_run_free(&session->run);
    for (size_t i = 0; i < session->place_count; i++)
        place_close(&session->opened[i]);
    json_decref(session->baseline);
    free(session->opened);
    free(session->places);
    free(session->jobs);
}

// Refuses options that only --explain uses.
static kn_status check_explain(const struct compare_arguments *arguments, kn_error *err)
{
    const struct run_arguments *run = &arguments->run;

    if (arguments->explain && arguments->baseline)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--baseline cannot be combined with --explain");
    if (arguments->explain && arguments->common.output)
        return ki_fail(
            err, KN_ERROR_ARGUMENT,
            "--output cannot be combined with --explain: use --dump-ptx and --json to write files");
    if (!arguments->explain &&
        (arguments->dump_ptx || arguments->load_ptx || run->kernel || run->global || run->local ||
         run->args.count || run->build.defines.count || run->build.includes.count))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--dump-ptx, --load-ptx and the options of koine run need --explain");
    return KN_OK;
}

static kn_status compare(void *given, kn_error *err)
{
    struct compare_arguments *arguments = given;
    const struct common_arguments *common = &arguments->common;
    struct compare_session session = {.arguments = arguments};
    bool wrong = false;
    kn_status status, judged = KN_OK;
    kn_error verdict = KN_ERROR_INIT;

    if (arguments->merge.count)
        return compare_merge(arguments, err);
    status = choose_jobs(&session, err);
    if (!status)
        status = check_explain(arguments, err);
    if (!status && arguments->explain) {
        free_session(&session);
        return compare_explain(arguments, err);
    }
    if (!status)
        status = report_try(common, err);
    if (!status && arguments->baseline)
        status = compare_read_report(arguments->baseline, &session.baseline, err);
    if (!status)
        status = common->output ? compare_try_files(&session, err) : KN_OK;
    if (!status)
        status = choose_devices(&session, err);
    if (!status && report_shows_text(common))
        compare_print_places(&session);
    if (!status)
        status = run_jobs(&session, err);
    if (!status) {
        judged = judge(&session, &wrong, &verdict);
        status = write_reports(&session, err);
    }
    if (!status && judged) {
        status = judged;
        *err = verdict;
    }
    arguments->common.check_failed = wrong;
    free_session(&session);
    return status;
}

static const char *job_name(size_t index)
{
    return compare_jobs[index] ? compare_jobs[index]->name : NULL;
}

const struct command command_compare = {
    .name = "compare",
    .summary = "Does the same work on every device and path, checks the answers, and compares the times",
    .operands = "[JOB]...",
    .description =
        "The jobs are bandwidth, flops, launch, build, sort, reduce, select, scan, fft, gemm, spmv, stats, "
        "autocorr, recon and solve; all of them run unless some are named. The last four are whole tasks, "
        "from data in the host's memory to results there, and have wall-clock times alone. A job that is "
        "limited by the device's memory or arithmetic also runs the job that measures this limit.\n\n"
        "Without --device and KOINE_DEVICE every usable path is a row, and the host's own code: a GPU that "
        "is reached through both CUDA and OpenCL has two. Each problem is made once and given to all of "
        "them; after a warm-up they take turns, repetition by repetition.\n\n"
        "--device host is the host's own code, beside devices or alone; it has sort, reduce, select, spmv, "
        "stats, autocorr, recon and solve, and only wall-clock times. If no device is named and none is "
        "found, it is the only row, and a line says so.\n\n"
        "Device ms is the median by the device's own clock, from the start of the first kernel to the end of "
        "the last; wall ms is what the host waited, without copies and compilation. The minimum and maximum "
        "are by the device's clock, or by the wall clock if a device measures nothing; so are rates and "
        "ratios. Of ceiling is the fraction of what this device itself reached in the job bandwidth (at a "
        "footprint that holds the data) or flops, counting each input as read once and each result as "
        "written once. Ratio is how many times as fast as the first device a row is, by the wall clock if "
        "one of the two has no other.\n\n"
        "Every answer is checked against that of the host, in double precision or bit by bit, and is right "
        "if it is within the bound that report.json states. A wrong answer makes the exit status 1. A device "
        "that fails is a row with the reason; if all fail, the exit status is 4.\n\n"
        "--merge makes the page report.html of the reports of several machines, without running anything; "
        "the operands are then more reports. One that is of another version of Koine, damaged, or of a "
        "machine that the page has already is named and left out, and makes the exit status 3. --baseline "
        "holds the times against those of an earlier report, also of another version, of the same device: a "
        "result is slower, or faster, if the slowest and the fastest repetition of one are beyond those of "
        "the other, with at least three in both. The exit status does not depend on it.\n\n"
        "--explain shows one kernel on every path: its time by the device's clock and its part of the whole "
        "work, the fraction of the limit that the whole work reaches (as in the jobs; for a kernel in a "
        "file, the bytes of its buffers over the bandwidth of a copy), the work-group and the largest one "
        "possible, and as far as the drivers report them: registers per work-item, bytes of spilled "
        "registers, bytes of private memory (spills and arrays), bytes of local memory per group, and how "
        "many groups and warps a multiprocessor holds at once (occupancy). NVIDIA's compilers generate PTX: "
        "its instructions are counted statically. Sentences say what differs from the first path. One of "
        "Koine's own kernels runs in the first job that launches it, or in the first of the jobs that are "
        "named; a kernel in a file runs with the arguments of koine run. The programs are always compiled "
        "and do not come from the cache.\n\n"
        "--dump-ptx writes the PTX of each path. --load-ptx runs PTX through CUDA in place of the kernel, as "
        "one more row: also OpenCL's PTX, if it uses no images, no __constant arguments and no get_work_dim, "
        "for launches without an offset. In a job its answer is checked like the others; the buffers of a "
        "kernel in a file are compared with those of the first path.\n\n"
        "With --output the folder receives report.json; report.html, one page with tables, charts and "
        "rooflines, which loads nothing from elsewhere and can be sent; and a plot of the rates of each job "
        "that has several sizes (sort.svg).\n\n"
        "Where KOINE_DATA names a folder that has them, stats, autocorr, recon and solve also work on real "
        "data: acc/ACC_msr2023.csv, images/foam_1.tif, mri/impatient-64x64x1 and sparse/tooth.h5. The report "
        "names the files.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_OUTPUT | COMMON_FORCE | COMMON_RANKS,
    .options = options,
    .operand_word = job_name,
    .examples = {{"koine compare --quick --output result",
                  "all jobs on all devices, in small sizes; the page is result/report.html"},
                 {"koine compare sort --device cuda:0 --device opencl:1.0 --output result",
                  "sorting through CUDA and OpenCL, with the results in result/report.json"}},
    .arguments_size = sizeof(struct compare_arguments),
    .run = compare,
};
