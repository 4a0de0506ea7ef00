// SPDX-License-Identifier: Apache-2.0
#include "snippet.h"

#include <string.h>

#include "base/error.h"

kn_status ki_snippet_join(const char *function, const char *what, const char *snippet, struct ki_kept *kept,
                          char **joined, kn_error *err)
{
    char *to = *joined = ki_kept_take(kept, strlen(snippet) + 2); // a space for the last line end

    if (!to)
        return ki_fail_memory(err, strlen(snippet) + 2, "a snippet of OpenCL C");
    while (*snippet) {
        const char *line = snippet + strspn(snippet, " \t");
        size_t length = strcspn(line, "\n");
        const char *comment = strstr(line, "//");
        size_t used = comment && comment < line + length ? (size_t)(comment - line) : length;
        if (*line == '#')
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "%s: the %s has the line '%.*s'; it may have no directives of the preprocessor",
                           function, what, (int)length, line);
        while (used > 0 && used == length && line[used - 1] == '\\')
            used--;
        memcpy(to, line, used);
        to += used;
        *to++ = ' ';
        snippet = line + length + (line[length] == '\n');
    }
    *to = '\0';
    return KN_OK;
}
