// SPDX-License-Identifier: Apache-2.0
#include "include.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// More than any program has; a larger file is data, given by mistake.
#define LARGEST_FILE ((size_t)64 * 1024 * 1024)

// One search through the folders.
struct search {
    struct src_inputs *inputs;
    struct src_input *input;
    struct ki_text *note;
    int number;
};

void ki_src_inputs_init(struct src_inputs *inputs, const struct src_options *options, struct ki_arena *arena)
{
    *inputs = (struct src_inputs){.arena = arena, .options = options};
    inputs->last = &inputs->first;
}

enum src_found ki_src_input_add(struct src_inputs *inputs, const char *name, const char *bytes, size_t length,
                                struct src_input **input)
{
    struct src_input *added = ki_arena_take(inputs->arena, sizeof *added);
    char *kept_name = ki_arena_copy(inputs->arena, name, strlen(name));
    char *kept = ki_arena_copy(inputs->arena, bytes, length);

    if (!added || !kept_name || !kept ||
        !ki_src_text_init(&added->text, kept_name, kept, length, inputs->arena))
        return SRC_NO_MEMORY;
    *inputs->last = added;
    inputs->last = &added->next;
    inputs->count++;
    *input = added;
    return SRC_FOUND;
}

static enum src_found unusable(struct search *search, const char *path, int number, const char *why)
{
    search->number = number;
    ki_text_format(search->note, "\"%s\" cannot be read: %s", path, why);
    return SRC_UNREADABLE;
}

static enum src_found unusable_errno(struct search *search, const char *path, int number)
{
    char why[128];

    if (strerror_r(number, why, sizeof why) != 0)
        why[0] = '\0';
    return unusable(search, path, number, why);
}

// Refuses a file with a NUL byte: it is not text.
static enum src_found refuse_binary(struct search *search, const char *path, const struct ki_text *bytes)
{
    const char *nul = bytes->length ? memchr(bytes->data, '\0', bytes->length) : NULL;
    size_t line = 1;

    if (!nul)
        return SRC_FOUND;
    for (const char *p = bytes->data; p < nul; p++)
        line += *p == '\n';
    ki_text_format(search->note, "\"%s\" is not text: it has a NUL byte at offset %zu, in line %zu", path,
                   (size_t)(nul - bytes->data), line);
    return SRC_UNREADABLE;
}

static enum src_found read_all(struct search *search, const char *path, int file, struct ki_text *bytes)
{
    char buffer[16384];

    for (;;) {
        ssize_t got = read(file, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return unusable_errno(search, path, errno);
        if (got == 0)
            break;
        ki_text_add_bytes(bytes, buffer, (size_t)got);
        if (bytes->failed)
            return SRC_NO_MEMORY;
        if (bytes->length > LARGEST_FILE)
            return unusable(search, path, EFBIG, "it is larger than 64 MB, which no kernel source is");
    }
    return refuse_binary(search, path, bytes);
}

static struct src_input *known_path(const struct src_inputs *inputs, const char *path)
{
    for (struct src_input *input = inputs->first; input; input = input->next)
        if (input->on_disk && strcmp(input->text.name, path) == 0)
            return input;
    return NULL;
}

// Whether the path does not exist, so that the next folder is tried.
static bool is_absence(int number)
{
    return number == ENOENT || number == ENOTDIR || number == ENAMETOOLONG;
}

static enum src_found try_path(struct search *search, const char *path)
{
    struct ki_text bytes = KI_TEXT_INIT;
    enum src_found found;
    struct stat info;
    int file;

