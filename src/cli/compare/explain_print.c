// SPDX-License-Identifier: Apache-2.0
// The output of koine compare --explain, and its JSON (doc/compare.schema.json).
#include <stdio.h>

#include "compare_explain.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

// ---- for people ----

static void add_known(struct table *table, long value)
{
    if (value >= 0)
        table_add(table, "%ld", value);
    else
        table_add(table, "-");
}

static void add_share(struct table *table, double share)
{
    if (share > 0)
        table_add(table, "%.0f %%", 100 * share);
    else
        table_add(table, "-");
}

static long registers_of(const struct explain_row *row)
{
    return row->resources.registers >= 0 ? row->resources.registers : row->report.registers;
}

static void add_row(struct table *table, const struct explain_row *row)
{
    table_add(table, "%s", row->label);
    if (*row->why) {
        for (size_t i = 0; i < 11; i++)
            table_add(table, "-");
        return;
    }
    table_add(table, "%.4g", 1e3 * row->seconds);
    table_add(table, "%zu", row->launches);
    add_share(table, row->run_seconds > 0 ? row->seconds / row->run_seconds : 0);
    add_share(table, row->share);
    add_known(table, row->group ? (long)row->group : -1);
    add_known(table, (long)row->most_group);
    add_known(table, registers_of(row));
    add_known(table, row->report.spill_bytes);
    add_known(table, row->resources.private_bytes);
    add_known(table, row->resources.local_bytes);
    if (row->has_occupancy)
        table_add(table, "%u (%u of %u)", row->occupancy.groups, row->occupancy.warps, row->occupancy.most);
    else
        table_add(table, "-");
}

static bool print_rows(const struct explain_session *session)
{
    static const char *const titles[] = {
        "path",      "kernel ms", "launches",  "of the work", "of the limit",           "group", "at most",
        "registers", "spilled B", "private B", "local B",     "groups at once (warps)", NULL};
    struct table table;

    table_begin(&table, "lrrrrrrrrrrr");
    table_add_all(&table, titles);
    for (size_t i = 0; i < session->row_count; i++)
        add_row(&table, &session->rows[i]);
    putchar('\n');
    return table_finish(&table);
}

static bool print_mixes(const struct explain_session *session)
{
    const struct explain_row *with[4];
    size_t count = 0;
    struct table table;

    for (size_t i = 0; i < session->row_count && count < sizeof with / sizeof *with; i++)
        if (session->rows[i].has_mix)
            with[count++] = &session->rows[i];
    if (!count)
        return true;
    table_begin(&table, (const char *const[]){"lr", "lrr", "lrrr", "lrrrr"}[count - 1]);
    table_add(&table, "instructions in the PTX");
    for (size_t i = 0; i < count; i++)
        table_add(&table, "%s", with[i]->label);
    for (size_t c = 0; c < PTX_CLASSES; c++) {
        size_t all = 0;

        for (size_t i = 0; i < count; i++)
            all += with[i]->mix.counts[c];
        if (!all)
            continue;
        table_add(&table, "%s", ptx_class_names[c]);
        for (size_t i = 0; i < count; i++)
            table_add(&table, "%zu", with[i]->mix.counts[c]);
    }
    table_add(&table, "in all");
    for (size_t i = 0; i < count; i++)
        table_add(&table, "%zu", with[i]->mix.total);
    putchar('\n');
    return table_finish(&table);
}

bool explain_print(const struct explain_session *session)
{
    if (session->is_file)
        printf("%s of %s\n", session->kernel, session->arguments->explain);
    else
        printf("%s in the job %s %s, %zu %s\n", session->kernel, session->found.job->name,
               session->found.which->name, session->found.n, session->found.job->size);
    for (size_t i = 0; i < session->row_count; i++)
        if (!session->rows[i].is_loaded)
            printf("%s: %s (%s, driver %s)\n", session->devices[i].spec, session->devices[i].name,
                   session->devices[i].version, session->devices[i].driver);
    if (!print_rows(session) || !print_mixes(session))
        return false;
    printf("\n%s", ki_text_string(&session->words));
    for (size_t i = 0; i < session->row_count; i++)
        if (session->files[i])
            printf("wrote %s\n", session->files[i]);
    return !session->words.failed;
}

