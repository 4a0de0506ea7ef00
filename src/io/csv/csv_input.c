// SPDX-License-Identifier: Apache-2.0
#include "csv_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

// A record of the limit and its "\r\n".
#define WINDOW_BYTES (CSV_LINE_LIMIT + 2)
// The bytes read at a time if it is uncertain that more are wanted.
#define SMALL_PIECE ((size_t)1 << 12)

static size_t find(const struct csv_input *in, char byte)
{
    const char *at = memchr(in->window + in->next, byte, in->end - in->next);

    return at ? (size_t)(at - in->window) : in->end;
}

// How much to read: one piece, but not far beyond `until` unless a long record needs more.
static size_t piece_size(const struct csv_input *in)
{
    size_t small = in->piece < SMALL_PIECE ? in->piece : SMALL_PIECE, size = in->piece;
    uint64_t at = in->offset + in->end;

    if (at >= in->until)
        size = in->end > small ? in->end : small;
    else if (in->until - at < size)
        size = (size_t)(in->until - at) + small;
    return size < WINDOW_BYTES - in->end ? size : WINDOW_BYTES - in->end;
}

// Reads the next bytes; none at the end.
static kn_status read_some(struct csv_input *in, char *to, size_t room, size_t *count, kn_error *err)
{
    ssize_t got;

    if (in->unpack)
        return unpack_read(in->unpack, to, room, count, err);
    do
        got = in->seekable ? pread(in->fd, to, room, (off_t)(in->offset + in->end)) : read(in->fd, to, room);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return ki_fail_errno(err, KN_ERROR_INPUT, in->name, errno, "cannot be read");
    *count = (size_t)got;
    return KN_OK;
}

// Moves the rest of the window to its front and reads another piece.
static kn_status refill(struct csv_input *in, kn_error *err)
{
    size_t wanted;

    in->offset += in->next;
    memmove(in->window, in->window + in->next, in->end - in->next);
    in->end -= in->next;
    in->next = 0;
    wanted = in->end + piece_size(in);
    while (in->end < wanted && !in->finished) {
        char *to = in->window + in->end;
        size_t got = 0;
        kn_status status = read_some(in, to, wanted - in->end, &got, err);

        if (status)
            return status;
        in->finished = got == 0;
        in->end += got;
    }
    memset(in->window + in->end, 0, CSV_MARGIN);
    in->quote = find(in, '"');
    in->nul = find(in, '\0');
    return KN_OK;
}

static bool is_full(const struct csv_input *in)
{
    return in->next == 0 && in->end == WINDOW_BYTES;
}

static kn_status make_window(struct csv_input *in, kn_error *err)
{
    char *memory = malloc(CSV_MARGIN + WINDOW_BYTES + CSV_MARGIN);

    if (!memory)
        return ki_fail_memory(err, CSV_MARGIN + WINDOW_BYTES + CSV_MARGIN, in->name);
    memset(memory, 0, CSV_MARGIN + CSV_MARGIN);
    in->window = memory + CSV_MARGIN;
    return KN_OK;
}

kn_status csv_input_look(struct csv_input *in, size_t count, kn_error *err)
{
    const size_t piece = in->piece;
    kn_status status = KN_OK;

    in->piece = in->piece > count ? in->piece : count;
    while (in->end - in->next < count && !in->finished && !status)
        status = refill(in, err);
    in->piece = piece;
    return status;
}

kn_status csv_input_skip_lines(struct csv_input *in, size_t count, size_t *found, kn_error *err)
{
    kn_status status = KN_OK;

    for (*found = 0; *found < count && !status;) {
        const char *newline = memchr(in->window + in->next, '\n', in->end - in->next);

        in->next = newline ? (size_t)(newline - in->window) + 1 : in->end;
        if (newline) {
            in->line++;
            ++*found;
        } else if (in->finished) {
            break;
        } else {
            status = refill(in, err);
        }
    }
    in->quote = find(in, '"');
    in->nul = find(in, '\0');
    return status;
}

