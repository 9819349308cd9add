"""The table of a comparison for other programs and for papers: JSON, CSV, LaTeX.

Runs that are repeated (plots/finding.py) have means with intervals, and a verdict where Welch's
test finds one in the family of all measures shown (verdicts/intervals.py); single runs have the
verdicts of their table.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cavern.plots import metrics
from cavern.plots.about import unlike
from cavern.plots.finding import Group, repeated
from cavern.plots.metrics import METRICS, MORE, NEITHER, Metric
from cavern.plots.tables import (
    Cell,
    Row,
    cells_of,
    configuration,
    headline,
    played_the_same,
    requests_of,
    samples_of,
)
from cavern.plots.texts import count_text, digits
from cavern.verdicts import samples
from cavern.verdicts.intervals import FAMILY_LEVEL, LEVEL, different, mean_of, welch

SCHEMA = "cavern.compare/1"
UNITS = {metrics.TIME: "ns", metrics.RATE: "B/s", metrics.BYTES: "B", metrics.JOULES: "J"}
WAYS = {MORE: "more", metrics.LESS: "less", NEITHER: "neither"}
MOST_PLACES = 6
COLUMNS = "field label unit run n mean half_width change difference_half_width verdict".split()


@dataclass(frozen=True)
class Figure:
    """A measure in one group: the mean of `n` seeds and half of its interval, NaN where there is
    none. Against the first group: `change` is relative; `verdict` "better", "worse" or empty."""

    mean: float
    half_width: float
    n: int
    change: float = math.nan
    difference_half_width: float = math.nan
    verdict: str = ""


@dataclass(frozen=True)
class Line:
    """A measure in all groups, and the unit in which it is printed."""

    metric: Metric
    figures: list[Figure]
    unit: str
    length: float

    def text(self, figure: Figure) -> tuple[str, str]:
        """Its mean, and half of its interval to two digits; empty where there is none."""
        mean, half = figure.mean / self.length, figure.half_width / self.length
        half = 0.0 if half < 10.0**-MOST_PLACES else half
        if not math.isfinite(mean):
            return "–", ""
        if not half > 0:
            if self.metric.kind == metrics.COUNT:
                return count_text(mean), "0" if half == 0 else ""
            kind = {metrics.RATIO: ".3f", metrics.SHARE: ".2f"}.get(self.metric.kind)
            return f"{mean:{kind}}" if kind else digits(mean), "0" if half == 0 else ""
        places = min(max(0, 1 - math.floor(math.log10(half))), MOST_PLACES)
        return f"{mean:,.{places}f}", f"{half:,.{places}f}"


def compared(groups: Sequence[Group]) -> list[Line]:
    """A line per measure that one of the groups has, in the order of a report."""
    shown = [
        one
        for one in METRICS
        if any(math.isfinite(value) for group in groups for value in group.values(one))
    ]
    values = [[group.values(one) for group in groups] for one in shown]
    verdicts = _verdicts(groups, shown, values)
    lines = []
    for place, (one, of_it) in enumerate(zip(shown, values, strict=True)):
        figures = [_figure(of_it[0])]
        for told, group in zip(verdicts, of_it[1:], strict=True):
            figures.append(_figure(group, of_it[0], told[place]))
        sizes = [abs(figure.mean) for figure in figures if math.isfinite(figure.mean)]
        lines.append(Line(one, figures, *one.unit(max(sizes, default=0.0))))
    return lines


def _figure(
    values: Sequence[float], first: Sequence[float] | None = None, verdict: str = ""
) -> Figure:
    mean = mean_of(values)
    if first is None:
        return Figure(mean.mean, mean.half_width, mean.n)
    base = mean_of(first).mean
    change = mean.mean / base - 1 if base else math.nan
    test = welch(first, values).half_width()
    return Figure(mean.mean, mean.half_width, mean.n, change, test, verdict)


def _verdicts(
    groups: Sequence[Group], shown: Sequence[Metric], values: Sequence[Sequence[list[float]]]
) -> list[list[str]]:
    """Of each group but the first, its verdicts."""
    runs = [group.run for group in groups]
    same = played_the_same(runs)
    if not repeated(groups):
        cells = [cells_of(one, runs, same) or [Cell("")] * len(runs) for one in shown]
        return [[of_it[place].verdict for of_it in cells] for place in range(1, len(runs))]
    found = []
    judged = [place for place, one in enumerate(shown) if one.better != NEITHER]
    for other in range(1, len(groups)):
        told = [""] * len(shown)
        if not same[other]:
            found.append(told)
            continue
        known = [place for place in judged if _carries(groups[0], groups[other], shown[place])]
        differ = different([(values[place][0], values[place][other]) for place in known])
        for place in (place for place, one in zip(known, differ, strict=True) if one):
            first, second = (mean_of(values[place][group]).mean for group in (0, other))
            told[place] = shown[place].verdict(first, second)
        found.append(told)
    return found


def _carries(first: Group, second: Group, of: Metric) -> bool:
    """Whether enough requests of every seed lie beyond a percentile for a verdict."""
    runs = [*first.runs, *second.runs]
    return all(samples.enough(samples_of(run, of), of.percentile) for run in runs)


def table_of(groups: Sequence[Group]) -> list[Row]:
    """For readers: of means where runs are repeated."""
    return means(groups) if repeated(groups) else headline([group.run for group in groups])


def means(groups: Sequence[Group]) -> list[Row]:
    found, last = [], ""
    for line in compared(groups):
        if all(figure.mean == line.metric.plain for figure in line.figures):
            continue
        heading = line.metric.group
        cells = [
            _cell(line, figure, _few(group, line.metric))
            for figure, group in zip(line.figures, groups, strict=True)
        ]
        found.append(Row(line.metric.row, cells, heading if heading != last else ""))
        last = heading
    return found


def _few(group: Group, of: Metric) -> str:
    """The mark of a percentile that too few requests of a seed lie beyond."""
    counts = [samples_of(run, of) for run in group.runs]
    return samples.note(min(counts), of.percentile) if of.needs else ""


def _cell(line: Line, figure: Figure, note: str) -> Cell:
    mean, half = line.text(figure)
    text = f"{mean} ± {half}" if half else mean
    first = line.figures[0]
    change = "" if figure is first else line.metric.change(first.mean, figure.mean)
    unit = line.unit if math.isfinite(figure.mean) else ""
    return Cell(f"{text} {unit}".strip(), change, figure.verdict, note if unit else "")


def json_text(groups: Sequence[Group], lines: Sequence[Line]) -> str:
    """One object (docs/read-a-report.md); what was not measured is null."""
    runs = [group.run for group in groups]
    differing = [row for row in configuration(runs) if row.differs]
    told = {
        "schema": SCHEMA,
        "level": LEVEL,
        "inputs_differ": unlike(runs),
        "runs": [
            {
                "name": group.run.name,
                "folder": str(group.run.directory),
                "n": len(group.runs),
                "seeds": [run.summary.get("config.seed") for run in group.runs],
            }
            for group in groups
        ],
        "metrics": [
            {
                "field": line.metric.field,
                "label": line.metric.label,
                "unit": UNITS.get(line.metric.kind, "1"),
                "better": WAYS[line.metric.better],
                "figures": [_record(figure) for figure in line.figures],
            }
            for line in lines
        ],
        "settings": {row.label: [cell.text for cell in row.cells] for row in differing},
    }
    return json.dumps(told, indent=2, ensure_ascii=False) + "\n"


def _record(figure: Figure) -> dict[str, Any]:
    return {
        name: value if value != "" and (isinstance(value, str) or math.isfinite(value)) else None
        for name, value in vars(figure).items()
    }


def csv_text(groups: Sequence[Group], lines: Sequence[Line]) -> str:
    """A row per measure and run; numbers in full, what was not measured is empty. The requests of
    each kind come first: without them nobody can judge a percentile."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for kind in ("read", "write"):
        said = {"field": f"host.{kind}.count", "label": f"{kind.capitalize()}s", "unit": "1"}
        for group in groups:
            figure = _figure([float(requests_of(run, kind)) for run in group.runs])
            writer.writerow({**said, "run": group.run.name, **_record(figure)})
    for line in lines:
        one = line.metric
        said = {"field": one.field, "label": one.label, "unit": UNITS.get(one.kind, "1")}
        for group, figure in zip(groups, line.figures, strict=True):
            writer.writerow({**said, "run": group.run.name, **_record(figure)})
    return text.getvalue()


