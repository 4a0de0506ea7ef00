// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // asprintf
#include "compare.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "engine/engine.h"
#include "engine/device/target.h"
#include "source/cuda/cuda.h"
#include "conformance/expanded.h"
#include "known_aborts.h"
#include "generate.h"

// The last work-item may read the row after its own.
enum {
    ITEMS = 4 * FUZZ_GROUP,
    WORDS = ITEMS * FUZZ_COLUMNS,
    IN_WORDS = WORDS + FUZZ_COLUMNS,
    LOCAL_BYTES = 256
};

const char *const fuzz_verdicts[] = {
    [FUZZ_SAME] = "the same",
    [FUZZ_DIFFERENT] = "the numbers differ",
    [FUZZ_UNBUILT] = "the device does not build or run it",
    [FUZZ_REFUSED] = "refused by the rewriter",
    [FUZZ_NOT_CPLUSPLUS] = "the rewritten text does not compile",
    [FUZZ_CRASHED] = "a crash, or an end of patience",
    [FUZZ_NO_DEVICE] = "no device",
    [FUZZ_BROKEN] = "the test itself failed",
    [FUZZ_KNOWN_ABORT] = "the device's compiler aborts, as it is known to",
    [FUZZ_REPORTED] = "Oclgrind reports it",
};

// Random bits, small numbers, and edge values of the types.
static void make_input(uint32_t *in)
{
    static const uint32_t edges[] = {0,          1,          0xffffffff, 0x7fffffff, 0x80000000,
                                     0x80,       0x7f7f,     0xff00ff00, 31,         32,
                                     0x80808080, 0x00010001, 0x01010101, 0xaaaaaaaa};
    uint64_t z = 1;

    for (size_t i = 0; i < IN_WORDS; i++) {
        z = z * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        in[i] = i % 3 == 0   ? (uint32_t)(z >> 32)
                : i % 3 == 1 ? edges[(z >> 33) % (sizeof edges / sizeof *edges)]
                             : (uint32_t)(z >> 40) % 200 - 100;
    }
}

// ---- as OpenCL

struct device_side {
    kn_queue *queue;
    kn_program *program;
    kn_buffer *input, *output; // shared by all kernels
};

static kn_status run_kernel(const struct device_side *side, const kn_source_kernel *described,
                            const uint32_t *in, uint32_t *out, kn_error *err)
{
    kn_range range = {.dims = 1, .global = {ITEMS}, .local = {FUZZ_GROUP}};
    kn_kernel *kernel;
    kn_arg args[16];
    kn_status status;

    memset(out, 0xa5, WORDS * 4);
    status = kn_buffer_write(side->queue, side->output, 0, out, WORDS * 4, err);
    if (!status)
        status = kn_program_get_kernel(side->program, described->name, &kernel, err);
    for (size_t i = 0; i < described->param_count && i < 16; i++) {
        const kn_param *param = &described->params[i];
        args[i] = param->kind == KN_PARAM_LOCAL      ? KN_LOCAL(LOCAL_BYTES)
                  : param->kind == KN_PARAM_CONSTANT ? KN_BUFFER(side->input)
                  : param->kind == KN_PARAM_VALUE
                      ? (kn_arg){.kind = KN_ARG_VALUE, .value = in, .size = param->size}
                      : KN_BUFFER(param->is_const ? side->input : side->output);
    }
    if (!status)
        status = kn_launch(side->queue, kernel, &range, args, described->param_count, NULL, err);
    if (!status)
        status = kn_buffer_read(side->queue, side->output, 0, out, WORDS * 4, err);
    return status;
}

