// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of file formats: a scratch folder, files of given bytes, and checks of a status and
// its message.
#ifndef KN_TESTS_UNIT_IO_IO_SUPPORT_H
#define KN_TESTS_UNIT_IO_IO_SUPPORT_H

#include "support/support.h"

#include <koine/error.h>

static char *io_folder;

static inline void io_set_up(void)
{
    io_folder = test_folder();
}

static inline void io_tear_down(void)
{
    test_remove(io_folder);
}

// The path of a file in the folder; the string is overwritten by the fourth call after this one.
static inline const char *io_path(const char *name)
{
    static char paths[4][4200];
    static size_t turn;
    char *path = paths[turn++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", io_folder, name);
    return path;
}

static inline void io_write(const char *name, const void *bytes, size_t count)
{
    test_write(io_path(name), bytes, count);
}

// Reads up to `room` bytes from the start of a file; returns how many it read.
static inline size_t io_read(const char *name, void *bytes, size_t room)
{
    return test_read(io_path(name), bytes, room);
}

static inline bool io_exists(const char *name)
{
    return access(io_path(name), F_OK) == 0;
}

// Checks that `status` is `wanted` and that the message contains `words`.
static inline void io_expect(kn_status status, kn_status wanted, const kn_error *err, const char *words)
{
    ck_assert_msg(status == wanted, "%s instead of %s: %s", kn_status_name(status), kn_status_name(wanted),
                  err->text);
    ck_assert_msg(strstr(err->text, words) != NULL, "'%s' is not in: %s", words, err->text);
}

// `call` passes `err` as its last argument. IO_OK expects it to succeed, IO_REFUSED to fail with this status
// and these words in the message.
#define IO_OK(call)                                                                                          \
    do {                                                                                                     \
        kn_error io_err = KN_ERROR_INIT, *err = &io_err;                                                     \
        kn_status io_status = call;                                                                          \
        ck_assert_msg(io_status == KN_OK, "%s", io_err.text);                                                \
    } while (0)
#define IO_REFUSED(call, status, words)                                                                      \
    do {                                                                                                     \
        kn_error io_err = KN_ERROR_INIT, *err = &io_err;                                                     \
        kn_status io_status = call;                                                                          \
        io_expect(io_status, status, &io_err, words);                                                        \
    } while (0)

#endif
