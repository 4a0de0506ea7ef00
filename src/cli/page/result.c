// SPDX-License-Identifier: Apache-2.0
#include "result.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "base/error.h"
#include "base/hash.h"
#include "chart.h"
#include "io/image/png.h"

// These limits keep a page far below 5 MB.
enum { ROWS = 1000, CHARTS = 24, POINTS = 2000 };

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

static bool all_points(const json_t *array)
{
    const json_t *value;
    size_t i;

    json_array_foreach(array, i, value) if (!json_is_array(value) || json_array_size(value) < 2) return false;
    return json_array_size(array) > 2;
}

static double number_at(const json_t *array, size_t i)
{
    const json_t *value = json_array_get(array, i);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *label_of(const char *name)
{
    static const char *const labels[][2] = {
        {"iterations", "relative residual"}, {"history", "residual"}, {"c1d", "correlation"}};

    for (size_t i = 0; i < KI_COUNT(labels); i++)
        if (strcmp(labels[i][0], name) == 0)
            return labels[i][1];
    return name;
}

// Draws numbers, or points of two or more numbers, as a line. The axis of histories is logarithmic.
static void draw(struct result_page *page, const char *name, const json_t *array)
{
    size_t count = json_array_size(array), step = count / POINTS + 1, kept = (count + step - 1) / step;
    bool points = all_points(array), positive = true;
    double *x = calloc(kept, sizeof *x), *y = calloc(kept, sizeof *y);
    char words[128];

    add_words(name, words, sizeof words);
    for (size_t i = 0; i < kept && x && y; i++) {
        const json_t *point = json_array_get(array, i * step);

        x[i] = points ? number_at(point, 0) : (double)(i * step);
        y[i] = points ? number_at(point, 1) : number_at(array, i * step);
        positive = positive && !(y[i] <= 0);
    }
    const struct chart_series series = {NULL, x, y, kept, kept > 60 ? CHART_LINE : CHART_LINE_AND_POINTS, 0};
    const struct chart_plane plane = {
        words, points ? "r, pixels" : "iteration", label_of(name), &series, 1, true, points || !positive};

    if (x && y && page->charts++ < CHARTS) {
        ki_text_add(&page->text, "<figure>");
        page_element(&page->text, "figcaption", words);
        chart_plane(&page->text, &plane);
        ki_text_add(&page->text, "</figure>\n");
    }
    page->text.failed = page->text.failed || !x || !y;
    free(x);
    free(y);
}

// ---- pictures ----

static double mean_of_block(const double *values, size_t width, const size_t from[2], const size_t to[2])
{
    double sum = 0;

    for (size_t y = from[1]; y < to[1]; y++)
        for (size_t x = from[0]; x < to[0]; x++)
            sum += values[y * width + x];
    return sum / ((double)(to[0] - from[0]) * (double)(to[1] - from[1]));
}

static char *base64(const unsigned char *bytes, size_t count)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct ki_text text = KI_TEXT_INIT;

    for (size_t i = 0; i < count; i += 3) {
        size_t left = count - i;
        unsigned group = (unsigned)bytes[i] << 16 | (left > 1 ? (unsigned)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? (unsigned)bytes[i + 2] : 0);

        ki_text_add_char(&text, digits[group >> 18]);
        ki_text_add_char(&text, digits[group >> 12 & 63]);
        ki_text_add_char(&text, left > 1 ? digits[group >> 6 & 63] : '=');
        ki_text_add_char(&text, left > 2 ? digits[group & 63] : '=');
    }
    return ki_text_take(&text);
}

static json_t *picture_json(const char *caption, const struct ki_picture *picture)
{
    char *bytes = NULL, *text;
    size_t count = 0;
    json_t *made;

    if (ki_png_bytes(picture, &bytes, &count, NULL))
        return NULL;
    text = base64((const unsigned char *)bytes, count);
    made = text ? json_pack("{s:s, s:s}", "caption", caption, "png", text) : NULL;
    free(text);
    free(bytes);
    return made;
}

json_t *page_picture(const char *caption, const double *values, size_t width, size_t height)
{
    size_t step = ((width > height ? width : height) + PAGE_PICTURE_SIDE - 1) / PAGE_PICTURE_SIDE;
    size_t columns = (width + step - 1) / step, rows = (height + step - 1) / step;
    double *small = malloc(columns * rows * sizeof *small), most = 0;
    struct ki_picture picture = {.pixels = NULL};
    json_t *made = NULL;

    for (size_t i = 0; small && i < columns * rows; i++) {
        const size_t from[2] = {i % columns * step, i / columns * step};
        const size_t to[2] = {from[0] + step < width ? from[0] + step : width,
                              from[1] + step < height ? from[1] + step : height};

        small[i] = mean_of_block(values, width, from, to);
        most = fmax(most, small[i]);
    }
    if (small && !ki_picture_of(small, columns, rows, 8, 0, most, &picture, NULL))
        made = picture_json(caption, &picture);
    free(picture.pixels);
    free(small);
    return made;
}

