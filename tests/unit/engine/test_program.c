// SPDX-License-Identifier: Apache-2.0
// Tests programs: from text, file and built-in name; information on their kernels; the compiler's error
// messages; the cache on disk.
#include "engine_support.h"

#include <koine/experimental.h>

#include "engine/cache/cache.h"
#include "engine/engine.h"

static char *folder;    // for files
static char *cache_dir; // empty at first
static kn_context *context;
static kn_queue *queue;

static kn_context *open_cached(const char *dir)
{
    kn_context_options options = KN_INIT(kn_context_options, .cache_dir = dir);

    return open_with(&options);
}

static void set_up(void)
{
    folder = test_folder();
    cache_dir = test_folder();
    context = open_cached(cache_dir);
    queue = open_queue(context);
}

static void tear_down(void)
{
    kn_queue_close(queue);
    kn_context_close(context);
    test_remove(folder);
    test_remove(cache_dir);
}

// The number that the kernel `answer` writes to its buffer.
static uint32_t answer_of(kn_program *program)
{
    kn_buffer *out = make_buffer(kn_queue_get_context(queue), 4);
    kn_arg args[] = {KN_BUFFER(out)};
    kn_range range = {1, {1}, {0}, {0}};
    uint32_t found = 0xdeadbeefu;

    expect_ok(kn_buffer_write(queue, out, 0, &found, 4, &err));
    expect_ok(kn_launch(queue, kernel_of(program, "answer"), &range, args, 1, NULL, &err));
    expect_ok(kn_buffer_read(queue, out, 0, &found, 4, &err));
    kn_buffer_free(out);
    return found;
}

static uint32_t answer_of_text(const char *text, const kn_program_options *options)
{
    kn_program *program = NULL;
    uint32_t answer;

    expect_ok(kn_program_from_text(context, text, "answer.cl", options, &program, &err));
    answer = answer_of(program);
    kn_program_free(program);
    return answer;
}

static const char answer_42[] = "__kernel void answer(__global uint *out) { out[0] = 42; }\n";
// The same, with a macro that a host may give another value: what is not used may leave no trace in a CUDA
// text.
static const char answer_a[] = "#ifndef A\n#define A 0\n#endif\n"
                               "__kernel void answer(__global uint *out) { out[0] = 42 + 0 * A; }\n";

// The policy that a kernel of the library's own was built with; it is part of the key (program.c).
static int policy_of(const char *file)
{
    for (size_t i = 0; i < context->builtin_count; i++) {
        const char *key = context->builtins[i].key;

        if (strncmp(key, file, strlen(file)) == 0)
            return atoi(key + strlen(file));
    }
    return -1;
}

START_TEST(policy_of_a_context)
{
    for (int policy = KN_POLICY_DEFAULT; policy <= KN_POLICY_FAST; policy++) {
        const kn_context_options options =
            KN_INIT(kn_context_options, .cache_dir = cache_dir, .policy = (kn_policy)policy);
        kn_kernel *kernel;

        kn_queue_close(queue);
        kn_context_close(context);
        context = open_with(&options);
        queue = open_queue(context);
        expect_ok(ki_engine_builtin_kernel(context, "tools/compare/launch.cl", NULL, 0, KN_POLICY_DEFAULT,
                                           "count_launch", &kernel, &err));
        ck_assert_int_eq(policy_of("tools/compare/launch.cl"), policy);
        // One that promises bits has its own.
        expect_ok(ki_engine_builtin_kernel(context, "app/mri/mri_mu.cl", NULL, 0, KN_POLICY_STRICT, "mri_mu",
                                           &kernel, &err));
        ck_assert_int_eq(policy_of("app/mri/mri_mu.cl"), KN_POLICY_STRICT);
    }
}
END_TEST

