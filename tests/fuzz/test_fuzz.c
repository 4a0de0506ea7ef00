// SPDX-License-Identifier: Apache-2.0
// Random kernels on a device and, rewritten for CUDA, over the host shim: the same numbers to the last bit.
//
//   test_fuzz                 KOINE_FUZZ_COUNT kernels (64) from KOINE_FUZZ_SEED on (the time),
//   KOINE_FUZZ_JOBS
//                             processes at once (one a processor), on KOINE_DEVICE or the best device there
//                             is
//   test_fuzz --print SEED    the kernel of that seed
//   test_fuzz --answers FILE  hashes of what the rewritten text computes, added to the file;
//   KOINE_FUZZ_ANSWERS=FILE
//                             has the device compared with these, and no C++ compiled, where the device's
//                             time is dear
//   test_fuzz FILE...         the kernels of these files
//   test_fuzz --reduce FILE   what is left of a failing file when all that is not needed is gone, for an hour
//   at most
//
// A kernel that fails is written into the folder KOINE_FUZZ_FAILURES (fuzz-failures), named by its seed.
// KOINE_FUZZ_REFEREE, an OCL_ICD_VENDORS, is the OpenCL that decides who is right where the numbers differ,
// or where the device does not build a kernel or crashes: if its own numbers are those of the rewritten text,
// the fault is the device's.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "answers.h"
#include "compare.h"
#include "generate.h"

// Enough kernels in a file that the start of a C++ compiler does not matter.
enum { BATCH = FUZZ_MOST, PATIENCE = 600 };

struct plan {
    uint64_t seed;
    int count, jobs;
    unsigned features;           // of all kernels
    bool doubles;                // in some of them
    struct fuzz_answers answers; // the host's results, where they are known
    const char *answers_to;      // the file to which they are added: nothing is compared
};

static long number_of(const char *variable, long fallback)
{
    const char *given = getenv(variable);

    return given && *given ? strtol(given, NULL, 0) : fallback;
}

static void keep_failure(uint64_t seed, unsigned features, enum fuzz_verdict verdict)
{
    const char *folder = getenv("KOINE_FUZZ_FAILURES");
    char *text = fuzz_file(seed, 1, features), path[4200];
    FILE *file;

    folder = folder && *folder ? folder : "fuzz-failures";
    mkdir(folder, 0777);
    snprintf(path, sizeof path, "%s/seed-%llu.cl", folder, (unsigned long long)seed);
    file = fopen(path, "w");
    if (!file || !text) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
    } else {
        fprintf(file, "// %s\n%s", fuzz_verdicts[verdict], text);
        fclose(file);
    }
    printf("FAIL: seed %llu%s: %s: %s\n", (unsigned long long)seed,
           features & FUZZ_DOUBLES ? " (with doubles)" : "", fuzz_verdicts[verdict], path);
    fflush(stdout);
    free(text);
}

// PoCL 3.1 without optimisation lets work-items that left a loop with `break` continue in it (seed 1829): the
// verdict depends on whether the results still differ with optimisation.
static bool differs_optimised(uint64_t seed, unsigned features)
{
    char *text = fuzz_file(seed, 1, features);
    enum fuzz_verdict verdict;

    setenv("POCL_EXTRA_BUILD_FLAGS", " ", 1);
    verdict = fuzz_compare_both(text, PATIENCE);
    unsetenv("POCL_EXTRA_BUILD_FLAGS");
    if (verdict == FUZZ_SAME)
        printf("seed %llu: only PoCL without optimisation differs\n", (unsigned long long)seed);
    fflush(stdout);
    free(text);
    return verdict != FUZZ_SAME;
}

// PoCL 3.1 gets some loops after a barrier wrong with and without optimisation (seed 1795346934), and its
// compiler crashes (1795362201).
static bool fails_for_referee(uint64_t seed, unsigned features)
{
    const char *referee = getenv("KOINE_FUZZ_REFEREE"), *vendors = getenv("OCL_ICD_VENDORS");
    char *text = fuzz_file(seed, 1, features), *device = vendors ? strdup(vendors) : NULL;
    enum fuzz_verdict verdict = FUZZ_DIFFERENT;

    if (referee && *referee) {
        setenv("OCL_ICD_VENDORS", referee, 1);
        verdict = fuzz_compare_both(text, PATIENCE);
        unsetenv("OCL_ICD_VENDORS");
        if (device)
            setenv("OCL_ICD_VENDORS", device, 1);
    }
    if (verdict == FUZZ_SAME)
        printf("seed %llu: only the device fails, not %s\n", (unsigned long long)seed, referee);
    fflush(stdout);
    free(device);
    free(text);
    return verdict != FUZZ_SAME;
}

