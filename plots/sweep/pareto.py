"""Two objectives against each other, and what no other combination beats."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from cavern.plots.colours import INK, MUTED, PAPER, VERMILLION
from cavern.plots.hover import Tips
from cavern.plots.metrics import Metric
from cavern.plots.style import WIDTH
from cavern.plots.sweep.analysis import Member, Point, front
from cavern.plots.sweep.figures import HEADROOM, Picture, cut, label_of, scale_of
from cavern.plots.sweep.measured import small
from cavern.plots.sweep.table import Axis, described
from matplotlib.axes import Axes
from matplotlib.figure import Figure

#: Points with names on the chart; of more, each has the number of its row in the table alone; of
#: more still only the pointer tells.
MOST_NAMED, MOST_NUMBERED = 8, 40
MOST_LETTERS = 26
#: Room for a name: its height, and the width of a letter, as shares of the chart's; and how many
#: points the chart is high.
LINE, LETTER, POINTS_HIGH = 0.07, 0.018, 170
#: From a name to its point, where it does not stand beside it.
LEADER = {"arrowstyle": "-", "color": MUTED, "lw": 0.6, "shrinkA": 0, "shrinkB": 3}
#: Where a name may stand that has no room beside its point.
HEIGHTS = [LINE * (0.7 + place / 4) for place in range(int(4 / LINE - 4))]


def names_of(axes_: Sequence[Axis], members: Sequence[Member]) -> list[str]:
    """Each member by what distinguishes it from the others: "cave, 4MiB"."""
    telling = list(axes_)
    if len(members) > 1:
        telling = [a for a in axes_ if len({a.place(m.point.row) for m in members}) > 1]
    return [", ".join(axis.text(m.point.row) for axis in telling) for m in members]


def pareto(
    axes_: Sequence[Axis],
    found: Sequence[Point],
    members: Sequence[Member],
    aims: Sequence[Metric],
    name: str,
) -> Picture | None:
    """The first two aims; those who are on the front by these are joined. `members` are the front
    in the order of its table. None where there are no two aims."""
    if len(aims) < 2:
        return None
    x, y = aims[:2]
    known = [p for p in found if all(math.isfinite(p.values[a.field]) for a in aims)]
    (unit_x, length_x), (unit_y, length_y) = (
        scale_of(one, [p.values[one.field] for p in known]) for one in (x, y)
    )

    ends = ((x, length_x), (y, length_y))

    def places(some: Sequence[Point]) -> tuple[list[float], list[float]]:
        xs, ys = ([p.values[one.field] / length for p in some] for one, length in ends)
        return xs, ys

    best = [m.point for m in members]
    both = {id(m.point) for m in front(known, (x, y))}
    on_it = set(map(id, best))
    others = [p for p in known if id(p) not in on_it]
    joined = [p for p in best if id(p) in both]
    rest = [p for p in best if id(p) not in both]
    figure, tips = Figure(figsize=(WIDTH, 3.5)), Tips()
    axes = figure.subplots()
    looks: tuple[tuple[list[Point], str, dict[str, Any]], ...] = (
        (others, "other runs", {"s": 14, "color": MUTED, "zorder": 2}),
        (joined, "Pareto front", {"s": 30, "color": VERMILLION, "zorder": 4}),
        (
            rest,
            "on it by other objectives",
            {"s": 30, "facecolors": PAPER, "edgecolors": VERMILLION, "zorder": 3},
        ),
    )
    for some, label, look in looks:
        if some:
            marks = axes.scatter(*places(some), label=label, **look)
            tips.tell(marks, [_told(axes_, p, aims) for p in some])
    if any(p.halves[one.field] > 0 for p in known for one in (x, y)):
        widths = [[p.halves[one.field] / of_it for p in known] for one, of_it in ends]
        axes.errorbar(*places(known), widths[1], widths[0], "none", ecolor=MUTED, elinewidth=0.6)
    plane = sorted(joined, key=lambda p: (p.values[x.field], p.values[y.field]))
    for pair in pairwise(plane):
        axes.plot(*places(pair), color=VERMILLION, lw=1.0, alpha=0.6)
    xs, ys = places(known)
    axes.set_xlim(0, max(xs) * HEADROOM or 1.0)
    axes.set_ylim(0, max(ys) * HEADROOM or 1.0)
    _names(axes, axes_, members, places(best))
    axes.set_xlabel(label_of(x, unit_x))
    axes.set_ylabel(label_of(y, unit_y))
    figure.legend(loc="outside lower center", ncols=2)
    are = "is" if len(best) == 1 else "are"
    caption = f"{len(best)} of {len(known)} combinations {are} on the front"
    caption += ", numbered as below." if len(best) <= MOST_NUMBERED else "."
    if len(aims) > 2:
        caption += f" Also an objective: {', '.join(small(a) for a in aims[2:])}."
    return Picture(name, f"{x.label} and {small(y)}", caption, figure, tips)


def _names(
    axes: Axes,
    axes_: Sequence[Axis],
    members: Sequence[Member],
    places: tuple[list[float], list[float]],
) -> None:
    """Beside the points, on the side with more room, and none over another one."""
    if len(members) > MOST_NUMBERED:
        return
    texts = [str(place) for place in range(1, len(members) + 1)]
    if len(members) <= MOST_NAMED:
        named = zip(texts, names_of(axes_, members), strict=True)
        texts = [cut(f"{number} {name}", MOST_LETTERS) for number, name in named]
    (_, right), (_, top) = axes.get_xlim(), axes.get_ylim()
    taken: list[tuple[float, float, float]] = []
    for place in sorted(range(len(texts)), key=lambda i: -places[1][i]):
        x, y, text = places[0][place] / right, places[1][place] / top, texts[place]
        leftwards = x > 0.55
        begin = x - len(text) * LETTER if leftwards else x
        end = begin + len(text) * LETTER
        height = min(
            (
                h
                for h in [*HEIGHTS, y]
                if not any(a < end and begin < b and abs(h - other) < LINE for a, b, other in taken)
            ),
            key=lambda h: abs(h - y),
            default=y,
        )
        taken.append((begin, end, height))
        axes.annotate(
            text,
            (x * right, y * top),
            (-6 if leftwards else 6, (height - y) * POINTS_HIGH),
            textcoords="offset points",
            ha="right" if leftwards else "left",
            va="center",
            fontsize=8,
            color=INK,
            arrowprops=LEADER if abs(height - y) > LINE / 2 else None,
            bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.4, "alpha": 0.7},
            zorder=3,
        )


def _told(axes_: Sequence[Axis], point: Point, aims: Sequence[Metric]) -> str:
    values = ", ".join(f"{one.label} {one.text(point.values[one.field])}" for one in aims)
    return f"{described(axes_, point.row)}: {values}"
