// SPDX-License-Identifier: Apache-2.0
// Tests pages: text from outside is always escaped; charts draw the data and leave out what cannot be drawn.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "support/run.h"
#include "base/array.h"
#include "cli/page/chart.h"

#define HOSTILE  "<script>alert(\"1\")</script>'&\x01\xff"
#define HARMLESS "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&#39;&amp;\xef\xbf\xbd\xef\xbf\xbd"

static size_t count(const char *text, const char *word)
{
    size_t found = 0;

    for (const char *at = text; (at = strstr(at, word)); at++)
        found++;
    return found;
}

START_TEST(what_comes_from_outside_is_escaped)
{
    static const char *const columns[] = {HOSTILE, "#" HOSTILE};
    const double x[] = {1, 10}, y[] = {1, 10};
    const struct chart_series series[] = {{HOSTILE, x, y, 2, CHART_LINE_AND_POINTS, 0, NULL}};
    const struct chart_plane plane = {HOSTILE, HOSTILE, HOSTILE, series, 1, true, true, false};
    const struct chart_bar bar = {.name = HOSTILE, .words = HOSTILE, .length = 1};
    struct ki_text body = KI_TEXT_INIT;
    char *page;

    page_text(&body, HOSTILE);
    page_element(&body, "p class=\"quiet\"", HOSTILE);
    page_table(&body, columns, KI_COUNT(columns), true);
    page_cell(&body, NULL, HOSTILE);
    page_table_end(&body);
    chart_bar(&body, &bar);
    chart_plane(&body, &plane);
    page = page_finish(HOSTILE, &body);
    ck_assert_ptr_nonnull(page);
    ck_assert_uint_eq(count(page, HARMLESS), 12);
    ck_assert_uint_eq(count(page, "alert"), 12);
    ck_assert_uint_eq(count(page, "<script>"), 1); // belongs to the page itself
    ck_assert_uint_eq(count(page, "{{"), 0);
    free(page);
}
END_TEST

START_TEST(text_stays_what_it_is)
{
    struct ki_text text = KI_TEXT_INIT;

    page_text(&text, "längst\n\tµ, 2 < 3");
    ck_assert_str_eq(ki_text_string(&text), "längst\n\tµ, 2 &lt; 3");
    ki_text_clear(&text);
    page_number(&text, NAN, 3);
    page_number(&text, 1234567, 3);
    ck_assert_str_eq(ki_text_string(&text), "<td class=\"number\"></td>"
                                            "<td class=\"number\" data-value=\"1234567\">1.23e+06</td>");
    ki_text_free(&text);
}
END_TEST

START_TEST(a_chart_draws_what_can_be_drawn)
{
    const double x[] = {1, 0, 10, NAN, 100}, y[] = {5, 5, -1, 5, 50};
    struct chart_series series = {"points", x, y, 5, CHART_NUMBERED, 9, NULL};
    const struct chart_plane plane = {"title", "x", "y", &series, 1, true, true, false};
    struct ki_text text = KI_TEXT_INIT;

    chart_plane(&text, &plane);
    ck_assert_uint_eq(count(ki_text_string(&text), "class=\"mark f1\""),
                      3); // two points, and the one in the legend
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), ">5</text>")); // its number among all
    ki_text_clear(&text);
    series.look = CHART_LINE; // nothing between points that are not neighbours
    chart_plane(&text, &plane);
    ck_assert_uint_eq(count(ki_text_string(&text), "L"), 0);
    ki_text_clear(&text);
    series.count = 0;
    chart_plane(&text, &plane);
    ck_assert_str_eq(ki_text_string(&text), "");
    ki_text_free(&text);
}
END_TEST

START_TEST(linear_axes_have_negative_numbers_and_zero)
{
    const double x[] = {0, 1, 2}, y[] = {-0.25, 0, 0.5};
    const struct chart_series series = {NULL, x, y, 3, CHART_LINE_AND_POINTS, 0, NULL};
    const struct chart_plane plane = {"title", "x", "y", &series, 1, false, false, false};
    const struct chart_plane flat = {
        "title", "x",   "y",   &(struct chart_series){NULL, y, x, 1, CHART_LINE_AND_POINTS, 0, NULL},
        1,       false, false, false};
    struct ki_text text = KI_TEXT_INIT;

    chart_plane(&text, &plane);
    ck_assert_uint_eq(count(ki_text_string(&text), "<circle"), 3);
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), ">0</text>"));
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), ">-0.2</text>"));
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), ">0.5</text>"));
    ki_text_clear(&text);
    chart_plane(&text, &flat); // a single value
    ck_assert_uint_eq(count(ki_text_string(&text), "<circle"), 1);
    ck_assert_uint_eq(count(ki_text_string(&text), "nan"), 0);
    ck_assert_uint_eq(count(ki_text_string(&text), "inf"), 0);
    ki_text_free(&text);
}
END_TEST

