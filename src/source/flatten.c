// SPDX-License-Identifier: Apache-2.0
#include "flatten.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

// A file being written out, and the progress so far.
struct level {
    const struct src_inclusion *inclusion;
    size_t cut; // the next one
    size_t at;  // position in the text as written
};

// Ends the line before a #line. A backslash at its end must not join the two.
static void end_line(struct ki_text *text)
{
    size_t length = text->length;

    if (!length)
        return;
    if (text->data[length - 1] != '\n')
        ki_text_add_char(text, '\n');
    while (length && strchr(" \t\v\f\n", text->data[length - 1]))
        length--;
    if (length && text->data[length - 1] == '\\')
        ki_text_add_char(text, '\n');
}

static void add_line(struct ki_text *text, long line, const char *file)
{
    end_line(text);
    ki_text_format(text, "#line %ld \"", line);
    for (; *file; file++) {
        if (*file == '"' || *file == '\\')
            ki_text_add_char(text, '\\');
        if (*file == '\n')
            ki_text_add(text, "\\n");
        else
            ki_text_add_char(text, *file);
    }
    ki_text_add(text, "\"\n");
}

// As many empty lines as the cut contains line ends, so that the lines after it keep their numbers.
static void add_blank_lines(struct ki_text *text, const char *from, const char *end)
{
    for (; from < end; from++)
        if (*from == '\n')
            ki_text_add_char(text, '\n');
}

bool ki_src_flatten(const struct src_inclusion *inclusion, const char *host, struct ki_text *text)
{
    struct level *levels = NULL, level = {.inclusion = inclusion};
    size_t count = 0, capacity = 0;
    bool pushed;

    ki_text_add(text, host);
    add_line(text, 1, inclusion->text->name);
    pushed = KI_ARRAY_PUSH(levels, count, capacity, level);
    while (pushed && count && !text->failed) {
        struct level *top = &levels[count - 1];
        const struct src_text *source = top->inclusion->text;
        const struct src_cut *cut =
            top->cut < top->inclusion->cut_count ? &top->inclusion->cuts[top->cut] : NULL;
        size_t end = cut ? cut->begin : source->written_length;
        ki_text_add_bytes(text, source->written + top->at, end - top->at);
        if (!cut) {
            if (--count && !text->failed) {
                const struct level *outer = &levels[count - 1];
                cut = &outer->inclusion->cuts[outer->cut - 1];
                // The line's end comes from the outer file.
                add_line(text, cut->next_line, cut->next_file);
                if (!text->failed)
                    text->data[--text->length] = '\0';
            }
            continue;
        }
        top->at = cut->end;
        top->cut++;
        if (cut->child) {
            level = (struct level){.inclusion = cut->child};
            add_line(text, 1, cut->child->text->name);
            pushed = KI_ARRAY_PUSH(levels, count, capacity, level);
        } else {
            add_blank_lines(text, source->written + cut->begin, source->written + cut->end);
        }
    }
    free(levels);
    end_line(text);
    return pushed && !text->failed;
}
