// SPDX-License-Identifier: Apache-2.0
// The file FOLDER/journal: a header with the hash of the plan, then a record for each piece, which is a
// header and the bytes of its result. It is only appended to. Headers have checksums, so that a truncated
// record at the end of the file is distinguished from damage: the former is dropped, the latter refused.
#include "journal.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <koine/koine.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/os/clock.h"

enum { SUM_BYTES = 8, PLAN_MOST = 1 << 30, FOLDER_MODE = 0777, FILE_MODE = 0666 };

static const char magic[16] = "koine journal 1\n";
static const double seconds_unsynced = 10;

struct head {
    char magic[sizeof magic];
    struct ki_hash plan;
    char unused[8];
    unsigned char sum[SUM_BYTES]; // of the fields above
};

struct record {
    uint64_t job, piece, size;
    struct ki_hash content;
    unsigned char sum[SUM_BYTES]; // of the fields above, and of the position in the file
};

// A piece that the journal had when it was opened.
struct kept {
    size_t job, piece, size;
    uint64_t at; // position of its bytes in the file
};

struct kn_journal {
    pthread_mutex_t lock;
    char *folder, *path;
    int file;      // -1: not created yet
    uint64_t size; // of the valid part of the file
    struct ki_hash plan;
    struct kept *kept;
    size_t kept_count, kept_capacity;
    size_t count; // including those that were added
    double synced;
};

// ---- checksums ----

static void sum_head(const struct head *head, unsigned char sum[SUM_BYTES])
{
    const struct ki_field field = {head, offsetof(struct head, sum)};
    const struct ki_hash hash = ki_hash_fields(&field, 1);

    memcpy(sum, hash.bytes, SUM_BYTES);
}

static void sum_record(const struct record *record, uint64_t at, unsigned char sum[SUM_BYTES])
{
    const struct ki_field fields[] = {{record, offsetof(struct record, sum)}, {&at, sizeof at}};
    const struct ki_hash hash = ki_hash_fields(fields, KI_COUNT(fields));

    memcpy(sum, hash.bytes, SUM_BYTES);
}

static struct ki_hash hash_content(const void *bytes, size_t size)
{
    const struct ki_field field = {bytes ? bytes : "", size};

    return ki_hash_fields(&field, 1);
}

static struct ki_hash hash_plan(const void *plan, size_t size)
{
    const char *version = kn_version();
    const struct ki_field fields[] = {{version, strlen(version)}, {plan, size}};

    return ki_hash_fields(fields, KI_COUNT(fields));
}

// ---- reading the file ----

static kn_status damaged(const kn_journal *journal, uint64_t at, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_INPUT, journal->path, 0,
                      "the journal is damaged at byte %llu; remove %s to begin anew", (unsigned long long)at,
                      journal->folder);
}

static kn_status check_head(const kn_journal *journal, const struct head *head, kn_error *err)
{
    unsigned char sum[SUM_BYTES];

    sum_head(head, sum);
    if (memcmp(head->magic, magic, sizeof magic) != 0 || memcmp(head->sum, sum, sizeof sum) != 0)
        return damaged(journal, 0, err);
    if (memcmp(&head->plan, &journal->plan, sizeof head->plan) != 0)
        return ki_fail_at(err, KN_ERROR_INPUT, journal->path, 0,
                          "the journal is of other inputs, other options or another version of Koine; repeat "
                          "what it is of, or remove %s to begin anew",
                          journal->folder);
    return KN_OK;
}

static bool is_zero(const unsigned char *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i])
            return false;
    return true;
}

// After a machine failed, the end of the file has less than was written, or zeros instead of it.
static kn_status read_record(kn_journal *journal, const unsigned char *bytes, size_t size, bool *is_whole,
                             kn_error *err)
{
    const unsigned char *at = bytes + journal->size;
    const size_t left = size - (size_t)journal->size;
    unsigned char sum[SUM_BYTES];
    struct record record;
    struct ki_hash content;

    *is_whole = false;
    if (left < sizeof record)
        return KN_OK;
    memcpy(&record, at, sizeof record);
    sum_record(&record, journal->size, sum);
    if (memcmp(record.sum, sum, sizeof sum) != 0)
        return is_zero(at, left) ? KN_OK : damaged(journal, journal->size, err);
    if (record.size > left - sizeof record)
        return KN_OK;
    content = hash_content(at + sizeof record, record.size);
    if (memcmp(&content, &record.content, sizeof content) != 0)
        return record.size == left - sizeof record ? KN_OK : damaged(journal, journal->size, err);
    *is_whole = true;
    if (!KI_ARRAY_PUSH(journal->kept, journal->kept_count, journal->kept_capacity,
                       ((struct kept){record.job, record.piece, record.size, journal->size + sizeof record})))
        return ki_fail_memory(err, 0, "reading the journal");
    journal->size += sizeof record + record.size;
    return KN_OK;
}

