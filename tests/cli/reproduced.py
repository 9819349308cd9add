"""What the tests of `./cavern reproduce` have in common: to run an experiment, and to judge it."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from papers import tables
from papers.experiment import Claim, Experiment, Table
from tests.cli.once import once
from tests.cli.programs import ROOT, Json, tree

#: Of each entry of claims.json, in this order.
CLAIM_FIELDS = (
    "paper",
    "where",
    "claim",
    "paper_value",
    "ours",
    "holds",
    "note",
    "kind",
    "decided_by",
    "others",
    "fitted",
    "fit_by",
    "verdict",
    "reading",
    "workload",
)
Key = tuple[str, ...]
Rows = dict[Key, dict[str, float | None]]


def reproduce(*arguments: object, where: Path = ROOT) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if k != "CAVERN_TRACES"}
    return subprocess.run(
        [sys.executable, "-m", "cavern", "reproduce", *map(str, arguments)],
        cwd=where,
        env=environment,
        text=True,
        capture_output=True,
        check=False,
    )


def quick_results(name: str, factory: pytest.TempPathFactory) -> Path:
    """The folder of `reproduce NAME --quick`, run once for all workers. Tests leave it as it is."""

    def run(told: Path) -> None:
        done = reproduce(name, "--quick", "--out", told.parent)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        told.write_text(done.stdout)

    told = once(f"{name}-quick.stdout", factory, run)
    assert " hold" in told.read_text()
    return told.with_suffix("")


def summaries(folder: Path) -> list[Json]:
    """Of the finished runs; those under way are in hidden folders."""
    return [json.loads(path.read_text()) for path in sorted(folder.glob("runs/[!.]*/summary.json"))]


def figure_rows(folder: Path, name: str, keys: int) -> Rows:
    with (folder / f"{name}.csv").open(newline="") as file:
        records = list(csv.DictReader(file))
    columns = list(records[0])
    return {
        tuple(record[column] for column in columns[:keys]): {
            column: float(record[column]) if record[column] else None for column in columns[keys:]
        }
        for record in records
    }


def table_of(folder: Path) -> list[Json]:
    return pq.read_table(folder / "table.parquet").to_pylist()


def judged(experiment: Experiment, rows: list[Json]) -> dict[str, Claim]:
    return {claim.claim: claim for claim in experiment.claims(Table(rows))}


def check_other_verdicts(folder: Path, name: str) -> None:
    """Beside a verdict of `quick_results` stands that of the whole run, where it is another one."""
    told = folder.with_name(f"{folder.name}.stdout").read_text()
    whole = tables.whole_verdicts(name)
    others = [
        whole[claim["where"], claim["claim"]]
        for claim in json.loads((folder / "claims.json").read_text())
        if whole[claim["where"], claim["claim"]] != claim["verdict"]
    ]
    assert others
    said = re.findall(r"^ +this run is quick; the whole run: (.*)$", told, re.MULTILINE)
    assert said == others


def check_pictures(folder: Path, figures: tuple[str, ...], least: int = 1) -> None:
    """Every figure has data of so many rows, and two pictures."""
    assert sorted(path.stem for path in folder.glob("*.csv")) == sorted(figures)
    for name in figures:
        assert (folder / f"{name}.png").read_bytes().startswith(b"\x89PNG")
        assert "</svg>" in (folder / f"{name}.svg").read_text()
        with (folder / f"{name}.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) >= least


def check_kept(
    folder: Path,
    experiment: Experiment,
    figures: tuple[str, ...],
    tmp: Path,
    different: int | None = None,
) -> None:
    """The second time nothing is run, and everything is the same. `different`: runs, of all cases
    of the plan."""
    kept = {
        name: content
        for name, content in tree(folder).items()
        if name.endswith((".csv", ".svg", ".png", "claims.json", "fitted.json"))
    }
    assert len(kept) == 3 * len(figures) + 2
    shutil.copytree(folder, tmp / folder.name)
    done = reproduce(experiment.NAME, "--quick", "--out", tmp)
    assert done.returncode == 0, done.stderr
    count = len(experiment.plan(True))
    assert f"{count} runs ({different or count} were there)" in done.stdout
    again = tree(tmp / folder.name)
    assert {name for name, content in kept.items() if again[name] != content} == set()
