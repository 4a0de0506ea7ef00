// SPDX-License-Identifier: Apache-2.0
// Matrix Market files: every pair of qualifiers against a dense matrix, valid files that readers trip over,
// hostile files that are refused with the line, and files that are written and read back.
#include "io_support.h"

#include <math.h>

#include "io/array/matrix_market.h"
#include "support/run.h"

static kn_status read_text(const char *text, struct matrix_market *matrix, kn_error *err)
{
    io_write("m.mtx", text, strlen(text));
    return matrix_market_read(io_path("m.mtx"), NULL, matrix, err);
}

enum { MOST = 12 };

// The file's matrix as a dense complex one, by rows, with duplicates summed.
static void make_dense(const struct matrix_market *matrix, double dense[2 * MOST * MOST])
{
    unsigned pair = matrix->field == MATRIX_MARKET_COMPLEX ? 2 : 1;

    ck_assert_uint_le(matrix->rows, MOST);
    ck_assert_uint_le(matrix->columns, MOST);
    memset(dense, 0, 2 * MOST * MOST * sizeof *dense);
    for (size_t i = 0; i < matrix->count; i++) {
        size_t row = matrix->row ? matrix->row[i] : i % matrix->rows;
        size_t column = matrix->column ? matrix->column[i] : i / matrix->rows;

        for (unsigned part = 0; part < pair; part++)
            dense[2 * (row * MOST + column) + part] += matrix->values ? matrix->values[pair * i + part] : 1;
    }
}

// ---- every pair of qualifiers ----

static const struct {
    const char *name;
    enum matrix_market_field field;
} fields[] = {{"real", MATRIX_MARKET_REAL},       {"double", MATRIX_MARKET_REAL},
              {"integer", MATRIX_MARKET_INTEGER}, {"unsigned-integer", MATRIX_MARKET_INTEGER},
              {"complex", MATRIX_MARKET_COMPLEX}, {"pattern", MATRIX_MARKET_PATTERN}};
static const struct {
    const char *name;
    double mirrored, conjugated; // factors of the mirrored entry's real and imaginary part; 0: not mirrored
    bool has_diagonal;
} symmetries[] = {{"general", 0, 0, true},
                  {"symmetric", 1, 1, true},
                  {"skew-symmetric", -1, -1, false},
                  {"hermitian", 1, -1, true}};
static const char *const formats[] = {"coordinate", "array"};

// Appends a random entry to `text` at `at`, and adds it and its mirror image to `dense`. Returns where the
// text ends.
static size_t add_entry(char *text, size_t at, uint64_t *seed, size_t f, size_t s, bool is_array, size_t row,
                        size_t column, double *dense)
{
    double part[2] = {0, 0}, *entry = dense + 2 * (row * MOST + column),
           *mirrored = dense + 2 * (column * MOST + row);

    part[0] =
        fields[f].field == MATRIX_MARKET_PATTERN ? 1 : floor(200 * test_uniform(seed)) - (f == 3 ? 0 : 100);
    if (fields[f].field == MATRIX_MARKET_REAL || fields[f].field == MATRIX_MARKET_COMPLEX)
        part[0] += floor(1000 * test_uniform(seed)) / 1024;
    if (fields[f].field == MATRIX_MARKET_COMPLEX && !(row == column && symmetries[s].conjugated < 0))
        part[1] = test_uniform(seed) - 0.5;
    if (!is_array)
        at += (size_t)sprintf(text + at, "%zu %zu", row + 1, column + 1);
    if (fields[f].field == MATRIX_MARKET_COMPLEX)
        at += (size_t)sprintf(text + at, " %.17g %.17g", part[0], part[1]);
    else if (fields[f].field != MATRIX_MARKET_PATTERN)
        at += (size_t)sprintf(text + at, " %.17g", part[0]);
    entry[0] += part[0];
    entry[1] += part[1];
    if (row != column && symmetries[s].mirrored != 0) {
        mirrored[0] += symmetries[s].mirrored * part[0];
        mirrored[1] += symmetries[s].conjugated * part[1];
    }
    return at + (size_t)sprintf(text + at, "\n");
}

static bool is_allowed(size_t f, size_t s, size_t format)
{
    if (fields[f].field == MATRIX_MARKET_PATTERN)
        return format == 0 && s < 2;
    return s < 3 || fields[f].field == MATRIX_MARKET_COMPLEX;
}

