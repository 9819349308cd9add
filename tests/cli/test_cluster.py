"""./cavern sweep over a Dask cluster, and over the jobs of a batch system."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from pathlib import Path
from socket import socket

import pytest
from cavern.sweeps import plan, read_spec
from cavern.sweeps.cluster import LEAST_AHEAD, job_script, pool_of
from cavern.sweeps.cluster_spec import ClusterSpec, read_cluster
from cavern.sweeps.table import Row

from tests.cli.mistakes import is_message
from tests.cli.programs import BIN, Workspace
from tests.cli.sweeps import (
    command,
    environment,
    finished,
    stamps,
    sweep,
    table,
    told,
    without_moment,
)
from tests.cli.test_sweep_resume import wait_for

#: A simulator that notes who runs it, and fails as often as the file "failures" has lines.
NOTING = f"""#!/bin/bash
if [ "$1" = run ]; then
  echo $PPID >> {{folder}}/ran
  if [ -s {{folder}}/failures ]; then
    sed -i 1d {{folder}}/failures
    exit 1
  fi
fi
exec "{BIN / "cavern-sim"}" "$@"
"""


def started(folder: Path, stack: ExitStack, *words: str) -> subprocess.Popen[bytes]:
    outside = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    log = stack.enter_context(open(folder / f"{words[0]}.log", "ab"))
    process = subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{words[0]}", *words[1:]],
        cwd=folder,
        env=outside,
        stdout=log,
        stderr=log,
    )
    stack.callback(process.wait)
    stack.callback(process.kill)
    return process


@dataclass
class Cluster:
    """A scheduler and two workers, one thread each, that know nothing of Cavern."""

    folder: Path
    stack: ExitStack
    address: str = ""
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    #: What both are told.
    BARE = ("--scheduler-file", "scheduler.json", "--no-dashboard")

    def start(self) -> None:
        place = self.folder / "scheduler.json"
        own = ("--host", "127.0.0.1", "--port", "0")
        started(self.folder, self.stack, "dask_scheduler", *own, *self.BARE)
        wait_for(place.is_file, "a scheduler")
        self.address = place.read_text().split('"address": "')[1].split('"')[0]

    def fill(self) -> None:
        """Two workers, whatever a test before has ended."""
        self.workers = [worker for worker in self.workers if worker.poll() is None]
        log = self.folder / "dask_worker.log"
        before = registered(log)
        more = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1")
        new = [
            started(self.folder, self.stack, "dask_worker", *more, *self.BARE)
            for _ in range(2 - len(self.workers))
        ]
        self.workers += new
        wait_for(lambda: registered(log) == before + len(new), "two workers")


def registered(log: Path) -> int:
    return log.read_text().count("Registered to") if log.exists() else 0


@pytest.fixture(scope="module")
def scheduler(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with ExitStack() as stack:
        made = Cluster(tmp_path_factory.mktemp("cluster"), stack)
        made.start()
        yield made


@pytest.fixture
def cluster(scheduler: Cluster) -> Cluster:
    scheduler.fill()
    return scheduler


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """The rows of the sweep as this machine makes them."""
    return without_moment(table(finished(tmp_path_factory) / "out"))


@pytest.fixture
def noting(tmp_path: Path) -> Path:
    program = tmp_path / "noting"
    program.write_text(NOTING.format(folder=tmp_path))
    program.chmod(0o755)
    return program


def ran(folder: Path) -> Counter[int]:
    """How many runs each process started."""
    return Counter(map(int, (folder / "ran").read_text().split()))


@pytest.mark.slow
def test_two_workers_give_the_rows_of_this_machine(
    sweeping: Workspace, cluster: Cluster, noting: Path, here: list[Row]
) -> None:
    folder = sweeping.folder
    sweeping.write("bad.csv", "time_us,op,offset,size\n0,X,0,4096\n")
    sweeping.replace("spec.toml", '["trace.csv"]', '["trace.csv", "bad.csv"]')
    there = ("--scheduler", cluster.address, "--simulator", noting)
    done = sweep(folder, "spec.toml", "--out", "there", *there)
    assert done.returncode == 1 and "16 failed" in done.stdout, done.stderr
    # Both worked; each run was made once; a mistake of the input was not tried again.
    counts = ran(folder)
    assert set(counts) == {worker.pid for worker in cluster.workers}
    assert counts.total() == 48
    rows = without_moment(table(folder / "there"))
    bad = [row for row in rows if row["trace"] == "bad"]
    assert len(bad) == 16 and {row["status"] for row in bad} == {2}
    assert all(row["error"].startswith("error: bad.csv:2: op ") for row in bad)
    good = [row for row in rows if row["trace"] != "bad"]
    # The identity is also of the program.
    assert [row | {"run": ""} for row in good] == [row | {"run": ""} for row in here]
    # The comparison would see another row.
    assert here[0] != here[1]
    # Nothing is run again but what failed.
    done = sweep(folder, "spec.toml", "--out", "there", "--resume", *there)
    assert "32 there, --fresh runs them again" in done.stdout and ran(folder).total() == 48 + 16


@pytest.mark.slow
def test_workers_that_come_later_are_given_work(sweeping: Workspace, cluster: Cluster) -> None:
    from distributed import Client

    runs = plan(read_spec(sweeping.folder / "spec.toml"))
    (store := sweeping.folder / "runs").mkdir()
    with (
        pool_of(cluster.address) as pool,
        Client(cluster.address) as watching,
        ExitStack() as stack,
    ):

        def in_flight() -> int:
            count: int = watching.run_on_scheduler(
                lambda dask_scheduler: sum("cavern" in key for key in dask_scheduler.tasks)
            )
            return count

        outcomes = pool(runs, store)
        next(outcomes)
        assert in_flight() <= LEAST_AHEAD
        more = ("--no-nanny", "--nthreads", "5", "--no-dashboard", cluster.address)
        started(cluster.folder, stack, "dask_worker", *more)
        wait_for(lambda: len(watching.nthreads()) == 3, "another worker")
        next(outcomes)
        next(outcomes)
        assert in_flight() > 2 * LEAST_AHEAD
        assert len(list(outcomes)) == len(runs) - 3


@pytest.mark.slow
def test_killed_over_a_cluster_and_resumed_it_is_the_same(
    sweeping: Workspace, cluster: Cluster, here: list[Row]
) -> None:
    folder, out = sweeping.folder, sweeping.folder / "there"
    there = ("--out", "there", "--scheduler", cluster.address)
    with subprocess.Popen(
        command("spec.toml", *there), cwd=folder, env=environment(), stderr=subprocess.DEVNULL
    ) as process:
        wait_for(lambda: len(stamps(out)) >= 3, "three runs")
        process.kill()
    kept = stamps(out)
    assert 3 <= len(kept) < 32 and not (out / "table.parquet").exists()
    # A worker goes as well.
    cluster.workers[0].kill()
    done = sweep(folder, "spec.toml", *there, "--resume")
    assert (done.returncode, done.stderr) == (0, "")
    assert all(stamps(out)[name] == stamp for name, stamp in kept.items())
    assert without_moment(table(out)) == here


@pytest.mark.nightly  # by day by each signal: test_sweep_resume.py
def test_killed_at_any_moment_and_resumed_it_is_the_same(sweeping: Workspace) -> None:
    folder, out = sweeping.folder, sweeping.folder / "killed"
    assert sweep(folder, "spec.toml", "--out", "whole").returncode == 0
    moments = []
    for tenths in (2, 7, 12, 16, 20, 25):
        with subprocess.Popen(
            command("spec.toml", "--out", "killed", "--resume"),
            cwd=folder,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as process:
            time.sleep(tenths / 10)
            process.kill()
        moments.append(len(stamps(out)))
    assert moments == sorted(moments)
    done = sweep(folder, "spec.toml", "--out", "killed", "--resume")
    assert (done.returncode, done.stderr) == (0, "")
    assert without_moment(table(out)) == without_moment(table(folder / "whole"))
    assert (out / "report.html").is_file() and not list(out.glob("runs/.*"))


@pytest.mark.slow
@pytest.mark.parametrize("where", ["here", "there"])
def test_what_fails_by_chance_is_tried_again(
    where: str, sweeping: Workspace, noting: Path, request: pytest.FixtureRequest
) -> None:
    folder = sweeping.folder
    sweeping.write("spec.toml", 'config = "drive.toml"\ntraces = ["trace.csv"]\n')
    words = ["spec.toml", "--out", "out", "--simulator", noting]
    if where == "there":
        words += ["--scheduler", request.getfixturevalue("cluster").address]
    (folder / "failures").write_text("once\ntwice\n")
    done = sweep(folder, *words)
    assert done.returncode == 1 and ran(folder).total() == 2
    (row,) = table(folder / "out")
    assert (row["status"], row["error"]) == (1, "exit status 1")
    (folder / "failures").write_text("once\ntwice\n")
    done = sweep(folder, *words, "--resume", "--retries", 2)
    assert (done.returncode, done.stderr) == (0, "") and ran(folder).total() == 5
    assert table(folder / "out")[0]["status"] == 0


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_one_line(
    sweeping: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = told(sweeping.folder, "spec.toml", "--scheduler", "somewhere")
    assert done.returncode == 2
    assert is_message(done.stderr, "<command line>:1: no Dask scheduler answers *; *tcp://*")
    assert not (sweeping.folder / "out").exists()


# ---- batch systems -------------------------------------------------------------------------------

BATCH = """
[cluster]
kind = "KIND"
jobs = 16
cores = 8
memory = "16GB"
walltime = "02:30:00"
queue = "batch"
account = "project42"
directives = ["--exclusive"]
prologue = ["module load python"]
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        (
            "slurm",
            [
                "#SBATCH -J cavern",
                "#SBATCH -p batch",
                "#SBATCH -A project42",
                "#SBATCH --cpus-per-task=8",
                "#SBATCH --mem=15G",
                "#SBATCH -t 02:30:00",
                "#SBATCH --exclusive",
            ],
        ),
        (
            "lsf",
            [
                "#BSUB -J cavern",
                "#BSUB -q batch",
                '#BSUB -P "project42"',
                "#BSUB -n 8",
                "#BSUB -W 02:30",
                "#BSUB --exclusive",
            ],
        ),
        (
            "pbs",
            [
                "#PBS -N cavern",
                "#PBS -q batch",
                "#PBS -A project42",
                "#PBS -l select=1:ncpus=8:mem=15GB",
                "#PBS -l walltime=02:30:00",
                "#PBS --exclusive",
            ],
        ),
    ],
)
def test_job_that_is_submitted_is_the_one_described(
    kind: str, lines: list[str], sweeping: Workspace
) -> None:
    spec = (sweeping.folder / "spec.toml").read_text()
    sweeping.write("spec.toml", spec + BATCH.replace("KIND", kind))
    done = told(sweeping.folder, "spec.toml", "--job-script")
    assert (done.returncode, done.stderr) == (0, "")
    script = done.stdout.splitlines()
    assert script[0].startswith("#!/")
    assert [line for line in lines if line not in script] == []
    (worker,) = (line for line in script if "dask_worker" in line)
    assert worker.startswith(shlex.quote(sys.executable)) and "--nthreads 8" in worker
    assert script.index("module load python") < script.index(worker)
    assert not (sweeping.folder / "out").exists()


