"""Claims in docs/ and on the page of `./cavern reproduce all` are those of claims.json."""

from __future__ import annotations

import json
from dataclasses import asdict, fields, replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from papers import tables
from papers.experiment import Claim, Fitted, Other, Outcome, write_claims
from papers.judging import count_of
from papers.page import page, section
from tests.cli.mistakes import is_message
from tests.cli.programs import Json
from tests.cli.reproduced import reproduce

CLAIM = Claim("p", "II|III", "a < b", 1, "2", False, "because", decided_by="figure f")
CLAIMS = [
    CLAIM,
    replace(CLAIM, claim="c", others=(Other("reading", "sum", "3", True),)),
    replace(CLAIM, claim="d", others=(Other("workload", "long", "4", True),) * 2, fitted=("x",)),
    replace(CLAIM, claim="e", holds=True, kind="addition"),
    replace(CLAIM, claim="g", holds=True, fitted=("x",), fit_by=("x",)),
]
FITTED = [
    Fitted(
        "x",
        "1",
        "by eye",
        (
            Outcome("1", "d", 4, True),
            Outcome("2", "d", 5, False),
            Outcome("1", "a < b", 4, True),
            Outcome("2", "a < b", 5, False),
        ),
    )
]


def test_a_table_says_verdict_reading_and_experiment() -> None:
    lines = tables.claims_table([claim.record() for claim in CLAIMS]).splitlines()
    assert lines[2:] == [
        "| II\\|III: a < b | 1 | 2 | does not hold (figure f) |",
        "| II\\|III: c | 1 | 2 | holds with another reading (figure f); reading sum: 3 |",
        "| II\\|III: d | 1 | 2 | holds with another workload (figure f); workload long: 4, and 1 "
        "more |",
        "| II\\|III: e (addition) | 1 | 2 | holds (figure f) |",
        "| II\\|III: g | 1 | 2 | holds by fit (figure f); chosen for it: x |",
    ]
    assert tables.fitted_list([asdict(value) for value in FITTED]).splitlines() == [
        "- *x*: 1. by eye.",
        "  - holds with 1; not with 2: d; a < b",
    ]


def test_a_table_is_printed_between_its_markers() -> None:
    text = "before <!-- claims -->old<!-- /claims --> after"
    new = tables.printed(text, "claims", "| new |")
    assert new == "before <!-- claims -->\n\n| new |\n\n<!-- /claims --> after"
    assert tables.between(new, "claims") == "| new |"
    assert tables.printed(new, "claims", "| new |") == new
    assert tables.between("without", "claims") is None


RECORDED = sorted(
    path.stem for path in tables.RECORDED.glob("*.json") if not path.stem.endswith("-fitted")
)


@pytest.mark.parametrize("name", RECORDED)
def test_documents_have_what_was_recorded(name: str) -> None:
    text = (tables.PAPERS / f"{name}.md").read_text()
    for marker, table in tables.recorded(name).items():
        found = tables.between(text, marker)
        assert found is None or found == table.strip(), (name, marker)
    assert tables.between(text, "claims")


def counted(records: list[Json]) -> str:
    """What holds of the paper's claims, and in which sense, as `reproduce` says it."""
    names = {field.name for field in fields(Claim)} - {"others"}
    return count_of(
        [
            Claim(
                **{name: record[name] for name in names},
                others=tuple(Other(**other) for other in record["others"]),
            )
            for record in records
            if record["kind"] == "claim"
        ]
    )


@pytest.mark.parametrize("name", RECORDED)
def test_documents_count_what_was_recorded(name: str) -> None:
    records = json.loads((tables.RECORDED / f"{name}.json").read_text())
    text = " ".join((tables.PAPERS / f"{name}.md").read_text().split())
    assert f" {counted(records)}. " in text
    # The control: with a verdict less the page says too much.
    held = next(record for record in records if record["kind"] == "claim" and record["holds"])
    held |= {"holds": False, "others": []}
    assert f" {counted(records)}. " not in text


def test_every_paper_is_recorded() -> None:
    assert set(RECORDED) == {"cave", "lookup", "ncq", "partition"}


class Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            # Nothing is loaded from elsewhere.
            assert not (name in ("src", "href") and value and not value.startswith(("#", "data:")))

    def handle_data(self, data: str) -> None:
        self.texts.append(data.strip())


def test_the_page_has_every_claim_figure_and_fitted_value(tmp_path: Path) -> None:
    write_claims(CLAIMS, FITTED, tmp_path)
    svg = '<svg xmlns="http://www.w3.org/2000/svg"><text id="t">drawn</text></svg>'
    (tmp_path / "f.svg").write_text(svg)
    one = section("paper", "P & Q", tmp_path)
    assert one.counts == [0, 1, 1, 1, 1]  # the addition is not counted
    text = page([one], quick=True)
    shown = Page()
    shown.feed(text)
    for wanted in ("P & Q: paper", "II|III: a < b", "drawn", "Fitted: x, 1", "because"):
        assert wanted in shown.texts, wanted
    assert "II|III: e (addition)" in shown.texts
    assert text.count("<td>figure f</td>") == len(CLAIMS)
    assert "Quick runs" in text and "Quick runs" not in page([one], quick=False)
    # The control: a verdict changed in the file is another page.
    records = json.loads((tmp_path / "claims.json").read_text())
    records[0]["verdict"] = "holds"
    (tmp_path / "claims.json").write_text(json.dumps(records))
    assert section("paper", "P & Q", tmp_path).counts == [1, 1, 1, 1, 0]


def test_the_page_of_quick_runs_says_where_the_whole_run_has_another_verdict(
    tmp_path: Path,
) -> None:
    write_claims(CLAIMS, FITTED, tmp_path)
    same = {(claim.where, claim.claim): claim.verdict for claim in CLAIMS}
    other = same | {("II|III", "c"): "holds"}
    said = "<small>quick; the whole run: holds</small>"

    def times_said(whole: dict[tuple[str, str], str], quick: bool) -> int:
        return page([section("paper", "P", tmp_path, whole)], quick).count(said)

    assert times_said(other, True) == 1
    assert times_said(same, True) == times_said(other, False) == 0


@pytest.mark.slow
def test_quick_runs_are_not_recorded(tmp_path: Path) -> None:
    done = reproduce("lookup", "--quick", "--record", "--out", tmp_path)
    assert is_message(
        done.stderr,
        "<command line>:1: --record keeps what decides; expected it without --quick",
    )
    assert (done.returncode, list(tmp_path.iterdir())) == (2, [])
