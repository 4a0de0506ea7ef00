// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "chart.h"

// These limits keep a page far below 5 MB.
enum { ROWS = 1000, CHARTS = 24 };

struct result_page {
    const json_t *root;
    struct ki_text text;
    size_t charts; // number of charts so far
};

// ---- words and numbers ----

static void add_words(const char *key, char *words, size_t size)
{
    snprintf(words, size, "%s", key);
    for (char *c = words; *c; c++)
        if (*c == '_')
            *c = ' ';
}

static bool is_scalar(const json_t *value)
{
    return json_is_string(value) || json_is_number(value) || json_is_boolean(value);
}

static void add_scalar(struct ki_text *text, const json_t *value)
{
    if (json_is_number(value))
        page_number(text, json_number_value(value), json_is_integer(value) ? 15 : 6);
    else
        page_cell(text, NULL,
                  json_is_string(value)  ? json_string_value(value)
                  : json_is_true(value)  ? "yes"
                  : json_is_false(value) ? "no"
                                         : "");
}

// ---- charts ----

static bool all_numbers(const json_t *array)
{
    const json_t *value;
    size_t i;

    json_array_foreach(array, i, value) if (!json_is_number(value) && !json_is_null(value)) return false;
    return json_array_size(array) > 2;
}

// The arrays that are drawn: histories of solvers.
static const struct history {
    const char *key, *caption, *label;
} histories[] = {{"iterations", "The relative residual after each iteration", "relative residual"},
                 {"objectives", "The objective after each iteration", "objective"},
                 {"history", "The residual after each iteration", "residual"}};

static const struct history *history_of(const char *key, const json_t *value)
{
    for (size_t i = 0; i < KI_COUNT(histories); i++)
        if (strcmp(histories[i].key, key) == 0 && json_is_array(value) && all_numbers(value))
            return &histories[i];
    return NULL;
}

// Draws it on a logarithmic axis, if there are so few charts that the page stays small.
static void draw(struct result_page *page, const struct history *history, const json_t *array)
{
    size_t count = json_array_size(array);
    bool positive = true;
    double *x = calloc(count, sizeof *x), *y = calloc(count, sizeof *y);
    const struct chart_series series = {.x = x, .y = y, .count = count};
    struct chart_plane plane = {.title = history->caption,
                                .x_label = "iteration",
                                .y_label = history->label,
                                .series = &series,
                                .count = 1};

    for (size_t i = 0; i < count && x && y; i++) {
        const json_t *value = json_array_get(array, i);

        x[i] = (double)i;
        y[i] = json_is_number(value) ? json_number_value(value) : NAN;
        positive = positive && !(y[i] <= 0);
    }
    plane.log_y = positive;
    if (x && y && page->charts++ < CHARTS)
        chart_figure(&page->text, history->caption, &plane);
    page->text.failed = page->text.failed || !x || !y;
    free(x);
    free(y);
}

// ---- tables ----

// Members that say where the result was computed, and at what cost.
static const char *const efforts[] = {"device", "devices", "seconds", "memory"};

static bool is_effort(const char *key)
{
    for (size_t i = 0; i < KI_COUNT(efforts); i++)
        if (strcmp(key, efforts[i]) == 0)
            return true;
    return false;
}

static void add_members(struct result_page *page, const json_t *object, unsigned depth);

static void heading(struct result_page *page, const char *key, unsigned depth)
{
    char words[128];

    add_words(key, words, sizeof words);
    page_element(&page->text, depth ? "h3" : "h2", words);
}

// Adds the scalars of an object, one in each row; nothing if it has none.
static void add_scalars(struct result_page *page, const json_t *object)
{
    const char *key;
    json_t *value;
    bool begun = false;

    json_object_foreach((json_t *)object, key, value)
    {
        char words[128];

        if (!is_scalar(value))
            continue;
        if (!begun)
            ki_text_add(&page->text, "<div class=\"scroll\"><table class=\"facts\"><tbody>\n");
        begun = true;
        add_words(key, words, sizeof words);
        ki_text_add(&page->text, "<tr>");
        page_element(&page->text, "th scope=\"row\"", words);
        add_scalar(&page->text, value);
        ki_text_add(&page->text, "</tr>\n");
    }
    if (begun)
        page_table_end(&page->text);
}