// ---- tables ----

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
            ki_text_add(&page->text, "<div class=\"scroll\"><table><tbody>\n");
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
    const json_t *element;
    size_t i;

    if (json_is_array(value) && (all_numbers(value) || all_points(value))) {
        draw(page, key, value);
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

        if (strcmp(key, PAGE_PICTURES) != 0 && !repeats)
            add_member(page, key, value, depth);
    }
}

static void add_pictures(struct result_page *page, const json_t *root)
{
    const json_t *picture;
    size_t i;

    json_array_foreach(json_object_get(root, PAGE_PICTURES), i, picture)
    {
        const char *caption = json_string_value(json_object_get(picture, "caption")),
                   *png = json_string_value(json_object_get(picture, "png"));

        ki_text_add(&page->text, "<figure><img alt=\"");
        page_text(&page->text, caption);
        ki_text_add(&page->text, "\" src=\"data:image/png;base64,");
        page_text(&page->text, png);
        ki_text_add(&page->text, "\">");
        page_element(&page->text, "figcaption", caption);
        ki_text_add(&page->text, "</figure>\n");
    }
}

// ---- how the result was made ----

static bool is_output(const struct page_command *command, int i)
{
    static const char *const options[] = {"-o",       "--out",    "--output", "--json",
                                          "--report", "--save-q", "--sums"};

    for (size_t j = 0; j < KI_COUNT(options); j++) {
        size_t length = strlen(options[j]);

        if (i > 0 && strcmp(command->words[i - 1], options[j]) == 0)
            return true;
        if (strncmp(command->words[i], options[j], length) == 0 && command->words[i][length] == '=')
            return true;
    }
    return false;
}

static bool add_input(struct ki_text *text, const char *file)
{
    char hex[2 * KI_HASH_BYTES + 1];
    struct ki_hash hash;
    struct stat facts;
    FILE *stream;
    bool hashed;

    if (stat(file, &facts) != 0 || !S_ISREG(facts.st_mode))
        return false;
    stream = fopen(file, "rb");
    if (!stream)
        return false;
    hashed = ki_hash_file(stream, &hash);
    fclose(stream);
    if (hashed)
        ki_hash_hex(&hash, hex);
    ki_text_add(text, "<tr>");
    page_cell(text, NULL, file);
    page_number(text, (double)facts.st_size, 15);
    ki_text_add(text, "<td><code>");
    page_text(text, hashed ? hex : "could not be read again");
    ki_text_add(text, "</code></td></tr>\n");
    return true;
}

// Adds a file that the command line names, also as the common name of a .cfl/.hdr pair or after "--option=".
static void add_word(struct ki_text *text, const char *word)
{
    static const char *const endings[] = {".cfl", ".hdr"};
    const char *equals = *word == '-' ? strchr(word, '=') : NULL;

    if (equals)
        word = equals + 1;
    if (add_input(text, word))
        return;
    for (size_t i = 0; i < KI_COUNT(endings); i++) {
        struct ki_text path = KI_TEXT_INIT;

        ki_text_format(&path, "%s%s", word, endings[i]);
        add_input(text, ki_text_string(&path));
        ki_text_free(&path);
    }
}

static bool is_word(const struct page_command *command, const char *file)
{
    for (int i = 0; i < command->count; i++)
        if (strcmp(command->words[i], file) == 0)
            return true;
    return false;
}

// Adds those files of a named folder that the result names.
static void add_files(struct ki_text *text, const json_t *array, const struct page_command *command)
{
    const char *before = "";
    const json_t *element;
    size_t i;

    json_array_foreach(array, i, element)
    {
        const char *file = json_string_value(json_object_get(element, "file"));

        if (file && strcmp(file, before) != 0 && !is_word(command, file))
            add_input(text, file);
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

static void add_origin(struct ki_text *text, const json_t *root, const struct page_command *command)
{
    static const char *const columns[] = {"input", "#bytes", "SHA-256"};

    page_element(text, "h2", "Method");
    page_method(text, root);
    page_element(text, "h2", "Command");
    ki_text_add(text, "<pre>koine");
    for (int i = 0; i < command->count; i++)
        add_quoted(text, command->words[i]);
    ki_text_add(text, "</pre>\n");
    page_element(text, "h2", "Inputs");
    page_table(text, columns, KI_COUNT(columns), false);
    for (int i = 1; i < command->count; i++)
        if (!is_output(command, i))
            add_word(text, command->words[i]);
    add_files(text, json_object_get(root, "files"), command);
    add_files(text, json_object_get(root, "frames"), command);
    page_table_end(text);
}

kn_status page_result(const json_t *root, const struct page_command *command, char **page, kn_error *err)
{
    struct result_page body = {root, KI_TEXT_INIT, 0};
    char title[64];

    snprintf(title, sizeof title, "koine %.40s", json_string_value(json_object_get(root, "command")));
    page_element(&body.text, "h1", title);
    add_scalars(&body, root);
    add_pictures(&body, root);
    add_members(&body, root, 0);
    add_origin(&body.text, root, command);
    *page = page_finish(title, &body.text);
    return *page ? KN_OK : ki_fail_memory(err, 0, "writing the page");
}
