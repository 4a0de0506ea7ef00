// SPDX-License-Identifier: Apache-2.0
#include "base/sized.h"

#include <string.h>

#include "base/error.h"

static kn_status check(const char *function, const char *type, const char *given, size_t given_size,
                       size_t size, kn_error *err)
{
    if (given_size < size)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "%s: the %s has a struct_size of %zu, not %zu: make it with KN_INIT(%s)", function,
                       type, given_size, size, type);
    for (size_t i = size; i < given_size; i++)
        if (given[i])
            return ki_fail(err, KN_ERROR_ARGUMENT,
                           "%s: the %s sets a member that this version of libkoine does not know", function,
                           type);
    return KN_OK;
}

kn_status ki_sized_read(const char *function, const char *type, const void *given, void *copy, size_t size,
                        kn_error *err)
{
    size_t given_size = size;

    memset(copy, 0, size);
    if (given) {
        memcpy(&given_size, given, sizeof given_size);
        if (check(function, type, given, given_size, size, err))
            return KN_ERROR_ARGUMENT;
        memcpy(copy, given, size);
    }
    memcpy(copy, &size, sizeof size);
    return KN_OK;
}
