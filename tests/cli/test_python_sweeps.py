"""import cavern: searches, sweeps, and the cases that a sweep is of."""

from __future__ import annotations

import fcntl
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import cavern
import pytest

from tests.cli.programs import Workspace

#: These runs are too short for figures that nobody should be warned of.
pytestmark = pytest.mark.filterwarnings("ignore::cavern.CavernWarning")
SIZES = {16384, 32768, 65536}


@pytest.mark.slow
def test_search_is_that_of_the_command(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec: dict[str, Any] = {
        "config": str(workspace.folder / "drive.toml"),
        "traces": [str(workspace.folder / "trace.csv")],
        "vary": {"buffer.size": ["16KiB", "32KiB", "64KiB"], "nand.ways": [1, 2, 4]},
        "search": {"objectives": ["host.write.lat_ns.mean", "ftl.erases"]},
    }
    told: list[tuple[int, int]] = []
    out = workspace.folder / "out"

    def searched(trials: int, **options: Any) -> cavern.Search:
        told.clear()
        note = lambda *so_far: told.append(so_far)  # noqa: E731
        return cavern.search(spec, out=out, trials=trials, seed=1, progress=note, **options)

    found = searched(4)
    assert told == [(n, 4) for n in (1, 2, 3, 4)]
    assert found.page.is_file() and len(found.table) <= 4
    assert set(found.best) == {
        "buffer.size",
        "nand.ways",
        "host.write.lat_ns.mean",
        "ftl.erases",
    }
    least = found.best["host.write.lat_ns.mean"].min()
    assert least == found.table["host.write.lat_ns.mean"].min()
    # As in the table, a size is a number.
    assert set(found.best["buffer.size"]) <= set(found.table["vary.buffer.size"]) <= SIZES
    # Another one would begin it anew.
    with open(out / ".search.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        with pytest.raises(cavern.InputError, match="another command is writing"):
            searched(4)
    asked: list[Any] = []

    @contextmanager
    def pool_of(where: Any, *_: object) -> Iterator[None]:
        asked.append(where)
        yield None

    monkeypatch.setattr("cavern.sweeps.cluster.pool_of", pool_of)
    spec["cluster"] = {"kind": "local", "jobs": 3}
    found = searched(6, resume=True)
    assert told == [(5, 6), (6, 6)] and "6 of 9" in repr(found)
    searched(6, resume=True, scheduler="tcp://there")
    assert asked[0].jobs == 3 and asked[1:] == ["tcp://there"]


def test_sweep_of_a_mapping_is_that_of_its_file(workspace: Workspace) -> None:
    folder = workspace.folder
    described = {
        "config": str(folder / "drive.toml"),
        "traces": [str(folder / "trace.csv")],
        "vary": {"buffer.size": ["16KiB", "64KiB"], "nand.ways": [1, 2]},
    }
    told: list[tuple[int, int]] = []
    swept = cavern.sweep(
        described, out=folder / "swept", progress=lambda *so_far: told.append(so_far)
    )
    assert told == [(n, 4) for n in (1, 2, 3, 4)]
    assert len(swept.table) == 4 and swept.failed.empty and swept.page.is_file()
    row = swept.table.iloc[-1]
    # A size is a number: it can be sorted and drawn.
    assert (row["vary.buffer.size"], row["vary.nand.ways"]) == (65536, 2)
    assert swept.table["vary.buffer.size"].max() == 65536 and "65536" in swept._repr_html_()
    alone = cavern.run(
        folder / "drive.toml", trace=folder / "trace.csv", buffer__size="64KiB", nand__ways=2
    )
    assert row["host.write.lat_ns.mean"] == alone["host.write.lat_ns.mean"]
    assert swept.result(row["run"])["host.write.lat_ns.mean"] == alone["host.write.lat_ns.mean"]
    names = cavern.compare(swept).columns.get_level_values(0)
    assert "buffer.size 64KiB, nand.ways 2" in names and len(set(names)) == 4
    described["vary"] = {"nand.ways": [1, 3000000]}
    with pytest.raises(cavern.InputError, match=r"nand\.ways"):
        cavern.sweep(described)


def test_a_sweep_of_cases_is_their_runs(workspace: Workspace) -> None:
    folder = workspace.folder
    played: dict[str, Any] = {"trace": folder / "trace.csv", "seed": 3}
    policies = {"without": "none", "with": "lru-block"}
    cases = [
        cavern.case(folder / "drive.toml", **played, labels={"buffer": name}, buffer__policy=policy)
        for name, policy in policies.items()
    ]

    def swept(cases: list[cavern.Case], **options: Any) -> cavern.Sweep:
        return cavern.sweep(cases, out=folder / "swept", **options)

    told: list[tuple[int, int]] = []
    first = swept(cases, progress=lambda *so_far: told.append(so_far))
    assert told == [(1, 2), (2, 2)]
    assert [(row["trace"], row["vary.buffer"]) for row in first.rows] == [
        ("trace", "without"),
        ("trace", "with"),
    ]
    latencies = [row["host.write.lat_ns.mean"] for row in first.rows]
    alone = cavern.run(folder / "drive.toml", **played, buffer__policy="lru-block")
    assert latencies[1] == alone["host.write.lat_ns.mean"] != latencies[0]
    assert first.table["host.write.lat_ns.mean"].tolist() == latencies
    assert not first.page.exists() and first.report() == first.page and first.page.is_file()
    # What is there already, of the same program, is not run again.
    other = cavern.program("cavern-sim-byo")
    reused = [first, swept(cases), swept(cases, resume=False), swept(cases, simulator=other)]
    assert [one.reused for one in reused] == [0, 2, 0, 0]


def test_a_case_that_is_none_is_refused(workspace: Workspace) -> None:
    drive, trace = workspace.folder / "drive.toml", workspace.folder / "trace.csv"
    assert cavern.case("cave", "random-write").input.label == "random-write"
    for words, what in (
        (("cav", "random-write"), 'cav:1: no such file; did you mean "cave"? expected a drive'),
        ((drive, "random-wite"), 'did you mean "random-write"? expected a workload'),
        ((drive,), "<arguments>:1: 0 inputs; expected a workload or a trace"),
    ):
        with pytest.raises(cavern.InputError, match=re.escape(what)):
            cavern.case(*words)
    with pytest.raises(cavern.InputError, match="2 inputs"):
        cavern.case(drive, "random-write", trace=trace)
    with pytest.raises(cavern.InputError, match=r'unknown key "buffer\.sise"'):
        cavern.sweep([cavern.case(drive, trace=trace, buffer__sise="4MiB")])


def test_a_description_is_kept_as_it_was_when_the_runs_began(workspace: Workspace) -> None:
    text = 'title = "First"\nconfig = "drive.toml"\ntraces = ["trace.csv"]\nseeds = [1, 2]\n'
    spec = workspace.write("spec.toml", text)
    change = lambda *_: spec.write_text("title = 5")  # noqa: E731
    swept = cavern.sweep(spec, out=workspace.folder / "out", progress=change)
    assert (swept.folder / "spec.toml").read_text() == text
    assert "<title>Cavern sweep: First<" in swept.page.read_text()
