"""The figures of a sweep. Each is a figure and the texts of its marks."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from cavern.plots.colours import BLUE, GRID, INK, MUTED, PAPER, VERMILLION
from cavern.plots.hover import Tips
from cavern.plots.metrics import Metric
from cavern.plots.style import WIDTH, put_title
from cavern.plots.sweep.analysis import Point, by_influence, front, points
from cavern.plots.sweep.table import Axis, SweepTable, described, number

#: Of a viridis cut short: its last yellow is too light for lines on paper.
BRIGHTEST = 0.88
MOST_LINES = 600
MOST_CELLS = 900
MOST_CELLS_WITH_NUMBERS = 30
MOST_TICK_LETTERS = 18
MOST_TICKS = 24
MOST_NAMED_LINES = 16
LEGEND_LETTERS = 48


@dataclass(frozen=True)
class Picture:
    name: str
    title: str
    caption: str
    figure: Figure
    tips: Tips
    wide: bool = False


def cut(text: str, most: int = MOST_TICK_LETTERS) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def shades(count: int) -> list[tuple[float, ...]]:
    return [tuple(colormaps["viridis"](BRIGHTEST * i / max(1, count - 1))) for i in range(count)]


def scale_of(of: Metric, values: Sequence[float]) -> tuple[str, float]:
    return of.unit(max((abs(v) for v in values if math.isfinite(v)), default=0.0))


def label_of(of: Metric, unit: str) -> str:
    return f"{of.label} ({unit})" if unit else of.label


def ticks(axes: Axes, which: str, axis: Axis) -> None:
    """The values as the description has them; some where there are too many."""
    step = math.ceil(len(axis.texts) / MOST_TICKS)
    chosen = range(0, len(axis.texts), step)
    texts = [cut(axis.texts[i]) for i in chosen]
    if which == "x":
        long = sum(map(len, texts)) > 44
        axes.set_xticks(
            list(chosen), texts, rotation=40 if long else 0, ha="right" if long else "center"
        )
        axes.set_xlabel(axis.label)
    else:
        axes.set_yticks(list(chosen), texts)
        axes.set_ylabel(axis.label)


def lines(table: SweepTable, of: Metric, number_: int) -> Picture | None:
    """The metric over the axis that moves it most, a line a value of the next one."""
    chosen = [axis for axis in table.axes if axis.columns != ("seed",)]
    if not chosen:
        return None
    trace = table.axis("trace")
    ranked = by_influence(table, [axis for axis in chosen if axis is not trace], of)
    if not ranked:
        ranked = [chosen[0]]
    across = ranked[0]
    # Traces differ by orders of magnitude: their mean would say nothing.
    series = trace if trace and trace is not across else (ranked[1] if len(ranked) > 1 else None)
    groups: dict[tuple[int, int], list[float]] = {}
    for row in table.good:
        value = number(row, of.field)
        if math.isfinite(value):
            place = (series.place(row) if series else 0, across.place(row))
            groups.setdefault(place, []).append(value)
    if not groups:
        return None
    unit, length = scale_of(of, [v for values in groups.values() for v in values])
    figure, tips = Figure(figsize=(WIDTH, 3.5)), Tips()
    put_title(figure, of.label)
    axes = figure.subplots()
    names = series.texts if series else [""]
    for line, color in enumerate(shades(len(names)) if series else [BLUE]):
        found = [(x, groups[line, x]) for x in range(len(across.values)) if (line, x) in groups]
        if not found:
            continue
        xs = [x for x, _ in found]
        means = [sum(v) / len(v) / length for _, v in found]
        axes.plot(xs, means, color=color, label=cut(names[line]) if series else None)
        axes.fill_between(
            xs,
            [min(v) / length for _, v in found],
            [max(v) / length for _, v in found],
            color=color,
            alpha=0.10,
            lw=0,
        )
        texts = [
            f"{across.label} {across.texts[x]}"
            + (f", {series.label} {names[line]}" if series else "")
            + f": {of.text(sum(v) / len(v))}"
            + (
                f" (mean of {len(v)} runs, {of.text(min(v))} to {of.text(max(v))})"
                if len(v) > 1
                else ""
            )
            for x, v in found
        ]
        tips.tell(axes.scatter(xs, means, s=22, color=color, zorder=3), texts)
    ticks(axes, "x", across)
    axes.set_ylabel(label_of(of, unit))
    axes.set_ylim(bottom=0)
    if series and len(names) <= MOST_NAMED_LINES:
        letters = max(map(len, map(cut, names))) + 4
        figure.legend(
            title=series.label,
            title_fontsize=8.5,
            loc="outside lower center",
            ncols=max(1, min(len(names), LEGEND_LETTERS // letters)),
        )
    rest = [a.label for a in table.axes if a is not across and a is not series]
    caption = f"Over {across.label}" + (f", a line per value of {series.label}" if series else "")
    caption += (
        f". Mean over {', '.join(rest)}; the band is from least to greatest." if rest else "."
    )
    return Picture(f"lines-{number_}", of.label, caption, figure, tips)


def heat_map(table: SweepTable, of: Metric, number_: int) -> Picture | None:
    """The metric over the two axes that move it most."""
    ranked = by_influence(table, table.parameters, of)
    if len(ranked) < 2:
        ranked = by_influence(table, [a for a in table.axes if a.columns != ("seed",)], of)
    if len(ranked) < 2 or len(ranked[0].values) * len(ranked[1].values) > MOST_CELLS:
        return None
    # The longer names go up the side, where there is room for one line each.
    down, across = sorted(ranked[:2], key=lambda axis: sum(map(len, axis.texts)), reverse=True)
    cells: dict[tuple[int, int], list[float]] = {}
    for row in table.good:
        value = number(row, of.field)
        if math.isfinite(value):
            cells.setdefault((across.place(row), down.place(row)), []).append(value)
    if not cells:
        return None
    means = {place: sum(values) / len(values) for place, values in cells.items()}
    low, high = min(means.values()), max(means.values())
    unit, length = scale_of(of, [low, high])
    figure, tips = Figure(figsize=(WIDTH, min(6.5, 1.9 + 0.34 * len(down.values)))), Tips()
    put_title(figure, label_of(of, unit))
    axes = figure.subplots()
    for (x, y), mean in means.items():
        share = (mean - low) / (high - low) if high > low else 0.5
        patch = Rectangle(
            (x - 0.5, y - 0.5), 1, 1, facecolor=colormaps["viridis"](share), edgecolor=PAPER
        )
        axes.add_patch(patch)
        count = len(cells[x, y])
        mean_of = f" (mean of {count} runs)" if count > 1 else ""
        where = f"{across.label} {across.texts[x]}, {down.label} {down.texts[y]}"
        tips.tell(patch, [f"{where}: {of.text(mean)}{mean_of}"])
        if len(means) <= MOST_CELLS_WITH_NUMBERS:
            ink = "#fffffd" if share < 0.55 else "#000001"
            axes.text(
                x, y, f"{mean / length:.3g}", ha="center", va="center", color=ink, fontsize=8.5
            )
    axes.set_xlim(-0.5, len(across.values) - 0.5)
    axes.set_ylim(len(down.values) - 0.5, -0.5)
    axes.grid(visible=False)
    ticks(axes, "x", across)
    ticks(axes, "y", down)
    rest = [a.label for a in table.axes if a is not across and a is not down]
    caption = "Dark is low, light is high. "
    caption += f"Each cell is the mean over {', '.join(rest)}." if rest else "Each cell is a run."
    return Picture(f"heat-{number_}", of.label, caption, figure, tips)


def parallel(table: SweepTable, metrics: Sequence[Metric]) -> Picture | None:
    """Each combination as a line across its values and its metrics."""
    axes_ = [axis for axis in table.axes if axis.columns != ("seed",)]
    shown = list(metrics[:4])
    found = points(table, shown)
    if not shown or len(found) < 2:
        return None
    step = math.ceil(len(found) / MOST_LINES)
    drawn = found[::step]
    figure, tips = Figure(figsize=(2 * WIDTH, 4.2)), Tips()
    put_title(figure, "Every combination")
    axes = figure.subplots()
    columns: list[Callable[[Point], float]] = [_position(axis) for axis in axes_]
    columns += [_height(one, found) for one in shown]
    last = columns[len(axes_)]
    for point in drawn:
        ys = [column(point) for column in columns]
        level = last(point)
        color = colormaps["viridis"](BRIGHTEST * level) if math.isfinite(level) else GRID
        (line,) = axes.plot(range(len(ys)), ys, color=color, lw=1.3, alpha=0.75)
        values = ", ".join(f"{one.label} {one.text(point.values[one.field])}" for one in shown)
        tips.tell(line, [f"{described(axes_, point.row)}: {values}"])
    for place, axis in enumerate(axes_):
        axes.axvline(place, color=MUTED, lw=0.8)
        for index in range(0, len(axis.texts), math.ceil(len(axis.texts) / 12)):
            height = index / max(1, len(axis.texts) - 1)
            _annotate(axes, place, height, cut(axis.texts[index], 14))
    for place, one in enumerate(shown, len(axes_)):
        axes.axvline(place, color=MUTED, lw=0.8)
        known = [v for p in found if math.isfinite(v := p.values[one.field])]
        for height, value in ((0.0, min(known)), (1.0, max(known))):
            _annotate(axes, place, height, one.text(value))
    names = [cut(axis.label, 22) for axis in axes_] + [one.label for one in shown]
    axes.set_xticks(range(len(names)), ["\n".join(_wrapped(name)) for name in names])
    axes.set_yticks([])
    axes.set_xlim(-0.15, len(names) - 0.55)
    axes.set_ylim(-0.08, 1.08)
    axes.grid(visible=False)
    axes.spines[["left", "bottom"]].set_visible(False)
    axes.tick_params(axis="x", length=0)
    caption = f"A line per combination, coloured by {shown[0].label.lower()}: dark is low."
    if step > 1:
        caption += f" {len(drawn):,} of {len(found):,} are drawn."
    return Picture("parallel", "Parallel coordinates", caption, figure, tips, wide=True)


def _position(axis: Axis) -> Callable[[Point], float]:
    return lambda point: axis.place(point.row) / max(1, len(axis.values) - 1)


def _height(of: Metric, found: Sequence[Point]) -> Callable[[Point], float]:
    values = [v for p in found if math.isfinite(v := p.values[of.field])]
    low, span = min(values), (max(values) - min(values)) or 1.0
    return lambda point: (point.values[of.field] - low) / span


def _annotate(axes: Axes, x: float, y: float, text: str) -> None:
    box = {"facecolor": PAPER, "edgecolor": "none", "pad": 0.8, "alpha": 0.8}
    axes.annotate(
        text,
        (x, y),
        (5, 0),
        textcoords="offset points",
        va="center",
        fontsize=8,
        color=INK,
        bbox=box,
    )


def _wrapped(name: str) -> list[str]:
    words, rows = name.replace(".", ".\u200b").split(" "), [""]
    for word in words:
        if rows[-1] and len(rows[-1]) + len(word) > 14:
            rows.append("")
        rows[-1] = f"{rows[-1]} {word}".strip()
    return [row.replace("\u200b", "") for row in rows]


def pareto(
    axes_: Sequence[Axis], found: Sequence[Point], aims: Sequence[Metric], name: str, of: str
) -> Picture | None:
    """Two aims against each other; what no other combination beats is joined."""
    if len(aims) < 2:
        return None
    x, y = aims[:2]
    known = [p for p in found if all(math.isfinite(p.values[a.field]) for a in (x, y))]
    if len(known) < 2:
        return None
    best = {id(p) for p in front(known, aims)}
    unit_x, length_x = scale_of(x, [p.values[x.field] for p in known])
    unit_y, length_y = scale_of(y, [p.values[y.field] for p in known])
    figure, tips = Figure(figsize=(WIDTH, 3.5)), Tips()
    put_title(figure, of)
    axes = figure.subplots()
    for wanted, color, size in ((False, MUTED, 14), (True, VERMILLION, 30)):
        some = [p for p in known if (id(p) in best) == wanted]
        if not some:
            continue
        marks = axes.scatter(
            [p.values[x.field] / length_x for p in some],
            [p.values[y.field] / length_y for p in some],
            s=size,
            color=color,
            zorder=3 if wanted else 2,
            label="Pareto front" if wanted else "other runs",
        )
        tips.tell(marks, [_told(axes_, p, aims) for p in some])
    plane = sorted(front(known, (x, y)), key=lambda p: p.values[x.field])
    for left, right in pairwise(plane):
        axes.plot(
            [left.values[x.field] / length_x, right.values[x.field] / length_x],
            [left.values[y.field] / length_y, right.values[y.field] / length_y],
            color=VERMILLION,
            lw=1.0,
            alpha=0.6,
        )
    axes.set_xlabel(label_of(x, unit_x))
    axes.set_ylabel(label_of(y, unit_y))
    axes.legend(loc="best")
    others = (
        ""
        if len(aims) == 2
        else " Also judged by " + ", ".join(a.label.lower() for a in aims[2:]) + "."
    )
    caption = f"{len(best)} of {len(known)} combinations are beaten by no other one.{others}"
    return Picture(name, "Pareto front", caption, figure, tips)


def _told(axes_: Sequence[Axis], point: Point, aims: Sequence[Metric]) -> str:
    values = ", ".join(f"{one.label} {one.text(point.values[one.field])}" for one in aims)
    return f"{described(axes_, point.row)}: {values}"
