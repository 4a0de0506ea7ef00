#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrong input to every public function that returns a status, one wrong argument at a time among right ones: sizes that
# overflow, numbers outside an enumeration, a buffer of one byte, objects of another context. The function refuses it with a
# sentence, and writes nothing. The calls are generated from the headers, so that no function is left out except those that take
# handles of OpenCL and CUDA; every_function.sh tests NULL. WRONG_INPUT_SENTENCES=1 prints each function's sentence.
. "${srcdir:?}/tests/e2e/common.sh"

lib=${builddir:?}/.libs/libkoine.so
[ -e "$lib" ] || skip shared "there is no $lib: configured with --disable-shared"
"$builddir/koine" devices --json - | grep -q '"default": true' || skip device "there is no device"
source=$srcdir/tests/e2e/library/wrong_input.c

# What looks wrong here and is not: NAME or NAME:PARAMETER, and why.
cat >"$work/left" <<'END'
kn_flight_watch its memory is written to from then on
kn_windows:width wider than the data: there is no window
kn_windows:step there is one window
kn_host_windows:width as kn_windows
kn_host_windows:step as kn_windows
kn_cache_get_default_dir:size a larger array than is needed
kn_recon_solution_pack:room a larger array than is needed
kn_offline_get_cuda_archs:capacity a larger array than is needed
kn_distribute_put a result is there while a piece is computed: tests/unit/distribute
kn_kernel_get_resources:group_items 0 such groups are in a multiprocessor
kn_kernel_get_resources:local_bytes 0 such groups are in a multiprocessor
END

# Declarations, one a line, from "KN_API" to ")".
sed 's://.*::' "$srcdir"/include/koine/*.h "$srcdir"/include/koine/experimental/*.h | tr '\n' ' ' | tr ';' '\n' |
    sed -n 's/.*KN_API \(kn_status .*)\) *$/\1/p' | grep -v 'cl_context\|cl_mem\|cl_command_queue\|_wrap_cuda' | tr -s ' ' \
    >"$work/declarations"
[ "$(wc -l <"$work/declarations")" -gt 100 ] || fail "the headers' functions were not found"
sed -n 's/^.*[ *]right_\(kn_[a-z_]*\).*/\1/p' "$source" | sort -u >"$work/given"

awk '
    FILENAME ~ /left$/ { left[$1] = 1; next }
    FILENAME ~ /given$/ { given[$1] = 1; next }
    # The argument for a parameter where all is right.
    function right(type, name, number)
    {
        if (type == "kn_error *") return "&err"
        if (type == "kn_buffer *") return "right.buffer[" buffers++ "]"
        if (type == "kn_buffer *[3]") return "(const kn_buffer *const[3]){right.buffer[3], right.buffer[4], right.buffer[5]}"
        if (type in object) return "right." object[type]
        if (type ~ /\*\*$/) return "(void *)&made"
        if (type ~ /options \*$/ || type == "kn_event *") return "NULL"
        bare = type
        sub(/ \*$/, "", bare)
        if (bare in given) return "right_" bare
        if (type == "char *") return constant ? "text" : "(char *)block"
        if (type == "size_t *" && constant) return "numbers"
        if (type ~ /[*\]]$/) return constant ? "(const void *)zeros" : "(void *)block"
        if (type == "kn_type") return name ~ /^(index_type|length_type)$/ ? "KN_U32" : "KN_F32"
        if (type ~ /^(size_t|unsigned|unsigned long long|uint64_t|int)$/) return "4"
        if (type == "double") return "0.5"
        if (type == "bool") return "false"
        return "(" type ")1"
    }
    function emit(what, at, argument,    i, call)
    {
        call = ""
        for (i = 1; i <= count; i++)
            call = call (i > 1 ? ", " : "") (i == at ? argument : rights[i])
        printf "    CALL(\"%s, %s\", %s(%s));\n", name, what, name, call
    }
    BEGIN {
        split("context queue image program kernel fft_plan stats_plan autocorr_plan recon_plan operator solve_plan tomography_fbp_plan", list, " ")
        for (i in list) object["kn_" list[i] " *"] = list[i] == "operator" ? "operator_" : list[i]
    }
    {
        open = index($0, "(")
        name = substr($0, 11, open - 11)
        if (name in left) next
        count = split(substr($0, open + 1, length($0) - open - 1), list, ",")
        buffers = bound = 0
        for (i = 1; i <= count; i++) {
            argument = list[i]
            gsub(/^ +| +$/, "", argument)
            constant = argument ~ /^const /
            gsub(/const /, "", argument)
            gsub(/\*const/, "*", argument)
            names[i] = argument
            array = sub(/\[[^\]]*\]$/, "", names[i])
            types[i] = names[i]
            sub(/.*[ *]/, "", names[i])
            types[i] = substr(types[i], 1, length(types[i]) - length(names[i])) (array ? " *" : "")
            gsub(/ +/, " ", types[i])
            sub(/ $/, "", types[i])
            if (argument ~ /kn_buffer.*\[3\]/) types[i] = "kn_buffer *[3]"
            rights[i] = right(types[i], names[i])
            if (types[i] ~ /^kn_buffer \*(\[3\])?$/ || types[i] in object) bound++
        }
        for (i = 1; i <= count; i++) {
            if ((name ":" names[i]) in left) continue
            if (types[i] == "size_t") {
                emit(names[i] " overflows", i, "SIZE_MAX")
                emit(names[i] " wraps", i, "SIZE_MAX / 4 + 2")
            } else if (types[i] ~ /^kn_[a-z_]*$/ && types[i] !~ /^kn_image_format$|_function$/) {
                emit(names[i] " is no " types[i], i, "(" types[i] ")99")
            } else if (types[i] == "kn_buffer *") {
                emit(names[i] " of a byte", i, "tiny")
            } else if (types[i] == "kn_buffer *[3]") {
                emit(names[i] " of a byte", i, "(const kn_buffer *const[3]){right.buffer[3], tiny, right.buffer[5]}")
            }
            if (bound > 1 && (types[i] in object || types[i] == "kn_buffer *")) {
                foreign = rights[i]
                sub(/right/, "other", foreign)
                emit(names[i] " of another context", i, foreign)
            }
        }
    }' "$work/left" "$work/given" "$work/declarations" >"$work/body"
{
    printf 'static void make_calls(void)\n{\n    kn_error err = KN_ERROR_INIT;\n\n'
    cat "$work/body"
    printf '}\n'
} >"$work/calls.h"
[ "$(wc -l <"$work/calls.h")" -gt 300 ] || fail "only $(wc -l <"$work/calls.h") lines of calls were made"

${CC:-cc} -std=gnu11 -Wall -Wextra -Wno-enum-conversion -DCL_TARGET_OPENCL_VERSION=120 -I"$srcdir/include" -I"$work" \
    -o "$work/wrong" "$source" "$lib" || fail "the calls do not compile"
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} "$work/wrong" >"$work/out" ||
    fail "($?): $(cat "$work/out")"
cat "$work/out"
