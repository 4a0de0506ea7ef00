// SPDX-License-Identifier: Apache-2.0
// Plots: SVG that an XML parser takes, with each point drawn once, the words as they were given, and nothing
// left behind.
#include "support/support.h"

#include <math.h>

#include "base/array.h"
#include "cli/page/plot.h"
#include "support/run.h"

static char *folder;
static char path[4200];

static void make_folder(void)
{
    folder = test_folder();
    snprintf(path, sizeof path, "%s/plot.svg", folder);
}

static void remove_folder(void)
{
    test_remove(folder);
}

static size_t count_of(const char *text, const char *word)
{
    size_t count = 0;

    for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
        count++;
    return count;
}

static void expect_well_formed(void)
{
    char command[4400];

    if (system("command -v xmllint >/dev/null") == 0)
        snprintf(command, sizeof command, "xmllint --noout --nonet '%s'", path);
    else
        snprintf(command, sizeof command,
                 "python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' '%s'", path);
    ck_assert_int_eq(system(command), 0);
}

static void expect_word(const char *text, const char *word)
{
    ck_assert_msg(strstr(text, word) != NULL, "the SVG has no '%s'", word);
}

#define LINE(name_, x_, y_, count_)                                                                          \
    {                                                                                                        \
        .name = name_, .x = x_, .y = y_, .count = count_                                                     \
    }

static const double sizes[] = {1e3, 1e4, 1e5, 1e6}, times[] = {0.5, 2, 30, 400}, others[] = {1, 3, 20, 100};

// A plot of one panel, to the file.
static kn_status draw(const struct chart_plane *panel, bool force, kn_error *err)
{
    const struct plot_target to = {.path = path, .force = force};

    return plot_draw(&to, &(struct plot){panel->title, panel, 1}, err);
}

// The text of the file, after it was drawn; the caller frees it.
static char *drawn(const struct chart_plane *panel)
{
    kn_error err = KN_ERROR_INIT;

    ck_assert_msg(draw(panel, true, &err) == KN_OK, "%s", err.text);
    expect_well_formed();
    return test_read_text(path);
}

START_TEST(test_points_axes_and_legend)
{
    const struct chart_series series[] = {LINE("cuda:0", sizes, times, 4),
                                          LINE("opencl:0.0", sizes, others, 3)};
    const struct chart_plane panel = {"Sorting", "keys", "ms", series, KI_COUNT(series), true, true, false};
    kn_error err = KN_ERROR_INIT;
    char *text;

    ck_assert_msg(draw(&panel, false, &err) == KN_OK, "%s", err.text);
    expect_well_formed();
    text = test_read_text(path);
    for (const char *const *word =
             (const char *const[]){"Sorting", "keys", "ms", "cuda:0", "opencl:0.0", NULL};
         *word; word++)
        expect_word(text, *word);
    // Each series has a colour, a dash and a shape of its own, and one more point in the legend.
    ck_assert_uint_eq(count_of(text, "class=\"mark f0\""), 4 + 1);
    ck_assert_uint_eq(count_of(text, "class=\"mark f1\""), 3 + 1);
    ck_assert_uint_eq(count_of(text, "class=\"line s1 d1\""), 2);
    ck_assert_uint_eq(count_of(text, "href"), 0);
    free(text);
    ck_assert_int_eq(draw(&panel, false, &err), KN_ERROR_OUTPUT); // it is there now
    ck_assert_int_eq(draw(&panel, true, &err), KN_OK);
}
END_TEST

