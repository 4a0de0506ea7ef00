// SPDX-License-Identifier: Apache-2.0
#include "snippet.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

kn_status ki_snippet_join(const char *function, const char *what, const char *snippet, char **joined,
                          kn_error *err)
{
    char *to = *joined = malloc(strlen(snippet) + 2); // a space for the last end

    if (!to)
        return ki_fail_memory(err, strlen(snippet) + 2, "a snippet of OpenCL C");
    while (*snippet) {
        const char *line = snippet + strspn(snippet, " \t");
        size_t length = strcspn(line, "\n");
        const char *comment = strstr(line, "//");
        size_t kept = comment && comment < line + length ? (size_t)(comment - line) : length;
        if (*line == '#')
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "%s: the %s has the line '%.*s'; it may have no directives of the preprocessor",
                           function, what, (int)length, line);
        while (kept > 0 && kept == length && line[kept - 1] == '\\')
            kept--;
        memcpy(to, line, kept);
        to += kept;
        *to++ = ' ';
        snippet = line + length + (line[length] == '\n');
    }
    *to = '\0';
    return KN_OK;
}
