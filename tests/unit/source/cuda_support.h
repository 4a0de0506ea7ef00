// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of the rewriter from OpenCL C to CUDA.
#ifndef KN_TESTS_UNIT_SOURCE_CUDA_SUPPORT_H
#define KN_TESTS_UNIT_SOURCE_CUDA_SUPPORT_H

#include "support/run.h"
#include "support/support.h"

#include "source/cuda/cuda.h"

// Rewrites `source` as the file "t.cl"; `*cuda` is NULL unless KN_OK is returned.
static inline kn_status rewrite(const char *source, struct src_cuda **cuda, kn_error *err)
{
    struct src_cuda_options wanted = {.constant_bank = false};
    struct src_unit *unit = NULL;
    kn_status status;

    *cuda = NULL;
    status = ki_src_read("t.cl", source, NULL, &unit, err);
    if (status)
        return status;
    status = ki_src_cuda(unit, NULL, &wanted, cuda, err);
    ki_src_free(unit);
    return status;
}

// The program's part of a translation unit, without the #line that it begins with; the caller frees it.
static inline char *program_of(const struct src_cuda *cuda)
{
    static const char begin[] = "namespace program {\n", location[] = "\n#line 1 \"t.cl\"\n";
    const char *from = strstr(cuda->text, begin), *to = strstr(cuda->text, "\n} }\n");

    ck_assert_ptr_nonnull(from);
    ck_assert_ptr_nonnull(to);
    from += strlen(begin);
    if (strncmp(from, location, strlen(location)) == 0)
        from += strlen(location);
    return strndup(from, (size_t)(to - from));
}

#endif
