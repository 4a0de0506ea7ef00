// SPDX-License-Identifier: Apache-2.0
#include "cache_build.h"

#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/clock.h"
#include "base/os/process.h"
#include "base/text/text.h"
#include "base/threads.h"
#include "cache_samples.h"
#include "cli/framework/nearest.h"

enum { MOST_WORDS = 8, MOST_CALLS = 4, MOST_AT_ONCE = 4, CALL_SECONDS = 600 };

// A call of a command. A word that begins with '@' is a file in the folder.
struct call {
    bool wants_fp64;
    bool on_host; // it prepares the next one
    const char *words[MOST_WORDS];
};

static const struct example {
    const char *command;
    struct call calls[MOST_CALLS];
} examples[CACHE_BUILD_COMMANDS] = {
    {"stats",
     {{.words = {"stats", "@table.csv", "--precision", "float"}},
      {true, false, {"stats", "@table.csv", "--precision", "double"}}}},
    {"sort",
     {{.words = {"sort", "@floats.npy", "-o", "@sorted.npy"}},
      {.words = {"sort", "@longs.npy", "-o", "@sorted.npy"}},
      {true, false, {"sort", "@doubles.npy", "-o", "@sorted.npy"}}}},
    {"reduce",
     {{.words = {"reduce", "@floats.npy"}},
      {.words = {"reduce", "@few-floats.npy"}},
      {true, false, {"reduce", "@doubles.npy"}},
      {true, false, {"reduce", "@few-doubles.npy"}}}},
    {"select",
     {{.words = {"select", "@floats.npy", "--quantile", "0.5"}},
      {true, false, {"select", "@doubles.npy", "--quantile", "0.5"}}}},
    {"fft", {{.words = {"fft", "@complex.npy", "-o", "@spectrum.npy"}}}},
    {"autocorr", {{.words = {"autocorr", "@frame.png"}}, {.words = {"autocorr", "-r", "64", "@frame.png"}}}},
    {"recon",
     {{false, true, {"trajectory", "radial", "--samples", "192", "-o", "@radial.npy"}},
      {false, true, {"phantom", "--matrix", "192,192", "--kspace", "@radial.npy", "-o", "@scan.npy"}},
      {.words = {"recon", "@scan.npy", "-t", "@radial.npy", "-m", "192,192", "-o", "@image.npy"}}}},
    {"spmv", {{.words = {"spmv", "@matrix.mtx"}}, {.words = {"spmv", "@matrix.mtx", "--transpose"}}}},
    {"project",
     {{.words = {"project", "parallel:180,256,256", "@picture.npy", "-o", "@sinogram.npy"}},
      {.words = {"project", "parallel:180,256,256", "@sinogram.npy", "--transpose", "-o", "@smeared.npy"}}}},
    {"solve", {{.words = {"solve", "@matrix.mtx", "@right.npy", "-n", "20", "-o", "@x.npy"}}}},
};

// Shared by the examples that run at the same time.
struct building {
    struct cache_build *build;
    const struct example *chosen[CACHE_BUILD_COMMANDS];
    char program[PATH_MAX], folder[PATH_MAX];
    kn_error *err;
    kn_status status;
    pthread_mutex_t lock; // of both of these
};

static kn_status refuse(const char *name, kn_error *err)
{
    struct nearest nearest = {name, NULL, 0};
    struct ki_text all = KI_TEXT_INIT;
    kn_status status;

    for (size_t i = 0; i < KI_COUNT(examples); i++) {
        nearest_offer(&nearest, examples[i].command);
        ki_text_format(&all, "%s%s", i ? ", " : "", examples[i].command);
    }
    status =
        ki_fail(err, KN_ERROR_ARGUMENT, "'%s' is not a command that can be built for%s%s%s; there are %s",
                name, nearest.best ? ", did you mean '" : "", nearest.best ? nearest.best : "",
                nearest.best ? "'?" : "", ki_text_string(&all));
    ki_text_free(&all);
    return status;
}

