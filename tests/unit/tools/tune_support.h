// SPDX-License-Identifier: Apache-2.0
// Helpers for the tests of koine tune: a context that keeps tuned values in a temporary folder.
#ifndef KN_TESTS_TOOLS_TUNE_SUPPORT_H
#define KN_TESTS_TOOLS_TUNE_SUPPORT_H

#include "support/buffers.h"
#include "support/run.h"

static char *cache_dir;

static inline void open_again(void)
{
    const kn_context_options options = KN_INIT(kn_context_options, .cache_dir = cache_dir);

    test_close();
    test_open_with(&options);
}

static inline void set_up(void)
{
    cache_dir = test_folder();
    open_again();
}

static inline void tear_down(void)
{
    test_close();
    test_remove(cache_dir);
}

#endif
