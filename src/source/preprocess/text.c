// SPDX-License-Identifier: Apache-2.0
// The preparation of a text before tokens are read from it (line ends, joined lines), and the table of names.
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "lexer.h"

// '\r' and "\r\n" become '\n'.
static bool unify_line_ends(struct src_text *text, struct ki_arena *arena)
{
    char *copy, *to;

    if (!memchr(text->written, '\r', text->written_length))
        return true;
    copy = ki_arena_copy(arena, text->written, text->written_length);
    if (!copy)
        return false;
    to = copy;
    for (const char *from = copy; *from; from++) {
        if (from[0] == '\r' && from[1] == '\n')
            continue;
        *to++ = *from == '\r' ? '\n' : *from;
    }
    *to = '\0';
    text->written = copy;
    text->written_length = (size_t)(to - copy);
    return true;
}

// The length of a backslash, blanks and a line's end at `p`; 0 if there is something else. Compilers allow
// the blanks, which are invisible.
static size_t joint_length(const char *p)
{
    size_t blanks;

    if (*p != '\\')
        return 0;
    blanks = strspn(p + 1, " \t\v\f");
    // The end of the text counts as a line's end.
    return p[1 + blanks] == '\n' ? blanks + 2 : p[1 + blanks] == '\0' ? blanks + 1 : 0;
}

static bool join_lines(struct src_text *text, struct ki_arena *arena)
{
    const char *from = text->written;
    struct src_joint *joints;
    size_t count = 0, removed = 0;
    char *copy, *to;

    text->joined = text->written;
    text->joined_length = text->written_length;
    for (const char *p = from; (p = strchr(p, '\\')) != NULL; p++)
        count += joint_length(p) != 0;
    if (!count)
        return true;
    copy = ki_arena_take(arena, text->written_length + 1);
    joints = ki_arena_take(arena, count * sizeof *joints);
    if (!copy || !joints)
        return false;
    to = copy;
    while (*from) {
        size_t skip = joint_length(from);
        if (skip) {
            removed += skip;
            joints[text->joint_count++] = (struct src_joint){(size_t)(to - copy), removed};
            from += skip;
        } else {
            *to++ = *from++;
        }
    }
    text->joined = copy;
    text->joined_length = (size_t)(to - copy);
    text->joints = joints;
    return true;
}

bool ki_src_text_init(struct src_text *text, const char *name, const char *bytes, size_t length,
                      struct ki_arena *arena)
{
    if (length >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0) {
        bytes += 3;
        length -= 3;
    }
    *text = (struct src_text){.name = name, .written = bytes, .written_length = length};
    return unify_line_ends(text, arena) && join_lines(text, arena);
}

void ki_src_names_init(struct src_names *names, struct ki_arena *arena)
{
    *names = (struct src_names){.arena = arena};
}

void ki_src_names_free(struct src_names *names)
{
    free(names->buckets);
    *names = (struct src_names){.arena = NULL};
}

static bool widen(struct src_names *names)
{
    size_t bucket_count = names->bucket_count ? names->bucket_count * 4 : 1024;
    struct src_name **buckets = calloc(bucket_count, sizeof *buckets);

    if (!buckets)
        return false;
    for (size_t i = 0; i < names->bucket_count; i++) {
        struct src_name *name = names->buckets[i], *next;
        for (; name; name = next) {
            struct src_name **bucket = &buckets[name->hash & (bucket_count - 1)];
            next = name->next;
            name->next = *bucket;
            *bucket = name;
        }
    }
    free(names->buckets);
    names->buckets = buckets;
    names->bucket_count = bucket_count;
    return true;
}

struct src_name *ki_src_intern(struct src_names *names, const char *text, size_t length)
{
    struct src_name *name, **bucket;
    uint32_t hash = 2166136261u; // FNV-1a

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    if (names->count >= names->bucket_count && !widen(names))
        return NULL;
    bucket = &names->buckets[hash & (names->bucket_count - 1)];
    for (name = *bucket; name; name = name->next)
        if (name->hash == hash && name->length == length && memcmp(name->text, text, length) == 0)
            return name;
    name = ki_arena_take(names->arena, sizeof *name + length + 1);
    if (!name)
        return NULL;
    name->hash = hash;
    name->length = (uint32_t)length;
    memcpy(name->text, text, length);
    name->next = *bucket;
    *bucket = name;
    names->count++;
    return name;
}