// For a compressed file, continues with its uncompressed data.
static kn_status unpack_window(struct csv_input *in, kn_error *err)
{
    kn_status status;

    in->packing = packing_of(in->window, in->end);
    if (in->packing == PACKING_NONE)
        return KN_OK;
    // The file's own position is still its beginning.
    status =
        unpack_open(in->name, in->fd, in->packing, in->window, in->seekable ? 0 : in->end, &in->unpack, err);
    in->seekable = false;
    in->end = 0;
    in->finished = false;
    return status ? status : csv_input_look(in, PACKING_BYTES, err);
}

// A byte-order mark.
static kn_status skip_mark(struct csv_input *in, kn_error *err)
{
    if (in->end >= 3 && memcmp(in->window, "\xef\xbb\xbf", 3) == 0)
        in->next = 3;
    if (in->end < 2 || (memcmp(in->window, "\xff\xfe", 2) != 0 && memcmp(in->window, "\xfe\xff", 2) != 0))
        return KN_OK;
    return ki_fail_at(err, KN_ERROR_INPUT, in->name, 1,
                      "is in UTF-16, as the byte-order mark says with which it begins; save it as UTF-8");
}

kn_status csv_input_open(struct csv_input *in, const char *path, size_t piece, kn_error *err)
{
    bool standard = strcmp(path, "-") == 0;
    struct stat info = {.st_mode = 0};
    kn_status status;

    *in = (struct csv_input){.name = standard ? "standard input" : path,
                             .fd = -1,
                             .until = UINT64_MAX,
                             .piece = piece ? piece : CSV_PIECE,
                             .separator = ',',
                             .line = 1};
    in->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0)
        return ki_fail_errno(err, KN_ERROR_INPUT, in->name, errno, "cannot be opened for reading");
    if (fstat(in->fd, &info) == 0 && S_ISDIR(info.st_mode)) {
        status = ki_fail_at(err, KN_ERROR_INPUT, in->name, 0, "is a directory; expected a CSV file");
        goto fail;
    }
    in->seekable = !standard && S_ISREG(info.st_mode);
    if ((status = make_window(in, err)) || (status = csv_input_look(in, PACKING_BYTES, err)) ||
        (status = unpack_window(in, err)) || (status = skip_mark(in, err)))
        goto fail;
    return KN_OK;
fail:
    csv_input_close(in);
    return status;
}

kn_status csv_input_share(struct csv_input *in, const struct csv_input *from, kn_error *err)
{
    *in = (struct csv_input){.name = from->name,
                             .fd = from->fd,
                             .seekable = true,
                             .shared = true,
                             .separator = from->separator,
                             .piece = from->piece};
    return make_window(in, err);
}

void csv_input_seek(struct csv_input *in, uint64_t offset, long line)
{
    in->offset = offset;
    in->next = in->end = in->quote = in->nul = 0;
    in->finished = false;
    in->line = line;
}

uint64_t csv_input_size(const struct csv_input *in)
{
    struct stat info;
    uint64_t read = in->offset + in->end;

    return fstat(in->fd, &info) == 0 && (uint64_t)info.st_size > read ? (uint64_t)info.st_size : read;
}

bool csv_input_skip_line(struct csv_input *in, uint64_t until)
{
    for (;;) {
        const char *newline = memchr(in->window + in->next, '\n', in->end - in->next);

        in->next = newline ? (size_t)(newline - in->window) + 1 : in->end;
        if (newline || in->finished)
            break;
        if (csv_input_offset(in) >= until || refill(in, NULL))
            return false;
    }
    in->quote = find(in, '"');
    in->nul = find(in, '\0');
    return true;
}

