"""The runs: traces, both translation layers, sizes of the memory, and how it is divided.

Four parts. `whole`: the paper's four traces in their whole length, with requests, working sets,
memory and drive divided by 16. `full`: some of them undivided, to be compared with those. `range`:
with another popularity. `before`: real traces, and undivided fitted ones that are cut
short."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from cavern import Case

from papers import TRACES
from papers.experiment import Input, case, of_the_user

NAME = "partition"
PAPER = "Adaptive partitioning (MSST 2010)"

CONFIG = "configs/shim.toml"
WORKLOADS = Path(__file__).with_name("workloads")
MIB = 1 << 20

LAYERS = ("dftl", "fast")
#: MiB of memory for both, of the whole drive. Figures 5 and 7 to 10 have the larger one.
SIZES = (16, 8)
REFERENCE_SIZE = SIZES[0]
#: Shares of the map, percent.
STEPS = tuple(range(0, 101, 10))
QUICK_STEPS = (0, 10, 25, 50, 75, 100)
QUICK_FEWER_STEPS = (0, 10, 50, 100)
BEFORE_STEPS = (0, 10, 30, 50, 70, 90, 100)
FULL_STEPS = (10, 50, 90)
FEWER_STEPS = (0, 10, 20, 30, 50, 70, 90, 100)  #: with less memory, or another popularity
#: Neither side goes below this: data pass through a frame, a look-up through an entry.
LEAST_BYTES = 2048
#: Sizes of Figure 2 in MiB, with the other side at 1 MiB.
SPACES = (1, 2, 4, 8, 16, 32)
SPACE_ENDS = (SPACES[0], SPACES[-1])
SPACE_TRACES = ("pc", "tpcc")

#: Whole-length workloads are divided by this, in all that has a size. So is the pace of the tuning.
DIVIDED = 16
#: By the name of the paper's trace: the popularity in use (zipf), and others.
POPULARITY: dict[str, tuple[str, ...]] = {
    "sysmark": ("1.0", "0.8", "1.2"),
    "financial": ("1.0", "0.8", "1.2"),
    "pc": ("1.0", "0.8", "1.2"),
    "tpcc": ("0.6", "0.4", "0.8"),
}
#: Requests of the undivided ones.
FULL = {"sysmark": 960_000, "tpcc": 2_000_000}

#: Section IV-A: requests between two decisions.
INTERVAL = {"dftl": 1000, "fast": 10000}
#: Steps for the traces as they are: more and, with DFTL, larger (interval, multiple of the unit).
FASTER: dict[str, tuple[int, float]] = {"dftl": (100, 32.0), "fast": (1000, 1.0)}
#: What becomes of a ratio of benefits. The paper does not bound it, nor says what it is when a
#: ghost has no hit.
RULES: dict[str, dict[str, object]] = {
    "at most 1000": {},
    "64 beside no hit": {"ftl.adaptive.inc_none": 64.0},
    "1 beside no hit": {"ftl.adaptive.inc_none": 1.0},
    "a hit more": {"ftl.adaptive.extra_hits": 1.0},  # divided: a part of one
    "at most 100": {"ftl.adaptive.inc_max": 100.0},
    "at most 100, 64 beside no hit": {
        "ftl.adaptive.inc_max": 100.0,
        "ftl.adaptive.inc_none": 64.0,
    },
    "at most 1000000": {"ftl.adaptive.inc_max": 1e6},
}
REFERENCE_RULE = "at most 1000"
FASTER_RULE = "faster"
#: Readings of their own; the others are to see what depends on a bound.
READ_RULES = ("at most 1000", "64 beside no hit", "a hit more", "at most 100, 64 beside no hit")
QUICK_RULES = (*READ_RULES, "at most 100")
#: Ends the name of a rule: interval and unit are not divided. As many hits fall into an interval as
#: with the whole drive, but there are fewer decisions, each of larger steps.
UNDIVIDED = ", undivided interval"
UNDIVIDED_RULES = tuple(f"{rule}{UNDIVIDED}" for rule in READ_RULES[:3])
#: Bytes of an entry of the mapping cache with DFTL, of which the paper gives no number: two page
#: numbers; with four links of 4 bytes; and between.
ENTRIES = (8, 16, 24)
QUICK_ENTRIES = (8, 24)
REFERENCE_ENTRY = 8

#: 64 GiB and the extra blocks: 3 % of all with DFTL, 10 % with FAST (sections IV-B and IV-C).
BLOCKS = {"dftl": 540_672, "fast": 582_656}
OVERPROVISION = {"dftl": 0.03, "fast": 0.1}
PAGE_BYTES, PAGES_PER_BLOCK = 2048, 64
LOG_BYTES = 4 * PAGES_PER_BLOCK  #: of map that a log block of FAST takes
BITMAP_BYTES = 128 << 10  #: of the ghost mapping (section IV-A)

#: Real traces write 1 GB or less, half of the extra blocks of 64 GiB: nothing would ever be
#: collected. With DFTL they are played on a drive of an eighth.
SMALLER = 8
QUICK_LIMIT = 15_000
#: Requests of divided traces, seconds each: enough to be collected, and for tuned runs to arrive.
QUICK_LIMITS = {"financial": 100_000, "pc": 30_000, "tpcc": 100_000}
#: Requests of the undivided one.
QUICK_FULL_LIMIT = 160_000


@dataclass(frozen=True)
class Played:
    """A trace or workload, how much of it, and on what part of the drive."""

    input: Input
    part: str
    limit: int | None = None
    divided: int = 1  #: drive, memory and pace, by this
    smaller: int = 1  #: the drive with DFTL alone
    popularity: str = ""  #: other than the one in use


def whole(name: str, quick: bool = False, popularity: str = "") -> Played:
    """A trace of the paper in its whole length, divided."""
    file = f"{name}-whole" + (f"-zipf{popularity}" if popularity else "")
    return Played(
        Input(WORKLOADS / f"{file}.toml", "workload", name),
        "range" if popularity else "whole",
        QUICK_LIMITS.get(name) if quick else None,
        DIVIDED,
        popularity=popularity,
    )


def before(quick: bool) -> Iterator[Played]:
    """Real traces, then workloads fitted to Table V of which the first requests are played."""
    divided, limit = (DIVIDED, QUICK_LIMIT) if quick else (1, None)
    real = dict(list(REAL.items())[: 1 if quick else None])
    files = {name: TRACES / file for name, file in real.items()}
    if not quick:
        found = {name: of_the_user(pattern) for name, pattern in OTHERS.items()}
        files |= {name: some[0] for name, some in found.items() if some}
    for name, file in files.items():
        yield Played(Input(file, name=name), "before", limit, divided, 1 if quick else SMALLER)
    for name, most in LIMITS.items():
        if quick and name not in SPACE_TRACES:
            continue
        file = WORKLOADS / f"{name}{CUT}.toml"
        fitted = Input(file, "workload", f"{name}{CUT}")
        yield Played(fitted, "before", limit or most, divided)


REAL = {
    "mysql": "oltp-mysql-1h.csv.xz",
    "mssql": "oltp-mssql-51min.csv.xz",
    "tpcc-136ms": "tpcc-136ms.csv.xz",
    "websearch": "websearch-60s.csv.xz",
}
#: Traces that may not be passed on, by the pattern of their file's name in CAVERN_TRACES.
OTHERS = {"financial1": "*inancial1*", "pcmark": "*pcmark*"}
#: What the names of cut workloads end in, and the requests of them that are played.
CUT = "-fit"
LIMITS = {"sysmark": 300_000, "pc": 300_000, "tpcc": 600_000}


def plan(quick: bool) -> list[Case]:
    smaller = () if quick else SIZES[1:]
    return [
        *_whole(quick, SIZES[:1]),
        *_spaces(quick),
        *_before(quick),
        *_full(quick),
        *_range(quick),
        *_whole(quick, smaller),
    ]


def _whole(quick: bool, sizes: Iterable[int]) -> Iterator[Case]:
    """Figures 4 to 10, by every reading."""
    entries = QUICK_ENTRIES if quick else ENTRIES
    for size in sizes:
        steps = QUICK_STEPS if quick else STEPS if size == REFERENCE_SIZE else FEWER_STEPS
        for name in POPULARITY:
            played = whole(name, quick)
            for layer in LAYERS:
                for entry in entries if layer == "dftl" else (REFERENCE_ENTRY,):
                    if entry not in QUICK_ENTRIES and size != REFERENCE_SIZE:
                        continue
                    for share in steps:
                        yield static(played, layer, size, share, entry)
                    for rule in rules_of(quick, size, entry):
                        yield adaptive(played, layer, size, rule, entry)


def rules_of(quick: bool, size: int, entry: int) -> Iterable[str]:
    if entry not in QUICK_ENTRIES:
        return (REFERENCE_RULE,)
    if size != REFERENCE_SIZE:
        return READ_RULES
    if entry != REFERENCE_ENTRY:
        return (*READ_RULES, *UNDIVIDED_RULES)
    return (*(QUICK_RULES if quick else RULES), *UNDIVIDED_RULES)


def _range(quick: bool) -> Iterator[Case]:
    """With other popularities, at the reference size."""
    for name, (_, *others) in POPULARITY.items():
        for popularity in others[: 1 if quick else None]:
            played = whole(name, quick, popularity)
            for layer in LAYERS:
                for share in QUICK_FEWER_STEPS if quick else FEWER_STEPS:
                    yield static(played, layer, REFERENCE_SIZE, share)
                yield adaptive(played, layer, REFERENCE_SIZE, REFERENCE_RULE)


def _before(quick: bool) -> Iterator[Case]:
    for played in before(quick):
        for layer in LAYERS:
            for share in QUICK_FEWER_STEPS if quick else BEFORE_STEPS:
                yield static(played, layer, REFERENCE_SIZE, share)
            for rule in (REFERENCE_RULE, FASTER_RULE):
                yield adaptive(played, layer, REFERENCE_SIZE, rule)


def _full(quick: bool) -> Iterator[Case]:
    """Whole traces, undivided and divided."""
    for name, whole_limit in list(FULL.items())[: 1 if quick else None]:
        limit = QUICK_FULL_LIMIT if quick else whole_limit
        file = WORKLOADS / f"{name}-full.toml"
        for played in (
            Played(Input(file, "workload", name), "full", limit),
            replace(whole(name), part="full", limit=limit // DIVIDED),
        ):
            for layer in LAYERS:
                for share in (50,) if quick else FULL_STEPS:
                    yield static(played, layer, REFERENCE_SIZE, share)
                yield adaptive(played, layer, REFERENCE_SIZE, REFERENCE_RULE)
                if played.divided != 1:
                    yield adaptive(played, layer, REFERENCE_SIZE, UNDIVIDED_RULES[0])


def _spaces(quick: bool) -> Iterator[Case]:
    """Figure 2: one side grows, the other keeps 1 MiB."""
    inputs = [whole(name, quick) for name in SPACE_TRACES]
    inputs += [played for played in before(quick) if played.input.label in CUT_SPACE_TRACES]
    for name in SPACE_TRACES:
        others = POPULARITY[name][1 : 2 if quick else None]
        inputs += [whole(name, quick, popularity) for popularity in others]
    for played in inputs:
        entries = QUICK_ENTRIES if quick else ENTRIES
        for entry in entries if played.part == "whole" else (REFERENCE_ENTRY,):
            every = played.part == "whole" and entry == REFERENCE_ENTRY and not quick
            for grows in ("buffer", "map"):
                for space in SPACES if every else SPACE_ENDS:
                    of_map = (space if grows == "map" else 1) * MIB // played.divided
                    of_buffer = (1 if grows == "map" else space) * MIB // played.divided
                    split: dict[str, object] = {
                        "ftl.partition": "static",
                        "ftl.map_cache": f"{of_map}B",
                        "buffer.size": f"{of_buffer}B",
                    }
                    labels: dict[str, str | int] = {"grows": grows, "space": space}
                    yield _case(played, "dftl", entry, split, labels)


CUT_SPACE_TRACES = tuple(f"{name}{CUT}" for name in SPACE_TRACES)


def _case(
    played: Played,
    layer: str,
    entry: int,
    split: dict[str, object],
    labels: dict[str, str | int],
) -> Case:
    of_entry = {"ftl.dftl.entry": f"{entry}B"} if entry != REFERENCE_ENTRY else {}
    return case(
        CONFIG,
        played.input,
        {**drive(layer, blocks(played, layer)), **of_entry, **split},
        {
            "layer": layer,
            "part": played.part,
            "divided": played.divided,
            "entry": entry,
            "popularity": played.popularity,
            **labels,
        },
        limit=played.limit,
    )


def blocks(played: Played, layer: str) -> int:
    smaller = played.smaller if layer == "dftl" else 1
    return BLOCKS[layer] // played.divided // smaller


def drive(layer: str, count: int) -> dict[str, object]:
    """Section IV, full of data written in the order of addresses."""
    settings: dict[str, object] = {
        "fidelity": "untimed",
        "workload.out_of_range": "wrap",
        "precondition.fill": 1.0,
        "nand.blocks_per_plane": count,
        "ftl.overprovision": OVERPROVISION[layer],
        "ftl.scheme": layer,
    }
    # FAST maps whole blocks.
    return settings | ({"alloc.scheme": "stripe-block"} if layer == "fast" else {})


def static(played: Played, layer: str, size: int, share: int, entry: int = REFERENCE_ENTRY) -> Case:
    """Fixed: `share` percent of `size` MiB for the map."""
    split = fixed_split(layer, size * MIB // played.divided, share / 100, blocks(played, layer))
    return _case(played, layer, entry, split, {"size": size, "share": share})


def fixed_split(layer: str, total: int, share: float, count: int) -> dict[str, object]:
    """`share` of `total` bytes for the map, in whole pages."""
    of_map = min(
        max(int(total * share) // PAGE_BYTES * PAGE_BYTES, LEAST_BYTES), total - LEAST_BYTES
    )
    settings: dict[str, object] = {
        "ftl.partition": "static",
        "buffer.size": f"{total - of_map}B",
    }
    if layer == "dftl":
        return settings | {"ftl.map_cache": f"{of_map}B"}
    # Beyond the extra blocks memory for log blocks is of no use (section IV-C).
    extra = int(count * OVERPROVISION["fast"]) - 4
    return settings | {"ftl.log_blocks": min(of_map // LOG_BYTES, extra)}


def adaptive(
    played: Played, layer: str, size: int, rule: str, entry: int = REFERENCE_ENTRY
) -> Case:
    """From one half on by Algorithm 1."""
    split = tuned_split(layer, size * MIB // played.divided, played.divided, rule)
    return _case(played, layer, entry, split, {"size": size, "rule": rule})


def tuned_split(layer: str, total: int, divided: int, rule: str) -> dict[str, object]:
    """`divided`: time and steps, by this, like the memory."""
    if rule.endswith(UNDIVIDED):
        rule, divided_pace = rule.removesuffix(UNDIVIDED), 1
    else:
        divided_pace = divided
    of_whole, scale = FASTER[layer] if rule == FASTER_RULE else (INTERVAL[layer], 1.0)
    interval = of_whole // divided_pace
    scale *= interval / of_whole
    settings: dict[str, object] = {
        "ftl.partition": "adaptive",
        "ftl.adaptive.ratio": 0.5,
        "ftl.adaptive.interval": interval,
        "ftl.adaptive.tune_scale": scale,
        "ftl.adaptive.bitmap": f"{BITMAP_BYTES // divided}B",
        "buffer.size": f"{total // 2}B",
        **RULES.get(rule, {}),
    }
    if "ftl.adaptive.extra_hits" in settings:
        settings["ftl.adaptive.extra_hits"] = 1.0 / divided_pace  # of an interval
    if layer == "dftl":
        return settings | {"ftl.map_cache": f"{total // 2}B"}
    return settings | {"ftl.log_blocks": total // 2 // LOG_BYTES}
