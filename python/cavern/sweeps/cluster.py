"""Runs simulations on a Dask cluster: one that is there, or one of a batch system's jobs."""

from __future__ import annotations

import logging
import pickle
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

from cavern.errors import CavernError, InputError
from cavern.plots.files import write_file
from cavern.simulator import SIMULATOR
from cavern.sweeps import remote
from cavern.sweeps.cluster_spec import ClusterSpec
from cavern.sweeps.execute import Outcome, Pool, may_be_retried, settle
from cavern.sweeps.plan import Run, file_hash

CONNECT_S = 10
#: Runs in flight for each core: the next is there when one ends, and what a kill loses is small.
AHEAD = 3
LEAST_AHEAD = 8
#: Dask serves its state over HTTP even without a dashboard, at port 8787 unless told otherwise, and
#: warns where another cluster has that port.
NO_DASHBOARD = {"dashboard": False, "dashboard_address": "127.0.0.1:0"}


class _ByValue:
    """A function that goes to the workers as it stands: Dask would name its module instead, which
    they need not have."""

    def __init__(self, function: Callable[..., Any], module: ModuleType) -> None:
        import cloudpickle

        cloudpickle.register_pickle_by_value(module)
        self._function = function
        self._bytes = cloudpickle.dumps(function)

    def __call__(self, *arguments: Any) -> Any:
        return self._function(*arguments)

    def __reduce__(self) -> tuple[Any, ...]:
        return pickle.loads, (self._bytes,)


class ClusterLost(CavernError):
    """The scheduler went away."""


@contextmanager
def pool_of(
    where: str | ClusterSpec, program: Path = SIMULATOR, retries: int = 0
) -> Iterator[Pool]:
    """A pool for `execute`: the cluster whose scheduler has the address `where`, or one that is
    started for this and ended after it. Raises InputError where there is none."""
    with _client(where) as client:
        yield partial(_run_all, client=client, program=program, retries=retries)


def job_script(spec: ClusterSpec) -> str:
    """What is submitted to the batch system for each job."""
    with _batch_cluster(spec) as cluster:
        return str(cluster.job_script())


@contextmanager
def _client(where: str | ClusterSpec) -> Iterator[Any]:
    # Imported here: a sweep on this machine alone need not wait for it.
    from distributed import Client

    _silence()
    if isinstance(where, ClusterSpec):
        with _batch_cluster(where) as cluster:
            if where.kind != "local":
                cluster.scale(jobs=where.jobs)
            with Client(cluster) as client:
                yield client
        return
    try:
        client = Client(where, timeout=CONNECT_S)
    except (OSError, ValueError, TimeoutError) as error:
        what = f"no Dask scheduler answers at {where} ({_first_line(error)})"
        right = "expected the address that dask scheduler prints, such as tcp://127.0.0.1:8786"
        raise InputError("<command line>", 1, what, right) from None
    with client:
        yield client


@contextmanager
def _batch_cluster(spec: ClusterSpec) -> Iterator[Any]:
    if spec.kind == "local":
        from distributed import LocalCluster

        with LocalCluster(
            n_workers=spec.jobs,
            threads_per_worker=spec.cores,
            scheduler_kwargs=NO_DASHBOARD,
            silence_logs=logging.CRITICAL,
        ) as cluster:
            yield cluster
        return
    import dask_jobqueue

    kinds = {"slurm": "SLURMCluster", "lsf": "LSFCluster", "pbs": "PBSCluster"}
    make = getattr(dask_jobqueue, kinds[spec.kind])
    # LSF counts hours and minutes.
    lsf = spec.kind == "lsf" and spec.walltime.count(":") == 2
    walltime = spec.walltime.rpartition(":")[0] if lsf else spec.walltime
    options: dict[str, Any] = {"project" if spec.kind == "lsf" else "account": spec.account}
    with make(
        cores=spec.cores,
        processes=1,
        memory=spec.memory,
        walltime=walltime,
        queue=spec.queue,
        interface=spec.interface,
        job_name="cavern",
        job_extra_directives=list(spec.directives),
        job_script_prologue=list(spec.prologue),
        python=shlex.quote(sys.executable),
        scheduler_options=NO_DASHBOARD,
        **options,
    ) as cluster:
        yield cluster


def _run_all(
    waiting: list[Run], store: Path, client: Any, program: Path, retries: int
) -> Iterator[Outcome]:
    """Outcomes as they come. The key of a task is the run's id: two sweeps over one cluster do not
    simulate twice what both are waiting for."""
    from distributed import as_completed

    simulate = _ByValue(remote.simulate_there, remote)
    sha256 = file_hash(program)
    runs = {f"cavern-{run.id}": run for run in waiting}
    attempts = dict.fromkeys(runs, 1)
    queue = list(runs)
    pending = as_completed()

    def submit(key: str) -> None:
        suffix = f"-{attempts[key]}" if attempts[key] > 1 else ""
        task: remote.Task = {
            "program": str(program.resolve()),
            "sha256": sha256,
            "arguments": runs[key].case.arguments(),
            "cwd": str(Path.cwd()),
            "environment": {"SYSTEMC_DISABLE_COPYRIGHT_MESSAGE": "1"},
        }
        pending.add(client.submit(simulate, task, key=key + suffix, retries=retries, pure=True))

    def fill() -> None:
        # Anew each time: the jobs of a batch system start one by one.
        while queue and pending.count() < _in_flight(client):
            submit(queue.pop(0))

    fill()
    for future in pending:
        key = "-".join(future.key.split("-")[:2])
        status, text, files = _answer(future)
        future.release()
        if may_be_retried(status) and attempts[key] <= retries:
            attempts[key] += 1
            submit(key)
            continue
        yield _stored(runs[key], store, status, text, files)
        fill()


def _in_flight(client: Any) -> int:
    with suppress(OSError):
        return max(LEAST_AHEAD, AHEAD * sum(client.nthreads().values()))
    return LEAST_AHEAD


def _answer(future: Any) -> tuple[int, str, dict[str, bytes]]:
    """What became of a task; status 1 where workers were lost, or could not run the program."""
    if future.status == "cancelled" or future.status == "lost":
        raise ClusterLost(
            "<cluster>:1: the scheduler went away; finished runs are kept, start it again and go "
            "on with --resume"
        )
    if future.status == "error":
        return 1, _first_line(future.exception()), {}
    answer: remote.Answer = future.result()
    return answer["status"], answer["stderr"], answer["files"]


def _stored(run: Run, store: Path, status: int, text: str, files: dict[str, bytes]) -> Outcome:
    folder = store / f".{run.id}.part"
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        write_file(folder / name, content)
    return settle(run, folder, store, status, text)


def _first_line(error: BaseException) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[0].rstrip(".")


def _silence() -> None:
    """What Dask logs about connections is not for the users of a sweep."""
    for name in ("distributed", "distributed.client", "distributed.worker", "distributed.core"):
        logging.getLogger(name).setLevel(logging.CRITICAL)
