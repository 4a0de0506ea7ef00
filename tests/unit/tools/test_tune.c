// SPDX-License-Identifier: Apache-2.0
// Tests measurements of tunables: with an algorithm whose answers, errors and times the test determines, and
// in separate processes, some of which a candidate crashes.
#include "support/buffers.h"

#include <koine/experimental.h>
#include "support/run.h"

#include <math.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include "tools/tune/journal.h"
#include "tools/tune/tune.h"
#include "base/error.h"
#include "engine/device/tuning.h"

#include "tune_support.h"

// ---- an algorithm that does as it is told ----

enum {
    COUNT = 100,
    USUAL_PAUSE = 30,
    RIGHT = 0,
    CLOSE,
    WRONG,
    SILENT,
    FAILING,
    REFUSED,
    FAULTS,
    CRASHING,
    LEAVING,
    CRASHING_LATE
};

static const kn_tunables told = {"told", "algo/reduce.cl", {"PAUSE", "FAULT", NULL}};
static size_t runs;

static const kn_tunables *told_tunables(void)
{
    return &told;
}

static void told_values(const kn_queue *on, unsigned *values)
{
    values[0] = USUAL_PAUSE; // milliseconds
    values[1] = RIGHT;
    (void)ki_engine_tuning(kn_queue_get_context(on), &told, values);
}

static const struct tune_axis *told_axes(const kn_queue *on)
{
    static const struct tune_axis axes[] = {{2, {20, 2}},
                                            {6, {RIGHT, CLOSE, WRONG, SILENT, FAILING, REFUSED}}};

    (void)on;
    return axes;
}

static kn_status told_usual(const struct tune_work *work, unsigned *values, kn_error *why)
{
    (void)work;
    (void)why;
    values[0] = USUAL_PAUSE;
    values[1] = RIGHT;
    return KN_OK;
}

static kn_status told_open(struct tune_work *work, kn_error *why)
{
    return kn_buffer_create(kn_queue_get_context(work->queue), COUNT * sizeof(float), &work->result, why);
}

static void told_close(struct tune_work *work)
{
    (void)work;
}

// Ends the process like a fault in a driver, whatever signal handlers are installed.
static void crash(void)
{
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
}

static kn_status told_run(struct tune_work *work, kn_error *why)
{
    unsigned values[KN_TUNABLES];
    float numbers[COUNT];

    runs++;
    told_values(work->queue, values);
    if (values[1] == REFUSED)
        ki_engine_tuning_refuse(kn_queue_get_context(work->queue), &told, "fault %u", values[1]);
    if (values[1] == FAILING) {
        if (why)
            snprintf(why->text, sizeof why->text, "no such kernel\nand more lines");
        return KN_ERROR_BUILD;
    }
    if (values[1] == CRASHING || (values[1] == CRASHING_LATE && runs > 12))
        crash();
    if (values[1] == LEAVING)
        _exit(3);
    // Faulty candidates are fast, so that one of them would be the best if it counted.
    nanosleep(&(struct timespec){.tv_nsec = (long)(values[1] <= CLOSE ? values[0] : 0) * 1000000}, NULL);
    for (size_t i = 0; i < COUNT; i++)
        numbers[i] = values[1] == WRONG && i == 77 ? 0 : (float)i * (values[1] == CLOSE ? 1 + 0x1p-20f : 1);
    return values[1] == SILENT ? KN_OK
                               : kn_buffer_write(work->queue, work->result, 0, numbers, sizeof numbers, why);
}

static struct tune_subject told_subject(double bound)
{
    return (struct tune_subject){.tunables = told_tunables,
                                 .what = "what it is told",
                                 .bound = bound,
                                 .axes = told_axes,
                                 .usual = told_usual,
                                 .open = told_open,
                                 .close = told_close,
                                 .run = told_run};
}

static const struct tune_row *row_of(const struct tune_report *report, unsigned pause, unsigned fault)
{
    for (size_t i = 0; i < report->count; i++)
        if (report->rows[i].values[0] == pause && report->rows[i].values[1] == fault)
            return &report->rows[i];
    ck_abort_msg("no row of %u, %u", pause, fault);
    return NULL;
}

