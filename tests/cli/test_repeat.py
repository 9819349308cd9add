"""`run --repeat`: a run for each seed, and what they say together."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from statistics import fmean

import pytest
from cavern.__main__ import _of_the_simulator, main
from cavern.plots.compared import compared
from cavern.plots.finding import Group, load_groups
from cavern.sweeps.repeat import Words, repeat
from cavern.verdicts.intervals import quantile

from tests.cli.programs import Program, Workspace, front_door_in, tree

JOB = "[[job]]\nrw = 'randwrite'\nbs = '4KiB'\nsize = '1MiB'\nnumber_ios = 300\n"
MEAN = "host.write.lat_ns.mean"


@pytest.fixture
def words(workspace: Workspace) -> list[str]:
    workspace.write("job.toml", JOB)
    folder = workspace.folder
    return ["run", str(folder / "drive.toml"), "--workload", str(folder / "job.toml")]


def repeated(words: list[str], out: Path, count: int, *more: str) -> int:
    return main([*words, "--repeat", str(count), "--out", str(out), *more])


def test_each_seed_is_a_run_and_the_means_are_those_of_the_runs(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str], simulator: Program
) -> None:
    out = tmp_path / "out"
    assert repeated(words, out, 4, "--seed", "5", "--requests", str(out / "r.csv")) == 0
    said = capsys.readouterr().out
    assert "±" in said and "4 seeds, 5 to 8" in said and said.endswith("repeat.json\n")
    told = json.loads((out / "repeat.json").read_text())
    assert (told["schema"], told["seeds"], told["n"]) == ("cavern.repeat/1", [5, 6, 7, 8], 4)
    one = told["metrics"][MEAN]
    values = []
    for seed in told["seeds"]:
        summary = json.loads((out / f"seed-{seed}" / "summary.json").read_text())
        assert summary["seed"] == seed and (out / f"seed-{seed}" / "r.csv").is_file()
        command = summary["run"]["command"]
        assert f"{out}/seed-{seed}/r.csv" in command and f"--out {out}/seed-{seed} " in command
        values.append(summary["host"]["write"]["lat_ns"]["mean"])
    assert one["values"] == values and len(set(values)) == 4
    mean = sum(values) / 4
    deviation = math.sqrt(sum((value - mean) ** 2 for value in values) / 3)
    assert one["mean"] == pytest.approx(mean)
    assert one["half_width"] == pytest.approx(quantile(0.95, 3) * deviation / 2)
    alone = simulator.simulate(words[1], "alone", *words[2:], "--seed", "7")
    assert alone["host"]["write"]["lat_ns"]["mean"] == values[2]
    # One that cannot be played leaves the first as it is; one with fewer seeds none of it.
    before = tree(out)
    assert repeated(words, out, 2, "--quiet", "--set", "nand.way=2") == 2 and tree(out) == before
    capsys.readouterr()
    assert repeated(words, out, 2, "--quiet") == 0
    assert capsys.readouterr().out == ""
    assert {path.name for path in out.iterdir()} == {".lock", "repeat.json", "seed-1", "seed-2"}
    told = (out / "repeat.json").read_bytes()
    assert repeated(words, out, 2, "--quiet") == 0 and (out / "repeat.json").read_bytes() == told


def test_two_designs_with_seeds_are_compared_by_their_means(
    words: list[str], tmp_path: Path
) -> None:
    for name, part in (("slow", "400us"), ("same", "200us"), ("base", "200us")):
        first = {"slow": 1, "same": 20, "base": 40}[name]
        more = ("--set", f"nand.t_program={part}", "--seed", str(first), "--quiet")
        assert repeated(words, tmp_path / name, 5, *more) == 0
    groups = load_groups([tmp_path / name for name in ("base", "same", "slow")])
    told = {line.metric.field: [one.verdict for one in line.figures] for line in compared(groups)}
    assert told[MEAN] == ["", "", "worse"] and told["host.iops"][2] == "worse"
    assert not any(one[1] for one in told.values())


@pytest.mark.parametrize(
    "pairs",
    [
        pytest.param(8, marks=pytest.mark.slow),
        pytest.param(100, marks=pytest.mark.nightly),
    ],
)
def test_equal_designs_are_neither_better_and_three_per_cent_are_found(
    pairs: int, words: list[str], workspace: Workspace, tmp_path: Path
) -> None:
    """Both together are the control of each other: the same table, seeds and verdicts."""
    workspace.write("job.toml", JOB.replace("300", "1000"))

    def played(part: str, first: int) -> Group:
        more = ("--set", f"nand.t_program={part}")
        return repeat(Words.of([*words[1:], *more]), tmp_path / part / str(first), 10, first)

    def called(first: Group, second: Group) -> set[str]:
        verdicts = {
            line.metric.field: line.figures[1].verdict for line in compared([first, second])
        }
        return {field for field, verdict in verdicts.items() if verdict}

    base = [played("200us", 1 + 10 * pair) for pair in range(2 * pairs)]
    slower = [played("209us", 1 + 10 * pair) for pair in range(2 * pairs, 3 * pairs)]
    mean = [
        fmean(one.summary.get(MEAN) for group in some for one in group.runs)
        for some in (base, slower)
    ]
    assert mean[1] / mean[0] == pytest.approx(1.03, abs=0.003)
    wrong = [bool(called(*both)) for both in zip(base[:pairs], base[pairs:], strict=True)]
    found = [MEAN in called(*both) for both in zip(base[:pairs], slower, strict=True)]
    assert sum(wrong) <= 0.05 * pairs and sum(found) >= 0.95 * pairs


@pytest.mark.parametrize(
    ("more", "told"),
    [
        (("--trace", "-"), "error: <command line>:1: --trace - is read by the first"),
        (("--gdb", "0"), "error: <command line>:1: --gdb waits for a debugger"),
        (("--requests", "r.csv"), "error: <command line>:1: --requests names one file"),
        (("--repeat", "1"), "error: <command line>:1: Invalid value for '--repeat': 1 is not"),
        (("--seed", str(2**63 - 1)), "error: <command line>:1: seed 9223372036854775809 is too"),
        (("--set", "nand.way=2"), 'error: <command line>:1: unknown key "nand.way"'),
        (
            ("--json", "--quiet"),
            "error: <command line>:1: --json excludes --quiet; see ./cavern run",
        ),
        (("--set", os.fsdecode(b"\xff=1")), 'error: <command line>:1: unknown key "\ufffd"'),
        (("--limit", "x"), 'error: <command line>:1: --limit: "x" is no whole number'),
    ],
)
def test_what_several_runs_cannot_have_is_refused(
    words: list[str],
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    more: tuple[str, ...],
    told: str,
) -> None:
    before = tree(tmp_path)
    assert repeated(words, tmp_path / "out", 3, *more) == 2
    said = capsys.readouterr().err
    assert said.startswith(told) and said.count("\n") == 1
    assert tree(tmp_path) == before


def test_json_is_that_of_the_repeat(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert repeated([words[0], "--json", *words[1:]], tmp_path / "out", 2) == 0
    assert capsys.readouterr().out == (tmp_path / "out" / "repeat.json").read_text()


@pytest.mark.parametrize(
    "sign",
    [
        signal.SIGINT,
        pytest.param(signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param(signal.SIGKILL, marks=pytest.mark.slow),
    ],
)
def test_an_interrupted_repeat_leaves_what_was_there(
    sign: signal.Signals, words: list[str], workspace: Workspace
) -> None:
    out = workspace.folder / "out"
    assert repeated(words, out, 2, "--quiet") == 0
    before = tree(out)
    workspace.write("job.toml", JOB.replace("300", "1000000000"))
    python = Program(Path(sys.executable), workspace.folder)
    more = ("--repeat", "2", "--out", "out", "--requests", "out/r.csv")
    with python.started("-m", "cavern", *words, *more) as process:
        deadline = time.monotonic() + 60
        while not list(out.glob("**/r.csv.part*")):
            assert time.monotonic() < deadline and process.poll() is None
            time.sleep(0.01)
        assert repeated(words, out, 2, "--quiet") == 2  # another one does not mix in
        process.send_signal(sign)
        said = process.communicate(timeout=20)
    if sign == signal.SIGKILL:
        assert {name: text for name, text in tree(out).items() if ".part" not in name} == before
    else:
        kept = "interrupted; what was there is as it was\n"
        assert (process.returncode, *said, tree(out)) == (130, "", kept, before)
    workspace.write("job.toml", JOB)
    assert repeated(words, out, 2, "--quiet") == 0
    assert {name.split("/")[0] for name in tree(out)} == {
        ".lock",
        "repeat.json",
        "seed-1",
        "seed-2",
    }


def test_the_results_of_one_run_are_not_mixed_with_those_of_seeds(
    words: list[str], tmp_path: Path, simulator: Program, capsys: pytest.CaptureFixture[str]
) -> None:
    simulator.simulate(words[1], "out", *words[2:])
    assert repeated(words, tmp_path / "out", 2) == 2
    assert "out:1: holds the results of a single run; expected another" in capsys.readouterr().err


def test_the_simulator_names_the_option_and_leaves_it_to_the_front_door(
    words: list[str], simulator: Program
) -> None:
    assert "--repeat N" in simulator("run", "--help").stdout
    done = simulator(*words, "--repeat", "3")
    assert (done.returncode, done.stderr) == (
        2,
        "error: <command line>:1: --repeat: the simulator plays one seed; ./cavern run plays "
        "several; see ./cavern run --help\n",
    )


#: Leaves the stamps of a set-up, and programs that say what they were called with.
SET_UP = r"""
root=$PWD
eval "$(sed -n '/^declare -A debian/,/^)/p' cavern)"
mkdir -p build/release/bin .venv/bin
for group in "${!debian[@]}"; do printf '%s' "${debian[$group]}" >build/.debian-$group; done
for file in requirements/*.txt; do
  name=${file##*/} && cp "$file" ".venv/.requirements-${name%.txt}"
