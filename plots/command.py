"""`./cavern plot`, `report`, `explain`, `compare`, `flame`: pictures of results that exist.

Times take a unit (ns, us, ms, s); a bare number is microseconds.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import click

LONGEST_US = 1e13  # 2^63 ps
UNITS_US = {"": 1.0, "ns": 1e-3, "us": 1.0, "µs": 1.0, "ms": 1e3, "s": 1e6}


class Microseconds(click.ParamType):
    """A time such as 250, 250us, 2ms or 1.5s; a bare number is microseconds."""

    name = "time"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if isinstance(value, float):
            return value
        match = re.fullmatch(r"(\d+(?:\.\d*)?|\.\d+)\s*([nuµm]?s|)", str(value).strip())
        if match is None:
            self.fail(f'"{value}" is no time; expected one such as 250us or 2ms', param, ctx)
        time = float(match[1]) * UNITS_US[match[2]]
        if time > LONGEST_US:
            self.fail(f'"{value}" is longer than any run', param, ctx)
        return time


class Place(click.ParamType):
    """A file or folder, which has a name."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if str(value) == "":
            self.fail("the path is empty; expected a file or folder", param, ctx)
        return Path(value)


DIRECTORY = Place()
BASELINE = "The run others are compared with (default: the first)."
TIME = Microseconds()
window_options = [
    click.option(
        "--window", type=TIME, help="Width of the windows in figures over time (default: chosen)."
    ),
    click.option(
        "--from", "begin", type=TIME, help="Start of the Gantt picture (default: busiest 2 ms)."
    ),
    click.option("--to", "end", type=TIME, help="End of the Gantt picture."),
]


def with_window_options(command: Any) -> Any:
    for option in reversed(window_options):
        command = option(command)
    return command


@click.command()
@click.argument("directories", type=DIRECTORY, nargs=-1, required=True, metavar="DIRECTORY...")
@click.option("--out", type=DIRECTORY, help="Where figures go (default: figures/ in DIRECTORY).")
@click.option("--baseline", help=BASELINE)
@click.option("--bus", is_flag=True, help="Also the signals of one channel's bus.")
@click.option(
    "--format",
    "formats",
    type=click.Choice(["png", "svg", "pdf"]),
    multiple=True,
    default=["png", "svg"],
    help="Of the files; may be repeated (default: png and svg).",
)
@click.option(
    "--dpi",
    type=click.IntRange(min=30, max=2400),
    help="Dots per inch of PNG (default: 150; 600 suits print). A figure is 4.6 inches wide.",
)
@click.option("--no-titles", is_flag=True, help="Without the title inside, as a paper wants it.")
@with_window_options
def plot(
    directories: tuple[Path, ...],
    out: Path | None,
    baseline: str | None,
    bus: bool,
    formats: tuple[str, ...],
    dpi: int | None,
    no_titles: bool,
    **window: float | None,
) -> None:
    """Write every figure of the runs in DIRECTORY... as PNG and SVG, or as --format says.

    A DIRECTORY that holds runs stands for all of them. Several runs also get the figures that
    compare them with the first, in figures/ of the directory they share.
    """
    options = _options(**window)
    from cavern.plots.files import make_directory, write_file
    from cavern.plots.finding import load_runs
    from cavern.plots.render import Output, bus_figure, comparison_figures, run_figures

    runs = load_runs(directories, baseline)
    # A format that is named twice is one.
    output = Output(tuple(dict.fromkeys(formats)), not no_titles, dpi)
    batches = []
    for run in runs:
        place = run.directory / "figures"
        if out:
            place = out / run.slug if len(runs) > 1 else out
        figures = list(run_figures(run, options, output))
        if bus:
            figures.append(bus_figure(run, options, output))
        batches.append((place, run.name, figures))
    if len(runs) > 1:
        shared = Path(os.path.commonpath([run.directory.resolve().parent for run in runs]))
        place = out or _seen_from_here(shared / "figures")
        batches.append((place, "comparison", list(comparison_figures(runs, output))))
    for place, name, figures in batches:
        make_directory(place)
        for figure in figures:
            if figure.missing:
                click.echo(f"{name}: no {figure.spec.name}: {figure.missing}")
                continue
            for suffix, content in figure.files.items():
                write_file(place / f"{figure.spec.name}.{suffix}", content)
            endings = ",".join(figure.files)
            endings = f"{{{endings}}}" if len(figure.files) > 1 else endings
            click.echo(f"{place / figure.spec.name}.{endings}")


@click.command()
@click.argument("directories", type=DIRECTORY, nargs=-1, required=True, metavar="DIRECTORY...")
@click.option("--out", type=DIRECTORY, help="The page (default: report.html in the DIRECTORY).")
@click.option("--baseline", help=BASELINE)
@click.option("--note", "notes", multiple=True, help="A sentence below the table; may be repeated.")
@click.option(
    "--slowest", type=click.IntRange(min=0), default=0, help="Also the slowest requests, so many."
)
@with_window_options
def report(
    directories: tuple[Path, ...],
    out: Path | None,
    baseline: str | None,
    notes: tuple[str, ...],
    slowest: int,
    **window: float | None,
) -> None:
    """Write one self-contained HTML page about the runs in DIRECTORY...

    A DIRECTORY that holds runs stands for all of them, in the order in which they were run; a
    sweep alone gets the page of the sweep. Others are compared with the first run, or with
    --baseline.
    """
    options = _options(**window)
    from cavern.plots.sweep.table import is_sweep

    if len(directories) == 1 and is_sweep(directories[0]) and baseline is None:
        if notes or slowest or any(window.values()):
            raise click.UsageError(f"{directories[0]} is a sweep: its page has no such options")
        from cavern.plots.sweep.folder import write_sweep_page

        click.echo(str(write_sweep_page(directories[0], out)))
        return
    from cavern.plots.files import make_directory, write_file
    from cavern.plots.finding import left_out, load_runs
    from cavern.plots.report import build_report

    runs = load_runs(directories, baseline)
    beside = left_out(directories)
    page = build_report(runs, options, slowest, [*notes, *beside], _given())
    out = out or (directories[0] if len(directories) == 1 else Path.cwd()) / "report.html"
    make_directory(out.parent)
    write_file(out, page.encode())
    for sentence in beside:
        click.echo(sentence)
    click.echo(str(out))


