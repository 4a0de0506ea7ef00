// SPDX-License-Identifier: Apache-2.0
// koine autocorr --variants: the source's figures 6, 7 and 9 as tables.
#include <stdio.h>
#include <stdlib.h>

#include "cmd_autocorr.h"
#include "report.h"
#include "table.h"

static void step(void *context, double done)
{
    progress_step(context, done);
}

kn_status autocorr_run_variants(struct autocorr_run *run, kn_error *err)
{
    const char *file = run->sources[0].file;
    struct autocorr_grey grey = {.pixels = NULL};
    struct autocorr_task task;
    uint8_t *mask = NULL;
    kn_status status = autocorr_grey_read(file, &grey, err);

    if (!status)
        status = autocorr_mask_bytes(run->settings.mask, &mask, err);
    if (!status)
        status = autocorr_make_task(&run->settings, mask, file, &grey, run->settings.max_offset, &task, err);
    if (!status) {
        progress_begin(&run->progress, run->arguments->common.quiet);
        status = autocorr_variants_run(run->place.queue, &task, step, &run->progress, &run->variants, err);
        progress_end(&run->progress);
    }
    free(grey.pixels);
    free(mask);
    return status;
}

static const char *name_of(const struct autocorr_variants *variants, size_t m)
{
    return autocorr_method_names[variants->methods[m]];
}

// A row an offset, a column a method. `of` and `over` say whose speed-up it is; AUTOCORR_AUTO is the
// column's.
static bool print_table(const struct autocorr_variants *variants, const char *title, bool times,
                        enum autocorr_method of, enum autocorr_method over)
{
    char layout[AUTOCORR_METHODS + 2] = "r";
    struct table table;

    for (size_t m = 0; m < variants->method_count; m++) {
        layout[m + 1] = 'r';
        layout[m + 2] = '\0';
    }
    printf("\n%s:\n", title);
    table_begin(&table, layout);
    table_add(&table, "R");
    for (size_t m = 0; m < variants->method_count; m++)
        table_add(&table, "%s", name_of(variants, m));
    for (size_t r = 0; r < variants->offset_count; r++) {
        table_add(&table, "%zu", variants->offsets[r]);
        for (size_t m = 0; m < variants->method_count; m++) {
            enum autocorr_method own = variants->methods[m];

            table_add(&table, "%.4g",
                      times ? variants->seconds[m][r]
                            : autocorr_speed_up(variants, of ? of : own, over ? over : own, r));
        }
    }
    return table_finish(&table);
}

bool autocorr_print_variants(const struct autocorr_run *run)
{
    const struct autocorr_variants *variants = &run->variants;
    char title[128];

    if (!print_table(variants, "Seconds for all offsets up to R (the source's figure 6)", true, AUTOCORR_AUTO,
                     AUTOCORR_AUTO))
        return false;
    snprintf(title, sizeof title, "Speed-up over %s (figure 7)", name_of(variants, 0));
    if (!print_table(variants, title, false, AUTOCORR_AUTO, variants->methods[0]))
        return false;
    snprintf(title, sizeof title, "Speed-up of %s over the others (figure 9)",
             autocorr_method_names[variants->against]);
    return print_table(variants, title, false, variants->against, AUTOCORR_AUTO);
}

json_t *autocorr_variants_json(const struct autocorr_run *run)
{
    const struct autocorr_variants *variants = &run->variants;
    json_t *array = json_array();

    for (size_t m = 0; m < variants->method_count; m++)
        for (size_t r = 0; r < variants->offset_count; r++) {
            json_t *object = json_object();

            report_put(&object, "method", json_string(name_of(variants, m)));
            report_put(&object, "max_offset", json_integer((json_int_t)variants->offsets[r]));
            report_put(&object, "seconds", kn_json_double(variants->seconds[m][r]));
            report_put(
                &object, "speed_up",
                kn_json_double(autocorr_speed_up(variants, variants->methods[m], variants->methods[0], r)));
            report_put(&object, "differ", json_integer((json_int_t)variants->differ[m][r]));
            report_append(&array, object);
        }
    return array;
}
