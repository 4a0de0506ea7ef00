// SPDX-License-Identifier: Apache-2.0
// The results of koine compare as tables and as JSON (doc/compare.schema.json).
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "base/array.h"
#include "base/hash.h"
#include "cmd_compare.h"
#include "cli/commit.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

static const char *const verdict_names[] = {
    [COMPARE_RIGHT] = "right",
    [COMPARE_WRONG] = "wrong",
    [COMPARE_FAILED] = "failed",
    [COMPARE_LEFT_OUT] = "left out",
};

static bool was_computed(const struct compare_row *row)
{
    return row->verdict == COMPARE_RIGHT || row->verdict == COMPARE_WRONG;
}

// ---- for people ----

void compare_print_places(const struct compare_session *session)
{
    for (size_t i = 0; i < session->place_count; i++) {
        const kn_device_info *device = session->places[i].device;

        if (!session->places[i].queue)
            printf("%s: %s (the host's own code)\n", device->spec, device->name);
        else
            printf("%s: %s (%s, driver %s)%s%s\n", device->spec, device->name, device->version,
                   device->driver, *device->alias_of ? ", the same device as " : "", device->alias_of);
    }
}

static void add_milliseconds(struct table *table, double seconds)
{
    if (seconds > 0)
        table_add(table, "%.4g", 1e3 * seconds);
    else
        table_add(table, "-");
}

static void add_spread(struct table *table, const struct compare_times *times)
{
    if (times->median > 0)
        table_add(table, "%.3g to %.3g", 1e3 * times->least, 1e3 * times->most);
    else
        table_add(table, "-");
}

static void add_number(struct table *table, double value, const char *format, bool known)
{
    char text[32];

    snprintf(text, sizeof text, format, value);
    table_add(table, "%s", known ? text : "-");
}

static void add_verdict(struct table *table, const struct compare_row *row)
{
    if (row->verdict == COMPARE_WRONG)
        table_add(table, "WRONG");
    else if (row->verdict == COMPARE_RIGHT && row->error > 0)
        table_add(table, "right, %.1e", row->error);
    else
        table_add(table, "%s", verdict_names[row->verdict]);
}

static void add_row(struct table *table, const struct compare_session *session, const struct compare_row *row,
                    bool repeats)
{
    const struct compare_times *times = row->device.median > 0 ? &row->device : &row->wall;

    table_add(table, "%s", repeats ? "" : row->which->name);
    if (repeats)
        table_add(table, "%s", "");
    else
        table_add(table, "%zu", row->n);
    table_add(table, "%s", session->places[row->place].device->spec);
    add_milliseconds(table, row->device.median);
    add_spread(table, times);
    add_milliseconds(table, row->wall.median);
    add_number(table, row->rate, "%.4g", row->rate > 0);
    add_number(table, 100 * row->share, "%.0f %%", row->share > 0);
    add_number(table, row->ratio, "%.3g", row->ratio > 0);
    add_verdict(table, row);
}

// Prints remarks that do not fit into the cells of a table.
static void print_remarks(const struct compare_session *session, const struct compare_job *job, size_t first)
{
    for (size_t i = first; i < session->run.row_count; i++) {
        const struct compare_row *row = &session->run.rows[i];

        if (row->place == 0 && row->n < row->asked)
            printf("%s %s: %zu %s instead of %zu, which do not fit in the memory of a device\n", job->name,
                   row->which->name, row->n, job->size, row->asked);
        if (*row->why)
            printf("%s %s %zu, %s: %s\n", job->name, row->which->name, row->n,
                   session->places[row->place].device->spec, row->why);
    }
}

bool compare_print(const struct compare_session *session, const struct compare_job *job, size_t first)
{
    const char *const titles[] = {job->name,       job->size, "device",  "device ms",
                                  "least to most", "wall ms", job->unit, job->ceiling ? "of ceiling" : "",
                                  "ratio",         "answer"};
    const struct compare_row *before = NULL;
    struct table table;
    bool printed;

    table_begin(&table, "lrlrrrrrrl");
    for (size_t i = 0; i < KI_COUNT(titles); i++)
        table_add(&table, "%s", titles[i]);
    for (size_t i = first; i < session->run.row_count; i++) {
        const struct compare_row *row = &session->run.rows[i];

        add_row(&table, session, row, before && before->which == row->which && before->n == row->n);
        before = row;
    }
    putchar('\n');
    printed = table_print(&table, stdout);
    table_free(&table);
    print_remarks(session, job, first);
    fflush(stdout);
    return printed;
}

// ---- JSON ----

static json_t *times_json(const struct compare_times *times)
{
    json_t *object;

    if (!(times->median > 0))
        return json_null();
    object = json_object();
    report_put(&object, "median", ki_json_double(times->median));
    report_put(&object, "least", ki_json_double(times->least));
    report_put(&object, "most", ki_json_double(times->most));
    return object;
}

