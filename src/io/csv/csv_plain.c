// SPDX-License-Identifier: Apache-2.0
// Rows of plain numbers; most files have no others. First all separators and newlines of some text are found,
// then the cells between them are read, so that no cell waits for the one before it. Anything unusual is left
// to csv_rows.c, from the beginning of its row.
#include "csv_reader.h"

#include <float.h>

#include "base/vector.h"

#ifdef KI_HAS_VECTORS
#include <immintrin.h>
#endif

// How much text is searched for separators at a time: little after something unusual, then more.
enum { BLOCK = 64, FIRST_BLOCKS = 4, MOST_BLOCKS = 128 };

// The positions of the separators and newlines, in bytes from the window's beginning: at[1] to at[count].
// at[0] is where one would be before the first row.
struct separators {
    uint32_t at[1 + MOST_BLOCKS * BLOCK + BLOCK];
    size_t count, line_ends;
};

// ---- finding separators ----

#define INLINE static inline __attribute__((always_inline))

// Appends the numbers of the set bits: eight at once, because a processor cannot predict a branch for each;
// extra ones are overwritten.
INLINE void add_separators(struct separators *found, uint64_t bits, size_t offset)
{
    uint32_t *at = found->at + 1 + found->count;
    size_t count = (size_t)__builtin_popcountll(bits);

    for (size_t i = 0; i < count; i += 8)
        for (size_t k = i; k < i + 8; k++) {
            at[k] = (uint32_t)(offset + (bits ? (unsigned)__builtin_ctzll(bits) : BLOCK));
            bits &= bits - 1;
        }
    found->count += count;
}

// A block's separators and, among those, its newlines; one bit a character.
struct block_bits {
    uint64_t separators, line_ends;
};

// The bits of a block that begins at `from`; only what is before `end` counts.
INLINE void add_block(struct separators *found, struct block_bits bits, size_t from, size_t end)
{
    uint64_t inside = end - from < BLOCK ? (UINT64_C(1) << (end - from)) - 1 : UINT64_MAX;

    found->line_ends += (size_t)__builtin_popcountll(bits.line_ends & inside);
    add_separators(found, bits.separators & inside, from);
}

static void begin_separators(struct separators *found, size_t from)
{
    found->at[0] = (uint32_t)from - 1;
    found->count = found->line_ends = 0;
}

#ifdef KI_HAS_VECTORS
#define VECTOR_CODE KI_TARGET("avx2,bmi,popcnt")

VECTOR_OPERATION uint64_t equal_bytes(__m256i low, __m256i high, char byte)
{
    __m256i wanted = _mm256_set1_epi8(byte);
    unsigned high_bits = (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(high, wanted));

    return (uint64_t)high_bits << 32 | (unsigned)_mm256_movemask_epi8(_mm256_cmpeq_epi8(low, wanted));
}

VECTOR_OPERATION struct block_bits bits_of_block_avx2(const char *text, char separator)
{
    __m256i low = _mm256_loadu_si256((const __m256i *)text);
    __m256i high = _mm256_loadu_si256((const __m256i *)(text + 32));
    uint64_t line_ends = equal_bytes(low, high, '\n');

    return (struct block_bits){equal_bytes(low, high, separator) | line_ends, line_ends};
}

// Finds the separators from `from` to before `end`; bytes after it are read, too.
VECTOR_OPERATION void find_separators_avx2(const char *window, size_t from, size_t end, char separator,
                                           struct separators *found)
{
    begin_separators(found, from);
    for (; from < end; from += BLOCK)
        add_block(found, bits_of_block_avx2(window + from, separator), from, end);
}
#endif