START_TEST(measured)
{
    const struct tune_subject subject = told_subject(0x1p-19);
    struct tune_report report;
    struct tune_row best;
    unsigned values[KN_TUNABLES];
    kn_error why = KN_ERROR_INIT;

    ck_assert_msg(tune_measure(queue, &subject, true, 0, NULL, &report, &why) == KN_OK, "%s", why.text);
    ck_assert_uint_eq(report.count, 1 + 2 + 5);
    ck_assert_uint_eq(report.rows[0].values[0], USUAL_PAUSE);
    best = report.rows[report.best];
    ck_assert_uint_eq(best.values[0], 2);
    ck_assert_uint_le(best.values[1], CLOSE);
    ck_assert_double_ge(best.seconds, 0.002);
    ck_assert_double_ge(report.rows[0].seconds, 0.03);
    ck_assert_double_ge(row_of(&report, 2, CLOSE)->seconds, 0);
    ck_assert_double_gt(row_of(&report, 2, CLOSE)->error, 0);
    for (unsigned fault = WRONG; fault < FAULTS; fault++)
        ck_assert_double_lt(row_of(&report, 2, fault)->seconds, 0);
    ck_assert_ptr_nonnull(strstr(row_of(&report, 2, WRONG)->why, "is off by"));
    ck_assert_ptr_nonnull(strstr(row_of(&report, 2, SILENT)->why, "is off by inf"));
    ck_assert_str_eq(row_of(&report, 2, FAILING)->why, "no such kernel");
    ck_assert_str_eq(row_of(&report, 2, REFUSED)->why, "fault 5");

    // Nothing is kept until tune_keep is called; then later contexts use it.
    told_values(queue, values);
    ck_assert_uint_eq(values[0], USUAL_PAUSE);
    ck_assert_msg(tune_keep(queue, &report, &why) == KN_OK, "%s", why.text);
    open_again();
    told_values(queue, values);
    ck_assert_mem_eq(values, best.values, 2 * sizeof *values);
    tune_free(&report);
}
END_TEST

// ---- candidates that end the process ----

static const struct tune_axis *deadly_axes(const kn_queue *on)
{
    static const struct tune_axis axes[] = {{2, {20, 2}}, {4, {CRASHING, WRONG, LEAVING, CLOSE}}};

    (void)on;
    return axes;
}

static const struct tune_axis *late_axes(const kn_queue *on)
{
    static const struct tune_axis axes[] = {{1, {2}}, {1, {CRASHING_LATE}}};

    (void)on;
    return axes;
}

static kn_status deadly_usual(const struct tune_work *work, unsigned *values, kn_error *why)
{
    crash();
    return told_usual(work, values, why);
}

static kn_status told_nowhere(struct tune_work *work, kn_error *why)
{
    (void)work;
    return ki_fail(why, KN_ERROR_LIMIT, "no room for this\nat all");
}

// What a separate process measures, selected by the first word of its command line.
static struct tune_subject subject_named(const char *name)
{
    struct tune_subject subject = told_subject(0x1p-19);

    if (strcmp(name, "--deadly") == 0)
        subject.axes = deadly_axes;
    if (strcmp(name, "--late") == 0)
        subject.axes = late_axes;
    if (strcmp(name, "--own") == 0)
        subject.usual = deadly_usual;
    if (strcmp(name, "--nowhere") == 0)
        subject.open = told_nowhere;
    return subject;
}

// The main function of such a process: like a command, it runs without Check.
static int measure_for_another(const char *name, const char *folder, const char *journal)
{
    const kn_context_options options = KN_INIT(kn_context_options, .cache_dir = folder);
    const struct tune_subject subject = subject_named(name);
    struct tune_report report = {.rows = NULL};
    kn_status status = kn_context_open(NULL, &options, &context, &err);

    if (!status)
        status = kn_queue_open(context, &queue, &err);
    if (!status && strcmp(name, "--mute") == 0)
        crash();
    if (!status)
        status = tune_measure(queue, &subject, true, 0, journal, &report, &err);
    printf("%s: %s\n", name, status ? err.text : "measured");
    tune_free(&report);
    kn_queue_close(queue);
    kn_context_close(context);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}

static kn_status measure_apart(const char *name, struct tune_report *report, struct ki_text *said)
{
    const struct tune_subject subject = subject_named(name);
    const char *const arguments[] = {"/proc/self/exe", name, cache_dir, NULL};

    return tune_measure_apart(&subject, arguments, report, said, &err);
}

START_TEST(crashes_are_rows)
{
    struct tune_report report;
    struct ki_text said = KI_TEXT_INIT;
    unsigned values[KN_TUNABLES];

    EXPECT_OK(measure_apart("--deadly", &report, &said));
    ck_assert_uint_eq(report.count, 1 + 2 + 4);
    ck_assert_uint_eq(report.rows[0].values[0], USUAL_PAUSE);
    ck_assert_double_ge(report.rows[0].seconds, 0.03);
    ck_assert_str_eq(row_of(&report, 2, CRASHING)->why, "crashed: signal 11");
    ck_assert_double_lt(row_of(&report, 2, CRASHING)->seconds, 0);
    ck_assert_str_eq(row_of(&report, 2, LEAVING)->why, "ended the process with status 3");
    ck_assert_double_lt(row_of(&report, 2, LEAVING)->seconds, 0);
    ck_assert_ptr_nonnull(strstr(row_of(&report, 2, WRONG)->why, "is off by"));
    ck_assert_double_gt(row_of(&report, 2, CLOSE)->error, 0);
    ck_assert_uint_eq(report.rows[report.best].values[0], 2);
    ck_assert_uint_le(report.rows[report.best].values[1], CLOSE);
    // The candidates after those two were measured by the third process, the one that finished.
    ck_assert_ptr_nonnull(strstr(ki_text_string(&said), "--deadly: measured\n"));
    // It kept the best.
    open_again();
    told_values(queue, values);
    ck_assert_mem_eq(values, report.rows[report.best].values, 2 * sizeof *values);
    ki_text_free(&said);
    tune_free(&report);
}
END_TEST

