// SPDX-License-Identifier: Apache-2.0
// Entries, one a line. The text is cut into chunks at line ends and its lines are counted; a thread then
// takes the next chunk and stores its entries at the places they have if every line before them has an entry.
// If some lines have none (comments, blank lines), what follows is moved up at the end. The first error in
// the file is reported. Before all that, single carriage returns are turned into newlines.
#include "matrix_market_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/text/quote.h"
#include "base/threads.h"
#include "io/csv/csv_number.h"

// Text that a thread takes at a time.
#define CHUNK         ((size_t)1 << 20)
#define MOST_INTEGER  0x1p53 // doubles hold all integers up to it
#define QUOTED        40     // the most bytes of a bad line in a message
#define LONGEST_TOKEN 64     // of a number with Fortran's exponent

struct chunk {
    const char *begin, *end;
    size_t lines, first_line; // the number of the first one, from 0 after the sizes
    size_t entries;
    kn_error error;
};

struct reader {
    const struct matrix_market_body *body;
    struct matrix_market *matrix;
    struct chunk *chunks;
    size_t count, lines;
    unsigned numbers; // numbers of a value
};

// ---- line ends ----

// Converts single carriage returns from `begin` to `end`; `next` is the character after them.
static void end_lines(char *begin, char *end, char next)
{
    for (char *p = begin; (p = memchr(p, '\r', (size_t)(end - p))) != NULL; p++)
        if ((p + 1 < end ? p[1] : next) != '\n')
            *p = '\n';
}

struct pieces {
    char *text;
    size_t length, bytes, count; // of the text, of a piece, of pieces
    const char *next;            // the character after each piece
};

static void end_lines_of_piece(void *context, size_t i)
{
    const struct pieces *pieces = context;
    size_t end = i + 1 < pieces->count ? (i + 1) * pieces->bytes : pieces->length;

    end_lines(pieces->text + i * pieces->bytes, pieces->text + end, pieces->next[i]);
}

kn_status matrix_market_end_lines(const char *name, char *text, size_t count,
                                  const struct matrix_market_options *options, kn_error *err)
{
    size_t bytes = options && options->chunk ? options->chunk : CHUNK, pieces = count / bytes + 1;
    unsigned threads = count <= bytes ? 1 : ki_threads(options ? options->threads : 0);
    char *next =
        malloc(pieces); // before any change: a piece may change its first character while another looks

    if (!next)
        return ki_fail_memory(err, pieces, name);
    for (size_t i = 0; i < pieces; i++)
        next[i] = i + 1 < pieces ? text[(i + 1) * bytes] : '\0';
    ki_parallel(threads, pieces, KI_DYNAMIC, end_lines_of_piece,
                &(struct pieces){text, count, bytes, pieces, next});
    free(next);
    return KN_OK;
}

// ---- one line ----

// The number at `p`, whose exponent is written with Fortran's D.
static const char *fortran_number_at(const char *p, locale_t c, double *value)
{
    size_t length = strspn(p, " \t"), digits = strspn(p + length, "+-.0123456789dD");
    char token[LONGEST_TOKEN + 1];
    const char *end;

    p += length;
    if (digits > LONGEST_TOKEN)
        return NULL;
    memcpy(token, p, digits);
    token[digits] = '\0';
    for (char *d = token; *d; d++)
        *d = *d == 'd' || *d == 'D' ? 'E' : *d;
    end = csv_number_at(token, c, value);
    return end ? p + (end - token) : NULL;
}

static const char *number_at(const struct reader *reader, const char *p, double *value)
{
    const char *end = csv_long_number_at(p, reader->body->c, value);

    return end && (*end == 'd' || *end == 'D') ? fortran_number_at(p, reader->body->c, value) : end;
}

// Whether the text between `p` and `end` is a number of the matrix's field.
static bool is_of_field(const struct reader *reader, const char *p, const char *end, double value)
{
    if (reader->matrix->field != MATRIX_MARKET_INTEGER)
        return isfinite(value);
    p += strspn(p, " \t");
    p += *p == '-' || *p == '+';
    while (*p >= '0' && *p <= '9')
        p++;
    return p == end && fabs(value) <= MOST_INTEGER && !(reader->body->is_unsigned && value < 0);
}

// An index from 1 to `size`, converted to count from 0.
static inline const char *index_at(const char *p, size_t size, uint32_t *index)
{
    uint64_t value;

    p = matrix_market_whole(p, &value);
    if (!p || value - 1 >= size)
        return NULL;
    *index = (uint32_t)(value - 1);
    return p;
}

