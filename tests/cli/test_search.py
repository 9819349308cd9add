"""./cavern search: the best drives of a space, by a part of its runs."""

from __future__ import annotations

import math
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cavern.plots.metrics import metric
from cavern.search.engine import FEWEST_CONFIRMED, Engine, ruled_out
from cavern.search.next_runs import next_runs
from cavern.search.propose import front_of, propose
from cavern.search.space import Point, Search, read_search
from cavern.search.trials import STUDY, Store, Trial, beats, costs
from cavern.simulator import SIMULATOR
from cavern.sweeps import Case, execute, plan, rows_of
from cavern.sweeps.plan import refusal
from cavern.verdicts import fronts

from tests.cli.once import once
from tests.cli.programs import ROOT, Workspace
from tests.cli.sweeps import environment, prepared, table, told, without_moment
from tests.cli.test_bad_input import is_message
from tests.cli.test_sweep_resume import wait_for

SPACE = ROOT / "configs" / "sweeps" / "best-buffer.toml"
TIME, TAIL = "ftl.execution_time_ns", "host.write.lat_ns.p99"

SMALL_AIMS = (TIME, "host.write.lat_ns.mean")
SMALL = """\
title = "Small"
config = "drive.toml"
workloads = ["w.toml"]
limit = 300

[vary]
buffer.size = ["16KiB", "32KiB", "64KiB", "128KiB"]
nand.ways = [1, 2]
buffer.policy = ["lru-page", "lru-block", "fab"]

[search]
objectives = ["ftl.execution_time_ns", "host.write.lat_ns.mean"]
trials = 12
"""


def on_search(folder: Path, *arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "cavern", "search", *map(str, arguments)],
        cwd=folder,
        env=environment(),
        text=True,
        capture_output=True,
        check=False,
        timeout=600,
    )


@pytest.fixture
def searching(sweeping: Workspace) -> Workspace:
    sweeping.write("small.toml", SMALL)
    return sweeping


