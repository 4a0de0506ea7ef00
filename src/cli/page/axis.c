// SPDX-License-Identifier: Apache-2.0
#include "axis.h"

#include <math.h>
#include <stdio.h>

#include "base/array.h"

static double on_axis(const struct axis *axis, double value)
{
    return axis->is_log ? log10(value) : value;
}

void axis_begin(struct axis *axis, bool is_log, double begin, double end)
{
    *axis = (struct axis){.is_log = is_log, .begin = begin, .end = end, .low = INFINITY, .high = -INFINITY};
}

bool axis_has(const struct axis *axis, double value)
{
    return isfinite(value) && (!axis->is_log || value > 0);
}

void axis_add(struct axis *axis, double value)
{
    if (!axis_has(axis, value))
        return;
    axis->low = fmin(axis->low, on_axis(axis, value));
    axis->high = fmax(axis->high, on_axis(axis, value));
}

bool axis_is_empty(const struct axis *axis)
{
    return axis->low > axis->high;
}

double axis_place(const struct axis *axis, double value)
{
    return axis->begin +
           (axis->end - axis->begin) * (on_axis(axis, value) - axis->low) / (axis->high - axis->low);
}

static void add_tick(struct axis *axis, double value)
{
    if (axis->tick_count < AXIS_TICKS)
        axis->ticks[axis->tick_count++] = value;
}

// ---- linear axes ----

// The ticks are multiples of 1, 2 or 5 times a power of ten, and the axis begins and ends at one. It begins
// at 0 if the values are positive and come near it.
static void settle_linear(struct axis *axis, double most)
{
    const double rounding = 1e-6; // of a step, which no reader sees
    const double factors[] = {1, 2, 5, 10};
    double span, power;

    if (axis->low >= 0 && axis->low < axis->high / 3)
        axis->low = 0;
    span = axis->high - axis->low;
    power = pow(10, floor(log10(span > 0 ? span / most : fmax(fabs(axis->high), 1) / 10)));
    axis->step = power;
    for (size_t i = 0; i < KI_COUNT(factors) && (i == 0 || span / axis->step > most); i++)
        axis->step = power * factors[i];
    axis->low = floor(axis->low / axis->step + rounding);
    axis->high = fmax(ceil(axis->high / axis->step - rounding), axis->low + 1);
    for (double i = axis->low; i <= axis->high && axis->tick_count < AXIS_TICKS; i++)
        add_tick(axis, i * axis->step);
    axis->low *= axis->step;
    axis->high *= axis->step;
}

// As many digits as tell one tick from the next.
static int tick_digits(const struct axis *axis)
{
    double most = fmax(fabs(axis->low), fabs(axis->high));

    return (int)fmin(fmax(4, floor(log10(most / axis->step)) + 2), 15);
}

// ---- logarithmic axes ----

// The values that get ticks on an axis that is shorter than two powers of ten: these times a power of ten.
static const struct digits {
    double at[9];
    size_t count;
} digits[] = {{{1, 2, 5}, 3}, {{1, 2, 3, 4, 5, 6, 7, 8, 9}, 9}};

static void add_digits(struct axis *axis, const struct digits *of)
{
    const double room = 1e-9;

    axis->tick_count = 0;
    for (double power = floor(axis->low); power <= axis->high; power++)
        for (size_t i = 0; i < of->count; i++) {
            double at = power + log10(of->at[i]);

            if (at >= axis->low - room && at <= axis->high + room)
                add_tick(axis, of->at[i] * pow(10, power));
        }
}

// A short axis begins and ends at the values, nearly; if there are too few numbers of one digit, its ends
// have the ticks.
static void settle_short(struct axis *axis)
{
    enum { TICKS_MIN = 3 };
    double room = fmax(0.02 * (axis->high - axis->low), 1e-4), low = pow(10, axis->low),
           high = pow(10, axis->high);

    if (!(axis->low < axis->high))
        room = 0.5;
    axis->low -= room;
    axis->high += room;
    for (size_t i = 0; i < KI_COUNT(digits) && axis->tick_count < TICKS_MIN; i++)
        add_digits(axis, &digits[i]);
    if (axis->tick_count >= TICKS_MIN)
        return;
    axis->tick_count = 0;
    add_tick(axis, low);
    if (low < high)
        add_tick(axis, high);
}

static void settle_log(struct axis *axis, double most)
{
    const double room = 0.02;
    double step;

    if (axis->high - axis->low < 2) {
        settle_short(axis);
        return;
    }
    axis->low = floor(axis->low - room);
    axis->high = ceil(axis->high + room);
    step = fmax(1, ceil((axis->high - axis->low) / most));
    for (double power = axis->low; power <= axis->high && axis->tick_count < AXIS_TICKS; power += step)
        add_tick(axis, pow(10, power));
}

void axis_settle(struct axis *axis, double most)
{
    if (axis->is_log)
        settle_log(axis, most);
    else
        settle_linear(axis, most);
}

// ---- names ----

// A number in few characters: 0.01, 1, 300, 20k, 1M, 5G, 2e-05.
static void short_name(double value, char *name, size_t size)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
    int power = (int)floor(log10(value) + 1e-9), step = power < 4 ? 0 : power / 3;

    if (power < -3 || power > 17)
        snprintf(name, size, "%.3g", value);
    else
        snprintf(name, size, "%.3g%s", value / pow(10, 3 * step), prefixes[step]);
}

void axis_tick_name(const struct axis *axis, double tick, char *name, size_t size)
{
    if (axis->is_log && tick >= 1000 && tick < 9999.5)
        snprintf(name, size, "%.4g", tick);
    else if (axis->is_log)
        short_name(tick, name, size);
    else
        snprintf(name, size, "%.*g", tick_digits(axis), fabs(tick) < axis->step / 2 ? 0 : tick);
}
