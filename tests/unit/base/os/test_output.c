// SPDX-License-Identifier: Apache-2.0
// Tests result files, which must exist completely or not at all, whatever fails.
#include "support/support.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/os/output.h"
#include "support/run.h"

static char *folder;
static char path[4200];

static void make_folder(void)
{
    folder = test_folder();
    snprintf(path, sizeof path, "%s/result.txt", folder);
}

static void remove_folder(void)
{
    test_remove(folder);
}

static size_t entries(const char *name)
{
    DIR *dir = opendir(name);
    size_t count = 0;

    ck_assert_ptr_nonnull(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count - 2; // . and ..
}

static void expect_contents(const char *name, const char *expected)
{
    char buffer[256] = "";
    FILE *file = fopen(name, "r");

    ck_assert_ptr_nonnull(file);
    buffer[fread(buffer, 1, sizeof buffer - 1, file)] = '\0';
    fclose(file);
    ck_assert_str_eq(buffer, expected);
}

static void expect_failure(const char *name, bool force, const char *words)
{
    kn_error err = KN_ERROR_INIT;

    ck_assert_int_eq(ki_output_write(name, "new", 3, force, &err), KN_ERROR_OUTPUT);
    ck_assert_int_eq(err.code, KN_ERROR_OUTPUT);
    ck_assert_msg(strstr(err.text, words) != NULL, "does not say '%s': %s", words, err.text);
}

static void write_ok(const char *name, const char *text, bool force)
{
    kn_error err = KN_ERROR_INIT;

    ck_assert_msg(ki_output_write(name, text, strlen(text), force, &err) == KN_OK, "%s", err.text);
}

START_TEST(appears_only_when_closed)
{
    struct ki_output *out = NULL;
    kn_error err = KN_ERROR_INIT;
    struct stat info;
    mode_t mask = umask(027);

    ck_assert_int_eq(ki_output_open(path, false, &out, &err), KN_OK);
    ck_assert_int_ge(fprintf(ki_output_stream(out), "hello %d\n", 1), 0);
    ck_assert_int_eq(access(path, F_OK), -1);
    ck_assert_int_eq(ki_output_close(out, &err), KN_OK);
    umask(mask);
    expect_contents(path, "hello 1\n");
    ck_assert_uint_eq(entries(folder), 1);
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0640);
    ck_assert_int_eq(ki_output_close(NULL, &err), KN_OK);
}
END_TEST

START_TEST(discarded)
{
    struct ki_output *out = NULL;

    ck_assert_int_eq(ki_output_open(path, false, &out, NULL), KN_OK);
    ck_assert_int_ge(fputs("half", ki_output_stream(out)), 0);
    ki_output_discard(out);
    ki_output_discard(NULL);
    ck_assert_uint_eq(entries(folder), 0);
}
END_TEST

START_TEST(nothing_is_overwritten)
{
    struct ki_output *out = NULL;
    struct stat info;
    kn_error err = KN_ERROR_INIT;

    write_ok(path, "old", false);
    ck_assert_int_eq(chmod(path, 0604), 0);
    expect_failure(path, false, "already exists");
    expect_contents(path, "old");
    write_ok(path, "newer", true);
    expect_contents(path, "newer");
    ck_assert_int_eq(stat(path, &info), 0);
    ck_assert_uint_eq(info.st_mode & 07777, 0604);
    // A file that appears while ours is being written is not overwritten either.
    ck_assert_int_eq(unlink(path), 0);
    ck_assert_int_eq(ki_output_open(path, false, &out, &err), KN_OK);
    write_ok(path, "theirs", false);
    ck_assert_int_eq(ki_output_close(out, &err), KN_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "already exists"));
    expect_contents(path, "theirs");
    ck_assert_uint_eq(entries(folder), 1);
}
END_TEST

START_TEST(links_and_devices)
{
    char link[4200];
    struct stat info;

    snprintf(link, sizeof link, "%s/link", folder);
    write_ok(path, "old", false);
    ck_assert_int_eq(symlink("result.txt", link), 0);
    expect_failure(link, false, "already exists");
    write_ok(link, "new", true);
    expect_contents(path, "new");
    ck_assert_int_eq(lstat(link, &info), 0);
    ck_assert(S_ISLNK(info.st_mode));
    ck_assert_int_eq(unlink(path), 0);
    expect_failure(link, false, "already exists"); // a dangling link counts as an existing name
    ck_assert_uint_eq(entries(folder), 1);
    write_ok("/dev/null", "gone", false);
    expect_failure("/dev/full", false, "No space left");
}
END_TEST

START_TEST(names_that_cannot_be)
{
    char name[4200];

    expect_failure(folder, true, "is a directory");
    snprintf(name, sizeof name, "%s/absent/result", folder);
    expect_failure(name, false, "there is no folder");
    snprintf(name, sizeof name, "%s/absent/", folder);
    expect_failure(name, false, "ends in '/'");
    expect_failure("", false, "empty");
    write_ok(path, "file", false);
    snprintf(name, sizeof name, "%s/result.txt/x", folder);
    expect_failure(name, false, "Not a directory");
    ck_assert_uint_eq(entries(folder), 1);
}
END_TEST

