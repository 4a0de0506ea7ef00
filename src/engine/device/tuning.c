// SPDX-License-Identifier: Apache-2.0
#include "tuning.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "choice.h"
#include "target.h"

// What a context takes for an algorithm.
struct engine_tuned {
    const char *algorithm;
    bool set; // else the algorithm's own
    bool tried;
    unsigned values[ENGINE_TUNABLES];
    char refused[ENGINE_TUNING_WHY]; // of tried ones
};

#define HASH_DIGITS (2 * KI_HASH_BYTES)

static struct engine_choice choice_of(const struct engine_tunables *tunables, char what[64])
{
    const struct ki_field field = {tunables->algorithm, strlen(tunables->algorithm)};

    snprintf(what, 64, "tuning of %s", tunables->algorithm);
    return (struct engine_choice){what, ki_hash_fields(&field, 1)};
}

// ---- on disk: the hash of the kernels' text, "GROUP=256 VOXELS=4 ...", the summary; a line each ----

static kn_status hash_kernels(const kn_context *context, const struct engine_tunables *tunables,
                              char hex[HASH_DIGITS + 1], kn_error *err)
{
    struct src_unit *unit = NULL;
    kn_status status = ki_target_read_builtin(&context->device, tunables->kernels, &unit, err);

    if (!status) {
        const struct ki_field field = {unit->opencl, unit->opencl_length};
        const struct ki_hash hash = ki_hash_fields(&field, 1);

        ki_hash_hex(&hash, hex);
    }
    ki_src_free(unit);
    return status;
}

// The line of values; NULL if it does not name these tunables in this order, else where it ends.
static const char *read_values(const char *text, const struct engine_tunables *tunables, unsigned *values)
{
    for (size_t i = 0; tunables->names[i]; i++) {
        size_t length = strlen(tunables->names[i]);
        char *end;
        unsigned long value;

        if (strncmp(text, tunables->names[i], length) != 0 || text[length] != '=' || text[length + 1] < '0' ||
            text[length + 1] > '9')
            return NULL;
        value = strtoul(text + length + 1, &end, 10);
        if (value > UINT32_MAX || *end != (tunables->names[i + 1] ? ' ' : '\n'))
            return NULL;
        values[i] = (unsigned)value;
        text = end + 1;
    }
    return text;
}

// NULL if the record serves, else why not.
static const char *read_record(const kn_context *context, const struct engine_tunables *tunables,
                               const struct ki_text *record, unsigned *values, struct ki_text *summary)
{
    char hex[HASH_DIGITS + 1];
    const char *text = ki_text_string(record), *rest;

    if (record->length <= HASH_DIGITS || strlen(text) != record->length || text[HASH_DIGITS] != '\n')
        return "it is no tuning";
    if (hash_kernels(context, tunables, hex, NULL))
        return "its kernels cannot be read";
    if (strncmp(text, hex, HASH_DIGITS) != 0)
        return "the kernels have changed since; run koine tune again";
    rest = read_values(text + HASH_DIGITS + 1, tunables, values);
    if (!rest)
        return "it is of other tunables; run koine tune again";
    ki_text_add(summary, rest);
    return NULL;
}

bool ki_engine_tuning_kept(kn_context *context, const struct engine_tunables *tunables, unsigned *values,
                           struct ki_text *summary)
{
    char what[64];
    const struct engine_choice choice = choice_of(tunables, what);
    struct ki_text record = KI_TEXT_INIT;
    bool found = ki_engine_recall_bytes(context, &choice, &record);
    const char *wrong = found ? read_record(context, tunables, &record, values, summary) : NULL;

    if (wrong)
        ki_engine_log(context, KN_LOG_WARNING, "%s: what was kept is not used: %s", what, wrong);
    ki_text_free(&record);
    return found && !wrong;
}

// ---- in a context ----

static size_t count_of(const struct engine_tunables *tunables)
{
    size_t count = 0;

    while (tunables->names[count])
        count++;
    return count;
}

static struct engine_tuned *find(kn_context *context, const struct engine_tunables *tunables)
{
    for (size_t i = 0; i < context->tuned_count; i++)
        if (strcmp(context->tuned[i].algorithm, tunables->algorithm) == 0)
            return &context->tuned[i];
    return NULL;
}

// With the lock held.
static bool set(kn_context *context, const struct engine_tunables *tunables, const unsigned *values,
                bool tried)
{
    struct engine_tuned tuned = {.algorithm = tunables->algorithm, .set = values != NULL, .tried = tried};
    struct engine_tuned *there = find(context, tunables);

    if (values)
        memcpy(tuned.values, values, count_of(tunables) * sizeof *values);
    if (!there)
        return KI_ARRAY_PUSH(context->tuned, context->tuned_count, context->tuned_capacity, tuned);
    *there = tuned;
    return true;
}

