// SPDX-License-Identifier: Apache-2.0
#include "cuda.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "source/preprocess/preprocess.h"
#include "print.h"

#define PRELUDE "cuda/prelude.cuh"
#define IMAGES  "cuda/image.cuh" // only where a program has images or samplers

#define BANK_BYTES   65536 // of __constant__ memory in a CUDA module
#define BANK_RESERVE 1024  // of it left to the compiler

static void print_items(struct printer *printer)
{
    for (const struct syn_item *item = printer->parser->items; item; item = item->next) {
        if (item != printer->parser->items)
            ki_print_space(printer);
        ki_print_tags(printer, item->tags);
        if (item->definition)
            ki_rewrite_function(printer, item);
        else
            ki_print_declaration(printer, item->declaration, false);
    }
    ki_print_trim(printer);
}

// The program's text. Tables that are too large for __constant__ memory, or too many for it, go to global
// memory: first the large ones, then all of them.
static void print_program(struct printer *printer)
{
    static const size_t largest[] = {BANK_BYTES, 4096, 0};

    for (size_t i = 0; i < KI_COUNT(largest) && !printer->parser->status; i++) {
        ki_text_free(printer->out);
        printer->file = NULL;
        printer->table_bytes = 0;
        printer->largest_table = largest[i];
        print_items(printer);
        if (printer->table_bytes <= BANK_BYTES - BANK_RESERVE)
            return;
    }
}

static const char *find_embedded(const struct src_embedded *table, const char *name)
{
    for (; table && table->name; table++)
        if (strcmp(table->name, name) == 0)
            return table->text;
    return NULL;
}

// A file of the prelude, with each #include "name" line replaced by the file it names, relative to "cuda/".
static kn_status add_prelude(struct ki_text *text, const struct src_embedded *table, const char *name,
                             int depth, kn_error *err)
{
    const char *from = find_embedded(table, name);
    static const char include[] = "#include \"";
    kn_status status = KN_OK;

    if (!from || depth > 8)
        return ki_fail_at(err, KN_ERROR_INPUT, name, 0,
                          "this file of the CUDA prelude is not in the library");
    while (*from && !status) {
        size_t length = strcspn(from, "\n");
        if (strncmp(from, include, sizeof include - 1) == 0) {
            char inner[128];
            size_t bytes = strcspn(from + sizeof include - 1, "\"\n");
            snprintf(inner, sizeof inner, "cuda/%.*s", bytes < 100 ? (int)bytes : 100,
                     from + sizeof include - 1);
            status = add_prelude(text, table, inner, depth + 1, err);
        } else {
            ki_text_add_bytes(text, from, length);
            ki_text_add_char(text, '\n');
        }
        from += length + (from[length] == '\n');
    }
    return status;
}

static void add_selectors(struct ki_text *text, const struct printer *printer)
{
    static const int widths[] = {2, 3, 4, 8, 16};

    for (size_t i = 0; i < KI_COUNT(widths); i++) {
        ki_text_format(text, "#define KN_SWIZZLES_%d", widths[i]);
        for (size_t k = 0; k < printer->selector_count; k++) {
            const struct print_selector *selector = &printer->selectors[k];
            if (selector->lanes != widths[i])
                continue;
            ki_text_format(text, " KN_SWIZZLE(%d, %s", selector->lanes, selector->name);
            for (int c = 0; c < selector->count; c++)
                ki_text_format(text, ", %d", selector->components[c]);
            ki_text_add(text, ")");
        }
        ki_text_add(text, "\n");
    }
}

// The whole translation unit around the program's text.
static kn_status assemble(struct ki_text *text, const struct printer *printer, const struct ki_text *program,
                          const struct src_cuda_options *cuda, kn_error *err)
{
    kn_status status = KN_OK;

    ki_text_format(text, "#define KN_CONSTANT_BANK %d\n", cuda->constant_bank);
    if (cuda->constant_bank)
        ki_text_format(text, "#define KN_BANK_BYTES %zu\n", cuda->bank_bytes);
    if (!strstr(ki_text_string(program), "atom")) // every atomic function's name contains this
        ki_text_add(text, "#define KN_WITHOUT_ATOMICS\n");
    add_selectors(text, printer);
    if (cuda->embedded)
        status = add_prelude(text, cuda->embedded, PRELUDE, 0, err);
    if (cuda->embedded && !status && printer->parser->uses_images)
        status = add_prelude(text, cuda->embedded, IMAGES, 0, err);
    ki_text_add(text, "\nnamespace kn { namespace program {\n");
    ki_text_add_bytes(text, ki_text_string(program), program->length);
    ki_text_add(text, "\n} }\n");
    return status;
}

