// SPDX-License-Identifier: Apache-2.0
// Tests the cache's files: whatever happens to one, reading gives the data that were written, or nothing.
#include "support/run.h"
#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "engine/cache/cache.h"

// Offsets in a file (struct header in cache.c); key_is_where_it_should_be() checks them.
enum { AT_FORMAT = 8, AT_SUM = 16, AT_KEY = 48, AT_VERSION = 280, AT_BINARY = 312 };

static char *dir;
static kn_error err;

static struct cache_key make_key(unsigned number)
{
    struct ki_field field = {&number, sizeof number};
    struct cache_key key = {ki_hash_fields(&field, 1), "algo/reduce.cl", "a device"};

    return key;
}

static const char *path_of(const struct cache_key *key)
{
    static char path[4200];
    char hex[2 * KI_HASH_BYTES + 1];

    ki_hash_hex(&key->hash, hex);
    snprintf(path, sizeof path, "%s/%s.kbin", dir, hex);
    return path;
}

static const char *in_dir(const char *name)
{
    static char path[4200];

    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static bool exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

static void store(const struct cache_key *key, const void *data, size_t bytes)
{
    ck_assert_msg(ki_cache_write(dir, key, data, bytes, &err) == KN_OK, "%s", err.text);
}

static void expect_found(const struct cache_key *key, const void *expected, size_t count)
{
    void *data = NULL;
    size_t bytes = 0;
    char why[128] = "not set";

    ck_assert_msg(ki_cache_read(dir, key, &data, &bytes, why), "not found: %s", why);
    ck_assert_str_eq(why, "");
    ck_assert_uint_eq(bytes, count);
    ck_assert_int_eq(memcmp(data, expected, count), 0);
    free(data);
}

// Nothing is read; the reason contains `words` ("" for none).
static void expect_absent(const struct cache_key *key, const char *words)
{
    void *data = NULL;
    size_t bytes = 77;
    char why[128] = "not set";

    ck_assert_msg(!ki_cache_read(dir, key, &data, &bytes, why), "read, though it should be %s", words);
    ck_assert_ptr_null(data);
    ck_assert_uint_eq(bytes, 77);
    if (*words)
        ck_assert_msg(strstr(why, words) != NULL, "\"%s\" without \"%s\"", why, words);
    else
        ck_assert_str_eq(why, "");
}

static void set_up(void)
{
    dir = test_folder();
}

static void tear_down(void)
{
    test_remove(dir);
}

START_TEST(round_trip)
{
    static unsigned char data[300000];
    static const size_t sizes[] = {1, 2, 4095, 4096, 4097, sizeof data};
    uint64_t seed = test_seed("round_trip");

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)test_random(&seed);
    for (unsigned i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct cache_key key = make_key(i);

        expect_absent(&key, "");
        store(&key, data, sizes[i]);
        expect_found(&key, data, sizes[i]);
        store(&key, data + 7, 11); // another binary for the same key replaces it
        expect_found(&key, data + 7, 11);
        ki_cache_remove(dir, &key);
        expect_absent(&key, "");
        ki_cache_remove(dir, &key);
    }
}
END_TEST

// The binary that is then damaged.
static size_t sound_file(struct cache_key *key, unsigned char *file, size_t size)
{
    unsigned char data[50];

    for (size_t i = 0; i < sizeof data; i++)
        data[i] = (unsigned char)(i * 37);
    *key = make_key(1);
    store(key, data, sizeof data);
    expect_found(key, data, sizeof data);
    ck_assert_uint_eq(test_read(path_of(key), file, size), AT_BINARY + sizeof data);
    return AT_BINARY + sizeof data;
}

START_TEST(every_length)
{
    struct cache_key key;
    unsigned char file[1000] = {0};
    size_t size = sound_file(&key, file, sizeof file);

    for (size_t length = 0; length < sizeof file; length++) {
        if (length == size)
            continue;
        test_write(path_of(&key), file, length);
        expect_absent(&key, "truncated");
        ck_assert_msg(!exists(path_of(&key)), "a file of %zu bytes is not removed", length);
    }
}
END_TEST

