// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE // O_PATH
#include <config.h>

#include "cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define MAX_LINKS 40 // as many as Linux follows
#define ADVICE    "KOINE_CACHE_DIR may name another folder"

// The path down to a folder.
struct walk {
    int fd;              // of the folder reached so far
    char seen[PATH_MAX]; // its name, for messages
    char rest[PATH_MAX]; // the rest of the path
    uid_t system;        // the owner of "/"
    bool shared;         // the folder reached is sticky and others can write it
    unsigned links;      // followed so far
    bool make;           // create missing folders
    kn_error *err;
};

// The user's own group: it has the user's name and no other members. Root's does not count, because on many
// systems others have group 0 as their primary group.
static bool is_private_group(gid_t gid)
{
    struct passwd user, *has_user = NULL;
    struct group group, *has_group = NULL;
    char users[4096], groups[16384];

    if (gid == 0 || getpwuid_r(geteuid(), &user, users, sizeof users, &has_user) != 0 || !has_user ||
        getgrgid_r(gid, &group, groups, sizeof groups, &has_group) != 0 || !has_group ||
        strcmp(user.pw_name, group.gr_name) != 0)
        return false;
    for (char **member = group.gr_mem; *member; member++)
        if (strcmp(*member, user.pw_name) != 0)
            return false;
    return true;
}

static bool others_can_write(const struct stat *info)
{
    return (info->st_mode & S_IWOTH) || ((info->st_mode & S_IWGRP) && !is_private_group(info->st_gid));
}

static bool is_ours(uid_t owner)
{
    return owner == geteuid() || owner == 0;
}

const char *ki_cache_file_distrust(const struct stat *info)
{
    if (!is_ours(info->st_uid))
        return "it belongs to another user";
    return others_can_write(info) ? "others can write it" : NULL;
}

// Anybody may have created what lies below a shared folder: there the owner of "/", whose uid stands for many
// users, is not trusted.
static bool owner_is_trusted(const struct walk *walk, uid_t owner)
{
    return is_ours(owner) || (owner == walk->system && !walk->shared);
}

static bool is_last(const struct walk *walk)
{
    return strspn(walk->rest, "/.") == strlen(walk->rest) && !strstr(walk->rest, "..");
}

static kn_status fail_errno(const struct walk *walk, int number, const char *what)
{
    return ki_fail_errno(walk->err, KN_ERROR_OUTPUT, walk->seen, number, "%s", what);
}

// Checks the folder that was opened, and continues from there.
static kn_status enter(struct walk *walk, int fd)
{
    bool last = is_last(walk);
    struct stat info;

    if (walk->fd >= 0)
        close(walk->fd);
    walk->fd = fd;
    if (fstat(fd, &info) != 0)
        return fail_errno(walk, errno, "the cache folder cannot be examined");
    if (last ? !is_ours(info.st_uid) : !owner_is_trusted(walk, info.st_uid))
        return ki_fail_at(walk->err, KN_ERROR_OUTPUT, walk->seen, 0,
                          "this folder%s belongs to another user (uid %ld, yours is %ld), who could put "
                          "programs there; " ADVICE,
                          last ? "" : ", in which the cache lies,", (long)info.st_uid, (long)geteuid());
    walk->shared = others_can_write(&info);
    if (walk->shared && (last || !(info.st_mode & S_ISVTX)))
        return ki_fail_at(
            walk->err, KN_ERROR_OUTPUT, walk->seen, 0,
            "others can write this folder%s (mode %04o), and could put programs there; 'chmod go-w' "
            "changes that, or " ADVICE,
            last ? "" : ", in which the cache lies", (unsigned)info.st_mode & 07777u);
    return KN_OK;
}

static kn_status enter_root(struct walk *walk)
{
    int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    struct stat info;

    strcpy(walk->seen, "/");
    if (fd < 0)
        return fail_errno(walk, errno, "the folder cannot be opened");
    walk->shared = false;
    walk->system = fstat(fd, &info) == 0 ? info.st_uid : 0;
    return enter(walk, fd);
}

