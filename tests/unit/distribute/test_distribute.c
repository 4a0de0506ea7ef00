// SPDX-License-Identifier: Apache-2.0
// Tests one job on several devices: which results are folded, which place takes the piece of a device that
// failed, and how a run ends. Places are queues of the default device, and the host.
#include <stdatomic.h>

#include "support/device.h"
#include "support/failing_backend.h"

#include "base/error.h"
#include "base/text/text.h"

enum { MOST_PLACES = 5, MOST_PIECES = 64, PIECE_NUMBERS = 5000, TEXT_ROOM = 4096 };

// A job and its results.
struct trial {
    kn_distribute_job job;
    kn_distribute_options options;
    kn_queue *places[MOST_PLACES];
    size_t place_count;
    kn_distribution *distribution;
    atomic_size_t begun; // pieces
    kn_status fails_with;
    size_t fails_at;   // the piece; SIZE_MAX: every piece
    unsigned fails_on; // a bit for each place
    bool naps;         // pieces take different times
    bool gathers;      // the first pieces wait until every place has begun one
    const float *numbers;
    char text[MOST_PIECES][TEXT_ROOM]; // of each result
    double sums[MOST_PIECES];
    size_t written, dropped, asked;
    size_t dropped_place, dropped_piece;
    size_t stops_at; // pieces; 0: never
    kn_status write_fails;
};

static void nap(const struct trial *trial, size_t piece)
{
    if (trial->naps)
        usleep((useconds_t)(piece * 7919 % 5 * 300));
}

static kn_status fail_as_told(const struct trial *trial, size_t place, size_t piece, kn_error *why)
{
    const kn_error failure = {trial->fails_with, 719, "CUDA_ERROR_LAUNCH_FAILED", "", 0, "made to fail"};

    if (!(trial->fails_on >> place & 1) || (trial->fails_at != SIZE_MAX && piece != trial->fails_at))
        return KN_OK;
    *why = failure;
    return trial->fails_with;
}

static void begin_piece(struct trial *trial, size_t piece)
{
    atomic_fetch_add(&trial->begun, 1);
    while (trial->gathers && atomic_load(&trial->begun) < trial->place_count)
        usleep(100);
    nap(trial, piece);
}

// Its number as text.
static kn_status run_text(void *data, size_t place, kn_queue *on, size_t piece, kn_distribute_result *result,
                          kn_error *why)
{
    struct trial *trial = data;
    char text[32];
    kn_status status;

    begin_piece(trial, piece);
    ck_assert_ptr_eq(on, trial->places[place]);
    status = fail_as_told(trial, place, piece, why);
    snprintf(text, sizeof text, "%zu", piece);
    return status ? status : kn_distribute_put(result, text, strlen(text), why);
}

static kn_status fold_text(void *data, const void *left, size_t left_size, const void *right,
                           size_t right_size, kn_distribute_result *result, kn_error *why)
{
    (void)data;
    ck_assert_int_eq(kn_distribute_put(result, "(", 1, why), KN_OK);
    ck_assert_int_eq(kn_distribute_put(result, left, left_size, why), KN_OK);
    ck_assert_int_eq(kn_distribute_put(result, " ", 1, why), KN_OK);
    ck_assert_int_eq(kn_distribute_put(result, right, right_size, why), KN_OK);
    return kn_distribute_put(result, ")", 1, why);
}

static kn_status write_text(void *data, size_t index, const void *result, size_t size, kn_error *why)
{
    struct trial *trial = data;

    ck_assert_uint_eq(index, trial->written++);
    ck_assert_uint_lt(size, TEXT_ROOM);
    memcpy(trial->text[index], result, size);
    trial->text[index][size] = '\0';
    return trial->write_fails ? ki_fail(why, trial->write_fails, "the disk is full") : KN_OK;
}

static void note_dropped(void *data, size_t place, size_t piece, const kn_error *why)
{
    struct trial *trial = data;

    trial->dropped++;
    trial->dropped_place = place;
    trial->dropped_piece = piece;
    ck_assert_msg(*why->text, "no reason");
}