// The '\n' that ends the record from `p` on, taking quoted cells into account; NULL if there is none before
// `end`. `*open_lines` is then the number of newlines before an unclosed quote, or -1 if there is none.
static const char *quoted_record_end(const char *p, const char *end, char separator, long *open_lines)
{
    enum { CELL_START, PLAIN, INSIDE, CLOSED } state = CELL_START;
    long lines = 0, opened = 0;

    for (; p < end; p++) {
        if (*p == '\n' && state != INSIDE)
            return p;
        lines += *p == '\n';
        if (state == INSIDE) {
            if (*p == '"')
                state = CLOSED;
        } else if (*p == separator) {
            state = CELL_START;
        } else if (*p == '"' && (state == CELL_START || state == CLOSED)) {
            opened = state == CELL_START ? lines : opened;
            state = INSIDE;
        } else if (state != CELL_START || (*p != ' ' && *p != '\t')) {
            state = PLAIN;
        }
    }
    *open_lines = state == INSIDE ? opened : -1;
    return NULL;
}

static const char *record_end(const struct csv_input *in, long *open_lines)
{
    const char *text = in->window + in->next;
    const char *end = in->window + in->end;
    const char *newline = memchr(text, '\n', (size_t)(end - text));

    *open_lines = -1;
    if (in->window + in->quote >= (newline ? newline : end))
        return newline;
    return quoted_record_end(text, end, in->separator, open_lines);
}

static long count_lines(const char *p, const char *end)
{
    long lines = 0;

    while ((p = memchr(p, '\n', (size_t)(end - p)))) {
        lines++;
        p++;
    }
    return lines;
}

static kn_status fail_nul(const struct csv_input *in, kn_error *err)
{
    long line = in->line + count_lines(in->window + in->next, in->window + in->nul);

    return ki_fail_at(
        err, KN_ERROR_INPUT, in->name, line,
        "found a NUL byte, expected text (is this a binary file, or one in UTF-16? save it as UTF-8)");
}

static kn_status fail_open_quote(const struct csv_input *in, long open_lines, kn_error *err)
{
    return ki_fail_at(err, KN_ERROR_INPUT, in->name, in->line + open_lines,
                      "a quote (\") is opened in this line and never closed%s",
                      in->finished ? "" : " within 1 MiB");
}

static kn_status fail_long_line(const struct csv_input *in, kn_error *err)
{
    return ki_fail_at(
        err, KN_ERROR_INPUT, in->name, in->line,
        "the line is longer than 1 MiB (%zu bytes), expected a row of numbers (do its lines end in "
        "\\n or \\r\\n?)",
        CSV_LINE_LIMIT);
}

kn_status csv_input_next(struct csv_input *in, struct csv_record *record, bool *found, kn_error *err)
{
    long open_lines;
    const char *end = record_end(in, &open_lines);
    kn_status status;

    while (!end && !in->finished && !is_full(in)) {
        status = refill(in, err);
        if (status)
            return status;
        end = record_end(in, &open_lines);
    }
    *found = end || in->next < in->end;
    if (!*found)
        return KN_OK;
    if (in->nul < (end ? (size_t)(end - in->window) : in->end))
        return fail_nul(in, err);
    if (open_lines >= 0)
        return fail_open_quote(in, open_lines, err);
    if (!end && !in->finished)
        return fail_long_line(in, err);

    record->text = in->window + in->next;
    record->end = end ? end : in->window + in->end;
    record->line = in->line;
    record->quoted = in->quote < (size_t)(record->end - in->window);
    in->next = (size_t)(record->end - in->window) + (end != NULL);
    in->line += record->quoted ? count_lines(record->text, record->end) + 1 : 1;
    if (in->quote < in->next)
        in->quote = find(in, '"');
    if (record->end > record->text && record->end[-1] == '\r')
        record->end--;
    if ((size_t)(record->end - record->text) > CSV_LINE_LIMIT) {
        in->line = record->line;
        return fail_long_line(in, err);
    }
    return KN_OK;
}

void csv_input_took(struct csv_input *in, size_t next, size_t count)
{
    in->next = next;
    in->line += (long)count;
}

void csv_input_close(struct csv_input *in)
{
    unpack_close(in->unpack);
    in->unpack = NULL;
    if (in->fd >= 0 && in->fd != STDIN_FILENO && !in->shared)
        close(in->fd);
    if (in->window)
        free(in->window - CSV_MARGIN);
    in->fd = -1;
    in->window = NULL;
}
