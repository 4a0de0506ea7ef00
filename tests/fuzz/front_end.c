// SPDX-License-Identifier: Apache-2.0
// libFuzzer's way into src/source: any bytes are a kernel file. KOINE_FUZZ_TARGET says how far they go:
//   lexer         tokens alone, in each of the lexer's modes
//   preprocessor  includes (a table, some of them cyclic), directives, macros, signatures; what was made for
//                 OpenCL is read again and must be the same program
//   rewrite       the parser and the CUDA rewrite too (the default)
// Built and run by scripts/test fuzz, with AddressSanitizer and UndefinedBehaviorSanitizer.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source/cuda/cuda.h"
#include "source/preprocess/lexer.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerInitialize(int *count, char ***arguments);

// Stops with the expectation that failed: libFuzzer keeps the input.
#define EXPECT(what) ((what) ? (void)0 : unexpected(#what, __LINE__))

static void unexpected(const char *what, int line)
{
    fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, line, what);
    abort();
}

// The files that texts may include; the main file includes them too.
static const struct src_embedded headers[] = {
    {"a.clh",
     "#ifndef A_CLH\n#define A_CLH\n#define SQUARE(x) ((x) * (x))\n#include \"lib/b.clh\"\n#endif\n"},
    {"lib/b.clh",
     "#pragma once\n#include \"c.clh\"\n#define JOIN(a, b) a ## b\n#define TEXT(...) #__VA_ARGS__\n"},
    {"lib/c.clh", "typedef struct { float4 v; int n; } pair;\nint twice(int x) { return x << 1; }\n"},
    {"self.clh", "#include \"self.clh\"\n"},
    {"one.clh", "#include \"two.clh\"\n"},
    {"two.clh", "#include \"one.clh\"\n"},
    {"again.clh", "#define AGAIN again\n#ifdef AGAIN\nint again;\n#endif\n"},
    {"open.clh", "#if 1\n"},
    {"comment.clh", "/* never closed"},
};
enum { HEADERS = sizeof headers / sizeof *headers };

static const kn_define predefined[] = {
    {"__OPENCL_VERSION__", "120"}, {"cl_khr_fp64", "1"}, {"FLT_MAX", "FLT_MAX"}, {"CHAR_BIT", "8"}};
static const kn_define defines[] = {{"KN_CPU", "0"}, {"TILE", "16"}, {"REAL(x)", "x ## f"}};

static kn_status read_text(const char *text, struct src_unit **unit)
{
    struct src_embedded table[HEADERS + 2];
    const struct src_options options = {.predefined = predefined,
                                        .predefined_count = sizeof predefined / sizeof *predefined,
                                        .defines = defines,
                                        .define_count = sizeof defines / sizeof *defines,
                                        .embedded = table,
                                        .builtin = true};
    kn_error err = KN_ERROR_INIT;
    kn_status status;

    memcpy(table, headers, sizeof headers);
    table[HEADERS] = (struct src_embedded){"main.cl", text};
    table[HEADERS + 1] = (struct src_embedded){NULL, NULL};
    status = ki_src_read("main.cl", NULL, &options, unit, &err);
    EXPECT(err.code == status);
    EXPECT((status == KN_OK) == (err.text[0] == '\0'));
    EXPECT(status == KN_OK || status == KN_ERROR_BUILD || status == KN_ERROR_INPUT);
    return status;
}

// ---- the targets

static void lex(const char *text)
{
    for (int mode = 0; mode < 4; mode++) {
        struct ki_arena arena = KI_ARENA_INIT;
        struct src_names names;
        struct src_text read;
        struct src_lexer lexer;
        struct src_token token = {.kind = SRC_OTHER};

        ki_src_names_init(&names, &arena);
        EXPECT(ki_src_text_init(&read, "main.cl", text, strlen(text), &arena));
        ki_src_lexer_init(&lexer, &read, &names);
        lexer.lenient = mode & 1;
        for (size_t count = 0; token.kind != SRC_END && token.kind != SRC_FAULT; count++) {
            EXPECT(count <= read.joined_length);
            (mode & 2 ? ki_src_lex_header : ki_src_lex)(&lexer, &token);
            EXPECT(ki_src_written_offset(&read, lexer.at) <= read.written_length);
        }
        ki_src_names_free(&names);
        ki_arena_free(&arena);
    }
}

static bool same_token(const struct src_token *a, const struct src_token *b)
{
    return a->kind == b->kind && a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

static void preprocess(const char *text)
{
    struct src_unit *unit = NULL, *again = NULL;
    kn_error err = KN_ERROR_INIT;

    if (read_text(text, &unit) != KN_OK)
        return;
    EXPECT(strlen(unit->opencl) == unit->opencl_length);
    const struct src_options options = {.predefined = predefined,
                                        .predefined_count = sizeof predefined / sizeof *predefined};
    if (ki_src_read("flat.cl", unit->opencl, &options, &again, &err) != KN_OK) {
        fprintf(stderr, "%s\n%s\n", unit->opencl, err.text);
        abort();
    }
    EXPECT(again->token_count == unit->token_count && again->kernel_count == unit->kernel_count);
    for (size_t i = 0; i < unit->token_count; i++)
        EXPECT(same_token(&again->tokens[i], &unit->tokens[i]));
    ki_src_free(again);
    ki_src_free(unit);
}

static void rewrite(const char *text)
{
    struct src_cuda_options wanted = {.constant_bank = strlen(text) % 2, .bank_bytes = 1024};
    struct src_unit *unit = NULL;
    struct src_cuda *cuda = NULL;
    kn_error err = KN_ERROR_INIT;
    kn_status status;

    if (read_text(text, &unit) != KN_OK)
        return;
    status = ki_src_cuda(unit, NULL, &wanted, &cuda, &err);
    EXPECT(err.code == status);
    EXPECT((status == KN_OK) == (err.text[0] == '\0'));
    EXPECT(status == KN_OK || status == KN_ERROR_BUILD || status == KN_ERROR_UNSUPPORTED);
    if (status == KN_OK)
        EXPECT(strlen(cuda->text) == cuda->length);
    ki_src_cuda_free(cuda);
    ki_src_free(unit);
}

static void (*target)(const char *text) = rewrite;

int LLVMFuzzerInitialize(int *count, char ***arguments)
{
    static const struct {
        const char *name;
        void (*run)(const char *text);
    } targets[] = {{"lexer", lex}, {"preprocessor", preprocess}, {"rewrite", rewrite}};
    const char *wanted = getenv("KOINE_FUZZ_TARGET");
    bool found = !wanted;

    (void)count;
    for (size_t i = 0; wanted && i < sizeof targets / sizeof *targets; i++)
        if (strcmp(wanted, targets[i].name) == 0) {
            target = targets[i].run;
            found = true;
        }
    if (!found) {
        fprintf(stderr, "%s: KOINE_FUZZ_TARGET=%s: there are lexer, preprocessor and rewrite\n",
                (*arguments)[0], wanted);
        exit(2);
    }
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *text = strndup((const char *)bytes, size); // a copy of exactly this size, so that every access out
                                                     // of bounds is detected

    EXPECT(text);
    target(text);
    free(text);
    return 0;
}