static kn_status run_on_device(kn_context *context, const char *text, const struct src_unit *unit,
                               const uint32_t *in, uint32_t *results, kn_error *err)
{
    kn_program_options options = KN_INIT(kn_program_options, .policy = KN_POLICY_STRICT);
    struct device_side side = {NULL, NULL, NULL, NULL};
    kn_status status = kn_queue_open(context, &side.queue, err);

    if (!status)
        status = kn_buffer_create(context, IN_WORDS * 4, &side.input, err);
    if (!status)
        status = kn_buffer_create(context, WORDS * 4, &side.output, err);
    if (!status)
        status = kn_buffer_write(side.queue, side.input, 0, in, IN_WORDS * 4, err);
    if (!status)
        status = expanded_program(context, "fuzz.cl", text, unit, &options, &side.program, err);
    for (size_t k = 0; k < unit->kernel_count && !status; k++)
        status = run_kernel(&side, &unit->kernels[k], in, results + k * WORDS, err);
    kn_program_free(side.program);
    kn_buffer_free(side.input);
    kn_buffer_free(side.output);
    kn_queue_close(side.queue);
    return status;
}

// ---- as C++

// arena_bytes: bytes of the arena that the kernel's own local variables take.
static void write_call(FILE *file, const kn_source_kernel *kernel, size_t arena_bytes)
{
    size_t local = arena_bytes;

    fprintf(file, "    run([](const kn::kn_item &item) { kn::program::koine_%s(", kernel->name);
    for (size_t i = 0; i < kernel->param_count; i++) {
        const kn_param *param = &kernel->params[i];
        if (param->kind == KN_PARAM_LOCAL) {
            fprintf(file, "%zu, ", local);
            local += LOCAL_BYTES;
        } else {
            fputs(param->kind == KN_PARAM_VALUE                         ? "value(), "
                  : param->is_const || param->kind == KN_PARAM_CONSTANT ? "pointer(in), "
                                                                        : "pointer(out), ",
                  file);
        }
    }
    fprintf(file, "item); }, %zu);\n", arena_bytes);
}

static bool write_program(const char *path, const struct src_unit *unit, const struct src_cuda *cuda)
{
    static const char runner[] = "#line 1 \"runner\"\n"
                                 "#include \"shim_run.h\"\n"
                                 "alignas(128) static unsigned in[in_words], out[words];\n"
                                 "static FILE *results;\n"
                                 "struct pointer { void *p; pointer(void *q) : p(q) {} template <class T> "
                                 "operator T *() const { return (T *)p; } };\n"
                                 "struct value { template <class T> operator T() const { T t; memcpy((void "
                                 "*)&t, in, sizeof t); return t; } };\n"
                                 "static void run(void (*kernel)(const kn::kn_item &), size_t arena)\n"
                                 "{\n"
                                 "    size_t global[3] = {items, 1, 1}, local[3] = {group, 1, 1};\n"
                                 "    memset(out, 0xa5, sizeof out);\n"
                                 "    shim_run(kernel, global, local, nullptr, arena + 4096, 1);\n"
                                 "    fwrite(out, sizeof out, 1, results);\n"
                                 "}\n"
                                 "int main(int, char **argv)\n"
                                 "{\n"
                                 "    FILE *file = fopen(argv[1], \"rb\");\n"
                                 "    results = fopen(argv[2], \"wb\");\n"
                                 "    if (!file || !results || fread(in, sizeof in, 1, file) != 1)\n"
                                 "        return 1;\n";
    FILE *file = fopen(path, "w");

    if (!file)
        return false;
    fprintf(file, "#include \"shim.h\"\n%s", cuda->text);
    fprintf(file, "enum : unsigned { items = %d, words = %d, in_words = %d, group = %d };\n%s", ITEMS, WORDS,
            IN_WORDS, FUZZ_GROUP, runner);
    for (size_t k = 0; k < unit->kernel_count; k++)
        write_call(file, &unit->kernels[k], cuda->kernels[k].arena_bytes);
    fputs("    return fclose(results);\n}\n", file);
    return fclose(file) == 0;
}

static bool save(const char *folder, const char *name, const void *bytes, size_t size)
{
    char path[4200];
    FILE *file;
    bool good;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "wb");
    good = file && fwrite(bytes, size, 1, file) == 1;
    return file && fclose(file) == 0 && good;
}

