// SPDX-License-Identifier: Apache-2.0
#include <config.h>

#include "choice.h"

#include <stdlib.h>
#include <string.h>

#include "../base/array.h"
#include "../base/error.h"
#include "cache.h"

static struct cache_key key_of(const kn_context *context, const struct engine_choice *choice)
{
    const kn_device_info *info = &context->device.info;
    const char *const words[] = {choice->what, PACKAGE_VERSION, info->spec,
                                 info->name,   info->driver,    info->version};
    struct kn_field fields[KN_COUNT(words) + 1];

    for (size_t i = 0; i < KN_COUNT(words); i++)
        fields[i] = (struct kn_field){words[i], strlen(words[i])};
    fields[KN_COUNT(words)] = (struct kn_field){choice->subject.bytes, KN_HASH_BYTES};
    return (struct cache_key){kn_hash_fields(fields, KN_COUNT(fields)), choice->what, info->name};
}

bool engine_recall(const kn_context *context, const struct engine_choice *choice, size_t most, size_t *winner,
                   struct kn_text *words)
{
    const struct cache_key key = key_of(context, choice);
    unsigned char *data = NULL;
    size_t bytes = 0;
    char why[128] = "";

    if (!context->cache_dir || !cache_read(context->cache_dir, &key, (void **)&data, &bytes, why))
        return false;
    bool fine = bytes > 1 && data[0] < most;
    if (fine) {
        *winner = data[0];
        kn_text_add_bytes(words, (const char *)data + 1, bytes - 1);
    }
    free(data);
    return fine;
}

void engine_remember(const kn_context *context, const struct engine_choice *choice, size_t winner,
                     const struct kn_text *words)
{
    const struct cache_key key = key_of(context, choice);
    struct kn_text data = KN_TEXT_INIT;
    kn_error reason = KN_ERROR_INIT;

    if (!context->cache_dir)
        return;
    kn_text_add_char(&data, (char)winner);
    kn_text_add_bytes(&data, words->data, words->length);
    if (!data.failed && cache_write(context->cache_dir, &key, data.data, data.length, &reason))
        engine_log(context, KN_LOG_WARNING, "%s is not remembered: %s", choice->what, reason.text);
    kn_text_free(&data);
}
