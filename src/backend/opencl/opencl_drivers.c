// SPDX-License-Identifier: Apache-2.0
#include "opencl_drivers.h"

#include <dirent.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/error.h"
#include "base/os/process.h"
#include "opencl.h"

#define VARIABLE "OCL_ICD_VENDORS" // of ocl-icd and of Khronos' loader
#define VENDORS  "/etc/OpenCL/vendors"
#define SUFFIX   ".icd"

// The loader opens its drivers once in a process, in its first call; this says whether it has. It is the
// loader's state, not a setting of ours.
static atomic_bool opened;

void ki_opencl_drivers_opened(void)
{
    atomic_store(&opened, true);
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static bool ends_in_suffix(const char *name)
{
    size_t length = strlen(name);

    return length > strlen(SUFFIX) && strcmp(name + length - strlen(SUFFIX), SUFFIX) == 0;
}

static int is_icd(const struct dirent *item)
{
    return ends_in_suffix(item->d_name);
}

// The library that an .icd file names in its first line; "" if it cannot be read.
static void read_library(const char *icd, char library[PATH_MAX])
{
    FILE *file = fopen(icd, "r");

    library[0] = '\0';
    if (!file)
        return;
    if (!fgets(library, PATH_MAX, file))
        library[0] = '\0';
    library[strcspn(library, "\r\n")] = '\0';
    fclose(file);
}

static kn_status add(struct be_driver **list, size_t *count, const char *folder, const char *name,
                     kn_error *err)
{
    struct be_driver *grown = realloc(*list, (*count + 1) * sizeof **list);
    struct be_driver *driver;

    if (!grown)
        return ki_fail_memory(err, 0, "listing OpenCL drivers");
    *list = grown;
    driver = &grown[*count];
    memset(driver, 0, sizeof *driver);
    if (snprintf(driver->file, sizeof driver->file, "%s%s%s", folder, *folder ? "/" : "", name) >=
        (int)sizeof driver->file)
        return KN_OK; // the loader cannot open it either
    if (ends_in_suffix(driver->file))
        read_library(driver->file, driver->library);
    else
        snprintf(driver->library, sizeof driver->library, "%s", driver->file);
    ++*count;
    return KN_OK;
}

kn_status ki_opencl_drivers(struct be_driver **list, size_t *count, kn_error *err)
{
    const char *named = getenv(VARIABLE), *older = getenv("OPENCL_VENDOR_PATH");
    const char *folder = named && *named ? named : older && *older ? older : VENDORS;
    struct dirent **names = NULL;
    char why[OPENCL_WHY_BYTES];
    kn_status status = KN_OK;
    int found;

    *list = NULL;
    *count = 0;
    if (atomic_load(&opened) || !ki_opencl_load(why))
        return KN_OK;
    if (!is_folder(folder))
        return folder == named ? add(list, count, "", named, err) : KN_OK;
    found = scandir(folder, &names, is_icd, alphasort);
    for (int i = 0; i < found; i++) {
        if (!status)
            status = add(list, count, folder, names[i]->d_name, err);
        free(names[i]);
    }
    free(names);
    if (status) {
        free(*list);
        *list = NULL;
        *count = 0;
    }
    return status;
}

// A new folder with copies of these .icd files, under numbers that keep their order.
static kn_status make_folder(const struct be_driver *list, size_t count, char folder[PATH_MAX], kn_error *err)
{
    char path[PATH_MAX + 32];
    kn_status status = ki_process_folder(folder, err);

    for (size_t i = 0; i < count && !status; i++) {
        bool written;
        FILE *file;

        snprintf(path, sizeof path, "%s/%04zu" SUFFIX, folder, i);
        file = fopen(path, "w");
        written = file && fprintf(file, "%s\n", list[i].library) >= 0;
        if ((file && fclose(file) != 0) || !written)
            status = ki_fail_errno(err, KN_ERROR_OUTPUT, path, errno,
                                   "a list of OpenCL drivers cannot be written");
    }
    if (status)
        ki_process_folder_remove(folder);
    return status;
}

kn_status ki_opencl_driver_alone(const struct be_driver *driver, char variable[PATH_MAX],
                                 char folder[PATH_MAX], kn_error *err)
{
    bool is_alone = !ends_in_suffix(driver->file);
    kn_status status = is_alone ? KN_OK : make_folder(driver, 1, folder, err);

    if (is_alone)
        folder[0] = '\0';
    if (!status &&
        snprintf(variable, PATH_MAX, VARIABLE "=%s", is_alone ? driver->file : folder) >= PATH_MAX) {
        if (!is_alone)
            ki_process_folder_remove(folder);
        status =
            ki_fail(err, KN_ERROR_OUTPUT, "the path of a list of OpenCL drivers is longer than any may be");
    }
    return status;
}

// The environment is the only way to tell the loader, which reads it in its first call: the variable has
// another value during that call.
kn_status ki_opencl_drivers_open(const struct be_driver *list, size_t count, kn_error *err)
{
    const char *before = getenv(VARIABLE);
    char *kept = before ? strdup(before) : NULL;
    char folder[PATH_MAX], why[OPENCL_WHY_BYTES];
    cl_uint platforms = 0;
    kn_status status;

    if (before && !kept)
        return ki_fail_memory(err, 0, "opening OpenCL drivers");
    if (!ki_opencl_load(why)) {
        free(kept);
        return ki_fail(err, KN_ERROR_UNSUPPORTED, "OpenCL cannot be used: %s", why);
    }
    status = make_folder(list, count, folder, err);
    if (!status && setenv(VARIABLE, folder, 1) != 0) {
        status = ki_fail_memory(err, 0, "opening OpenCL drivers");
        ki_process_folder_remove(folder);
    } else if (!status) {
        (void)cl->GetPlatformIDs(0, NULL, &platforms); // the result is queried again when devices are listed
        ki_opencl_drivers_opened();
        if (kept)
            setenv(VARIABLE, kept, 1);
        else
            unsetenv(VARIABLE);
        ki_process_folder_remove(folder);
    }
    free(kept);
    return status;
}
