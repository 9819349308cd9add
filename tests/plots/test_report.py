"""report.html: complete, self-contained, escaped, and honest about what went wrong."""

from __future__ import annotations

import re
import shlex
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from cavern.__main__ import main
from cavern.errors import InputError
from cavern.plots.about import unlike
from cavern.plots.figures import COMPARISON_FIGURES, RUN_FIGURES
from cavern.plots.figures.options import Options
from cavern.plots.finding import alone, load_runs
from cavern.plots.report import (
    build_comparison,
    build_report,
    lockstep,
    rerun,
    slowest_requests,
)
from cavern.plots.results import Run
from cavern.plots.tables import configuration, flatten, headline
from cavern.plots.templates_of import script
from cavern.toml_text import toml

from tests.plots.made_runs import RunMaker

DEFAULT = Options()
HOSTILE = "<script>alert('\"x')</script>&amp; --> ]]>"


def page_of(*runs: Run) -> str:
    return build_report(runs, DEFAULT)


def tree_of(page: str) -> ElementTree.Element:
    """The page is also well-formed XML, so a strict parser can look at it."""
    return ElementTree.fromstring(page)


def text_of(element: ElementTree.Element) -> str:
    return " ".join("".join(element.itertext()).split())


def outside_resources(page: str) -> list[str]:
    """Everything in the page that would make a browser fetch something, or run a script that is
    not the page's own."""
    page = page.replace(f"<script>\n{script()}</script>", "", 1)
    found = []
    for element in tree_of(page).iter():
        if element.tag in ("script", "link", "iframe", "object", "embed", "base"):
            found.append(element.tag)
        for name, value in element.attrib.items():
            if name in ("src", "href", "srcset", "data", "poster", "action"):
                if not value.startswith(("#", "data:")):
                    found.append(value)
            elif name.startswith("on"):
                found.append(name)
            found += [url for url in re.findall(r"url\(([^)]*)\)", value) if url[0] != "#"]
    style = "".join(text_of(element) for element in tree_of(page).iter("style"))
    return found + re.findall(r"@import|url\([^#][^)]*\)", style) + re.findall("https?://", page)


def rows_of(page: str, label: str) -> Iterator[list[str]]:
    for row in tree_of(page).iter("tr"):
        cells = [text_of(cell) for cell in row]
        if cells and cells[0] == label:
            yield cells


def two_runs(runs: RunMaker, extras: bool = False) -> list[Run]:
    def cave(summary: dict[str, Any]) -> None:
        summary["config"]["buffer"]["eviction"] = ["cave"]
        summary["config"]["buffer"]["cave_victims"] = 4
        summary["ftl"]["execution_time_ns"] = 2_000_000
        summary["buffer"]["hit_ratio"] = 0.6

    plain = runs.load("conventional", extras=extras)
    return [plain, runs.load("cave", cave, extras=extras)]


