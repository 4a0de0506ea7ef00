// SPDX-License-Identifier: Apache-2.0
#include "cuda_ptx.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/text/ptx.h"
#include "base/text/text.h"

#define BANK_SYMBOL "kn_bank"
#define ARENA       "koine_arena"

// ---- text ----

// The length of a name, a directive (".entry") or a number; 1 for any other character; a whole string.
static size_t token_length(const char *at)
{
    size_t length;

    if (*at == '"') {
        length = 1 + strcspn(at + 1, "\"");
        return length + (at[length] == '"');
    }
    if (*at == '.')
        return 1 + ki_ptx_name_length(at + 1);
    length = ki_ptx_name_length(at);
    return length ? length : 1;
}

static bool is_token(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(at, word, length) == 0;
}

// ---- the entry ----

static bool is_wanted(const char *name, size_t length, const char *kernel)
{
    const size_t prefix = sizeof KI_PTX_KERNEL_PREFIX - 1;

    return is_token(name, length, kernel) ||
           (length > prefix && memcmp(name, KI_PTX_KERNEL_PREFIX, prefix) == 0 &&
            is_token(name + prefix, length - prefix, kernel));
}

// Its name; NULL if there is none, and then `names` lists those there are.
static const char *find_entry(const char *text, const char *kernel, struct ki_text *names)
{
    bool is_next = false;

    for (const char *at = ki_ptx_skip_blanks(text); *at; at = ki_ptx_skip_blanks(at)) {
        size_t length = token_length(at);

        if (is_next && is_wanted(at, length, kernel))
            return at;
        if (is_next)
            ki_text_format(names, "%s%.*s", names->length ? ", " : "", (int)length, at);
        is_next = is_token(at, length, ".entry");
        at += length;
    }
    return NULL;
}

static size_t type_bytes(const char *at, size_t length)
{
    const char *kinds = "usfb";

    return length > 2 && strchr(kinds, at[1]) && isdigit((unsigned char)at[2])
               ? (size_t)strtoul(at + 2, NULL, 10) / 8
               : 0;
}

static kn_status refuse(const struct cuda_ptx *ptx, const char *spec, const char *what, kn_error *err)
{
    return ki_fail(err, KN_ERROR_UNSUPPORTED, "%s: PTX for kernel %s: %s", spec, ptx->kernel, what);
}

// One parameter, up to the comma or the bracket after it.
static kn_status read_param(struct cuda_ptx *ptx, const char **text, const char *spec, kn_error *err)
{
    static const char *const images[] = {".texref", ".samplerref", ".surfref"};
    struct cuda_ptx_param param = {0, false, NULL, 0};
    const char *at = ki_ptx_skip_blanks(*text);
    bool is_extent = false;

    for (; *at && *at != ',' && *at != ')'; at = ki_ptx_skip_blanks(at)) {
        size_t length = token_length(at);

        for (size_t i = 0; i < KI_COUNT(images); i++)
            if (is_token(at, length, images[i]))
                return refuse(ptx, spec, "it takes images, which CUDA passes otherwise", err);
        if (is_token(at, length, ".const"))
            return refuse(ptx, spec, "it takes __constant arguments in OpenCL's constant memory", err);
        param.is_shared = param.is_shared || is_token(at, length, ".shared");
        if (*at == '.' && type_bytes(at, length))
            param.bytes = type_bytes(at, length);
        if (is_extent)
            param.bytes *= (size_t)strtoul(at, NULL, 10);
        if (isalpha((unsigned char)*at) || *at == '_' || *at == '$') {
            param.name = at;
            param.name_length = length;
        }
        is_extent = *at == '[';
        at += length;
    }
    *text = at;
    if (!param.name)
        return ki_fail(err, KN_ERROR_INPUT, "%s: PTX for kernel %s: a parameter without a name", spec,
                       ptx->kernel);
    return KI_ARRAY_PUSH(ptx->params, ptx->param_count, ptx->param_capacity, param)
               ? KN_OK
               : ki_fail_memory(err, 0, "reading PTX");
}

// The parameters after the entry's name.
static kn_status read_params(struct cuda_ptx *ptx, const char *at, const char *spec, kn_error *err)
{
    kn_status status = KN_OK;

    at = ki_ptx_skip_blanks(at);
    if (*at != '(')
        return KN_OK;
    at = ki_ptx_skip_blanks(at + 1);
    while (!status && *at && *at != ')') {
        status = read_param(ptx, &at, spec, err);
        if (!status && *at == ',')
            at = ki_ptx_skip_blanks(at + 1);
    }
    return status;
}

// ---- fitting OpenCL's text ----

