#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# None of our kernels spills registers if tests/data/resources.txt says that it does not.
. "${srcdir:-.}/tests/e2e/lib.sh"

status=0
KOINE=$(command -v "$KOINE") "${srcdir:-.}/scripts/resources" || status=$?
[ $status -ne 77 ] || skip offline "no compiler is here that tells of registers"
exit $status