// Of a line that is denser than the drawing, the peaks are kept, and where it is interrupted.
START_TEST(a_long_line_is_short_and_keeps_its_peaks)
{
    enum { COUNT = 200000 };
    double *x = malloc(COUNT * sizeof *x), *y = malloc(COUNT * sizeof *y);
    struct chart_series series = {.x = x, .y = y, .count = COUNT, .look = CHART_LINE};
    const struct chart_plane plane = {"title", "x", "y", &series, 1, false, false, false};
    struct ki_text text = KI_TEXT_INIT;
    size_t length;

    for (size_t i = 0; i < COUNT; i++) {
        x[i] = (double)i;
        y[i] = 0;
    }
    y[123456] = 1; // at 12 of the drawing, where 0 is at 292
    chart_plane(&text, &plane);
    length = strlen(ki_text_string(&text));
    ck_assert_uint_lt(length, 40000);
    ck_assert_uint_eq(count(ki_text_string(&text), "V12.0V292.0V292.0"), 1);
    ck_assert_uint_eq(count(ki_text_string(&text), "d=\"M"), 1);
    ki_text_clear(&text);
    y[150000] = NAN;
    chart_plane(&text, &plane);
    ck_assert_uint_eq(count(ki_text_string(&text), "M"), 2);
    ki_text_free(&text);
    free(x);
    free(y);
}
END_TEST

START_TEST(error_bars_are_within_the_axes)
{
    const double x[] = {1, 2, 3}, y[] = {1, 2, 3}, errors[] = {4, 0, NAN};
    const struct chart_series series = {
        .name = "a", .x = x, .y = y, .count = 3, .look = CHART_POINTS, .y_error = errors};
    const struct chart_plane linear = {"title", "x", "y", &series, 1, false, false, false};
    const struct chart_plane logarithmic = {"title", "x", "y", &series, 1, false, true, false};
    struct ki_text text = KI_TEXT_INIT;

    chart_plane(&text, &linear);
    ck_assert_uint_eq(count(ki_text_string(&text), "<circle"), 4);           // with the one in the legend
    ck_assert_uint_eq(count(ki_text_string(&text), "class=\"line s0\""), 1); // the only bar, and no line
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), ">-4</text>"));
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), ">6</text>"));
    ki_text_clear(&text);
    chart_plane(&text, &logarithmic); // the bar from -3 to 5 begins at the axis
    ck_assert_uint_eq(count(ki_text_string(&text), "class=\"line s0\""), 1);
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), " 292.0V"));
    ck_assert_uint_eq(count(ki_text_string(&text), "nan"), 0);
    ki_text_free(&text);
}
END_TEST

START_TEST(a_bar_stays_within_its_row)
{
    const struct chart_bar too_long = {
        .name = "a", .words = "b", .length = 7, .least = -1, .most = 9, .wrong = true};
    const struct chart_bar none = {.name = "a", .words = "b", .length = NAN};
    struct ki_text text = KI_TEXT_INIT;

    chart_bar(&text, &too_long);
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), "width=\"100.00%\""));
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), "x1=\"0.00%\" x2=\"100.00%\""));
    ck_assert_ptr_nonnull(strstr(ki_text_string(&text), "words wrong"));
    ki_text_clear(&text);
    chart_bar(&text, &none);
    ck_assert_ptr_null(strstr(ki_text_string(&text), "rect"));
    ki_text_free(&text);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {what_comes_from_outside_is_escaped,
                                  text_stays_what_it_is,
                                  a_chart_draws_what_can_be_drawn,
                                  linear_axes_have_negative_numbers_and_zero,
                                  a_long_line_is_short_and_keeps_its_peaks,
                                  error_bars_are_within_the_axes,
                                  a_bar_stays_within_its_row};

    return TEST_RUN("page", CK_FORK_GETENV, tests);
}
