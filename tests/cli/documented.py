"""What the documents say of their runs: a loop varies something, and the flash takes part."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.cli.programs import ROOT, Json

#: Documented runs that leave out something of the flash on purpose, by a part of their command.
ON_PURPOSE = {
    "--out out/errors-$cycles": "errors are found by reads",
    "--out out/firmware/timeline ": "a window of what the firmware does",
    "--out out/firmware/debugged ": "the firmware stops at its first hit",
    "--out out/firmware/profiled ": "what the firmware does for a hit",
    "--out out/waves ": "the first eviction of a trace, on an empty drive",
}
#: Drives that are full, if nobody says otherwise: a run of one that erases nothing shows nothing
#: of it.
FULL = re.compile(r"/(?:small-tlc|steady-tlc|collection)\.toml(?!.*precondition\.fill=0\b(?!\.))")

LOOP = re.compile(r"\bfor (\w+) in [^;]+; do\b")
#: Where a run writes, which tells runs apart but changes none.
OUTPUT = re.compile(r"--(?:out|requests|decisions|timeline|perfetto|power|output)[ =]\S+")
#: But for what saves a drive that is filled, and plays nothing.
RUNS = re.compile(r"\./cavern (?:run|serve) (?!\S+ --save-state \S+$)")
OUT = re.compile(r"--out[ =]([^\s;'\"]+)")
#: A word of the shell that stands for others.
VARIABLE = re.compile(r"\$(?:\{[^}]*\}|\w+)")


def idle_loops(command: str) -> list[str]:
    """The variables of its loops that change nothing but where the results go."""
    found = []
    for loop in LOOP.finditer(command):
        body = OUTPUT.sub("", command[loop.end() :])
        if not re.search(rf"\$(?:\{{{loop[1]}\b|{loop[1]}\b)", body):
            found.append(loop[1])
    return found


def unnamed_baselines(commands: list[str]) -> list[str]:
    """The commands of a document that compare runs by the folder in which they are: then the one
    that was run first is the baseline, which a text easily gets wrong when commands move."""
    made = [
        folder for command in commands for folder in OUT.findall(command) if RUNS.search(command)
    ]
    compare = re.compile(r"\./cavern (?:report|compare) (?!.*--baseline)(\S+)")
    found = []
    for command in commands:
        of = compare.search(command)
        if of and of[1] not in made and any(run.startswith(f"{of[1]}/") for run in made):
            found.append(command)
    return found


def summaries_of(command: str, begun: float, root: Path = ROOT) -> list[Json]:
    """Of the runs that a command has made since the instant `begun`, in seconds since 1970."""
    if not RUNS.search(command):
        return []
    folders = OUT.findall(command) or ["out/run"]
    files = {
        file
        for folder in folders
        for place in ("summary.json", "seed-*/summary.json", "together/summary.json")
        for file in root.glob(f"{VARIABLE.sub('*', folder)}/{place}")
        if file.stat().st_mtime >= begun
    }
    return [json.loads(file.read_text(encoding="utf-8")) for file in sorted(files)]


def unused(summary: Json, collects: bool) -> str:
    """What of the flash a run has not used though its host asked for it, or its drive is full, in
    words; "" if nothing."""
    if summary["host"]["write"]["count"] and not summary["ftl"]["programmed_bytes"]:
        return "all writes stayed in the buffer"
    if collects and not summary["ftl"]["erases"]:
        return "nothing was collected"
    buffer = summary["buffer"]
    asked = buffer["read_hits"] + buffer["read_misses"]
    if asked and asked == buffer["zero_reads"]:
        return "all reads were of pages never written"
    return ""


#: Before a table: the folder of the run that a row is of, {0} standing for its first cell, then the
#: field in each of the cells behind that; "-": no field.
FIGURES = re.compile(r"^<!-- (?P<fields>\S+: .*) -->\n\n(?P<table>(?:\|.*\n)+)", re.MULTILINE)
#: A figure of a cell, and what one of its unit is in that of the field.
FIGURE = re.compile(r"(?P<digits>\d[\d,]*(?:\.(?P<decimals>\d+))?)(?: (?P<unit>\S+))?")
UNITS = {
    "ns": 1,
    "µs": 1e3,
    "ms": 1e6,
    "s": 1e9,
    "J": 1,
    "mJ": 1e-3,
    "µJ": 1e-6,
    "mW": 1e-3,
    "MB/s": 1e6,
    "%": 0.01,
}


#: The same line, whatever follows it.
NAMED_FIGURES = re.compile(r"^<!-- \S*[.{]\S*: .* -->$", re.MULTILINE)


def figures_not_compared(text: str) -> list[str]:
    """The lines that name runs and fields, and have no table below them."""
    compared = {shown.start() for shown in FIGURES.finditer(text)}
    return [line[0] for line in NAMED_FIGURES.finditer(text) if line.start() not in compared]


def wrong_figures(text: str, root: Path = ROOT) -> list[str]:
    """The cells of tables that are not what the summaries say of the runs that they name, and the
    rows with more or fewer cells than fields."""
    found = []
    for shown in FIGURES.finditer(text):
        for row in shown["table"].splitlines()[2:]:
            cells = [cell.strip().strip("`") for cell in row.strip("|").split("|")]
            fields: list[tuple[str, str]] = []
            folder = ""
            for word in shown["fields"].split():
                if word.endswith(":"):
                    folder = word.rstrip(":").format(*cells)
                else:
                    fields.append((folder, word))
            if len(fields) != len(cells) - 1:
                found.append(f"{cells[0]}: {len(cells) - 1} cells, {len(fields)} fields")
                continue
            for cell, (folder, field) in zip(cells[1:], fields, strict=True):
                if field != "-":
                    file = root / folder / "summary.json"
                    value = json.loads(file.read_text(encoding="utf-8"))
                    for name in field.split("."):
                        value = value[name]
                    if not says(cell, value):
                        found.append(f"{cells[0]}: {field} is {value}, not {cell}")
    return found


def says(cell: str, value: float) -> bool:
    """Whether a cell has the value, rounded to its digits."""
    figure = FIGURE.fullmatch(cell)
    if not figure:
        return False
    unit = UNITS[figure["unit"]] if figure["unit"] else 1
    digit = 10.0 ** -len(figure["decimals"] or "")
    return abs(value / unit - float(figure["digits"].replace(",", ""))) <= 0.5001 * digit
