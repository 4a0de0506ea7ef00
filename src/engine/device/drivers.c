// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // dladdr, strsignal
#include <config.h>

#include "drivers.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "backend/opencl/probe.h"
#include "base/array.h"
#include "base/os/env.h"
#include "base/error.h"
#include "base/os/process.h"
#include "base/text/text.h"
#include "engine/cache/cache.h"

enum { PROBE_SECONDS = 30 };

// ---- the program that probes them ----

static bool is_program(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

// KOINE_PROBE; or in the folder of the library (or of the program that it is linked into); or the installed
// one.
static bool find_probe(char path[PATH_MAX])
{
    const char *given = ki_env_get(KI_ENV_PROBE);
    char module[PATH_MAX];
    Dl_info info;

    if (given)
        return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX && is_program(path);
    if (dladdr(__extension__(void *) find_probe, &info) && info.dli_fname && strchr(info.dli_fname, '/') &&
        realpath(info.dli_fname, module)) {
        *strrchr(module, '/') = '\0';
        if (snprintf(path, PATH_MAX, "%s/" PROBE_NAME, module) < PATH_MAX && is_program(path))
            return true;
    }
    return snprintf(path, PATH_MAX, "%s/" PROBE_NAME, KN_PROBE_DIR) < PATH_MAX && is_program(path);
}

// ---- what a verdict depends on ----

// What changes in a file when it is replaced.
static void add_file(struct ki_text *text, const char *path)
{
    struct stat info;

    if (stat(path, &info) == 0)
        ki_text_format(text, "%s %llu %llu %lld.%09ld\n", path, (unsigned long long)info.st_ino,
                       (unsigned long long)info.st_size, (long long)info.st_mtim.tv_sec,
                       info.st_mtim.tv_nsec);
    else
        ki_text_format(text, "%s absent\n", path);
}

// A library given by name is found in LD_LIBRARY_PATH or in the loader's index, which is rewritten whenever a
// package brings libraries.
static void add_library(struct ki_text *text, const char *library)
{
    const char *folders = getenv("LD_LIBRARY_PATH");
    char path[2 * PATH_MAX];

    if (strchr(library, '/')) {
        add_file(text, library);
        return;
    }
    for (const char *at = folders ? folders : ""; *at;) {
        size_t length = strcspn(at, ":");

        snprintf(path, sizeof path, "%.*s/%s", (int)length, at, library);
        add_file(text, path);
        at += length + (at[length] == ':');
    }
    add_file(text, "/etc/ld.so.cache");
}

// Whether the system's own file systems are mounted: drivers look there for processors and devices.
static void add_mounts(struct ki_text *text)
{
    static const char *const folders[] = {"/sys", "/proc", "/dev"};

    for (size_t i = 0; i < KI_COUNT(folders); i++) {
        struct statfs info;

        ki_text_format(text, "%s %lx\n", folders[i], statfs(folders[i], &info) == 0 ? (long)info.f_type : 0L);
    }
}

// Variables that drivers read.
static void add_variables(struct ki_text *text)
{
    static const char *const prefixes[] = {
        "LD_", "POCL_", "RUSTICL_", "MESA_", "LP_", "GALLIVM_", "OCLGRIND_", "CL_", "KOINE_OPENCL_LIBRARY="};

    for (char **entry = environ; *entry; entry++)
        for (size_t i = 0; i < KI_COUNT(prefixes); i++)
            if (strncmp(*entry, prefixes[i], strlen(prefixes[i])) == 0)
                ki_text_format(text, "%s\n", *entry);
}

// A hash of everything that decides whether the driver can be opened.
static bool find_key(const struct be_driver *driver, const char *probe, struct cache_key *key)
{
    struct ki_text text = KI_TEXT_INIT;
    bool fine;

    ki_text_add(&text, "driver\n" PACKAGE_VERSION "\n");
    add_file(&text, probe);
    add_file(&text, driver->file);
    add_library(&text, driver->library);
    add_mounts(&text);
    add_variables(&text);
    fine = !text.failed;
    if (fine) {
        const struct ki_field field = {text.data, text.length};
        *key = (struct cache_key){ki_hash_fields(&field, 1), "driver", driver->library};
    }
    ki_text_free(&text);
    return fine;
}

// ---- verdicts ----

enum verdict { DRIVER_FINE, DRIVER_FAILS, DRIVER_UNKNOWN };

// Probes it now. `why` receives what is wrong. DRIVER_UNKNOWN: koine-probe itself could not do its work.
static enum verdict try_driver(const struct ki_backend *backend, const struct be_driver *driver,
                               const char *probe, char why[ENGINE_DRIVER_WHY])
{
    const char *const argv[] = {probe, NULL};
    char variable[PATH_MAX], folder[PATH_MAX];
    const char *const variables[] = {variable, NULL};
    struct process_result result = {NULL, 0, 0, false};
    enum verdict verdict = DRIVER_UNKNOWN;

    if (backend->driver_alone(driver, variable, folder, NULL))
        return DRIVER_UNKNOWN;
    if (!ki_process_run(argv, variables, PROBE_SECONDS, &result, NULL)) {
        verdict = strstr(result.output, PROBE_FINE) ? DRIVER_FINE : DRIVER_FAILS;
        if (result.timed_out)
            snprintf(why, ENGINE_DRIVER_WHY, "a program that opens it does not go on within %d seconds",
                     PROBE_SECONDS);
        else if (result.signal)
            snprintf(why, ENGINE_DRIVER_WHY, "it ends a program that opens it: signal %d (%s)", result.signal,
                     strsignal(result.signal));
        else
            snprintf(why, ENGINE_DRIVER_WHY, "it ends a program that opens it: exit status %d",
                     result.status);
        if (result.timed_out)
            verdict = DRIVER_FAILS;
        free(result.output);
    }
    if (*folder)
        ki_process_folder_remove(folder);
    return verdict;
}

// The kept verdict is an empty text for a driver that can be opened, otherwise what is wrong with it.
static enum verdict judge(const struct ki_backend *backend, const struct be_driver *driver, const char *probe,
                          const char *cache_dir, char why[ENGINE_DRIVER_WHY])
{
    struct cache_key key;
    char ignored[128];
    char *kept = NULL;
    size_t bytes = 0;
    bool has_key = cache_dir && find_key(driver, probe, &key);
    enum verdict verdict;

    why[0] = '\0';
    if (has_key && ki_cache_read(cache_dir, &key, (void **)&kept, &bytes, ignored)) {
        snprintf(why, ENGINE_DRIVER_WHY, "%.*s", (int)(bytes - 1), kept + 1);
        verdict = kept[0] == '+' ? DRIVER_FINE : DRIVER_FAILS;
        free(kept);
        return verdict;
    }
    verdict = try_driver(backend, driver, probe, why);
    if (has_key && verdict != DRIVER_UNKNOWN) {
        char data[ENGINE_DRIVER_WHY + 1];

        snprintf(data, sizeof data, "%c%s", verdict == DRIVER_FINE ? '+' : '-',
                 verdict == DRIVER_FINE ? "" : why);
        (void)ki_cache_write(cache_dir, &key, data, strlen(data), NULL); // if that fails, it is probed again
    }
    return verdict;
}

kn_status ki_engine_drivers_open(const struct ki_backend *backend, const char *cache_dir,
                                 struct engine_left_out **list, size_t *count, kn_error *err)
{
    struct be_driver *drivers = NULL;
    size_t found = 0, kept = 0;
    char probe[PATH_MAX];
    kn_status status;

    *list = NULL;
    *count = 0;
    if (!backend->drivers || !find_probe(probe))
        return KN_OK;
    status = backend->drivers(&drivers, &found, err);
    if (!status && found > 0 && !(*list = calloc(found, sizeof **list)))
        status = ki_fail_memory(err, 0, "trying drivers");
    for (size_t i = 0; i < found && !status; i++) {
        struct engine_left_out *left_out = &(*list)[*count];

        if (judge(backend, &drivers[i], probe, cache_dir, left_out->why) == DRIVER_FAILS) {
            left_out->driver = drivers[i];
            ++*count;
        } else {
            drivers[kept++] = drivers[i];
        }
    }
    if (!status && *count > 0)
        status = backend->drivers_open(drivers, kept, err);
    free(drivers);
    if (status) {
        free(*list);
        *list = NULL;
        *count = 0;
    }
    return status;
}