    search->input = known_path(search->inputs, path);
    if (search->input)
        return SRC_FOUND;
    if (stat(path, &info) != 0 && is_absence(errno)) {
        ki_text_format(search->note, "\n    %s", path);
        return SRC_MISSING;
    }
    file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return unusable_errno(search, path, errno);
    if (fstat(file, &info) != 0)
        found = unusable_errno(search, path, errno);
    else if (S_ISDIR(info.st_mode))
        found = unusable(search, path, EISDIR, "it is a directory");
    else if (!S_ISREG(info.st_mode))
        found = unusable(search, path, 0, "it is not an ordinary file");
    else
        found = read_all(search, path, file, &bytes);
    close(file);
    if (found == SRC_FOUND)
        found = ki_src_input_add(search->inputs, path, ki_text_string(&bytes), bytes.length, &search->input);
    if (found == SRC_FOUND) {
        search->input->on_disk = true;
        search->input->device = info.st_dev;
        search->input->inode = info.st_ino;
    }
    ki_text_free(&bytes);
    return found;
}

// `length` bytes of a folder, and a name in it. "" and "." are the current folder.
static enum src_found try_folder(struct search *search, const char *folder, size_t length, const char *name)
{
    struct ki_text path = KI_TEXT_INIT;
    enum src_found found;

    while (length > 1 && folder[length - 1] == '/')
        length--;
    if (length && !(length == 1 && *folder == '.')) {
        ki_text_add_bytes(&path, folder, length);
        if (folder[length - 1] != '/')
            ki_text_add_char(&path, '/');
    }
    ki_text_add(&path, name);
    found = path.failed ? SRC_NO_MEMORY : try_path(search, ki_text_string(&path));
    ki_text_free(&path);
    return found;
}

// The file found is another version of the table's file of this name.
static enum src_found stand_for(struct search *search, const char *name)
{
    if (!search->input->stands_for)
        search->input->stands_for = ki_arena_copy(search->inputs->arena, name, strlen(name));
    return search->input->stands_for ? SRC_FOUND : SRC_NO_MEMORY;
}

static enum src_found try_kernel_path(struct search *search, const char *name)
{
    const char *folder = search->inputs->options->kernel_path;

    while (folder && *folder) {
        size_t length = strcspn(folder, ":");
        enum src_found found = length ? try_folder(search, folder, length, name) : SRC_MISSING;
        if (found != SRC_MISSING)
            return found == SRC_FOUND ? stand_for(search, name) : found;
        folder += length + (folder[length] == ':');
    }
    return SRC_MISSING;
}

static enum src_found try_table(struct search *search, const char *name)
{
    const struct src_embedded *entry = search->inputs->options->embedded;
    enum src_found found;

    for (struct src_input *input = search->inputs->first; input; input = input->next)
        if (input->embedded && strcmp(input->text.name, name) == 0) {
            search->input = input;
            return SRC_FOUND;
        }
    for (; entry && entry->name; entry++) {
        if (strcmp(entry->name, name) != 0)
            continue;
        found = ki_src_input_add(search->inputs, name, entry->text, strlen(entry->text), &search->input);
        if (found == SRC_FOUND)
            search->input->embedded = true;
        return found;
    }
    if (search->inputs->options->embedded)
        ki_text_format(search->note, "\n    %s among the built-in files", name);
    return SRC_MISSING;
}

// The length of a path's folder, without the last '/' (unless that is all).
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');

    return !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
}

// Removes "." and ".." from a name of the table, in place.
static void simplify(char *name)
{
    char *to = name;

    for (const char *from = name; *from;) {
        size_t length = strcspn(from, "/");
        bool more = from[length] == '/'; // checked before anything is written there
        const char *next = from + length + more;
        if (length == 2 && from[0] == '.' && from[1] == '.' && to > name) {
            for (to--; to > name && to[-1] != '/'; to--)
                ;
        } else if (length && !(length == 1 && *from == '.')) {
            memmove(to, from, length);
            to += length;
            if (more)
                *to++ = '/';
        }
        from = next;
    }
    if (to > name && to[-1] == '/')
        to--;
    *to = '\0';
}

// The table's name for `name` next to one of its own; the caller frees it.
static bool name_beside(struct ki_text *path, const char *of_table, const char *name)
{
    size_t length = folder_length(of_table);

    ki_text_add_bytes(path, of_table, length);
    ki_text_add(path, length ? "/" : "");
    ki_text_add(path, name);
    if (!path->failed)
        simplify(path->data);
    return !path->failed;
}

