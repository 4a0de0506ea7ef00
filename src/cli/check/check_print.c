// SPDX-License-Identifier: Apache-2.0
// The output of koine check: a table of files and targets, a table of kernels, and the JSON.
#include <stdio.h>

#include "cmd_check.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

enum { TARGETS_A_TABLE = TABLE_COLUMNS_MAX - 1 };

static const char *const outcome_names[] = {
    [KN_OFFLINE_OK] = "ok", [KN_OFFLINE_FAILED] = "failed", [KN_OFFLINE_NOT_APPLICABLE] = "n/a"};

// Files in rows, targets in columns: as many of them as a table has room for.
static bool print_outcomes(const struct check_run *run, size_t from)
{
    const size_t left = run->targets.count - from;
    const size_t count = left < TARGETS_A_TABLE ? left : TARGETS_A_TABLE;
    struct table table;
    bool printed;

    table_begin(&table, &"llllllllllll"[TARGETS_A_TABLE - count]);
    table_add(&table, "file");
    for (size_t i = 0; i < count; i++)
        table_add(&table, "%s", run->targets.items[from + i].name);
    for (size_t file = 0; file < run->file_count; file++) {
        const struct check_row *rows = &run->rows[file * run->targets.count + from];

        table_add(&table, "%s", rows[0].file);
        for (size_t i = 0; i < count; i++)
            table_add(&table, "%s", outcome_names[rows[i].outcome]);
    }
    printed = table_print(&table, stdout);
    table_free(&table);
    putchar('\n');
    return printed;
}

static void add_number(struct table *table, long number)
{
    if (number == KN_OFFLINE_UNKNOWN)
        table_add(table, "-");
    else
        table_add(table, "%ld", number);
}

static bool tells(const struct check_kernel *kernel)
{
    return kernel->registers != KN_OFFLINE_UNKNOWN || kernel->local_bytes != KN_OFFLINE_UNKNOWN ||
           kernel->spill_bytes != KN_OFFLINE_UNKNOWN;
}

static bool print_kernels(const struct check_run *run)
{
    struct table table;
    bool printed;

    table_begin(&table, "lllrrrr");
    for (const char *const *title = (const char *const[]){"kernel", "file", "target", "registers",
                                                          "local bytes", "spill bytes", "work-group", NULL};
         *title; title++)
        table_add(&table, "%s", *title);
    for (size_t i = 0; i < run->file_count * run->targets.count; i++) {
        const struct check_row *row = &run->rows[i];

        for (size_t k = 0; k < row->kernel_count; k++) {
            if (!tells(&row->kernels[k]))
                continue;
            table_add(&table, "%s", row->kernels[k].name);
            table_add(&table, "%s", row->file);
            table_add(&table, "%s", row->target->name);
            add_number(&table, row->kernels[k].registers);
            add_number(&table, row->kernels[k].local_bytes);
            add_number(&table, row->kernels[k].spill_bytes);
            add_number(&table, row->kernels[k].work_group);
        }
    }
    printed = table_print(&table, stdout);
    table_free(&table);
    return printed;
}

static void print_targets(const struct check_run *run)
{
    for (size_t i = 0; i < run->targets.count; i++) {
        const struct check_target *target = &run->targets.items[i];

        if (!target->offline)
            printf("%s: %s\n", target->name, target->device.name);
        else if (*kn_offline_get_note(target->offline))
            printf("%s: %s\n", target->name, kn_offline_get_note(target->offline));
    }
}

bool check_print(const struct check_run *run)
{
    for (size_t from = 0; from < run->targets.count; from += TARGETS_A_TABLE)
        if (!print_outcomes(run, from))
            return false;
    if (!print_kernels(run))
        return false;
    putchar('\n');
    print_targets(run);
    return true;
}

// ---- JSON ----

static json_t *number_json(long number)
{
    return number == KN_OFFLINE_UNKNOWN ? json_null() : json_integer(number);
}

static json_t *row_json(const struct check_row *row)
{
    json_t *object = json_object(), *kernels = json_array();

    for (size_t i = 0; i < row->kernel_count; i++) {
        const struct check_kernel *kernel = &row->kernels[i];
        json_t *item = json_object();

        report_put(&item, "name", ki_json_string(kernel->name));
        report_put(&item, "registers", number_json(kernel->registers));
        report_put(&item, "local_bytes", number_json(kernel->local_bytes));
        report_put(&item, "spill_bytes", number_json(kernel->spill_bytes));
        report_put(&item, "work_group", number_json(kernel->work_group));
        report_append(&kernels, item);
    }
    report_put(&object, "file", ki_json_string(row->file));
    report_put(&object, "target", ki_json_string(row->target->name));
    report_put(&object, "ok",
               row->outcome == KN_OFFLINE_NOT_APPLICABLE ? json_null()
                                                         : json_boolean(row->outcome == KN_OFFLINE_OK));
    report_put(&object, "log", ki_json_string(row->log ? row->log : ""));
    report_put(&object, "note",
               report_text(row->target->offline ? kn_offline_get_note(row->target->offline) : ""));
    report_put(&object, "kernels", kernels);
    return object;
}

kn_status check_write_json(const struct check_run *run, kn_error *err)
{
    const struct common_arguments *common = &run->arguments->common;
    const struct ki_json_seconds times = {run->seconds, -1, -1, -1, -1, -1};
    json_t *root = report_begin("check", NULL, NULL, policy_names[common->policy], &times);
    json_t *results = json_array(), *skipped = json_array();

    for (size_t i = 0; i < run->file_count * run->targets.count; i++)
        report_append(&results, row_json(&run->rows[i]));
    for (size_t i = 0; i < run->targets.skipped_count; i++) {
        json_t *item = json_object();

        report_put(&item, "target", ki_json_string(run->targets.skipped[i].name));
        report_put(&item, "why", ki_json_string(run->targets.skipped[i].why));
        report_append(&skipped, item);
    }
    report_put(&root, "results", results);
    report_put(&root, "skipped", skipped);
    return report_write(root, common, err);
}
