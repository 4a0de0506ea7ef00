// SPDX-License-Identifier: Apache-2.0
#include "matrix_market.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/text/quote.h"
#include "io/c_locale.h"
#include "io/gzip.h"
#include "matrix_market_internal.h"

#define WORDS 5 // of the first line

// The spellings of a qualifier in files, and its meaning.
struct keyword {
    const char *name;
    int value;
};

static const struct keyword objects[] = {{"matrix", false}, {"vector", true}, {NULL, 0}};
static const struct keyword formats[] = {
    {"coordinate", MATRIX_MARKET_COORDINATE}, {"array", MATRIX_MARKET_ARRAY}, {NULL, 0}};
static const struct keyword fields[] = {{"real", MATRIX_MARKET_REAL},
                                        {"integer", MATRIX_MARKET_INTEGER},
                                        {"complex", MATRIX_MARKET_COMPLEX},
                                        {"pattern", MATRIX_MARKET_PATTERN},
                                        {"double", MATRIX_MARKET_REAL},
                                        {"unsigned-integer", MATRIX_MARKET_INTEGER},
                                        {NULL, 0}};
static const struct keyword symmetries[] = {{"general", MATRIX_MARKET_GENERAL},
                                            {"symmetric", MATRIX_MARKET_SYMMETRIC},
                                            {"skew-symmetric", MATRIX_MARKET_SKEW},
                                            {"hermitian", MATRIX_MARKET_HERMITIAN},
                                            {NULL, 0}};

struct head {
    const char *name, *end;
    const char *at; // the next line
    long line;      // its number
    struct matrix_market *matrix;
    kn_error *err;
};

// ---- the first line ----

static kn_status bad_head(const struct head *head, const char *why, const char *found, size_t length)
{
    char quoted[80];

    return ki_fail_at(head->err, KN_ERROR_INPUT, head->name, 1,
                      "%s, found %s; a Matrix Market file begins like "
                      "'%%%%MatrixMarket matrix coordinate real general'",
                      why, ki_quote(quoted, sizeof quoted, found, length));
}

static kn_status find_keyword(const struct head *head, const struct keyword *keywords, const char *why,
                              const char *found, size_t length, int *value)
{
    for (const struct keyword *keyword = keywords; keyword->name; keyword++)
        if (strlen(keyword->name) == length && strncasecmp(keyword->name, found, length) == 0) {
            *value = keyword->value;
            return KN_OK;
        }
    return bad_head(head, why, found, length);
}

// Reads the words of the first line, and moves `head` past it.
static kn_status split_first_line(struct head *head, const char *words[WORDS + 1], size_t lengths[WORDS + 1])
{
    const char *p = head->at, *end = memchr(p, '\n', (size_t)(head->end - p));
    size_t count = 0;

    end = end ? end : head->end;
    while (count <= WORDS) {
        while (p < end && isspace((unsigned char)*p))
            p++;
        words[count] = p;
        while (p < end && !isspace((unsigned char)*p))
            p++;
        lengths[count] = (size_t)(p - words[count]);
        if (lengths[count++] == 0)
            break;
    }
    head->at = end < head->end ? end + 1 : end;
    head->line = 2;
    if (lengths[0] == 0 || *words[0] != '%')
        return bad_head(head, "expected %%MatrixMarket", words[0], lengths[0]);
    for (size_t i = 0; i < WORDS; i++)
        if (lengths[i] == 0)
            return bad_head(head, "expected five words", words[0], (size_t)(words[i] - words[0]));
    return lengths[WORDS] ? bad_head(head, "expected five words", words[WORDS], lengths[WORDS]) : KN_OK;
}

// Qualifiers that cannot be combined.
static const char *contradiction(const struct matrix_market *matrix)
{
    const enum matrix_market_symmetry symmetry = matrix->symmetry;

    if (matrix->is_vector && symmetry != MATRIX_MARKET_GENERAL)
        return "a vector is general";
    if (matrix->field == MATRIX_MARKET_PATTERN && matrix->format == MATRIX_MARKET_ARRAY)
        return "an array has all its elements: there is no pattern";
    if (matrix->field == MATRIX_MARKET_PATTERN && symmetry != MATRIX_MARKET_GENERAL &&
        symmetry != MATRIX_MARKET_SYMMETRIC)
        return "a pattern has no signs: it is general or symmetric";
    if (symmetry == MATRIX_MARKET_HERMITIAN && matrix->field != MATRIX_MARKET_COMPLEX)
        return "only complex matrices are hermitian; real ones are symmetric";
    return NULL;
}

