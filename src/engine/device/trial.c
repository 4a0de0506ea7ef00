// SPDX-License-Identifier: Apache-2.0
#include "trial.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "choice.h"
#include "target.h"

// The verdict on a form, in the context.
struct engine_verdict {
    struct ki_hash name;
    bool serves;
};

enum { FAILS, SERVES, VERDICTS };

static struct ki_hash name_of(const struct engine_trial *trial)
{
    const struct ki_field fields[] = {{trial->what, strlen(trial->what)},
                                      {trial->kernels, strlen(trial->kernels)}};

    return ki_hash_fields(fields, KI_COUNT(fields));
}

// On disk, the kernels' text distinguishes versions.
static kn_status subject_of(const kn_context *context, const struct engine_trial *trial,
                            struct ki_hash *subject, kn_error *err)
{
    struct src_unit *unit = NULL;
    kn_status status = ki_target_read_builtin(&context->device, trial->kernels, &unit, err);

    if (!status) {
        const struct ki_field fields[] = {{trial->what, strlen(trial->what)},
                                          {unit->opencl, unit->opencl_length}};
        *subject = ki_hash_fields(fields, KI_COUNT(fields));
    }
    ki_src_free(unit);
    return status;
}

// ---- in the context ----

static bool find(kn_context *context, const struct ki_hash *name, bool *serves)
{
    bool found = false;

    pthread_mutex_lock(&context->verdicts_lock);
    for (size_t i = 0; i < context->verdict_count && !found; i++) {
        found = memcmp(&context->verdicts[i].name, name, sizeof *name) == 0;
        if (found)
            *serves = context->verdicts[i].serves;
    }
    pthread_mutex_unlock(&context->verdicts_lock);
    return found;
}

static void keep(kn_context *context, const struct ki_hash *name, bool serves)
{
    const struct engine_verdict verdict = {*name, serves};

    pthread_mutex_lock(&context->verdicts_lock);
    (void)KI_ARRAY_PUSH(context->verdicts, context->verdict_count, context->verdict_capacity,
                        verdict); // otherwise it is tried again
    pthread_mutex_unlock(&context->verdicts_lock);
}

// ---- the trial ----

// From an error, what the form did: its first line.
static void add_reason(struct ki_text *why, const kn_error *reason)
{
    ki_text_add_bytes(why, reason->text, strcspn(reason->text, "\n"));
}

static kn_status run(kn_context *context, const struct engine_trial *trial, bool *serves, struct ki_text *why,
                     kn_error *err)
{
    kn_error reason = KN_ERROR_INIT;
    kn_queue *queue = NULL;
    bool right = false;
    kn_status status = kn_queue_open(context, &queue, err);

    if (status)
        return status;
    status = trial->run(queue, trial->form, &right, &reason);
    kn_queue_close(queue);
    *serves = !status && right;
    if (!status && !right)
        ki_text_add(why, "it gives wrong results");
    if (status == KN_ERROR_BUILD || status == KN_ERROR_UNSUPPORTED || status == KN_ERROR_LIMIT) {
        add_reason(why, &reason);
        return KN_OK;
    }
    if (status && err)
        *err = reason;
    return status;
}

static void report(const kn_context *context, kn_log_level level, const struct engine_trial *trial,
                   const struct ki_text *why)
{
    ki_engine_log(context, level, "%s: not used on %s (%s, driver %s): %s", trial->what,
                  context->device.info.spec, context->device.info.name, context->device.info.driver,
                  ki_text_string(why));
}

kn_status ki_engine_trial(kn_context *context, const struct engine_trial *trial, bool *serves, kn_error *err)
{
    const struct ki_hash name = name_of(trial);
    struct engine_choice choice = {.what = trial->what};
    kn_log_level level = KN_LOG_INFO; // if the verdict was known
    struct ki_text why = KI_TEXT_INIT;
    size_t verdict = FAILS;
    kn_status status;

    if (find(context, &name, serves))
        return KN_OK;
    status = subject_of(context, trial, &choice.subject, err);
    if (status)
        return status;
    if (ki_engine_recall(context, &choice, VERDICTS, &verdict, &why)) {
        *serves = verdict == SERVES;
    } else {
        level = KN_LOG_WARNING;
        status = run(context, trial, serves, &why, err);
        if (*serves)
            ki_text_add(&why, "it gives right results");
        if (!status)
            ki_engine_remember(context, &choice, *serves ? SERVES : FAILS, &why);
    }
    if (!status && !*serves)
        report(context, level, trial, &why);
    if (!status)
        keep(context, &name, *serves);
    ki_text_free(&why);
    return status;
}
