#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Wrong usage: exit 2, one line that says what is wrong and where to find help, nothing on standard output.
. "${srcdir:-.}/tests/e2e/lib.sh"

# refuse REGEX ARGUMENT...
refuse()
{
    regex=$1
    shift
    expect_exit 2 koine "$@"
    expect_stderr "$regex"
    expect_one_line
    expect_empty stdout
}

write_numbers "$work/numbers.csv"

refuse "^koine: no command given; try 'koine --help'"
refuse "^koine: unknown command 'stat', did you mean 'stats'\?" stat
refuse "^koine: unknown command 'xyzzy'; try" xyzzy
refuse "^koine: unknown option '--json'" --json
refuse "^koine: unknown option '--versoin', did you mean '--version'\? Or try 'koine --help'$" --versoin
refuse "^koine stats: unknown option --columm, " stats --columm a "$work/numbers.csv"
refuse "did you mean --column\?.*try 'koine stats --help'" stats --columm a "$work/numbers.csv"
refuse "did you mean --mad-scale\?" stats --mda_scale=1 "$work/numbers.csv"
refuse "option --m is ambiguous; it could be --[a-z-]+ --" stats --m=1 "$work/numbers.csv"
refuse "unknown option -x" stats -x "$work/numbers.csv"
refuse "json needs a value: FILE" stats "$work/numbers.csv" --json
refuse "precision needs a value" stats "$work/numbers.csv" --precision
refuse "gpu takes no value" stats --gpu=yes "$work/numbers.csv"
refuse "precision: 'half' is not one of float, double, both" stats --precision half "$work/numbers.csv"
refuse "policy: '' is not one of" stats --policy= "$work/numbers.csv"
for number in 0 -1 1.5 1e3 x '' ' 1' 99999999999999999999999; do
    refuse "repetitions: '$number' is not a whole number of at least 1" stats "--repetitions=$number" "$work/numbers.csv"
done
refuse "input: the value is empty" stats --input= "$work/numbers.csv"
refuse "no input" stats
refuse "name of an input is empty" stats ''
refuse "standard input .* twice" stats - --input -
refuse "gpu.*serial" stats --gpu --serial "$work/numbers.csv"
refuse "serial.*--device" stats --serial --device cpu "$work/numbers.csv"
refuse "gpu.*--device host" stats --gpu --device host "$work/numbers.csv"
refuse "column.*nothing" stats --serial --column nothing "$work/numbers.csv"
refuse "unexpected argument" devices extra
refuse "list, verify, clear or build" cache
refuse "did you mean 'clear'\?" cache claer
refuse "unexpected argument" cache list list

# Variants that exclude each other, by both names and with what to do.
for pair in "gpu serial" "gpu parallel" "gpu vectorized" "serial parallel" "serial vectorized" \
    "all-variants gpu" "all-variants serial" "all-variants parallel" "all-variants vectorized"; do
    refuse "--${pair% *} and --${pair#* } are mutually exclusive: .*(leave it out|choose one|alone)" \
        stats "--${pair% *}" "--${pair#* }" "$work/numbers.csv"
done
refuse "--all-variants and --serial are mutually exclusive" stats --serial --all_variants "$work/numbers.csv"
refuse "num-partitions and --partition-step are mutually exclusive" stats --num_partitions=3 --partition_step=3 "$work/numbers.csv"
for option in num-partitions partition-step; do
    for number in 0 -1 x ''; do
        refuse "$option: '$number' is not a whole number of at least 1" stats "--$option=$number" "$work/numbers.csv"
    done
done
refuse "num-partitions: 4294967296 is more prefixes" stats --num-partitions 4294967296 "$work/numbers.csv"
for variant in "--serial serial" "--vectorized vectorized" "--parallel parallel"; do
    refuse "variant ${variant#* } runs on the host.*--device gpu" stats "${variant% *}" --device gpu "$work/numbers.csv"
done
refuse "variant parallel-vectorized runs on the host" stats --parallel --vectorized --device cpu "$work/numbers.csv"
refuse "method: 'bubble' is not one of auto, sort, select, fused" stats --method bubble "$work/numbers.csv"
for option in gpu serial parallel vectorized all-variants sweep plots; do
    refuse "$option takes no value" stats "--$option=yes" "$work/numbers.csv"
done

# An underscore for a hyphen, an option after the file, and -- before a file that looks like an option.
expect_exit 0 koine stats --serial "$work/numbers.csv" --mad_scale=normal
expect_stdout '1\.4826'
cp "$work/numbers.csv" "$work/--gpu"
command=$(command -v "$KOINE")
command=$(cd "$(dirname "$command")" && pwd)/$(basename "$command")
cd "$work"
"$command" stats --serial -- --gpu >out || fail "a file after -- is not read"

# One of several processes of a launcher that have no MPI, or not the same: each would do all of the work. One alone is a run
# like any other.
for variable in OMPI_COMM_WORLD_SIZE PMI_SIZE SLURM_STEP_NUM_TASKS; do
    export "$variable=3"
    refuse "^koine stats: $variable is 3, .* (has no MPI|MPI finds 1),.* unset $variable" stats --json "$work/none.json" "$work/numbers.csv"
    [ ! -e "$work/none.json" ] || fail "'$ran' leaves a result"
    expect_exit 0 koine solve --help
    export "$variable=1"
    expect_exit 0 koine stats --device host --json "$work/one.json" --force "$work/numbers.csv"
    unset "$variable"
done
export PMI_SIZE=3
commands='autocorr recon solve sort compare'
! grep -q '^MPI_LIBS = .' "${builddir:-.}/Makefile" || commands=compare # starting MPI takes most of a second
for command in $commands; do
    refuse "^koine $command: PMI_SIZE is 3, " "$command"
done
unset PMI_SIZE
