// SPDX-License-Identifier: Apache-2.0
#include "compare_explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/clock.h"
#include "base/os/output.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/nearest.h"
#include "cli/framework/report.h"

static bool ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);

    return length >= ending_length && strcmp(name + length - ending_length, ending) == 0;
}

// ---- the request ----

// Checks that one of Koine's own files has a kernel of that name.
static kn_status check_kernel(const char *name, kn_error *err)
{
    struct nearest nearest = {name, NULL, 0};
    char best[128] = "";
    const char *file;

    for (size_t f = 0; (file = kn_source_get_builtin_name(f)); f++) {
        kn_source *source = NULL;
        kn_status status = KN_OK;
        bool is_there = false;

        if (ends_in(file, ".cl"))
            status = kn_source_from_builtin(file, NULL, &source, err);
        for (size_t i = 0; i < kn_source_get_kernel_count(source); i++) {
            const char *kernel = kn_source_get_kernel(source, i)->name;

            is_there = is_there || strcmp(kernel, name) == 0;
            nearest_offer(&nearest, kernel);
        }
        if (nearest.best && nearest.best != best)
            snprintf(best, sizeof best, "%s", nearest.best);
        nearest.best = *best ? best : NULL; // the name found last is freed with the source
        kn_source_free(source);
        if (status || is_there)
            return status;
    }
    return ki_fail(
        err, KN_ERROR_ARGUMENT,
        "--explain: '%s' is not a kernel of Koine's%s%s%s; 'koine emit --list' has their names, and a "
        "file's name ends in .cl",
        name, *best ? ", did you mean '" : "", best, *best ? "'?" : "");
}

static kn_status check_arguments(const struct compare_arguments *arguments, bool is_file, kn_error *err)
{
    if (is_file && arguments->common.operands.count)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--explain: a kernel file runs by itself, not in a job; leave out the job");
    if (!is_file && (arguments->run.kernel || arguments->run.global || arguments->run.local ||
                     arguments->run.args.count || arguments->run.build.defines.count ||
                     arguments->run.build.includes.count))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--explain %s: its range, arguments and macros come from the job that launches it; "
                       "the options of koine run are for a FILE.cl",
                       arguments->explain);
    return is_file ? explain_file_check(arguments, err) : check_kernel(arguments->explain, err);
}

static kn_status read_ptx(const char *path, char **text, kn_error *err)
{
    struct ki_text read = KI_TEXT_INIT;
    char piece[65536];
    size_t count;
    FILE *file = fopen(path, "rb");
    bool broken;

    if (!file)
        return ki_fail(err, KN_ERROR_INPUT, "%s: %s", path, strerror(errno));
    while ((count = fread(piece, 1, sizeof piece, file)) > 0)
        ki_text_add_bytes(&read, piece, count);
    broken = ferror(file);
    fclose(file);
    if (!broken &&
        (strlen(ki_text_string(&read)) != read.length || !strstr(ki_text_string(&read), ".version"))) {
        ki_text_free(&read);
        return ki_fail(err, KN_ERROR_INPUT,
                       "%s: it is not PTX: there is no .version in it, or it is not text", path);
    }
    *text = broken ? NULL : ki_text_take(&read);
    ki_text_free(&read);
    return broken  ? ki_fail(err, KN_ERROR_INPUT, "%s: it cannot be read", path)
           : *text ? KN_OK
                   : ki_fail_memory(err, 0, "reading PTX");
}

// ---- the job ----

// Collects the named jobs, or all of them.
static size_t wanted_jobs(const struct compare_arguments *arguments, const struct compare_job **jobs)
{
    const struct string_list *named = &arguments->common.operands;
    size_t count = 0;

    for (const struct compare_job *const *job = compare_jobs; *job; job++) {
        bool is_wanted = named->count == 0;

        for (size_t i = 0; i < named->count; i++)
            is_wanted = is_wanted || strcmp(named->items[i], (*job)->name) == 0;
        if (is_wanted)
            jobs[count++] = *job;
    }
    return count;
}

