// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/os/env.h"
#include "base/error.h"
#include "base/hash.h"

struct log_word {
    const char *word;
    kn_log_level level;
    int sync;
};

static const struct log_word words[] = {
    {"warning", KN_LOG_WARNING, 0},
    {"info", KN_LOG_INFO, 0},
    {"debug", KN_LOG_DEBUG, 0},
    {"sync", KN_LOG_DEBUG, 1},
};

static kn_log_level level = KN_LOG_WARNING; // what print_message reads through its `user`

// Warnings that were printed: a command that opens several contexts gets some of them from each.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct ki_hash *printed;
static size_t count, capacity;

static bool is_new(const char *message)
{
    const struct ki_field field = {message, strlen(message)};
    const struct ki_hash hash = ki_hash_fields(&field, 1);
    bool found = false;

    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count && !found; i++)
        found = memcmp(printed[i].bytes, hash.bytes, sizeof hash.bytes) == 0;
    if (!found)
        (void)KI_ARRAY_PUSH(printed, count, capacity, hash); // if memory runs out, it may be printed again
    pthread_mutex_unlock(&lock);
    return !found;
}

static void print_message(void *user, kn_log_level of, const char *message)
{
    const kn_log_level *most = user;

    if (of <= *most && (of != KN_LOG_WARNING || is_new(message)))
        fprintf(stderr, "koine: %s\n", message);
}

kn_status log_options(kn_context_options *options, kn_error *err)
{
    const char *asked = ki_env_get(KI_ENV_LOG);
    const struct log_word *word = asked ? NULL : &words[0];

    for (size_t i = 0; asked && i < KI_COUNT(words); i++)
        if (strcmp(words[i].word, asked) == 0)
            word = &words[i];
    if (!word)
        return ki_fail(err, KN_ERROR_ARGUMENT, "KOINE_LOG: '%s' is not one of warning, info, debug, sync",
                       asked);
    options->log = print_message;
    level = word->level;
    options->log_user = &level;
    options->debug_sync = word->sync;
    return KN_OK;
}