static void check_pair(uint64_t *seed, size_t f, size_t s, size_t format)
{
    static char text[65536];
    static double dense[2 * MOST * MOST], found[2 * MOST * MOST];
    size_t rows = 1 + test_random(seed) % MOST, columns = s ? rows : 1 + test_random(seed) % MOST, at,
           count = 0;
    static char entries[32768];
    struct matrix_market matrix;

    memset(dense, 0, sizeof dense);
    at = 0;
    *entries = '\0';
    for (size_t column = 0; column < columns; column++)
        for (size_t row = s ? column + !symmetries[s].has_diagonal : 0; row < rows; row++)
            if (format == 1 || test_random(seed) % 3 == 0) {
                at = add_entry(entries, at, seed, f, s, format == 1, row, column, dense);
                count++;
            }
    at = (size_t)sprintf(text, "%%%%MatrixMarket matrix %s %s %s\n%% made\n%zu %zu", formats[format],
                         fields[f].name, symmetries[s].name, rows, columns);
    if (format == 0)
        at += (size_t)sprintf(text + at, " %zu", count);
    sprintf(text + at, "\n%s", entries);
    if (!is_allowed(f, s, format)) {
        IO_REFUSED(read_text(text, &matrix, err), KN_ERROR_INPUT, "m.mtx:1: '");
        return;
    }
    IO_OK(read_text(text, &matrix, err));
    ck_assert(!matrix.is_vector);
    ck_assert_int_eq((int)matrix.field, (int)fields[f].field);
    ck_assert_int_eq((int)matrix.symmetry, (int)s);
    ck_assert_uint_eq(matrix.rows, rows);
    ck_assert_uint_eq(matrix.columns, columns);
    make_dense(&matrix, found);
    for (size_t i = 0; i < 2 * MOST * MOST; i++)
        ck_assert_msg(found[i] == dense[i], "%s %s %s: element %zu is %.17g instead of %.17g",
                      formats[format], fields[f].name, symmetries[s].name, i, found[i], dense[i]);
    matrix_market_free(&matrix);
}

START_TEST(every_pair_of_qualifiers)
{
    uint64_t seed = test_seed("every_pair_of_qualifiers");

    for (unsigned round = 0; round < 10; round++)
        for (size_t f = 0; f < sizeof fields / sizeof *fields; f++)
            for (size_t s = 0; s < sizeof symmetries / sizeof *symmetries; s++)
                for (size_t format = 0; format < 2; format++)
                    check_pair(&seed, f, s, format);
}
END_TEST

START_TEST(vectors)
{
    struct matrix_market matrix;

    IO_OK(read_text("%%MatrixMarket vector coordinate real general\n5 2\n4 1.5\n1 -2\n", &matrix, err));
    ck_assert(matrix.is_vector);
    ck_assert_uint_eq(matrix.rows, 5);
    ck_assert_uint_eq(matrix.columns, 1);
    ck_assert_uint_eq(matrix.count, 2);
    ck_assert_uint_eq(matrix.row[0], 3);
    ck_assert_uint_eq(matrix.column[1], 0);
    ck_assert_double_eq(matrix.values[1], -2);
    matrix_market_free(&matrix);
    IO_OK(read_text("%%MatrixMarket vector array complex general\n2\n1 2\n3 4\n", &matrix, err));
    ck_assert_ptr_null(matrix.row);
    ck_assert_uint_eq(matrix.count, 2);
    ck_assert_double_eq(matrix.values[3], 4);
    matrix_market_free(&matrix);
    IO_REFUSED(read_text("%%MatrixMarket vector array real symmetric\n1\n1\n", &matrix, err), KN_ERROR_INPUT,
               "a vector is general");
}
END_TEST

// ---- valid files that readers trip over ----

