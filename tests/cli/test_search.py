"""./cavern search: the best drives of a space, by a part of its runs."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from cavern.plots.metrics import metric
from cavern.search.engine import Engine
from cavern.search.propose import front_of
from cavern.search.space import Search, read_search
from cavern.search.trials import STUDY, costs
from cavern.simulator import SIMULATOR
from cavern.sweeps import execute, plan, rows_of

from tests.cli.mistakes import is_message
from tests.cli.once import once
from tests.cli.programs import ROOT, Workspace
from tests.cli.sweeps import SMALL, environment, prepared, table, told, without_moment
from tests.cli.test_sweep_resume import wait_for

SPACE = ROOT / "configs" / "sweeps" / "best-buffer.toml"
TIME, TAIL = "ftl.execution_time_ns", "host.write.lat_ns.p99"
SMALL_AIMS = (TIME, "host.write.lat_ns.mean")


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


def beats(one: Sequence[float], other: Sequence[float], share: float = 0.0) -> bool:
    """Whether one is better than the other in something and worse in nothing, each by a share of
    what is worse. Less is better. The rule of docs/sweep.md, written down once more."""

    def better(ours: Sequence[float], theirs: Sequence[float]) -> bool:
        return any(a < b and b - a >= share * abs(b) for a, b in zip(ours, theirs, strict=True))

    return better(one, other) and not better(other, one)


def wrong_on_front(costs: list[tuple[float, ...]], shown: set[int]) -> set[int]:
    """The rows that are shown though another one shown beats them, or left out though none does."""
    beaten = {
        row for row, own in enumerate(costs) if any(beats(costs[by], own, 0.01) for by in shown)
    }
    return {row for row in range(len(costs)) if (row in shown) == (row in beaten)}


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
    again = told(folder, "small.toml", "--out", "one", "--jobs", 1, name="search")
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.replace("one/", "out/") == said
    assert without_moment(table(folder / "one")) == without_moment(table(folder / "out"))


@pytest.mark.slow
def test_another_seed_is_another_search(searched: tuple[Path, str]) -> None:
    folder, _ = searched
    out, spec = folder / "out", folder / "small.toml"
    search = read_search(spec)
    first = engine(search, out, spec).store.trials
    (out / STUDY).unlink()
    other = engine(replace(search, seed=5), out, spec).run()
    assert [trial.point for trial in other] != [trial.point for trial in first]


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
    more = told(folder, "small.toml", "--out", "out", "--resume", "--trials", 16, name="search")
    assert more.returncode == 0 and "16 of 24 combinations" in more.stdout
    mixed = told(folder, "small.toml", "--out", "out", "--resume", "--seed", 2, name="search")
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
    front = said.partition("Best combinations")[2].partition("The next runs")[0].splitlines()[1:]
    texts = [[aim.text(row[aim.field]) for aim in aims] for row in rows]
    shown = {
        place
        for place, texts_of_row in enumerate(texts)
        if any(re.search(r" {2,}".join(map(re.escape, texts_of_row)), line) for line in front)
    }
    # Less of both is better. A row more or less would be noticed.
    measured = [tuple(row[name] for name in SMALL_AIMS) for row in rows]
    assert len(shown) == len(front) and wrong_on_front(measured, shown) == set()
    assert all(wrong_on_front(measured, shown ^ {place}) for place in range(len(rows)))
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
    done = told(folder, "failing.toml", "--out", "out", name="search")
    assert done.returncode == 0, done.stderr
    assert "12 of 12 combinations were looked at" in done.stdout and "3 failed" in done.stdout
    assert sum(row["status"] == 2 for row in table(folder / "out")) == 3
    searching.write("wrong.toml", SMALL.replace("[1, 2]", "[1, 2000000]"))
    done = told(folder, "wrong.toml", name="search")
    assert done.returncode == 2 and is_message(done.stderr, "wrong.toml:8: nand.ways = *; *")


def test_a_dry_run_counts_and_leaves_nothing(searching: Workspace) -> None:
    done = told(searching.folder, "small.toml", "--dry-run", name="search")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "24 combinations, 12 of them to look at\n"
    assert not (searching.folder / "out").exists()
    searching.write("wrong.toml", SMALL.replace("[1, 2]", "[1, 2000000]"))
    done = told(searching.folder, "wrong.toml", "--dry-run", name="search")
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
