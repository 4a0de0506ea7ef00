// SPDX-License-Identifier: Apache-2.0
// Tests one job in several processes. Here they are threads, whose communicator is a barrier and an array:
// each has a distribution of its own, with the host as its place. tests/e2e/app/mpi.sh has MPI's.
#include <pthread.h>
#include <stdatomic.h>

#include <unistd.h>

#include "support/support.h"

#include <koine/distribute.h>

#include "base/array.h"
#include "base/error.h"
#include "support/run.h"

enum { MOST_RANKS = 7 };

// What the ranks have in common.
struct world {
    size_t size, pieces;
    atomic_size_t number;
    pthread_barrier_t barrier;
    const void *own[MOST_RANKS];
    kn_status fails_with[MOST_RANKS]; // of each rank, at pieces from `fails_at` on
    size_t fails_at;
    bool waits; // others compute when one has failed
    atomic_size_t failures;
    bool stops; // rank 0 is told to stop
    struct rank {
        struct world *world;
        kn_communicator communicator;
        kn_status status;
        kn_error err;
        size_t written, dropped, dropped_place, taken, known;
        char text[4096];
    } ranks[MOST_RANKS];
};

// ---- a communicator ----

static kn_status take(void *data, size_t count, size_t *before, kn_error *err)
{
    const struct rank *rank = data;

    (void)err;
    *before = atomic_fetch_add(&rank->world->number, count);
    return KN_OK;
}

static kn_status share(void *data, const void *own, size_t size, void *all, kn_error *err)
{
    const struct rank *rank = data;
    struct world *world = rank->world;

    (void)err;
    world->own[rank->communicator.rank] = own;
    pthread_barrier_wait(&world->barrier);
    for (size_t i = 0; i < world->size; i++)
        memcpy((char *)all + i * size, world->own[i], size);
    pthread_barrier_wait(&world->barrier);
    return KN_OK;
}

static kn_status gather(void *data, const void *own, size_t size, const size_t *sizes, void *all,
                        kn_error *err)
{
    const struct rank *rank = data;
    struct world *world = rank->world;
    char *to = all;

    (void)err;
    (void)size;
    world->own[rank->communicator.rank] = own;
    pthread_barrier_wait(&world->barrier);
    for (size_t i = 0; i < world->size && rank->communicator.rank == 0; to += sizes[i++])
        if (sizes[i])
            memcpy(to, world->own[i], sizes[i]);
    pthread_barrier_wait(&world->barrier);
    return KN_OK;
}

// ---- a job ----

static kn_status run_piece(void *data, size_t place, kn_queue *queue, size_t piece,
                           kn_distribute_result *result, kn_error *err)
{
    struct rank *rank = data;
    struct world *world = rank->world;
    char text[32];

    (void)queue;
    rank->taken += place == rank->communicator.rank;
    if (world->fails_with[place] && piece >= world->fails_at) {
        atomic_fetch_add(&world->failures, 1);
        return ki_fail(err, world->fails_with[place], "piece %zu fails on rank %zu", piece, place);
    }
    while (world->waits && !atomic_load(&world->failures))
        usleep(100);
    snprintf(text, sizeof text, "%zu", piece);
    return kn_distribute_put(result, text, strlen(text), err);
}

static kn_status fold(void *data, const void *left, size_t left_size, const void *right, size_t right_size,
                      kn_distribute_result *result, kn_error *err)
{
    (void)data;
    if (kn_distribute_put(result, "(", 1, err) || kn_distribute_put(result, left, left_size, err) ||
        kn_distribute_put(result, " ", 1, err) || kn_distribute_put(result, right, right_size, err))
        return err->code;
    return kn_distribute_put(result, ")", 1, err);
}

static kn_status write_text(void *data, size_t index, const void *bytes, size_t size, kn_error *err)
{
    struct rank *rank = data;

    (void)index;
    rank->written++;
    if (size >= sizeof rank->text)
        return ki_fail(err, KN_ERROR_OUTPUT, "the text is too long");
    memcpy(rank->text, bytes, size);
    rank->text[size] = '\0';
    return KN_OK;
}

static void note_dropped(void *data, size_t place, size_t piece, const kn_error *why)
{
    struct rank *rank = data;

    (void)piece;
    rank->dropped += *why->text != '\0';
    rank->dropped_place = place;
}

static bool go_on(void *data, double done)
{
    const struct rank *rank = data;

    (void)done;
    return rank->communicator.rank > 0 || !rank->world->stops;
}

static void *run_rank(void *data)
{
    struct rank *rank = data;
    const kn_distribute_job job = KN_INIT(kn_distribute_job, .piece_count = rank->world->pieces,
                                          .run = run_piece, .fold = fold, .data = rank);
    const kn_distribute_options options =
        KN_INIT(kn_distribute_options, .write = write_text, .dropped = note_dropped, .go_on = go_on,
                .data = rank, .communicator = &rank->communicator);
    kn_distribution *distribution = NULL;

    rank->status = kn_distribution_create(&job, &options, &distribution, &rank->err);
    if (!rank->status)
        rank->status = kn_distribution_add_queue(distribution, NULL, &rank->err);
    if (!rank->status)
        rank->status = kn_distribution_run(distribution, &rank->err);
    for (size_t i = 0; i < rank->world->size; i++)
        rank->known += kn_distribution_get_count(distribution, i);
    kn_distribution_free(distribution);
    return NULL;
}

