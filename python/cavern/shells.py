"""`./cavern completion`: command lines completed by bash and zsh.

The scripts know no command and no option: they ask the front door, whose tables these are.
"""

from __future__ import annotations

import click

BASH = r"""# Completion of ./cavern for bash: eval "$(./cavern completion bash)"
_cavern() {
    local program=${COMP_WORDS[0]} word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W "$("$program" help 2>/dev/null |
            sed -n 's/^  \([a-z]*\) .*/\1/p')" -- "$word")
        return
    fi
    case $before in
    --set)
        compopt -o nospace
        mapfile -t COMPREPLY < <(compgen -S = -W "$("$program" config list 2>/dev/null |
            sed -n 's/^\([a-z_.0-9]*\.[a-z_.0-9]*\) .*/\1/p')" -- "$word")
        return
        ;;
    esac
    if [ "${word:0:1}" = - ]; then
        local words=("${COMP_WORDS[1]}")
        case ${COMP_WORDS[2]-} in [a-z]*) words+=("${COMP_WORDS[2]}") ;; esac
        mapfile -t COMPREPLY < <(compgen -W "$({ "$program" "${words[@]}" --help ||
            "$program" "${words[0]}" --help; } 2>/dev/null |
            grep -o -- '--[a-z][a-z-]*' | sort -u)" -- "$word")
        return
    fi
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$word")
}
complete -F _cavern cavern ./cavern
"""

# zsh reads what is written for bash.
ZSH = (
    '# Completion of ./cavern for zsh: eval "$(./cavern completion zsh)"\n'
    "autoload -U +X bashcompinit && bashcompinit\n"
    "setopt local_options ksh_arrays 2>/dev/null\n" + BASH.partition("\n")[2]
)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh"]))
def completion(shell: str) -> None:
    """Print a script that completes ./cavern command lines in that shell.

    Put this into the start-up file of the shell: eval "$(/path/to/cavern completion bash)"
    """
    click.echo(BASH if shell == "bash" else ZSH, nl=False)