static kn_status read_first_line(struct head *head, bool *is_unsigned)
{
    static const char banner[] = "%%MatrixMarket";
    const char *words[WORDS + 1], *wrong;
    size_t lengths[WORDS + 1] = {0}, percents;
    int object, format, field, symmetry;
    kn_status status = split_first_line(head, words, lengths);

    if (status)
        return status;
    percents = strspn(words[0], "%");
    if (percents > 2 || lengths[0] - percents != sizeof banner - 3 ||
        strncasecmp(words[0] + percents, banner + 2, sizeof banner - 3) != 0)
        return bad_head(head, "expected %%MatrixMarket", words[0], lengths[0]);
    if ((status = find_keyword(head, objects, "expected matrix or vector", words[1], lengths[1], &object)) ||
        (status =
             find_keyword(head, formats, "expected coordinate or array", words[2], lengths[2], &format)) ||
        (status = find_keyword(head, fields, "expected real, integer, complex or pattern", words[3],
                               lengths[3], &field)) ||
        (status = find_keyword(head, symmetries, "expected general, symmetric, skew-symmetric or hermitian",
                               words[4], lengths[4], &symmetry)))
        return status;
    *head->matrix = (struct matrix_market){.is_vector = object,
                                           .format = (enum matrix_market_format)format,
                                           .field = (enum matrix_market_field)field,
                                           .symmetry = (enum matrix_market_symmetry)symmetry};
    *is_unsigned = *words[3] == 'u' || *words[3] == 'U';
    wrong = contradiction(head->matrix);
    return wrong ? ki_fail_at(head->err, KN_ERROR_INPUT, head->name, 1, "'%.*s': %s",
                              (int)(words[4] + lengths[4] - words[1]), words[1], wrong)
                 : KN_OK;
}

// ---- the sizes ----

// Moves to the first line that is neither blank nor a comment.
static bool find_sizes(struct head *head)
{
    while (head->at < head->end) {
        const char *p = matrix_market_blanks(head->at), *newline;

        if (p < head->end && *p != '%' && *p != '\n')
            return true;
        newline = memchr(p, '\n', (size_t)(head->end - p));
        head->at = newline ? newline + 1 : head->end;
        head->line++;
    }
    return false;
}

// Reads the `count` numbers of the line with the sizes.
static kn_status read_sizes(struct head *head, uint64_t sizes[3], unsigned count)
{
    static const char *const expected[] = {"", "the vector's length", "two sizes",
                                           "rows, columns and entries"};
    const char *what = head->matrix->is_vector && count == 2 ? "length and entries" : expected[count], *p;
    char quoted[80];

    if (!find_sizes(head))
        return ki_fail_at(head->err, KN_ERROR_INPUT, head->name, head->line,
                          "the file ends before its sizes; expected %s", what);
    p = head->at;
    for (unsigned i = 0; i < count && p; i++)
        p = matrix_market_whole(p, &sizes[i]);
    p = p ? matrix_market_blanks(p) : NULL;
    if (!p || (*p != '\n' && p != head->end))
        return ki_fail_at(head->err, KN_ERROR_INPUT, head->name, head->line,
                          "expected %s, whole numbers of at least 0, found %s", what,
                          ki_quote(quoted, sizeof quoted, head->at, strcspn(head->at, "\r\n")));
    head->at = p < head->end ? p + 1 : p;
    head->line++;
    return KN_OK;
}

// The number of entries that the file has for an array.
static bool stored_elements(const struct matrix_market *matrix, uint64_t *count)
{
    uint64_t n = matrix->rows;

    if (matrix->symmetry == MATRIX_MARKET_GENERAL)
        return !__builtin_mul_overflow(n, (uint64_t)matrix->columns, count);
    *count = matrix->symmetry == MATRIX_MARKET_SKEW ? n * (n - (n > 0)) / 2 : n * (n + 1) / 2;
    return true; // sizes have 32 bits
}

