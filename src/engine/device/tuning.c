// SPDX-License-Identifier: Apache-2.0
#include "tuning.h"

#include <koine/experimental/cache.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "choice.h"
#include "measured.h"
#include "target.h"

// The values that a context uses for an algorithm.
struct engine_tuned {
    const char *algorithm;
    bool set; // otherwise the algorithm's defaults
    bool tried;
    bool alike; // not kept, but measured on a similar device
    unsigned values[KN_TUNABLES];
    char refused[KN_TUNING_WORDS]; // why tried values were refused
};

static kn_status check(const char *function, const kn_context *context, const kn_tunables *tunables,
                       kn_error *err)
{
    if (!context || !tunables)
        return ki_fail(err, KN_ERROR_ARGUMENT, "%s: %s is NULL", function, context ? "tunables" : "context");
    for (size_t i = 0; i <= KN_TUNABLES; i++)
        if (!tunables->names[i])
            return tunables->algorithm && tunables->kernels
                       ? KN_OK
                       : ki_fail(err, KN_ERROR_ARGUMENT,
                                 "%s: the tunables name no algorithm or no kernels' file", function);
    return ki_fail(err, KN_ERROR_ARGUMENT, "%s: more than %d tunables, or no NULL behind them", function,
                   KN_TUNABLES);
}

#define HASH_DIGITS (2 * KI_HASH_BYTES)

static struct engine_choice choice_of(const kn_tunables *tunables, char what[64])
{
    const struct ki_field field = {tunables->algorithm, strlen(tunables->algorithm)};

    snprintf(what, 64, "tuning of %s", tunables->algorithm);
    return (struct engine_choice){what, ki_hash_fields(&field, 1)};
}

// ---- on disk: the hash of the kernels' text, "GROUP=256 VOXELS=4 ...", the summary; a line each ----

// Continues a hash with a file's text.
static kn_status hash_file(const kn_context *context, const char *name, struct ki_hash *hash, kn_error *err)
{
    struct src_unit *unit = NULL;
    kn_status status = ki_target_read_builtin(&context->device, name, &unit, err);

    if (!status) {
        const struct ki_field fields[] = {{hash, sizeof *hash}, {unit->opencl, unit->opencl_length}};

        *hash = ki_hash_fields(fields, KI_COUNT(fields));
    }
    ki_src_free(unit);
    return status;
}

// One hash of all files, in their order.
static kn_status hash_kernels(const kn_context *context, const kn_tunables *tunables,
                              char hex[HASH_DIGITS + 1], kn_error *err)
{
    struct ki_hash hash = {{0}};
    const char *rest = tunables->kernels;
    kn_status status = KN_OK;

    while (*rest && !status) {
        size_t length = strcspn(rest, " ");
        char name[128];

        snprintf(name, sizeof name, "%.*s", (int)length, rest);
        status = hash_file(context, name, &hash, err);
        rest += length + (rest[length] == ' ');
    }
    if (!status)
        ki_hash_hex(&hash, hex);
    return status;
}

// The line of values; NULL if it does not name these tunables in this order, otherwise what follows it.
static const char *read_values(const char *text, const kn_tunables *tunables, unsigned *values)
{
    for (size_t i = 0; tunables->names[i]; i++) {
        size_t length = strlen(tunables->names[i]);
        char *end;
        unsigned long value;

        if (strncmp(text, tunables->names[i], length) != 0 || text[length] != '=' || text[length + 1] < '0' ||
            text[length + 1] > '9')
            return NULL;
        value = strtoul(text + length + 1, &end, 10);
        if (value > UINT32_MAX || (tunables->names[i + 1] ? *end != ' ' : *end && *end != '\n'))
            return NULL;
        values[i] = (unsigned)value;
        text = *end ? end + 1 : end;
    }
    return text;
}

