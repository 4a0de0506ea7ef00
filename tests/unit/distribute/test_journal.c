// SPDX-License-Identifier: Apache-2.0
// Tests journals of jobs in pieces: pieces that were kept are not computed again, however the run ended;
// damaged journals are refused. The places are on the host.
#include "support/support.h"

#include <koine/koine.h>

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "support/expect.h"
#include "support/run.h"

enum { PIECES = 5, HEAD = 64, ROOM = 4096 };

static const char plan[] = "a plan";
static char *root;
static char folder[ROOM], file[ROOM + 16];

// A job with texts as results, and its behaviour.
struct trial {
    size_t stops_at; // number of pieces; 0: it does not stop
    size_t kills_at; // the piece at which the process kills itself; PIECES: none
    size_t begun[PIECES];
    size_t written;
    char text[ROOM]; // of all results
};

static void set_up(void)
{
    root = test_folder();
    snprintf(folder, sizeof folder, "%s/parts", root);
    snprintf(file, sizeof file, "%s/journal", folder);
}

static void tear_down(void)
{
    unlink(file);
    rmdir(folder);
    test_remove(root);
}

// Later pieces have longer texts.
static kn_status run_text(void *data, size_t place, kn_queue *queue, size_t piece,
                          kn_distribute_result *result, kn_error *why)
{
    struct trial *trial = data;
    kn_status status = KN_OK;

    (void)place;
    (void)queue;
    trial->begun[piece]++;
    if (piece == trial->kills_at)
        raise(SIGKILL);
    for (size_t i = 0; i < piece && !status; i++)
        status = kn_distribute_put(result, &"abcdefgh"[piece], 1, why);
    return status;
}

static kn_status fold_text(void *data, const void *left, size_t left_size, const void *right,
                           size_t right_size, kn_distribute_result *result, kn_error *why)
{
    (void)data;
    kn_distribute_put(result, "(", 1, why);
    kn_distribute_put(result, left, left_size, why);
    kn_distribute_put(result, "|", 1, why);
    kn_distribute_put(result, right, right_size, why);
    return kn_distribute_put(result, ")", 1, why);
}

static kn_status write_text(void *data, size_t index, const void *result, size_t size, kn_error *why)
{
    struct trial *trial = data;

    (void)index;
    (void)why;
    ck_assert_uint_lt(size, sizeof trial->text);
    memcpy(trial->text, result, size);
    trial->text[size] = '\0';
    trial->written++;
    return KN_OK;
}

static bool go_on(void *data, double done)
{
    const struct trial *trial = data;

    return !trial->stops_at || done * PIECES < (double)trial->stops_at - 0.5;
}

static kn_status run_job(struct trial *trial, kn_journal *journal, size_t job, size_t places)
{
    const kn_distribute_job pieces =
        KN_INIT(kn_distribute_job, .piece_count = PIECES, .run = run_text, .fold = fold_text, .data = trial);
    const kn_distribute_options options = KN_INIT(kn_distribute_options, .write = write_text, .go_on = go_on,
                                                  .data = trial, .journal = journal, .job = job);
    kn_distribution *distribution = NULL;
    kn_status status;

    EXPECT_OK(kn_distribution_create(&pieces, &options, &distribution, &err));
    for (size_t i = 0; i < places; i++)
        EXPECT_OK(kn_distribution_add_queue(distribution, NULL, &err));
    status = kn_distribution_run(distribution, &err);
    for (size_t i = 0; i < PIECES; i++)
        ck_assert(trial->begun[i] || kn_distribution_get_place(distribution, i) == SIZE_MAX);
    kn_distribution_free(distribution);
    return status;
}

static kn_journal *open_journal(bool resume)
{
    kn_journal *journal = NULL;

    EXPECT_OK(kn_journal_open(folder, plan, sizeof plan, resume, &journal, &err));
    return journal;
}

static void refuse_journal(kn_status status, const char *words, bool resume)
{
    kn_journal *journal = NULL;

    EXPECT_REFUSED(status, words, kn_journal_open(folder, plan, sizeof plan, resume, &journal, &err));
    ck_assert_ptr_null(journal);
}

