"""Runs a run once more for what it did not write down: its requests, or a part of its timeline.

The results go into explain/ in the folder of the run; its own files stay as they are. A run repeats
bit by bit, and `run.id` says whether it was the same.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from pathlib import Path

from cavern.errors import InputError, NotAvailableError, SimulatorError
from cavern.plots.results import Run, Summary
from cavern.simulator import input_words, simulate, value_in

FOLDER = "explain"
#: Of operations of dies that began before what is asked for, longer than any erase.
MARGIN_NS = 25_000_000
UNITS_NS = {"ps": 1e-3, "ns": 1, "us": 1e3, "µs": 1e3, "ms": 1e6, "s": 1e9}

Span = tuple[int, int]


def timeline_of(run: Run) -> tuple[float, float] | None:
    """The part of it that the timeline of a run has, in ns, as its command says; None: none."""
    if not run.has("timeline.json", "timeline"):
        return None
    command = str(run.summary.get("run.command", ""))
    found = [0.0, float("inf")]
    for place, option in enumerate(("--timeline-from", "--timeline-to")):
        value = value_in(command, option)
        if match := re.fullmatch(r"([0-9]{1,20}(?:\.[0-9]*)?)(ps|ns|us|µs|ms|s)", value):
            found[place] = float(match[1]) * UNITS_NS[match[2]]
    return found[0], found[1]


def earlier(run: Run) -> Run | None:
    """What an earlier explain left, if it is of the same run."""
    folder = run.directory / FOLDER
    if not (folder / "summary.json").is_file():
        return None
    found = Run(folder, run.name, Summary(folder / "summary.json"))
    return found if run.identity and found.identity == run.identity else None


def positive(run: Run, name: str) -> float:
    """The number of that name in its summary; 0 where there is none."""
    try:
        value = run.summary.number(name)
    except InputError:
        return 0.0
    return value if value > 0 else 0.0


def run_again(run: Run, span: Span | None) -> Run:
    """Into FOLDER, with its requests and the timeline of that time. Raises NotAvailableError where
    it cannot be run again, or where what ran was another run."""
    arguments = _input(run)
    folder = run.directory / FOLDER
    with tempfile.TemporaryDirectory(dir=run.directory, prefix=".explain-") as place:
        out = Path(place) / "run"
        arguments += ["--requests", str(out / "requests.csv")]
        if span is not None:
            arguments += ["--timeline", str(out / "timeline.json")]
            arguments += ["--timeline-from", f"{max(span[0] - MARGIN_NS, 0)}ns"]
            arguments += ["--timeline-to", f"{span[1] + 1}ns"]
        out.mkdir()
        try:
            simulate(run.directory / "config.toml", out, arguments=arguments)
        except SimulatorError as error:
            raise NotAvailableError(f"running it again failed: {error}") from None
        identity = Run(out, run.name, Summary(out / "summary.json")).identity
        if identity != run.identity:
            raise NotAvailableError(
                f"what ran again is run {identity}, not {run.identity}: the program, the "
                "configuration or the input is another one now"
            )
        shutil.rmtree(folder, ignore_errors=True)
        out.rename(folder)
    return Run(folder, run.name, Summary(folder / "summary.json"))


def _input(run: Run) -> list[str]:
    """The arguments that say what is played."""
    get = run.summary.get
    kind, path = get("run.input.kind"), get("run.input.path")
    if kind == "clients":
        raise NotAvailableError("a drive that was served cannot be run again")
    if not run.identity or kind not in ("trace", "workload") or not isinstance(path, str):
        raise NotAvailableError("its summary does not say how it is run again")
    if path == "-" or not (run.directory / "config.toml").is_file():
        missing = "standard input" if path == "-" else "config.toml"
        raise NotAvailableError(f"it cannot be run again without its {missing}")
    return input_words(run.summary.data["run"]["input"])