START_TEST(every_bit)
{
    struct cache_key key;
    unsigned char file[1000];
    size_t size = sound_file(&key, file, sizeof file);

    for (size_t bit = 0; bit < 8 * size; bit++) {
        char why[128];
        void *data = NULL;
        size_t bytes;

        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        test_write(path_of(&key), file, size);
        file[bit / 8] ^= (unsigned char)(1 << bit % 8);
        ck_assert_msg(!ki_cache_read(dir, &key, &data, &bytes, why), "bit %zu of byte %zu went unseen",
                      bit % 8, bit / 8);
        ck_assert_str_ne(why, "");
        ck_assert_msg(!exists(path_of(&key)), "bit %zu of byte %zu: not removed", bit % 8, bit / 8);
    }
}
END_TEST

static void sign(unsigned char *file, size_t size)
{
    const struct ki_field fields[] = {
        {file, AT_SUM}, {file + AT_KEY, AT_BINARY - AT_KEY}, {file + AT_BINARY, size - AT_BINARY}};
    struct ki_hash sum = ki_hash_fields(fields, 3);

    memcpy(file + AT_SUM, sum.bytes, sizeof sum.bytes);
}

// With a correct checksum.
START_TEST(of_another_kind)
{
    struct cache_key key, other = make_key(2);
    unsigned char file[1000], signed_file[1000];
    size_t size = sound_file(&key, file, sizeof file);

    memcpy(signed_file, file, size);
    sign(signed_file, size);
    ck_assert_int_eq(memcmp(file, signed_file, size), 0); // the test knows the format

    test_write(path_of(&other), file, size);
    expect_absent(&other, "another program");
    ck_assert(!exists(path_of(&other)));

    strcpy((char *)signed_file + AT_VERSION, "0.0.1");
    sign(signed_file, size);
    test_write(path_of(&key), signed_file, size);
    expect_absent(&key, "another version");
    ck_assert(!exists(path_of(&key)));

    memcpy(signed_file, file, size);
    signed_file[AT_FORMAT]++;
    sign(signed_file, size);
    test_write(path_of(&key), signed_file, size);
    expect_absent(&key, "another format");
    ck_assert(!exists(path_of(&key)));
}
END_TEST

START_TEST(no_file_at_all)
{
    struct cache_key key = make_key(3);
    unsigned char byte = 1;
    kn_cache_list *list;

    ck_assert_int_eq(mkfifo(path_of(&key), 0600), 0); // must not wait for a writer
    expect_absent(&key, "not a regular file");
    store(&key, &byte, 1);
    expect_found(&key, &byte, 1);
    ki_cache_remove(dir, &key);

    ck_assert_int_eq(mkfifo(path_of(&key), 0600), 0);
    ck_assert_int_eq(kn_cache_list_create(dir, &list, &err), KN_OK);
    ck_assert_uint_eq(kn_cache_list_get_count(list), 1);
    ck_assert(!kn_cache_list_get_entry(list, 0)->valid);
    kn_cache_list_free(list);
    ki_cache_remove(dir, &key);

    ck_assert_int_eq(symlink("/dev/zero", path_of(&key)), 0);
    expect_absent(&key, "not a regular file");
    ck_assert_int_eq(symlink("nowhere", path_of(&key)), 0);
    store(&key, &byte, 1); // replaces the link
    expect_found(&key, &byte, 1);
    ki_cache_remove(dir, &key);

    ck_assert_int_eq(mkdir(path_of(&key), 0700), 0);
    expect_absent(&key, "not a regular file");
    ck_assert_int_eq(ki_cache_write(dir, &key, &byte, 1, &err), KN_ERROR_OUTPUT);
    ck_assert_str_eq(err.native_name, "EISDIR");
    expect_absent(&key, "not a regular file");
}
END_TEST

// Root may do everything, so the rest of the test runs as another user.
static void become_nobody(void)
{
    if (geteuid() != 0)
        return;
    ck_assert_int_eq(chown(dir, 65534, 65534), 0);
    ck_assert_int_eq(setgroups(0, NULL), 0);
    ck_assert_int_eq(setgid(65534), 0);
    ck_assert_int_eq(setuid(65534), 0);
}

