"""One simulation from Python, and its results as pandas frames."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from cavern.api.inputs import place, settings
from cavern.api.pages import Explanation, Pictures, explained, pictures, reported
from cavern.errors import CavernWarning, InputError
from cavern.plots.files import write_file
from cavern.plots.results import Summary
from cavern.reading.packed import packed_or_plain
from cavern.simulator import simulate
from cavern.toml_text import toml

if TYPE_CHECKING:
    import pandas as pd

REQUESTS = "requests.csv"


class Result:
    """A finished run. Its folder has the files that `./cavern report` and `plot` read.

    The frames are made when they are asked for. Of a run without `out`, the folder goes when the
    result does."""

    def __init__(self, folder: Path, kept_by: object = None) -> None:
        self.folder = folder
        self._kept_by = kept_by  # goes with its last result

    def __repr__(self) -> str:
        requests = self.summary["sim"]["requests"]
        return f"<cavern.Result: {self.summary['config']['name']}, {requests:,} requests>"

    def _repr_html_(self) -> str:
        from cavern.api.pages import measures

        return measures([self.folder])

    @property
    def warnings(self) -> list[str]:
        """What the run says of itself that a reader of its figures should know."""
        return list(self.summary.get("run", {}).get("warnings") or [])

    def plot(self, *names: str) -> Pictures:
        """The figures of `./cavern plot`, or those of these names, such as "latency_cdf". A
        notebook shows them; `pictures["latency_cdf"].svg` is the text of one, `save(folder)` writes
        all.

        Raises InputError for a name that is none, or a figure that the run lacks the data of."""
        return pictures(self.folder, names)

    def report(self, out: str | Path | None = None, *, slowest: int = 0) -> Path:
        """Writes the page of `./cavern report`, about the slowest requests as well where asked, and
        returns its path, which is `out`, or report.html in the folder of the run."""
        return reported(self.folder, out, slowest)

    def explain(self, request: int | str) -> Explanation:
        """Where the latency of a request went, as `./cavern explain` says it: its text is printed,
        a notebook also shows the picture. `request` is its id in `requests`."""
        return explained(self.folder, request)

    @cached_property
    def summary(self) -> dict[str, Any]:
        """summary.json (docs/summary-fields.md)."""
        return Summary(self.folder / "summary.json").data

    def __getitem__(self, field: str) -> Any:
        """A field of the summary by its dotted name, such as "host.write.lat_ns.p99"."""
        value: Any = self.summary
        for name in field.split("."):
            if not isinstance(value, dict) or name not in value:
                raise KeyError(field)
            value = value[name]
        return value

    @cached_property
    def config(self) -> dict[str, Any]:
        """The resolved configuration: what the run had, defaults included."""
        config: dict[str, Any] = self.summary["config"]
        return config

    @cached_property
    def requests(self) -> pd.DataFrame:
        """A row per request, indexed by its id: op ("read", "write", "trim", "flush", "zone"),
        offset and size in bytes, times in ns, and where the latency went (docs/read-a-report.md).

        Raises InputError where the run did not write them (`requests=False`)."""
        import pandas as pd

        from cavern.plots.requests_csv import OP_NAMES

        columns = dict(self._requests.columns)
        kinds = pd.Categorical.from_codes(columns.pop("op"), list(OP_NAMES.values()))
        frame = pd.DataFrame(columns).set_index("id")
        frame.insert(0, "op", kinds)
        return frame

    @cached_property
    def windows(self) -> pd.DataFrame:
        """The run in windows of equal simulated time, about 1,000 requests each: see windows_of."""
        return self.windows_of(None)

    def windows_of(self, width_ns: float | None) -> pd.DataFrame:
        """A row per window of about that width. A request counts where it completes.

        Columns: begin_ns and end_ns; of "read" and "write" each KIND_requests, KIND_bytes, and the
        nearest-rank latencies KIND_p50_ns, KIND_p99_ns and KIND_p99_9_ns (NaN where there is none);
        hit_ratio of all pages asked for."""
        import numpy as np
        import pandas as pd

        from cavern.plots.requests_csv import OP_NAMES, READ, WRITE
        from cavern.plots.windows import windows_over

        requests = self._requests
        windows = windows_over(requests, width_ns)
        columns: dict[str, Any] = {"begin_ns": windows.edges[:-1], "end_ns": windows.edges[1:]}
        for op in (READ, WRITE):
            name, chosen = OP_NAMES[op], requests.of(op)
            columns[f"{name}_requests"] = windows.counts(chosen)
            columns[f"{name}_bytes"] = windows.sums(chosen, "size").astype(np.int64)
            latencies = windows.percentiles(chosen, [0.5, 0.99, 0.999])
            for part, row in zip(("p50", "p99", "p99_9"), latencies, strict=True):
                columns[f"{name}_{part}_ns"] = row
        pages, hits = (windows.sums(requests, name) for name in ("pages", "hits"))
        none = np.full(windows.count, np.nan)
        columns["hit_ratio"] = np.divide(hits, pages, out=none, where=pages > 0)
        return pd.DataFrame(columns)

    @cached_property
    def channels(self) -> pd.DataFrame:
        """A row per channel: "channels" of the summary, inner fields by their dotted names."""
        return self._rows("channels")

    @cached_property
    def dies(self) -> pd.DataFrame:
        """A row per die: "dies" of the summary."""
        return self._rows("dies")

    @cached_property
    def flows(self) -> pd.DataFrame:
        """A row per flow, from 2 to 64 of a run with time: its name, and of "read" and "write" the
        fields of host.jobs[] of the summary by their dotted names. Empty where there are none."""
        import pandas as pd

        return pd.json_normalize(self.summary["host"].get("jobs", []))

    def _rows(self, section: str) -> pd.DataFrame:
        import pandas as pd

        return pd.json_normalize(self.summary[section])

    @cached_property
    def _requests(self) -> Any:
        from cavern.plots.requests_csv import read_requests

        path = packed_or_plain(self.folder / REQUESTS)
        if path is None:
            path = self.folder / REQUESTS
            raise InputError(path, 1, "the run wrote no requests", "expected requests=True")
        requests = read_requests(path)
        if len(requests) == 0:
            raise InputError(path, 1, "holds no request", "expected a run that plays some")
        return requests


def run(
    config: str | Path,
    workload: str | Path | Mapping[str, Any] | None = None,
    *,
    trace: str | Path | Mapping[str, str | Path] | None = None,
    out: str | Path | None = None,
    requests: bool = True,
    seed: int | None = None,
    limit: int | None = None,
    warmup: int | None = None,
    flow: str | None = None,
    load_state: str | Path | None = None,
    save_state: str | Path | None = None,
    **overrides: Any,
) -> Result:
    """Runs one simulation and waits for it.

    `config` is a TOML file, or the name of a drive that comes with Cavern ("cave", "tlc-nvme").
    Give it a `workload` (a TOML file or fio job, or what would stand in one as a mapping) or a
    `trace` (any format that `./cavern run` reads), or several as a mapping from their names, which
    are played at the same time; `flow` is the job, or the trace, that is played by itself. The
    drive begins with `load_state` and is saved into `save_state`. `overrides` are keys of the
    configuration: `buffer__size="4MiB"`, or `**{"buffer.size": "4MiB"}`.

    `out` is the folder of the results; without it they are kept as long as the Result. `requests`
    writes the latency of each request, which the frames `requests` and `windows` are made of.

    What the run warns of is a CavernWarning, and in `result.warnings`.

    Raises SimulatorError, whose text is the simulator's one line."""
    folder, kept_by = place(out)
    more = {"flow": flow, "load-state": load_state, "save-state": save_state}
    words = input_words(folder, workload, trace, seed=seed, limit=limit, warmup=warmup, **more)
    if requests:
        words += ["--requests", str(folder / REQUESTS)]
    simulate(config, folder, arguments=words, overrides=settings(overrides))
    done = Result(folder, kept_by)
    for text in done.warnings:
        warnings.warn(text, CavernWarning, stacklevel=2)
    return done


def input_words(
    folder: Path,
    workload: str | Path | Mapping[str, Any] | None,
    trace: str | Path | Mapping[str, str | Path] | None,
    **more: int | str | Path | None,
) -> list[str]:
    """What is played, as the simulator takes it; a description is written into the folder."""
    if isinstance(workload, Mapping):
        described = folder / "workload.toml"
        write_file(described, toml(dict(workload)).encode())
        workload = described
    traces: list[str | Path | None] = [trace] if not isinstance(trace, Mapping) else []
    if isinstance(trace, Mapping):
        traces += [f"{name}={path}" for name, path in trace.items()]
    given = [("workload", workload), *(("trace", one) for one in traces), *more.items()]
    told = [(name, value) for name, value in given if value is not None]
    return [word for name, value in told for word in (f"--{name}", str(value))]