START_TEST(from_a_file)
{
    char *include = test_folder(), *path_dir = test_folder(), command[9000];
    kn_program *program = NULL;
    kn_program_options options =
        KN_INIT(kn_program_options, .include_dirs = (const char *const[]){include}, .include_dir_count = 1);

    write_text(folder, "beside.clh", "#define BESIDE 1\n");
    snprintf(command, sizeof command,
             "echo '#define DIR 20' >'%s/dir.clh'; echo '#define ON_PATH 300' >'%s/on_path.clh'", include,
             path_dir);
    ck_assert_int_eq(system(command), 0);
    setenv("KOINE_KERNEL_PATH", path_dir, 1);
    expect_ok(kn_program_from_file(
        context,
        write_text(folder, "main.cl",
                   "#include \"beside.clh\"\n#include \"dir.clh\"\n#include <on_path.clh>\n"
                   "__kernel void answer(__global uint *out)\n"
                   "{ out[0] = BESIDE + DIR + ON_PATH; }\n"),
        &options, &program, &err));
    unsetenv("KOINE_KERNEL_PATH");
    ck_assert_uint_eq(answer_of(program), 321);
    kn_program_free(program);

    char missing[4300];
    snprintf(missing, sizeof missing, "%s/missing.cl", folder);
    program = NULL;
    expect_refused(kn_program_from_file(context, missing, NULL, &program, &err), KN_ERROR_INPUT,
                   "missing.cl");
    expect_refused(kn_program_from_file(context, folder, NULL, &program, &err), KN_ERROR_INPUT, "directory");
    ck_assert_ptr_null(program);
    test_remove(include);
    test_remove(path_dir);
}
END_TEST

START_TEST(built_in)
{
    const kn_define defines[] = {{"ACC_SOFT", "1"}}; // no double precision
    kn_program_options options = KN_INIT(kn_program_options, .defines = defines, .define_count = 1);
    kn_program *program = NULL;
    char before[4096];

    // Another file of that name stands in the current folder, and is not meant.
    ck_assert_ptr_nonnull(getcwd(before, sizeof before));
    write_text(folder, "reduce.cl", answer_42);
    ck_assert_int_eq(chdir(folder), 0);
    expect_ok(kn_program_from_builtin(context, "algo/reduce.cl", &options, &program, &err));
    ck_assert_int_eq(chdir(before), 0);
    ck_assert_uint_gt(kn_program_get_kernel_count(program), 0);
    ck_assert_str_ne(kn_kernel_get_name(kn_program_get_kernel_at(program, 0)), "answer");
    kn_program_free(program);

    write_text(folder, "algo/reduce.cl", answer_42);
    setenv("KOINE_KERNEL_PATH", folder, 1); // there it is
    expect_ok(kn_program_from_builtin(context, "algo/reduce.cl", NULL, &program, &err));
    unsetenv("KOINE_KERNEL_PATH");
    ck_assert_uint_eq(answer_of(program), 42);
    kn_program_free(program);
    expect_refused(kn_program_from_builtin(context, "no_such.cl", NULL, &program, &err), KN_ERROR_INPUT,
                   "no_such.cl");
}
END_TEST