static kn_status choose_examples(const char *const *names, size_t count, struct building *building,
                                 kn_error *err)
{
    struct cache_build *build = building->build;

    for (size_t k = 0; k < count; k++) {
        size_t i = 0;

        while (i < KI_COUNT(examples) && strcmp(examples[i].command, names[k]) != 0)
            i++;
        if (i == KI_COUNT(examples))
            return refuse(names[k], err);
    }
    for (size_t i = 0; i < KI_COUNT(examples); i++) {
        bool wanted = count == 0;

        for (size_t k = 0; k < count; k++)
            wanted = wanted || strcmp(examples[i].command, names[k]) == 0;
        if (wanted) {
            building->chosen[build->count] = &examples[i];
            build->rows[build->count++] = (struct cache_built){.command = examples[i].command};
        }
    }
    return KN_OK;
}

// The last line of a call's output says why it failed.
static kn_status fail_call(const struct call *call, struct process_result *result, kn_error *err)
{
    size_t length = strlen(result->output);
    const char *line;

    while (length && result->output[length - 1] == '\n')
        result->output[--length] = '\0';
    line = strrchr(result->output, '\n');
    if (result->timed_out)
        return ki_fail(err, KN_ERROR_DEVICE, "koine %s: not finished after %d s", call->words[0],
                       CALL_SECONDS);
    return ki_fail(err, KN_ERROR_DEVICE, "an example of koine %s ended with %s %d: %s", call->words[0],
                   result->signal ? "signal" : "status", result->signal ? result->signal : result->status,
                   line ? line + 1 : result->output);
}

static kn_status run_call(const struct building *building, const struct call *call, kn_error *err)
{
    const char *argv[MOST_WORDS + 6] = {building->program};
    char files[MOST_WORDS][PATH_MAX + 32];
    struct process_result result;
    size_t count = 1;
    kn_status status;

    for (size_t i = 0; i < MOST_WORDS && call->words[i]; i++) {
        argv[count++] = *call->words[i] == '@' ? files[i] : call->words[i];
        snprintf(files[i], sizeof files[i], "%s/%.30s", building->folder, call->words[i] + 1);
    }
    if (!call->on_host) {
        argv[count++] = "--device";
        argv[count++] = building->build->place.device.spec;
    }
    argv[count++] = "--quiet";
    argv[count++] = "--force";
    status = ki_process_run(argv, NULL, CALL_SECONDS, &result, err);
    if (status)
        return status;
    if (result.status || result.signal || result.timed_out)
        status = fail_call(call, &result, err);
    free(result.output);
    return status;
}

static void run_example(void *context, size_t i)
{
    struct building *building = context;
    struct cache_built *row = &building->build->rows[i];
    const struct example *example = building->chosen[i];
    double start = ki_clock_seconds();
    kn_error why = KN_ERROR_INIT;

    for (size_t k = 0; k < MOST_CALLS && example->calls[k].words[0] && !why.code; k++) {
        const struct call *call = &example->calls[k];

        if (call->wants_fp64 && !building->build->place.device.fp64)
            continue;
        (void)run_call(building, call, &why);
        row->calls += !call->on_host;
    }
    row->seconds = ki_clock_seconds() - start;
    if (!why.code)
        return;
    pthread_mutex_lock(&building->lock);
    building->status = ki_fail(building->err, why.code, "%s", why.text);
    pthread_mutex_unlock(&building->lock);
}

static kn_status find_program(char path[PATH_MAX], kn_error *err)
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_MAX - 1);

    if (length <= 0)
        return ki_fail(err, KN_ERROR_INPUT, "/proc/self/exe does not say where this program is");
    path[length] = '\0';
    return KN_OK;
}

kn_status cache_build(const struct places *places, const char *const *names, size_t count,
                      const char *command, struct cache_build *build, kn_error *err)
{
    struct building building = {.build = build, .err = err, .lock = PTHREAD_MUTEX_INITIALIZER};
    unsigned at_once = ki_threads(0) < MOST_AT_ONCE ? ki_threads(0) : MOST_AT_ONCE;
    kn_status status = choose_examples(names, count, &building, err);

    if (!status)
        status = place_open_with(places->specs[0].spec, KN_POLICY_DEFAULT, true, command, &build->place, err);
    if (!status && !build->place.queue)
        status = ki_fail(err, KN_ERROR_NO_DEVICE, "the host needs no compiled kernels; name a device");
    if (!status)
        status = find_program(building.program, err);
    if (!status)
        status = ki_process_folder(building.folder, err);
    if (status)
        return status;
    status = cache_samples_write(building.folder, err);
    if (!status) {
        ki_parallel(at_once, build->count, KI_DYNAMIC, run_example, &building);
        status = building.status;
    }
    ki_process_folder_remove(building.folder);
    return status;
}