static bool go_on(void *data, double done)
{
    struct trial *trial = data;

    trial->asked++;
    ck_assert(done >= 0 && done <= 1);
    return !trial->stops_at || done * (double)trial->job.piece_count < (double)trial->stops_at;
}

static void name_piece(void *data, size_t piece, char *name, size_t size)
{
    (void)data;
    snprintf(name, size, "part %zu", piece);
}

// A job with texts as results, on this number of places on the host.
static struct trial *text_trial(size_t pieces, size_t places)
{
    struct trial *trial = calloc(1, sizeof *trial);

    ck_assert_ptr_nonnull(trial);
    trial->place_count = places;
    trial->job = KN_INIT(kn_distribute_job, .piece_count = pieces, .run = run_text, .fold = fold_text,
                         .name = name_piece, .data = trial);
    trial->options = KN_INIT(kn_distribute_options, .write = write_text, .dropped = note_dropped,
                             .go_on = go_on, .data = trial);
    return trial;
}

static kn_status run_trial(struct trial *trial)
{
    EXPECT_OK(kn_distribution_create(&trial->job, &trial->options, &trial->distribution, &err));
    for (size_t i = 0; i < trial->place_count; i++)
        EXPECT_OK(kn_distribution_add_queue(trial->distribution, trial->places[i], &err));
    err = (kn_error)KN_ERROR_INIT;
    return kn_distribution_run(trial->distribution, &err);
}

static size_t pieces_of_all(const struct trial *trial)
{
    size_t sum = 0;

    for (size_t i = 0; i < trial->place_count; i++)
        sum += kn_distribution_get_count(trial->distribution, i);
    return sum;
}

static void free_trial(struct trial *trial)
{
    kn_distribution_free(trial->distribution);
    free(trial);
}

// ---- the tree ----

// The tree of pieces from `first` on, as text: its left half has the greatest power of two below their
// number.
static void add_tree(struct ki_text *text, size_t first, size_t count)
{
    size_t left = 1;

    if (count == 1) {
        ki_text_format(text, "%zu", first);
        return;
    }
    while (2 * left < count)
        left *= 2;
    ki_text_add_char(text, '(');
    add_tree(text, first, left);
    ki_text_add_char(text, ' ');
    add_tree(text, first + left, count - left);
    ki_text_add_char(text, ')');
}

static void expect_tree(const char *found, size_t first, size_t count)
{
    struct ki_text text = KI_TEXT_INIT;

    add_tree(&text, first, count);
    ck_assert_str_eq(found, ki_text_string(&text));
    ki_text_free(&text);
}

START_TEST(test_every_place_folds_the_same_tree)
{
    for (size_t pieces = 1; pieces <= 33; pieces += pieces < 9 ? 1 : 6)
        for (size_t places = 1; places <= MOST_PLACES; places += 2) {
            struct trial *trial = text_trial(pieces, places);

            trial->naps = true;
            EXPECT_OK(run_trial(trial));
            ck_assert_uint_eq(trial->written, 1);
            expect_tree(trial->text[0], 0, pieces);
            ck_assert_uint_eq(pieces_of_all(trial), pieces);
            ck_assert_uint_eq(trial->dropped, 0);
            free_trial(trial);
        }
}
END_TEST

START_TEST(test_several_results_have_a_tree_each)
{
    static const size_t ends[] = {1, 6, 8, 20};
    struct trial *trial = text_trial(20, 3);
    size_t first = 0;

    trial->naps = true;
    trial->job.result_ends = ends;
    trial->job.result_count = 4;
    EXPECT_OK(run_trial(trial));
    ck_assert_uint_eq(trial->written, 4);
    for (size_t i = 0; i < 4; first = ends[i++])
        expect_tree(trial->text[i], first, ends[i] - first);
    free_trial(trial);
}
END_TEST

