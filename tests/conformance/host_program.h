// SPDX-License-Identifier: Apache-2.0
// A kernel file rewritten for CUDA, as a program on the host: over tests/shim, with the test's own main.
#ifndef KN_TESTS_CONFORMANCE_HOST_PROGRAM_H
#define KN_TESTS_CONFORMANCE_HOST_PROGRAM_H

#include "support/buffers.h"
#include "support/run.h"

#include <sys/wait.h>

#include "engine/device/target.h"
#include "source/cuda/cuda.h"

static inline const char *host_compiler(void)
{
    const char *given = getenv("CXX");

    return given && *given ? given : "c++";
}

// Prints a line and returns false without a C++ compiler.
static inline bool host_has_compiler(void)
{
    char command[4200];

    snprintf(command, sizeof command, "%s --version >/dev/null 2>&1", host_compiler());
    if (system(command) == 0)
        return true;
    fprintf(stderr, "skipped: no C++ compiler (%s)\n", host_compiler());
    return false;
}

// Prints a line with the reason and returns false if the device that would be used must not be tested. The
// device is queried in a child process, as in test_finds_device.
static inline bool host_asks_device(const char *why)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        kn_context *found = NULL;
        const char *platform = "";
        if (kn_context_open(NULL, NULL, &found, NULL) == KN_OK)
            platform = kn_context_get_device(found)->platform;
        if (strcmp(platform, "rusticl") != 0 && strcmp(platform, "Oclgrind") != 0)
            _exit(0);
        fprintf(stderr, "skipped: %s %s\n", platform, why);
        _exit(77);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 77;
}

// Prints a line and returns false without a device with correct images; queried in a child process, as above.
static inline bool host_has_images(void)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        kn_context *found = NULL;
        bool runs = true;

        if (kn_context_open(NULL, NULL, &found, NULL) == KN_OK) {
            runs = kn_context_get_device(found)->images &&
                   strcmp(kn_context_get_device(found)->platform, "Oclgrind") != 0;
            if (!runs)
                fprintf(stderr, "skipped: %s\n",
                        kn_context_get_device(found)->images
                            ? "Oclgrind takes what is read from an image for uninitialised"
                            : "the device has no images");
        }
        _exit(runs ? 0 : 77);
    }
    return child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 77;
}

// The number of failed tests of the runner, which is freed.
static inline int host_run_tests(SRunner *runner)
{
    int failed;

    srunner_run_all(runner, CK_ENV);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed;
}

// tests/conformance/`name`
static inline const char *host_path(const char *name)
{
    static char path[4200];
    const char *source = getenv("srcdir");

    snprintf(path, sizeof path, "%s/tests/conformance/%s", source ? source : ".", name);
    return path;
}

// The kernel file's text as C++, read as for the open device, with the macro `define` unless it is NULL; the
// caller frees it.
static inline struct src_cuda *host_rewrite(const char *path, const char *define)
{
    const kn_define given = {define, "1"};
    struct be_device described = {.info = *kn_context_get_device(context)};
    struct src_cuda_options wanted = {.embedded = ki_src_embedded_kernels, .host_shim = true};
    kn_program_options options = KN_INIT(kn_program_options, .policy = KN_POLICY_STRICT, .defines = &given,
                                         .define_count = define ? 1 : 0);
    struct src_cuda *cuda = NULL;
    struct src_unit *unit = NULL;
    struct target target;
    char extensions[] = "cl_khr_fp64", none[] = "";

    described.extensions = described.info.fp64 ? extensions : none;
    EXPECT_OK(ki_target_describe(&described, &options, &target, &err));
    EXPECT_OK(ki_src_read(path, NULL, &target.source, &unit, &err));
    EXPECT_OK(ki_src_cuda(unit, &target.source, &wanted, &cuda, &err));
    ki_src_free(unit);
    ki_target_free(&target);
    return cuda;
}

// Compiles the kernels and `main_text`, which has a declaration of shim_run(), into `folder`/program.
static inline void host_build(const char *folder, const char *kernels, const char *main_text)
{
    const char *source = getenv("srcdir");
    char command[20000], path[4200];
    FILE *file;

    snprintf(path, sizeof path, "%s/program.cpp", folder);
    file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fprintf(file, "#include \"shim.h\"\n%s\n#line 1 \"main\"\n#include \"shim_run.h\"\n%s", kernels,
            main_text);
    ck_assert_int_eq(fclose(file), 0);
    snprintf(command, sizeof command,
             "cd '%s' && %s -std=gnu++17 -O1 -w -fno-strict-aliasing -fwrapv -frounding-math "
             "-ffp-contract=off -I'%s/tests/shim' -o program program.cpp >&2",
             folder, host_compiler(), source ? source : ".");
    ck_assert_msg(system(command) == 0, "does not compile as C++ (left in %s)", folder);
}

// Runs it with these arguments, which a shell parses.
static inline void host_run(const char *folder, const char *arguments)
{
    char command[20000];

    snprintf(command, sizeof command, "cd '%s' && ./program %s", folder, arguments);
    ck_assert_msg(system(command) == 0, "%s fails (left in %s)", command, folder);
}

#endif
