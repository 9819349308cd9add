"""What is played: the reference's traces, whole stand-ins, desktop traces, varied stand-ins."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from papers import TRACES
from papers.experiment import Input, of_the_user

WORKLOADS = TRACES / "workloads"
HERE = Path(__file__).parent

#: Real traces, and stand-ins for those of Table 3 that are played in part, with popular places
#: spread as evenly as can be.
REFERENCE_GROUP = "reference"
#: Stand-ins for the three traces of Table 3 with the working sets of SHIM's Table V where it has
#: the same trace, popular by logical blocks. GENERAL and SYSMARK at their true length.
WHOLE_GROUP = "whole stand-ins"
#: Recordings of Windows PCs, if the user has them.
DESKTOP_GROUP = "desktop traces"

#: Requests of a stand-in: enough to overwrite the buffer and all log blocks many times.
LIMITS = {
    "oltp-fit": 30_000,
    "general-fit": 20_000,
    "sysmark-fit": 12_000,
    "oltp-clustered-fit": 100_000,
}
QUICK_LIMIT = 6_000
QUICK_WHOLE_LIMIT = 8_000
SYSMARK = "sysmark-whole-fit"
SYSMARK_REQUESTS = 90_520

#: What was assumed of the whole stand-ins: by name, the value in use and others. They are varied on
#: SYSMARK, the shortest.
ASSUMED = {
    "popularity": ("zipf 1.0", "zipf 0.8", "zipf 1.2"),
    "cluster": ("cluster 128KiB", "cluster 4KiB", "cluster 1MiB"),
    "working set": ("set 0.24", "set 0.12", "set 0.48"),
    "length": (f"{SYSMARK_REQUESTS} requests", "12000 requests", "45000 requests"),
}
QUICK_LENGTHS = (f"{QUICK_WHOLE_LIMIT} requests", "4000 requests")
#: The homes of the proposed drive in runs of varied stand-ins.
VARIED_HOMES = "gather"


@dataclass(frozen=True)
class Played:
    """One trace or workload with the group it is judged in."""

    group: str
    input: Input
    limit: int | None = None
    varied: bool = False
    #: Whether all homes are run with few log blocks, too.
    few_log_blocks: bool = True

    @property
    def name(self) -> str:
        return self.input.label

    def labels(self, part: str) -> dict[str, str | int]:
        limit = self.limit or 0
        return {"group": self.group, "part": part, "limit": limit}


def played_traces(quick: bool) -> Iterator[Played]:
    for one in _reference(quick):
        limit = QUICK_LIMIT if quick else LIMITS.get(one.label)
        yield Played(REFERENCE_GROUP, one, limit)
    yield from _whole(quick)
    if not quick:
        for one in desktop():
            yield Played(DESKTOP_GROUP, one)
    yield from _varied(quick)


def assumed(name: str, quick: bool) -> tuple[str, ...]:
    """The values of what was assumed that are run; the one in use first."""
    values = QUICK_LENGTHS if quick and name == "length" else ASSUMED[name]
    return values[:2] if quick else values


def _reference(quick: bool) -> Iterator[Input]:
    yield Input(TRACES / "oltp-mysql-1h.csv.xz", name="mysql")
    yield Input(TRACES / "oltp-mssql-51min.csv.xz", name="mssql")
    if not quick:
        yield Input(TRACES / "tpcc-136ms.csv.xz", name="tpcc")
        yield Input(TRACES / "shared-hosting-1h.csv.xz", name="hosting")
        for place in of_the_user("*inancial1*")[:1]:
            yield Input(place, name="financial1")
        yield Input(HERE / "oltp-fit.toml", "workload", "oltp-fit")
        yield Input(WORKLOADS / "cave-general-fitted.toml", "workload", "general-fit")
    yield Input(WORKLOADS / "cave-sysmark-fitted.toml", "workload", "sysmark-fit")


def _whole(quick: bool) -> Iterator[Played]:
    if not quick:
        for name, file in (
            ("oltp-clustered-fit", "cave-oltp-fitted.toml"),
            ("general-whole-fit", "cave-general-whole-fitted.toml"),
        ):
            played = Input(WORKLOADS / file, "workload", name)
            yield Played(WHOLE_GROUP, played, LIMITS.get(name), few_log_blocks=False)
    limit = QUICK_WHOLE_LIMIT if quick else SYSMARK_REQUESTS
    yield Played(WHOLE_GROUP, _sysmark(), limit, few_log_blocks=not quick)


def _sysmark(variant: str = "") -> Input:
    file = HERE / f"variants/sysmark-{variant}.toml" if variant else None
    whole = WORKLOADS / "cave-sysmark-whole-fitted.toml"
    return Input(file or whole, "workload", SYSMARK)


def _varied(quick: bool) -> Iterator[Played]:
    for name in ASSUMED:
        for value in assumed(name, quick)[1:]:
            limit = QUICK_WHOLE_LIMIT if quick else SYSMARK_REQUESTS
            if name == "length":
                yield Played(value, _sysmark(), int(value.split()[0]), varied=True)
            else:
                yield Played(value, _sysmark(value.replace(" ", "-")), limit, varied=True)


def desktop() -> Iterator[Input]:
    """DiskMon's recordings of Windows PCs, whose terms do not let us pass them on."""
    for place in of_the_user("*diskmon*"):
        yield Input(place, name=place.name.split(".")[0].removeprefix("pc-diskmon-"))
