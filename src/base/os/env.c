// SPDX-License-Identifier: Apache-2.0
#include "env.h"

#include <stdlib.h>

const struct ki_env_entry ki_env_table[KI_ENV_COUNT] = {
#define KI_ENV_ENTRY(identifier, name, value, meaning) {name, value, meaning},
    KI_ENVIRONMENT(KI_ENV_ENTRY)
#undef KI_ENV_ENTRY
};

const char *ki_env_get(enum ki_env_variable variable)
{
    const char *value = getenv(ki_env_table[variable].name);

    return value && *value ? value : NULL;
}