// Whether a kernel with different results shows an error of ours.
static bool fails_for_good(uint64_t seed, unsigned features, enum fuzz_verdict verdict)
{
    switch (verdict) {
    case FUZZ_DIFFERENT:
        return differs_optimised(seed, features) && fails_for_referee(seed, features);
    case FUZZ_CRASHED:
    case FUZZ_UNBUILT:
        return fails_for_referee(seed, features);
    default:
        return true;
    }
}

static int check_range(const struct plan *plan, uint64_t seed, int count, unsigned features);

// Results that differ from the recorded answers are compared with the host's current ones, word by word: at
// least one failure.
static int check_again(const struct plan *plan, uint64_t seed, int count, unsigned features)
{
    struct plan asking = *plan;
    int failures;

    asking.answers = (struct fuzz_answers){NULL, 0};
    failures = check_range(&asking, seed, count, features);
    if (failures == 0)
        printf("FAIL: %d kernels from seed %llu: the host's numbers of now, but not its answers of then\n",
               count, (unsigned long long)seed);
    fflush(stdout);
    return failures ? failures : 1;
}

// The number of failures among `count` kernels. A file that fails as a whole is split into halves down to a
// single kernel.
static int check_range(const struct plan *plan, uint64_t seed, int count, unsigned features)
{
    struct fuzz_task task = {.on_device = true};
    char *text = fuzz_file(seed, count, features);
    enum fuzz_verdict verdict = FUZZ_BROKEN;
    int failures = 0;

    task.on_host = !fuzz_answers_take(&plan->answers, seed, count, features, task.answers);
    if (text)
        verdict = fuzz_compare_apart(text, PATIENCE, &task);
    free(text);
    if (verdict == FUZZ_SAME)
        return 0;
    if (verdict == FUZZ_DIFFERENT && !task.on_host)
        return check_again(plan, seed, count, features);
    if (verdict != FUZZ_DIFFERENT && count > 1)
        return check_range(plan, seed, count / 2, features) +
               check_range(plan, seed + (uint64_t)(count / 2), count - count / 2, features);
    if (verdict == FUZZ_KNOWN_ABORT) {
        printf("seed %llu: not compared: %s\n", (unsigned long long)seed, fuzz_verdicts[verdict]);
        fflush(stdout);
        return 0;
    }
    for (int i = 0; i < count; i++)
        if ((verdict != FUZZ_DIFFERENT || task.different[i]) &&
            fails_for_good(seed + (uint64_t)i, features, verdict)) {
            keep_failure(seed + (uint64_t)i, features, verdict);
            failures++;
        }
    return failures;
}

// Records the host's results of `count` kernels; returns how many are missing.
static int answer_range(const struct plan *plan, uint64_t seed, int count, unsigned features)
{
    struct fuzz_task task = {.on_host = true};
    char *text = fuzz_file(seed, count, features);
    enum fuzz_verdict verdict = text ? fuzz_compare_apart(text, PATIENCE, &task) : FUZZ_BROKEN;

    free(text);
    if (verdict == FUZZ_SAME)
        return fuzz_answers_append(plan->answers_to, seed, count, features, task.answers) ? 0 : count;
    if (count > 1)
        return answer_range(plan, seed, count / 2, features) +
               answer_range(plan, seed + (uint64_t)(count / 2), count - count / 2, features);
    keep_failure(seed, features, verdict);
    return 1;
}

// Every jobs-th batch; each fourth batch also computes with doubles, if the device has them.
static int work(const struct plan *plan, int job)
{
    int (*each)(const struct plan *, uint64_t, int, unsigned) = plan->answers_to ? answer_range : check_range;
    int failures = 0;

    for (int first = job * BATCH, batch = job; first < plan->count;
         first += plan->jobs * BATCH, batch += plan->jobs) {
        int count = plan->count - first < BATCH ? plan->count - first : BATCH;
        unsigned features = plan->features | (plan->doubles && batch % 4 == 3 ? FUZZ_DOUBLES : 0);
        failures += each(plan, plan->seed + (uint64_t)first, count, features);
    }
    return failures;
}