// One bit for each byte, from 0x80 where it is set.
INLINE uint64_t gathered(uint64_t bytes)
{
    return (bytes >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

INLINE struct block_bits bits_of_block(const char *text, char separator)
{
    struct block_bits bits = {0, 0};

    for (unsigned i = 0; i < BLOCK; i += 8) {
        uint64_t bytes = csv_load_8(text + i);

        bits.line_ends |= gathered(csv_zero_bytes(bytes ^ CSV_EACH_BYTE('\n'))) << i;
        bits.separators |= gathered(csv_zero_bytes(bytes ^ CSV_EACH_BYTE((unsigned char)separator))) << i;
    }
    bits.separators |= bits.line_ends;
    return bits;
}

INLINE void find_separators_any(const char *window, size_t from, size_t end, char separator,
                                struct separators *found)
{
    begin_separators(found, from);
    for (; from < end; from += BLOCK)
        add_block(found, bits_of_block(window + from, separator), from, end);
}

// ---- numbers ----

// A number that fills everything between two separators except blanks before it: '-' or nothing, digits, at
// most one `mark`.
typedef bool read_number(const char *from, const char *end, char mark, double *value);

INLINE bool read_number_any(const char *from, const char *end, char mark, double *value)
{
    return csv_short_number(from, (size_t)(end - from), mark, value);
}

#ifdef KI_HAS_VECTORS
// For 15 characters, the last one highest. Tables by the position of the decimal mark, 16 for none: how the
// digits before it move up, and the divisor of their integer.
static const struct {
    uint8_t keep[16][16]; // by the number of characters
    uint8_t move[17][16];
    double divisor[17];
} number_tables = {
#define KEEP(n, i) (uint8_t)((i) >= 16 - (n) ? 0xff : 0)
#define MOVE(d, i) (uint8_t)((d) == 16 || (i) > (d) ? (i) : (i) == 0 ? 0x80 : (i)-1)
#define ROW(f, n)                                                                                            \
    {                                                                                                        \
        f(n, 0), f(n, 1), f(n, 2), f(n, 3), f(n, 4), f(n, 5), f(n, 6), f(n, 7), f(n, 8), f(n, 9), f(n, 10),  \
            f(n, 11), f(n, 12), f(n, 13), f(n, 14), f(n, 15)                                                 \
    }
#define ROWS(f)                                                                                              \
    ROW(f, 0), ROW(f, 1), ROW(f, 2), ROW(f, 3), ROW(f, 4), ROW(f, 5), ROW(f, 6), ROW(f, 7), ROW(f, 8),       \
        ROW(f, 9), ROW(f, 10), ROW(f, 11), ROW(f, 12), ROW(f, 13), ROW(f, 14), ROW(f, 15)
    .keep = {ROWS(KEEP)},
    .move = {ROWS(MOVE), ROW(MOVE, 16)},
    .divisor = {1e15, 1e14, 1e13, 1e12, 1e11, 1e10, 1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1, 1},
};

// A vector of `byte` except for its lowest element, which no number's character occupies: this keeps it in
// memory, where compilers would build a vector of equal bytes again for every number.
#define BYTES(byte)                                                                                          \
    _mm_setr_epi8(1, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte, byte)

// Correctly rounded like csv_short_number: the integer is below 10^15.
VECTOR_OPERATION bool read_number_avx2(const char *from, const char *end, char mark, double *value)
{
    const __m128i zeros = BYTES('0'), tens = BYTES(10), point = BYTES((char)(mark - '0'));
    const __m128i pairs = _mm_set1_epi16(1 << 8 | 10), fours = _mm_set1_epi32(1 << 16 | 100);
    const __m128i myriads = _mm_set1_epi32(1 << 16 | 10000);
    uint64_t negative = *from == '-', eights;
    size_t length = (size_t)(end - from) - negative;
    unsigned others, points, position;
    __m128i digits;
    union {
        double value;
        uint64_t bits;
    } result;

    if (length - 1 >= 15)
        return false;
    digits = _mm_and_si128(_mm_sub_epi8(_mm_loadu_si128((const __m128i *)(end - 16)), zeros),
                           _mm_loadu_si128((const __m128i *)number_tables.keep[length]));
    others = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(_mm_max_epu8(digits, tens), digits));
    points = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(digits, point));
    if (others != points || (others & (others - 1)) || (length == 1 && others))
        return false;
    position = (unsigned)__builtin_ctz(others | 1 << 16);
    digits = _mm_shuffle_epi8(digits, _mm_loadu_si128((const __m128i *)number_tables.move[position]));
    digits = _mm_madd_epi16(_mm_maddubs_epi16(digits, pairs), fours);
    digits = _mm_madd_epi16(_mm_packus_epi32(digits, digits), myriads);
    eights = (uint64_t)_mm_cvtsi128_si64(digits);
    result.value = (double)(int64_t)((eights & 0xffffffff) * 100000000 + (eights >> 32)) /
                   number_tables.divisor[position];
    result.bits |= negative << 63;
    *value = result.value;
    return true;
}
#endif