static size_t begun(const struct trial *trial)
{
    size_t sum = 0;

    for (size_t i = 0; i < PIECES; i++)
        sum += trial->begun[i];
    return sum;
}

static void expect_whole(const struct trial *trial)
{
    ck_assert_uint_eq(trial->written, 1);
    ck_assert_str_eq(trial->text, "(((|b)|(cc|ddd))|eeee)");
}

// Continues with the existing pieces to the end.
static void complete(size_t kept)
{
    struct trial trial = {.kills_at = PIECES};
    kn_journal *journal = open_journal(true);

    ck_assert_uint_eq(kn_journal_get_count(journal), kept);
    EXPECT_OK(run_job(&trial, journal, 0, 1));
    ck_assert_uint_eq(begun(&trial), PIECES - kept);
    expect_whole(&trial);
    ck_assert_uint_eq(kn_journal_get_count(journal), PIECES);
    kn_journal_close(journal);
}

// Writes a journal of all pieces by one place, and therefore in order; returns its bytes.
static size_t make_whole(unsigned char *bytes)
{
    complete(0);
    return test_read(file, bytes, ROOM);
}

// The number of whole records within the first `length` bytes of such a journal.
static size_t records_in(size_t length)
{
    size_t end = HEAD, count = 0;

    while (count < PIECES && end + HEAD + count <= length)
        end += HEAD + count++;
    return count;
}

START_TEST(test_goes_on_where_it_was_stopped)
{
    for (size_t places = 1; places <= 3; places++) {
        struct trial first = {.kills_at = PIECES, .stops_at = 2}, second = {.kills_at = PIECES};
        kn_journal *journal = open_journal(false);
        size_t kept;

        ck_assert_int_eq(run_job(&first, journal, 0, places), KN_ERROR_INTERRUPTED);
        kept = kn_journal_get_count(journal);
        ck_assert_uint_eq(kept, begun(&first));
        ck_assert_uint_ge(kept, 2);
        kn_journal_close(journal);
        refuse_journal(KN_ERROR_OUTPUT, "holds finished pieces", false);
        journal = open_journal(true);
        EXPECT_OK(run_job(&second, journal, 0, places));
        ck_assert_uint_eq(begun(&second), PIECES - kept);
        expect_whole(&second);
        EXPECT_OK(kn_journal_remove(journal, &err));
        ck_assert_uint_eq(test_files_in(root), 0);
    }
}
END_TEST

