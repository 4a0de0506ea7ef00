// SPDX-License-Identifier: Apache-2.0
// A subject of test_rewrite as host C++ over tests/shim: its program is written, compiled and run while the
// device works.
#ifndef KN_TESTS_CONFORMANCE_HOST_FORM_H
#define KN_TESTS_CONFORMANCE_HOST_FORM_H

#include "host_program.h"

#include <errno.h>
#include <sys/wait.h>

enum {
    WORDS = 16,
    GROUP = 64,
    TABLE_BYTES = 4096,
    LOCAL_BYTES = 4096,
    ITEMS = 1024,
    OUT_WORDS = 65536,
    LARGE_LOCAL = 65536, // more than any kernel of local_large.cl needs
    UNWRITTEN = (int)0xa5a5a5a5
};

// Writes the call of one kernel: koine_swap(in, out, n, item). The kernel's own local variables take this
// many bytes of the arena.
static inline void write_call(FILE *file, const kn_source_kernel *kernel, size_t arena_bytes, bool bank)
{
    size_t local = arena_bytes;

    fprintf(file, "    run(\"%s\", [](const kn::kn_item &item) {\n        kn::program::koine_%s(",
            kernel->name, kernel->name);
    for (size_t i = 0; i < kernel->param_count; i++) {
        const kn_param *param = &kernel->params[i];
        if (param->kind == KN_PARAM_LOCAL) {
            fprintf(file, "%zu, ", local);
            local += ((param->size ? param->size * GROUP : LOCAL_BYTES) + 15) & ~(size_t)15;
        } else if (param->kind == KN_PARAM_CONSTANT) {
            fputs(bank ? "0, " : "any(in), ", file);
        } else if (param->kind == KN_PARAM_VALUE) {
            fputs("items, ", file);
        } else {
            fputs(param->is_const ? "any(in), " : "any(out), ", file);
        }
    }
    fprintf(file, "item); }, %zu);\n", local);
}

static inline void write_program(const char *path, const struct src_unit *unit, const struct src_cuda *cuda,
                                 bool bank)
{
    static const char runner[] = "#line 1 \"test_rewrite\"\n"
                                 "#include \"shim_run.h\"\n"
                                 "static unsigned in[items * words], out[out_words];\n"
                                 "static FILE *results;\n"
                                 "struct any { void *p; any(void *q) : p(q) {} template <class T> operator T "
                                 "*() const { return (T *)p; } };\n"
                                 "template <class K> static void run(const char *, K kernel, size_t arena)\n"
                                 "{\n"
                                 "    size_t global[3] = {items, 1, 1}, local[3] = {group, 1, 1};\n"
                                 "    memset(out, 0xa5, sizeof out);\n"
                                 "    shim_run(kernel, global, local, nullptr, arena + 16, 1);\n"
                                 "    fwrite(out, sizeof out, 1, results);\n"
                                 "}\n"
                                 "int main(int, char **argv)\n"
                                 "{\n"
                                 "    FILE *file = fopen(argv[1], \"rb\");\n"
                                 "    results = fopen(argv[2], \"wb\");\n"
                                 "    if (!file || !results || fread(in, sizeof in, 1, file) != 1) {\n"
                                 "        perror(\"the program's input or results\");\n"
                                 "        return 1;\n"
                                 "    }\n";
    FILE *file = fopen(path, "w");

    ck_assert_ptr_nonnull(file);
    fprintf(file, "#include \"shim.h\"\n%s", cuda->text);
    fprintf(file, "enum : unsigned { items = %d, words = %d, out_words = %d, group = %d };\n%s", ITEMS, WORDS,
            OUT_WORDS, GROUP, runner);
    if (bank)
        fprintf(file, "    memcpy(kn_bank, in, %d);\n", TABLE_BYTES);
    for (size_t k = 0; k < unit->kernel_count; k++)
        write_call(file, &unit->kernels[k], cuda->kernels[k].arena_bytes, bank);
    fputs("    if (fclose(results) != 0) {\n"
          "        perror(\"the program's results\");\n"
          "        return 1;\n"
          "    }\n"
          "}\n",
          file);
    ck_assert_int_eq(fclose(file), 0);
}

// A host form in progress: a folder with the program, its input and its results; the running compiler.
struct host_form {
    char *folder;
    FILE *running;
};

// clang compiles these long texts in half the time that gcc takes.
static inline const char *quick_compiler(void)
{
    const char *given = getenv("CXX");

    return !(given && *given) && system("clang++ --version >/dev/null 2>&1") == 0 ? "clang++"
                                                                                  : host_compiler();
}

// Starts compiling and running it; the device works meanwhile.
static inline struct host_form start_on_host(const struct src_unit *unit, const struct src_cuda *cuda,
                                             bool bank, const uint32_t *in)
{
    const char *source = getenv("srcdir");
    struct host_form form = {.folder = test_folder()};
    char command[20000], path[4200];

    snprintf(path, sizeof path, "%s/program.cpp", form.folder);
    write_program(path, unit, cuda, bank);
    snprintf(path, sizeof path, "%s/in", form.folder);
    test_write(path, in, (size_t)ITEMS * WORDS * sizeof *in);
    snprintf(command, sizeof command,
             "cd '%s' && %s -std=gnu++17 -O0 -w -Wno-narrowing -fno-strict-aliasing -fwrapv -frounding-math "
             "-ffp-contract=off "
             "-I'%s/tests/shim' "
             "-o program program.cpp >&2 && ./program in out",
             form.folder, quick_compiler(), source ? source : ".");
    form.running = popen(command, "r");
    ck_assert_ptr_nonnull(form.running);
    return form;
}

// The results of all kernels, one after the other; the caller frees them.
static inline uint32_t *finish_on_host(struct host_form *form, const struct src_unit *unit)
{
    size_t bytes = unit->kernel_count * OUT_WORDS * 4;
    uint32_t *results = malloc(bytes);
    char path[4200];
    FILE *file;
    int status;

    ck_assert_ptr_nonnull(results);
    status = pclose(form->running);
    ck_assert_msg(status == 0, "%s: does not compile or run as C++ (left in %s): %s %d", unit->files[0].name,
                  form->folder,
                  status < 0            ? strerror(errno)
                  : WIFSIGNALED(status) ? "signal"
                                        : "exit status",
                  WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    snprintf(path, sizeof path, "%s/out", form->folder);
    file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fread(results, 1, bytes, file), bytes);
    fclose(file);
    test_remove(form->folder);
    return results;
}

#endif
