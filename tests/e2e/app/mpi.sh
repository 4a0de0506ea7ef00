#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The ranks of mpirun share the work of a command: results are those of one process to the last bit, on any number of ranks;
# a failure of one rank ends all, with one message and its status; and nothing is written then.
. "${srcdir:-.}/tests/e2e/lib.sh"
sources=$(cd "${srcdir:-.}" && pwd)

grep -q '^MPI_LIBS = .' "${builddir:?}/Makefile" || skip mpi "this Koine was built without MPI (configure --with-mpi)"
command -v python3 >/dev/null || skip python3 "python3 is not installed"
command -v mpirun >/dev/null || skip mpi "there is no mpirun (Debian, Ubuntu: apt-get install openmpi-bin)"

# Ranks on the same two processors, in a container, and by Open MPI's daemon in a folder of ours.
mpirun --version 2>/dev/null | grep -q 'Open MPI' && open_mpi='--oversubscribe --allow-run-as-root --bind-to none'
OMPI_MCA_orte_tmpdir_base=$private
OMP_NUM_THREADS=1
export OMPI_MCA_orte_tmpdir_base OMP_NUM_THREADS

mpirun=mpirun program=$KOINE

# ranks N ARGUMENT...: koine in N ranks.
ranks()
{
    count=$1
    shift
    # shellcheck disable=SC2086 # a list
    timeout 60 $mpirun ${open_mpi:-} -n "$count" "$program" "$@"
}

# expect_message REGEX: one line of koine's, whatever the launcher says itself.
expect_message()
{
    expect_stderr "$1"
    [ "$(grep -c '^koine' "$work/err")" -eq 1 ] || fail "'$ran' says more than one line: $(cat "$work/err")"
}

cd "$work" || exit 1
mkdir in
awk 'BEGIN { srand(11); for (f = 0; f < 5; f++) { file = "in/" f ".csv"; print "a,b" >file
    for (i = 0; i < 700 + 431 * f; i++) printf "%.9g,%d\n", rand() * 7 - f, rand() * 99 >file } }'
awk 'BEGIN { srand(12); print "p,q,r" >"wide.csv"; for (i = 0; i < 400000; i++) printf "%d,%d,%d\n", rand() * 9999, rand() * 99, i % 7 >"wide.csv" }'

# numbers FILE: what does not depend on who computed and how long it took.
numbers()
{
    cut -d, -f1-11,13 "$1"
}

# Files, and the columns of one file.
for input in in wide.csv; do
    expect_exit 0 koine stats --device host --output one --force "$input"
    numbers one/stats.csv >expected
    for count in 1 2 3 7; do
        [ "$input" = in ] || [ "$count" = 3 ] || continue
        expect_exit 0 ranks "$count" stats --device host --output some --force --json some.json "$input"
        numbers some/stats.csv | cmp - expected || fail "$count ranks compute others of $input than one process"
        expect_files some stats.csv
        [ "$count" = 1 ] || [ "$(grep -c '"dropped"' some.json)" -eq "$count" ] || fail "the JSON does not have $count ranks"
    done
done

# Frames, of which the first is none, and the fifth has another size: both are named once.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c 'import arrays, random
random.seed(3)
for n in range(7): arrays.save("%d.npy" % n, "u1", random.randbytes(30 * (25 + (n == 4))), (25 + (n == 4), 30))
open("0.npy", "w").write("no array")'

# autocorr NAME COMMAND...: of these frames, by this command.
autocorr()
{
    name=$1
    shift
    expect_exit 3 "$@" autocorr 0.npy 1.npy 2.npy 3.npy 4.npy 5.npy 6.npy --device host --exact --interval 2 --sums "$name.npy" \
        --output "$name" --json "$name.json"
    for line in '0\.npy: ' '4\.npy: is of 30 x 26 pixels' '2 of 7 frames failed'; do
        [ "$(grep -c "^koine autocorr: $line" "$work/err")" -eq 1 ] || fail "'$ran' does not say '$line' once: $(cat "$work/err")"
    done
}
autocorr alone koine
autocorr ranks ranks 3
cmp alone.npy ranks.npy || fail "ranks compute other sums"
diff -r -x '*.svg' alone ranks || fail "ranks write other files"
[ "$(grep -c '"dropped"' ranks.json)" -eq 3 ] || fail "the JSON does not have 3 ranks"
expect_exit 2 ranks 2 autocorr --device host --lag 1 1.npy 2.npy
expect_message '^koine autocorr: --lag computes everything at once'

