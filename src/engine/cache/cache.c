// SPDX-License-Identifier: Apache-2.0
#include <config.h>

#include "cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/os/env.h"
#include "base/error.h"
#include "cache_folder.h"

#define SUFFIX  ".kbin"
#define FORMAT  1u
#define LARGEST ((uint64_t)1 << 30) // no program's binary is larger
#define NEW     ".new-"             // the beginning of the name of a file that is being written
#define STALE   3600                // seconds after which a file is no longer being written
#define TRIES   100                 // names to try for a file to be written
#define NAME    (2 * KI_HASH_BYTES + sizeof SUFFIX)

// A file consists of this header and the binary. `sum` covers the rest of the header and the binary.
struct header {
    char magic[8];
    uint32_t format;
    uint32_t reserved; // 0
    unsigned char sum[KI_HASH_BYTES];
    unsigned char key[KI_HASH_BYTES];
    uint64_t bytes;
    char program[64];
    char device[128];
    char version[32];
};

static const char magic[8] = {'K', 'O', 'I', 'N', 'E', 'B', 'I', 'N'};

kn_status kn_cache_get_default_dir(char *path, size_t size, kn_error *err)
{
    const char *own = ki_env_get(KI_ENV_CACHE_DIR);
    const char *xdg = getenv("XDG_CACHE_HOME");
    const char *home = getenv("HOME");
    int length;

    if (!path || size == 0)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_cache_get_default_dir: there is no room for the path");
    if (own && *own)
        length = snprintf(path, size, "%s", own);
    else if (xdg && *xdg == '/')
        length = snprintf(path, size, "%s/koine", xdg);
    else if (home && *home)
        length = snprintf(path, size, "%s/.cache/koine", home);
    else
        return ki_fail(err, KN_ERROR_OUTPUT, "neither KOINE_CACHE_DIR nor XDG_CACHE_HOME nor HOME is set");
    if (length < 0 || (size_t)length >= size)
        return ki_fail(err, KN_ERROR_OUTPUT, "the cache folder's name is too long");
    return KN_OK;
}

// A folder that the caller specified.
static kn_status check_dir(const char *function, const char *dir, kn_error *err)
{
    return dir && *dir ? KN_OK : ki_fail(err, KN_ERROR_ARGUMENT, "%s: no folder is named", function);
}

kn_status kn_cache_check_trust(const char *dir, kn_error *err)
{
    kn_error reason = KN_ERROR_INIT;
    int folder;

    if (check_dir("kn_cache_check_trust", dir, err))
        return KN_ERROR_ARGUMENT;
    if (ki_cache_folder_open(dir, false, &folder, &reason) && reason.native == 0) {
        if (err)
            *err = reason;
        return reason.code;
    }
    if (folder >= 0)
        close(folder);
    return KN_OK;
}

static void file_name(char name[NAME], const struct cache_key *key)
{
    ki_hash_hex(&key->hash, name);
    strcpy(name + 2 * KI_HASH_BYTES, SUFFIX);
}

static struct ki_hash checksum(const struct header *header, const void *data)
{
    const struct ki_field fields[] = {
        {header, offsetof(struct header, sum)},
        {header->key, sizeof *header - offsetof(struct header, key)},
        {data, (size_t)header->bytes},
    };
    return ki_hash_fields(fields, KI_COUNT(fields));
}

static bool read_fully(int fd, void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t got = read(fd, (char *)data + done, bytes - done);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        done += (size_t)got;
    }
    return true;
}

static bool write_fully(int fd, const void *data, size_t bytes)
{
    for (size_t done = 0; done < bytes;) {
        ssize_t put = write(fd, (const char *)data + done, bytes - done);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        done += (size_t)put;
    }
    return true;
}