// Puts the link's text before the rest of the path. KN_OK with *is_link false if `name` is not a link.
static kn_status follow(struct walk *walk, const char *name, bool *is_link)
{
    char text[PATH_MAX], rest[PATH_MAX];
    struct stat info;
    ssize_t length = readlinkat(walk->fd, name, text, sizeof text - 1);

    *is_link = length >= 0;
    if (length < 0)
        return KN_OK;
    text[length] = '\0';
    if (++walk->links > MAX_LINKS)
        return fail_errno(walk, ELOOP, "the cache folder cannot be opened");
    if (fstatat(walk->fd, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return fail_errno(walk, errno, "the cache folder cannot be examined");
    if (!owner_is_trusted(walk, info.st_uid))
        return ki_fail_at(
            walk->err, KN_ERROR_OUTPUT, walk->seen, 0,
            "the symbolic link '%s' in this folder belongs to another user (uid %ld, yours is %ld), who "
            "could make it lead anywhere; " ADVICE,
            name, (long)info.st_uid, (long)geteuid());
    memcpy(rest, walk->rest, sizeof rest);
    if (snprintf(walk->rest, sizeof walk->rest, "%s/%s", text, rest) >= (int)sizeof walk->rest)
        return fail_errno(walk, ENAMETOOLONG, "the cache folder cannot be opened");
    return text[0] == '/' ? enter_root(walk) : KN_OK;
}

static int open_below(const struct walk *walk, const char *name)
{
    int fd = openat(walk->fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (fd >= 0 || errno != ENOENT || !walk->make)
        return fd;
    if (mkdirat(walk->fd, name, 0700) != 0 && errno != EEXIST)
        return -1;
    return openat(walk->fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

// Follows one name of the path. *there is false if it does not exist.
static kn_status step(struct walk *walk, const char *name, bool *there)
{
    int fd = open_below(walk, name), number = errno;
    bool is_link = false;
    size_t length = strlen(walk->seen);
    kn_status status;

    *there = true;
    if (fd < 0 && (number == ELOOP || number == ENOTDIR)) {
        status = follow(walk, name, &is_link);
        if (status || is_link)
            return status;
    }
    snprintf(walk->seen + length, sizeof walk->seen - length, "%s%s", length > 1 ? "/" : "", name);
    if (fd >= 0)
        return enter(walk, fd);
    *there = number != ENOENT || walk->make;
    return *there ? fail_errno(walk, number,
                               walk->make ? "the cache folder cannot be made"
                                          : "the cache folder cannot be opened")
                  : KN_OK;
}

// Takes the first name off the rest of the path; false at its end.
static bool next_name(struct walk *walk, char name[PATH_MAX])
{
    char *from = walk->rest + strspn(walk->rest, "/");
    size_t length = strcspn(from, "/");

    memcpy(name, from, length);
    name[length] = '\0';
    memmove(walk->rest, from + length, strlen(from + length) + 1);
    return length > 0;
}

// "/" and the path from there.
static kn_status begin(struct walk *walk, const char *dir)
{
    char here[PATH_MAX] = "";
    int length;

    if (dir[0] != '/' && !getcwd(here, sizeof here))
        return ki_fail_errno(walk->err, KN_ERROR_OUTPUT, dir, errno,
                             "the current folder, in which the cache lies, has no name");
    length = snprintf(walk->rest, sizeof walk->rest, "%s/%s", here, dir);
    if (length < 0 || (size_t)length >= sizeof walk->rest)
        return ki_fail_errno(walk->err, KN_ERROR_OUTPUT, dir, ENAMETOOLONG,
                             "the cache folder cannot be opened");
    return enter_root(walk);
}

kn_status ki_cache_folder_open(const char *dir, bool make, int *folder, kn_error *err)
{
    struct walk walk = {.fd = -1, .make = make, .err = err};
    char name[PATH_MAX];
    bool there = true;
    kn_status status = begin(&walk, dir);

    while (!status && there && next_name(&walk, name))
        if (strcmp(name, ".") != 0)
            status = step(&walk, name, &there);
    *folder = !status && there ? walk.fd : -1;
    if (*folder < 0 && walk.fd >= 0)
        close(walk.fd);
    return status;
}
