"""report.html: one self-contained page about one or several runs."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from cavern.errors import NotAvailableError
from cavern.plots.about import (
    FEW,
    alarms,
    few_samples,
    head_lines,
    interval_text,
    reservations,
    sample_text,
    unlike,
)
from cavern.plots.compared import compared, csv_text, table_of
from cavern.plots.figures.options import Options
from cavern.plots.finding import Group, alone, repeated
from cavern.plots.flame import flame_svg
from cavern.plots.inline_svg import inline_svg
from cavern.plots.lockstep import Channel, lockstep
from cavern.plots.render import FOR_PAGE, Drawn, comparison_figures, run_figures
from cavern.plots.requests_csv import OP_NAMES, PARTS
from cavern.plots.results import Run
from cavern.plots.tables import Cell, Row, configuration
from cavern.plots.templates_of import page_environment, script, style_sheet
from cavern.plots.texts import count_text, moment_text, printable, size_text, time_text
from cavern.toml_text import toml
from markupsafe import Markup

#: The figures of more runs than these are folded, each run's apart: the page is about all of them.
MOST_UNFOLDED = 4


def identity_text(run: Run) -> str:
    """What the run is; empty where an older program wrote the summary."""
    get = run.summary.get
    if not run.identity:
        return ""
    text = (
        f"Run {run.identity} of Cavern {get('run.version')}, "
        f"program of commit {get('run.commit')}, begun {get('run.started')}"
    )
    sha256 = get("run.input.sha256")
    return printable(text + (f"; SHA-256 of its input {sha256}" if sha256 else "") + ".")


def rerun(run: Run) -> str:
    """The command of the run where the summary keeps it, else its shape."""
    command = run.summary.get("run.command")
    if isinstance(command, str):
        return command
    trace = run.summary.get("trace") or run.summary.get("config.workload.trace")
    trace = shlex.quote(trace) if isinstance(trace, str) else "TRACE"
    seed = run.summary.get("seed")
    seed = f" --seed {seed}" if isinstance(seed, int) else ""
    resolved = run.directory / "config.toml"
    config = shlex.quote(str(resolved)) if resolved.is_file() else f"{run.slug}.toml"
    return f"./cavern run {config} --trace {trace}{seed} --out out/{run.slug}"


@dataclass(frozen=True)
class Section:
    """One run's part of the page."""

    run: Run
    anchor: str
    figures: list[dict[str, Any]]
    missing: list[str]
    lockstep: str
    channels: list[Channel]
    slowest: list[Row]
    flows: list[Row]
    identity: str
    command: str
    toml: str


def placed(drawn: Sequence[Drawn], prefix: str, of: str) -> list[dict[str, Any]]:
    return [
        {
            "title": figure.spec.title,
            "wide": False,
            "caption": figure.spec.caption,
            "svg": Markup(
                inline_svg(figure.svg, f"{prefix}-{figure.spec.name}", f"{figure.spec.title}: {of}")
            ),
        }
        for figure in drawn
        if not figure.missing
    ]


def slowest_requests(run: Run, most: int) -> list[Row]:
    """A row a request: its id, when it came and where its latency went; the slowest first."""
    if most == 0:
        return []
    try:
        requests = run.requests
    except NotAvailableError:
        return []
    rows = []
    for one in requests.slowest(most):
        parts = [moment_text(one["arrival_ns"])]
        parts += [time_text(float(one[key])) for key in ("latency_ns", *PARTS)]
        label = f"{one['id']} ({OP_NAMES[one['op']]}, {one['size']:,} bytes)"
        rows.append(Row(label, [Cell(text) for text in parts]))
    return rows


#: Of a flow's reads or writes.
FLOW_HEADS = ("Requests", "Bytes", "Mean", "p50", "p99", "p99.9", "Max")


def flows_of(run: Run) -> list[Row]:
    """A row for the reads and one for the writes of each job, or trace of several, as far as it has
    any; none where the run tells no flows apart."""
    jobs = run.summary.get("host.jobs")
    rows = []
    for job in jobs if isinstance(jobs, list) else []:
        for kind in ("read", "write"):
            of_it = job[kind]
            if of_it["count"] == 0:
                continue
            latencies = of_it["lat_ns"]
            times = [latencies[name] for name in ("mean", "p50", "p99", "p99_9", "max")]
            counts = [count_text(of_it["count"]), size_text(of_it["bytes"])]
            label = f"{printable(job['name'])}, {kind}s"
            rows.append(Row(label, [Cell(text) for text in (*counts, *map(time_text, times))]))
    return rows


