// SPDX-License-Identifier: Apache-2.0
#include "source.h"

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "flatten.h"
#include "source/preprocess/preprocess.h"
#include "signature.h"

// The unit that the caller sees, and its owner.
struct reading {
    struct src_unit unit; // first: ki_src_free gets its address
    struct ki_arena arena;
    struct src_token *tokens;
    char *opencl;
};

// The main file: the given text, or the file that `name` leads to.
static kn_status open_main(struct src_preprocessor *pp, const char *name, const char *text,
                           struct src_input **main)
{
    struct ki_text note = KI_TEXT_INIT;
    enum src_found found;
    int number = 0;

    if (text)
        found = ki_src_input_add(&pp->inputs, name, text, strlen(text), main);
    else
        found = ki_src_input_open(&pp->inputs, name, main, &note, &number);
    if (found == SRC_NO_MEMORY || note.failed)
        ki_src_no_memory(pp);
    else if (found == SRC_MISSING)
        ki_fail_at(pp->err, KN_ERROR_INPUT, name, 0, "there is no such kernel file; looked for%.2000s",
                   ki_text_string(&note));
    else if (found == SRC_UNREADABLE)
        ki_fail_at(pp->err, KN_ERROR_INPUT, name, 0, "%.2000s", ki_text_string(&note));
    if (pp->err && found != SRC_FOUND && number)
        pp->err->native = number;
    ki_text_free(&note);
    return found == SRC_FOUND ? KN_OK : found == SRC_NO_MEMORY ? KN_ERROR_MEMORY : KN_ERROR_INPUT;
}

// Between a comma, a semicolon or a brace and the next, consecutive tokens nest, in an expression or in
// statements, and so do long chains of else. Compilers in drivers then overflow their stack and take the
// program with them. clang 14 on a stack of 8 MB survives 8,000 operators or statements, 3,000 signs, 1,500
// casts, and any number of labels.
enum { DEEPEST_NESTING = 5000, OF_OPERATOR = 1, OF_SIGN = 3, OF_CAST = 5 };

struct nesting {
    int depth, before_label;
    bool in_label;
    size_t brackets;
    uint64_t calls; // for each open "(", the innermost first: whether it follows a name
};

static bool is_operand(const struct src_token *token)
{
    return token->kind >= SRC_IDENTIFIER && token->kind <= SRC_STRING;
}

// Whether a ")" ends a cast, or a condition before its statement.
static bool is_prefix(const struct src_token *next, bool of_call)
{
    return next && (is_operand(next) || (!of_call && strchr("(-+~!*&", *next->text)));
}

// How much deeper a token between two others nests.
static int nesting_of(struct nesting *nesting, const struct src_token *last, const struct src_token *token,
                      const struct src_token *next)
{
    bool behind_operand = last && (is_operand(last) || ki_src_is(last, ")") || ki_src_is(last, "]")), of_call;

    if (ki_src_is(token, "(")) {
        nesting->brackets++;
        nesting->calls = nesting->calls << 1 | (last && is_operand(last));
        return OF_OPERATOR;
    }
    if (ki_src_is(token, ")")) {
        of_call = nesting->calls & 1;
        nesting->brackets -= nesting->brackets > 0;
        nesting->calls >>= 1;
        return is_prefix(next, of_call) ? OF_CAST : -OF_OPERATOR;
    }
    if (ki_src_is(token, "["))
        return OF_OPERATOR;
    if (ki_src_is(token, "]"))
        return -OF_OPERATOR;
    if (ki_src_is(token, ";"))
        return 0;
    if (is_operand(token))
        return last && is_operand(last) ? OF_SIGN : 0; // "sizeof x", "else if"
    return behind_operand ? OF_OPERATOR : OF_SIGN;
}

static void add_token(struct nesting *nesting, const struct src_token *last, const struct src_token *token,
                      const struct src_token *next)
{
    bool ends = (ki_src_is(token, ";") && !nesting->brackets) || ki_src_is(token, "}");
    bool chains = next && ki_src_is_word(next, "else");

    if (ki_src_is_word(token, "case")) {
        nesting->before_label = nesting->depth;
        nesting->in_label = true;
    }
    nesting->depth += nesting_of(nesting, last, token, next);
    if (ends)
        nesting->brackets = 0;
    if ((ends && !chains) || ki_src_is(token, ",") || ki_src_is(token, "{")) {
        nesting->depth = 0;
        nesting->in_label = false;
    } else if (nesting->in_label && ki_src_is(token, ":")) {
        nesting->depth = nesting->before_label;
        nesting->in_label = false;
    }
}

