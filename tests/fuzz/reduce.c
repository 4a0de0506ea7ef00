// SPDX-License-Identifier: Apache-2.0
// Reduces a failing kernel, line by line and block by block: everything is removed that can be without
// changing the verdict.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text/text.h"
#include "compare.h"

enum { MOST_LINES = 4000 };

struct lines {
    char *text; // split into lines
    char *at[MOST_LINES];
    bool gone[MOST_LINES];
    int count;
};

static void cut(struct lines *lines, const char *text)
{
    char *rest;

    memset(lines, 0, sizeof *lines);
    lines->text = strdup(text);
    rest = lines->text;
    while (rest && *rest && lines->count < MOST_LINES)
        lines->at[lines->count++] = strsep(&rest, "\n");
}

static char *joined(const struct lines *lines)
{
    struct ki_text text = KI_TEXT_INIT;

    for (int i = 0; i < lines->count; i++)
        if (!lines->gone[i]) {
            ki_text_add(&text, lines->at[i]);
            ki_text_add(&text, "\n");
        }
    return ki_text_take(&text);
}

// The last line of the part that begins at `first`: for a block, its closing bracket.
static int end_of(const struct lines *lines, int first)
{
    int depth = 0;

    for (int i = first; i < lines->count; i++) {
        if (lines->gone[i])
            continue;
        for (const char *p = lines->at[i]; *p; p++)
            depth += (*p == '{') - (*p == '}');
        if (depth <= 0 && !(i == first && i + 1 < lines->count && lines->at[i + 1][0] == '{'))
            return depth < 0 ? -1 : i;
    }
    return -1;
}

static bool still(const struct lines *lines, enum fuzz_verdict verdict)
{
    char *text = joined(lines);
    bool same = text && fuzz_compare_both(text, 60) == verdict;

    free(text);
    return same;
}

// Tries to remove the lines first..last.
static bool drop(struct lines *lines, int first, int last, enum fuzz_verdict verdict)
{
    bool before[MOST_LINES];

    memcpy(before, lines->gone, sizeof before);
    for (int i = first; i <= last; i++)
        lines->gone[i] = true;
    if (memcmp(before, lines->gone, sizeof before) != 0 && still(lines, verdict))
        return true;
    memcpy(lines->gone, before, sizeof before);
    return false;
}

char *fuzz_reduce(const char *text, enum fuzz_verdict verdict, unsigned seconds)
{
    static struct lines lines;
    time_t end = time(NULL) + (time_t)seconds;
    bool progress = true;
    char *less;

    setenv("KOINE_FUZZ_QUIET", "1", 1);
    cut(&lines, text);
    while (progress && time(NULL) < end) {
        progress = false;
        for (int i = lines.count - 1; i >= 0 && time(NULL) < end; i--) {
            int last = lines.gone[i] ? -1 : end_of(&lines, i);
            if (last < 0)
                continue;
            if (drop(&lines, i, last, verdict)) {
                progress = true;
            } else if (last > i) {
                // Removes only the block's brackets.
                bool before_first = lines.gone[i], before_last = lines.gone[last];
                lines.gone[i] = lines.gone[last] = true;
                if (still(&lines, verdict))
                    progress = true;
                else
                    lines.gone[i] = before_first, lines.gone[last] = before_last;
            }
        }
    }
    less = joined(&lines);
    free(lines.text);
    return less;
}
