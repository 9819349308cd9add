"""report.html of a sweep or search: one self-contained page made from its table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cavern.plots.inline_svg import inline_svg
from cavern.plots.metrics import Metric
from cavern.plots.style import as_svg, settle, style
from cavern.plots.sweep import measured, tables
from cavern.plots.sweep.about import SEARCH, About
from cavern.plots.sweep.analysis import Influence, aims_of, front, points
from cavern.plots.sweep.figures import Picture
from cavern.plots.sweep.heat_map import heat_map, two_axes
from cavern.plots.sweep.lines import lines, over
from cavern.plots.sweep.parallel import parallel
from cavern.plots.sweep.pareto import pareto
from cavern.plots.sweep.table import SweepTable
from cavern.plots.sweep.warned import broken, reservations
from cavern.plots.templates_of import page_environment, script, style_sheet
from cavern.plots.texts import printable
from cavern.verdicts.fronts import LEAST_GAIN
from markupsafe import Markup

MOST_FIGURES = 6
MOST_PARETO = 6  # traces with a front of their own


def build_page(table: SweepTable, about: About, commands: Sequence[str] = ()) -> str:
    """The page as text; `commands` make it again. Same table, same bytes."""
    asked = list(about.aims) or measured.objectives(table)
    aims = [one for one in asked if measured.varies(table, one)]
    metrics = [*aims, *(one for one in measured.metrics(table) if one not in aims)]
    shown = [one for one in metrics if measured.firm(table, one) is one][:MOST_FIGURES]
    influence = Influence(table, shown)
    ranked = influence.ranked(table.axes)
    along, two = over(table, ranked), two_axes(table, ranked)
    with style():
        along_lines = [lines(table, along, one, i) for i, one in enumerate(shown)]
        drawn_lines = _drawn(along_lines)
        heat = _drawn([heat_map(table, two, one, i) for i, one in enumerate(shown)])
        all_lines = _drawn([parallel(table, shown)])
        fronts = _fronts(table, aims)
    runs = tables.runs_table(table, metrics)
    page = (
        page_environment()
        .get_template("sweep.html.j2")
        .render(
            style=style_sheet(),
            script=script(),
            kind=about.kind,
            title=table.title,
            sentences=[_sentence(table), *([about.looked_at] if about.looked_at else [])],
            warnings=broken(table),
            reservations=reservations(table, aims),
            axes=table.axes,
            search=about.kind == SEARCH,
            suggestions=about.suggestions,
            least_gain=f"{LEAST_GAIN * 100:g}",
            seeds=len(table.seeds.values) if table.seeds else 0,
            pareto=fronts,
            no_aims=_no_aims(table, asked, aims),
            effects=tables.effects_table(influence, shown),
            nothing=_nothing(table, shown),
            by_trace=table.axis("trace") is not None,
            fitted=_fitted(shown, along_lines) if along else "",
            lines=drawn_lines,
            heat=heat,
            parallel=all_lines,
            table=runs,
            runs_sentence=tables.runs_sentence(table, runs, measured.flat(table)),
            failed=tables.failed(table),
            shared=tables.shared(table),
            spec=about.spec,
            commands=commands or about.commands,
        )
    )
    return printable(page)


def _drawn(pictures: Sequence[Picture | None]) -> list[dict[str, Any]]:
    found = []
    for picture in pictures:
        if picture is None:
            continue
        settle(picture.figure)
        svg = picture.tips.into(as_svg(picture.figure))
        inline = Markup(inline_svg(svg, picture.name, f"{picture.title}: {picture.caption}"))
        found.append(
            {
                "title": picture.title,
                "caption": picture.caption,
                "svg": inline,
                "wide": picture.wide,
            }
        )
    return found


def _sentence(table: SweepTable) -> str:
    inputs = sorted({str(row["trace"]) for row in table.rows if row.get("trace")})
    played = f" on {', '.join(inputs)}" if len(inputs) <= 5 else f" on {len(inputs)} inputs"
    sizes = " × ".join(str(len(axis.values)) for axis in table.axes)
    count = f"{len(table.rows):,} runs" if len(table.rows) != 1 else "One run"
    return f"{count} of {table.name}{f' ({sizes})' if len(table.axes) > 1 else ''}{played}."


def _no_aims(table: SweepTable, asked: Sequence[Metric], aims: Sequence[Metric]) -> str:
    """What is no objective after all."""
    same = [measured.small(one) for one in asked if one not in aims and len(table.good) > 1]
    if not same:
        return ""
    return f"No objective here, being the same in all runs: {', '.join(same)}."


def _fitted(shown: Sequence[Metric], pictures: Sequence[Picture | None]) -> str:
    """Why figures are no means, and which are missing; empty where all are means of runs."""
    if all(picture is not None and not picture.fitted for picture in pictures):
        return ""
    text = "Not all combinations were run: a mean of those that were would compare unlike runs."
    missing = [
        measured.small(one) for one, picture in zip(shown, pictures, strict=True) if picture is None
    ]
    if missing:
        text += f" Left out, as the axes do not add up to it: {', '.join(missing)}."
    return text


def _nothing(table: SweepTable, shown: Sequence[Metric]) -> str:
    """Why no axis moves anything, where that is so."""
    if len(table.good) < 2:
        return ""
    if not shown:
        return "Nothing: the figures of all runs are the same."
    return f"{len(table.good):,} runs are too few to say, with so many axes and values."


def _fronts(table: SweepTable, aims: Sequence[Metric]) -> list[dict[str, Any]]:
    """A front for each trace: runs of different traces do not compete."""
    axes = [a for a in table.named if a.columns != ("trace",)]
    if not axes or not aims:
        return []
    trace = table.axis("trace")
    found = points(table, aims)
    parts = []
    for place, name in enumerate(trace.texts if trace else [""]):
        if place >= MOST_PARETO:
            break
        some = [p for p in found if not trace or trace.place(p.row) == place]
        own = aims_of(some, aims)
        best = sorted(front(some, own), key=lambda m: m.point.values[own[0].field])
        if len(some) < 2 or not best:
            continue
        parts.append(
            {
                "name": name,
                "aims": [measured.small(one) for one in own],
                "figures": _drawn([pareto(axes, some, best, own, f"pareto-{place}")]),
                "table": tables.front_table(axes, best, own),
                "sentences": tables.in_common(axes, some, best),
            }
        )
    return parts