// ---- rows ----

// Whether every row's last separator is a newline, and no other one is.
INLINE bool are_regular(const char *window, const struct separators *found, size_t cells)
{
    size_t rows = found->count / cells;
    bool regular = found->line_ends == rows;

    for (size_t i = 1; regular && i <= rows; i++)
        regular = window[found->at[i * cells]] == '\n';
    return regular;
}

// How many of `most` rows begin before `stop` and are one line each, with the expected number of cells.
INLINE size_t count_rows(const char *window, const struct separators *found, size_t cells, size_t stop,
                         size_t most)
{
    const uint32_t *row = found->at;
    bool regular = are_regular(window, found, cells);
    size_t rows;

    most = found->count / cells < most ? found->count / cells : most;
    for (rows = 0; rows < most && (uint32_t)(row[0] + 1) < stop; rows++, row += cells) {
        if (row[cells] - row[0] - 1 > CSV_LINE_LIMIT || window[row[cells]] != '\n')
            break;
        for (size_t i = 1; !regular && i < cells; i++)
            if (window[row[i]] == '\n')
                return rows;
    }
    return rows;
}

// Reads the cells between these separators and the next ones, `step` separators from row to row; returns in
// how many rows they are numbers. `last`: the end of the line follows them.
INLINE size_t read_column(const char *window, const uint32_t *separators, size_t step, size_t rows,
                          const bool last, struct csv_marks marks, locale_t c, double *to, read_number *read)
{
    for (size_t i = 0; i < rows; i++, separators += step) {
        const char *from = window + (uint32_t)(separators[0] + 1), *end = window + separators[1];

        if (last)
            end -= end[-1] == '\r';
        if (!read(from, end, marks.point, &to[i]) &&
            (*from != ' ' || !read(from + 1, end, marks.point, &to[i])) &&
            csv_marked_number_at(from, marks, c, &to[i]) != end)
            return i;
    }
    return rows;
}

// A time in text from `from` on, in one cell that ends at `end`, or in two cells separated at `middle`.
static bool read_time(const char *from, const char *middle, const char *end, struct csv_reader_column *column,
                      double *to)
{
    if (!column->split)
        return csv_time_of(from, end, column->clock, &column->minute, to);
    return csv_time_of_cells(from, middle, middle + 1 + (middle[1] == ' '), end, column->clock, to);
}

// The same for a column of times in text, or two.
static size_t read_times(const char *window, const uint32_t *separators, size_t step, size_t rows,
                         struct csv_reader_column *column, double *to)
{
    for (size_t i = 0; i < rows; i++, separators += step) {
        const char *from = window + (uint32_t)(separators[0] + 1), *middle = window + separators[1];
        const char *end = window + separators[column->split ? 2 : 1];

        from += *from == ' ';
        end -= *end == '\n' && end[-1] == '\r';
        if (end < from || !read_time(from, middle, end, column, &to[i]))
            return i;
    }
    return rows;
}

// Reads rows after those of the reader, from the separators found, that begin before `stop`; returns how
// many, and sets `next` to where the next one begins.
INLINE size_t read_rows(struct csv_reader *reader, const struct separators *found, size_t stop,
                        struct csv_marks marks, size_t *next, read_number *read)
{
    const char *window = reader->input.window;
    size_t cells = reader->column_count;
    size_t rows = count_rows(window, found, cells, stop, reader->capacity - reader->rows);

    for (size_t i = 0; i < cells && rows; i++) {
        struct csv_column *out = &reader->columns[i].out;

        if (csv_clock_is_text(reader->columns[i].clock))
            rows =
                read_times(window, found->at + i, cells, rows, &reader->columns[i], out->values + out->count);
        else if (reader->columns[i].wanted && i + 1 < cells)
            rows = read_column(window, found->at + i, cells, rows, false, marks, reader->c,
                               out->values + out->count, read);
        else if (reader->columns[i].wanted)
            rows = read_column(window, found->at + i, cells, rows, true, marks, reader->c,
                               out->values + out->count, read);
    }
    *next = (uint32_t)(found->at[rows * cells] + 1);
    return rows;
}

