// SPDX-License-Identifier: Apache-2.0
// Tests which folders and files of the cache are trusted: if another user could have put a program there, it
// is not read, and nothing is written next to it. Cases with files of other users need root; without root a
// line says that they are skipped.
#define _GNU_SOURCE // unshare
#include "support/run.h"
#include "support/support.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "engine/cache/cache.h"

enum { NOBODY = 65534, SOMEBODY = 4711 }; // uids that are neither the test's nor root's

static char *top; // 0755, in a sticky folder, and
static char *dir; // "cache" in it, the cache
static kn_error err;
static const struct cache_key key = {{{1, 2, 3}}, "algo/reduce.cl", "a device"};

static const char *below(const char *name)
{
    static char paths[4][4300];
    static unsigned next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof paths[0], "%s/%s", top, name);
    return path;
}

static const char *entry_in(const char *folder)
{
    static char path[4400];
    char hex[2 * KI_HASH_BYTES + 1];

    ki_hash_hex(&key.hash, hex);
    snprintf(path, sizeof path, "%s/%s.kbin", folder, hex);
    return path;
}

static bool is_root(const char *what)
{
    if (geteuid() == 0)
        return true;
    ck_assert_msg(!test_require("root"), "%s: needs root (KOINE_REQUIRE lists root)", what);
    fprintf(stderr, "left out, as it needs root: %s\n", what);
    return false;
}

static void store(const char *folder)
{
    ck_assert_msg(ki_cache_write(folder, &key, "program", 7, &err) == KN_OK, "%s: %s", folder, err.text);
}

// An entry written there is found there.
static void expect_trusted(const char *folder)
{
    void *data = NULL;
    size_t bytes = 0;
    char why[128];

    ck_assert_msg(kn_cache_check_trust(folder, &err) == KN_OK, "%s: %s", folder, err.text);
    store(folder);
    ck_assert_msg(ki_cache_read(folder, &key, &data, &bytes, why), "%s: %s", folder, why);
    ck_assert_uint_eq(bytes, 7);
    ck_assert_int_eq(memcmp(data, "program", 7), 0);
    free(data);
}

static void expect_words(const char *words)
{
    ck_assert_msg(strstr(err.text, words) && strstr(err.text, "KOINE_CACHE_DIR"), "\"%s\" without \"%s\"",
                  err.text, words);
}

// Nothing is read or written there, and each refusal contains `words`. An existing file is unchanged.
static void expect_refused(const char *folder, const char *words)
{
    const char *entry = entry_in(folder);
    struct stat before, after;
    bool there = lstat(entry, &before) == 0;
    void *data = NULL;
    size_t bytes = 0;
    char why[128] = "";

    ck_assert_msg(kn_cache_check_trust(folder, &err) == KN_ERROR_OUTPUT, "%s is trusted, though %s", folder,
                  words);
    expect_words(words);
    ck_assert_int_eq(ki_cache_write(folder, &key, "another", 7, &err), KN_ERROR_OUTPUT);
    expect_words(words);
    ck_assert_int_eq(kn_cache_try(folder, &err), KN_ERROR_OUTPUT);
    expect_words(words);
    ck_assert_msg(!ki_cache_read(folder, &key, &data, &bytes, why), "%s is read, though %s", folder, words);
    ck_assert_ptr_null(data);
    ck_assert_ptr_nonnull(strstr(why, "others could have put it there"));
    ki_cache_remove(folder, &key);
    ck_assert_int_eq(lstat(entry, &after), there ? 0 : -1);
    ck_assert(!there || (before.st_ino == after.st_ino && before.st_mtime == after.st_mtime));
}

static void set_up(void)
{
    top = test_folder();
    dir = strdup(below("cache"));
    ck_assert_int_eq(chmod(top, 0755), 0);
    store(dir);
}

static void tear_down(void)
{
    free(dir);
    test_remove(top);
}

START_TEST(modes)
{
    static const mode_t fine[] = {0700, 0755, 0711, 0750}, shared[] = {0777, 0707, 0702, 01777, 03777};
    kn_cache_list *list = NULL;

    for (size_t i = 0; i < sizeof fine / sizeof *fine; i++) {
        ck_assert_int_eq(chmod(dir, fine[i]), 0);
        expect_trusted(dir);
    }
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        char words[64];

        ck_assert_int_eq(chmod(dir, shared[i]), 0);
        snprintf(words, sizeof words, "others can write this folder (mode %04o)", (unsigned)shared[i]);
        expect_refused(dir, words);
        ck_assert_uint_eq(test_files_in(dir), 1);
        ck_assert_int_eq(kn_cache_list_create(dir, &list, &err), KN_OK); // for `koine cache`
        ck_assert_uint_eq(kn_cache_list_get_count(list), 1);
        kn_cache_list_free(list);
    }
    ck_assert_int_eq(chmod(dir, 0700), 0);
    expect_trusted(dir);
}
END_TEST