static bool load(const char *folder, const char *name, void *bytes, size_t size)
{
    char path[4200];
    FILE *file;
    bool good;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    file = fopen(path, "rb");
    good = file && fread(bytes, 1, size, file) == size;
    if (file)
        fclose(file);
    return good;
}

// A child's exit status as a verdict, if it did not succeed.
static enum fuzz_verdict run_command(const char *command, enum fuzz_verdict failed)
{
    int status = system(command);

    return status == 0 ? FUZZ_SAME : WIFEXITED(status) && WEXITSTATUS(status) < 124 ? failed : FUZZ_CRASHED;
}

// clang is twice as fast, and stricter about narrowing in C++; without clang, CXX is used.
static const char *host_compiler(void)
{
    const char *given = getenv("CXX");

    if (system("clang++ --version >/dev/null 2>&1") == 0)
        return "clang++ -O0 -w";
    return given && *given ? given : "c++ -O1 -Werror=narrowing -fmax-errors=3";
}

static enum fuzz_verdict run_on_host(const char *folder, const struct src_unit *unit,
                                     const struct src_cuda *cuda, const uint32_t *in, uint32_t *results)
{
    const char *source = getenv("srcdir");
    enum fuzz_verdict verdict;
    char command[14000], path[4200], here[4096] = ".";

    if (!source && getcwd(here, sizeof here))
        source = here;
    snprintf(path, sizeof path, "%s/program.cpp", folder);
    if (!write_program(path, unit, cuda) || !save(folder, "in", in, IN_WORDS * 4))
        return FUZZ_BROKEN;
    snprintf(command, sizeof command,
             "cd '%s' && %s -std=gnu++17 -fno-strict-aliasing -ffp-contract=off -I'%s/tests/shim' "
             "-o program program.cpp >&2",
             folder, host_compiler(), source ? source : here);
    verdict = run_command(command, FUZZ_NOT_CPLUSPLUS);
    if (verdict)
        return verdict;
    snprintf(command, sizeof command, "cd '%s' && timeout 20 ./program in out", folder);
    verdict = run_command(command, FUZZ_CRASHED);
    if (verdict)
        return verdict;
    return load(folder, "out", results, unit->kernel_count * WORDS * 4) ? FUZZ_SAME : FUZZ_BROKEN;
}

// ---- the comparison

static bool compare_kernel(const kn_source_kernel *kernel, const uint32_t *device, const uint32_t *host)
{
    size_t different = 0;

    for (size_t i = 0; i < WORDS; i++)
        if (device[i] != host[i] && different++ == 0)
            fprintf(stderr, "%s: work-item %zu, word %zu: OpenCL 0x%08x, rewritten 0x%08x\n", kernel->name,
                    i / FUZZ_COLUMNS, i % FUZZ_COLUMNS, device[i], host[i]);
    return different != 0;
}

uint64_t fuzz_hash(const void *bytes, size_t size)
{
    struct ki_hash hash = ki_hash_fields(&(struct ki_field){bytes, size}, 1);
    uint64_t first;

    memcpy(&first, hash.bytes, sizeof first);
    return first;
}

// Records the host's results, or compares the device's with the host's results or their hashes.
static bool judge(const kn_source_kernel *kernel, const uint32_t *device, const uint32_t *host, size_t k,
                  struct fuzz_task *task)
{
    if (!task->on_host)
        task->different[k] = fuzz_hash(device, WORDS * 4) != task->answers[k];
    else if (task->on_device)
        task->different[k] = compare_kernel(kernel, device, host);
    else
        task->answers[k] = fuzz_hash(host, WORDS * 4);
    return !task->different[k];
}