struct fitting {
    const struct cuda_ptx *ptx;
    const char *at; // in the text that is read; everything before it is in `out`
    struct ki_text out;
    size_t depth; // of braces
    bool in_head; // in an entry's name and parameters
    bool is_name; // the next token is an entry's name
    bool is_ours; // the entry that replaces the kernel, or a function that it may call
    bool has_shared;
    const char *refused; // what cannot be adapted; NULL: nothing
};

static void copy(struct fitting *fit, size_t length)
{
    ki_text_add_bytes(&fit->out, fit->at, length);
    fit->at += length;
}

// Comments and blanks, which are kept, except where a token is left out.
static void pass_blanks(struct fitting *fit)
{
    copy(fit, (size_t)(ki_ptx_skip_blanks(fit->at) - fit->at));
}

// Drops ".ptr .global .align 4".
static void drop_attributes(struct fitting *fit)
{
    fit->at = ki_ptx_skip_blanks(fit->at + token_length(fit->at));
    while (*fit->at == '.') {
        size_t length = token_length(fit->at);
        bool aligns = is_token(fit->at, length, ".align");

        fit->at = ki_ptx_skip_blanks(fit->at + length);
        if (aligns)
            fit->at = ki_ptx_skip_blanks(fit->at + token_length(fit->at));
    }
}

// The value of an environment register in a launch without an offset.
static void fit_register(struct fitting *fit, size_t length)
{
    static const char *const groups[] = {"%nctaid.x", "%nctaid.y", "%nctaid.z"};
    unsigned long number = strtoul(fit->at + strlen("%envreg"), NULL, 10);

    if (number < 6)
        ki_text_add(&fit->out, "0");
    else if (number < 9)
        ki_text_add(&fit->out, groups[number - 6]);
    else if (fit->is_ours)
        fit->refused = "it reads %envreg9 or one behind it (get_work_dim), which CUDA launches do not set";
    else
        ki_text_add_bytes(&fit->out, fit->at, length);
    fit->at += length;
}

static const struct cuda_ptx_param *shared_param(const struct cuda_ptx *ptx, const char *name, size_t length)
{
    for (size_t i = 0; i < ptx->param_count; i++)
        if (ptx->params[i].is_shared && ptx->params[i].name_length == length &&
            memcmp(ptx->params[i].name, name, length) == 0)
            return &ptx->params[i];
    return NULL;
}

// "ld.param.u64 %rd1, [f_param_1];", where the parameter is an offset in dynamic shared memory, is followed
// by the addition of its base. Other instructions are left to the caller.
static bool fit_load(struct fitting *fit)
{
    const char *at = fit->at, *target;
    size_t target_length;
    const struct cuda_ptx_param *param;
    unsigned bits;

    at = ki_ptx_skip_blanks(at + token_length(at));
    while (*at == '.')
        at = ki_ptx_skip_blanks(at + token_length(at));
    target = at;
    target_length = token_length(at);
    at = ki_ptx_skip_blanks(at + target_length);
    if (*at != ',')
        return false;
    at = ki_ptx_skip_blanks(at + 1);
    if (*at != '[')
        return false;
    at = ki_ptx_skip_blanks(at + 1);
    param = shared_param(fit->ptx, at, token_length(at));
    if (!param)
        return false;
    at = ki_ptx_skip_blanks(at + token_length(at));
    if (*at != ']' || *ki_ptx_skip_blanks(at + 1) != ';')
        return false;
    at = ki_ptx_skip_blanks(at + 1) + 1;
    bits = 8 * (unsigned)param->bytes;
    copy(fit, (size_t)(at - fit->at));
    ki_text_format(&fit->out,
                   " { .reg .b%u %%koine_base; mov.u%u %%koine_base, " ARENA
                   "; add.u%u %.*s, %.*s, %%koine_base; }",
                   bits, bits, bits, (int)target_length, target, (int)target_length, target);
    return true;
}

static void note_brace(struct fitting *fit, char brace)
{
    fit->in_head = false;
    if (brace == '{')
        fit->depth++;
    else if (fit->depth > 0 && --fit->depth == 0)
        fit->is_ours = true; // what follows may be a function
}

static void fit_token(struct fitting *fit)
{
    const char *at = fit->at;
    size_t length = token_length(at);

    if (fit->is_name) {
        fit->is_name = false;
        fit->is_ours = is_token(at, length, fit->ptx->symbol);
    } else if (is_token(at, length, ".entry")) {
        fit->in_head = fit->is_name = true;
    } else if (*at == '{' || *at == '}') {
        note_brace(fit, *at);
    } else if (fit->in_head && is_token(at, length, ".ptr")) {
        drop_attributes(fit);
        return;
    } else if (strncmp(at, "%envreg", 7) == 0) {
        fit_register(fit, length);
        return;
    } else if (is_token(at, length, "texmode_independent")) {
        ki_text_add(&fit->out, "texmode_unified");
        fit->at += length;
        return;
    } else if (is_token(at, length, ".address_size")) {
        copy(fit, length);
        pass_blanks(fit);
        copy(fit, token_length(fit->at));
        if (fit->has_shared)
            ki_text_add(&fit->out, "\n.extern .shared .align 16 .b8 " ARENA "[];\n");
        return;
    } else if (fit->depth > 0 && fit->is_ours && is_token(at, length, "ld") && fit_load(fit)) {
        return;
    } else if (fit->depth > 0 && fit->is_ours && shared_param(fit->ptx, at, length)) {
        fit->refused = "a __local argument is used otherwise than by loading it";
    }
    copy(fit, length);
}