@pytest.fixture
def searched(searching: Workspace, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Such a folder with the results of the search in out/, a copy of what was made once for all
    workers; and what it said."""

    def make(told: Path) -> None:
        folder = told.with_suffix("")
        folder.mkdir(exist_ok=True)
        prepared(folder).write("small.toml", SMALL)
        done = on_search(folder, "small.toml", "--out", "out", "--jobs", 4)
        assert (done.returncode, done.stderr) == (0, "")
        told.write_text(done.stdout, encoding="utf-8")

    said = once("finished-search.stdout", tmp_path_factory, make)
    shutil.copytree(said.with_suffix("") / "out", searching.folder / "out")
    return searching.folder, said.read_text(encoding="utf-8")


def engine(search: Search, out: Path, spec: Path) -> Engine:
    return Engine(search, out, SIMULATOR, partial(execute, out=out), spec)


# ---- the best is found ---------------------------------------------------------------------------


def judge(search: Search, out: Path, names: list[str], seeds: range) -> dict[int, tuple[Any, Any]]:
    """For each seed: the front of the whole space, and that which the search found in it. The runs
    of both are the same, by their ids, so that the space is simulated once."""
    aims = tuple(metric(name) for name in names)
    rows = rows_of(execute(plan(search.cases), out))
    whole = [costs(aims, [row[name] for name in names]) for row in rows]
    best = {one for one in whole if not any(beats(other, one) for other in whole)}
    found = {}
    for seed in seeds:
        (out / STUDY).unlink(missing_ok=True)
        one = replace(search, objectives=aims, seed=seed)
        trials = engine(one, out, SPACE).run()
        assert len(trials) == search.trials
        assert len({trial.point for trial in trials}) == len(trials)
        found[seed] = (best, {costs(aims, trial.values or ()) for trial in front_of(trials, aims)})
    return found


@pytest.mark.nightly
@pytest.mark.parametrize("name", [TIME, TAIL])
def test_best_of_a_whole_space_is_found_within_a_fifth_of_it(name: str, tmp_path: Path) -> None:
    search = read_search(SPACE)
    assert len(search.cases) == 240 and search.trials == 48
    for seed, (best, found) in judge(search, tmp_path, [name], range(1, 4)).items():
        assert found == best, seed


@pytest.mark.slow
def test_best_of_a_small_space_is_found_within_a_part_of_it(searching: Workspace) -> None:
    spec = searching.folder / "small.toml"
    search = read_search(spec)
    assert (len(search.cases), search.trials) == (24, 12)
    for seed, (best, found) in judge(search, searching.folder / "out", [TIME], range(1, 4)).items():
        assert found == best, seed
    # That it is found is no matter of course: half of the space, taken in order, has it not.
    rows = rows_of(execute(plan(search.cases), searching.folder / "out"))
    times = [row[TIME] for row in rows]
    assert min(times[:12]) > min(times)


# ---- what it keeps -------------------------------------------------------------------------------


@pytest.mark.slow
def test_same_seed_is_the_same_search(searched: tuple[Path, str]) -> None:
    folder, said = searched
    again = on_search(folder, "small.toml", "--out", "one", "--jobs", 1)
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.replace("one/", "out/") == said
    assert without_moment(table(folder / "one")) == without_moment(table(folder / "out"))


@pytest.mark.slow
def test_another_seed_is_another_search(searched: tuple[Path, str]) -> None:
    folder, _ = searched
    other = on_search(folder, "small.toml", "--out", "other", "--seed", 5)
    assert other.returncode == 0
    assert without_moment(table(folder / "other")) != without_moment(table(folder / "out"))


@pytest.mark.nightly
def test_a_killed_search_goes_on_as_the_same(searching: Workspace) -> None:
    folder = searching.folder
    done = on_search(folder, "small.toml", "--out", "one")
    assert (done.returncode, done.stderr) == (0, "")
    command = [sys.executable, "-m", "cavern", "search", "small.toml", "--out", "killed"]
    for runs in (2, 9):
        with subprocess.Popen(
            [*command, "--resume"], cwd=folder, env=environment(), stderr=subprocess.DEVNULL
        ) as process:
            stored = folder / "killed" / "runs"
            wait_for(
                lambda runs=runs, stored=stored: len(list(stored.glob("[!.]*"))) >= runs, "runs"
            )
            process.send_signal(signal.SIGKILL)
    done_again = on_search(folder, "small.toml", "--out", "killed", "--resume")
    assert done_again.stdout.replace("killed/", "one/") == done.stdout
    assert without_moment(table(folder / "killed")) == without_moment(table(folder / "one"))


@pytest.mark.slow
def test_more_of_a_search_may_be_wanted_and_another_not_mixed_in(
    searched: tuple[Path, str],
) -> None:
    folder, said = searched
    assert "12 of 24 combinations" in said
    more = on_search(folder, "small.toml", "--out", "out", "--resume", "--trials", 16)
    assert more.returncode == 0 and "16 of 24 combinations" in more.stdout
    mixed = on_search(folder, "small.toml", "--out", "out", "--resume", "--seed", 2)
    assert mixed.returncode == 2
    assert is_message(mixed.stderr, "out/study.db:1: is the study of another search; *--out*")


@pytest.mark.slow
def test_study_is_one_that_optuna_reads(searched: tuple[Path, str]) -> None:
    import optuna

    folder, _ = searched
    out, search = folder / "out", read_search(folder / "small.toml")
    trials = engine(search, out, folder / "small.toml").run()
    study = optuna.load_study(study_name="cavern", storage=f"sqlite:///{out / STUDY}")
    best = {tuple(trial.values) for trial in study.best_trials}
    assert best == {t.values for t in front_of(trials, [metric(n) for n in SMALL_AIMS])}
    assert len(study.trials) == 12


# ---- what it says --------------------------------------------------------------------------------


@pytest.mark.slow
def test_it_ends_in_the_front_what_distinguishes_it_and_the_next_runs(
    searched: tuple[Path, str],
) -> None:
    folder, said = searched
    assert re.search(r"^12 of 24 combinations were looked at: \d+ run with time", said)
    rows = table(folder / "out")
    aims = [metric(name) for name in SMALL_AIMS]
    measured = [tuple(row[name] for name in SMALL_AIMS) for row in rows]
    best = [measured[place] for place in fronts.front([costs(aims, one) for one in measured])]
    shown = said.partition("Best combinations")[2].partition("The next runs")[0]
    for one in best:
        assert all(aim.text(value) in shown for aim, value in zip(aims, one, strict=True))
    commands = re.findall(r"^   (\./cavern run .*)$", said, re.MULTILINE)
    assert len(commands) == len(re.findall(r"^\d\. ", said, re.MULTILINE)) <= 3
    assert commands or "The next runs worth doing: none" in said
    for command in commands:
        words = command.replace("./cavern", f"'{SIMULATOR}'", 1) + " --quiet --out next"
        ran = subprocess.run(
            ["bash", "-c", words], cwd=folder, env=environment(), capture_output=True, check=False
        )
        assert ran.returncode == 0, ran.stderr
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "Cavern search: Small" in page and "The next runs worth doing" in page
    assert "Pareto front" in page and "12 of 24 combinations" in page
    assert not any(row["run"] in page for row in rows)
    # `report` makes the same page again, as that of a search.
    assert told(folder, "out", name="report").returncode == 0
    assert (folder / "out" / "report.html").read_text(encoding="utf-8") == page


@pytest.mark.slow
def test_failed_combinations_are_rows_and_a_value_that_none_can_take_is_a_mistake(
    searching: Workspace,
) -> None:
    folder = searching.folder
    searching.write(
        "failing.toml",
        SMALL.replace('"16KiB", "32KiB", "64KiB", "128KiB"', '"16KiB", "16MiB"').replace(
            "nand.ways = [1, 2]", 'dram.size = ["1MiB", "64MiB"]'
        ),
    )
    done = on_search(folder, "failing.toml", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "12 of 12 combinations were looked at" in done.stdout and "3 failed" in done.stdout
    assert sum(row["status"] == 2 for row in table(folder / "out")) == 3
    searching.write("wrong.toml", SMALL.replace("[1, 2]", "[1, 2000000]"))
    done = told(folder, "wrong.toml", name="search")
    assert done.returncode == 2 and is_message(done.stderr, "wrong.toml:8: nand.ways = *; *")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("trials = 12", "trials = 0", "13: trials = 0; expected a whole number from 1 on"),
        ("trials = 12", "trails = 1", '13: unknown key "trails"; did you mean "trials"?'),
        ("trials = 12", "screen = 1", "13: screen = 1; expected true or false"),
        ('"ftl.execution_time_ns"', '"ftl.time"', '12: no objective "ftl.time"; expected some *'),
        (
            '"host.write.lat_ns.mean"',
            '"host.iops", "host.iops"',
            "12: two objectives are host.iops; expected each once",
        ),
        ("limit = 300", "limit = 300\nseeds = [1, 2]", "5: a search has one *; *"),
        ("[vary]", "[set]", "6: nothing varies; *"),
    ],
)
def test_mistake_in_a_search_is_one_line(
    old: str, new: str, expected: str, searching: Workspace
) -> None:
    text = SMALL.replace(old, new)
    if old == "[vary]":
        expected = "1: nothing varies; *"
        text = re.sub(r"(?s)\[vary\].*?\n\n", "", SMALL)
    searching.write("small.toml", text)
    done = told(searching.folder, "small.toml", name="search")
    assert done.returncode == 2
    assert is_message(done.stderr, f"small.toml:{expected}")
    assert not (searching.folder / "out").exists()


@pytest.mark.slow
def test_what_is_not_installed_is_named(searching: Workspace) -> None:
    code = (
        "import sys; sys.modules['optuna'] = None; from cavern.__main__ import main; "
        "sys.exit(main(['search', 'small.toml']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=searching.folder,
        env=environment(),
        text=True,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 2
    assert is_message(
        done.stderr,
        "<command line>:1: this needs optuna; pip install optuna brings it, "
        "as does cavern-ssd[search]",
    )


# ---- its parts -----------------------------------------------------------------------------------


@pytest.fixture
def search(searching: Workspace) -> Search:
    return read_search(searching.folder / "small.toml")


def test_points_are_the_cases_in_their_order(search: Search) -> None:
    assert [axis.ordered for axis in search.axes] == [True, False, True]
    for index, case in enumerate(search.cases):
        point = search.point(index)
        assert search.index(point) == index
        texts = [str(v) for name, v in case.labels.items() if name != "trace"]
        assert texts == [a.texts[v] for a, v in zip(search.axes, point, strict=True)]
    assert search.axes[0].steps(0) == [1] and search.axes[1].steps(0) == [1, 2]


def test_proposals_never_repeat_and_end_with_the_space(search: Search) -> None:
    aims = [metric(TIME)]
    everything = replace(search, trials=24)
    trials: list[Trial] = []
    while batch := propose(everything, trials, aims):
        assert propose(everything, trials, aims) == batch
        trials += [Trial(p, (math.nan,), (float(sum(p) + 1),)) for p in batch]
    assert len({one.point for one in trials}) == len(trials) == 24


def test_a_combination_is_ruled_out_by_what_beats_it_alone(search: Search) -> None:
    aims = [metric(TIME), metric("host.write.lat_ns.mean")]

    def trial(index: int, first: float, second: float) -> Trial:
        return Trial(search.point(index), (first, math.nan), (first, second))

    point, good, bad = search.point(23), (50.0, math.nan), (500.0, math.nan)
    known = [trial(i, 100.0 + i, 100.0 + i) for i in range(FEWEST_CONFIRMED)]
    assert ruled_out(search, point, bad, known, aims)
    assert not ruled_out(search, point, good, known, aims)
    assert not ruled_out(search, point, bad, known[1:], aims)  # too few to say
    assert not ruled_out(search, point, (math.nan, math.nan), known, aims)
    # What is worse without time may be better with it: where one axis says so, it is run.
    known = [
        trial(i, 100.0 + i, 10.0 if search.point(i)[2] == search.point(23)[2] else 100.0 + i)
        for i in range(2 * FEWEST_CONFIRMED + 4)
    ]
    unlike = [one for one in known if one.point[2] != point[2]]
    assert not ruled_out(search, point, (101.5, math.nan), known, aims)
    assert ruled_out(search, point, bad, unlike, aims)
    # Where the run without time says all, one that is better is enough.
    alone = [Trial(search.point(i), (100.0 + i,), (100.0 + i,)) for i in range(FEWEST_CONFIRMED)]
    assert ruled_out(search, point, (100.5,), alone, aims[:1])
    assert not ruled_out(search, point, (100.0,), alone, aims[:1])


def anything(case: Case) -> str:
    """No run is refused."""
    return ""


def known(search: Search, time: Callable[[Point], float], without: set[Point]) -> list[Trial]:
    points = [search.point(i) for i in range(24)]
    return [Trial(p, (math.nan,), (time(p),)) for p in points if p not in without]


def test_next_runs_are_new_and_go_beyond_an_end_the_front_leans_on(search: Search) -> None:
    aims = [metric(TIME)]
    new: set[Point] = {(3, 0, 1), (2, 0, 1)}
    trials = known(search, lambda p: 1e9 / (1 + p[0]) * (1 + p[1] / 2) / (1 + p[2]), new)
    runs = next_runs(search, trials, aims, anything)
    # Of the two that were not run, the second would not be on the front when the first is.
    assert runs[0].text == f"{search.text((3, 0, 1))}." and len(runs) == 3
    assert re.search(
        r"Not run yet. Expected: execution time about 1\d\d ms, ± \d+ % \(best 188 ms", runs[0].why
    )
    beyond = [one for one in runs if "256KiB" in one.text]
    assert len(beyond) == 1 and "1 of 1 on the front have 128KiB, the last value" in beyond[0].why
    assert "'buffer.size=\"256KiB\"'" in beyond[0].command
    assert next_runs(search, [replace(trials[0], values=None, error="no")], aims, anything) == []


def test_what_cannot_be_run_is_not_suggested(search: Search) -> None:
    def time(point: Point) -> float:
        return 1e9 / (1 + point[0]) / (1 + point[2])

    def too_large(case: Case) -> str:
        return "too large" if any("256KiB" in one.text for one in case.settings) else ""

    beyond = known(search, time, set())
    for refused, there in ((anything, True), (too_large, False)):
        runs = next_runs(search, beyond, [metric(TIME)], refused)
        assert runs and any("256KiB" in one.text for one in runs) is there
    inside = known(search, time, {(3, policy, 1) for policy in range(3)})
    assert next_runs(search, inside, [metric(TIME)], anything)[0].text.startswith(
        "buffer.size 128KiB"
    )
    assert next_runs(search, inside, [metric(TIME)], lambda case: "no") == []


def test_the_program_says_what_cannot_be_run(search: Search) -> None:
    case = search.case((0, 0, 0))
    assert refusal(case) == ""
    large = tuple(
        replace(one, value="64MiB") if one.key == "buffer.size" else one for one in case.settings
    )
    assert "a buffer of 64MiB in an SDRAM of" in refusal(replace(case, settings=large))


def test_what_would_lose_by_its_own_figures_is_not_suggested(search: Search) -> None:
    # The best lies in the middle of the one axis that moves anything; ways do nothing.
    best: set[Point] = {(1, 0, 0), (1, 0, 1)}
    lost: set[Point] = {(0, 0, 0), (3, 2, 1)}
    trials = known(search, lambda p: 1e9 * (1 + abs(p[0] - 1) + p[1]), lost)
    assert next_runs(search, trials, [metric(TIME)], anything) == []
    # Control: one that is expected to be the best is.
    trials = known(search, lambda p: 1e9 * (1 + abs(p[0] - 1)) * (1 + p[1]), lost | best)
    (one, *_) = next_runs(search, trials, [metric(TIME)], anything)
    assert one.text in {f"{search.text(point)}." for point in best}
    # The front has the largest buffer, but the step to it was one for the worse elsewhere.
    trials = known(
        search, lambda p: 1e9 * (1 + p[1]) * ((20 if p[1] else 0.5) if p[0] == 3 else 1), set()
    )
    assert next_runs(search, trials, [metric(TIME)], anything) == []


def test_a_dry_run_counts_and_leaves_nothing(searching: Workspace) -> None:
    done = told(searching.folder, "small.toml", "--dry-run", name="search")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "24 combinations, 12 of them to look at\n"
    assert not (searching.folder / "out").exists()
    searching.write("wrong.toml", SMALL.replace("[1, 2]", "[1, 2000000]"))
    done = told(searching.folder, "wrong.toml", "--dry-run", name="search")
    assert done.returncode == 2 and is_message(done.stderr, "wrong.toml:8: nand.ways = *; *")


def test_store_gives_back_what_it_was_given(search: Search, tmp_path: Path) -> None:
    aims = [metric(TIME), metric("host.iops")]
    given = [
        Trial(search.point(3), (5.0, math.nan), (5.0, 7.0)),
        Trial(search.point(9), (9.0, math.nan)),
        Trial(search.point(4), (math.nan, math.nan), error="error: no"),
    ]
    store = Store(tmp_path, search, "id")
    store.begin(aims)
    for one in given:
        store.add(one)
    back = Store(tmp_path, search, "id")
    assert str(back.trials) == str(given) and list(back.aims) == aims
    assert [one.ruled_out for one in back.trials] == [False, True, False]
