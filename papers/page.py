"""index.html of `./cavern reproduce all`: every paper's figures, claims and fitted values."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from papers.tables import Record

TEMPLATES = Path(__file__).with_name("templates")
VERDICTS = (
    "holds",
    "holds by fit",
    "holds with another reading",
    "holds with another workload",
    "does not hold",
)


@dataclass(frozen=True)
class Section:
    """An experiment, from the files of its folder."""

    name: str
    paper: str
    claims: list[Record]
    fitted: list[Record]
    figures: list[tuple[str, str]]  #: name and SVG
    whole: dict[tuple[str, str], str]  #: tables.whole_verdicts

    def told_by_whole(self, claim: Record) -> str:
        """The verdict of the whole run, where that is another one; else nothing."""
        verdict = self.whole.get((claim["where"], claim["claim"]), "")
        return "" if verdict == claim["verdict"] else verdict

    @property
    def counts(self) -> list[int]:
        """The number of the paper's claims, by verdict."""
        own = [claim for claim in self.claims if claim["kind"] == "claim"]
        return [sum(claim["verdict"] == verdict for claim in own) for verdict in VERDICTS]


def section(
    name: str, paper: str, folder: Path, whole: dict[tuple[str, str], str] | None = None
) -> Section:
    from cavern.figures import inline_svg

    claims, fitted = (json.loads((folder / f"{f}.json").read_text()) for f in ("claims", "fitted"))
    figures = [
        (path.stem, inline_svg(path.read_text(), f"{name}-{path.stem}", f"{name}, {path.stem}"))
        for path in sorted(folder.glob("*.svg"))
    ]
    return Section(name, paper, claims, fitted, figures, whole or {})


def values_of(record: Record) -> list[str]:
    return list(dict.fromkeys(outcome["value"] for outcome in record["outcomes"]))


def rows_of(record: Record) -> list[tuple[str, list[dict[str, Any] | None]]]:
    """The rows of a fitted value: each claim with its outcome at each value."""
    values = values_of(record)
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for outcome in record["outcomes"]:
        found.setdefault(outcome["claim"], {})[outcome["value"]] = outcome
    return [(claim, [by.get(value) for value in values]) for claim, by in found.items()]


def page(sections: list[Section], quick: bool) -> str:
    import jinja2
    from cavern.figures import style_sheet
    from markupsafe import Markup

    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("reproduce.html.j2").render(
        sections=sections,
        quick=quick,
        verdicts=VERDICTS,
        values_of=values_of,
        rows_of=rows_of,
        safe=Markup,
        style=style_sheet(),
    )
