// SPDX-License-Identifier: Apache-2.0
// Looking up an extension's name among others that contain it.
#include "support/support.h"

#include "base/words.h"
#include "support/run.h"

START_TEST(words)
{
    static const char list[] = "cl_khr_fp64_more cl_khr_fp64 x_cl_khr_icd cl_khr_icd";

    ck_assert(ki_words_have(list, "cl_khr_fp64"));
    ck_assert(ki_words_have(list, "cl_khr_fp64_more"));
    ck_assert(ki_words_have(list, "cl_khr_icd"));
    ck_assert(ki_words_have("one", "one"));
    ck_assert(!ki_words_have(list, "cl_khr"));
    ck_assert(!ki_words_have(list, "icd"));
    ck_assert(!ki_words_have(list, "more"));
    ck_assert(!ki_words_have(list, "cl_khr_fp16"));
    ck_assert(!ki_words_have(list, ""));
    ck_assert(!ki_words_have("", "one"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {words};

    return TEST_RUN("words", CK_FORK_GETENV, tests);
}