static int run_jobs(const struct plan *plan)
{
    int failures = 0, status;
    time_t began = time(NULL);

    for (int job = 0; job < plan->jobs; job++) {
        pid_t child = fork();
        if (child == 0) {
            int failed = work(plan, job);
            _exit(failed < 100 ? failed : 100);
        }
        failures += child < 0;
    }
    while (wait(&status) > 0 || errno == EINTR)
        failures += WIFEXITED(status) ? WEXITSTATUS(status) : 1;
    printf("%d kernels from seed %llu, %d failed, in %ld s (%d processes)\n", plan->count,
           (unsigned long long)plan->seed, failures, (long)(time(NULL) - began), plan->jobs);
    return failures ? EXIT_FAILURE : EXIT_SUCCESS;
}

// ---- files

static char *read_file(const char *path)
{
    struct ki_text text = KI_TEXT_INIT;
    char buffer[4096];
    FILE *file = fopen(path, "r");
    size_t got;

    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        exit(2);
    }
    while ((got = fread(buffer, 1, sizeof buffer, file)) > 0)
        ki_text_add_bytes(&text, buffer, got);
    fclose(file);
    return ki_text_take(&text);
}

static enum fuzz_verdict check_file(const char *path)
{
    char *text = read_file(path);
    enum fuzz_verdict verdict = fuzz_compare_both(text, PATIENCE);

    printf("%s: %s\n", path, fuzz_verdicts[verdict]);
    free(text);
    return verdict;
}

static int reduce_file(const char *path)
{
    enum fuzz_verdict verdict = check_file(path);
    char *text = read_file(path), *less;

    if (verdict == FUZZ_SAME)
        return EXIT_FAILURE;
    less = fuzz_reduce(text, verdict, 3600);
    fputs(less, stdout);
    free(less);
    free(text);
    return EXIT_SUCCESS;
}

static int print_seed(const char *seed)
{
    char *text = fuzz_file(strtoull(seed, NULL, 0), 1, number_of("KOINE_FUZZ_DOUBLES", 0) ? FUZZ_DOUBLES : 0);

    fputs(text, stdout);
    free(text);
    return EXIT_SUCCESS;
}

int main(int count, char **arguments)
{
    struct plan plan = {.seed = (uint64_t)number_of("KOINE_FUZZ_SEED", (long)time(NULL)),
                        .count = (int)number_of("KOINE_FUZZ_COUNT", 64),
                        .jobs = (int)number_of("KOINE_FUZZ_JOBS", sysconf(_SC_NPROCESSORS_ONLN))};
    const char *answers = getenv("KOINE_FUZZ_ANSWERS");
    struct fuzz_device device;
    int failures = 0;

    if (count == 3 && strcmp(arguments[1], "--print") == 0)
        return print_seed(arguments[2]);
    if (count == 3 && strcmp(arguments[1], "--reduce") == 0)
        return reduce_file(arguments[2]);
    if (count == 3 && strcmp(arguments[1], "--answers") == 0)
        plan.answers_to = arguments[2];
    for (int i = 1; i < count && !plan.answers_to; i++)
        failures += check_file(arguments[i]) != FUZZ_SAME;
    if (count > 1 && !plan.answers_to)
        return failures ? EXIT_FAILURE : EXIT_SUCCESS;
    fprintf(stderr, "test_fuzz: KOINE_FUZZ_SEED=%llu KOINE_FUZZ_COUNT=%d\n", (unsigned long long)plan.seed,
            plan.count);
    if (!fuzz_find_device(&device))
        return 77;
    if (device.is_rusticl) {
        fprintf(stderr, "skipped: rusticl has many of these results wrong itself\n");
        return 77;
    }
    plan.doubles = device.doubles;
    plan.features = device.is_oclgrind ? FUZZ_FOR_OCLGRIND : 0;
    if (!plan.answers_to && answers && *answers && !fuzz_answers_read(answers, &plan.answers))
        return 2;
    if (plan.jobs < 1)
        plan.jobs = 1;
    return run_jobs(&plan);
}