// Reads and checks an open file. NULL if it is valid (then *data belongs to the caller), else what is wrong
// with it.
static const char *examine(int fd, struct header *header, void **data)
{
    struct stat info;
    struct ki_hash sum;

    *data = NULL;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode))
        return "not a regular file";
    if (ki_cache_file_distrust(&info))
        return ki_cache_file_distrust(&info);
    if ((uint64_t)info.st_size < sizeof *header || !read_fully(fd, header, sizeof *header))
        return "truncated";
    if (memcmp(header->magic, magic, sizeof magic) != 0)
        return "not a cache file of Koine";
    if (header->format != FORMAT)
        return "of another format";
    if (header->bytes == 0 || header->bytes > LARGEST ||
        header->bytes != (uint64_t)info.st_size - sizeof *header)
        return "truncated or extended";
    *data = malloc((size_t)header->bytes);
    if (!*data || !read_fully(fd, *data, (size_t)header->bytes))
        return "not readable to its end";
    sum = checksum(header, *data);
    if (memcmp(sum.bytes, header->sum, sizeof header->sum) != 0)
        return "its checksum does not match";
    header->program[sizeof header->program - 1] = '\0';
    header->device[sizeof header->device - 1] = '\0';
    header->version[sizeof header->version - 1] = '\0';
    if (strcmp(header->version, PACKAGE_VERSION) != 0)
        return "of another version of Koine";
    return NULL;
}

// Opens a file of the folder without blocking on a FIFO or following a link.
static int open_entry(int folder, const char *name)
{
    return openat(folder, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW);
}

static void say_errno(int number, char why[128])
{
    snprintf(why, 128, "%s",
             number == ENOENT   ? ""
             : number == EACCES ? "no permission to read it"
                                : "it cannot be opened");
}

static bool read_entry(int folder, const char *name, const struct cache_key *key, void **data, size_t *bytes,
                       char why[128])
{
    struct header header;
    const char *wrong;
    int fd = open_entry(folder, name);

    if (fd < 0 && errno != ELOOP) {
        say_errno(errno, why);
        return false;
    }
    wrong = fd < 0 ? "not a regular file" : examine(fd, &header, data);
    if (!wrong && memcmp(header.key, key->hash.bytes, sizeof header.key) != 0)
        wrong = "of another program";
    if (wrong) {
        free(*data);
        *data = NULL;
        snprintf(why, 128, "%s", wrong);
        (void)unlinkat(folder, name, 0); // if that fails, the next reader finds the same and builds as well
    } else {
        *bytes = (size_t)header.bytes;
        (void)futimens(fd, NULL); // records the last use; a failure does not matter
    }
    if (fd >= 0)
        close(fd);
    return !wrong;
}

bool ki_cache_read(const char *dir, const struct cache_key *key, void **data, size_t *bytes, char why[128])
{
    char name[NAME];
    kn_error reason = KN_ERROR_INIT;
    bool found;
    int folder;

    why[0] = '\0';
    *data = NULL;
    if (ki_cache_folder_open(dir, false, &folder, &reason)) {
        if (reason.native)
            say_errno(reason.native, why);
        else
            snprintf(why, 128, "others could have put it there ('koine cache list' says who)");
        return false;
    }
    if (folder < 0)
        return false;
    file_name(name, key);
    found = read_entry(folder, name, key, data, bytes, why);
    close(folder);
    return found;
}

static bool is_entry(const char *name)
{
    return strspn(name, "0123456789abcdef") == 2 * KI_HASH_BYTES &&
           strcmp(name + 2 * KI_HASH_BYTES, SUFFIX) == 0;
}

static bool is_temporary(const char *name)
{
    return strncmp(name, NEW, strlen(NEW)) == 0 && strlen(name) == strlen(NEW "XXXXXX");
}

static bool is_file(int folder, const char *name, struct stat *info)
{
    return fstatat(folder, name, info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(info->st_mode);
}

// A stream over the entries of a folder that was opened by name only.
static DIR *entries_of(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !entries)
        close(fd);
    return entries;
}