// Panels have their titles and points, one legend, and one name for the axis below. In a page each panel is a
// figure with everything.
START_TEST(test_panels)
{
    const struct chart_series series[] = {LINE("here", sizes, times, 4), LINE("there", sizes, others, 4)};
    const struct chart_series nothing = LINE("nothing", sizes, times, 0);
    struct chart_plane panels[] = {{"upper", "rows", "ms", series, 2, false, false, true},
                                   {"lower", "rows", "ms", series, 2, true, true, false}};
    const struct plot plot = {"whole", panels, 2};
    struct ki_text page = KI_TEXT_INIT;
    const struct plot_target file = {.path = path, .force = true}, figures = {.page = &page};
    kn_error err = KN_ERROR_INIT;
    char *text;

    ck_assert_msg(plot_draw(&file, &plot, &err) == KN_OK, "%s", err.text);
    expect_well_formed();
    text = test_read_text(path);
    for (const char *const *word =
             (const char *const[]){">whole<", ">upper<", ">lower<", ">rows<", ">here<", ">there<", NULL};
         *word; word++)
        ck_assert_msg(count_of(text, *word) == 1, "the SVG has '%s' %zu times", *word, count_of(text, *word));
    ck_assert_uint_eq(count_of(text, ">ms<"), 2);
    ck_assert_uint_eq(count_of(text, "class=\"mark"), 8 + 8 + 2);
    free(text);
    ck_assert_int_eq(plot_draw(&figures, &plot, &err), KN_OK);
    ck_assert_uint_eq(count_of(ki_text_string(&page), "<figure>"), 2);
    ck_assert_uint_eq(count_of(ki_text_string(&page), ">whole: upper<"), 1);
    ck_assert_uint_eq(count_of(ki_text_string(&page), ">rows<"), 2);
    ck_assert_uint_eq(count_of(ki_text_string(&page), "class=\"mark"), 8 + 8 + 4);
    ki_text_free(&page);
    panels[0].series = &nothing;
    panels[0].count = 1;
    ck_assert_int_eq(plot_draw(&file, &plot, &err), KN_ERROR_ARGUMENT);
    expect_word(err.text, "'upper' has no point");
}
END_TEST

// A logarithmic axis between two powers of ten has numbers all the same, and a short one those of its ends.
START_TEST(test_numbers_of_logarithmic_axes)
{
    static const struct {
        double x[3];
        const char *words[6];
    } rows[] = {{{16, 32, 40}, {">20<", ">30<", ">40<"}},
                {{3, 9, 60}, {">5<", ">10<", ">20<", ">50<"}},
                {{300, 301, 310}, {">300<", ">310<"}},
                {{7, 7, 7}, {">5<", ">10<", ">20<"}},
                {{1, 50, 1000}, {">1<", ">10<", ">100<", ">1000<"}},
                {{1e3, 1e6, 1e12}, {">100<", ">1M<", ">1T<"}}};
    static const double y[] = {1, 2, 3};

    for (size_t r = 0; r < KI_COUNT(rows); r++) {
        const struct chart_series series[] = {LINE("a", rows[r].x, y, 3)};
        const struct chart_plane panel = {"Times", "offset", "s", series, 1, true, false, false};
        char *text = drawn(&panel);

        for (size_t w = 0; rows[r].words[w]; w++)
            ck_assert_msg(count_of(text, rows[r].words[w]) > 0, "axis %zu has no %s", r, rows[r].words[w]);
        free(text);
    }
}
END_TEST

// Ticks can be told from each other wherever an axis is, and it has 0 where that is near.
START_TEST(test_numbers_of_linear_axes)
{
    static const struct {
        double x[2];
        const char *words[3];
    } rows[] = {{{1.6e9, 1.6e9 + 30}, {">1600000000<", ">1600000030<"}},
                {{0.2, 1}, {">0<", ">1<"}},
                {{-0.25, 0.5}, {">0<", ">0.5<"}},
                {{5e-9, 5e-9}, {">0<"}}};
    static const double y[] = {1, 2};

    for (size_t r = 0; r < KI_COUNT(rows); r++) {
        const struct chart_series series[] = {LINE("a", rows[r].x, y, 2)};
        const struct chart_plane panel = {"Times", "offset", "s", series, 1, false, false, false};
        char *text = drawn(&panel);

        for (size_t w = 0; w < KI_COUNT(rows[r].words) && rows[r].words[w]; w++)
            ck_assert_msg(count_of(text, rows[r].words[w]) > 0, "axis %zu has no %s", r, rows[r].words[w]);
        ck_assert_uint_eq(count_of(text, "nan") + count_of(text, "inf"), 0);
        free(text);
    }
}
END_TEST