@pytest.fixture(scope="module")
def full_page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Two runs with every figure; drawn once, because drawing is what takes the time."""
    return page_of(*two_runs(RunMaker(tmp_path_factory.mktemp("full")), extras=True))


@pytest.mark.slow
def test_page_holds_all_runs_and_all_figures(full_page: str) -> None:
    page = full_page
    headings = [text_of(heading) for heading in tree_of(page).iter("h2")]
    assert {"Results", "Comparison", "conventional", "cave"} <= set(headings)
    figures = list(tree_of(page).iter("figure"))
    assert len(figures) == 2 * len(RUN_FIGURES) + len(COMPARISON_FIGURES)
    assert all(len(list(figure.iter("svg"))) == 1 for figure in figures)


def test_page_of_one_run_compares_nothing(runs: RunMaker) -> None:
    page = page_of(runs.load(extras=False))
    assert "Comparison" not in [text_of(heading) for heading in tree_of(page).iter("h2")]
    assert len(list(tree_of(page).iter("figure"))) == 1
    left_out = re.findall("Left out: (.*?)\\.</p>", page)
    titles, reasons = zip(*(line.split(": ", 1) for line in left_out), strict=True)
    assert len(set(reasons)) == len(reasons)
    assert sum(len(line.split(", ")) for line in titles) == len(RUN_FIGURES) - 1
    assert 'class="differs"' not in page


@pytest.mark.slow
def test_page_needs_nothing_from_outside(full_page: str) -> None:
    page = full_page
    assert outside_resources(page) == []
    # Control: each kind of resource is noticed.
    for sample in (
        '<img src="logo.png" />',
        '<link rel="stylesheet" href="x.css" />',
        "<script>1</script>",
        '<p style="background: url(x.png)" />',
        "<p>https://example.org</p>",
    ):
        assert outside_resources(page.replace("</main>", sample + "</main>")), sample


@pytest.mark.slow
def test_identifiers_are_unique_and_references_lead_somewhere(full_page: str) -> None:
    page = full_page
    elements = list(tree_of(page).iter())
    ids = [element.get("id") for element in elements if element.get("id")]
    assert len(ids) == len(set(ids)) and len(ids) > 100
    wanted = [e.get("href", "")[1:] for e in elements if e.get("href", "").startswith("#")]
    wanted += re.findall(r"url\(#([^)]*)\)", page)
    assert wanted and set(wanted) <= set(ids)


@pytest.mark.slow
def test_headline_shows_values_and_change_against_the_first(runs: RunMaker) -> None:
    both = two_runs(runs)
    rows = {row.label: row.cells for row in headline(both)}
    times = rows["Execution time of the flash array"]
    assert [(cell.text, cell.change) for cell in times] == [("4.00 ms", ""), ("2.00 ms", "−50.0 %")]
    ratios = [(cell.text, cell.change) for cell in rows["Hit ratio, all pages"]]
    assert ratios == [("50.00 %", ""), ("60.00 %", "+10.00 points")]
    # Less time is better, and a higher hit ratio: not the sign decides.
    assert [cell.verdict for cell in (times[1], rows["Hit ratio, all pages"][1])] == ["better"] * 2
    back = {row.label: row.cells[1].verdict for row in headline([both[1], both[0]])}
    assert back["Execution time of the flash array"] == back["Hit ratio, all pages"] == "worse"
    assert back["Erases"] == back["Simulated time"] == ""
    assert rows["Write amplification (WAF)"][0].text == "1.250"
    assert rows["Bandwidth"][0].text == "8.00 MB/s"
    p999 = [cells[1] for cells in rows_of(page_of(*both), "p99.9")]
    assert p999 == ["900 µs n=0", "90.0 µs n=0"]


def test_latency_of_requests_that_never_came_is_a_dash(runs: RunMaker) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["host"]["read"]["count"] = 0

    both = [runs.load("none", change, extras=False), runs.load("some", extras=False)]
    rows = [row.cells for row in headline(both) if row.label == "p99"]
    texts = [[cell.text for cell in cells] for cells in rows]
    assert texts == [["–", "800 µs"], ["80.0 µs", "80.0 µs"]]
    assert [cell.note for cell in rows[0]] == ["", "n=0"]
    # Where no run has any, their rows are left out.
    assert [row.label for row in headline(both[:1])].count("p99") == 1


@pytest.mark.slow
def test_only_differing_settings_are_highlighted(runs: RunMaker) -> None:
    both = two_runs(runs)
    marked = [row.label for row in configuration(both) if row.differs]
    # What a run is called is no setting.
    assert marked == ["buffer.eviction", "buffer.cave_victims"]
    assert next(rows_of(page_of(*both), "name"))[1:] == ["conventional", "cave"]
    rows = tree_of(page_of(*both)).iter("tr")
    assert [text_of(row[0]) for row in rows if row.get("class") == "differs"] == marked
    # Control: the same configuration twice highlights nothing but the name that tells them apart.
    again = [runs.load(name, extras=False) for name in ("a/one", "b/one")]
    assert [row.label for row in configuration(again) if row.differs] == []
    assert "The configurations are the same." in page_of(*again)


@pytest.mark.slow
def test_every_setting_of_every_run_is_listed(runs: RunMaker) -> None:
    both = two_runs(runs)
    labels = [row.label for row in configuration(both)]
    assert len(labels) == len(set(labels))
    assert set(labels) == set(flatten(both[0].config)) | {"buffer.cave_victims"}
    assert next(rows_of(page_of(*both), "buffer.cave_victims"))[1:] == ["not set", "4"]


def test_lockstep_is_reported_by_channel(runs: RunMaker) -> None:
    run = runs.load(extras=False)
    sentence, channels = lockstep(run)
    assert sentence == "200 grants compared, 0 mismatches."
    assert [(c.compared, c.mismatches, c.bad) for c in channels] == [("100", "0", False)] * 2
    assert "warning" not in [p.get("class") for p in tree_of(page_of(run)).iter("p")]


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (dict(compared=100, mismatches=1), ("100", "1")),
        (dict(compared=0, mismatches=0), ("0", "0")),
    ],
)
def test_mismatch_or_empty_comparison_raises_an_alarm(
    runs: RunMaker, result: dict[str, int], expected: tuple[str, str]
) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["channels"][1]["lockstep"] = result

    run = runs.load(change=change, extras=False)
    channel = lockstep(run)[1][1]
    assert (channel.compared, channel.mismatches) == expected and channel.bad
    page = page_of(run)
    assert [r.get("class") for r in tree_of(page).iter("tr")].count("bad") == 1
    (section,) = [one for one in tree_of(page).iter("section") if one.get("id") == "arbiters"]
    assert [one.get("open") for one in section.iter("details")] == ["open"]
    assert "The arbiters disagreed, or nothing was compared" in page


def test_idle_channel_in_lockstep_is_no_alarm(runs: RunMaker) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["channels"][1] |= dict(grants=0, lockstep=dict(compared=0, mismatches=0))

    channel = lockstep(runs.load(change=change, extras=False))[1][1]
    assert (channel.number, channel.compared, channel.bad) == (1, "0", False)


def test_a_run_without_lockstep_has_no_table_of_arbiters(runs: RunMaker) -> None:
    def change(summary: dict[str, Any]) -> None:
        for channel in summary["channels"]:
            channel["arbiter"] = "tlm"
            channel["lockstep"] = dict(compared=0, mismatches=0)

    without, within = runs.load("tlm", change, extras=False), runs.load("lockstep", extras=False)
    assert lockstep(without) == ("", [])
    assert "#arbiters" not in page_of(without) and "lockstep:" not in page_of(without)
    page = page_of(within)
    (section,) = [one for one in tree_of(page).iter("section") if one.get("id") == "arbiters"]
    # Folded, for all is well.
    folded = [(text_of(one[0]), one.get("open")) for one in section.iter("details")]
    assert folded == [("lockstep: 200 grants compared, 0 mismatches.", None)]


def test_an_interrupted_run_and_lost_pages_are_announced(runs: RunMaker) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["complete"] = False
        summary["recovery"] = dict(lost_flushed=3)

    warnings = [
        text_of(p)
        for p in tree_of(page_of(runs.load(change=change, extras=False))).iter("p")
        if p.get("class") == "warning"
    ]
    assert len(warnings) == 2
    assert "interrupted" in warnings[0] and "3 flushed pages were lost" in warnings[1]


def test_what_several_runs_warn_of_is_told_once(runs: RunMaker) -> None:
    def warns(*warnings: str) -> Callable[[dict[str, Any]], None]:
        return lambda summary: summary.setdefault("run", {}).update(warnings=list(warnings))

    first = runs.load("first", change=warns("Few reads.", "Few writes."), extras=False)
    second = runs.load("second", change=warns("Few writes."), extras=False)
    (box,) = [
        box
        for box in tree_of(page_of(first, second)).iter("details")
        if box.get("class") == "reservations"
    ]
    assert box.get("open") is None
    assert [text_of(line) for line in box.iter("li")] == [
        "first: Few reads.",
        "both runs: Few writes.",
    ]
    assert 'class="reservations"' not in page_of(runs.load("third", change=warns(), extras=False))


@pytest.mark.slow
def test_runs_that_played_something_else_are_announced_first(runs: RunMaker) -> None:
    def played(trace: str, requests: int) -> Callable[[dict[str, Any]], None]:
        def change(summary: dict[str, Any]) -> None:
            summary["trace"] = trace
            summary["sim"]["requests"] = requests

        return change

    one = runs.load("one", played("x/a.csv", 20), extras=False)
    same = runs.load("same", played("y/a.csv", 20), extras=False)
    other = runs.load("other", played("b.csv", 30), extras=False)
    assert unlike([one, same]) == []
    assert unlike([one, other]) == [
        "input: one a.csv, other b.csv",
        "requests: one 20, other 30",
    ]
    page = build_comparison(alone([one, other]))
    assert page.index("did not play the same") < page.index('id="headline"')
    assert "did not play the same" not in build_comparison(alone([one, same]))


@pytest.mark.slow
def test_hostile_names_and_settings_stay_text(runs: RunMaker) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["config"]["name"] = HOSTILE
        summary["config"]["buffer"][HOSTILE] = HOSTILE
        summary["command"] = HOSTILE
        summary["channels"][0]["arbiter"] = HOSTILE

    page = page_of(runs.load(change=change, extras=False), runs.load("other", extras=False))
    assert outside_resources(page) == []
    headings = [text_of(heading) for heading in tree_of(page).iter("h2")]
    assert HOSTILE in headings
    assert next(rows_of(page, f"buffer.{HOSTILE}"))[1:] == [HOSTILE, "not set"]


def test_control_characters_do_not_spoil_the_page(runs: RunMaker) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["config"]["name"] = "one\x07\ntwo"
        summary["config"]["buffer"]["policy"] = "lru\x08\ufffe"

    page = page_of(runs.load(change=change, extras=False))
    page.encode()
    assert next(rows_of(page, "buffer.policy")) == ["buffer.policy", "lru\ufffd\ufffd"]
    assert "one\ufffd two" in [text_of(heading) for heading in tree_of(page).iter("h2")]


@pytest.mark.slow
def test_page_suits_phone_dark_mode_and_paper(full_page: str) -> None:
    page = full_page
    assert 'name="viewport" content="width=device-width, initial-scale=1"' in page
    assert "@media (prefers-color-scheme: dark)" in page and "@media print" in page
    parents = {child: parent for parent in tree_of(page).iter() for child in parent}
    tables = [element for element in parents if element.tag == "table"]
    assert tables and all("scroll" in parents[table].get("class", "").split() for table in tables)
    # A table of results that a phone cuts says that it scrolls; one of one column says nothing.
    classes = {table.get("class"): parents[table].get("class") for table in tables}
    assert (classes["headline"], classes[None]) == ("scroll many", "scroll")
    assert "@media (max-width: 40rem) {\n  .many::before" in page
    for svg in tree_of(page).iter("svg"):
        assert svg.get("viewBox") and svg.get("width") is None and svg.get("aria-label")
        assert "currentColor" in ElementTree.tostring(svg, encoding="unicode")


@pytest.mark.slow
def test_same_results_give_the_same_page(runs: RunMaker) -> None:
    both = two_runs(runs)
    assert page_of(*both) == page_of(*both)
    assert page_of(*both) != page_of(*reversed(both))


def test_configuration_as_toml_reads_back(runs: RunMaker) -> None:
    config = runs.load(extras=False).config
    config["odd key"] = 'quote " backslash \\ ü'
    config["nand"]["deep"] = {"list": [1, 2.5, True, "x"], "empty": []}
    config["power_loss"] = {}
    del config["power_loss"]
    assert tomllib.loads(toml(config)) == config
    # None has no form in TOML and means the key was not given.
    assert tomllib.loads(toml(config | {"nothing": None})) == config


def test_run_says_how_to_repeat_it(runs: RunMaker) -> None:
    def command(summary: dict[str, Any]) -> None:
        summary["run"] = {"command": "./cavern run 'my drive.toml' --seed 7"}

    assert (
        rerun(runs.load("with", command, extras=False)) == "./cavern run 'my drive.toml' --seed 7"
    )
    expected = "./cavern run plain.toml --trace TRACE --seed 1 --out out/plain"
    run = runs.load("plain", extras=False)
    assert rerun(run) == expected
    (run.directory / "config.toml").write_text("")
    assert f"./cavern run {run.directory}/config.toml --trace TRACE" in rerun(run)


STACKS = "start;main 40\nstart;main;drive_write 160\n"


def in_a_processor(summary: dict[str, Any]) -> None:
    summary["config"]["cpu"] = {"model": "iss"}


def test_the_slowest_requests_are_listed_with_their_arrival(runs: RunMaker) -> None:
    rows = slowest_requests(runs.load(), 2)
    assert [row.label for row in rows] == ["1 (read, 4,096 bytes)", "3 (read, 4,096 bytes)"]
    assert [[cell.text for cell in row.cells][:2] for row in rows] == [
        ["500 µs", "1.00 ms"],
        ["1.5 ms", "1.00 ms"],
    ]


def test_a_page_ends_with_the_command_that_was_given(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = runs.write("the run", extras=False)
    page = directory / "page.html"
    words = ["report", str(directory), "--slowest", "3", "--window", "5ms", "--note", "It's so."]
    words += ["--out", str(page)]
    assert main(words) == 0
    assert "<p>It&#39;s so.</p>" in page.read_text()
    given = text_of(tree_of(page.read_text())).partition("This page ")[2]
    assert (
        given.startswith(f"./cavern {shlex.join(words)} ")
        or given == f"./cavern {shlex.join(words)}"
    )
    # Nobody gave a command for this one: the shortest that makes it.
    made = text_of(tree_of(page_of(*load_runs([directory]))))
    assert f"This page ./cavern report '{directory}'" in made


@pytest.mark.slow
def test_the_profile_of_the_firmware_is_drawn(runs: RunMaker) -> None:
    made = [runs.load(name, in_a_processor, extras=False) for name in ("a", "b")]
    for run in made:
        (run.directory / "firmware.folded").write_text(STACKS)
    page = page_of(*made)
    assert outside_resources(page) == []  # no script of its own, above all
    flames = [svg for svg in tree_of(page).iter("svg") if svg.get("class") == "flame"]
    assert [svg.get("aria-label") for svg in flames] == [
        f"Cycles of the firmware: {name}" for name in ("a", "b")
    ]
    told = [title.text for title in flames[0].iter("title")]
    assert "drive_write: 160 cycles, 80.0 %" in told
    # Its style is of the picture alone: every rule begins with the picture.
    for style in flames[0].iter("style"):
        rules = re.findall(r"^\s*([^{}]+?)\s*\{", style.text or "", re.MULTILINE)
        assert rules and all(rule.startswith("svg.flame ") for rule in rules)


def test_a_run_without_a_profile_says_so_if_it_could_have_one(runs: RunMaker) -> None:
    missing = "Cycles of the firmware: no firmware.folded (run with --firmware-profile)"
    assert missing in page_of(runs.load("iss", in_a_processor, extras=False))
    assert "Cycles of the firmware" not in page_of(runs.load("plain", extras=False))


def test_a_profile_that_is_none_is_an_error(runs: RunMaker) -> None:
    directory = runs.write("bad", in_a_processor, extras=False)
    (directory / "firmware.folded").write_text("start;main\n")
    with pytest.raises(InputError, match=r"firmware\.folded:1: is no folded stack"):
        page_of(*load_runs([directory]))