static enum fuzz_verdict compare_unit(kn_context *context, const char *text, const struct src_unit *unit,
                                      const struct src_options *source, const char *folder,
                                      struct fuzz_task *task, kn_error *err)
{
    struct src_cuda_options wanted = {.embedded = ki_src_embedded_kernels, .host_shim = true};
    uint32_t in[IN_WORDS], *host = calloc(unit->kernel_count, WORDS * 4),
                           *device = calloc(unit->kernel_count, WORDS * 4);
    enum fuzz_verdict verdict = FUZZ_BROKEN;
    struct src_cuda *cuda = NULL;

    if (!host || !device)
        goto done;
    make_input(in);
    verdict = FUZZ_REFUSED;
    if (task->on_host && ki_src_cuda(unit, source, &wanted, &cuda, err))
        goto done;
    verdict = task->on_host ? run_on_host(folder, unit, cuda, in, host) : FUZZ_SAME;
    if (verdict)
        goto done;
    verdict = FUZZ_UNBUILT;
    if (task->on_device && run_on_device(context, text, unit, in, device, err))
        goto done;
    verdict = FUZZ_SAME;
    for (size_t k = 0; k < unit->kernel_count && k < FUZZ_MOST; k++)
        if (!judge(&unit->kernels[k], device + k * WORDS, host + k * WORDS, k, task))
            verdict = FUZZ_DIFFERENT;
done:
    ki_src_cuda_free(cuda);
    free(host);
    free(device);
    return verdict;
}

enum fuzz_verdict fuzz_compare(const char *text, const char *folder, struct fuzz_task *task)
{
    static char extensions[] = "cl_khr_fp64", none[] = "";
    kn_program_options options = KN_INIT(kn_program_options, .policy = KN_POLICY_STRICT);
    kn_context_options uncached = KN_INIT(kn_context_options, .cache_dir = "");
    kn_error err = KN_ERROR_INIT;
    struct src_unit *unit = NULL;
    kn_context *context = NULL;
    struct target target;
    enum fuzz_verdict verdict = FUZZ_NO_DEVICE;

    if (kn_context_open(NULL, &uncached, &context, &err) == KN_OK) {
        struct be_device described = {.info = *kn_context_get_device(context)};
        task->device = described.info;
        described.extensions = described.info.fp64 ? extensions : none;
        verdict = FUZZ_BROKEN;
        if (ki_target_describe(&described, &options, &target, &err) == KN_OK) {
            verdict = FUZZ_REFUSED;
            if (ki_src_read("fuzz.cl", text, &target.source, &unit, &err) == KN_OK)
                verdict = compare_unit(context, text, unit, &target.source, folder, task, &err);
            ki_src_free(unit);
            ki_target_free(&target);
        }
    }
    if (err.code)
        fprintf(stderr, "%s\n", err.text);
    kn_context_close(context);
    return verdict;
}

// ---- in a separate process

static void remove_folder(const char *folder)
{
    char command[4200];

    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s cannot be removed\n", folder);
}

// Sets up the child: in its own session, so that the compilers it started end with it. PoCL's cache is in its
// folder, because no generated text is built twice.
static void be_apart(const char *text, const char *folder, unsigned seconds, struct fuzz_task *shared)
{
    char path[4200];
    int log;

    setsid();
    signal(SIGALRM, SIG_DFL);
    alarm(seconds);
    setenv("POCL_CACHE_DIR", folder, 1);
    setenv("POCL_EXTRA_BUILD_FLAGS", "-cl-opt-disable", 0); // takes half the time, and avoids bugs of the
                                                            // optimiser
    // Oclgrind 21.10 crashes in Uninitialized::instructionExecuted on most generated kernels, and reports the
    // fourth component of a vector of three as uninitialised.
    unsetenv("OCLGRIND_UNINITIALIZED");
    snprintf(path, sizeof path, "%s/log", folder);
    log = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (log >= 0) {
        dup2(log, 1);
        dup2(log, 2);
    }
    _exit((int)fuzz_compare(text, folder, shared));
}

