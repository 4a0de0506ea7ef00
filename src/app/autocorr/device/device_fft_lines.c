// SPDX-License-Identifier: Apache-2.0
// How the kernels of both algorithms take lines: lengths, lines a group, macros, launches.
#include "device_fft_internal.h"

#include "algo/columns.h"
#include "base/array.h"
#include "base/error.h"

// Numbers that a line moves through local memory and registers.
static size_t work_of(const struct fft_cut *cut)
{
    size_t work = 2 * (size_t)cut->points;

    for (unsigned s = 0; s < cut->stages; s++) {
        unsigned butterflies = cut->points / cut->radices[s];
        unsigned rounds = (butterflies + cut->items - 1) / cut->items;

        work += (size_t)rounds * cut->radices[s] * cut->items + cut->points;
    }
    return work;
}

// Radices 11 and 13 take more arithmetic than a longer line of others.
static bool is_cheap(size_t n)
{
    static const unsigned factors[] = {2, 3, 5, 7};

    for (size_t i = 0; i < KI_COUNT(factors); i++)
        while (n % factors[i] == 0)
            n /= factors[i];
    return n == 1;
}

static bool is_power_of_two(size_t n)
{
    return (n & (n - 1)) == 0;
}

bool ki_autocorr_fft_choose_length(size_t least, const struct fft_bounds *bounds, bool powers_of_two,
                                   struct fft_cut *cut)
{
    size_t last = powers_of_two ? 2 * least : least + least / 8 + 4;
    bool found = false;

    for (size_t n = least; n <= last && !(powers_of_two && found); n++) {
        struct fft_cut trial;

        if (!(powers_of_two ? is_power_of_two(n) : is_cheap(n)) || !ki_fft_cut_line(n, bounds, &trial) ||
            (found && work_of(&trial) >= work_of(cut)))
            continue;
        *cut = trial;
        found = true;
    }
    return found;
}

static kn_status choose_cut(const struct autocorr_fft *fft, const char *direction, size_t least, size_t given,
                            const struct fft_bounds *bounds, bool powers_of_two, struct fft_cut *cut,
                            kn_error *err)
{
    if (given && (given < least || (powers_of_two && !is_power_of_two(given))))
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a circle of %zu points %s; expected %zu, the image and R, or more%s", given,
                       direction, least, powers_of_two ? ", and a power of two" : "");
    if (given ? !ki_fft_cut_line(given, bounds, cut)
              : !ki_autocorr_fft_choose_length(least, bounds, powers_of_two, cut))
        return ki_fail(err, KN_ERROR_LIMIT,
                       "a line of %zu points %s has no transform in the %zu bytes of local memory of %s; the "
                       "method direct "
                       "takes lines of any length, and fft on the host does",
                       given ? given : least, direction, bounds->local,
                       kn_context_get_device(fft->context)->spec);
    return KN_OK;
}

// More work-items a group have too few registers for a transform each; where several lines take more local
// memory, too few groups are at work: on an H200 three columns a group were 1.8 times as fast as four.
enum { MOST_ITEMS = 512, MOST_LOCAL = 48 << 10 };

// So many lines a group as are wanted, or fewer.
static struct fft_lines take_lines(const struct fft_bounds *bounds, const struct fft_cut *cut,
                                   unsigned wanted)
{
    struct fft_lines lines = {.cut = *cut, .lines = wanted};
    size_t line = ki_fft_line_bytes(cut, bounds);
    unsigned most = bounds->items < MOST_ITEMS ? bounds->items : MOST_ITEMS;
    size_t room = bounds->local < MOST_LOCAL ? bounds->local : MOST_LOCAL;

    while (lines.lines > 1 && (lines.lines * cut->items > most || lines.lines * line > room))
        lines.lines--;
    lines.local_bytes = lines.lines * line;
    return lines;
}

// "fused, single precision: 1000 = 10 * 10 * 10 across (100 items, 1 a group); ..."
static void describe(struct autocorr_fft *fft, const char *name, const struct fft_lines *lines)
{
    ki_text_format(&fft->text, "%s:", name);
    for (unsigned i = FFT_ROWS; i <= FFT_COLUMNS; i++) {
        const struct fft_cut *cut = &lines[i].cut;

        ki_text_format(&fft->text, "%s %u = ", i == FFT_ROWS ? "" : ";", cut->points);
        for (unsigned s = 0; s < cut->stages; s++)
            ki_text_format(&fft->text, "%s%u", s ? " * " : "", cut->radices[s]);
        ki_text_format(&fft->text, " %s (%u items, %u a group)", i == FFT_ROWS ? "across" : "down",
                       cut->items, lines[i].lines);
    }
}

// Rows: enough work-items. Columns: whole memory transactions, but for NVIDIA's caches, which put parts of
// them together: one a group is the fastest.
kn_status ki_autocorr_fft_cut_lines(struct autocorr_fft *fft, const struct fft_bounds *bounds,
                                    bool powers_of_two, const char *name, struct fft_lines lines[FFT_KERNELS],
                                    kn_error *err)
{
    const struct autocorr_fft_options *options = &fft->options;
    unsigned rows, columns = options->columns                    ? options->columns
                             : ki_engine_is_nvidia(fft->context) ? 1
                                                                 : (unsigned)(32 / bounds->number);
    struct fft_cut across, down;
    kn_status status = choose_cut(fft, "across", fft->width + fft->across - 1, options->across, bounds,
                                  powers_of_two, &across, err);

    if (!status)
        status = choose_cut(fft, "down", fft->height + fft->wanted - 1, options->down, bounds, powers_of_two,
                            &down, err);
    if (status)
        return status;
    rows = options->rows ? options->rows : across.items < 128 ? 128 / across.items : 1;
    lines[FFT_ROWS] = lines[FFT_BACK] = take_lines(bounds, &across, rows);
    lines[FFT_COLUMNS] = take_lines(bounds, &down, columns);
    fft->points[0] = across.points;
    fft->points[1] = down.points;
    describe(fft, name, lines);
    return KN_OK;
}

void ki_autocorr_fft_define_lines(struct engine_defines *defines, const struct fft_lines *lines)
{
    static const char *const radices[FFT_MAX_RADICES] = {"RADIX_0", "RADIX_1", "RADIX_2",
                                                         "RADIX_3", "RADIX_4", "RADIX_5"};

    ki_engine_define(defines, "POINTS", lines->cut.points);
    ki_engine_define(defines, "ITEMS", lines->cut.items);
    ki_engine_define(defines, "LINES", lines->lines);
    for (unsigned s = 0; s < lines->cut.stages; s++)
        ki_engine_define(defines, radices[s], lines->cut.radices[s]);
}

kn_range ki_autocorr_fft_range(const struct fft_lines *lines, size_t lines_a_frame, size_t count)
{
    size_t group = (size_t)lines->lines * lines->cut.items;

    return (kn_range){2, {((lines_a_frame - 1) / lines->lines + 1) * group, count}, {group, 1}, {0}};
}
