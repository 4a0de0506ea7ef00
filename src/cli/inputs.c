// SPDX-License-Identifier: Apache-2.0
#include "inputs.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/text.h"

static kn_status add_path(struct inputs *inputs, const char *folder, const char *name, kn_error *err)
{
    struct ki_text path = KI_TEXT_INIT;
    char *taken;

    if (folder)
        ki_text_format(&path, "%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/");
    ki_text_add(&path, name);
    taken = ki_text_take(&path);
    if (taken && KI_ARRAY_PUSH(inputs->paths, inputs->count, inputs->capacity, taken))
        return KN_OK;
    free(taken);
    return ki_fail_memory(err, 0, "listing the input files");
}

static bool ends_in(const char *name, const char *const *endings)
{
    size_t length = strlen(name);

    for (; *endings; endings++) {
        size_t tail = strlen(*endings);

        if (length > tail && *name != '.' && strcmp(name + length - tail, *endings) == 0)
            return true;
    }
    return false;
}

static kn_status fail_empty(const char *folder, const char *const *endings, kn_error *err)
{
    struct ki_text list = KI_TEXT_INIT;

    for (size_t i = 0; endings[i]; i++)
        ki_text_format(&list, "%s%s", !i ? "" : endings[i + 1] ? ", " : " or ", endings[i]);
    ki_fail_at(err, KN_ERROR_INPUT, folder, 0, "no file in this folder ends in %s", ki_text_string(&list));
    ki_text_free(&list);
    return KN_ERROR_INPUT;
}

static int compare_paths(const void *a, const void *b)
{
    char *const *left = a, *const *right = b;

    return strcmp(*left, *right);
}

static kn_status add_folder(struct inputs *inputs, const char *folder, const char *const *endings,
                            kn_error *err)
{
    DIR *dir = opendir(folder);
    size_t before = inputs->count;
    const struct dirent *entry;
    kn_status status = KN_OK;

    if (!dir)
        return ki_fail_errno(err, KN_ERROR_INPUT, folder, errno, "the folder cannot be read");
    while (!status && (entry = readdir(dir)))
        if (ends_in(entry->d_name, endings))
            status = add_path(inputs, folder, entry->d_name, err);
    closedir(dir);
    if (status)
        return status;
    if (inputs->count == before)
        return fail_empty(folder, endings, err);
    qsort(inputs->paths + before, inputs->count - before, sizeof *inputs->paths, compare_paths);
    return KN_OK;
}

static bool has_standard_input(const struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        if (strcmp(inputs->paths[i], "-") == 0)
            return true;
    return false;
}

kn_status inputs_add(struct inputs *inputs, const struct string_list *items, const char *const *endings,
                     kn_error *err)
{
    kn_status status = KN_OK;
    struct stat info;

    for (size_t i = 0; i < items->count && !status; i++) {
        const char *item = items->items[i];

        if (!*item)
            status = ki_fail(err, KN_ERROR_ARGUMENT, "the name of an input is empty; - is standard input");
        else if (strcmp(item, "-") == 0 && has_standard_input(inputs))
            status = ki_fail(err, KN_ERROR_ARGUMENT,
                             "standard input (-) is named twice, but can be read only once");
        else if (strcmp(item, "-") != 0 && stat(item, &info) == 0 && S_ISDIR(info.st_mode))
            status = add_folder(inputs, item, endings, err);
        else
            status = add_path(inputs, NULL, item, err);
    }
    return status;
}

void inputs_free(struct inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        free(inputs->paths[i]);
    free(inputs->paths);
}

double inputs_bytes(const struct inputs *inputs)
{
    double bytes = 0;
    struct stat info;

    for (size_t i = 0; i < inputs->count; i++)
        if (stat(inputs->paths[i], &info) == 0 && S_ISREG(info.st_mode))
            bytes += (double)info.st_size;
    return bytes;
}