// The kernel's index in the unit, whose kernels are in the order of their first declarations; the number of
// kernels if it is none of them.
static size_t find_kernel(const struct src_unit *unit, const struct syn_symbol *symbol)
{
    size_t i = 0;

    while (i < unit->kernel_count && strcmp(unit->kernels[i].name, symbol->word->name->text) != 0)
        i++;
    return i;
}

// What the caller needs to know about each kernel of the unit.
static kn_source_cuda_kernel *describe_kernels(const struct src_unit *unit, const struct syn_parser *parser)
{
    kn_source_cuda_kernel *kernels = calloc(unit->kernel_count + 1, sizeof *kernels);

    for (const struct syn_item *item = parser->items; item && kernels; item = item->next) {
        const struct syn_function *function = item->definition;
        size_t i = function && function->is_kernel ? find_kernel(unit, function->symbol) : unit->kernel_count;

        kernels[i].arena_bytes = i < unit->kernel_count ? function->arena_bytes : 0;
        kernels[i].image_addresses = i < unit->kernel_count && ki_rewrite_takes_addresses(item->type);
    }
    return kernels;
}

kn_status ki_src_cuda(const struct src_unit *unit, const struct src_options *options,
                      const struct src_cuda_options *cuda, struct src_cuda **out, kn_error *err)
{
    struct ki_arena arena = KI_ARENA_INIT;
    struct syn_parser parser;
    struct ki_text program = KI_TEXT_INIT, text = KI_TEXT_INIT;
    struct printer printer = {.out = &program, .parser = &parser};
    struct src_cuda *made = calloc(1, sizeof *made);
    kn_status status = KN_ERROR_MEMORY;

    (void)options;
    memset(&parser, 0, sizeof parser);
    if (made)
        status = ki_syn_parse(&parser, unit, &arena, err);
    if (!status) {
        print_program(&printer);
        status = parser.status;
    }
    if (!status)
        status = assemble(&text, &printer, &program, cuda, err);
    if (!made || (!status && (program.failed || text.failed)))
        status = ki_fail_memory(err, 0, "writing a kernel for CUDA");
    if (!status) {
        *made = (struct src_cuda){.length = text.length,
                                  .table_bytes = printer.table_bytes,
                                  .uses_constant_args = printer.uses_constant_args,
                                  .bank_bytes = cuda->constant_bank ? cuda->bank_bytes : 0,
                                  .contract_off = parser.contract_off};
        made->text = ki_text_take(&text);
        made->kernels = describe_kernels(unit, &parser);
        if (!made->kernels)
            status = ki_fail_memory(err, 0, "describing kernels for CUDA");
    }
    if (!status)
        *out = made;
    else
        ki_src_cuda_free(made);
    free(printer.selectors);
    ki_text_free(&program);
    ki_text_free(&text);
    ki_syn_parser_free(&parser);
    ki_arena_free(&arena);
    return status;
}

static bool wants_bank(const struct src_options *options)
{
    bool bank = false;

    for (size_t i = 0; options && i < options->define_count; i++)
        if (strcmp(options->defines[i].name, "KN_CONSTANT") == 0)
            bank = options->defines[i].value && strcmp(options->defines[i].value, "bank") == 0;
    return bank;
}

kn_status ki_src_cuda_program(const struct src_unit *unit, const struct src_options *options,
                              struct src_cuda **out, kn_error *err)
{
    struct src_cuda_options cuda = {.embedded = ki_src_embedded_kernels};
    struct src_cuda *plain = NULL;
    size_t taken;
    kn_status status = ki_src_cuda(unit, options, &cuda, &plain, err);

    if (status || !wants_bank(options) || !plain->uses_constant_args) {
        *out = plain;
        return status;
    }
    taken = plain->table_bytes + BANK_RESERVE;
    if (taken >= BANK_BYTES)
        status = ki_fail_at(err, KN_ERROR_LIMIT, unit->file_count ? unit->files[0].name : "the program", 0,
                            "its __constant tables take %zu bytes and leave no room for KN_CONSTANT=bank",
                            plain->table_bytes);
    ki_src_cuda_free(plain);
    cuda.constant_bank = true;
    cuda.bank_bytes = taken < BANK_BYTES ? (BANK_BYTES - taken) / 16 * 16 : 0;
    return status ? status : ki_src_cuda(unit, options, &cuda, out, err);
}

void ki_src_cuda_free(struct src_cuda *cuda)
{
    if (!cuda)
        return;
    free((char *)(uintptr_t)cuda->text);
    free(cuda->kernels);
    free(cuda);
}