static struct world *new_world(size_t size, size_t pieces)
{
    struct world *world = calloc(1, sizeof *world);

    ck_assert_ptr_nonnull(world);
    world->size = size;
    world->pieces = pieces;
    for (size_t i = 0; i < size; i++) {
        struct rank *rank = &world->ranks[i];

        rank->world = world;
        rank->err = (kn_error)KN_ERROR_INIT;
        rank->communicator = KN_INIT(kn_communicator, .rank = i, .size = size, .take = take, .share = share,
                                     .gather = gather, .data = rank);
    }
    return world;
}

static void run_world(struct world *world)
{
    pthread_t threads[MOST_RANKS];

    pthread_barrier_init(&world->barrier, NULL, (unsigned)world->size);
    for (size_t i = 1; i < world->size; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, run_rank, &world->ranks[i]), 0);
    run_rank(&world->ranks[0]);
    for (size_t i = 1; i < world->size; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&world->barrier);
}

// The text that one process writes.
static void expect_text_of_one(const struct world *world)
{
    struct world *alone = new_world(1, world->pieces);

    run_world(alone);
    ck_assert_int_eq(alone->ranks[0].status, KN_OK);
    ck_assert_str_eq(world->ranks[0].text, alone->ranks[0].text);
    free(alone);
}

static void expect_all(const struct world *world, kn_status status, const char *text)
{
    for (size_t i = 0; i < world->size; i++) {
        ck_assert_int_eq(world->ranks[i].status, status);
        ck_assert_msg(strstr(world->ranks[i].err.text, text), "rank %zu says: %s", i,
                      world->ranks[i].err.text);
        ck_assert_uint_eq(world->ranks[i].written, 0);
    }
}

START_TEST(test_ranks_write_what_one_process_writes)
{
    static const size_t sizes[] = {1, 2, 3, 7};

    for (size_t i = 0; i < KI_COUNT(sizes); i++)
        for (size_t pieces = 0; pieces < 40; pieces += pieces < 9 ? 1 : 10) {
            struct world *world = new_world(sizes[i], pieces);
            size_t taken = 0;

            run_world(world);
            for (size_t rank = 0; rank < sizes[i]; rank++) {
                ck_assert_int_eq(world->ranks[rank].status, KN_OK);
                ck_assert_uint_eq(world->ranks[rank].written, rank == 0 && pieces > 0);
                taken += world->ranks[rank].taken;
            }
            ck_assert_uint_eq(taken, pieces);
            ck_assert_uint_eq(world->ranks[0].known, pieces);
            expect_text_of_one(world);
            free(world);
        }
}
END_TEST

START_TEST(test_the_first_failing_piece_ends_all_ranks)
{
    struct world *world = new_world(3, 1000);

    world->fails_at = 100;
    for (size_t i = 0; i < world->size; i++)
        world->fails_with[i] = KN_ERROR_INPUT;
    run_world(world);
    expect_all(world, KN_ERROR_INPUT, "piece 100 fails");
    for (size_t i = 0; i < world->size; i++)
        ck_assert_uint_lt(world->ranks[i].taken, 1000);
    free(world);
}
END_TEST

START_TEST(test_a_rank_without_its_device_is_dropped)
{
    struct world *world = new_world(3, 50);

    world->fails_with[2] = KN_ERROR_DEVICE;
    world->waits = true;
    run_world(world);
    for (size_t i = 0; i < world->size; i++)
        ck_assert_int_eq(world->ranks[i].status, KN_OK);
    ck_assert_uint_eq(world->ranks[2].taken, 1);
    ck_assert_uint_eq(world->ranks[0].dropped, 1);
    ck_assert_uint_eq(world->ranks[0].dropped_place, 2);
    ck_assert_uint_eq(world->ranks[0].known, 50);
    expect_text_of_one(world);
    free(world);
}
END_TEST

START_TEST(test_without_devices_the_run_is_incomplete)
{
    struct world *world = new_world(3, 2);

    for (size_t i = 0; i < world->size; i++)
        world->fails_with[i] = KN_ERROR_DEVICE;
    run_world(world);
    expect_all(world, KN_ERROR_DEVICE, "on two devices");
    free(world);
}
END_TEST

START_TEST(test_interrupting_one_rank_ends_all)
{
    struct world *world = new_world(2, 100000);

    world->stops = true;
    run_world(world);
    expect_all(world, KN_ERROR_INTERRUPTED, "stopped at");
    free(world);
}
END_TEST

START_TEST(test_what_ranks_cannot_have)
{
    struct world *world = new_world(1, 1);
    struct rank *rank = &world->ranks[0];

    rank->communicator.rank = 1;
    run_rank(rank);
    ck_assert_int_eq(rank->status, KN_ERROR_ARGUMENT);
    ck_assert_msg(strstr(rank->err.text, "its rank 1 is not below its size 1"), "%s", rank->err.text);
    free(world);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        test_ranks_write_what_one_process_writes,  test_the_first_failing_piece_ends_all_ranks,
        test_a_rank_without_its_device_is_dropped, test_without_devices_the_run_is_incomplete,
        test_interrupting_one_rank_ends_all,       test_what_ranks_cannot_have};

    return TEST_RUN_WITH("ranks", CK_NOFORK, NULL, NULL, tests);
}
