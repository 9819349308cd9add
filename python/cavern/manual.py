"""`./cavern man`: the manual page, made of what the commands say of themselves."""

from __future__ import annotations

import re
import subprocess

import click

from cavern.simulator import ENVIRONMENT, ROOT, SIMULATOR

STATUS = (
    ("0", "Done."),
    ("1", "The model found itself inconsistent, or a result could not be written."),
    ("2", "The input is wrong: one line on standard error says where, and what would be right."),
    ("130", "Interrupted; of a run, the statistics so far are written."),
)
EXAMPLES = (
    (
        "One hour of a database server on the drive of a paper",
        "./cavern run configs/cave.toml --trace traces/oltp-mysql-1h.csv.xz "
        "--set workload.out_of_range=wrap",
    ),
    (
        "A fio job, with a page about it",
        "./cavern run configs/conventional.toml --workload job.fio --out out/job "
        "--requests out/job/requests.csv && ./cavern report out/job",
    ),
    ("Who kept the slowest request waiting", "./cavern explain slowest out/job"),
)


def printed(*command: str) -> str:
    done = subprocess.run(
        command, env=ENVIRONMENT, capture_output=True, text=True, check=True, cwd=ROOT
    )
    return done.stdout


def roff(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def commands() -> list[tuple[str, str]]:
    """Each with its arguments, and its sentence."""
    lines = printed(str(ROOT / "cavern"), "help").splitlines()
    found = [re.fullmatch(r"  (\S.*?)  +(\S.*)", line) for line in lines]
    return [(match[1], match[2]) for match in found if match]


def run_options() -> list[tuple[str, str]]:
    """The options of `cavern run`: each with its value, and its sentence."""
    options: list[tuple[str, str]] = []
    for line in printed(str(SIMULATOR), "run", "--help").splitlines():
        match = re.fullmatch(r"  (-\S.*?)(?:  +(\S.*))?", line)
        if match:
            options.append((match[1], match[2] or ""))
        elif options and line.startswith("      ") and line.strip():
            name, said = options[-1]
            options[-1] = (name, f"{said} {line.strip()}".strip())
    return options


def page() -> str:
    version = (ROOT / "VERSION").read_text(encoding="utf-8").strip()
    lines = [
        f'.TH CAVERN 1 "" "Cavern {roff(version)}" "User Commands"',
        ".SH NAME",
        r"cavern \- a cycle\-approximate model of a NAND SSD",
        ".SH SYNOPSIS",
        ".B ./cavern",
        r"\fICOMMAND\fR [\fIARGUMENTS\fR]",
        ".SH COMMANDS",
    ]
    for usage, sentence in commands():
        lines += [".TP", f"\\fB{roff(usage)}\\fR", roff(sentence)]
    lines += [".SH OPTIONS OF RUN"]
    for option, sentence in run_options():
        lines += [".TP", f"\\fB{roff(option)}\\fR", roff(sentence)]
    lines += [".SH EXIT STATUS"]
    for status, sentence in STATUS:
        lines += [".TP", f"\\fB{status}\\fR", roff(sentence)]
    lines += [".SH EXAMPLES"]
    for sentence, command in EXAMPLES:
        lines += [".TP", f"{roff(sentence)}:", f"\\fB{roff(command)}\\fR"]
    lines += [".SH SEE ALSO", roff("README.md and docs/ of the installation")]
    return "\n".join(lines) + "\n"


@click.command()
def man() -> None:
    """Print the manual page: ./cavern man | man -l -"""
    click.echo(page(), nl=False)
