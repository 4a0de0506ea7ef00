// SPDX-License-Identifier: Apache-2.0
// The method of koine compare, on a fake job: the order of calls, the rows for wrong answers, failures and
// too little memory, and how rates, ceilings and ratios are computed. Then the library's own jobs.
#include "support/buffers.h"
#include "support/run.h"

#include <math.h>
#include <unistd.h>

#include "tools/compare/columns.h"
#include "tools/compare/measure.h"

enum { CALLS = 256 };

// The behaviour of the fake job, and the calls it received: 'e' enter, 't' reset, 'r' run, 'c' check, 'l'
// leave; 'h' run on the host.
static struct {
    char calls[CALLS];
    int places[CALLS];
    size_t count;
    double errors[3]; // that check reports, by place
    int fails_in;     // the place whose run fails; -1: none
    kn_status failure;
    size_t memory; // bytes per unit of n
    size_t sizes[8], size_count;
} fake;

struct own {
    int place;
};

static int places_entered;

static void note(char call, const struct compare_work *work)
{
    const struct own *own = work->own;

    ck_assert_uint_lt(fake.count, CALLS - 1);
    fake.calls[fake.count] = call;
    fake.places[fake.count++] = own->place;
}

static void cost(const struct compare_case *which, size_t n, struct compare_cost *cost)
{
    (void)which;
    *cost = (struct compare_cost){.amount = 10.0 * (double)n,
                                  .ceiling = (double)n,
                                  .memory = fake.memory * n,
                                  .largest = fake.memory * n};
}

static kn_status make(struct compare_problem *problem, kn_error *failure)
{
    (void)failure;
    places_entered = 0;
    fake.sizes[fake.size_count++] = problem->n;
    return KN_OK;
}

static kn_status enter(struct compare_work *work, kn_error *failure)
{
    struct own *own = work->own;

    (void)failure;
    own->place = places_entered++;
    note('e', work);
    return KN_OK;
}

static void leave(struct compare_work *work)
{
    note('l', work);
}

static kn_status reset(struct compare_work *work, kn_error *failure)
{
    (void)failure;
    note('t', work);
    return KN_OK;
}

static kn_status run(struct compare_work *work, kn_error *failure)
{
    const struct own *own = work->own;

    note('r', work);
    usleep(own->place == 1 ? 8000 : 2000);
    if (own->place == fake.fails_in && fake.count > 8) {
        *failure = (kn_error){.code = fake.failure, .text = "it broke\nand more"};
        return fake.failure;
    }
    return KN_OK;
}

static kn_status run_host(struct compare_work *work, kn_error *failure)
{
    (void)failure;
    note('h', work);
    usleep(1000);
    return KN_OK;
}

static kn_status check(struct compare_work *work, kn_error *failure)
{
    const struct own *own = work->own;

    (void)failure;
    note('c', work);
    work->error = fake.errors[own->place];
    work->bound = 0.5;
    return KN_OK;
}

static struct compare_job job;
static struct compare_place places[3];
static struct compare_run the_run;

static void set_up(void)
{
    test_open();
    memset(&fake, 0, sizeof fake);
    fake.fails_in = -1;
    fake.failure = KN_ERROR_DEVICE;
    fake.memory = 1;
    job = (struct compare_job){.name = "fake",
                               .size = "things",
                               .unit = "Gthings/s",
                               .scale = 1e-9,
                               .error_is = "made up",
                               .cases = {{"one", KN_F32, 0}},
                               .quick = {64},
                               .full = {64, 128},
                               .work_bytes = sizeof(struct own),
                               .cost = cost,
                               .make = make,
                               .enter = enter,
                               .leave = leave,
                               .reset = reset,
                               .run = run,
                               .check = check};
    for (size_t i = 0; i < 3; i++)
        places[i] = (struct compare_place){queue, kn_context_get_device(context)};
    the_run = (struct compare_run){.places = places, .place_count = 2, .options = {true, 2}};
}

static void tear_down(void)
{
    compare_run_free(&the_run);
    test_close();
}

static void do_job(void)
{
    EXPECT_OK(compare_job_run(&the_run, &job, &err));
}

