"""Who kept a request waiting: causes of made-up waits, each with a control, and what is told."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from cavern.__main__ import main
from cavern.errors import InputError
from cavern.plots.again import timeline_of
from cavern.plots.causes import Wait, follow, verdict
from cavern.plots.colours import COLLECTION, READ
from cavern.plots.die_work import DieWork
from cavern.plots.explain_svg import LEAST, picture
from cavern.plots.life import find_life, lives_during, slowest_lives

from tests.plots.made_runs import HEADER, RunMaker, make_events, request_row, span

MS, US = 1_000_000, 1000
#: A write that arrives at 1 ms, waits 600 us for a frame, and has its data 20 us later.
SLOW = request_row(9, "W", MS, (0, 600 * US, 0, 20 * US), 1, 0)


def on_die(name: str, begin: float, length: float, origin: str = "host", **more: Any) -> Any:
    """Work of die 0.0, in us; of another with `way`."""
    way = more.pop("way", 0)
    return span(2, way, name, begin, length, channel=0, way=way, origin=origin, **more)


def collecting(origin: str = "gc") -> list[Any]:
    """Die 0.0 copies a page and erases its block, 400 us of them after 1 ms; then a page of the
    buffer is programmed."""
    return [
        on_die("tR", 950.0, 50.0, origin),
        on_die("tPROG", 1000.0, 200.0, origin),
        on_die("tBERS", 1200.0, 200.0, origin),
        on_die("tPROG", 1400.0, 200.0, requests=[3]),
    ]


def waits(directory: Path, rows: list[str], events: list[Any] | None, tags: int = 1) -> Wait:
    """Of the last row."""
    file = directory / "requests.csv"
    file.write_text("\n".join([HEADER, *rows, ""]))
    life = find_life(file, int(rows[-1].split(",")[0]))
    times = life.arrival_ns, life.complete_ns
    (others,) = lives_during(file, [times])
    return follow(life, others, None if events is None else DieWork(events, *times), tags)


def test_a_frame_that_is_not_free_leads_to_what_its_die_did(tmp_path: Path) -> None:
    found = waits(tmp_path, [SLOW], collecting())
    assert found.sums() == pytest.approx({"gc": 400e3, "program": 200e3, "link": 20e3})
    assert verdict(found) == "Collection on die 0.0: 400 of 620 µs"
    # The control: the same operations for the host.
    other = waits(tmp_path, [SLOW], collecting("host"))
    assert verdict(other) == "Programs of the write buffer on die 0.0: 400 of 620 µs"
    assert "gc" not in other.sums()
    # And with nothing known of the dies.
    blind = waits(tmp_path, [SLOW], None)
    assert verdict(blind) == "Waiting for a free frame of the write buffer: 600 of 620 µs"


def test_every_nanosecond_has_one_cause(tmp_path: Path) -> None:
    for origin in ("gc", "host", "wear"):
        found = waits(tmp_path, [SLOW], collecting(origin))
        assert found.pieces[0].begin == MS and found.pieces[-1].end == MS + 620 * US
        ends = [piece.end for piece in found.pieces[:-1]]
        assert ends == pytest.approx([piece.begin for piece in found.pieces[1:]])


def test_a_tag_leads_to_the_request_that_held_it(tmp_path: Path) -> None:
    """Request 9 has its tag when 8 is answered, which waited for a frame of the collecting die."""
    rows = [
        request_row(8, "W", MS, (0, 600 * US, 0, 20 * US), 1, 0),
        request_row(9, "W", MS + 10 * US, (615 * US, 0, 0, 20 * US), 1, 0),
    ]
    found = waits(tmp_path, rows, collecting(), tags=1)
    assert found.behind == [8]
    assert verdict(found) == "Collection on die 0.0: 390 of 635 µs"
    assert found.sums()["command"] == 5e3  # from that answer to the device
    # The control: with a tag to spare it was no tag that it waited for.
    free = waits(tmp_path, rows, collecting(), tags=2)
    assert free.behind == [] and verdict(free).startswith("The way of the command to the device:")


def test_tags_are_followed_back_to_the_arrival(tmp_path: Path) -> None:
    """Each request holds the only tag for 100 us, all of them wait from 1 ms on."""
    rows = [request_row(n, "R", MS, (n * 100 * US, 0, 100 * US, 0), 1, 0) for n in range(6)]
    events = [on_die("tR", 1000.0 + 100 * n, 100.0, requests=[n]) for n in range(6)]
    found = waits(tmp_path, rows, events)
    assert found.behind == [4, 3, 2, 1, 0] and found.before_it == 5
    assert found.sums() == pytest.approx({"own": 600e3})


def test_a_frame_of_a_program_decided_later_went_through_others_before(tmp_path: Path) -> None:
    """Frames go to who waits longest. The program that frees the frame of 9 was decided at 1.3 ms;
    until then those before it waited for die 0.1, which collects."""
    rows = [SLOW, request_row(11, "W", MS + 300 * US, (0, 900 * US, 0, 20 * US), 1, 0)]
    file = tmp_path / "requests.csv"
    file.write_text("\n".join([HEADER, *rows, ""]))
    events = [
        on_die("tR", 0.0, 50.0, "host", requests=[2]),  # long ago
        on_die("tPROG", 900.0, 200.0, "gc", way=1),
        on_die("tPROG", 1100.0, 200.0, requests=[3], way=1),
        on_die("tPROG", 1400.0, 200.0, requests=[11]),
    ]
    life = find_life(file, 9)
    times = life.arrival_ns, life.complete_ns
    (others,) = lives_during(file, [times])
    found = follow(life, others, DieWork(events, *times), 32)
    assert found.dies() == pytest.approx({"0.0": 300e3, "0.1": 300e3})
    assert found.sums() == pytest.approx({"program": 500e3, "gc": 100e3, "link": 20e3})
    # Decided before, its data were not there, for its die stood idle: its page waited for a frame.
    assert waits(tmp_path, [SLOW], events).dies() == found.dies()
    # The control: had its die been busy, that alone would have been awaited.
    busy = [*events, on_die("tPROG", 1000.0, 400.0, "map")]
    alone = waits(tmp_path, [SLOW], busy)
    assert alone.dies() == pytest.approx({"0.0": 600e3})
    assert verdict(alone).startswith("Reads and programs of the map on die 0.0: 400 of")
    # Yet not while that program was not decided.
    later = follow(life, others, DieWork(busy, *times), 32)
    assert later.dies() == pytest.approx({"0.0": 300e3, "0.1": 300e3})


def test_a_die_that_waits_a_moment_for_data_is_not_idle(tmp_path: Path) -> None:
    def dies(gap: float) -> list[str]:
        events = [
            on_die("tPROG", 1000.0, 400.0 - gap, "gc"),
            on_die("tPROG", 1300.0, 50.0, requests=[2], way=1),
            on_die("tPROG", 1400.0, 200.0, requests=[3]),
        ]
        return list(waits(tmp_path, [SLOW], events).dies())

    assert dies(30.0) == ["0.0"] and dies(60.0) == ["0.1", "0.0"]


def test_only_programs_of_the_buffer_free_frames_and_only_then(tmp_path: Path) -> None:
    events = [
        on_die("tPROG", 500.0, 200.0),
        on_die("tPROG", 1000.0, 200.0, "gc"),
        on_die("tR", 1200.0, 25.0),
    ]
    work = DieWork(events, 0, 2 * MS)
    assert work.last_program(800 * US, 2 * MS) is None
    found = work.last_program(700 * US, 2 * MS)
    assert found is not None and found.end == 700 * US
    assert waits(tmp_path, [SLOW], events).sums() == {"frame": 600e3, "link": 20e3}


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        ([on_die("tR", 1100.0, 100.0, requests=[9])], "Its own operations of the flash on die 0.0"),
        (
            [
                on_die("tR", 1000.0, 150.0, requests=[4]),
                on_die("tR", 1150.0, 50.0, requests=[9]),
            ],
            "Reads of other requests on die 0.0",
        ),
        (
            [
                on_die("tR", 1190.0, 10.0, requests=[9]),
                dict(
                    ph="i", pid=1, tid=0, name="grant", ts=1190.0, args=dict(way=0, waited_ns=180e3)
                ),
            ],
            "Waiting for the bus on die 0.0",
        ),
        (
            [
                on_die("tR", 1000.0, 150.0, "map", requests=[9], way=1),
                on_die("tR", 1150.0, 50.0, requests=[9]),
            ],
            "Reads and programs of the map on die 0.0",
        ),
        ([on_die("tR", 5.0, 1.0)], "Waiting for the flash, of which no operation is known"),
    ],
)
def test_a_read_waits_for_its_die(events: list[Any], expected: str, tmp_path: Path) -> None:
    row = request_row(9, "R", MS, (0, 0, 200 * US, 10 * US), 1, 0)
    assert verdict(waits(tmp_path, [row], events)).rpartition(":")[0] == expected


def test_the_link_and_the_way_to_the_device_are_causes(tmp_path: Path) -> None:
    row = request_row(9, "R", MS, (0, 0, 0, 90 * US), 1, 1)
    assert verdict(waits(tmp_path, [row], [])) == "The host link and the SDRAM: 90.0 of 90.0 µs"
    nothing = waits(tmp_path, [request_row(9, "R", MS, (0, 0, 0, 0), 1, 1)], [])
    assert verdict(nothing) == "It took no time."


def test_a_write_through_waits_for_its_own_program(tmp_path: Path) -> None:
    """Its data come first, then the die collects, then its page is programmed; last the answer."""
    row = request_row(9, "W", MS, (0, 0, 500 * US, 30 * US), 1, 0)
    events = [on_die("tBERS", 1000.0, 320.0, "gc"), on_die("tPROG", 1320.0, 200.0, requests=[9])]
    found = waits(tmp_path, [row], events)
    assert found.sums() == pytest.approx({"gc": 300e3, "own": 200e3, "link": 30e3})


def test_a_flush_waits_for_the_last_program(tmp_path: Path) -> None:
    """Its row has all of that as transfer; the answer goes over the link after it."""
    row = request_row(9, "F", MS, (0, 0, 0, 610 * US), 0, 0)
    found = waits(tmp_path, [row], collecting())
    assert found.sums() == pytest.approx({"gc": 400e3, "program": 200e3, "link": 10e3})
    # The control: no program ended, so it was the link.
    assert waits(tmp_path, [row], collecting()[:1]).sums() == pytest.approx({"link": 610e3})


def test_in_turn_a_request_waits_for_the_frames_of_those_before_it(tmp_path: Path) -> None:
    """Request 8 has its frame at 1.6 ms and its answer much later; 9 begins at 1.6 ms."""
    rows = [
        request_row(8, "W", MS, (0, 600 * US, 0, 900 * US), 1, 0),
        request_row(9, "R", MS, (600 * US, 0, 0, 20 * US), 1, 1),
    ]
    file = tmp_path / "requests.csv"
    file.write_text("\n".join([HEADER, *rows, ""]))
    life = find_life(file, 9)
    times = life.arrival_ns, life.complete_ns
    (others,) = lives_during(file, [times])
    work = DieWork(collecting(), *times)
    found = follow(life, others, work, 32, in_turn=True)
    assert found.sums() == pytest.approx({"gc": 400e3, "program": 200e3, "link": 20e3})
    # The control: without the rule nobody held it up.
    assert "gc" not in follow(life, others, work, 32).sums()


# ---- the command --------------------------------------------------------------------------------


def told(capsys: pytest.CaptureFixture[str], *words: object) -> str:
    assert main(["explain", *map(str, words)]) == 0
    return capsys.readouterr().out


def test_the_slowest_is_found_and_the_first_line_is_the_verdict(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    quick = request_row(1, "R", 0, (0, 0, 0, 700 * US), 1, 1)
    directory = runs.write(rows=[quick, SLOW], events=[*make_events()[:3], *collecting()])
    said = told(capsys, "slowest", directory).splitlines()
    assert said[0] == "The host link and the SDRAM: 700 of 700 µs."
    said = told(capsys, "slowest", directory, "--op", "write").splitlines()
    assert said[0] == "Collection on die 0.0: 400 of 620 µs."
    text = "\n".join(said)
    assert "Request 9: write of 2,048 bytes" in text and "It arrived at 1 ms" in text
    assert "  die 0.0    collection: 400 µs (1 erase 200 µs, 1 program 200 µs)" in said
    assert told(capsys, "9", directory) == "\n".join(said) + "\n"
    assert main(["explain", "slowest", str(directory), "--op", "trim"]) == 2


def test_a_table_of_the_slowest(runs: RunMaker, capsys: pytest.CaptureFixture[str]) -> None:
    quick = request_row(1, "R", 0, (0, 0, 0, 700 * US), 1, 1)
    directory = runs.write(rows=[quick, SLOW], events=collecting())
    lines = told(capsys, "--top", 5, directory).splitlines()
    assert lines[0].split() == "request op bytes arrived latency verdict".split()
    assert re.split("  +", lines[2].strip()) == [
        *("9", "write", "2,048", "1 ms", "620 µs"),
        "Collection on die 0.0: 400 of 620 µs",
    ]
    assert len(lines) == 3 and lines[1].split()[0] == "1"
    assert len(told(capsys, "--top", 1, directory).splitlines()) == 2


def test_of_equal_ones_the_first_is_the_slowest(tmp_path: Path) -> None:
    file = tmp_path / "requests.csv"
    rows = [request_row(n, "R", n * MS, (0, 0, 0, 5 * US), 1, 1) for n in (4, 2, 3)]
    file.write_text("\n".join([HEADER, *rows, ""]))
    assert [life.number for life in slowest_lives(file, 2)] == [4, 2]


def test_a_timeline_of_another_part_is_not_believed(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    def begin_at(time: str) -> Path:
        command = f"run drive.toml --timeline t.json --timeline-from {time}"

        def change(summary: dict[str, Any]) -> None:
            summary["run"] = dict(command=command)

        return runs.write(time, change, [SLOW], collecting())

    assert told(capsys, 9, begin_at("900us")).startswith("Collection")
    assert told(capsys, 9, begin_at("1.1ms")).startswith("Waiting for a free frame")


def test_a_run_that_cannot_be_run_again_says_what_is_missing(
    runs: RunMaker, capsys: pytest.CaptureFixture[str]
) -> None:
    directory = runs.write()
    (directory / "timeline.json").unlink()
    said = told(capsys, 2, directory)
    assert "What the dies did is not known: no timeline.json of that time" in said
    assert said.startswith("The host link and the SDRAM: ")
    assert not (directory / "explain").exists()
    assert main(["explain", "2", str(directory), "--rerun"]) == 2
    assert "does not say how it is run again; expected" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["slowest"], ["--top", "0", "x"], ["--top", "2", "1", "x"], ["latest", "x"], ["1", "2", "x"]],
)
def test_wrong_usage_is_one_line(words: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explain", *words]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_folder_of_runs_is_refused_with_their_names(
    runs: RunMaker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in ("all/b", "all/a", *(f"sweep/runs/{number}" for number in range(6))):
        runs.write(name, extras=False)
    for folder, right in (
        ("all", "{0}/a, {0}/b"),
        ("sweep", "{0}/runs/0, {0}/runs/1, {0}/runs/2, {0}/runs/3 and 2 others"),
    ):
        at = tmp_path / folder
        assert main(["explain", "slowest", str(at)]) == 2
        said = f"is a folder of runs; expected one of its runs: {right.format(at)}"
        assert capsys.readouterr().err == f"error: {at}:1: {said}\n"
    # One that holds none has no summary.
    assert main(["explain", "slowest", str(tmp_path / "none")]) == 2
    assert "summary.json:1: no such file" in capsys.readouterr().err


def test_a_timeline_of_a_part_is_known_by_its_command(runs: RunMaker) -> None:
    def window(command: str) -> tuple[float, float] | None:
        return timeline_of(
            runs.load(
                command[:9].replace(" ", "-") + str(len(command)),
                lambda s: s.update(run=dict(command=command)),
            )
        )

    assert window("run a --timeline t --timeline-from 10ms --timeline-to=2.5s") == (10e6, 2.5e9)
    assert window("run a --timeline t") == (0, float("inf"))


def test_lines_that_are_no_requests_are_named(tmp_path: Path) -> None:
    file = tmp_path / "requests.csv"
    for damage, line in (("9,W", "9,Q"), ("9,W", "9,W,7"), ("1000000", "1e6")):
        file.write_text("\n".join([HEADER, SLOW, SLOW.replace(damage, line, 1), ""]))
        with pytest.raises(InputError, match=r"requests\.csv:3: "):
            slowest_lives(file, 1)
    file.write_text("id,op\n")
    with pytest.raises(InputError, match=r"requests\.csv:1: "):
        slowest_lives(file, 1)


# ---- the picture --------------------------------------------------------------------------------

SVG = "{http://www.w3.org/2000/svg}"


def drawn(found: Wait, events: list[Any]) -> ElementTree.Element:
    work = DieWork(events, found.life.arrival_ns, found.life.complete_ns)
    return ElementTree.fromstring(picture(found, work, "abc1"))


def test_the_picture_has_the_answer_in_it(tmp_path: Path) -> None:
    found = waits(tmp_path, [SLOW], collecting())
    image = drawn(found, collecting())
    texts = [text.text or "" for text in image.iter(f"{SVG}text")]
    assert texts[0] == "Request 9: write of 2,048 bytes, 620 µs"
    assert texts[1] == "Collection on die 0.0: 400 of 620 µs"
    assert "time since it arrived (µs)" in texts and {"0", "200", "600"} <= set(texts)
    assert {"die 0.0", "collection", "program", "erase"} <= set(texts)
    colours = {bar.get("fill") for bar in image.iter(f"{SVG}rect") if bar.get("class") == "bar"}
    # The control: without collection its colour is nowhere.
    other = waits(tmp_path, [SLOW], collecting("host"))
    left = drawn(other, collecting("host"))
    without = {bar.get("fill") for bar in left.iter(f"{SVG}rect") if bar.get("class") == "bar"}
    assert colours - without == {COLLECTION}


def test_no_bar_is_thinner_than_can_be_seen(tmp_path: Path) -> None:
    """A thousand operations of a microsecond in a second, each a 1,000th of a pixel wide."""
    row = request_row(9, "W", MS, (0, 1000 * MS, 0, 20 * US), 1, 0)
    events = [
        on_die("tR", 1000.0 + 1000 * n, 1.0, "gc" if n // 50 % 2 else "host") for n in range(1000)
    ]
    events.append(on_die("tPROG", 1_000_800.0, 200.0, requests=[9]))
    image = drawn(waits(tmp_path, [row], events), events)
    bars = [bar for bar in image.iter(f"{SVG}rect") if bar.get("class") in ("bar", "own")]
    assert {COLLECTION, READ} <= {bar.get("fill") for bar in bars}
    assert min(float(bar.get("width", "0")) for bar in bars) >= LEAST - 0.01
    assert 20 < len(bars) < 1500
