// SPDX-License-Identifier: Apache-2.0
// Large Matrix Market files: the result does not depend on the number of threads, the size of the chunks or
// the line ends; and compressed files.
#include "io_support.h"

#include <math.h>
#include <zlib.h>

#include "io/array/matrix_market.h"
#include "support/run.h"

// A file of random entries, with comments and blank lines among them.
static char *random_file(uint64_t *seed, size_t entries, size_t rows, size_t columns)
{
    char *text = malloc(entries * 120 + 200), *at = text;

    ck_assert_ptr_nonnull(text);
    at +=
        sprintf(at, "%%%%MatrixMarket matrix coordinate real general\n%zu %zu %zu\n", rows, columns, entries);
    for (size_t i = 0; i < entries; i++) {
        uint64_t chance = test_random(seed) % 64;

        if (chance == 0)
            at += sprintf(at, "\n \t\n");
        if (chance == 1)
            at += sprintf(at, "%% a comment that is %llu long%*s\n", (unsigned long long)chance, 40, "");
        at += sprintf(at, "%llu %llu %.*g%s\n", (unsigned long long)(1 + test_random(seed) % rows),
                      (unsigned long long)(1 + test_random(seed) % columns), 1 + (int)(chance % 17),
                      ldexp(test_uniform(seed) - 0.5, (int)(test_random(seed) % 60) - 30),
                      chance % 8 == 7 ? "\r" : "");
    }
    return text;
}

// Compares each entry with what sscanf and strtod read from the text.
static void expect_entries(const char *text, const struct matrix_market *matrix)
{
    size_t at = 0;

    text = strchr(strchr(text, '\n') + 1, '\n') + 1;
    for (; *text; text = strchr(text, '\n') + 1) {
        unsigned long row, column;
        int length = 0;

        if (strchr("% \n", *text) || sscanf(text, "%lu %lu%n", &row, &column, &length) != 2)
            continue;
        ck_assert_uint_eq(matrix->row[at], row - 1);
        ck_assert_uint_eq(matrix->column[at], column - 1);
        ck_assert_double_eq(matrix->values[at], strtod(text + length, NULL));
        at++;
    }
    ck_assert_uint_eq(matrix->count, at);
}

// The text with "\n" replaced by "\r", or by "\r\n" in every fifth line.
static char *end_otherwise(const char *text)
{
    char *other = malloc(2 * strlen(text) + 1), *at = other;
    size_t lines = 0;

    ck_assert_ptr_nonnull(other);
    for (; *text; text++) {
        if (*text == '\r')
            continue;
        *at++ = *text == '\n' ? '\r' : *text;
        if (*text == '\n' && lines++ % 5 == 0)
            *at++ = '\n';
    }
    *at = '\0';
    return other;
}

START_TEST(threads_and_chunks_change_nothing)
{
    static const struct matrix_market_options options[] = {{1, 0},  {0, 0},    {3, 1},    {2, 7},
                                                           {4, 64}, {2, 4096}, {5, 65537}};
    uint64_t seed = test_seed("threads_and_chunks_change_nothing");
    char *text = random_file(&seed, 4000, 81545, 3072), *bad, *other;
    size_t length = strlen(text);

    io_write("l.mtx", text, length);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct matrix_market matrix;

        IO_OK(matrix_market_read(io_path("l.mtx"), &options[i], &matrix, err));
        expect_entries(text, &matrix);
        matrix_market_free(&matrix);
    }
    // Line ends that are "\r", and some that are "\r\n", give the same entries, wherever the chunks are cut.
    other = end_otherwise(text);
    io_write("r.mtx", other, strlen(other));
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct matrix_market matrix;

        IO_OK(matrix_market_read(io_path("r.mtx"), &options[i], &matrix, err));
        expect_entries(text, &matrix);
        matrix_market_free(&matrix);
    }
    free(other);
    // Of two errors, the first one is reported, with its line.
    bad = strstr(text + length / 2, "\n") + 1;
    memcpy(bad, "?", 1);
    memcpy(text + length - 3, "?", 1);
    io_write("l.mtx", text, length);
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        struct matrix_market matrix;
        char words[32];
        size_t line = 1;

        for (const char *p = text; p < bad; p++)
            line += *p == '\n';
        snprintf(words, sizeof words, "l.mtx:%zu: ", line);
        IO_REFUSED(matrix_market_read(io_path("l.mtx"), &options[i], &matrix, err), KN_ERROR_INPUT, words);
    }
    free(text);
}
END_TEST

START_TEST(packed_files)
{
    uint64_t seed = test_seed("packed_files");
    char *text = random_file(&seed, 50000, 1000, 1000), *bytes = malloc(1 << 22);
    size_t length = strlen(text), packed;
    struct matrix_market matrix;
    gzFile file = gzopen(io_path("p.mtx.gz"), "wb");

    ck_assert_int_eq(gzwrite(file, text, (unsigned)(length / 3)), (int)(length / 3));
    gzclose(file);
    file = gzopen(io_path("p.mtx.gz"), "ab"); // a second gzip member
    ck_assert_int_eq(gzwrite(file, text + length / 3, (unsigned)(length - length / 3)),
                     (int)(length - length / 3));
    gzclose(file);
    IO_OK(matrix_market_read(io_path("p.mtx.gz"), NULL, &matrix, err));
    expect_entries(text, &matrix);
    matrix_market_free(&matrix);
    packed = io_read("p.mtx.gz", bytes, 1 << 22);
    ck_assert_uint_lt(packed, 1 << 22);
    io_write("short.mtx.gz", bytes, packed - 5);
    IO_REFUSED(matrix_market_read(io_path("short.mtx.gz"), NULL, &matrix, err), KN_ERROR_INPUT, "end early");
    io_write("short.mtx.gz", bytes, 12);
    IO_REFUSED(matrix_market_read(io_path("short.mtx.gz"), NULL, &matrix, err), KN_ERROR_INPUT, "end early");
    bytes[packed / 6] = (char)(bytes[packed / 6] ^ 0x55);
    bytes[packed / 6 + 1] = (char)(bytes[packed / 6 + 1] ^ 0x55);
    io_write("bad.mtx.gz", bytes, packed);
    IO_REFUSED(matrix_market_read(io_path("bad.mtx.gz"), NULL, &matrix, err), KN_ERROR_INPUT, "damaged");
    free(text);
    free(bytes);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {threads_and_chunks_change_nothing, packed_files};

    return TEST_RUN_WITH("matrix_market_large", CK_FORK, io_set_up, io_tear_down, tests);
}
