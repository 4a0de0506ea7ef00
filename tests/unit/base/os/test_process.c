// SPDX-License-Identifier: Apache-2.0
// Tests running another program: its output, its exit, its time limit, its environment, and folders.
#include "support/support.h"

#include <signal.h>

#include "base/os/process.h"
#include "support/run.h"

static struct process_result run_shell(const char *script, const char *const *variables, double seconds)
{
    const char *const words[] = {"/bin/sh", "-c", script, NULL};
    struct process_result result;
    kn_error err = KN_ERROR_INIT;

    ck_assert_msg(ki_process_run(words, variables, seconds, &result, &err) == KN_OK, "%s", err.text);
    return result;
}

START_TEST(output_and_status)
{
    struct process_result result = run_shell("echo out; echo err >&2; exit 245", NULL, 20);

    ck_assert_str_eq(result.output, "out\nerr\n");
    ck_assert_int_eq(result.status, 245);
    ck_assert_int_eq(result.signal, 0);
    ck_assert(!result.timed_out);
    free(result.output);

    result = run_shell(":", NULL, 20);
    ck_assert_str_eq(result.output, "");
    ck_assert_int_eq(result.status, 0);
    free(result.output);

    result = run_shell("printf 'a\\0b'; kill -9 $$", NULL, 20);
    ck_assert_str_eq(result.output, "a?b");
    ck_assert_int_eq(result.signal, SIGKILL);
    ck_assert_int_ne(result.status, 0);
    free(result.output);
}
END_TEST

START_TEST(input_and_environment)
{
    const char *const variables[] = {"KOINE_TEST=new", "KOINE_OTHER=x y", NULL};
    struct process_result result;

    setenv("KOINE_TEST", "old", 1);
    setenv("KOINE_TEST_2", "kept", 1);
    result = run_shell("cat; echo $KOINE_TEST,$KOINE_TEST_2,$KOINE_OTHER", variables, 20);
    ck_assert_str_eq(result.output, "new,kept,x y\n");
    free(result.output);
    ck_assert_str_eq(getenv("KOINE_TEST"), "old");
}
END_TEST

START_TEST(time_limit)
{
    time_t before = time(NULL);
    struct process_result result = run_shell("echo begun; exec sleep 50", NULL, 0.3);

    ck_assert(result.timed_out);
    ck_assert_int_ne(result.status, 0);
    ck_assert_str_eq(result.output, "begun\n");
    ck_assert_int_lt(time(NULL) - before, 20);
    free(result.output);
}
END_TEST

START_TEST(much_output)
{
    struct process_result result = run_shell("head -c 6000000 /dev/zero | tr '\\0' x", NULL, 60);

    ck_assert_int_eq(result.status, 0);
    ck_assert_uint_ge(strlen(result.output), 4u << 20);
    ck_assert_uint_lt(strlen(result.output), 5u << 20);
    free(result.output);
}
END_TEST

// A signal pending in the caller ends the program, but not the caller.
START_TEST(blocked_signals)
{
    struct process_result result;
    sigset_t set;

    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    ck_assert_int_eq(sigprocmask(SIG_BLOCK, &set, NULL), 0);
    signal(SIGPIPE, SIG_IGN);
    result = run_shell("kill -INT $$; echo alive", NULL, 20);
    ck_assert_int_eq(result.signal, SIGINT);
    free(result.output);
    result = run_shell("kill -PIPE $$; echo alive", NULL, 20);
    ck_assert_int_eq(result.signal, SIGPIPE);
    free(result.output);
}
END_TEST

START_TEST(no_program)
{
    const char *const words[] = {"/nonexistent/compiler", NULL};
    char path[PATH_MAX];
    struct process_result result;
    kn_error err = KN_ERROR_INIT;

    ck_assert_int_eq(ki_process_run(words, NULL, 5, &result, &err), KN_ERROR_DEVICE);
    ck_assert_ptr_nonnull(strstr(err.text, "/nonexistent/compiler"));
    ck_assert(ki_process_find("sh", path));
    ck_assert_int_eq(access(path, X_OK), 0);
    ck_assert(!ki_process_find("koine-no-such-program", path));
    setenv("PATH", "/nonexistent", 1);
    ck_assert(!ki_process_find("sh", path));
}
END_TEST

START_TEST(folders)
{
    char path[PATH_MAX], command[4 * PATH_MAX];
    kn_error err = KN_ERROR_INIT;

    ck_assert_msg(ki_process_folder(path, &err) == KN_OK, "%s", err.text);
    snprintf(command, sizeof command, "mkdir -p '%s/a/b' && touch '%s/a/b/c' && ln -s / '%s/root'", path,
             path, path);
    ck_assert_int_eq(system(command), 0);
    ki_process_folder_remove(path);
    ck_assert_int_ne(access(path, F_OK), 0);
    ck_assert_int_eq(access("/bin/sh", F_OK), 0);
    setenv("TMPDIR", "/nonexistent", 1);
    ck_assert_int_eq(ki_process_folder(path, &err), KN_ERROR_OUTPUT);
    ck_assert_ptr_nonnull(strstr(err.text, "TMPDIR"));
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {output_and_status,
                                  input_and_environment,
                                  time_limit,
                                  much_output,
                                  blocked_signals,
                                  no_program,
                                  folders};

    return TEST_RUN("process", CK_FORK_GETENV, tests);
}
