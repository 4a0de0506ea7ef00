// SPDX-License-Identifier: Apache-2.0
// The sizes from which one method is faster than another: all can be measured, and a measurement tries both
// methods.
#include "support/device.h"
#include "support/files.h"
#include "support/run.h"

#include <koine/experimental/cost.h>

#include <string.h>

#include "tools/tune/tune.h"

static const struct tune_subject *subject_of(const char *algorithm)
{
    for (size_t i = 0; tune_subjects[i]; i++)
        if (strcmp(tune_subjects[i]->tunables()->algorithm, algorithm) == 0)
            return tune_subjects[i];
    return NULL;
}

START_TEST(all_are_subjects)
{
    const kn_tunables *tunables;

    for (size_t i = 0; (tunables = kn_cost_get_crossover_tunables(i)); i++) {
        const struct tune_subject *subject = subject_of(tunables->algorithm);
        const struct tune_axis *axes;

        ck_assert_msg(subject != NULL, "%s is no subject of koine tune", tunables->algorithm);
        axes = subject->axes(queue);
        ck_assert(!axes || axes[0].count >= 2);
    }
}
END_TEST

START_TEST(both_are_tried)
{
    struct tune_report report;

    EXPECT_OK(tune_measure(queue, subject_of("crossover-mri-separable"), true, 0, NULL, &report, &err));
    ck_assert_uint_eq(report.count, 2);
    ck_assert_uint_ne(report.rows[0].values[0], report.rows[1].values[0]);
    for (size_t i = 0; i < report.count; i++)
        ck_assert_msg(report.rows[i].seconds > 0, "%s", report.rows[i].why);
    ck_assert_double_gt(report.rows[1].error, 0); // the other method rounds differently
    tune_free(&report);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {all_are_subjects, both_are_tried};

    return test_run("tune crossovers", tests, sizeof tests / sizeof *tests, test_open_with_cache,
                    test_close_cache);
}