static bool has_any(const json_t *array, const char *key)
{
    const json_t *row;
    size_t i;

    json_array_foreach(array, i, row) if (is_scalar(json_object_get(row, key))) return true;
    return false;
}

static void add_rows(struct result_page *page, const json_t *array, const char *const *keys, size_t count)
{
    const json_t *row;
    size_t i;

    json_array_foreach(array, i, row)
    {
        if (i == ROWS)
            break;
        ki_text_add(&page->text, "<tr>");
        for (size_t k = 0; k < count; k++)
            add_scalar(&page->text, json_object_get(row, keys[k]));
        ki_text_add(&page->text, "</tr>\n");
    }
}

// Adds objects as the rows of one table, whose columns are the members of the first object.
static void add_table(struct result_page *page, const json_t *array)
{
    enum { COLUMNS = 24 };
    const char *keys[COLUMNS], *columns[COLUMNS], *key;
    char names[COLUMNS][64];
    size_t count = 0;
    json_t *value;

    json_object_foreach(json_array_get(array, 0), key, value)
    {
        if (count == COLUMNS || json_is_array(value) || json_is_object(value) || !has_any(array, key))
            continue;
        names[count][0] = '#';
        add_words(key, names[count] + 1, sizeof names[count] - 1);
        columns[count] = json_is_number(value) ? names[count] : names[count] + 1;
        keys[count++] = key;
    }
    page_table(&page->text, columns, count, json_array_size(array) > 1);
    add_rows(page, array, keys, count);
    page_table_end(&page->text);
    if (json_array_size(array) > ROWS)
        ki_text_format(&page->text, "<p class=\"quiet\">The first %d of %zu rows.</p>\n", ROWS,
                       json_array_size(array));
}

static void add_member(struct result_page *page, const char *key, const json_t *value, unsigned depth)
{
    const struct history *history = history_of(key, value);
    const json_t *element;
    size_t i;

    if (history) {
        draw(page, history, value);
    } else if (json_is_array(value) && json_is_object(json_array_get(value, 0))) {
        heading(page, key, depth);
        add_table(page, value);
        json_array_foreach(value, i, element) if (i < CHARTS && depth < 2)
            add_members(page, element, depth + 1);
    } else if (json_is_object(value) && json_object_size(value)) {
        heading(page, key, depth);
        add_scalars(page, value);
        if (depth < 2)
            add_members(page, value, depth + 1);
    }
}

// Adds the members of an object other than scalars.
static void add_members(struct result_page *page, const json_t *object, unsigned depth)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)object, key, value)
    {
        bool repeats = depth && json_array_size(value) && json_equal(value, json_object_get(page->root, key));

        if (strcmp(key, PAGE_PICTURES) != 0 && !(depth == 0 && is_effort(key)) && !repeats)
            add_member(page, key, value, depth);
    }
}

// The result comes first, then how it was made, and last where and at what cost.
kn_status page_result(const json_t *root, const struct common_arguments *common, char **page, kn_error *err)
{
    struct result_page body = {root, KI_TEXT_INIT, 0};

    page_element(&body.text, "h1", common->command);
    add_scalars(&body, root);
    page_pictures(&body.text, root);
    add_members(&body, root, 0);
    page_origin(&body.text, root, common);
    for (size_t i = 0; i < KI_COUNT(efforts); i++)
        if (json_object_get(root, efforts[i]))
            add_member(&body, efforts[i], json_object_get(root, efforts[i]), 0);
    *page = page_finish(common->command, &body.text);
    return *page ? KN_OK : ki_fail_memory(err, 0, "writing the page");
}