// Whether a symmetric file may have an entry there.
static bool is_in_triangle(enum matrix_market_symmetry symmetry, uint32_t row, uint32_t column)
{
    return symmetry == MATRIX_MARKET_GENERAL || row >= column;
}

// Whether the entry is on the diagonal with a value that its symmetry forbids there: a number other than 0 in
// a skew-symmetric matrix, an imaginary part in a hermitian one.
static bool is_bad_diagonal(const struct matrix_market *matrix, size_t at, unsigned numbers)
{
    const double *values = matrix->values + numbers * at;

    if (matrix->format != MATRIX_MARKET_COORDINATE || matrix->row[at] != matrix->column[at])
        return false;
    return (matrix->symmetry == MATRIX_MARKET_SKEW && (values[0] != 0 || (numbers > 1 && values[1] != 0))) ||
           (matrix->symmetry == MATRIX_MARKET_HERMITIAN && values[1] != 0);
}

// Reads the entry at `p`, as number `at`; returns the end of its line, or NULL if the entry is not valid.
static const char *entry_at(const struct reader *reader, const char *p, size_t at)
{
    struct matrix_market *matrix = reader->matrix;
    double *values = reader->numbers ? matrix->values + reader->numbers * at : NULL;

    if (matrix->format == MATRIX_MARKET_COORDINATE) {
        uint32_t row, column = 0;

        p = index_at(p, matrix->rows, &row);
        if (p && !matrix->is_vector)
            p = index_at(p, matrix->columns, &column);
        if (!p || !is_in_triangle(matrix->symmetry, row, column))
            return NULL;
        matrix->row[at] = row;
        matrix->column[at] = column;
    }
    for (unsigned i = 0; i < reader->numbers; i++) {
        const char *end = number_at(reader, p, &values[i]);

        if (!end || !is_of_field(reader, p, end, values[i]))
            return NULL;
        p = end;
    }
    if (is_bad_diagonal(matrix, at, reader->numbers))
        return NULL;
    p = matrix_market_blanks(p);
    return *p == '\n' || p == reader->body->end ? p : NULL;
}

// ---- errors of a line ----

static kn_status bad(const struct reader *reader, long line, const char *expected, const char *p,
                     kn_error *err)
{
    char quoted[QUOTED];
    size_t length;

    p = matrix_market_blanks(p);
    length = strcspn(p, "\r\n");
    if (p == reader->body->end || length == 0)
        return ki_fail_at(err, KN_ERROR_INPUT, reader->body->name, line, "expected %s, found the line's end",
                          expected);
    return ki_fail_at(err, KN_ERROR_INPUT, reader->body->name, line, "expected %s, found %s", expected,
                      ki_quote(quoted, sizeof quoted, p, length));
}

// Reports what is wrong with an index, if anything is.
static kn_status explain_index(const struct reader *reader, long line, const char *what, size_t size,
                               const char **p, uint64_t *index, kn_error *err)
{
    const char *end = matrix_market_whole(*p, index);

    if (!end && matrix_market_blanks(*p)[0] != '-')
        return bad(reader, line,
                   what[0] == 'r' ? "a row, a whole number from 1" : "a column, a whole number from 1", *p,
                   err);
    if (!end || *index == 0)
        return ki_fail_at(
            err, KN_ERROR_INPUT, reader->body->name, line,
            "%s %s: Matrix Market counts from 1; was it written by a program that counts from 0?", what,
            end ? "0" : "below 0");
    if (*index > size)
        return ki_fail_at(err, KN_ERROR_INPUT, reader->body->name, line,
                          "%s %llu, but line %ld declares %zu %ss", what, (unsigned long long)*index,
                          reader->body->sizes_line, size, what);
    *p = end;
    return KN_OK;
}

static kn_status explain_entry(const struct reader *reader, long line, uint64_t row, uint64_t column,
                               kn_error *err)
{
    if (is_in_triangle(reader->matrix->symmetry, (uint32_t)(row - 1), (uint32_t)(column - 1)))
        return KN_OK;
    return ki_fail_at(
        err, KN_ERROR_INPUT, reader->body->name, line,
        "row %llu, column %llu: a %s file has the entries below the diagonal%s, which are mirrored",
        (unsigned long long)row, (unsigned long long)column,
        reader->matrix->symmetry == MATRIX_MARKET_SKEW ? "skew-symmetric" : "symmetric or hermitian",
        reader->matrix->symmetry == MATRIX_MARKET_SKEW ? "" : " and on it");
}

