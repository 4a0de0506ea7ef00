// SPDX-License-Identifier: Apache-2.0
// The nested files being read: how one starts and ends, and #include.
#include <string.h>

#include "base/array.h"
#include "preprocess.h"

struct src_frame *ki_src_top(struct src_preprocessor *pp)
{
    return &pp->frames[pp->frame_count - 1];
}

static kn_status fail_depth(struct src_preprocessor *pp, const struct src_frame *frame,
                            const struct src_input *input, const char *from_file, long from_line)
{
    const struct src_frame *again = NULL;
    struct ki_text cycle = KI_TEXT_INIT;
    kn_status status;

    for (const struct src_frame *f = pp->frames; f <= frame; f++)
        if (f->input == input)
            again = f;
    if (!again)
        return ki_src_fail(pp, KN_ERROR_BUILD, from_file, from_line, "#include is nested %d files deep",
                           SRC_INCLUDE_DEPTH);
    for (const struct src_frame *f = again; f <= frame && cycle.length < 600; f++)
        ki_text_format(&cycle, "%.200s -> ", f->input->text.name);
    status = ki_src_fail(
        pp, KN_ERROR_BUILD, from_file, from_line,
        "#include cycle: %s%s; put #pragma once or #ifndef/#define/#endif around what is to be read once",
        ki_text_string(&cycle), input->text.name);
    ki_text_free(&cycle);
    return status;
}

kn_status ki_src_push_input(struct src_preprocessor *pp, struct src_input *input, enum src_origin origin,
                            const char *from_file, long from_line, struct src_inclusion **inclusion)
{
    struct src_frame frame = {.input = input,
                              .first_conditional = pp->conditional_count,
                              .from_file = from_file,
                              .from_line = from_line,
                              .origin = origin};

    if (pp->frame_count >= SRC_INCLUDE_DEPTH)
        return fail_depth(pp, ki_src_top(pp), input, from_file, from_line);
    pp->text_read += input->text.written_length;
    if (pp->text_read > 2 * (size_t)SRC_MOST_TEXT || ++pp->inclusion_count > SRC_MOST_INCLUSIONS)
        return ki_src_fail(pp, KN_ERROR_BUILD, from_file, from_line,
                           "too much is included: %zu files with %zu bytes, repetitions counted",
                           pp->inclusion_count, pp->text_read);
    if (inclusion) {
        frame.inclusion = ki_arena_take(pp->arena, sizeof *frame.inclusion);
        if (!frame.inclusion)
            return ki_src_no_memory(pp);
        frame.inclusion->text = &input->text;
        input->shown = true;
        frame.inclusion->next = pp->inclusions;
        pp->inclusions = frame.inclusion;
        *inclusion = frame.inclusion;
    }
    ki_src_lexer_init(&frame.lexer, &input->text, &pp->names);
    return KI_ARRAY_PUSH(pp->frames, pp->frame_count, pp->frame_capacity, frame) ? KN_OK
                                                                                 : ki_src_no_memory(pp);
}

kn_status ki_src_pop_input(struct src_preprocessor *pp)
{
    struct src_frame *frame = ki_src_top(pp);

    if (pp->conditional_count > frame->first_conditional) {
        const struct src_conditional *open = &pp->conditionals[pp->conditional_count - 1];
        return ki_src_fail(pp, KN_ERROR_BUILD, open->file, open->line,
                           "this conditional is never closed: #endif is missing");
    }
    if (frame->guard_state == SRC_GUARD_CLOSED)
        frame->input->guard = frame->guard;
    pp->frame_count--;
    return KN_OK;
}

kn_status ki_src_read_line(struct src_preprocessor *pp)
{
    struct src_lexer *lexer = &ki_src_top(pp)->lexer;
    struct src_token token;
    kn_status status;

    pp->line.count = 0;
    for (ki_src_lex(lexer, &token); token.kind != SRC_END; ki_src_lex(lexer, &token)) {
        if (token.kind == SRC_FAULT)
            return ki_src_fail_fault(pp, &token);
        status = ki_src_list_add(pp, &pp->line, &token);
        if (status)
            return status;
    }
    return KN_OK;
}

kn_status ki_src_cut_line(struct src_preprocessor *pp)
{
    const struct src_frame *frame = ki_src_top(pp);
    const struct src_lexer *lexer = &frame->lexer;
    struct src_inclusion *inclusion = frame->inclusion;
    struct src_cut cut = {.begin = frame->directive,
                          .end = ki_src_written_offset(lexer->text, lexer->at),
                          .next_file = lexer->file,
                          .next_line = ki_src_lexer_line(lexer) + 1};

    return KI_ARRAY_PUSH(inclusion->cuts, inclusion->cut_count, inclusion->cut_capacity, cut)
               ? KN_OK
               : ki_src_no_memory(pp);
}

