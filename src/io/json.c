// SPDX-License-Identifier: Apache-2.0
#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/output.h"
#include "base/text/quote.h"
#include "base/text/shortest.h"
#include "base/text/text.h"

json_t *ki_json_double(double value)
{
    // Adding +0 turns -0 into 0 and changes nothing else.
    return isfinite(value) ? json_real(value + 0.0) : json_null();
}

// Powers of ten that a double holds exactly.
enum { EXACT_POWERS = 22 };
static const double exact_powers[EXACT_POWERS + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                      1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                      1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

// The double whose shortest text is the float's: 0.1 rather than 0.10000000149011612.
static double widen(float value)
{
    struct ki_decimal decimal = ki_shortest_float(fabsf(value));
    char text[KI_SHORTEST_TEXT];

    if (abs(decimal.exponent) <= EXACT_POWERS) { // one rounding
        double digits = (double)decimal.digits, power = exact_powers[abs(decimal.exponent)];
        return copysign(decimal.exponent < 0 ? digits / power : digits * power, (double)value);
    }
    snprintf(text, sizeof text, "%" PRIu64 "e%d", decimal.digits, decimal.exponent); // the same in any locale
    return copysign(strtod(text, NULL), (double)value);
}

json_t *ki_json_float(float value)
{
    return isfinite(value) ? json_real(widen(value) + 0.0) : json_null();
}

json_t *ki_json_string(const char *string)
{
    struct ki_text text = KI_TEXT_INIT;
    size_t left = strlen(string);
    json_t *json;

    while (left) {
        size_t length = ki_utf8_length(string, left);

        if (length)
            ki_text_add_bytes(&text, string, length);
        else
            ki_text_add(&text, "\xef\xbf\xbd");
        string += length ? length : 1;
        left -= length ? length : 1;
    }
    json = text.failed ? NULL : json_stringn(ki_text_string(&text), text.length);
    ki_text_free(&text);
    return json;
}

// Sets a key, or reports that it could not; the value may be NULL (memory ran out while it was made).
static bool put(json_t *object, const char *key, json_t *value)
{
    return json_object_set_new(object, key, value) == 0;
}

static bool put_string(json_t *object, const char *key, const char *string)
{
    return put(object, key, string ? ki_json_string(string) : json_null());
}

static json_t *device_object(const struct ki_json_head *head)
{
    json_t *device = json_object();

    if (put_string(device, "spec", head->device_spec) && put_string(device, "name", head->device_name) &&
        put_string(device, "backend", head->device_backend) &&
        put_string(device, "driver", head->device_driver))
        return device;
    json_decref(device);
    return NULL;
}

static json_t *seconds_object(const struct ki_json_seconds *seconds)
{
    const struct {
        const char *key;
        double value;
    } stages[] = {{"total", seconds->total},     {"read", seconds->read},
                  {"build", seconds->build},     {"upload", seconds->upload},
                  {"compute", seconds->compute}, {"download", seconds->download}};
    json_t *object = json_object();

    for (size_t i = 0; i < KI_COUNT(stages); i++)
        if (!(stages[i].value < 0) && !put(object, stages[i].key, ki_json_double(stages[i].value))) {
            json_decref(object);
            return NULL;
        }
    return object;
}

json_t *ki_json_result(const struct ki_json_head *head)
{
    json_t *root = json_object();

    if (put_string(root, "koine", head->version) && put_string(root, "command", head->command) &&
        put(root, "device", device_object(head)) && put_string(root, "precision", head->precision) &&
        put_string(root, "policy", head->policy) && put(root, "seconds", seconds_object(&head->seconds)))
        return root;
    json_decref(root);
    return NULL;
}

static void add_string(struct ki_text *text, const char *bytes, size_t count)
{
    static const char escapes[][2] = {{'"', '"'},  {'\\', '\\'}, {'\n', 'n'}, {'\r', 'r'},
                                      {'\t', 't'}, {'\b', 'b'},  {'\f', 'f'}};

    ki_text_add_char(text, '"');
    for (size_t i = 0; i < count; i++) {
        size_t k = 0;

        while (k < KI_COUNT(escapes) && escapes[k][0] != bytes[i])
            k++;
        if (k < KI_COUNT(escapes))
            ki_text_format(text, "\\%c", escapes[k][1]);
        else if ((unsigned char)bytes[i] < 0x20 || bytes[i] == 0x7f)
            ki_text_format(text, "\\u%04x", (unsigned)bytes[i]);
        else
            ki_text_add_char(text, bytes[i]);
    }
    ki_text_add_char(text, '"');
}

static void add_real(struct ki_text *text, double value)
{
    char number[KI_SHORTEST_TEXT];

    if (!isfinite(value)) {
        ki_text_add(text, "null");
        return;
    }
    if (signbit(value))
        ki_text_add_char(text, '-');
    ki_text_add_bytes(text, number, ki_shortest_write(ki_shortest_double(fabs(value)), number));
}

static void add_line_start(struct ki_text *text, int depth)
{
    ki_text_add_char(text, '\n');
    for (int i = 0; i < depth; i++)
        ki_text_add(text, "  ");
}

static bool is_container(const json_t *json)
{
    return json_is_array(json) || json_is_object(json);
}

static void add_value(struct ki_text *text, const json_t *json, int depth);

// An array of plain values is written on one line: columns of numbers would fill pages otherwise.
static void add_array(struct ki_text *text, const json_t *array, int depth)
{
    size_t count = json_array_size(array);
    bool lines = count && is_container(json_array_get(array, 0));

    ki_text_add_char(text, '[');
    for (size_t i = 0; i < count; i++) {
        if (i)
            ki_text_add(text, lines ? "," : ", ");
        if (lines)
            add_line_start(text, depth + 1);
        add_value(text, json_array_get(array, i), depth + 1);
    }
    if (lines)
        add_line_start(text, depth);
    ki_text_add_char(text, ']');
}

static void add_object(struct ki_text *text, const json_t *json, int depth)
{
    // jansson's iterators take a plain pointer, though they change nothing.
    json_t *object = (json_t *)(uintptr_t)json;
    const char *separator = "";
    const char *key;
    json_t *value;

    ki_text_add_char(text, '{');
    json_object_foreach(object, key, value)
    {
        ki_text_add(text, separator);
        separator = ",";
        add_line_start(text, depth + 1);
        add_string(text, key, strlen(key));
        ki_text_add(text, ": ");
        add_value(text, value, depth + 1);
    }
    if (*separator)
        add_line_start(text, depth);
    ki_text_add_char(text, '}');
}

static void add_value(struct ki_text *text, const json_t *json, int depth)
{
    switch (json_typeof(json)) {
    case JSON_OBJECT:
        add_object(text, json, depth);
        break;
    case JSON_ARRAY:
        add_array(text, json, depth);
        break;
    case JSON_STRING:
        add_string(text, json_string_value(json), json_string_length(json));
        break;
    case JSON_INTEGER:
        ki_text_format(text, "%" JSON_INTEGER_FORMAT, json_integer_value(json));
        break;
    case JSON_REAL:
        add_real(text, json_real_value(json));
        break;
    case JSON_TRUE:
    case JSON_FALSE:
    case JSON_NULL:
        ki_text_add(text, json_is_null(json) ? "null" : json_is_true(json) ? "true" : "false");
        break;
    }
}

char *ki_json_text(const json_t *root)
{
    struct ki_text text = KI_TEXT_INIT;

    if (!root)
        return NULL;
    add_value(&text, root, 0);
    ki_text_add_char(&text, '\n');
    return ki_text_take(&text);
}

kn_status ki_json_write(const json_t *root, const char *path, bool force, kn_error *err)
{
    char *text = ki_json_text(root);
    kn_status status;

    if (!text)
        return ki_fail_memory(err, 0, "making the JSON result");
    status = ki_output_write(path, text, strlen(text), force, err);
    free(text);
    return status;
}
