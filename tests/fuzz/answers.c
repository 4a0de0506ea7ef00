// SPDX-License-Identifier: Apache-2.0
#include "answers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/text.h"
#include "compare.h"
#include "generate.h"

static uint64_t hash_of_text(uint64_t seed, unsigned features)
{
    char *text = fuzz_file(seed, 1, features);
    uint64_t hash = text ? fuzz_hash(text, strlen(text)) : 0;

    free(text);
    return hash;
}

static int by_seed(const void *left, const void *right)
{
    const struct fuzz_answer *a = left, *b = right;

    return a->seed != b->seed ? (a->seed > b->seed) - (a->seed < b->seed)
                              : (a->features > b->features) - (a->features < b->features);
}

bool fuzz_answers_read(const char *path, struct fuzz_answers *answers)
{
    FILE *file = fopen(path, "r");
    struct fuzz_answer *all = NULL, next;
    size_t count = 0, capacity = 0;
    int got = 0;

    while (file && (got = fscanf(file, "%" SCNu64 " %u %" SCNx64 " %" SCNx64, &next.seed, &next.features,
                                 &next.text, &next.numbers)) == 4) {
        if (!KI_ARRAY_PUSH(all, count, capacity, next))
            break;
    }
    if (!file || got != EOF) {
        fprintf(stderr, "%s: %s (line %zu)\n", path,
                file ? "expected a seed, features, and two hashes" : strerror(errno), count + 1);
        free(all);
    } else {
        qsort(all, count, sizeof *all, by_seed);
        *answers = (struct fuzz_answers){all, count};
    }
    if (file)
        fclose(file);
    return file && got == EOF;
}

bool fuzz_answers_append(const char *path, uint64_t seed, int count, unsigned features,
                         const uint64_t *numbers)
{
    struct ki_text lines = KI_TEXT_INIT;
    FILE *file = fopen(path, "a");
    bool good = file != NULL;

    for (int i = 0; i < count; i++)
        ki_text_format(&lines, "%" PRIu64 " %u %016" PRIx64 " %016" PRIx64 "\n", seed + (uint64_t)i, features,
                       hash_of_text(seed + (uint64_t)i, features), numbers[i]);
    // In a single write, because other processes append too.
    good = good && setvbuf(file, NULL, _IOFBF, lines.length + 1) == 0 &&
           fwrite(lines.data, lines.length, 1, file) == 1;
    if (file)
        good = fclose(file) == 0 && good;
    if (!good)
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    ki_text_free(&lines);
    return good;
}

bool fuzz_answers_take(const struct fuzz_answers *answers, uint64_t seed, int count, unsigned features,
                       uint64_t *numbers)
{
    for (int i = 0; i < count; i++) {
        struct fuzz_answer wanted = {.seed = seed + (uint64_t)i, .features = features};
        const struct fuzz_answer *found =
            answers->count ? bsearch(&wanted, answers->all, answers->count, sizeof wanted, by_seed) : NULL;
        if (!found)
            return false;
        if (found->text != hash_of_text(wanted.seed, features)) {
            fprintf(stderr,
                    "seed %" PRIu64 ": the answer is that of another text: written by another test_fuzz\n",
                    wanted.seed);
            return false;
        }
        numbers[i] = found->numbers;
    }
    return true;
}