START_TEST(order_of_calls)
{
    do_job();
    // Both places enter, and each is warmed up twice; then they take turns, with one run for the wall clock
    // and one for the device's clock.
    ck_assert_str_eq(fake.calls, "ee"
                                 "trtrtrtr"
                                 "trtrtrtr"
                                 "trtrtrtr"
                                 "cc"
                                 "ll");
    for (size_t i = 10; i < 26; i++)
        ck_assert_int_eq(fake.places[i], (int)((i - 10) / 4 % 2));
    ck_assert_uint_eq(the_run.row_count, 2);
    ck_assert_uint_eq(the_run.rows[0].repetitions, 2);
    ck_assert_int_eq(the_run.rows[1].verdict, COMPARE_RIGHT);
}
END_TEST

START_TEST(times_rates_and_ratios)
{
    do_job();
    const struct compare_row *first = &the_run.rows[0], *second = &the_run.rows[1];

    // No kernel ran, so that the device's clock has no times and the wall clock counts.
    ck_assert_double_eq(first->device.median, 0);
    ck_assert_double_ge(first->wall.least, 0.002);
    ck_assert_double_ge(second->wall.least, 0.008);
    ck_assert_double_le(second->wall.least, second->wall.median);
    ck_assert_double_le(second->wall.median, second->wall.most);
    ck_assert_double_eq_tol(second->rate, 640e-9 / second->wall.median, 1e-12 * second->rate);
    ck_assert_double_eq(first->ratio, 1);
    ck_assert_double_eq(second->ratio, first->wall.median / second->wall.median);
    ck_assert_double_eq(first->share, 0);
}
END_TEST

// On the host, its own code runs once per repetition, for the wall clock; a job without such code is left
// out.
START_TEST(on_the_host)
{
    places[1] = (struct compare_place){NULL, kn_context_get_device(context)};
    do_job();
    ck_assert_int_eq(the_run.rows[1].verdict, COMPARE_LEFT_OUT);
    ck_assert_ptr_nonnull(strstr(the_run.rows[1].why, "not on the host"));
    ck_assert_ptr_null(strchr(fake.calls, 'h'));
    memset(&fake, 0, sizeof fake);
    fake.fails_in = -1;
    job.run_host = run_host;
    do_job();
    ck_assert_str_eq(fake.calls, "ee"
                                 "trtrthth"
                                 "trtrth"
                                 "trtrth"
                                 "cc"
                                 "ll");
    const struct compare_row *first = &the_run.rows[2], *host = &the_run.rows[3];
    ck_assert_int_eq(host->verdict, COMPARE_RIGHT);
    ck_assert_double_eq(host->device.median, 0);
    ck_assert_double_ge(host->wall.least, 0.001);
    ck_assert_double_eq(host->ratio, first->wall.median / host->wall.median);
}
END_TEST

// Makes a column of each role; all but the result are filled.
static kn_status make_columns(struct compare_problem *problem, kn_error *failure)
{
    static const enum compare_role roles[] = {COMPARE_GIVEN, COMPARE_WORKED, COMPARE_RESULT,
                                              COMPARE_REFERENCE};

    places_entered = 0;
    for (size_t i = 0; i < 4; i++) {
        EXPECT_OK(job_column(problem, roles[i], 8, failure));
        if (roles[i] != COMPARE_RESULT)
            memcpy(problem->columns[i].data, (uint32_t[]){(uint32_t)i, 7}, 8);
    }
    return KN_OK;
}

// Expects the columns as they must be before each run, then overwrites the two that a run may change.
static kn_status run_columns(struct compare_work *work, kn_error *failure)
{
    const uint32_t right[][2] = {{0, 7}, {1, 7}, {0xffffffff, 0xffffffff}}, spoilt[] = {5, 5};

    for (size_t i = 0; i < 3; i++) {
        uint32_t *found = NULL, second = 0;

        EXPECT_OK(job_read(work, i, &found, failure));
        ck_assert_msg(found[0] == right[i][0] && found[1] == right[i][1], "column %zu: %u %u", i, found[0],
                      found[1]);
        free(found);
        EXPECT_OK(job_read_part(work, i, 4, 4, &second, failure));
        ck_assert_uint_eq(second, right[i][1]);
        if (i == 0)
            continue;
        if (work->queue)
            EXPECT_OK(kn_buffer_write(work->queue, work->held[i].buffer, 0, spoilt, 8, failure));
        else
            memcpy(work->held[i].memory, spoilt, 8);
    }
    return KN_OK;
}

