#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `koine recon --sense`: one image from several coils with maps from files, on the host and on a device; and what is refused.
# The coils' maps are constants here, so that the image must be the same as that of a single coil.
. "${srcdir:-.}/tests/e2e/lib.sh"
command -v python3 >/dev/null || skip python3 "python3 is not installed"

# ---- what is wrong before anything is read ----
expect_exit 2 koine recon "$work/k" -o "$work/no.npy" --sense "$work/maps" --solver adjoint
expect_stderr '--sense .*/maps needs --solver ls'
expect_exit 2 koine recon "$work/k" --sense "$work/maps" --variants
expect_stderr '--sense: --variants reconstructs coils one by one'

expect_exit 0 koine trajectory radial --samples 32 --spokes 20 --matrix 20 -o "$work/t"
expect_exit 0 koine phantom --matrix 20,20 --kspace "$work/t" -o "$work/k"
cat >"$work/coils.py" <<'END'
# FOLDER: coils 0.6 and 0.8 i times the phantom's data, in coils.cfl; and maps of them, right and wrong.
import array
import pathlib
import sys

work = pathlib.Path(sys.argv[1])
factors = [0.6, 0.8j]


def write(name, sizes, values):
    (work / f"{name}.hdr").write_text("# Dimensions\n" + " ".join(map(str, sizes)) + "\n")
    pairs = array.array("f", [part for value in values for part in (value.real, value.imag)])
    (work / f"{name}.cfl").write_bytes(pairs.tobytes())


pairs = array.array("f", (work / "k.cfl").read_bytes())
data = [complex(pairs[i], pairs[i + 1]) for i in range(0, len(pairs), 2)]
sizes = [int(size) for size in (work / "k.hdr").read_text().split("\n")[1].split()]
write("coils", [1, 32, 20, 2], [factor * value for factor in factors for value in data])
maps = [complex(factor) for factor in factors for voxel in range(400)]
write("maps", [20, 20, 1, 2], maps)
write("one", [20, 20], maps[:400])
write("turned", [2, 20, 20], maps)
write("nothing", [20, 20, 1, 2], [0j] * 800)
write("halved", [1, 32, 20, 2], [factor * value for factor in (0.6, 0.4j) for value in data])
write("noise", [1, 4, 1, 2], [complex(v) for v in (1, -1, 1j, -1j, 2, 2, -2, -2)])
write("covariance", [2, 2], [1 + 0j, 0j, 0j, 4 + 0j])
write("singular", [2, 2], [1 + 0j, 2 + 0j, 2 + 0j, 4 + 0j])
write("nan", [20, 20, 1, 2], maps[:-1] + [complex(0, float("nan"))])
END
python3 "$work/coils.py" "$work" || fail "the coils were not written"
cat >"$work/near.py" <<'END'
# A B ERROR: whether two .cfl are that close together, in the 2-norm.
import array
import pathlib
import sys

a, b = (array.array("f", pathlib.Path(name).read_bytes()) for name in sys.argv[1:3])
error = (sum((x - y) ** 2 for x, y in zip(a, b)) / sum(y * y for y in b)) ** 0.5
print(f"{error:.3g}")
sys.exit(len(a) != len(b) or not error <= float(sys.argv[3]))
END

# ---- the image ----
how="--trajectory $work/t --matrix 20,20 --lambda 0.01 --relative-lambda"
scan="$work/coils $how"
# shellcheck disable=SC2086
expect_exit 0 koine recon "$work/k" $how --kernel host-double -o "$work/single.cfl"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --sense "$work/maps" -o "$work/joint.cfl" --json "$work/joint.json"
expect_stdout '^coils are combined by their sensitivities, .*/maps$'
expect_stdout '^solver: 20 iterations, '
python3 "$work/near.py" "$work/joint.cfl" "$work/single.cfl" 1e-6 || fail "two coils have not the image of one"
grep -q '"combined": "sensitivities"' "$work/joint.json" || fail "the JSON does not say how coils were combined"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --sense "$work/maps" --warm-start "$work/joint" -n 1 -o "$work/start.cfl"
python3 "$work/near.py" "$work/start.cfl" "$work/joint.cfl" 0.01 || fail "an iteration more is far from where it began"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double -o "$work/none.npy" --sense none
expect_stdout '^coils are combined by the root of the sum of squares$'
# Maps of the scan's own centre, where it has one.
for maps in lowres espirit; do
    # shellcheck disable=SC2086
    expect_exit 0 koine recon $scan --kernel host-double --sense $maps -o "$work/$maps.cfl"
    expect_stdout "^coils are combined by their sensitivities, $maps\$"
