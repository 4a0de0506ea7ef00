// SPDX-License-Identifier: Apache-2.0
// libFuzzer's way into the reader of Matrix Market files: any bytes are a file, read as it is, and in small
// chunks by two threads with the same result. Built and run by scripts/test fuzz, with AddressSanitizer and
// UndefinedBehaviorSanitizer.
#define _GNU_SOURCE // memfd_create
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "io/array/matrix_market.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

// Stops with the expectation that failed: libFuzzer keeps the input.
#define EXPECT(what) ((what) ? (void)0 : unexpected(#what, __LINE__))

static void unexpected(const char *what, int line)
{
    fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, line, what);
    abort();
}

static void read_matrix_market(const char *path)
{
    const struct matrix_market_options small = {.threads = 2, .chunk = 5};
    struct matrix_market matrix, again;
    kn_error err = KN_ERROR_INIT, other = KN_ERROR_INIT;
    kn_status status = matrix_market_read(path, NULL, &matrix, &err);
    unsigned pair = matrix.field == MATRIX_MARKET_COMPLEX ? 2 : 1;

    EXPECT(err.code == status && (status == KN_OK) == (err.text[0] == '\0'));
    EXPECT(status == KN_OK || status == KN_ERROR_INPUT || status == KN_ERROR_MEMORY);
    EXPECT(matrix_market_read(path, &small, &again, &other) == status && strcmp(err.text, other.text) == 0);
    EXPECT(matrix.count == again.count);
    for (size_t i = 0; i < matrix.count; i++) {
        EXPECT(!matrix.row || (matrix.row[i] < matrix.rows && matrix.row[i] == again.row[i]));
        EXPECT(!matrix.column || (matrix.column[i] < matrix.columns && matrix.column[i] == again.column[i]));
    }
    if (matrix.count && matrix.values)
        EXPECT(memcmp(matrix.values, again.values, pair * matrix.count * sizeof *matrix.values) == 0);
    matrix_market_free(&matrix);
    matrix_market_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int fd = memfd_create("fuzz", 0);
    char path[64];

    EXPECT(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    read_matrix_market(path);
    close(fd);
    return 0;
}
