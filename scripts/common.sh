# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=sh
# What quickstart and test share: `. scripts/common.sh` from the root of the tree.
LC_ALL=C
export LC_ALL

say()
{
    printf '%s\n' "$*"
}

die()
{
    printf '%s: %s\n' "${0##*/}" "$*" >&2
    exit 1
}

# The number of jobs that make may run at once.
# shellcheck disable=SC2034 # used by the scripts that read this file
jobs=${JOBS:-$(getconf _NPROCESSORS_ONLN)}

# quietly LOG WORDS COMMAND...: runs the command with its output in LOG; shows the end of the log if it fails.
quietly()
{
    log=$1
    printf '%s ... ' "$2"
    shift 2
    if "$@" >"$log" 2>&1; then
        say "done"
    else
        say FAILED
        tail -n 40 "$log"
        die "that was the end of $log"
    fi
}

# Whether ./configure has to be generated (again).
bootstrap_needed()
{
    [ ! -f configure ] || [ ! -f Makefile.in ] ||
        [ -n "$(find configure.ac m4 -name 'l*.m4' -prune -o -type f -newer configure -print)" ] ||
        [ -n "$(find Makefile.am include src cl bench tests \( -name '*.am' -o -name tests.list \) ! -path tests/tests.am -newer Makefile.in)" ]
}

# run_in DIR COMMAND...
run_in()
{
    (cd "$1" && shift && "$@")
}