START_TEST(what_is_in_the_wild)
{
    static const char *const texts[] = {
        "%%MatrixMarket matrix coordinate real general\r\n% c\r\n\r\n2 2 2\r\n1 1 1.5\r\n2 2 -25\r\n",
        "%MatrixMarket MATRIX Coordinate REAL General\n2 2 2\n1 1 1.5\n2 2 -25",
        "%%matrixmarket\tmatrix  coordinate real\tgeneral \n 2\t2  2 \n\n 1  1\t1.5  \n%c\n\t2 2 -2.5D+01 ",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 15d-1\n2 2 -0.25E2\n\n\n  \n%\n",
        "%%MatrixMarket matrix coordinate real general\n2 2 2\n0001 1 +1.500\n2 2 -25.\r",
        "%%MatrixMarket matrix coordinate real general\r% c\r\r2 2 2\r1 1 1.5\r2 2 -25\r",
        "%%MatrixMarket matrix coordinate real general\r% c\r\n2 2 2\n1 1 1.5\r%\r\r\n2 2 -25",
    };

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct matrix_market matrix;

        IO_OK(read_text(texts[i], &matrix, err));
        ck_assert_uint_eq(matrix.count, 2);
        ck_assert_uint_eq(matrix.row[0] + matrix.column[0], 0);
        ck_assert_uint_eq(matrix.row[1], 1);
        ck_assert_uint_eq(matrix.column[1], 1);
        ck_assert_double_eq(matrix.values[0], 1.5);
        ck_assert_double_eq(matrix.values[1], -25);
        matrix_market_free(&matrix);
    }
}
END_TEST

// Explicit zeros on the diagonal of a skew-symmetric matrix are accepted, as SciPy does. Other values there
// are refused, as are surplus numbers and entries above the diagonal.
START_TEST(a_skew_diagonal_of_zeros)
{
    static const struct {
        const char *text, *words;
    } others[] = {
        {"coordinate real skew-symmetric\n2 2 2\n1 1 0\n2 2 1\n", ":4: the diagonal of a skew-symmetric"},
        {"coordinate complex skew-symmetric\n2 2 1\n2 2 0 1\n", ":3: the diagonal of a skew-symmetric"},
        {"coordinate real skew-symmetric\n2 2 1\n2 2 0 0\n", ":3: expected the line's end, found \"0\""},
        {"coordinate real skew-symmetric\n2 2 1\n1 2 0\n", ":3: row 1, column 2: a skew-symmetric file"},
    };
    char text[256];
    struct matrix_market matrix;

    IO_OK(read_text("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 3\n1 1 0\n2 1 5\n2 2 -0.0\n",
                    &matrix, err));
    ck_assert_uint_eq(matrix.count, 4); // the zeros stay, and are not mirrored
    ck_assert_uint_eq(matrix.row[3], 0);
    ck_assert_uint_eq(matrix.column[3], 1);
    ck_assert_double_eq(matrix.values[1], 5);
    ck_assert_double_eq(matrix.values[3], -5);
    matrix_market_free(&matrix);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        snprintf(text, sizeof text, "%%%%MatrixMarket matrix %s", others[i].text);
        IO_REFUSED(read_text(text, &matrix, err), KN_ERROR_INPUT, others[i].words);
    }
}
END_TEST

START_TEST(nothing_is_read_too)
{
    static const char *const texts[] = {"%%MatrixMarket matrix coordinate real general\n0 0 0",
                                        "%%MatrixMarket matrix coordinate real general\n0 5 0\n",
                                        "%%MatrixMarket matrix array real general\n5 0\n\n",
                                        "%%MatrixMarket matrix array real skew-symmetric\n0 0\n",
                                        "%%MatrixMarket vector coordinate pattern general\n4294967295 0\n"};
    struct matrix_market matrix;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        IO_OK(read_text(texts[i], &matrix, err));
        ck_assert_uint_eq(matrix.count, 0);
        matrix_market_free(&matrix);
    }
    IO_OK(read_text("%%MatrixMarket matrix array real skew-symmetric\n1 1\n", &matrix, err));
    ck_assert_uint_eq(matrix.count, 1);
    ck_assert_double_eq(matrix.values[0], 0);
    matrix_market_free(&matrix);
}
END_TEST

START_TEST(duplicates_and_zeros_stay)
{
    struct matrix_market matrix;

    IO_OK(read_text("%%MatrixMarket matrix coordinate integer symmetric\n2 2 4\n2 1 3\n2 1 4\n1 1 0\n2 2 "
                    "9007199254740992\n",
                    &matrix, err));
    ck_assert_uint_eq(matrix.count, 6);
    ck_assert_double_eq(matrix.values[3], 0x1p53);
    ck_assert_uint_eq(matrix.row[4], 0);
    ck_assert_uint_eq(matrix.column[4], 1);
    ck_assert_double_eq(matrix.values[5], 4);
    matrix_market_free(&matrix);
}
END_TEST