// Removes what processes that were killed while writing left behind.
static void sweep(int folder)
{
    DIR *entries = entries_of(folder);
    time_t now = time(NULL);
    struct stat info;

    if (!entries)
        return;
    for (struct dirent *item; (item = readdir(entries));)
        if (is_temporary(item->d_name) && is_file(folder, item->d_name, &info) && now - info.st_mtime > STALE)
            (void)unlinkat(folder, item->d_name, 0);
    closedir(entries);
}

kn_status kn_cache_try(const char *dir, kn_error *err)
{
    int folder = -1;
    kn_status status = check_dir("kn_cache_try", dir, err);

    if (!status)
        status = ki_cache_folder_open(dir, true, &folder, err);
    if (status)
        return status;
    if (faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) != 0)
        status = ki_fail_errno(err, KN_ERROR_OUTPUT, dir, errno, "the cache cannot be written");
    close(folder);
    return status;
}

// A new file with a name that no other process uses.
static int open_temporary(int folder, char name[sizeof NEW "XXXXXX"])
{
    int fd = -1;

    for (unsigned i = 0; i < TRIES && fd < 0; i++) {
        struct {
            struct timespec now;
            pid_t process;
            unsigned number;
        } seed;
        char hex[2 * KI_HASH_BYTES + 1];

        memset(&seed, 0, sizeof seed);
        clock_gettime(CLOCK_REALTIME, &seed.now);
        seed.process = getpid();
        seed.number = i;
        const struct ki_field field = {&seed, sizeof seed};
        const struct ki_hash hash = ki_hash_fields(&field, 1);
        ki_hash_hex(&hash, hex);
        snprintf(name, sizeof NEW "XXXXXX", NEW "%.6s", hex);
        fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static struct header header_of(const struct cache_key *key, const void *data, size_t bytes)
{
    struct header header;
    struct ki_hash sum;

    memset(&header, 0, sizeof header);
    memcpy(header.magic, magic, sizeof magic);
    header.format = FORMAT;
    memcpy(header.key, key->hash.bytes, sizeof header.key);
    header.bytes = bytes;
    snprintf(header.program, sizeof header.program, "%s", key->program);
    snprintf(header.device, sizeof header.device, "%s", key->device);
    snprintf(header.version, sizeof header.version, "%s", PACKAGE_VERSION);
    sum = checksum(&header, data);
    memcpy(header.sum, sum.bytes, sizeof header.sum);
    return header;
}

// Returns 0 or errno.
static int write_entry(int folder, const struct cache_key *key, const void *data, size_t bytes)
{
    const struct header header = header_of(key, data, bytes);
    char name[NAME], temporary[sizeof NEW "XXXXXX"];
    int fd = open_temporary(folder, temporary), number;

    if (fd < 0)
        return errno;
    file_name(name, key);
    errno = 0;
    number = !write_fully(fd, &header, sizeof header) || !write_fully(fd, data, bytes) || fsync(fd) != 0
                 ? errno ? errno : EIO
                 : 0;
    if (close(fd) != 0 && !number)
        number = errno;
    if (!number && renameat(folder, temporary, folder, name) != 0)
        number = errno;
    if (number)
        (void)unlinkat(folder, temporary, 0);
    return number;
}

kn_status ki_cache_write(const char *dir, const struct cache_key *key, const void *data, size_t bytes,
                         kn_error *err)
{
    int folder, number;
    kn_status status = ki_cache_folder_open(dir, true, &folder, err);

    if (status)
        return status;
    sweep(folder);
    number = write_entry(folder, key, data, bytes);
    close(folder);
    return number ? ki_fail_errno(err, KN_ERROR_OUTPUT, dir, number, "the cache cannot be written") : KN_OK;
}

void ki_cache_remove(const char *dir, const struct cache_key *key)
{
    kn_error reason = KN_ERROR_INIT;
    char name[NAME];
    int folder;

    if (ki_cache_folder_open(dir, false, &folder, &reason) || folder < 0)
        return;
    file_name(name, key);
    (void)unlinkat(folder, name, 0);
    close(folder);
}

// ---- the folder as a whole ----

struct kn_cache_list {
    kn_cache_entry *entries;
    size_t count, capacity;
};

static kn_cache_entry describe(int dirfd, const char *name)
{
    kn_cache_entry entry;
    struct header header;
    struct stat info;
    const char *wrong = NULL;
    void *data = NULL;
    int fd;

    memset(&entry, 0, sizeof entry);
    memset(&header, 0, sizeof header);
    snprintf(entry.file, sizeof entry.file, "%s", name);
    if (fstatat(dirfd, name, &info, AT_SYMLINK_NOFOLLOW) == 0) {
        entry.bytes = (uint64_t)info.st_size;
        entry.used = (int64_t)info.st_mtime;
    }
    fd = open_entry(dirfd, name);
    wrong =
        fd < 0 ? errno == ELOOP ? "not a regular file" : "it cannot be opened" : examine(fd, &header, &data);
    if (fd >= 0)
        close(fd);
    free(data);
    entry.valid = !wrong;
    snprintf(entry.why, sizeof entry.why, "%s", wrong ? wrong : "");
    if (!wrong) {
        snprintf(entry.program, sizeof entry.program, "%s", header.program);
        snprintf(entry.device, sizeof entry.device, "%s", header.device);
        snprintf(entry.version, sizeof entry.version, "%s", header.version);
    }
    return entry;
}

static kn_status open_folder(const char *dir, DIR **folder, kn_error *err)
{
    *folder = opendir(dir);
    if (!*folder && errno != ENOENT)
        return ki_fail_errno(err, KN_ERROR_INPUT, dir, errno, "the cache folder cannot be read");
    return KN_OK;
}

kn_status kn_cache_list_create(const char *dir, kn_cache_list **list, kn_error *err)
{
    kn_cache_list *made;
    DIR *folder = NULL;
    kn_status status;

    if (!list)
        return ki_fail(err, KN_ERROR_ARGUMENT, "kn_cache_list_create: list is NULL");
    *list = NULL;
    status = check_dir("kn_cache_list_create", dir, err);
    if (!status)
        status = open_folder(dir, &folder, err);
    if (status)
        return status;
    made = calloc(1, sizeof *made);
    if (!made)
        status = ki_fail_memory(err, sizeof *made, "listing the cache");
    for (struct dirent *item; folder && !status && (item = readdir(folder));)
        if (is_entry(item->d_name) &&
            !KI_ARRAY_PUSH(made->entries, made->count, made->capacity, describe(dirfd(folder), item->d_name)))
            status = ki_fail_memory(err, 0, "listing the cache");
    if (folder)
        closedir(folder);
    if (status) {
        kn_cache_list_free(made);
        return status;
    }
    *list = made;
    return KN_OK;
}

void kn_cache_list_free(kn_cache_list *list)
{
    if (list)
        free(list->entries);
    free(list);
}

size_t kn_cache_list_get_count(const kn_cache_list *list)
{
    return list ? list->count : 0;
}

const kn_cache_entry *kn_cache_list_get_entry(const kn_cache_list *list, size_t index)
{
    return list && index < list->count ? &list->entries[index] : NULL;
}

kn_status kn_cache_clear(const char *dir, size_t *removed, kn_error *err)
{
    DIR *folder = NULL;
    size_t count = 0;
    kn_status status = check_dir("kn_cache_clear", dir, err);

    if (removed)
        *removed = 0;
    if (!status)
        status = open_folder(dir, &folder, err);
    if (status || !folder)
        return status;
    for (struct dirent *item; (item = readdir(folder));) {
        if (!is_entry(item->d_name) && !is_temporary(item->d_name))
            continue;
        if (unlinkat(dirfd(folder), item->d_name, 0) == 0)
            count++;
        else if (errno != ENOENT && !status) // the others are removed all the same
            status = ki_fail_errno(err, KN_ERROR_OUTPUT, dir, errno, "'%s' cannot be removed", item->d_name);
    }
    closedir(folder);
    if (removed)
        *removed = count;
    return status;
}
