// SPDX-License-Identifier: Apache-2.0
// What tests on a device share: opening one (KOINE_DEVICE, or the best), and checking the answer of a call.
#ifndef KN_TESTS_UNIT_ENGINE_ENGINE_SUPPORT_H
#define KN_TESTS_UNIT_ENGINE_ENGINE_SUPPORT_H

#include "support/run.h"
#include "support/expect.h"

#include <koine/koine.h>

#define expect_ok(call) expect_status((call), KN_OK, "", #call, __LINE__)
// All of `words`, separated by '|', must occur in the message.
#define expect_refused(call, code, words) expect_status((call), (code), (words), #call, __LINE__)

static inline void expect_status(kn_status found, kn_status expected, const char *words, const char *call,
                                 int line)
{
    ck_assert_msg(found == expected, "line %d: %s is %s, not %s: %s", line, call, kn_status_name(found),
                  kn_status_name(expected), found ? err.text : "");
    ck_assert_msg(!found || err.code == found, "line %d: %s returns %s, but err.code is %s", line, call,
                  kn_status_name(found), kn_status_name(err.code));
    while (found && *words) {
        size_t length = strcspn(words, "|");
        char word[128];

        ck_assert_uint_lt(length, sizeof word);
        memcpy(word, words, length);
        word[length] = '\0';
        ck_assert_msg(strstr(err.text, word), "line %d: %s says \"%s\", without \"%s\"", line, call, err.text,
                      word);
        words += length + (words[length] == '|');
    }
    memset(&err, 0, sizeof err);
}

static inline kn_context *open_with(const kn_context_options *options)
{
    kn_context *context = NULL;

    expect_ok(kn_context_open(NULL, options, &context, &err));
    ck_assert_ptr_nonnull(context);
    return context;
}

static inline kn_context *open_context(void)
{
    return open_with(NULL);
}

static inline kn_queue *open_queue(kn_context *context)
{
    kn_queue *queue = NULL;

    expect_ok(kn_queue_open(context, &queue, &err));
    ck_assert_ptr_nonnull(queue);
    ck_assert_ptr_eq(kn_queue_get_context(queue), context);
    return queue;
}

static inline kn_buffer *make_buffer(kn_context *context, size_t bytes)
{
    kn_buffer *buffer = NULL;

    expect_ok(kn_buffer_create(context, bytes, &buffer, &err));
    ck_assert_uint_eq(kn_buffer_get_size(buffer), bytes);
    return buffer;
}

static inline kn_program *build_text(kn_context *context, const char *text)
{
    kn_program *program = NULL;

    expect_ok(kn_program_from_text(context, text, "test.cl", NULL, &program, &err));
    return program;
}

static inline kn_kernel *kernel_of(kn_program *program, const char *name)
{
    kn_kernel *kernel = NULL;

    expect_ok(kn_program_get_kernel(program, name, &kernel, &err));
    ck_assert_str_eq(kn_kernel_get_name(kernel), name);
    return kernel;
}

// Writes a file into a folder; its path is valid until the next call.
static inline const char *write_text(const char *folder, const char *name, const char *text)
{
    static char path[4300];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    test_make_parents(path);
    test_write(path, text, strlen(text));
    return path;
}

static inline bool on_platform(const kn_context *context, const char *name)
{
    return strncmp(kn_context_get_device(context)->platform, name, strlen(name)) == 0;
}

// Oclgrind is an interpreter: it takes seconds for what takes others a millisecond.
static inline bool is_interpreted(const kn_context *context)
{
    return on_platform(context, "Oclgrind");
}

// From here on the test expects refusals by the driver: Oclgrind need not report them. Returns the argument
// of end_refusals.
static inline bool begin_refusals(void)
{
    bool reported = getenv("OCLGRIND_CHECK_API") != NULL;

    unsetenv("OCLGRIND_CHECK_API");
    return reported;
}

static inline void end_refusals(bool reported)
{
    if (reported)
        setenv("OCLGRIND_CHECK_API", "1", 1);
}

#endif