START_TEST(no_permission)
{
    struct cache_key key = make_key(4), second = make_key(5);
    unsigned char byte = 1;

    become_nobody();
    store(&key, &byte, 1);
    ck_assert_int_eq(chmod(path_of(&key), 0), 0);
    expect_absent(&key, "no permission");
    ck_assert_int_eq(chmod(path_of(&key), 0400), 0);
    expect_found(&key, &byte, 1);

    ck_assert_int_eq(chmod(dir, 0500), 0);
    expect_found(&key, &byte, 1);
    ck_assert_int_eq(ki_cache_write(dir, &second, &byte, 1, &err), KN_ERROR_OUTPUT);
    ck_assert_str_eq(err.native_name, "EACCES");
    ck_assert_str_eq(err.file, dir);
    expect_absent(&second, "");
    expect_found(&key, &byte, 1);

    ck_assert_int_eq(chmod(dir, 0), 0);
    expect_absent(&key, "no permission");
    ck_assert_int_eq(chmod(dir, 0700), 0);
}
END_TEST

START_TEST(full_disk)
{
    static unsigned char data[100000];
    struct cache_key key = make_key(6);
    static const rlim_t limits[] = {0, 1, AT_BINARY - 1, AT_BINARY, AT_BINARY + 1, 65536};

    store(&key, "old", 3);
    ck_assert(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        struct rlimit limit = {limits[i], RLIM_INFINITY};

        // No assertion under the limit, which holds for the file of Check's messages too.
        int limited = setrlimit(RLIMIT_FSIZE, &limit);
        kn_status status = ki_cache_write(dir, &key, data, sizeof data, &err);

        limit.rlim_cur = RLIM_INFINITY;
        ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
        ck_assert_int_eq(limited, 0);
        ck_assert_int_eq(status, KN_ERROR_OUTPUT);
        ck_assert_str_eq(err.native_name, "EFBIG");
        expect_found(&key, "old", 3);
        ck_assert_uint_eq(test_files_in(dir), 1); // no incomplete file
    }
}
END_TEST

START_TEST(folders)
{
    struct cache_key key = make_key(7);
    char nested[4200], beside[4200];
    struct stat info;

    snprintf(nested, sizeof nested, "%s/a/b", dir);
    ck_assert_int_eq(ki_cache_write(nested, &key, "x", 1, &err), KN_OK);
    ck_assert_int_eq(stat(nested, &info), 0);
    ck_assert_uint_eq(info.st_mode & 0777u, 0700);

    snprintf(beside, sizeof beside, "%s/file", dir);
    test_write(beside, (const unsigned char *)"x", 1);
    ck_assert_int_eq(ki_cache_write(beside, &key, "x", 1, &err), KN_ERROR_OUTPUT);
    strcat(beside, "/below");
    ck_assert_int_eq(ki_cache_write(beside, &key, "x", 1, &err), KN_ERROR_OUTPUT);
    ck_assert_str_eq(err.native_name, "ENOTDIR");
    memset(beside, 'x', sizeof beside - 1);
    beside[sizeof beside - 1] = '\0';
    ck_assert_int_eq(ki_cache_write(beside, &key, "x", 1, &err), KN_ERROR_OUTPUT);
    ck_assert_str_eq(err.native_name, "ENAMETOOLONG");
}
END_TEST

// ---- several processes at once ----

enum { ROUNDS = 300, LARGEST = 20000 };

// A binary that shows whether it is complete: it has its length, and bytes that depend on it.
static size_t compose(unsigned char *data, uint64_t *seed)
{
    uint32_t count = (uint32_t)(8 + test_random(seed) % (LARGEST - 8));

    memcpy(data, &count, sizeof count);
    for (size_t i = sizeof count; i < count; i++)
        data[i] = (unsigned char)(i * 31 + count);
    return count;
}

static bool is_whole(const unsigned char *data, size_t bytes)
{
    uint32_t count;

    if (bytes < 8 || (memcpy(&count, data, sizeof count), count) != bytes)
        return false;
    for (size_t i = sizeof count; i < bytes; i++)
        if (data[i] != (unsigned char)(i * 31 + count))
            return false;
    return true;
}

// Writes and reads one key; exits with 1 for an incomplete binary, with 2 if nothing was ever read.
static void write_and_read(uint64_t seed)
{
    static unsigned char data[LARGEST];
    struct cache_key key = make_key(8);
    unsigned found = 0;

    for (int i = 0; i < ROUNDS; i++) {
        void *read_back = NULL;
        size_t bytes = compose(data, &seed);
        char why[128];

        if (i % 3 == 0 && ki_cache_write(dir, &key, data, bytes, &err))
            _exit(3);
        if (ki_cache_read(dir, &key, &read_back, &bytes, why)) {
            found++;
            if (!is_whole(read_back, bytes))
                _exit(1);
            free(read_back);
        }
    }
    _exit(found ? 0 : 2);
}