static kn_status explain_value(const struct reader *reader, long line, const char *p, const char **end,
                               kn_error *err)
{
    const char *wanted = reader->matrix->field != MATRIX_MARKET_INTEGER ? "a finite number"
                         : reader->body->is_unsigned
                             ? "a whole number from 0 to 2^53"
                             : "a whole number within 2^53, which a double holds exactly";
    double value;

    *end = number_at(reader, p, &value);
    if (!*end || !is_of_field(reader, p, *end, value))
        return bad(reader, line, wanted, p, err);
    return KN_OK;
}

// The error of the line at `p`, which entry_at refused.
static kn_status explain(const struct reader *reader, const char *p, long line, kn_error *err)
{
    const struct matrix_market *matrix = reader->matrix;
    uint64_t row = 1, column = 1;
    kn_status status = KN_OK;

    if (matrix->format == MATRIX_MARKET_COORDINATE) {
        status = explain_index(reader, line, "row", matrix->rows, &p, &row, err);
        if (!status && !matrix->is_vector)
            status = explain_index(reader, line, "column", matrix->columns, &p, &column, err);
        if (!status)
            status = explain_entry(reader, line, row, column, err);
    }
    for (unsigned i = 0; i < reader->numbers && !status; i++)
        status = explain_value(reader, line, p, &p, err);
    if (status)
        return status;
    p = matrix_market_blanks(p);
    if (*p == '\n' || p == reader->body->end)
        return ki_fail_at(err, KN_ERROR_INPUT, reader->body->name, line, "%s",
                          matrix->symmetry == MATRIX_MARKET_SKEW
                              ? "the diagonal of a skew-symmetric matrix is 0; expected no entry there, or 0"
                              : "the diagonal of a hermitian matrix is real; expected 0 as imaginary part");
    return bad(reader, line, "the line's end", p, err);
}

// ---- chunks ----

// The end of the line at `p`.
static const char *line_end(const struct reader *reader, const char *p)
{
    const char *newline = memchr(p, '\n', (size_t)(reader->body->end - p));

    return newline ? newline : reader->body->end;
}

static bool is_entry(const char *p, const char *end)
{
    p = matrix_market_blanks(p);
    return p < end && *p != '\n' && *p != '%';
}

static void read_chunk(void *context, size_t i)
{
    const struct reader *reader = context;
    struct chunk *chunk = &reader->chunks[i];
    const char *p = chunk->begin;

    for (size_t line = 0; p < chunk->end; line++, p++) {
        const char *end;

        if (!is_entry(p, chunk->end)) {
            p = line_end(reader, p);
            continue;
        }
        end = entry_at(reader, p, chunk->first_line + chunk->entries);
        if (!end) {
            explain(reader, p, reader->body->line + (long)(chunk->first_line + line), &chunk->error);
            return;
        }
        chunk->entries++;
        p = end;
    }
}

enum { AT_ONCE = 31 }; // words whose line ends are counted

static void count_lines(void *context, size_t i)
{
    const struct reader *reader = context;
    struct chunk *chunk = &reader->chunks[i];
    const char *p = chunk->begin;

    while (chunk->end - p >= 8 * AT_ONCE) {
        uint64_t counts = 0; // one byte each

        for (const char *end = p + 8 * AT_ONCE; p < end; p += 8)
            counts += csv_zero_bytes(csv_load_8(p) ^ CSV_EACH_BYTE((unsigned char)'\n')) >> 7;
        chunk->lines += counts * CSV_EACH_BYTE(1) >> 56; // their sum, which is below 256
    }
    for (; p < chunk->end; p++)
        chunk->lines += *p == '\n';
    // The last line may lack a newline.
    chunk->lines += chunk->end == reader->body->end && chunk->end > chunk->begin && chunk->end[-1] != '\n';
}

static kn_status cut(struct reader *reader, size_t bytes, unsigned threads, kn_error *err)
{
    const char *begin = reader->body->begin, *end = reader->body->end;

    reader->count = (size_t)(end - begin) / bytes + 1;
    reader->chunks = calloc(reader->count, sizeof *reader->chunks);
    if (!reader->chunks)
        return ki_fail_memory(err, reader->count * sizeof *reader->chunks, reader->body->name);
    for (size_t i = 0; i < reader->count; i++) {
        const char *until = reader->body->begin + (i + 1) * bytes;

        reader->chunks[i].begin = begin;
        if (i + 1 == reader->count) {
            begin = end;
        } else if (begin < until) {
            begin = line_end(reader, until - 1);
            begin += begin < end;
        }
        reader->chunks[i].end = begin;
    }
    ki_parallel(threads, reader->count, KI_DYNAMIC, count_lines, reader);
    for (size_t i = 0; i < reader->count; i++) {
        reader->chunks[i].first_line = reader->lines;
        reader->lines += reader->chunks[i].lines;
    }
    return KN_OK;
}