# Coils, and parts of Q: as two devices of one process share them.
if [ "$(koine devices --json - | grep -c '"default": true')" -eq 1 ]; then
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c 'import arrays, random
random.seed(5)
arrays.save("k.npy", "f8", [random.uniform(-6, 6) if i % 3 < 2 else 0 for i in range(1500)], (500, 3))
arrays.save("coils.npy", "c8", [complex(random.gauss(0, 1), random.gauss(0, 1)) for i in range(1500)], (3, 500))'
    spec=$(koine devices --json - | sed -n 's/.*"spec": "\(.*\)".*/\1/p' | head -n 1)
    scan="coils.npy --trajectory k.npy --matrix 12,12 --sense none --adjoint direct --device $spec"
    # shellcheck disable=SC2086 # lists of words
    expect_exit 0 koine recon $scan --device "$spec" -o alone.npy --force
    for count in 2 3 7; do
        # shellcheck disable=SC2086 # a list of words
        expect_exit 0 ranks "$count" recon $scan -o image.npy --force --json some.json
        cmp alone.npy image.npy || fail "$count ranks reconstruct another image than two devices"
        [ "$(grep -c '"dropped"' some.json)" -eq "$count" ] || fail "the JSON does not have $count ranks"
    done
    # shellcheck disable=SC2086 # a list of words
    expect_exit 2 ranks 2 recon $scan -o image.npy --force --save-q q.bin
    expect_message '^koine recon: --save-q computes everything at once'
    # shellcheck disable=SC2086 # a list of words
    expect_exit 3 ranks 3 recon $scan -o image.npy --force --density k.npy
    expect_message '^koine recon: k\.npy'
    rm -f some.json
fi

