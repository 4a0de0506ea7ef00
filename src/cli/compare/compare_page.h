// SPDX-License-Identifier: Apache-2.0
// The page of koine compare, report.html, for one report or several.
#ifndef KN_CLI_COMPARE_COMPARE_PAGE_H
#define KN_CLI_COMPARE_COMPARE_PAGE_H

#include "compare_shown.h"
#include "cli/page/chart.h"

// Makes the text of the page, which the caller frees.
kn_status compare_page(const struct compare_report *reports, size_t count, char **page, kn_error *err);

// Its charts (compare_charts.c): bars by job, time against size, rooflines.
void compare_page_bars(struct ki_text *page, const struct shown *shown);
kn_status compare_page_lines(struct ki_text *page, const struct shown *shown, kn_error *err);
kn_status compare_page_roofs(struct ki_text *page, const struct shown *shown, kn_error *err);

#endif
