// SPDX-License-Identifier: Apache-2.0
#include "nearest.h"

#include <string.h>

enum { LETTERS_MAX = 63 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

// The optimal string alignment distance, three rows of the table at a time.
size_t nearest_distance(const char *from, const char *to)
{
    size_t rows[3][LETTERS_MAX + 1];
    size_t *before = rows[0], *last = rows[1], *now = rows[2], *swap;
    size_t m = strnlen(from, LETTERS_MAX), n = strnlen(to, LETTERS_MAX);

    for (size_t j = 0; j <= n; j++)
        last[j] = before[j] = j;
    for (size_t i = 1; i <= m; i++) {
        now[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t differs = from[i - 1] != to[j - 1];

            now[j] = least(least(last[j] + 1, now[j - 1] + 1), last[j - 1] + differs);
            if (i > 1 && j > 1 && from[i - 1] == to[j - 2] && from[i - 2] == to[j - 1])
                now[j] = least(now[j], before[j - 2] + 1);
        }
        swap = before;
        before = last;
        last = now;
        now = swap;
    }
    return last[n];
}

void nearest_offer(struct nearest *nearest, const char *candidate)
{
    size_t letters = strlen(nearest->word);
    size_t allowed = letters < 3 ? 1 : letters < 8 ? 2 : letters / 3;
    size_t distance = nearest_distance(nearest->word, candidate);

    if (distance > allowed || distance >= letters || (nearest->best && distance >= nearest->distance))
        return;
    nearest->best = candidate;
    nearest->distance = distance;
}