START_TEST(kernels_and_params)
{
    static const char text[] =
        "struct body { float4 at; };\n"
        "__kernel void first(__global const float4 *in, __constant uint *table, __local ulong *near, struct "
        "body b,\n"
        "                    const short3 v) { }\n"
        "__kernel __attribute__((reqd_work_group_size(4, 2, 1))) void second(void) { }\n"
        "__kernel void third(__global char *x) { __local int own[100]; own[get_local_id(0)] = x[0]; x[1] = "
        "own[0]; }\n";
    static const struct {
        kn_param_kind kind;
        const char *type, *name;
        size_t size;
        int is_const;
    } expected[] = {{KN_PARAM_GLOBAL, "float4", "in", 16, 1},
                    {KN_PARAM_CONSTANT, "uint", "table", 4, 1},
                    {KN_PARAM_LOCAL, "ulong", "near", 8, 0},
                    {KN_PARAM_VALUE, "struct body", "b", 0, 0},
                    {KN_PARAM_VALUE, "short3", "v", 8, 0}};
    kn_program *program = NULL;
    kn_kernel *kernel = NULL;
    kn_kernel_limits limits;

    program = build_text(context, text);
    ck_assert_uint_eq(kn_program_get_kernel_count(program), 3);
    ck_assert_str_eq(kn_kernel_get_name(kn_program_get_kernel_at(program, 1)), "second");
    ck_assert_ptr_null(kn_program_get_kernel_at(program, 3));
    kernel = kernel_of(program, "first");
    ck_assert_uint_eq(kn_kernel_get_param_count(kernel), 5);
    ck_assert_ptr_null(kn_kernel_get_param(kernel, 5));
    for (size_t i = 0; i < 5; i++) {
        const kn_param *param = kn_kernel_get_param(kernel, i);

        ck_assert_int_eq(param->kind, expected[i].kind);
        ck_assert_str_eq(param->type, expected[i].type);
        ck_assert_str_eq(param->name, expected[i].name);
        ck_assert_uint_eq(param->size, expected[i].size);
        if (expected[i].kind == KN_PARAM_GLOBAL || expected[i].kind == KN_PARAM_LOCAL)
            ck_assert_int_eq(param->is_const, expected[i].is_const);
    }
    limits = *kn_kernel_get_limits(kernel_of(program, "second"));
    ck_assert_uint_eq(limits.required_group[0], 4);
    ck_assert_uint_eq(limits.required_group[1], 2);
    ck_assert_uint_eq(limits.required_group[2], 1);
    limits = *kn_kernel_get_limits(kernel_of(program, "third"));
    ck_assert_uint_eq(limits.required_group[0], 0);
    ck_assert_uint_ge(limits.work_group, 1);
    ck_assert_ptr_null(kn_kernel_get_limits(NULL));
    expect_refused(kn_program_get_kernel(program, "forth", &kernel, &err), KN_ERROR_ARGUMENT,
                   "'forth'|first, second, third");
    expect_refused(kn_program_get_kernel(program, NULL, &kernel, &err), KN_ERROR_ARGUMENT,
                   "kn_program_get_kernel");
    expect_refused(kn_program_get_kernel(NULL, "first", &kernel, &err), KN_ERROR_ARGUMENT,
                   "kn_program_get_kernel");
    expect_refused(kn_program_get_kernel(program, "first", NULL, &err), KN_ERROR_ARGUMENT,
                   "kn_program_get_kernel");
    kn_program_free(program);

    ck_assert_uint_eq(kn_program_get_kernel_count(NULL), 0);
    ck_assert_ptr_null(kn_program_get_kernel_at(NULL, 0));
    ck_assert_int_eq(kn_program_get_cached(NULL), 0);
    ck_assert_str_eq(kn_kernel_get_name(NULL), "");
    ck_assert_uint_eq(kn_kernel_get_param_count(NULL), 0);
    ck_assert_ptr_null(kn_kernel_get_param(NULL, 0));
    kn_program_free(NULL);
}
END_TEST

START_TEST(defines)
{
    const kn_define in_order[] = {
        {"A", "3"}, {"SQUARE(x)", "((x) * (x))"}, {"B", "SQUARE(A)"}, {"FLAG", NULL}};
    const kn_define cpu[] = {{"KN_CPU", "7"}}, twice[] = {{"A", "1"}, {"A", "2"}};
    kn_program_options options = KN_INIT(kn_program_options, .defines = in_order, .define_count = 4);
    bool is_cpu = kn_context_get_device(context)->type == KN_DEVICE_CPU;
    kn_program *program = NULL;

    ck_assert_uint_eq(
        answer_of_text("__kernel void answer(__global uint *out) { out[0] = B + FLAG; }", &options), 10);
    ck_assert_uint_eq(
        answer_of_text("__kernel void answer(__global uint *out) { out[0] = 5 + KN_CPU; }", NULL),
        5 + is_cpu);
    options = KN_INIT(kn_program_options, .defines = cpu, .define_count = 1);
    ck_assert_uint_eq(
        answer_of_text("__kernel void answer(__global uint *out) { out[0] = KN_CPU; }", &options), 7);
    options = KN_INIT(kn_program_options, .defines = twice, .define_count = 2);
    expect_refused(kn_program_from_text(context, answer_42, "twice.cl", &options, &program, &err),
                   KN_ERROR_BUILD, "A");
    ck_assert_ptr_null(program);
}
END_TEST

