// SPDX-License-Identifier: Apache-2.0
#include <config.h>

#include "choice.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "engine/cache/cache.h"

static struct cache_key key_of(const kn_device_info *info, const struct engine_choice *choice)
{
    const char *const parts[] = {choice->what, PACKAGE_VERSION, info->spec,
                                 info->name,   info->driver,    info->version};
    struct ki_field fields[KI_COUNT(parts) + 1];

    for (size_t i = 0; i < KI_COUNT(parts); i++)
        fields[i] = (struct ki_field){parts[i], strlen(parts[i])};
    fields[KI_COUNT(parts)] = (struct ki_field){choice->subject.bytes, KI_HASH_BYTES};
    return (struct cache_key){ki_hash_fields(fields, KI_COUNT(fields)), choice->what, info->name};
}

bool ki_engine_recall_bytes(const kn_context *context, const struct engine_choice *choice,
                            struct ki_text *bytes)
{
    const struct cache_key key = key_of(&context->device.info, choice);
    char *data = NULL;
    size_t count = 0;
    char why[128] = "";

    if (!context->cache_dir || !ki_cache_read(context->cache_dir, &key, (void **)&data, &count, why)) {
        if (*why)
            ki_engine_log(context, KN_LOG_WARNING, "%s: what was kept is not used: %s", choice->what, why);
        return false;
    }
    ki_text_add_bytes(bytes, data, count);
    free(data);
    return !bytes->failed;
}

bool ki_engine_recall_of(const char *dir, const kn_device_info *info, const struct engine_choice *choice,
                         struct ki_text *bytes)
{
    const struct cache_key key = key_of(info, choice);
    char *data = NULL;
    size_t count = 0;
    char why[128] = "";

    if (!ki_cache_read(dir, &key, (void **)&data, &count, why))
        return false;
    ki_text_add_bytes(bytes, data, count);
    free(data);
    return !bytes->failed;
}

kn_status ki_engine_remember_bytes(const kn_context *context, const struct engine_choice *choice,
                                   const struct ki_text *bytes, kn_error *err)
{
    const struct cache_key key = key_of(&context->device.info, choice);

    if (!context->cache_dir)
        return ki_fail(err, KN_ERROR_OUTPUT,
                       "there is no folder to keep it in; KOINE_CACHE_DIR names one that can be written");
    if (bytes->failed)
        return ki_fail_memory(err, bytes->length, choice->what);
    return ki_cache_write(context->cache_dir, &key, bytes->data, bytes->length, err);
}

void ki_engine_forget(const kn_context *context, const struct engine_choice *choice)
{
    const struct cache_key key = key_of(&context->device.info, choice);

    if (context->cache_dir)
        ki_cache_remove(context->cache_dir, &key);
}

bool ki_engine_recall(const kn_context *context, const struct engine_choice *choice, size_t most,
                      size_t *winner, struct ki_text *summary)
{
    struct ki_text data = KI_TEXT_INIT;
    bool fine = ki_engine_recall_bytes(context, choice, &data) && data.length > 1 &&
                (unsigned char)data.data[0] < most;

    if (fine) {
        *winner = (unsigned char)data.data[0];
        ki_text_add_bytes(summary, data.data + 1, data.length - 1);
    }
    ki_text_free(&data);
    return fine;
}

void ki_engine_remember(const kn_context *context, const struct engine_choice *choice, size_t winner,
                        const struct ki_text *summary)
{
    struct ki_text data = KI_TEXT_INIT;
    kn_error reason = KN_ERROR_INIT;

    ki_text_add_char(&data, (char)winner);
    ki_text_add_bytes(&data, summary->data, summary->length);
    if (context->cache_dir && ki_engine_remember_bytes(context, choice, &data, &reason))
        ki_engine_log(context, KN_LOG_WARNING, "%s is not remembered: %s", choice->what, reason.text);
    ki_text_free(&data);
}
