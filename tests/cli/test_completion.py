"""What ./cavern completion offers in bash and zsh."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from tests.cli.installation import Installation

pytestmark = pytest.mark.slow

#: How bash and zsh (bashcompinit, which leaves the choice by what was typed to zsh) call it.
CALLED = {
    "bash": (["bash"], "{script}\n{ask}; {ask}"),
    "zsh": (
        ["zsh", "-f"],
        "autoload -Uz compinit; compinit -D\n{script}\nemulate sh; {ask}; {ask}",
    ),
}


def completed(shell: str, words: str, at: int, installed: Installation) -> list[str]:
    """What is offered, asked twice; with files where it is nothing."""
    door = shlex.quote(str(installed.root / "cavern"))
    command, text = CALLED[shell]
    script = subprocess.check_output([installed.root / "cavern", "completion", shell], text=True)
    ask = (
        f'COMP_WORDS=({door} {words}); COMP_CWORD={at}; _cavern; printf "%s\\n" "${{COMPREPLY[@]}}"'
    )
    done = subprocess.run(
        [*command, "-c", text.format(script=script, ask=ask)],
        cwd=installed.root,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr in ("", *["bash: line 1: compopt: not currently executing\n"])
    lines = done.stdout.splitlines()
    assert lines[: len(lines) // 2] == lines[len(lines) // 2 :]
    typed = words.split()[-1]
    return sorted({line for line in lines if line.startswith(typed)})


@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_completion(shell: str, installed: Installation) -> None:
    (installed.root / "build" / "release" / "bin" / "cavern-sim").unlink()
    installed.tool(
        installed.root / "build" / "release" / "bin" / "cavern-sim",
        'case "$*" in *--help) echo "  --trace F"; echo "  --timeline F, or --trace";; '
        '*) echo "buffer.policy  x"; echo "ftl.d-choices.d  3"; echo "seed  1";; esac',
    )
    assert completed(shell, "re", 1, installed) == ["report", "reproduce", "results"]
    assert completed(shell, "run --t", 2, installed) == ["--timeline", "--trace"]
    assert completed(shell, "run x.toml --ti", 3, installed) == ["--timeline"]
    assert completed(shell, "run conf", 2, installed) == []
    assert completed(shell, "run x.toml --set buf", 4, installed) == ["buffer.policy="]
    assert completed(shell, "run x.toml --set ftl.d", 4, installed) == ["ftl.d-choices.d="]
    assert completed(shell, "config s", 2, installed) == ["schema", "show"]
    assert completed(shell, "trace inf", 2, installed) == ["info"]
    # Asked twice, each shell above has called it once.
    asked = [call for call in installed.told() if call.startswith("cavern-sim")]
    assert len(asked) == 4


def test_completion_asks_for_a_shell(installed: Installation) -> None:
    for arguments in ([], ["fish"], ["bash", "zsh"]):
        stdout, lines = installed("completion", *arguments, status=2)
        assert stdout == "" and len(lines) == 1 and "completion takes the name" in lines[0]
