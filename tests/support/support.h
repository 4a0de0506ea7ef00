// SPDX-License-Identifier: Apache-2.0
// What nearly every unit test needs: Check, files, random numbers, and required resources.
#ifndef KN_TESTS_SUPPORT_SUPPORT_H
#define KN_TESTS_SUPPORT_SUPPORT_H

#include <errno.h>
#include <locale.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "files.h"
#include "support/assertions.h"
#include "support/memory/memory.h"
#include "random.h"
#include "require.h"

#endif