# Columns of B, as two places of one process share them.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c 'import arrays, random
random.seed(6)
with open("a.mtx", "w") as f:
    f.write("%%MatrixMarket matrix coordinate real general\n40 15 200\n")
    f.writelines("%d %d %.9g\n" % (i % 40 + 1, i * 7 // 40 % 15 + 1, random.uniform(-1, 1)) for i in range(200))
arrays.save("b.npy", "f8", [random.uniform(-1, 1) for i in range(40 * 9)], (40, 9))'
expect_exit 0 koine solve a.mtx b.npy -n 12 --device host --device host -o alone.npy --force
for count in 2 3 7; do
    expect_exit 0 ranks "$count" solve a.mtx b.npy -n 12 --device host -o x.npy --force --json some.json
    cmp alone.npy x.npy || fail "$count ranks solve for others than two places"
    [ "$(grep -c '"dropped"' some.json)" -eq "$count" ] || fail "the JSON does not have $count ranks"
done
expect_exit 0 ranks 2 solve a.mtx b.npy -n 12 --device host -o x.npy --force --memory-limit 1G
cmp alone.npy x.npy || fail "ranks solve for others within a limit"
expect_exit 0 ranks 2 solve a.mtx b.npy -n 12 -o x.npy --force # wherever they choose
expect_exit 1 ranks 3 solve a.mtx b.npy -n 12 --tolerance 1e-9 --device host -o x.npy --force
expect_message '^koine solve: the tolerance was not reached'
expect_exit 2 ranks 2 solve a.mtx b.npy --lambda-by lcurve --device host -o x.npy --force
expect_message '^koine solve: --lambda-by lcurve computes in one place'
expect_exit 2 ranks 2 solve --sweep --json some.json --force
expect_message '^koine solve: --sweep compares times'
expect_exit 3 ranks 3 solve a.mtx missing.npy --device host -o x.npy --force
expect_message '^koine solve: missing\.npy'
rm -f some.json

# Parts of an array, in the order of one process; equal keys keep theirs.
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$sources/tests/e2e python3 -c 'import arrays, math, random
random.seed(7)
arrays.save("keys.npy", "f4", [math.nan if i % 99999 == 5 else random.randrange(-9999, 9999) / 8 for i in range(700000)])
arrays.save("values.npy", "i4", range(700000))'
for how in "" --descending --argsort "--by-key values.npy --descending"; do
    # shellcheck disable=SC2086 # lists of words
    expect_exit 0 koine sort keys.npy $how --device host -o alone.npy --force
    for count in 2 3 7; do
        [ -z "$how" ] || [ "$count" = 3 ] || continue
        # shellcheck disable=SC2086 # lists of words
        expect_exit 0 ranks "$count" sort keys.npy $how --device host -o sorted.npy --force --json some.json
        cmp alone.npy sorted.npy || fail "$count ranks sort otherwise ($how)"
        [ "$(grep -c '"dropped"' some.json)" -eq "$count" ] || fail "the JSON does not have $count ranks"
    done
done
if [ -n "${spec:-}" ]; then
    expect_exit 0 ranks 2 sort keys.npy --by-key values.npy --descending --device "$spec" -o sorted.npy --force
    cmp alone.npy sorted.npy || fail "ranks with devices sort otherwise"
fi
expect_exit 0 ranks 2 sort in/0.csv --column a --device host -o sorted.npy --force
expect_exit 3 ranks 3 sort keys.npy --nan error --device host -o none.npy
expect_message '^koine sort: keys\.npy'
[ ! -e none.npy ] || fail "'$ran' leaves a result"
rm -f some.json sorted.npy

# The manual's script for Slurm, with an srun that starts ranks as this machine does.
mkdir bin
sed -n '/^#SBATCH --nodes/,/^```/p' "$sources/doc/manual/scaling.md" | grep -v '^```' >batch.sh
cat >bin/srun <<'END'
#!/bin/sh
[ "$1" = --mpi=pmix ] && [ "$2" = koine ] || exit 99
shift 2
exec mpirun $open_mpi -n "$SLURM_NTASKS" "$KOINE" "$@"
END
chmod +x bin/srun
ln -s in recordings
expect_exit 0 env PATH="$work/bin:$PATH" SLURM_NTASKS=2 SLURM_STEP_NUM_TASKS=1 open_mpi="${open_mpi:-}" KOINE="$KOINE" \
    KOINE_DEVICE=host sh batch.sh
koine stats --device host --output one --force recordings >out
numbers one/stats.csv >expected
numbers results/stats.csv | cmp - expected || fail "the batch script computes other results"
[ "$(grep -c '"dropped"' day.json)" -eq 2 ] || fail "the batch script is not run by two ranks"

# Input that is bad, in whatever rank has it, or in all of them.
rm -rf some some.json
{ cat in/3.csv; echo "1,x"; } >in/4.csv
expect_exit 3 ranks 3 stats --device host --json some.json in
expect_message '^koine stats: in/4\.csv:1995: column 2 "b": found "x"'
[ ! -e some.json ] || fail "'$ran' leaves a result"
expect_exit 3 ranks 2 stats --device host --json missing/some.json in/0.csv
expect_message '^koine stats: missing'

# What ranks do not share is refused before anything is read.
expect_exit 2 ranks 2 compare launch --quick --output compared
expect_message '^koine compare: does not share its work among the ranks of MPI'
expect_exit 2 ranks 2 sort keys.npy --top 5 --device host -o sorted.npy
expect_message '^koine sort: --top computes everything at once'
expect_exit 2 ranks 2 stats --sweep --json some.json in/0.csv
expect_message '^koine stats: --sweep compares times'
if [ -e some.json ] || [ -e sorted.npy ]; then
    fail "'$ran' leaves a result"
fi

# lose_rank: one that is killed while another one reads a pipe.
lose_rank()
{
    rm -f rank.*
    (
        exec 3>slow.csv
        printf 'a\n1\n' >&3
        kill -KILL "$(cat rank.1)"
        sleep 30 # until the run ends
    ) &
    pipe=$!
    status=0
    # shellcheck disable=SC2016,SC2086 # of the shell in each rank; a list
    timeout 60 $mpirun ${open_mpi:-} -n 3 sh -c 'echo $$ >rank.${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; exec "$@"' koine \
        "$program" stats --device host --json some.json in/0.csv slow.csv >out 2>err || status=$?
    kill "$pipe"
    case $status in 0 | 124) fail "a killed rank does not end the run ($status): $(cat out err)" ;; esac
    [ ! -e some.json ] || fail "a killed rank leaves a result"
}
mkfifo slow.csv
lose_rank

# The same with MPICH, if it is there as well: what MPI is compiled into is compiled with it.
if ! command -v mpicc.mpich >/dev/null || ! command -v mpirun.mpich >/dev/null || [ ! -e "$builddir/.libs/libkoine.so" ]; then
    echo "not tried with MPICH (Debian, Ubuntu: apt-get install mpich libmpich-dev)"
    exit 0
fi
program=$work/koine-mpich mpirun=mpirun.mpich open_mpi=
LD_LIBRARY_PATH=$builddir/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
# shellcheck disable=SC2046 # flags are words
mpicc.mpich -std=gnu11 -fvisibility=hidden -DHAVE_CONFIG_H -I"$builddir" -I"$sources/include" -I"$sources/src" -o "$program" \
    "$builddir/src/cli/main.o" "$sources/src/cli/ranks/launcher_mpi.c" "$sources/src/distribute/mpi.c" \
    "$builddir/.libs/libkoine-cli.a" "$builddir/.libs/libkoine-io.a" "$builddir/.libs/libkoine-base.a" -L"$builddir/.libs" -lkoine \
    $(for package in JANSSON PNG ZLIB HDF5 TIFF ZSTD ISAL LIBMD; do sed -n "s/^${package}_LIBS = //p" "$builddir/Makefile"; done) -lm ||
    fail "the command does not compile with MPICH"
koine stats --device host --output one --force wide.csv >out
numbers one/stats.csv >expected
for count in 2 3 7; do
    expect_exit 0 ranks "$count" stats --device host --output some --force wide.csv
    numbers some/stats.csv | cmp - expected || fail "ranks of MPICH compute other results than one process"
done
expect_exit 3 ranks 3 stats --device host --json some.json in
expect_message '^koine stats: in/4\.csv:1995: column 2 "b": found "x"'
lose_rank
