// SPDX-License-Identifier: Apache-2.0
// The macros of cl/lib/key.clh, which all sorts define.
#include "sort.h"

void ki_sort_define_keys(struct engine_defines *defines, const struct sort_job *job)
{
    static const unsigned kinds[] = {[KN_U8] = 0,  [KN_U16] = 0, [KN_U32] = 0, [KN_U64] = 0, [KN_I8] = 1,
                                     [KN_I16] = 1, [KN_I32] = 1, [KN_I64] = 1, [KN_F32] = 2, [KN_F64] = 2};

    ki_engine_define(defines, "KEY_BITS", (unsigned)kn_type_size(job->type) * 8);
    ki_engine_define(defines, "KEY_KIND", kinds[job->type]);
    ki_engine_define(defines, "KEY_DESCENDING", job->options.order == KN_DESCENDING);
}
