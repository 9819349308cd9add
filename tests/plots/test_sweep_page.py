"""The page of a sweep: what it says of a known table, and how a browser shows it."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from functools import cache
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from cavern.plots.finding import alone
from cavern.plots.metrics import metric
from cavern.plots.report import build_comparison, build_report
from cavern.plots.style import style
from cavern.plots.sweep.about import About
from cavern.plots.sweep.analysis import effects, front, points
from cavern.plots.sweep.heat_map import heat_map, two_axes
from cavern.plots.sweep.lines import lines, over
from cavern.plots.sweep.page import build_page
from cavern.plots.sweep.parallel import parallel, wrapped
from cavern.plots.sweep.table import SweepTable
from cavern.plots.templates_of import unbroken

from tests.plots.made_runs import RunMaker
from tests.plots.test_report import DEFAULT, outside_resources, rows_of, tree_of, two_runs

TIME, ERASES = metric("ftl.execution_time_ns"), metric("ftl.erases")


def made_rows() -> list[dict[str, Any]]:
    """12 runs: the drive adds 3 ms, the size takes 1 ms a step; the zipped pair does nothing."""
    rows: list[dict[str, Any]] = []
    for drive in ("plain", "cave"):
        for channels, ways in ((1, 2), (2, 1)):
            for step, size in enumerate(("1MiB", "4MiB", "16MiB")):
                time_ms = 10 - step + (3 if drive == "plain" else 0)
                rows.append(
                    {
                        "run": f"{len(rows):020x}",
                        "trace": "oltp",
                        "vary.drive": drive,
                        "vary.nand.channels": channels,
                        "vary.nand.ways": ways,
                        "vary.buffer.size": size,
                        "status": 0,
                        "error": "",
                        "complete": True,
                        "ftl.execution_time_ns": time_ms * 1_000_000,
                        "ftl.erases": 5 + 2 * step,
                        "config.host.interface": "sata",
                    }
                )
    return rows


@cache
def made_page() -> str:
    return build_page(SweepTable(made_rows(), "Sizes"), About())


def test_axes_are_what_varies_and_pairs_are_one() -> None:
    table = SweepTable(made_rows())
    assert [axis.label for axis in table.axes] == [
        "drive",
        "nand.channels, nand.ways",
        "buffer.size",
    ]
    assert table.axes[1].texts == ["1, 2", "2, 1"]
    # Control: values that do not come in pairs are two axes.
    rows = made_rows()
    rows[0]["vary.nand.ways"] = 7
    assert len(SweepTable(rows).axes) == 4


def test_effect_is_the_share_of_variance_of_the_formula() -> None:
    table = SweepTable(made_rows())
    # Variance of 0/3 is 2.25, of 0/1/2 it is 2/3; nothing else moves.
    total = 2.25 + 2 / 3
    found = effects(table, table.axes, TIME)
    assert found
    assert [one.share for one in found] == pytest.approx([2.25 / total, 0.0, 2 / 3 / total])
    assert table.axes[0].texts[found[0].low] == "cave"


def test_front_is_what_no_other_run_beats() -> None:
    table = SweepTable(made_rows())
    best = front(points(table, [TIME, ERASES]), [TIME, ERASES])
    # Of each size the cave drives: less time costs more erases.
    assert {m.point.row["vary.drive"] for m in best} == {"cave"} and len(best) == 6
    rows = made_rows()
    rows[0]["ftl.execution_time_ns"] = 1
    table = SweepTable(rows)
    assert len(front(points(table, [TIME, ERASES]), [TIME, ERASES])) == 1


def test_page_names_axes_and_never_runs() -> None:
    page = made_page()
    assert outside_resources(page) == []
    assert "Cavern sweep: Sizes" in page and "buffer.size 16MiB" in page
    assert not any(row["run"] in page for row in made_rows())
    table = next(rows_of(page, "cave"))
    assert table[1:3] == ["2, 1", "16MiB"] or len(table) > 3
    titles = [t.text or "" for t in tree_of(page).iter("title")]
    assert sum("drive cave" in title for title in titles) > 6


def test_control_characters_of_a_label_do_not_spoil_the_page() -> None:
    rows = [{**row, "vary.drive": f"{row['vary.drive']}\x01 -- \x1b"} for row in made_rows()]
    page = build_page(SweepTable(rows), About())
    assert "cave\ufffd -- \ufffd" in page and "\x1b" not in page


def test_failed_runs_are_listed_with_their_error_and_left_out() -> None:
    rows = made_rows()
    rows[3] |= {"status": 2, "error": "error: a.csv:3: op <X>", "ftl.execution_time_ns": 10**15}
    page = build_page(SweepTable(rows), About())
    assert "1 of 12 runs failed" in page
    label = "drive plain, nand.channels 2, nand.ways 1, buffer.size 1MiB"
    assert next(rows_of(page, label))[1:] == ["2", "error: a.csv:3: op <X>"]
    assert "1,000,000 s" not in page


def test_page_of_failures_alone_says_so() -> None:
    rows = [row | {"status": 1, "error": "x"} for row in made_rows()]
    assert "No run worked" in build_page(SweepTable(rows), About())


def test_every_run_is_seen_where_they_are_few() -> None:
    """Of 12 runs no mean, and no row below the edge of a box, hides any."""
    table = SweepTable(made_rows())
    ranked = [table.axes[2], table.axes[0], table.axes[1]]
    along, two = over(table, ranked), two_axes(table, ranked)
    pair = "drive, nand.channels, nand.ways"
    assert [axis.label for axis in along] == [axis.label for axis in two] == ["buffer.size", pair]
    with style():
        drawn = [lines(table, along, TIME, 0), heat_map(table, two, TIME, 0)]
    assert all(one and "Each figure is a run." in one.caption for one in drawn)
    assert drawn[0] and "The lines of plain, 1, 2 · plain, 2, 1 are the same." in drawn[0].caption
    assert along[1].told(1) == "drive plain, nand.channels 2, nand.ways 1"
    # Not where one is missing, nor of more than can be told apart.
    assert len(over(SweepTable(made_rows()[1:]), ranked)[1].columns) == 1
    more = [row | {"vary.x": x} for row in made_rows() for x in range(3)]
    assert len(over(SweepTable(more), ranked)[1].columns) == 1
    few, many = made_page(), build_page(SweepTable(more * 2), About())
    assert 'class="scroll tall"' not in few and 'class="scroll tall"' in many
    assert "grey" not in few and few.count("filterable") == 1 + 2


def test_a_figure_has_its_name_once() -> None:
    table = SweepTable(made_rows())
    with style():
        shown = [
            lines(table, table.axes[2:], TIME, 0),
            heat_map(table, table.axes[1:], TIME, 0),
            parallel(table, [TIME, ERASES]),
        ]
    assert all(one and not one.figure.get_suptitle() for one in shown)
    names = re.findall(r'<p class="title">(.*?)</p>', page := made_page())
    assert names[:3] == ["Execution time and erases", "Execution time", "Erases"]
    assert "Every combination" in names and "<figcaption><strong>" not in page


def test_a_number_keeps_its_unit() -> None:
    text = "from 98.5 % to 12 ms, 3 MB of 5 µs; of 12 messages 3 said 7 %"
    assert unbroken(text) == (
        "from 98.5\u00a0% to 12\u00a0ms, 3\u00a0MB of 5\u00a0µs; of 12 messages 3 said 7\u00a0%"
    )
    page = made_page()
    assert "the colours go from 8.00\u00a0ms to 13.0\u00a0ms." in page


def test_a_long_name_below_an_axis_takes_lines() -> None:
    assert wrapped("nand.channels, nand.ways") == ["nand.channels,", "nand.ways"]
    assert wrapped("x" * 30) == ["x" * 17 + "…"]


# ---- in a browser --------------------------------------------------------------------------------

#: Pages in frames as wide as a phone or a screen: a window has a least width.
FRAMES = """<!DOCTYPE html><html><body><script>
function look(frame) {{
  var page = frame.contentDocument, root = page.documentElement;
  var table = page.querySelector("table.sortable thead button");
  var beyond = Array.from(page.querySelectorAll("pre.command")).filter(
    function (one) {{ return one.scrollWidth > one.clientWidth; }});
  var copied = [], chosen = frame.contentWindow.getSelection();
  page.execCommand = function (what) {{ copied.push(what + " " + chosen); return true; }};
  page.querySelectorAll("button.copy").forEach(function (one) {{ one.click(); }});
  var commands = Array.from(page.querySelectorAll("pre.command code")).filter(
    function (one, place) {{ return copied[place] === "copy " + one.textContent; }});
  frame.setAttribute("data-seen", [root.scrollWidth - root.clientWidth,
    frame.contentWindow.performance.getEntriesByType("resource").length,
    page.querySelectorAll("h1").length, table ? 1 : 0,
    beyond.length, commands.length].join(" "));
}}
</script>{frames}</body></html>"""
FRAME = """<iframe style="border:0;width:{width}px;height:900px" onload="look(this)"
srcdoc="{page}">
</iframe>"""


def seen(pages: list[tuple[str, int]], folder: Path) -> tuple[list[list[int]], list[str]]:
    """Of each page in a frame of a width: how far it goes beyond it, its requests, headings,
    sortable tables, commands beyond their box, and commands that a button copies; and what the
    console says of all. One browser looks at all of them."""
    file = folder / "frames.html"
    frames = [FRAME.format(width=width, page=html.escape(page)) for page, width in pages]
    file.write_text(FRAMES.format(frames="".join(frames)), encoding="utf-8")
    program = shutil.which("chromium")
    assert program, "./cavern test installs chromium"
    done = subprocess.run(
        [
            program,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--enable-logging=stderr",
            f"--user-data-dir={folder / 'profile'}",
            "--window-size=1600,1000",
            "--dump-dom",
            file.as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=100,
        check=True,
    )
    found = re.findall(r'data-seen="([^"]*)"', done.stdout)
    assert len(found) == len(pages), done.stderr
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    return [[int(word) for word in numbers.split()] for numbers in found], console


@pytest.mark.slow
def test_browser_shows_the_pages_without_sideways_scroll(runs: RunMaker, tmp_path: Path) -> None:
    pages = {
        "sweep": build_page(SweepTable(made_rows()), About(), ["./cavern sweep " + "x" * 200]),
        "report": build_report(
            two_runs(runs, extras=True), DEFAULT, command="./cavern report " + "x" * 300
        ),
        "comparison": build_comparison(alone(two_runs(RunMaker(tmp_path / "few")))),
    }
    shown = [(kind, width) for kind in pages for width in (375, 1440)]
    found, console = seen([(pages[kind], width) for kind, width in shown], tmp_path)
    for (kind, width), numbers in zip(shown, found, strict=True):
        assert numbers[:3] == [0, 0, 1], (kind, width)
        commands = pages[kind].count('<pre class="command">')
        assert commands and numbers[5] == commands, (kind, width)
        assert numbers[3:5] == [1 if kind == "sweep" else 0, 0], (kind, width)
    assert console == []


@pytest.mark.slow
def test_browser_notices_what_a_page_must_not_do(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), SimpleHTTPRequestHandler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        image = f'<img src="http://127.0.0.1:{server.server_port}/gone.png">'
        bad = f'<h1>x</h1><div style="width:2000px">x</div>{image}<script>console.log(1)</script>'
        bad += f'<pre class="command" style="width:99px">{"x" * 300}</pre>'
        (_, numbers), console = seen([("<h1>x</h1>", 375), (bad, 375)], tmp_path)
        server.shutdown()
    assert numbers[0] > 1000 and numbers[1] == 1 and numbers[4] == 1 and len(console) >= 1