START_TEST(folders_above)
{
    char *deep = strdup(below("a/b/cache"));

    store(deep);
    ck_assert_int_eq(chmod(below("a"), 0777), 0);
    expect_refused(deep, "/a: others can write this folder, in which the cache lies (mode 0777)");
    ck_assert_int_eq(chmod(below("a"), 01777), 0); // like /tmp: others cannot rename what is in it
    expect_trusted(deep);
    ck_assert_int_eq(chmod(below("a/b"), 0722), 0);
    expect_refused(deep, "/a/b: others can write this folder, in which the cache lies (mode 0722)");
    ck_assert_int_eq(chmod(below("a/b"), 0700), 0);
    expect_trusted(deep);
    free(deep);
}
END_TEST

// A missing folder is created, inaccessible to others, but not where others could replace it.
START_TEST(folders_that_are_made)
{
    char *deep = strdup(below("a/b/cache"));
    struct stat info;

    ck_assert_int_eq(mkdir(below("a"), 0700), 0);
    ck_assert_int_eq(chmod(below("a"), 0777), 0);
    expect_refused(deep, "/a: others can write this folder");
    ck_assert_uint_eq(test_files_in(below("a")), 0);
    ck_assert_int_eq(chmod(below("a"), 01777), 0);
    ck_assert_int_eq(kn_cache_check_trust(deep, &err), KN_OK);
    ck_assert_uint_eq(test_files_in(below("a")), 0); // a query creates nothing
    umask(0);
    expect_trusted(deep);
    ck_assert_int_eq(stat(below("a/b"), &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777u, 0700);
    ck_assert_int_eq(stat(deep, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777u, 0700);
    ck_assert_int_eq(stat(entry_in(deep), &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777u, 0600);
    free(deep);
}
END_TEST

START_TEST(names_of_a_folder)
{
    char *other = strdup(below("other/../cache/./"));

    ck_assert_int_eq(mkdir(below("other"), 0700), 0);
    expect_trusted(other);
    ck_assert_int_eq(chdir(top), 0);
    expect_trusted("cache");
    expect_trusted("./cache//.");
    expect_trusted("other/../cache");
    ck_assert_uint_eq(test_files_in(below("other")), 0);
    ck_assert_int_eq(mkdir("other/...", 0777), 0);
    ck_assert_int_eq(chmod("other/...", 0777), 0);
    expect_refused("other/...", "others can write");
    ck_assert_int_eq(chmod("other", 0777), 0);
    expect_refused("other/.", "others can write this folder (mode 0777)");
    expect_refused("other/../cache", "others can write"); // ".." could lead to another folder by now
    ck_assert_int_eq(chdir("cache"), 0);
    expect_trusted(".");
    expect_trusted("../cache");
    ck_assert_int_eq(chmod(top, 0777), 0);
    expect_refused(".", "in which the cache lies (mode 0777)");
    ck_assert_int_eq(kn_cache_check_trust("/", &err), KN_OK);
    free(other);
}
END_TEST

START_TEST(links)
{
    char *wide = strdup(below("wide")), *link_in_wide = strdup(below("wide/link"));

    ck_assert_int_eq(symlink("cache", below("relative")), 0);
    ck_assert_int_eq(symlink(dir, below("absolute")), 0);
    ck_assert_int_eq(symlink("absolute", below("twice")), 0);
    expect_trusted(below("relative"));
    expect_trusted(below("absolute"));
    expect_trusted(below("twice"));
    ck_assert_uint_eq(test_files_in(dir), 1);
    ck_assert_int_eq(symlink("loop", below("loop")), 0);
    ck_assert_int_eq(ki_cache_write(below("loop"), &key, "x", 1, &err), KN_ERROR_OUTPUT);
    ck_assert_str_eq(err.native_name, "ELOOP");
    // The target of a link counts, and the folders above it.
    ck_assert_int_eq(mkdir(wide, 0700), 0);
    ck_assert_int_eq(mkdir(below("wide/cache"), 0700), 0);
    ck_assert_int_eq(chmod(wide, 0777), 0);
    ck_assert_int_eq(symlink("wide/cache", below("astray")), 0);
    expect_refused(below("astray"), "/wide: others can write");
    // Others can put one into a sticky folder.
    ck_assert_int_eq(symlink(dir, link_in_wide), 0);
    expect_refused(link_in_wide, "/wide: others can write");
    ck_assert_int_eq(chmod(wide, 01777), 0);
    expect_trusted(link_in_wide);
    if (is_root("somebody else's link")) {
        ck_assert_int_eq(lchown(link_in_wide, SOMEBODY, SOMEBODY), 0);
        expect_refused(link_in_wide,
                       "the symbolic link 'link' in this folder belongs to another user (uid 4711");
    }
    free(wide);
    free(link_in_wide);
}
END_TEST

static void expect_file_refused(const char *words)
{
    void *data = NULL;
    size_t bytes = 0;
    struct stat info;
    kn_cache_list *list = NULL;
    const kn_cache_entry *entry;
    char why[128];

    ck_assert_int_eq(kn_cache_list_create(dir, &list, &err), KN_OK);
    ck_assert_uint_eq(kn_cache_list_get_count(list), 1);
    entry = kn_cache_list_get_entry(list, 0);
    ck_assert_msg(!entry->valid && strstr(entry->why, words), "listed as \"%s\"", entry->why);
    kn_cache_list_free(list);
    ck_assert_msg(!ki_cache_read(dir, &key, &data, &bytes, why), "read, though %s", words);
    ck_assert_ptr_null(data);
    ck_assert_msg(strstr(why, words) != NULL, "\"%s\" without \"%s\"", why, words);
    ck_assert_int_eq(lstat(entry_in(dir), &info), -1); // the folder is ours: it is replaced
    store(dir);
}

START_TEST(files)
{
    ck_assert_int_eq(chmod(entry_in(dir), 0644), 0);
    expect_trusted(dir);
    ck_assert_int_eq(chmod(entry_in(dir), 0606), 0);
    expect_file_refused("others can write it");
    ck_assert_int_eq(rename(entry_in(dir), below("elsewhere")), 0); // a valid file, but through a link
    ck_assert_int_eq(symlink(below("elsewhere"), entry_in(dir)), 0);
    expect_file_refused("not a regular file");
    if (!is_root("somebody else's file"))
        return;
    ck_assert_int_eq(chown(entry_in(dir), SOMEBODY, 0), 0);
    expect_file_refused("it belongs to another user");
    ck_assert_int_eq(chown(entry_in(dir), 0, 1), 0);
    ck_assert_int_eq(chmod(entry_in(dir), 0660), 0);
    expect_file_refused("others can write it");
}
END_TEST

START_TEST(somebody_elses_folder)
{
    char *deep = strdup(below("a/cache"));

    if (!is_root("somebody else's folder"))
        return;
    store(deep);
    ck_assert_int_eq(chown(dir, SOMEBODY, SOMEBODY), 0);
    expect_refused(dir, "/cache: this folder belongs to another user (uid 4711, yours is 0)");
    ck_assert_int_eq(chown(below("a"), SOMEBODY, SOMEBODY), 0);
    expect_refused(
        deep, "/a: this folder, in which the cache lies, belongs to another user (uid 4711, yours is 0)");
    ck_assert_int_eq(chown(dir, 0, 1), 0);
    ck_assert_int_eq(chmod(dir, 0775), 0);
    expect_refused(dir, "others can write this folder (mode 0775)");
    ck_assert_int_eq(chown(dir, 0, 0), 0); // others may have that group as their first
    expect_refused(dir, "others can write this folder (mode 0775)");
    free(deep);
}
END_TEST

// A cache that root filled: others read it, but cannot write to it.
START_TEST(roots_folder)
{
    void *data = NULL;
    size_t bytes = 0;
    char why[128];

    if (!is_root("root's folder, read by another user"))
        return;
    ck_assert_int_eq(chmod(dir, 0755), 0);
    ck_assert_int_eq(chmod(entry_in(dir), 0644), 0);
    ck_assert_int_eq(seteuid(NOBODY), 0);
    ck_assert_int_eq(kn_cache_check_trust(dir, &err), KN_OK);
    ck_assert_msg(ki_cache_read(dir, &key, &data, &bytes, why), "%s", why);
    free(data);
    ck_assert_int_eq(ki_cache_write(dir, &key, "x", 1, &err), KN_ERROR_OUTPUT);
    ck_assert_str_eq(err.native_name, "EACCES");
    ck_assert_int_eq(kn_cache_try(dir, &err), KN_ERROR_OUTPUT);
    ck_assert_str_eq(err.native_name, "EACCES");
    ck_assert_int_eq(seteuid(0), 0);
}
END_TEST

// A user whose group has the same name and no other members, as most distributions create them.
static bool find_private_group(struct passwd *found)
{
    const struct passwd *user;

    setpwent();
    while ((user = getpwent())) {
        const struct group *group = getgrgid(user->pw_gid);

        if (user->pw_uid && user->pw_gid && group && strcmp(group->gr_name, user->pw_name) == 0 &&
            !*group->gr_mem) {
            *found = *user;
            return true;
        }
    }
    return false;
}

START_TEST(private_groups)
{
    struct passwd user;

    if (!is_root("private groups"))
        return;
    if (!find_private_group(&user)) {
        fprintf(stderr, "left out, as no user here has a group of the same name: private groups\n");
        return;
    }
    ck_assert_int_eq(chown(dir, user.pw_uid, user.pw_gid), 0);
    ck_assert_int_eq(chown(entry_in(dir), user.pw_uid, user.pw_gid), 0);
    ck_assert_int_eq(chmod(entry_in(dir), 0660), 0);
    ck_assert_int_eq(chmod(dir, 0770), 0);
    ck_assert_int_eq(seteuid(user.pw_uid), 0);
    expect_trusted(dir);
    ck_assert_int_eq(seteuid(0), 0);
    expect_refused(dir, "belongs to another user");
    ck_assert_int_eq(chown(dir, user.pw_uid, SOMEBODY), 0);
    ck_assert_int_eq(seteuid(user.pw_uid), 0);
    expect_refused(dir, "others can write this folder (mode 0770)");
    ck_assert_int_eq(seteuid(0), 0);
    ck_assert_int_eq(chown(dir, 0, 0), 0);
}
END_TEST

static bool write_map(const char *text)
{
    int fd = open("/proc/self/uid_map", O_WRONLY | O_CLOEXEC);
    bool fine = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return fine;
}

// A namespace in which the user is uid 1000, and all other users, including root, are the same unmapped uid.
static bool enter_namespace(void)
{
    ck_assert_int_eq(setgroups(0, NULL), 0);
    ck_assert_int_eq(setresgid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert_int_eq(setresuid(NOBODY, NOBODY, NOBODY), 0);
    ck_assert_int_eq(prctl(PR_SET_DUMPABLE, 1), 0); // else /proc/self is root's
    return unshare(CLONE_NEWUSER) == 0 && write_map("1000 65534 1\n") && geteuid() == 1000;
}

enum { NO_NAMESPACE = 3, UNREACHABLE };

// As in Apptainer: "/" belongs to a uid that is not mapped, and the user's cache below is used. What lies in
// a sticky folder and belongs to such a uid could be anybody's, and so could a cache that does.
static void be_without_root(const char *own, const char *roots)
{
    if (access(own, X_OK) != 0)
        _exit(UNREACHABLE);
    if (!enter_namespace())
        _exit(NO_NAMESPACE);
    expect_trusted(own);
    expect_refused(roots, "this folder belongs to another user (uid 65534, yours is 1000)");
    expect_refused(
        dir, "this folder, in which the cache lies, belongs to another user (uid 65534, yours is 1000)");
    _exit(0);
}

// Whether the working folder, or one above it, is sticky: what another user owns below is nobody's word
// there.
static bool is_below_sticky(void)
{
    char *path = realpath(".", NULL), *slash;
    bool found = false;

    ck_assert_ptr_nonnull(path);
    while (!found && (slash = strrchr(path, '/'))) {
        struct stat info;

        found = stat(path, &info) == 0 && (info.st_mode & S_ISVTX);
        *slash = '\0';
    }
    free(path);
    return found;
}

START_TEST(namespace_without_root)
{
    char here[] = "koine-test-XXXXXX", own[64], roots[64];
    int status = 0;
    pid_t child;

    if (!is_root("a user namespace without root"))
        return;
    if (is_below_sticky()) {
        fprintf(stderr, "left out, as this folder lies in a sticky one: a user namespace without root\n");
        return;
    }
    ck_assert_ptr_nonnull(mkdtemp(here));
    ck_assert_int_eq(chmod(here, 0755), 0);
    snprintf(own, sizeof own, "%s/own", here);
    snprintf(roots, sizeof roots, "%s/roots", here);
    store(roots);
    ck_assert_int_eq(mkdir(own, 0700), 0);
    ck_assert_int_eq(chown(own, NOBODY, NOBODY), 0);
    ck_assert_int_eq(chown(dir, NOBODY, NOBODY), 0); // in `top`, root's, in a sticky folder
    child = fork();
    if (child == 0)
        be_without_root(own, roots);
    ck_assert_int_gt(child, 0);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    test_remove(strdup(here));
    ck_assert(WIFEXITED(status));
    if (WEXITSTATUS(status) == NO_NAMESPACE)
        fprintf(stderr, "left out, as there are no user namespaces here: a user namespace without root\n");
    else if (WEXITSTATUS(status) == UNREACHABLE)
        fprintf(stderr, "left out, as this folder is not for everybody: a user namespace without root\n");
    else
        ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {
        modes, folders_above,         folders_that_are_made, names_of_a_folder, links,
        files, somebody_elses_folder, roots_folder,          private_groups,    namespace_without_root};

    return TEST_RUN_WITH("cache folder", CK_FORK_GETENV, set_up, tear_down, tests);
}