// Truncates and alters the file in place, which no process of ours does.
static void damage(uint64_t seed)
{
    struct cache_key key = make_key(8);

    for (int i = 0; i < ROUNDS; i++) {
        int fd = open(path_of(&key), O_WRONLY | O_CLOEXEC);

        if (fd >= 0) {
            unsigned char byte = (unsigned char)test_random(&seed);

            if (i % 2)
                (void)!ftruncate(fd, (off_t)(test_random(&seed) % LARGEST));
            else
                (void)!pwrite(fd, &byte, 1, (off_t)(test_random(&seed) % 1000));
            close(fd);
        }
        usleep(1000);
    }
    _exit(0);
}

static void run_together(void (*const *kinds)(uint64_t), int count)
{
    uint64_t seed = test_seed("several processes");

    for (int i = 0; i < count; i++) {
        pid_t child = fork();

        // No assertion in the child: two processes that report to Check at once mix their messages.
        if (child == 0)
            kinds[i](seed + (uint64_t)i);
        ck_assert_int_gt(child, 0);
    }
    for (int i = 0; i < count; i++) {
        int status = 0;

        ck_assert_int_gt(wait(&status), 0);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0, "status %x", (unsigned)status);
    }
}

START_TEST(two_processes)
{
    static void (*const kinds[])(uint64_t) = {write_and_read, write_and_read};

    run_together(kinds, 2);
    ck_assert_uint_eq(test_files_in(dir), 1);
}
END_TEST

START_TEST(two_processes_and_damage)
{
    static void (*const kinds[])(uint64_t) = {write_and_read, write_and_read, damage};

    run_together(kinds, 3);
}
END_TEST

// ---- the folder as a whole ----

static void make_old(const char *path, time_t age)
{
    const struct timespec times[] = {{time(NULL) - age, 0}, {time(NULL) - age, 0}};

    test_write(path, (const unsigned char *)"x", 1);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, times, 0), 0);
}

static const char *const foreign[] = {"notes.txt", ".new-notes.txt", "reduce.kbin",
                                      ".new-",     "x.new-AAAAAA",   ".hidden"};

START_TEST(leftovers)
{
    struct cache_key key = make_key(9);
    size_t removed = 0;

    make_old(in_dir(".new-AAAAAA"), 7300);
    make_old(in_dir(".new-bbbbbb"), 60);
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        make_old(in_dir(foreign[i]), 100000);
    store(&key, "x", 1);
    ck_assert(!exists(in_dir(".new-AAAAAA")));
    ck_assert(exists(in_dir(".new-bbbbbb"))); // another process may be writing it
    ck_assert_int_eq(kn_cache_clear(dir, &removed, &err), KN_OK);
    ck_assert_uint_eq(removed, 2);
    ck_assert(!exists(in_dir(".new-bbbbbb")));
    ck_assert(!exists(path_of(&key)));
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        ck_assert_msg(exists(in_dir(foreign[i])), "%s is gone", foreign[i]);
}
END_TEST

START_TEST(clearing_goes_on)
{
    struct cache_key first = make_key(10), second = make_key(11), stuck = make_key(12);
    size_t removed = 0;

    store(&first, "x", 1);
    store(&second, "x", 1);
    ck_assert_int_eq(mkdir(path_of(&stuck), 0700), 0);
    ck_assert_int_eq(kn_cache_clear(dir, &removed, &err), KN_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, strrchr(path_of(&stuck), '/') + 1));
    ck_assert_uint_eq(removed, 2);
    ck_assert_uint_eq(test_files_in(dir), 1);
}
END_TEST