@click.command()
@click.argument("words", nargs=-1, required=True, metavar="[REQUEST] DIR")
@click.option("--top", type=click.IntRange(min=1), help="A table of the slowest requests, so many.")
@click.option("--op", type=click.Choice(["read", "write"]), help="Of the slowest: of this kind.")
@click.option(
    "--rerun/--no-rerun",
    default=None,
    help="Run the run again for what it did not write down (default: if that takes seconds).",
)
@click.option("--svg", type=DIRECTORY, help="The picture (default: explain-REQUEST.svg in DIR).")
def explain(
    words: tuple[str, ...], top: int | None, op: str | None, rerun: bool | None, svg: Path | None
) -> None:
    """Say where the latency of one request of the run in DIR went, and who kept it waiting.

    REQUEST is `slowest`, or an id of requests.csv. With --top there is no REQUEST. The run needs
    requests.csv (`run --requests DIR/requests.csv`) and timeline.json. Where it lacks them, it is
    run again for the time of the request, into DIR/explain.
    """
    from cavern.plots.explaining import Asked, explain_run

    directory = DIRECTORY.convert(words[-1], None, None)
    request = words[0] if len(words) == 2 else "slowest"
    if len(words) > 2 or (len(words) == 1) != (top is not None):
        raise click.UsageError("expected REQUEST DIR, or --top N DIR")
    if request != "slowest" and not (request.isascii() and request.isdigit()):
        raise click.UsageError(f'REQUEST is "{request}"; expected slowest, or the id of a request')
    if op is not None and request != "slowest":
        raise click.UsageError("--op goes with slowest and --top")
    if top is not None and svg is not None:
        raise click.UsageError("--svg goes with one request")
    number = None if request == "slowest" else int(request)
    explain_run(Asked(directory, number, top, op, rerun, svg))


@click.command()
@click.argument("directories", type=DIRECTORY, nargs=-1, required=True, metavar="DIRECTORY...")
@click.option("--baseline", help=BASELINE)
@click.option("--out", type=DIRECTORY, help="Also a page: this HTML file.")
@click.option("--json", "form", flag_value="json", help="Print the table as JSON.")
@click.option("--csv", "form", flag_value="csv", help="Print the table as CSV.")
@click.option("--latex", "form", flag_value="latex", help="Print the table for LaTeX (booktabs).")
def compare(
    directories: tuple[Path, ...], baseline: str | None, out: Path | None, form: str | None
) -> None:
    """Show the results of the runs in DIRECTORY... side by side, better and worse marked.

    A DIRECTORY that holds runs, or a sweep, stands for all of them. Runs that differ in their
    seed alone (`run --repeat`, seeds of a sweep) are one: means with intervals of 95 %. A run is
    neither better nor worse where it played something else, where the change is below 0.5 %, and
    in a percentile that fewer than ten requests lie beyond.
    """
    from cavern.plots.compared import PRINTED, compared
    from cavern.plots.finding import left_out, load_groups
    from cavern.plots.side_by_side import print_comparison

    groups = load_groups(directories, baseline)
    beside = left_out(directories, together=True)
    if out:
        from cavern.plots.files import make_directory, write_file
        from cavern.plots.report import build_comparison

        page = build_comparison(groups, beside, _given())
        make_directory(out.parent)
        write_file(out, page.encode())
    if form:
        click.echo(PRINTED[form](groups, compared(groups)), nl=False)
        return
    print_comparison(groups)
    for sentence in beside:
        click.echo(sentence)
    if out:
        click.echo(str(out))


@click.command()
@click.argument("stacks", type=DIRECTORY, metavar="FILE")
@click.option("--out", type=DIRECTORY, help="The picture (default: beside FILE, as .svg).")
@click.option("--title", help="Above the picture (default: the name of FILE).")
def flame(stacks: Path, out: Path | None, title: str | None) -> None:
    """Draw folded stacks as a flame graph: one SVG file to be looked at in a browser.

    `cavern firmware IMAGE --profile FILE` and `cavern run ... --firmware-profile FILE` write such
    stacks.
    """
    from cavern.plots.files import make_directory, write_file
    from cavern.plots.flame import flame_svg
    from cavern.plots.stacks import read_stacks

    drawn = flame_svg(read_stacks(stacks), stacks.name if title is None else title)
    out = out or stacks.with_suffix(".svg")
    make_directory(out.parent)
    write_file(out, drawn.encode())
    click.echo(str(out))


def _given() -> str | None:
    """The command line, where it was one."""
    given = click.get_current_context().obj
    return given if isinstance(given, str) else None


def _seen_from_here(path: Path) -> Path:
    """Relative to the working directory where it lies below it."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _options(window: float | None, begin: float | None, end: float | None) -> Any:
    if window == 0:
        raise click.UsageError("--window is 0; expected a time above 0")
    if end is not None and end <= (begin or 0.0):
        raise click.UsageError("--to is not after --from; expected a later time")
    # Imported late: --help and wrong usage need not wait for matplotlib.
    from cavern.plots.loading import load_matplotlib

    load_matplotlib()
    from cavern.plots.figures.options import Options

    return Options(None if window is None else window * 1e3, begin, end)
