// SPDX-License-Identifier: Apache-2.0
#include "page.h"

#include <math.h>
#include <string.h>

#include "base/text/quote.h"

static const char *escaped(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static bool is_control(char c)
{
    return ((unsigned char)c < ' ' && c != '\n' && c != '\t') || c == 0x7f;
}

void page_text(struct ki_text *page, const char *string)
{
    size_t left = strlen(string);

    while (left) {
        size_t length = ki_utf8_length(string, left);
        const char *entity = escaped(*string);

        if (entity)
            ki_text_add(page, entity);
        else if (!length || is_control(*string))
            ki_text_add(page, "\xef\xbf\xbd");
        else
            ki_text_add_bytes(page, string, length);
        string += length ? length : 1;
        left -= length ? length : 1;
    }
}

void page_element(struct ki_text *page, const char *tag, const char *string)
{
    ki_text_format(page, "<%s>", tag);
    page_text(page, string);
    ki_text_format(page, "</%.*s>\n", (int)strcspn(tag, " "), tag);
}

void page_table(struct ki_text *page, const char *const *columns, size_t count, bool sortable)
{
    ki_text_format(page, "<div class=\"scroll\"><table%s><thead><tr>", sortable ? " class=\"sortable\"" : "");
    for (size_t i = 0; i < count; i++) {
        bool number = *columns[i] == '#';

        ki_text_format(page, "<th scope=\"col\"%s>%s", number ? " class=\"number\"" : "",
                       sortable ? "<button type=\"button\">" : "");
        page_text(page, columns[i] + number);
        ki_text_add(page, sortable ? "</button></th>" : "</th>");
    }
    ki_text_add(page, "</tr></thead>\n<tbody>\n");
}

void page_table_end(struct ki_text *page)
{
    ki_text_add(page, "</tbody></table></div>\n");
}

void page_cell(struct ki_text *page, const char *class, const char *string)
{
    if (class)
        ki_text_format(page, "<td class=\"%s\">", class);
    else
        ki_text_add(page, "<td>");
    page_text(page, string);
    ki_text_add(page, "</td>");
}

void page_number(struct ki_text *page, double value, int digits)
{
    if (isfinite(value))
        ki_text_format(page, "<td class=\"number\" data-value=\"%.9g\">%.*g</td>", value, digits, value);
    else
        ki_text_add(page, "<td class=\"number\"></td>");
}

static void add_until(struct ki_text *page, const char **from, const char *mark)
{
    const char *place = strstr(*from, mark);

    ki_text_add_bytes(page, *from, (size_t)(place - *from));
    *from = place + strlen(mark);
}

char *page_finish(const char *title, struct ki_text *body)
{
    struct ki_text page = KI_TEXT_INIT;
    const char *rest = page_template;

    page.failed = body->failed;
    add_until(&page, &rest, "{{title}}");
    page_text(&page, title);
    add_until(&page, &rest, "{{body}}");
    ki_text_add(&page, ki_text_string(body));
    ki_text_add(&page, rest);
    ki_text_free(body);
    return ki_text_take(&page);
}