// The best candidate crashes when it is measured again: the algorithm's own values remain the best.
START_TEST(crashes_at_last)
{
    struct tune_report report;
    struct ki_text said = KI_TEXT_INIT;

    EXPECT_OK(measure_apart("--late", &report, &said));
    ck_assert_uint_eq(report.count, 3);
    ck_assert_str_eq(row_of(&report, 2, CRASHING_LATE)->why, "crashed: signal 11");
    ck_assert_double_lt(row_of(&report, 2, CRASHING_LATE)->seconds, 0);
    ck_assert_uint_eq(report.best, 0);
    ki_text_free(&said);
    tune_free(&report);
}
END_TEST

START_TEST(apart_failures)
{
    struct tune_report report;
    struct ki_text said = KI_TEXT_INIT;

    EXPECT_REFUSED(KN_ERROR_DEVICE, "its own values crashed: signal 11",
                   measure_apart("--own", &report, &said));
    tune_free(&report);
    EXPECT_REFUSED(KN_ERROR_LIMIT, "no room for this", measure_apart("--nowhere", &report, &said));
    tune_free(&report);
    EXPECT_REFUSED(KN_ERROR_DEVICE, "outside of any candidate", measure_apart("--mute", &report, &said));
    tune_free(&report);
    ki_text_free(&said);
}
END_TEST

// A journal that ends within a line is read up to that line; a journal of another measurement, or with a bad
// line, is refused.
START_TEST(journals)
{
    const struct tune_subject subject = told_subject(0);
    char path[4200];
    struct tune_report report;
    struct tune_past past;
    FILE *file;

    snprintf(path, sizeof path, "%s/journal", cache_dir);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("try 0 0\nrow 0x1p+0 0x0p+0 30 0 \ntry 20 0\nrow 0x1p-1 0x0p+0 20 0 a word\ntry 2 0\nrow 0x1p-",
          file);
    ck_assert_int_eq(fclose(file), 0);
    EXPECT_OK(tune_past_read(path, &told, &past, &err));
    ck_assert_uint_eq(past.count, 2);
    ck_assert(past.pending && !past.once_more && !past.ended);
    ck_assert_double_eq(past.rows[1].seconds, 0.5);
    ck_assert_str_eq(past.rows[1].why, "a word");
    tune_past_free(&past);

    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("try 0 0\nrow 0x1p+0 0x0p+0 30 0 \ntry 21 0\nrow 0x1p-1 0x0p+0 21 0 \n", file);
    ck_assert_int_eq(fclose(file), 0);
    EXPECT_REFUSED(KN_ERROR_INPUT, "of another measurement",
                   tune_measure(queue, &subject, true, 0, path, &report, &err));
    tune_free(&report);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs("try 0 0\nrow 0x1p+0 no number\n", file);
    ck_assert_int_eq(fclose(file), 0);
    EXPECT_REFUSED(KN_ERROR_INPUT, "journal:2", tune_measure(queue, &subject, true, 0, path, &report, &err));
    tune_free(&report);
}
END_TEST

// Without a bound, the bytes of results must be equal; and values that were kept earlier do not replace the
// algorithm's own as the reference.
START_TEST(exact)
{
    const struct tune_subject subject = told_subject(0);
    const unsigned kept[] = {1, WRONG};
    struct tune_report report;
    unsigned values[KN_TUNABLES];

    EXPECT_OK(kn_tuning_keep(context, &told, kept, "", &err));
    runs = 0;
    EXPECT_OK(tune_measure(queue, &subject, true, 0, NULL, &report, &err));
    ck_assert_double_lt(row_of(&report, 2, CLOSE)->seconds, 0);
    ck_assert_uint_eq(report.rows[report.best].values[0], 2);
    ck_assert_uint_eq(report.rows[report.best].values[1], RIGHT);
    ck_assert_uint_ge(runs, 3 * 4 + 4); // three that count run several times, faulty ones once
    told_values(queue, values);
    ck_assert_mem_eq(values, kept, sizeof kept);
    tune_free(&report);
}
END_TEST

START_TEST(described)
{
    static const char *const names[] = {"none", "much", NULL};
    struct tune_subject subject = told_subject(0);
    const unsigned values[] = {5, 1}, strange[] = {5, 9};
    struct ki_text text = KI_TEXT_INIT;

    subject.value_names[1] = names;
    tune_describe(&subject, values, &text);
    ki_text_add(&text, "; ");
    tune_describe(&subject, strange, &text);
    ck_assert_str_eq(ki_text_string(&text), "PAUSE 5, FAULT much; PAUSE 5, FAULT 9");
    ki_text_free(&text);
}
END_TEST

int main(int argc, char **argv)
{
    const TTest *const tests[] = {measured,        exact,          described, crashes_are_rows,
                                  crashes_at_last, apart_failures, journals};

    if (argc == 4)
        return measure_for_another(argv[1], argv[2], argv[3]);
    return test_run("tune", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
