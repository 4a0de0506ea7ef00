// SPDX-License-Identifier: Apache-2.0
#include "named_files.h"

#include "base/array.h"
#include "base/text/text.h"

void named_file(const char *name, named_file_visit *visit, void *data)
{
    static const char *const endings[] = {"", ".cfl", ".hdr"};

    for (size_t i = 0; i < KI_COUNT(endings); i++) {
        struct ki_text path = KI_TEXT_INIT;
        struct stat facts;

        ki_text_format(&path, "%s%s", name, endings[i]);
        if (!path.failed && stat(ki_text_string(&path), &facts) == 0 && S_ISREG(facts.st_mode))
            visit(data, ki_text_string(&path), &facts);
        ki_text_free(&path);
    }
}

static void visit_list(const struct string_list *list, named_file_visit *visit, void *data)
{
    for (size_t i = 0; i < list->count; i++)
        named_file(list->items[i], visit, data);
}

void named_files(const struct command *command, const void *arguments, named_file_visit *visit, void *data)
{
    struct option_row rows[OPTION_ROWS_MAX];
    const size_t count = options_collect(command, rows);

    for (size_t i = 0; i < count; i++) {
        const void *field = (const char *)arguments + rows[i].offset;
        const bool is_string = rows[i].type == OPTION_STRING || rows[i].type == OPTION_PATH;

        if (is_string && !rows[i].writes && *(const char *const *)field)
            named_file(*(const char *const *)field, visit, data);
        else if (rows[i].type == OPTION_STRINGS)
            visit_list(field, visit, data);
    }
    visit_list(&((const struct common_arguments *)arguments)->operands, visit, data);
}
