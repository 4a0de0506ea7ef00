// SPDX-License-Identifier: Apache-2.0
#include "preprocess.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"

// The chain of #includes is shown up to this depth.
#define SHOWN_FILES 8

void ki_src_preprocessor_init(struct src_preprocessor *pp, const struct src_options *options,
                              struct ki_arena *arena, kn_error *err)
{
    *pp = (struct src_preprocessor){.arena = arena, .options = options, .err = err};
    ki_src_names_init(&pp->names, arena);
    ki_src_inputs_init(&pp->inputs, options, arena);
}

void ki_src_preprocessor_free(struct src_preprocessor *pp)
{
    for (size_t i = 0; i < pp->context_count; i++)
        free(pp->contexts[i].owned);
    for (struct src_inclusion *inclusion = pp->inclusions; inclusion; inclusion = inclusion->next)
        free(inclusion->cuts);
    ki_src_names_free(&pp->names);
    free(pp->frames);
    free(pp->conditionals);
    free(pp->contexts);
    free(pp->output.items);
    free(pp->line.items);
    ki_text_free(&pp->warnings);
}

static kn_status fail_with(struct src_preprocessor *pp, kn_status code, const char *file, long line,
                           const char *format, va_list args)
{
    char sentence[1500], chain[1400] = "";
    size_t used = 0, shown = 0;

    vsnprintf(sentence, sizeof sentence, format, args);
    for (size_t i = pp->frame_count; i-- > 1 && used < sizeof chain;) {
        const struct src_frame *frame = &pp->frames[i];
        if (!frame->from_file)
            break;
        if (++shown > SHOWN_FILES) {
            snprintf(chain + used, sizeof chain - used, "\n  and so on, %zu files deep", pp->frame_count);
            break;
        }
        used += (size_t)snprintf(chain + used, sizeof chain - used, "\n  included from %s:%ld",
                                 frame->from_file, frame->from_line);
    }
    return ki_fail_at(pp->err, code, file, line, "%s%s", sentence, chain);
}

kn_status ki_src_fail(struct src_preprocessor *pp, kn_status code, const char *file, long line,
                      const char *format, ...)
{
    va_list args;

    va_start(args, format);
    fail_with(pp, code, file, line, format, args);
    va_end(args);
    return code;
}

kn_status ki_src_fail_token(struct src_preprocessor *pp, const struct src_token *token, const char *format,
                            ...)
{
    va_list args;

    va_start(args, format);
    fail_with(pp, KN_ERROR_BUILD, token->file, (long)token->line, format, args);
    va_end(args);
    return KN_ERROR_BUILD;
}

kn_status ki_src_warn_token(struct src_preprocessor *pp, const struct src_token *token, const char *format,
                            ...)
{
    char text[1000];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    ki_text_format(&pp->warnings, "%s:%ld: warning: %s\n", token->file, (long)token->line, text);
    return pp->warnings.failed ? ki_src_no_memory(pp) : KN_OK;
}

kn_status ki_src_fail_fault(struct src_preprocessor *pp, const struct src_token *fault)
{
    if (fault->text == ki_src_lack_of_memory)
        return ki_src_no_memory(pp);
    return ki_src_fail_token(pp, fault, "%s", fault->text);
}

kn_status ki_src_no_memory(struct src_preprocessor *pp)
{
    return ki_fail_memory(pp->err, 0, "preprocessing a kernel source");
}

kn_status ki_src_list_add(struct src_preprocessor *pp, struct src_list *list, const struct src_token *token)
{
    size_t before = list->capacity;

    if (!KI_ARRAY_PUSH(list->items, list->count, list->capacity, *token))
        return ki_src_no_memory(pp);
    pp->held += list->capacity - before;
    if (pp->held > 2 * (size_t)SRC_MOST_TOKENS || list->count > SRC_MOST_TOKENS)
        return ki_src_fail_token(
            pp, token, "preprocessing makes more than %d tokens: a macro or an #include multiplies itself",
            SRC_MOST_TOKENS);
    return KN_OK;
}

void ki_src_list_free(struct src_preprocessor *pp, struct src_list *list)
{
    pp->held -= list->capacity;
    free(list->items);
    *list = (struct src_list){NULL, 0, 0};
}

// Whether the text's last visible character is a backslash, which would join the next line to it.
static bool ends_in_backslash(const char *text)
{
    size_t length = strlen(text);

    while (length && strchr(" \t\v\f", text[length - 1]))
        length--;
    return length && text[length - 1] == '\\';
}

