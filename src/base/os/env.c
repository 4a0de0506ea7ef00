// SPDX-License-Identifier: Apache-2.0
#include "env.h"

#include <stdlib.h>

const struct kn_env_entry kn_env_table[KN_ENV_COUNT] = {
#define KN_ENV_ENTRY(identifier, name, value, meaning) {name, value, meaning},
    KN_ENVIRONMENT(KN_ENV_ENTRY)
#undef KN_ENV_ENTRY
};

const char *kn_env_get(enum kn_env_variable variable)
{
    const char *value = getenv(kn_env_table[variable].name);

    return value && *value ? value : NULL;
}