// The output of a child and its children on standard output and standard error; the caller frees it.
static char *read_log(const char *folder)
{
    struct ki_text log = KI_TEXT_INIT;
    char path[4200], line[4096];
    FILE *file;

    snprintf(path, sizeof path, "%s/log", folder);
    file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file))
        ki_text_add(&log, line);
    if (file)
        fclose(file);
    return ki_text_take(&log);
}

// The verdict on a child, from its exit status and its output. If Oclgrind reports anything, a line names the
// kernel.
static enum fuzz_verdict verdict_of(int status, const char *folder, const kn_device_info *device)
{
    char *log = read_log(folder);
    const struct known_abort *known = NULL;
    enum fuzz_verdict verdict = FUZZ_CRASHED;

    if (WIFEXITED(status) && WEXITSTATUS(status) < FUZZ_REPORTED)
        verdict = (enum fuzz_verdict)WEXITSTATUS(status);
    if (log && WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT)
        known = known_abort(device, "fuzz", log);
    if (known) {
        fprintf(stderr, "%s\n", known->why);
        verdict = FUZZ_KNOWN_ABORT;
    }
    if (log && verdict == FUZZ_SAME && strstr(log, "\n\tKernel: "))
        verdict = FUZZ_REPORTED;
    free(log);
    return verdict;
}

static void show_log(const char *folder)
{
    char command[4200];

    snprintf(command, sizeof command, "head -c 4000 '%s/log' >&2", folder);
    if (system(command) != 0)
        fprintf(stderr, "%s/log cannot be shown\n", folder);
}

enum fuzz_verdict fuzz_compare_apart(const char *text, unsigned seconds, struct fuzz_task *task)
{
    const char *root = getenv("TMPDIR");
    enum fuzz_verdict verdict;
    struct fuzz_task *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char folder[4000];
    int status = 0;
    pid_t child;

    snprintf(folder, sizeof folder, "%s/koine-fuzz-XXXXXX", root && *root ? root : "/tmp");
    if (shared == MAP_FAILED || !mkdtemp(folder))
        return FUZZ_BROKEN;
    *shared = *task;
    child = fork();
    if (child == 0)
        be_apart(text, folder, seconds, shared);
    if (child < 0 || waitpid(child, &status, 0) < 0)
        return FUZZ_BROKEN;
    verdict = verdict_of(status, folder, &shared->device);
    if (verdict == FUZZ_CRASHED || verdict == FUZZ_KNOWN_ABORT)
        kill(-child, SIGKILL); // processes that it started
    *task = *shared;
    munmap(shared, sizeof *shared);
    if (getenv("KOINE_FUZZ_LOG") || (verdict && verdict != FUZZ_KNOWN_ABORT && !getenv("KOINE_FUZZ_QUIET")))
        show_log(folder);
    remove_folder(folder);
    return verdict;
}

enum fuzz_verdict fuzz_compare_both(const char *text, unsigned seconds)
{
    struct fuzz_task task = {.on_device = true, .on_host = true};

    return fuzz_compare_apart(text, seconds, &task);
}

// Queried in a child process: OpenCL does not survive the forks that follow.
bool fuzz_find_device(struct fuzz_device *device)
{
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        kn_context *context = NULL;
        kn_error err = KN_ERROR_INIT;
        if (kn_context_open(NULL, NULL, &context, &err)) {
            fprintf(stderr, "skipped: %s\n", err.text);
            _exit(100);
        }
        const kn_device_info *info = kn_context_get_device(context);
        fprintf(stderr, "on %s (%s)\n", info->name, info->platform);
        _exit((info->fp64 ? 1 : 0) + (strcmp(info->platform, "Oclgrind") == 0 ? 2 : 0) +
              (strcmp(info->platform, "rusticl") == 0 ? 4 : 0));
    }
    if (child < 0 || waitpid(child, &status, 0) < 0 || !WIFEXITED(status))
        return false;
    status = WEXITSTATUS(status);
    *device = (struct fuzz_device){status & 1, status & 2, status & 4};
    return status < 100;
}
