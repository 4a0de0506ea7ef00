// SPDX-License-Identifier: Apache-2.0
// Matrix Market files (Boisvert, Pozo and Remington 1996): sparse and dense matrices, and vectors.
#ifndef KN_IO_ARRAY_MATRIX_MARKET_H
#define KN_IO_ARRAY_MATRIX_MARKET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <koine/error.h>

enum matrix_market_format { MATRIX_MARKET_COORDINATE, MATRIX_MARKET_ARRAY };

// `double` is read as real, `unsigned-integer` as integer; the former's values are those of the latter.
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
    // Entries, the mirrored ones of a symmetric file behind those that it has; of an array rows * columns.
    size_t count;
    uint32_t *row, *column; // coordinate: of each entry, from 0, in the file's order; array: NULL
    double *values; // count, complex ones in pairs; an array's by columns; NULL of a pattern (1 everywhere)
};

struct matrix_market_options {
    unsigned
        threads;  // that read a large file; 0: all there are. Values and errors are the same with any number
    size_t chunk; // bytes that a thread takes at a time; 0: chosen. For tests
};

// Reads a file, packed by gzip or not; "-" is standard input. `options` may be NULL. Taken as well: any case
// of the first line's words, one '%' there instead of two, lines that end in CRLF or in CR alone, blanks and
// blank lines anywhere, comments anywhere behind the first line, Fortran's exponents (1D+03). Duplicates stay
// as they are (ki_sparse_from_entries sums them), and explicit zeros. A symmetric file has the lower triangle
// only: mirrored here, negated if skew (on whose diagonal zeros may stand), conjugated if hermitian. Three
// passes over the file in memory; nothing is allocated for what the header promises and the file has no room
// for. KN_ERROR_INPUT, with the line, what was found and expected, the first in the file: no such header,
// qualifiers that do not go together (pattern with array; skew or hermitian pattern; hermitian but not
// complex; a symmetric matrix that is not square; a symmetric vector), sizes beyond 2^32 - 1, fewer or more
// entries than declared, an index of 0 or outside, an entry above the diagonal of a symmetric file, text,
// not-a-number, infinity or a number beyond a double's range, an integer that is none or lies beyond 2^53.
// KN_ERROR_MEMORY. On failure `matrix` is empty.
kn_status matrix_market_read(const char *path, const struct matrix_market_options *options,
                             struct matrix_market *matrix, kn_error *err);

// Writes a file as ki_output_open does (`force` overwrites). Symmetry must be general: entries stand as they
// are. 17 digits: reading gives the same bits. KN_ERROR_ARGUMENT: a symmetry, or values that are not finite,
// which no reader would take; KN_ERROR_OUTPUT.
kn_status matrix_market_write(const char *path, const struct matrix_market *matrix, bool force,
                              kn_error *err);

void matrix_market_free(struct matrix_market *matrix);

#endif