START_TEST(options_that_were_not_made)
{
    const kn_program_options options = {.define_count = 0};
    kn_program *program = NULL;

    expect_refused(kn_program_from_text(context, answer_42, "a.cl", &options, &program, &err),
                   KN_ERROR_ARGUMENT, "kn_program_from_text: the kn_program_options has a struct_size of 0");
    expect_refused(kn_program_from_file(context, "a.cl", &options, &program, &err), KN_ERROR_ARGUMENT,
                   "kn_program_from_file: the kn_program_options");
    expect_refused(kn_program_from_builtin(context, "scan.cl", &options, &program, &err), KN_ERROR_ARGUMENT,
                   "kn_program_from_builtin: the kn_program_options");
    expect_refused(kn_program_from_file(context, NULL, NULL, &program, &err), KN_ERROR_ARGUMENT,
                   "kn_program_from_file: a program needs");
}
END_TEST

START_TEST(double_precision)
{
    static const char text[] =
        "#define REAL double\n"
        "#ifdef NEVER\n double in_a_false_branch;\n#endif\n"
        "__kernel void answer(__global uint *out)\n{\n    REAL x = 0.5;\n    out[0] = (uint)(x * 4);\n}\n";
    kn_program *program = NULL;

    if (kn_context_get_device(context)->fp64) {
        ck_assert_uint_eq(answer_of_text(text, NULL), 2);
        fprintf(stderr, "skipped: this device has double precision; nothing to refuse\n");
        return;
    }
    expect_refused(kn_program_from_text(context, text, "double.cl", NULL, &program, &err),
                   KN_ERROR_UNSUPPORTED, "double.cl:|double precision|opencl:");
    ck_assert_ptr_null(program);
}
END_TEST

// ---- the cache on disk ----

static bool keeps_binaries(void)
{
    if (!is_interpreted(context))
        return true;
    fprintf(stderr, "skipped: Oclgrind's binaries are not kept\n");
    return false;
}

static size_t entries(kn_cache_list **list)
{
    ck_assert_msg(kn_cache_list_create(cache_dir, list, &err) == KN_OK, "%s", err.text);
    return kn_cache_list_get_count(*list);
}

// Builds the program in a new context; returns whether it was in the cache.
static bool was_cached(const char *text, const kn_program_options *options, const char *dir)
{
    kn_context *own = open_cached(dir);
    kn_program *program = NULL;
    bool cached;

    expect_ok(kn_program_from_text(own, text, "answer.cl", options, &program, &err));
    cached = kn_program_get_cached(program);
    ck_assert(kn_context_get_build_seconds(own) > 0);
    kn_program_free(program);
    kn_context_close(own);
    return cached;
}

START_TEST(second_time)
{
    kn_cache_list *list;
    kn_program *program = NULL;

    if (!keeps_binaries())
        return;
    ck_assert(!was_cached(answer_42, NULL, cache_dir));
    ck_assert_uint_eq(entries(&list), 1);
    ck_assert(kn_cache_list_get_entry(list, 0)->valid);
    ck_assert_str_eq(kn_cache_list_get_entry(list, 0)->program, "answer.cl");
    ck_assert_str_eq(kn_cache_list_get_entry(list, 0)->device, kn_context_get_device(context)->name);
    kn_cache_list_free(list);
    ck_assert(was_cached(answer_42, NULL, cache_dir));
    expect_ok(kn_program_from_text(context, answer_42, "answer.cl", NULL, &program, &err));
    ck_assert(kn_program_get_cached(program));
    ck_assert_uint_eq(answer_of(program), 42);
    kn_program_free(program);
    ck_assert(!was_cached(answer_42, NULL, "")); // no cache
    setenv("KOINE_KEEP_PROGRAMS", "no", 1);
    ck_assert(!was_cached(answer_42, NULL, cache_dir));
    setenv("KOINE_KEEP_PROGRAMS", "yes", 1);
    ck_assert(was_cached(answer_42, NULL, cache_dir));
    ck_assert_uint_eq(entries(&list), 1);
    kn_cache_list_free(list);
}
END_TEST