// ---- JSON ----

static json_t *known(long value)
{
    return value >= 0 ? json_integer(value) : json_null();
}

static json_t *positive(double value)
{
    return value > 0 ? ki_json_double(value) : json_null();
}

static json_t *mix_json(const struct explain_row *row)
{
    json_t *object;

    if (!row->has_mix)
        return json_null();
    object = json_object();
    for (size_t c = 0; c < PTX_CLASSES; c++)
        report_put(&object, ptx_class_names[c], json_integer((json_int_t)row->mix.counts[c]));
    return object;
}

static json_t *row_json(const struct explain_row *row, const char *file)
{
    json_t *object = json_object();
    bool is_run = !*row->why;

    report_put(&object, "device", ki_json_string(row->device->spec));
    report_put(&object, "loaded_ptx", json_boolean(row->is_loaded));
    report_put(&object, "why", report_text(row->why));
    report_put(&object, "right", json_boolean(is_run && !row->is_wrong));
    report_put(&object, "programs", json_integer((json_int_t)row->programs));
    report_put(&object, "launches", json_integer((json_int_t)row->launches));
    report_put(&object, "kernel_seconds", positive(row->seconds));
    report_put(&object, "work_seconds", positive(row->run_seconds));
    report_put(&object, "ceiling_share", positive(row->share));
    report_put(&object, "group", known(row->group ? (long)row->group : -1));
    report_put(&object, "group_at_most", known(is_run ? (long)row->most_group : -1));
    report_put(&object, "registers", known(is_run ? registers_of(row) : -1));
    report_put(&object, "spill_bytes", known(is_run ? row->report.spill_bytes : -1));
    report_put(&object, "private_bytes", known(is_run ? row->resources.private_bytes : -1));
    report_put(&object, "local_bytes", known(is_run ? row->resources.local_bytes : -1));
    report_put(&object, "groups_at_once", known(row->has_occupancy ? (long)row->occupancy.groups : -1));
    report_put(&object, "warps_at_once", known(row->has_occupancy ? (long)row->occupancy.warps : -1));
    report_put(&object, "instructions", mix_json(row));
    report_put(&object, "no_ptx", report_text(row->no_ptx));
    report_put(&object, "file", file ? ki_json_string(file) : json_null());
    return object;
}

static json_t *words_json(const char *words)
{
    json_t *array = json_array();

    while (*words) {
        size_t length = strcspn(words, "\n");
        struct ki_text line = KI_TEXT_INIT;

        ki_text_add_bytes(&line, words, length);
        report_append(&array, ki_json_string(ki_text_string(&line)));
        ki_text_free(&line);
        words += length + (words[length] == '\n');
    }
    return array;
}

kn_status explain_write_json(const struct explain_session *session, kn_error *err)
{
    const struct ki_json_seconds seconds = {session->total, -1, session->build, -1, -1, -1};
    json_t *root =
        report_begin("compare", session->rows[0].device, NULL, policy_names[KN_POLICY_DEFAULT], &seconds);
    json_t *object = json_object(), *paths = json_array(), *devices = json_array();
    const struct explain_found *found = &session->found;

    for (size_t i = 0; i < session->row_count; i++)
        report_append(&paths, row_json(&session->rows[i], session->files[i]));
    for (size_t i = 0; i < session->row_count; i++)
        if (!session->rows[i].is_loaded)
            report_append(&devices, compare_device_json(&session->devices[i]));
    report_put(&object, "kernel", ki_json_string(session->kernel));
    report_put(&object, "file", session->is_file ? ki_json_string(session->arguments->explain) : json_null());
    report_put(&object, "job", found->job ? json_string(found->job->name) : json_null());
    report_put(&object, "case", found->job ? json_string(found->which->name) : json_null());
    report_put(&object, "n", found->job ? json_integer((json_int_t)found->n) : json_null());
    report_put(&object, "paths", paths);
    report_put(&object, "words", words_json(ki_text_string(&session->words)));
    report_put(&root, "quick", json_true());
    report_put(&root, "devices", devices);
    report_put(&root, "results", json_array());
    report_put(&root, "explain", object);
    return report_write(root, &session->arguments->common, err);
}