// NULL if the record can be used, otherwise why not.
static const char *read_record(const kn_context *context, const kn_tunables *tunables,
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

// The kept values, with their summary appended; false if there are none.
static bool read_kept(const kn_context *context, const kn_tunables *tunables, unsigned *values,
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

bool ki_engine_tuning_of(const kn_device_info *info, const kn_tunables *tunables, unsigned *values)
{
    char what[64], dir[4096];
    const struct engine_choice choice = choice_of(tunables, what);
    struct ki_text record = KI_TEXT_INIT;
    bool found = !kn_cache_get_default_dir(dir, sizeof dir, NULL) && !kn_cache_check_trust(dir, NULL) &&
                 ki_engine_recall_of(dir, info, &choice, &record) && record.length > HASH_DIGITS + 1 &&
                 read_values(ki_text_string(&record) + HASH_DIGITS + 1, tunables, values);

    ki_text_free(&record);
    return found;
}

// What was best on the most similar device in measured_devices.h.
static bool read_measured(const kn_context *context, const kn_tunables *tunables, unsigned *values,
                          struct ki_text *summary)
{
    const struct engine_measured *like = ki_engine_measured_like(
        ki_engine_measured_devices, ki_engine_measured_count, &context->device.info, tunables->algorithm);

    if (!like || !read_values(like->values, tunables, values))
        return false;
    ki_text_format(summary, "%s, as on %s", like->values, like->name);
    return true;
}

// ---- in a context ----

static size_t count_of(const kn_tunables *tunables)
{
    size_t count = 0;

    while (tunables->names[count])
        count++;
    return count;
}

static struct engine_tuned *find(kn_context *context, const kn_tunables *tunables)
{
    for (size_t i = 0; i < context->tuned_count; i++)
        if (strcmp(context->tuned[i].algorithm, tunables->algorithm) == 0)
            return &context->tuned[i];
    return NULL;
}

// With the lock held; NULL if memory is short.
static struct engine_tuned *set(kn_context *context, const kn_tunables *tunables, const unsigned *values,
                                bool tried)
{
    struct engine_tuned tuned = {.algorithm = tunables->algorithm, .set = values != NULL, .tried = tried};
    struct engine_tuned *there = find(context, tunables);

    if (values)
        memcpy(tuned.values, values, count_of(tunables) * sizeof *values);
    if (there) {
        *there = tuned;
        return there;
    }
    if (!KI_ARRAY_PUSH(context->tuned, context->tuned_count, context->tuned_capacity, tuned))
        return NULL;
    return &context->tuned[context->tuned_count - 1];
}

// What is kept on this machine, or was measured on a similar device. With the lock held.
static struct engine_tuned look_up(kn_context *context, const kn_tunables *tunables)
{
    struct engine_tuned tuned = {0}, *there;
    struct ki_text summary = KI_TEXT_INIT;
    bool kept = read_kept(context, tunables, tuned.values, &summary);

    tuned.set = kept || read_measured(context, tunables, tuned.values, &summary);
    tuned.alike = !kept;
    if (tuned.set)
        ki_engine_log(context, KN_LOG_INFO, "tuning of %s: %s", tunables->algorithm,
                      ki_text_string(&summary));
    there = set(context, tunables, tuned.set ? tuned.values : NULL, false);
    if (there) // if memory runs out, it is looked up again
        there->alike = tuned.alike;
    ki_text_free(&summary);
    return tuned;
}

bool ki_engine_tuning(kn_context *context, const kn_tunables *tunables, unsigned *values)
{
    const struct engine_tuned *there;
    struct engine_tuned tuned;

    pthread_mutex_lock(&context->tuned_lock);
    there = find(context, tunables);
    tuned = there ? *there : look_up(context, tunables);
    pthread_mutex_unlock(&context->tuned_lock);
    if (tuned.set)
        memcpy(values, tuned.values, count_of(tunables) * sizeof *values);
    return tuned.set;
}

kn_status kn_tuning_try(kn_context *context, const kn_tunables *tunables, const unsigned *values,
                        kn_error *err)
{
    bool fine;

    if (check("kn_tuning_try", context, tunables, err))
        return KN_ERROR_ARGUMENT;
    pthread_mutex_lock(&context->tuned_lock);
    fine = set(context, tunables, values, true) != NULL;
    pthread_mutex_unlock(&context->tuned_lock);
    return fine ? KN_OK : ki_fail_memory(err, sizeof(struct engine_tuned), tunables->algorithm);
}

void ki_engine_tuning_refuse(kn_context *context, const kn_tunables *tunables, const char *format, ...)
{
    struct engine_tuned *tuned;
    char why[KN_TUNING_WORDS];
    const char *whose = NULL;
    bool alike = false;
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
        alike = tuned->alike;
        whose = !tuned->set ? NULL : alike ? "what was measured on a device like this one" : "what was kept";
        tuned->set = false;
    }
    pthread_mutex_unlock(&context->tuned_lock);
    if (whose)
        ki_engine_log(context, alike ? KN_LOG_INFO : KN_LOG_WARNING, "tuning of %s: %s is not used: %s",
                      tunables->algorithm, whose, why);
}

bool kn_tuning_get_refusal(kn_context *context, const kn_tunables *tunables, char why[KN_TUNING_WORDS])
{
    const struct engine_tuned *tuned;
    bool refused;

    if (!why || check("kn_tuning_get_refusal", context, tunables, NULL))
        return false;
    pthread_mutex_lock(&context->tuned_lock);
    tuned = find(context, tunables);
    refused = tuned && tuned->refused[0];
    if (refused)
        memcpy(why, tuned->refused, KN_TUNING_WORDS);
    pthread_mutex_unlock(&context->tuned_lock);
    return refused;
}

static void reread(kn_context *context, const kn_tunables *tunables)
{
    struct engine_tuned *tuned;

    pthread_mutex_lock(&context->tuned_lock);
    tuned = find(context, tunables);
    if (tuned)
        *tuned = context->tuned[--context->tuned_count];
    pthread_mutex_unlock(&context->tuned_lock);
}

kn_status kn_tuning_end(kn_context *context, const kn_tunables *tunables, kn_error *err)
{
    kn_status status = check("kn_tuning_end", context, tunables, err);

    if (!status)
        reread(context, tunables);
    return status;
}

// ---- what is kept ----

kn_status kn_tuning_keep(kn_context *context, const kn_tunables *tunables, const unsigned *values,
                         const char *summary, kn_error *err)
{
    char what[64], hex[HASH_DIGITS + 1];
    struct engine_choice choice;
    struct ki_text record = KI_TEXT_INIT;
    kn_status status = check("kn_tuning_keep", context, tunables, err);

    if (!status && (!values || !summary))
        status = ki_fail(err, KN_ERROR_ARGUMENT, "kn_tuning_keep: %s is NULL", values ? "summary" : "values");
    if (!status)
        status = hash_kernels(context, tunables, hex, err);
    if (status)
        return status;
    choice = choice_of(tunables, what);
    ki_text_format(&record, "%s\n", hex);
    for (size_t i = 0; tunables->names[i]; i++)
        ki_text_format(&record, "%s=%u%s", tunables->names[i], values[i],
                       tunables->names[i + 1] ? " " : "\n");
    ki_text_add(&record, summary);
    status = ki_engine_remember_bytes(context, &choice, &record, err);
    ki_text_free(&record);
    reread(context, tunables);
    return status;
}

kn_status kn_tuning_get_kept(kn_context *context, const kn_tunables *tunables, bool *found,
                             unsigned values[KN_TUNABLES], char summary[KN_TUNING_WORDS], kn_error *err)
{
    struct ki_text text = KI_TEXT_INIT;
    kn_status status = check("kn_tuning_get_kept", context, tunables, err);

    if (!status && (!found || !values))
        status =
            ki_fail(err, KN_ERROR_ARGUMENT, "kn_tuning_get_kept: %s is NULL", found ? "values" : "found");
    if (status)
        return status;
    *found = read_kept(context, tunables, values, &text);
    if (summary)
        snprintf(summary, KN_TUNING_WORDS, "%s", *found ? ki_text_string(&text) : "");
    ki_text_free(&text);
    return KN_OK;
}

kn_status kn_tuning_forget(kn_context *context, const kn_tunables *tunables, kn_error *err)
{
    char what[64];
    kn_status status = check("kn_tuning_forget", context, tunables, err);

    if (!status) {
        const struct engine_choice choice = choice_of(tunables, what);

        ki_engine_forget(context, &choice);
        reread(context, tunables);
    }
    return status;
}