static kn_status check_nesting(const struct src_unit *unit, kn_error *err)
{
    struct nesting nesting = {0};

    for (size_t i = 0; i < unit->token_count; i++) {
        const struct src_token *token = &unit->tokens[i];
        add_token(&nesting, i ? token - 1 : NULL, token, i + 1 < unit->token_count ? token + 1 : NULL);
        if (nesting.depth > DEEPEST_NESTING)
            return ki_fail_at(
                err, KN_ERROR_BUILD, token->file, token->line,
                "some %d operators, casts or statements in a row without \",\", \";\" or a brace: "
                "compilers fail on what nests so deeply; split the expression into several statements",
                DEEPEST_NESTING);
    }
    return KN_OK;
}

static kn_status keep_files(struct reading *reading, const struct src_preprocessor *pp)
{
    kn_source_file *files = ki_arena_take(&reading->arena, pp->inputs.count * sizeof *files);

    if (!files)
        return ki_fail_memory(pp->err, 0, "keeping a kernel's source");
    for (const struct src_input *input = pp->inputs.first; input; input = input->next)
        if (input->shown)
            files[reading->unit.file_count++] = (kn_source_file){input->text.name, input->text.written};
    reading->unit.files = files;
    return KN_OK;
}

static kn_status keep_warnings(struct reading *reading, const struct src_preprocessor *pp)
{
    reading->unit.warnings =
        ki_arena_copy(&reading->arena, ki_text_string(&pp->warnings), pp->warnings.length);
    return reading->unit.warnings ? KN_OK : ki_fail_memory(pp->err, 0, "keeping a kernel's warnings");
}

static kn_status keep_opencl(struct reading *reading, const struct src_preprocessor *pp, const char *host,
                             const struct src_inclusion *inclusion)
{
    struct ki_text text = KI_TEXT_INIT;
    size_t length;

    ki_src_flatten(inclusion, host, &text);
    length = text.length;
    reading->opencl = ki_text_take(&text);
    if (!reading->opencl)
        return ki_fail_memory(pp->err, 0, "writing a kernel's OpenCL text");
    reading->unit.opencl = reading->opencl;
    reading->unit.opencl_length = length;
    return KN_OK;
}

kn_status ki_src_read(const char *name, const char *text, const struct src_options *options,
                      struct src_unit **unit, kn_error *err)
{
    static const struct src_options no_options;
    struct reading *reading = calloc(1, sizeof *reading);
    struct src_inclusion *inclusion = NULL;
    struct src_preprocessor pp;
    struct src_input *main = NULL;
    const char *host = "";
    kn_status status;

    if (!reading)
        return ki_fail_memory(err, sizeof *reading, "a kernel's source");
    ki_src_preprocessor_init(&pp, options ? options : &no_options, &reading->arena, err);
    status = open_main(&pp, name, text, &main);
    if (!status)
        status = ki_src_preprocess(&pp, main, &host, &inclusion);
    if (!status) {
        reading->tokens = pp.output.items;
        reading->unit.tokens = pp.output.items;
        reading->unit.token_count = pp.output.count;
        pp.output = (struct src_list){NULL, 0, 0};
        status = ki_src_scan(&reading->unit, &reading->arena, err);
    }
    if (!status)
        status = check_nesting(&reading->unit, err);
    if (!status)
        status = keep_opencl(reading, &pp, host, inclusion);
    if (!status)
        status = keep_files(reading, &pp);
    if (!status)
        status = keep_warnings(reading, &pp);
    ki_src_preprocessor_free(&pp);
    if (status)
        ki_src_free(&reading->unit);
    else
        *unit = &reading->unit;
    return status;
}

void ki_src_free(struct src_unit *unit)
{
    struct reading *reading = (struct reading *)unit;

    if (!reading)
        return;
    ki_arena_free(&reading->arena);
    free(reading->tokens);
    free(reading->opencl);
    free(reading);
}

bool ki_src_line(const struct src_unit *unit, const char *file, long line, const char **start, size_t *length)
{
    for (size_t i = 0; i < unit->file_count; i++) {
        const char *at = unit->files[i].text;
        if (strcmp(unit->files[i].name, file) != 0)
            continue;
        for (long k = 1; k < line && at; k++) {
            at = strchr(at, '\n');
            at = at ? at + 1 : NULL;
        }
        if (line < 1 || !at || !*at)
            return false;
        *start = at;
        *length = strcspn(at, "\n");
        return true;
    }
    return false;
}
