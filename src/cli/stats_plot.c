// SPDX-License-Identifier: Apache-2.0
#include "cmd_stats.h"
kn_status stats_plot_time(const struct stats_run *run, const char *path, kn_error *err)
{
    (void)run;
    (void)path;
    (void)err;
    return KN_OK;
}
kn_status stats_plot_cv(const struct stats_run *run, const char *path, kn_error *err)
{
    (void)run;
    (void)path;
    (void)err;
    return KN_OK;
}
kn_status stats_plot_mad(const struct stats_run *run, const char *path, kn_error *err)
{
    (void)run;
    (void)path;
    (void)err;
    return KN_OK;
}