START_TEST(columns)
{
    places[1] = (struct compare_place){NULL, kn_context_get_device(context)};
    job.make = make_columns;
    job.run = job.run_host = run_columns;
    do_job();
    for (size_t i = 0; i < 2; i++)
        ck_assert_msg(the_run.rows[i].verdict == COMPARE_RIGHT, "%s", the_run.rows[i].why);
}
END_TEST

START_TEST(inverse_rates)
{
    job.inverse = true;
    job.scale = 1e6;
    do_job();
    ck_assert_double_eq_tol(the_run.rows[0].rate, the_run.rows[0].wall.median / 640 * 1e6, 1e-9);
}
END_TEST

START_TEST(wrong_answers)
{
    fake.errors[0] = 0.5;
    fake.errors[1] = 0.5000001;
    do_job();
    ck_assert_int_eq(the_run.rows[0].verdict, COMPARE_RIGHT);
    ck_assert_int_eq(the_run.rows[1].verdict, COMPARE_WRONG);
    ck_assert_ptr_nonnull(strstr(the_run.rows[1].why, "made up"));
    fake.errors[1] = (double)NAN;
    do_job();
    ck_assert_int_eq(the_run.rows[3].verdict, COMPARE_WRONG);
}
END_TEST

static size_t reopened[3];

static void reopen(void *user, size_t place)
{
    ck_assert_ptr_eq(user, &fake);
    ck_assert_int_eq(fake.calls[fake.count - 1], 'l'); // the place was left before
    reopened[place]++;
}

START_TEST(failures_are_rows)
{
    memset(reopened, 0, sizeof reopened);
    the_run.reopen = reopen;
    the_run.user = &fake;
    fake.fails_in = 0;
    do_job();
    ck_assert_int_eq(the_run.rows[0].verdict, COMPARE_FAILED);
    ck_assert_str_eq(the_run.rows[0].why, "it broke");
    ck_assert_int_eq(the_run.rows[1].verdict, COMPARE_RIGHT);
    ck_assert_double_eq(the_run.rows[1].ratio, 0); // no ratio to a first place that failed
    ck_assert_int_eq(fake.calls[fake.count - 1], 'l');
    ck_assert_int_eq(fake.calls[fake.count - 2], 'l');
    ck_assert_uint_eq(reopened[0], 1);
    ck_assert_uint_eq(reopened[1], 0);
    fake.failure = KN_ERROR_UNSUPPORTED;
    do_job();
    ck_assert_int_eq(the_run.rows[2].verdict, COMPARE_LEFT_OUT);
}
END_TEST

START_TEST(no_double_precision)
{
    kn_device_info without = *kn_context_get_device(context);

    without.fp64 = 0;
    places[1].device = &without;
    job.cases[0].type = KN_F64;
    do_job();
    ck_assert_int_eq(the_run.rows[1].verdict, COMPARE_LEFT_OUT);
    ck_assert_ptr_nonnull(strstr(the_run.rows[1].why, "double precision"));
    for (size_t i = 0; i < fake.count; i++)
        ck_assert_int_eq(fake.places[i], 0);
}
END_TEST

// If one place has too little memory, the size shrinks for all places, so that they do the same work. Sizes
// that become equal are measured once.
START_TEST(too_little_memory)
{
    kn_device_info small = *kn_context_get_device(context);

    small.global_memory = 4 * 40;
    places[1].device = &small;
    the_run.options.quick = false;
    fake.memory = 2;
    job.full[2] = 32; // the size that the others shrink to
    do_job();
    ck_assert_uint_eq(fake.size_count, 1);
    ck_assert_uint_eq(fake.sizes[0], 32);
    ck_assert_uint_eq(the_run.row_count, 2);
    ck_assert_uint_eq(the_run.rows[0].n, 32);
    ck_assert_uint_eq(the_run.rows[0].asked, 64);
}
END_TEST

// Extrapolated from the size before it, the second size would take an hour, so it is not tried.
START_TEST(too_slow)
{
    the_run.options.quick = false;
    job.full[1] = (size_t)1 << 26;
    do_job();
    ck_assert_int_eq(the_run.rows[1].verdict, COMPARE_RIGHT);
    ck_assert_int_eq(the_run.rows[3].verdict, COMPARE_LEFT_OUT);
    ck_assert_ptr_nonnull(strstr(the_run.rows[3].why, "size before"));
}
END_TEST