// Next to a file of the table: another version of the neighbour in the kernel path, else the table's.
static enum src_found try_beside(struct search *search, const char *of_table, const char *name)
{
    struct ki_text path = KI_TEXT_INIT;
    enum src_found found = SRC_NO_MEMORY;

    if (name_beside(&path, of_table, name)) {
        found = try_kernel_path(search, path.data);
        if (found == SRC_MISSING)
            found = try_table(search, path.data);
    }
    ki_text_free(&path);
    return found;
}

// Next to a file on disk; if that replaces a file of the table, so do its neighbours.
static enum src_found try_beside_on_disk(struct search *search, const struct src_input *includer,
                                         const char *name)
{
    const char *own = includer->text.name;
    struct ki_text path = KI_TEXT_INIT;
    enum src_found found = try_folder(search, own, folder_length(own), name);

    if (found == SRC_FOUND && includer->stands_for)
        found = name_beside(&path, includer->stands_for, name) ? stand_for(search, path.data) : SRC_NO_MEMORY;
    ki_text_free(&path);
    return found;
}

static enum src_found try_include_dirs(struct search *search, const char *name)
{
    const struct src_options *options = search->inputs->options;
    enum src_found found = SRC_MISSING;

    for (size_t i = 0; i < options->include_dir_count && found == SRC_MISSING; i++)
        found = try_folder(search, options->include_dirs[i], strlen(options->include_dirs[i]), name);
    return found;
}

// A kernel file of the table may be named without its folder.
static const char *with_folder(const struct src_embedded *entry, const char *name)
{
    for (; entry && entry->name && !strchr(name, '/'); entry++) {
        const char *slash = strrchr(entry->name, '/');
        if (slash && strcmp(slash + 1, name) == 0)
            return entry->name;
    }
    return name;
}

enum src_found ki_src_input_open(struct src_inputs *inputs, const char *name, struct src_input **input,
                                 struct ki_text *note, int *number)
{
    struct search search = {.inputs = inputs, .note = note};
    const char *in_table = with_folder(inputs->options->embedded, name);
    enum src_found found;

    if (inputs->options->builtin)
        found = try_kernel_path(&search, in_table);
    else
        found = try_path(&search, name);
    if (found == SRC_MISSING)
        found = try_table(&search, in_table);
    *input = search.input;
    *number = search.number;
    return found;
}

enum src_found ki_src_input_find(struct src_inputs *inputs, const struct src_input *includer,
                                 const char *name, bool angled, struct src_input **input,
                                 struct ki_text *note, int *number)
{
    struct search search = {.inputs = inputs, .note = note};
    enum src_found found = SRC_MISSING;

    if (*name == '/') {
        found = try_path(&search, name);
    } else {
        if (!angled && includer->embedded)
            found = try_beside(&search, includer->text.name, name);
        else if (!angled)
            found = try_beside_on_disk(&search, includer, name);
        if (found == SRC_MISSING)
            found = try_include_dirs(&search, name);
        if (found == SRC_MISSING && !angled && includer->stands_for)
            found = try_beside(&search, includer->stands_for, name);
        if (found == SRC_MISSING && !(includer->embedded && !angled && !folder_length(includer->text.name)))
            found = try_kernel_path(&search, name);
        if (found == SRC_MISSING)
            found = try_table(&search, name);
    }
    *input = search.input;
    *number = search.number;
    return note->failed ? SRC_NO_MEMORY : found;
}

bool ki_src_input_is_once(const struct src_inputs *inputs, const struct src_input *input)
{
    if (input->once || !input->on_disk)
        return input->once;
    for (const struct src_input *other = inputs->first; other; other = other->next)
        if (other->once && other->on_disk && other->device == input->device && other->inode == input->inode)
            return true;
    return false;
}