// ---- what is refused ----

#define REAL "%%MatrixMarket matrix coordinate real general\n"

static const struct {
    const char *text, *words;
} refused[] = {
    {"", ":1: expected %%MatrixMarket, found \"\""},
    {"hello\n", ":1: expected %%MatrixMarket"},
    {"%%MatrixMarket", ":1: expected five words"},
    {"%%MatrixMarket matrix coordinate real\n1 1 0\n", ":1: expected five words"},
    {"%%MatrixMarket matrix coordinate real general more\n1 1 0\n",
     ":1: expected five words, found \"more\""},
    {"%%%MatrixMarket matrix coordinate real general\n1 1 0\n", ":1: expected %%MatrixMarket"},
    {"%%MatrixMarked matrix coordinate real general\n1 1 0\n", ":1: expected %%MatrixMarket"},
    {"%%MatrixMarket tensor coordinate real general\n1 1 0\n", "expected matrix or vector, found \"tensor\""},
    {"%%MatrixMarket matrix sparse real general\n1 1 0\n", "found \"sparse\""},
    {"%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n", "found \"quaternion\""},
    {"%%MatrixMarket matrix coordinate real generic\n1 1 0\n", "found \"generic\""},
    {REAL, ":2: the file ends before its sizes"},
    {REAL "% c\n\n", ":4: the file ends before its sizes"},
    {REAL "2 2\n1 1 1\n", ":2: expected rows, columns and entries"},
    {REAL "2 2 1 1\n1 1 1\n", ":2: expected rows, columns and entries"},
    {REAL "-2 2 1\n1 1 1\n", ":2: expected rows"},
    {REAL "2.5 2 1\n1 1 1\n", ":2: expected rows"},
    {REAL "a b c\n", ":2: expected rows"},
    {REAL "2 2 2\n1 1 1\n", ":2: declares 2 entries, but only 1 lines follow"},
    {REAL "2 2 2\n1 1 1\n\n%\n", ":2: declares 2 entries, but 1 follow"},
    {REAL "2 2 1\n1 1 1\n\n2 2 1\n", ":5: more follows the 1 entries that line 2 declares"},
    {REAL "2 2 0\n1 1 1\n", ":3: more follows"},
    {REAL "9 9 1000000000000000000\n1 1 1\n", ":2: declares 1000000000000000000 entries"},
    {REAL "9 9 99999999999999999999999\n1 1 1\n", ":2: declares 18446744073709551615 entries"},
    {REAL "1000000000000000000 9 1\n1 1 1\n", ":2: 1000000000000000000 x 9: sizes up to 2^32 - 1"},
    {REAL "4294967296 9 1\n1 1 1\n", "sizes up to 2^32 - 1"},
    {REAL "2 2 1\n0 1 1\n", ":3: row 0: Matrix Market counts from 1"},
    {REAL "2 2 1\n1 0 1\n", ":3: column 0"},
    {REAL "2 2 1\n-1 1 1\n", ":3: row below 0"},
    {REAL "% c\n2 2 2\n1 1 1\n3 1 1\n", ":5: row 3, but line 3 declares 2 rows"},
    {REAL "2 2 1\n1 18446744073709551617 1\n", "column 18446744073709551615, but line 2 declares 2 columns"},
    {REAL "2 2 1\n1 1\n", ":3: expected a finite number, found the line's end"},
    {REAL "2 2 1\n1\n", ":3: expected a column, a whole number from 1, found the line's end"},
    {REAL "2 2 1\n1 1 1 1\n", ":3: expected the line's end, found \"1\""},
    {REAL "2 2 1\n1 1 x\n", "found \"x\""},
    {REAL "2 2 1\n1 1 1x\n", "found \"x\""},
    {REAL "2 2 1\nx 1 1\n", "expected a row, a whole number from 1, found \"x 1 1\""},
    {REAL "2 2 1\n1.5 1 1\n", ":3: expected a column"},
    {REAL "2 2 1\n1 1 nan\n", ":3: expected a finite number, found \"nan\""},
    {REAL "2 2 1\n1 1 -inf\n", "found \"-inf\""},
    {REAL "2 2 1\n1 1 1e400\n", "found \"1e400\""},
    {REAL "2 2 1\n1 1 1D400\n", "found \"1D400\""},
    {REAL "2 2 1\n1 1 0x1p3\n", "found \"x1p3\""},
    {REAL "2 2 1\n1 1 1,5\n", "found \",5\""},
    {"%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1\n", "found the line's end"},
    {"%%MatrixMarket matrix coordinate pattern general\n1 1 1\n1 1 1\n",
     "expected the line's end, found \"1\""},
    {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
     "expected a whole number within 2^53"},
    {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1e3\n", "expected a whole number"},
    {"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740994\n", "2^53"},
    {"%%MatrixMarket matrix coordinate unsigned-integer general\n1 1 1\n1 1 -1\n", "from 0 to 2^53"},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", ":2: 2 x 3: a symmetric matrix"},
    {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", ":3: row 1, column 2: a symmetric"},
    {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 2 1\n", "matrix is 0"},
    {"%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n2 2 1 1\n",
     ":3: the diagonal of a hermitian"},
    {"%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n1 1\n1 1\n", "element 3 of the array"},
    {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n",
     ":2: declares 4 entries, but only 3 lines follow"},
    {"%%MatrixMarket matrix array real general\n2 2\n1 2\n3 4\n5\n6\n",
     ":3: expected the line's end, found \"2\""},
    {"%%MatrixMarket matrix array real general\n4000000000 4000000000\n1\n",
     ":2: declares 16000000000000000000"},
    {"%%MatrixMarket matrix array real symmetric\n4294967295 4294967295\n1\n", ":2: declares"},
    {"%%MatrixMarket matrix coordinate real general\r% c\r\r2 2 2\r1 1 1.5\r2 3 -25\r", ":6: column 3"},
    {"%%MatrixMarket matrix coordinate real general\r\n2 2 2\r\r\n1 1 1.5\n\r2 0 -25\n", ":6: column 0"},
    {REAL "2 2 2\n1 1 1\r2 2 ?\n", ":4: expected a finite number, found \"?\""},
};

START_TEST(hostile_files_are_refused)
{
    struct matrix_market matrix;

    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        memset(&matrix, 0xa5, sizeof matrix);
        IO_REFUSED(read_text(refused[i].text, &matrix, err), KN_ERROR_INPUT, refused[i].words);
        ck_assert_ptr_null(matrix.values);
        ck_assert_uint_eq(matrix.count, 0);
    }
    IO_REFUSED(matrix_market_read(io_path("none.mtx"), NULL, &matrix, err), KN_ERROR_INPUT, "cannot be read");
    io_write("nul.mtx", REAL "2 2 1\n1 1\0 1\n", sizeof(REAL "2 2 1\n1 1\0 1\n") - 1);
    IO_REFUSED(matrix_market_read(io_path("nul.mtx"), NULL, &matrix, err), KN_ERROR_INPUT, ":3:");
}
END_TEST

// Every truncation of a file is refused, except one where only the last line end is missing.
START_TEST(truncated_files)
{
    const char text[] =
        "%%MatrixMarket matrix coordinate complex hermitian\n% c\n3 3 4\n1 1 1.5 0\n3 1 2 -1D1\n3 2 1 1\n"
        "3 3 -1e-3 0\n";
    size_t read = 0;

    for (size_t length = 0; length < sizeof text; length++) {
        struct matrix_market matrix;
        kn_error error = KN_ERROR_INIT;

        io_write("t.mtx", text, length);
        if (matrix_market_read(io_path("t.mtx"), NULL, &matrix, &error) == KN_OK)
            read++;
        else
            ck_assert_int_eq(error.code, KN_ERROR_INPUT);
        matrix_market_free(&matrix);
    }
    ck_assert_uint_eq(read, 2); // the whole file, with and without its last line end
}
END_TEST

START_TEST(written_and_read_back)
{
    double values[] = {1.0 / 3, -0x1p-1074, 1e300, -0.0, 7, 8};
    uint32_t row[] = {2, 0, 4294967294, 2, 1, 1}, column[] = {0, 1, 2, 0, 2, 2};
    static const enum matrix_market_field kinds[] = {MATRIX_MARKET_REAL, MATRIX_MARKET_COMPLEX,
                                                     MATRIX_MARKET_PATTERN};

    for (size_t k = 0; k < 3; k++)
        for (size_t format = 0; format < (k < 2 ? 2 : 1); format++) {
            struct matrix_market matrix = {.format = format ? MATRIX_MARKET_ARRAY : MATRIX_MARKET_COORDINATE,
                                           .field = kinds[k],
                                           .rows = format ? 3 : UINT32_MAX,
                                           .columns = format ? 1 : 3,
                                           .count = 3,
                                           .row = format ? NULL : row,
                                           .column = format ? NULL : column,
                                           .values = k < 2 ? values : NULL},
                                 back;

            IO_OK(matrix_market_write(io_path("w.mtx"), &matrix, true, err));
            IO_OK(matrix_market_read(io_path("w.mtx"), NULL, &back, err));
            ck_assert_uint_eq(back.count, 3);
            ck_assert_uint_eq(back.rows, matrix.rows);
            ck_assert_uint_eq(back.columns, matrix.columns);
            if (k < 2)
                ck_assert_mem_eq(back.values, values, (k ? 6 : 3) * sizeof *values);
            else
                ck_assert_ptr_null(back.values);
            if (!format)
                ck_assert(memcmp(back.row, row, 12) == 0 && memcmp(back.column, column, 12) == 0);
            matrix_market_free(&back);
            IO_REFUSED(matrix_market_write(io_path("w.mtx"), &matrix, false, err), KN_ERROR_OUTPUT, "w.mtx");
            values[1] = NAN;
            if (k < 2)
                IO_REFUSED(matrix_market_write(io_path("n.mtx"), &matrix, false, err), KN_ERROR_ARGUMENT,
                           "element 1");
            ck_assert(!io_exists("n.mtx"));
            values[1] = -0x1p-1074;
        }
}
END_TEST

START_TEST(a_locale_with_commas)
{
    struct matrix_market matrix,
        vector = {.is_vector = true, .format = MATRIX_MARKET_ARRAY, .rows = 1, .columns = 1, .count = 1};
    double value = 0.1234567890123456789;

    if (!test_comma_locale(io_folder))
        return;
    vector.values = &value;
    IO_OK(read_text(REAL "1 1 2\n1 1 1.5\n1 1 1.2345678901234567890123e-50\n", &matrix, err));
    ck_assert_double_eq(matrix.values[0], 1.5);
    ck_assert_double_eq(matrix.values[1], 1.2345678901234567890123e-50);
    matrix_market_free(&matrix);
    IO_OK(matrix_market_write(io_path("v.mtx"), &vector, false, err));
    IO_OK(matrix_market_read(io_path("v.mtx"), NULL, &matrix, err));
    ck_assert_double_eq(matrix.values[0], value);
    matrix_market_free(&matrix);
    setlocale(LC_ALL, "C");
}
END_TEST

START_TEST(real_files)
{
    static const struct {
        const char *name;
        size_t rows, columns, count;
    } files[] = {{"sparse/ash219.mtx", 219, 85, 438},
                 {"sparse/illc1033.mtx.gz", 1033, 320, 4732},
                 {"sparse/well1033.mtx.gz", 1033, 320, 4732},
                 {"sparse/illc1033_rhs1.mtx.gz", 1033, 1, 1033},
                 {"sparse/Groebner_id2003_aug.mtx", 4967, 2456, 173670}};

    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[4096];
        struct matrix_market matrix;

        if (!test_data_path(files[i].name, path, sizeof path))
            continue;
        IO_OK(matrix_market_read(path, NULL, &matrix, err));
        ck_assert_uint_eq(matrix.rows, files[i].rows);
        ck_assert_uint_eq(matrix.columns, files[i].columns);
        ck_assert_uint_eq(matrix.count, files[i].count);
        matrix_market_free(&matrix);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {every_pair_of_qualifiers,
                                  vectors,
                                  what_is_in_the_wild,
                                  a_skew_diagonal_of_zeros,
                                  nothing_is_read_too,
                                  duplicates_and_zeros_stay,
                                  hostile_files_are_refused,
                                  truncated_files,
                                  written_and_read_back,
                                  a_locale_with_commas,
                                  real_files};

    return TEST_RUN_WITH("matrix_market", CK_FORK, io_set_up, io_tear_down, tests);
}
