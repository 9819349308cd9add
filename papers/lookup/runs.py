"""The runs: counts of the whole workload on the host, cycles of samples on the processor."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from cavern import Case

from papers.experiment import Input, case
from papers.lookup.paper import GROUPS, SEARCH_GROUPS

NAME = "lookup"
PAPER = "FTL cache look-up (Lee & Chung 2020)"
#: What plays the runs, beside the simulator.
PROGRAM = "cavern-lookup"

HERE = Path(__file__).parent
CONFIG = HERE / "cache.toml"
WORKLOAD = Input(HERE / "workloads" / "twenty-threads.toml", "workload", "twenty-threads")

#: Records of a thread.
TURNS, QUICK_TURNS = 15_000, 500
LIST_LOOK_UPS = ("LM", "ML", "SQ")
TREE_ORDERS = (5, 6, 7, 8, 9, 10)
#: The columns of each look-up in the tables; DX is ours and knows no groups.
COLUMNS = {
    **dict.fromkeys(LIST_LOOK_UPS, GROUPS),
    "SG": SEARCH_GROUPS,
    "BT": SEARCH_GROUPS,
    "DX": (1,),
}

#: Other readings of what the paper leaves open.
READINGS: dict[str, dict[str, object]] = {
    "no read before a partial write": {"read_modify_write": False},
    "files of writers are not there": {"prewrite_all": False},
}

#: The device of the paper never fills: 256 GB, and less than 5 GB are written. The other one holds
#: the files, which are all there at the start, and few blocks more.
FILE_BLOCKS = 2000
SPARE_BLOCKS, QUICK_SPARE_BLOCKS = 200, 40
#: Fewer do not fill it.
QUICK_COLLECTION_TURNS = 1_500

#: Turns of all threads over which cycles are measured, after the cache is warm.
SAMPLE_TURNS, QUICK_SAMPLE_TURNS = 40, 8
WARM_UP_TURNS = 1_000
#: The line cache before the SDRAM: Cavern's, and one that holds all frames.
LINE_CACHES = {"16 KiB": 16 * 1024, "256 KiB": 256 * 1024}
#: The samples' device: the map and the flash's spare areas lie in the processor's memory.
SAMPLE_BLOCKS = 4096

#: What Ibex itself can play: a millionth of a second of it takes about that long. Little of
#: everything, and a line cache of a third of the frames.
SHORT: dict[str, object] = {
    "frames": 256,
    "file_pages": 50,
    "pages_per_block": 32,
    "blocks": 36,
    "low_watermark": 32,
    "high_watermark": 64,
    "warm_up_turns": 5,
    "turns": 20,
    "cache_bytes": 1024,
}
QUICK_SHORT: dict[str, object] = {**SHORT, "warm_up_turns": 2, "turns": 6}
CORES = ("iss", "rtl")


def plan(quick: bool) -> list[Case]:
    return [
        *_tables(quick),
        *_readings(quick),
        *_collection(quick),
        *_samples(quick),
        *_cores(quick),
    ]


def _case(part: str, settings: dict[str, object], labels: dict[str, object]) -> Case:
    return case(CONFIG, WORKLOAD, settings, {"part": part, **labels})


def _turns(quick: bool) -> dict[str, object]:
    return {"turns": QUICK_TURNS if quick else TURNS}


def _tables(quick: bool) -> Iterator[Case]:
    for look_up, columns in COLUMNS.items():
        for groups in columns:
            yield _case(
                "tables",
                {"look_up": look_up, "groups": groups, **_turns(quick)},
                {"look_up": look_up, "groups": groups, "order": 5},
            )
    for order in TREE_ORDERS[1:]:
        yield _case(
            "tables",
            {"look_up": "BT", "groups": 1, "order": order, **_turns(quick)},
            {"look_up": "BT", "groups": 1, "order": order},
        )


def _readings(quick: bool) -> Iterator[Case]:
    for reading, settings in READINGS.items():
        for look_up in ("LM", "ML", "SQ", "SG"):
            yield _case(
                "readings",
                {"look_up": look_up, "groups": 1, **settings, **_turns(quick)},
                {"reading": reading, "look_up": look_up, "groups": 1},
            )


def _collection(quick: bool) -> Iterator[Case]:
    spare = QUICK_SPARE_BLOCKS if quick else SPARE_BLOCKS
    for look_up in ("SG", "DX"):
        groups = COLUMNS[look_up][-1]
        yield _case(
            "collection",
            {
                "look_up": look_up,
                "groups": groups,
                "blocks": FILE_BLOCKS + spare,
                "turns": QUICK_COLLECTION_TURNS if quick else TURNS,
            },
            {"device": f"{spare} blocks spare", "look_up": look_up},
        )


def _samples(quick: bool) -> Iterator[Case]:
    """Each on the processor, for cycles, and on the host, for counts: a firmware that counts takes
    longer than one that does not."""
    shapes = [(look_up, groups, 5) for look_up in COLUMNS for groups in COLUMNS[look_up]]
    shapes += [("BT", 1, order) for order in TREE_ORDERS[1:]]
    for look_up, groups, order in shapes:
        for size, cache_bytes in LINE_CACHES.items():
            if size != "16 KiB" and (groups not in (1, 128) or order != 5):
                continue
            for played_on in ("host", "iss"):
                yield _case(
                    "samples",
                    {
                        "look_up": look_up,
                        "groups": groups,
                        "order": order,
                        "blocks": SAMPLE_BLOCKS,
                        "warm_up_turns": WARM_UP_TURNS,
                        "turns": QUICK_SAMPLE_TURNS if quick else SAMPLE_TURNS,
                        "cache_bytes": cache_bytes,
                        "played_on": played_on,
                    },
                    {
                        "look_up": look_up,
                        "groups": groups,
                        "order": order,
                        "line_cache": size,
                        "played_on": played_on,
                    },
                )


def _cores(quick: bool) -> Iterator[Case]:
    """Records on the interpreter, which the samples are played on, and on Ibex."""
    for look_up in COLUMNS:
        for core in CORES:
            yield _case(
                "cores",
                {
                    "look_up": look_up,
                    "groups": 1,
                    "played_on": core,
                    **(QUICK_SHORT if quick else SHORT),
                },
                {"look_up": look_up, "played_on": core},
            )