done
# Without the option.
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double -o "$work/default.cfl" --json "$work/default.json"
expect_stdout '^coils are combined by their sensitivities, espirit: the centre of k-space is dense$'
cmp "$work/default.cfl" "$work/espirit.cfl" || fail "another image without --sense than by espirit"
grep -q '"sense": "espirit"' "$work/default.json" || fail "the JSON does not say how coils were combined"
grep -q '"sense_why": "the centre of' "$work/default.json" || fail "the JSON does not say why coils were combined so"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --solver adjoint -o "$work/default.npy"
expect_stdout '^coils are combined by the root of the sum of squares: only least squares has one image of all coils$'
expect_exit 0 koine trajectory radial --samples 32 --spokes 2 --matrix 20 -o "$work/few"
expect_exit 0 koine phantom --matrix 20,20 --kspace "$work/few" -o "$work/fewer"
expect_exit 2 koine recon "$work/fewer" --trajectory "$work/few" --matrix 20,20 --sense lowres -o "$work/no.npy"
expect_stderr 'there is no dense centre of k-space to estimate sensitivities from'
# shellcheck disable=SC2086
expect_exit 1 koine recon $scan --kernel host-double -n 2 --tolerance 1e-9 --sense "$work/maps" -o "$work/two.npy"
expect_stderr ': the image of all coils did not reach the tolerance of 1e-09 within 2 iterations$'

# ---- refusals ----
for maps in one turned nothing nan missing; do
    # shellcheck disable=SC2086
    expect_exit 3 koine recon $scan --kernel host-double --sense "$work/$maps" -o "$work/no.npy"
    case $maps in
        one) expect_stderr 'one: has the shape \(20, 20\), but 2 coils and this matrix want maps of \(2, 20, 20\)' ;;
        turned) expect_stderr 'turned: has the shape \(20, 20, 2\), but ' ;;
        nothing) expect_stderr 'nothing: is 0 throughout: by these maps no coil sees anything of the image' ;;
        nan) expect_stderr 'nan: number 799 is .*, expected numbers' ;;
        missing) expect_stderr 'missing' ;;
    esac
    [ ! -e "$work/no.npy" ] || fail "an image was written"
done

# ---- whitened and compressed: coils 0.6 and 0.8 i times the same are one, and all of them ----
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --sense "$work/maps" --coils 1 -o "$work/compressed.cfl" --json "$work/coils.json"
expect_stdout '^2 coils are compressed to 1, with 100 % of their energy$'
grep -q '"coils_reconstructed": 1,' "$work/coils.json" || fail "the JSON does not say how many coils are left"
python3 "$work/near.py" "$work/compressed.cfl" "$work/joint.cfl" 1e-6 || fail "compressed coils have another image"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --sense "$work/maps" --noise-covariance "$work/covariance" -o "$work/white.cfl"
expect_stdout '^coils are whitened by the noise of .*/covariance$'
python3 "$work/near.py" "$work/white.cfl" "$work/joint.cfl" 1e-6 || fail "maps are not whitened as coils are"
# shellcheck disable=SC2086
expect_exit 0 koine recon "$work/halved" $how --kernel host-double --sense none -o "$work/halved_image.cfl"
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel host-double --sense none --noise-scan "$work/noise" -o "$work/scanned.cfl"
python3 "$work/near.py" "$work/scanned.cfl" "$work/halved_image.cfl" 1e-6 || fail "a coil of twice the noise does not count half"
while read -r status options; do
    # shellcheck disable=SC2086
    expect_exit "$status" koine recon $scan --kernel host-double $options -o "$work/no.npy"
    case $options in
        *singular) expect_stderr 'singular: the noise covariance is singular: the noise of coil 1 is made of that of the coils before it' ;;
        *k) expect_stderr 'k: has 640 numbers, and not those of 2 coils, as the scan has' ;;
        *maps) expect_stderr 'maps: has 800 numbers, and the scan 2 coils; expected a matrix' ;;
        *noise*noise*) expect_stderr '--noise-scan and --noise-covariance say the same thing' ;;
        *3) expect_stderr '--coils 3: the scan has 2' ;;
    esac
    [ ! -e "$work/no.npy" ] || fail "an image was written"
done <<END
3 --noise-covariance $work/singular
3 --noise-scan $work/k
3 --noise-covariance $work/maps
2 --noise-covariance $work/covariance --noise-scan $work/noise
2 --coils 3
END

# ---- on a device ----
need_device
# shellcheck disable=SC2086
expect_exit 0 koine recon $scan --kernel tuned --sense "$work/maps" -o "$work/device.cfl"
python3 "$work/near.py" "$work/device.cfl" "$work/joint.cfl" 1e-4 || fail "a device has another image"