START_TEST(listing)
{
    struct cache_key good = make_key(13), bad = make_key(14);
    kn_cache_list *list = NULL;
    size_t count, removed = 77;
    char none[4200];

    snprintf(none, sizeof none, "%s/none", dir);
    ck_assert_int_eq(kn_cache_list_create(none, &list, &err), KN_OK);
    ck_assert_uint_eq(kn_cache_list_get_count(list), 0);
    kn_cache_list_free(list);
    ck_assert_int_eq(kn_cache_clear(none, &removed, &err), KN_OK);
    ck_assert_uint_eq(removed, 0);

    make_old(in_dir("reduce.kbin"), 0);
    ck_assert_int_eq(kn_cache_list_create(in_dir("reduce.kbin"), &list, &err), KN_ERROR_INPUT);
    ck_assert_ptr_null(list);
    ck_assert_str_eq(err.native_name, "ENOTDIR");

    store(&good, "12345", 5);
    make_old(path_of(&bad), 100);
    ck_assert_int_eq(kn_cache_list_create(dir, &list, &err), KN_OK);
    count = kn_cache_list_get_count(list);
    ck_assert_uint_eq(count, 2);
    ck_assert_ptr_null(kn_cache_list_get_entry(list, count));
    for (size_t i = 0; i < count; i++) {
        const kn_cache_entry *entry = kn_cache_list_get_entry(list, i);
        bool is_good = strcmp(entry->file, strrchr(path_of(&good), '/') + 1) == 0;

        ck_assert_int_eq(entry->valid, is_good);
        ck_assert_uint_eq(entry->bytes, is_good ? AT_BINARY + 5 : 1);
        ck_assert_str_eq(entry->program, is_good ? "algo/reduce.cl" : "");
        ck_assert_str_eq(entry->device, is_good ? "a device" : "");
        ck_assert_str_eq(entry->why, is_good ? "" : "truncated");
        ck_assert_int_le(llabs((long long)time(NULL) - (is_good ? 0 : 100) - entry->used), 5);
    }
    kn_cache_list_free(list);
    ck_assert(exists(path_of(&bad))); // listing removes nothing
}
END_TEST

// Cases that every_function.sh does not reach: a folder without a name, and no pointer for the count.
START_TEST(refusals)
{
    kn_cache_list *list = NULL;
    size_t removed = 77;
    char path[8];

    ck_assert_int_eq(kn_cache_check_trust("", &err), KN_ERROR_ARGUMENT);
    ck_assert_int_eq(kn_cache_try("", &err), KN_ERROR_ARGUMENT);
    ck_assert_int_eq(kn_cache_clear("", &removed, &err), KN_ERROR_ARGUMENT);
    ck_assert_uint_eq(removed, 0);
    ck_assert_int_eq(kn_cache_list_create("", &list, &err), KN_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(err.text, "kn_cache_list_create: no folder is named"));
    ck_assert_int_eq(kn_cache_get_default_dir(path, 0, &err), KN_ERROR_ARGUMENT);
    ck_assert_int_eq(kn_cache_clear(dir, NULL, &err), KN_OK);
}
END_TEST

START_TEST(default_folder)
{
    char path[64], small[8];

    setenv("KOINE_CACHE_DIR", "/own", 1);
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    setenv("HOME", "/home/me", 1);
    ck_assert_int_eq(kn_cache_get_default_dir(path, sizeof path, &err), KN_OK);
    ck_assert_str_eq(path, "/own");
    setenv("KOINE_CACHE_DIR", "", 1);
    ck_assert_int_eq(kn_cache_get_default_dir(path, sizeof path, &err), KN_OK);
    ck_assert_str_eq(path, "/xdg/koine");
    setenv("XDG_CACHE_HOME", "relative", 1); // the XDG specification says to ignore it
    ck_assert_int_eq(kn_cache_get_default_dir(path, sizeof path, &err), KN_OK);
    ck_assert_str_eq(path, "/home/me/.cache/koine");
    ck_assert_int_eq(kn_cache_get_default_dir(small, sizeof small, &err), KN_ERROR_OUTPUT);
    unsetenv("XDG_CACHE_HOME");
    unsetenv("HOME");
    ck_assert_int_eq(kn_cache_get_default_dir(path, sizeof path, &err), KN_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "HOME"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        round_trip,    every_length, every_bit,      of_another_kind, no_file_at_all,
        no_permission, full_disk,    two_processes,  leftovers,       clearing_goes_on,
        listing,       refusals,     default_folder, folders,         two_processes_and_damage};

    return TEST_RUN_WITH("cache", CK_FORK_GETENV, set_up, tear_down, tests);
}
