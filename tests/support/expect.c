// SPDX-License-Identifier: Apache-2.0
#include "support/expect.h"

kn_error err;
