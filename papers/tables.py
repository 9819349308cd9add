"""Claims and fitted values of claims.json and fitted.json as Markdown, as docs/ have them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from papers import ROOT

Record = dict[str, Any]

DOCS = ROOT / "docs"
#: A page for each paper, by the name of its experiment.
PAPERS = DOCS / "papers"
#: Where the outcomes lie that docs/ speak of, NAME.json and NAME-fitted.json.
RECORDED = DOCS / "claims"
#: A document has what is printed between its markers.
MARKERS = {"claims": ("<!-- claims -->", "<!-- /claims -->")}
MARKERS["fitted"] = ("<!-- fitted -->", "<!-- /fitted -->")


def whole_verdicts(name: str) -> dict[tuple[str, str], str]:
    """By where it stands and what it says: the verdict on each claim of an experiment that docs/
    speak of, which is that of the whole run."""
    file = RECORDED / f"{name}.json"
    records = json.loads(file.read_text()) if file.exists() else []
    return {(record["where"], record["claim"]): record["verdict"] for record in records}


def claims_table(records: Sequence[Record]) -> str:
    """A row for each statement; those that are not the paper's claims say what they are."""
    lines = ["| claim | paper | here | verdict |", "|---|---|---|---|"]
    for record in records:
        kind = "" if record["kind"] == "claim" else f" ({record['kind']})"
        cells = (
            f"{record['where']}: {record['claim']}{kind}",
            record["paper_value"],
            record["ours"],
            "; ".join(_verdict(record)),
        )
        lines.append("| " + " | ".join(_cell(cell) for cell in cells) + " |")
    return "\n".join(lines)


def _verdict(record: Record) -> Iterator[str]:
    yield f"{record['verdict']} ({record['decided_by']})"
    if record["fit_by"] and record["holds"]:
        yield f"chosen for it: {', '.join(record['fit_by'])}"
    if not record["holds"]:
        for kind in ("reading", "workload"):
            held = [o for o in record["others"] if o["kind"] == kind and o["holds"]]
            if held:
                more = f", and {len(held) - 1} more" if len(held) > 1 else ""
                yield f"{kind} {held[0]['name']}: {held[0]['ours']}{more}"


def fitted_list(records: Sequence[Record]) -> str:
    """An entry for each value; claims with the same outcomes together."""
    lines = []
    for record in records:
        lines.append(
            f"- *{record['name']}*: {record['value']}. {record['why']}.".replace("..", ".")
        )
        for text, claims in _by_outcome(record).items():
            lines.append(f"  - {text}: {'; '.join(claims)}")
    return "\n".join(lines)


def _by_outcome(record: Record) -> dict[str, list[str]]:
    found: dict[str, dict[str, bool]] = {}
    for outcome in record["outcomes"]:
        found.setdefault(outcome["claim"], {})[outcome["value"]] = outcome["holds"]
    texts: dict[str, list[str]] = {}
    for claim, by_value in found.items():
        parts = []
        for word, wanted in (("holds with", True), ("not with", False)):
            if values := [value for value, holds in by_value.items() if holds == wanted]:
                parts.append(f"{word} {', '.join(values)}")
        texts.setdefault("; ".join(parts), []).append(claim)
    return texts


def _cell(value: Any) -> str:
    return str(value).replace("|", "\\|").replace("\n", " ")


def between(text: str, name: str) -> str | None:
    """What stands between the markers; None if a document has none."""
    start, end = MARKERS[name]
    if start not in text or end not in text:
        return None
    return text.split(start, 1)[1].split(end, 1)[0].strip()


def printed(text: str, name: str, table: str) -> str:
    """The document with the table between its markers."""
    start, end = MARKERS[name]
    before, rest = text.split(start, 1)
    return f"{before}{start}\n\n{table}\n\n{end}{rest.split(end, 1)[1]}"


def recorded(name: str) -> dict[str, str]:
    """By marker, what the document of an experiment is to have."""
    claims = json.loads((RECORDED / f"{name}.json").read_text())
    fitted = json.loads((RECORDED / f"{name}-fitted.json").read_text())
    return {"claims": claims_table(claims), "fitted": fitted_list(fitted)}


def record(name: str, out: Path) -> None:
    """Keeps an experiment's outcomes for docs/, and prints them into its document."""
    RECORDED.mkdir(exist_ok=True)
    for file, kept in (("claims", name), ("fitted", f"{name}-fitted")):
        (RECORDED / f"{kept}.json").write_text((out / f"{file}.json").read_text())
    document = PAPERS / f"{name}.md"
    text = document.read_text()
    for marker, table in recorded(name).items():
        if between(text, marker) is not None:
            text = printed(text, marker, table)
    document.write_text(text)
