// SPDX-License-Identifier: Apache-2.0
// koine cache: the compiled kernels kept on disk.
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <koine/experimental/cache.h>

#include "base/array.h"
#include "base/os/clock.h"
#include "base/os/env.h"
#include "base/error.h"
#include "cache_build.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/framework/nearest.h"
#include "cli/framework/progress.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

static const char *const actions[] = {"list", "verify", "clear", "build"};
enum action { ACTION_LIST, ACTION_VERIFY, ACTION_CLEAR, ACTION_BUILD };

// What was found, and what was done.
struct finding {
    char dir[PATH_MAX];
    kn_error distrust;   // why the cache is not used; KN_OK: it is
    kn_cache_list *list; // NULL: nothing was listed
    size_t damaged;
    size_t removed;
    size_t before; // entries, before `built`
    struct cache_build built;
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
        if (*action == ACTION_BUILD)
            return KN_OK;
        if (common->devices.count)
            return ki_fail(err, KN_ERROR_ARGUMENT, "--device is only for build; %s covers all devices", word);
        return options_at_most(common, 1, err);
    }
    if (!*word)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "expected list, verify, clear or build; try 'koine cache --help'");
    return ki_fail(err, KN_ERROR_ARGUMENT,
                   "'%s' is not list, verify, clear or build%s%s%s; try 'koine cache --help'", word,
                   nearest.best ? ", did you mean '" : "", nearest.best ? nearest.best : "",
                   nearest.best ? "'?" : "");
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
    for (size_t i = 0; i < kn_cache_list_get_count(finding->list); i++) {
        const kn_cache_entry *entry = kn_cache_list_get_entry(finding->list, i);
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

static size_t new_programs(const struct finding *finding)
{
    size_t count = kn_cache_list_get_count(finding->list);

    return count > finding->before ? count - finding->before : 0;
}

static bool print_built(const struct finding *finding)
{
    const struct cache_build *built = &finding->built;
    struct table table;

    table_begin(&table, "lrr");
    table_add_all(&table, (const char *const[]){"command", "examples", "seconds", NULL});
    for (size_t i = 0; i < built->count; i++) {
        table_add(&table, "%s", built->rows[i].command);
        table_add(&table, "%zu", built->rows[i].calls);
        table_add(&table, "%.1f", built->rows[i].seconds);
    }
    if (!table_finish(&table))
        return false;
    if (!kn_cache_keeps(&built->place.device))
        return printf("%s (%s): in %.1f s; its driver caches compiled kernels itself\n",
                      built->place.device.name, built->place.device.spec, finding->seconds) >= 0;
    return printf("%s (%s): %zu more programs in %s, in %.1f s\n", built->place.device.name,
                  built->place.device.spec, new_programs(finding), finding->dir, finding->seconds) >= 0;
}

static bool print_text(const struct finding *finding, enum action action)
{
    const size_t count = kn_cache_list_get_count(finding->list);

    if (action == ACTION_BUILD)
        return print_built(finding);
    if (action == ACTION_CLEAR)
        return printf("%s: %zu removed\n", finding->dir, finding->removed) >= 0;
    if (count == 0)
        return printf("%s: empty\n", finding->dir) >= 0;
    if (action == ACTION_LIST)
        return print_list(finding);
    for (size_t i = 0; i < count; i++) {
        const kn_cache_entry *entry = kn_cache_list_get_entry(finding->list, i);

        if (!entry->valid)
            printf("%s/%s: %s\n", finding->dir, entry->file, entry->why);
    }
    if (finding->damaged)
        return printf("%zu of %zu are damaged; they are compiled again when they are needed\n",
                      finding->damaged, count) >= 0;
    return printf("%s: %zu entries, no damage\n", finding->dir, count) >= 0;
}

static json_t *entry_json(const kn_cache_entry *entry)
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

static json_t *built_json(const struct cache_build *built)
{
    json_t *array = json_array();

    for (size_t i = 0; i < built->count; i++) {
        json_t *object = json_object();

        report_put(&object, "command", json_string(built->rows[i].command));
        report_put(&object, "examples", json_integer((json_int_t)built->rows[i].calls));
        report_put(&object, "seconds", ki_json_double(built->rows[i].seconds));
        report_append(&array, object);
    }
    return array;
}

static kn_status write_json(const struct finding *finding, enum action action,
                            const struct common_arguments *common, kn_error *err)
{
    const struct ki_json_seconds times = {finding->seconds, -1, -1, -1, -1, -1};
    json_t *root = report_begin("cache", action == ACTION_BUILD ? &finding->built.place.device : NULL, NULL,
                                NULL, &times),
           *array = json_array();

    for (size_t i = 0; i < kn_cache_list_get_count(finding->list); i++)
        report_append(&array, entry_json(kn_cache_list_get_entry(finding->list, i)));
    report_put(&root, "action", json_string(actions[action]));
    report_put(&root, "directory", ki_json_string(finding->dir));
    report_put(&root, "distrust",
               finding->distrust.code ? ki_json_string(finding->distrust.text) : json_null());
    report_put(&root, "removed", json_integer((json_int_t)finding->removed));
    if (action == ACTION_BUILD) {
        report_put(&root, "built", built_json(&finding->built));
        report_put(&root, "added", json_integer((json_int_t)new_programs(finding)));
    }
    report_put(&root, "entries", array);
    return report_write(root, common, err);
}

// The examples of every command, or of the named ones.
static kn_status build(const struct common_arguments *common, struct finding *finding, kn_error *err)
{
    struct places places = {.count = 0};
    const char *keeps = ki_env_get(KI_ENV_KEEP_PROGRAMS);
    kn_status status = KN_OK;

    if (keeps && strcmp(keeps, "no") == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "KOINE_KEEP_PROGRAMS is no: compiled kernels are not kept");
    if (finding->distrust.code) // the reason was printed
        return ki_fail(err, finding->distrust.code, "%s", finding->distrust.text);
    status = kn_cache_list_create(finding->dir, &finding->list, err);
    finding->before = kn_cache_list_get_count(finding->list);
    kn_cache_list_free(finding->list);
    finding->list = NULL;
    if (!status)
        status = choose_places(&common->devices, &places, err);
    if (!status && places.count > 1)
        status = ki_fail(err, KN_ERROR_ARGUMENT, "kernels are built for one device at a time; name one");
    if (!status)
        status = cache_build(&places, common->operands.items + 1, common->operands.count - 1, common->command,
                             &finding->built, err);
    choose_free(&places);
    return status;
}

static kn_status act(const struct common_arguments *common, enum action action, struct finding *finding,
                     kn_error *err)
{
    kn_status status = kn_cache_get_default_dir(finding->dir, sizeof finding->dir, err);

    if (!status && kn_cache_check_trust(finding->dir, &finding->distrust) && action != ACTION_BUILD)
        fprintf(stderr, "%s: the cache is not used: %s\n", common->command, finding->distrust.text);
    if (!status && action == ACTION_BUILD)
        status = build(common, finding, err);
    if (!status && action == ACTION_CLEAR)
        return kn_cache_clear(finding->dir, &finding->removed, err);
    return status ? status : kn_cache_list_create(finding->dir, &finding->list, err);
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
        status = act(common, action, &finding, err);
    for (size_t i = 0; i < kn_cache_list_get_count(finding.list); i++)
        finding.damaged += !kn_cache_list_get_entry(finding.list, i)->valid;
    finding.seconds = ki_clock_seconds() - start;
    if (!status && common->json)
        status = write_json(&finding, action, common, err);
    if (!status && report_shows_text(common) && !print_text(&finding, action) && !ferror(stdout))
        status = ki_fail_memory(err, 0, "printing the list");
    common->check_failed = action == ACTION_VERIFY && (finding.damaged > 0 || finding.distrust.code);
    kn_cache_list_free(finding.list);
    place_close(&finding.built.place);
    return status;
}

const struct command command_cache = {
    .name = "cache",
    .summary = "Lists, verifies, clears or fills the cache of compiled kernels on disk",
    .operands = "list|verify|clear|build [COMMAND...]",
    .description =
        "A kernel is compiled once for each device, driver and version of Koine, and kept in a folder: "
        "KOINE_CACHE_DIR, otherwise $XDG_CACHE_HOME/koine, otherwise ~/.cache/koine.\n\n"
        "list shows the entries. verify reads every entry and names damaged ones; the exit status is then 1. "
        "They do no harm: a damaged entry is dropped and its kernel compiled again. clear removes all "
        "entries.\n\n"
        "build compiles ahead of time: commands compute small examples on a device, so that their kernels "
        "are in the cache before anyone waits for them. COMMAND is stats, sort, reduce, select, fft, "
        "autocorr, recon, spmv, project or solve; the default is all of them. A command chooses some of its "
        "kernels by the sizes of its data, and compiles those when it meets them.\n\n"
        "Kernels in the cache are loaded and run, so the cache is used only if no other user could have "
        "written to it: the folder, its parents and the file must belong to the user or to root, and not be "
        "writable by others. Parents may be sticky, like /tmp; write permission for a group is accepted if "
        "the group has the user's name and no other members. Otherwise kernels are compiled for each run and "
        "not kept, a warning says why, and the exit status of verify is 1.",
    .common = COMMON_DEVICE | COMMON_JSON | COMMON_FORCE,
    .options = NULL,
    .examples = {{"koine cache list",
                  "one line for each compiled program: its source file, its device, its size"},
                 {"koine cache build stats sort --device cuda:0",
                  "koine stats and koine sort then need not compile on that device"}},
    .arguments_size = sizeof(struct common_arguments),
    .run = run,
};