#: A batch system in a few lines. As the real one does, sbatch keeps the script, which is deleted
#: once it is submitted, and says the number of what runs it.
SBATCH = """\
#!/bin/bash
cp "$1" "$0.$$.sh"
setsid bash "$0.$$.sh" >"$0.$$.log" 2>&1 &
echo $! >>"$0.jobs"
echo "job $!"
"""
SCANCEL = """\
#!/bin/bash
echo "${@: -1}" >>"$0.jobs"
kill -- -"${@: -1}"
"""


@pytest.fixture
def no_port_8787() -> Iterator[None]:
    """Dask's usual port for its dashboard is taken: here, or by somebody else."""
    with socket() as taken:
        with suppress(OSError):
            taken.bind(("0.0.0.0", 8787))
            taken.listen()
        yield


@pytest.mark.slow
def test_processes_of_this_machine_can_be_the_cluster(
    sweeping: Workspace, no_port_8787: None, here: list[Row]
) -> None:
    spec = (sweeping.folder / "spec.toml").read_text()
    sweeping.write("local.toml", spec + '\n[cluster]\nkind = "local"\njobs = 2\n')
    done = sweep(sweeping.folder, "local.toml", "--out", "there")
    assert (done.returncode, done.stderr) == (0, "")
    assert without_moment(table(sweeping.folder / "there")) == here


