// SPDX-License-Identifier: Apache-2.0
// #if, #ifdef, #ifndef, #elif, #else, #endif.
#include "base/array.h"
#include "expression.h"
#include "preprocess.h"

bool ki_src_is_skipping(const struct src_preprocessor *pp)
{
    const struct src_frame *frame = &pp->frames[pp->frame_count - 1];

    return pp->conditional_count > frame->first_conditional &&
           pp->conditionals[pp->conditional_count - 1].branch != SRC_BRANCH_TAKEN;
}

static kn_status open_conditional(struct src_preprocessor *pp, const struct src_token *hash,
                                  enum src_branch branch)
{
    struct src_conditional conditional = {.branch = branch, .file = hash->file, .line = (long)hash->line};

    return KI_ARRAY_PUSH(pp->conditionals, pp->conditional_count, pp->conditional_capacity, conditional)
               ? KN_OK
               : ki_src_no_memory(pp);
}

// The value of the expression on the rest of the line.
static kn_status read_condition(struct src_preprocessor *pp, const struct src_token *hash, bool *holds)
{
    struct src_list expanded = {NULL, 0, 0};
    struct src_complaint complaint;
    struct src_value value = {0, false};
    kn_status status = ki_src_read_line(pp);

    if (!status) {
        pp->in_condition = true;
        status = ki_src_expand_list(pp, pp->line.items, pp->line.count, &expanded);
        pp->in_condition = false;
    }
    if (!status && !expanded.count)
        status = ki_src_fail_token(pp, hash, "this condition is empty: an expression is expected");
    else if (!status && !ki_src_evaluate(expanded.items, expanded.count, &value, &complaint))
        status = ki_src_fail_token(pp, hash, "this condition cannot be evaluated: %s", complaint.text);
    ki_src_list_free(pp, &expanded);
    *holds = value.bits != 0;
    return status;
}

kn_status ki_src_if(struct src_preprocessor *pp, const struct src_token *hash)
{
    bool holds = false;
    kn_status status;

    if (ki_src_is_skipping(pp))
        return open_conditional(pp, hash, SRC_BRANCH_OVER);
    status = read_condition(pp, hash, &holds);
    // #if !defined NAME guards a file like #ifndef NAME.
    if (!status && ki_src_top(pp)->guard_state == SRC_GUARD_OPEN && !ki_src_top(pp)->guard) {
        const struct src_token *t = pp->line.items;
        size_t count = pp->line.count;
        if (count == 3 && ki_src_is(&t[0], "!") && ki_src_is_word(&t[1], "defined"))
            ki_src_top(pp)->guard = t[2].name;
        else if (count == 5 && ki_src_is(&t[0], "!") && ki_src_is_word(&t[1], "defined") &&
                 ki_src_is(&t[2], "("))
            ki_src_top(pp)->guard = t[3].name;
        if (!ki_src_top(pp)->guard)
            ki_src_top(pp)->guard_state = SRC_GUARD_NONE;
    }
    return status ? status : open_conditional(pp, hash, holds ? SRC_BRANCH_TAKEN : SRC_BRANCH_WAITING);
}

static kn_status if_defined(struct src_preprocessor *pp, const struct src_token *hash, bool wanted)
{
    struct src_frame *frame = ki_src_top(pp);
    struct src_name *name;
    kn_status status;

    if (ki_src_is_skipping(pp))
        return open_conditional(pp, hash, SRC_BRANCH_OVER);
    status = ki_src_read_line(pp);
    if (status)
        return status;
    if (!pp->line.count || pp->line.items[0].kind != SRC_IDENTIFIER)
        return ki_src_fail_token(pp, hash, "%s needs a macro's name", wanted ? "#ifdef" : "#ifndef");
    name = pp->line.items[0].name;
    if (frame->guard_state == SRC_GUARD_OPEN && !frame->guard) {
        frame->guard = wanted ? NULL : name;
        frame->guard_state = wanted ? SRC_GUARD_NONE : SRC_GUARD_OPEN;
    }
    return open_conditional(pp, hash,
                            (name->macro != NULL) == wanted ? SRC_BRANCH_TAKEN : SRC_BRANCH_WAITING);
}

kn_status ki_src_ifdef(struct src_preprocessor *pp, const struct src_token *hash)
{
    return if_defined(pp, hash, true);
}

kn_status ki_src_ifndef(struct src_preprocessor *pp, const struct src_token *hash)
{
    return if_defined(pp, hash, false);
}

// The innermost conditional of this file; NULL and an error if there is none, or if an #elif or #else follows
// its #else.
static struct src_conditional *innermost(struct src_preprocessor *pp, const struct src_token *hash,
                                         const char *directive, bool branches, kn_status *status)
{
    struct src_frame *frame = ki_src_top(pp);
    struct src_conditional *conditional;

    *status = KN_OK;
    if (pp->conditional_count == frame->first_conditional) {
        *status = ki_src_fail_token(pp, hash, "%s without an #if before it in this file", directive);
        return NULL;
    }
    conditional = &pp->conditionals[pp->conditional_count - 1];
    if (branches && conditional->had_else) {
        *status = ki_src_fail_token(pp, hash, "%s after the #else of the #if at %s:%ld", directive,
                                    conditional->file, conditional->line);
        return NULL;
    }
    if (branches && pp->conditional_count == frame->first_conditional + 1)
        frame->guard_state = SRC_GUARD_NONE;
    return conditional;
}

kn_status ki_src_elif(struct src_preprocessor *pp, const struct src_token *hash)
{
    kn_status status;
    struct src_conditional *conditional = innermost(pp, hash, "#elif", true, &status);
    bool holds = false;

    if (!conditional)
        return status;
    if (conditional->branch != SRC_BRANCH_WAITING) {
        conditional->branch = SRC_BRANCH_OVER;
        return KN_OK;
    }
    ki_src_top(pp)->lexer.lenient = false;
    status = read_condition(pp, hash, &holds);
    if (!status && holds)
        conditional->branch = SRC_BRANCH_TAKEN;
    return status;
}

kn_status ki_src_else(struct src_preprocessor *pp, const struct src_token *hash)
{
    kn_status status;
    struct src_conditional *conditional = innermost(pp, hash, "#else", true, &status);

    if (!conditional)
        return status;
    conditional->branch = conditional->branch == SRC_BRANCH_WAITING ? SRC_BRANCH_TAKEN : SRC_BRANCH_OVER;
    conditional->had_else = true;
    return KN_OK;
}

kn_status ki_src_endif(struct src_preprocessor *pp, const struct src_token *hash)
{
    kn_status status;
    struct src_frame *frame = ki_src_top(pp);

    if (!innermost(pp, hash, "#endif", false, &status))
        return status;
    pp->conditional_count--;
    if (pp->conditional_count == frame->first_conditional && frame->guard_state == SRC_GUARD_OPEN)
        frame->guard_state = SRC_GUARD_CLOSED;
    return KN_OK;
}