static kn_status take_sizes(struct head *head, size_t *declared)
{
    struct matrix_market *matrix = head->matrix;
    bool is_array = matrix->format == MATRIX_MARKET_ARRAY;
    unsigned count = (matrix->is_vector ? 1U : 2U) + (is_array ? 0U : 1U);
    uint64_t sizes[3] = {0, 0, 0}, stored;
    kn_status status = read_sizes(head, sizes, count);
    uint64_t columns = matrix->is_vector ? 1 : sizes[1];
    long line = head->line - 1;

    if (status)
        return status;
    if (sizes[0] > UINT32_MAX || columns > UINT32_MAX)
        return ki_fail_at(head->err, KN_ERROR_INPUT, head->name, line,
                          "%llu x %llu: sizes up to 2^32 - 1 are read", (unsigned long long)sizes[0],
                          (unsigned long long)columns);
    if (matrix->symmetry != MATRIX_MARKET_GENERAL && sizes[0] != columns)
        return ki_fail_at(head->err, KN_ERROR_INPUT, head->name, line,
                          "%llu x %llu: a symmetric matrix has as many rows as columns",
                          (unsigned long long)sizes[0], (unsigned long long)columns);
    matrix->rows = (size_t)sizes[0];
    matrix->columns = (size_t)columns;
    stored = sizes[count - 1];
    if (is_array && !stored_elements(matrix, &stored))
        stored = UINT64_MAX; // more than any file can have
    *declared = (size_t)stored;
    return KN_OK;
}

// ---- mirroring ----

// Appends the mirror images of the entries off the diagonal.
static kn_status mirror_entries(struct matrix_market *matrix, const char *name, kn_error *err)
{
    size_t pair = matrix->field == MATRIX_MARKET_COMPLEX ? 2 : 1, count = matrix->count, room = 2 * count + 1;
    double sign = matrix->symmetry == MATRIX_MARKET_SKEW ? -1 : 1;
    uint32_t *row = realloc(matrix->row, room * sizeof *row), *column;
    double *values = NULL;

    matrix->row = row ? row : matrix->row;
    column = realloc(matrix->column, room * sizeof *column);
    matrix->column = column ? column : matrix->column;
    if (matrix->values)
        values = realloc(matrix->values, room * pair * sizeof *values);
    if (!row || !column || (matrix->values && !values))
        return ki_fail_memory(err, room * (2 * sizeof *row + pair * sizeof *values), name);
    matrix->values = values;
    for (size_t i = 0; i < count; i++) {
        size_t to = matrix->count;

        if (row[i] == column[i])
            continue;
        row[to] = column[i];
        column[to] = row[i];
        if (values)
            values[pair * to] = sign * values[pair * i];
        if (values && pair == 2)
            values[2 * to + 1] =
                (matrix->symmetry == MATRIX_MARKET_HERMITIAN ? -1 : sign) * values[2 * i + 1];
        matrix->count++;
    }
    return KN_OK;
}

// The lower triangle, stored by columns, becomes the whole array.
static kn_status mirror_array(struct matrix_market *matrix, const char *name, long sizes_line, kn_error *err)
{
    size_t pair = matrix->field == MATRIX_MARKET_COMPLEX ? 2 : 1, n = matrix->rows, from = 0;
    size_t skips = matrix->symmetry == MATRIX_MARKET_SKEW;
    double sign = skips ? -1 : 1, *whole = calloc(n * n * pair + 1, sizeof *whole);

    if (!whole)
        return ki_fail_memory(err, n * n * pair * sizeof *whole, name);
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + skips; i < n; i++, from++)
            for (size_t part = 0; part < pair; part++) {
                double value = matrix->values[pair * from + part];
                bool is_conjugated = part && matrix->symmetry == MATRIX_MARKET_HERMITIAN;

                if (is_conjugated && i == j && value != 0) {
                    free(whole);
                    return ki_fail_at(
                        err, KN_ERROR_INPUT, name, sizes_line,
                        "element %zu of the array, on the diagonal of a hermitian matrix, has %g as "
                        "imaginary part; expected 0",
                        from + 1, value);
                }
                whole[pair * (i * n + j) + part] = (is_conjugated ? -1 : sign) * value;
                whole[pair * (j * n + i) + part] = value;
            }
    free(matrix->values);
    matrix->values = whole;
    matrix->count = n * n;
    return KN_OK;
}

// ---- the whole file ----

