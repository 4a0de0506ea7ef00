// SPDX-License-Identifier: Apache-2.0
// The structs of the public interface that begin with their size (koine/types.h), whatever version of the
// header the caller was compiled with.
#ifndef KN_BASE_SIZED_H
#define KN_BASE_SIZED_H

#include <koine/types.h>

// Copies the caller's struct, or all zeros if that is NULL, to `copy`, a struct of this library's `size`
// bytes called `type`. KN_ERROR_ARGUMENT, naming the function, for a struct that was not initialised by
// KN_INIT, and for one of a later version that sets fields which this version does not know.
kn_status ki_sized_read(const char *function, const char *type, const void *given, void *copy, size_t size,
                        kn_error *err);

#define KI_SIZED_READ(function, type, given, copy, err)                                                      \
    ki_sized_read(function, #type, (const type *){given}, (type *){copy}, sizeof(type), err)

#endif