static int by_piece(const void *left, const void *right)
{
    const struct kept *a = left, *b = right;

    if (a->job != b->job)
        return a->job < b->job ? -1 : 1;
    return (a->piece > b->piece) - (a->piece < b->piece);
}

static kn_status read_records(kn_journal *journal, const unsigned char *bytes, size_t size, kn_error *err)
{
    struct head head;
    kn_status status;
    bool is_whole = true;

    if (size < sizeof head) // it was being created
        return KN_OK;
    memcpy(&head, bytes, sizeof head);
    status = check_head(journal, &head, err);
    journal->size = sizeof head;
    while (!status && is_whole && journal->size < size)
        status = read_record(journal, bytes, size, &is_whole, err);
    journal->count = journal->kept_count;
    if (journal->kept_count)
        qsort(journal->kept, journal->kept_count, sizeof *journal->kept, by_piece);
    return status;
}

static kn_status read_file(kn_journal *journal, kn_error *err)
{
    struct stat facts;
    size_t size;
    void *bytes;
    kn_status status;

    if (fstat(journal->file, &facts) != 0)
        return ki_fail_errno(err, KN_ERROR_INPUT, journal->path, errno, "cannot be read");
    size = (size_t)facts.st_size;
    if (size == 0)
        return KN_OK;
    bytes = mmap(NULL, size, PROT_READ, MAP_PRIVATE, journal->file, 0);
    if (bytes == MAP_FAILED)
        return ki_fail_errno(err, KN_ERROR_INPUT, journal->path, errno, "cannot be read");
    status = read_records(journal, bytes, size, err);
    munmap(bytes, size);
    return status;
}

// ---- opening and closing ----

static kn_status take_file(kn_journal *journal, kn_error *err)
{
    if (flock(journal->file, LOCK_EX | LOCK_NB) != 0)
        return ki_fail_at(err, KN_ERROR_OUTPUT, journal->path, 0,
                          "another process computes with this journal");
    return KN_OK;
}

static kn_status open_file(kn_journal *journal, bool resume, kn_error *err)
{
    kn_status status;

    journal->file = open(journal->path, O_RDWR | O_CLOEXEC);
    if (journal->file < 0)
        return errno == ENOENT
                   ? KN_OK
                   : ki_fail_errno(err, KN_ERROR_OUTPUT, journal->path, errno, "cannot be opened");
    if (!resume)
        return ki_fail_at(err, KN_ERROR_OUTPUT, journal->folder, 0,
                          "holds finished pieces of an earlier run: go on with them, or remove the folder");
    status = take_file(journal, err);
    if (!status)
        status = read_file(journal, err);
    if (!status && ftruncate(journal->file, (off_t)journal->size) != 0)
        status = ki_fail_errno(err, KN_ERROR_OUTPUT, journal->path, errno, "cannot be written");
    return status;
}

kn_status kn_journal_open(const char *folder, const void *plan, size_t plan_size, bool resume,
                          kn_journal **journal, kn_error *err)
{
    const size_t room = (folder ? strlen(folder) : 0) + sizeof "/journal";
    kn_journal *made;
    kn_status status;

    if (!folder || !*folder || (!plan && plan_size) || !journal)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_journal_open: %s",
                       !folder || !*folder ? "no folder"
                       : journal           ? "NULL for the plan"
                                           : "NULL for the journal");
    if (plan_size > PLAN_MOST)
        return ki_fail(err, KN_ERROR_ARGUMENT,
                       "kn_journal_open: a plan of %zu bytes, where at most %d are expected", plan_size,
                       PLAN_MOST);
    made = calloc(1, sizeof *made);
    if (!made)
        return ki_fail_memory(err, sizeof *made, "a journal");
    pthread_mutex_init(&made->lock, NULL); // on Linux this cannot fail
    made->file = -1;
    made->plan = hash_plan(plan, plan_size);
    made->folder = strdup(folder);
    made->path = malloc(room);
    if (made->folder && made->path) {
        memcpy(made->path, folder, room - sizeof "/journal");
        memcpy(made->path + room - sizeof "/journal", "/journal", sizeof "/journal");
        status = open_file(made, resume, err);
    } else {
        status = ki_fail_memory(err, room, "a journal");
    }
    if (status)
        kn_journal_close(made);
    else
        *journal = made;
    return status;
}

size_t kn_journal_get_count(const kn_journal *journal)
{
    size_t count;

    if (!journal)
        return 0;
    pthread_mutex_lock((pthread_mutex_t *)&journal->lock);
    count = journal->count;
    pthread_mutex_unlock((pthread_mutex_t *)&journal->lock);
    return count;
}