_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "µ": r"$\mu$",
    "–": "--",
    "…": r"\dots",
    "−": "$-$",
    "±": r"$\pm$",
    **{letter: f"\\{letter}" for letter in "&%$#_{}"},
}


def latex_text(groups: Sequence[Group], lines: Sequence[Line]) -> str:
    """A tabular for booktabs; what is better than in the first run is bold."""
    columns = ["", _latex(groups[0].run.name)]
    for group in groups[1:]:
        columns += [_latex(group.run.name), "change"]
    counts = ", ".join(dict.fromkeys(str(len(group.runs)) for group in groups))
    said = [r"% \usepackage{booktabs}"]
    if repeated(groups):
        said.append(
            f"% mean ± half width of the {LEVEL:.0%} interval (Student's t), n = {counts}; bold: "
            f"better in Welch's test at {1 - FAMILY_LEVEL:.0%} for all measures together (Holm)"
        )
    found = [*said, rf"\begin{{tabular}}{{l{'r' * (len(columns) - 1)}}}", r"\toprule"]
    found.append(f"{' & '.join(columns)} \\\\")
    last = ""
    for line in lines:
        if line.metric.group != last:
            last = line.metric.group
            found += [r"\midrule", rf"\multicolumn{{{len(columns)}}}{{l}}{{\textit{{{last}}}}} \\"]
        unit = f" ({_latex(line.unit)})" if line.unit else ""
        cells = [f"{_latex(line.metric.row)}{unit}"]
        for figure in line.figures:
            cells.append(_math(line, figure))
            if figure is not line.figures[0]:
                change = line.metric.change(line.figures[0].mean, figure.mean)
                cells.append(_latex(change))
        found.append(f"{' & '.join(cells)} \\\\")
    return "\n".join([*found, r"\bottomrule", r"\end{tabular}"]) + "\n"


def _latex(text: str) -> str:
    return "".join(_SPECIAL.get(letter, letter) for letter in text)


def _math(line: Line, figure: Figure) -> str:
    mean, half = line.text(figure)
    if not math.isfinite(figure.mean):
        return "--"
    text = (f"{mean} \\pm {half}" if half else mean).replace(",", "{,}")
    return rf"$\mathbf{{{text}}}$" if figure.verdict == "better" else f"${text}$"


#: What `./cavern compare` prints for other programs.
PRINTED = {"json": json_text, "csv": csv_text, "latex": latex_text}