bool ki_engine_tuning(kn_context *context, const struct engine_tunables *tunables, unsigned *values)
{
    struct ki_text summary = KI_TEXT_INIT;
    const struct engine_tuned *tuned;
    bool given;

    pthread_mutex_lock(&context->tuned_lock);
    tuned = find(context, tunables);
    if (tuned) {
        given = tuned->set;
        if (given)
            memcpy(values, tuned->values, count_of(tunables) * sizeof *values);
    } else {
        unsigned kept[ENGINE_TUNABLES];

        given = ki_engine_tuning_kept(context, tunables, kept, &summary);
        if (given) {
            memcpy(values, kept, count_of(tunables) * sizeof *values);
            ki_engine_log(context, KN_LOG_INFO, "tuning of %s: %s", tunables->algorithm,
                          ki_text_string(&summary));
        }
        (void)set(context, tunables, given ? kept : NULL, false); // else it is read again
    }
    pthread_mutex_unlock(&context->tuned_lock);
    ki_text_free(&summary);
    return given;
}

kn_status ki_engine_tuning_try(kn_context *context, const struct engine_tunables *tunables,
                               const unsigned *values, kn_error *err)
{
    bool fine;

    pthread_mutex_lock(&context->tuned_lock);
    fine = set(context, tunables, values, true);
    pthread_mutex_unlock(&context->tuned_lock);
    return fine ? KN_OK : ki_fail_memory(err, sizeof(struct engine_tuned), tunables->algorithm);
}

void ki_engine_tuning_refuse(kn_context *context, const struct engine_tunables *tunables, const char *format,
                             ...)
{
    struct engine_tuned *tuned;
    char why[ENGINE_TUNING_WHY];
    bool kept = false;
    va_list args;

    va_start(args, format);
    if (vsnprintf(why, sizeof why, format, args) < 0)
        why[0] = '\0';
    va_end(args);
    pthread_mutex_lock(&context->tuned_lock);
    tuned = find(context, tunables);
    if (tuned && tuned->tried) {
        memcpy(tuned->refused, why, sizeof why);
    } else if (tuned) {
        kept = tuned->set;
        tuned->set = false;
    }
    pthread_mutex_unlock(&context->tuned_lock);
    if (kept)
        ki_engine_log(context, KN_LOG_WARNING, "tuning of %s: what was kept is not used: %s",
                      tunables->algorithm, why);
}

bool ki_engine_tuning_refused(kn_context *context, const struct engine_tunables *tunables,
                              char why[ENGINE_TUNING_WHY])
{
    const struct engine_tuned *tuned;
    bool refused;

    pthread_mutex_lock(&context->tuned_lock);
    tuned = find(context, tunables);
    refused = tuned && tuned->refused[0];
    if (refused)
        memcpy(why, tuned->refused, ENGINE_TUNING_WHY);
    pthread_mutex_unlock(&context->tuned_lock);
    return refused;
}

void ki_engine_tuning_reread(kn_context *context, const struct engine_tunables *tunables)
{
    struct engine_tuned *tuned;

    pthread_mutex_lock(&context->tuned_lock);
    tuned = find(context, tunables);
    if (tuned)
        *tuned = context->tuned[--context->tuned_count];
    pthread_mutex_unlock(&context->tuned_lock);
}

kn_status ki_engine_tuning_keep(kn_context *context, const struct engine_tunables *tunables,
                                const unsigned *values, const char *summary, kn_error *err)
{
    char what[64], hex[HASH_DIGITS + 1];
    const struct engine_choice choice = choice_of(tunables, what);
    struct ki_text record = KI_TEXT_INIT;
    kn_status status = hash_kernels(context, tunables, hex, err);

    if (status)
        return status;
    ki_text_format(&record, "%s\n", hex);
    for (size_t i = 0; tunables->names[i]; i++)
        ki_text_format(&record, "%s=%u%s", tunables->names[i], values[i],
                       tunables->names[i + 1] ? " " : "\n");
    ki_text_add(&record, summary);
    status = ki_engine_remember_bytes(context, &choice, &record, err);
    ki_text_free(&record);
    ki_engine_tuning_reread(context, tunables);
    return status;
}

void ki_engine_tuning_forget(kn_context *context, const struct engine_tunables *tunables)
{
    char what[64];
    const struct engine_choice choice = choice_of(tunables, what);

    ki_engine_forget(context, &choice);
    ki_engine_tuning_reread(context, tunables);
}
