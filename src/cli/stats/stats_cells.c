// SPDX-License-Identifier: Apache-2.0
// Cells of the CSV files that `koine stats` writes.
#include <string.h>

#include "cmd_stats.h"

void stats_add_csv_name(struct ki_text *text, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        ki_text_add(text, name);
        return;
    }
    ki_text_add_char(text, '"');
    for (; *name; name++)
        ki_text_format(text, *name == '"' ? "\"%c" : "%c", *name);
    ki_text_add_char(text, '"');
}
