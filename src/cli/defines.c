// SPDX-License-Identifier: Apache-2.0
#include "defines.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/text.h"

// The length of "NAME" or "NAME(a, b)" at the start of a word; 0 if there is none.
static size_t name_length(const char *word)
{
    size_t length = 0;

    if (isdigit((unsigned char)word[0]))
        return 0;
    while (isalnum((unsigned char)word[length]) || word[length] == '_')
        length++;
    if (length && word[length] == '(') {
        length += strcspn(word + length, ")");
        return word[length] ? length + 1 : 0;
    }
    return length;
}

static kn_status read_define(const char *word, struct build_defines *defines, kn_error *err)
{
    size_t length = name_length(word);
    char *copy;

    if (!length || (word[length] && word[length] != '='))
        return ki_fail(err, KN_ERROR_ARGUMENT, "--define: '%s' is not a macro; expected NAME or NAME=VALUE",
                       word);
    copy = strdup(word);
    if (!copy)
        return ki_fail_memory(err, 0, "reading the options");
    defines->copies[defines->count] = copy;
    defines->defines[defines->count].name = copy;
    defines->defines[defines->count].value = copy[length] ? copy + length + 1 : NULL;
    copy[length] = '\0';
    defines->count++;
    return KN_OK;
}

kn_status build_defines_read(const struct build_options *options, struct build_defines *defines,
                             kn_error *err)
{
    kn_status status = KN_OK;

    *defines = (struct build_defines){.includes = &options->includes};
    defines->defines = calloc(options->defines.count + 1, sizeof *defines->defines);
    defines->copies = calloc(options->defines.count + 1, sizeof *defines->copies);
    if (!defines->defines || !defines->copies)
        status = ki_fail_memory(err, 0, "reading the options");
    for (size_t i = 0; i < options->defines.count && !status; i++)
        status = read_define(options->defines.items[i], defines, err);
    return status;
}

void build_defines_free(struct build_defines *defines)
{
    for (size_t i = 0; i < defines->count; i++)
        free(defines->copies[i]);
    free(defines->copies);
    free(defines->defines);
}

kn_program_options build_program_options(const struct build_defines *defines, int policy)
{
    return KN_INIT(kn_program_options, .defines = defines->defines, .define_count = defines->count,
                   .include_dirs = defines->includes->items, .include_dir_count = defines->includes->count,
                   .policy = (kn_policy)policy);
}

kn_source_options build_source_options(const struct build_defines *defines)
{
    return KN_INIT(kn_source_options, .defines = defines->defines, .define_count = defines->count,
                   .include_dirs = defines->includes->items, .include_dir_count = defines->includes->count);
}

static bool is_input(const char *path)
{
    return strcmp(path, "-") == 0;
}

const char *build_input_name(const char *path)
{
    return is_input(path) ? "<stdin>" : path;
}

kn_status build_input_read(const char *path, char **text, kn_error *err)
{
    struct ki_text all = KI_TEXT_INIT;
    char piece[4096];
    size_t count;

    *text = NULL;
    if (!is_input(path))
        return KN_OK;
    errno = 0;
    while ((count = fread(piece, 1, sizeof piece, stdin)) > 0 && !all.failed)
        ki_text_add_bytes(&all, piece, count);
    if (ferror(stdin)) {
        ki_text_free(&all);
        return ki_fail_errno(err, KN_ERROR_INPUT, "standard input", errno, "cannot be read");
    }
    if (all.length && memchr(all.data, '\0', all.length)) {
        ki_text_free(&all);
        return ki_fail_at(err, KN_ERROR_INPUT, "standard input", 0, "has a NUL byte; a kernel file is text");
    }
    ki_text_add(&all, "");
    *text = ki_text_take(&all);
    return *text ? KN_OK : ki_fail_memory(err, 0, "reading a kernel file");
}
