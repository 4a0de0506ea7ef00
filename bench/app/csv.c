// SPDX-License-Identifier: Apache-2.0
// Times reading a CSV file of 2,000,000 rows such as
//
//     2020-07-24 07:07:49.031250,0.0,23.0,-60.0
//
// made of a recording's x, y and z, repeated, once for each number of threads and each code; sums are
// checked. Then other forms of the same rows: with ';' and decimal commas, in turn with the usual form; with
// their times read; and packed by gzip, beside zlib's inflate alone of the same bytes from memory to memory.
//
//     bench/csv [--threads N] [--rows N] [--repetitions N] [--keep FILE] [RECORDING]
//
// RECORDING: an Empatica E4 export of three columns; else acc/ACC_msr2023.csv in KOINE_DATA. --keep: the file
// that was read stays under that name (bench/peers/csv_peers.py reads it). Columns: GB of text a second by
// the time that passes and by the processor's time of the process, of the median and of the fastest
// repetition.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

#include "base/array.h"
#include "io/csv/csv.h"
#include "bench/bench.h"

enum { MOST_REPETITIONS = 1000, MOST_SUBJECTS = 4 };

static kn_error err = KN_ERROR_INIT;

static const struct {
    const char *name;
    enum csv_code code;
} codes[] = {{"best", CSV_CODE_BEST}, {"scalar", CSV_CODE_SCALAR}, {"cells", CSV_CODE_CELLS}};

// A form of the rows.
static const struct form {
    const char *name;
    char separator, point;
    bool times, packed;
} usual = {"usual", ',', '.', false, false}, commas = {"; and ,", ';', ',', false, false},
  forms[] = {{"times", ',', '.', true, false}, {"gzip", ',', '.', false, true}};

// The rows, 1/32 s apart, and the sums of their columns.
static void write_rows(const char *path, const struct form *form, const struct csv_table *recording,
                       size_t rows, double sums[3])
{
    const char s = form->separator, p = form->point;
    FILE *file = fopen(path, "w");
    time_t second = 1595574469; // 2020-07-24 07:07:49

    if (!file || recording->column_count < 3 || recording->rows == 0) {
        fprintf(stderr, "bench: %s: cannot be written, or the recording has not three columns\n", path);
        exit(3);
    }
    fprintf(file, "datetime%c acc_x%c acc_y%c acc_z\n", s, s, s);
    for (size_t i = 0; i < rows; i++) {
        time_t now = second + (time_t)(i / 32);
        struct tm parts;
        char stamp[32];
        double xyz[3];

        strftime(stamp, sizeof stamp, "%Y-%m-%d %H:%M:%S", gmtime_r(&now, &parts));
        for (size_t k = 0; k < 3; k++) {
            xyz[k] = recording->columns[k].values[i % recording->rows];
            sums[k] += xyz[k];
        }
        // Whole numbers.
        fprintf(file, "%s%c%06zu%c%.0f%c0%c%.0f%c0%c%.0f%c0\n", stamp, p, i % 32 * 31250, s, xyz[0], p, s,
                xyz[1], p, s, xyz[2], p);
    }
    if (fclose(file)) {
        perror(path);
        exit(3);
    }
}

static double processor_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static bool is_right(const struct csv_table *table, size_t rows, const double sums[3])
{
    bool right = table->rows == rows && table->column_count == 3;

    for (size_t k = 0; k < 3 && right; k++) {
        double sum = 0;

        for (size_t i = 0; i < rows; i++)
            sum += table->columns[k].values[i];
        right = sum == sums[k]; // whole numbers
    }
    return right;
}

static void print_rates(const char *name, unsigned threads, double bytes, double *wall, double *processor,
                        size_t repetitions, bool right)
{
    struct bench_times walls = bench_times_of(wall, repetitions);
    struct bench_times processors = bench_times_of(processor, repetitions);

    printf("%-14s %7u  %8.3f %8.3f  %8.3f %8.3f  %s\n", name, threads, bytes / walls.median / 1e9,
           bytes / walls.least / 1e9, bytes / processors.median / 1e9, bytes / processors.least / 1e9,
           right ? "right" : "WRONG");
    fflush(stdout);
}

// What is read, and the expected result.
struct subject {
    const char *name, *path;
    double bytes; // of the text
    const double *sums;
    struct csv_options options;
};

static bool read_once(const struct subject *subject, size_t rows, double *wall, double *processor)
{
    struct csv_table table;
    double start = bench_seconds(), processor_start = processor_seconds();
    bool right;

    bench_try(csv_read(subject->path, &subject->options, &table, &err), &err);
    *wall = bench_seconds() - start;
    *processor = processor_seconds() - processor_start;
    right = is_right(&table, rows, subject->sums);
    csv_free(&table);
    return right;
}

// All subjects in turn, so that other load on the machine affects all of them.
static void report(const struct subject *subjects, size_t count, size_t rows, size_t repetitions)
{
    double wall[MOST_SUBJECTS][MOST_REPETITIONS], processor[MOST_SUBJECTS][MOST_REPETITIONS];
    bool right[MOST_SUBJECTS] = {false};

    for (size_t i = 0; i < repetitions; i++)
        for (size_t k = 0; k < count; k++)
            right[k] = read_once(&subjects[k], rows, &wall[k][i], &processor[k][i]) && (i == 0 || right[k]);
    for (size_t k = 0; k < count; k++)
        print_rates(subjects[k].name, subjects[k].options.threads, subjects[k].bytes, wall[k], processor[k],
                    repetitions, right[k]);
}

static double size_of(const char *path)
{
    struct stat info;

    return stat(path, &info) ? (exit(3), 0) : (double)info.st_size;
}