void kn_journal_close(kn_journal *journal)
{
    if (!journal)
        return;
    if (journal->file >= 0)
        close(journal->file);
    pthread_mutex_destroy(&journal->lock);
    free(journal->kept);
    free(journal->path);
    free(journal->folder);
    free(journal);
}

kn_status kn_journal_remove(kn_journal *journal, kn_error *err)
{
    kn_status status = KN_OK;

    if (!journal)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_journal_remove: NULL for the journal");
    if (journal->file >= 0 && (unlink(journal->path) != 0 || rmdir(journal->folder) != 0))
        status = ki_fail_errno(err, KN_ERROR_OUTPUT, journal->folder, errno, "cannot be removed");
    kn_journal_close(journal);
    return status;
}

// ---- pieces ----

static kn_status write_at(const kn_journal *journal, const void *bytes, size_t size, uint64_t at,
                          kn_error *err)
{
    while (size) {
        const ssize_t count = pwrite(journal->file, bytes, size, (off_t)at);

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return ki_fail_errno(err, KN_ERROR_OUTPUT, journal->path, count ? errno : ENOSPC,
                                 "cannot be written");
        bytes = (const char *)bytes + count;
        size -= (size_t)count;
        at += (uint64_t)count;
    }
    return KN_OK;
}

static kn_status make_file(kn_journal *journal, kn_error *err)
{
    if (mkdir(journal->folder, FOLDER_MODE) != 0 && errno != EEXIST)
        return ki_fail_errno(err, KN_ERROR_OUTPUT, journal->folder, errno, "cannot be made");
    journal->file = open(journal->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
    if (journal->file < 0)
        return ki_fail_errno(err, KN_ERROR_OUTPUT, journal->path, errno, "cannot be made");
    return take_file(journal, err);
}

static kn_status begin_file(kn_journal *journal, kn_error *err)
{
    struct head head = {.plan = journal->plan};
    kn_status status = journal->file < 0 ? make_file(journal, err) : KN_OK;

    if (status || journal->size)
        return status;
    memcpy(head.magic, magic, sizeof magic);
    sum_head(&head, head.sum);
    status = write_at(journal, &head, sizeof head, 0, err);
    journal->size = status ? 0 : sizeof head;
    return status;
}

static void sync_file(kn_journal *journal)
{
    const double now = ki_clock_seconds();

    if (now - journal->synced < seconds_unsynced)
        return;
    fdatasync(journal->file);
    journal->synced = now;
}

// Called with the lock held. If a record cannot be completed, the part that was written is cut off.
static kn_status append(kn_journal *journal, struct record *record, const void *bytes, kn_error *err)
{
    kn_status status = begin_file(journal, err);

    if (status)
        return status;
    sum_record(record, journal->size, record->sum);
    status = write_at(journal, record, sizeof *record, journal->size, err);
    if (!status)
        status = write_at(journal, bytes, record->size, journal->size + sizeof *record, err);
    if (status && ftruncate(journal->file, (off_t)journal->size) != 0)
        return status; // it is cut off when the file is opened again
    if (status)
        return status;
    journal->size += sizeof *record + record->size;
    journal->count++;
    sync_file(journal);
    return KN_OK;
}

kn_status ki_journal_keep(kn_journal *journal, size_t job, size_t piece,
                          const struct kn_distribute_result *result, kn_error *err)
{
    struct record record = {.job = job, .piece = piece, .size = result->size};
    kn_status status;

    record.content = hash_content(result->bytes, result->size);
    pthread_mutex_lock(&journal->lock);
    status = append(journal, &record, result->bytes, err);
    pthread_mutex_unlock(&journal->lock);
    return status;
}

kn_status ki_journal_fetch(kn_journal *journal, size_t job, size_t piece, struct kn_distribute_result *result,
                           bool *found, kn_error *err)
{
    const struct kept sought = {.job = job, .piece = piece};
    const struct kept *kept =
        journal->kept_count ? bsearch(&sought, journal->kept, journal->kept_count, sizeof sought, by_piece)
                            : NULL;
    size_t done = 0;

    *found = kept != NULL;
    if (!kept)
        return KN_OK;
    *result = (struct kn_distribute_result){malloc(kept->size ? kept->size : 1), kept->size, kept->size};
    if (!result->bytes)
        return ki_fail_memory(err, kept->size, "the result of a piece");
    while (done < kept->size) {
        const ssize_t count =
            pread(journal->file, (char *)result->bytes + done, kept->size - done, (off_t)(kept->at + done));

        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0) {
            ki_distribute_result_free(result);
            return ki_fail_errno(err, KN_ERROR_INPUT, journal->path, count ? errno : EIO, "cannot be read");
        }
        done += (size_t)count;
    }
    return KN_OK;
}
