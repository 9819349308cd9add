"""What `./cavern explain` does: finds the requests, what the dies did meanwhile, and tells both."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click
from cavern.errors import InputError, NotAvailableError
from cavern.plots.again import Span, earlier, positive, run_again, timeline_of
from cavern.plots.causes import Wait, follow
from cavern.plots.die_work import DieWork
from cavern.plots.explain import table, words
from cavern.plots.life import find_life, lives_during, slowest_lives
from cavern.plots.results import Run, Summary
from cavern.plots.texts import digits

#: Without being asked a run is run again for so long, on the machine that it ran on.
PATIENCE_S = 20.0
#: Of a timeline that is written for several requests in one piece, by the operations in it.
MOST_OPERATIONS = 100_000
#: Runs that an error names.
MOST_RUNS = 4


@dataclass(frozen=True)
class Asked:
    """The command line. `number` is None for the slowest, `rerun` where it is left to us."""

    directory: Path
    number: int | None
    top: int | None
    op: str | None
    rerun: bool | None
    svg: Path | None

    @property
    def command(self) -> str:
        what = "slowest" if self.number is None else str(self.number)
        parts = [what] if self.top is None else ["--top", str(self.top)]
        parts += ["--op", self.op] if self.op else []
        return "./cavern explain " + shlex.join([*parts, str(self.directory)])


def explain_run(asked: Asked) -> None:
    directory = asked.directory
    _refuse_several(directory)
    run = Run(directory, directory.name, Summary(directory / "summary.json"))
    requests = _requests(run, asked)
    if asked.number is None:
        chosen = slowest_lives(requests, asked.top or 1, asked.op)
    else:
        chosen = [find_life(requests, asked.number)]
    spans = [(life.arrival_ns, life.complete_ns) for life in chosen]
    works, without = _works(run, spans, asked)
    tags = positive(run, "config.host.queue_depth")
    in_turn = run.summary.get("config.buffer.dispatch") == "in-turn"
    waits = [
        follow(life, others, work, max(int(tags), 1), in_turn)
        for life, others, work in zip(chosen, lives_during(requests, spans), works, strict=True)
    ]
    if asked.top is not None:
        click.echo(table(waits, without))
        return
    click.echo(words(waits[0], works[0], without), nl=False)
    _draw(run, waits[0], works[0], asked.svg)


def _refuse_several(directory: Path) -> None:
    """Raises InputError for a folder of runs, a repeat and a sweep."""
    if (directory / "summary.json").exists():
        return
    found = [one for some in ("*", "runs/*") for one in directory.glob(f"{some}/summary.json")]
    names = [str(one.parent) for one in sorted(found)]
    if names:
        rest = f" and {len(names) - MOST_RUNS} others" if len(names) > MOST_RUNS else ""
        right = f"expected one of its runs: {', '.join(names[:MOST_RUNS])}{rest}"
        raise InputError(directory, 1, "is a folder of runs", right)


def _draw(run: Run, wait: Wait, work: DieWork | None, svg: Path | None) -> None:
    from cavern.plots.explain_svg import picture
    from cavern.plots.files import make_directory, write_file

    svg = svg or run.directory / f"explain-{wait.life.number}.svg"
    make_directory(svg.parent)
    write_file(svg, picture(wait, work, run.identity).encode())
    click.echo(f"\n{svg}")


def _requests(run: Run, asked: Asked) -> Path:
    """The table of requests: of the run, or of the same run once more."""
    try:
        return run.file("requests.csv", "requests")
    except NotAvailableError as missing:
        again = earlier(run)
        if again is not None and again.has("requests.csv", "requests"):
            return again.file("requests.csv", "requests")
        try:
            return _again(run, None, asked, 1).directory / "requests.csv"
        except NotAvailableError as reason:
            right = f"expected a run that wrote its requests into its folder; {reason}"
            raise InputError(run.directory, 1, str(missing), right) from None


def _again(run: Run, span: Span | None, asked: Asked, times: int) -> Run:
    """Raises NotAvailableError where it is not to be, with what would make it be."""
    takes = positive(run, "sim.wall_s") * times
    if asked.rerun is False or (asked.rerun is None and takes > PATIENCE_S):
        raise NotAvailableError(
            f"`{asked.command} --rerun` runs it again for that (about {digits(takes)} s)"
        )
    return run_again(run, span)


def _works(run: Run, spans: Sequence[Span], asked: Asked) -> tuple[list[DieWork | None], str]:
    """What dies did in each of those times, and why it is not known of some."""
    works: list[DieWork | None] = [None] * len(spans)
    for source in (run, earlier(run)):
        if source is not None:
            _read(source, [p for p, work in enumerate(works) if work is None], spans, works)
    left = _in_pieces(run, [p for p, work in enumerate(works) if work is None], spans)
    try:
        for places in left:
            hull = min(spans[p][0] for p in places), max(spans[p][1] for p in places)
            _read(_again(run, hull, asked, len(left)), places, spans, works)
    except NotAvailableError as reason:
        if asked.rerun:
            right = "expected a run with --timeline DIR/timeline.json"
            raise InputError(run.directory, 1, str(reason), right) from None
        return works, f"no timeline.json of that time (run with --timeline); {reason}."
    return works, ""


def _read(
    source: Run, places: list[int], spans: Sequence[Span], works: list[DieWork | None]
) -> None:
    """Of the times at `places` those that the timeline of a run covers."""
    known = timeline_of(source) if places else None
    if known is None:
        return
    covered = [p for p in places if known[0] <= spans[p][0] and spans[p][1] <= known[1]]
    if not covered:
        return
    from cavern.plots.events import EventFile

    events = EventFile(source.file("timeline.json", "timeline")).events
    for place in covered:
        works[place] = DieWork(events, *spans[place])


def _in_pieces(run: Run, places: list[int], spans: Sequence[Span]) -> list[list[int]]:
    """The times in as few runs as their timelines can be read from."""
    if not places:
        return []
    density = positive(run, "sim.flash_ops") / (positive(run, "sim.simulated_ns") or 1.0)
    ordered = sorted(places, key=lambda place: spans[place])
    pieces, end = [[ordered[0]]], spans[ordered[0]][1]
    for place in ordered[1:]:
        begin = spans[pieces[-1][0]][0]
        end = max(end, spans[place][1])
        if spans[place][0] <= end and density * (end - begin) <= MOST_OPERATIONS:
            pieces[-1].append(place)
        else:
            pieces.append([place])
            end = spans[place][1]
    return pieces
