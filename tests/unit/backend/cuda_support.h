// SPDX-License-Identifier: Apache-2.0
// What tests of the CUDA backend share: a folder with fake libraries, and a record of the calls of these.
#ifndef KN_TESTS_UNIT_BACKEND_CUDA_SUPPORT_H
#define KN_TESTS_UNIT_BACKEND_CUDA_SUPPORT_H

#include "support/run.h"
#include "support/support.h"

#include <dlfcn.h>

#include "backend/cuda/cuda.h"
#include "source/source.h"
#include "fake/fake.h"

static const struct ki_backend *const cuda = &ki_backend_cuda;
static char *libraries; // the folder
static struct fake_cuda *driver;
static struct fake_nvrtc *compiler;

static inline void *fake_open(const char *name)
{
    char path[4200];

    snprintf(path, sizeof path, "%s/%s", libraries, name);
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

// From now on the machine has only these fake libraries (in "old/libcuda.so.1" and "no_graphs/libcuda.so.1" a
// symbol is missing).
static inline void use_libraries(const char *names)
{
    const char *built = getenv("builddir");
    char list[256], from[4200], to[4200], *rest = NULL;

    ck_assert_uint_lt(strlen(names), sizeof list);
    strcpy(list, names);
    libraries = test_folder();
    for (char *name = strtok_r(list, " ", &rest); name; name = strtok_r(NULL, " ", &rest)) {
        const char *last = strrchr(name, '/');

        ck_assert_ptr_nonnull(realpath(built ? built : ".", from));
        snprintf(from + strlen(from), sizeof from - strlen(from), "/tests/fake/%s", name);
        snprintf(to, sizeof to, "%s/%s", libraries, last ? last + 1 : name);
        ck_assert_int_eq(symlink(from, to), 0);
    }
    setenv("KOINE_CUDA_LIBRARIES", libraries, 1);
}

// A machine with a driver of CUDA 13.0, NVRTC 13 and one GPU of compute capability 9.0, all fake.
static inline void use_fakes(void)
{
    void *library;
    struct fake_cuda *(*cuda_state)(void);
    struct fake_nvrtc *(*nvrtc_state)(void);

    use_libraries("libcuda.so.1 libnvrtc.so.13");
    library = fake_open("libcuda.so.1");
    ck_assert_msg(library != NULL, "%s", dlerror());
    *(void **)&cuda_state = dlsym(library, "fake_cuda_state");
    library = fake_open("libnvrtc.so.13");
    ck_assert_msg(library != NULL, "%s", dlerror());
    *(void **)&nvrtc_state = dlsym(library, "fake_nvrtc_state");
    driver = cuda_state();
    compiler = nvrtc_state();
}

static inline void forget_fakes(void)
{
    if (libraries)
        test_remove(libraries);
    libraries = NULL;
}

// Expects this status, and each of these words (separated by '|') in the message.
static inline void expect_failure(kn_status found, kn_status expected, const kn_error *err,
                                  const char *arguments)
{
    char list[512], *rest = NULL;

    ck_assert_msg(found == expected, "%s instead of %s: %s", kn_status_name(found), kn_status_name(expected),
                  err->text);
    ck_assert_int_eq(err->code, expected);
    ck_assert_uint_lt(strlen(arguments), sizeof list);
    strcpy(list, arguments);
    for (char *argument = strtok_r(list, "|", &rest); argument; argument = strtok_r(NULL, "|", &rest))
        ck_assert_msg(strstr(err->text, argument) != NULL, "'%s' is not in: %s", argument, err->text);
}

#endif