START_TEST(test_goes_on_after_it_was_killed)
{
    for (size_t at = 0; at < PIECES; at++) {
        int status = 0;
        const pid_t child = fork();

        if (child == 0) {
            struct trial trial = {.kills_at = at};

            run_job(&trial, open_journal(at > 0), 0, 1);
            _exit(1);
        }
        ck_assert_int_eq(waitpid(child, &status, 0), child);
        ck_assert(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
        // Nothing is written before a piece is finished; each child completes one more piece.
        ck_assert_uint_eq(test_files_in(root), at > 0);
    }
    complete(PIECES - 1);
}
END_TEST

START_TEST(test_cut_at_every_length)
{
    unsigned char bytes[ROOM];
    const size_t size = make_whole(bytes);

    ck_assert_uint_eq(size, HEAD + PIECES * HEAD + 0 + 1 + 2 + 3 + 4);
    for (size_t length = 0; length <= size; length++) {
        test_write(file, bytes, length);
        complete(records_in(length));
    }
}
END_TEST

// After a machine failed, the end of the file may be zeros.
START_TEST(test_zeros_at_the_end)
{
    unsigned char bytes[ROOM] = {0};
    const size_t size = make_whole(bytes);
    const size_t last = size - (HEAD + 4);

    for (size_t more = 0; more <= 200; more += 50) {
        test_write(file, bytes, size + more);
        complete(PIECES);
    }
    memset(bytes + last, 0, size - last);
    test_write(file, bytes, size);
    complete(PIECES - 1);
}
END_TEST

// For the result of the last record, damage cannot be told from an incomplete write.
START_TEST(test_damage_is_refused)
{
    unsigned char bytes[ROOM];
    const size_t size = make_whole(bytes);

    for (size_t at = 0; at < size - 4; at++) {
        bytes[at] ^= 0x10;
        test_write(file, bytes, size);
        if (at >= 16 && at < 64)
            refuse_journal(KN_ERROR_INPUT, "journal", true);
        else
            refuse_journal(KN_ERROR_INPUT, "the journal is damaged at byte", true);
        bytes[at] ^= 0x10;
    }
    bytes[size - 1] ^= 0x10;
    test_write(file, bytes, size);
    complete(PIECES - 1);
}
END_TEST

START_TEST(test_of_one_plan_and_one_process)
{
    unsigned char bytes[ROOM];
    kn_journal *journal, *other = NULL;

    make_whole(bytes);
    EXPECT_REFUSED(KN_ERROR_INPUT, "other inputs, other options or another version",
                   kn_journal_open(folder, plan, sizeof plan - 2, true, &other, &err));
    journal = open_journal(true);
    refuse_journal(KN_ERROR_OUTPUT, "another process", true);
    EXPECT_OK(kn_journal_remove(journal, &err));
    journal = open_journal(true); // none exists
    ck_assert_uint_eq(kn_journal_get_count(journal), 0);
    kn_journal_close(journal);
    ck_assert_uint_eq(test_files_in(root), 0);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "no folder", kn_journal_open("", plan, 1, true, &other, &err));
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL for the plan",
                   kn_journal_open(folder, NULL, 1, true, &other, &err));
    ck_assert_uint_eq(kn_journal_get_count(NULL), 0);
    kn_journal_close(NULL);
    EXPECT_REFUSED(KN_ERROR_ARGUMENT, "NULL for the journal", kn_journal_remove(NULL, &err));
}
END_TEST

START_TEST(test_jobs_are_told_apart)
{
    struct trial trials[3] = {{.kills_at = PIECES}, {.kills_at = PIECES}, {.kills_at = PIECES}};
    kn_journal *journal = open_journal(false);

    EXPECT_OK(run_job(&trials[0], journal, 7, 2));
    kn_journal_close(journal);
    journal = open_journal(true);
    EXPECT_OK(run_job(&trials[1], journal, 8, 2));
    EXPECT_OK(run_job(&trials[2], journal, 7, 2));
    ck_assert_uint_eq(begun(&trials[1]), PIECES);
    ck_assert_uint_eq(begun(&trials[2]), 0);
    expect_whole(&trials[2]);
    kn_journal_close(journal);
}
END_TEST

// Pieces are kept as long as they fit; no part of the others remains.
START_TEST(test_full_disk)
{
    for (rlim_t room = 0; room < HEAD + PIECES * HEAD; room += 13) {
        struct trial trial = {.kills_at = PIECES};
        struct rlimit before, limit;
        kn_journal *journal = open_journal(false);
        kn_status status; // asserted without the limit, which holds for the file of Check's messages too

        signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before);
        limit = (struct rlimit){room, before.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
        status = run_job(&trial, journal, 0, 1);
        setrlimit(RLIMIT_FSIZE, &before);
        ck_assert_int_eq(status, KN_ERROR_OUTPUT);
        ck_assert_ptr_nonnull(strstr(err.text, "journal: cannot be written"));
        kn_journal_close(journal);
        complete(records_in((size_t)room));
        unlink(file);
        rmdir(folder);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {test_goes_on_where_it_was_stopped,
                                  test_goes_on_after_it_was_killed,
                                  test_cut_at_every_length,
                                  test_zeros_at_the_end,
                                  test_damage_is_refused,
                                  test_of_one_plan_and_one_process,
                                  test_jobs_are_told_apart,
                                  test_full_disk};

    return TEST_RUN_WITH("journal", CK_FORK_GETENV, set_up, tear_down, tests);
}
