// SPDX-License-Identifier: Apache-2.0
// koine autocorr: numbers that may be missing, lengths and rings, for tables, files and the JSON.
#include <math.h>

#include "cmd_autocorr.h"
#include "cli/framework/report.h"

void autocorr_add_number(struct table *table, double value)
{
    if (isnan(value))
        table_add(table, "-");
    else
        table_add(table, "%.6g", value);
}

void autocorr_add_cell(struct ki_text *text, double value)
{
    if (isnan(value))
        ki_text_add(text, ",nan");
    else
        ki_text_format(text, ",%.17g", value);
}

void autocorr_scale(kn_autocorr_lengths *lengths, double pixel)
{
    lengths->r_max *= pixel;
    lengths->r_max_error *= pixel;
    lengths->r_min *= pixel;
    lengths->r_zero *= pixel;
}

void autocorr_put_lengths(json_t **object, const kn_autocorr_lengths *lengths)
{
    report_put(object, "r_max", ki_json_double(lengths->r_max));
    report_put(object, "r_max_error", ki_json_double(lengths->r_max_error));
    report_put(object, "maximum", ki_json_double(lengths->maximum));
    report_put(object, "r_min", ki_json_double(lengths->r_min));
    report_put(object, "minimum", ki_json_double(lengths->minimum));
    report_put(object, "r_zero", ki_json_double(lengths->r_zero));
}

json_t *autocorr_ring_json(const struct autocorr_run *run, const kn_autocorr_ring *ring)
{
    json_t *array = json_array();

    report_append(&array, ki_json_double(ring->radius * run->pixel));
    report_append(&array, ki_json_double(ring->value));
    report_append(&array, json_integer((json_int_t)ring->count));
    return array;
}
