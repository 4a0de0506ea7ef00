// SPDX-License-Identifier: Apache-2.0
#include "support/files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/assertions.h"
#include "support/require.h"

bool test_data_path(const char *name, char *path, size_t size)
{
    const char *data = getenv("KOINE_DATA");
    const char *source = getenv("srcdir");

    if (data && *data)
        snprintf(path, size, "%s/%s", data, name);
    else
        snprintf(path, size, "%s/../shared/data/%s", source && *source ? source : ".", name);
    if (access(path, R_OK) == 0)
        return true;
    ck_assert_msg(!test_require("data"), "%s: needed (KOINE_REQUIRE lists data), but cannot be read", path);
    fprintf(stderr, "skipped: %s is not there (set KOINE_DATA)\n", path);
    return false;
}

char *test_folder(void)
{
    const char *root = getenv("TMPDIR");
    char *path = malloc(4096);

    ck_assert_ptr_nonnull(path);
    snprintf(path, 4096, "%s/koine-test-XXXXXX", root && *root ? root : "/tmp");
    ck_assert_ptr_nonnull(mkdtemp(path));
    return path;
}

void test_make_parents(const char *path)
{
    char folder[4400];

    ck_assert_uint_lt(strlen(path), sizeof folder);
    for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        snprintf(folder, sizeof folder, "%.*s", (int)(slash - path), path);
        ck_assert(mkdir(folder, 0700) == 0 || errno == EEXIST);
    }
}

void test_remove(char *folder)
{
    char command[4200];

    snprintf(command, sizeof command, "chmod -R u+rwx '%s' && rm -r '%s'", folder, folder);
    ck_assert_int_eq(system(command), 0);
    free(folder);
}

void test_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    ck_assert_int_eq(fclose(file), 0);
}

size_t test_read(const char *path, void *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    size_t count;

    ck_assert_msg(file != NULL, "%s: %s", path, strerror(errno));
    count = fread(bytes, 1, room, file);
    fclose(file);
    return count;
}

char *test_read_text(const char *path)
{
    enum { ROOM = 1 << 20 };
    char *text = calloc(1, ROOM);

    ck_assert_ptr_nonnull(text);
    ck_assert_uint_lt(test_read(path, text, ROOM - 1), ROOM - 1);
    return text;
}

size_t test_files_in(const char *path)
{
    DIR *folder = opendir(path);
    size_t count = 0;

    ck_assert_msg(folder != NULL, "%s: %s", path, strerror(errno));
    for (struct dirent *item; (item = readdir(folder));)
        count += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    closedir(folder);
    return count;
}
