// SPDX-License-Identifier: Apache-2.0
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/framework/report.h"
#include "compare_files.h"

// Fewer repetitions do not show how much a time varies.
enum { REPETITIONS = 3 };

static const json_t *device_named(const json_t *root, const char *spec)
{
    const json_t *device;
    size_t i;

    json_array_foreach(json_object_get(root, "devices"), i,
                       device) if (strcmp(shown_text(device, "spec"), spec) == 0) return device;
    return NULL;
}

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
    return strcmp(shown_text(a, key), shown_text(b, key)) == 0;
}

static const json_t *row_like(const json_t *baseline, const json_t *root, const json_t *row)
{
    const char *spec = shown_text(row, "device");
    const json_t *before, *device = device_named(baseline, spec);
    size_t i;

    if (!device || !same_text(device, device_named(root, spec), "name"))
        return NULL;
    json_array_foreach(json_object_get(baseline, "results"), i,
                       before) if (same_text(before, row, "job") && same_text(before, row, "case") &&
                                   same_text(before, row, "device") &&
                                   shown_number(before, "n") == shown_number(row, "n") &&
                                   strcmp(shown_text(before, "verdict"), "right") == 0) return before;
    return NULL;
}

// The times of both rows by the same clock: the device's, or the wall's if one of the rows has no device
// time.
static bool times_of_both(const json_t *now, const json_t *before, struct shown_times times[2])
{
    static const char *const clocks[] = {"device_seconds", "wall_seconds"};

    for (size_t i = 0; i < 2; i++) {
        const json_t *rows[] = {json_object_get(now, clocks[i]), json_object_get(before, clocks[i])};

        for (size_t j = 0; j < 2; j++)
            times[j] = (struct shown_times){shown_number(rows[j], "median"), shown_number(rows[j], "least"),
                                            shown_number(rows[j], "most")};
        if (times[0].median > 0 && times[1].median > 0)
            return true;
    }
    return false;
}

// A change counts only if it exceeds the variation: all repetitions of one run are slower than all of the
// other.
static const char *change_of(const struct shown_times *now, const struct shown_times *before)
{
    return now->least > before->most ? "slower" : now->most < before->least ? "faster" : "same";
}

struct counts {
    size_t compared, slower, faster;
};

static void say(const json_t *row, const char *change, const struct shown_times times[2])
{
    printf("%s than the baseline: %s %s %.0f, %s: %.4g ms (%.3g to %.3g), was %.4g (%.3g to %.3g)\n", change,
           shown_text(row, "job"), shown_text(row, "case"), shown_number(row, "n"), shown_text(row, "device"),
           1e3 * times[0].median, 1e3 * times[0].least, 1e3 * times[0].most, 1e3 * times[1].median,
           1e3 * times[1].least, 1e3 * times[1].most);
}

static json_t *compare_row(const json_t *root, const json_t *row, const json_t *baseline,
                           struct counts *counts, bool aloud)
{
    const json_t *before = row_like(baseline, root, row);
    struct shown_times times[2];
    const char *change;
    json_t *object;

    if (!before || strcmp(shown_text(row, "verdict"), "right") != 0 ||
        !(shown_number(row, "repetitions") >= REPETITIONS) ||
        !(shown_number(before, "repetitions") >= REPETITIONS) || !times_of_both(row, before, times))
        return json_null();
    change = change_of(&times[0], &times[1]);
    counts->compared++;
    counts->slower += strcmp(change, "slower") == 0;
    counts->faster += strcmp(change, "faster") == 0;
    if (aloud && strcmp(change, "slower") == 0)
        say(row, change, times);
    object = json_object();
    report_put(&object, "median", ki_json_double(times[1].median));
    report_put(&object, "least", ki_json_double(times[1].least));
    report_put(&object, "most", ki_json_double(times[1].most));
    report_put(&object, "ratio", ki_json_double(times[0].median / times[1].median));
    report_put(&object, "change", json_string(change));
    return object;
}

bool compare_with_baseline(const struct compare_arguments *arguments, json_t *root, const json_t *baseline)
{
    bool aloud = report_shows_text(&arguments->common), complete = true;
    struct counts counts = {0, 0, 0};
    json_t *row;
    size_t i;

    if (aloud)
        putchar('\n');
    json_array_foreach(json_object_get(root, "results"), i, row) complete =
        json_object_set_new(row, "baseline", compare_row(root, row, baseline, &counts, aloud)) == 0 &&
        complete;
    if (aloud)
        printf("%zu of %zu results could be held against the baseline: %zu slower, %zu faster\n",
               counts.compared, json_array_size(json_object_get(root, "results")), counts.slower,
               counts.faster);
    return complete;
}