// Reads what follows #include: "name" or <name>, or macros that expand to that.
static kn_status read_header(struct src_preprocessor *pp, const struct src_token *hash, struct ki_text *name,
                             bool *angled)
{
    struct src_list made = {NULL, 0, 0};
    struct src_token first;
    size_t used = 1;
    kn_status status;

    ki_src_lex_header(&ki_src_top(pp)->lexer, &first);
    if (first.kind == SRC_FAULT)
        return ki_src_fail_fault(pp, &first);
    *angled = first.kind == SRC_HEADER;
    status = ki_src_read_line(pp);
    if (first.kind == SRC_STRING || first.kind == SRC_HEADER) {
        ki_text_add_bytes(name, first.text + 1, first.length - 2);
        return status;
    }
    if (!status && first.kind != SRC_END) {
        status = ki_src_list_add(pp, &made, &first);
        for (size_t i = 0; i < pp->line.count && !status; i++)
            status = ki_src_list_add(pp, &made, &pp->line.items[i]);
        pp->line.count = 0;
        if (!status)
            status = ki_src_expand_list(pp, made.items, made.count, &pp->line);
    }
    if (!status && pp->line.count && pp->line.items[0].kind == SRC_STRING) {
        ki_text_add_bytes(name, pp->line.items[0].text + 1, pp->line.items[0].length - 2);
    } else if (!status) {
        const struct src_token *t = pp->line.items;
        *angled = pp->line.count > 2 && ki_src_is(&t[0], "<");
        for (; *angled && used < pp->line.count && !ki_src_is(&t[used], ">"); used++) {
            ki_text_add(name, used > 1 && (t[used].flags & SRC_SPACE) ? " " : "");
            ki_text_add_bytes(name, t[used].text, t[used].length);
        }
        if (!*angled || used == pp->line.count)
            status = ki_src_fail_token(pp, hash, "#include is followed by neither \"name\" nor <name>");
    }
    ki_src_list_free(pp, &made);
    return status;
}

static kn_status fail_search(struct src_preprocessor *pp, const struct src_token *hash, const char *name,
                             enum src_found found, const struct ki_text *note, int number)
{
    if (found == SRC_NO_MEMORY)
        return ki_src_no_memory(pp);
    if (found == SRC_UNREADABLE)
        ki_src_fail(pp, KN_ERROR_INPUT, hash->file, (long)hash->line, "%.900s", ki_text_string(note));
    else
        ki_src_fail(pp, KN_ERROR_INPUT, hash->file, (long)hash->line,
                    "#include \"%.200s\" is not to be found; looked for%.1100s", name, ki_text_string(note));
    if (pp->err)
        pp->err->native = number;
    return KN_ERROR_INPUT;
}

// Whether reading the file again would add nothing.
static bool is_done_with(const struct src_preprocessor *pp, const struct src_input *input)
{
    return ki_src_input_is_once(&pp->inputs, input) || (input->guard && input->guard->macro);
}

// Cuts the directive out and, unless reading the file again would add nothing, enters the file.
static kn_status enter(struct src_preprocessor *pp, const struct src_token *hash, struct src_input *input)
{
    struct src_inclusion *parent = ki_src_top(pp)->inclusion, *child;
    kn_status status = ki_src_cut_line(pp);

    if (status || is_done_with(pp, input))
        return status;
    status = ki_src_push_input(pp, input, SRC_ORIGIN_SOURCE, hash->file, (long)hash->line, &child);
    if (!status)
        parent->cuts[parent->cut_count - 1].child = child;
    return status;
}

kn_status ki_src_include(struct src_preprocessor *pp, const struct src_token *hash)
{
    struct ki_text name = KI_TEXT_INIT, note = KI_TEXT_INIT;
    struct src_input *input = NULL;
    bool angled = false;
    enum src_found found;
    int number = 0;
    kn_status status = read_header(pp, hash, &name, &angled);

    if (!status && name.failed)
        status = ki_src_no_memory(pp);
    if (!status && !name.length)
        status = ki_src_fail_token(pp, hash, "#include has an empty name");
    if (!status) {
        found = ki_src_input_find(&pp->inputs, ki_src_top(pp)->input, ki_text_string(&name), angled, &input,
                                  &note, &number);
        status = found == SRC_FOUND ? enter(pp, hash, input)
                                    : fail_search(pp, hash, ki_text_string(&name), found, &note, number);
    }
    ki_text_free(&name);
    ki_text_free(&note);
    return status;
}