// A macro of the host's or the target's as a line of text.
static kn_status write_define(struct src_preprocessor *pp, const kn_define *define, struct ki_text *text)
{
    const char *name = define->name ? define->name : "", *value = define->value ? define->value : "1";
    size_t word = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");

    if (!word || (*name >= '0' && *name <= '9') || (name[word] && name[word] != '(') || strpbrk(name, "\r\n"))
        return ki_fail(
            pp->err, KN_ERROR_ARGUMENT,
            "\"%.200s\" is not a macro's name: letters, digits and '_' are expected, then (a, b) if it takes "
            "arguments",
            name);
    if (strpbrk(value, "\r\n") || ends_in_backslash(value))
        return ki_fail(pp->err, KN_ERROR_ARGUMENT,
                       "macro %.200s: its value must be one line, without a backslash at its end", name);
    ki_text_format(text, "#define %s %s\n", name, value);
    return KN_OK;
}

// Reads a list of macros as if it were a file of #define lines.
static kn_status read_defines(struct src_preprocessor *pp, const kn_define *defines, size_t count,
                              enum src_origin origin, const char **lines)
{
    struct ki_text text = KI_TEXT_INIT;
    struct src_input *input;
    struct src_token token;
    kn_status status = KN_OK;

    for (size_t i = 0; i < count && !status; i++)
        status = write_define(pp, &defines[i], &text);
    if (!status && (text.failed || ki_src_input_add(&pp->inputs, "the host's macros", ki_text_string(&text),
                                                    text.length, &input) != SRC_FOUND))
        status = ki_src_no_memory(pp);
    ki_text_free(&text);
    if (status)
        return status;
    *lines = input->text.written;
    status = ki_src_push_input(pp, input, origin, NULL, 0, NULL);
    if (!status)
        status = ki_src_next(pp, &token);
    if (!status)
        status = ki_src_pop_input(pp);
    return status;
}

// Makes a pragma from the text of a _Pragma.
static kn_status read_pragma(struct src_preprocessor *pp, const char *bytes, struct src_token *made)
{
    struct src_list tokens = {NULL, 0, 0};
    struct src_token token;
    struct src_text text;
    struct src_lexer lexer;
    kn_status status = KN_OK;

    if (!ki_src_text_init(&text, made->file, bytes, strlen(bytes), pp->arena))
        return ki_src_no_memory(pp);
    ki_src_lexer_init(&lexer, &text, &pp->names);
    lexer.lenient = true;
    for (ki_src_lex(&lexer, &token); !status && token.kind != SRC_END; ki_src_lex(&lexer, &token))
        status =
            token.kind == SRC_FAULT ? ki_src_fail_fault(pp, &token) : ki_src_list_add(pp, &tokens, &token);
    if (!status)
        status = ki_src_make_pragma(pp, tokens.items, tokens.count, made);
    ki_src_list_free(pp, &tokens);
    return status;
}

// _Pragma ( "..." ) at the end of the output becomes a pragma (C99 6.10.9).
static kn_status fold_pragma(struct src_preprocessor *pp)
{
    struct src_list *output = &pp->output;
    size_t first = output->count - 4;
    struct src_token made;
    const char *text;
    kn_status status;

    if (output->count < 2 || !ki_src_is_word(&output->items[output->count - 2], "_Pragma"))
        goto whole;
    if (!ki_src_is(&output->items[output->count - 1], "("))
        return ki_src_fail_token(pp, &output->items[output->count - 2], "_Pragma takes a string in brackets");
whole:
    if (output->count < 4 || !ki_src_is_word(&output->items[first], "_Pragma"))
        return KN_OK;
    if (output->items[first + 2].kind != SRC_STRING || !ki_src_is(&output->items[first + 3], ")"))
        return ki_src_fail_token(pp, &output->items[first], "_Pragma takes a string in brackets");
    made = output->items[first];
    text = ki_src_string_text(pp, &output->items[first + 2]);
    status = text ? read_pragma(pp, text, &made) : ki_src_no_memory(pp);
    output->items[first] = made;
    output->count = first + 1;
    return status;
}

kn_status ki_src_preprocess(struct src_preprocessor *pp, struct src_input *main, const char **host,
                            struct src_inclusion **inclusion)
{
    const struct src_options *options = pp->options;
    const char *unused;
    struct src_token token;
    kn_status status = ki_src_define_builtins(pp);

    if (!status)
        status = read_defines(pp, options->predefined, options->predefined_count, SRC_ORIGIN_TARGET, &unused);
    if (!status)
        status = read_defines(pp, options->defines, options->define_count, SRC_ORIGIN_HOST, host);
    if (!status)
        status = ki_src_push_input(pp, main, SRC_ORIGIN_SOURCE, NULL, 0, inclusion);
    while (!status && !(status = ki_src_next(pp, &token)) && token.kind != SRC_END) {
        status = ki_src_list_add(pp, &pp->output, &token);
        if (!status)
            status = fold_pragma(pp);
    }
    return status ? status : ki_src_pop_input(pp);
}