typedef size_t rows_reader(struct csv_reader *reader, size_t end, size_t stop, struct separators *found,
                           size_t *next);

INLINE size_t read_marked_any(struct csv_reader *reader, size_t end, size_t stop, struct csv_marks marks,
                              struct separators *found, size_t *next)
{
    find_separators_any(reader->input.window, reader->input.next, end, marks.separator, found);
    return read_rows(reader, found, stop, marks, next, read_number_any);
}

// Commas and points, and any other marks: the former are constants for the compiler.
static size_t read_rows_any(struct csv_reader *reader, size_t end, size_t stop, struct separators *found,
                            size_t *next)
{
    return csv_marks_are_usual(reader->marks)
               ? read_marked_any(reader, end, stop, csv_usual_marks, found, next)
               : read_marked_any(reader, end, stop, reader->marks, found, next);
}

#ifdef KI_HAS_VECTORS
VECTOR_OPERATION size_t read_marked_avx2(struct csv_reader *reader, size_t end, size_t stop,
                                         struct csv_marks marks, struct separators *found, size_t *next)
{
    find_separators_avx2(reader->input.window, reader->input.next, end, marks.separator, found);
    return read_rows(reader, found, stop, marks, next, read_number_avx2);
}

VECTOR_CODE static size_t read_rows_avx2(struct csv_reader *reader, size_t end, size_t stop,
                                         struct separators *found, size_t *next)
{
    return csv_marks_are_usual(reader->marks)
               ? read_marked_avx2(reader, end, stop, csv_usual_marks, found, next)
               : read_marked_avx2(reader, end, stop, reader->marks, found, next);
}
#endif

static rows_reader *best_reader(const struct csv_options *options)
{
#ifdef KI_HAS_VECTORS
    if (options->code == CSV_CODE_BEST && __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
        __builtin_cpu_supports("popcnt"))
        return read_rows_avx2;
#endif
    (void)options;
    return read_rows_any;
}

// Two blanks in a row are one separator, and only if every column is read does a cell between them show.
static bool may_be_plain(const struct csv_reader *reader)
{
    bool plain = reader->options.code != CSV_CODE_CELLS;

    for (size_t i = 0; reader->marks.separator == ' ' && plain && i < reader->column_count; i++)
        plain = reader->columns[i].wanted;
    return plain;
}

static void add_counts(struct csv_reader *reader, size_t rows)
{
    for (size_t i = 0; i < reader->column_count; i++)
        if (reader->columns[i].wanted)
            reader->columns[i].out.count += rows;
    reader->rows += rows;
}

void csv_read_plain_rows(struct csv_reader *reader, uint64_t until)
{
    struct csv_input *in = &reader->input;
    size_t safe = in->quote < in->nul ? in->quote : in->nul; // up to here every newline ends a row
    size_t stop = until - in->offset < safe ? (size_t)(until - in->offset) : safe, blocks = FIRST_BLOCKS;
    rows_reader *read = best_reader(&reader->options);
    struct separators found;

    // A quotient of exact numbers is rounded once, except in x87 arithmetic.
    if (FLT_EVAL_METHOD != 0 || !may_be_plain(reader) || until <= csv_input_offset(in))
        return;
    while (in->next < stop && reader->rows < reader->capacity) {
        size_t end = safe - in->next < blocks * BLOCK ? safe : in->next + blocks * BLOCK, next;
        size_t rows = read(reader, end, stop, &found, &next);

        add_counts(reader, rows);
        csv_input_took(in, next, rows);
        // There is another row, but it is not plain; or there is none in the text that was searched.
        if (rows < found.count / reader->column_count || (rows == 0 && blocks == MOST_BLOCKS) || end == safe)
            return;
        blocks = blocks < MOST_BLOCKS ? 2 * blocks : blocks;
    }
}
