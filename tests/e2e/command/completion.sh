#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Completion in bash, zsh and fish: every command and every option of the help is in each script, and each installed
# shell loads its script and completes lines.
. "${srcdir:-.}/tests/e2e/lib.sh"

for shell in bash zsh fish; do
    expect_exit 0 koine --completion $shell
    expect_empty stderr
    cp "$work/out" "$work/$shell"
done
expect_exit 2 koine --completion csh
expect_stderr "'csh' is not one of bash, zsh, fish"
expect_exit 2 koine --completion

# has SHELL REGEX: the script has such a line.
has()
{
    grep -Eq -e "$2" "$work/$1" || fail "the completion of $1 has no line like: $2"
}

koine --help | sed -n '/^Commands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p' >"$work/commands"
[ "$(wc -l <"$work/commands")" -ge 20 ] || fail "koine --help names too few commands"
while read -r command; do
    has bash "^ +$command\)"
    has bash "commands='(.* )?${command}[ ']"
    has zsh "^ +'$command:"
    has zsh "^ +$command\)"
    has fish "^complete -c koine -n '__koine_command_is' -a $command -d '."
    sed -n "/^        $command)/,/;;/p" "$work/bash" >"$work/bash-$command"
    sed -n "/^        $command)/,/;;/p" "$work/zsh" >"$work/zsh-$command"
    koine "$command" --help | sed -n '/^Options:/,/^$/s/^  \(-[a-zA-Z],\)\{0,1\} *--\([a-z0-9-]*\).*/\1 \2/p' >"$work/options"
    [ "$(wc -l <"$work/options")" -ge 2 ] || fail "koine $command --help has too few options"
    while read -r letter option; do
        [ -n "$option" ] || { option=$letter letter=; }
        letter=${letter#-}
        letter=${letter%,}
        has "bash-$command" "options='(.* )?--${option}[ ']"
        has "zsh-$command" "--${option}[],}=[]"
        has fish "__koine_command_is $command' -l $option${letter:+ -s $letter} .*-d '."
        [ -z "$letter" ] || has "bash-$command" " -${letter}[ ']"
        [ -z "$letter" ] || has "zsh-$command" "-${letter}[+,]"
    done <"$work/options"
done <"$work/commands"

# What is completed at the end of a line, by a function complete_LINE of each shell: one candidate a line.
mkdir "$work/here" "$work/here/folder"
: >"$work/here/numbers.csv"

# offers LINE WORD...: all of these are offered. offers_not LINE WORD: this one is not.
offers()
{
    line=$1
    shift
    complete_line "$line" >"$work/offered" || fail "$shell cannot complete '$line': $(cat "$work/offered")"
    for word in "$@"; do
        grep -Fxq -e "$word" "$work/offered" || fail "$shell does not offer '$word' after '$line', but:
$(cat "$work/offered")"
    done
}

offers_not()
{
    complete_line "$1" >"$work/offered" || fail "$shell cannot complete '$1': $(cat "$work/offered")"
    ! grep -Fxq -e "$2" "$work/offered" || fail "$shell offers '$2' after '$1'"
}

complete_lines()
{
    offers 'koine ' stats solve help
    offers 'koine sta' stats
    offers_not 'koine sta' solve
    offers 'koine help so' solve sort
    offers 'koine stats --prec' --precision
    offers_not 'koine sort --prec' --precision
    offers 'koine stats --precision ' float double both
    offers 'koine stats --precision d' double
    offers_not 'koine stats --precision d' float
    offers 'koine sort --device ' auto cpu gpu host all
    offers 'koine trajectory ' radial kooshball
    offers 'koine compare se' select
    offers 'koine cache ' list verify clear build
    offers 'koine recon --density ' none ramp pipe
    offers 'koine stats ' numbers.csv
    offers 'koine stats --json n' numbers.csv
    offers_not 'koine stats --output ' numbers.csv
    offers_not 'koine stats --repetitions ' numbers.csv
}

# bash: the function is called with a line's words as bash splits them. What readline would do by itself, complete paths
# where no word fits, is done as compopt is asked for it.
cat >"$work/line.bash" <<'END_OF_BASH'
. "$1" || exit 1
complete -p koine >/dev/null || exit 1
compopt()
{
    case $2 in
    default) [[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
    dirnames) [[ ${#COMPREPLY[@]} -gt 0 ]] || mapfile -t COMPREPLY < <(compgen -d -- "$word") ;;
    *) echo "compopt $*" >&2; exit 1 ;;
    esac
}
COMP_LINE=$2
read -r -a COMP_WORDS <<<"${COMP_LINE//=/ = }"
[[ $COMP_LINE != *[\ =] ]] || [[ $COMP_LINE == *= ]] || COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_koine
printf '%s\n' "${COMPREPLY[@]}"
END_OF_BASH
bash_line()
{
    (cd "$work/here" && bash --norc --noprofile "$work/line.bash" "$work/bash" "$1")
}

# zsh completes in an interactive shell alone: one on a terminal of its own, in which Tab writes what is offered to a file.
cat >"$work/setup.zsh" <<'END_OF_ZSH'
fpath=($PWD/functions $fpath)
autoload -Uz compinit
compinit -u -d $PWD/known.zsh
[[ ${_comps[koine]} == _koine ]] || print -r 'compinit does not know koine' >offered.zsh
cd here
compadd()
{
    local -a offered
    if [[ " ${@[1,(i)(-|--)]} " == *' -'[OAD]' '* ]]; then
        builtin compadd "$@"
        return
    fi
    builtin compadd -O offered "$@"
    print -rl -- $offered >>../offered.zsh
    builtin compadd "$@" # else it looks for more elsewhere
}
offer()
{
    _main_complete
    compstate[insert]= compstate[list]=
    : >../offered.done
}
zle -C offer complete-word offer
bindkey '^I' offer
: >../ready
END_OF_ZSH
cat >"$work/line.zsh" <<'END_OF_ZSH'
wait_for()
{
    repeat 600; do
        [[ ! -e $1 ]] || return 0
        zpty -r -t shell output && all+=$output
        sleep 0.02
    done
    print -r -- "no $1: $all"
    return 1
}
zmodload zsh/zpty || exit 1
zpty shell zsh -f -i
zpty -w shell 'source ./setup.zsh' && wait_for ready || exit 1
zpty -w -n shell "$1"$'\t' && wait_for offered.done || exit 1
zpty -d shell
END_OF_ZSH
zsh_line()
{
    (
        cd "$work"
        mkdir -p functions
        cp zsh functions/_koine
        rm -f ready offered.done
        : >offered.zsh
        zsh -f ./line.zsh "$1" && cat offered.zsh
    )
}

fish_line()
{
    # shellcheck disable=SC2016 # expanded by fish
    (cd "$work/here" && XDG_CONFIG_HOME=$work XDG_DATA_HOME=$work XDG_CACHE_HOME=$work fish --no-config -c '
        source $argv[1]; or exit 1
        complete -C $argv[2] | string replace -r "\t.*" ""; or true' "$work/fish" "$1")
}

for shell in bash zsh fish; do
    command -v $shell >/dev/null || { echo "$shell is not installed: its script is not run"; continue; }
    complete_line()
    {
        ${shell}_line "$1"
    }
    complete_lines
done
shell=bash
offers 'koine stats --precision=d' double
offers 'koine stats --precision=' float double both
offers_not 'koine stats --precision=' numbers.csv
