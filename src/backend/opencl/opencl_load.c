// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // RTLD_DEFAULT
#include "opencl_load.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/os/env.h"

static const char loader_name[] = "libOpenCL.so.1";

#define LOADER_SYMBOL(name) {"cl" #name, offsetof(struct opencl_calls, name)},
static const struct opencl_symbol loader_symbols[] = {OPENCL_CALLS(LOADER_SYMBOL)};

struct opencl_calls ki_opencl_calls;
static pthread_mutex_t load_lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_loaded;
static bool is_global; // the loader's symbols are global in the process: every library calls this one

static void *open_library(const char *name, int how)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE | how);
}

// NULL, or the name of the first that is missing.
static const char *bind(void *library, void *calls, const struct opencl_symbol *symbols, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        void *address = dlsym(library, symbols[i].name);
        if (!address)
            return symbols[i].name;
        memcpy((char *)calls + symbols[i].member, &address, sizeof address);
    }
    return NULL;
}

// Why a library could not be opened, without its name, with which the dynamic linker begins.
static const char *last_error(const char *name)
{
    const char *error = dlerror();
    size_t length = strlen(name);

    if (!error)
        return "no reason is given";
    return strncmp(error, name, length) == 0 && error[length] == ':' ? error + length + 2 : error;
}

// `name` receives its name for messages. NULL: the dynamic linker has the reason.
static void *find_loader(const char **name)
{
    const char *given = ki_env_get(KI_ENV_OPENCL_LIBRARY);
    void *library;

    *name = loader_name;
    // A loader that the program is linked with, or that is preloaded (a library that intercepts calls).
    is_global = dlsym(RTLD_DEFAULT, "clGetPlatformIDs") != NULL;
    if (is_global)
        return RTLD_DEFAULT;
    // A loader that the application opened as we do.
    library = open_library(loader_name, RTLD_NOLOAD);
    if (library)
        return library;
    if (given)
        *name = given;
    return open_library(*name, 0);
}

static bool load(char why[OPENCL_WHY_BYTES])
{
    struct opencl_calls calls;
    const char *name, *missing;
    void *library = find_loader(&name);

    if (!library && !is_global) {
        snprintf(why, OPENCL_WHY_BYTES, "%s cannot be opened: %.150s%s", name, last_error(name),
                 name == loader_name ? "; apt-get install ocl-icd-libopencl1" : "");
        return false;
    }
    missing = bind(library, &calls, loader_symbols, KI_COUNT(loader_symbols));
    if (missing) {
        snprintf(why, OPENCL_WHY_BYTES, "%s is too old or no OpenCL loader: it has no %s", name, missing);
        return false;
    }
    ki_opencl_calls = calls;
    return true;
}

bool ki_opencl_load(char why[OPENCL_WHY_BYTES])
{
    bool loaded;

    pthread_mutex_lock(&load_lock);
    if (!is_loaded)
        is_loaded = load(why);
    loaded = is_loaded;
    pthread_mutex_unlock(&load_lock);
    return loaded;
}

// Whether `library` calls our loader: symbols are looked up in the library and in what it is linked with.
static bool calls_our_loader(void *library)
{
    void *theirs = dlsym(library, "clGetPlatformIDs"), *ours;

    memcpy(&ours, &ki_opencl_calls.GetPlatformIDs, sizeof ours);
    return is_global || theirs == ours;
}

bool ki_opencl_library_load(const char *name, const char *package, void *calls,
                            const struct opencl_symbol *symbols, size_t count, char why[OPENCL_WHY_BYTES])
{
    void *library = open_library(name, 0);
    const char *missing;

    if (!library) {
        snprintf(why, OPENCL_WHY_BYTES, "%s cannot be opened: %.150s; apt-get install %s", name,
                 last_error(name), package);
        return false;
    }
    missing = bind(library, calls, symbols, count);
    if (missing)
        snprintf(why, OPENCL_WHY_BYTES, "%s has no %s: it is not one that Koine knows", name, missing);
    else if (!calls_our_loader(library))
        snprintf(why, OPENCL_WHY_BYTES,
                 "%s calls another OpenCL loader (%s) than the one in use (KOINE_OPENCL_LIBRARY), which does "
                 "not know its "
                 "objects",
                 name, loader_name);
    else
        return true;
    return false;
}