START_TEST(test_without_fold_each_piece_is_a_result)
{
    struct trial *trial = text_trial(21, 2);

    trial->naps = true;
    trial->job.fold = NULL;
    trial->gathers = true;
    EXPECT_OK(run_trial(trial));
    ck_assert_uint_eq(trial->written, 21);
    for (size_t i = 0; i < 21; i++)
        ck_assert_uint_eq(strtoul(trial->text[i], NULL, 10), i);
    ck_assert_uint_gt(kn_distribution_get_count(trial->distribution, 0), 0);
    ck_assert_uint_gt(kn_distribution_get_count(trial->distribution, 1), 0);
    ck_assert_uint_lt(kn_distribution_get_place(trial->distribution, 20), 2);
    ck_assert(kn_distribution_get_place(trial->distribution, 21) == SIZE_MAX);
    free_trial(trial);
    trial = text_trial(0, 2);
    EXPECT_OK(run_trial(trial));
    ck_assert_uint_eq(trial->written, 0);
    free_trial(trial);
}
END_TEST

// ---- devices ----

static kn_status run_sum(void *data, size_t place, kn_queue *on, size_t piece, kn_distribute_result *result,
                         kn_error *why)
{
    struct trial *trial = data;
    const float *numbers = trial->numbers + piece * PIECE_NUMBERS;
    kn_context *where = kn_queue_get_context(on);
    const double none = 0;
    kn_buffer *buffer = NULL;
    kn_moments sums;
    kn_status status = kn_buffer_create(where, PIECE_NUMBERS * sizeof *numbers, &buffer, why);

    (void)place;
    begin_piece(trial, piece);
    if (!status)
        status = kn_buffer_write(on, buffer, 0, numbers, PIECE_NUMBERS * sizeof *numbers, why);
    if (!status)
        status = kn_reduce_moments(on, buffer, KN_F32, PIECE_NUMBERS, &none, &sums, why);
    kn_buffer_free(buffer);
    return status ? status : kn_distribute_put(result, &sums.sum, sizeof sums.sum, why);
}

static kn_status fold_sums(void *data, const void *left, size_t left_size, const void *right,
                           size_t right_size, kn_distribute_result *result, kn_error *why)
{
    double a, b;

    (void)data;
    ck_assert(left_size == sizeof a && right_size == sizeof b);
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    a += b;
    return kn_distribute_put(result, &a, sizeof a, why);
}

static kn_status write_sum(void *data, size_t index, const void *result, size_t size, kn_error *why)
{
    struct trial *trial = data;

    (void)why;
    ck_assert_uint_eq(size, sizeof(double));
    memcpy(&trial->sums[index], result, size);
    trial->written++;
    return KN_OK;
}

enum { PIECES = 12 };

static struct trial *sum_trial(const float *numbers, kn_queue *first, kn_queue *second)
{
    struct trial *trial = text_trial(PIECES, second ? 2 : 1);

    trial->job.run = run_sum;
    trial->job.fold = fold_sums;
    trial->options.write = write_sum;
    trial->numbers = numbers;
    trial->places[0] = first;
    trial->places[1] = second;
    return trial;
}

static float *make_numbers(void)
{
    float *numbers = malloc(PIECES * PIECE_NUMBERS * sizeof *numbers);

    ck_assert_ptr_nonnull(numbers);
    for (size_t i = 0; i < (size_t)PIECES * PIECE_NUMBERS; i++)
        numbers[i] = (float)((double)(i * 7919 % 100003) * 1e-3 - 17);
    return numbers;
}

static double sum_of_one_place(const float *numbers)
{
    struct trial *trial = sum_trial(numbers, queue, NULL);
    double sum;

    EXPECT_OK(run_trial(trial));
    ck_assert_uint_eq(kn_distribution_get_count(trial->distribution, 0), PIECES);
    sum = trial->sums[0];
    free_trial(trial);
    return sum;
}