static kn_status find_job(struct explain_session *session, const struct places *chosen, kn_error *err)
{
    const struct compare_job *jobs[64];
    size_t count = wanted_jobs(session->arguments, jobs);
    struct ki_text launched = KI_TEXT_INIT;
    kn_status status = KN_OK, unopened = KN_OK;
    size_t opened = 0;

    for (size_t i = 0; i < chosen->count && !status && !session->found.job; i++) {
        struct place place;
        struct compare_place at = {NULL, &place.device};

        if (strcmp(chosen->specs[i].spec, "host") == 0)
            continue;
        unopened = place_open(chosen->specs[i].spec, true, session->arguments->common.command, &place, err);
        if (unopened)
            continue;
        opened++;
        at.queue = place.queue;
        status = explain_find(&at, session->kernel, jobs, count, &session->found, &launched, err);
        place_close(&place);
    }
    if (!opened && unopened)
        status = unopened; // which says why the place could not be opened
    else if (!opened)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "--explain: the host runs no kernels; name a device");
    else if (!status && !session->found.job)
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "--explain: no job launches %s on these devices; they launch %s",
                    session->kernel, launched.length ? ki_text_string(&launched) : "nothing");
    ki_text_free(&launched);
    return status;
}

// ---- a row ----

// Measures the limits of a place: the jobs bandwidth and flops, as far as they are needed.
static kn_status measure_limits(const struct explain_session *session, struct compare_run *run, kn_error *err)
{
    enum compare_ceiling ceiling = session->is_file ? COMPARE_COPY : session->found.job->ceiling;
    const struct compare_job *job = compare_ceiling_job(ceiling);

    return job ? compare_job_run(run, job, err) : KN_OK;
}

static kn_status measure_at(struct explain_session *session, struct place *place, struct explain_row *row,
                            kn_error *err)
{
    const struct compare_place at = {place->queue, &place->device};
    struct compare_run run = {.places = &at, .place_count = 1, .options = {.quick = true, .repetitions = 5}};
    kn_status status = measure_limits(session, &run, err);

    if (!status)
        status = session->is_file ? explain_file(session, place, &run, row, err)
                                  : explain_job(&session->found, &run, 0, session->kernel, row, err);
    compare_run_free(&run);
    return status;
}

// A device's failure is recorded in its row.
static kn_status add_row(struct explain_session *session, const char *spec, bool is_loaded, kn_error *err)
{
    struct explain_row *row = &session->rows[session->row_count];
    kn_device_info *device = &session->devices[session->row_count];
    struct place place;
    kn_error why = KN_ERROR_INIT;
    kn_status status = place_open(spec, true, session->arguments->common.command, &place, err);

    if (status)
        return status;
    session->row_count++;
    *device = place.device;
    row->device = device;
    snprintf(row->label, sizeof row->label, "%s%s", place.device.spec, is_loaded ? " with the PTX" : "");
    status = kn_context_explain(place.context, &why);
    if (!status && is_loaded) {
        row->ptx = session->loaded;
        session->loaded = NULL;
        row->is_loaded = true;
        status = kn_context_load_ptx(place.context, session->kernel, row->ptx, &why);
    }
    if (!status)
        status = measure_at(session, &place, row, &why);
    session->build += kn_context_get_build_seconds(place.context);
    place_close(&place);
    if (!status || (status == KN_ERROR_DEVICE && !is_loaded)) {
        if (status)
            snprintf(row->why, sizeof row->why, "%.*s", (int)strcspn(why.text, "\n"), why.text);
        return KN_OK;
    }
    if (err)
        *err = why;
    return status;
}

static const struct explain_row *cuda_row(const struct explain_session *session)
{
    for (size_t i = 0; i < session->row_count; i++)
        if (strcmp(session->devices[i].backend, "cuda") == 0)
            return &session->rows[i];
    return NULL;
}

// --load-ptx: runs the CUDA path once more, with that PTX instead of the kernel.
static kn_status add_loaded(struct explain_session *session, kn_error *err)
{
    const struct explain_row *own = cuda_row(session);

    if (!own)
        return ki_fail(
            err, KN_ERROR_UNSUPPORTED,
            "--load-ptx: PTX runs only through CUDA, and none of these devices is reached through it");
    if (own->programs > 1)
        return ki_fail(err, KN_ERROR_UNSUPPORTED,
                       "--load-ptx: %zu programs launch %s in this job, with different definitions; the PTX "
                       "of one cannot replace all of them",
                       own->programs, session->kernel);
    return add_row(session, own->device->spec, true, err);
}