static kn_status read_body(struct head *head, struct matrix_market_body *body,
                           const struct matrix_market_options *options)
{
    struct matrix_market *matrix = head->matrix;
    kn_status status = take_sizes(head, &body->declared);

    if (status)
        return status;
    body->begin = head->at;
    body->end = head->end;
    body->line = head->line;
    body->sizes_line = head->line - 1;
    body->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!body->c)
        return ki_fail_memory(head->err, 0, head->name);
    status = matrix_market_read_lines(body, options, matrix, head->err);
    freelocale(body->c);
    if (status || matrix->symmetry == MATRIX_MARKET_GENERAL)
        return status;
    return matrix->format == MATRIX_MARKET_ARRAY
               ? mirror_array(matrix, head->name, body->sizes_line, head->err)
               : mirror_entries(matrix, head->name, head->err);
}

kn_status matrix_market_read(const char *path, const struct matrix_market_options *options,
                             struct matrix_market *matrix, kn_error *err)
{
    struct gzip_file file;
    struct matrix_market_body body = {.name = NULL};
    struct head head = {.matrix = matrix, .err = err};
    kn_status status;

    memset(matrix, 0, sizeof *matrix);
    status = gzip_read(path, &file, err);
    if (status)
        return status;
    head.name = body.name = file.name;
    head.at = file.bytes;
    head.end = file.bytes + file.count;
    status = matrix_market_end_lines(file.name, file.bytes, file.count, options, err);
    if (!status)
        status = read_first_line(&head, &body.is_unsigned);
    if (!status)
        status = read_body(&head, &body, options);
    gzip_free(&file);
    if (status)
        matrix_market_free(matrix);
    return status;
}

void matrix_market_free(struct matrix_market *matrix)
{
    free(matrix->row);
    free(matrix->column);
    free(matrix->values);
    memset(matrix, 0, sizeof *matrix);
}

// ---- writing ----

static const char *name_of(const struct keyword *keywords, int value)
{
    while (keywords->name && keywords->value != value)
        keywords++;
    return keywords->name ? keywords->name : "";
}

static kn_status check_written(const struct matrix_market *matrix, kn_error *err)
{
    size_t numbers = matrix->count * (matrix->field == MATRIX_MARKET_COMPLEX ? 2 : 1);

    if (matrix->symmetry != MATRIX_MARKET_GENERAL)
        return ki_fail(err, KN_ERROR_ARGUMENT, "matrix_market_write: only general matrices are written");
    for (size_t i = 0; matrix->values && i < numbers; i++)
        if (!isfinite(matrix->values[i]))
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "element %zu is %g, which Matrix Market files cannot hold; write it as .npy", i,
                           matrix->values[i]);
    return KN_OK;
}

static void print(const struct matrix_market *matrix, FILE *stream)
{
    const char *blank = matrix->format == MATRIX_MARKET_COORDINATE ? " " : "";

    fprintf(stream, "%%%%MatrixMarket %s %s %s general\n", name_of(objects, matrix->is_vector),
            name_of(formats, (int)matrix->format), name_of(fields, (int)matrix->field));
    fprintf(stream, "%zu", matrix->rows);
    if (!matrix->is_vector)
        fprintf(stream, " %zu", matrix->columns);
    if (matrix->format == MATRIX_MARKET_COORDINATE)
        fprintf(stream, " %zu", matrix->count);
    fputc('\n', stream);
    for (size_t i = 0; i < matrix->count; i++) {
        if (matrix->format == MATRIX_MARKET_COORDINATE)
            fprintf(stream, "%lu", (unsigned long)matrix->row[i] + 1);
        if (matrix->format == MATRIX_MARKET_COORDINATE && !matrix->is_vector)
            fprintf(stream, " %lu", (unsigned long)matrix->column[i] + 1);
        if (matrix->field == MATRIX_MARKET_COMPLEX)
            fprintf(stream, "%s%.17g %.17g", blank, matrix->values[2 * i], matrix->values[2 * i + 1]);
        else if (matrix->field != MATRIX_MARKET_PATTERN)
            fprintf(stream, "%s%.17g", blank, matrix->values[i]);
        fputc('\n', stream);
    }
}

kn_status matrix_market_write(const char *path, const struct matrix_market *matrix, bool force, kn_error *err)
{
    struct ki_output *out = NULL;
    struct c_locale locale;
    kn_status status = check_written(matrix, err);

    if (status)
        return status;
    if (!enter_c_locale(&locale))
        return ki_fail_memory(err, 0, path);
    status = ki_output_open(path, force, &out, err);
    if (!status) {
        print(matrix, ki_output_stream(out));
        status = ki_output_close(out, err);
    }
    leave_c_locale(&locale);
    return status;
}
