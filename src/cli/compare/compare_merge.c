// SPDX-License-Identifier: Apache-2.0
#include <config.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/os/output.h"
#include "base/text/text.h"
#include "cli/framework/interrupt.h"
#include "cli/framework/report.h"
#include "compare_files.h"
#include "compare_page.h"

// ---- one report ----

static bool has_texts(const json_t *object, const char *const *keys)
{
    for (; *keys; keys++)
        if (!*shown_text(object, *keys))
            return false;
    return true;
}

static bool all_have(const json_t *array, const char *const *keys)
{
    const json_t *element;
    size_t i;

    json_array_foreach(array, i, element) if (!has_texts(element, keys)) return false;
    return json_array_size(array) > 0;
}

// Says what is wrong with a report; NULL: nothing.
static const char *fault_of(const json_t *root)
{
    static const char *const device_keys[] = {"spec", "name", NULL}, *const row_keys[] = {"job", "case",
                                                                                          "device", "verdict",
                                                                                          NULL};

    if (strcmp(shown_text(root, "command"), "compare") != 0 || !*shown_text(root, "koine"))
        return "it is not a report of koine compare, which has \"koine\" and \"command\": \"compare\"";
    if (json_is_object(json_object_get(root, "explain")))
        return "it was made with --explain and has no results";
    if (!all_have(json_object_get(root, "devices"), device_keys))
        return "\"devices\" is not a list of devices with \"spec\" and \"name\"";
    if (!all_have(json_object_get(root, "results"), row_keys))
        return "\"results\" is not a list of rows with \"job\", \"case\", \"device\" and \"verdict\"";
    return NULL;
}

kn_status compare_read_report(const char *file, json_t **root, kn_error *err)
{
    json_error_t where;
    const char *fault;

    *root = json_load_file(file, JSON_REJECT_DUPLICATES, &where);
    if (!*root && where.line < 0)
        return ki_fail(err, KN_ERROR_INPUT, "%s: %s", file, where.text);
    if (!*root)
        return ki_fail(err, KN_ERROR_INPUT,
                       "%s:%d:%d: %s; expected report.json, or what --json wrote, of koine compare", file,
                       where.line, where.column, where.text);
    fault = fault_of(*root);
    if (!fault)
        return KN_OK;
    json_decref(*root);
    *root = NULL;
    return ki_fail(err, KN_ERROR_INPUT, "%s: %s", file, fault);
}

// ---- several reports ----

struct merge {
    struct compare_report *reports;
    size_t count, left_out;
};

static bool is_same(const char *a, const char *b)
{
    return *a && strcmp(a, b) == 0;
}

// Computers without a machine-id are told apart by their properties.
static bool same_machine(const json_t *a, const json_t *b)
{
    const json_t *one = json_object_get(a, "machine"), *other = json_object_get(b, "machine");
    const char *id = shown_text(one, "id"), *other_id = shown_text(other, "id");

    if (*id && *other_id)
        return strcmp(id, other_id) == 0;
    return is_same(shown_text(one, "processor"), shown_text(other, "processor")) &&
           is_same(shown_text(one, "system"), shown_text(other, "system")) &&
           json_equal(json_object_get(a, "devices"), json_object_get(b, "devices"));
}

static kn_status take(struct merge *merge, const char *file, kn_error *err)
{
    json_t *root;
    kn_status status = compare_read_report(file, &root, err);

    if (status)
        return status;
    if (strcmp(shown_text(root, "koine"), PACKAGE_VERSION) != 0)
        status = ki_fail(err, KN_ERROR_INPUT,
                         "%s: it is of Koine %s, and this is %s: run koine compare again there", file,
                         shown_text(root, "koine"), PACKAGE_VERSION);
    for (size_t i = 0; i < merge->count && !status; i++)
        if (same_machine(merge->reports[i].root, root))
            status = ki_fail(err, KN_ERROR_INPUT, "%s: it is of the same machine as %s", file,
                             merge->reports[i].file);
    if (status) {
        json_decref(root);
        return status;
    }
    merge->reports[merge->count++] = (struct compare_report){file, root};
    return KN_OK;
}

static void take_all(struct merge *merge, const struct common_arguments *common,
                     const struct string_list *files)
{
    for (size_t i = 0; i < files->count; i++) {
        kn_error why = KN_ERROR_INIT;

        if (!take(merge, files->items[i], &why))
            continue;
        fprintf(stderr, "%s: %s; left out\n", common->command, why.text);
        merge->left_out++;
    }
}

static bool any_wrong(const json_t *root)
{
    const json_t *row;
    size_t i;

    json_array_foreach(json_object_get(root, "results"), i,
                       row) if (strcmp(shown_text(row, "verdict"), "wrong") == 0) return true;
    return false;
}

static kn_status write_page(const struct merge *merge, const struct common_arguments *common,
                            const char *path, kn_error *err)
{
    char *page;
    kn_status status = compare_page(merge->reports, merge->count, &page, err);

    interrupt_hold();
    if (!status)
        status = ki_output_write(path, page, strlen(page), common->force, err);
    interrupt_release();
    free(page);
    if (!status)
        printf("%zu %s on one page: %s\n", merge->count, merge->count == 1 ? "report" : "reports", path);
    return status;
}

static kn_status check_merge(const struct compare_arguments *arguments, kn_error *err)
{
    const struct common_arguments *common = &arguments->common;

    if (arguments->explain || arguments->quick || arguments->repetitions || arguments->baseline ||
        common->json || common->devices.count)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "--merge runs nothing: it takes --output, --force and reports, and no other options");
    if (!common->output)
        return ki_fail(err, KN_ERROR_ARGUMENT, "--merge needs --output DIR, for the page report.html");
    return KN_OK;
}

static kn_status merge_files(struct compare_arguments *arguments, struct merge *merge, const char *path,
                             kn_error *err)
{
    struct common_arguments *common = &arguments->common;
    size_t there = ki_output_folder_there(common->output);
    kn_status status = ki_output_folder(common->output, err);

    if (!status)
        status = report_try_file(path, common->force, err);
    if (status)
        return status;
    take_all(merge, common, &arguments->merge);
    take_all(merge, common, &common->operands);
    if (!merge->count) {
        ki_output_folder_undo(common->output, there);
        return ki_fail(err, KN_ERROR_INPUT, "no report is left, and no page was written");
    }
    status = write_page(merge, common, path, err);
    for (size_t i = 0; i < merge->count; i++)
        common->check_failed = common->check_failed || any_wrong(merge->reports[i].root);
    if (!status && merge->left_out)
        return ki_fail(err, KN_ERROR_INPUT, "%zu of %zu reports left out; the page has the others",
                       merge->left_out, merge->left_out + merge->count);
    return status;
}

kn_status compare_merge(struct compare_arguments *arguments, kn_error *err)
{
    struct common_arguments *common = &arguments->common;
    struct merge merge = {.reports =
                              calloc(arguments->merge.count + common->operands.count, sizeof *merge.reports)};
    struct ki_text path = KI_TEXT_INIT;
    kn_status status = check_merge(arguments, err);

    if (!status) {
        ki_text_format(&path, "%s/report.html", common->output);
        status = merge.reports && !path.failed ? merge_files(arguments, &merge, ki_text_string(&path), err)
                                               : ki_fail_memory(err, 0, "merging the reports");
    }
    for (size_t i = 0; i < merge.count; i++)
        json_decref(merge.reports[i].root);
    free(merge.reports);
    ki_text_free(&path);
    return status;
}