static kn_status add_rows(struct explain_session *session, const struct places *chosen, kn_error *err)
{
    const char *command = session->arguments->common.command;
    kn_status status = KN_OK;

    for (size_t i = 0; i < chosen->count && session->row_count + 1 < EXPLAIN_ROWS && !status; i++) {
        kn_error why = KN_ERROR_INIT;

        if (strcmp(chosen->specs[i].spec, "host") == 0)
            continue;
        status = add_row(session, chosen->specs[i].spec, false, &why);
        if (status == KN_ERROR_NO_DEVICE && chosen->specs[i].from_all) {
            fprintf(stderr, "%s: %s is skipped: %s\n", command, chosen->specs[i].spec, why.text);
            status = KN_OK;
        } else if (status) {
            *err = why;
        }
    }
    if (!status && !session->row_count)
        status = ki_fail(err, KN_ERROR_NO_DEVICE,
                         "--explain: a kernel needs a device; 'koine devices' lists them");
    return status;
}

// ---- files ----

static char *dump_path(const struct explain_session *session, size_t row)
{
    struct ki_text path = KI_TEXT_INIT;

    ki_text_format(&path, "%s/%s.", session->arguments->dump_ptx, session->kernel);
    for (const char *c = session->devices[row].spec; *c; c++)
        ki_text_add_char(&path, *c == ':' || *c == '.' || *c == '/' ? '-' : *c);
    ki_text_add(&path, ".ptx");
    return ki_text_take(&path);
}

static kn_status dump(struct explain_session *session, kn_error *err)
{
    kn_status status;
    bool is_there = false;

    for (size_t i = 0; i < session->row_count; i++)
        is_there = is_there || (session->rows[i].ptx && !session->rows[i].is_loaded);
    if (!is_there)
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "--dump-ptx: there is no PTX to write: %s",
                       *session->rows[0].why ? session->rows[0].why : session->rows[0].no_ptx);
    status = ki_output_folder(session->arguments->dump_ptx, err);
    for (size_t i = 0; i < session->row_count && !status; i++) {
        const struct explain_row *row = &session->rows[i];

        if (!row->ptx || row->is_loaded)
            continue;
        session->files[i] = dump_path(session, i);
        if (!session->files[i])
            return ki_fail_memory(err, 0, "naming a file");
        interrupt_hold();
        status = ki_output_write(session->files[i], row->ptx, strlen(row->ptx),
                                 session->arguments->common.force, err);
        interrupt_release();
    }
    return status;
}

static void free_session(struct explain_session *session)
{
    for (size_t i = 0; i < session->row_count; i++) {
        explain_row_free(&session->rows[i]);
        free(session->files[i]);
    }
    for (size_t i = 0; i < session->made_count; i++)
        free(session->made[i]);
    free(session->made);
    free(session->loaded);
    ki_text_free(&session->words);
}

static kn_status explain(struct explain_session *session, kn_error *err)
{
    const struct compare_arguments *arguments = session->arguments;
    const struct common_arguments *common = &arguments->common;
    struct places chosen = {.count = 0};
    kn_status status = check_arguments(arguments, session->is_file, err);

    if (!status)
        status = report_try(common, err);
    if (!status && arguments->load_ptx)
        status = read_ptx(arguments->load_ptx, &session->loaded, err);
    if (!status)
        status = choose_paths(&common->devices, common->command, &chosen, err);
    if (!status && !session->is_file)
        status = find_job(session, &chosen, err);
    if (!status)
        status = add_rows(session, &chosen, err);
    if (!status && session->loaded)
        status = add_loaded(session, err);
    choose_free(&chosen);
    return status;
}

kn_status compare_explain(struct compare_arguments *arguments, kn_error *err)
{
    struct explain_session *session = calloc(1, sizeof *session);
    double start = ki_clock_seconds();
    kn_status status;

    if (!session)
        return ki_fail_memory(err, sizeof *session, "explaining a kernel");
    // NVIDIA's driver caches the compiled code, but not the compiler's report.
    setenv("CUDA_CACHE_DISABLE", "1", 0);
    session->arguments = arguments;
    session->is_file = ends_in(arguments->explain, ".cl");
    session->kernel = session->is_file ? arguments->run.kernel : arguments->explain;
    status = explain(session, err);
    if (!status && arguments->dump_ptx)
        status = dump(session, err);
    if (!status) {
        explain_words(session->rows, session->row_count, &session->words);
        session->total = ki_clock_seconds() - start;
        for (size_t i = 0; i < session->row_count; i++)
            arguments->common.check_failed = arguments->common.check_failed || session->rows[i].is_wrong;
    }
    if (!status && report_shows_text(&arguments->common) && !explain_print(session))
        status = ki_fail_memory(err, 0, "printing the results");
    if (!status && arguments->common.json)
        status = explain_write_json(session, err);
    free_session(session);
    free(session);
    return status;
}
