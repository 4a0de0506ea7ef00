// SPDX-License-Identifier: Apache-2.0
// koine compare --explain FILE.cl: runs the kernel like koine run, at one place after the other.
#include "compare_explain.h"

#include <stdio.h>

// The arguments of koine run, of which koine compare has those that describe the launch.
static struct run_arguments arguments_of(const struct compare_arguments *arguments)
{
    struct run_arguments run = arguments->run;

    run.common = arguments->common;
    run.common.operands = (struct string_list){(const char **)&arguments->explain, 1, 1};
    run.common.devices = (struct string_list){NULL, 0, 0};
    run.ulp = run.tolerance = "0";
    run.repeat = 1;
    return run;
}

kn_status explain_file_check(const struct compare_arguments *arguments, kn_error *err)
{
    const struct run_arguments given = arguments_of(arguments);
    struct run_run run = {.arguments = &given};
    kn_status status = run_begin(&run, err);

    run_end(&run);
    return status;
}

struct once {
    const struct run_run *run;
    struct run_outcome *outcome;
};

static kn_status run_file(void *user, kn_error *err)
{
    struct once *once = user;
    double seconds;

    return run_once(once->run, once->outcome, &seconds, err);
}

static size_t buffer_bytes(const struct run_run *run)
{
    size_t bytes = 0;

    for (size_t i = 0; i < run->args.count; i++)
        if (run_has_contents(&run->args.items[i]))
            bytes += run->args.items[i].bytes;
    return bytes;
}

// Keeps the results of the first row's kernel, and compares those of the others with them.
static void compare_results(struct explain_session *session, const struct run_run *run,
                            struct run_outcome *outcome, struct explain_row *row)
{
    const struct run_bound bound = {0, 0};
    size_t length = 0;

    if (!session->made) {
        session->made = outcome->data;
        session->made_count = run->args.count;
        outcome->data = NULL;
        return;
    }
    for (size_t i = 0; i < session->made_count; i++) {
        struct run_difference difference;

        if (!run_has_contents(&run->args.items[i]))
            continue;
        run_compare(&run->args.items[i], session->made[i], outcome->data[i], &bound, &difference);
        if (difference.beyond && length < sizeof row->differs)
            length += (size_t)snprintf(
                row->differs + length, sizeof row->differs - length,
                "%sargument %zu differs from %s's in %zu of %zu numbers, by at most %.3g", length ? "; " : "",
                i, session->rows[0].label, difference.beyond, difference.compared, difference.worst);
    }
}

enum { REPETITIONS = 7 };

kn_status explain_file(struct explain_session *session, const struct place *place,
                       const struct compare_run *run, struct explain_row *row, kn_error *err)
{
    const struct run_arguments given = arguments_of(session->arguments);
    struct run_run own = {.arguments = &given, .outcome_count = 1};
    struct run_outcome *outcome = &own.outcomes[0];
    struct once once = {&own, outcome};
    const struct explain_work work = {run_file, &once};
    double limit;
    kn_status status = run_begin(&own, err);

    outcome->place = *place;
    if (!status)
        status = run_open(&own, outcome, err);
    if (!status) {
        snprintf(session->name, sizeof session->name, "%s", kn_kernel_get_name(outcome->kernel));
        session->kernel = session->name;
        status = explain_measure(place->queue, session->kernel, &work, REPETITIONS, row, err);
    }
    if (!status)
        status = run_read(&own, outcome, err);
    if (!status)
        compare_results(session, &own, outcome, row);
    limit = compare_ceiling(run, 0, COMPARE_COPY, KN_F32, 2 * buffer_bytes(&own));
    if (!status && limit > 0 && row->run_seconds > 0)
        row->share = (double)buffer_bytes(&own) / row->run_seconds / limit;
    outcome->place = (struct place){.queue = NULL}; // owned by the caller
    run_end(&own);
    return status;
}
