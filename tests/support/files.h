// SPDX-License-Identifier: Apache-2.0
// Files of tests: scratch folders, whole files written and read, and the real data.
#ifndef KN_TESTS_SUPPORT_FILES_H
#define KN_TESTS_SUPPORT_FILES_H

#include <stdbool.h>
#include <stddef.h>

// The path of a real data file under KOINE_DATA (default: shared/data beside the source folder). False, after
// a line that says so, if it is missing; the test fails instead if KOINE_REQUIRE lists "data".
bool test_data_path(const char *name, char *path, size_t size);

// A new empty folder below TMPDIR; the caller frees the name, and removes the folder with test_remove.
char *test_folder(void);

// Creates the missing folders above a file's path.
void test_make_parents(const char *path);

// Removes a scratch folder and the plain files in it.
void test_remove(char *folder);

// Writes a file of these bytes.
void test_write(const char *path, const void *bytes, size_t count);

// Reads the first bytes of a file; returns how many there were.
size_t test_read(const char *path, void *bytes, size_t room);

// Reads a whole text file of less than a megabyte; the caller frees it.
char *test_read_text(const char *path);

// The number of files and folders in a folder.
size_t test_files_in(const char *path);

#endif
