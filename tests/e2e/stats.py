# SPDX-License-Identifier: Apache-2.0
# Looks at what `koine stats` wrote. Usage: stats.py json|svg FILE EXPRESSION..., all of which must hold. In them
# r is the JSON value, or the text of the drawing, whose words are `words`.
import json
import sys
import xml.etree.ElementTree


def never(word):
    raise ValueError(word + " is no JSON")


def ends(n, parts):
    """Where the prefixes of n rows end."""
    return [i * n // parts for i in range(1, parts + 1)]


def agree(rows):
    """Whether all rows of a column have the same numbers, prefixes included: as printed, with 17 digits."""
    keys = ("n", "mean", "std", "cv", "median", "mad")
    seen = {}
    for row in rows:
        values = [row[k] for k in keys] + [(p["n"], p["cv"], p["mad"]) for p in row["partitions"]]
        if seen.setdefault((row["file"], row["column"]), values) != values:
            return False
    return True


kind, path = sys.argv[1:3]
words = []
with open(path, encoding="utf-8") as file:
    if kind == "json":
        r = json.load(file, parse_constant=never)
    else:
        r = file.read()
        tree = xml.etree.ElementTree.fromstring(r)
        words = [" ".join("".join(text.itertext()).split()) for text in tree.iter("{http://www.w3.org/2000/svg}text")]
names = {"r": r, "words": words, "ends": ends, "agree": agree}
bad = [e for e in sys.argv[3:] if not eval(e, names)]
for e in bad:
    print("does not hold:", e)
if bad:
    print(words if kind == "svg" else json.dumps(r, indent=1)[:6000])
sys.exit(bool(bad))
