// SPDX-License-Identifier: Apache-2.0
// Tests that the words of options correspond to the library's enumerators: the same words, in the same order,
// without omissions.

#include <koine/autocorr.h>
#include <koine/least_squares.h>
#include <koine/recon.h>
#include <koine/sparse.h>

#include "cli/autocorr/cmd_autocorr.h"
#include "cli/inputs/sparse_files.h"
#include "cli/recon/cmd_recon.h"
#include "cli/recon/convention.h"
#include "cli/solve/cmd_solve.h"
#include "support/run.h"

// Expects as many names as there are enumerators.
#define EXPECT_NAMES(names, type, name_of)                                                                   \
    do {                                                                                                     \
        int i = 0;                                                                                           \
        for (; (names)[i]; i++)                                                                              \
            ck_assert_str_eq((names)[i], name_of((type)i));                                                  \
        ck_assert_int_gt(i, 0);                                                                              \
        ck_assert_ptr_null(name_of((type)i));                                                                \
    } while (0)

START_TEST(are_the_librarys)
{
    EXPECT_NAMES(autocorr_method_names, kn_autocorr_method, kn_autocorr_method_name);
    EXPECT_NAMES(autocorr_normalization_names, kn_autocorr_normalization, kn_autocorr_normalization_name);
    EXPECT_NAMES(sparse_format_names, kn_sparse_format, kn_sparse_format_name);
    EXPECT_NAMES(convention_unit_names, kn_recon_unit, kn_recon_unit_name);
    EXPECT_NAMES(recon_method_names, kn_recon_method, kn_recon_method_name);
    EXPECT_NAMES(recon_scale_names, kn_recon_scale, kn_recon_scale_name);
    EXPECT_NAMES(recon_normal_names, kn_recon_normal_method, kn_recon_normal_method_name);
    EXPECT_NAMES(recon_regularizer_names, kn_recon_regularizer, kn_recon_regularizer_name);
    EXPECT_NAMES(recon_boundary_names, kn_recon_boundary, kn_recon_boundary_name);
    EXPECT_NAMES(solve_method_names, kn_least_squares_method, kn_least_squares_method_name);
    EXPECT_NAMES(solve_stop_names, kn_least_squares_stop, kn_least_squares_stop_name);
    EXPECT_NAMES(solve_preconditioner_names, kn_least_squares_preconditioner,
                 kn_least_squares_preconditioner_name);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {are_the_librarys};

    return TEST_RUN("names", CK_FORK_GETENV, tests);
}
