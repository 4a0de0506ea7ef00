// SPDX-License-Identifier: Apache-2.0
#include "input.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/error.h"

enum { FIRST_PIECE = 1 << 20 };

// Bytes left in a regular file; SIZE_MAX for a pipe, which does not tell.
static size_t remaining(FILE *file)
{
    struct stat info;
    off_t at = ftello(file);

    if (at < 0 || fstat(fileno(file), &info) != 0 || !S_ISREG(info.st_mode))
        return SIZE_MAX;
    return info.st_size > at ? (size_t)(info.st_size - at) : 0;
}

kn_status ki_input_read(FILE *file, const char *path, size_t bytes, void **data, size_t *have, kn_error *err)
{
    size_t there = remaining(file), room = 0;
    unsigned char *read = NULL;

    *data = NULL;
    *have = 0;
    if (there < bytes)
        *have = there;
    else
        do {
            size_t more = there != SIZE_MAX ? bytes : *have ? *have : FIRST_PIECE;
            unsigned char *grown;

            room = bytes - *have < more ? bytes : *have + more;
            grown = realloc(read, room ? room : 1);
            if (!grown) {
                free(read);
                return ki_fail_memory(err, bytes, path);
            }
            read = grown;
            *have += fread(read + *have, 1, room - *have, file);
        } while (*have == room && *have < bytes && !ferror(file));
    if (ferror(file)) {
        free(read);
        return ki_fail_errno(err, KN_ERROR_INPUT, path, errno, "its numbers cannot be read");
    }
    if (!read && !(read = calloc(1, 1)))
        return ki_fail_memory(err, 1, path);
    *data = read;
    return KN_OK;
}