// The file's bytes; the caller frees them.
static unsigned char *whole(const char *path, size_t *count)
{
    unsigned char *bytes;
    FILE *file = fopen(path, "rb");

    *count = (size_t)size_of(path);
    bytes = malloc(*count);
    if (!file || !bytes || fread(bytes, 1, *count, file) != *count)
        exit(3);
    fclose(file);
    return bytes;
}

static void pack(const char *path)
{
    size_t count;
    unsigned char *bytes = whole(path, &count);
    gzFile file = gzopen(path, "wb6");

    if (!file || gzwrite(file, bytes, (unsigned)count) != (int)count || gzclose(file) != Z_OK)
        exit(3);
    free(bytes);
}

// zlib alone, in one call.
static void report_inflate(const char *path, size_t bytes, size_t repetitions)
{
    double wall[MOST_REPETITIONS], processor[MOST_REPETITIONS];
    size_t count;
    unsigned char *packed = whole(path, &count), *to = calloc(1, bytes);
    bool right = to != NULL;

    for (size_t i = 0; i < repetitions && right; i++) {
        z_stream stream = {
            .next_in = packed, .avail_in = (uInt)count, .next_out = to, .avail_out = (uInt)bytes};
        double start = bench_seconds(), processor_start = processor_seconds();

        right = inflateInit2(&stream, 16 + MAX_WBITS) == Z_OK && inflate(&stream, Z_FINISH) == Z_STREAM_END;
        inflateEnd(&stream);
        wall[i] = bench_seconds() - start;
        processor[i] = processor_seconds() - processor_start;
    }
    print_rates("inflate", 1, (double)bytes, wall, processor, repetitions, right);
    free(packed);
    free(to);
}

// Decimal commas beside the usual form at `path`, by both codes that read plain rows.
static void report_commas(const char *path, const struct csv_table *recording, size_t rows, unsigned threads,
                          size_t repetitions)
{
    char other[4096];
    double sums[3] = {0, 0, 0};

    snprintf(other, sizeof other, "%s.commas", path);
    write_rows(other, &commas, recording, rows, sums);
    for (unsigned k = 1; k <= threads; k *= 2) {
        const struct csv_options best = {.threads = k}, scalar = {.threads = k, .code = CSV_CODE_SCALAR};
        const struct subject subjects[] = {{"usual", path, size_of(path), sums, best},
                                           {"; and ,", other, size_of(other), sums, best},
                                           {"usual, scalar", path, size_of(path), sums, scalar},
                                           {"; and , scalar", other, size_of(other), sums, scalar}};

        report(subjects, KI_COUNT(subjects), rows, repetitions);
    }
    unlink(other);
}

static void report_forms(const char *path, const struct csv_table *recording, size_t rows, unsigned threads,
                         size_t repetitions)
{
    for (size_t i = 0; i < KI_COUNT(forms); i++) {
        double sums[3] = {0, 0, 0}, bytes;

        write_rows(path, &forms[i], recording, rows, sums);
        bytes = size_of(path);
        if (forms[i].packed) {
            pack(path);
            report_inflate(path, (size_t)bytes, repetitions);
        }
        for (unsigned k = 1; k <= threads; k *= 2) {
            const struct csv_options options = {.threads = k, .times = forms[i].times};

            report(&(struct subject){forms[i].name, path, bytes, sums, options}, 1, rows, repetitions);
        }
    }
}

int main(int argc, char **argv)
{
    const char *data = getenv("KOINE_DATA"), *keep = NULL;
    size_t rows = 2000000, repetitions = 15;
    unsigned threads = 2;
    char recording[4096], path[] = "/tmp/koine-bench-XXXXXX";
    struct csv_table table;
    double sums[3] = {0, 0, 0};
    int file;

    snprintf(recording, sizeof recording, "%s/acc/ACC_msr2023.csv", data ? data : "../shared/data");
    for (int i = 1; i < argc; i++) {
        if (i + 1 < argc && strcmp(argv[i], "--threads") == 0)
            threads = (unsigned)strtoul(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--rows") == 0)
            rows = (size_t)strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--repetitions") == 0)
            repetitions = (size_t)strtoull(argv[++i], NULL, 10);
        else if (i + 1 < argc && strcmp(argv[i], "--keep") == 0)
            keep = argv[++i];
        else if (argv[i][0] != '-')
            snprintf(recording, sizeof recording, "%s", argv[i]);
        else
            return fprintf(stderr,
                           "usage: %s [--threads N] [--rows N] [--repetitions N] [--keep FILE] [RECORDING]\n",
                           argv[0]),
                   2;
    }
    repetitions = repetitions < 1 ? 1 : repetitions > MOST_REPETITIONS ? MOST_REPETITIONS : repetitions;
    if (!keep && (file = mkstemp(path)) >= 0)
        close(file);
    bench_try(csv_read(recording, NULL, &table, &err), &err);
    write_rows(keep ? keep : path, &usual, &table, rows, sums);
    printf("%-14s %7s  %17s  %17s\n%-14s %7s  %8s %8s  %8s %8s\n", "", "", "GB/s, wall", "GB/s, processor",
           "code", "threads", "median", "fastest", "median", "fastest");
    for (size_t code = 0; code < KI_COUNT(codes); code++)
        for (unsigned i = 1; i <= threads; i *= 2)
            report(&(struct subject){codes[code].name,
                                     keep ? keep : path,
                                     size_of(keep ? keep : path),
                                     sums,
                                     {.threads = i, .code = codes[code].code}},
                   1, rows, repetitions);
    if (!keep) {
        report_commas(path, &table, rows, threads, repetitions);
        report_forms(path, &table, rows, threads, repetitions);
        unlink(path);
    }
    csv_free(&table);
    return 0;
}