// Points alone are not joined, and lines alone have no points; those with errors have bars.
START_TEST(test_looks)
{
    static const double errors[] = {1, NAN, 2, 3};
    struct chart_series series[] = {
        {.name = "measured", .x = sizes, .y = times, .count = 4, .look = CHART_POINTS},
        {.name = "fitted", .x = sizes, .y = others, .count = 4, .look = CHART_LINE}};
    const struct chart_plane panel = {"Growth", "t", "R", series, 2, false, false, false};
    char *text = drawn(&panel);

    ck_assert_uint_eq(count_of(text, "class=\"mark"), 4 + 1);
    ck_assert_uint_eq(count_of(text, "class=\"line s0"), 0);
    ck_assert_uint_eq(count_of(text, "class=\"line s1 d1\""), 2);
    free(text);
    series[0].y_error = errors;
    text = drawn(&panel);
    ck_assert_uint_eq(count_of(text, "class=\"mark"), 4 + 1);
    ck_assert_uint_eq(count_of(text, "class=\"line s0\""), 3);
    free(text);
}
END_TEST

// A long series keeps its line and loses most of its marks.
START_TEST(test_marks_of_a_long_series)
{
    enum { LONG = 1000 };
    double x[LONG], y[LONG];
    const struct chart_series series[] = {LINE("y", x, y, LONG)};
    const struct chart_plane panel = {"t", "x", "y", series, 1, false, false, false};
    char *text;

    for (size_t i = 0; i < LONG; i++) {
        x[i] = (double)i;
        y[i] = (double)(i % 7);
    }
    text = drawn(&panel);
    ck_assert_uint_eq(count_of(text, "class=\"mark"), 24 + 1);
    free(text);
}
END_TEST

START_TEST(test_what_cannot_be_drawn)
{
    const double x[] = {1, 2, 3, 4, 5}, y[] = {1, (double)NAN, 0, -1, (double)INFINITY};
    const struct chart_series series[] = {LINE("y", x, y, 5)}, nothing[] = {LINE("nothing", x + 1, y + 1, 1)};
    struct chart_plane panel = {"t", "x", "y", series, 1, false, false, false};
    struct ki_text page = KI_TEXT_INIT;
    const struct plot_target figures = {.page = &page};
    kn_error err = KN_ERROR_INIT;
    char *text = drawn(&panel);

    ck_assert_uint_eq(count_of(text, "class=\"mark"), 3 + 1);
    free(text);
    panel.log_y = true;
    text = drawn(&panel);
    ck_assert_uint_eq(count_of(text, "class=\"mark"), 1 + 1);
    free(text);
    panel.series = nothing;
    remove(path);
    ck_assert_int_eq(draw(&panel, true, &err), KN_ERROR_ARGUMENT);
    expect_word(err.text, "no point");
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(plot_draw(&figures, &(struct plot){"t", &panel, 1}, &err), KN_OK); // a page goes on
    ck_assert_str_eq(ki_text_string(&page), "");
    ki_text_free(&page);
}
END_TEST

// Words that mean something to XML stay words.
START_TEST(test_words_stay_words)
{
    const char hostile[] = "it's <script>alert(1)</script> ]]> <!-- <b>&amp; \"q\" \\n %g\tüß\x01\xff";
    const struct chart_series series[] = {LINE(hostile, sizes, times, 2)};
    struct chart_plane panels[] = {{hostile, hostile, hostile, series, 1, false, false, false},
                                   {hostile, hostile, hostile, series, 1, false, false, false}};
    const struct plot_target file = {.path = path, .force = true};
    kn_error err = KN_ERROR_INIT;

    for (size_t count = 1; count <= 2; count++) {
        char *text;

        ck_assert_msg(plot_draw(&file, &(struct plot){hostile, panels, count}, &err) == KN_OK, "%s",
                      err.text);
        expect_well_formed();
        text = test_read_text(path);
        ck_assert_uint_eq(count_of(text, "<script"), 0);
        ck_assert_uint_eq(count_of(text, "&lt;script&gt;alert(1)"), count == 1 ? 4 : 8);
        expect_word(text, "üß\xef\xbf\xbd\xef\xbf\xbd");
        free(text);
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {
        test_points_axes_and_legend, test_panels,          test_numbers_of_logarithmic_axes,
        test_numbers_of_linear_axes, test_looks,           test_marks_of_a_long_series,
        test_what_cannot_be_drawn,   test_words_stay_words};

    return TEST_RUN_WITH("plot", CK_FORK, make_folder, remove_folder, tests);
}
