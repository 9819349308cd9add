# shellcheck shell=bash disable=SC2207 # zsh has no mapfile
# Completion of ./cavern for bash and zsh: eval "$(./cavern completion bash)"
# It knows no command and no option, but asks the front door, once for each in a shell.
if [ -n "${ZSH_VERSION-}" ]; then
    autoload -U +X bashcompinit && bashcompinit
fi

# _cavern_ask NAME COMMAND ...: sets _cavern_words to the lines that COMMAND prints.
declare -A _cavern_known
_cavern_ask() {
    local name=$1
    shift
    [ -n "${_cavern_known[$name]-}" ] || _cavern_known[$name]=$("$@" 2>/dev/null)
    _cavern_words=${_cavern_known[$name]}
}
_cavern_commands() { "$1" help | sed -n 's/^  \([a-z]*\) .*/\1/p' | sort -u; }
_cavern_keys() { "$1" config list | sed -n 's/^\([a-z_.0-9-]*\.[a-z_.0-9-]*\) .*/\1/p'; }
# What may follow a command: `trace info`, and {a,b} of its usage.
_cavern_seconds() {
    "$1" help | sed -n "s/^  $2 \([a-z]*\) .*/\1/p; s/^  $2 {\([a-z,]*\)}.*/\1/p" | tr ',' '\n'
}
_cavern_options() {
    { "$@" --help || "$1" "$2" --help; } | grep -o -- '--[a-z][a-z-]*' | sort -u
}

_cavern() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} _cavern_words='' IFS=$'\n'
    local command=${COMP_WORDS[1]} second=${COMP_WORDS[2]-}
    local options=()
    if [ "$COMP_CWORD" = 1 ]; then
        _cavern_ask commands _cavern_commands "$program"
    elif [ "${COMP_WORDS[COMP_CWORD - 1]}" = --set ]; then
        compopt -o nospace 2>/dev/null
        options=(-S "=")
        _cavern_ask keys _cavern_keys "$program"
    elif [ "${word:0:1}" = - ]; then
        case $second in '' | *[!a-z]*) second= ;; esac
        _cavern_ask "$command $second" _cavern_options "$program" "$command" ${second:+"$second"}
    elif [ "$COMP_CWORD" = 2 ]; then
        _cavern_ask "$command" _cavern_seconds "$program" "$command"
    fi
    COMPREPLY=($(compgen "${options[@]}" -W "$_cavern_words" -- "$word"))
}
# Where nothing is offered, the shell offers files.
complete -o default -F _cavern cavern ./cavern
