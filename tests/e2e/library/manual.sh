#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual's commands (doc/manual): the blocks `sh` of each page run in order in an empty folder, with the files of data/. Blocks
# `bash` install something: a table says what else runs them. Blocks `text`, and sentences, show commands that need other data:
# their options must exist. Blocks `python` are run by python/tests/test_manual.py, programs in C by examples.sh.
. "${srcdir:-.}/tests/e2e/lib.sh"
unset KOINE_DEVICE # as the manual's reader has it: what ends first computes
manual=$(cd "${srcdir:-.}/doc/manual" && pwd)

# blocks LANGUAGE PAGE: what stands in its blocks.
blocks()
{
    awk -v fence="\`\`\`$1" '{ line = $0; sub(/^ +/, "", line) } line == "```" { on = 0 } on; line == fence { on = 1 }' "$2"
}

# What the reader types, the file that runs it, and the words there.
cat >"$work/installs" <<'END'
scripts/quickstart|.github/workflows/test.yml|scripts/quickstart
scripts/test|.github/workflows/test.yml|scripts/test
./bootstrap && mkdir build && cd build && ../configure && make && make check|scripts/test|../configure CC=gcc && make distcheck
sudo make install|tests/e2e/library/install.sh|install DESTDIR
sudo apt-get build-dep ./ && dpkg-buildpackage -us -uc -b|packaging/container/Containerfile|apt-get build-dep
sudo apt-get install ../libkoine1_*.deb ../koine_*.deb|packaging/container/Containerfile|apt-get install -y /koine/libkoine1_*.deb /koine/koine_*.deb
python3 -m venv venv && . venv/bin/activate|scripts/test|python3 -m venv "$venv"
pip install .|scripts/test|pip" install --quiet --force-reinstall --no-deps .
END
while IFS='|' read -r line file words; do
    # A tarball has nothing for those that have git.
    [ -e "$srcdir/$file" ] || [ ! -e "$srcdir/.git" ] || fail "there is no $file"
    [ ! -e "$srcdir/$file" ] || grep -Fqe "$words" "$srcdir/$file" || fail "$file does not run what the manual has: $line"
done <"$work/installs"

not_run=
for page in "$manual"/*.md; do
    name=${page##*/}
    awk '{ sub(/^ +/, "") } /^```./ && !/^```((sh|bash|text|python)|\{[a-z]+\}.*)$/ { print; bad = 1 } END { exit bad }' "$page" ||
        fail "$name has a block that no test runs"
    blocks bash "$page" >"$work/shown"
    while IFS= read -r line; do
        grep -Fqe "$line|" "$work/installs" || fail "$name: what runs this? $line"
    done <"$work/shown"
    folder=$work/${name%.md}
    mkdir "$folder"
    blocks sh "$page" >"$folder/commands"
    [ -s "$folder/commands" ] || continue
    cp "$manual"/data/* "$folder/"
    if grep -q '^koine run' "$folder/commands" && ! koine devices --json - | grep -q '"default": true'; then
        not_run="$not_run $name"
        continue
    fi
    status=0
    (cd "$folder" && KOINE=$KOINE sh -ec 'koine() { "$KOINE" "$@"; }; . ./commands') >"$work/out" 2>"$work/err" || status=$?
    [ "$status" -eq 0 ] || fail "a command of $name ends with $status:
$(cat "$work/out" "$work/err")"
    echo "$name: $(grep -c '^koine ' "$folder/commands") commands"
done
[ -z "$not_run" ] || echo "without a device not run: $not_run"
for picture in stats/results/windows.svg autocorr/results/growth.svg recon/image.png solve/bounds.png; do
    [ -s "$work/$picture" ] || fail "the manual's commands leave no $picture"
done

# Commands that are only shown: they and their options exist.
for page in "$manual"/*.md "$srcdir/README.md"; do
    # shellcheck disable=SC2016 # the pages' own quotes
    {
        blocks text "$page"
        sed -n 's|^    \$ build/koine |koine |p' "$page"
        grep -o '`koine [a-z]* [^`]*`' "$page" || :
    } | sed -n 's/^[`$ ]*koine \([a-z]\)/\1/p' | tr -d '`' >"$work/shown"
    while read -r command words; do
        koine "$command" --help >"$work/help" || fail "${page##*/}: there is no command koine $command"
        for word in $words; do
            case $word in
            --*) grep -Eqe " $word( |$)" "$work/help" || fail "${page##*/}: koine $command has no option $word" ;;
            esac
        done
    done <"$work/shown"
done
