// SPDX-License-Identifier: Apache-2.0
// Plots: SVG that an XML parser takes, with each point drawn once, the words as they were given, and nothing
// left behind.
#include "support/support.h"

#include <dirent.h>
#include <math.h>

#include "base/array.h"
#include "io/plot.h"
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

// False, after a line that says so, where gnuplot is not installed; a failure if KOINE_REQUIRE lists
// "gnuplot".
static bool can_plot(void)
{
    if (plot_available())
        return true;
    ck_assert_msg(!test_require("gnuplot"), "gnuplot is not installed (KOINE_REQUIRE lists gnuplot)");
    fprintf(stderr, "skipped: gnuplot is not installed\n");
    return false;
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

#define LINE(name, x, y, count)                                                                              \
    {                                                                                                        \
        name, x, y, count, PLOT_LINE_AND_POINTS, NULL                                                        \
    }

static const double sizes[] = {1e3, 1e4, 1e5, 1e6}, times[] = {0.5, 2, 30, 400}, others[] = {1, 3, 20, 100};

START_TEST(test_points_axes_and_legend)
{
    const struct plot_series series[] = {LINE("cuda:0", sizes, times, 4),
                                         LINE("opencl:0.0", sizes, others, 3)};
    const struct plot plot = {"Sorting", "keys", "ms", true, true, series, KI_COUNT(series), false};
    kn_error err = KN_ERROR_INIT;
    char *text;

    if (!can_plot())
        return;
    ck_assert_msg(plot_write(path, &plot, false, &err) == KN_OK, "%s", err.text);
    expect_well_formed();
    text = test_read_text(path);
    for (const char *const *word =
             (const char *const[]){"Sorting", "keys", "ms", "cuda:0", "opencl:0.0", NULL};
         *word; word++)
        expect_word(text, *word);
    // gnuplot draws a point as a <use> of its shape where it stands, and one more in the legend.
    ck_assert_uint_eq(count_of(text, "' transform='translate("), 4 + 1 + 3 + 1);
    free(text);
    ck_assert_int_eq(plot_write(path, &plot, false, &err), KN_ERROR_OUTPUT); // it is there now
    ck_assert_int_eq(plot_write(path, &plot, true, &err), KN_OK);
}
END_TEST

// Panels have their titles and points, one legend, and one name for the axis below.
START_TEST(test_page_of_panels)
{
    const struct plot_series series[] = {LINE("here", sizes, times, 4), LINE("there", sizes, others, 4)};
    const struct plot_series nothing = LINE("nothing", sizes, times, 0);
    struct plot panels[] = {{"upper", "rows", "ms", false, false, series, 2, true},
                            {"lower", "rows", "ms", true, true, series, 2, false}};
    const struct plot_page page = {"whole", panels, 2};
    kn_error err = KN_ERROR_INIT;
    char *text;

    if (!can_plot())
        return;
    ck_assert_msg(plot_write_page(path, &page, false, &err) == KN_OK, "%s", err.text);
    expect_well_formed();
    text = test_read_text(path);
    for (const char *const *word =
             (const char *const[]){"whole", "upper", "lower", "rows", "here", "there", NULL};
         *word; word++)
        ck_assert_msg(count_of(text, *word) >= 1, "the SVG has no '%s'", *word);
    ck_assert_uint_eq(count_of(text, ">rows<"), 1);
    ck_assert_uint_eq(count_of(text, ">ms<"), 2);
    ck_assert_uint_eq(count_of(text, "' transform='translate("), 8 + 8 + 2);
    free(text);
    panels[0].series = &nothing;
    panels[0].series_count = 1;
    ck_assert_int_eq(plot_write_page(path, &page, true, &err), KN_ERROR_ARGUMENT);
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
                {{1, 50, 1000}, {">1<", ">10<", ">100<", ">1000<"}}};
    static const double y[] = {1, 2, 3};

    for (size_t r = 0; r < KI_COUNT(rows) && can_plot(); r++) {
        const struct plot_series series[] = {LINE("a", rows[r].x, y, 3)};
        const struct plot plot = {"Times", "offset", "s", true, false, series, 1, false};
        kn_error err = KN_ERROR_INIT;
        char *text;

        ck_assert_msg(plot_write(path, &plot, true, &err) == KN_OK, "%s", err.text);
        text = test_read_text(path);
        for (size_t w = 0; rows[r].words[w]; w++)
            ck_assert_msg(count_of(text, rows[r].words[w]) > 0, "axis %zu has no %s", r, rows[r].words[w]);
        free(text);
    }
}
END_TEST

// Points alone are not joined, and lines alone have no points; those with errors have bars.
START_TEST(test_looks)
{
    static const double errors[] = {1, NAN, 2, 3};
    struct plot_series series[] = {{"measured", sizes, times, 4, PLOT_POINTS, NULL},
                                   {"fitted", sizes, others, 4, PLOT_LINE, NULL}};
    const struct plot plot = {"Growth", "t", "R", false, false, series, 2, false};
    kn_error err = KN_ERROR_INIT;
    size_t paths;
    char *text;

    if (!can_plot())
        return;
    ck_assert_msg(plot_write(path, &plot, true, &err) == KN_OK, "%s", err.text);
    text = test_read_text(path);
    ck_assert_uint_eq(count_of(text, "' transform='translate("), 4 + 1);
    paths = count_of(text, "<path");
    free(text);
    series[0].y_error = errors;
    ck_assert_msg(plot_write(path, &plot, true, &err) == KN_OK, "%s", err.text);
    text = test_read_text(path);
    // Behind a point with bars gnuplot draws one in the background's colour.
    ck_assert_uint_eq(count_of(text, "color='rgb(  0, 114, 178)'/>"), 4 + 1);
    ck_assert_uint_gt(count_of(text, "<path"), paths);
    free(text);
}
END_TEST

