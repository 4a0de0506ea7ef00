// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // strerrorname_np: "ENOSPC"
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char *const status_names[] = {
    [KN_OK] = "KN_OK",
    [KN_ERROR_ARGUMENT] = "KN_ERROR_ARGUMENT",
    [KN_ERROR_LIMIT] = "KN_ERROR_LIMIT",
    [KN_ERROR_INPUT] = "KN_ERROR_INPUT",
    [KN_ERROR_OUTPUT] = "KN_ERROR_OUTPUT",
    [KN_ERROR_NO_DEVICE] = "KN_ERROR_NO_DEVICE",
    [KN_ERROR_DEVICE] = "KN_ERROR_DEVICE",
    [KN_ERROR_UNSUPPORTED] = "KN_ERROR_UNSUPPORTED",
    [KN_ERROR_BUILD] = "KN_ERROR_BUILD",
    [KN_ERROR_MEMORY] = "KN_ERROR_MEMORY",
    [KN_ERROR_INTERRUPTED] = "KN_ERROR_INTERRUPTED",
};

const char *kn_status_name(kn_status status)
{
    size_t i = (size_t)status;
    return i < sizeof status_names / sizeof *status_names ? status_names[i] : "unknown status";
}

// Starts `err` afresh, with "FILE:LINE: " if there is a file; returns the length of the text so far.
static size_t begin(kn_error *err, kn_status code, const char *file, long line)
{
    int used = 0;

    memset(err, 0, sizeof *err);
    err->code = code;
    if (!file || !*file)
        return 0;
    snprintf(err->file, sizeof err->file, "%s", file);
    err->line = line;
    used = line > 0 ? snprintf(err->text, sizeof err->text, "%s:%ld: ", file, line)
                    : snprintf(err->text, sizeof err->text, "%s: ", file);
    return used < 0 ? 0 : (size_t)used < sizeof err->text ? (size_t)used : sizeof err->text - 1;
}

static void append(kn_error *err, size_t used, const char *format, va_list args)
{
    if (vsnprintf(err->text + used, sizeof err->text - used, format, args) < 0)
        err->text[used] = '\0';
}

kn_status ki_fail(kn_error *err, kn_status code, const char *format, ...)
{
    va_list args;

    if (!err)
        return code;
    va_start(args, format);
    append(err, begin(err, code, NULL, 0), format, args);
    va_end(args);
    return code;
}

kn_status ki_fail_at(kn_error *err, kn_status code, const char *file, long line, const char *format, ...)
{
    va_list args;

    if (!err)
        return code;
    va_start(args, format);
    append(err, begin(err, code, file, line), format, args);
    va_end(args);
    return code;
}

kn_status ki_fail_errno(kn_error *err, kn_status code, const char *file, int number, const char *format, ...)
{
    va_list args;
    size_t used;
    char buffer[128];

    if (!err)
        return code;
    va_start(args, format);
    append(err, begin(err, code, file, 0), format, args);
    va_end(args);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, ": %s", strerror_r(number, buffer, sizeof buffer));
    return ki_error_native(err, number, strerrorname_np(number));
}

kn_status ki_error_name(const char *function, kn_status status, kn_error *err)
{
    const size_t name = strlen(function), length = name + strlen(": ");

    if (!status || !err || strstr(err->text, function))
        return status;
    memmove(err->text + length, err->text, sizeof err->text - length);
    memcpy(err->text, function, name);
    err->text[name] = ':';
    err->text[name + 1] = ' ';
    err->text[sizeof err->text - 1] = '\0';
    return status;
}

kn_status ki_error_unname(kn_status status, kn_error *err)
{
    static const char prefix[] = "kn_", of_names[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    size_t name;

    if (!status || !err || strncmp(err->text, prefix, strlen(prefix)) != 0)
        return status;
    name = strspn(err->text, of_names);
    if (strncmp(err->text + name, ": ", 2) == 0)
        memmove(err->text, err->text + name + 2, strlen(err->text + name + 2) + 1);
    return status;
}

kn_status ki_error_native(kn_error *err, int native, const char *name)
{
    if (!err)
        return KN_OK;
    err->native = native;
    snprintf(err->native_name, sizeof err->native_name, "%.*s", (int)sizeof err->native_name - 1,
             name ? name : "");
    return err->code;
}

kn_status ki_fail_memory(kn_error *err, size_t bytes, const char *what)
{
    if (bytes)
        return ki_fail(err, KN_ERROR_MEMORY, "out of memory: %zu bytes for %s", bytes, what);
    return ki_fail(err, KN_ERROR_MEMORY, "out of memory while %s", what);
}

kn_status ki_check_elements(const char *function, size_t n, size_t size, kn_error *err)
{
    if (n <= PTRDIFF_MAX / size)
        return KN_OK;
    return ki_fail(err, KN_ERROR_LIMIT, "%s: %zu elements of %zu bytes are more than the address space holds",
                   function, n, size);
}
