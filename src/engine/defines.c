// SPDX-License-Identifier: Apache-2.0
#include "defines.h"

#include <assert.h>
#include <stdio.h>

void ki_engine_define(struct engine_defines *defines, const char *name, unsigned value)
{
    char *text = defines->values[defines->count];

    assert(defines->count < ENGINE_DEFINES);
    snprintf(text, sizeof defines->values[0], "%u", value);
    ki_engine_define_text(defines, name, text);
}

void ki_engine_define_text(struct engine_defines *defines, const char *name, const char *text)
{
    assert(defines->count < ENGINE_DEFINES);
    defines->items[defines->count++] = (kn_define){name, text};
}