done
printf '#!/bin/sh\necho simulator "$@"\n' >build/release/bin/cavern-sim
printf '#!/bin/sh\necho python "$@"\n' >.venv/bin/python
chmod +x build/release/bin/cavern-sim .venv/bin/python
for name in bench cmake examples firmware include model rtl tb tests; do mkdir $name; done
touch CMakeLists.txt CMakePresets.json
sleep 0.01
printf '%s\n' "$root" >build/release/.built-simulator
"""


def test_the_front_door_hands_repeats_to_python(tmp_path: Path) -> None:
    front_door_in(tmp_path)
    subprocess.run(["bash", "-euc", SET_UP], cwd=tmp_path, check=True)
    door = Program(tmp_path / "cavern", tmp_path)
    assert door("run", "cave", "--seed", "2").stdout == "simulator run cave --seed 2\n"
    for word in ("--repeat", "--repeat=3"):
        assert door("run", "cave", word).stdout == f"python -m cavern run cave {word}\n"


def test_the_simulator_has_what_is_not_repeated() -> None:
    assert _of_the_simulator(["run", "cave"]) and _of_the_simulator(["run", "--repeat", "3", "-h"])
    assert not _of_the_simulator(["run", "cave", "--repeat", "3"])
    assert not _of_the_simulator(["run", "--repeat=3", "cave"])