FLAME = "Cycles of the firmware"


def flame(run: Run, prefix: str) -> tuple[list[dict[str, Any]], list[str]]:
    """The figure of a run's profile, or why there is none; neither without a processor."""
    try:
        picture = flame_svg(run.profile, f"{FLAME}: {run.name}", script=False)
    except NotAvailableError as reason:
        return [], [f"{FLAME}: {reason}"] if run.executes_firmware else []
    return [
        {
            "title": FLAME,
            "caption": "Since warm-up. A function stands upon its caller, as wide as its cycles "
            "with those of all that it called; the pointer tells them.",
            "svg": Markup(inline_svg(picture, f"{prefix}-flame", f"{FLAME}: {run.name}")),
            "wide": True,
        }
    ], []


def missing_text(drawn: Sequence[Drawn]) -> list[str]:
    """What is left out, by the reason."""
    titles: dict[str, list[str]] = {}
    for figure in drawn:
        if figure.missing:
            titles.setdefault(figure.missing, []).append(figure.spec.title)
    return [f"{', '.join(those)}: {reason}" for reason, those in titles.items()]


def build_report(
    runs: Sequence[Run],
    options: Options,
    slowest: int = 0,
    notes: Sequence[str] = (),
    command: str | None = None,
) -> str:
    """The page about each run, and all of them side by side, with the command that makes it; the
    notes are sentences below the table. Same results, same bytes."""
    sections = [_section(run, f"run{i}", options, slowest) for i, run in enumerate(runs, 1)]
    return _page(alone(runs), sections, notes, command)


def build_comparison(
    groups: Sequence[Group], notes: Sequence[str] = (), command: str | None = None
) -> str:
    """The page of `./cavern compare`: the groups side by side alone. Where one of them has several
    runs, no figure shows one of these."""
    return _page(groups, [], notes, command)


def _section(run: Run, anchor: str, options: Options, slowest: int) -> Section:
    drawn = list(run_figures(run, options, FOR_PAGE))
    sentence, channels = lockstep(run)
    firmware, without = flame(run, anchor)
    return Section(
        run,
        anchor,
        placed(drawn, anchor, run.name) + firmware,
        missing_text(drawn) + without,
        sentence,
        channels,
        slowest_requests(run, slowest),
        flows_of(run),
        identity_text(run),
        rerun(run),
        toml(run.config),
    )


def _page(
    groups: Sequence[Group],
    sections: Sequence[Section],
    notes: Sequence[str],
    command: str | None,
) -> str:
    runs = [group.run for group in groups]
    drawn = len(runs) > 1 and not repeated(groups)
    figures = list(comparison_figures(runs, FOR_PAGE)) if drawn else []
    settings, results = configuration(runs), table_of(groups)
    numbers = quote(csv_text(groups, compared(groups)))
    folders = shlex.join(str(run.directory) for run in runs)
    page = (
        page_environment()
        .get_template("report.html.j2")
        .render(
            style=style_sheet(),
            flow_heads=FLOW_HEADS,
            script=script(),
            kind="report" if sections else "comparison",
            title=" / ".join(run.name for run in runs) if len(runs) <= 4 else f"{len(runs)} runs",
            runs=runs,
            sections=sections,
            folded=len(runs) > MOST_UNFOLDED,
            lines=head_lines(groups),
            in_lockstep=[section for section in sections if section.lockstep],
            alarms=alarms(groups),
            reservations=reservations(groups),
            notes=notes,
            headline=results,
            below=[
                interval_text(groups),
                sample_text(groups),
                FEW if few_samples(results) else "",
            ],
            numbers=f"data:text/csv;charset=utf-8,{numbers}",
            different=unlike(runs),
            comparison=placed(figures, "all", ", ".join(run.name for run in runs)),
            comparison_missing=missing_text(figures),
            settings=settings,
            differing=[Row(row.label, row.cells) for row in settings if row.differs],
            report_command=command or f"./cavern {'report' if sections else 'compare'} {folders}",
        )
    )
    return printable(page)
