// SPDX-License-Identifier: Apache-2.0
// Tests the rows of src/engine/device/quirks.c about crashes of a driver's compiler: Koine refuses the
// program, and the driver itself still crashes in a separate process. A driver that no longer crashes is
// reported on a line.
#include "unit/engine/engine_support.h"

#include <koine/experimental.h>
#include <koine/sort.h>
#include <signal.h>

#include "base/os/process.h"
#include "engine/engine.h"

#define MANY_KEYS "--many-keys"

static kn_context *context;
static kn_queue *queue;

static void set_up(void)
{
    context = open_context();
    queue = open_queue(context);
}

static void tear_down(void)
{
    kn_queue_close(queue);
    kn_context_close(context);
}

// What the process of its own does: a bitonic sort with 32 keys a work-item, as if the table had no such
// line.
// ---- what the driver's compiler crashes on: in a process of its own, which sorts as if the table had no
// such line

static int sort_many_keys(void)
{
    const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC,
                                            .tuning = &(kn_sort_tuning){.log2_group = 5, .log2_keys = 5});
    kn_buffer *buffer = NULL;
    kn_status status = kn_context_open(NULL, NULL, &context, &err);

    if (!status)
        status = kn_queue_open(context, &queue, &err);
    if (!status) {
        context->quirks.bitonic_keys = 0;
        status = kn_buffer_create(context, 400, &buffer, &err);
    }
    if (!status)
        status = kn_buffer_fill(queue, buffer, "", 1, 0, 400, NULL, &err);
    if (!status)
        status = kn_sort(queue, buffer, KN_F32, 100, &options, &err);
    if (status)
        fprintf(stderr, "%s\n", err.text);
    kn_buffer_free(buffer);
    kn_queue_close(queue);
    kn_context_close(context);
    return status ? EXIT_FAILURE : EXIT_SUCCESS;
}

START_TEST(bitonic_keys)
{
    const kn_sort_options options = KN_INIT(kn_sort_options, .algorithm = KN_SORT_BITONIC,
                                            .tuning = &(kn_sort_tuning){.log2_group = 5, .log2_keys = 5});
    const char *const arguments[] = {"/proc/self/exe", MANY_KEYS, NULL};
    const kn_device_info *info = kn_context_get_device(context);
    const unsigned most = context->quirks.bitonic_keys;
    struct process_result result;
    kn_buffer *buffer = make_buffer(context, 400);

    expect_ok(kn_buffer_fill(queue, buffer, "", 1, 0, 400, NULL, &err));
    if (!most) {
        expect_ok(kn_sort(queue, buffer, KN_F32, 100, &options, &err));
        expect_ok(kn_queue_finish(queue, &err));
    } else {
        ck_assert_uint_lt(most, 32);
        expect_refused(kn_sort(queue, buffer, KN_F32, 100, &options, &err), KN_ERROR_UNSUPPORTED,
                       "32 keys|crashes on more than");
        expect_ok(ki_process_run(arguments, NULL, 100, &result, &err));
        if (!result.signal && !result.timed_out && result.status == 0)
            fprintf(stderr,
                    "no longer a quirk of %s, driver %s: its compiler crashes on 32 keys a work-item\n",
                    info->platform, info->driver);
        else
            ck_assert_msg(result.signal == SIGSEGV, "signal %d, status %d: %s", result.signal, result.status,
                          result.output);
        free(result.output);
    }
    kn_buffer_free(buffer);
}
END_TEST

int main(int argc, char **argv)
{
    const TTest *const tests[] = {bitonic_keys};

    if (argc > 1 && strcmp(argv[1], MANY_KEYS) == 0)
        return sort_many_keys();
    return RUN_ON_DEVICE_WITH("crashes", set_up, tear_down, tests);
}