// The default device twice; under PoCL with two devices, two of them.
static void open_second(kn_context **second, kn_queue **second_queue)
{
    kn_error why = KN_ERROR_INIT;

    if (kn_context_open("opencl:0.1", NULL, second, &why))
        EXPECT_OK(kn_context_open(kn_context_get_device(context)->spec, NULL, second, &err));
    EXPECT_OK(kn_queue_open(*second, second_queue, &err));
}

START_TEST(test_two_devices_give_the_bits_of_one)
{
    float *numbers = make_numbers();
    const double expected = sum_of_one_place(numbers);
    kn_context *second = NULL;
    kn_queue *second_queue = NULL;
    struct trial *trial;

    open_second(&second, &second_queue);
    trial = sum_trial(numbers, queue, second_queue);
    trial->gathers = true;
    EXPECT_OK(run_trial(trial));
    ck_assert_uint_eq(trial->written, 1);
    ck_assert_int_eq(memcmp(&trial->sums[0], &expected, sizeof expected), 0);
    ck_assert_uint_gt(kn_distribution_get_count(trial->distribution, 0), 0);
    ck_assert_uint_gt(kn_distribution_get_count(trial->distribution, 1), 0);
    ck_assert_uint_eq(pieces_of_all(trial), PIECES);
    free_trial(trial);
    kn_queue_close(second_queue);
    kn_context_close(second);
    free(numbers);
}
END_TEST

// The second device fails at its first call of the driver, then at its second, and so on up to one that it
// does not reach: each time it is dropped, and the first device completes the same sum.
START_TEST(test_a_device_that_fails_at_any_call_is_dropped)
{
    float *numbers = make_numbers();
    const double expected = sum_of_one_place(numbers);
    kn_context *first = context, *second = NULL;
    kn_queue *second_queue = NULL;
    bool failed = true;
    long calls;

    open_second(&second, &second_queue);
    for (calls = 0; failed; calls++) {
        struct trial *trial = sum_trial(numbers, queue, second_queue);
        const kn_error *why;

        ck_assert_int_lt(calls, 1000);
        trial->gathers = true;
        context = second;
        failing_begin(calls);
        EXPECT_OK(run_trial(trial));
        context->backend = failing_real;
        context = first;
        failed = failing_status != KN_OK;
        why = kn_distribution_get_why(trial->distribution, 1);
        ck_assert_int_eq(memcmp(&trial->sums[0], &expected, sizeof expected), 0);
        ck_assert_uint_eq(pieces_of_all(trial), PIECES);
        ck_assert_ptr_null(kn_distribution_get_why(trial->distribution, 0));
        ck_assert_uint_eq(trial->dropped, failed);
        ck_assert(failed == (why != NULL));
        if (failed) {
            ck_assert_uint_eq(trial->dropped_place, 1);
            ck_assert_int_eq(why->code, failing_status);
            ck_assert_ptr_nonnull(strstr(why->text, "made to fail"));
            ck_assert_uint_eq(kn_distribution_get_place(trial->distribution, trial->dropped_piece), 0);
        }
        free_trial(trial);
    }
    ck_assert_int_gt(calls, 4);
    kn_queue_close(second_queue);
    kn_context_close(second);
    free(numbers);
}
END_TEST

// ---- how it ends otherwise ----

static struct trial *failing_trial(size_t places, kn_status status, unsigned fails_on)
{
    struct trial *trial = text_trial(16, places);

    trial->fails_with = status;
    trial->fails_at = 7;
    trial->fails_on = fails_on;
    return trial;
}

START_TEST(test_a_piece_that_fails_twice_ends_the_run)
{
    struct trial *trial = failing_trial(4, KN_ERROR_DEVICE, ~0U);

    EXPECT_REFUSED(KN_ERROR_DEVICE,
                   "part 7 failed on two devices: on host: made to fail; on host: made to fail",
                   run_trial(trial));
    ck_assert_str_eq(err.native_name, "CUDA_ERROR_LAUNCH_FAILED");
    ck_assert_uint_eq(trial->dropped, 2);
    ck_assert_uint_eq(trial->dropped_piece, 7);
    ck_assert_uint_eq(trial->written, 0);
    free_trial(trial);
}
END_TEST