// Runs `attempt` in a child that is not root, because root may write into every folder.
static void as_a_user(void (*attempt)(void))
{
    pid_t child = fork();
    int status;

    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(99);
        attempt();
        _exit(0);
    }
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert_int_eq(status, 0);
}

// A failed assertion in the child is only visible in its exit status.
static void without_permission(void)
{
    kn_error err = KN_ERROR_INIT;

    if (ki_output_write(path, "x", 1, false, &err) != KN_ERROR_OUTPUT ||
        !strstr(err.text, "no file can be made in the folder") || !strstr(err.text, "Permission denied"))
        _exit(1);
    if (ki_output_folder(folder, &err) != KN_ERROR_OUTPUT || !strstr(err.text, "cannot be written into"))
        _exit(2);
    strcat(path, "-folder");
    if (ki_output_folder(path, &err) != KN_ERROR_OUTPUT || !strstr(err.text, "cannot be created"))
        _exit(3);
}

START_TEST(no_permission)
{
    ck_assert_int_eq(chmod(folder, 0555), 0);
    as_a_user(without_permission);
    ck_assert_uint_eq(entries(folder), 0);
}
END_TEST

// A limit on file sizes takes the place of a full disk: the write fails half-way.
static void beyond_the_limit(void)
{
    static char megabyte[1 << 20];
    struct rlimit limit = {100000, 100000};
    struct ki_output *out = NULL;
    kn_error err = KN_ERROR_INIT;

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
        _exit(1);
    if (ki_output_write(path, megabyte, sizeof megabyte, true, &err) != KN_ERROR_OUTPUT ||
        !strstr(err.text, "File too large") || !strstr(err.text, "not kept"))
        _exit(2);
    // Uses the stream, whose earlier failure was not checked.
    if (ki_output_open(path, true, &out, &err) != KN_OK)
        _exit(3);
    for (int i = 0; i < 1000; i++)
        fwrite(megabyte, 1, 1000, ki_output_stream(out));
    if (ki_output_close(out, &err) != KN_ERROR_OUTPUT || !strstr(err.text, "not kept"))
        _exit(4);
    // A file within the limit is written.
    snprintf(path, sizeof path, "%s/small", folder);
    if (ki_output_write(path, megabyte, 100000, true, &err) != KN_OK)
        _exit(5);
}

START_TEST(full_disk)
{
    ck_assert_int_eq(chmod(folder, 0777), 0);
    write_ok(path, "old", false);
    ck_assert_int_eq(chmod(path, 0666), 0);
    as_a_user(beyond_the_limit);
    expect_contents(path, "old");
    ck_assert_uint_eq(entries(folder), 2);
}
END_TEST

START_TEST(standard_output)
{
    int saved = dup(STDOUT_FILENO);
    kn_error err = KN_ERROR_INIT;

    ck_assert_ptr_nonnull(freopen(path, "w", stdout));
    ck_assert_int_eq(ki_output_write("-", "to stdout", 9, false, &err), KN_OK);
    expect_contents(path, "to stdout");
    ck_assert_ptr_nonnull(freopen("/dev/full", "w", stdout));
    expect_failure("-", false, "standard output: could not be written whole: No space left");
    clearerr(stdout);
    ck_assert_int_ge(dup2(saved, STDOUT_FILENO), 0);
}
END_TEST

START_TEST(folders)
{
    char name[4200];
    struct stat info;
    kn_error err = KN_ERROR_INIT;

    snprintf(name, sizeof name, "%s/a//b/c/", folder);
    ck_assert_msg(ki_output_folder(name, &err) == KN_OK, "%s", err.text);
    ck_assert_int_eq(stat(name, &info), 0);
    ck_assert(S_ISDIR(info.st_mode));
    ck_assert_int_eq(ki_output_folder(name, &err), KN_OK);
    ck_assert_int_eq(chdir(folder), 0);
    ck_assert_int_eq(ki_output_folder(".", &err), KN_OK);
    ck_assert_int_eq(ki_output_folder("relative/d", &err), KN_OK);
    ck_assert_int_eq(access("relative/d", F_OK), 0);
    ck_assert_int_eq(chdir("/"), 0);
    ck_assert_int_eq(ki_output_folder("", &err), KN_ERROR_OUTPUT);
    write_ok(path, "file", false);
    snprintf(name, sizeof name, "%s/result.txt/d", folder);
    ck_assert_int_eq(ki_output_folder(name, &err), KN_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "a file of this name exists"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {appears_only_when_closed,
                                  discarded,
                                  nothing_is_overwritten,
                                  links_and_devices,
                                  no_permission,
                                  names_that_cannot_be,
                                  full_disk,
                                  folders,
                                  standard_output};

    return TEST_RUN_WITH("output", CK_FORK_GETENV, make_folder, remove_folder, tests);
}
