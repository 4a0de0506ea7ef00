#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The binary interface matches tests/data/libkoine.abi: no function and no member of a struct was added, removed or moved
# unless that file says so.
. "${srcdir:?}/tests/e2e/common.sh"

status=0
BUILD=${builddir:?} "$srcdir/scripts/abi" || status=$?
[ $status -ne 77 ] || skip abi "the interface cannot be described here"
exit $status
