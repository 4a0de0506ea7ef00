// SPDX-License-Identifier: Apache-2.0
// How lines are cut into parts and stages, and their tables of roots of unity.
#include "host_fft.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/error.h"
#include "root_of_unity.h"

// The order in which a part's radices are taken, and the time of a stage per point: counted instructions,
// including the multiplication by roots of unity.
static const struct {
    unsigned radix;
    double cost;
} radices[] = {{8, 14}, {7, 17}, {5, 14}, {4, 11}, {3, 12}, {2, 10}};

const struct host_fft_code *ki_host_fft_code_for(kn_type type, kn_host_level level)
{
    static const struct host_fft_code *const codes[][2] = {HOST_LEVELS(host_fft)};

    return codes[level][type == KN_F64];
}

// ---- lengths ----

// False for a length with a prime factor above 7, or 0. 16 is 4 x 4, rather than 8 x 2.
static bool cut_part(size_t length, struct host_fft_part *part)
{
    size_t rest = length;

    *part = (struct host_fft_part){.length = length};
    for (size_t i = 0; i < KI_COUNT(radices) && rest > 0; i++)
        while (rest % radices[i].radix == 0 && !(radices[i].radix == 8 && rest % 32 == 16)) {
            if (part->stages == HOST_FFT_STAGES)
                return false;
            part->radices[part->stages++] = radices[i].radix;
            rest /= radices[i].radix;
        }
    if (length == 1)
        part->radices[part->stages++] = 1;
    return rest == 1;
}

// Cuts it into this many parts, as equal as possible.
static bool cut_line(size_t length, unsigned parts, struct host_fft_part *part)
{
    size_t middle = (size_t)(pow((double)length, 1.0 / parts) + 1e-9);

    if (parts == 1)
        return length <= HOST_FFT_PART && cut_part(length, part);
    for (size_t i = middle < HOST_FFT_PART ? middle : HOST_FFT_PART; i > 0; i--)
        if (length % i == 0 && cut_line(length / i, parts - 1, part + 1) && cut_part(i, part))
            return true;
    return false;
}

bool ki_host_fft_is_smooth(size_t n)
{
    static const unsigned primes[] = {2, 3, 5, 7};

    for (size_t i = 0; i < KI_COUNT(primes); i++)
        while (n > 1 && n % primes[i] == 0)
            n /= primes[i];
    return n == 1;
}

static unsigned parts_of(size_t length, struct host_fft_part *part)
{
    if (ki_host_fft_is_smooth(length))
        for (unsigned parts = 1; parts <= HOST_FFT_PARTS; parts++)
            if (cut_line(length, parts, part))
                return parts;
    return 0;
}

static double cost_of(size_t length)
{
    struct host_fft_part part[HOST_FFT_PARTS];
    unsigned parts = parts_of(length, part);
    double cost = 0;

    for (unsigned p = 0; p < parts; p++)
        for (unsigned s = 0; s < part[p].stages; s++)
            for (size_t i = 0; i < KI_COUNT(radices); i++)
                cost += part[p].radices[s] == radices[i].radix ? radices[i].cost : 0;
    // points a power of two apart share few sets of a cache
    return cost * (double)length * (length % 256 == 0 ? 1.2 : 1);
}

size_t ki_host_fft_length(size_t n)
{
    enum { FARTHEST = 1 << 16 }; // the greatest distance from the first possible length
    size_t best = n, last = SIZE_MAX;

    for (size_t length = n ? n : 1; length <= last; length++) {
        if (!ki_host_fft_is_smooth(length))
            continue;
        if (last == SIZE_MAX) {
            best = length;
            last = length + (length / 8 < FARTHEST ? length / 8 : FARTHEST);
        } else if (cost_of(length) < cost_of(best))
            best = length;
    }
    return best;
}

// ---- tables ----

struct table {
    void *numbers;
    size_t count; // numbers so far; without memory they are only counted
    kn_type type;
};

static void push(struct table *table, uint64_t k, uint64_t n)
{
    double turn[2];

    ki_fft_root_of_unity(k, n, turn);
    for (size_t i = 0; i < 2 && table->numbers; i++)
        if (table->type == KN_F64)
            ((double *)table->numbers)[table->count + i] = turn[i];
        else
            ((float *)table->numbers)[table->count + i] = (float)turn[i];
    table->count += 2;
}

static const void *end_of(const struct table *table)
{
    return (const unsigned char *)table->numbers + table->count * kn_type_size(table->type);
}

// The roots before a part: for each of the `span` points that the parts before it produced, one for each of
// its points, in the order in which its first stage takes them.
static void push_part(struct host_fft_part *part, size_t span, struct table *table)
{
    size_t radix = part->radices[0], rest = part->length / radix;

    part->turns[0] = table->numbers ? end_of(table) : NULL;
    for (size_t q = 0; q < span; q++)
        for (size_t i = 0; i < rest; i++)
            for (size_t j = 0; j < radix; j++)
                push(table, (j * rest + i) * q, span * part->length);
}

static void push_stages(struct host_fft_part *part, struct table *table)
{
    size_t span = part->radices[0];

    for (unsigned s = 1; s < part->stages; s++) {
        size_t radix = part->radices[s];

        part->turns[s] = table->numbers ? end_of(table) : NULL;
        for (size_t q = 0; q < span; q++)
            for (size_t j = 0; j < radix; j++)
                push(table, j * q, span * radix);
        span *= radix;
    }
}

static void push_all(struct host_fft *fft, struct table *table)
{
    size_t span = 1;

    table->count = 0;
    for (unsigned p = 0; p < fft->parts; p++) {
        if (p > 0)
            push_part(&fft->part[p], span, table);
        push_stages(&fft->part[p], table);
        span *= fft->part[p].length;
    }
}

kn_status ki_host_fft_create(size_t length, kn_type type, kn_host_level level, struct host_fft **fft,
                             kn_error *err)
{
    struct host_fft *made = calloc(1, sizeof *made);
    struct table table = {.type = type};

    *fft = NULL;
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a transform");
    made->code = ki_host_fft_code_for(type, level);
    made->length = length;
    made->parts = parts_of(length, made->part);
    if (!made->parts) {
        free(made);
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "a transform of %zu points; expected a length without prime factors above 7", length);
    }
    push_all(made, &table);
    made->turns = table.numbers = malloc((table.count + 1) * kn_type_size(type));
    if (!made->turns) {
        free(made);
        return ki_fail_memory(err, (table.count + 1) * kn_type_size(type), "a transform's table");
    }
    push_all(made, &table);
    *fft = made;
    return KN_OK;
}

void ki_host_fft_free(struct host_fft *fft)
{
    if (fft)
        free(fft->turns);
    free(fft);
}

double ki_host_fft_error(const struct host_fft *fft)
{
    double roundings = 0;

    for (unsigned p = 0; p < fft->parts; p++)
        for (unsigned s = 0; s < fft->part[p].stages; s++)
            roundings += fft->part[p].radices[s] + 6;
    return roundings * (fft->code->number == sizeof(double) ? DBL_EPSILON : (double)FLT_EPSILON) / 2;
}
