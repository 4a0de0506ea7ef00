// SPDX-License-Identifier: Apache-2.0
// Matrix Market files (Boisvert, Pozo and Remington 1996): sparse and dense matrices, and vectors.
#ifndef KN_IO_ARRAY_MATRIX_MARKET_H
#define KN_IO_ARRAY_MATRIX_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

enum matrix_market_format { MATRIX_MARKET_COORDINATE, MATRIX_MARKET_ARRAY };

// `double` is read as real, `unsigned-integer` as integer: the values are those of the latter names.
enum matrix_market_field {
    MATRIX_MARKET_REAL,
    MATRIX_MARKET_INTEGER,
    MATRIX_MARKET_COMPLEX,
    MATRIX_MARKET_PATTERN
};

enum matrix_market_symmetry {
    MATRIX_MARKET_GENERAL,
    MATRIX_MARKET_SYMMETRIC,
    MATRIX_MARKET_SKEW,
    MATRIX_MARKET_HERMITIAN
};

struct matrix_market {
    bool is_vector; // of `rows` elements, 1 column
    enum matrix_market_format format;
    enum matrix_market_field field;
    enum matrix_market_symmetry symmetry; // the file's
    size_t rows, columns;
    // Entries of the file, followed by the mirrored ones of a symmetric file; for an array rows * columns.
    size_t count;
    uint32_t *row, *column; // coordinate: of each entry, from 0, in the file's order; array: NULL
    double *values; // count values, complex ones in pairs; an array's by columns; NULL for a pattern (1
                    // everywhere)
};

struct matrix_market_options {
    unsigned threads; // for reading a large file; 0: all there are. Values and errors do not depend on it
    size_t chunk;     // bytes that a thread takes at a time; 0: chosen here. For tests
};

// Reads a file, compressed by gzip or not; "-" is standard input. `options` may be NULL. Also accepted: any
// case in the first line's words, one '%' there instead of two, lines that end in CRLF or in CR alone, blanks
// and blank lines anywhere, comments anywhere after the first line, Fortran's exponents (1D+03). Duplicates
// stay as they are (ki_sparse_from_entries sums them), and so do explicit zeros. A symmetric file has only
// the lower triangle: it is mirrored here, negated if skew (whose diagonal may contain zeros), conjugated if
// hermitian. Three passes over the file in memory; nothing is allocated for entries that the header promises
// but the file is too short for. KN_ERROR_INPUT, for the first error in the file, with the line, what was
// found and what was expected: a missing header, qualifiers that cannot be combined (pattern with array; skew
// or hermitian pattern; hermitian but not complex; a symmetric matrix that is not square; a symmetric
// vector), sizes beyond 2^32 - 1, fewer or more entries than declared, an index of 0 or outside, an entry
// above the diagonal of a symmetric file, text, NaN, infinity or a number beyond a double's range, an integer
// field that is not an integer or is beyond 2^53. KN_ERROR_MEMORY. On failure `matrix` is empty.
kn_status matrix_market_read(const char *path, const struct matrix_market_options *options,
                             struct matrix_market *matrix, kn_error *err);

// Writes a file as ki_output_open does (`force` overwrites). The symmetry must be general: entries are
// written as they are, with 17 digits, so that reading gives the same bits. KN_ERROR_ARGUMENT: another
// symmetry, or values that are not finite, which readers refuse; KN_ERROR_OUTPUT.
kn_status matrix_market_write(const char *path, const struct matrix_market *matrix, bool force,
                              kn_error *err);

void matrix_market_free(struct matrix_market *matrix);

#endif
