// SPDX-License-Identifier: Apache-2.0
// koine autocorr --variants: the source's figures 6, 7 and 9 as tables.
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"
#include "cmd_autocorr.h"
#include "cli/framework/report.h"
#include "cli/framework/table.h"

static bool step(void *data, double done)
{
    progress_step(data, done);
    return true;
}

kn_status autocorr_run_variants(struct autocorr_run *run, kn_error *err)
{
    const char *file = run->frames.sources[0].file;
    kn_autocorr_grey grey = {.pixels = NULL};
    kn_autocorr_prepared prepared = {.dust = 0};
    kn_status status = frames_fetch(&run->frames, 0, &grey, err);

    if (!status && run->plan.preparation)
        status =
            ki_error_unname(kn_autocorr_prepare(run->plan.preparation, file, &grey, &prepared, err), err);
    kn_autocorr_prepared_free(&prepared);
    if (!status) {
        progress_begin(&run->progress, run->arguments->common.quiet);
        status = ki_error_unname(kn_autocorr_compare_variants(run->place.queue, file, &grey, &run->variants,
                                                              &run->settings, step, &run->progress, err),
                                 err);
        progress_end(&run->progress);
    }
    free(grey.pixels);
    return status;
}

// The ratio of two times.
static double speed_up(const kn_autocorr_variants *variants, size_t of, size_t over, size_t offset)
{
    return variants->items[over].seconds[offset] / variants->items[of].seconds[offset];
}

// A row an offset, a column a variant: its time, its speed-up over the first one, that of `against` over it.
enum shown { TIMES, OVER_FIRST, OF_AGAINST };

static bool print_table(const kn_autocorr_variants *variants, const char *title, enum shown shown)
{
    char layout[KN_AUTOCORR_VARIANTS_MAX + 2] = "r";
    struct table table;

    for (size_t m = 0; m < variants->count; m++) {
        layout[m + 1] = 'r';
        layout[m + 2] = '\0';
    }
    printf("\n%s:\n", title);
    table_begin(&table, layout);
    table_add(&table, "R");
    for (size_t m = 0; m < variants->count; m++)
        table_add(&table, "%s", variants->items[m].name);
    for (size_t r = 0; r < variants->offset_count; r++) {
        table_add(&table, "%zu", variants->offsets[r]);
        for (size_t m = 0; m < variants->count; m++)
            table_add(&table, "%.4g",
                      shown == TIMES        ? variants->items[m].seconds[r]
                      : shown == OVER_FIRST ? speed_up(variants, m, 0, r)
                                            : speed_up(variants, variants->against, m, r));
    }
    return table_finish(&table);
}

bool autocorr_print_variants(const struct autocorr_run *run)
{
    const kn_autocorr_variants *variants = &run->variants;
    char over[64], of[64];

    snprintf(over, sizeof over, "Speed-up over %s (figure 7)", variants->items[0].name);
    snprintf(of, sizeof of, "Speed-up of %s over the others (figure 9)",
             variants->items[variants->against].name);
    return print_table(variants, "Seconds for all offsets up to R (the source's figure 6)", TIMES) &&
           print_table(variants, over, OVER_FIRST) && print_table(variants, of, OF_AGAINST);
}

json_t *autocorr_variants_json(const struct autocorr_run *run)
{
    const kn_autocorr_variants *variants = &run->variants;
    json_t *array = json_array();

    for (size_t m = 0; m < variants->count; m++)
        for (size_t r = 0; r < variants->offset_count; r++) {
            json_t *object = json_object();

            report_put(&object, "method", json_string(variants->items[m].name));
            report_put(&object, "max_offset", json_integer((json_int_t)variants->offsets[r]));
            report_put(&object, "seconds", ki_json_double(variants->items[m].seconds[r]));
            report_put(&object, "speed_up", ki_json_double(speed_up(variants, m, 0, r)));
            report_put(&object, "differ", json_integer((json_int_t)variants->items[m].differ[r]));
            report_append(&array, object);
        }
    return array;
}
