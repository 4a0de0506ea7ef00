// SPDX-License-Identifier: Apache-2.0
// koine cache: the compiled kernels kept on disk.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/error.h"
#include "engine/cache/cache.h"
#include "cli/commands.h"
#include "cli/framework/nearest.h"
#include "cli/framework/progress.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

static const char *const actions[] = {"list", "verify", "clear"};
enum action { ACTION_LIST, ACTION_VERIFY, ACTION_CLEAR };

// What was found, and what was done.
struct finding {
    char dir[PATH_MAX];
    kn_error distrust; // why nothing there is used; KN_OK: it is
    struct cache_entry *entries;
    size_t count;
    size_t damaged;
    size_t removed;
    double seconds;
};

static kn_status read_action(const struct common_arguments *common, enum action *action, kn_error *err)
{
    const char *word = common->operands.count ? common->operands.items[0] : "";
    struct nearest nearest = {word, NULL, 0};

    for (size_t i = 0; i < KI_COUNT(actions); i++) {
        nearest_offer(&nearest, actions[i]);
        if (strcmp(actions[i], word) != 0)
            continue;
        *action = (enum action)i;
        return options_at_most(common, 1, err);
    }
    if (!*word)
        return ki_fail(err, KN_ERROR_ARGUMENT, "expected list, verify or clear; try 'koine cache --help'");
    return ki_fail(
        err, KN_ERROR_ARGUMENT, "'%s' is not list, verify or clear%s%s%s; try 'koine cache --help'", word,
        nearest.best ? ", did you mean '" : "", nearest.best ? nearest.best : "", nearest.best ? "'?" : "");
}

static void format_time(int64_t seconds, char text[32])
{
    time_t time = (time_t)seconds;
    struct tm utc;

    if (!gmtime_r(&time, &utc) || !strftime(text, 32, "%Y-%m-%d %H:%M", &utc))
        snprintf(text, 32, "?");
}

static bool print_list(const struct finding *finding)
{
    struct table table;
    bool printed;

    table_begin(&table, "lllrll");
    for (const char *const *title =
             (const char *const[]){"file", "program", "device", "bytes", "used (UTC)", "", NULL};
         *title; title++)
        table_add(&table, "%s", *title);
    for (size_t i = 0; i < finding->count; i++) {
        const struct cache_entry *entry = &finding->entries[i];
        char used[32];

        format_time(entry->used, used);
        table_add(&table, "%s", entry->file);
        table_add(&table, "%s", entry->program);
        table_add(&table, "%s", entry->device);
        table_add(&table, "%" PRIu64, entry->bytes);
        table_add(&table, "%s", used);
        table_add(&table, "%s", entry->valid ? "" : entry->why);
    }
    printed = table_print(&table, stdout);
    table_free(&table);
    return printed;
}

static bool print_text(const struct finding *finding, enum action action)
{
    if (action == ACTION_CLEAR)
        return printf("%s: %zu removed\n", finding->dir, finding->removed) >= 0;
    if (finding->count == 0)
        return printf("%s: empty\n", finding->dir) >= 0;
    if (action == ACTION_LIST)
        return print_list(finding);
    for (size_t i = 0; i < finding->count; i++)
        if (!finding->entries[i].valid)
            printf("%s/%s: %s\n", finding->dir, finding->entries[i].file, finding->entries[i].why);
    if (finding->damaged)
        return printf("%zu of %zu are damaged; they are compiled anew when they are needed\n",
                      finding->damaged, finding->count) >= 0;
    return printf("%s: %zu entries, no damage\n", finding->dir, finding->count) >= 0;
}

static json_t *entry_json(const struct cache_entry *entry)
{
    json_t *object = json_object();

    report_put(&object, "file", ki_json_string(entry->file));
    report_put(&object, "program", ki_json_string(entry->program));
    report_put(&object, "device", ki_json_string(entry->device));
    report_put(&object, "version", ki_json_string(entry->version));
    report_put(&object, "bytes", json_integer((json_int_t)entry->bytes));
    report_put(&object, "used", json_integer(entry->used));
    report_put(&object, "valid", json_boolean(entry->valid));
    report_put(&object, "why", report_text(entry->why));
    return object;
}

static kn_status write_json(const struct finding *finding, enum action action,
                            const struct common_arguments *common, kn_error *err)
{
    const struct ki_json_seconds times = {finding->seconds, -1, -1, -1, -1, -1};
    json_t *root = report_begin("cache", NULL, NULL, NULL, &times), *array = json_array();

    for (size_t i = 0; i < finding->count; i++)
        report_append(&array, entry_json(&finding->entries[i]));
    report_put(&root, "action", json_string(actions[action]));
    report_put(&root, "directory", ki_json_string(finding->dir));
    report_put(&root, "distrust",
               finding->distrust.code ? ki_json_string(finding->distrust.text) : json_null());
    report_put(&root, "removed", json_integer((json_int_t)finding->removed));
    report_put(&root, "entries", array);
    return report_write(root, common, err);
}

static kn_status run(void *arguments, kn_error *err)
{
    struct common_arguments *common = arguments;
    struct finding finding = {.distrust = KN_ERROR_INIT};
    double start = ki_clock_seconds();
    enum action action = ACTION_LIST;
    kn_status status = read_action(common, &action, err);

    if (!status)
        status = report_try(common, err);
    if (!status)
        status = ki_cache_default_dir(finding.dir, sizeof finding.dir, err);
    if (!status && ki_cache_trusted(finding.dir, &finding.distrust))
        fprintf(stderr, "%s: nothing there is used: %s\n", common->command, finding.distrust.text);
    if (!status && action == ACTION_CLEAR)
        status = ki_cache_clear(finding.dir, &finding.removed, err);
    else if (!status)
        status = ki_cache_list(finding.dir, &finding.entries, &finding.count, err);
    for (size_t i = 0; i < finding.count; i++)
        finding.damaged += !finding.entries[i].valid;
    finding.seconds = ki_clock_seconds() - start;
    if (!status && common->json)
        status = write_json(&finding, action, common, err);
    if (!status && report_shows_text(common) && !print_text(&finding, action) && !ferror(stdout))
        status = ki_fail_memory(err, 0, "printing the list");
    common->check_failed = action == ACTION_VERIFY && (finding.damaged > 0 || finding.distrust.code);
    free(finding.entries);
    return status;
}

const struct command command_cache = {
    .name = "cache",
    .summary = "Lists, verifies or clears the compiled kernels kept on disk",
    .operands = "list|verify|clear",
    .description =
        "A kernel is compiled once for each device, driver and version of Koine, and kept in a folder: "
        "KOINE_CACHE_DIR, else $XDG_CACHE_HOME/koine, else ~/.cache/koine.\n\n"
        "list shows what is there. verify reads every entry and names those that are damaged; the exit "
        "status is "
        "then 1. They do no harm: a damaged entry is dropped and its kernel compiled anew. clear removes all "
        "entries.\n\n"
        "What is kept is loaded and run, so it is used only where nobody else could have put it: the folder, "
        "those above it and the file belong to the user or to root, and others cannot write them. Folders "
        "above may be sticky, as /tmp is; a group is nobody else if it has the user's name and no other "
        "members. Otherwise kernels are compiled for each run and not kept, a warning says why, and the exit "
        "status of verify is 1.",
    .common = COMMON_JSON | COMMON_FORCE,
    .options = NULL,
    .examples = {{"koine cache list",
                  "a line for each compiled program: its kernels' file, its device, its size"},
                 {"koine cache clear", "the next run compiles everything anew"}},
    .arguments_size = sizeof(struct common_arguments),
    .run = run,
};
