#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No two files of a folder call each other in a circle: the dispatcher is at the top, its variants below it, and what they
# share at the bottom. It checks the symbols of this build's objects; permitted circles are listed with the reason.
# shellcheck source-path=SCRIPTDIR source=../common.sh
. "${srcdir:?}/tests/e2e/common.sh"

command -v nm >/dev/null || skip nm "nm is not there"
command -v python3 >/dev/null || skip python3 "python3 is not there"

cat >"$work/circles.py" <<'END'
import collections, os, subprocess, sys

# Folder of src -> files that may stand in one circle, and why.
ALLOWED = {
    "source/preprocess": ("*", "directives and macros expand one another, as C's preprocessor is defined"),
    "source/syntax": ("*", "a grammar: expressions hold declarations, and declarations expressions"),
    "source/cuda": ("*", "the same grammar, printed"),
    "backend/opencl": ("*", "one table of functions, whose parts fail in the same words"),
    "backend/cuda": ("*", "one table of functions, whose parts enter and leave the context together"),
    "engine": ("*", "a context owns what is made in it, and all of that asks the context"),
    "io/image": ("image image_npy image_png image_tiff", "the formats take their memory from what calls them"),
    "app/stats": ("deviations deviations_avx2 deviations_avx512", "vectors leave the rest of a row to the plain loop"),
}


def objects(top, sources):
    """Name below src, without an ending -> its object, where the source is still there."""
    found = {}
    for folder, _, files in os.walk(top):
        for file in files:
            if not file.endswith(".o"):
                continue
            room = os.path.relpath(folder, top)
            if os.path.basename(room) == ".libs":
                room = os.path.dirname(room)
            name = os.path.join(room, file[:-2].rpartition("-")[2])  # libkoine_plain_la-NAME.o
            if not os.path.exists(os.path.join(sources, name + ".c")):
                continue
            if "/.libs/" in os.path.join(folder, file) or name not in found:
                found[name] = os.path.join(folder, file)
    return found


def calls(found):
    """Object's name -> {name of what defines a symbol that it wants: those symbols}."""
    by_path = {path: name for name, path in found.items()}
    listed = subprocess.run(["nm", "-A", *by_path], capture_output=True, text=True, check=True).stdout
    defined, wanted = {}, collections.defaultdict(list)
    for line in listed.splitlines():
        path, _, rest = line.partition(":")
        words = rest.split()
        if words[0] == "U":
            wanted[by_path[path]].append(words[1])
        elif len(words) == 3 and words[1] in "TDRBCVW":
            defined[words[2]] = by_path[path]
    graph = {name: collections.defaultdict(list) for name in found}
    for name, symbols in wanted.items():
        for symbol in symbols:
            to = defined.get(symbol, name)
            if to != name and os.path.dirname(to) == os.path.dirname(name):
                graph[name][to].append(symbol)
    return graph


def circles(graph):
    """Sets of names, of which each reaches the others and itself."""
    reached = {}
    for name in graph:
        seen, left = set(), list(graph[name])
        while left:
            at = left.pop()
            if at not in seen:
                seen.add(at)
                left += graph[at]
        reached[name] = seen
    rings = {frozenset(m for m in reached[n] if n in reached[m]) for n in graph if n in reached[n]}
    return sorted(sorted(ring) for ring in rings)


graph = calls(objects(sys.argv[1], sys.argv[2]))
if sum(len(to) for to in graph.values()) < 100:
    sys.exit("%d objects in %s hardly call one another: this is not the build" % (len(graph), sys.argv[1]))
failed = False
for ring in circles(graph):
    room, names = os.path.dirname(ring[0]), [os.path.basename(name) for name in ring]
    allowed = ALLOWED.get(room, ("", ""))[0]
    if allowed == "*" or set(names) <= set(allowed.split()):
        continue
    failed = True
    print("src/%s: %s call one another in a circle:" % (room, ", ".join(names)))
    for name in ring:
        for to in sorted(set(ring) & set(graph[name])):
            print("    %s wants of %s: %s" % (os.path.basename(name), os.path.basename(to), " ".join(graph[name][to])))
sys.exit(failed)
END
python3 "$work/circles.py" "$builddir/src" "$srcdir/src" || fail "files call one another in a circle; move what they share below them"