START_TEST(keys)
{
    const kn_define a[] = {{"A", "1"}}, b[] = {{"A", "2"}};
    const kn_program_options different[] = {
        {.struct_size = sizeof(kn_program_options), .policy = KN_POLICY_DEFAULT},
        {.struct_size = sizeof(kn_program_options), .policy = KN_POLICY_STRICT},
        {.struct_size = sizeof(kn_program_options), .policy = KN_POLICY_FAST},
        {.struct_size = sizeof(kn_program_options), .defines = a, .define_count = 1},
        {.struct_size = sizeof(kn_program_options), .defines = b, .define_count = 1}};
    const size_t count = sizeof different / sizeof *different;
    kn_cache_list *list;

    if (!keeps_binaries())
        return;
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(!was_cached(answer_a, &different[i], cache_dir), "options %zu", i);
    ck_assert(!was_cached("__kernel void answer(__global uint *out) { out[0] = 43; }\n", NULL, cache_dir));
    ck_assert_uint_eq(entries(&list), count + 1);
    kn_cache_list_free(list);
    for (size_t i = 0; i < count; i++)
        ck_assert_msg(was_cached(answer_a, &different[i], cache_dir), "options %zu", i);
}
END_TEST

// A file whose checksum is right, though its binary is none, or another program's: the driver may say so at
// once or when it is asked for the kernel.
START_TEST(binaries_that_the_driver_refuses)
{
    static const char other[] = "__kernel void another(__global uint *out) { out[0] = 1; }\n";
    static const char garbage[] = "this is no program, though its checksum is right";
    kn_cache_list *list;
    struct cache_key key = {.program = "answer.cl", .device = "x"}, other_key = key;
    void *binary = NULL;
    size_t bytes = 0;
    char why[128];
    kn_program *program = NULL;

    if (!keeps_binaries())
        return;
    ck_assert(!was_cached(answer_42, NULL, cache_dir));
    ck_assert_uint_eq(entries(&list), 1);
    for (size_t i = 0; i < KI_HASH_BYTES; i++)
        ck_assert_int_eq(sscanf(kn_cache_list_get_entry(list, 0)->file + 2 * i, "%2hhx", &key.hash.bytes[i]),
                         1);
    kn_cache_list_free(list);
    ki_cache_remove(cache_dir, &key);
    ck_assert(!was_cached(other, NULL, cache_dir));
    ck_assert_uint_eq(entries(&list), 1);
    for (size_t i = 0; i < KI_HASH_BYTES; i++)
        ck_assert_int_eq(
            sscanf(kn_cache_list_get_entry(list, 0)->file + 2 * i, "%2hhx", &other_key.hash.bytes[i]), 1);
    kn_cache_list_free(list);
    ck_assert(ki_cache_read(cache_dir, &other_key, &binary, &bytes, why));

    ck_assert_int_eq(ki_cache_write(cache_dir, &key, binary, bytes, &err), KN_OK);
    free(binary);
    expect_ok(kn_program_from_text(context, answer_42, "answer.cl", NULL, &program, &err));
    ck_assert(!kn_program_get_cached(program));
    ck_assert_uint_eq(answer_of(program), 42);
    kn_program_free(program);
    ck_assert(was_cached(answer_42, NULL, cache_dir)); // mended

    if (on_platform(context, "rusticl")) {
        fprintf(stderr, "skipped: rusticl (Mesa 22.3) ends the process on a binary that is none\n");
        return;
    }
    ck_assert_int_eq(ki_cache_write(cache_dir, &key, garbage, sizeof garbage, &err), KN_OK);
    expect_ok(kn_program_from_text(context, answer_42, "answer.cl", NULL, &program, &err));
    ck_assert(!kn_program_get_cached(program));
    ck_assert_uint_eq(answer_of(program), 42);
    kn_program_free(program);
    ck_assert(was_cached(answer_42, NULL, cache_dir));
}
END_TEST

