// SPDX-License-Identifier: Apache-2.0
// A summary of a buffer's contents, and its differences from another device's.
#include <math.h>
#include <string.h>

#include "cmd_run.h"

void run_summarize(const struct run_arg *arg, const unsigned char *data, struct run_summary *summary)
{
    const struct run_type *type = &arg->type;
    unsigned char poison[8];
    long double sum = 0;
    size_t numbers = 0;

    *summary = (struct run_summary){.min = NAN, .max = NAN, .sum = NAN};
    memset(poison, run_poison(type), sizeof poison);
    for (size_t i = 0; i < arg->count; i++)
        for (unsigned c = 0; c < type->width; c++) {
            const unsigned char *at = data + i * run_type_bytes(type) + c * type->size;
            double value = run_number_get(type, at);

            bool is_poison = !arg->data && memcmp(at, poison, type->size) == 0;

            summary->unwritten += is_poison;
            summary->nan += isnan(value) ? 1 : 0;
            if (is_poison || isnan(value))
                continue;
            summary->min = numbers ? fmin(summary->min, value) : value;
            summary->max = numbers ? fmax(summary->max, value) : value;
            sum += value;
            numbers++;
        }
    if (numbers)
        summary->sum = (double)sum;
}

// Integers must be equal; floats may differ by some units in the last place, or by the tolerance, relative to
// the larger one, or absolute below 1.
static bool is_within(const struct run_type *type, const struct run_bound *bound, uint64_t ulps, double a,
                      double b, double difference)
{
    if (type->class != RUN_FLOAT)
        return false;
    if (ulps <= bound->ulp)
        return true;
    return isfinite(a) && isfinite(b) && difference <= bound->tolerance * fmax(1, fmax(fabs(a), fabs(b)));
}

void run_compare(const struct run_arg *arg, const unsigned char *data, const unsigned char *other,
                 const struct run_bound *bound, struct run_difference *difference)
{
    const struct run_type *type = &arg->type;

    memset(difference, 0, sizeof *difference);
    for (size_t i = 0; i < arg->count; i++)
        for (unsigned c = 0; c < type->width; c++, difference->compared++) {
            size_t offset = i * run_type_bytes(type) + c * type->size;
            double a, b, apart;
            uint64_t ulps = 0;

            if (memcmp(data + offset, other + offset, type->size) == 0)
                continue;
            a = run_number_get(type, data + offset);
            b = run_number_get(type, other + offset);
            apart = fabs(a - b);
            if (type->class == RUN_FLOAT)
                ulps = run_number_ulps(type, data + offset, other + offset);
            if (ulps > difference->worst_ulp)
                difference->worst_ulp = ulps;
            if (apart > difference->worst)
                difference->worst = apart;
            if (is_within(type, bound, ulps, a, b, apart))
                continue;
            if (difference->beyond++ == 0) {
                difference->first = difference->compared;
                run_number_print(type, data + offset, difference->value);
                run_number_print(type, other + offset, difference->other);
            }
        }
}
