// SPDX-License-Identifier: Apache-2.0
#include "log.h"

#include <stdio.h>
#include <string.h>

#include "../base/array.h"
#include "../base/env.h"
#include "../base/error.h"

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

static void print_message(void *user, kn_log_level of, const char *message)
{
    const kn_log_level *most = user;

    if (of <= *most)
        fprintf(stderr, "koine: %s\n", message);
}

kn_status log_options(kn_context_options *options, kn_error *err)
{
    const char *asked = kn_env_get(KN_ENV_LOG);
    const struct log_word *word = asked ? NULL : &words[0];

    for (size_t i = 0; asked && i < KN_COUNT(words); i++)
        if (strcmp(words[i].word, asked) == 0)
            word = &words[i];
    if (!word)
        return kn_fail(err, KN_ERROR_ARGUMENT, "KOINE_LOG: '%s' is none of warning, info, debug, sync",
                       asked);
    options->log = print_message;
    level = word->level;
    options->log_user = &level;
    options->debug_sync = word->sync;
    return KN_OK;
}