static void count_warnings(void *user, kn_log_level level, const char *message)
{
    int *count = user;

    (void)message;
    *count += level == KN_LOG_WARNING;
}

// If nothing can be cached, a line says so and the program is still built.
START_TEST(nowhere_to_cache)
{
    int warnings = 0;
    char path[4400];
    kn_context_options options =
        KN_INIT(kn_context_options, .log = count_warnings, .log_user = &warnings, .cache_dir = path);
    kn_context *own;
    kn_program *program = NULL;

    if (!keeps_binaries())
        return;
    snprintf(path, sizeof path, "%s/below", write_text(folder, "file", "x"));
    own = open_with(&options);
    warnings = 0;
    expect_ok(kn_program_from_text(own, answer_42, "answer.cl", NULL, &program, &err));
    ck_assert_int_ge(warnings, 1);
    kn_program_free(program);
    kn_context_close(own);
}
END_TEST

// A program in a folder that others can write to is neither used nor replaced; one line says so, for any
// number of programs.
START_TEST(cache_that_others_can_write)
{
    static const char *const answer_43 = "__kernel void answer(__global uint *out) { out[0] = 43; }\n";
    int warnings = 0;
    kn_context_options options =
        KN_INIT(kn_context_options, .log = count_warnings, .log_user = &warnings, .cache_dir = cache_dir);
    kn_context *own;
    kn_program *first = NULL, *second = NULL;
    kn_cache_list *list;

    if (!keeps_binaries())
        return;
    ck_assert(!was_cached(answer_42, NULL, cache_dir));
    ck_assert_int_eq(chmod(cache_dir, 0777), 0);
    own = open_with(&options);
    expect_ok(kn_program_from_text(own, answer_42, "answer.cl", NULL, &first, &err));
    expect_ok(kn_program_from_text(own, answer_43, "answer.cl", NULL, &second, &err));
    ck_assert(!kn_program_get_cached(first));
    ck_assert(!kn_program_get_cached(second));
    ck_assert_int_eq(warnings, 1);
    ck_assert_uint_eq(entries(&list), 1);
    kn_cache_list_free(list);
    kn_program_free(first);
    kn_program_free(second);
    kn_context_close(own);
    ck_assert_int_eq(chmod(cache_dir, 0700), 0);
    ck_assert(was_cached(answer_42, NULL, cache_dir));
}
END_TEST

START_TEST(no_home)
{
    static const char *const names[] = {"HOME", "XDG_CACHE_HOME", "KOINE_CACHE_DIR"};
    char *kept[3];
    int warnings = 0;
    kn_context_options options = KN_INIT(kn_context_options, .log = count_warnings, .log_user = &warnings);
    kn_context *own;
    kn_program *program = NULL;

    for (int i = 0; i < 3; i++) {
        kept[i] = getenv(names[i]) ? strdup(getenv(names[i])) : NULL;
        unsetenv(names[i]);
    }
    own = open_with(&options);
    ck_assert_int_ge(warnings, 1);
    expect_ok(kn_program_from_text(own, answer_42, "answer.cl", NULL, &program, &err));
    ck_assert(!kn_program_get_cached(program));
    kn_program_free(program);
    kn_context_close(own);
    for (int i = 0; i < 3; i++) {
        if (kept[i])
            setenv(names[i], kept[i], 1);
        free(kept[i]);
    }
}
END_TEST

int main(void)
{
    const TTest *const tests[] = {from_a_file,
                                  built_in,
                                  kernels_and_params,
                                  defines,
                                  second_time,
                                  binaries_that_the_driver_refuses,
                                  nowhere_to_cache,
                                  no_home,
                                  double_precision,
                                  keys,
                                  policy_of_a_context,
                                  cache_that_others_can_write,
                                  options_that_were_not_made};

    setenv("KOINE_KEEP_PROGRAMS", "yes", 1); // the tests that keep programs are these
    return RUN_ON_DEVICE_WITH("program", set_up, tear_down, tests);
}
