// SPDX-License-Identifier: Apache-2.0
#include "ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- PTX ----

const char *ki_ptx_skip_blanks(const char *at)
{
    for (;;) {
        at += strspn(at, " \t\r\n");
        if (at[0] == '/' && at[1] == '/') {
            at += strcspn(at, "\n");
        } else if (at[0] == '/' && at[1] == '*') {
            const char *end = strstr(at + 2, "*/");

            at = end ? end + 2 : at + strlen(at);
        } else {
            return at;
        }
    }
}

static bool is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%';
}

size_t ki_ptx_name_length(const char *at)
{
    size_t length = 0;

    while (is_name(at[length]))
        length++;
    return length;
}

// ---- ptxas's report ----

// The number before `text` in the line; -1 if there is none.
static long number_before(const char *line, size_t length, const char *text)
{
    const size_t text_length = strlen(text);

    for (size_t at = 1; at + text_length <= length; at++) {
        size_t digit = at;

        if (memcmp(line + at, text, text_length) != 0)
            continue;
        while (digit > 0 && isdigit((unsigned char)line[digit - 1]))
            digit--;
        if (digit < at)
            return strtol(line + digit, NULL, 10);
    }
    return -1;
}

// Whether the line contains `text` followed by the kernel's symbol.
static bool names_kernel(const char *line, size_t length, const char *text, const char *kernel)
{
    static const char prefix[] = KI_PTX_KERNEL_PREFIX;
    const size_t kernel_length = strlen(kernel);
    const char *name = strstr(line, text), *end = line + length;

    if (!name || name >= end)
        return false;
    name += strlen(text);
    if (strncmp(name, prefix, sizeof prefix - 1) == 0 && strncmp(kernel, prefix, sizeof prefix - 1) != 0)
        name += sizeof prefix - 1;
    return strncmp(name, kernel, kernel_length) == 0 && !isalnum((unsigned char)name[kernel_length]) &&
           name[kernel_length] != '_';
}

bool ki_ptxas_is_report(const char *line, size_t length)
{
    return strncmp(line, "ptxas info", 10) == 0 || number_before(line, length, " bytes spill stores") >= 0;
}

bool ki_ptxas_read(const char *report, const char *kernel, struct ki_ptxas_report *found)
{
    bool in_entry = false, in_function = false;

    *found = (struct ki_ptxas_report){-1, -1, -1, -1};
    for (const char *line = report; *line;) {
        size_t length = strcspn(line, "\n");
        long stack = number_before(line, length, " bytes stack frame");
        long registers = number_before(line, length, " registers");

        if (strncmp(line, "ptxas", 5) == 0 && memchr(line, ':', length)) {
            if (number_before(line, length, " bytes gmem") < 0 && memchr(line, '\'', length))
                in_entry = names_kernel(line, length, "Compiling entry function '", kernel);
            if (strstr(line, "Function properties for ") &&
                strstr(line, "Function properties for ") < line + length)
                in_function = names_kernel(line, length, "Function properties for ", kernel);
        }
        if (stack >= 0 && in_function) {
            found->stack_bytes = stack;
            found->spill_bytes = number_before(line, length, " bytes spill stores");
        }
        if (registers >= 0 && in_entry) {
            long shared = number_before(line, length, " bytes smem");

            found->registers = registers;
            found->shared_bytes = shared < 0 ? 0 : shared;
        }
        line += length + (line[length] == '\n');
    }
    return found->registers >= 0;
}
