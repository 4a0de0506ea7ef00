// SPDX-License-Identifier: Apache-2.0
// How a result was made: the method, the command, and the files that it read.
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "cli/named_files.h"
#include "page.h"
#include "result.h"

static void add_hash(struct ki_text *text, const char *path)
{
    char hex[2 * KI_HASH_BYTES + 1] = "could not be read again";
    struct ki_hash hash;
    FILE *stream = fopen(path, "rb");

    if (stream && ki_hash_file(stream, &hash))
        ki_hash_hex(&hash, hex);
    if (stream)
        fclose(stream);
    page_text(text, hex);
}

static void add_input(void *data, const char *path, const struct stat *facts)
{
    struct ki_text *text = data;

    ki_text_add(text, "<tr>");
    page_cell(text, NULL, path);
    page_number(text, (double)facts->st_size, 15);
    ki_text_add(text, "<td><code>");
    add_hash(text, path);
    ki_text_add(text, "</code></td></tr>\n");
}

static bool is_operand(const struct common_arguments *common, const char *file)
{
    for (size_t i = 0; i < common->operands.count; i++)
        if (strcmp(common->operands.items[i], file) == 0)
            return true;
    return false;
}

// Adds the files that were found in a folder: the result names them, and the command does not.
static void add_found_files(struct ki_text *text, const json_t *array, const struct common_arguments *common)
{
    const char *before = "";
    const json_t *element;
    size_t i;

    json_array_foreach(array, i, element)
    {
        const char *file = json_string_value(json_object_get(element, "file"));

        if (file && strcmp(file, before) != 0 && !is_operand(common, file))
            named_file(file, add_input, text);
        before = file ? file : before;
    }
}

// Adds a word, quoted for a shell if necessary.
static void add_quoted(struct ki_text *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:,=+@%";
    struct ki_text quoted = KI_TEXT_INIT;

    if (*word && strspn(word, plain) == strlen(word)) {
        ki_text_add(&quoted, word);
    } else {
        ki_text_add_char(&quoted, '\'');
        for (const char *c = word; *c; c++)
            if (*c == '\'')
                ki_text_add(&quoted, "'\\''");
            else
                ki_text_add_char(&quoted, *c);
        ki_text_add_char(&quoted, '\'');
    }
    ki_text_add_char(text, ' ');
    page_text(text, ki_text_string(&quoted));
    text->failed = text->failed || quoted.failed;
    ki_text_free(&quoted);
}

void page_origin(struct ki_text *page, const json_t *root, const struct common_arguments *common)
{
    static const char *const columns[] = {"input", "#bytes", "SHA-256"};

    page_element(page, "h2", "Method");
    page_method(page, root);
    page_element(page, "h2", "Command");
    ki_text_add(page, "<pre>koine");
    for (int i = 0; i < common->word_count; i++)
        add_quoted(page, common->words[i]);
    ki_text_add(page, "</pre>\n");
    page_element(page, "h2", "Inputs");
    page_table(page, columns, KI_COUNT(columns), false);
    named_files(common->definition, common, add_input, page);
    add_found_files(page, json_object_get(root, "files"), common);
    add_found_files(page, json_object_get(root, "frames"), common);
    page_table_end(page);
}