// Whatever the errors of the devices are.
START_TEST(test_places_that_all_fail_are_a_device_error)
{
    static const kn_status statuses[][2] = {{KN_ERROR_BUILD, KN_ERROR_DEVICE},
                                            {KN_ERROR_UNSUPPORTED, KN_ERROR_DEVICE},
                                            {KN_ERROR_MEMORY, KN_ERROR_MEMORY}};

    for (size_t i = 0; i < 3; i++) {
        struct trial *trial = failing_trial(2, statuses[i][0], ~0U);

        EXPECT_REFUSED(statuses[i][1], "made to fail", run_trial(trial));
        ck_assert_int_eq(err.code, statuses[i][1]);
        ck_assert_int_eq(kn_distribution_get_why(trial->distribution, 0)->code, statuses[i][0]);
        free_trial(trial);
    }
}
END_TEST

START_TEST(test_a_single_place_fails_as_it_is)
{
    struct trial *trial = failing_trial(1, KN_ERROR_MEMORY, ~0U);

    EXPECT_REFUSED(KN_ERROR_MEMORY, "made to fail", run_trial(trial));
    ck_assert_str_eq(err.text, "made to fail");
    ck_assert_uint_eq(kn_distribution_get_count(trial->distribution, 0), 7);
    free_trial(trial);
}
END_TEST

START_TEST(test_an_error_of_the_input_drops_nobody)
{
    struct trial *trial = failing_trial(3, KN_ERROR_INPUT, ~0U);

    EXPECT_REFUSED(KN_ERROR_INPUT, "made to fail", run_trial(trial));
    ck_assert_uint_eq(trial->dropped, 0);
    free_trial(trial);
}
END_TEST

static bool is_launch_failure(int native)
{
    return native == 719;
}

// Two queues of a backend that is lost at the first error of either, and the host: the piece of the other
// queue fails as well, but that failure does not count.
START_TEST(test_what_poisons_the_process_drops_the_whole_path)
{
    struct ki_backend lost = *context->backend;
    const struct ki_backend *real = context->backend;
    struct trial *trial = failing_trial(3, KN_ERROR_DEVICE, 3);
    kn_queue *other = NULL;

    lost.poisons = is_launch_failure;
    EXPECT_OK(kn_queue_open(context, &other, &err));
    context->backend = &lost;
    trial->places[0] = queue;
    trial->places[1] = other;
    trial->gathers = true;
    trial->fails_at = SIZE_MAX;
    EXPECT_OK(run_trial(trial));
    expect_tree(trial->text[0], 0, 16);
    ck_assert_uint_eq(trial->dropped, 2);
    ck_assert_uint_eq(kn_distribution_get_count(trial->distribution, 2), 16);
    ck_assert_str_eq(kn_distribution_get_why(trial->distribution, 1)->native_name,
                     "CUDA_ERROR_LAUNCH_FAILED");
    context->backend = real;
    free_trial(trial);
    kn_queue_close(other);
}
END_TEST

START_TEST(test_it_stops_when_told)
{
    for (size_t places = 1; places <= 3; places += 2) {
        struct trial *trial = text_trial(40, places);

        trial->stops_at = 10;
        trial->naps = true;
        EXPECT_REFUSED(KN_ERROR_INTERRUPTED, "stopped at", run_trial(trial));
        ck_assert_uint_lt(pieces_of_all(trial), 40);
        ck_assert_uint_ge(pieces_of_all(trial), 10);
        free_trial(trial);
    }
}
END_TEST

START_TEST(test_what_cannot_be_written_ends_the_run)
{
    for (size_t places = 1; places <= 3; places += 2) {
        struct trial *trial = text_trial(40, places);

        trial->job.fold = NULL;
        trial->write_fails = KN_ERROR_OUTPUT;
        EXPECT_REFUSED(KN_ERROR_OUTPUT, "the disk is full", run_trial(trial));
        ck_assert_uint_eq(trial->written, 1);
        free_trial(trial);
    }
}
END_TEST