// A share refers to the place's own ceiling: for memory, the rate at the nearest footprint; for operations,
// the fastest rate of the type.
START_TEST(shares)
{
    const struct compare_job *memory = compare_ceiling_job(COMPARE_COPY),
                             *flops = compare_ceiling_job(COMPARE_FLOPS);
    const struct compare_row ceilings[] = {
        {.job = memory, .which = &memory->cases[0], .n = 1 << 8, .rate = 1000},
        {.job = memory, .which = &memory->cases[1], .n = 1 << 6, .rate = 64},
        {.job = memory, .which = &memory->cases[1], .n = 1 << 20, .rate = 8},
        {.job = memory, .which = &memory->cases[1], .place = 1, .n = 1 << 6, .rate = 32},
        {.job = flops, .which = &flops->cases[0], .n = 1, .rate = 2},
        {.job = flops, .which = &flops->cases[0], .n = 2, .rate = 1},
        {.job = flops, .which = &flops->cases[1], .n = 3, .rate = 10},
        {.job = memory, .which = &memory->cases[1], .n = 1 << 7, .rate = 9999, .verdict = COMPARE_WRONG},
    };
    size_t count = sizeof ceilings / sizeof *ceilings;

    the_run.rows = calloc(64, sizeof *the_run.rows);
    the_run.row_capacity = 64;
    ck_assert_ptr_nonnull(the_run.rows);
    memcpy(the_run.rows, ceilings, sizeof ceilings);
    the_run.row_count = count;
    job.ceiling = COMPARE_COPY;
    do_job();
    const struct compare_row *row = &the_run.rows[count];
    ck_assert_double_eq_tol(row[0].ceiling, 64e9, 1);
    ck_assert_double_eq_tol(row[0].share, 64 / row[0].wall.median / 64e9, 1e-15);
    ck_assert_double_eq_tol(row[1].ceiling, 32e9, 1);
    job.ceiling = COMPARE_FLOPS;
    do_job();
    ck_assert_double_eq_tol(row[2].ceiling, 2e9, 1);
}
END_TEST

START_TEST(medians)
{
    double odd[] = {3, 1, 2}, even[] = {4, 1, 3, 2};

    ck_assert_double_eq(measure_times(odd, 3).median, 2);
    ck_assert_double_eq(measure_times(even, 4).median, 2.5);
    ck_assert_double_eq(measure_times(even, 4).least, 1);
    ck_assert_double_eq(measure_times(even, 4).most, 4);
    ck_assert_double_eq(measure_times(even, 0).most, 0);
}
END_TEST

// The library's own jobs at their smallest size, on the device and on the host.
START_TEST(real_jobs)
{
    places[1] = (struct compare_place){NULL, kn_context_get_device(context)};
    the_run.options.repetitions = 1;
    for (const struct compare_job *const *real = compare_jobs; *real; real++) {
        struct compare_job small = **real;

        small.quick[1] = 0;
        if (test_is_slow() && strcmp(small.name, "launch") != 0)
            continue;
        EXPECT_OK(compare_job_run(&the_run, &small, &err));
        for (size_t i = 0; i < the_run.row_count; i++) {
            const struct compare_row *row = &the_run.rows[i];
            bool right = row->verdict == COMPARE_RIGHT || row->verdict == COMPARE_LEFT_OUT;

            ck_assert_msg(right, "%s %s %zu: %s", small.name, row->which->name, row->n, row->why);
            ck_assert(row->verdict == COMPARE_LEFT_OUT || row->rate > 0);
            ck_assert(row->place == 0 || small.run_host || row->verdict == COMPARE_LEFT_OUT);
        }
        compare_run_free(&the_run);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        order_of_calls,    times_rates_and_ratios, on_the_host,       columns,  inverse_rates, wrong_answers,
        failures_are_rows, no_double_precision,    too_little_memory, too_slow, shares,        medians,
        real_jobs};

    setenv("KOINE_KEEP_PROGRAMS", "yes", 1);
    return test_run("compare", tests, sizeof tests / sizeof *tests, set_up, tear_down);
}