static kn_status make_room(struct reader *reader, kn_error *err)
{
    struct matrix_market *matrix = reader->matrix;
    size_t count = reader->lines;

    if (count < reader->body->declared)
        return ki_fail_at(err, KN_ERROR_INPUT, reader->body->name, reader->body->sizes_line,
                          "declares %zu entries, but only %zu lines follow; is the file complete?",
                          reader->body->declared, count);
    if (matrix->format == MATRIX_MARKET_COORDINATE) {
        matrix->row = malloc((count + 1) * sizeof *matrix->row);
        matrix->column = malloc((count + 1) * sizeof *matrix->column);
    }
    if (reader->numbers)
        matrix->values = malloc((count + 1) * reader->numbers * sizeof *matrix->values);
    if ((matrix->format == MATRIX_MARKET_COORDINATE && !(matrix->row && matrix->column)) ||
        (reader->numbers && !matrix->values))
        return ki_fail_memory(err,
                              count * (2 * sizeof *matrix->row + reader->numbers * sizeof *matrix->values),
                              reader->body->name);
    return KN_OK;
}

// Moves a chunk's entries after `have` others.
static void move_up(struct reader *reader, const struct chunk *chunk, size_t have)
{
    struct matrix_market *matrix = reader->matrix;
    size_t from = chunk->first_line, size = reader->numbers * sizeof *matrix->values;

    if (from == have)
        return;
    if (matrix->row) {
        memmove(matrix->row + have, matrix->row + from, chunk->entries * sizeof *matrix->row);
        memmove(matrix->column + have, matrix->column + from, chunk->entries * sizeof *matrix->column);
    }
    if (size)
        memmove((char *)matrix->values + have * size, (char *)matrix->values + from * size,
                chunk->entries * size);
}

static kn_status too_many(const struct reader *reader, const struct chunk *chunk, size_t wanted,
                          kn_error *err)
{
    const char *p = chunk->begin;
    size_t line = 0;

    for (; p < chunk->end; line++, p = line_end(reader, p) + 1)
        if (is_entry(p, chunk->end) && wanted-- == 0)
            break;
    return ki_fail_at(err, KN_ERROR_INPUT, reader->body->name,
                      reader->body->line + (long)(chunk->first_line + line),
                      "more follows the %zu entries that line %ld declares", reader->body->declared,
                      reader->body->sizes_line);
}

static kn_status join(struct reader *reader, kn_error *err)
{
    size_t have = 0;

    for (size_t i = 0; i < reader->count; i++) {
        const struct chunk *chunk = &reader->chunks[i];

        if (chunk->entries > reader->body->declared - have)
            return too_many(reader, chunk, reader->body->declared - have, err);
        if (chunk->error.code) {
            if (err)
                *err = chunk->error;
            return chunk->error.code;
        }
        move_up(reader, chunk, have);
        have += chunk->entries;
    }
    if (have < reader->body->declared)
        return ki_fail_at(err, KN_ERROR_INPUT, reader->body->name, reader->body->sizes_line,
                          "declares %zu entries, but %zu follow; is the file complete?",
                          reader->body->declared, have);
    return KN_OK;
}

kn_status matrix_market_read_lines(const struct matrix_market_body *body,
                                   const struct matrix_market_options *options, struct matrix_market *matrix,
                                   kn_error *err)
{
    static const unsigned numbers[] = {[MATRIX_MARKET_REAL] = 1,
                                       [MATRIX_MARKET_INTEGER] = 1,
                                       [MATRIX_MARKET_COMPLEX] = 2,
                                       [MATRIX_MARKET_PATTERN] = 0};
    struct reader reader = {.body = body, .matrix = matrix, .numbers = numbers[matrix->field]};
    size_t bytes = options && options->chunk ? options->chunk : CHUNK;
    unsigned threads = ki_threads(options ? options->threads : 0);
    kn_status status;

    if ((size_t)(body->end - body->begin) <= bytes)
        threads = 1;
    status = cut(&reader, bytes, threads, err);
    if (!status)
        status = make_room(&reader, err);
    if (!status) {
        ki_parallel(threads, reader.count, KI_DYNAMIC, read_chunk, &reader);
        status = join(&reader, err);
    }
    free(reader.chunks);
    matrix->count = status ? 0 : body->declared;
    return status;
}
