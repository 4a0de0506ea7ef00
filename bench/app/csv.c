// SPDX-License-Identifier: Apache-2.0
// Times reading a CSV file of 2,000,000 rows such as
//
//     2020-07-24 07:07:49.031250,0.0,23.0,-60.0
//
// made of a recording's x, y and z, repeated, once for each number of threads and each code; sums are
// checked.
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

#include "base/array.h"
#include "io/csv/csv.h"
#include "bench/bench.h"

enum { MOST_REPETITIONS = 1000 };

static kn_error err = KN_ERROR_INIT;

static const struct {
    const char *name;
    enum csv_code code;
} codes[] = {{"best", CSV_CODE_BEST}, {"scalar", CSV_CODE_SCALAR}, {"cells", CSV_CODE_CELLS}};

// The rows, 1/32 s apart, and the sums of their columns.
static void write_rows(const char *path, const struct csv_table *recording, size_t rows, double sums[3])
{
    FILE *file = fopen(path, "w");
    time_t second = 1595574469; // 2020-07-24 07:07:49

    if (!file || recording->column_count < 3 || recording->rows == 0) {
        fprintf(stderr, "bench: %s: cannot be written, or the recording has not three columns\n", path);
        exit(3);
    }
    fputs("datetime, acc_x, acc_y, acc_z\n", file);
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
        fprintf(file, "%s.%06zu,%.1f,%.1f,%.1f\n", stamp, i % 32 * 31250, xyz[0], xyz[1], xyz[2]);
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

static void report(const char *path, size_t rows, const double sums[3], size_t code, unsigned threads,
                   size_t repetitions)
{
    double wall[MOST_REPETITIONS], processor[MOST_REPETITIONS];
    struct csv_options options = {.threads = threads, .code = codes[code].code};
    struct bench_times walls, processors;
    struct stat info;
    bool right = true;

    for (size_t i = 0; i < repetitions; i++) {
        struct csv_table table;
        double start = bench_seconds(), processor_start = processor_seconds();

        bench_try(csv_read(path, &options, &table, &err), &err);
        wall[i] = bench_seconds() - start;
        processor[i] = processor_seconds() - processor_start;
        right = right && is_right(&table, rows, sums);
        csv_free(&table);
    }
    if (stat(path, &info))
        exit(3);
    walls = bench_times_of(wall, repetitions);
    processors = bench_times_of(processor, repetitions);
    printf("%-7s %7u  %8.3f %8.3f  %8.3f %8.3f  %s\n", codes[code].name, threads,
           (double)info.st_size / walls.median / 1e9, (double)info.st_size / walls.least / 1e9,
           (double)info.st_size / processors.median / 1e9, (double)info.st_size / processors.least / 1e9,
           right ? "right" : "WRONG");
    fflush(stdout);
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
    write_rows(keep ? keep : path, &table, rows, sums);
    csv_free(&table);
    printf("%-7s %7s  %17s  %17s\n%-7s %7s  %8s %8s  %8s %8s\n", "", "", "GB/s, wall", "GB/s, processor",
           "code", "threads", "median", "fastest", "median", "fastest");
    for (size_t code = 0; code < KI_COUNT(codes); code++)
        for (unsigned i = 1; i <= threads; i *= 2)
            report(keep ? keep : path, rows, sums, code, i, repetitions);
    if (!keep)
        unlink(path);
    return 0;
}