@pytest.mark.slow
def test_jobs_are_submitted_and_what_they_start_runs_the_sweep(
    sweeping: Workspace,
    no_port_8787: None,
    monkeypatch: pytest.MonkeyPatch,
    here: list[Row],
) -> None:
    tools = sweeping.folder / "tools"
    tools.mkdir()
    (tools / "sbatch").write_text(SBATCH)
    (tools / "scancel").write_text(SCANCEL)
    for tool in tools.iterdir():
        tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    spec = (sweeping.folder / "spec.toml").read_text()
    cluster = '\n[cluster]\nkind = "slurm"\njobs = 2\ninterface = "lo"\n'
    sweeping.write("spec.toml", spec + cluster)
    try:
        done = sweep(sweeping.folder, "spec.toml", "--out", "there")
    finally:
        for pid in (tools / "sbatch.jobs").read_text().split():
            subprocess.run(["kill", "--", f"-{pid}"], stderr=subprocess.DEVNULL, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    submitted = (tools / "sbatch.jobs").read_text().split()
    assert len(submitted) == 2
    assert sorted((tools / "scancel.jobs").read_text().split()) == sorted(submitted)
    assert without_moment(table(sweeping.folder / "there")) == here


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('kind = "KIND"', 'kind = "sge"', 'kind = "sge"; expected one of slurm, lsf, pbs, local'),
        ("jobs = 16", "jobs = 0", "jobs = 0; expected a whole number from 1 on*"),
        ("cores = 8", "coers = 8", 'unknown key "coers"; did you mean "cores"?'),
        ('"16GB"', '"much"', 'memory = "much"; expected text such as memory = "16GB"'),
        ('"02:30:00"', "150", "walltime = 150; expected text such as *"),
        ('["--exclusive"]', '"--exclusive"', 'directives = "--exclusive"; expected a list *'),
    ],
)
def test_mistake_in_a_cluster_is_one_line(
    old: str, new: str, expected: str, sweeping: Workspace
) -> None:
    text = BATCH.replace(old, new).replace("KIND", "slurm")
    line = text[: text.index(new)].count("\n") + 3
    sweeping.write("spec.toml", f'config = "drive.toml"\ntraces = ["trace.csv"]\n{text}')
    done = told(sweeping.folder, "spec.toml")
    assert done.returncode == 2
    assert is_message(done.stderr, f"spec.toml:{line}: {expected}")


def test_a_description_without_a_cluster_has_none(sweeping: Workspace) -> None:
    assert read_cluster(sweeping.folder / "spec.toml") is None
    done = told(sweeping.folder, "spec.toml", "--job-script")
    assert done.returncode == 2 and "no [cluster]" in done.stderr
    # Defaults are those of one small job.
    assert "--cpus-per-task=1" in job_script(ClusterSpec("slurm"))