static kn_status fit_text(struct cuda_ptx *ptx, const char *text, const char *spec, kn_error *err)
{
    struct fitting fit = {.ptx = ptx, .at = text, .out = KI_TEXT_INIT, .is_ours = true};

    for (size_t i = 0; i < ptx->param_count; i++)
        fit.has_shared = fit.has_shared || ptx->params[i].is_shared;
    for (pass_blanks(&fit); *fit.at && !fit.refused; pass_blanks(&fit))
        fit_token(&fit);
    if (!fit.refused && fit.depth == 0) {
        ptx->text = ki_text_take(&fit.out);
        return ptx->text ? KN_OK : ki_fail_memory(err, 0, "reading PTX");
    }
    ki_text_free(&fit.out);
    return fit.refused ? refuse(ptx, spec, fit.refused, err)
                       : ki_fail(err, KN_ERROR_INPUT, "%s: PTX for kernel %s: the text breaks off", spec,
                                 ptx->kernel);
}

// ---- for the other files ----

void ki_cuda_ptx_free(struct cuda_ptx *ptx)
{
    if (!ptx)
        return;
    free(ptx->kernel);
    free(ptx->symbol);
    free(ptx->text);
    free(ptx->params);
    free(ptx);
}

static kn_status read_entry(struct cuda_ptx *ptx, const char *kernel, const char *text, const char *spec,
                            kn_error *err)
{
    struct ki_text names = KI_TEXT_INIT;
    const char *entry = find_entry(text, kernel, &names);
    kn_status status;

    if (!entry) {
        status = ki_fail(err, KN_ERROR_INPUT, "%s: the PTX has no entry %s; it has %s", spec, kernel,
                         names.length ? ki_text_string(&names) : "none");
        ki_text_free(&names);
        return status;
    }
    ki_text_free(&names);
    ptx->kernel = strdup(kernel);
    ptx->symbol = strndup(entry, token_length(entry));
    if (!ptx->kernel || !ptx->symbol)
        return ki_fail_memory(err, 0, "reading PTX");
    ptx->is_koine = strcmp(ptx->symbol, kernel) != 0;
    ptx->has_bank = ptx->is_koine && strstr(text, BANK_SYMBOL);
    status = read_params(ptx, entry + token_length(entry), spec, err);
    if (status || !ptx->is_koine)
        return status ? status : fit_text(ptx, text, spec, err);
    ptx->text = strdup(text);
    return ptx->text ? KN_OK : ki_fail_memory(err, 0, "reading PTX");
}

kn_status ki_cuda_ptx_read(const char *spec, const char *kernel, const char *text, struct cuda_ptx **ptx,
                           kn_error *err)
{
    struct cuda_ptx *made = calloc(1, sizeof *made);
    kn_status status =
        made ? read_entry(made, kernel, text, spec, err) : ki_fail_memory(err, sizeof *made, "reading PTX");

    if (status)
        ki_cuda_ptx_free(made);
    else
        *ptx = made;
    return status;
}

kn_status ki_cuda_ptx_check(const struct cuda_ptx *ptx, const kn_source_kernel *kernel, const char *spec,
                            kn_error *err)
{
    size_t own = ptx->param_count - (ptx->is_koine && ptx->param_count > 0);

    if (own != kernel->param_count)
        return ki_fail(err, KN_ERROR_INPUT,
                       "%s: the PTX's entry %s takes %zu arguments, the kernel %zu: it is of another program",
                       spec, ptx->symbol, own, kernel->param_count);
    for (size_t i = 0; i < own; i++) {
        const kn_param *param = &kernel->params[i];
        bool is_local = param->kind == KN_PARAM_LOCAL && !ptx->is_koine;
        size_t bytes = param->kind == KN_PARAM_VALUE    ? param->size
                       : param->kind == KN_PARAM_GLOBAL ? sizeof(void *)
                                                        : 0;

        if (ptx->params[i].is_shared != is_local || (bytes && ptx->params[i].bytes != bytes))
            return ki_fail(err, KN_ERROR_INPUT,
                           "%s: argument %zu of the PTX's entry %s is not the kernel's %s: it is of another "
                           "program, or of the same with other definitions",
                           spec, i, ptx->symbol, param->name);
    }
    return KN_OK;
}