// A long series keeps its line and loses most of its marks.
START_TEST(test_marks_of_a_long_series)
{
    enum { LONG = 1000 };
    double x[LONG], y[LONG];
    const struct plot_series series[] = {LINE("y", x, y, LONG)};
    const struct plot plot = {"t", "x", "y", false, false, series, 1, false};
    kn_error err = KN_ERROR_INIT;
    char *text;
    size_t marks;

    if (!can_plot())
        return;
    for (size_t i = 0; i < LONG; i++) {
        x[i] = (double)i;
        y[i] = (double)(i % 7);
    }
    ck_assert_msg(plot_write(path, &plot, false, &err) == KN_OK, "%s", err.text);
    text = test_read_text(path);
    marks = count_of(text, "' transform='translate(");
    ck_assert_uint_ge(marks, 20);
    ck_assert_uint_le(marks, 30);
    free(text);
}
END_TEST

START_TEST(test_what_cannot_be_drawn)
{
    const double x[] = {1, 2, 3, 4, 5}, y[] = {1, (double)NAN, 0, -1, (double)INFINITY};
    const struct plot_series series[] = {LINE("y", x, y, 5)};
    struct plot plot = {"t", "x", "y", false, false, series, 1, false};
    kn_error err = KN_ERROR_INIT;
    char *text;

    if (!can_plot())
        return;
    ck_assert_int_eq(plot_write(path, &plot, false, &err), KN_OK);
    text = test_read_text(path);
    ck_assert_uint_eq(count_of(text, "' transform='translate("), 3 + 1);
    free(text);
    plot.log_y = true;
    ck_assert_int_eq(plot_write(path, &plot, true, &err), KN_OK);
    text = test_read_text(path);
    ck_assert_uint_eq(count_of(text, "' transform='translate("), 1 + 1);
    free(text);
    plot.series = &(struct plot_series)LINE("nothing", x + 1, y + 1, 1);
    ck_assert_int_eq(plot_write(path, &plot, true, &err), KN_ERROR_ARGUMENT);
    expect_word(err.text, "no point");
}
END_TEST

// Words that mean something to gnuplot, to XML or to a shell stay words.
START_TEST(test_words_stay_words)
{
    const char hostile[] = "it's `touch pwned` @x_1^2 {/Bold b} <b>&amp; \"q\" \\n %g\tüß";
    const struct plot_series series[] = {LINE(hostile, sizes, times, 2)};
    const struct plot plot = {hostile, hostile, "'; system('touch pwned'); '", false, false, series,
                              1,       false};
    kn_error err = KN_ERROR_INIT;
    char *text;

    if (!can_plot())
        return;
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_msg(plot_write(path, &plot, false, &err) == KN_OK, "%s", err.text);
    expect_well_formed();
    text = test_read_text(path);
    expect_word(text, "it's `touch pwned` @x_1^2 {/Bold b} &lt;b");
    expect_word(text, "system('touch pwned')");
    expect_word(text, "üß");
    free(text);
    ck_assert_int_ne(access("pwned", F_OK), 0);
}
END_TEST

// A start-up file of the user's is not read, and of the work only the plot stays.
START_TEST(test_nothing_else)
{
    const struct plot_series series[] = {LINE("y", sizes, times, 4)};
    const struct plot plot = {"t", "x", "y", true, false, series, 1, false};
    char temporary[4200], rc[4300];
    kn_error err = KN_ERROR_INIT;
    struct dirent *entry;
    FILE *file;
    DIR *dir;

    if (!can_plot())
        return;
    snprintf(temporary, sizeof temporary, "%s/tmp", folder);
    snprintf(rc, sizeof rc, "%s/.gnuplot", folder);
    ck_assert_int_eq(mkdir(temporary, 0700), 0);
    file = fopen(rc, "w");
    ck_assert_ptr_nonnull(file);
    fputs("exit status 7\n", file);
    fclose(file);
    setenv("HOME", folder, 1);
    setenv("TMPDIR", temporary, 1);
    ck_assert_msg(plot_write(path, &plot, false, &err) == KN_OK, "%s", err.text);
    dir = opendir(temporary);
    ck_assert_ptr_nonnull(dir);
    while ((entry = readdir(dir)))
        ck_assert_msg(entry->d_name[0] == '.', "%s stayed", entry->d_name);
    closedir(dir);
}
END_TEST

START_TEST(test_without_gnuplot)
{
    const struct plot_series series[] = {LINE("y", sizes, times, 4)};
    const struct plot plot = {"t", "x", "y", true, false, series, 1, false};
    kn_error err = KN_ERROR_INIT;
    char *usual = strdup(getenv("PATH"));

    ck_assert_ptr_nonnull(usual);
    setenv("PATH", folder, 1);
    ck_assert(!plot_available());
    ck_assert_int_eq(plot_write(path, &plot, false, &err), KN_ERROR_UNSUPPORTED);
    setenv("PATH", usual, 1);
    free(usual);
    expect_word(err.text, "gnuplot");
    ck_assert_int_ne(access(path, F_OK), 0);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {test_points_axes_and_legend,
                            test_page_of_panels,
                            test_numbers_of_logarithmic_axes,
                            test_looks,
                            test_marks_of_a_long_series,
                            test_what_cannot_be_drawn,
                            test_words_stay_words,
                            test_nothing_else,
                            test_without_gnuplot};

    return TEST_RUN_WITH("plot", CK_FORK, make_folder, remove_folder, tests);
}