// ---- what is refused ----

static double free_of_charge(void *data, size_t piece)
{
    (void)data;
    return piece == 3 ? 0 : 1;
}

static kn_status put_wrong(void *data, size_t place, kn_queue *on, size_t piece, kn_distribute_result *result,
                           kn_error *why)
{
    (void)data;
    (void)place;
    (void)on;
    (void)piece;
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "kn_distribute_put: NULL", kn_distribute_put(result, NULL, 1, &err));
    EXPECT_REFUSED(KN_ERROR_MEMORY, "the result of a piece", kn_distribute_put(result, "", SIZE_MAX, &err));
    return kn_distribute_put(result, "whole", 5, why);
}

START_TEST(test_a_result_that_cannot_be)
{
    struct trial *trial = text_trial(1, 1);

    trial->job.run = put_wrong;
    EXPECT_OK(run_trial(trial));
    ck_assert_str_eq(trial->text[0], "whole");
    free_trial(trial);
}
END_TEST

START_TEST(test_bad_arguments)
{
    static const size_t short_ends[] = {3, 5}, equal_ends[] = {3, 3, 8};
    struct trial *trial = text_trial(8, 1);
    kn_distribute_job job = trial->job;
    kn_distribute_options options = trial->options;
    kn_distribution *made = NULL;

#define REFUSED(words)                                                                                       \
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, words, kn_distribution_create(&job, &options, &made, &err))
    job.run = NULL;
    REFUSED("has no `run`");
    job = trial->job;
    options.write = NULL;
    REFUSED("have no `write`");
    options = trial->options;
    job.result_ends = short_ends;
    job.result_count = 2;
    REFUSED("end at piece 5, not at all 8");
    job.result_ends = equal_ends;
    job.result_count = 3;
    REFUSED("result 1 ends at piece 3, where 4 to 8");
    job.fold = NULL;
    REFUSED("without `fold`");
    job = trial->job;
    job.cost = free_of_charge;
    REFUSED("piece 3 costs 0");
    job = trial->job;
    job.piece_count = SIZE_MAX / 2;
    EXPECT_REFUSED(KN_ERROR_LIMIT, "kn_distribution_create",
                   kn_distribution_create(&job, &options, &made, &err));
    job = trial->job;
    job.struct_size = 8;
    REFUSED("struct_size");
    ck_assert_ptr_null(made);
    EXPECT_OK(kn_distribution_create(&trial->job, &trial->options, &made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no queue was added", kn_distribution_run(made, &err));
    EXPECT_OK(kn_distribution_add_queue(made, queue, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "is a place already", kn_distribution_add_queue(made, queue, &err));
    trial->places[0] = queue;
    EXPECT_OK(kn_distribution_run(made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "has run", kn_distribution_run(made, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "has run", kn_distribution_add_queue(made, NULL, &err));
    ck_assert_ptr_null(kn_distribution_get_why(made, 0));
    ck_assert_uint_eq(kn_distribution_get_count(made, 1), 0);
    kn_distribution_free(made);
    free_trial(trial);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        test_every_place_folds_the_same_tree,
        test_several_results_have_a_tree_each,
        test_without_fold_each_piece_is_a_result,
        test_two_devices_give_the_bits_of_one,
        test_a_device_that_fails_at_any_call_is_dropped,
        test_a_piece_that_fails_twice_ends_the_run,
        test_a_single_place_fails_as_it_is,
        test_places_that_all_fail_are_a_device_error,
        test_an_error_of_the_input_drops_nobody,
        test_what_poisons_the_process_drops_the_whole_path,
        test_it_stops_when_told,
        test_what_cannot_be_written_ends_the_run,
        test_a_result_that_cannot_be,
        test_bad_arguments,
    };

    setenv("POCL_DEVICES", "pthread pthread", 0); // PoCL has two devices then
    return test_run("distribute", tests, sizeof tests / sizeof *tests, test_open, test_close);
}