static json_t *number_or_null(double value, bool known)
{
    return known ? ki_json_double(value) : json_null();
}

static json_t *row_json(const struct compare_session *session, const struct compare_row *row)
{
    json_t *object = json_object();
    bool computed = was_computed(row);
    struct compare_cost cost;

    row->job->cost(row->which, row->n, &cost);

    report_put(&object, "job", json_string(row->job->name));
    report_put(&object, "case", json_string(row->which->name));
    report_put(&object, "type", json_string(kn_type_name(row->which->type)));
    report_put(&object, "data", row->which == &row->job->real ? json_string(row->job->data) : json_null());
    report_put(&object, "n", json_integer((json_int_t)row->n));
    report_put(&object, "n_asked", json_integer((json_int_t)row->asked));
    report_put(&object, "counts", json_string(row->job->size));
    report_put(&object, "device", ki_json_string(session->places[row->place].device->spec));
    report_put(&object, "verdict", json_string(verdict_names[row->verdict]));
    report_put(&object, "why", report_text(row->why));
    report_put(&object, "repetitions", json_integer((json_int_t)row->repetitions));
    report_put(&object, "device_seconds", times_json(&row->device));
    report_put(&object, "wall_seconds", times_json(&row->wall));
    report_put(&object, "rate", number_or_null(row->rate, row->rate > 0));
    report_put(&object, "unit", json_string(row->job->unit));
    report_put(&object, "ceiling_share", number_or_null(row->share, row->share > 0));
    report_put(&object, "ratio", number_or_null(row->ratio, row->ratio > 0));
    report_put(&object, "error", number_or_null(row->error, computed));
    report_put(&object, "bound", number_or_null(row->bound, computed));
    report_put(&object, "error_is", json_string(row->job->error_is));
    report_put(&object, "flops", number_or_null(cost.flops, cost.flops > 0));
    report_put(&object, "bytes", number_or_null(cost.bytes, cost.bytes > 0));
    return object;
}

json_t *compare_device_json(const kn_device_info *device)
{
    json_t *object = json_object();

    report_put(&object, "spec", ki_json_string(device->spec));
    report_put(&object, "name", ki_json_string(device->name));
    report_put(&object, "backend", ki_json_string(device->backend));
    report_put(&object, "version", report_text(device->version));
    report_put(&object, "driver", report_text(device->driver));
    report_put(&object, "compiler", report_text(device->language));
    report_put(&object, "alias_of", report_text(device->alias_of));
    return object;
}

// Identifies the computer by a hash of its machine-id, which itself is not published (machine-id(5)), so that
// two reports from one computer can be told from those of two.
static json_t *machine_id(void)
{
    char id[64] = "", hex[2 * KI_HASH_BYTES + 1];
    FILE *file = fopen("/etc/machine-id", "r");
    struct ki_field fields[] = {{"koine compare", strlen("koine compare")}, {id, 0}};
    struct ki_hash hash;

    if (file && fgets(id, sizeof id, file))
        fields[1].bytes = strcspn(id, "\n");
    if (file)
        fclose(file);
    if (!fields[1].bytes)
        return json_null();
    hash = ki_hash_fields(fields, KI_COUNT(fields));
    ki_hash_hex(&hash, hex);
    return json_stringn(hex, 16);
}

static json_t *machine_json(void)
{
    json_t *object = json_object();
    struct utsname system;
    struct place host;
    char text[256] = "";

    place_host(&host);
    if (uname(&system) == 0)
        snprintf(text, sizeof text, "%.80s %.80s %.80s", system.sysname, system.release, system.machine);
    report_put(&object, "processor", ki_json_string(host.device.name));
    report_put(&object, "memory", json_integer((json_int_t)host.device.global_memory));
    report_put(&object, "system", report_text(text));
    report_put(&object, "id", machine_id());
    return object;
}

static json_t *date_json(void)
{
    time_t now = time(NULL);
    struct tm date;
    char text[32];

    if (now == (time_t)-1 || !gmtime_r(&now, &date))
        return json_null();
    strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &date);
    return json_string(text);
}

json_t *compare_json(const struct compare_session *session)
{
    const struct ki_json_seconds seconds = {session->total, -1, session->build, -1, -1, -1};
    json_t *root =
        report_begin("compare", session->places[0].device, NULL, policy_names[KN_POLICY_DEFAULT], &seconds);
    json_t *devices = json_array(), *rows = json_array();

    for (size_t i = 0; i < session->place_count; i++)
        report_append(&devices, compare_device_json(session->places[i].device));
    for (size_t i = 0; i < session->run.row_count; i++)
        report_append(&rows, row_json(session, &session->run.rows[i]));
    report_put(&root, "commit", report_text(cli_commit));
    report_put(&root, "date", date_json());
    report_put(&root, "machine", machine_json());
    report_put(&root, "quick", json_boolean(session->arguments->quick));
    report_put(&root, "devices", devices);
    report_put(&root, "results", rows);
    return root;
}
