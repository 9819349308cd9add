"""What the figures show: the numbers behind their lines, cells and bars."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest
from cavern.errors import InputError, NotAvailableError
from cavern.plots.figures import (
    COMPARISON_FIGURES,
    RUN_FIGURES,
    breakdown,
    comparison,
    gantt,
    hit_ratio,
    latency_cdf,
    latency_over_time,
    throughput,
    utilization,
)
from cavern.plots.figures.options import Options
from cavern.plots.render import FOR_PAGE, comparison_figures, run_figures
from cavern.plots.requests_csv import READ, WRITE, Requests
from cavern.plots.results import Run
from cavern.plots.style import STYLE_SHEET, as_svg, settle, style
from cavern.plots.texts import bandwidth_unit, digits, rate_unit, short_time, time_text
from cavern.plots.windows import windows_over
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection, PatchCollection, PolyCollection
from matplotlib.colors import to_hex, to_rgba
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Rectangle, StepPatch

from tests.plots.made_runs import RunMaker, make_events, request_row, span

DEFAULT = Options()


@pytest.fixture(autouse=True)
def _styled() -> Any:
    with style():
        yield


def two_runs(runs: RunMaker) -> list[Run]:
    def slower(summary: dict[str, Any]) -> None:
        summary["ftl"] |= dict(execution_time_ns=8_000_000, write_time_ns=5_000_000)
        summary["ftl"]["gc_time_ns"] = 3_000_000
        summary["buffer"]["hit_ratio"] = 0.25
        summary["host"]["write"]["lat_ns"]["p99"] = 160_000
        summary["host"]["iops"] = 1000.0

    return [runs.load("fast"), runs.load("slow", slower)]


def bars(axes: Axes) -> list[Rectangle]:
    return [patch for patch in axes.patches if isinstance(patch, Rectangle)]


def bar_widths(figure: Figure, panel: int = 0) -> list[float]:
    return [bar.get_width() for bar in bars(figure.axes[panel])]


def stairs(axes: Axes) -> list[np.ndarray]:
    """The heights of each staircase."""
    return [patch.get_data()[0] for patch in axes.patches if isinstance(patch, StepPatch)]


def xs(line: Line2D) -> np.ndarray:
    return np.asarray(line.get_xdata())


def ys(line: Line2D) -> np.ndarray:
    return np.asarray(line.get_ydata())


# Distribution


def of_latencies(latency: Any) -> Requests:
    return Requests({"latency_ns": np.array(latency)})


def test_distribution_counts_requests_not_slower() -> None:
    values, shares = latency_cdf.distribution(of_latencies([30, 10, 20, 10]))
    assert values.tolist() == [10, 20, 30]
    assert shares.tolist() == [0.5, 0.75, 1.0]


def test_thinned_distribution_keeps_ends_and_lies_on_the_full_one() -> None:
    latency = np.random.default_rng(1).permutation(np.arange(1, 200_001))
    values, shares = latency_cdf.distribution(of_latencies(latency))
    assert len(values) <= latency_cdf.MOST_POINTS
    assert values[0] == 1 and shares[-1] == 1.0
    assert np.allclose(shares, values / 200_000)
    assert values[-20:].tolist() == list(range(199_981, 200_001))


def test_distribution_figure_draws_reads_and_writes(runs: RunMaker) -> None:
    figure = latency_cdf.draw(runs.load(), DEFAULT)
    body, tail = figure.axes
    read, write = body.get_lines()
    assert xs(read).tolist() == [1e6, 1e6]
    assert xs(write).tolist() == [10_000, *range(10_000, 110_000, 10_000)]
    assert ys(write).tolist() == pytest.approx([0, *np.arange(1, 11) / 10])
    legend = body.get_legend()
    assert legend is not None
    assert [text.get_text() for text in legend.get_texts()] == [
        "read (10)",
        "write (10)",
    ]
    assert body.get_xscale() == tail.get_xscale() == tail.get_yscale() == "log"
    # The tail ends with the slowest request, one in ten, and never at the logarithm of 0.
    last = tail.get_lines()[-1]
    assert ys(last)[-2:].tolist() == pytest.approx([0.1, 0.1])
    assert xs(last)[-1] == 100_000
    assert all((ys(line) > 0).all() for line in tail.get_lines())


# Over time


def test_percentile_lines_show_the_windows(runs: RunMaker) -> None:
    run = runs.load()
    figure = latency_over_time.draw(run, Options(window_ns=5_000_000.0))
    windows = windows_over(run.requests, 5_000_000.0)
    assert windows.count == 2
    read, write = figure.axes
    assert [line.get_label() for line in write.get_lines()] == ["p50", "p99", "p99.9"]
    # Writes of 10..60 us complete in the first half, of 70..100 us in the second.
    assert ys(write.get_lines()[0]).tolist() == [30_000, 80_000]
    assert ys(write.get_lines()[1]).tolist() == [60_000, 100_000]
    assert ys(read.get_lines()[0]).tolist() == [1e6, 1e6]


def test_throughput_is_bytes_and_requests_by_window_length(runs: RunMaker) -> None:
    run = runs.load()
    figure = throughput.draw(run, Options(window_ns=1e12))
    bandwidth, rate = figure.axes
    seconds = 10.5e-3
    read, _, write, _ = stairs(bandwidth)
    assert read.tolist() == pytest.approx([10 * 2 * 2048 / 1e6 / seconds])
    assert write.tolist() == pytest.approx([10 * 4 * 2048 / 1e6 / seconds])
    assert stairs(rate)[0].tolist() == pytest.approx([10 / seconds])
    assert [axes.get_ylabel() for axes in figure.axes] == ["bandwidth (MB/s)", "requests/s"]


def test_hit_ratio_weighs_pages_and_leaves_gaps(runs: RunMaker) -> None:
    rows = [
        request_row(0, "W", 0, (0, 0, 0, 1000), 4, 1),
        request_row(1, "R", 0, (0, 0, 0, 1000), 1, 1),
        request_row(2, "W", 11_000, (0, 0, 0, 1000), 2, 2),
    ]
    run = runs.load(rows=rows)
    windows = windows_over(run.requests, 4000.0)
    assert windows.count == 3
    both = hit_ratio.ratio(windows, run.requests)
    assert both[[0, 2]].tolist() == [0.4, 1.0] and np.isnan(both[1])
    lines = hit_ratio.draw(run, Options(window_ns=4000.0)).axes[0].get_lines()
    assert [line.get_label() for line in lines] == ["read", "write", "both"]
    assert ys(lines[1])[0] == 0.25


# Utilisation


def test_matrix_has_the_bus_above_the_ways(runs: RunMaker) -> None:
    values = utilization.matrix(runs.load())
    assert values.tolist() == [[0.4, 0.5], [0.0, 0.1], [0.01, 0.11]]


def test_heat_map_has_a_cell_for_each_place_in_its_shade(runs: RunMaker) -> None:
    figure = utilization.draw(runs.load(), DEFAULT)
    axes = figure.axes[0]
    (cells,) = [c for c in axes.collections if isinstance(c, PatchCollection)]
    assert np.asarray(cells.get_array()).tolist() == [0.4, 0.5, 0.0, 0.1, 0.01, 0.11]
    assert len(cells.get_paths()) == 6
    assert sorted(text.get_text() for text in axes.texts) == ["0", "1", "10", "11", "40", "50"]
    assert cells.get_clim() == (0, 0.5)
    assert [label.get_text() for label in axes.get_yticklabels()] == ["bus", "way 0", "way 1"]


@pytest.mark.parametrize("value", [None, -1, 0.5, 10**9])
def test_die_without_a_place_is_refused(runs: RunMaker, value: Any) -> None:
    def change(summary: dict[str, Any]) -> None:
        summary["dies"][3]["way"] = value

    with pytest.raises(InputError, match=r"dies\[3\].way"):
        utilization.matrix(runs.load(change=change))


# Gantt


def polygons(figure: Figure) -> dict[str, list[np.ndarray]]:
    found: dict[str, list[np.ndarray]] = {}
    for part in figure.axes[-1].collections:
        if isinstance(part, PolyCollection):
            corners = [np.asarray(path.vertices) for path in part.get_paths()]
            found.setdefault(str(part.get_label()), []).extend(corners)
    return found


def ticks(figure: Figure) -> list[np.ndarray]:
    (lines,) = [c for c in figure.axes[-1].collections if isinstance(c, LineCollection)]
    return lines.get_segments()


def test_gantt_draws_a_bar_for_each_span_in_the_window(runs: RunMaker) -> None:
    run = runs.load()
    figure = gantt.draw(run, Options(begin_us=100.0, end_us=500.0))
    shown = polygons(figure)
    assert {name: len(bars) for name, bars in shown.items()} == {
        "command": 2,
        "data in": 2,
        "tPROG": 2,
    }
    assert [segment[0, 0] for segment in ticks(figure)] == [0.0, 70.0]
    first = shown["tPROG"][0]
    assert first[:, 0].min() == pytest.approx(63.57)
    assert first[:, 0].max() == pytest.approx(263.57)
    rows = gantt.layout(run, run.timeline.bus)
    assert first[:, 1].min() == pytest.approx(rows.die[0, 0])
    assert shown["tPROG"][1][:, 1].min() == pytest.approx(rows.die[0, 1])
    assert shown["data in"][0][:, 1].min() == pytest.approx(rows.bus[0])
    assert figure.axes[-1].get_xlim() == (0, 400.0)


def test_gantt_loses_a_bar_with_its_event(runs: RunMaker) -> None:
    # Control of the count above: it follows the file.
    events = [e for e in make_events() if not (e.get("tid") == 1 and e["name"] == "tPROG")]
    figure = gantt.draw(runs.load(events=events), Options(begin_us=100.0, end_us=500.0))
    assert len(polygons(figure)["tPROG"]) == 1


def test_gantt_underlines_only_background_work(runs: RunMaker) -> None:
    run = runs.load()
    figure = gantt.draw(run, Options(begin_us=4900.0, end_us=7000.0))
    shown = polygons(figure)
    assert {name: len(bars) for name, bars in shown.items()} == {
        "command": 1,
        "tBERS": 1,
        "background": 2,
    }
    early = polygons(gantt.draw(run, Options(begin_us=0.0, end_us=500.0)))
    assert "background" not in early


def legend_of(figure: Figure) -> list[str]:
    return [text.get_text() for text in figure.legends[0].get_texts()]


def test_gantt_says_in_its_legend_what_is_underlined(runs: RunMaker) -> None:
    run = runs.load()
    late = gantt.draw(run, Options(begin_us=4900.0, end_us=7000.0))
    assert legend_of(late)[-1] == "underlined: collection"
    early = gantt.draw(run, Options(begin_us=0.0, end_us=500.0))
    assert not any("underlined" in text for text in legend_of(early))
    events = [*make_events(), span(2, 3, "tR", 6800.0, 25.0, channel=1, way=1, origin="wear")]
    both = gantt.draw(runs.load("both", events=events), Options(begin_us=4900.0, end_us=7000.0))
    assert legend_of(both)[-1] == "underlined: collection, wear levelling"


def test_gantt_counts_time_from_its_window_in_one_unit(runs: RunMaker) -> None:
    """Two milliseconds that begin late in a long run."""
    begin = 1_507_241_192.0
    events = [span(1, 0, "command", begin + 100, 700, way=0), *make_events()[:3]]
    figure = gantt.draw(runs.load(events=events), Options(begin_us=begin, end_us=begin + 2000))
    axis = figure.axes[-1].xaxis
    assert axis.get_label_text() == "time in the window (ms), which begins at 1,507.241192 s"
    labels = [axis.get_major_formatter()(tick) for tick in axis.get_major_locator()()]
    assert {"0", "0.5", "1", "1.5", "2"} <= set(labels)
    short = gantt.draw(runs.load("short"), Options(begin_us=100.0, end_us=500.0)).axes[-1].xaxis
    assert short.get_label_text() == "time in the window (µs), which begins at 100 µs"


def test_gantt_shows_the_busiest_window_by_default(runs: RunMaker) -> None:
    run = runs.load()
    # 1500.21 us of erasing outweigh twice 263.57 us of programming; the first such window
    # ends with the erase.
    assert DEFAULT.window(run.timeline, gantt.DEFAULT_WIDTH_US) == pytest.approx((4500.21, 6500.21))
    assert Options(end_us=3000.0).window(run.timeline, 2000.0) == (1000.0, 3000.0)
    assert Options(begin_us=7.0).window(run.timeline, 2000.0) == (7.0, 2007.0)


def test_gantt_of_a_window_without_events_is_refused(runs: RunMaker) -> None:
    run = runs.load()
    with pytest.raises(InputError, match="nothing happens from 9000 to 9100 us; expected a window"):
        gantt.draw(run, Options(begin_us=9000.0, end_us=9100.0))


def test_gantt_has_a_row_for_idle_dies_too(runs: RunMaker) -> None:
    figure = gantt.draw(runs.load(), DEFAULT)
    names = [label.get_text() for label in figure.axes[-1].get_yticklabels()]
    assert names == ["ch 0 bus", "ch 1 bus", "way 0", "way 1", "way 0", "way 1"]


def test_gantt_of_a_large_drive_keeps_the_busiest_channels(runs: RunMaker) -> None:
    def large(summary: dict[str, Any]) -> None:
        summary["channels"] = [dict(id=c, utilization=0.1) for c in range(32)]
        summary["dies"] = [
            dict(channel=c, way=w, utilization=0.1) for c in range(32) for w in range(8)
        ]

    events = make_events()
    events.append(span(1, 30, "data in", 200.0, 60.0, way=0))
    run = runs.load(change=large, events=events)
    rows = gantt.layout(run, run.timeline.bus)
    assert len(rows.bus) == gantt.MOST_ROWS // 9
    assert {0, 1, 30} <= set(rows.bus)
    gantt.draw(run, DEFAULT)


def test_queue_depth_is_carried_into_the_window(runs: RunMaker) -> None:
    figure = gantt.draw(runs.load(), Options(begin_us=200.0, end_us=300.0))
    (area,) = figure.axes[0].collections
    assert np.asarray(area.get_paths()[0].vertices)[:, 1].max() == 3


# Breakdown


def test_parts_of_the_mean_add_up(runs: RunMaker) -> None:
    parts = breakdown.parts_of_mean(runs.load().requests.of(WRITE))
    assert parts == {
        "queue_ns": 4500.0,
        "cpu_ns": 0.0,
        "frame_wait_ns": 9000.0,
        "flash_ns": 13_500.0,
        "transfer_ns": 28_000.0,
    }
    assert sum(parts.values()) == 55_000.0


def test_parts_at_p99_come_from_requests_around_it(runs: RunMaker) -> None:
    rows = [request_row(n, "W", 0, (0, 0, 0, 1000 + n), 1, 0) for n in range(985)]
    rows += [request_row(n, "W", 0, (50_000, 0, 0, 0), 1, 0) for n in range(985, 995)]
    rows += [request_row(n, "W", 0, (0, 9_000_000, 0, 0), 1, 0) for n in range(995, 1000)]
    requests = runs.load(rows=rows).requests
    parts = breakdown.parts_at_p99(requests)
    assert parts["queue_ns"] == 50_000.0
    assert sum(parts.values()) == 50_000.0
    # Control: the mean is not blind to the outliers that p99 leaves out.
    assert breakdown.parts_of_mean(requests)["frame_wait_ns"] == 45_000.0


def test_breakdown_stacks_the_parts(runs: RunMaker) -> None:
    figure = breakdown.draw(runs.load(), DEFAULT)
    widths = bar_widths(figure)
    assert len(widths) == 10
    assert widths[:5] == pytest.approx([0, 0, 0, 0.9, 0.1])
    assert sum(widths[5:]) == pytest.approx(0.055)
    assert runs.base.exists() and figure.axes[0].get_xlabel() == "latency (ms)"


# Comparison


def test_execution_time_is_split_into_writes_and_collection(runs: RunMaker) -> None:
    figure = comparison.execution_time(two_runs(runs))
    assert bar_widths(figure) == pytest.approx([3, 1, 5, 3])
    assert [text.get_text() for text in figure.axes[0].texts] == ["4.00 ms", "8.00 ms (+100.0 %)"]
    assert figure.axes[0].get_xlabel() == "execution time (ms)"


def test_hit_ratio_bars_are_the_summaries(runs: RunMaker) -> None:
    figure = comparison.hit_ratio(two_runs(runs))
    assert bar_widths(figure) == [0.5, 0.25, 0.25, 0.25]


def test_latency_marks_are_the_summaries(runs: RunMaker) -> None:
    figure = comparison.latency(two_runs(runs))
    read, write = figure.axes
    marks = [xs(line) for line in write.get_lines() if line.get_marker() == "D"]
    assert [float(np.ravel(mark)[0]) for mark in marks] == [80_000, 160_000]
    ends = [bar.get_x() + bar.get_width() for bar in bars(read)]
    assert ends == [500_000, 500_000]


def test_throughput_bars_share_the_bandwidth(runs: RunMaker) -> None:
    figure = comparison.throughput(two_runs(runs))
    assert bar_widths(figure, 0) == [4, 4, 4, 4]
    assert bar_widths(figure, 1) == [2, 1]
    assert [axes.get_xlabel() for axes in figure.axes] == ["bandwidth (MB/s)", "1000 requests/s"]


def test_distribution_has_a_line_for_each_run(runs: RunMaker) -> None:
    figure = comparison.latency_tail(two_runs(runs))
    assert [len(axes.get_lines()) for axes in figure.axes] == [2, 2]


def test_lines_that_coincide_are_all_seen(runs: RunMaker) -> None:
    """Of three equal runs each line is thinner than those below it, and of its own colour; the
    shares are on a logarithmic scale, on which tails can be told apart."""
    same = [runs.load(f"{name}/same") for name in "abc"]
    for axes in comparison.latency_tail(same).axes:
        lines = axes.get_lines()
        widths = [line.get_linewidth() for line in lines]
        assert widths == sorted(widths, reverse=True) and len(set(widths)) == 3
        assert len({to_rgba(line.get_color()) for line in lines}) == 3
        assert axes.get_yscale() == "log"
        assert all(ys(line).min() > 0 for line in lines)


def test_latency_marks_of_few_requests_say_so(runs: RunMaker) -> None:
    def many(summary: dict[str, Any]) -> None:
        summary["host"]["read"]["count"] = 1000

    figure = comparison.latency([runs.load("many", many), runs.load("few")])
    texts = [[text.get_text() for text in axes.texts] for axes in figure.axes]
    assert texts[0] == ["500 µs, p99 800 µs", "500 µs, p99 800 µs (n=0)"]


def test_bars_of_a_run_without_time_are_not_of_zero(runs: RunMaker) -> None:
    def untimed(summary: dict[str, Any]) -> None:
        summary["sim"]["fidelity"] = "untimed"

    both = [runs.load("timed"), runs.load("untimed", untimed)]
    rates = comparison.throughput(both)
    assert [[text.get_text() for text in axes.texts] for axes in rates.axes] == [
        ["8.00", "–"],
        ["2.00", "–"],
    ]
    assert bar_widths(rates, 1)[1] == 0
    assert [text.get_text() for text in comparison.latency(both).axes[0].texts][1] == "none"


@pytest.mark.parametrize(
    ("cells", "top"),
    [
        ([0.0008, 0.0008], 1.0),  # equal cells are not the busiest of anything
        ([0.4, 0.401], 1.0),
        ([0.0002, 0.0008], 0.01),
        ([0.2, 0.4], 0.5),
        ([math.nan], 1.0),
    ],
)
def test_colours_of_a_heat_map_mean_how_busy_a_die_is(cells: list[float], top: float) -> None:
    assert utilization.top_of_scale(np.array(cells)) == top


def test_an_axis_of_small_shares_reaches_as_far_as_they_do(runs: RunMaker) -> None:
    def rare(summary: dict[str, Any]) -> None:
        summary["buffer"] |= dict(hit_ratio=0.16, write_hit_ratio=0.02)

    axes = comparison.hit_ratio([runs.load("rare", rare)]).axes[0]
    assert axes.get_xlim()[1] < 0.25
    assert comparison.hit_ratio([runs.load("often")]).axes[0].get_xlim()[1] == pytest.approx(0.61)


#: What a label is about, where several words are about one thing.
MEANING = {
    "written pages": "write",
    "page writes": "write",
    "all pages": "both",
    "waiting for a frame": "SDRAM",
    "flash": "NAND",
    "transfer": "link",
    "processor": "controller",
}


def color_of(artist: Any) -> Any:
    if isinstance(artist, StepPatch) and not artist.get_fill():
        return artist.get_edgecolor()
    return artist.get_color() if isinstance(artist, Line2D) else artist.get_facecolor()


def meanings(figure: Figure) -> set[tuple[str, str]]:
    """Each colour of a figure with what its legend says of it."""
    found = set()
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            first = handle.patches[0] if hasattr(handle, "patches") else handle
            name = re.sub(r" \(.*", "", label)
            found.add((to_hex(color_of(first)), MEANING.get(name, name)))
    return found


def test_one_colour_has_one_meaning_in_all_figures_of_requests(runs: RunMaker) -> None:
    def whole(summary: dict[str, Any]) -> None:
        summary["config"]["name"] = "whole"

    both = [runs.load("whole", whole), runs.load("slow")]
    # Buses and dies have a picture of their own, and its percentiles are shades of one colour.
    apart = {"gantt", "utilization", "latency_over_time"}
    drawn = [draw() for name, draw in draw_all(both).items() if name not in apart]
    said: dict[str, set[str]] = {}
    for figure in drawn:
        for color, meaning in meanings(figure):
            said.setdefault(color, set()).add(meaning)
    assert len(said) > 8
    assert {color: names for color, names in said.items() if len(names) > 1} == {}


# All of them


def draw_all(runs: Sequence[Run]) -> dict[str, Callable[[], Figure]]:
    single: dict[str, Callable[[], Figure]] = {
        spec.name: partial(spec.draw, runs[0], DEFAULT) for spec in RUN_FIGURES
    }
    several = {spec.name: partial(spec.draw, runs) for spec in COMPARISON_FIGURES}
    return single | several


@pytest.mark.slow
def test_every_figure_names_configuration_and_units(runs: RunMaker) -> None:
    units = ("(us)", "(µs)", "(ms)", "(s)", "(ns)", "(MB/s)", "requests/s", "(logarithmic)", "(W)")
    without_unit = {"completed", "slower than", "hit ratio", "channel", "queue\ndepth"}
    without_unit |= {"busy share of time", "reads slower", "writes slower"}
    for name, draw in draw_all(two_runs(runs)).items():
        figure = draw()
        settle(figure)
        assert figure.get_suptitle().startswith("fast"), name
        labels = [label for a in figure.axes for label in (a.get_xlabel(), a.get_ylabel()) if label]
        assert labels, name
        for axes in figure.axes:
            for label, axis in ((axes.get_xlabel(), axes.xaxis), (axes.get_ylabel(), axes.yaxis)):
                if not label or label in without_unit or any(unit in label for unit in units):
                    continue
                texts = [tick.get_text() for tick in axis.get_ticklabels(which="both")]
                with_unit = [text for text in texts if text[-1:] in ("s", "%")]
                assert with_unit, f"{name}: {label} has no unit, {texts}"


@pytest.mark.slow
def test_every_figure_stays_within_its_edges(runs: RunMaker) -> None:
    """No text is cut off, not even with a long name."""

    def name(summary: dict[str, Any]) -> None:
        summary["config"]["name"] = "a-name-much-longer-than-any-title-can-hold-in-one-line"

    both = [runs.load("long", name), runs.load("short")]
    for title, draw in draw_all(both).items():
        figure = draw()
        settle(figure)
        figure.draw_without_rendering()
        edges = figure.bbox
        texts = [*figure.texts, vars(figure)["_suptitle"]]
        texts += [text for axes in figure.axes for text in (axes.title, axes.xaxis.label)]
        texts += [text for axes in figure.axes for text in axes.texts]
        for axes in figure.axes:
            low, high = sorted(axes.get_ylim())
            ticks = zip(axes.get_yticks(), axes.get_yticklabels(), strict=True)
            texts += [text for at, text in ticks if low <= at <= high]
        for text in texts:
            if text.get_text() and text.get_visible():
                box = text.get_window_extent()
                assert box.x0 >= edges.x0 - 1 and box.x1 <= edges.x1 + 1, (title, text.get_text())
                assert box.y0 >= edges.y0 - 1 and box.y1 <= edges.y1 + 1, (title, text.get_text())


@pytest.mark.slow
def test_same_results_give_the_same_bytes_and_others_do_not(runs: RunMaker) -> None:
    fast, slow = two_runs(runs)
    again = runs.load("again/fast")
    for spec in RUN_FIGURES:
        first, second = spec.draw(fast, DEFAULT), spec.draw(again, DEFAULT)
        for figure in (first, second):
            figure.set_layout_engine("none")
        assert as_svg(first) == as_svg(second), spec.name
    assert as_svg(comparison.hit_ratio([fast])) != as_svg(comparison.hit_ratio([slow]))


@pytest.mark.slow
def test_figures_without_data_are_left_out_with_a_reason(runs: RunMaker) -> None:
    drawn = {
        f.spec.name: f.missing for f in run_figures(runs.load(extras=False), DEFAULT, FOR_PAGE)
    }
    assert drawn.pop("utilization") == ""
    assert "--timeline" in drawn.pop("gantt")
    assert "--power" in drawn.pop("power")
    assert all("--requests" in reason for reason in drawn.values()) and len(drawn) == 5
    none = runs.load("none", rows=[], events=[])
    drawn = {f.spec.name: f.missing for f in run_figures(none, DEFAULT, FOR_PAGE)}
    assert drawn["latency_cdf"] == "requests.csv holds no request"
    assert drawn["gantt"].startswith("timeline.json holds no bus phase")
    both = {f.spec.name: f.missing for f in comparison_figures([none, none], FOR_PAGE)}
    assert [name for name, reason in both.items() if reason] == ["compare_latency_cdf"]


@pytest.mark.slow
def test_one_request_is_enough(runs: RunMaker) -> None:
    run = runs.load(rows=[request_row(0, "R", 0, (0, 0, 10, 20), 1, 0)])
    assert run.requests.kinds == [READ]
    drawn = list(run_figures(run, DEFAULT, FOR_PAGE))
    assert [figure.missing for figure in drawn] == [""] * len(RUN_FIGURES)


def test_run_of_trims_and_flushes_has_no_latency_figure(runs: RunMaker) -> None:
    run = runs.load(rows=[request_row(0, "T", 0, (0, 0, 0, 5), 0, 0)])
    with pytest.raises(NotAvailableError, match="neither reads nor writes"):
        latency_cdf.draw(run, DEFAULT)


def test_dollar_signs_in_names_are_letters(runs: RunMaker) -> None:
    def name(summary: dict[str, Any]) -> None:
        summary["config"]["name"] = "$\\frac{x$"

    as_svg(utilization.draw(runs.load(change=name), DEFAULT))


def test_style_sheet_uses_colours_told_apart_by_all(runs: RunMaker) -> None:
    okabe_ito = "000000 E69F00 56B4E9 009E73 F0E442 0072B2 D55E00 CC79A7".split()
    cycle = next(line for line in STYLE_SHEET.read_text().splitlines() if "prop_cycle" in line)
    colors = [part for part in cycle.split("'") if len(part) == 6]
    assert len(colors) == 7
    assert set(colors[:6]) <= set(okabe_ito)
    assert len({to_rgba(f"#{color}") for color in colors}) == 7


@pytest.mark.parametrize(
    ("ns", "text"),
    [(0, "0 ns"), (999, "999 ns"), (1000, "1.00 µs"), (63_360, "63.4 µs"), (1.5e9, "1.50 s")],
)
def test_times_are_written_with_three_digits(ns: float, text: str) -> None:
    assert time_text(ns) == text


def test_units_follow_the_largest_value() -> None:
    assert [bandwidth_unit(v)[0] for v in (0, 5e4, 3e8, 9e9, 2e10)] == [
        *("B/s", "kB/s", "MB/s", "MB/s", "GB/s")
    ]
    assert [rate_unit(v)[0] for v in (0, 1999, 2000)] == ["requests/s"] * 2 + ["1000 requests/s"]
    assert [utilization.round_up(v) for v in (0.0, 0.012, 0.3, 0.31, 0.97, 1.0)] == pytest.approx(
        [1e-4, 0.02, 0.3, 0.5, 1.0, 1.0]
    )


def test_numbers_are_written_without_exponent() -> None:
    assert [digits(v) for v in (0.001234, 12_345.6, float("nan"))] == ["0.00123", "12,346", "–"]
    assert [short_time(v) for v in (1000.0, 200_000.0, 1e9)] == ["1 µs", "200 µs", "1 s"]
