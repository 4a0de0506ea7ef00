#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# --report FILE.html of stats, autocorr, recon and solve: one page with numbers, charts, pictures, the method, the command
# and the hashes of what was read, whatever the names of files say. On the host: no device is needed.
. "${srcdir:-.}/tests/e2e/lib.sh"
KOINE_DEVICE=host
export KOINE_DEVICE

command -v python3 >/dev/null || skip python "python3 makes the inputs and reads the pages"
hostile="$work/a'<script>alert(1)<script>&.csv" # a slash would be a folder
write_numbers "$hostile"
python3 - "$work" <<'PYTHON'
import math, random, struct, sys
random.seed(5)
def npy(path, kind, shape, data):
    head = repr({"descr": kind, "fortran_order": False, "shape": shape}).encode()
    head += b" " * (117 - len(head)) + b"\n"
    open(path, "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + data)
npy(sys.argv[1] + "/image.npy", "|u1", (40, 60), bytes(random.randrange(256) for _ in range(2400)))
texture = [sum(math.cos(6.28318 * (x * math.cos(a) + y * math.sin(a)) / (6 + t) + p) for a, p in [(0.5 * k, 1.7 * k * k) for k in range(12)]) > 0
           for t in range(3) for y in range(48) for x in range(48)]
npy(sys.argv[1] + "/series.npy", "|u1", (3, 48, 48), bytes(200 * bit + 20 for bit in texture))
npy(sys.argv[1] + "/b.npy", "<f8", (30,), struct.pack("<30d", *(random.random() for _ in range(30))))
lines = [f"{i} {j} {random.random():.6f}" for i in range(1, 31) for j in range(1, 21) if random.random() < 0.4]
open(sys.argv[1] + "/a.mtx", "w").write("%%MatrixMarket matrix coordinate real general\n30 20 " + f"{len(lines)}\n" + "\n".join(lines) + "\n")
PYTHON
koine phantom --matrix 48,32 -o "$work/true.npy" >/dev/null
koine trajectory golden --samples 32 -o "$work/path.npy" >/dev/null
koine phantom --matrix 48,32 --kspace "$work/path.npy" -o "$work/scan.npy" >/dev/null

# page NAME FLAG: well-formed and self-contained; without --read also as it should be in Chromium, where that is installed.
page()
{
    # shellcheck disable=SC2086 # no flag is no word
    python3 "${srcdir:-.}/tests/e2e/page.py" ${2:-} "$work/$1.html" || fail "$1.html: see above"
}

# says NAME TEXT...: the page has each of these texts.
says()
{
    name=$1
    shift
    for text in "$@"; do
        grep -qF -e "$text" "$work/$name.html" || fail "$name.html does not say: $text"
    done
}

hash_of()
{
    sha256sum <"$1" | cut -d ' ' -f 1
}

expect_exit 0 koine stats "$hostile" --method sort --report "$work/stats.html"
page stats
says stats 'Batcher' "a&#39;\\&#39;&#39;&lt;script&gt;" '--method sort --report' "$(hash_of "$hostile")" '<h2>device</h2>' '3.53553'
says stats 'Medians: each bar extends from'
# Prefixes and windows are charts, with the file's name in their titles.
expect_exit 0 koine stats "$hostile" --num-partitions 4 --report "$work/prefixes.html"
page prefixes
says prefixes 'aria-label="Computing time, method fused: a&#39;&lt;script&gt;' 'Coefficient of variation: a&#39;&lt;script&gt;' \
    'Median absolute deviation: a&#39;&lt;script&gt;' 'class="mark f0"'
expect_exit 0 koine stats "$hostile" --window 2 --report "$work/windows.html"
page windows --read
says windows 'Median and MAD of windows' 'median + MAD' 'Time (s)'
commit=$(sed -n 's/.*cli_commit\[\] = "\(.*\)";/\1/p' "${builddir:-.}/src/cli/commit.c" 2>/dev/null || :)
says stats "Computed with Koine $("$KOINE" --version | sed 's/^koine //')${commit:+, commit $commit}."
expect_exit 3 koine stats "$hostile" --report "$work/stats.html"
expect_stderr 'stats\.html: already exists'
expect_exit 2 koine stats "$hostile" --report -
expect_stderr '--report needs a file'

expect_exit 0 koine autocorr "$work/image.npy" --max-offset 6 --report "$work/autocorr.html"
page autocorr --read
says autocorr 'aria-label="Azimuthal average of the correlation"' 'Lu et al.' "$(hash_of "$work/image.npy")" \
    'The correlation C(X0, Y0) for X0 from -6 to 6 and Y0 from 0, at the top, to 6; black is -' ', white 1</figcaption>'
says autocorr 'Offset R (px)'
# A series has its growth as well.
expect_exit 0 koine autocorr "$work/series.npy" --max-offset 12 --interval 5 --report "$work/series.html"
page series
says series 'the mean of 3 frames' 'Growth of the characteristic length' 'free line' 'class="line s0" d="M'

expect_exit 0 koine recon "$work/scan.npy" --matrix 48,32 --trajectory "$work/path.npy" --iterations 4 --report "$work/recon.html" -o "$work/image2.npy" \
    --json="$work/recon.json"
page recon
says recon 'src="data:image/png;base64,' 'aria-label="The relative residual after each iteration"' 'Hestenes and Stiefel' "$(hash_of "$work/scan.npy")" \
    "$(hash_of "$work/path.npy")"
! grep -qF "$(hash_of "$work/image2.npy")" "$work/recon.html" || fail "recon.html has what was written among the inputs"
! grep -q pictures "$work/recon.json" || fail "the JSON has the page's picture"

# picture NAME WIDTH HEIGHT: the first picture of a page has these sides, and both black and white.
picture()
{
    python3 - "$work/$1.html" "$2" "$3" <<'PYTHON' || fail "$1.html: the picture"
import base64, re, struct, sys, zlib
png = base64.b64decode(re.search(r"base64,([^\"]+)", open(sys.argv[1]).read())[1])
assert png[:8] == b"\x89PNG\r\n\x1a\n" and struct.unpack(">IIB", png[16:25]) == (int(sys.argv[2]), int(sys.argv[3]), 8), png[:32]
data, at = b"", 8
while at < len(png):
    length = struct.unpack(">I", png[at : at + 4])[0]
    data += png[at + 8 : at + 8 + length] if png[at + 4 : at + 8] == b"IDAT" else b""
    at += length + 12
rows = zlib.decompress(data)
assert 255 in rows and 0 in rows, rows[:80]
PYTHON
}

picture recon 48 32
says recon '; black is '

expect_exit 0 koine solve "$work/a.mtx" "$work/b.npy" --iterations 8 -o "$work/x.npy" --report "$work/solve.html"
page solve --read
says solve 'aria-label="The residual after each iteration"' 'Stock and Koch' "$(hash_of "$work/a.mtx")" "$(hash_of "$work/b.npy")"
says solve 'aria-label="The solution x"' '<path class="line'
! grep -q 'data:image/png' "$work/solve.html" || fail "solve.html draws 20 unknowns as a picture"

# A picture that is larger than a preview: 520 pixels on each side become 260.
python3 - "$work" <<'PYTHON'
import random, struct, sys
random.seed(6)
head = repr({"descr": "<f8", "fortran_order": False, "shape": (4, 520)}).encode()
head += b" " * (117 - len(head)) + b"\n"
open(sys.argv[1] + "/rays.npy", "wb").write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head + struct.pack("<2080d", *(random.random() for _ in range(2080))))
PYTHON
expect_exit 0 koine solve parallel:4,520,520 "$work/rays.npy" --iterations 2 -o "$work/large.npy" --report "$work/large.html"
page large --read
says large 'The solution x; black is ' 'each pixel is the mean of 2 x 2'
picture large 260 260
