"""The bus timing diagram: cycles of a phase, levels of a signal, and what it says no to."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from cavern.errors import NotAvailableError
from cavern.plots.figures.bus_timing import Cycles, draw, joined, phases, signals, steps
from cavern.plots.figures.options import Options
from cavern.plots.timeline import Spans, Timeline

from tests.plots.made_runs import RunMaker

CYCLES = Cycles(length=0.03, read=7, program=7, erase=5)


def made_timeline(**changes: Any) -> Timeline:
    """Way 1 of channel 0 programs a page (data 1 us); way 0 of channel 1 is another's."""
    parts: dict[str, Any] = dict(
        bus=Spans(
            np.array([10.0, 10.0]),
            np.array([1.21, 1.21]),
            np.array([0, 1]),
            np.array(["data in", "data in"]),
            np.array(["host", "host"]),
        ),
        array=Spans(
            np.array([11.21]),
            np.array([200.0]),
            np.array([8]),
            np.array(["tPROG"]),
            np.array(["host"]),
        ),
        grant_time=np.array([10.0, 10.0]),
        grant_channel=np.array([0, 1]),
        dies={8: (0, 1)},
        counters={},
        bus_way=np.array([1, 0]),
        bus_pages=np.array([1, 1]),
        grant_way=np.array([1, 0]),
        grant_waited=np.array([2.5, 0.0]),
    )
    return Timeline(**{**parts, **changes})


def test_program_is_command_addresses_data_and_confirmation() -> None:
    parts = list(phases("data in", 10.0, 11.21, 1, CYCLES))
    assert [label for _, _, _, label in parts] == ["80h", *[""] * 5, "data in", "10h"]
    assert parts[0][0] == 10.0 and parts[-1][1] == pytest.approx(11.21)
    assert parts[6][1] - parts[6][0] == pytest.approx(1.0)


def test_pages_of_two_planes_are_parted_by_11h() -> None:
    parts = list(phases("data in", 0.0, 2.42, 2, CYCLES))
    labels = [label for _, _, _, label in parts if label]
    assert labels == ["80h", "data in", "11h", "80h", "data in", "10h"]
    assert parts[-1][1] == pytest.approx(2.42)


def test_reads_and_erases_are_told_by_their_cycles() -> None:
    read = [label for *_, label in phases("command", 0.0, 0.21, 1, CYCLES) if label]
    erase = [label for *_, label in phases("command", 0.0, 0.15, 1, CYCLES) if label]
    assert read == ["00h", "30h"] and erase == ["60h", "D0h"]


def test_a_reset_is_no_read() -> None:
    assert list(phases("reset", 1.0, 1.15, 1, CYCLES)) == [(1.0, 1.15, "command", "reset")]


def test_signals_of_one_way_only() -> None:
    bus = signals(made_timeline(), 0, 0.0, 100.0, CYCLES, 2)
    assert bus.rows["req 1"] == [(7.5, 10.0)]
    ((granted, released),) = bus.rows["grant 1"]
    assert granted == 10.0 and released == pytest.approx(11.21)
    assert bus.rows["CE# 1"] == bus.rows["grant 1"]
    assert np.array(bus.rows["R/B# 1"]) == pytest.approx(np.array([[11.21, 211.21]]))
    assert all(bus.rows[f"{name} 0"] == [] for name in ("req", "grant", "CE#", "R/B#"))
    assert len(bus.rows["CLE"]) == 2 and len(joined(bus.rows["ALE"])) == 1
    assert len(bus.rows["WE#"]) == 8 and bus.rows["RE#"] == []


def test_active_low_signal_rests_high_and_is_cut_at_the_window() -> None:
    times, levels = steps([(2.0, 9.0)], low=True, begin=1.0, end=5.0)
    assert times == [0.0, 1.0, 1.0, 4.0, 4.0, 4.0]
    assert levels == [1.0, 1.0, 0.0, 0.0, 1.0, 1.0]


def test_both_views_say_where_in_time_they_are(runs: RunMaker) -> None:
    """The window begins within a data phase; the closer view with the next command."""

    def name_cycles(summary: dict[str, Any]) -> None:
        nand = dict(command_cycle="30ns", read_cycles=7, program_cycles=7, erase_cycles=5)
        summary["config"]["nand"] |= nand

    run = runs.load(change=name_cycles)
    above, below = draw(run, Options(begin_us=150.0, end_us=250.0)).axes
    assert above.get_xlabel() == "time in the window (µs), which begins at 150 µs"
    assert below.get_xlabel() == "closer (ns), from 20.0 µs of the window on"


def test_timeline_without_ways_is_not_drawn() -> None:
    with pytest.raises(NotAvailableError, match="which way"):
        signals(made_timeline(bus_way=np.array([-1, -1])), 0, 0.0, 100.0, CYCLES, 2)
