// SPDX-License-Identifier: Apache-2.0
// Pictures of a page: scaled down, as PNG in the page itself.
#include <math.h>
#include <stdlib.h>

#include "io/image/png.h"
#include "page.h"
#include "result.h"

// The mean of the numbers in a block; NaN if there are none.
static double mean_of_block(const double *values, size_t width, const size_t from[2], const size_t to[2])
{
    double sum = 0;
    size_t count = 0;

    for (size_t y = from[1]; y < to[1]; y++)
        for (size_t x = from[0]; x < to[0]; x++)
            if (isfinite(values[y * width + x])) {
                sum += values[y * width + x];
                count++;
            }
    return sum / (double)count;
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

// What the greys mean, and how many pixels each one stands for.
static char *full_caption(const char *caption, size_t step, double low, double high)
{
    struct ki_text text = KI_TEXT_INIT;

    ki_text_format(&text, "%s; black is %.6g, white %.6g", caption, low, high);
    if (step > 1)
        ki_text_format(&text, "; each pixel is the mean of %zu x %zu", step, step);
    return ki_text_take(&text);
}

json_t *page_picture(const char *caption, const double *values, size_t width, size_t height)
{
    size_t step = ((width > height ? width : height) + PAGE_PICTURE_SIDE - 1) / PAGE_PICTURE_SIDE;
    size_t columns = (width + step - 1) / step, rows = (height + step - 1) / step;
    double *small = malloc(columns * rows * sizeof *small), low = NAN, high = NAN;
    struct ki_picture picture = {.pixels = NULL};
    json_t *made = NULL;
    char *full;

    for (size_t i = 0; small && i < columns * rows; i++) {
        const size_t from[2] = {i % columns * step, i / columns * step};
        const size_t to[2] = {from[0] + step < width ? from[0] + step : width,
                              from[1] + step < height ? from[1] + step : height};

        small[i] = mean_of_block(values, width, from, to);
        low = fmin(low, small[i]);
        high = fmax(high, small[i]);
    }
    full = full_caption(caption, step, low, high);
    if (small && full && !ki_picture_of(small, columns, rows, 8, low, high, &picture, NULL))
        made = picture_json(full, &picture);
    free(picture.pixels);
    free(full);
    free(small);
    return made;
}

static void add_image(struct ki_text *page, const char *caption, const char *png)
{
    ki_text_add(page, "<img alt=\"");
    page_text(page, caption);
    ki_text_add(page, "\" src=\"data:image/png;base64,");
    page_text(page, png);
    ki_text_add(page, "\">");
}

void page_pictures(struct ki_text *page, const json_t *root)
{
    const json_t *picture;
    size_t i;

    json_array_foreach(json_object_get(root, PAGE_PICTURES), i, picture)
    {
        const char *caption = json_string_value(json_object_get(picture, "caption")),
                   *png = json_string_value(json_object_get(picture, "png"));

        if (!png) {
            ki_text_add(page, json_string_value(picture)); // figures: what is in them is escaped
            continue;
        }
        ki_text_add(page, "<figure>");
        add_image(page, caption, png);
        page_element(page, "figcaption", caption);
        ki_text_add(page, "</figure>\n");
    }
}
